//! What the tests and the command `fourfold verify` share: random input, the oracle's output, the
//! error and its bound.

use num_complex::Complex;

use crate::arithmetic::dd::Dd;
use crate::error::Result;
use crate::oracle::naive::{everything, positions, sampled, work};
use crate::problem::element::{Domain, Precision};
use crate::problem::layout::Layout;
use crate::problem::problem::Problem;

/// Double-double multiply-adds, a few seconds' worth, beyond which only some outputs are compared.
const MOST_WORK: f64 = 2e9;

/// Outputs that are compared at least.
const LEAST_SAMPLED: usize = 1000;

/// What places of the output hold before the transform: no sum of random input comes near it, and
/// `f32` holds it exactly.
const UNTOUCHED: f64 = (1u128 << 100) as f64;

/// Elements of one of the types that a plan reads or writes.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Data {
    F32(Vec<f32>),
    F64(Vec<f64>),
    ComplexF32(Vec<Complex<f32>>),
    ComplexF64(Vec<Complex<f64>>),
}

impl Data {
    /// `len` elements whose parts are all `x`.
    pub fn filled(precision: Precision, domain: Domain, len: usize, x: f64) -> Data {
        match (precision, domain) {
            (Precision::F32, Domain::Real) => Data::F32(vec![x as f32; len]),
            (Precision::F64, Domain::Real) => Data::F64(vec![x; len]),
            (Precision::F32, Domain::Complex) => Data::ComplexF32(vec![Complex::new(x as f32, x as f32); len]),
            (Precision::F64, Domain::Complex) => Data::ComplexF64(vec![Complex::new(x, x); len]),
        }
    }

    /// The element at place `i`; real ones have the imaginary part 0.
    ///
    /// # Panics
    /// If there is no place `i`, as slices do.
    pub fn get(&self, i: usize) -> Complex<f64> {
        match self {
            Data::F32(x) => f64::from(x[i]).into(),
            Data::F64(x) => x[i].into(),
            Data::ComplexF32(x) => Complex::new(x[i].re.into(), x[i].im.into()),
            Data::ComplexF64(x) => x[i],
        }
    }

    /// Rounds `z` to the type of the elements; real ones take its real part.
    ///
    /// # Panics
    /// If there is no place `i`, as slices do.
    pub fn set(&mut self, i: usize, z: Complex<f64>) {
        match self {
            Data::F32(x) => x[i] = z.re as f32,
            Data::F64(x) => x[i] = z.re,
            Data::ComplexF32(x) => x[i] = Complex::new(z.re as f32, z.im as f32),
            Data::ComplexF64(x) => x[i] = z,
        }
    }
}

/// What [`check`] found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The relative error ‖y − exact‖ / ‖exact‖ in the Euclidean norm, over the outputs compared.
    pub error: f64,
    /// The largest error allowed, see [`bound`].
    pub bound: f64,
    /// How many outputs were compared, if not all.
    pub sampled: Option<usize>,
    /// Places of the output slice that belong to no element, and yet were written.
    pub strays: usize,
}

impl Verdict {
    /// Whether the output was right: the error is within its bound, and nothing else was written.
    pub fn holds(&self) -> bool {
        self.error <= self.bound && self.strays == 0
    }
}

/// The relative error allowed: 6e-16 (`f64`) or 3e-7 (`f32`), with Bluestein's algorithm 1.5e-15 or
/// 8e-7, times √d for d transformed axes.
pub fn bound(problem: &Problem, bluestein: bool) -> f64 {
    let one_axis = match (problem.precision(), bluestein) {
        (Precision::F64, false) => 6e-16,
        (Precision::F64, true) => 1.5e-15,
        (Precision::F32, false) => 3e-7,
        (Precision::F32, true) => 8e-7,
    };
    one_axis * (problem.transforms().len() as f64).sqrt()
}

