//! The interface of the DFT inside a convolution. Convolutions are part of passes, and a DFT is
//! made of passes, so they use it through this trait.

use crate::cpu::dft::permuted::Permuted;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector};
use crate::recipe::reduction::Data;
use crate::recipe::scheme::Factor;
use num_complex::Complex;

/// The executable form of a DFT with given factors. [`crate::cpu::dft::dft::VectorDft`] implements it and
/// documents the functions.
pub(crate) trait Inner<S: Scalar>: Sized {
    /// Prepares a DFT. The factors are in the order of a forward transform.
    fn new(data: Data, factors: &[Factor]) -> Self;

    /// The complex DFT of one signal in double precision, for tables.
    fn of_table(factors: &[Factor], signal: &mut [Complex<f64>]);

    /// The length of the transform.
    fn len(&self) -> usize;

    /// The complex DFT of (re, im) at `src`. Returns the buffer of the result, `a` or `b`.
    ///
    /// # Safety
    /// The buffers have `len` complex elements, and `work` has the number of vectors that
    /// [`work`](crate::cpu::base::sizes::work) returns. The CPU has the instructions of `V`.
    unsafe fn complex<V: Vector<Scalar = S>>(&self, src: [Ptr<V>; 2], a: Ptr<V>, b: Ptr<V>, work: Ptr<V>) -> Ptr<V>;

    /// The half spectrum of reals.
    ///
    /// # Safety
    /// As for [`Inner::complex`], in reals.
    unsafe fn forward<V: Vector<Scalar = S>>(&self, src: Permuted<S>, a: Ptr<V>, b: Ptr<V>, work: Ptr<V>) -> Ptr<V>;

    /// The reals of a half spectrum.
    ///
    /// # Safety
    /// As for [`Inner::forward`].
    unsafe fn backward<V: Vector<Scalar = S>>(&self, src: Ptr<V>, other: Ptr<V>, dst: Permuted<S>, work: Ptr<V>);

    /// The buffer that the last backward pass does not read, if the half spectrum is at `src`.
    fn backward_target<V>(&self, src: Ptr<V>, other: Ptr<V>) -> Ptr<V>;
}
