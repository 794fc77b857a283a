//! The paper's methods as kernels: against the oracle where there is a device, through NVIDIA's
//! compiler where there is that.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::sample::{sample, whole};
use common::{present, read, verdict};
use fourfold::baseline::{Algorithm, StageWork, StagedRecipe};
use fourfold::{ErrorKind, Pipeline, Problem};
use fourfold_gpu::{GpuPlanner, Target};
use num_complex::Complex;

const CASES: &str = include_str!("../../../cases/methods.txt");

/// What is too long for simulators: FFTs by several kernels, levels before blocks, and sums of sums.
const LONGER: [(&str, &str); 6] = [
    ("three-stage", "dct2 f64 2x65536"),
    ("levels", "fft f32 2048"),
    ("levels-in-blocks", "ifft f64 4x2048 axes=1"),
    ("levels-in-clusters", "fft f32 2048"),
    ("definition", "fft f32 1000"),
    ("mixed-radix-groups", "fft f32 120x120"),
];

fn methods(text: &str) -> Vec<(Algorithm, Problem)> {
    let problems = read(text);
    let pairs = Algorithm::ALL.iter().flat_map(|method| problems.iter().map(|problem| (*method, problem.clone())));
    pairs.filter(|(method, problem)| method.recipe(problem).is_ok()).collect()
}

#[test]
fn methods_are_right() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    // Variants of a method differ from it in one stage.
    let is_whole = |method: Algorithm| !method.name().starts_with("three-stage-");
    let all = methods(CASES).into_iter().enumerate().filter(|(i, (method, _))| is_whole(*method) || i % 4 == 0);
    let longer = LONGER.map(|(method, problem)| (method.parse().unwrap(), problem.parse().unwrap()));
    let all: Vec<(Algorithm, Problem)> = all.map(|(_, pair)| pair).chain(longer).collect();
    assert!(all.len() > 50, "{}", all.len());
    for (method, problem) in sample(all, 12, 0) {
        let verdict = match verdict(&planner, method.recipe(&problem).unwrap(), 1) {
            Err(error) if method.name() == "levels-in-clusters" && error.kind() == ErrorKind::Unavailable => {
                assert!(error.to_string().contains("2 blocks must reach each other's memory"), "{error}");
                continue;
            }
            verdict => verdict.unwrap(),
        };
        assert!(verdict.holds(), "{problem} by {method}: {verdict:?}");
    }
}

/// Squares of 16 × 16 threads, with rows, columns and batches that fill some of them in part.
#[test]
fn combines_that_transpose_are_right() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    for (method, problem) in [
        ("three-stage-transposed", "dct2 f64 70x37"),
        ("three-stage-transposed", "dct3 f32 37x70"),
        ("three-stage-transposed-combine", "idxst,dst3,dct3 f32 5x18x40"),
        ("three-stage-transposed-reorder", "dst2 f64 34x33"),
        ("three-stage-transposed-trips", "dct2 f64 33x34"),
        ("three-stage", "dct2 f32 40x36x3 axes=0,1"),
    ] {
        let (method, problem): (Algorithm, Problem) = (method.parse().unwrap(), problem.parse().unwrap());
        let verdict = verdict(&planner, method.recipe(&problem).unwrap(), 1).unwrap();
        assert!(verdict.holds(), "{problem} by {method}: {verdict:?}");
    }
}

#[test]
fn thresholds_are_part_of_the_last_combine() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    let problem: Problem = "dct2 f64 18x20".parse().unwrap();
    for method in ["three-stage", "row-column", "three-stage-transposed"].map(|name| name.parse::<Algorithm>().unwrap())
    {
        let x: Vec<f64> = (0..360).map(|i| (1.7 * f64::from(i)).sin()).collect();
        let recipes = [method.recipe(&problem), method.recipe(Pipeline::from(&problem).threshold(1.5))];
        let [all, kept] = recipes.map(|recipe| {
            let mut y = vec![0.0f64; 360];
            planner.plan_recipe(recipe.unwrap()).unwrap().execute(&x, &mut y).unwrap();
            y
        });
        let wanted: Vec<f64> = all.iter().map(|y| if y.abs() < 1.5 { 0.0 } else { *y }).collect();
        assert_eq!(kept, wanted, "{method}");
        assert!(kept.contains(&0.0) && kept.iter().any(|y| *y != 0.0));
    }
}

