//! The definitions as O(N²) sums in double-double arithmetic. Every engine is tested against them.
//!
//! Every sum of [`Transform1d`](crate::problem::kind::Transform1d) follows from the exponential sums Z_p = Σ_n x_n exp(−2πi p (c n +
//! d)/D) of real x. For example, a cosine sum is the real part of Z, and a sine sum is minus its
//! imaginary part (`Definition`). Angles are reduced modulo D as integers.
//!
//! For speed, n is written as n₁ + B n₂. Then Z_p = Σ_{n₁} exp(−2πi p c n₁/D) Σ_{n₂} exp(−2πi p (c
//! B n₂ + d)/D) x_{n₁ + B n₂} needs only N/B + B roots for each p, and the inner sums read
//! contiguous memory.

use num_complex::Complex;

pub use crate::arithmetic::dd::Dd;
use crate::arithmetic::dd::{complex_product, fused_two_prod, two_sum};
use crate::arithmetic::twiddle::Roots;
use crate::error::{Error, ErrorKind, Result};
use crate::oracle::definition::{Definition, Function};
use crate::problem::element::Domain;
use crate::problem::layout::Layout;
use crate::problem::layout::separated;
use crate::problem::problem::{AxisTransform, Problem};

/// The exact output of `problem`, in C order. The error is about 1e-30 of the largest element.
///
/// `input` has the elements in C order, whatever the problem's strides are. Imaginary parts of real
/// data are ignored. The factors [`Problem::scale`] and
/// [`EndWeights`](crate::problem::norm::EndWeights) are taken as exact `f64` numbers. The input
/// must be finite and below 2^900. The time is proportional to the number of elements times the sum
/// of the transformed lengths.
///
/// ```
/// use fourfold::Problem;
/// use fourfold::oracle::naive;
/// use num_complex::Complex;
/// let problem: Problem = "dct2 f64 3".parse()?;
/// let input = [1.0, 2.0, 4.0].map(Complex::from);
/// let output = naive::transform(&problem, &input)?;
/// assert_eq!(f64::from(output[0].re), 14.0); // 2 (1 + 2 + 4)
/// # Ok::<(), fourfold::Error>(())
/// ```
///
/// # Errors
/// If `input` has not as many elements as the problem's input.
pub fn transform(problem: &Problem, input: &[Complex<f64>]) -> Result<Vec<Complex<Dd>>> {
    sampled(problem, input, &everything(problem.output()))
}

/// As [`transform`], but only for the outputs whose index along every axis a is one of `picks[a]`.
/// They are in C order.
///
/// # Errors
/// If `input` has not as many elements as the problem's input, or `picks` is not a list of indices
/// for each axis.
pub fn sampled(problem: &Problem, input: &[Complex<f64>], picks: &[Vec<usize>]) -> Result<Vec<Complex<Dd>>> {
    check_input(problem, input)?;
    check_picks(problem, picks)?;
    let kept = kept_inputs(problem, picks);
    let mut planes = planes(problem, input, &kept);
    // Each step moves the last axis to the front. After all axes, the order is the original one.
    for axis in (0..kept.len()).rev() {
        planes = match transform_of(problem, axis) {
            Some(transform) => contract(problem, transform, planes, &picks[axis]),
            None => planes.iter().map(|plane| move_last_axis_to_front(plane, kept[axis].len())).collect(),
        };
    }
    Ok(merge(&planes, problem))
}

/// The positions in a slice of those elements of a strided array whose index along every axis a is
/// one of `picks[a]`. They are in C order of the picks.
pub fn positions(layout: &Layout, picks: &[Vec<usize>]) -> Vec<usize> {
    picks.iter().zip(&layout.strides).fold(vec![layout.offset], |outer, (picks, &stride)| {
        let steps = picks.iter().map(|&i| (i as isize).wrapping_mul(stride));
        // A list that grows would take up to three times its memory.
        let mut all = Vec::with_capacity(outer.len().saturating_mul(picks.len()));
        outer.iter().for_each(|&at| all.extend(steps.clone().map(|step| at.wrapping_add_signed(step))));
        all
    })
}

