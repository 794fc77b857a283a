//! Compares an engine with the oracle: random input, the exact output, the error and its bound. The
//! tests and the command `fourfold verify` use it.

use num_complex::Complex;

use crate::arithmetic::dd::Dd;
use crate::error::{self, Result};
use crate::oracle::naive::{everything, positions, sampled, work};
use crate::problem::element::{Domain, Precision, Storage};
use crate::problem::layout::Layout;
use crate::problem::problem::Problem;

/// The most double-double multiply-adds for which all outputs are compared. They take a few
/// seconds.
const MOST_WORK: f64 = 2e9;

/// The least number of outputs that are compared.
const LEAST_SAMPLED: usize = 1000;

/// The value of all reals of the output before the transform. The type represents it exactly, and it
/// is much larger than the sums of random input.
fn untouched(storage: Storage) -> f64 {
    if storage == Storage::F16 { (1u16 << 15).into() } else { (1u128 << 100) as f64 }
}

/// An array of one of the element types that plans read or write. Arrays of 16 bits a real are their
/// numbers as `f32`, which represents them exactly.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Data {
    F32(Vec<f32>),
    F64(Vec<f64>),
    ComplexF32(Vec<Complex<f32>>),
    ComplexF64(Vec<Complex<f64>>),
}

impl Data {
    /// An array of `len` elements whose real and imaginary parts are all `x`.
    pub fn filled(precision: Precision, domain: Domain, len: usize, x: f64) -> Data {
        match (precision, domain) {
            (Precision::F32, Domain::Real) => Data::F32(vec![x as f32; len]),
            (Precision::F64, Domain::Real) => Data::F64(vec![x; len]),
            (Precision::F32, Domain::Complex) => Data::ComplexF32(vec![Complex::new(x as f32, x as f32); len]),
            (Precision::F64, Domain::Complex) => Data::ComplexF64(vec![Complex::new(x, x); len]),
        }
    }

    /// [`Data::filled`], or an error if there is no memory.
    ///
    /// # Errors
    /// [`Unavailable`](crate::ErrorKind::Unavailable) if there is no memory.
    pub fn try_filled(precision: Precision, domain: Domain, len: usize, x: f64) -> Result<Data> {
        fn elements<T: Clone>(len: usize, x: T) -> Result<Vec<T>> {
            error::filled(len, x, format_args!("{len} elements of {} bytes", size_of::<T>()))
        }
        Ok(match (precision, domain) {
            (Precision::F32, Domain::Real) => Data::F32(elements(len, x as f32)?),
            (Precision::F64, Domain::Real) => Data::F64(elements(len, x)?),
            (Precision::F32, Domain::Complex) => Data::ComplexF32(elements(len, Complex::new(x as f32, x as f32))?),
            (Precision::F64, Domain::Complex) => Data::ComplexF64(elements(len, Complex::new(x, x))?),
        })
    }

    /// The element with the index `i`. A real element has the imaginary part 0.
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

    /// Sets the element with the index `i` to `z`, rounded to the type. A real element takes the
    /// real part.
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

/// The result of [`check`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The relative error ‖y − exact‖₂ / ‖exact‖₂ over the compared outputs.
    pub error: f64,
    /// The largest allowed error: see [`bound`].
    pub bound: f64,
    /// The number of outputs that were compared, if not all were.
    pub sampled: Option<usize>,
    /// The number of reals or complex numbers in the output slice that were written although they
    /// do not belong to the array.
    pub strays: usize,
}

impl Verdict {
    /// Whether the error is within its bound and nothing outside of the array was written.
    pub fn holds(&self) -> bool {
        self.error <= self.bound && self.strays == 0
    }
}

/// The largest allowed relative error: 6e-16 (`f64`) or 3e-7 (`f32`), times √d for d transformed
/// axes. With Bluestein's algorithm it is 1.5e-15 or 8e-7, times √d.
///
/// For arrays of 16 bits it is 3.5e-4 (`f16`) or 2.8e-3 (`bf16`), times √d: 0.7 of the unit roundoff
/// 2^-11 or 2^-8 for each rounding of an array. So it is at most what rounding input and output can
/// amount to, for up to 8 axes.
pub fn bound(problem: &Problem, bluestein: bool) -> f64 {
    let one_axis = match (problem.storage(), bluestein) {
        (Storage::F64, false) => 6e-16,
        (Storage::F64, true) => 1.5e-15,
        (Storage::F32, false) => 3e-7,
        (Storage::F32, true) => 8e-7,
        (Storage::F16, _) => 3.5e-4,
        (Storage::Bf16, _) => 2.8e-3,
    };
    one_axis * (problem.transforms().len() as f64).sqrt()
}

/// A random input of a problem with its exact transform. Any number of executions can be compared
/// with it, whatever their recipe, instruction set or device.
pub struct Reference<'a> {
    problem: &'a Problem,
    input: Data,
    /// The indices of the outputs along each axis that are compared.
    picks: Vec<Vec<usize>>,
    exact: Vec<Complex<Dd>>,
    /// Whether only a part of the outputs is compared.
    sampled: bool,
}

