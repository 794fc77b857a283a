//! The complex DFT of one line, by any scheme that computes lines one by one.

use crate::cpu::base::strided::Strided;
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Scalar;
use crate::cpu::single::blocked::Blocked;
use crate::cpu::single::four_step::{ExecutePass, Matrix};
use crate::cpu::single::intra_vector::{Input, IntraVector};
use crate::recipe::scheme::Scheme;

/// A complex DFT of one line.
pub(crate) enum LineDft<S> {
    IntraVector(IntraVector<S>),
    Blocked(Blocked<S>),
    Matrix(Matrix<S>),
}

/// Two buffers, each of which has room for a half spectrum.
pub(crate) type Buffers<S> = [Ptr<S>; 2];

fn interleaved_at<S>(base: Ptr<S>) -> Strided<S> {
    Strided { base, stride: 2 }
}

impl<S: Dispatch> LineDft<S> {
    pub(crate) fn new(scheme: &Scheme, backward: bool, scale: f64) -> Self {
        match scheme {
            Scheme::Batched(_) => unreachable!("a batched scheme has many lines"),
            Scheme::IntraVector(factors) => LineDft::IntraVector(IntraVector::new(factors, backward, scale)),
            Scheme::Blocked { within, across } => LineDft::Blocked(Blocked::new(within, across, backward, scale)),
            Scheme::FourStep { columns, rows } => LineDft::Matrix(Matrix::new(columns, rows, backward, scale)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            LineDft::IntraVector(dft) => dft.len,
            LineDft::Blocked(parts) => parts.len,
            LineDft::Matrix(matrix) => matrix.len(),
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
            LineDft::Matrix(_) => false,
        }
    }

    /// Transforms the elements of `from` to those of `to`, which may be the same.
    ///
    /// # Safety
    /// As for [`Single::execute`](crate::cpu::single::single::Single::execute).
    pub(crate) unsafe fn between(
        &self,
        isa: Isa,
        from: Strided<S>,
        to: Strided<S>,
        [t, z]: Buffers<S>,
        execute_pass: ExecutePass<'_, S>,
    ) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self {
                LineDft::Matrix(matrix) => matrix.transform(from, to, t, execute_pass),
                _ => {
                    let src = if from.stride == 2 { from.base } else { z };
                    if from.stride != 2 {
                        copy(from, interleaved_at(z), 2, 2 * self.len());
                    }
                    let out = (to.stride == 2).then_some(to.base);
                    let out = self.transform(isa, Input::Interleaved(src), [t, z], out, execute_pass);
                    if to.stride != 2 {
                        copy(interleaved_at(out), to, 2, 2 * self.len());
                    }
                }
            }
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
