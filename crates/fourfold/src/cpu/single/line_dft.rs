//! The complex DFT of one line, by any scheme that computes lines one by one.

use crate::cpu::base::strided::Strided;
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Scalar;
use crate::cpu::single::blocked::Blocked;
use crate::cpu::single::bluestein_line::{BluesteinLine, Step};
use crate::cpu::single::four_step::{ExecutePass, Matrix};
use crate::cpu::single::intra_vector::{Input, IntraVector};
use crate::recipe::reduction::Data;
use crate::recipe::scheme::Scheme;

/// The DFT of one line: a complex one, or one of an odd number of reals by [`BluesteinLine`].
pub(crate) enum LineDft<S> {
    IntraVector(IntraVector<S>),
    Blocked(Blocked<S>),
    Matrix(Matrix<S>),
    Bluestein {
        steps: BluesteinLine<S>,
        /// The DFTs of the convolution.
        inner: Box<LineDft<S>>,
    },
}

/// Two buffers, each of which has room for a half spectrum.
pub(crate) type Buffers<S> = [Ptr<S>; 2];

fn interleaved_at<S>(base: Ptr<S>) -> Strided<S> {
    Strided { base, stride: 2 }
}

impl<S: Dispatch> LineDft<S> {
    pub(crate) fn new(scheme: &Scheme, data: Data, scale: f64) -> Self {
        let backward = data == Data::ComplexBackward;
        match scheme {
            Scheme::Batched(_) => unreachable!("a batched scheme has many lines"),
            Scheme::IntraVector(factors) => LineDft::IntraVector(IntraVector::new(factors, backward, scale)),
            Scheme::Blocked { within, across } => LineDft::Blocked(Blocked::new(within, across, backward, scale)),
            Scheme::FourStep { columns, rows } => LineDft::Matrix(Matrix::new(columns, rows, backward, scale)),
            Scheme::Bluestein { length, inner } => {
                let factors: Vec<_> = inner.factors().cloned().collect();
                let steps = BluesteinLine::new(*length, &factors, data, scale);
                LineDft::Bluestein { steps, inner: Box::new(LineDft::new(inner, Data::Complex, 1.0)) }
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            LineDft::IntraVector(dft) => dft.len,
            LineDft::Blocked(parts) => parts.len,
            LineDft::Matrix(matrix) => matrix.len(),
            LineDft::Bluestein { steps, .. } => steps.len,
        }
    }

    /// Transforms `src` to `out` or, without that, to one of the buffers. Returns the address of
    /// the result. `src` may be `out` or the second buffer.
    ///
    /// # Safety
    /// As for [`Single::execute`](crate::cpu::single::single::Single::execute).
    pub(crate) unsafe fn transform(
        &self,
        isa: Isa,
        src: Input<S>,
        buffers: Buffers<S>,
        out: Option<Ptr<S>>,
        execute_pass: ExecutePass<'_, S>,
    ) -> Ptr<S> {
        let [t, z] = buffers;
        // SAFETY: the caller guarantees it.
        unsafe {
            match self {
                LineDft::IntraVector(dft) => dft.transform(isa, src, buffers, out),
                LineDft::Blocked(parts) => parts.transform(isa, src, buffers, out),
                LineDft::Bluestein { steps, inner } => {
                    let other = |at: Ptr<S>| if at == t { z } else { t };
                    let dft = |at| inner.transform(isa, Input::Interleaved(at), [other(at), at], None, execute_pass);
                    let first = other(src.address());
                    steps.execute(isa, Step::Read, src.address(), first);
                    let spectrum = dft(first);
                    steps.execute(isa, Step::Multiply, spectrum, spectrum);
                    let sums = dft(spectrum);
                    let out = out.unwrap_or(sums);
                    steps.execute(isa, Step::Write, sums, out);
                    out
                }
                LineDft::Matrix(matrix) => {
                    let out = out.unwrap_or(z);
                    matrix.transform(interleaved_at(src.address()), interleaved_at(out), t, execute_pass);
                    out
                }
            }
        }
    }

    /// Whether the first pass reads reals in even-odd order.
    pub(crate) fn takes_places(&self) -> bool {
        match self {
            LineDft::IntraVector(dft) => dft.takes_places(),
            LineDft::Blocked(_) => true,
            LineDft::Matrix(_) | LineDft::Bluestein { .. } => false,
        }
    }

    /// Transforms the elements of `from` to those of `to`, which may be the same.
    ///
    /// # Safety
    /// As for [`Single::execute`](crate::cpu::single::single::Single::execute).
    pub(crate) unsafe fn between(
        &self,
        isa: Isa,
        from: InputLine<S>,
        to: Strided<S>,
        [t, z]: Buffers<S>,
        execute_pass: ExecutePass<'_, S>,
    ) {
        let reals = 2 * self.len();
        let is_read = match self {
            LineDft::Matrix(_) => from.is_whole(2, reals),
            _ => from.is_contiguous(2, reals),
        };
        let src = if is_read { from.at } else { interleaved_at(z) };
        // SAFETY: the caller guarantees it.
        unsafe {
            if !is_read {
                from.copy_to(z, 2, reals);
            }
            match self {
                LineDft::Matrix(matrix) => matrix.transform(src, to, t, execute_pass),
                _ => {
                    let out = (to.stride == 2).then_some(to.base);
                    let out = self.transform(isa, Input::Interleaved(src.base), [t, z], out, execute_pass);
                    if to.stride != 2 {
                        copy(interleaved_at(out), to, 2, reals);
                    }
                }
            }
        }
    }
}

/// The line that a transform reads. Elements after the first `count` are zeros, which are not in
/// memory.
#[derive(Clone, Copy)]
pub(crate) struct InputLine<S> {
    pub(crate) at: Strided<S>,
    pub(crate) count: usize,
}

impl<S: Scalar> InputLine<S> {
    /// A line whose elements are all in memory.
    pub(crate) fn whole(at: Strided<S>) -> Self {
        InputLine { at, count: usize::MAX }
    }

    /// Whether `reals` reals, `parts` of which are one element, are all in memory.
    pub(crate) fn is_whole(&self, parts: usize, reals: usize) -> bool {
        self.count >= reals / parts
    }

    /// Whether they are also contiguous.
    pub(crate) fn is_contiguous(&self, parts: usize, reals: usize) -> bool {
        self.at.stride == parts as isize && self.is_whole(parts, reals)
    }

    /// Copies them to contiguous memory.
    ///
    /// # Safety
    /// The elements in memory are readable, and `to` has room.
    pub(crate) unsafe fn copy_to(&self, to: Ptr<S>, parts: usize, reals: usize) {
        let present = parts * self.count.min(reals / parts);
        // SAFETY: the caller guarantees it.
        unsafe {
            copy(self.at, Strided { base: to, stride: parts as isize }, parts, present);
            (present..reals).for_each(|i| to.add(i).write(S::of(0.0)));
        }
    }
}

/// Copies `reals` reals, `parts` of which are one element.
///
/// # Safety
/// Source and destination have these elements.
pub(crate) unsafe fn copy<S: Scalar>(from: Strided<S>, to: Strided<S>, parts: usize, reals: usize) {
    for i in 0..(reals / parts) as isize {
        for part in 0..parts {
            // SAFETY: the caller guarantees it.
            unsafe {
                let from = from.base.offset(i * from.stride).add(part);
                to.base.offset(i * to.stride).add(part).write(from.read());
            }
        }
    }
}
