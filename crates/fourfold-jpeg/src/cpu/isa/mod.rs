//! The instructions, one file a set. Nothing here knows what a cosine transform is.
//!
//! A vector holds the same row (or column) of several blocks, eight lanes of each; unlike in the core crate, transpositions
//! cross lanes, within a block.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

use fourfold::Isa;
use fourfold::engine::Real;
use std::ops::{Add, Sub};

/// An array from its elements, as the core crate has it: what closures compute, those of `from_fn` and `map` included, may be compiled
/// without the instruction set.
macro_rules! each {
    ($index:ident < $count:expr => $element:expr) => {{
        let $index = 0;
        let mut all = [$element; $count];
        for $index in 1..$count {
            all[$index] = $element;
        }
        all
    }};
}
pub(super) use each;

/// Eight coefficients, samples or factors side by side, and eight such rows.
pub(crate) type Block<T> = [[T; 8]; 8];

/// Rows of blocks as 16-bit integers. Sums and differences wrap around.
pub(crate) trait Words: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// 32 bits for each lane. Sums and differences wrap around.
    type Wide: Copy + Add<Output = Self::Wide> + Sub<Output = Self::Wide>;

    /// The lower half of the product.
    fn mul(self, b: Self) -> Self;
    /// self · factor + b · other.
    fn dot(self, factor: i16, b: Self, other: i16) -> Self::Wide;
    /// The same value in every lane.
    fn splat(value: i32) -> Self::Wide;
    /// self · 2^shift.
    fn widen<const SHIFT: i32>(self) -> Self::Wide;
    /// ⌊wide / 2^shift⌋, or the nearest 16-bit integer.
    fn narrow<const SHIFT: i32>(wide: Self::Wide) -> Self;
    /// ⌊(self + bias) / 2^shift⌋.
    fn shift_right<const SHIFT: i32>(self, bias: i16) -> Self;
    /// (|self| + half) · first / 2^16 · second / 2^16 with the sign of self; all products rounded down, without signs.
    fn scale(self, half: Self, first: Self, second: Self) -> Self;
}

/// Rows of half as many blocks in single precision.
pub(crate) trait Floats: Real {
    /// The same row for every block.
    fn repeat(row: &[f32; 8]) -> Self;
    /// Exchanges rows and columns of every block.
    fn transpose(rows: [Self; 8]) -> [Self; 8];
}

/// Vectors of an instruction set, and how they come from memory and go there.
pub(crate) trait Vectors {
    /// Integers.
    type Words: Words;
    /// Numbers in single precision.
    type Floats: Floats;
    /// Blocks in a vector of integers.
    const BLOCKS: usize;

    /// The rows of [`Vectors::BLOCKS`] blocks.
    fn load(blocks: &[Block<i16>]) -> [Self::Words; 8];
    /// The same, of bytes less 128.
    fn load_bytes(blocks: &[Block<u8>]) -> [Self::Words; 8];
    /// The same row for every block.
    fn repeat(row: &[i16; 8]) -> Self::Words;
    /// Stores the rows of blocks.
    fn store(rows: [Self::Words; 8], blocks: &mut [Block<i16>]);
    /// Stores blocks of which these are the columns, plus 128, as the nearest bytes.
    fn store_bytes(columns: [Self::Words; 8], blocks: &mut [Block<u8>]);
    /// Exchanges rows and columns of every block.
    fn transpose(rows: [Self::Words; 8]) -> [Self::Words; 8];
    /// Single precision of the first half of the blocks, and of the second.
    fn to_floats(words: Self::Words) -> [Self::Floats; 2];
    /// The nearest integers, halves to even ones, within 16 bits.
    fn to_words(floats: [Self::Floats; 2]) -> Self::Words;
}

/// Work for whichever vectors the machine has; must be `#[inline(always)]`, so that it is compiled with their instructions.
pub(crate) trait Work {
    /// Does it.
    fn run<V: Vectors>(self);
}

/// Does `work` with the vectors of an instruction set that this machine has.
pub(crate) fn run(isa: Isa, work: impl Work) {
    debug_assert!(isa.is_available());
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: sets are checked when a transform is built.
        Isa::Avx2 => unsafe { avx2::run(work) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx512 => unsafe { avx2::run_with_avx512(work) },
        _ => work.run::<portable::Portable>(),
    }
}