/// The picks that select every element: all indices along every axis.
pub fn everything(layout: &Layout) -> Vec<Vec<usize>> {
    layout.shape.iter().map(|&n| (0..n).collect()).collect()
}

/// The number of double-double multiply-adds of [`sampled`] for these numbers of picks along each
/// axis.
pub(crate) fn work(problem: &Problem, picks: &[usize]) -> f64 {
    let length = |axis| if transform_of(problem, axis).is_some() { problem.input().shape[axis] } else { picks[axis] };
    let mut elements = (0..picks.len()).map(|axis| length(axis) as f64).product::<f64>();
    let mut total = 0.0;
    for axis in (0..picks.len()).rev().filter(|&axis| transform_of(problem, axis).is_some()) {
        total += 2.0 * elements * picks[axis] as f64;
        elements *= picks[axis] as f64 / length(axis) as f64;
    }
    let complex = [problem.input_domain(), problem.output_domain()].contains(&Domain::Complex);
    if complex { 2.0 * total } else { total }
}

fn check_input(problem: &Problem, input: &[Complex<f64>]) -> Result<()> {
    let (given, wanted) = (input.len(), problem.input().elements());
    if given == wanted {
        return Ok(());
    }
    let shape = separated(&problem.input().shape, "x");
    Err(Error::new(ErrorKind::Argument, format!("the input has {given} elements: the shape {shape} needs {wanted}")))
}

fn check_picks(problem: &Problem, picks: &[Vec<usize>]) -> Result<()> {
    let shape = &problem.output().shape;
    let within = picks.iter().zip(shape).all(|(picks, &n)| picks.iter().all(|&i| i < n));
    if picks.len() == shape.len() && within {
        return Ok(());
    }
    let shape = separated(shape, "x");
    Err(Error::new(ErrorKind::Argument, format!("the picks must be indices along each axis of the output, {shape}")))
}

fn transform_of(problem: &Problem, axis: usize) -> Option<&AxisTransform> {
    problem.transforms().iter().find(|transform| transform.axis == axis)
}

/// The indices of the input elements on which the picked outputs depend: all along transformed
/// axes, and the picked ones along the others.
fn kept_inputs(problem: &Problem, picks: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let axes = everything(problem.input()).into_iter().zip(picks).enumerate();
    axes.map(|(axis, (all, picks))| if transform_of(problem, axis).is_some() { all } else { picks.clone() }).collect()
}

/// Double-double numbers as two arrays, so that the compiler vectorises loops over them.
struct Reals {
    hi: Vec<f64>,
    lo: Vec<f64>,
}

impl Reals {
    fn zeros(n: usize) -> Reals {
        Reals { hi: vec![0.0; n], lo: vec![0.0; n] }
    }

    fn get(&self, i: usize) -> Dd {
        Dd::renormalised(self.hi[i], self.lo[i])
    }

    fn set(&mut self, i: usize, x: Dd) {
        (self.hi[i], self.lo[i]) = (x.hi, x.lo);
    }
}

/// The elements with the indices `kept`: one plane of real parts and, for complex data, one of
/// imaginary parts.
fn planes(problem: &Problem, input: &[Complex<f64>], kept: &[Vec<usize>]) -> Vec<Reals> {
    let c_order = Layout::c_order(&problem.input().shape, 1).expect("the shape is that of a valid problem");
    let at = positions(&c_order, kept);
    let plane = |part: fn(&Complex<f64>) -> f64| Reals {
        hi: at.iter().map(|&i| part(&input[i])).collect(),
        lo: vec![0.0; at.len()],
    };
    match problem.input_domain() {
        Domain::Real => vec![plane(|z| z.re)],
        Domain::Complex => vec![plane(|z| z.re), plane(|z| z.im)],
    }
}

/// The planes as complex numbers, scaled. For a real output, the real part is taken here, after all
/// axes. So the order of the axes does not matter for [`Transform1d::C2R`] either.
fn merge(planes: &[Reals], problem: &Problem) -> Vec<Complex<Dd>> {
    let part = |plane: usize, i: usize| planes.get(plane).map_or(Dd::default(), |p| scaled(p.get(i), problem.scale()));
    let complex = problem.output_domain() == Domain::Complex;
    let im = |i| if complex { part(1, i) } else { Dd::default() };
    (0..planes[0].hi.len()).map(|i| Complex { re: part(0, i), im: im(i) }).collect()
}