#[test]
fn both_parts_of_complex_arrays() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    for method in ["three-stage", "row-column", "n-point"].map(|name| name.parse::<Algorithm>().unwrap()) {
        let problem: Problem = "dct2 f64 6x10 axes=1".parse().unwrap();
        let plan = planner.plan_recipe(method.recipe(&problem).unwrap()).unwrap();
        let (re, im): (Vec<f64>, Vec<f64>) = (0..60).map(|i| (f64::from(i).sin(), f64::from(i).cos())).unzip();
        let both: Vec<_> = re.iter().zip(&im).map(|(re, im)| Complex::new(*re, *im)).collect();
        let (mut out_re, mut out_im, mut out) = (vec![0.0; 60], vec![0.0; 60], vec![Complex::<f64>::default(); 60]);
        plan.execute(&re, &mut out_re).unwrap();
        plan.execute(&im, &mut out_im).unwrap();
        plan.execute(&both, &mut out).unwrap();
        for (z, (re, im)) in out.iter().zip(out_re.iter().zip(&out_im)) {
            assert!((z.re - re).abs() < 1e-13 && (z.im - im).abs() < 1e-13, "{method}");
        }
    }
}

#[test]
fn a_stage_alone_does_what_it_does_among_others() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device.clone());
    let problem: Problem = "dct2 f64 8x6".parse().unwrap();
    let recipe = "three-stage".parse::<Algorithm>().unwrap().recipe(&problem).unwrap();
    let (x, zeros) = ((0..48).map(f64::from).collect::<Vec<_>>(), vec![0.0f64; 48]);
    let (input, mut output) = (device.upload(&x).unwrap(), device.upload(&zeros).unwrap());
    let mut scratch = planner.plan_recipe(recipe.clone()).unwrap().scratch(&device).unwrap();
    let mut result = vec![0.0; 48];
    for stage in 0..3 {
        output.download(&mut result).unwrap();
        assert_eq!(result, zeros, "the last stage alone writes the output");
        let plan = planner.plan_stage(recipe.clone(), stage).unwrap();
        plan.execute_on_with(&input, &mut output, &mut scratch).unwrap();
    }
    output.download(&mut result).unwrap();
    assert!((result[0] - 4.0 * 47.0 * 24.0).abs() < 1e-9, "{result:?}");
    let error = planner.plan_stage(recipe, 3).unwrap_err();
    assert!(error.kind() == ErrorKind::Argument && error.to_string().contains("has 3, from 0 on"), "{error}");
}

#[test]
fn what_is_ignored_spoils_nothing() {
    let Some(device) = present() else { return };
    let recipe = "three-stage".parse::<Algorithm>().unwrap().recipe(&"idxst,dct3 f64 6x9".parse().unwrap()).unwrap();
    let mut x = vec![1.0f64; 54];
    x[..9].fill(f64::NAN);
    let mut y = vec![0.0f64; 54];
    GpuPlanner::new(device).plan_recipe(recipe).unwrap().execute(&x, &mut y).unwrap();
    assert!(y.iter().all(|y| y.is_finite()), "{y:?}");
}

#[test]
fn inspections_have_a_launch_for_every_stage() {
    let recipe =
        |method: &str, problem: &str| method.parse::<Algorithm>().unwrap().recipe(&problem.parse().unwrap()).unwrap();
    let recipes: [StagedRecipe; 2] =
        [recipe("row-column", "dct2 f64 64x48"), recipe("three-stage", "dct3 f32 20x30x40")];
    for recipe in recipes {
        let inspection = Target::cuda("sm_90").unwrap().inspect_recipe(recipe.clone()).unwrap();
        for (pass, stage) in recipe.stages().iter().enumerate() {
            let own = inspection.launches.iter().filter(|launch| launch.pass == pass).count();
            assert!(own == 1 || (own > 1 && matches!(stage.work, StageWork::Fft(_))), "{stage}: {own} launches");
        }
    }
    let error = Target::opencl().without_f64().inspect_recipe(recipe("three-stage", "dct2 f64 8x8")).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}

