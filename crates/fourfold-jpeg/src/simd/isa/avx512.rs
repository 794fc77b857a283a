//! AVX-512: four blocks in a vector of integers, half of their columns in a vector of floats. As
//! with AVX2, nothing crosses the lanes of 128 bits, of which each block has one.

use crate::simd::isa::vectors::{Block, BlocksMut, Floats, VectorTask, Vectors};
use fourfold::each;
use fourfold::engine::Real;
use fourfold::engine::jpeg::Words;
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Neg, Sub};

pub(crate) struct Avx512;

#[derive(Clone, Copy)]
pub(crate) struct I16x32(__m512i);

/// The lower four lanes of each block in one vector, the upper four in the other, as unpacking
/// leaves them.
#[derive(Clone, Copy)]
pub(crate) struct I32x32(__m512i, __m512i);

#[derive(Clone, Copy)]
pub(crate) struct F32x16(__m512);

/// Does a task with AVX-512.
///
/// # Safety
/// The CPU has its parts F, BW, DQ and VL, AVX2 and FMA.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(crate) unsafe fn enter(task: impl VectorTask) {
    // SAFETY: the caller guarantees it.
    unsafe { task.with_vectors::<Avx512>() }
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
operator!(I16x32, Add, add, |a, b| I16x32(_mm512_add_epi16(a.0, b.0)));
operator!(I16x32, Sub, sub, |a, b| I16x32(_mm512_sub_epi16(a.0, b.0)));
operator!(I32x32, Add, add, |a, b| I32x32(_mm512_add_epi32(a.0, b.0), _mm512_add_epi32(a.1, b.1)));
operator!(I32x32, Sub, sub, |a, b| I32x32(_mm512_sub_epi32(a.0, b.0), _mm512_sub_epi32(a.1, b.1)));
operator!(F32x16, Add, add, |a, b| F32x16(_mm512_add_ps(a.0, b.0)));
operator!(F32x16, Sub, sub, |a, b| F32x16(_mm512_sub_ps(a.0, b.0)));
operator!(F32x16, Mul, mul, |a, b| F32x16(_mm512_mul_ps(a.0, b.0)));

impl Neg for F32x16 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.constant(-0.0) - self
    }
}

impl Real for F32x16 {
    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        // SAFETY: as of `operator!`, here and below.
        F32x16(unsafe { _mm512_set1_ps(value as f32) })
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        // SAFETY: as above.
        F32x16(unsafe { _mm512_fmadd_ps(self.0, a.0, b.0) })
    }
    #[inline(always)]
    fn mul_sub(self, a: Self, b: Self) -> Self {
        // SAFETY: as above.
        F32x16(unsafe { _mm512_fmsub_ps(self.0, a.0, b.0) })
    }
}

impl Floats for F32x16 {
    #[inline(always)]
    unsafe fn repeat(four: &[f32; 4]) -> Self {
        // SAFETY: the caller guarantees the instructions; there are four.
        F32x16(unsafe { _mm512_broadcast_f32x4(_mm_loadu_ps(four.as_ptr())) })
    }
    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        let [a, b, c, d] = rows;
        // SAFETY: as above.
        unsafe {
            let (p, q) = (_mm512_unpacklo_ps(a.0, b.0), _mm512_unpacklo_ps(c.0, d.0));
            let (r, s) = (_mm512_unpackhi_ps(a.0, b.0), _mm512_unpackhi_ps(c.0, d.0));
            [
                F32x16(_mm512_shuffle_ps::<0x44>(p, q)),
                F32x16(_mm512_shuffle_ps::<0xee>(p, q)),
                F32x16(_mm512_shuffle_ps::<0x44>(r, s)),
                F32x16(_mm512_shuffle_ps::<0xee>(r, s)),
            ]
        }
    }
}

/// Both factors in every pair of lanes.
///
/// # Safety
/// The CPU has AVX-512.
#[inline(always)]
unsafe fn factors(even: i16, odd: i16) -> __m512i {
    let both = u32::from(even as u16) | (u32::from(odd as u16) << 16);
    // SAFETY: the caller guarantees it.
    unsafe { _mm512_set1_epi32(both as i32) }
}

