//! AVX2 and FMA: two blocks in a vector of integers, half of their columns in a vector of floats.

use crate::simd::isa::vectors::{Block, BlocksMut, Floats, VectorTask, Vectors};
use fourfold::each;
use fourfold::engine::Real;
use fourfold::engine::jpeg::Words;
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Neg, Sub};

pub(crate) struct Avx2;

#[derive(Clone, Copy)]
pub(crate) struct I16x16(__m256i);

/// The lower four lanes of each block in one vector, the upper four in the other, as unpacking
/// leaves them.
#[derive(Clone, Copy)]
pub(crate) struct I32x16(__m256i, __m256i);

#[derive(Clone, Copy)]
pub(crate) struct F32x8(__m256);

/// Does a task with AVX2 and FMA.
///
/// # Safety
/// The CPU has them.
#[target_feature(enable = "avx2,fma")]
pub(crate) unsafe fn enter(task: impl VectorTask) {
    // SAFETY: the caller guarantees it.
    unsafe { task.with_vectors::<Avx2>() }
}

macro_rules! operator {
    ($name:ident, $trait:ident, $method:ident, |$a:ident, $b:ident| $value:expr) => {
        impl $trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                // SAFETY: values of these types arise only inside `enter`, whose caller vouches
                // for the instructions.
                unsafe { $value }
            }
        }
    };
}
operator!(I16x16, Add, add, |a, b| I16x16(_mm256_add_epi16(a.0, b.0)));
operator!(I16x16, Sub, sub, |a, b| I16x16(_mm256_sub_epi16(a.0, b.0)));
operator!(I32x16, Add, add, |a, b| I32x16(_mm256_add_epi32(a.0, b.0), _mm256_add_epi32(a.1, b.1)));
operator!(I32x16, Sub, sub, |a, b| I32x16(_mm256_sub_epi32(a.0, b.0), _mm256_sub_epi32(a.1, b.1)));
operator!(F32x8, Add, add, |a, b| F32x8(_mm256_add_ps(a.0, b.0)));
operator!(F32x8, Sub, sub, |a, b| F32x8(_mm256_sub_ps(a.0, b.0)));
operator!(F32x8, Mul, mul, |a, b| F32x8(_mm256_mul_ps(a.0, b.0)));

impl Neg for F32x8 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.constant(-0.0) - self
    }
}

impl Real for F32x8 {
    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        // SAFETY: as of `operator!`, here and below.
        F32x8(unsafe { _mm256_set1_ps(value as f32) })
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        // SAFETY: as above.
        F32x8(unsafe { _mm256_fmadd_ps(self.0, a.0, b.0) })
    }
    #[inline(always)]
    fn mul_sub(self, a: Self, b: Self) -> Self {
        // SAFETY: as above.
        F32x8(unsafe { _mm256_fmsub_ps(self.0, a.0, b.0) })
    }
}

impl Floats for F32x8 {
    #[inline(always)]
    unsafe fn repeat(four: &[f32; 4]) -> Self {
        // SAFETY: the caller guarantees the instructions; there are four.
        F32x8(unsafe {
            let four = _mm_loadu_ps(four.as_ptr());
            _mm256_set_m128(four, four)
        })
    }
    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        let [a, b, c, d] = rows;
        // SAFETY: as above.
        unsafe {
            let (p, q) = (_mm256_unpacklo_ps(a.0, b.0), _mm256_unpacklo_ps(c.0, d.0));
            let (r, s) = (_mm256_unpackhi_ps(a.0, b.0), _mm256_unpackhi_ps(c.0, d.0));
            [
                F32x8(_mm256_shuffle_ps::<0x44>(p, q)),
                F32x8(_mm256_shuffle_ps::<0xee>(p, q)),
                F32x8(_mm256_shuffle_ps::<0x44>(r, s)),
                F32x8(_mm256_shuffle_ps::<0xee>(r, s)),
            ]
        }
    }
}

/// Both factors in every pair of lanes.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn factors(even: i16, odd: i16) -> __m256i {
    let both = u32::from(even as u16) | (u32::from(odd as u16) << 16);
    // SAFETY: the caller guarantees it.
    unsafe { _mm256_set1_epi32(both as i32) }
}

