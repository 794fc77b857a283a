//! Tests filters (forward → multiply → inverse in one plan) against their separate steps.

mod common;

use common::multiply::{Z, distance, executed, input, multipliers, output, problem, random, spelt_out};
use common::run::{execute, planner};
use fourfold::baseline::AnyRecipe;
use fourfold::engine::PassOp;
use fourfold::oracle::verify::Data;
use fourfold::{ErrorKind, Isa, Multiplier, Pipeline, Problem};

fn filter<'a>(forward: &'a Problem, multiplier: &'a Multiplier, inverse: &'a Problem) -> Pipeline<'a> {
    Pipeline::from(forward).multiply(multiplier).transform(inverse)
}

/// The three separate steps, with the spectrum in C order.
fn by_hand(isa: Isa, forward: &Problem, multiplier: &Multiplier, inverse: &Problem, x: &Data) -> Data {
    let plan = |problem| planner(isa, 1).plan(problem).unwrap();
    let mut spectrum = output(forward);
    execute(&plan(forward), x, &mut spectrum).unwrap();
    for (i, factor) in spelt_out(multiplier, &forward.output().shape).into_iter().enumerate() {
        spectrum.set(i, spectrum.get(i) * factor);
    }
    let mut y = output(inverse);
    execute(&plan(inverse), &spectrum, &mut y).unwrap();
    y
}

/// Tests every multiplier on every instruction set, with one and with three threads.
fn check(forward: &Problem, inverse: &Problem) {
    check_with(forward, &multipliers(forward), inverse);
}

fn check_with(forward: &Problem, multipliers: &[Multiplier], inverse: &Problem) {
    let x = input(forward);
    for (isa, multiplier) in Isa::available().into_iter().flat_map(|isa| multipliers.iter().map(move |m| (isa, m))) {
        let want = by_hand(isa, forward, multiplier, inverse, &x);
        for threads in [1, 3] {
            let plan = planner(isa, threads).plan(filter(forward, multiplier, inverse)).unwrap();
            let passes = forward.transforms().len() + inverse.transforms().len() - 1;
            assert_eq!(plan.recipe().passes().len(), passes, "{}", plan.recipe());
            let distance = distance(&executed(&plan, inverse, &x), &want, inverse.output().len);
            let bound = if forward.precision() == fourfold::Precision::F32 { 2e-6 } else { 4e-15 };
            let factors = format!("{multiplier:?}").chars().take(60).collect::<String>();
            assert!(distance <= bound, "{forward} with {isa}, {factors}…: {distance:e}\n{}", plan.recipe());
        }
    }
}

const FILTERS: [&str; 22] = [
    "dct2 f64 16",
    "dct2 f32 37x5",
    "dct2 f64 9x20",
    "dct2 f64 6x7x8",
    "dst1,dct4 f64 12x13",
    "dht f32 19x6",
    "dct2 f64 5x6x7 axes=1",
    "dct3 f64 5x6x7 axes=0,2",
    "rfft f64 30",
    "rfft f64 31",
    "rfft f32 9x16",
    "rfft f64 5x6x7",
    "fft f64 24",
    "fft f32 7x20",
    "fft f64 3x5x18 axes=0,2",
    "dct2,fft f64 8x9",
    "fft,dct2 f64 8x9",
    // So few and long lines that the four-step scheme would be chosen without the multiply.
    "dct2 f64 600",
    "dct2 f32 2x1024",
    "rfft f64 1024",
    "fft f64 3x1000",
    "dct2,fft f64 600x2",
];

#[test]
fn filters_are_their_three_steps() {
    for forward in FILTERS.map(problem) {
        check(&forward, &forward.inverse().unwrap());
        check(&forward, &forward.adjoint());
    }
}

/// Filters whose problems differ in length, kinds, axes or strides.
#[test]
fn the_way_back_may_be_another() {
    let pairs = [
        ("rfft f64 8", "irfft f64 9"),
        ("rfft f64 4x9", "irfft f64 4x8"),
        ("dct2 f64 6x7", "dst3 f64 6x7"),
        ("dct2 f64 6x7", "dct3,idxst f64 6x7"),
        ("dct2 f64 6x7", "idct2 f64 6x7 out=1,6"),
        ("dct2 f64 6x7 in=-14,2", "idct2 f64 6x7"),
        ("dct2 f64 6x7", "idct2 f64 6x7 axes=0"),
        ("dct2 f64 6x7", "idct2 f64 6x7 axes=1"),
        ("dct2,fft f64 5x6x7 axes=0,1", "ifft,dst3 f64 5x6x7 axes=1,2"),
        ("rfft f32 6x8", "irfft f32 6x8 ortho"),
    ];
    for (forward, inverse) in pairs {
        let (forward, inverse) = (problem(forward), problem(inverse));
        check(&forward, &inverse);
    }
}

