//! libjpeg's integer method, "islow", written once for every engine: 13-bit constants, 32-bit sums,
//! two fraction bits between the passes.
//!
//! Loeffler, Ligtenberg and Moschytz, "Practical fast 1-D DCT algorithms with 11 multiplications"
//! (ICASSP 1989), in the form with 12 products that libjpeg's jidctint.c and jfdctint.c describe.
//! Sums of products are exact here, so that they may be taken in another order: every output is the
//! same sum of inputs times constants, rounded where libjpeg rounds. Where values do not fit 16
//! bits, which happens to no spectrum of samples of 8 bits, this does as libjpeg-turbo's vector
//! instructions do: sums of inputs wrap around, results of a pass saturate. One thing is a matter
//! of blocks, not of lines: what [`wrapped8`] is for.

use crate::arithmetic::complex::each;
use std::ops::{Add, Sub};

/// 16-bit integers, of which a value of this type may have any number side by side. Sums and
/// differences wrap around.
pub trait Words: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// 32 bits for each. Sums and differences wrap around.
    type Wide: Copy + Add<Output = Self::Wide> + Sub<Output = Self::Wide>;

    /// The lower half of the product.
    fn mul(self, b: Self) -> Self;
    /// self · factor + b · other.
    fn dot(self, factor: i16, b: Self, other: i16) -> Self::Wide;
    /// The same value everywhere.
    fn splat(value: i32) -> Self::Wide;
    /// self · 2^shift.
    fn widen<const SHIFT: i32>(self) -> Self::Wide;
    /// ⌊wide / 2^shift⌋, or the nearest 16-bit integer.
    fn narrow<const SHIFT: i32>(wide: Self::Wide) -> Self;
    /// ⌊(self + bias) / 2^shift⌋.
    fn shift_right<const SHIFT: i32>(self, bias: i16) -> Self;
    /// (|self| + half) · first / 2^16 · second / 2^16 with the sign of self; all products rounded
    /// down, without signs.
    fn scale(self, half: Self, first: Self, second: Self) -> Self;
}

/// Fraction bits of constants, and those that values have between the passes.
const CONSTANT_BITS: i32 = 13;
const PASS_BITS: i32 = 2;

/// A constant to [`CONSTANT_BITS`].
const fn fixed(value: f64) -> i16 {
    (value * (1 << CONSTANT_BITS) as f64 + 0.5) as i16
}

// √2 times cosines and sines of multiples of π/16, and sums of such, as the algorithm names them.
const C_0_298: i16 = fixed(0.298631336);
const C_0_390: i16 = fixed(0.390180644);
const C_0_541: i16 = fixed(0.541196100);
const C_0_765: i16 = fixed(0.765366865);
const C_0_899: i16 = fixed(0.899976223);
const C_1_175: i16 = fixed(1.175875602);
const C_1_501: i16 = fixed(1.501321110);
const C_1_847: i16 = fixed(1.847759065);
const C_1_961: i16 = fixed(1.961570560);
const C_2_053: i16 = fixed(2.053119869);
const C_2_562: i16 = fixed(2.562915447);
const C_3_072: i16 = fixed(3.072711026);

/// Half of what a shift by so many places drops.
const fn half(shift: i32) -> i32 {
    1 << (shift - 1)
}

/// The odd part: four sums of the same products in both directions, a with d and b with c.
#[inline(always)]
fn odd<W: Words>([a, b, c, d]: [W; 4]) -> [W::Wide; 4] {
    let (e, f) = (a + c, b + d);
    let ac = e.dot(C_1_175 - C_1_961, f, C_1_175);
    let bd = e.dot(C_1_175, f, C_1_175 - C_0_390);
    [
        a.dot(C_0_298 - C_0_899, d, -C_0_899) + ac,
        b.dot(C_2_053 - C_2_562, c, -C_2_562) + bd,
        b.dot(-C_2_562, c, C_3_072 - C_2_562) + ac,
        a.dot(-C_0_899, d, C_1_501 - C_0_899) + bd,
    ]
}

/// x · 2^[`CONSTANT_BITS`], and half of what a shift by `SHIFT` drops.
#[inline(always)]
fn widen<W: Words, const SHIFT: i32>(x: W) -> W::Wide {
    x.widen::<CONSTANT_BITS>() + W::splat(half(SHIFT))
}

/// x / 2^`SHIFT`, to the nearest.
#[inline(always)]
fn narrow<W: Words, const SHIFT: i32>(x: W::Wide) -> W {
    W::narrow::<SHIFT>(x + W::splat(half(SHIFT)))
}

