//! Small DFTs, written once for every engine: generic over [`Real`].
//!
//! A butterfly of radix R is a method of the array `[Z; R]` of any [`Number`]s. Real data use the
//! array `[C<T>; R]`: `half_spectrum` reads the real parts and leaves outputs 0 ..= R/2, `signal`
//! reads those and leaves reals; the rest is not looked at, so that the compiler drops it.

use crate::arithmetic::complex::each;
use crate::arithmetic::complex::{C, Number};
use crate::arithmetic::real::Real;
use std::f64::consts::FRAC_1_SQRT_2;

/// The DFT of a fixed small length, for complex data.
pub trait Dft: Sized {
    /// y_k = Σ_n x_n exp(−2πi n k/R).
    fn dft(self) -> Self;
}

/// The same for real and Hermitian data.
pub trait Butterfly: Dft {
    /// y_k = Σ_n Re x_n exp(−2πi n k/R) for k = 0 ..= R/2.
    fn half_spectrum(self) -> Self;
    /// Re y_n = Σ_k x_k exp(+2πi n k/R) over the Hermitian extension of x_0 ..= x_{R/2}.
    fn signal(self) -> Self;
}

/// z · exp(−2πi k/16), 0 ≤ k < 16.
#[inline(always)]
fn rotate<T: Real>(z: C<T>, k: usize) -> C<T> {
    match k {
        0 => z,
        2 => z.eighth_turn(),
        4 => z.times_minus_i(),
        6 => z.three_eighths_turn(),
        _ => z.times(sixteenth(k)),
    }
}

