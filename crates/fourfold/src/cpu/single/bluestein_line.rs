//! Bluestein's convolution along one signal, whose DFTs have another scheme for single lines. A
//! signal whose length has large primes then fills the lanes. [`crate::recipe::rules::bluestein`]
//! has the formulas.

use crate::cpu::dft::dft::VectorDft;
use crate::cpu::dft::factor::bluestein::tables;
use crate::cpu::dft::pass::along::{load_interleaved, store_interleaved};
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, VectorTask, WithIsa};
use crate::cpu::single::four_step::ExecutePass;
use crate::cpu::single::intra_vector::Input;
use crate::cpu::single::line_dft::{Buffers, LineDft};
use crate::recipe::reduction::Data;
use crate::recipe::rules::bluestein::counts;
use crate::recipe::scheme::{Factor, Scheme};
use num_complex::Complex;

/// The executable form of [`Scheme::Bluestein`].
pub(crate) struct BluesteinLine<S> {
    pub(crate) len: usize,
    data: Data,
    /// The numbers that are read, and those that are computed.
    counts: [usize; 2],
    chirp: Vec<Complex<S>>,
    /// The DFT of the conjugate chirp, divided by its length.
    spectrum: Vec<Complex<S>>,
    inner: Box<LineDft<S>>,
}

impl<S: Dispatch> BluesteinLine<S> {
    pub(crate) fn new(len: usize, inner: &Scheme, data: Data, scale: f64) -> Self {
        let factors: Vec<Factor> = inner.factors().cloned().collect();
        let counts = counts(data, len);
        let (chirp, spectrum) = tables::<S, VectorDft<S>>(len, counts, &factors);
        // Backwards, all terms but the first count twice: that one is halved.
        let scale = if data == Data::Hermitian { 2.0 * scale } else { scale };
        let of = |by: f64| move |z: &Complex<f64>| Complex::new(S::of(by * z.re), S::of(by * z.im));
        BluesteinLine {
            len,
            data,
            counts,
            chirp: chirp.iter().map(of(1.0)).collect(),
            spectrum: spectrum.iter().map(of(scale)).collect(),
            inner: Box::new(LineDft::new(inner, Data::Complex, 1.0)),
        }
    }

    /// Transforms the numbers at `src` to `out` or, without that, to one of the buffers. Returns the
    /// address of the result. `src` may be `out` or a buffer.
    ///
    /// # Safety
    /// As for [`LineDft::transform`].
    pub(crate) unsafe fn transform(
        &self,
        isa: Isa,
        src: Ptr<S>,
        [t, z]: Buffers<S>,
        out: Option<Ptr<S>>,
        execute_pass: ExecutePass<'_, S>,
    ) -> Ptr<S> {
        let other = |at: Ptr<S>| if at == t { z } else { t };
        let step = |step, from, to| StepTask { step, line: self, from, to };
        let first = other(src);
        // SAFETY: the caller guarantees it. The DFTs write the buffer that they do not read, and
        // then the other one.
        unsafe {
            S::dispatch(isa, step(Step::Read, src, first));
            let dft = |at| self.inner.transform(isa, Input::Interleaved(at), [other(at), at], None, execute_pass);
            let spectrum = dft(first);
            S::dispatch(isa, step(Step::Multiply, spectrum, spectrum));
            let sums = dft(spectrum);
            let out = out.unwrap_or(sums);
            S::dispatch(isa, step(Step::Write, sums, out));
            out
        }
    }
}

/// The steps beside the two DFTs.
#[derive(Clone, Copy)]
enum Step {
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