/// The steps of the article on mobile GPUs, in the text of their kernels.
#[test]
fn kernels_of_the_ladder_are_as_the_article_s() {
    let source = |target: &Target, method: &str, problem: &str| {
        let recipe = method.parse::<Algorithm>().unwrap().recipe(&problem.parse().unwrap()).unwrap();
        target.inspect_recipe(recipe).unwrap().launches.pop().unwrap().source
    };
    let (opencl, cuda) = (Target::opencl(), Target::cuda("sm_90").unwrap());
    let in_opencl = |method: &str, side: usize| source(&opencl, method, &format!("fft f32 {side}x{side}"));
    let has = |text: &str, words: &[&str]| words.iter().for_each(|word| assert!(text.contains(word), "{word}: {text}"));
    let lacks =
        |text: &str, words: &[&str]| words.iter().for_each(|word| assert!(!text.contains(word), "{word}: {text}"));
    let count = |text: &str, word: &str| text.matches(word).count();

    let elements = in_opencl("mixed-radix-elements", 12);
    has(&elements, &["get_global_id(0)", "get_global_id(1)"]);
    lacks(&elements, &["reqd_work_group_size", "vload4"]);
    let blocks = in_opencl("mixed-radix-blocks", 12);
    assert_eq!([count(&blocks, "vload4("), count(&blocks, "vstore4(")], [2, 2], "{blocks}");
    let large = in_opencl("mixed-radix-blocks-4", 12);
    assert_eq!([count(&large, "vload4("), count(&large, "vstore4(")], [8, 8], "{large}");
    let in_place = in_opencl("mixed-radix-in-place", 12);
    assert_eq!([count(&in_place, "vload4("), count(&in_place, "vstore4(")], [4, 4], "{in_place}");
    has(&in_opencl("mixed-radix-groups", 12), &["reqd_work_group_size(2, 4, 1)"]);
    has(&in_opencl("mixed-radix-rule", 12), &["reqd_work_group_size(1, 2, 1)"]);
    lacks(&in_opencl("mixed-radix-rule", 10), &["reqd_work_group_size"]);
    lacks(&in_opencl("mixed-radix-rule", 15), &["vload4"]);
    let padded = "mixed-radix-padded".parse::<Algorithm>().unwrap().recipe(&"fft f32 15x15".parse().unwrap()).unwrap();
    has(&opencl.inspect_recipe(padded).unwrap().launches[3].source, &["transpose 2 x 2", "vload4"]);

    let wide = source(&cuda, "mixed-radix-groups", "fft f32 12x12");
    has(&wide, &["float4", "blockIdx.y * blockDim.y + threadIdx.y", "__launch_bounds__(8, 1)"]);
    let error = cuda.inspect_recipe(
        "mixed-radix-elements".parse::<Algorithm>().unwrap().recipe(&"fft f32 65536x2".parse().unwrap()).unwrap(),
    );
    assert!(error.err().unwrap().to_string().contains("65536 rows of blocks; sm_90 has at most 65535"));
}

#[test]
#[ignore = "needs NVRTC: cargo xtask test brings it"]
fn kernels_of_methods_compile_without_spills() {
    let large = "dct2 f64 4096x4096\ndct3 f32 4096x4096\ndct2 f64 256x256x256\nidct_idxst f64 1024x1024\ndct2 f64 262144\n\
         ifft f64 8192\nfft f32 1000x1000\nfft f64 7840x7840";
    let mut count = 0;
    for (method, problem) in sample([CASES, large].iter().flat_map(|text| methods(text)), 3, 0) {
        let recipe = method.recipe(&problem).unwrap();
        let inspection = Target::cuda("sm_90").unwrap().inspect_recipe(recipe.clone()).unwrap();
        let own = |pass: usize| !matches!(recipe.stages()[pass].work, StageWork::Fft(_));
        for launch in inspection.launches.iter().filter(|launch| own(launch.pass)) {
            let log = launch.resources("sm_90").unwrap_or_else(|e| panic!("{problem} by {method}: {e}"));
            assert!(log.contains("0 bytes spill stores, 0 bytes spill loads"), "{problem} by {method}: {log}");
            count += 1;
        }
    }
    assert!(count > if whole() { 100 } else { 30 }, "{count}");
}