/// Filters that share no axis have one pass more.
#[test]
fn filters_without_a_common_axis_multiply_in_the_last_pass_of_the_first() {
    let pairs = [
        ("dct2 f64 8x9 axes=1", "idct2 f64 8x9 axes=0", 2),
        ("dct2 f32 600x2 axes=0", "idct2 f32 600x2 axes=1", 2),
        ("dct2,fft f64 8x9", "fft,dct2 f64 8x9", 4),
    ];
    for (forward, inverse, passes) in pairs {
        let (forward, inverse) = (problem(forward), problem(inverse));
        let x = input(&forward);
        for (isa, multiplier) in
            Isa::available().into_iter().flat_map(|isa| multipliers(&forward).into_iter().map(move |m| (isa, m)))
        {
            let want = by_hand(isa, &forward, &multiplier, &inverse, &x);
            let plan = planner(isa, 3).plan(filter(&forward, &multiplier, &inverse)).unwrap();
            assert_eq!(plan.recipe().passes().len(), passes, "{}", plan.recipe());
            let AnyRecipe::Fused(recipe) = plan.recipe() else { panic!("passes") };
            assert!(recipe.remark().unwrap().contains("share no axis"));
            assert_eq!(plan.recipe().to_string().parse::<AnyRecipe>().unwrap(), *plan.recipe());
            let distance = distance(&executed(&plan, &inverse, &x), &want, inverse.output().len);
            let bound = if forward.precision() == fourfold::Precision::F32 { 2e-6 } else { 4e-15 };
            let factors = format!("{multiplier:?}").chars().take(60).collect::<String>();
            assert!(distance <= bound, "{forward} with {isa}, {factors}…: {distance:e}\n{}", plan.recipe());
        }
    }
}

/// Few long lines are computed one by one, as without the multiply.
#[test]
fn long_lines_are_multiplied_one_by_one() {
    let cases = [
        "dct2 f64 3x4096 axes=1",
        "dst3 f32 2x6144 axes=1",
        "rfft f64 2x4096 axes=1",
        "fft f64 2x4096 axes=1",
        "dct2 f64 4096x2 axes=0",
        "dct4 f64 2x49152 axes=1",
    ];
    for forward in cases.map(problem) {
        let bare = planner(Isa::best(), 1).recipe(&forward).unwrap();
        let scheme = bare.passes()[0].ops[0].clone();
        let inverse = forward.inverse().unwrap();
        for multiplier in multipliers(&forward) {
            let plan = planner(Isa::best(), 1).plan(filter(&forward, &multiplier, &inverse)).unwrap();
            assert_eq!(plan.recipe().passes().len(), 1);
            assert_eq!(format!("{:?}", plan.recipe().passes()[0].ops[0]), format!("{scheme:?}"));
        }
        check(&forward, &inverse);
    }
}

/// R2C is first and C2R is last, so the multiply is in a pass along the other axis, whose transform
/// is real.
#[test]
fn half_spectra_meet_on_the_other_axis() {
    for (forward, inverse) in
        [("rfft,dct2 f64 6x7", "irfft,idct2 f64 6x7"), ("dct2,rfft f32 9x8", "dct3,irfft f32 9x8")]
    {
        let (forward, inverse) = (problem(forward), problem(inverse));
        let is_complex = |m: &Multiplier| matches!(m, Multiplier::ComplexTable(_) | Multiplier::ComplexSeparable(_));
        let (complex, real): (Vec<_>, Vec<_>) = multipliers(&forward).into_iter().partition(is_complex);
        check_with(&forward, &real, &inverse);
        for multiplier in complex {
            let error = planner(Isa::best(), 1).plan(filter(&forward, &multiplier, &inverse)).err().unwrap();
            assert!(error.to_string().contains("Fourier transforms on both sides"), "{error}");
        }
    }
}

/// A real filter of complex data equals the same filter of the real and the imaginary parts.
#[test]
fn filters_of_real_sums_take_complex_data() {
    let forward = problem("dct2 f64 6x17");
    for multiplier in multipliers(&forward) {
        let plan = planner(Isa::best(), 1).plan(filter(&forward, &multiplier, &forward.inverse().unwrap())).unwrap();
        let x = random(6 * 17, 5);
        let mut y = vec![Z::ZERO; x.len()];
        plan.execute(&x, &mut y).unwrap();
        let part = |of: fn(&Z) -> f64| {
            let mut y = vec![0.0; x.len()];
            plan.execute(&x.iter().map(of).collect::<Vec<_>>(), &mut y).unwrap();
            y
        };
        let separate: Vec<_> = part(|z| z.re).into_iter().zip(part(|z| z.im)).map(|(re, im)| Z::new(re, im)).collect();
        assert_eq!(y, separate);
    }
}

