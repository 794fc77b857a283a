//! "Composite M": the three-stage method by hand over MKL, each stage a trip through memory of its
//! own.
//!
//! With v(n1, n2) the array whose even rows and columns ascend and whose odd ones descend after
//! them, V its FFT and e_i = exp(−jπ k_i / (2 N_i)), let P = e_2 V(k1, k2), Q = e_2 V(N1 − k1, k2),
//! S = e_1 (P + Q̄), D = e_1 (P − Q̄). Then the DCT-II is
//!
//!     y(k1, k2)      =  2 Re S,    y(N1 − k1, k2)      = −2 Im S,
//!     y(k1, N2 − k2) = −2 Im D,    y(N1 − k1, N2 − k2) = −2 Re D,
//!
//! which takes each element of the half spectrum once. The DCT-III is the same backwards, with y =
//! 0 at N1 and at N2.

use super::mkl::{Descriptor, Mkl};
use crate::arrays::Memory;
use crate::case::Case;
use crate::contestant::Contestant;
use anyhow::Result;
use fourfold::{Isa, Kind};
use num_complex::Complex;
use std::f64::consts::PI;
use std::slice::{from_raw_parts, from_raw_parts_mut};

pub(crate) trait Real: rustfft::FftNum + From<f32> {}
impl Real for f32 {}
impl Real for f64 {}

/// The composite for a DCT-II or DCT-III of a matrix.
pub(crate) fn offer<'a>(case: &'a Case, mkl: &Mkl) -> Result<Option<Contestant<'a>>> {
    let (Some(kind @ (Kind::Dct2 | Kind::Dct3)), &[rows, columns], 0) = (case.kind, &case.shape[..], case.first) else {
        return Ok(None);
    };
    let fft = mkl.descriptor(case.bits, &case.shape, 1, false, kind == Kind::Dct2)?;
    Ok(Some(match case.bits {
        32 => contestant::<f32>(case, kind, rows, columns, fft),
        _ => contestant::<f64>(case, kind, rows, columns, fft),
    }))
}

fn contestant<T: Real>(case: &Case, kind: Kind, rows: usize, columns: usize, fft: Descriptor) -> Contestant<'_> {
    let mut composite = Composite::<T>::new(rows, columns, fft);
    let len = rows * columns;
    Contestant::peer("composite M", 1.0, move || {
        // SAFETY: the case's arrays hold `len` numbers of this type, and nothing else refers to
        // them now.
        let (x, y) =
            unsafe { (from_raw_parts(case.input().cast(), len), from_raw_parts_mut(case.output().cast(), len)) };
        if kind == Kind::Dct2 { composite.dct2(x, y) } else { composite.dct3(x, y) }
    })
}

/// Multipliers exp(−jπ k / (2n)) with their parts apart, as vectors want them.
struct Phases<T> {
    re: Vec<T>,
    im: Vec<T>,
}

struct Composite<T> {
    rows: usize,
    columns: usize,
    fft: Descriptor,
    row_phases: Phases<T>,
    column_phases: Phases<T>,
    permuted: Memory,
    spectrum: Memory,
    /// Stands for row N1: zero when read, of no account when written.
    beyond: Vec<T>,
    beyond_spectrum: Vec<Complex<T>>,
}

impl<T: Real> Phases<T> {
    fn new(n: usize) -> Phases<T> {
        let angle = |k: usize| -PI * k as f64 / (2 * n) as f64;
        let number = |x: f64| T::from_f64(x).expect("a float takes any f64");
        let column = |f: fn(f64) -> f64| (0..=n / 2).map(|k| number(f(angle(k)))).collect();
        Phases { re: column(f64::cos), im: column(f64::sin) }
    }
}

impl<T: Real> Composite<T> {
    fn new(rows: usize, columns: usize, fft: Descriptor) -> Composite<T> {
        let half = columns / 2 + 1;
        Composite {
            rows,
            columns,
            fft,
            row_phases: Phases::new(rows),
            column_phases: Phases::new(columns),
            permuted: Memory::new(rows * columns * size_of::<T>()),
            spectrum: Memory::new(rows * half * 2 * size_of::<T>()),
            beyond: vec![T::zero(); columns],
            beyond_spectrum: vec![Complex::new(T::zero(), T::zero()); half],
        }
    }

