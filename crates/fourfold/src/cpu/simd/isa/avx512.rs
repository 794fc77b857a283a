//! AVX-512: vectors of eight `f64` or sixteen `f32`.

use crate::arithmetic::complex::each;
use crate::cpu::simd::complex_vector::Interleaved;
use crate::cpu::simd::isa::operators::operators;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Vector, WithIsa, align_stack};
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F64x8(__m512d);

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F32x16(__m512);

/// The classes of numbers whose reciprocals are divisions: NaN, zeros, infinities and subnormal numbers.
///
/// For other x, Newton's rule y + y (1 − xy) squares the relative error of y. `vrcp14` has 2^-14, so one
/// step gives 2^-28 and two give 2^-56, with a last rounding. Divisions are not pipelined: a vector of
/// `f64` takes 16 cycles of an Intel Sapphire Rapids (<https://uops.info>), and these steps about 5.
const SPECIAL: i32 = 0xbf;

operators!(F64x8, f64, _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd, _mm512_fmadd_pd, _mm512_fmsub_pd, _mm512_set1_pd);
operators!(F32x16, f32, _mm512_add_ps, _mm512_sub_ps, _mm512_mul_ps, _mm512_fmadd_ps, _mm512_fmsub_ps, _mm512_set1_ps);

/// Executes `work`, compiled with AVX-512.
///
/// # Safety
/// The CPU has AVX-512 F, DQ and VL, AVX2 and FMA, and the pointers of the work are valid.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
unsafe fn enter<W: WithIsa>(work: W) {
    align_stack();
    // SAFETY: the caller guarantees it.
    unsafe { work.with_isa() }
}

/// Transposes a matrix of 4 × 4 blocks of 128 bits.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn transpose_blocks([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
    // SAFETY: the caller guarantees it.
    unsafe {
        let (even, odd) = (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0xdd>(a, b));
        let (even2, odd2) = (_mm512_shuffle_f64x2::<0x88>(c, d), _mm512_shuffle_f64x2::<0xdd>(c, d));
        [
            _mm512_shuffle_f64x2::<0x88>(even, even2),
            _mm512_shuffle_f64x2::<0x88>(odd, odd2),
            _mm512_shuffle_f64x2::<0xdd>(even, even2),
            _mm512_shuffle_f64x2::<0xdd>(odd, odd2),
        ]
    }
}

impl Vector for F64x8 {
    type Scalar = f64;
    const WIDTH: usize = 8;
    const REGISTERS: usize = 32;
    type ComplexVector = Interleaved<Self>;

    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        // SAFETY: the caller guarantees it.
        F64x8(unsafe { _mm512_set1_pd(value) })
    }
    #[inline(always)]
    unsafe fn load(from: Ptr<f64>) -> Self {
        // SAFETY: the caller guarantees it.
        F64x8(unsafe { _mm512_loadu_pd(from.access(Self::WIDTH)) })
    }
    #[inline(always)]
    unsafe fn store(self, to: Ptr<f64>) {
        // SAFETY: the caller guarantees it.
        unsafe { _mm512_storeu_pd(to.access(Self::WIDTH), self.0) }
    }
    #[inline(always)]
    unsafe fn stream(self, to: Ptr<f64>) {
        // SAFETY: the caller guarantees it.
        unsafe { _mm512_stream_pd(to.access(Self::WIDTH), self.0) }
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
            let low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
            let high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
            (F64x8(_mm512_permutex2var_pd(a.0, low, b.0)), F64x8(_mm512_permutex2var_pd(a.0, high, b.0)))
        }
    }
    #[inline(always)]
    fn unzip(a: Self, b: Self) -> (Self, Self) {
        // SAFETY: see `operators!`.
        unsafe {
            let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
            let odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
            (F64x8(_mm512_permutex2var_pd(a.0, even, b.0)), F64x8(_mm512_permutex2var_pd(a.0, odd, b.0)))
        }
    }
    #[inline(always)]
    fn reciprocal(self) -> Self {
        // SAFETY: see `operators!`.
        unsafe {
            let one = _mm512_set1_pd(1.0);
            let y = _mm512_rcp14_pd(self.0);
            let e = _mm512_fnmadd_pd(self.0, y, one);
            let y = _mm512_fmadd_pd(y, e, y);
            let e = _mm512_fnmadd_pd(self.0, y, one);
            let y = _mm512_fmadd_pd(y, e, y);
            let special = _mm512_fpclass_pd_mask::<SPECIAL>(self.0);
            if special == 0 {
                return F64x8(y);
            }
            let is_some = _mm512_cmp_pd_mask::<_CMP_NEQ_UQ>(self.0, _mm512_setzero_pd());
            let quotient = _mm512_maskz_div_pd(is_some, one, self.0);
            F64x8(_mm512_mask_blend_pd(special, y, quotient))
        }
    }
    #[inline(always)]
    fn reverse(self) -> Self {
        // SAFETY: see `operators!`.
        unsafe {
            let order = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);
            F64x8(_mm512_permutexvar_pd(order, self.0))
        }
    }
    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        // SAFETY: see `operators!`.
        unsafe {
            for j in (0..8).step_by(2) {
                let (a, b) = (rows[j].0, rows[j + 1].0);
                (rows[j].0, rows[j + 1].0) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
            }
            for i in 0..2 {
                let [a, b, c, d] = transpose_blocks([rows[i].0, rows[i + 2].0, rows[i + 4].0, rows[i + 6].0]);
                (rows[i].0, rows[i + 2].0, rows[i + 4].0, rows[i + 6].0) = (a, b, c, d);
            }
        }
    }
    #[inline(always)]
    fn swap(self) -> Self {
        // SAFETY: see `operators!`.
        F64x8(unsafe { _mm512_permute_pd::<0x55>(self.0) })
    }
    #[inline(always)]
    fn transpose_pairs(rows: &mut [Self]) {
        // SAFETY: see `operators!`.
        let [a, b, c, d] = unsafe { transpose_blocks([rows[0].0, rows[1].0, rows[2].0, rows[3].0]) };
        (rows[0].0, rows[1].0, rows[2].0, rows[3].0) = (a, b, c, d);
    }
    #[inline(always)]
    unsafe fn enter<W: WithIsa>(work: W) {
        // SAFETY: the caller guarantees it.
        unsafe { enter(work) }
    }
}

