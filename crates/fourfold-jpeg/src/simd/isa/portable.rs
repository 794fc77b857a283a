//! Arrays, which compilers turn into the vectors of their machine.

use crate::simd::isa::vectors::{Block, BlocksMut, Floats, Vectors};
use fourfold::each;
use fourfold::engine::Real;
use fourfold::engine::jpeg::Words;
use std::ops::{Add, Mul, Neg, Sub};

/// Two blocks in a vector.
pub(crate) struct Portable;

#[derive(Clone, Copy)]
pub(crate) struct I16x16([i16; 16]);

#[derive(Clone, Copy)]
pub(crate) struct I32x16([i32; 16]);

#[derive(Clone, Copy)]
pub(crate) struct F32x8([f32; 8]);

macro_rules! operator {
    ($name:ident[$lanes:literal], $trait:ident, $method:ident, |$a:ident, $b:ident| $value:expr) => {
        impl $trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                $name(each!(i < $lanes => {
                    let ($a, $b) = ($a[i], $b[i]);
                    $value
                }))
            }
        }
    };
}
operator!(I16x16[16], Add, add, |a, b| a.wrapping_add(b));
operator!(I16x16[16], Sub, sub, |a, b| a.wrapping_sub(b));
operator!(I32x16[16], Add, add, |a, b| a.wrapping_add(b));
operator!(I32x16[16], Sub, sub, |a, b| a.wrapping_sub(b));
operator!(F32x8[8], Add, add, |a, b| a + b);
operator!(F32x8[8], Sub, sub, |a, b| a - b);
operator!(F32x8[8], Mul, mul, |a, b| a * b);

impl Neg for F32x8 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        F32x8(each!(i < 8 => -self.0[i]))
    }
}

impl Real for F32x8 {
    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        F32x8([value as f32; 8])
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }
    #[inline(always)]
    fn mul_sub(self, a: Self, b: Self) -> Self {
        self * a - b
    }
}

impl Floats for F32x8 {
    #[inline(always)]
    unsafe fn repeat(four: &[f32; 4]) -> Self {
        F32x8(each!(i < 8 => four[i % 4]))
    }
    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        each!(row < 4 => F32x8(each!(i < 8 => rows[i % 4].0[i / 4 * 4 + row])))
    }
}

/// The product in 32 bits.
#[inline(always)]
fn product(a: i16, b: i16) -> i32 {
    i32::from(a) * i32::from(b)
}

/// The upper half of the product of numbers without signs.
#[inline(always)]
fn high(a: u16, b: i16) -> u16 {
    ((u32::from(a) * u32::from(b as u16)) >> 16) as u16
}

/// The nearest integer within 16 bits. In numbers from 2^23 to 2^24 the last bit counts ones, so
/// that the addition rounds; processors without an instruction that rounds have this one.
#[inline(always)]
fn nearest(x: f32) -> i16 {
    const SHIFT: f32 = 12_582_912.0;
    let bits = (x.clamp(i16::MIN.into(), i16::MAX.into()) + SHIFT).to_bits();
    bits as i16 // those of SHIFT are 0 here
}

impl Words for I16x16 {
    type Wide = I32x16;

    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        I16x16(each!(i < 16 => self.0[i].wrapping_mul(b.0[i])))
    }
    #[inline(always)]
    fn dot(self, factor: i16, b: Self, other: i16) -> I32x16 {
        I32x16(each!(i < 16 => product(self.0[i], factor).wrapping_add(product(b.0[i], other))))
    }
    #[inline(always)]
    fn splat(_: I32x16, value: i32) -> I32x16 {
        I32x16([value; 16])
    }
    #[inline(always)]
    fn widen<const SHIFT: i32>(self) -> I32x16 {
        I32x16(each!(i < 16 => i32::from(self.0[i]) << SHIFT))
    }
    #[inline(always)]
    fn narrow<const SHIFT: i32>(wide: I32x16) -> Self {
        I16x16(each!(i < 16 => (wide.0[i] >> SHIFT).clamp(i16::MIN.into(), i16::MAX.into()) as i16))
    }
    #[inline(always)]
    fn shift_right<const SHIFT: i32>(self, bias: i16) -> Self {
        I16x16(each!(i < 16 => self.0[i].wrapping_add(bias) >> SHIFT))
    }
    #[inline(always)]
    fn scale(self, half: Self, first: Self, second: Self) -> Self {
        I16x16(each!(i < 16 => {
            let a = self.0[i].unsigned_abs().wrapping_add(half.0[i] as u16);
            let scaled = high(high(a, first.0[i]), second.0[i]) as i16;
            if self.0[i] < 0 { scaled.wrapping_neg() } else { scaled }
        }))
    }
}

impl Vectors for Portable {
    type Words = I16x16;
    type Floats = F32x8;
    const BLOCKS: usize = 2;

    #[inline(always)]
    unsafe fn load(blocks: &[Block<i16>]) -> [I16x16; 8] {
        let blocks: &[_; 2] = blocks.first_chunk().expect("as many blocks as a vector has");
        each!(row < 8 => I16x16(each!(i < 16 => blocks[i / 8][row][i % 8])))
    }
    #[inline(always)]
    unsafe fn load_bytes(blocks: &[Block<u8>]) -> [I16x16; 8] {
        let blocks: &[_; 2] = blocks.first_chunk().expect("as many blocks as a vector has");
        each!(row < 8 => I16x16(each!(i < 16 => i16::from(blocks[i / 8][row][i % 8]) - 128)))
    }
    #[inline(always)]
    unsafe fn repeat(row: &[i16; 8]) -> I16x16 {
        I16x16(each!(i < 16 => row[i % 8]))
    }
    #[inline(always)]
    fn store(rows: [I16x16; 8], to: BlocksMut<i16>) {
        for (row, words) in rows.iter().enumerate() {
            for (block, lanes) in words.0.as_chunks::<8>().0.iter().enumerate() {
                // SAFETY: there is room for two blocks, of whose rows each has eight.
                unsafe { to.at(block, row, 8).cast::<[i16; 8]>().write_unaligned(*lanes) };
            }
        }
    }
    #[inline(always)]
    fn store_bytes(columns: [I16x16; 8], to: BlocksMut<u8>) {
        for (row, words) in Self::transpose(columns).iter().enumerate() {
            for (block, lanes) in words.0.as_chunks::<8>().0.iter().enumerate() {
                let bytes = each!(i < 8 => (lanes[i].clamp(-128, 127) + 128) as u8);
                // SAFETY: as above.
                unsafe { to.at(block, row, 8).cast::<[u8; 8]>().write_unaligned(bytes) };
            }
        }
    }
    #[inline(always)]
    fn are_zero(words: I16x16) -> bool {
        words.0 == [0; 16]
    }
    #[inline(always)]
    fn transpose(rows: [I16x16; 8]) -> [I16x16; 8] {
        each!(row < 8 => I16x16(each!(i < 16 => rows[i % 8].0[i / 8 * 8 + row])))
    }
    #[inline(always)]
    fn to_floats(words: I16x16) -> [F32x8; 2] {
        let upper = |x: i16| (i32::from(x) << 16) as f32;
        each!(half < 2 => F32x8(each!(i < 8 => upper(words.0[i / 4 * 8 + 4 * half + i % 4]))))
    }
    #[inline(always)]
    fn to_words(floats: [F32x8; 2]) -> I16x16 {
        I16x16(each!(i < 16 => nearest(floats[i / 4 % 2].0[i / 8 * 4 + i % 4])))
    }
}