    fn dct2(&mut self, x: &[T], y: &mut [T]) {
        let (rows, columns, half) = (self.rows, self.columns, self.columns / 2 + 1);
        // SAFETY: the memories have these lengths and are this value's own; MKL gets arrays of its
        // descriptor's shape.
        let (v, spectrum) = unsafe {
            let v = from_raw_parts_mut(self.permuted.base().cast::<T>(), rows * columns);
            (v, from_raw_parts::<Complex<T>>(self.spectrum.base().cast(), rows * half))
        };
        for (row, target) in v.chunks_exact_mut(columns).enumerate() {
            let source = source(row, rows) * columns;
            permute(&x[source..][..columns], target);
        }
        // SAFETY: as above.
        unsafe { self.fft.run(self.permuted.base(), self.spectrum.base()) };
        for row in 0..=rows / 2 {
            let mirror = (rows - row) % rows;
            let (p, q) = (&spectrum[row * half..][..half], &spectrum[mirror * half..][..half]);
            let (above, below) = y.split_at_mut((row + 1) * columns);
            let a = &mut above[row * columns..];
            let b = if mirror > row { &mut below[(mirror - row - 1) * columns..][..columns] } else { &mut self.beyond };
            let phase = Complex::new(self.row_phases.re[row], self.row_phases.im[row]);
            combine_rows([p, q], phase, &self.column_phases, a, b);
        }
    }

    fn dct3(&mut self, x: &[T], y: &mut [T]) {
        let (rows, columns, half) = (self.rows, self.columns, self.columns / 2 + 1);
        // SAFETY: as in `dct2`.
        let (spectrum, v) = unsafe {
            let spectrum = from_raw_parts_mut::<Complex<T>>(self.spectrum.base().cast(), rows * half);
            (spectrum, from_raw_parts(self.permuted.base().cast::<T>(), rows * columns))
        };
        self.beyond.fill(T::zero());
        for row in 0..=rows / 2 {
            let mirror = (rows - row) % rows;
            let a = &x[row * columns..][..columns];
            let b = if row == 0 { &self.beyond } else { &x[mirror * columns..][..columns] };
            let (above, below) = spectrum.split_at_mut((row + 1) * half);
            let p = &mut above[row * half..];
            let q =
                if mirror > row { &mut below[(mirror - row - 1) * half..][..half] } else { &mut self.beyond_spectrum };
            let phase = Complex::new(self.row_phases.re[row], self.row_phases.im[row]);
            split_rows([a, b], phase, &self.column_phases, p, q);
        }
        // SAFETY: as in `dct2`.
        unsafe { self.fft.run(self.spectrum.base(), self.permuted.base()) };
        for (row, values) in v.chunks_exact(columns).enumerate() {
            let target = source(row, rows) * columns;
            permute_back(values, &mut y[target..][..columns]);
        }
    }
}

/// Which row of x is this row of v: the even ones ascending, then the odd ones descending.
fn source(row: usize, rows: usize) -> usize {
    if row < rows.div_ceil(2) { 2 * row } else { 2 * (rows - 1 - row) + 1 }
}

/// Makes `$wide` call `$narrow` as compiled for the widest vectors that the machine has.
macro_rules! widest {
    ($wide:ident, $narrow:ident, $($argument:ident: $type:ty),+) => {
        fn $wide<T: Real>($($argument: $type),+) {
            #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")]
            fn avx512<T: Real>($($argument: $type),+) {
                $narrow($($argument),+);
            }
            #[target_feature(enable = "avx2,fma")]
            fn avx2<T: Real>($($argument: $type),+) {
                $narrow($($argument),+);
            }
            match Isa::best() {
                // SAFETY: the machine has it; who has AVX-512 DQ and VL has BW.
                Isa::Avx512 => unsafe { avx512($($argument),+) },
                // SAFETY: the machine has it.
                Isa::Avx2 => unsafe { avx2($($argument),+) },
                _ => $narrow($($argument),+),
            }
        }
    };
}

