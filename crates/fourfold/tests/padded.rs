//! Tests inputs that end before those of the problem.

mod common;

use common::random::{holds, problems};
use common::run::{execute, execute_padded, planner};
use common::sample::count;
use fourfold::oracle::naive::{everything, positions, transform};
use fourfold::oracle::verify::{Data, Verdict, bound, relative_error};
use fourfold::{Domain, ErrorKind, Isa, Kind, Plan, Planner, Precision, Problem, ProblemBuilder, View, ViewMut};
use num_complex::Complex;
use proptest::prelude::*;

/// An input whose elements beyond `shape` are zeros, and the same where everything beside it is NaN.
fn inputs(problem: &Problem, shape: &[usize], seed: u64) -> [Data; 2] {
    let (precision, domain, layout) = (problem.precision(), problem.input_domain(), problem.input());
    let mut random = fastrand::Rng::with_seed(seed);
    let [mut zeros, mut nans] = [0.0, f64::NAN].map(|x| Data::filled(precision, domain, layout.len, x));
    let picks: Vec<Vec<usize>> = shape.iter().map(|&n| (0..n).collect()).collect();
    for at in positions(layout, &picks) {
        let z = Complex::new(random.f64() - 0.5, random.f64() - 0.5);
        zeros.set(at, z);
        nans.set(at, z);
    }
    [zeros, nans]
}

fn untouched(problem: &Problem) -> Data {
    Data::filled(problem.precision(), problem.output_domain(), problem.output().len, 1e30)
}

fn elements(data: &Data, layout: &fourfold::Layout) -> Vec<Complex<f64>> {
    positions(layout, &everything(layout)).into_iter().map(|at| data.get(at)).collect()
}

/// The output of a padded input. It is that of zeros in memory, bit for bit.
fn padded(plan: &Plan, shape: &[usize], seed: u64) -> (Data, Data) {
    let problem = plan.problem();
    let [zeros, nans] = inputs(problem, shape, seed);
    let (mut y, mut want) = (untouched(problem), untouched(problem));
    execute_padded(plan, &nans, shape, &mut y).unwrap_or_else(|error| panic!("{problem} of {shape:?}: {error}"));
    execute(plan, &zeros, &mut want).unwrap();
    assert!(y == want, "{problem} of {shape:?} with {:?}, {}", plan.isa(), plan.recipe());
    (zeros, y)
}

/// Random lengths up to those of the problem's input, along its transformed axes.
fn shortened(problem: &Problem, seed: u64) -> Vec<usize> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut shape = problem.input().shape.clone();
    for transform in problem.transforms() {
        shape[transform.axis] = random.usize(1..=shape[transform.axis]);
    }
    shape
}

/// Compares one execution with the oracle.
fn check(builder: ProblemBuilder, isa: usize, threads: bool, seed: u64) -> Result<(), TestCaseError> {
    let isas = Isa::available();
    let planner = planner(isas[isa % isas.len()], if threads { 3 } else { 1 });
    let problem = builder.build().unwrap();
    if problem.in_place() {
        return Ok(());
    }
    let plan = planner.plan(&problem).unwrap();
    let (input, output) = padded(&plan, &shortened(&problem, seed), seed);
    let exact = transform(&problem, &elements(&input, problem.input())).unwrap();
    let error = relative_error(&elements(&output, problem.output()), &exact);
    let bound = bound(&problem, plan.recipe().uses_bluestein());
    let verdict = Verdict { error, bound, sampled: None, strays: 0 };
    prop_assert!(holds(&problem, &verdict, &input), "{problem} with {:?}: {verdict:?}", planner.isa());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(count(500, 1)))]

    #[test]
    fn many_axes_are_right(builder in problems(1..7, 3000), isa in 0..4usize, threads: bool, seed: u64) {
        check(builder, isa, threads, seed)?;
    }

    #[test]
    fn longer_axes_are_right(builder in problems(1..80, 6000), isa in 0..4usize, threads: bool, seed: u64) {
        check(builder, isa, threads, seed)?;
    }
}

