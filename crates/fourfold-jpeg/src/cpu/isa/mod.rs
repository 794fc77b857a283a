//! The instructions, one file a set. Nothing here knows what a cosine transform is.
//!
//! A vector holds the same row (or column) of several blocks, eight lanes of each; unlike in the core crate, transpositions
//! cross lanes, within a block.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

use fourfold::Isa;
use fourfold::engine::Real;
use fourfold::engine::jpeg::Words;

/// Eight coefficients, samples or factors side by side, and eight such rows.
pub(crate) type Block<T> = [[T; 8]; 8];

/// Rows of half as many blocks in single precision.
pub(crate) trait Floats: Real {
    /// The same row for every block.
    fn repeat(row: &[f32; 8]) -> Self;
    /// Exchanges rows and columns of every block.
    fn transpose(rows: [Self; 8]) -> [Self; 8];
}

/// Vectors of an instruction set, and how they come from memory and go there.
pub(crate) trait Vectors {
    /// Rows of blocks as 16-bit integers.
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
