//! The passes of a DFT over vectors: mixed radix for complex, real and Hermitian data (see
//! [`crate::recipe::rules::mixed_radix`]).
//!
//! A line is an array of vectors, lane j of every vector belonging to signal j. Complex lines
//! alternate real and imaginary parts; half spectra stand in FFTPACK's order.

use crate::cpu::dft::factor::inner::Inner;
use crate::cpu::dft::factor::kernel::Kernel;
use crate::cpu::dft::pass::access::{Steps, for_radix};
use crate::cpu::dft::pass::any::{AnyBackward, AnyComplex, AnyForward};
use crate::cpu::dft::pass::complex::Complexes;
use crate::cpu::dft::pass::real::{Backward, First, Forward, Last};
use crate::cpu::dft::pass::terms::{Half, Terms};
use crate::cpu::dft::permuted::Permuted;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector};

/// One pass, with kernels whose inner DFTs are of type `D`.
pub(crate) struct Pass<S, D> {
    pub(crate) kernel: Kernel<S, D>,
    pub(crate) steps: Steps<S>,
}

impl<S: Scalar, D: Inner<S>> Pass<S, D> {
    fn radix(&self) -> usize {
        self.kernel.len()
    }

    /// Complex data. `src` and `dst` are (re, im): element i at `2i` vectors from each.
    ///
    /// # Safety
    /// Source and destination hold the pass's complex elements and do not overlap; `work` holds
    /// what the kernel needs; the CPU has the instructions of `V`.
    pub(crate) unsafe fn complex<V: Vector<Scalar = S>>(&self, src: [Ptr<V>; 2], dst: [Ptr<V>; 2], work: Ptr<V>) {
        // SAFETY: the caller's.
        unsafe {
            match &self.kernel {
                Kernel::Radix(radix) => {
                    for_radix!(*radix, R => V::enter(Complexes::<V, R> { steps: &self.steps, src, dst }))
                }
                _ => V::enter(AnyComplex { kernel: &self.kernel, steps: &self.steps, src, dst, work }),
            }
        }
    }

    /// Half spectra from half spectra; the first pass reads the real data in their order.
    ///
    /// # Safety
    /// As [`Pass::complex`], in vectors of reals.
    pub(crate) unsafe fn forward<V: Vector<Scalar = S>>(&self, src: Permuted<S>, dst: Ptr<V>, work: Ptr<V>) {
        // SAFETY: the caller's.
        unsafe {
            match &self.kernel {
                Kernel::Radix(radix) if self.steps.inner == 1 => {
                    for_radix!(*radix, R => V::enter(First::<V, R> { steps: &self.steps, src, dst }))
                }
                Kernel::Radix(radix) => {
                    let src = src.rows.base.cast::<V>();
                    for_radix!(*radix, R => V::enter(Forward::<V, _, R> { steps: &self.steps, src, dst: Half(dst) }))
                }
                _ => V::enter(AnyForward { kernel: &self.kernel, steps: &self.steps, src, dst, work }),
            }
        }
    }

    /// The way back: one half spectrum into r; the last pass writes the real data in their order.
    ///
    /// # Safety
    /// As [`Pass::forward`].
    pub(crate) unsafe fn backward<V: Vector<Scalar = S>>(&self, src: Ptr<V>, dst: Permuted<S>, work: Ptr<V>) {
        // SAFETY: the caller's.
        unsafe {
            match &self.kernel {
                Kernel::Radix(radix) if self.steps.inner == 1 => {
                    for_radix!(*radix, R => V::enter(Last::<V, R> { steps: &self.steps, src, dst }))
                }
                Kernel::Radix(radix) => {
                    let (src, dst) = (Half(src), dst.rows.base.cast::<V>());
                    for_radix!(*radix, R => V::enter(Backward::<V, _, R> { steps: &self.steps, src, dst }))
                }
                _ => V::enter(AnyBackward { kernel: &self.kernel, steps: &self.steps, src, dst, work }),
            }
        }
    }

    /// Whether a combine may take its results, or give it what it reads, on the way.
    pub(crate) fn can_fuse_combine<V: Vector<Scalar = S>>(&self) -> bool {
        self.steps.groups == 1
            && self.steps.inner > 1
            && matches!(self.kernel, Kernel::Radix(radix) if has_room::<V>(radix))
    }

    /// As [`Pass::forward`], of a pass that is turnable, to other terms.
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn forward_to<V: Vector<Scalar = S>>(&self, src: Ptr<V>, dst: impl Terms<V>) {
        // What is never turned is not compiled for it. SAFETY: the caller's.
        unsafe {
            for_radix!(self.radix(), R => match const { has_room::<V>(R) } {
                true => V::enter(Forward::<V, _, R> { steps: &self.steps, src, dst }),
                false => unreachable!("radix {R} is not turnable"),
            })
        }
    }

    /// As [`Pass::backward`], of a pass that is turnable, from other terms.
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn backward_from<V: Vector<Scalar = S>>(&self, src: impl Terms<V>, dst: Ptr<V>) {
        // What is never turned is not compiled for it. SAFETY: the caller's.
        unsafe {
            for_radix!(self.radix(), R => match const { has_room::<V>(R) } {
                true => V::enter(Backward::<V, _, R> { steps: &self.steps, src, dst }),
                false => unreachable!("radix {R} is not turnable"),
            })
        }
    }
}

/// Whether registers have room for the four numbers of a combine beside those of a butterfly.
const fn has_room<V: Vector>(radix: usize) -> bool {
    2 * radix + 4 <= V::REGISTERS
}
