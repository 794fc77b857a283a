//! Butterflies of 3, 5, 7, 9, 11 and 13.

use crate::arithmetic::butterfly::{Butterfly, Dft};
use crate::arithmetic::complex::{C, Number, each};
use crate::arithmetic::real::Real;

/// Odd radices R = 2H + 1. With s_j = x_j + x_{R−j} and d_j = x_j − x_{R−j}, y_k = x_0 + Σ_{j≤H}
/// s_j cos(2πjk/R) − i Σ_{j≤H} d_j sin(2πjk/R), and y_{R−k} has + i. The pairs halve the number of
/// products.
macro_rules! odd {
    ($r:literal, $h:literal, $cos:expr, $sin:expr) => {
        impl<Z: Number> Dft for [Z; $r] {
            #[inline(always)]
            fn dft(self) -> Self {
                const COS: [f64; $h] = $cos;
                const SIN: [f64; $h] = $sin;
                let mut y = self;
                for j in 1..=$h {
                    y[0] = y[0] + (self[j] + self[$r - j]);
                }
                for k in 1..=$h {
                    let (mut a, mut b) = (self[0], self[0]);
                    for j in 1..=$h {
                        let (s, d) = (self[j] + self[$r - j], self[j] - self[$r - j]);
                        let (c, t) = root(j * k % $r, $r, &COS, &SIN);
                        a = a.add_times_real(s, c);
                        b = if j == 1 { d.times_real(t) } else { b.add_times_real(d, t) };
                    }
                    [y[k], y[$r - k]] = a.cross(b, 4);
                }
                y
            }
        }

        impl<T: Real> Butterfly for [C<T>; $r] {
            #[inline(always)]
            fn half_spectrum(self) -> Self {
                const COS: [f64; $h] = $cos;
                const SIN: [f64; $h] = $sin;
                let mut y = self;
                y[0].im = self[0].re.constant(0.0);
                for j in 1..=$h {
                    y[0].re = y[0].re + (self[j].re + self[$r - j].re);
                }
                for k in 1..=$h {
                    let (mut a, mut b) = (self[0].re, self[0].re);
                    for j in 1..=$h {
                        let (s, d) = (self[j].re + self[$r - j].re, self[j].re - self[$r - j].re);
                        let (c, t) = root(j * k % $r, $r, &COS, &SIN);
                        a = s.mul_add(s.constant(c), a);
                        b = if j == 1 { d * d.constant(-t) } else { d.mul_add(d.constant(-t), b) };
                    }
                    y[k] = C { re: a, im: b };
                }
                y
            }
            #[inline(always)]
            fn signal(self) -> Self {
                const COS: [f64; $h] = $cos;
                const SIN: [f64; $h] = $sin;
                let mut y = self;
                let two = each!(k < $r => self[k] + self[k]);
                for k in 1..=$h {
                    y[0].re = y[0].re + two[k].re;
                }
                for n in 1..=$h {
                    let (mut a, mut b) = (self[0].re, self[0].re);
                    for k in 1..=$h {
                        let (c, t) = root(n * k % $r, $r, &COS, &SIN);
                        a = two[k].re.mul_add(two[k].re.constant(c), a);
                        b = if k == 1 { two[k].im * two[k].im.constant(t) } else { two[k].im.mul_add(two[k].im.constant(t), b) };
                    }
                    y[n].re = a - b;
                    y[$r - n].re = a + b;
                }
                y
            }
        }
    };
}

/// cos and sin of 2π·index/r, from tables of those for index 1 ..= H, where r = 2H + 1.
#[inline(always)]
fn root<const H: usize>(index: usize, r: usize, cos: &[f64; H], sin: &[f64; H]) -> (f64, f64) {
    if index <= H { (cos[index - 1], sin[index - 1]) } else { (cos[r - index - 1], -sin[r - index - 1]) }
}

odd!(3, 1, [-0.5], [0.8660254037844386]);
odd!(5, 2, [0.30901699437494745, -0.8090169943749475], [0.9510565162951535, 0.5877852522924731]);
odd!(
    7,
    3,
    [0.6234898018587335, -0.2225209339563144, -0.9009688679024191],
    [0.7818314824680298, 0.9749279121818236, 0.4338837391175581]
);
odd!(
    11,
    5,
    [0.8412535328311812, 0.41541501300188644, -0.14231483827328514, -0.6548607339452851, -0.9594929736144974],
    [0.5406408174555976, 0.9096319953545183, 0.9898214418809327, 0.7557495743542583, 0.28173255684142967]
);
odd!(
    13,
    6,
    [
        0.8854560256532099,
        0.5680647467311558,
        0.12053668025532305,
        -0.3546048870425356,
        -0.7485107481711011,
        -0.970941817426052
    ],
    [
        0.46472317204376856,
        0.8229838658936564,
        0.992708874098054,
        0.9350162426854148,
        0.6631226582407952,
        0.23931566428755777
    ]
);

/// (Re, Im) of exp(−2πi k/9) for k = 0 ..= 4: the products of two residues mod 3.
const NINTHS: [[f64; 2]; 5] = [
    [1.0, 0.0],
    [0.766044443118978, -0.6427876096865394],
    [0.17364817766693036, -0.984807753012208],
    [-0.5, -0.8660254037844386],
    [-0.9396926207859084, -0.3420201433256687],
];

/// z · exp(−2πi k/9).
#[inline(always)]
fn ninth<Z: Number>(z: Z, k: usize) -> Z {
    if k == 0 { z } else { z.times(NINTHS[k]) }
}

/// 9 = 3 · 3: columns a, a+3, a+6, twiddles w₉^{ab}, then rows. For real data, row 0 is the
/// spectrum of a real signal, and row 2 is the conjugate of row 1 in reverse order.
impl<Z: Number> Dft for [Z; 9] {
    #[inline(always)]
    fn dft(self) -> Self {
        let columns = each!(a < 3 => [self[a], self[a + 3], self[a + 6]].dft());
        let rows = each!(b < 3 => [columns[0][b], ninth(columns[1][b], b), ninth(columns[2][b], 2 * b)].dft());
        each!(k < 9 => rows[k % 3][k / 3])
    }
}

impl<T: Real> Butterfly for [C<T>; 9] {
    #[inline(always)]
    fn half_spectrum(self) -> Self {
        let columns = each!(a < 3 => [self[a], self[a + 3], self[a + 6]].half_spectrum());
        let real = [columns[0][0], columns[1][0], columns[2][0]].half_spectrum();
        let row = [columns[0][1], ninth(columns[1][1], 1), ninth(columns[2][1], 2)].dft();
        let zero = C { re: real[0].re, im: real[0].re.constant(0.0) };
        // The row is X_1, X_4 and X_7, and X_7 is the conjugate of X_2.
        [zero, row[0], row[2].conj(), real[1], row[1], zero, zero, zero, zero]
    }
    #[inline(always)]
    fn signal(self) -> Self {
        let [x0, x1, x2, x3, x4, ..] = self;
        let real = [x0, x3, x3].signal();
        let inverse = [x1.swap(), x4.swap(), x2.conj().swap()].dft();
        let columns = each!(a < 3 => {
            let t = ninth(inverse[a], a).swap();
            [real[a], t, t].signal()
        });
        each!(n < 9 => columns[n % 3][n / 3])
    }
}