/// Compares one run with the oracle: on random input, every part uniform in [−1, 1), from `seed`.
///
/// `run(input, output)` gets slices that fit the problem's layouts exactly. In place, the output
/// starts as a copy of the input, and is to be transformed. Elsewhere the input has NaN between its
/// elements. Beyond about 2e9 multiply-adds of the oracle, a sample of at least 1000 outputs is
/// compared, spread evenly along every axis and with its ends.
///
/// # Errors
/// Those of `run`.
pub fn check(
    problem: &Problem,
    bluestein: bool,
    seed: u64,
    run: impl FnOnce(&Data, &mut Data) -> Result<()>,
) -> Result<Verdict> {
    let mut random = SplitMix64(seed);
    let input = random_input(problem, &mut random);
    let mut output = match problem.in_place() {
        true => input.clone(),
        false => filled(problem, problem.output_domain(), problem.output(), UNTOUCHED),
    };
    run(&input, &mut output)?;
    let counts = sample_counts(problem);
    let lengths = &problem.output().shape;
    let picks: Vec<_> = lengths.iter().zip(&counts).map(|(&n, &m)| spread(n, m, &mut random)).collect();
    let exact = sampled(problem, &elements(&input, problem.input(), &everything(problem.input())), &picks)?;
    Ok(Verdict {
        error: relative_error(&elements(&output, problem.output(), &picks), &exact),
        bound: bound(problem, bluestein),
        sampled: (counts != *lengths).then_some(exact.len()),
        strays: strays(&output, problem.output()),
    })
}

/// ‖y − exact‖ / ‖exact‖ in the Euclidean norm; 0 if both are 0.
pub fn relative_error(y: &[Complex<f64>], exact: &[Complex<Dd>]) -> f64 {
    let difference = |y: f64, exact: Dd| f64::from(Dd::from(y) - exact).powi(2);
    let error: f64 = y.iter().zip(exact).map(|(y, e)| difference(y.re, e.re) + difference(y.im, e.im)).sum();
    let whole: f64 = exact.iter().map(|e| e.re.hi.powi(2) + e.im.hi.powi(2)).sum();
    if error == 0.0 { 0.0 } else { (error / whole).sqrt() }
}

/// The picked elements, in C order.
fn elements(data: &Data, layout: &Layout, picks: &[Vec<usize>]) -> Vec<Complex<f64>> {
    positions(layout, picks).into_iter().map(|at| data.get(at)).collect()
}

fn filled(problem: &Problem, domain: Domain, layout: &Layout, x: f64) -> Data {
    Data::filled(problem.precision(), domain, layout.len, x)
}

fn random_input(problem: &Problem, random: &mut SplitMix64) -> Data {
    let between = if problem.in_place() { UNTOUCHED } else { f64::NAN };
    let mut data = filled(problem, problem.input_domain(), problem.input(), between);
    for at in positions(problem.input(), &everything(problem.input())) {
        data.set(at, Complex::new(random.uniform(), random.uniform()));
    }
    data
}

/// How many outputs to compare along each axis: all, or the longest sides halved until the oracle
/// is fast enough.
fn sample_counts(problem: &Problem) -> Vec<usize> {
    let mut counts = problem.output().shape.clone();
    while work(problem, &counts) > MOST_WORK {
        let mut fewer = counts.clone();
        let longest = fewer.iter_mut().max().expect("a problem has at least one axis");
        *longest = longest.div_ceil(2);
        if fewer == counts || fewer.iter().product::<usize>() < LEAST_SAMPLED {
            break;
        }
        counts = fewer;
    }
    counts
}

/// `m` indices below `n`: both ends, and one from each m-th part.
fn spread(n: usize, m: usize, random: &mut SplitMix64) -> Vec<usize> {
    let part = |i: usize| (i as u128 * n as u128 / m as u128) as usize;
    let pick = |i: usize| match i {
        0 => 0,
        _ if i == m - 1 => n - 1,
        _ => part(i) + random.next() as usize % (part(i + 1) - part(i)),
    };
    (0..m).map(pick).collect()
}

/// How many places between the elements do not hold what they held.
fn strays(output: &Data, layout: &Layout) -> usize {
    let mut outside = vec![true; layout.len];
    for at in positions(layout, &everything(layout)) {
        outside[at] = false;
    }
    let untouched = |z: Complex<f64>| z.re == UNTOUCHED && (z.im == UNTOUCHED || z.im == 0.0);
    (0..layout.len).filter(|&at| outside[at] && !untouched(output.get(at))).count()
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [−1, 1), a multiple of 2^-52.
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