/// Moves the last axis, of length `n`, to the front.
fn move_last_axis_to_front(plane: &Reals, n: usize) -> Reals {
    let lines = plane.hi.len() / n;
    let transposed = |part: &[f64]| (0..n).flat_map(|j| (0..lines).map(move |line| part[line * n + j])).collect();
    Reals { hi: transposed(&plane.hi), lo: transposed(&plane.lo) }
}

/// Computes the picked outputs of a transform along the last axis, and moves that axis to the
/// front.
fn contract(problem: &Problem, transform: &AxisTransform, mut planes: Vec<Reals>, picks: &[usize]) -> Vec<Reals> {
    let (n, outputs) = (problem.input().shape[transform.axis], problem.output().shape[transform.axis]);
    let definition = Definition::of(transform.transform1d, transform.n);
    planes.iter_mut().for_each(|plane| weigh_ends(plane, n, transform, &definition));
    let roots = Roots::new(definition.order);
    let row = |k: usize| {
        let factor = definition.weight * output_edge(transform, outputs, k);
        Exponentials::new(&roots, &definition, k as u64, n).row(&planes, definition.function, factor)
    };
    let elements = planes[0].hi.len();
    let rows = in_parallel(picks, elements / n, planes.len() * elements, &row);
    let parts: [fn(&Complex<Dd>) -> Dd; 2] = [|z| z.re, |z| z.im];
    let count = if definition.function.is_complex() { 2 } else { planes.len() };
    parts[..count].iter().map(|part| collect(rows.iter().map(part))).collect()
}

fn collect(values: impl Iterator<Item = Dd>) -> Reals {
    let (hi, lo) = values.map(|x| (x.hi, x.lo)).unzip();
    Reals { hi, lo }
}

/// Multiplies the first and last element of each line by their factors.
fn weigh_ends(plane: &mut Reals, n: usize, transform: &AxisTransform, definition: &Definition) {
    let half = |halved: bool| if halved { 0.5 } else { 1.0 };
    let first = transform.end_weights.input_first * half(definition.halved.0);
    let last = transform.end_weights.input_last * half(definition.halved.1);
    for line in (0..plane.hi.len()).step_by(n) {
        plane.set(line, plane.get(line) * first);
        plane.set(line + n - 1, plane.get(line + n - 1) * last);
    }
}

/// x · scale. Products of double-double numbers need magnitudes below 2^996, so a larger scale is
/// applied as two factors, one of them a power of two.
fn scaled(x: Dd, scale: f64) -> Dd {
    const POWER: f64 = (1u128 << 100) as f64;
    if scale.abs() < 1e270 {
        return x * scale;
    }
    let Dd { hi, lo } = x * (scale / POWER);
    Dd { hi: hi * POWER, lo: lo * POWER }
}

/// The factor on output `k`.
fn output_edge(transform: &AxisTransform, outputs: usize, k: usize) -> f64 {
    let first = if k == 0 { transform.end_weights.output_first } else { 1.0 };
    let last = if k + 1 == outputs { transform.end_weights.output_last } else { 1.0 };
    first * last
}

/// The rows of all picks, one after another, of `len` elements each. Large problems use two threads.
/// A list for each row would take more memory than its elements, if there is one.
fn in_parallel<T: Send>(
    picks: &[usize],
    len: usize,
    elements: usize,
    row: &(impl Fn(usize) -> Vec<T> + Sync),
) -> Vec<T> {
    let rows = |picks: &[usize]| -> Vec<T> {
        let mut all = Vec::with_capacity(len * picks.len());
        picks.iter().for_each(|&k| all.extend(row(k)));
        all
    };
    if picks.len() * elements < 1 << 22 {
        return rows(picks);
    }
    let (mine, theirs) = picks.split_at(picks.len() / 2);
    std::thread::scope(|scope| {
        let helper = std::thread::Builder::new().spawn_scoped(scope, || rows(theirs));
        let mut all = rows(mine);
        match helper {
            Ok(helper) => all.extend(helper.join().expect("the sums do not panic")),
            Err(_) => all.extend(rows(theirs)), // the system starts no thread
        }
        all
    })
}