/// A pass of the inverse, whose results lose `SHIFT` places.
#[inline(always)]
fn idct8<W: Words, const SHIFT: i32>(y: [W; 8]) -> [W; 8] {
    // Every result has one of these in it, and so the half that rounds.
    let (a, b) = (widen::<_, SHIFT>(y[0] + y[4]), widen::<_, SHIFT>(y[0] - y[4]));
    let c = y[2].dot(C_0_541 + C_0_765, y[6], C_0_541);
    let d = y[2].dot(C_0_541, y[6], C_0_541 - C_1_847);
    let even = [a + c, b + d, b - d, a - c];
    let odd = odd([y[7], y[5], y[3], y[1]]);
    each!(n < 8 => if n < 4 { W::narrow::<SHIFT>(even[n] + odd[3 - n]) } else { W::narrow::<SHIFT>(even[7 - n] - odd[n - 4]) })
}

/// The inverse along the first axis, of coefficients times the quantisation table.
#[inline(always)]
pub fn idct8_first<W: Words>(y: [W; 8]) -> [W; 8] {
    idct8::<W, { CONSTANT_BITS - PASS_BITS }>(y)
}

/// Coefficients of the first row, times the quantisation table, in a block whose other rows are
/// zero: libjpeg-turbo takes the first pass of it as a shift by two places, which drops the upper
/// bits where [`idct8_first`] saturates.
#[inline(always)]
pub fn wrapped8<W: Words>(first: W) -> W {
    let twice = first + first;
    (twice + twice).shift_right::<PASS_BITS>(0)
}

/// The inverse along the second axis: samples less 128.
#[inline(always)]
pub fn idct8_last<W: Words>(y: [W; 8]) -> [W; 8] {
    idct8::<W, { CONSTANT_BITS + PASS_BITS + 3 }>(y)
}

/// A pass of the forward transform, whose results lose `SHIFT` places, but for terms 0 and 4: these
/// stay sums of inputs.
#[inline(always)]
fn dct8<W: Words, const SHIFT: i32>(x: [W; 8]) -> [W; 8] {
    let sum = each!(n < 4 => x[n] + x[7 - n]);
    let (a, b, c, d) = (sum[0] + sum[3], sum[1] + sum[2], sum[1] - sum[2], sum[0] - sum[3]);
    let [seven, five, three, one] = odd([x[3] - x[4], x[2] - x[5], x[1] - x[6], x[0] - x[7]]);
    [
        a + b,
        narrow::<_, SHIFT>(one),
        narrow::<_, SHIFT>(d.dot(C_0_541 + C_0_765, c, C_0_541)),
        narrow::<_, SHIFT>(three),
        a - b,
        narrow::<_, SHIFT>(five),
        narrow::<_, SHIFT>(d.dot(C_0_541, c, C_0_541 - C_1_847)),
        narrow::<_, SHIFT>(seven),
    ]
}

/// What divides eight times a coefficient by its quantisation value q, to the nearest, halves away
/// from zero, by [`Words::scale`]: \[d/2, m, 2^(16−s)\] for d = 8q, where ⌊n/d⌋ = ⌊m n / 2^(16+s)⌋
/// for all n < 2^15, with 2^s < d ≤ 2^(s+1) and m = ⌈2^(16+s)/d⌉: the error of m is below 1, that
/// of the quotient below n/2^(16+s) < 1/d, as 2^(s+1) ≥ d. (Granlund and Montgomery, "Division by
/// invariant integers using multiplication", 1994.) Coefficients are below 2^14, so that those over
/// 2^12 quantise all to 0.
pub fn divisor(q: u16) -> [u16; 3] {
    let d = 8 * u32::from(q);
    if d > 1 << 15 {
        return [0; 3];
    }
    let s = (d - 1).ilog2();
    [(d / 2) as u16, (1u32 << (16 + s)).div_ceil(d) as u16, 1 << (16 - s)]
}

/// The forward transform along the first axis, of samples less 128.
#[inline(always)]
pub fn dct8_first<W: Words>(x: [W; 8]) -> [W; 8] {
    let mut y = dct8::<W, { CONSTANT_BITS - PASS_BITS }>(x);
    for k in [0, 4] {
        let twice = y[k] + y[k];
        y[k] = twice + twice; // 2^PASS_BITS times
    }
    y
}

/// The forward transform along the second axis: eight times the coefficients.
#[inline(always)]
pub fn dct8_last<W: Words>(x: [W; 8]) -> [W; 8] {
    let mut y = dct8::<W, { CONSTANT_BITS + PASS_BITS }>(x);
    for k in [0, 4] {
        y[k] = y[k].shift_right::<PASS_BITS>(half(PASS_BITS) as i16);
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_exact() {
        for q in 1..=u16::MAX {
            let [half, first, second] = divisor(q).map(u32::from);
            let quotient = |n: u32| ((((n + half) * first) >> 16) * second) >> 16;
            // All that a block of bytes can give; a quotient changes at odd multiples of d/2 only.
            let d = 8 * u32::from(q);
            for n in (0..=1 << 13).step_by(if q < 64 { 1 } else { 4 }) {
                assert_eq!(quotient(n), (n + d / 2) / d, "{n} / {d}");
            }
        }
    }
}