impl Words for I16x32 {
    type Wide = I32x32;

    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        // SAFETY: as above, here and below.
        I16x32(unsafe { _mm512_mullo_epi16(self.0, b.0) })
    }
    #[inline(always)]
    fn dot(self, factor: i16, b: Self, other: i16) -> I32x32 {
        // SAFETY: as above.
        unsafe {
            let by = factors(factor, other);
            let (low, high) = (_mm512_unpacklo_epi16(self.0, b.0), _mm512_unpackhi_epi16(self.0, b.0));
            I32x32(_mm512_madd_epi16(low, by), _mm512_madd_epi16(high, by))
        }
    }
    #[inline(always)]
    fn splat(_: I32x32, value: i32) -> I32x32 {
        // SAFETY: as above.
        let all = unsafe { _mm512_set1_epi32(value) };
        I32x32(all, all)
    }
    #[inline(always)]
    fn widen<const SHIFT: i32>(self) -> I32x32 {
        // SAFETY: as above.
        unsafe {
            let (zero, back) = (_mm512_setzero_si512(), _mm_cvtsi32_si128(16 - SHIFT));
            // Unpacking shifts left by 16 bits, the second shift right by the excess.
            let (low, high) = (_mm512_unpacklo_epi16(zero, self.0), _mm512_unpackhi_epi16(zero, self.0));
            I32x32(_mm512_sra_epi32(low, back), _mm512_sra_epi32(high, back))
        }
    }
    #[inline(always)]
    fn narrow<const SHIFT: i32>(wide: I32x32) -> Self {
        // SAFETY: as above.
        I16x32(unsafe {
            {
                let shift = _mm_cvtsi32_si128(SHIFT);
                _mm512_packs_epi32(_mm512_sra_epi32(wide.0, shift), _mm512_sra_epi32(wide.1, shift))
            }
        })
    }
    #[inline(always)]
    fn shift_right<const SHIFT: i32>(self, bias: i16) -> Self {
        // SAFETY: as above.
        I16x32(unsafe { _mm512_sra_epi16(_mm512_add_epi16(self.0, _mm512_set1_epi16(bias)), _mm_cvtsi32_si128(SHIFT)) })
    }
    #[inline(always)]
    fn scale(self, half: Self, first: Self, second: Self) -> Self {
        // SAFETY: as above.
        I16x32(unsafe {
            let a = _mm512_add_epi16(_mm512_abs_epi16(self.0), half.0);
            let scaled = _mm512_mulhi_epu16(_mm512_mulhi_epu16(a, first.0), second.0);
            _mm512_mask_sub_epi16(scaled, _mm512_movepi16_mask(self.0), _mm512_setzero_si512(), scaled)
        })
    }
}

/// A vector from its four parts of 128 bits.
///
/// # Safety
/// The CPU has AVX-512.
#[inline(always)]
unsafe fn lanes(lanes: [__m128i; 4]) -> __m512i {
    let [a, b, c, d] = lanes;
    // SAFETY: as above.
    unsafe {
        let (a, c) = (_mm512_castsi128_si512(a), _mm256_castsi128_si256(c));
        let (ab, cd) = (_mm512_inserti32x4::<1>(a, b), _mm256_inserti128_si256::<1>(c, d));
        _mm512_inserti64x4::<1>(ab, cd)
    }
}

/// Stores two rows of four blocks: the first rows side by side, then the second ones.
///
/// # Safety
/// The CPU has AVX-512, and there is room.
#[inline(always)]
unsafe fn store_fours(rows: __m512i, to: &BlocksMut<u8>, row: usize) {
    // SAFETY: the caller guarantees it.
    unsafe {
        let fours = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), rows);
        _mm256_storeu_si256(to.at(0, row, 32).cast(), _mm512_castsi512_si256(fours));
        _mm256_storeu_si256(to.at(0, row + 1, 32).cast(), _mm512_extracti64x4_epi64::<1>(fours));
    }
}

/// Stores a row of each block, or two rows of bytes.
///
/// # Safety
/// The CPU has AVX-512, and there is room.
#[inline(always)]
unsafe fn store_lanes<T>(vector: __m512i, to: &BlocksMut<T>, row: usize) {
    // SAFETY: the caller guarantees it.
    unsafe {
        let count = size_of::<__m128i>() / size_of::<T>();
        _mm_storeu_si128(to.at(0, row, count).cast(), _mm512_castsi512_si128(vector));
        _mm_storeu_si128(to.at(1, row, count).cast(), _mm512_extracti32x4_epi32::<1>(vector));
        _mm_storeu_si128(to.at(2, row, count).cast(), _mm512_extracti32x4_epi32::<2>(vector));
        _mm_storeu_si128(to.at(3, row, count).cast(), _mm512_extracti32x4_epi32::<3>(vector));
    }
}

impl Vectors for Avx512 {
    type Words = I16x32;
    type Floats = F32x16;
    const BLOCKS: usize = 4;

