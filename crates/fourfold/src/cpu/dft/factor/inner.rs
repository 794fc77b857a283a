//! The DFT inside a convolution, as the convolutions see it: they stand below the passes that it is
//! made of.

use crate::cpu::dft::permuted::Permuted;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector};
use crate::recipe::reduction::Data;
use crate::recipe::scheme::Factor;
use num_complex::Complex;

/// The executable form of a DFT of given factors; [`crate::cpu::dft::dft::Dft`] says what the
/// functions do.
pub(crate) trait Inner<S: Scalar>: Sized {
    /// The factors in the order of a forward transform.
    fn new(data: Data, factors: &[Factor]) -> Self;

    /// The complex DFT of one signal in double precision, for tables.
    fn of_table(factors: &[Factor], signal: &mut [Complex<f64>]);

    /// The length of the transform.
    fn len(&self) -> usize;

    /// From (re, im) at `src` through `a` and `b`; says which of them holds the result.
    ///
    /// # Safety
    /// The buffers hold `len` complex elements, `work` what [`work`](crate::cpu::base::sizes::work)
    /// says; the CPU has the instructions of `V`.
    unsafe fn complex<V: Vector<Scalar = S>>(&self, src: [Ptr<V>; 2], a: Ptr<V>, b: Ptr<V>, work: Ptr<V>) -> Ptr<V>;

    /// From reals to a half spectrum.
    ///
    /// # Safety
    /// As [`Inner::complex`], in reals.
    unsafe fn forward<V: Vector<Scalar = S>>(&self, src: Permuted<S>, a: Ptr<V>, b: Ptr<V>, work: Ptr<V>) -> Ptr<V>;

    /// From a half spectrum to reals.
    ///
    /// # Safety
    /// As [`Inner::forward`].
    unsafe fn backward<V: Vector<Scalar = S>>(&self, src: Ptr<V>, other: Ptr<V>, dst: Permuted<S>, work: Ptr<V>);

    /// The buffer that the last backward pass does not read, given where the half spectrum stands.
    fn backward_target<V>(&self, src: Ptr<V>, other: Ptr<V>) -> Ptr<V>;
}
