//! Tests the baselines on every instruction set.

mod common;

use common::cases::read;
use common::run::{execute, planner};
use common::sample::sample;
use fourfold::baseline::{Algorithm, AnyRecipe, Stage, StageWork, StagedRecipe};
use fourfold::oracle::verify::{Data, check};
use fourfold::{Domain, ErrorKind, Isa, Multiplier, Pipeline, Planner, Problem, Recipe, View, ViewMut};
use num_complex::Complex;

const SMALL: &str = include_str!("../../../cases/small.txt");

/// Problems with every combination of kinds and types that the baselines support, with odd and even
/// lengths, length 1, one to five axes, and batches.
fn problems() -> Vec<Problem> {
    let mut texts: Vec<String> = vec![];
    for kind in ["dct2", "dct3", "dst2", "dst3", "idxst", "idct2", "idst2", "idct3", "idxst_idct", "idct_idxst"] {
        let pair = kind.contains('_');
        let one = (1..=20).chain([31, 32, 33, 64, 97, 128, 130, 257]).map(|n| n.to_string());
        let two = ["1x1", "1x7", "6x1", "2x2", "3x2", "4x5", "5x4", "7x9", "8x8", "16x35", "33x64", "10x300"];
        let more = ["1x1x1", "3x4x5", "4x1x6", "8x6x4", "2x9x16", "3x2x4x5", "4x4x2x3", "2x3x2x3x4"];
        let shapes = one.filter(|_| !pair).chain(two.map(String::from));
        let more = more.iter().filter(|_| !pair).map(|shape| (*shape).to_owned());
        texts.extend(shapes.chain(more).map(|shape| format!("{kind} f64 {shape}")));
    }
    texts.extend(
        ["dct2,dct3 f64 6x10", "dst3,dct2,idxst f32 5x6x8", "dct2,dst2,dct2 f64 4x9x6 ortho"].map(String::from),
    );
    texts.extend(
        ["dct2 f64 3x10x4 axes=1", "dct3 f32 5x6x7 axes=0,2", "dst2 f64 9x4x3 axes=2,0 ortho"].map(String::from),
    );
    texts.extend(ffts());
    texts.extend(["dct2 f32 300x200", "dct3 f64 200x300", "dct2 f64 5000", "dct3 f32 64x40x30"].map(String::from));
    read(&texts.join("\n"))
}

/// Complex problems: lines, square and other matrices, batches, strides, in place.
fn ffts() -> Vec<String> {
    let mut texts: Vec<String> = vec![];
    let squares = [1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 30, 32, 49, 64].map(|n| format!("{n}x{n}"));
    let others = ["6x10", "8x4", "30x7", "1x9", "14x1", "56x24"].map(String::from);
    for real in ["f64", "f32"] {
        let one = (1..=20).chain([32, 64, 97, 128, 255, 256, 1024, 2048, 4096]).map(|n| n.to_string());
        texts.extend(one.flat_map(|n| [format!("fft {real} {n}"), format!("ifft {real} {n} forward")]));
        for kinds in ["fft", "ifft", "fft,ifft"] {
            texts.extend(squares.iter().chain(&others).map(|shape| format!("{kinds} {real} {shape}")));
        }
    }
    let odd = [
        "fft f64 3x8x4 axes=1",
        "ifft f32 4x16x2 axes=0,2 ortho",
        "fft,ifft f64 4x1x8x2 axes=0,2",
        "fft f64 16 inplace",
        "ifft f32 5x32 axes=1 inplace",
        "fft f64 12x12 inplace",
        "fft f64 8x8 in=-9,1 ortho",
        "ifft f64 8x8 in=1,8 out=20,-2",
        "fft f64 2048x3 axes=0 in=1,2050 adjoint",
    ];
    texts.extend(odd.map(String::from));
    texts
}

/// The default recipe of a problem, and the recipes of all baselines that support it.
fn all_recipes(problem: &Problem) -> Vec<AnyRecipe> {
    let staged = Algorithm::ALL.iter().filter_map(|method| method.recipe(problem).ok());
    [Planner::new().recipe(problem).unwrap().into()].into_iter().chain(staged.map(AnyRecipe::from)).collect()
}

fn assert_right(recipe: StagedRecipe, isa: Isa, threads: usize) {
    let plan = planner(isa, threads).plan_recipe(recipe).unwrap();
    let problem = plan.problem();
    let AnyRecipe::Staged(recipe) = plan.recipe() else { panic!("no stages") };
    let method = recipe.algorithm();
    let verdict = check(problem, plan.recipe().uses_bluestein(), 1, |x, y| execute(&plan, x, y)).unwrap();
    assert!(verdict.holds(), "{problem} by {method} with {isa}, {threads} threads: {verdict:?}");
}

