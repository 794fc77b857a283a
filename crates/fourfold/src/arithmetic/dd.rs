//! Double-double arithmetic: a number as the unevaluated sum of two `f64`, about 106 bits.
//!
//! The error-free transformations are those of Dekker, "A floating-point technique for extending
//! the available precision", Numer. Math. 18 (1971). Where the compiler may not assume FMA, factors
//! are split into halves, because `f64::mul_add` is then a library call, which is 30 times slower.
//! Splitting needs magnitudes below 2^996.

use std::ops::{Add, Mul, Neg, Sub};

use num_complex::Complex;

/// The number `hi + lo`, with |lo| at most half a unit in the last place of `hi`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dd {
    /// The number rounded to `f64`.
    pub hi: f64,
    /// The rounding error: the number minus `hi`.
    pub lo: f64,
}

/// a + b = s + e exactly, where s = fl(a + b).
#[inline(always)]
pub(crate) const fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let v = s - a;
    (s, (a - (s - v)) + (b - v))
}

/// As [`two_sum`], given |a| ≥ |b| or a = 0.
#[inline(always)]
const fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

/// a = high + low with 26 bits in each part, so that products of parts are exact.
#[inline(always)]
const fn split(a: f64) -> (f64, f64) {
    const VELTKAMP: f64 = ((1u64 << 27) + 1) as f64;
    let t = VELTKAMP * a;
    let high = t - (t - a);
    (high, a - high)
}

