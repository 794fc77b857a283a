//! Small DFTs, written once for every engine: generic over [`Real`].
//!
//! A butterfly of radix R is a method of the array `[C<T>; R]`. Real data use the same array: `half_spectrum` reads the real
//! parts and leaves outputs 0 ..= R/2, `signal` reads those and leaves reals; the rest is not looked at, so that
//! the compiler drops it.

use crate::complex::{C, each};
use crate::real::Real;

/// The DFT of a fixed small length, for complex, real and Hermitian data.
pub trait Butterfly: Sized {
    /// y_k = Σ_n x_n exp(−2πi n k/R).
    fn dft(self) -> Self;
    /// y_k = Σ_n Re x_n exp(−2πi n k/R) for k = 0 ..= R/2.
    fn half_spectrum(self) -> Self;
    /// Re y_n = Σ_k x_k exp(+2πi n k/R) over the Hermitian extension of x_0 ..= x_{R/2}.
    fn signal(self) -> Self;
}

/// z · exp(−2πi k/16), 0 ≤ k < 16.
#[inline(always)]
fn turn<T: Real>(z: C<T>, k: usize) -> C<T> {
    const COS: f64 = 0.9238795325112867;
    const SIN: f64 = 0.3826834323650898;
    let (re, im) = match k {
        0 => return z,
        1 => (COS, -SIN),
        2 => return z.eighth_turn(),
        3 => (SIN, -COS),
        4 => return z.times_minus_i(),
        6 => return z.three_eighths_turn(),
        9 => (-COS, SIN),
        _ => unreachable!("no butterfly turns by {k}/16"),
    };
    z.mul(C { re: T::lit(re), im: T::lit(im) })
}

/// Splits of an even radix R = 2M into its even and odd inputs, each of whose half spectra is known:
/// X_k = E_k + w^k O_k and X_{M−k} = conj(E_k − w^k O_k), w = exp(−2πi/R), for k ≤ M/2.
#[inline(always)]
fn merge<T: Real, const M: usize, const R: usize>(e: [C<T>; M], o: [C<T>; M]) -> [C<T>; R] {
    let mut x = [e[0]; R];
    x[0].re = e[0].re + o[0].re;
    x[M].re = e[0].re - o[0].re;
    x[0].im = T::lit(0.0);
    x[M].im = T::lit(0.0);
    for k in 1..M / 2 {
        let t = turn(o[k], k * 16 / R);
        x[k] = e[k] + t;
        x[M - k] = (e[k] - t).conj();
    }
    x[M / 2] = C { re: e[M / 2].re, im: -o[M / 2].re };
    x
}

/// The transpose of [`merge`] in the sense of the backward transform: (even, odd) half spectra whose signals interleave.
#[inline(always)]
fn split<T: Real, const M: usize, const R: usize>(x: [C<T>; R]) -> ([C<T>; M], [C<T>; M]) {
    let (mut e, mut o) = ([x[0]; M], [x[0]; M]);
    e[0].re = x[0].re + x[M].re;
    o[0].re = x[0].re - x[M].re;
    for k in 1..M / 2 {
        e[k] = x[k] + x[M - k].conj();
        o[k] = turn((x[k] - x[M - k].conj()).conj(), k * 16 / R).conj();
    }
    e[M / 2].re = x[M / 2].re + x[M / 2].re;
    o[M / 2].re = -(x[M / 2].im + x[M / 2].im);
    (e, o)
}

impl<T: Real> Butterfly for [C<T>; 2] {
    #[inline(always)]
    fn dft(self) -> Self {
        [self[0] + self[1], self[0] - self[1]]
    }
    #[inline(always)]
    fn half_spectrum(self) -> Self {
        let (a, b, im) = (self[0].re, self[1].re, T::lit(0.0));
        [C { re: a + b, im }, C { re: a - b, im }]
    }
    #[inline(always)]
    fn signal(self) -> Self {
        self.half_spectrum()
    }
}

impl<T: Real> Butterfly for [C<T>; 4] {
    #[inline(always)]
    fn dft(self) -> Self {
        let [e0, e1] = [self[0], self[2]].dft();
        let [o0, o1] = [self[1], self[3]].dft();
        let t = o1.times_minus_i();
        [e0 + o0, e1 + t, e0 - o0, e1 - t]
    }
    #[inline(always)]
    fn half_spectrum(self) -> Self {
        merge([self[0], self[2]].half_spectrum(), [self[1], self[3]].half_spectrum())
    }
    #[inline(always)]
    fn signal(self) -> Self {
        let (e, o) = split::<T, 2, 4>(self);
        let (e, o) = (e.signal(), o.signal());
        [e[0], o[0], e[1], o[1]]
    }
}