#[test]
fn every_method_is_right_wherever_it_has_the_problem() {
    let problems: Vec<Problem> = read(SMALL).into_iter().chain(problems()).collect();
    for (turn, method) in Algorithm::ALL.iter().enumerate() {
        let recipes: Vec<StagedRecipe> = problems.iter().filter_map(|problem| method.recipe(problem).ok()).collect();
        assert!(recipes.len() > 20, "{method} has {} of the problems", recipes.len());
        let isas = Isa::available();
        for (i, recipe) in sample(recipes, 3, turn).into_iter().enumerate() {
            assert_right(recipe.clone(), isas[i % isas.len()], 1);
            assert_right(recipe, isas[(i + 1) % isas.len()], 3);
        }
    }
}

#[test]
fn methods_have_what_they_say() {
    let has = |method: &str, problem: &str| {
        method.parse::<Algorithm>().unwrap().recipe(&problem.parse().unwrap()).map(|recipe| recipe.stages().len())
    };
    assert_eq!(has("three-stage", "dct2 f64 8x8"), Ok(3));
    assert_eq!(has("three-stage", "idct_idxst f64 8x8x8 axes=0,2"), Ok(3));
    assert_eq!(has("three-stage", "dct2 f64 8x8x8x8"), Ok(6), "two rounds of two axes");
    assert_eq!(has("three-stage", "dct2,dct3 f64 8x8"), Ok(6), "one round each way");
    assert_eq!(has("row-column", "dct2 f64 8x8"), Ok(8));
    assert_eq!(has("row-column", "dct3 f64 8x8x8"), Ok(12));
    assert_eq!(has("row-column", "dct3 f64 8"), Ok(3));
    assert_eq!(has("four-n", "dct2 f64 8"), Ok(3));
    assert_eq!(has("definition", "fft f64 6x7"), Ok(3), "a copy, and sums along each axis");
    assert_eq!(has("brute-force", "fft f64 6x7"), Ok(3));
    assert_eq!(has("levels", "ifft f64 4096"), Ok(13));
    assert_eq!(has("levels-in-blocks", "fft f64 1024"), Ok(1));
    assert_eq!(has("levels-in-blocks", "fft f64 8192"), Ok(4));
    for (method, problem) in [
        ("levels", "fft f64 12"),
        ("levels", "dct2 f64 8"),
        ("definition", "rfft f64 8"),
        ("mixed-radix-rows", "fft f64 11x8"),
        ("mixed-radix-groups", "fft f64 8x4"),
        ("mixed-radix-naive", "fft f64 8x4"),
        ("mixed-radix-padded", "fft f64 22x22"),
        ("mixed-radix-blocks", "fft f64 8x4 axes=1"),
        ("mixed-radix-blocks", "fft f64 8x4 out=1,8"),
        ("radix-2-groups", "fft f64 12x12"),
    ] {
        let message = has(method, problem).unwrap_err().to_string();
        assert!(
            message.contains(method) && message.contains(problem) && message.contains("it computes fft"),
            "{message}"
        );
    }
    for (method, problem) in [("three-stage", "dct1 f64 8"), ("row-column", "fft f64 8"), ("n-point", "dct3 f64 8")] {
        let error = has(method, problem).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Problem);
        let message = error.to_string();
        assert!(
            message.contains(method) && message.contains(problem) && message.contains("it computes dct2"),
            "{message}"
        );
    }
    assert!(has("two-n-padded", "dct2 f64 8x8").unwrap_err().to_string().contains("along one axis"));
    let unknown = "three".parse::<Algorithm>().unwrap_err().to_string();
    assert!(Algorithm::ALL.iter().all(|method| unknown.contains(method.name())), "{unknown}");
}

