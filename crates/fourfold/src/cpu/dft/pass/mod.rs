//! The passes of a DFT over vectors: mixed radix for complex, real and Hermitian data (see
//! [`crate::recipe::rules::mixed_radix`]).
//!
//! A line is an array of vectors, lane j of every vector belonging to signal j. Complex lines
//! alternate real and imaginary parts; half spectra stand in FFTPACK's order.

pub(crate) mod across;
pub(crate) mod along;
pub(crate) mod any;
pub(crate) mod complex;
pub(crate) mod paired;
pub(crate) mod real;
pub(crate) mod terms;

use crate::arithmetic::complex::C;
use crate::cpu::dft::factor::Kernel;
use crate::cpu::dft::pass::any::{AnyBackward, AnyComplex, AnyForward};
use crate::cpu::dft::pass::complex::Complexes;
use crate::cpu::dft::pass::real::{Backward, First, Forward, Last};
use crate::cpu::dft::pass::terms::{Half, Terms};
use crate::cpu::simd::vector::{Scalar, Vector};
use num_complex::Complex;

/// Calls `$body` with the constants `$index` and `$gain` equal to the two flags.
macro_rules! for_order {
    ($order:expr, $index:ident, $gain:ident => $body:expr) => {
        match $order {
            (false, false) => {
                const $index: bool = false;
                const $gain: bool = false;
                $body
            }
            (true, false) => {
                const $index: bool = true;
                const $gain: bool = false;
                $body
            }
            (true, true) => {
                const $index: bool = true;
                const $gain: bool = true;
                $body
            }
            (false, true) => unreachable!("gains come with an order"),
        }
    };
}
use for_order;

/// A distance that the compiler does not see through: it would keep a pointer for each input of a
/// butterfly, 32 of them on the stack, and move them all in every turn of the loop (see
/// docs/performance/log.md, "numbers side by side").
#[inline(always)]
fn opaque(step: usize) -> usize {
    std::hint::black_box(step)
}

/// Vectors in memory: vector i starts at `base + i · stride`, both in scalars.
pub(crate) struct Strided<S> {
    pub(crate) base: *mut S,
    pub(crate) stride: isize,
}

impl<S> Clone for Strided<S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S> Copy for Strided<S> {}

impl<S> Strided<S> {
    /// The vectors of a tile, one after the other.
    pub(crate) fn tile<V: Vector<Scalar = S>>(base: *mut V) -> Self {
        Strided { base: base.cast(), stride: V::WIDTH as isize }
    }

    /// # Safety
    /// Vector i lies in writable memory.
    #[inline(always)]
    pub(crate) unsafe fn store<V: Vector<Scalar = S>>(self, i: isize, v: V) {
        // SAFETY: the caller's.
        unsafe { v.store(self.base.offset(i * self.stride)) }
    }
}

/// The real side of a DFT in memory: element m is row `index[m]` times `gain[m]`; both may be null
/// for m itself and 1.
pub(crate) struct Permuted<S> {
    pub(crate) rows: Strided<S>,
    pub(crate) index: *const u32,
    pub(crate) gain: *const S,
}

impl<S: Scalar> Permuted<S> {
    /// Whether there is an index, and a gain: constants of the loops over many elements, see
    /// [`for_order`].
    pub(crate) fn order(&self) -> (bool, bool) {
        (!self.index.is_null(), !self.gain.is_null())
    }

    /// Where element m lies, and its gain.
    ///
    /// # Safety
    /// Element m exists; index and gain are there if they are said to be.
    #[inline(always)]
    unsafe fn place<const INDEX: bool, const GAIN: bool>(&self, m: usize) -> (*mut S, Option<S>) {
        // SAFETY: the caller's.
        unsafe {
            let row = if INDEX { *self.index.add(m) as isize } else { m as isize };
            (self.rows.base.offset(row * self.rows.stride), if GAIN { Some(*self.gain.add(m)) } else { None })
        }
    }

    /// # Safety
    /// As [`Permuted::order`] says; element m is readable.
    #[inline(always)]
    pub(crate) unsafe fn load_at<V: Vector<Scalar = S>, const INDEX: bool, const GAIN: bool>(&self, m: usize) -> V {
        // SAFETY: the caller's.
        unsafe {
            let (at, gain) = self.place::<INDEX, GAIN>(m);
            let v = V::load(at);
            if let Some(gain) = gain { v * V::splat(gain) } else { v }
        }
    }