impl Words for I16x16 {
    type Wide = I32x16;

    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        // SAFETY: as above, here and below.
        I16x16(unsafe { _mm256_mullo_epi16(self.0, b.0) })
    }
    #[inline(always)]
    fn dot(self, factor: i16, b: Self, other: i16) -> I32x16 {
        // SAFETY: as above.
        unsafe {
            let by = factors(factor, other);
            let (low, high) = (_mm256_unpacklo_epi16(self.0, b.0), _mm256_unpackhi_epi16(self.0, b.0));
            I32x16(_mm256_madd_epi16(low, by), _mm256_madd_epi16(high, by))
        }
    }
    #[inline(always)]
    fn splat(_: I32x16, value: i32) -> I32x16 {
        // SAFETY: as above.
        let all = unsafe { _mm256_set1_epi32(value) };
        I32x16(all, all)
    }
    #[inline(always)]
    fn widen<const SHIFT: i32>(self) -> I32x16 {
        // SAFETY: as above.
        unsafe {
            let (zero, back) = (_mm256_setzero_si256(), _mm_cvtsi32_si128(16 - SHIFT));
            // Unpacking shifts left by 16 bits, the second shift right by the excess.
            let (low, high) = (_mm256_unpacklo_epi16(zero, self.0), _mm256_unpackhi_epi16(zero, self.0));
            I32x16(_mm256_sra_epi32(low, back), _mm256_sra_epi32(high, back))
        }
    }
    #[inline(always)]
    fn narrow<const SHIFT: i32>(wide: I32x16) -> Self {
        // SAFETY: as above.
        I16x16(unsafe { _mm256_packs_epi32(_mm256_srai_epi32::<SHIFT>(wide.0), _mm256_srai_epi32::<SHIFT>(wide.1)) })
    }
    #[inline(always)]
    fn shift_right<const SHIFT: i32>(self, bias: i16) -> Self {
        // SAFETY: as above.
        I16x16(unsafe { _mm256_srai_epi16::<SHIFT>(_mm256_add_epi16(self.0, _mm256_set1_epi16(bias))) })
    }
    #[inline(always)]
    fn scale(self, half: Self, first: Self, second: Self) -> Self {
        // SAFETY: as above.
        I16x16(unsafe {
            let a = _mm256_add_epi16(_mm256_abs_epi16(self.0), half.0);
            let scaled = _mm256_mulhi_epu16(_mm256_mulhi_epu16(a, first.0), second.0);
            // `sign` gives 0 where self is 0; `scaled` is 0 there anyway.
            _mm256_sign_epi16(scaled, self.0)
        })
    }
}

/// Two rows of eight integers as one vector.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn both(a: &[i16; 8], b: &[i16; 8]) -> I16x16 {
    // SAFETY: the caller guarantees the instructions; rows have sixteen bytes.
    I16x16(unsafe {
        let (a, b) = (_mm_loadu_si128(a.as_ptr().cast()), _mm_loadu_si128(b.as_ptr().cast()));
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b)
    })
}

/// Stores two rows of two blocks: the first rows side by side, then the second ones.
///
/// # Safety
/// The CPU has AVX2, and there is room.
#[inline(always)]
unsafe fn store_pairs(rows: __m256i, to: &BlocksMut<u8>, row: usize) {
    // SAFETY: the caller guarantees it.
    unsafe {
        let pairs = _mm256_permute4x64_epi64::<0xd8>(rows);
        _mm_storeu_si128(to.at(0, row, 16).cast(), _mm256_castsi256_si128(pairs));
        _mm_storeu_si128(to.at(0, row + 1, 16).cast(), _mm256_extracti128_si256::<1>(pairs));
    }
}

impl Vectors for Avx2 {
    type Words = I16x16;
    type Floats = F32x8;
    const BLOCKS: usize = 2;