    #[inline(always)]
    unsafe fn load(blocks: &[Block<i16>]) -> [I16x32; 8] {
        let all: &[_; 4] = blocks.first_chunk().expect("as many blocks as a vector has");
        // SAFETY: the caller guarantees the instructions; rows have sixteen bytes.
        each!(row < 8 => unsafe {
            I16x32(lanes(each!(block < 4 => _mm_loadu_si128(all[block][row].as_ptr().cast()))))
        })
    }
    #[inline(always)]
    unsafe fn load_bytes(blocks: &[Block<u8>]) -> [I16x32; 8] {
        let all: &[_; 4] = blocks.first_chunk().expect("as many blocks as a vector has");
        // SAFETY: the caller guarantees the instructions; rows have eight bytes.
        each!(row < 8 => unsafe {
            let bytes = each!(block < 4 => _mm_loadl_epi64(all[block][row].as_ptr().cast()));
            let (low, high) = (_mm_unpacklo_epi64(bytes[0], bytes[1]), _mm_unpacklo_epi64(bytes[2], bytes[3]));
            let words = _mm512_cvtepu8_epi16(_mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high));
            I16x32(_mm512_sub_epi16(words, _mm512_set1_epi16(128)))
        })
    }
    #[inline(always)]
    unsafe fn repeat(row: &[i16; 8]) -> I16x32 {
        // SAFETY: the caller guarantees the instructions; the row has sixteen bytes.
        I16x32(unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(row.as_ptr().cast())) })
    }
    #[inline(always)]
    fn store(rows: [I16x32; 8], to: BlocksMut<i16>) {
        for (row, words) in rows.iter().enumerate() {
            // SAFETY: as above; there is room for four blocks, in an image's row side by side.
            unsafe {
                if to.stride.is_some() {
                    _mm512_storeu_si512(to.at(0, row, 32).cast(), words.0);
                } else {
                    store_lanes(words.0, &to, row);
                }
            }
        }
    }
    #[inline(always)]
    fn store_bytes(columns: [I16x32; 8], to: BlocksMut<u8>) {
        let c = columns;
        // SAFETY: as above; there is room for four blocks.
        unsafe {
            // Bytes of columns i and i + 4; then pairs of columns, 01 and 45, 23 and 67; then
            // fours, rows 0 to 3 and 4 to 7.
            let packed = each!(i < 4 => _mm512_packs_epi16(c[i].0, c[i + 4].0));
            let (p, q) = (_mm512_unpacklo_epi8(packed[0], packed[1]), _mm512_unpackhi_epi8(packed[0], packed[1]));
            let (r, s) = (_mm512_unpacklo_epi8(packed[2], packed[3]), _mm512_unpackhi_epi8(packed[2], packed[3]));
            let left = [_mm512_unpacklo_epi16(p, r), _mm512_unpackhi_epi16(p, r)];
            let right = [_mm512_unpacklo_epi16(q, s), _mm512_unpackhi_epi16(q, s)];
            let to_byte = _mm512_set1_epi8(-128);
            for half in 0..2 {
                let x = _mm512_xor_si512(_mm512_unpacklo_epi32(left[half], right[half]), to_byte);
                let y = _mm512_xor_si512(_mm512_unpackhi_epi32(left[half], right[half]), to_byte);
                if to.stride.is_some() {
                    store_fours(x, &to, 4 * half);
                    store_fours(y, &to, 4 * half + 2);
                } else {
                    store_lanes(x, &to, 4 * half);
                    store_lanes(y, &to, 4 * half + 2);
                }
            }
        }
    }
    #[inline(always)]
    fn are_zero(words: I16x32) -> bool {
        // SAFETY: as above.
        unsafe { _mm512_test_epi32_mask(words.0, words.0) == 0 }
    }
    #[inline(always)]
    fn transpose(rows: [I16x32; 8]) -> [I16x32; 8] {
        let r = rows;
        // SAFETY: as above.
        unsafe {
            let low = each!(i < 4 => _mm512_unpacklo_epi16(r[2 * i].0, r[2 * i + 1].0));
            let high = each!(i < 4 => _mm512_unpackhi_epi16(r[2 * i].0, r[2 * i + 1].0));
            let pairs = each!(i < 8 => {
                // Columns 2 (i % 4) and 2 (i % 4) + 1 of rows 0 to 3, then of rows 4 to 7.
                let from = if i % 4 < 2 { &low } else { &high };
                let (x, y) = (from[i / 4 * 2], from[i / 4 * 2 + 1]);
                if i % 2 == 0 { _mm512_unpacklo_epi32(x, y) } else { _mm512_unpackhi_epi32(x, y) }
            });
            each!(i < 8 => {
                let (x, y) = (pairs[i / 2], pairs[i / 2 + 4]);
                I16x32(if i % 2 == 0 { _mm512_unpacklo_epi64(x, y) } else { _mm512_unpackhi_epi64(x, y) })
            })
        }
    }
    #[inline(always)]
    fn to_floats(words: I16x32) -> [F32x16; 2] {
        // SAFETY: as above.
        unsafe {
            let zero = _mm512_setzero_si512();
            let halves = [_mm512_unpacklo_epi16(zero, words.0), _mm512_unpackhi_epi16(zero, words.0)];
            each!(i < 2 => F32x16(_mm512_cvtepi32_ps(halves[i])))
        }
    }
    #[inline(always)]
    fn to_words(floats: [F32x16; 2]) -> I16x32 {
        // SAFETY: as above.
        I16x32(unsafe {
            let integers = each!(i < 2 => _mm512_cvtps_epi32(floats[i].0));
            _mm512_packs_epi32(integers[0], integers[1])
        })
    }
}
