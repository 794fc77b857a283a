//! The instructions, one file a set. Nothing here knows what a cosine transform is.
//!
//! A vector holds the same row (or column) of several blocks, eight lanes of each; unlike in the
//! core crate, transpositions cross lanes, within a block.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub(crate) mod portable;

use fourfold::Isa;
use fourfold::engine::Real;
use fourfold::engine::jpeg::Words;
use std::marker::PhantomData;

/// Eight coefficients, samples or factors side by side, and eight such rows.
pub(crate) type Block<T> = [[T; 8]; 8];

/// Four columns of blocks in single precision.
pub(crate) trait Floats: Real {
    /// The same four numbers for every block.
    fn repeat(four: &[f32; 4]) -> Self;
    /// Exchanges rows and columns of the four by four numbers of every block.
    fn transpose(rows: [Self; 4]) -> [Self; 4];
}

/// Where the samples of so many blocks as a vector has are stored: either blocks of 64, or an
/// image's rows, in which blocks are neighbours.
pub(crate) struct Places<'a, T> {
    first: *mut T,
    /// From row to row; none of blocks.
    stride: Option<usize>,
    samples: PhantomData<&'a mut [T]>,
}

impl<'a, T> Places<'a, T> {
    /// For `blocks` blocks, if there is room for them.
    pub(crate) fn new(samples: &'a mut [T], stride: Option<usize>, blocks: usize) -> Option<Places<'a, T>> {
        let needed = stride.map_or(64 * blocks, |stride| 7 * stride + 8 * blocks);
        let first = samples.as_mut_ptr();
        (samples.len() >= needed).then_some(Places { first, stride, samples: PhantomData })
    }

    /// Where a row of a block begins.
    fn at(&self, block: usize, row: usize) -> *mut T {
        self.first.wrapping_add(self.stride.map_or(64 * block + 8 * row, |stride| 8 * block + stride * row))
    }
}

/// Vectors of an instruction set, and how they come from memory and go there.
pub(crate) trait Vectors {
    /// Rows of blocks as 16-bit integers.
    type Words: Words;
    /// Numbers in single precision.
    type Floats: Floats;
    /// Blocks in a vector.
    const BLOCKS: usize;

    /// The rows of [`Vectors::BLOCKS`] blocks.
    fn load(blocks: &[Block<i16>]) -> [Self::Words; 8];
    /// The same, of bytes less 128.
    fn load_bytes(blocks: &[Block<u8>]) -> [Self::Words; 8];
    /// The same row for every block.
    fn repeat(row: &[i16; 8]) -> Self::Words;
    /// Stores the rows of blocks, for which the places were made.
    fn store(rows: [Self::Words; 8], to: Places<i16>);
    /// Stores blocks of which these are the columns, plus 128, as the nearest bytes.
    fn store_bytes(columns: [Self::Words; 8], to: Places<u8>);
    /// Whether all lanes are.
    fn are_zero(words: Self::Words) -> bool;
    /// Exchanges rows and columns of every block.
    fn transpose(rows: [Self::Words; 8]) -> [Self::Words; 8];
    /// 2^16 times the first four columns, and the others: so much more are words that stand in the
    /// upper halves of 32 bits.
    fn to_floats(words: Self::Words) -> [Self::Floats; 2];
    /// The nearest integers, halves to even ones, within 16 bits, of numbers that have 32.
    fn to_words(floats: [Self::Floats; 2]) -> Self::Words;
}

/// Work for whichever vectors the machine has; must be `#[inline(always)]`, so that it is compiled
/// with their instructions.
pub(crate) trait Work {
    /// Does it.
    fn run<V: Vectors>(self);
}

/// Does `work` with the vectors of an instruction set that this machine has.
pub(crate) fn run(isa: Isa, work: impl Work) {
    debug_assert!(isa == Isa::Scalar || isa.is_available(), "the portable code needs nothing");
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: sets are checked when a transform is built.
        Isa::Avx2 => unsafe { avx2::run(work) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx512 if is_x86_feature_detected!("avx512bw") => unsafe { avx512::run(work) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: what has AVX-512 has these.
        Isa::Avx512 => unsafe { avx2::run(work) },
        _ => work.run::<portable::Portable>(),
    }
}