#[test]
fn transposes_are_in_the_reorder_and_the_combine() {
    let (mut shapes, text) = (vec![], ["dct2 f64 6x10", "dct3 f64 6x10"]);
    for (method, trips) in [("", 0), ("-reorder", 1), ("-combine", 1), ("-trips", 2)] {
        let algorithm: Algorithm = format!("three-stage-transposed{method}").parse().unwrap();
        for problem in text {
            let recipe = algorithm.recipe(&problem.parse().unwrap()).unwrap();
            let is_trip =
                |stage: &&Stage| matches!(&stage.work, StageWork::Reorder { orders, .. } if orders.is_empty());
            assert_eq!(recipe.stages().iter().filter(is_trip).count(), trips, "{recipe}");
            assert_eq!(recipe.stages().len(), 3 + trips, "{recipe}");
            shapes.extend(recipe.stages().iter().filter_map(|stage| match &stage.work {
                StageWork::Fft(fft) => Some(fft.problem().to_string()),
                _ => None,
            }));
        }
    }
    let [forward, backward] = ["rfft f64 10x6", "irfft f64 10x6 forward"];
    assert_eq!(shapes, [forward, backward].repeat(4), "every FFT is of the transposed array");
    let trips: Algorithm = "three-stage-transposed-trips".parse().unwrap();
    let one_axis = trips.recipe(&"dct3 f64 8".parse().unwrap()).unwrap();
    assert_eq!(one_axis.stages().len(), 3, "one axis has nothing to transpose");
}

#[test]
fn thresholds_are_part_of_the_last_combine() {
    let least = 1.5;
    for (i, text) in ["dct2 f64 33x20", "dst2 f32 20x33", "dct2 f64 5x6x7", "dct2 f32 100"].iter().enumerate() {
        let problem: Problem = text.parse().unwrap();
        for algorithm in Algorithm::ALL {
            let Ok(plain) = algorithm.recipe(&problem) else { continue };
            let recipe = algorithm.recipe(Pipeline::from(&problem).threshold(least)).unwrap();
            assert_eq!(recipe.to_string().parse::<StagedRecipe>().unwrap(), recipe);
            assert_eq!(recipe.stages().len(), plain.stages().len(), "no trip of its own");
            let planner = planner(Isa::available()[i % Isa::available().len()], 3);
            let mut x = Data::filled(problem.precision(), Domain::Real, problem.input().len, 0.0);
            (0..problem.input().len).for_each(|i| x.set(i, Complex::from((1.7 * i as f64).sin())));
            let [all, kept] = [plain, recipe].map(|recipe| {
                let mut y = x.clone();
                execute(&planner.plan_recipe(recipe).unwrap(), &x, &mut y).unwrap();
                (0..problem.output().len).map(|i| y.get(i).re).collect::<Vec<_>>()
            });
            let wanted: Vec<f64> = all.iter().map(|y| if y.abs() < least { 0.0 } else { *y }).collect();
            assert_eq!(kept, wanted, "{problem} by {algorithm}");
            assert!(kept.contains(&0.0) && kept.iter().any(|y| *y != 0.0), "the threshold lies between outputs");
        }
    }
    let three: Algorithm = "three-stage".parse().unwrap();
    let forward: Problem = "dct2 f64 8".parse().unwrap();
    let inverse: Problem = "dct3 f64 8".parse().unwrap();
    for (pipeline, hint) in [
        (Pipeline::from(&forward).threshold(-1.0), "a threshold of -1: expected 0 or more"),
        (
            Pipeline::from(&inverse).threshold(1.0),
            "`dct3 f64 8 | threshold 1` by three-stage: expected a transform whose",
        ),
        (Pipeline::from(&forward).multiply(Multiplier::Table(vec![1.0; 8])), "with or without a threshold after it"),
    ] {
        let error = three.recipe(pipeline).unwrap_err();
        assert!(error.kind() == ErrorKind::Argument && error.to_string().contains(hint), "{error}");
    }
    let wrong = "dct2 f64 8 | threshold x by three-stage".parse::<StagedRecipe>().unwrap_err();
    assert!(wrong.to_string().contains("`x` is no threshold"), "{wrong}");
}

#[test]
fn recipes_parse_back_and_know_their_scratch() {
    for problem in problems() {
        for recipe in all_recipes(&problem) {
            let text = recipe.to_string();
            assert_eq!(text.parse::<AnyRecipe>().unwrap(), recipe, "{text}");
        }
    }
    let problems = ["dct2 f64 800", "fft f64 4096", "ifft f32 64x64"].map(|text| text.parse::<Problem>().unwrap());
    for recipe in problems.iter().flat_map(all_recipes) {
        let planner = Planner::builder().threads(2).build().unwrap();
        let bytes = planner.scratch_bytes(&recipe).unwrap();
        assert_eq!(planner.plan_recipe(recipe).unwrap().scratch_bytes(), bytes);
    }
    let recipe = Algorithm::ALL[0].recipe(&"dct2 f64 8x8".parse().unwrap()).unwrap().to_string();
    for wrong in [recipe.replace("split", "merge"), format!("{recipe}\n{}", recipe.lines().last().unwrap())] {
        assert_eq!(wrong.parse::<StagedRecipe>().unwrap_err().kind(), ErrorKind::Notation, "{wrong}");
    }
    // Parsing the wrong type of recipe gives a clear message.
    let hint = |error: fourfold::Error, hint: &str| assert!(error.to_string().contains(hint), "{error}");
    hint(recipe.parse::<Recipe>().unwrap_err(), "`by three-stage`: expected passes, not the stages of a baseline");
    hint("dct2 f64 8".parse::<StagedRecipe>().unwrap_err(), "names no algorithm: expected `dct2 f64 64x64 by");
}

