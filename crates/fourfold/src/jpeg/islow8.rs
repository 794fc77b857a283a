//! libjpeg's integer method `islow` for all engines. Constants have 13 fraction bits, sums have 32
//! bits, and values between the passes have two fraction bits.
//!
//! The algorithm is that of Loeffler, Ligtenberg and Moschytz, "Practical fast 1-D DCT algorithms
//! with 11 multiplications" (ICASSP 1989), in the form with 12 products that libjpeg's jidctint.c
//! and jfdctint.c describe. Sums of products are exact, so their order does not matter. Every
//! output is the same sum of inputs times constants as in libjpeg, and is rounded at the same
//! point.
//!
//! Spectra of 8-bit samples always fit 16 bits. For other values, this does the same as
//! libjpeg-turbo's vector instructions: sums of inputs wrap around, and results of a pass saturate.
//! One case depends on the whole block: see [`wrapped8`].

use crate::arithmetic::complex::each;
use std::ops::{Add, Sub};

/// A vector of 16-bit integers. Sums and differences wrap around.
pub trait Words: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// A vector of as many 32-bit integers. Sums and differences wrap around.
    type Wide: Copy + Add<Output = Self::Wide> + Sub<Output = Self::Wide>;

    /// The lower 16 bits of the product.
    fn mul(self, b: Self) -> Self;
    /// self · factor + b · other.
    fn dot(self, factor: i16, b: Self, other: i16) -> Self::Wide;
    /// The vector whose elements all are `value`. Another vector is an argument, since only a vector
    /// shows that the CPU has the instructions.
    fn splat(other: Self::Wide, value: i32) -> Self::Wide;
    /// self · 2^shift.
    fn widen<const SHIFT: i32>(self) -> Self::Wide;
    /// ⌊wide / 2^shift⌋, saturated to 16 bits.
    fn narrow<const SHIFT: i32>(wide: Self::Wide) -> Self;
    /// ⌊(self + bias) / 2^shift⌋.
    fn shift_right<const SHIFT: i32>(self, bias: i16) -> Self;
    /// ⌊⌊(|self| + half) · first / 2^16⌋ · second / 2^16⌋ with the sign of self. The products are
    /// unsigned.
    fn scale(self, half: Self, first: Self, second: Self) -> Self;
}

/// The fraction bits of constants, and those of values between the passes.
const CONSTANT_BITS: i32 = 13;
const PASS_BITS: i32 = 2;

/// A constant with [`CONSTANT_BITS`] fraction bits.
const fn fixed(value: f64) -> i16 {
    (value * (1 << CONSTANT_BITS) as f64 + 0.5) as i16
}

// √2 times cosines and sines of multiples of π/16, and sums of these. The names are those of the
// algorithm.
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

/// Half of the divisor of a right shift, which is added before it for rounding.
const fn half(shift: i32) -> i32 {
    1 << (shift - 1)
}

/// The odd part, which is the same for both directions: four sums of the same products, of a with d
/// and of b with c.
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

/// x · 2^[`CONSTANT_BITS`] plus half of the divisor of a shift by `SHIFT`.
#[inline(always)]
fn widen<W: Words, const SHIFT: i32>(x: W) -> W::Wide {
    let x = x.widen::<CONSTANT_BITS>();
    x + W::splat(x, half(SHIFT))
}

/// x / 2^`SHIFT`, rounded to the nearest integer, if x includes the half of [`widen`].
#[inline(always)]
fn narrow<W: Words, const SHIFT: i32>(x: W::Wide) -> W {
    W::narrow::<SHIFT>(x + W::splat(x, half(SHIFT)))
}

/// A pass of the inverse transform. The results are shifted right by `SHIFT`.
#[inline(always)]
fn idct8<W: Words, const SHIFT: i32>(y: [W; 8]) -> [W; 8] {
    // Every result includes exactly one of these, and with it the half for rounding.
    let (a, b) = (widen::<_, SHIFT>(y[0] + y[4]), widen::<_, SHIFT>(y[0] - y[4]));
    let c = y[2].dot(C_0_541 + C_0_765, y[6], C_0_541);
    let d = y[2].dot(C_0_541, y[6], C_0_541 - C_1_847);
    let even = [a + c, b + d, b - d, a - c];
    let odd = odd([y[7], y[5], y[3], y[1]]);
    each!(n < 8 => if n < 4 { W::narrow::<SHIFT>(even[n] + odd[3 - n]) } else { W::narrow::<SHIFT>(even[7 - n] - odd[n - 4]) })
}

/// The inverse transform along the first axis, of coefficients times the quantisation table.
#[inline(always)]
pub fn idct8_first<W: Words>(y: [W; 8]) -> [W; 8] {
    idct8::<W, { CONSTANT_BITS - PASS_BITS }>(y)
}

/// The first pass of a block in which only the first row of coefficients, times the quantisation
/// table, is not zero. For such blocks, libjpeg-turbo shifts this row by two bits. The shift drops
/// the upper bits, where [`idct8_first`] saturates.
#[inline(always)]
pub fn wrapped8<W: Words>(first: W) -> W {
    let twice = first + first;
    (twice + twice).shift_right::<PASS_BITS>(0)
}

/// The inverse transform along the second axis. The results are samples minus 128.
#[inline(always)]
pub fn idct8_last<W: Words>(y: [W; 8]) -> [W; 8] {
    idct8::<W, { CONSTANT_BITS + PASS_BITS + 3 }>(y)
}

/// A pass of the forward transform. The results are shifted right by `SHIFT`, except terms 0 and 4,
/// which are sums of inputs.
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

/// The arguments of [`Words::scale`] that divide eight times a coefficient by its quantisation
/// value q. The quotient is rounded to the nearest integer, and halves are rounded away from zero.
///
/// They are \[d/2, m, 2^(16−s)\] for d = 8q, where 2^s < d ≤ 2^(s+1) and m = ⌈2^(16+s)/d⌉. Then
/// ⌊n/d⌋ = ⌊m n / 2^(16+s)⌋ for all n < 2^15: the error of m is below 1, so that of the quotient is
/// below n/2^(16+s) < 1/d, as 2^(s+1) ≥ d (Granlund and Montgomery, "Division by invariant integers
/// using multiplication", 1994). Coefficients are below 2^14, so all q above 2^12 give 0.
pub fn divisor(q: u16) -> [u16; 3] {
    let d = 8 * u32::from(q);
    if d > 1 << 15 {
        return [0; 3];
    }
    let s = (d - 1).ilog2();
    [(d / 2) as u16, (1u32 << (16 + s)).div_ceil(d) as u16, 1 << (16 - s)]
}

/// The forward transform along the first axis, of samples minus 128.
#[inline(always)]
pub fn dct8_first<W: Words>(x: [W; 8]) -> [W; 8] {
    let mut y = dct8::<W, { CONSTANT_BITS - PASS_BITS }>(x);
    for k in [0, 4] {
        let twice = y[k] + y[k];
        y[k] = twice + twice; // 2^PASS_BITS times
    }
    y
}

/// The forward transform along the second axis. The results are eight times the coefficients.
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
            // These are all values that a block of bytes can have. A quotient changes only at odd
            // multiples of d/2.
            let d = 8 * u32::from(q);
            for n in (0..=1 << 13).step_by(if q < 64 { 1 } else { 4 }) {
                assert_eq!(quotient(n), (n + d / 2) / d, "{n} / {d}");
            }
        }
    }
}
