//! The traits of scalars and SIMD vectors.

use crate::arithmetic::complex::Number;
use crate::arithmetic::real::Real;
use crate::cpu::simd::pointer::Ptr;
#[cfg(all(target_arch = "x86_64", not(test)))]
use std::{hint::black_box, mem::MaybeUninit};

/// The most lanes of any vector.
pub(crate) const LANES: usize = 16;

/// The scalar types of the engine: `f32` and `f64`.
pub(crate) trait Scalar: Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + 'static {
    /// The nearest scalar to `value`.
    fn of(value: f64) -> Self;
    /// The value in double precision.
    fn to(self) -> f64;
    /// The root of unity exp(−2πi k/n), each part within 0.501 units in the last place.
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

/// Work that is compiled once for each instruction set. [`Vector::enter`] executes it inside a
/// function that has the set's instructions enabled.
pub(crate) trait WithIsa {
    /// Does the work. Implementations must be `#[inline(always)]`, so that they are compiled inside
    /// of [`Vector::enter`].
    ///
    /// # Safety
    /// The CPU has the instructions of the vectors in the work, and its pointers are valid. Only
    /// [`Vector::enter`] may call this, whose caller guarantees both.
    unsafe fn with_isa(self);
}

/// Aligns the stack frame of the caller to a cache line. The compiler does not align the vectors that
/// it spills from registers, so half of them may straddle two cache lines: whether they do depends on
/// the frames of all callers. A last pass of radix 16 over reals took 1.2 times as long then
/// (docs/performance/log.md).
#[inline(always)]
#[cfg(all(target_arch = "x86_64", not(test)))]
pub(crate) fn align_stack() {
    #[repr(align(64))]
    struct CacheLine {
        _bytes: [u8; 64],
    }
    let line = MaybeUninit::<CacheLine>::uninit();
    black_box(line.as_ptr());
}

/// Work that is generic over the vector type.
pub(crate) trait VectorTask<S: Scalar> {
    /// Does the work with vectors `V`.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`, and the requirements of the implementation hold.
    unsafe fn with_vector<V: Vector<Scalar = S>>(self);
}

/// A vector of `WIDTH` scalars, whose lanes belong to different transforms. The algorithms are
/// generic over this trait, and the files of `isa` contain only instructions.
///
/// A value proves that the CPU has the instructions of its type. Therefore functions that make a
/// vector of something else ([`Vector::splat`], [`Vector::load`]) are unsafe, and so is
/// [`Vector::enter`]. Functions from vectors to vectors are safe.
pub(crate) trait Vector: Real {
    /// The type of a lane.
    type Scalar: Scalar;
    /// The number of lanes, a power of two.
    const WIDTH: usize;
    /// The number of vector registers.
    const REGISTERS: usize = 16;
    /// A vector of complex numbers. With one lane it is a pair of scalars.
    type ComplexVector: ComplexVector<Scalar = Self::Scalar>;

    /// The vector whose lanes all are `value`.
    ///
    /// # Safety
    /// The CPU has the instructions of this type.
    unsafe fn splat(value: Self::Scalar) -> Self;

    /// The vector whose lanes all are 0.
    ///
    /// # Safety
    /// As [`Vector::splat`].
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller guarantees it.
        unsafe { Self::splat(Self::Scalar::default()) }
    }

    /// # Safety
    /// `from` is readable for `WIDTH` scalars; no alignment is needed. The CPU has the instructions
    /// of this type.
    unsafe fn load(from: Ptr<Self::Scalar>) -> Self;

    /// # Safety
    /// `to` is writable for `WIDTH` scalars; no alignment is needed.
    unsafe fn store(self, to: Ptr<Self::Scalar>);

    /// Stores memory that is not read soon. This bypasses the caches if the set has non-temporal
    /// stores.
    ///
    /// # Safety
    /// As [`Vector::store`], with `to` aligned to the vector.
    #[inline(always)]
    unsafe fn stream(self, to: Ptr<Self::Scalar>) {
        // SAFETY: the caller guarantees it.
        unsafe { self.store(to) }
    }

    /// Prefetches the cache line of an address, if the set has such an instruction. Any address is
    /// allowed.
    #[inline(always)]
    fn prefetch(_from: Ptr<Self::Scalar>) {}

    /// Orders all earlier non-temporal stores before later stores, as other threads see them.
    #[inline(always)]
    fn finish_streams() {}

    /// Interleaves: (a_0, b_0, a_1, b_1, …) in two vectors.
    fn zip(a: Self, b: Self) -> (Self, Self);

    /// The inverse of [`Vector::zip`].
    fn unzip(a: Self, b: Self) -> (Self, Self);

    /// The lanes in reverse order.
    fn reverse(self) -> Self;

    /// 1/x for every lane x, but 0 where x is 0.
    fn reciprocal(self) -> Self;

    /// Transposes a square matrix of WIDTH rows. The default takes log₂ WIDTH rounds, each of which
    /// zips row i with row i + WIDTH/2. This rotates the bits of the index (row, lane) by one, a
    /// perfect shuffle.
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

    /// Exchanges neighbours: (a_1, a_0, a_3, a_2, …). The vector must have at least two lanes.
    fn swap(self) -> Self;

    /// Transposes a square matrix of WIDTH/2 rows whose elements are pairs of lanes.
    fn transpose_pairs(rows: &mut [Self]);

    /// Executes `work`, compiled for the instruction set.
    ///
    /// # Safety
    /// The CPU has the instructions of this type, and the pointers of the work are valid.
    unsafe fn enter<W: WithIsa>(work: W);
}

/// A vector of complex numbers in the order of memory: (re, im, re, im, …).
pub(crate) trait ComplexVector: Number {
    /// The type of real and imaginary parts.
    type Scalar;
    /// The number of complex numbers in a vector.
    const COUNT: usize;

    /// # Safety
    /// `from` is readable for `COUNT` pairs; no alignment is needed. The CPU has the instructions of
    /// this type.
    unsafe fn load(from: Ptr<Self::Scalar>) -> Self;

    /// # Safety
    /// `to` is writable for `COUNT` pairs; no alignment is needed.
    unsafe fn store(self, to: Ptr<Self::Scalar>);

    /// self · w. A block of twiddle factors has (re, re) for each number at `w`, and (−im, im) at
    /// `w` + [`LANES`].
    ///
    /// # Safety
    /// Both vectors are readable.
    unsafe fn twiddle(self, w: Ptr<Self::Scalar>) -> Self;

    /// The real parts times `by[0]`, and the imaginary parts times `by[1]`.
    fn times_parts(self, by: [Self::Scalar; 2]) -> Self;

    /// Transposes a square matrix of `COUNT` rows of complex numbers.
    fn transpose_square(rows: &mut [Self]);
}
