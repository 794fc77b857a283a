//! Bluestein's convolution along one signal, whose DFTs have another scheme for single lines. A
//! signal whose length has large primes then fills the lanes. [`crate::recipe::rules::bluestein`]
//! has the formulas.

use crate::cpu::dft::dft::VectorDft;
use crate::cpu::dft::factor::bluestein::tables;
use crate::cpu::dft::pass::along::{load_interleaved, store_interleaved};
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, VectorTask, WithIsa};
use crate::recipe::reduction::Data;
use crate::recipe::rules::bluestein::counts;
use crate::recipe::scheme::Factor;
use num_complex::Complex;

/// The steps of [`Scheme::Bluestein`](crate::recipe::scheme::Scheme::Bluestein) beside its two DFTs.
pub(crate) struct BluesteinLine<S> {
    pub(crate) len: usize,
    data: Data,
    /// The numbers that are read, and those that are computed.
    counts: [usize; 2],
    chirp: Vec<Complex<S>>,
    /// The DFT of the conjugate chirp, divided by its length.
    spectrum: Vec<Complex<S>>,
}

impl<S: Dispatch> BluesteinLine<S> {
    /// Prepares the steps. `factors` are those of the longer DFTs.
    pub(crate) fn new(len: usize, factors: &[Factor], data: Data, scale: f64) -> Self {
        let counts = counts(data, len);
        let (chirp, spectrum) = tables::<S, VectorDft<S>>(len, counts, factors);
        // Backwards, all terms but the first count twice: that one is halved.
        let scale = if data == Data::Hermitian { 2.0 * scale } else { scale };
        let of = |by: f64| move |z: &Complex<f64>| Complex::new(S::of(by * z.re), S::of(by * z.im));
        BluesteinLine {
            len,
            data,
            counts,
            chirp: chirp.iter().map(of(1.0)).collect(),
            spectrum: spectrum.iter().map(of(scale)).collect(),
        }
    }

    /// Executes a step.
    ///
    /// # Safety
    /// `from` and `to` have the numbers of the step. They are the same or do not overlap, and the same
    /// only if a number in `to` is no longer than one in `from`. The CPU has `isa`.
    pub(crate) unsafe fn execute(&self, isa: Isa, step: Step, from: Ptr<S>, to: Ptr<S>) {
        // SAFETY: the caller guarantees it.
        unsafe { S::dispatch(isa, StepTask { step, line: self, from, to }) }
    }
}

/// A step.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// The numbers of the signal times the chirp, then zeros.
    Read,
    /// The conjugate of the product of both spectra. So the second DFT, which is a forward one, makes
    /// the conjugate of the convolution.
    Multiply,
    /// The conjugate of that, times the chirp.
    Write,
}

struct StepTask<'a, S> {
    step: Step,
    line: &'a BluesteinLine<S>,
    from: Ptr<S>,
    /// The same as `from`, or other memory. Elements are read before those of the same or of a higher
    /// index are written.
    to: Ptr<S>,
}

impl<S: Dispatch> VectorTask<S> for StepTask<'_, S> {
    unsafe fn with_vector<V: Vector<Scalar = S>>(self) {
        // SAFETY: the caller guarantees it.
        unsafe { V::enter(Stepping::<V> { task: self }) }
    }
}

struct Stepping<'a, V: Vector> {
    task: StepTask<'a, V::Scalar>,
}

impl<V: Vector> WithIsa for Stepping<'_, V>
where
    V::Scalar: Vector<Scalar = V::Scalar>,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        let task = self.task;
        let count = task.count();
        // SAFETY: the caller guarantees it.
        unsafe {
            let mut i = task.ends();
            while i + V::WIDTH <= count {
                task.elements::<V>(i);
                i += V::WIDTH;
            }
            (i..count).for_each(|i| task.elements::<V::Scalar>(i));
            if matches!(task.step, Step::Read) {
                task.zeros::<V>(count);
            }
        }
    }
}

impl<S: Vector<Scalar = S> + Scalar> StepTask<'_, S> {
    fn count(&self) -> usize {
        let [inputs, outputs] = self.line.counts;
        match self.step {
            Step::Read => inputs,
            Step::Multiply => self.line.spectrum.len(),
            Step::Write => outputs,
        }
    }

    /// The real first term of a half spectrum. Returns the first index that is not done.
    #[inline(always)]
    unsafe fn ends(&self) -> usize {
        // SAFETY: the caller guarantees it. The first number of the chirp is 1.
        unsafe {
            match (self.step, self.line.data) {
                (Step::Read, Data::Hermitian) => {
                    let first = self.from.read() * S::of(0.5);
                    self.to.write(first);
                    self.to.add(1).write(S::of(0.0));
                    1
                }
                (Step::Write, Data::Real) => {
                    self.to.write(self.from.read());
                    1
                }
                _ => 0,
            }
        }
    }

    /// Elements i … i + WIDTH − 1.
    #[inline(always)]
    unsafe fn elements<V: Vector<Scalar = S>>(&self, i: usize) {
        // SAFETY: the caller guarantees it.
        unsafe {
            let table = if matches!(self.step, Step::Multiply) { &self.line.spectrum } else { &self.line.chirp };
            let by = load_interleaved::<V>(Ptr::of(table).add(i).cast());
            let number = |at: usize| load_interleaved::<V>(self.from.add(at));
            let (to, product) = match (self.step, self.line.data) {
                (Step::Multiply, _) => (2 * i, number(2 * i).mul(by).conj()),
                (Step::Read, Data::Complex) => (2 * i, number(2 * i).mul(by)),
                (Step::Read, Data::ComplexBackward) => (2 * i, number(2 * i).conj().mul(by)),
                (Step::Read, Data::Hermitian) => (2 * i, number(2 * i - 1).conj().mul(by)),
                (Step::Read, Data::Real) => (2 * i, by.scale(V::load(self.from.add(i)))),
                (Step::Write, Data::Complex) => (2 * i, number(2 * i).conj().mul(by)),
                (Step::Write, Data::ComplexBackward) => (2 * i, number(2 * i).conj().mul(by).conj()),
                (Step::Write, Data::Real) => (2 * i - 1, number(2 * i).conj().mul(by)),
                (Step::Write, Data::Hermitian) => {
                    return number(2 * i).conj().mul(by).re.store(self.to.add(i));
                }
            };
            store_interleaved(self.to.add(to), product);
        }
    }

    /// Zeros from element `from` to the end.
    #[inline(always)]
    unsafe fn zeros<V: Vector<Scalar = S>>(&self, from: usize) {
        let (mut i, end) = (2 * from, 2 * self.line.spectrum.len());
        // SAFETY: the destination has the elements of the convolution.
        unsafe {
            while i + V::WIDTH <= end {
                V::zero().store(self.to.add(i));
                i += V::WIDTH;
            }
            (i..end).for_each(|i| self.to.add(i).write(S::of(0.0)));
        }
    }
}