    #[inline(always)]
    unsafe fn load(blocks: &[Block<i16>]) -> [I16x16; 8] {
        let (a, b) = (&blocks[0], &blocks[1]);
        // SAFETY: the caller guarantees the instructions.
        each!(row < 8 => unsafe { both(&a[row], &b[row]) })
    }
    #[inline(always)]
    unsafe fn load_bytes(blocks: &[Block<u8>]) -> [I16x16; 8] {
        let (a, b) = (&blocks[0], &blocks[1]);
        // SAFETY: the caller guarantees the instructions; rows have eight bytes.
        each!(row < 8 => unsafe {
            let (a, b) = (_mm_loadl_epi64(a[row].as_ptr().cast()), _mm_loadl_epi64(b[row].as_ptr().cast()));
            let words = _mm256_cvtepu8_epi16(_mm_unpacklo_epi64(a, b));
            I16x16(_mm256_sub_epi16(words, _mm256_set1_epi16(128)))
        })
    }
    #[inline(always)]
    unsafe fn repeat(row: &[i16; 8]) -> I16x16 {
        // SAFETY: the caller guarantees the instructions; the row has sixteen bytes.
        I16x16(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(row.as_ptr().cast())) })
    }
    #[inline(always)]
    fn store(rows: [I16x16; 8], to: BlocksMut<i16>) {
        for (row, words) in rows.iter().enumerate() {
            // SAFETY: as above; there is room for two blocks, in an image's row side by side.
            unsafe {
                if to.stride.is_some() {
                    _mm256_storeu_si256(to.at(0, row, 16).cast(), words.0);
                } else {
                    _mm_storeu_si128(to.at(0, row, 8).cast(), _mm256_castsi256_si128(words.0));
                    _mm_storeu_si128(to.at(1, row, 8).cast(), _mm256_extracti128_si256::<1>(words.0));
                }
            }
        }
    }
    #[inline(always)]
    fn store_bytes(columns: [I16x16; 8], to: BlocksMut<u8>) {
        let c = columns;
        // SAFETY: as above; there is room for two blocks.
        unsafe {
            // Bytes of columns i and i + 4; then pairs of columns, 01 and 45, 23 and 67; then
            // fours, rows 0 to 3 and 4 to 7.
            let packed = each!(i < 4 => _mm256_packs_epi16(c[i].0, c[i + 4].0));
            let (p, q) = (_mm256_unpacklo_epi8(packed[0], packed[1]), _mm256_unpackhi_epi8(packed[0], packed[1]));
            let (r, s) = (_mm256_unpacklo_epi8(packed[2], packed[3]), _mm256_unpackhi_epi8(packed[2], packed[3]));
            let left = [_mm256_unpacklo_epi16(p, r), _mm256_unpackhi_epi16(p, r)];
            let right = [_mm256_unpacklo_epi16(q, s), _mm256_unpackhi_epi16(q, s)];
            let to_byte = _mm256_set1_epi8(-128);
            for half in 0..2 {
                let x = _mm256_xor_si256(_mm256_unpacklo_epi32(left[half], right[half]), to_byte);
                let y = _mm256_xor_si256(_mm256_unpackhi_epi32(left[half], right[half]), to_byte);
                if to.stride.is_some() {
                    store_pairs(x, &to, 4 * half);
                    store_pairs(y, &to, 4 * half + 2);
                } else {
                    let (a, b) = (_mm256_permute2x128_si256::<0x20>(x, y), _mm256_permute2x128_si256::<0x31>(x, y));
                    _mm256_storeu_si256(to.at(0, 4 * half, 32).cast(), a);
                    _mm256_storeu_si256(to.at(1, 4 * half, 32).cast(), b);
                }
            }
        }
    }
    #[inline(always)]
    fn are_zero(words: I16x16) -> bool {
        // SAFETY: as above.
        unsafe { _mm256_testz_si256(words.0, words.0) == 1 }
    }
    #[inline(always)]
    fn transpose(rows: [I16x16; 8]) -> [I16x16; 8] {
        let r = rows;
        // SAFETY: as above.
        unsafe {
            let low = each!(i < 4 => _mm256_unpacklo_epi16(r[2 * i].0, r[2 * i + 1].0));
            let high = each!(i < 4 => _mm256_unpackhi_epi16(r[2 * i].0, r[2 * i + 1].0));
            let pairs = each!(i < 8 => {
                // Columns 2 (i % 4) and 2 (i % 4) + 1 of rows 0 to 3, then of rows 4 to 7.
                let from = if i % 4 < 2 { &low } else { &high };
                let (x, y) = (from[i / 4 * 2], from[i / 4 * 2 + 1]);
                if i % 2 == 0 { _mm256_unpacklo_epi32(x, y) } else { _mm256_unpackhi_epi32(x, y) }
            });
            each!(i < 8 => {
                let (x, y) = (pairs[i / 2], pairs[i / 2 + 4]);
                I16x16(if i % 2 == 0 { _mm256_unpacklo_epi64(x, y) } else { _mm256_unpackhi_epi64(x, y) })
            })
        }
    }
    #[inline(always)]
    fn to_floats(words: I16x16) -> [F32x8; 2] {
        // SAFETY: as above.
        unsafe {
            let zero = _mm256_setzero_si256();
            let halves = [_mm256_unpacklo_epi16(zero, words.0), _mm256_unpackhi_epi16(zero, words.0)];
            each!(i < 2 => F32x8(_mm256_cvtepi32_ps(halves[i])))
        }
    }
    #[inline(always)]
    fn to_words(floats: [F32x8; 2]) -> I16x16 {
        // SAFETY: as above.
        I16x16(unsafe {
            let integers = each!(i < 2 => _mm256_cvtps_epi32(floats[i].0));
            _mm256_packs_epi32(integers[0], integers[1])
        })
    }
}