#[test]
fn rungs_of_the_ladder_have_a_stage_for_each_step() {
    let has = |method: &str, problem: &str| {
        method.parse::<Algorithm>().unwrap().recipe(&problem.parse().unwrap()).map(|recipe| recipe.stages().len())
    };
    assert_eq!(has("mixed-radix-rows", "fft f64 120x70"), Ok(2 + 3 + 3 + 2), "8 5 3; 7 5 2");
    assert_eq!(has("radix-2-groups", "fft f64 8x8"), Ok(2 + 3 + 3 + 2));
    assert_eq!(has("mixed-radix-naive", "fft f64 120x120"), Ok(4), "rows and transposes");
    assert_eq!(has("mixed-radix-padded", "fft f64 12x12"), Ok(2 + 2 + 2 + 2), "even lengths stay as they are");
    assert_eq!(has("mixed-radix-padded", "fft f64 15x15"), Ok(2 + 2 + 2 + 2 + 1), "and odd ones are copied back");
}

/// The transposes of a matrix, as the article's steps differ in them.
#[test]
fn rungs_of_the_ladder_say_how_they_transpose() {
    let transpose = |method: &str, n: usize| {
        let recipe = method.parse::<Algorithm>().unwrap().recipe(&format!("fft f32 {n}x{n}").parse().unwrap()).unwrap();
        let text = recipe.to_string();
        let lines: Vec<_> = text.lines().filter_map(|line| line.split_once("transpose ")).collect();
        assert!(lines.len() == 2 && lines[0].1 == lines[1].1, "{text}");
        lines[0].1.to_owned()
    };
    let wide = "2 x 2 a thread, 2 elements an access";
    let groups = |shape: &str| format!("{wide}, in place, a range of rows, groups {shape}");
    assert_eq!(transpose("mixed-radix-naive", 12), "1 x 1 a thread, in place, a range of rows, groups by the driver");
    assert_eq!(transpose("mixed-radix-range", 12), "1 x 1 a thread, by the host");
    assert_eq!(transpose("mixed-radix-elements", 12), "1 x 1 a thread, a range of rows, groups by the driver");
    assert_eq!(transpose("mixed-radix-blocks", 12), format!("{wide}, a range of rows, groups by the driver"));
    assert!(transpose("mixed-radix-blocks-4", 12).starts_with("4 x 4 a thread, 2 elements an access, a range"));
    assert_eq!(transpose("mixed-radix-in-place", 12), groups("by the driver"));
    assert_eq!(transpose("mixed-radix-groups", 10), groups("of 2 x 4"));
    for (n, shape) in
        [(16, "of 2 x 4"), (12, "of 1 x 2"), (10, "by the driver"), (15, "of 2 x 4"), (9, "by the driver")]
    {
        assert_eq!(transpose("mixed-radix-rule", n), groups(shape), "{n}");
        assert_eq!(transpose("mixed-radix-padded", n), groups(shape), "{n}");
    }
}

#[test]
fn padded_arrays_have_even_lengths_in_memory() {
    let recipe = "mixed-radix-padded".parse::<Algorithm>().unwrap().recipe(&"fft f64 15x15".parse().unwrap()).unwrap();
    let inner = &recipe.stages()[0].to;
    assert_eq!((inner.strides(), inner.reals(), &inner.lengths), (vec![16, 1], 2 * 16 * 16, &vec![15, 15]));
    assert!(inner.to_string() == "15x15 complex padded to 2" && recipe.stages()[8].to.reals() == 2 * 15 * 15);
}

#[test]
fn every_stage_reads_what_the_one_before_wrote() {
    for problem in problems() {
        for recipe in Algorithm::ALL.iter().filter_map(|method| method.recipe(&problem).ok()) {
            let stages = recipe.stages();
            assert!(stages.windows(2).all(|pair| pair[0].to == pair[1].from), "{recipe}");
            assert!(!matches!(stages[0].work, StageWork::Fft(_)), "the caller's strides are for reorders and combines");
        }
    }
}

