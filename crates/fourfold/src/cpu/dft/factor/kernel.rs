//! Small DFTs of one factor: butterflies, direct sums, and Rader's and Bluestein's convolutions
//! with their tables.

use crate::arithmetic::complex::C;
use crate::arithmetic::twiddle::Roots;
use crate::cpu::dft::factor::bluestein::Bluestein;
use crate::cpu::dft::factor::direct::{
    Direct, DirectReal, DirectSignal, HalfToSpectrum, ImaginaryParts, RealToComplex, SpectrumToHalf,
};
use crate::cpu::dft::factor::inner::Inner;
use crate::cpu::dft::factor::rader::Rader;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector};
use crate::recipe::scheme::Factor;
use num_complex::Complex;

/// The algorithm of a pass for its small DFTs. `D` is the type of the DFTs inside of convolutions.
pub(crate) enum Kernel<S, D> {
    /// A butterfly. [`crate::arithmetic::butterfly`] has the arithmetic.
    Radix(usize),
    /// cos and sin of 2πj/p.
    Direct(Vec<Complex<S>>),
    Rader(Box<Rader<S, D>>),
    Bluestein(Box<Bluestein<S, D>>),
}

impl<S: Scalar, D: Inner<S>> Kernel<S, D> {
    pub(crate) fn new(factor: &Factor) -> Self {
        match factor {
            Factor::Radix(r) => Kernel::Radix(*r),
            Factor::Direct(p) => {
                let (p, roots) = (*p as u64, Roots::new(*p as u64));
                Kernel::Direct((0..p).map(|k| S::root(&roots, p - k)).collect())
            }
            Factor::Rader(p, inner) => Kernel::Rader(Box::new(Rader::new(*p, inner))),
            Factor::Bluestein(n, inner) => Kernel::Bluestein(Box::new(Bluestein::new(*n, inner))),
        }
    }

    /// The length of the small DFT.
    pub(crate) fn len(&self) -> usize {
        match self {
            Kernel::Radix(r) => *r,
            Kernel::Direct(table) => table.len(),
            Kernel::Rader(rader) => rader.len(),
            Kernel::Bluestein(bluestein) => bluestein.len(),
        }
    }

    /// The DFT of the complex `z` in place.
    ///
    /// # Safety
    /// `z` has the elements of the DFT, and `work` has the number of vectors that
    /// [`work`](crate::cpu::base::sizes::work) returns for this factor. The CPU has the
    /// instructions of `V`.
    pub(crate) unsafe fn dft<V: Vector<Scalar = S>>(&self, z: Ptr<C<V>>, work: Ptr<V>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self {
                Kernel::Radix(_) => unreachable!("butterflies have passes of their own"),
                Kernel::Direct(table) => V::enter(Direct { table, z, work: work.cast() }),
                Kernel::Rader(rader) => rader.dft(z, work),
                Kernel::Bluestein(bluestein) => bluestein.dft(z, work),
            }
        }
    }

    /// The half spectrum of the reals at `x`, in place.
    ///
    /// # Safety
    /// As for [`Kernel::dft`]. `x` has twice as many vectors as the DFT has reals.
    pub(crate) unsafe fn half_spectrum<V: Vector<Scalar = S>>(&self, x: Ptr<V>, work: Ptr<V>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self {
                Kernel::Rader(rader) => rader.half_spectrum(x, work),
                Kernel::Direct(table) => V::enter(DirectReal { table, x, work }),
                _ => {
                    V::enter(RealToComplex { n: self.len(), x });
                    self.dft(x.cast(), work);
                    V::enter(SpectrumToHalf { n: self.len(), x });
                }
            }
        }
    }

    /// The reals of the half spectrum at `x`, by a backward DFT in place.
    ///
    /// # Safety
    /// As for [`Kernel::half_spectrum`].
    pub(crate) unsafe fn signal<V: Vector<Scalar = S>>(&self, x: Ptr<V>, work: Ptr<V>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self {
                Kernel::Rader(rader) => rader.signal(x, work),
                Kernel::Direct(table) => V::enter(DirectSignal { table, x, work }),
                _ => {
                    V::enter(HalfToSpectrum { n: self.len(), x });
                    self.dft(x.cast(), work);
                    V::enter(ImaginaryParts { n: self.len(), x });
                }
            }
        }
    }
}
