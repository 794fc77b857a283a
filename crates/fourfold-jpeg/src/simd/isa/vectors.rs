//! Vectors of 16-bit integers and of floats, generic over the instruction set.
//!
//! A vector holds the same row (or column) of several blocks, eight lanes of each. Unlike in the
//! core crate, transpositions cross lanes, within a block.

use fourfold::engine::Real;
use fourfold::engine::jpeg::Words;
use std::marker::PhantomData;

/// The 8 rows of 8 coefficients, samples or factors of a block.
pub(crate) type Block<T> = [[T; 8]; 8];

/// The largest [`Vectors::BLOCKS`].
pub(crate) const MAX_BLOCKS: usize = 4;

/// Blocks as rows.
#[inline(always)]
pub(crate) fn as_rows(blocks: &[[i16; 64]]) -> &[Block<i16>] {
    let (rows, _) = blocks.as_flattened().as_chunks::<8>();
    rows.as_chunks::<8>().0
}

/// Four columns of a row of blocks, in single precision.
pub(crate) trait Floats: Real {
    /// The same four numbers for every block.
    fn repeat(four: &[f32; 4]) -> Self;
    /// Transposes the 4 × 4 numbers of every block.
    fn transpose(rows: [Self; 4]) -> [Self; 4];
}

/// The destination of the values of a vector's blocks: either 64 values a block, one block after
/// another, or the rows of an image, in which the blocks are side by side.
pub(crate) struct BlocksMut<'a, T> {
    first: *mut T,
    /// Values from one row of an image to the next; none if blocks follow one another.
    pub(super) stride: Option<usize>,
    values: PhantomData<&'a mut [T]>,
}

impl<'a, T> BlocksMut<'a, T> {
    /// The destination of `blocks` blocks, if `values` has room for them.
    pub(crate) fn new(values: &'a mut [T], stride: Option<usize>, blocks: usize) -> Option<BlocksMut<'a, T>> {
        let needed = stride.map_or(64 * blocks, |stride| 7 * stride + 8 * blocks);
        let first = values.as_mut_ptr();
        (values.len() >= needed).then_some(BlocksMut { first, stride, values: PhantomData })
    }

    /// The first value in a row of a block.
    pub(super) fn at(&self, block: usize, row: usize) -> *mut T {
        self.first.wrapping_add(self.stride.map_or(64 * block + 8 * row, |stride| 8 * block + stride * row))
    }
}

/// The vectors of an instruction set, with loads, stores and conversions.
pub(crate) trait Vectors {
    /// A row of each block as 16-bit integers.
    type Words: Words;
    /// Half a row of each block in single precision.
    type Floats: Floats;
    /// The number of blocks in a vector.
    const BLOCKS: usize;

    /// Loads the rows of [`Vectors::BLOCKS`] blocks.
    fn load(blocks: &[Block<i16>]) -> [Self::Words; 8];
    /// Loads rows of bytes and subtracts 128.
    fn load_bytes(blocks: &[Block<u8>]) -> [Self::Words; 8];
    /// The same row for every block.
    fn repeat(row: &[i16; 8]) -> Self::Words;
    /// Stores the rows of [`Vectors::BLOCKS`] blocks.
    fn store(rows: [Self::Words; 8], to: BlocksMut<i16>);
    /// Stores blocks that are given by their columns: each value plus 128, clamped to 0 … 255.
    fn store_bytes(columns: [Self::Words; 8], to: BlocksMut<u8>);
    /// Whether all lanes are zero.
    fn are_zero(words: Self::Words) -> bool;
    /// Transposes every block.
    fn transpose(rows: [Self::Words; 8]) -> [Self::Words; 8];
    /// 2^16 times columns 0 to 3, and columns 4 to 7. The factor arises because each word is moved
    /// to the upper half of 32 bits, which takes one instruction.
    fn to_floats(words: Self::Words) -> [Self::Floats; 2];
    /// The nearest integers, ties to even, saturated to 16 bits. The floats must be within 32 bits.
    fn to_words(floats: [Self::Floats; 2]) -> Self::Words;
}

/// Work that is compiled anew for each instruction set.
pub(crate) trait VectorTask {
    /// Does the work. Must be `#[inline(always)]`, so that it is compiled with the instructions of
    /// the caller in `isa/`.
    fn with_vectors<V: Vectors>(self);
}