/// Every scheme computes lines that end early, of every kind, contiguous or not.
#[test]
fn single_lines_are_padded_in_every_scheme() {
    let mut schemes = [(" along", false), (" across", false), (" x ", false)];
    for kind in Kind::ALL {
        let long = if matches!(kind, Kind::Dct2 | Kind::Irfft | Kind::Fft) { 1 << 20 } else { 1 << 15 };
        for n in [64, 360, 4096, long] {
            for stride in [1, 2] {
                let strided = Problem::builder(kind, Precision::F64, [n]).input_strides([stride]).build().unwrap();
                let plan = Planner::new().plan(&strided).unwrap();
                let recipe = plan.recipe().to_string();
                schemes.iter_mut().for_each(|(name, seen)| *seen |= recipe.contains(*name));
                let whole = strided.input().shape[0];
                for count in [whole / 3, whole - 1] {
                    padded(&plan, &[count], 7);
                }
            }
        }
    }
    assert!(schemes.iter().all(|(_, seen)| *seen), "{schemes:?}");
}

/// The two parts of complex numbers are transformed by real kinds.
#[test]
fn complex_elements_of_real_kinds_are_padded() {
    for problem in ["dct2,dst3 f64 12x40 axes=0,1", "dct4 f64 8x6 axes=0", "dct2 f64 64", "dst1 f64 4096"] {
        let problem: Problem = problem.parse().unwrap();
        let plan = Planner::new().plan(&problem).unwrap();
        let shape: Vec<usize> = problem.input().shape.iter().map(|n| n - 1).collect();
        let shape = if problem.transforms().len() < shape.len() { vec![shape[0], 6] } else { shape };
        let [zeros, nans] = inputs(&problem, &shape, 3);
        let (Data::F64(zeros), Data::F64(nans)) = (zeros, nans) else { panic!("{problem} has f64") };
        let twice = |x: Vec<f64>| x.into_iter().map(|x| Complex::new(x, -2.0 * x)).collect::<Vec<_>>();
        let (mut y, mut want) = (vec![Complex::new(9.0, 9.0); zeros.len()], vec![0.0; zeros.len()]);
        plan.execute(&zeros, &mut want).unwrap();
        let output = ViewMut::of(&mut y, problem.output());
        plan.execute_padded(View::of(&twice(nans), problem.input()), &shape, output, &mut plan.scratch()).unwrap();
        assert_eq!(y, twice(want), "{problem}");
    }
}

#[test]
fn what_cannot_be_padded_is_refused() {
    let planner = Planner::new();
    let plan = planner.plan(&"dct2 f64 4x6 axes=1".parse().unwrap()).unwrap();
    let (x, mut y) = ([1.0; 24], [7.0; 24]);
    let mut refused = |shape: &[usize], strides: &[isize], hint: &str| {
        let output = ViewMut::of(&mut y, plan.problem().output());
        let input = View { data: &x, offset: 0, strides };
        let error = plan.execute_padded(input, shape, output, &mut plan.scratch()).expect_err(hint);
        assert!(error.to_string().contains(hint), "{error}");
    };
    refused(&[4, 7], &[6, 1], "axis 1 of the input has length 7, `dct2 f64 4x6 axes=1` takes at most 6");
    refused(&[3, 6], &[6, 1], "axis 0 of the input has length 3, `dct2 f64 4x6 axes=1` takes 4");
    refused(&[4, 0], &[6, 1], "axis 1 has length 0");
    refused(&[4], &[1], "the input has 1 axes");
    refused(&[4, 3], &[1], "1 strides for 2 axes");
    refused(&[4, 5], &[7, 1], "the input has 24 elements");
    assert!(y.iter().all(|y| *y == 7.0));
    let problem: Problem = "dct2 f64 4x6".parse().unwrap();
    let factors = fourfold::Multiplier::Table(vec![1.0; 24]);
    let multiplied = planner.plan(fourfold::Pipeline::new().transform(&problem).multiply(&factors)).unwrap();
    let output = ViewMut::of(&mut y, problem.output());
    let error = multiplied.execute_padded(View::of(&x, problem.input()), &[4, 5], output, &mut multiplied.scratch());
    assert_eq!(error.expect_err("it multiplies").kind(), ErrorKind::Argument);
    assert_eq!(problem.input_domain(), Domain::Real);
}