// What is written comes as arguments of its own: then the compiler knows that none overlaps
// another.
widest!(deal, deal_any, pairs: &[[T; 2]], even: &mut [T], odd: &mut [T]);
widest!(permute_back, permute_back_any, v: &[T], x: &mut [T]);
widest!(combine, combine_any, spectrum: [Half<'_, T>; 2], phase: Complex<T>, phases: [&[T]; 2],
    a: &mut [T], a_mirror: &mut [T], b: &mut [T], b_mirror: &mut [T]);
widest!(split, split_any, a: [&[T]; 2], b: [&[T]; 2], phase: Complex<T>, phases: [&[T]; 2],
    p: &mut [Complex<T>], q: &mut [Complex<T>]);

/// A row of the half spectrum.
type Half<'a, T> = &'a [Complex<T>];

fn permute<T: Real>(x: &[T], v: &mut [T]) {
    let (pairs, last) = x.as_chunks::<2>();
    let (even, odd) = v.split_at_mut(pairs.len() + last.len());
    even[pairs.len()..].copy_from_slice(last);
    deal(pairs, even, odd);
}

#[inline(always)]
fn deal_any<T: Real>(pairs: &[[T; 2]], even: &mut [T], odd: &mut [T]) {
    let n = pairs.len();
    let (even, odd) = (&mut even[..n], &mut odd[..n]);
    for i in 0..n {
        even[i] = pairs[i][0];
        odd[n - 1 - i] = pairs[i][1];
    }
}

#[inline(always)]
fn permute_back_any<T: Real>(v: &[T], x: &mut [T]) {
    let (pairs, odd) = x.as_chunks_mut::<2>();
    let n = pairs.len();
    let (even, rest) = v.split_at(n + odd.len());
    odd.copy_from_slice(&even[n..]);
    let (even, rest) = (&even[..n], &rest[..n]);
    for i in 0..n {
        pairs[i] = [even[i], rest[n - 1 - i]];
    }
}

/// S and D of P / e_2 and Q / e_2.
#[inline(always)]
fn forth<T: Real>(phase: Complex<T>, e: Complex<T>, p: Complex<T>, q: Complex<T>) -> (Complex<T>, Complex<T>) {
    let (p, q) = (e * p, (e * q).conj());
    (phase * (p + q), phase * (p - q))
}

/// Undoes `forth` when given the conjugate multipliers, but for a factor of 2.
#[inline(always)]
fn back<T: Real>(phase: Complex<T>, e: Complex<T>, s: Complex<T>, d: Complex<T>) -> (Complex<T>, Complex<T>) {
    (e * phase * (s + d), e * (phase * (s - d)).conj())
}

/// Rows k1 (`a`) and N1 − k1 (`b`) of the DCT-II from those of the half spectrum.
fn combine_rows<T: Real>(spectrum: [Half<'_, T>; 2], phase: Complex<T>, phases: &Phases<T>, a: &mut [T], b: &mut [T]) {
    let columns = a.len();
    let doubled = phase.scale(T::one() + T::one());
    for k in [0, columns / 2] {
        let (s, _) = forth(doubled, Complex::new(phases.re[k], phases.im[k]), spectrum[0][k], spectrum[1][k]);
        (a[k], b[k]) = (s.re, -s.im);
    }
    let n = (columns - 1) / 2;
    let ((a, a_mirror), (b, b_mirror)) = (a.split_at_mut(columns - n), b.split_at_mut(columns - n));
    let phases = [&phases.re[1..=n], &phases.im[1..=n]];
    combine(spectrum.map(|row| &row[1..=n]), doubled, phases, &mut a[1..=n], a_mirror, &mut b[1..=n], b_mirror);
}

#[inline(always)]
fn combine_any<T: Real>(
    [p, q]: [Half<'_, T>; 2],
    phase: Complex<T>,
    [re, im]: [&[T]; 2],
    a: &mut [T],
    a_mirror: &mut [T],
    b: &mut [T],
    b_mirror: &mut [T],
) {
    let n = a.len();
    let (p, q, re, im) = (&p[..n], &q[..n], &re[..n], &im[..n]);
    let (a_mirror, b, b_mirror) = (&mut a_mirror[..n], &mut b[..n], &mut b_mirror[..n]);
    for i in 0..n {
        let (s, d) = forth(phase, Complex::new(re[i], im[i]), p[i], q[i]);
        a[i] = s.re;
        b[i] = -s.im;
        a_mirror[n - 1 - i] = -d.im;
        b_mirror[n - 1 - i] = -d.re;
    }
}

/// Rows k1 (`p`) and N1 − k1 (`q`) of the half spectrum from those of the DCT-II, times 4.
fn split_rows<T: Real>(
    [a, b]: [&[T]; 2],
    phase: Complex<T>,
    phases: &Phases<T>,
    p: &mut [Complex<T>],
    q: &mut [Complex<T>],
) {
    let columns = a.len();
    let phase = phase.conj();
    let conj_phase = |k: usize| Complex::new(phases.re[k], -phases.im[k]);
    let zero = Complex::new(T::zero(), T::zero());
    (p[0], q[0]) = back(phase, conj_phase(0), Complex::new(a[0], -b[0]), zero);
    let k = columns / 2;
    let mirror = columns - k;
    (p[k], q[k]) = back(phase, conj_phase(k), Complex::new(a[k], -b[k]), Complex::new(-b[mirror], -a[mirror]));
    let n = (columns - 1) / 2;
    let phases = [&phases.re[1..=n], &phases.im[1..=n]];
    let (a, b) = ([&a[1..=n], &a[columns - n..]], [&b[1..=n], &b[columns - n..]]);
    split(a, b, phase, phases, &mut p[1..=n], &mut q[1..=n]);
}

#[inline(always)]
fn split_any<T: Real>(
    [a, a_mirror]: [&[T]; 2],
    [b, b_mirror]: [&[T]; 2],
    phase: Complex<T>,
    [re, im]: [&[T]; 2],
    p: &mut [Complex<T>],
    q: &mut [Complex<T>],
) {
    let n = p.len();
    let (a, a_mirror, b, b_mirror) = (&a[..n], &a_mirror[..n], &b[..n], &b_mirror[..n]);
    let (re, im, q) = (&re[..n], &im[..n], &mut q[..n]);
    for i in 0..n {
        let (s, d) = (Complex::new(a[i], -b[i]), Complex::new(-b_mirror[n - 1 - i], -a_mirror[n - 1 - i]));
        (p[i], q[i]) = back(phase, Complex::new(re[i], -im[i]), s, d);
    }
}