impl<T: Real> Butterfly for [C<T>; 8] {
    #[inline(always)]
    fn dft(self) -> Self {
        let e = [self[0], self[2], self[4], self[6]].dft();
        let o = [self[1], self[3], self[5], self[7]].dft();
        let t = [o[0], turn(o[1], 2), turn(o[2], 4), turn(o[3], 6)];
        each!(k < 8 => if k < 4 { e[k] + t[k] } else { e[k - 4] - t[k - 4] })
    }
    #[inline(always)]
    fn half_spectrum(self) -> Self {
        let [a, b, c, d, e, f, g, h] = self;
        merge([a, c, e, g].half_spectrum(), [b, d, f, h].half_spectrum())
    }
    #[inline(always)]
    fn signal(self) -> Self {
        let (e, o) = split::<T, 4, 8>(self);
        let ([a, c, e, g], [b, d, f, h]) = (e.signal(), o.signal());
        [a, b, c, d, e, f, g, h]
    }
}

impl<T: Real> Butterfly for [C<T>; 16] {
    /// 16 = 4 · 4: columns a, a+4, a+8, a+12, twiddles w₁₆^{ab}, then rows.
    #[inline(always)]
    fn dft(self) -> Self {
        let column = each!(a < 4 => [self[a], self[a + 4], self[a + 8], self[a + 12]].dft());
        let [c0, c1, c2, c3] = column;
        let row = each!(b < 4 => [c0[b], turn(c1[b], b), turn(c2[b], 2 * b), turn(c3[b], 3 * b)].dft());
        each!(k < 16 => row[k % 4][k / 4])
    }
    #[inline(always)]
    fn half_spectrum(self) -> Self {
        let x = self;
        let even = [x[0], x[2], x[4], x[6], x[8], x[10], x[12], x[14]];
        let odd = [x[1], x[3], x[5], x[7], x[9], x[11], x[13], x[15]];
        merge(even.half_spectrum(), odd.half_spectrum())
    }
    #[inline(always)]
    fn signal(self) -> Self {
        let (e, o) = split::<T, 8, 16>(self);
        let (e, o) = (e.signal(), o.signal());
        each!(n < 16 => if n % 2 == 0 { e[n / 2] } else { o[n / 2] })
    }
}

/// Odd radices R = 2H + 1: the inputs are taken in pairs x_j ± x_{R−j}, which halves the products.
macro_rules! odd {
    ($r:literal, $h:literal, $cos:expr, $sin:expr) => {
        impl<T: Real> Butterfly for [C<T>; $r] {
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
                        let (c, t) = (T::lit(c), T::lit(t));
                        a = C { re: s.re.mul_add(c, a.re), im: s.im.mul_add(c, a.im) };
                        b = match j {
                            1 => d.scale(t),
                            _ => C { re: d.re.mul_add(t, b.re), im: d.im.mul_add(t, b.im) },
                        };
                    }
                    y[k] = C { re: a.re + b.im, im: a.im - b.re };
                    y[$r - k] = C { re: a.re - b.im, im: a.im + b.re };
                }
                y
            }
            #[inline(always)]
            fn half_spectrum(self) -> Self {
                const COS: [f64; $h] = $cos;
                const SIN: [f64; $h] = $sin;
                let mut y = self;
                y[0].im = T::lit(0.0);
                for j in 1..=$h {
                    y[0].re = y[0].re + (self[j].re + self[$r - j].re);
                }
                for k in 1..=$h {
                    let (mut a, mut b) = (self[0].re, self[0].re);
                    for j in 1..=$h {
                        let (s, d) = (self[j].re + self[$r - j].re, self[j].re - self[$r - j].re);
                        let (c, t) = root(j * k % $r, $r, &COS, &SIN);
                        a = s.mul_add(T::lit(c), a);
                        b = if j == 1 { d * T::lit(-t) } else { d.mul_add(T::lit(-t), b) };
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
                        a = two[k].re.mul_add(T::lit(c), a);
                        b = if k == 1 { two[k].im * T::lit(t) } else { two[k].im.mul_add(T::lit(t), b) };
                    }
                    y[n].re = a - b;
                    y[$r - n].re = a + b;
                }
                y
            }
        }
    };
}

/// cos and sin of 2π·index/r from those of the first half turn.
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
