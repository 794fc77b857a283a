//! The passes of a DFT over vectors: mixed radix for complex, real and Hermitian data (see
//! [`crate::recipe::rules::mixed_radix`]).
//!
//! A line is an array of vectors, and lane j of every vector belongs to signal j. In complex lines,
//! vectors of real and of imaginary parts alternate. Half spectra are in FFTPACK's order.

use crate::cpu::dft::factor::inner::Inner;
use crate::cpu::dft::factor::kernel::Kernel;
use crate::cpu::dft::pass::access::{Steps, for_radix};
use crate::cpu::dft::pass::any::{AnyBackward, AnyComplex, AnyForward};
use crate::cpu::dft::pass::complex::Complexes;
use crate::cpu::dft::pass::half_spectrum::{Half, HalfSpectrum};
use crate::cpu::dft::pass::real::{Backward, First, Forward, Last};
use crate::cpu::dft::permuted::Permuted;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector};

/// One pass. `D` is the type of the DFTs inside of its kernel.
pub(crate) struct Pass<S, D> {
    pub(crate) kernel: Kernel<S, D>,
    pub(crate) steps: Steps<S>,
}

impl<S: Scalar, D: Inner<S>> Pass<S, D> {
    fn radix(&self) -> usize {
        self.kernel.len()
    }

    /// The pass on complex data. `src` and `dst` are the addresses of (re, im) of element 0.
    /// Element i is 2i vectors later.
    ///
    /// # Safety
    /// Source and destination have the pass's complex elements and do not overlap. `work` has the
    /// vectors that the kernel needs. The CPU has the instructions of `V`.
    pub(crate) unsafe fn complex<V: Vector<Scalar = S>>(&self, src: [Ptr<V>; 2], dst: [Ptr<V>; 2], work: Ptr<V>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match &self.kernel {
                Kernel::Radix(radix) => {
                    for_radix!(*radix, R => V::enter(Complexes::<V, R> { steps: &self.steps, src, dst }))
                }
                _ => V::enter(AnyComplex { kernel: &self.kernel, steps: &self.steps, src, dst, work }),
            }
        }
    }

    /// The pass on half spectra. The first pass reads real data in the order of `src`.
    ///
    /// # Safety
    /// As for [`Pass::complex`], in vectors of reals.
    pub(crate) unsafe fn forward<V: Vector<Scalar = S>>(&self, src: Permuted<S>, dst: Ptr<V>, work: Ptr<V>) {
        // SAFETY: the caller guarantees it.
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

    /// The inverse pass, which splits a half spectrum into r. The last pass writes real data in the
    /// order of `dst`.
    ///
    /// # Safety
    /// As for [`Pass::forward`].
    pub(crate) unsafe fn backward<V: Vector<Scalar = S>>(&self, src: Ptr<V>, dst: Permuted<S>, work: Ptr<V>) {
        // SAFETY: the caller guarantees it.
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

    /// Whether a combine can be part of the pass: a forward pass then writes its terms through the
    /// combine, and a backward pass reads them through it.
    pub(crate) fn can_fuse_combine<V: Vector<Scalar = S>>(&self) -> bool {
        self.steps.groups == 1
            && self.steps.inner > 1
            && matches!(self.kernel, Kernel::Radix(radix) if has_room::<V>(radix))
    }

    /// As [`Pass::forward`], but writes the terms to `dst`. [`Pass::can_fuse_combine`] must hold.
    ///
    /// # Safety
    /// As for [`Pass::forward`].
    pub(crate) unsafe fn forward_to<V: Vector<Scalar = S>>(&self, src: Ptr<V>, dst: impl HalfSpectrum<V>) {
        // Radices that never fuse a combine are not compiled for it. SAFETY: the caller guarantees
        // it.
        unsafe {
            for_radix!(self.radix(), R => match const { has_room::<V>(R) } {
                true => V::enter(Forward::<V, _, R> { steps: &self.steps, src, dst }),
                false => unreachable!("radix {R} cannot fuse a combine"),
            })
        }
    }

    /// As [`Pass::backward`], but reads the terms from `src`. [`Pass::can_fuse_combine`] must hold.
    ///
    /// # Safety
    /// As for [`Pass::forward`].
    pub(crate) unsafe fn backward_from<V: Vector<Scalar = S>>(&self, src: impl HalfSpectrum<V>, dst: Ptr<V>) {
        // Radices that never fuse a combine are not compiled for it. SAFETY: the caller guarantees
        // it.
        unsafe {
            for_radix!(self.radix(), R => match const { has_room::<V>(R) } {
                true => V::enter(Backward::<V, _, R> { steps: &self.steps, src, dst }),
                false => unreachable!("radix {R} cannot fuse a combine"),
            })
        }
    }
}

/// Whether the registers have room for the four numbers of a combine and those of a butterfly.
const fn has_room<V: Vector>(radix: usize) -> bool {
    2 * radix + 4 <= V::REGISTERS
}
