//! Inverse transforms of eight points with more products than `idct8`, as the ladder has them.

use fourfold::engine::Real;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// α_k cos(πk(2n+1)/16).
pub(crate) fn wave(k: usize, n: usize) -> f64 {
    let scale = if k == 0 { 0.125f64.sqrt() } else { 0.5 };
    scale * (PI * (k * (2 * n + 1)) as f64 / 16.0).cos()
}

/// Σ of terms times √8 the waves at sample n.
fn sum<T: Real, const COUNT: usize>(terms: [(usize, T); COUNT], n: usize) -> T {
    let factor = |k: usize, y: T| y.constant(8f64.sqrt() * wave(k, n));
    let [(first, y), rest @ ..] = &terms[..] else { unreachable!("there are terms") };
    rest.iter().fold(*y * factor(*first, *y), |sum, &(k, y)| y.mul_add(factor(k, y), sum))
}

/// √8 times the inverse, by even and odd terms: x_n and x_{7−n} are the sum and the difference of
/// what these give, even terms are sums and differences of y_0 ± y_4 and two products, odd ones
/// four products. (Sung, Shieh, Yu and Hsin, "High-efficiency and low-power architectures for 2-D
/// DCT and IDCT based on CORDIC rotation", 2006.)
pub(crate) fn decomposed<T: Real>(y: [T; 8]) -> [T; 8] {
    let (a, b) = (y[0] + y[4], y[0] - y[4]);
    let [c, d] = [0, 1].map(|n| sum([(2, y[2]), (6, y[6])], n));
    let even = [a + c, b + d, b - d, a - c];
    let odd = [0, 1, 2, 3].map(|n| sum([(1, y[1]), (3, y[3]), (5, y[5]), (7, y[7])], n));
    std::array::from_fn(|n| if n < 4 { even[n] + odd[n] } else { even[7 - n] - odd[7 - n] })
}

/// Half of (x cos θ + y sin θ, x sin θ − y cos θ), the second from the first: sin θ = tan θ cos θ,
/// and cos θ + sin θ tan θ = 1/cos θ.
fn rotated<T: Real>(x: T, y: T, angle: f64) -> [T; 2] {
    let (sin, cos) = angle.sin_cos();
    let first = y.mul_add(y.constant(sin / 2.0), x * x.constant(cos / 2.0));
    [first, first.mul_sub(y.constant(sin / cos), y * y.constant(0.5 / cos))]
}

/// The inverse by lifting: three rotations, and one by π/4 as three steps that each add to one of
/// two numbers a multiple of the other. (Liang and Tran, "Fast multiplierless approximations of the
/// DCT with the lifting scheme", 2001.)
pub(crate) fn lifted<T: Real>(y: [T; 8]) -> [T; 8] {
    let b = (y[0] - y[4]) * y[0].constant(FRAC_1_SQRT_2 / 2.0);
    let a = y[0].mul_sub(b.constant(FRAC_1_SQRT_2), b);
    let [c, d] = rotated(y[2], y[6], PI / 8.0);
    let even = [a + c, b + d, b - d, a - c];
    let ([p, q], [r, s]) = (rotated(y[1], y[7], PI / 16.0), rotated(y[3], y[5], 3.0 * PI / 16.0));
    let (u, v) = (p - r, q + s);
    let (tan, sin) = (u.constant((PI / 8.0).tan()), u.constant(FRAC_1_SQRT_2));
    let difference = v.mul_add(-tan, u);
    let sum = difference.mul_add(sin, v);
    let odd = [p + r, sum, sum.mul_add(-tan, difference), q - s];
    std::array::from_fn(|n| if n < 4 { even[n] + odd[n] } else { even[7 - n] - odd[7 - n] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy)]
    struct Number(f64);

    macro_rules! operators {
        ($($trait:ident $method:ident $op:tt),*) => { $(
            impl std::ops::$trait for Number {
                type Output = Number;
                fn $method(self, b: Number) -> Number {
                    Number(self.0 $op b.0)
                }
            }
        )* };
    }
    operators!(Add add +, Sub sub -, Mul mul *);

    impl std::ops::Neg for Number {
        type Output = Number;
        fn neg(self) -> Number {
            Number(-self.0)
        }
    }

    impl Real for Number {
        fn constant(self, value: f64) -> Number {
            Number(value)
        }
        fn mul_add(self, a: Number, b: Number) -> Number {
            self * a + b
        }
        fn mul_sub(self, a: Number, b: Number) -> Number {
            self * a - b
        }
    }

    #[test]
    fn unit_vectors_give_the_definition() {
        // Values are below 2, and go through a dozen roundings at most.
        const BOUND: f64 = 12.0 * f64::EPSILON;
        for k in 0..8 {
            let unit: [Number; 8] = std::array::from_fn(|i| Number(f64::from(u8::from(i == k))));
            let (x, z) = (decomposed(unit), lifted(unit));
            for n in 0..8 {
                assert!((x[n].0 - 8f64.sqrt() * wave(k, n)).abs() < BOUND, "decomposed {k} {n}: {}", x[n].0);
                assert!((z[n].0 - wave(k, n)).abs() < BOUND, "lifted {k} {n}: {}", z[n].0);
            }
        }
    }
}