impl Vector for F32x16 {
    type Scalar = f32;
    const WIDTH: usize = 16;
    const REGISTERS: usize = 32;
    type ComplexVector = Interleaved<Self>;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller guarantees it.
        F32x16(unsafe { _mm512_set1_ps(value) })
    }
    #[inline(always)]
    unsafe fn load(from: Ptr<f32>) -> Self {
        // SAFETY: the caller guarantees it.
        F32x16(unsafe { _mm512_loadu_ps(from.access(Self::WIDTH)) })
    }
    #[inline(always)]
    unsafe fn store(self, to: Ptr<f32>) {
        // SAFETY: the caller guarantees it.
        unsafe { _mm512_storeu_ps(to.access(Self::WIDTH), self.0) }
    }
    #[inline(always)]
    unsafe fn stream(self, to: Ptr<f32>) {
        // SAFETY: the caller guarantees it.
        unsafe { _mm512_stream_ps(to.access(Self::WIDTH), self.0) }
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
            let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
            (F32x16(_mm512_permutex2var_ps(a.0, low, b.0)), F32x16(_mm512_permutex2var_ps(a.0, high, b.0)))
        }
    }
    #[inline(always)]
    fn unzip(a: Self, b: Self) -> (Self, Self) {
        // SAFETY: see `operators!`.
        unsafe {
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            let odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
            (F32x16(_mm512_permutex2var_ps(a.0, even, b.0)), F32x16(_mm512_permutex2var_ps(a.0, odd, b.0)))
        }
    }
    #[inline(always)]
    fn reciprocal(self) -> Self {
        // SAFETY: see `operators!`.
        unsafe {
            let one = _mm512_set1_ps(1.0);
            let y = _mm512_rcp14_ps(self.0);
            let e = _mm512_fnmadd_ps(self.0, y, one);
            let y = _mm512_fmadd_ps(y, e, y);
            let special = _mm512_fpclass_ps_mask::<SPECIAL>(self.0);
            if special == 0 {
                return F32x16(y);
            }
            let is_some = _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(self.0, _mm512_setzero_ps());
            let quotient = _mm512_maskz_div_ps(is_some, one, self.0);
            F32x16(_mm512_mask_blend_ps(special, y, quotient))
        }
    }
    #[inline(always)]
    fn reverse(self) -> Self {
        // SAFETY: see `operators!`.
        unsafe {
            let order = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
            F32x16(_mm512_permutexvar_ps(order, self.0))
        }
    }
    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        // SAFETY: see `operators!`.
        unsafe {
            for j in (0..16).step_by(4) {
                let [a, b, c, d] = [rows[j].0, rows[j + 1].0, rows[j + 2].0, rows[j + 3].0];
                let (low, low2) = (_mm512_unpacklo_ps(a, b), _mm512_unpacklo_ps(c, d));
                let (high, high2) = (_mm512_unpackhi_ps(a, b), _mm512_unpackhi_ps(c, d));
                rows[j].0 = _mm512_shuffle_ps::<0x44>(low, low2);
                rows[j + 1].0 = _mm512_shuffle_ps::<0xee>(low, low2);
                rows[j + 2].0 = _mm512_shuffle_ps::<0x44>(high, high2);
                rows[j + 3].0 = _mm512_shuffle_ps::<0xee>(high, high2);
            }
            for i in 0..4 {
                let [a, b, c, d] = transpose_blocks([
                    _mm512_castps_pd(rows[i].0),
                    _mm512_castps_pd(rows[i + 4].0),
                    _mm512_castps_pd(rows[i + 8].0),
                    _mm512_castps_pd(rows[i + 12].0),
                ]);
                (rows[i].0, rows[i + 4].0) = (_mm512_castpd_ps(a), _mm512_castpd_ps(b));
                (rows[i + 8].0, rows[i + 12].0) = (_mm512_castpd_ps(c), _mm512_castpd_ps(d));
            }
        }
    }
    #[inline(always)]
    fn swap(self) -> Self {
        // SAFETY: see `operators!`.
        F32x16(unsafe { _mm512_permute_ps::<0xb1>(self.0) })
    }
    #[inline(always)]
    fn transpose_pairs(rows: &mut [Self]) {
        // SAFETY: see `operators!`. A pair has the width of an `f64`.
        unsafe {
            let mut square = each!(i < 8 => F64x8(_mm512_castps_pd(rows[i].0)));
            F64x8::transpose(&mut square);
            for i in 0..8 {
                rows[i].0 = _mm512_castpd_ps(square[i].0);
            }
        }
    }
    #[inline(always)]
    unsafe fn enter<W: WithIsa>(work: W) {
        // SAFETY: the caller guarantees it.
        unsafe { enter(work) }
    }
}
