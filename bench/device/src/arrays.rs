//! Arrays that are taken in turns, so that no cache still holds them.

use anyhow::Result;
use fourfold::{Domain, Element, Precision, Problem};
use fourfold_gpu::{Device, GpuArray};
use num_complex::Complex;

/// Bytes of all arrays of a contestant: the largest cache has 60 MB.
pub(crate) const MEMORY: usize = 320 << 20;

/// Inputs with outputs.
pub(crate) struct Sets<A, B> {
    sets: Vec<(A, B)>,
    turn: usize,
}

impl<A, B> Sets<A, B> {
    /// So many that they have [`MEMORY`] together, and two at least; `make` makes one of so many
    /// bytes.
    pub(crate) fn new(bytes: usize, make: impl FnMut() -> Result<(A, B)>) -> Result<Sets<A, B>> {
        let count = MEMORY.div_ceil(bytes).max(2);
        Ok(Sets { sets: std::iter::repeat_with(make).take(count).collect::<Result<_>>()?, turn: 0 })
    }

    pub(crate) fn next(&mut self) -> &mut (A, B) {
        self.turn = (self.turn + 1) % self.sets.len();
        &mut self.sets[self.turn]
    }

    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }
}

/// Elements that are made of numbers.
pub(crate) trait Sample: Element {
    fn of(z: Complex<f64>) -> Self;
}

impl Sample for f32 {
    fn of(z: Complex<f64>) -> f32 {
        z.re as f32
    }
}

impl Sample for f64 {
    fn of(z: Complex<f64>) -> f64 {
        z.re
    }
}

impl Sample for Complex<f32> {
    fn of(z: Complex<f64>) -> Complex<f32> {
        Complex::new(z.re as f32, z.im as f32)
    }
}

impl Sample for Complex<f64> {
    fn of(z: Complex<f64>) -> Complex<f64> {
        z
    }
}

/// Weyl's sequence: spread evenly, and no zeros, on which a GPU spends less power.
pub(crate) fn spread(i: usize) -> Complex<f64> {
    let part = |x: f64| (x * 0.618_033_988_749_895).fract() - 0.5;
    Complex::new(part(i as f64), part(i as f64 + 0.5))
}

/// Arrays of a problem on a device.
pub(crate) fn of_problem<I: Sample, O: Sample>(
    device: &Device,
    problem: &Problem,
) -> Result<Sets<GpuArray<I>, GpuArray<O>>> {
    let (input, output) = (problem.input().len, problem.output().len);
    let data: Vec<I> = (0..input).map(|i| I::of(spread(i))).collect();
    let bytes = input * size_of::<I>() + output * size_of::<O>();
    Sets::new(bytes, || Ok((device.upload(&data)?, device.array(output)?)))
}

/// Calls a generic function with the types of a problem's elements.
macro_rules! with_types {
    ($problem:expr, $call:ident($($argument:expr),*)) => {{
        use num_complex::Complex;
        use fourfold::{Domain::{Complex as Z, Real as R}, Precision::{F32, F64}};
        let problem: &fourfold::Problem = $problem;
        match (problem.precision(), problem.input_domain(), problem.output_domain()) {
            (F32, R, R) => $call::<f32, f32>($($argument),*),
            (F64, R, R) => $call::<f64, f64>($($argument),*),
            (F32, R, Z) => $call::<f32, Complex<f32>>($($argument),*),
            (F64, R, Z) => $call::<f64, Complex<f64>>($($argument),*),
            (F32, Z, R) => $call::<Complex<f32>, f32>($($argument),*),
            (F64, Z, R) => $call::<Complex<f64>, f64>($($argument),*),
            (F32, Z, Z) => $call::<Complex<f32>, Complex<f32>>($($argument),*),
            (F64, Z, Z) => $call::<Complex<f64>, Complex<f64>>($($argument),*),
        }
    }};
}
pub(crate) use with_types;

/// Bytes of the array that a problem reads.
pub(crate) fn input_bytes(problem: &Problem) -> usize {
    array_bytes(problem.precision(), problem.input_domain(), problem.input().len)
}

/// Bytes of both of its arrays: what a launch moves that reads the one and writes the other.
pub(crate) fn bytes(problem: &Problem) -> usize {
    input_bytes(problem) + array_bytes(problem.precision(), problem.output_domain(), problem.output().len)
}

fn array_bytes(precision: Precision, domain: Domain, len: usize) -> usize {
    let reals = if domain == Domain::Complex { 2 } else { 1 };
    len * reals * if precision == Precision::F64 { 8 } else { 4 }
}
