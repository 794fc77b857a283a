//! Roots of unity for all trigonometric tables, with an error of at most 0.501 units in the last
//! place.
//!
//! A root of unity is computed in three steps. Integer arithmetic reduces the angle to the first
//! octant, so that 0, ±1 and √½ are exact and symmetric roots have the same bits. There the root is
//! the product of two entries of a coarse and a fine table, both in double-double arithmetic. The
//! entries are Taylor series of the sine. Only the terms above 2^-53 of the sum need double-double
//! arithmetic.

use num_complex::Complex;

use crate::arithmetic::dd::{Dd, complex_product};

/// π/4.
const QUARTER_PI: Dd = Dd { hi: std::f64::consts::FRAC_PI_4, lo: 3.061_616_997_868_383e-17 };

/// The number of terms of the sine's series. At π/4, the first omitted term is 1e-34 of the sum.
const TERMS: usize = 14;

/// The number of terms in double-double arithmetic. The later ones together are below 2^-53 of the
/// sum.
const LONG_TERMS: usize = 9;

/// (−1)^m / (2m + 1)!.
const SINE_SERIES: [Dd; TERMS] = {
    let mut series = [Dd { hi: 1.0, lo: 0.0 }; TERMS];
    let mut m = 1;
    while m < TERMS {
        series[m] = series[m - 1].over(-((2 * m * (2 * m + 1)) as f64));
        m += 1;
    }
    series
};

/// exp(i π/4 · num/den) for num ≤ den < 2^53. The relative error of each part is about 1e-32.
fn first_octant(num: u64, den: u64) -> Complex<Dd> {
    let angle = QUARTER_PI * Dd::ratio(num, den);
    let square = angle.square();
    let (long, short) = SINE_SERIES.split_at(LONG_TERMS);
    let tail = short.iter().rev().fold(0.0, |sum, term| sum * square.hi + term.hi);
    let series = long.iter().rev().fold(Dd::from(tail), |sum, &term| sum * square + term);
    let sine = angle * series;
    Complex { re: (Dd::from(1.0) - sine.square()).sqrt(), im: sine }
}

/// The roots of unity of one order, n: exp(−2πi k/n) for any k, from two tables of about √(n/8)
/// entries each.
#[derive(Clone, Debug)]
pub struct Roots {
    order: u64,
    /// The steps of the tables for one step of k: 8/gcd(8, n).
    steps: u64,
    /// The steps of the tables in an octant.
    octant: u64,
    /// The coarse table has every 2^shift-th step.
    shift: u32,
    coarse: Vec<Complex<Dd>>,
    fine: Vec<Complex<Dd>>,
}

impl Roots {
    /// Prepares the roots of order `n`, from 1 to 2^53.
    pub fn new(n: u64) -> Roots {
        debug_assert!((1..=1 << 53).contains(&n));
        let common = 1 << n.trailing_zeros().min(3);
        let octant = n / common;
        let shift = octant.ilog2().div_ceil(2);
        let fine = (0..1 << shift).map(|j| first_octant(j, octant)).collect();
        let coarse = (0..=octant >> shift).map(|j| first_octant(j << shift, octant)).collect();
        Roots { order: n, steps: 8 / common, octant, shift, coarse, fine }
    }

    /// exp(−2πi k/n), each part within 0.501 units in the last place. This also holds in `f32`
    /// after rounding to it.
    pub fn get(&self, k: u64) -> Complex<f64> {
        let root = self.get_dd(k);
        Complex { re: root.re.hi, im: root.im.hi }
    }

    /// exp(−2πi k/n), each part with a relative error below 1e-31.
    pub(crate) fn get_dd(&self, k: u64) -> Complex<Dd> {
        let k = if k < self.order { k } else { k % self.order };
        let (at, below) = fold(k * self.steps, 4 * self.octant);
        let (at, left) = fold(at, 2 * self.octant);
        let (at, steep) = fold(at, self.octant);
        let coarse = self.coarse[(at >> self.shift) as usize];
        let fine = self.fine[(at & ((1 << self.shift) - 1)) as usize];
        let Complex { re, im } = complex_product(coarse, fine);
        let (re, im) = if steep { (im, re) } else { (re, im) };
        Complex { re: if left { -re } else { re }, im: if below || im.hi == 0.0 { im } else { -im } }
    }
}

/// Reflects `at` at `half` if it is greater. The flag says whether it was.
fn fold(at: u64, half: u64) -> (u64, bool) {
    if at > half { (2 * half - at, true) } else { (at, false) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// n, k, and exp(−2πi k/n) as (hi, lo) pairs, by mpmath; tests/data/make_roots.py writes it.
    const REFERENCE: &str = include_str!("../../tests/data/roots.txt");

    #[test]
    fn roots_agree_with_mpmath() {
        let lines: Vec<&str> = REFERENCE.lines().filter(|l| !l.starts_with('#')).collect();
        assert!(lines.len() >= 200);
        for line in lines {
            let f: Vec<&str> = line.split(' ').collect();
            let real = |i: usize| -> f64 { f[i].parse().unwrap() };
            let root = Roots::new(f[0].parse().unwrap()).get_dd(f[1].parse().unwrap());
            for (got, want) in [(root.re, Dd { hi: real(2), lo: real(3) }), (root.im, Dd { hi: real(4), lo: real(5) })]
            {
                assert!(f64::from(got - want).abs() <= 1e-31 * want.hi.abs(), "{line}: {got:?}");
                assert_eq!(got.hi, want.hi, "{line}: not the nearest f64");
            }
        }
    }

    #[test]
    fn special_angles_are_exact() {
        for n in 1..=96 {
            let roots = Roots::new(n);
            assert_eq!(roots.get(0), Complex { re: 1.0, im: 0.0 });
            let half = std::f64::consts::FRAC_1_SQRT_2;
            for (part, re, im) in [(2, -1.0, 0.0), (4, 0.0, -1.0), (8, half, -half), (6, 0.5, -f64::sqrt(0.75))] {
                if n % part == 0 {
                    assert_eq!(roots.get(n / part), Complex { re, im }, "{n}");
                }
            }
        }
    }

    #[test]
    fn no_zero_is_negative() {
        for (n, k) in [(4, 0), (4, 1), (4, 2), (4, 3)] {
            let root = Roots::new(n).get(k);
            assert!([root.re, root.im].iter().all(|x| *x != 0.0 || x.is_sign_positive()), "{n} {k}");
        }
    }

    #[test]
    fn roots_are_periodic_and_symmetric() {
        for n in [1, 2, 3, 7, 12, 16, 100, 1001, 1 << 20] {
            let roots = Roots::new(n);
            for k in (0..n).step_by(1 + n as usize / 50) {
                assert_eq!(roots.get(k), roots.get(k + 3 * n));
                assert_eq!(roots.get(k).conj(), roots.get(n - k));
            }
        }
    }

    #[test]
    fn roots_have_modulus_one() {
        for n in [5, 24, 360, 1023, 65536, 1_000_003] {
            let roots = Roots::new(n);
            for k in (0..n).step_by(1 + n as usize / 500) {
                let root = roots.get_dd(k);
                assert!(f64::from(root.re.square() + root.im.square() - Dd::from(1.0)).abs() < 1e-31, "{n} {k}");
            }
        }
    }
}
