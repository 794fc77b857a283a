//! The DCT-II and DCT-III of eight points, for all engines.
//!
//! The DCT-II of eight points is the real part of the DFT of the even extension to sixteen points,
//! up to one factor for each output. A caller that multiplies the outputs anyway, for example by a
//! quantisation table, includes these factors there. Then 5 products and 29 sums remain. Without
//! this, at least 11 products are necessary (Loeffler, Ligtenberg and Moschytz, 1989). Each
//! function is the transposed flow graph of the other.
//!
//! Source: Arai, Agui and Nakajima, "A fast DCT-SQ scheme for images", Transactions of the IEICE
//! E71 (1988).

use crate::arithmetic::real::Real;

/// The factors s_k = cos(πk/16)/2, with s_0 = 1/√8. With the orthonormal DCT-II Y of x, [`dct8`]
/// computes 8 s_k Y_k from x, and [`idct8`] computes x from s_k Y_k.
pub const SCALES: [f64; 8] = [
    0.3535533905932738,
    0.4903926402016152,
    0.46193976625564337,
    0.4157348061512726,
    0.3535533905932738,
    0.2777851165098011,
    0.1913417161825449,
    0.09754516100806414,
];

/// cos(π/4), sin(π/8), cos(π/8) − sin(π/8) and cos(π/8) + sin(π/8).
const COS: f64 = std::f64::consts::FRAC_1_SQRT_2;
const SIN: f64 = 0.3826834323650898;
const DIFFERENCE: f64 = 0.541196100146197;
const SUM: f64 = 1.3065629648763766;

/// y_k = 8 s_k Y_k, where Y is the orthonormal DCT-II of x and s is [`SCALES`].
#[inline(always)]
pub fn dct8<T: Real>(x: [T; 8]) -> [T; 8] {
    let (s, d) =
        ([x[0] + x[7], x[1] + x[6], x[2] + x[5], x[3] + x[4]], [x[0] - x[7], x[1] - x[6], x[2] - x[5], x[3] - x[4]]);
    // The even terms are a DCT-II of four points.
    let (a, b, c, e) = (s[0] + s[3], s[1] + s[2], s[1] - s[2], s[0] - s[3]);
    let t = (c + e) * c.constant(COS);
    // The odd terms are a rotation by π/8 and one by π/4.
    let (p, q, r) = (d[3] + d[2], d[2] + d[1], d[1] + d[0]);
    let both = (p - r) * p.constant(SIN);
    let (u, v) = (p.mul_add(p.constant(DIFFERENCE), both), r.mul_add(r.constant(SUM), both));
    let w = q * q.constant(COS);
    let (f, g) = (d[0] + w, d[0] - w);
    [a + b, f + v, e + t, g - u, a - b, g + u, e - t, f - v]
}

/// The signal x from y_k = s_k Y_k, where Y is the orthonormal DCT-II of x and s is [`SCALES`].
#[inline(always)]
pub fn idct8<T: Real>(y: [T; 8]) -> [T; 8] {
    let (sqrt_2, twice_cos) = (y[0].constant(2.0 * COS), y[0].constant(SUM + DIFFERENCE));
    // The even terms are a DCT-III of four points.
    let (a, b) = (y[0] + y[4], y[0] - y[4]);
    let c = y[2] + y[6];
    let d = (y[2] - y[6]).mul_sub(sqrt_2, c);
    let even = [a + c, b + d, b - d, a - c];
    // The odd terms are a rotation by π/8 and one by π/4.
    let (p, q, r, s) = (y[5] + y[3], y[5] - y[3], y[1] + y[7], y[1] - y[7]);
    let e = r + p;
    let both = (q + s) * twice_cos;
    let f = q.mul_sub(q.constant(-2.0 * SUM), e) + both;
    let g = (r - p).mul_sub(sqrt_2, f);
    let h = s.mul_sub(s.constant(-2.0 * DIFFERENCE), g) + both;
    [even[0] + e, even[1] + f, even[2] + g, even[3] + h, even[3] - h, even[2] - g, even[1] - f, even[0] - e]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// The orthonormal DCT-II's matrix.
    fn basis(k: usize, n: usize) -> f64 {
        let scale = if k == 0 { 0.125f64.sqrt() } else { 0.5 };
        scale * (PI * (k * (2 * n + 1)) as f64 / 16.0).cos()
    }

    #[test]
    fn unit_vectors_give_the_definition() {
        // Values are below 2, and go through a dozen roundings at most.
        const BOUND: f64 = 12.0 * f64::EPSILON;
        for at in 0..8 {
            let unit: [f64; 8] = std::array::from_fn(|i| f64::from(i == at));
            let (y, x) = (dct8(unit), idct8(unit));
            for i in 0..8 {
                assert!((y[i] - 8.0 * SCALES[i] * basis(i, at)).abs() < BOUND, "dct8 {at} {i}: {}", y[i]);
                assert!((x[i] * SCALES[at] - basis(at, i)).abs() < BOUND, "idct8 {at} {i}: {}", x[i]);
            }
        }
    }
}