    /// # Safety
    /// As [`Permuted::order`] says; element m is writable.
    #[inline(always)]
    pub(crate) unsafe fn store_at<V: Vector<Scalar = S>, const INDEX: bool, const GAIN: bool>(&self, m: usize, v: V) {
        // SAFETY: the caller's.
        unsafe {
            let (at, gain) = self.place::<INDEX, GAIN>(m);
            if let Some(gain) = gain { v * V::splat(gain) } else { v }.store(at);
        }
    }

    /// Brings the first `count` elements of a single signal into their order.
    ///
    /// # Safety
    /// They are there on both sides.
    pub(crate) unsafe fn read(&self, to: *mut S, count: usize)
    where
        S: Vector<Scalar = S>,
    {
        // SAFETY: the caller's.
        for_order!(self.order(), I, G => for m in 0..count { unsafe { *to.add(m) = self.load_at::<S, I, G>(m) } })
    }

    /// The reverse of [`Permuted::read`].
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn write(&self, from: *const S, count: usize)
    where
        S: Vector<Scalar = S>,
    {
        // SAFETY: the caller's.
        for_order!(self.order(), I, G => for m in 0..count { unsafe { self.store_at::<S, I, G>(m, *from.add(m)) } })
    }

    /// # Safety
    /// Element m exists and is readable.
    #[inline(always)]
    pub(crate) unsafe fn load<V: Vector<Scalar = S>>(&self, m: usize) -> V {
        // SAFETY: the caller's.
        unsafe { for_order!(self.order(), I, G => self.load_at::<V, I, G>(m)) }
    }

    /// # Safety
    /// Element m exists and is writable.
    #[inline(always)]
    pub(crate) unsafe fn store<V: Vector<Scalar = S>>(&self, m: usize, v: V) {
        // SAFETY: the caller's.
        unsafe { for_order!(self.order(), I, G => self.store_at::<V, I, G>(m, v)) }
    }
}

/// One pass: `groups` · r sequences of length `inner` become `groups` of length r · `inner`.
pub(crate) struct Pass<S> {
    pub(crate) kernel: Kernel<S>,
    pub(crate) groups: usize,
    pub(crate) inner: usize,
    /// w_{r·inner}^{jk} at \[(k−1)(r−1) + j−1\], 1 ≤ j < r, 1 ≤ k < inner (real data: k ≤ inner/2).
    pub(crate) twiddles: Vec<Complex<S>>,
}

/// Calls `$body` with the constant `$r` equal to `$radix`.
macro_rules! for_radix {
    ($radix:expr, $r:ident => $body:expr) => {
        match $radix {
            2 => {
                const $r: usize = 2;
                $body
            }
            3 => {
                const $r: usize = 3;
                $body
            }
            4 => {
                const $r: usize = 4;
                $body
            }
            5 => {
                const $r: usize = 5;
                $body
            }
            6 => {
                const $r: usize = 6;
                $body
            }
            7 => {
                const $r: usize = 7;
                $body
            }
            8 => {
                const $r: usize = 8;
                $body
            }
            9 => {
                const $r: usize = 9;
                $body
            }
            10 => {
                const $r: usize = 10;
                $body
            }
            11 => {
                const $r: usize = 11;
                $body
            }
            12 => {
                const $r: usize = 12;
                $body
            }
            13 => {
                const $r: usize = 13;
                $body
            }
            16 => {
                const $r: usize = 16;
                $body
            }
            other => unreachable!("no butterfly of radix {other}"),
        }
    };
}

use for_radix;

impl<S: Scalar> Pass<S> {
    fn radix(&self) -> usize {
        self.kernel.len()
    }

    /// Complex data. `src` and `dst` are (re, im): element i at `2i` vectors from each.
    ///
    /// # Safety
    /// Source and destination hold the pass's complex elements and do not overlap; `work` holds
    /// what the kernel needs; the CPU has the instructions of `V`.
    pub(crate) unsafe fn complex<V: Vector<Scalar = S>>(&self, src: [*const V; 2], dst: [*mut V; 2], work: *mut V) {
        // SAFETY: the caller's.
        unsafe {
            match self.kernel {
                Kernel::Radix(radix) => for_radix!(radix, R => V::enter(Complexes::<V, R> { pass: self, src, dst })),
                _ => V::enter(AnyComplex { pass: self, src, dst, work }),
            }
        }
    }

