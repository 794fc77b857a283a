//! A SIMD vector whose lanes belong to different transforms.

use crate::arithmetic::complex::Number;
use crate::arithmetic::real::Real;
use crate::cpu::simd::pointer::Ptr;

/// The most lanes of any vector.
pub(crate) const LANES: usize = 16;

/// The scalars that the engine computes with.
pub(crate) trait Scalar: Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + 'static {
    /// The nearest scalar to `value`.
    fn of(value: f64) -> Self;
    /// Itself in double precision.
    fn to(self) -> f64;
    /// The root of unity exp(−2πi k/n), each part to the last bit.
    fn root(roots: &crate::arithmetic::twiddle::Roots, k: u64) -> num_complex::Complex<Self>;
}

impl Scalar for f64 {
    fn of(value: f64) -> f64 {
        value
    }
    fn to(self) -> f64 {
        self
    }
    fn root(roots: &crate::arithmetic::twiddle::Roots, k: u64) -> num_complex::Complex<f64> {
        roots.get(k)
    }
}

impl Scalar for f32 {
    fn of(value: f64) -> f32 {
        value as f32
    }
    fn to(self) -> f64 {
        self.into()
    }
    fn root(roots: &crate::arithmetic::twiddle::Roots, k: u64) -> num_complex::Complex<f32> {
        let z = roots.get(k);
        num_complex::Complex::new(z.re as f32, z.im as f32)
    }
}

/// Work that is compiled anew for every instruction set: [`Vector::enter`] runs it where the set's
/// instructions may be used.
pub(crate) trait WithIsa {
    /// Does the work; must be `#[inline(always)]`, so that it ends up inside [`Vector::enter`].
    ///
    /// # Safety
    /// The CPU has the instructions of the vectors that the work names, and what the work points to
    /// is there. Only [`Vector::enter`] calls it, whose caller vouches for both.
    unsafe fn with_isa(self);
}

/// Something to do with whichever lanes the machine has.
pub(crate) trait VectorTask<S: Scalar> {
    /// Does it.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`; the rest is the job's.
    unsafe fn with_vector<V: Vector<Scalar = S>>(self);
}

/// A vector of `WIDTH` scalars. The algorithms are generic over it; the files of `isa` hold the
/// instructions only.
///
/// A value proves that the CPU has the instructions of its type. What makes a value of something
/// else ([`Vector::splat`], [`Vector::load`]) is therefore unsafe, as is [`Vector::enter`]; what
/// makes values of values is safe.
pub(crate) trait Vector: Real {
    /// What each lane holds.
    type Scalar: Scalar;
    /// Lanes in a vector, a power of two.
    const WIDTH: usize;
    /// Vectors that registers hold.
    const REGISTERS: usize = 16;
    /// Complex numbers in a vector, or one where it has no room.
    type ComplexVector: ComplexVector<Scalar = Self::Scalar>;

    /// All lanes the same.
    ///
    /// # Safety
    /// The CPU has the instructions of this type.
    unsafe fn splat(value: Self::Scalar) -> Self;

    /// All lanes 0.
    ///
    /// # Safety
    /// As [`Vector::splat`].
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller's.
        unsafe { Self::splat(Self::Scalar::default()) }
    }

    /// # Safety
    /// `from` is readable for `WIDTH` scalars; no alignment is needed. The CPU has the instructions
    /// of this type.
    unsafe fn load(from: Ptr<Self::Scalar>) -> Self;

    /// # Safety
    /// `to` is writable for `WIDTH` scalars; no alignment is needed.
    unsafe fn store(self, to: Ptr<Self::Scalar>);

    /// Stores where nothing is read soon: past the caches, where the set has such an instruction.
    ///
    /// # Safety
    /// As [`Vector::store`], with `to` aligned to the vector.
    #[inline(always)]
    unsafe fn stream(self, to: Ptr<Self::Scalar>) {
        // SAFETY: the caller's.
        unsafe { self.store(to) }
    }

    /// Brings the cache line of an address near, where the set has such an instruction; the address
    /// need not be one.
    #[inline(always)]
    fn prefetch(_from: Ptr<Self::Scalar>) {}

    /// Lets others see what has been streamed, in order with what is stored later.
    #[inline(always)]
    fn finish_streams() {}

    /// (a_0 b_0 a_1 b_1 …) in two vectors.
    fn zip(a: Self, b: Self) -> (Self, Self);

    /// The inverse of [`Vector::zip`].
    fn unzip(a: Self, b: Self) -> (Self, Self);

    /// The lanes from the last to the first.
    fn reverse(self) -> Self;

    /// Turns the square of WIDTH rows: row j and lane i change places. In log₂ WIDTH rounds of
    /// zipping row i with row i + WIDTH/2 (the perfect shuffle applied to both halves of the
    /// index), where the set has no shorter way.
    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        let half = Self::WIDTH / 2;
        for _ in 0..Self::WIDTH.ilog2() {
            let mut next = [rows[0]; LANES];
            for i in 0..half {
                (next[2 * i], next[2 * i + 1]) = Self::zip(rows[i], rows[i + half]);
            }
            rows.copy_from_slice(&next[..2 * half]);
        }
    }

    /// Neighbours exchanged: (a_1 a_0 a_3 a_2 …); of two lanes or more.
    fn swap(self) -> Self;

    /// [`Vector::transpose`] of the square of WIDTH/2 rows of pairs.
    fn transpose_pairs(rows: &mut [Self]);

    /// Runs `work` compiled for the instruction set.
    ///
    /// # Safety
    /// The CPU has the instructions of this type, and what the work points to is there.
    unsafe fn enter<W: WithIsa>(work: W);
}

/// Complex numbers as they stand in memory, (re, im) after (re, im).
pub(crate) trait ComplexVector: Number {
    /// Their parts.
    type Scalar;
    /// How many.
    const COUNT: usize;

    /// # Safety
    /// `from` is readable for `COUNT` pairs; no alignment is needed. The CPU has the instructions of
    /// this type.
    unsafe fn load(from: Ptr<Self::Scalar>) -> Self;

    /// # Safety
    /// `to` is writable for `COUNT` pairs; no alignment is needed.
    unsafe fn store(self, to: Ptr<Self::Scalar>);

    /// self · w; w is where a block of twiddles has (re, re) for each number, and [`LANES`] further
    /// (−im, im).
    ///
    /// # Safety
    /// That much is readable.
    unsafe fn twiddle(self, w: Ptr<Self::Scalar>) -> Self;

    /// The parts times factors of their own.
    fn times_parts(self, by: [Self::Scalar; 2]) -> Self;

    /// Turns the square of `COUNT` rows: row j and number i change places.
    fn transpose_square(rows: &mut [Self]);
}