#[test]
fn both_parts_of_complex_arrays_and_views_of_any_strides() {
    for method in &Algorithm::ALL {
        let Ok(recipe) = method.recipe(&"dct2 f64 6x10 axes=1".parse().unwrap()) else { continue };
        let plan = Planner::new().plan_recipe(recipe).unwrap();
        let (re, im): (Vec<f64>, Vec<f64>) = (0..60).map(|i| (f64::from(i).sin(), f64::from(i).cos())).unzip();
        let both: Vec<_> = re.iter().zip(&im).map(|(re, im)| Complex::new(*re, *im)).collect();
        let (mut out_re, mut out_im, mut out) = (vec![0.0; 60], vec![0.0; 60], vec![Complex::<f64>::default(); 60]);
        plan.execute(&re, &mut out_re).unwrap();
        plan.execute(&im, &mut out_im).unwrap();
        plan.execute(&both, &mut out).unwrap();
        let separate: Vec<_> = out_re.iter().zip(&out_im).map(|(re, im)| Complex::new(*re, *im)).collect();
        assert!(
            out.iter().zip(&separate).all(|(y, z): (&Complex<f64>, &Complex<f64>)| (y - z).norm() < 1e-13),
            "{method}"
        );
        // The output has a negative stride.
        let columns: Vec<f64> = (0..60).map(|i| re[i % 6 * 10 + i / 6]).collect();
        let mut restored = vec![0.0f64; 60];
        let (input, output) = (
            View { data: &columns, offset: 0, strides: &[1, 6] },
            ViewMut { data: &mut restored, offset: 59, strides: &[-10, -1] },
        );
        plan.execute_views(input, output, &mut plan.scratch()).unwrap();
        restored.reverse();
        // Other strides lead to other vectors, and so to other rounding errors.
        assert!(restored.iter().zip(&out_re).all(|(y, z): (&f64, &f64)| (y - z).abs() < 1e-13), "{method}");
    }
}

#[test]
fn threads_change_nothing() {
    let texts = ["dct2 f64 20000", "dct3 f64 20001", "dct2 f64 200x300", "dct3 f64 30x40x50", "fft f64 256x256"];
    for (turn, text) in texts.iter().enumerate() {
        for recipe in sample(all_recipes(&text.parse().unwrap()), 1, turn) {
            let run = |threads: usize| {
                let plan = planner(Isa::best(), threads).plan_recipe(recipe.clone()).unwrap();
                let problem = plan.problem();
                let filled = |domain| Data::filled(problem.precision(), domain, problem.input().len, 0.0);
                let (mut x, mut y) = (filled(problem.input_domain()), filled(problem.output_domain()));
                (0..problem.input().len).for_each(|i| x.set(i, Complex::from((i as f64).sin())));
                execute(&plan, &x, &mut y).unwrap();
                y
            };
            assert!(run(1) == run(3), "{recipe}");
        }
    }
}

#[test]
fn what_is_ignored_spoils_nothing() {
    for recipe in all_recipes(&"idxst,dct3 f64 6x9".parse().unwrap()) {
        let plan = Planner::new().plan_recipe(recipe).unwrap();
        let mut x = vec![1.0; 54];
        x[..9].fill(f64::NAN);
        let mut y = vec![0.0f64; 54];
        plan.execute(&x, &mut y).unwrap();
        assert!(y.iter().all(|y| y.is_finite()), "{}: {y:?}", plan.recipe());
    }
}

#[test]
fn absurd_sizes_are_errors() {
    for method in sample(&Algorithm::ALL, 1, 0) {
        for text in [
            "dct2 f64 1000000000000000000",
            "dct2 f64 1000000000000",
            "dct2 f32 1048577x1048577x1 axes=1",
            "fft f64 1099511627776",
            "fft f64 1048576x1048576",
        ] {
            let recipe = method.recipe(&text.parse().unwrap());
            if recipe.as_ref().is_err_and(|error| error.kind() == ErrorKind::Problem) {
                continue;
            }
            let error = recipe.and_then(|recipe| Planner::new().plan_recipe(recipe));
            let unavailable = error.as_ref().err().map(fourfold::Error::kind) == Some(ErrorKind::Unavailable);
            let lazily = error.is_ok_and(|plan| plan.try_scratch().is_err());
            assert!(unavailable || lazily, "{text} by {method}");
        }
    }
}

#[test]
fn data_of_the_wrong_type_are_refused() {
    let recipe = Algorithm::ALL[0].recipe(&"dct2 f32 8".parse().unwrap()).unwrap();
    let plan = Planner::new().plan_recipe(recipe).unwrap();
    let error = execute(&plan, &Data::F64(vec![0.0; 8]), &mut Data::F64(vec![0.0; 8])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument);
}
