//! Small DFTs. They are generic over [`Real`], so that all engines share them.
//!
//! A butterfly of radix R is a method of the array `[Z; R]` of any [`Number`]s. Real data use the
//! array `[C<T>; R]`. `half_spectrum` reads the real parts and returns outputs 0 ..= R/2. `signal`
//! reads these outputs and returns the signal in the real parts. The other numbers of the arrays
//! are not used, so the compiler removes their computation.

use crate::arithmetic::complex::each;
use crate::arithmetic::complex::{C, Number};
use crate::arithmetic::real::Real;
use std::f64::consts::FRAC_1_SQRT_2;

/// The DFT of a fixed small length R, for complex data.
pub trait Dft: Sized {
    /// y_k = Σ_n x_n exp(−2πi n k/R).
    fn dft(self) -> Self;
}

/// The DFT of a fixed small length R, for real and Hermitian data.
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
        2 => z.rotate_eighth(),
        4 => z.times_minus_i(),
        6 => z.rotate_three_eighths(),
        _ => z.times(sixteenth(k)),
    }
}

/// (Re, Im) of exp(−2πi k/16), for those k that butterflies need and that are not multiples of 4.
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
        _ => unreachable!("no butterfly rotates by {k}/16"),
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
    /// If w is not a power of i, the sums with a are part of fused multiply-adds. For an odd
    /// multiple of 1/8 this takes 6 operations instead of 8. For the other w it takes 8 either way,
    /// but sums move from the units that add to those that multiply, which have less to do in a
    /// butterfly.
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

/// The half spectrum of an even radix R = 2M from E and O, the half spectra of its even and its odd
/// inputs: X_k = E_k + w^k O_k and X_{M−k} = conj(E_k − w^k O_k), w = exp(−2πi/R), for k ≤ M/2.
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

/// The backward counterpart of [`merge`]: E_k = X_k + conj(X_{M−k}) and O_k = w^{−k} (X_k −
/// conj(X_{M−k})). Their signals are the even and the odd outputs.
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

/// Row b of the grid 16 = 4 · 4: the outputs b, b+4, b+8, b+12.
#[inline(always)]
fn row_of_16<Z: Number>([c0, c1, c2, c3]: [[Z; 4]; 4], b: usize) -> [Z; 4] {
    let [e0, e1] = c0[b].cross(c2[b], 2 * b);
    let [o0, o1] = c1[b].rotate(b).cross(c3[b], 3 * b);
    let ([a, c], [b, d]) = (e0.cross(o0, 0), e1.cross(o1, 4));
    [a, b, c, d]
}

impl<Z: Number> Dft for [Z; 16] {
    /// 16 = 4 · 4: columns a, a+4, a+8, a+12, twiddles w₁₆^{ab}, then rows. This is written without
    /// loops, because the compiler does not unroll loops over vectors of complex pairs.
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
