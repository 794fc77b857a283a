//! What the passes share: their tables, and how they read and write numbers.

use crate::arithmetic::complex::C;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Vector;
use num_complex::Complex;

/// A pass without its kernel: `groups` · r sequences of length `inner` become `groups` of length
/// r · `inner`.
pub(crate) struct Steps<S> {
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

pub(crate) use for_radix;

/// A distance that the compiler does not see through: it would keep a pointer for each input of a
/// butterfly, 32 of them on the stack, and move them all in every turn of the loop (see
/// docs/performance/log.md, "numbers side by side").
#[inline(always)]
pub(crate) fn opaque(step: usize) -> usize {
    std::hint::black_box(step)
}

/// A table entry in every lane.
///
/// # Safety
/// `w` is readable.
#[inline(always)]
pub(crate) unsafe fn splat<V: Vector>(w: Ptr<Complex<V::Scalar>>) -> C<V> {
    // SAFETY: the caller's.
    unsafe { C { re: V::splat(w.read().re), im: V::splat(w.read().im) } }
}

/// No data: what the butterflies overwrite.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn zero<V: Vector>() -> C<V> {
    // SAFETY: the caller's.
    unsafe { C { re: V::zero(), im: V::zero() } }
}

/// Writes term `k` of the half spectrum of length `n` at `x`, given any k < n: beyond n/2 its
/// mirror, conjugated.
///
/// # Safety
/// `x` holds n vectors; `0 < k < n`, `2k ≠ n`.
#[inline(always)]
pub(crate) unsafe fn put<V: Vector>(x: Ptr<V>, n: usize, k: usize, mirror: bool, z: C<V>) {
    // SAFETY: the caller's.
    unsafe {
        let k = if mirror { n - k } else { k };
        x.add(2 * k - 1).write(z.re);
        x.add(2 * k).write(if mirror { -z.im } else { z.im });
    }
}

/// The reverse of [`put`].
///
/// # Safety
/// As there.
#[inline(always)]
pub(crate) unsafe fn get<V: Vector>(x: Ptr<V>, n: usize, k: usize, mirror: bool) -> C<V> {
    // SAFETY: the caller's.
    unsafe {
        let k = if mirror { n - k } else { k };
        let z = C { re: x.add(2 * k - 1).read(), im: x.add(2 * k).read() };
        if mirror { z.conj() } else { z }
    }
}