    /// Half spectra from half spectra; the first pass reads the real data in their order.
    ///
    /// # Safety
    /// As [`Pass::complex`], in vectors of reals.
    pub(crate) unsafe fn forward<V: Vector<Scalar = S>>(&self, src: Permuted<S>, dst: *mut V, work: *mut V) {
        // SAFETY: the caller's.
        unsafe {
            match self.kernel {
                Kernel::Radix(radix) if self.inner == 1 => {
                    for_radix!(radix, R => V::enter(First::<V, R> { pass: self, src, dst }))
                }
                Kernel::Radix(radix) => {
                    let src = src.rows.base.cast::<V>().cast_const();
                    for_radix!(radix, R => V::enter(Forward::<V, _, R> { pass: self, src, dst: Half(dst) }))
                }
                _ => V::enter(AnyForward { pass: self, src, dst, work }),
            }
        }
    }

    /// The way back: one half spectrum into r; the last pass writes the real data in their order.
    ///
    /// # Safety
    /// As [`Pass::forward`].
    pub(crate) unsafe fn backward<V: Vector<Scalar = S>>(&self, src: *const V, dst: Permuted<S>, work: *mut V) {
        // SAFETY: the caller's.
        unsafe {
            match self.kernel {
                Kernel::Radix(radix) if self.inner == 1 => {
                    for_radix!(radix, R => V::enter(Last::<V, R> { pass: self, src, dst }))
                }
                Kernel::Radix(radix) => {
                    let (src, dst) = (Half(src.cast_mut()), dst.rows.base.cast::<V>());
                    for_radix!(radix, R => V::enter(Backward::<V, _, R> { pass: self, src, dst }))
                }
                _ => V::enter(AnyBackward { pass: self, src, dst, work }),
            }
        }
    }

    /// Whether a combine may take its results, or give it what it reads, on the way.
    pub(crate) fn can_fuse_combine<V: Vector<Scalar = S>>(&self) -> bool {
        self.groups == 1 && self.inner > 1 && matches!(self.kernel, Kernel::Radix(radix) if has_room::<V>(radix))
    }

    /// As [`Pass::forward`], of a pass that is turnable, to other terms.
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn forward_to<V: Vector<Scalar = S>>(&self, src: *const V, dst: impl Terms<V>) {
        // What is never turned is not compiled for it. SAFETY: the caller's.
        unsafe {
            for_radix!(self.radix(), R => match const { has_room::<V>(R) } {
                true => V::enter(Forward::<V, _, R> { pass: self, src, dst }),
                false => unreachable!("radix {R} is not turnable"),
            })
        }
    }

    /// As [`Pass::backward`], of a pass that is turnable, from other terms.
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn backward_from<V: Vector<Scalar = S>>(&self, src: impl Terms<V>, dst: *mut V) {
        // What is never turned is not compiled for it. SAFETY: the caller's.
        unsafe {
            for_radix!(self.radix(), R => match const { has_room::<V>(R) } {
                true => V::enter(Backward::<V, _, R> { pass: self, src, dst }),
                false => unreachable!("radix {R} is not turnable"),
            })
        }
    }
}

/// Whether registers have room for the four numbers of a combine beside those of a butterfly.
const fn has_room<V: Vector>(radix: usize) -> bool {
    2 * radix + 4 <= V::REGISTERS
}

/// A table entry in every lane.
///
/// # Safety
/// `w` is readable.
#[inline(always)]
unsafe fn splat<V: Vector>(w: *const Complex<V::Scalar>) -> C<V> {
    // SAFETY: the caller's.
    unsafe { C { re: V::splat((*w).re), im: V::splat((*w).im) } }
}

/// No data: what the butterflies overwrite.
#[inline(always)]
fn zero<V: Vector>() -> C<V> {
    C { re: V::lit(0.0), im: V::lit(0.0) }
}

/// Writes term `k` of the half spectrum of length `n` at `x`, given any k < n: beyond n/2 its
/// mirror, conjugated.
///
/// # Safety
/// `x` holds n vectors; `0 < k < n`, `2k ≠ n`.
#[inline(always)]
unsafe fn put<V: Vector>(x: *mut V, n: usize, k: usize, mirror: bool, z: C<V>) {
    // SAFETY: the caller's.
    unsafe {
        let k = if mirror { n - k } else { k };
        *x.add(2 * k - 1) = z.re;
        *x.add(2 * k) = if mirror { -z.im } else { z.im };
    }
}

/// The reverse of [`put`].
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn get<V: Vector>(x: *const V, n: usize, k: usize, mirror: bool) -> C<V> {
    // SAFETY: the caller's.
    unsafe {
        let k = if mirror { n - k } else { k };
        let z = C { re: *x.add(2 * k - 1), im: *x.add(2 * k) };
        if mirror { z.conj() } else { z }
    }
}
