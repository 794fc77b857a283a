//! "Composite M": the three-stage method by hand over MKL, each stage a trip through memory of its own.
//!
//! With v(n1, n2) the array whose even rows and columns ascend and whose odd ones descend after them, V its FFT and
//! e_i = exp(−jπ k_i / (2 N_i)), let P = e_2 V(k1, k2), Q = e_2 V(N1 − k1, k2), S = e_1 (P + Q̄), D = e_1 (P − Q̄). Then the DCT-II is
//!
//!     y(k1, k2)      =  2 Re S,    y(N1 − k1, k2)      = −2 Im S,
//!     y(k1, N2 − k2) = −2 Im D,    y(N1 − k1, N2 − k2) = −2 Re D,
//!
//! which takes each element of the half spectrum once. The DCT-III is the same backwards, with y = 0 at N1 and at N2.

use super::mkl::{Descriptor, Mkl};
use crate::arrays::Memory;
use crate::case::Case;
use crate::contestant::Contestant;
use anyhow::Result;
use fourfold::Kind;
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
        // SAFETY: the case's arrays hold `len` numbers of this type, and nothing else refers to them now.
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
        // SAFETY: the memories have these lengths and are this value's own; MKL gets arrays of its descriptor's shape.
        let (v, spectrum) = unsafe {
            let v = from_raw_parts_mut(self.permuted.base().cast::<T>(), rows * columns);
            (v, from_raw_parts::<Complex<T>>(self.spectrum.base().cast(), rows * half))
        };
        for (row, target) in v.chunks_exact_mut(columns).enumerate() {
            let source = source(row, rows) * columns;
            wide(|| permute(&x[source..][..columns], target));
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
            wide(|| combine(p, q, phase, &self.column_phases, a, b));
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
            wide(|| split(a, b, phase, &self.column_phases, p, q));
        }
        // SAFETY: as in `dct2`.
        unsafe { self.fft.run(self.spectrum.base(), self.permuted.base()) };
        for (row, values) in v.chunks_exact(columns).enumerate() {
            let target = source(row, rows) * columns;
            wide(|| permute_back(values, &mut y[target..][..columns]));
        }
    }
}

/// Which row of x is this row of v: the even ones ascending, then the odd ones descending.
fn source(row: usize, rows: usize) -> usize {
    if row < rows.div_ceil(2) { 2 * row } else { 2 * (rows - 1 - row) + 1 }
}

/// Runs `work`, inlined, with the widest vectors that the compiler can have here.
#[inline(always)]
fn wide(work: impl FnOnce()) {
    #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")]
    fn avx512(work: impl FnOnce()) {
        work();
    }
    #[target_feature(enable = "avx2,fma")]
    fn avx2(work: impl FnOnce()) {
        work();
    }
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
    {
        // SAFETY: detected; who has BW and VL has DQ.
        unsafe { avx512(work) }
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: detected.
        unsafe { avx2(work) }
    } else {
        work();
    }
}

#[inline(always)]
fn permute<T: Real>(x: &[T], v: &mut [T]) {
    let (pairs, odd) = x.as_chunks::<2>();
    let n = pairs.len();
    let (even, rest) = v.split_at_mut(n + odd.len());
    even[n..].copy_from_slice(odd);
    let (even, rest) = (&mut even[..n], &mut rest[..n]);
    for i in 0..n {
        even[i] = pairs[i][0];
        rest[n - 1 - i] = pairs[i][1];
    }
}

#[inline(always)]
fn permute_back<T: Real>(v: &[T], x: &mut [T]) {
    let (pairs, odd) = x.as_chunks_mut::<2>();
    let n = pairs.len();
    let (even, rest) = v.split_at(n + odd.len());
    odd.copy_from_slice(&even[n..]);
    let (even, rest) = (&even[..n], &rest[..n]);
    for i in 0..n {
        pairs[i] = [even[i], rest[n - 1 - i]];
    }
}

/// Rows k1 (`a`) and N1 − k1 (`b`) of the DCT-II from those of the half spectrum.
#[inline(always)]
fn combine<T: Real>(
    p: &[Complex<T>],
    q: &[Complex<T>],
    phase: Complex<T>,
    phases: &Phases<T>,
    a: &mut [T],
    b: &mut [T],
) {
    let (columns, two) = (a.len(), T::one() + T::one());
    let both = |k: usize| {
        let e = Complex::new(phases.re[k], phases.im[k]);
        let (p, q) = (e * p[k], (e * q[k]).conj());
        (phase * (p + q), phase * (p - q))
    };
    for k in [0, columns / 2] {
        let (s, _) = both(k);
        (a[k], b[k]) = (two * s.re, -two * s.im);
    }
    if columns % 2 == 1 {
        let (_, d) = both(columns / 2);
        (a[columns - columns / 2], b[columns - columns / 2]) = (-two * d.im, -two * d.re);
    }
    let n = (columns - 1) / 2;
    let (p, q, re, im) = (&p[1..=n], &q[1..=n], &phases.re[1..=n], &phases.im[1..=n]);
    let ((a, a_mirror), (b, b_mirror)) = (a.split_at_mut(columns - n), b.split_at_mut(columns - n));
    let (a, b, a_mirror, b_mirror) = (&mut a[1..=n], &mut b[1..=n], &mut a_mirror[..n], &mut b_mirror[..n]);
    let doubled = phase.scale(two);
    for i in 0..n {
        let e = Complex::new(re[i], im[i]);
        let (p, q) = (e * p[i], (e * q[i]).conj());
        let (s, d) = (doubled * (p + q), doubled * (p - q));
        a[i] = s.re;
        b[i] = -s.im;
        a_mirror[n - 1 - i] = -d.im;
        b_mirror[n - 1 - i] = -d.re;
    }
}

/// Rows k1 (`p`) and N1 − k1 (`q`) of the half spectrum from those of the DCT-II, times 4.
#[inline(always)]
fn split<T: Real>(a: &[T], b: &[T], phase: Complex<T>, phases: &Phases<T>, p: &mut [Complex<T>], q: &mut [Complex<T>]) {
    let columns = a.len();
    let phase = phase.conj();
    let back = |e: Complex<T>, s: Complex<T>, d: Complex<T>| (e * phase * (s + d), e * (phase * (s - d)).conj());
    let conj_phase = |k: usize| Complex::new(phases.re[k], -phases.im[k]);
    let zero = Complex::new(T::zero(), T::zero());
    (p[0], q[0]) = back(conj_phase(0), Complex::new(a[0], -b[0]), zero);
    let k = columns / 2;
    let mirror = columns - k;
    (p[k], q[k]) = back(conj_phase(k), Complex::new(a[k], -b[k]), Complex::new(-b[mirror], -a[mirror]));
    let n = (columns - 1) / 2;
    let (p, q, re, im) = (&mut p[1..=n], &mut q[1..=n], &phases.re[1..=n], &phases.im[1..=n]);
    let (a_mirror, b_mirror) = (&a[columns - n..], &b[columns - n..]);
    let (a, b) = (&a[1..=n], &b[1..=n]);
    for i in 0..n {
        let (s, d) = (Complex::new(a[i], -b[i]), Complex::new(-b_mirror[n - 1 - i], -a_mirror[n - 1 - i]));
        (p[i], q[i]) = back(Complex::new(re[i], -im[i]), s, d);
    }
}