#[test]
fn filters_run_in_place() {
    for (forward, multiplier) in
        FILTERS.map(problem).iter().flat_map(|p| multipliers(p).into_iter().map(move |m| (p, m)))
    {
        let inverse = forward.inverse().unwrap();
        let plan = planner(Isa::best(), 3).plan(filter(forward, &multiplier, &inverse)).unwrap();
        let x = input(forward);
        let want = executed(&plan, &inverse, &x);
        let mut data = x.clone();
        common::run::execute_in_place(&plan, &mut data).unwrap();
        assert_eq!(data, want, "{forward}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |forward: &str, multiplier: Multiplier, inverse: &str, hint: &str| {
        let result = planner(Isa::best(), 1).plan(filter(&problem(forward), &multiplier, &problem(inverse)));
        let error = result.err().unwrap_or_else(|| panic!("{forward}, {inverse}"));
        assert!(
            matches!(error.kind(), ErrorKind::Argument | ErrorKind::Problem) && error.to_string().contains(hint),
            "{error}"
        );
    };
    let (table, complex) = (|n| Multiplier::Table(vec![1.0; n]), |n| Multiplier::ComplexTable(vec![Z::ONE; n]));
    let lists = |lengths: &[usize]| Multiplier::Separable(lengths.iter().map(|&n| vec![1.0; n]).collect());
    refused("dct2 f64 8", table(7), "idct2 f64 8", "7 factors");
    refused("dct2 f64 8", table(0), "idct2 f64 8", "0 factors");
    refused("rfft f64 8", table(8), "irfft f64 8", "8 factors");
    refused("rfft f64 8", complex(6), "irfft f64 8", "6 factors");
    refused("dct2 f64 8", complex(8), "idct2 f64 8", "real");
    refused("dct2 f64 8x9", lists(&[8]), "idct2 f64 8x9", "[8, 9]");
    refused("dct2 f64 8x9", lists(&[9, 8]), "idct2 f64 8x9", "[8, 9]");
    refused("dct2 f64 8x9", lists(&[8, 9, 1]), "idct2 f64 8x9", "[8, 9]");
    refused("dct2 f64 8x9", lists(&[]), "idct2 f64 8x9", "[8, 9]");
    refused("dct2 f64 8", table(8), "idct2 f32 8", "must agree");
    refused("dct2 f64 8", table(8), "idct2 f64 9", "must agree");
    refused("rfft f64 8", table(5), "idct2 f64 5", "must agree");
    refused("dct2,fft f64 2x8x9 axes=0,1", complex(144), "dct2,fft f64 2x8x9 axes=0,2", "axis 0 has none");
}

/// The recipe contains the multiply, and planning it without factors is an error.
#[test]
fn recipes_of_filters_print_and_parse() {
    for forward in FILTERS.map(problem) {
        let plan = planner(Isa::best(), 1)
            .plan(filter(&forward, &multipliers(&forward)[0], &forward.inverse().unwrap()))
            .unwrap();
        let recipe = plan.recipe().clone();
        let AnyRecipe::Fused(fused) = &recipe else { panic!("passes") };
        assert_eq!(fused.remark(), None);
        let multiplies = |pass: &&fourfold::engine::Pass| pass.ops.contains(&PassOp::Multiply);
        assert_eq!(recipe.passes().iter().filter(multiplies).map(|pass| pass.ops.len()).collect::<Vec<_>>(), [3]);
        assert_eq!(recipe.to_string().parse::<AnyRecipe>().unwrap(), recipe);
        assert!(planner(Isa::best(), 1).plan_recipe(recipe).err().unwrap().to_string().contains("plan a `Pipeline`"));
    }
}

#[test]
fn pipelines_without_plans_are_refused() {
    let (problem, factors) = (problem("dct2 f64 8"), Multiplier::Table(vec![1.0; 8]));
    let one = || Pipeline::from(&problem);
    let refused = |pipeline: Pipeline<'_>, hint: &str| {
        let error = planner(Isa::best(), 1).plan(pipeline).err().unwrap_or_else(|| panic!("{hint}"));
        assert!(error.to_string().contains(hint), "{error}");
    };
    refused(Pipeline::new(), "`` cannot be one plan: expected a transform, with a multiply before or after it");
    refused(Pipeline::new().multiply(&factors), "`multiply` cannot be one plan");
    refused(one().transform(&problem), "`dct2 f64 8 | dct2 f64 8` cannot be one plan");
    refused(one().multiply(&factors).multiply(&factors), "`dct2 f64 8 | multiply | multiply` cannot be one plan");
    refused(one().threshold(0.5), "`dct2 f64 8 | threshold 0.5`: only devices have passes with thresholds");
    refused(one().threshold(-1.0), "a threshold of -1: expected 0 or more");
    refused(one().threshold(f64::NAN), "a threshold of NaN: expected 0 or more");
}
