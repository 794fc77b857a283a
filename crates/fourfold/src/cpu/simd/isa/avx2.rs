//! AVX2 and FMA: vectors of four `f64` or eight `f32`.

use crate::arithmetic::complex::each;
use crate::cpu::simd::complex_vector::Interleaved;
use crate::cpu::simd::isa::operators::operators;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Vector, WithIsa, align_stack};
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F64x4(__m256d);

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F32x8(__m256);

operators!(F64x4, f64, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, _mm256_fmadd_pd, _mm256_fmsub_pd, _mm256_set1_pd);
operators!(F32x8, f32, _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps, _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_set1_ps);

/// Executes `work`, compiled with AVX2 and FMA.
///
/// # Safety
/// The CPU has them, and the pointers of the work are valid.
#[target_feature(enable = "avx2,fma")]
unsafe fn enter<W: WithIsa>(work: W) {
    align_stack();
    // SAFETY: the caller guarantees it.
    unsafe { work.with_isa() }
}

impl Vector for F64x4 {
    type Scalar = f64;
    const WIDTH: usize = 4;
    type ComplexVector = Interleaved<Self>;

    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        // SAFETY: the caller guarantees it.
        F64x4(unsafe { _mm256_set1_pd(value) })
    }
    #[inline(always)]
    unsafe fn load(from: Ptr<f64>) -> Self {
        // SAFETY: the caller guarantees it.
        F64x4(unsafe { _mm256_loadu_pd(from.access(Self::WIDTH)) })
    }
    #[inline(always)]
    unsafe fn store(self, to: Ptr<f64>) {
        // SAFETY: the caller guarantees it.
        unsafe { _mm256_storeu_pd(to.access(Self::WIDTH), self.0) }
    }
    #[inline(always)]
    unsafe fn stream(self, to: Ptr<f64>) {
        // SAFETY: the caller guarantees it.
        unsafe { _mm256_stream_pd(to.access(Self::WIDTH), self.0) }
    }
    #[inline(always)]
    fn prefetch(from: Ptr<f64>) {
        // SAFETY: prefetching any address is allowed.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.unchecked().cast()) }
    }
    #[inline(always)]
    fn finish_streams() {
        // SAFETY: every x86-64 processor has the instruction.
        unsafe { _mm_sfence() }
    }
    #[inline(always)]
    fn zip(a: Self, b: Self) -> (Self, Self) {
        // SAFETY: see `operators!`.
        unsafe {
            let (even, odd) = (_mm256_unpacklo_pd(a.0, b.0), _mm256_unpackhi_pd(a.0, b.0));
            (F64x4(_mm256_permute2f128_pd::<0x20>(even, odd)), F64x4(_mm256_permute2f128_pd::<0x31>(even, odd)))
        }
    }
    #[inline(always)]
    fn unzip(a: Self, b: Self) -> (Self, Self) {
        // SAFETY: see `operators!`.
        unsafe {
            let (low, high) = (_mm256_permute2f128_pd::<0x20>(a.0, b.0), _mm256_permute2f128_pd::<0x31>(a.0, b.0));
            (F64x4(_mm256_unpacklo_pd(low, high)), F64x4(_mm256_unpackhi_pd(low, high)))
        }
    }
    #[inline(always)]
    fn reciprocal(self) -> Self {
        // SAFETY: see `operators!`.
        unsafe {
            let is_zero = _mm256_cmp_pd::<_CMP_EQ_OQ>(self.0, _mm256_setzero_pd());
            F64x4(_mm256_andnot_pd(is_zero, _mm256_div_pd(_mm256_set1_pd(1.0), self.0)))
        }
    }
    #[inline(always)]
    fn reverse(self) -> Self {
        // SAFETY: see `operators!`.
        unsafe { F64x4(_mm256_permute4x64_pd::<0x1b>(self.0)) }
    }
    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        // SAFETY: see `operators!`.
        unsafe {
            for j in [0, 2] {
                let (a, b) = (rows[j].0, rows[j + 1].0);
                (rows[j].0, rows[j + 1].0) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            }
            for i in [0, 1] {
                let (a, b) = (rows[i].0, rows[i + 2].0);
                rows[i].0 = _mm256_permute2f128_pd::<0x20>(a, b);
                rows[i + 2].0 = _mm256_permute2f128_pd::<0x31>(a, b);
            }
        }
    }
    #[inline(always)]
    fn swap(self) -> Self {
        // SAFETY: see `operators!`.
        F64x4(unsafe { _mm256_permute_pd::<0x5>(self.0) })
    }
    #[inline(always)]
    fn transpose_pairs(rows: &mut [Self]) {
        let (a, b) = (rows[0].0, rows[1].0);
        // SAFETY: see `operators!`.
        unsafe {
            rows[0].0 = _mm256_permute2f128_pd::<0x20>(a, b);
            rows[1].0 = _mm256_permute2f128_pd::<0x31>(a, b);
        }
    }
    #[inline(always)]
    unsafe fn enter<W: WithIsa>(work: W) {
        // SAFETY: the caller guarantees it.
        unsafe { enter(work) }
    }
}

