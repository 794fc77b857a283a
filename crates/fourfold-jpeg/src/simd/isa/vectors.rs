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
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn repeat(four: &[f32; 4]) -> Self;
    /// Transposes the 4 × 4 numbers of every block.
    fn transpose(rows: [Self; 4]) -> [Self; 4];
}

/// The destination of the values of a vector's blocks: either 64 values a block, one block after
/// another, or the rows of an image, in which the blocks are side by side.
pub(crate) struct BlocksMut<'a, T> {
    first: *mut T,
    /// Debug builds check every access.
    #[cfg(debug_assertions)]
    len: usize,
    /// Values from one row of an image to the next; none if blocks follow one another.
    pub(super) stride: Option<usize>,
    values: PhantomData<&'a mut [T]>,
}

impl<'a, T> BlocksMut<'a, T> {
    /// The destination of `blocks` blocks, if `values` has room for them.
    pub(crate) fn new(values: &'a mut [T], stride: Option<usize>, blocks: usize) -> Option<BlocksMut<'a, T>> {
        let needed = stride.map_or(64 * blocks, |stride| 7 * stride + 8 * blocks);
        (values.len() >= needed).then_some(BlocksMut {
            first: values.as_mut_ptr(),
            #[cfg(debug_assertions)]
            len: values.len(),
            stride,
            values: PhantomData,
        })
    }

    /// The first value in a row of a block, to write `count` values from there on.
    #[inline(always)]
    #[cfg_attr(not(debug_assertions), allow(unused_variables, reason = "release builds do not check"))]
    pub(super) fn at(&self, block: usize, row: usize, count: usize) -> *mut T {
        let place = self.stride.map_or(64 * block + 8 * row, |stride| 8 * block + stride * row);
        #[cfg(debug_assertions)]
        assert!(place + count <= self.len, "values {place} to {} of {}", place + count, self.len);
        self.first.wrapping_add(place)
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
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn load(blocks: &[Block<i16>]) -> [Self::Words; 8];
    /// Loads rows of bytes and subtracts 128.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn load_bytes(blocks: &[Block<u8>]) -> [Self::Words; 8];
    /// The same row for every block.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn repeat(row: &[i16; 8]) -> Self::Words;
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
    ///
    /// # Safety
    /// The CPU has the instruction set of `V`.
    unsafe fn with_vectors<V: Vectors>(self);
}

/// Work without vectors, of which the compiler makes some for each instruction set.
pub(crate) trait ScalarTask {
    /// Does the work. Must be `#[inline(always)]`, as [`VectorTask::with_vectors`].
    fn execute(self);
}

/// A [`ScalarTask`] as a [`VectorTask`].
pub(crate) struct Autovectorized<T>(pub(crate) T);

impl<T: ScalarTask> VectorTask for Autovectorized<T> {
    #[inline(always)]
    unsafe fn with_vectors<V: Vectors>(self) {
        self.0.execute();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_need_room() {
        let mut values = [0u8; 7 * 20 + 16];
        assert!(BlocksMut::new(&mut values, Some(20), 2).is_some());
        assert!(BlocksMut::new(&mut values, Some(21), 2).is_none());
        assert!(BlocksMut::new(&mut values, None, 3).is_none());
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "values 148 to 164 of 156")]
    fn debug_builds_check_accesses() {
        let mut values = [0u8; 7 * 20 + 16];
        BlocksMut::new(&mut values, Some(20), 2).expect("room for two blocks").at(1, 7, 16);
    }
}