/// The roots of one exponential sum: `inner` for n₁ and `outer` for n₂.
struct Exponentials {
    n: usize,
    inner: Vec<Complex<Dd>>,
    outer: Vec<Complex<Dd>>,
}

impl Exponentials {
    /// The roots for output `k` of a line of `n` elements.
    fn new(roots: &Roots, definition: &Definition, k: u64, n: usize) -> Exponentials {
        let order = definition.order;
        let times = |x: u64, y: u64| (u128::from(x) * u128::from(y) % u128::from(order)) as u64;
        let p = definition.output.0 * k + definition.output.1;
        let (step, start) = (times(p, definition.input.0), times(p, definition.input.1));
        // B is about √N, but at least 16 to fill vectors, and at most 512 to fit the first-level
        // cache.
        let block = n.isqrt().clamp(16, 512).min(n);
        let progression = |start: u64, step: u64, count: usize| {
            let exponents = std::iter::successors(Some(start), |at| Some((at + step) % order));
            exponents.take(count).map(|at| roots.get_dd(at)).collect()
        };
        let outer = progression(start, times(step, block as u64), n.div_ceil(block));
        Exponentials { n, inner: progression(0, step, block), outer }
    }

    /// `factor` times the sums of all lines.
    fn row(&self, planes: &[Reals], function: Function, factor: f64) -> Vec<Complex<Dd>> {
        let mut partial = [Reals::zeros(self.inner.len()), Reals::zeros(self.inner.len())];
        let starts = (0..planes[0].hi.len()).step_by(self.n);
        let line = |start: usize| {
            let mut z = [Complex { re: Dd::default(), im: Dd::default() }; 2];
            for (z, plane) in z.iter_mut().zip(planes) {
                let line = start..start + self.n;
                *z = self.sum(&plane.hi[line.clone()], &plane.lo[line], &mut partial);
            }
            let Complex { re, im } = function.of(z);
            Complex { re: re * factor, im: im * factor }
        };
        starts.map(line).collect()
    }

    /// Σ_n x_n exp(−2πi p (c n + d)/D). `partial` is scratch for the real and the imaginary inner
    /// sums.
    fn sum(&self, hi: &[f64], lo: &[f64], partial: &mut [Reals; 2]) -> Complex<Dd> {
        let [re, im] = partial;
        for part in [&mut re.hi, &mut re.lo, &mut im.hi, &mut im.lo] {
            part.fill(0.0);
        }
        let block = self.inner.len();
        for (root, (hi, lo)) in self.outer.iter().zip(hi.chunks(block).zip(lo.chunks(block))) {
            accumulate(root.re, hi, lo, &mut re.hi, &mut re.lo);
            accumulate(root.im, hi, lo, &mut im.hi, &mut im.lo);
        }
        let zero = Complex { re: Dd::default(), im: Dd::default() };
        self.inner.iter().enumerate().fold(zero, |sum, (i, &root)| {
            let term = complex_product(root, Complex { re: re.get(i), im: im.get(i) });
            Complex { re: sum.re + term.re, im: sum.im + term.im }
        })
    }
}

/// sum += factor · x. The low parts are summed without carrying into the high ones. Their rounding
/// error is 2^-53 of the low parts, so 2^-106 of the sum.
fn accumulate(factor: Dd, x_hi: &[f64], x_lo: &[f64], sum_hi: &mut [f64], sum_lo: &mut [f64]) {
    let terms = x_hi.iter().zip(x_lo).zip(sum_hi.iter_mut().zip(sum_lo));
    for ((&hi, &lo), (sum_hi, sum_lo)) in terms {
        let (p, e) = fused_two_prod(factor.hi, hi);
        let (s, t) = two_sum(*sum_hi, p);
        *sum_hi = s;
        *sum_lo += t + (e + (factor.hi * lo + factor.lo * hi));
    }
}