impl Vector for F32x8 {
    type Scalar = f32;
    const WIDTH: usize = 8;
    type ComplexVector = Interleaved<Self>;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller guarantees it.
        F32x8(unsafe { _mm256_set1_ps(value) })
    }
    #[inline(always)]
    unsafe fn load(from: Ptr<f32>) -> Self {
        // SAFETY: the caller guarantees it.
        F32x8(unsafe { _mm256_loadu_ps(from.access(Self::WIDTH)) })
    }
    #[inline(always)]
    unsafe fn store(self, to: Ptr<f32>) {
        // SAFETY: the caller guarantees it.
        unsafe { _mm256_storeu_ps(to.access(Self::WIDTH), self.0) }
    }
    #[inline(always)]
    unsafe fn stream(self, to: Ptr<f32>) {
        // SAFETY: the caller guarantees it.
        unsafe { _mm256_stream_ps(to.access(Self::WIDTH), self.0) }
    }
    #[inline(always)]
    fn prefetch(from: Ptr<f32>) {
        // SAFETY: prefetching any address is allowed.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.unchecked().cast()) }
    }
    #[inline(always)]
    fn finish_streams() {
        // SAFETY: every x86-64 processor has the instruction.
        unsafe { _mm_sfence() }
    }
    #[inline(always)]
    fn zip(a: Self, b: Self) -> (Self, Self) {
        // SAFETY: see `operators!`.
        unsafe {
            let (even, odd) = (_mm256_unpacklo_ps(a.0, b.0), _mm256_unpackhi_ps(a.0, b.0));
            (F32x8(_mm256_permute2f128_ps::<0x20>(even, odd)), F32x8(_mm256_permute2f128_ps::<0x31>(even, odd)))
        }
    }
    #[inline(always)]
    fn unzip(a: Self, b: Self) -> (Self, Self) {
        // SAFETY: see `operators!`.
        unsafe {
            let (low, high) = (_mm256_permute2f128_ps::<0x20>(a.0, b.0), _mm256_permute2f128_ps::<0x31>(a.0, b.0));
            (F32x8(_mm256_shuffle_ps::<0x88>(low, high)), F32x8(_mm256_shuffle_ps::<0xdd>(low, high)))
        }
    }
    #[inline(always)]
    fn reciprocal(self) -> Self {
        // SAFETY: see `operators!`.
        unsafe {
            let is_zero = _mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, _mm256_setzero_ps());
            F32x8(_mm256_andnot_ps(is_zero, _mm256_div_ps(_mm256_set1_ps(1.0), self.0)))
        }
    }
    #[inline(always)]
    fn reverse(self) -> Self {
        // SAFETY: see `operators!`.
        unsafe { F32x8(_mm256_permutevar8x32_ps(self.0, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0))) }
    }
    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        // SAFETY: see `operators!`.
        unsafe {
            for j in [0, 4] {
                let [a, b, c, d] = [rows[j].0, rows[j + 1].0, rows[j + 2].0, rows[j + 3].0];
                let (low, low2) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
                let (high, high2) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
                rows[j].0 = _mm256_shuffle_ps::<0x44>(low, low2);
                rows[j + 1].0 = _mm256_shuffle_ps::<0xee>(low, low2);
                rows[j + 2].0 = _mm256_shuffle_ps::<0x44>(high, high2);
                rows[j + 3].0 = _mm256_shuffle_ps::<0xee>(high, high2);
            }
            for i in 0..4 {
                let (a, b) = (rows[i].0, rows[i + 4].0);
                rows[i].0 = _mm256_permute2f128_ps::<0x20>(a, b);
                rows[i + 4].0 = _mm256_permute2f128_ps::<0x31>(a, b);
            }
        }
    }
    #[inline(always)]
    fn swap(self) -> Self {
        // SAFETY: see `operators!`.
        F32x8(unsafe { _mm256_permute_ps::<0xb1>(self.0) })
    }
    #[inline(always)]
    fn transpose_pairs(rows: &mut [Self]) {
        // SAFETY: see `operators!`. A pair has the width of an `f64`.
        unsafe {
            let mut square = each!(i < 4 => F64x4(_mm256_castps_pd(rows[i].0)));
            F64x4::transpose(&mut square);
            for i in 0..4 {
                rows[i].0 = _mm256_castpd_ps(square[i].0);
            }
        }
    }
    #[inline(always)]
    unsafe fn enter<W: WithIsa>(work: W) {
        // SAFETY: the caller guarantees it.
        unsafe { enter(work) }
    }
}