/// (Re, Im) of exp(−2πi k/16) for the k that butterflies turn by and that are no quarter.
#[inline(always)]
pub(crate) fn sixteenth(k: usize) -> [f64; 2] {
    const COS: f64 = 0.9238795325112867;
    const SIN: f64 = 0.3826834323650898;
    match k {
        1 => [COS, -SIN],
        2 => [FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
        3 => [SIN, -COS],
        6 => [-FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
        9 => [-COS, SIN],
        _ => unreachable!("no butterfly turns by {k}/16"),
    }
}

impl<T: Real> Number for C<T> {
    #[inline(always)]
    fn rotate(self, k: usize) -> Self {
        rotate(self, k)
    }
    #[inline(always)]
    fn times(self, [re, im]: [f64; 2]) -> Self {
        self.mul(C { re: self.re.constant(re), im: self.re.constant(im) })
    }
    #[inline(always)]
    fn times_real(self, s: f64) -> Self {
        self.scale(self.re.constant(s))
    }
    #[inline(always)]
    fn add_times_real(self, b: Self, s: f64) -> Self {
        C { re: b.re.mul_add(b.re.constant(s), self.re), im: b.im.mul_add(b.re.constant(s), self.im) }
    }
    /// Where w takes products, the sums are done with them: processors add and multiply in
    /// different units, and butterflies have more sums than products.
    #[inline(always)]
    fn cross(self, b: Self, k: usize) -> [Self; 2] {
        let a = self;
        match k {
            0 => [a + b, a - b],
            2 => cross_eighth(a, C { re: b.re + b.im, im: b.im - b.re }),
            4 => [C { re: a.re + b.im, im: a.im - b.re }, C { re: a.re - b.im, im: a.im + b.re }],
            6 => cross_eighth(a, C { re: b.im - b.re, im: -(b.re + b.im) }),
            _ => {
                let [re, im] = sixteenth(k);
                each!(half < 2 => {
                    let sign = if half == 0 { 1.0 } else { -1.0 };
                    let (c, s, t) = (a.re.constant(sign * re), a.re.constant(sign * im), a.re.constant(-sign * im));
                    let part = C { re: b.im.mul_add(t, a.re), im: b.im.mul_add(c, a.im) };
                    C { re: b.re.mul_add(c, part.re), im: b.re.mul_add(s, part.im) }
                })
            }
        }
    }
}

/// \[a + √½ b, a − √½ b\].
#[inline(always)]
fn cross_eighth<T: Real>(a: C<T>, b: C<T>) -> [C<T>; 2] {
    [a.add_times_real(b, FRAC_1_SQRT_2), a.add_times_real(b, -FRAC_1_SQRT_2)]
}

/// Splits of an even radix R = 2M into its even and odd inputs, each of whose half spectra is
/// known: X_k = E_k + w^k O_k and X_{M−k} = conj(E_k − w^k O_k), w = exp(−2πi/R), for k ≤ M/2.
#[inline(always)]
fn merge<T: Real, const M: usize, const R: usize>(e: [C<T>; M], o: [C<T>; M]) -> [C<T>; R] {
    let mut x = [e[0]; R];
    x[0].re = e[0].re + o[0].re;
    x[M].re = e[0].re - o[0].re;
    x[0].im = e[0].re.constant(0.0);
    x[M].im = e[0].re.constant(0.0);
    for k in 1..M / 2 {
        let t = rotate(o[k], k * 16 / R);
        x[k] = e[k] + t;
        x[M - k] = (e[k] - t).conj();
    }
    x[M / 2] = C { re: e[M / 2].re, im: -o[M / 2].re };
    x
}

/// The transpose of [`merge`] in the sense of the backward transform: (even, odd) half spectra
/// whose signals interleave.
#[inline(always)]
fn split<T: Real, const M: usize, const R: usize>(x: [C<T>; R]) -> ([C<T>; M], [C<T>; M]) {
    let (mut e, mut o) = ([x[0]; M], [x[0]; M]);
    e[0].re = x[0].re + x[M].re;
    o[0].re = x[0].re - x[M].re;
    for k in 1..M / 2 {
        e[k] = x[k] + x[M - k].conj();
        o[k] = rotate((x[k] - x[M - k].conj()).conj(), k * 16 / R).conj();
    }
    e[M / 2].re = x[M / 2].re + x[M / 2].re;
    o[M / 2].re = -(x[M / 2].im + x[M / 2].im);
    (e, o)
}

impl<Z: Number> Dft for [Z; 2] {
    #[inline(always)]
    fn dft(self) -> Self {
        [self[0] + self[1], self[0] - self[1]]
    }
}

impl<T: Real> Butterfly for [C<T>; 2] {
    #[inline(always)]
    fn half_spectrum(self) -> Self {
        let (a, b, im) = (self[0].re, self[1].re, self[0].re.constant(0.0));
        [C { re: a + b, im }, C { re: a - b, im }]
    }
    #[inline(always)]
    fn signal(self) -> Self {
        self.half_spectrum()
    }
}

impl<Z: Number> Dft for [Z; 4] {
    #[inline(always)]
    fn dft(self) -> Self {
        let [e0, e1] = [self[0], self[2]].dft();
        let [o0, o1] = [self[1], self[3]].dft();
        let ([a, c], [b, d]) = (e0.cross(o0, 0), e1.cross(o1, 4));
        [a, b, c, d]
    }
}

impl<T: Real> Butterfly for [C<T>; 4] {
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

impl<Z: Number> Dft for [Z; 8] {
    #[inline(always)]
    fn dft(self) -> Self {
        let e = [self[0], self[2], self[4], self[6]].dft();
        let o = [self[1], self[3], self[5], self[7]].dft();
        let pairs = each!(k < 4 => e[k].cross(o[k], 2 * k));
        each!(k < 8 => pairs[k % 4][k / 4])
    }
}

impl<T: Real> Butterfly for [C<T>; 8] {
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

/// Row b of 16 = 4 · 4.
#[inline(always)]
fn row_of_16<Z: Number>([c0, c1, c2, c3]: [[Z; 4]; 4], b: usize) -> [Z; 4] {
    let [e0, e1] = c0[b].cross(c2[b], 2 * b);
    let [o0, o1] = c1[b].rotate(b).cross(c3[b], 3 * b);
    let ([a, c], [b, d]) = (e0.cross(o0, 0), e1.cross(o1, 4));
    [a, b, c, d]
}

impl<Z: Number> Dft for [Z; 16] {
    /// 16 = 4 · 4: columns a, a+4, a+8, a+12, twiddles w₁₆^{ab}, then rows. Written out: of vectors
    /// of pairs the compiler leaves loops.
    #[inline(always)]
    fn dft(self) -> Self {
        let x = self;
        let column = [
            [x[0], x[4], x[8], x[12]].dft(),
            [x[1], x[5], x[9], x[13]].dft(),
            [x[2], x[6], x[10], x[14]].dft(),
            [x[3], x[7], x[11], x[15]].dft(),
        ];
        let row = [row_of_16(column, 0), row_of_16(column, 1), row_of_16(column, 2), row_of_16(column, 3)];
        each!(k < 16 => row[k % 4][k / 4])
    }
}

impl<T: Real> Butterfly for [C<T>; 16] {
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

/// R = A · B of coprime factors, as a grid without twiddles (Good, 1958): with n = B·a + A·b,
/// w_R^{nk} = w_A^{ak} · w_B^{bk}, and k is known by its residues. Real data: of residues mod A
/// only 0 ..= A/2 are computed.
macro_rules! coprime {
    ($r:literal = $a:literal * $b:literal) => {
        impl<Z: Number> Dft for [Z; $r] {
            #[inline(always)]
            fn dft(self) -> Self {
                let columns = each!(b < $b => each!(a < $a => self[($b * a + $a * b) % $r]).dft());
                let rows = each!(k < $a => each!(b < $b => columns[b][k]).dft());
                each!(k < $r => rows[k % $a][k % $b])
            }
        }

        impl<T: Real> Butterfly for [C<T>; $r] {
            #[inline(always)]
            fn half_spectrum(self) -> Self {
                let columns = each!(b < $b => each!(a < $a => self[($b * a + $a * b) % $r]).half_spectrum());
                let rows = each!(k < $a / 2 + 1 => {
                    let row = each!(b < $b => columns[b][k]);
                    if is_real(k, $a) { row.half_spectrum() } else { row.dft() }
                });
                each!(k < $r => {
                    let (p, q) = (k % $a, k % $b);
                    let (p, q, conjugate) = if 2 * p > $a { ($a - p, ($b - q) % $b, true) } else { (p, q, false) };
                    // A row of real data has its first half.
                    let mirror = is_real(p, $a) && 2 * q > $b;
                    let z = rows[p][if mirror { $b - q } else { q }];
                    let z = if is_real(p, $a) && q == 0 { C { re: z.re, im: z.re.constant(0.0) } } else { z };
                    if mirror != conjugate { z.conj() } else { z }
                })
            }
            #[inline(always)]
            fn signal(self) -> Self {
                const K: [[usize; $b]; $a] = by_residues();
                const N: [[usize; 2]; $r] = by_sum::<$a, $b, $r>();
                let rows = each!(p < $a / 2 + 1 => {
                    let row = each!(q < $b => {
                        let k = K[p][q];
                        if 2 * k > $r { self[$r - k].conj() } else { self[k] }
                    });
                    if is_real(p, $a) { row.signal() } else {
                        let back = each!(q < $b => row[q].swap()).dft();
                        each!(b < $b => back[b].swap())
                    }
                });
                let columns = each!(b < $b => each!(p < $a => rows[if 2 * p > $a { 0 } else { p }][b]).signal());
                each!(n < $r => {
                    let [a, b] = N[n];
                    columns[b][a]
                })
            }
        }
    };
}

/// Whether row p of a grid of `a` rows is the spectrum of reals: its own mirror image.
#[inline(always)]
const fn is_real(p: usize, a: usize) -> bool {
    p == 0 || 2 * p == a
}

/// The k below A·B by its residues mod A and mod B.
const fn by_residues<const A: usize, const B: usize>() -> [[usize; B]; A] {
    let (mut table, mut k) = ([[0; B]; A], 0);
    while k < A * B {
        table[k % A][k % B] = k;
        k += 1;
    }
    table
}

/// (a, b) with B·a + A·b = n modulo R = A·B, by n.
const fn by_sum<const A: usize, const B: usize, const R: usize>() -> [[usize; 2]; R] {
    let (mut table, mut i) = ([[0; 2]; R], 0);
    while i < R {
        let (a, b) = (i % A, i / A);
        table[(B * a + A * b) % R] = [a, b];
        i += 1;
    }
    table
}

coprime!(6 = 2 * 3);
coprime!(10 = 2 * 5);
coprime!(12 = 4 * 3);

/// exp(−2πi k/9) for the products of residues mod 3.
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

/// 9 = 3 · 3: columns a, a+3, a+6, twiddles w₉^{ab}, then rows. Real data: row 0 is real, row 2 the
/// mirror image of row 1.
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
        // X_1, X_4 and X_7, which is the conjugate of X_2.
        [zero, row[0], row[2].conj(), real[1], row[1], zero, zero, zero, zero]
    }
    #[inline(always)]
    fn signal(self) -> Self {
        let [x0, x1, x2, x3, x4, ..] = self;
        let real = [x0, x3, x3].signal();
        let back = [x1.swap(), x4.swap(), x2.conj().swap()].dft();
        let columns = each!(a < 3 => {
            let t = ninth(back[a], a).swap();
            [real[a], t, t].signal()
        });
        each!(n < 9 => columns[n % 3][n / 3])
    }
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
