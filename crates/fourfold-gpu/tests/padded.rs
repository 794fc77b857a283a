//! Inputs that end before those of the problem, beside the definition.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::{execute, present};
use fourfold::oracle::naive::{everything, positions, transform};
use fourfold::oracle::verify::{Data, bound, relative_error};
use fourfold::{Domain, ErrorKind, Layout, Problem};
use fourfold_gpu::GpuPlanner;
use num_complex::Complex;

/// Problems, and the shapes of their inputs: odd and even lengths, one line and many, long lines,
/// kinds that pack lines in pairs or neighbours as complex numbers.
const CASES: &[(&str, &[usize])] = &[
    ("dct2 f64 12x20", &[7, 13]),
    ("dct2 f32 12x20", &[6, 14]),
    ("dct2 f32 256", &[100]),
    ("dct2 f32 256", &[101]),
    ("dct3 f64 64", &[33]),
    ("dct4 f64 16x16", &[15, 16]),
    ("dct1 f32 17x4 axes=0", &[3, 4]),
    ("dst1 f64 9x10", &[9, 4]),
    ("dst2,dct3 f64 8x3x5 axes=0,2", &[5, 3, 2]),
    ("dht f64 30", &[11]),
    ("idxst f32 16x8", &[3, 5]),
    ("fft f64 8x17", &[5, 17]),
    ("fft f32 128", &[1]),
    ("rfft f64 18x22", &[18, 7]),
    ("rfft f32 3x64 axes=1", &[3, 40]),
    ("irfft f64 18x22", &[11, 5]),
    ("irfft f32 15", &[3]),
    ("dct2 f64 8192", &[5001]),
    ("fft f64 8192", &[9]),
];

fn elements(data: &Data, layout: &Layout) -> Vec<Complex<f64>> {
    positions(layout, &everything(layout)).into_iter().map(|at| data.get(at)).collect()
}

/// Numbers for a short input, which lies in NaNs, and the whole input in C order.
fn inputs(problem: &Problem, short: &Layout, domain: Domain) -> (Data, Vec<Complex<f64>>) {
    let mut random = fastrand::Rng::with_seed(short.len as u64);
    let whole = Layout::c_order(&problem.input().shape, 16).unwrap();
    let mut given = Data::filled(problem.precision(), domain, short.len, f64::NAN);
    let mut exact = vec![Complex::default(); whole.len];
    let picks: Vec<Vec<usize>> = short.shape.iter().map(|&n| (0..n).collect()).collect();
    for (at, to) in positions(short, &picks).into_iter().zip(positions(&whole, &picks)) {
        let imaginary = if domain == Domain::Complex { random.f64() - 0.5 } else { 0.0 };
        given.set(at, Complex::new(random.f64() - 0.5, imaginary));
        exact[to] = given.get(at);
    }
    (given, exact)
}

/// Compares an execution with the definition.
fn check(planner: &GpuPlanner, problem: &Problem, shape: &[usize], both_parts: bool) {
    let plan = planner.plan_padded(problem, shape).unwrap();
    let domain = |domain| if both_parts { Domain::Complex } else { domain };
    let (input, exact) = inputs(problem, plan.input(), domain(problem.input_domain()));
    let output = problem.output();
    let mut y = Data::filled(problem.precision(), domain(problem.output_domain()), output.len, 1e30);
    execute(&plan, &input, &mut y).unwrap();
    // The definition of sums of reals takes reals.
    let part = |of: fn(&Complex<f64>) -> f64| {
        let reals: Vec<_> = exact.iter().map(|z| Complex::from(of(z))).collect();
        transform(problem, &reals).unwrap()
    };
    let exact = match both_parts {
        true => part(|z| z.re).into_iter().zip(part(|z| z.im)).map(|(re, im)| Complex::new(re.re, im.re)).collect(),
        false => transform(problem, &exact).unwrap(),
    };
    let error = relative_error(&elements(&y, output), &exact);
    let bound = bound(problem, plan.uses_bluestein());
    assert!(error <= bound, "{problem} of {shape:?}, both parts: {both_parts}: {error:e} > {bound:e}");
}

fn with_strides(case: &str, strides: &[isize]) -> Problem {
    let strides: Vec<String> = strides.iter().map(isize::to_string).collect();
    format!("{case} in={}", strides.join(",")).parse().unwrap()
}

#[test]
fn padded_inputs_are_right() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    for &(case, shape) in CASES {
        let whole: Problem = case.parse().unwrap();
        // Part of an array of the whole shape, an array without gaps, and one that runs backwards.
        check(&planner, &whole, shape, false);
        let strides = Layout::c_order(shape, 16).unwrap().strides;
        let backwards: Vec<isize> = strides.iter().map(|stride| -stride).collect();
        for strides in [strides, backwards] {
            check(&planner, &with_strides(case, &strides), shape, false);
        }
        if (whole.input_domain(), whole.output_domain()) == (Domain::Real, Domain::Real) {
            check(&planner, &whole, shape, true);
        }
    }
}

#[test]
fn wrong_shapes_are_errors() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    let problem: Problem = "dct2 f64 8x3x5 axes=0,2".parse().unwrap();
    for shape in [&[5, 3][..], &[9, 3, 5], &[8, 2, 5], &[0, 3, 5]] {
        let error = planner.plan_padded(&problem, shape).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Argument | ErrorKind::Problem), "{shape:?}: {error}");
    }
    let plan = planner.plan_padded(&problem, &[8, 3, 4]).unwrap();
    assert_eq!(plan.execute(&[0.0; 100], &mut [0.0; 120]).unwrap_err().kind(), ErrorKind::Argument);
    assert_eq!(plan.execute_in_place(&mut [0.0; 120]).unwrap_err().kind(), ErrorKind::Argument);
}