/// a · b = p + e exactly, where p = fl(a · b).
#[inline(always)]
pub(crate) const fn two_prod(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let (ah, al) = split(a);
    let (bh, bl) = split(b);
    (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
}

/// As [`two_prod`], in two operations where the compiler may assume FMA; in constants it may not.
#[inline(always)]
pub(crate) fn fused_two_prod(a: f64, b: f64) -> (f64, f64) {
    if !cfg!(target_feature = "fma") {
        return two_prod(a, b);
    }
    let p = a * b;
    (p, a.mul_add(b, -p))
}

impl Dd {
    /// The sum of a larger and a smaller number, normalised.
    #[inline(always)]
    pub(crate) const fn renormalised(hi: f64, lo: f64) -> Dd {
        let (hi, lo) = fast_two_sum(hi, lo);
        Dd { hi, lo }
    }

    /// The quotient by a nonzero `f64`.
    pub(crate) const fn over(self, divisor: f64) -> Dd {
        let quotient = self.hi / divisor;
        let (p, e) = two_prod(quotient, divisor);
        Dd::renormalised(quotient, ((self.hi - p) - e + self.lo) / divisor)
    }

    /// `num / den` for integers below 2^53.
    pub(crate) fn ratio(num: u64, den: u64) -> Dd {
        Dd::from(num as f64).over(den as f64)
    }

    /// The square root of a positive number, by one Newton step from that of `hi`.
    pub(crate) fn sqrt(self) -> Dd {
        let root = self.hi.sqrt();
        let (p, e) = two_prod(root, root);
        Dd::renormalised(root, ((self.hi - p) - e + self.lo) / (2.0 * root))
    }

    /// The square.
    pub(crate) fn square(self) -> Dd {
        self * self
    }
}

impl From<f64> for Dd {
    #[inline(always)]
    fn from(hi: f64) -> Dd {
        Dd { hi, lo: 0.0 }
    }
}

impl From<Dd> for f64 {
    #[inline(always)]
    fn from(x: Dd) -> f64 {
        x.hi + x.lo
    }
}

impl Add for Dd {
    type Output = Dd;

    #[inline(always)]
    fn add(self, other: Dd) -> Dd {
        let (s, e) = two_sum(self.hi, other.hi);
        let (t, f) = two_sum(self.lo, other.lo);
        let (s, e) = fast_two_sum(s, e + t);
        Dd::renormalised(s, e + f)
    }
}

impl Neg for Dd {
    type Output = Dd;

    #[inline(always)]
    fn neg(self) -> Dd {
        Dd { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Dd {
    type Output = Dd;

    #[inline(always)]
    fn sub(self, other: Dd) -> Dd {
        self + -other
    }
}

impl Mul for Dd {
    type Output = Dd;

    #[inline(always)]
    fn mul(self, other: Dd) -> Dd {
        let (p, e) = two_prod(self.hi, other.hi);
        Dd::renormalised(p, e + (self.hi * other.lo + self.lo * other.hi))
    }
}

impl Mul<f64> for Dd {
    type Output = Dd;

    #[inline(always)]
    fn mul(self, factor: f64) -> Dd {
        let (p, e) = two_prod(self.hi, factor);
        Dd::renormalised(p, e + self.lo * factor)
    }
}

/// a · b + c · d, with an error relative to |a b| + |c d|.
#[inline(always)]
fn sum_of_products(a: Dd, b: Dd, c: Dd, d: Dd) -> Dd {
    let (p, e) = fused_two_prod(a.hi, b.hi);
    let (q, f) = fused_two_prod(c.hi, d.hi);
    let (s, t) = two_sum(p, q);
    let cross = (a.hi * b.lo + a.lo * b.hi) + (c.hi * d.lo + c.lo * d.hi);
    Dd::renormalised(s, t + ((e + f) + cross))
}

/// The complex product; the error is relative to |a| |b|.
#[inline(always)]
pub(crate) fn complex_product(a: Complex<Dd>, b: Complex<Dd>) -> Complex<Dd> {
    Complex { re: sum_of_products(a.re, b.re, -a.im, b.im), im: sum_of_products(a.re, b.im, a.im, b.re) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ComplexVector whose low parts matter, from a multiplicative generator.
    fn samples() -> Vec<Dd> {
        let next = |s: &u64| Some(s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));
        let unit = |s: u64| (s >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        let raw: Vec<f64> = std::iter::successors(Some(7), next).take(200).map(unit).collect();
        raw.chunks(2).map(|c| Dd::renormalised(c[0], c[1] * c[0] * 2f64.powi(-54))).collect()
    }

    fn assert_close(got: Dd, want: Dd) {
        let error = f64::from(got - want).abs();
        assert!(error <= 1e-31 * want.hi.abs().max(1e-300), "{got:?} is not {want:?}");
    }

    #[test]
    fn error_free_transformations_lose_nothing() {
        assert_eq!(two_sum(1.0, 2f64.powi(-80)), (1.0, 2f64.powi(-80)));
        let x = 1.0 + 2f64.powi(-40);
        assert_eq!(two_prod(x, x), (1.0 + 2f64.powi(-39), 2f64.powi(-80)));
        assert_eq!(fused_two_prod(x, x), two_prod(x, x));
    }

    #[test]
    fn inverse_operations_undo() {
        for pair in samples().windows(2) {
            let (a, b) = (pair[0], pair[1]);
            assert!(f64::from((a + b) - b - a).abs() <= 1e-31);
            assert_close(Dd { hi: a.hi.abs(), lo: a.lo * a.hi.signum() }.sqrt().square(), a * Dd::from(a.hi.signum()));
            assert_close(a.over(b.hi) * b.hi, a);
            assert_close(a * b.hi, a * Dd::from(b.hi));
        }
    }

    #[test]
    fn products_distribute() {
        for t in samples().windows(3) {
            assert!(f64::from((t[0] + t[1]) * t[2] - (t[0] * t[2] + t[1] * t[2])).abs() <= 2e-31);
        }
    }

    #[test]
    fn known_digits_come_out() {
        // √2 = 1.4142135623730950488016887242096980785696718753769…: the remainder after its f64 is
        // −9.6672933134529135e-17.
        assert_close(Dd::from(2.0).sqrt(), Dd { hi: std::f64::consts::SQRT_2, lo: -9.667_293_313_452_913e-17 });
        // 1/3 = 0.0101…b leaves a third of 2^-54 beyond its 54th digit.
        assert_eq!(Dd::ratio(1, 3), Dd { hi: 1.0 / 3.0, lo: 2f64.powi(-54) / 3.0 });
        let i = Complex { re: Dd::from(0.0), im: Dd::from(1.0) };
        assert_eq!(complex_product(i, i), Complex { re: Dd::from(-1.0), im: Dd::from(0.0) });
    }
}