impl<'a> Reference<'a> {
    /// Draws the input and sums its transform. The real and imaginary parts are uniform in [−1, 1),
    /// rounded to the type of the problem's arrays,
    /// and `seed` is the random seed. Unless the problem is in place, the input has NaNs between its
    /// elements. If the oracle needs more than 2e9 multiply-adds, it computes at least 1000 outputs,
    /// which are spread evenly along every axis and include both ends.
    ///
    /// # Errors
    /// If there is no memory for the input, or for the oracle.
    pub fn new(problem: &'a Problem, seed: u64) -> Result<Reference<'a>> {
        let mut random = SplitMix64(seed);
        let input = random_input(problem, &mut random)?;
        let counts = sample_counts(problem);
        let lengths = &problem.output().shape;
        let picks: Vec<_> = lengths.iter().zip(&counts).map(|(&n, &m)| spread(n, m, &mut random)).collect();
        let exact = sampled(problem, &elements(&input, problem.input(), &everything(problem.input())), &picks)?;
        Ok(Reference { problem, input, picks, exact, sampled: counts != *lengths })
    }

    /// Compares one execution. `bluestein` says whether it uses Bluestein's algorithm, for the
    /// [`bound`].
    ///
    /// `run(input, output)` executes the transform. Its slices have exactly the lengths of the
    /// problem's layouts. In place, the output is a copy of the input that `run` must transform.
    ///
    /// # Errors
    /// The errors of `run`.
    pub fn compare(&self, bluestein: bool, run: impl FnOnce(&Data, &mut Data) -> Result<()>) -> Result<Verdict> {
        let Reference { problem, input, picks, exact, .. } = self;
        let mut output = match problem.in_place() {
            true => input.clone(),
            false => filled(problem, problem.output_domain(), problem.output(), untouched(problem.storage()))?,
        };
        run(input, &mut output)?;
        Ok(Verdict {
            error: relative_error(&elements(&output, problem.output(), picks), exact),
            bound: bound(problem, bluestein),
            sampled: self.sampled.then_some(exact.len()),
            strays: strays(&output, problem.output(), untouched(problem.storage())),
        })
    }
}

/// Compares one execution with the oracle: [`Reference::compare`] with the input of
/// [`Reference::new`].
///
/// # Errors
/// The errors of both.
pub fn check(
    problem: &Problem,
    bluestein: bool,
    seed: u64,
    run: impl FnOnce(&Data, &mut Data) -> Result<()>,
) -> Result<Verdict> {
    Reference::new(problem, seed)?.compare(bluestein, run)
}

/// ‖y − exact‖₂ / ‖exact‖₂, or 0 if `y` equals `exact`. Numbers are divided by the largest of
/// `exact`, since squares of numbers beyond 1e±154 do not fit an `f64`.
pub fn relative_error(y: &[Complex<f64>], exact: &[Complex<Dd>]) -> f64 {
    let largest = exact.iter().fold(0.0f64, |a, e| a.max(e.re.hi.abs()).max(e.im.hi.abs()));
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let difference = |y: f64, exact: Dd| (f64::from(Dd::from(y) - exact) / unit).powi(2);
    let error: f64 = y.iter().zip(exact).map(|(y, e)| difference(y.re, e.re) + difference(y.im, e.im)).sum();
    let whole: f64 = exact.iter().map(|e| (e.re.hi / unit).powi(2) + (e.im.hi / unit).powi(2)).sum();
    if error == 0.0 { 0.0 } else { (error / whole).sqrt() }
}

/// The picked elements, in C order.
fn elements(data: &Data, layout: &Layout, picks: &[Vec<usize>]) -> Vec<Complex<f64>> {
    positions(layout, picks).into_iter().map(|at| data.get(at)).collect()
}

fn filled(problem: &Problem, domain: Domain, layout: &Layout, x: f64) -> Result<Data> {
    Data::try_filled(problem.precision(), domain, layout.len, x)
}

fn random_input(problem: &Problem, random: &mut SplitMix64) -> Result<Data> {
    let between = if problem.in_place() { untouched(problem.storage()) } else { f64::NAN };
    let mut data = filled(problem, problem.input_domain(), problem.input(), between)?;
    for at in positions(problem.input(), &everything(problem.input())) {
        let [re, im] = [random.uniform(), random.uniform()].map(|x| problem.storage().nearest(x));
        data.set(at, Complex::new(re, im));
    }
    Ok(data)
}

/// The number of outputs to compare along each axis. The longest axis is halved until the oracle is
/// fast enough.
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

/// `m` indices below `n`: both ends, and a random one from each other m-th part.
fn spread(n: usize, m: usize, random: &mut SplitMix64) -> Vec<usize> {
    let part = |i: usize| (i as u128 * n as u128 / m as u128) as usize;
    let pick = |i: usize| match i {
        0 => 0,
        _ if i == m - 1 => n - 1,
        _ => part(i) + random.next() as usize % (part(i + 1) - part(i)),
    };
    (0..m).map(pick).collect()
}

/// The number of reals or complex numbers outside of the array that were changed.
fn strays(output: &Data, layout: &Layout, before: f64) -> usize {
    let mut outside = vec![true; layout.len];
    for at in positions(layout, &everything(layout)) {
        outside[at] = false;
    }
    let untouched = |z: Complex<f64>| z.re == before && (z.im == before || z.im == 0.0);
    (0..layout.len).filter(|&at| outside[at] && !untouched(output.get(at))).count()
}

/// A random generator: Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A multiple of 2^-52, uniform in [−1, 1).
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
