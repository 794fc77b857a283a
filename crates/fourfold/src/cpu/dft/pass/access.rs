//! The tables of passes, and functions that read and write numbers.

use crate::arithmetic::complex::C;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Vector;
use num_complex::Complex;

/// A pass without its kernel. It makes `groups` sequences of length r · `inner` from `groups` · r
/// sequences of length `inner`.
pub(crate) struct Steps<S> {
    pub(crate) groups: usize,
    pub(crate) inner: usize,
    /// w_{r·inner}^{jk} at \[(k−1)(r−1) + j−1\], for 1 ≤ j < r and 1 ≤ k < inner. For real data, k
    /// ≤ inner/2.
    pub(crate) twiddles: Vec<Complex<S>>,
}

/// Evaluates `$body` with the constant `$r` equal to `$radix`.
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

pub(crate) use for_radix;

/// A distance whose origin is hidden from the compiler. Otherwise, the compiler keeps one pointer
/// for each input of a butterfly, 32 of them on the stack, and increments all in every iteration
/// (see docs/performance/log.md, "numbers side by side").
#[inline(always)]
pub(crate) fn opaque(step: usize) -> usize {
    std::hint::black_box(step)
}

/// Loads a table entry into every lane.
///
/// # Safety
/// `w` is readable.
#[inline(always)]
pub(crate) unsafe fn splat<V: Vector>(w: Ptr<Complex<V::Scalar>>) -> C<V> {
    // SAFETY: the caller guarantees it.
    unsafe { C { re: V::splat(w.read().re), im: V::splat(w.read().im) } }
}

/// The number 0, as the initial value of arrays.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn zero<V: Vector>() -> C<V> {
    // SAFETY: the caller guarantees it.
    unsafe { C { re: V::zero(), im: V::zero() } }
}

/// Writes term `k` < n of the half spectrum of length `n` at `x`. If `mirror`, writes the conjugate
/// as term n − k.
///
/// # Safety
/// `x` has n vectors, `0 < k < n`, and `2k ≠ n`.
#[inline(always)]
pub(crate) unsafe fn put<V: Vector>(x: Ptr<V>, n: usize, k: usize, mirror: bool, z: C<V>) {
    // SAFETY: the caller guarantees it.
    unsafe {
        let k = if mirror { n - k } else { k };
        x.add(2 * k - 1).write(z.re);
        x.add(2 * k).write(if mirror { -z.im } else { z.im });
    }
}

/// Reads term `k` of a half spectrum: see [`put`].
///
/// # Safety
/// As for [`put`].
#[inline(always)]
pub(crate) unsafe fn get<V: Vector>(x: Ptr<V>, n: usize, k: usize, mirror: bool) -> C<V> {
    // SAFETY: the caller guarantees it.
    unsafe {
        let k = if mirror { n - k } else { k };
        let z = C { re: x.add(2 * k - 1).read(), im: x.add(2 * k).read() };
        if mirror { z.conj() } else { z }
    }
}
