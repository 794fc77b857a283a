//! Strips of blocks: a table is prepared once, and then blocks are transformed, as many at a time as
//! a vector holds.

use crate::simd::isa::dispatch::dispatch;
use crate::simd::isa::vectors::{Block, BlocksMut, MAX_BLOCKS, VectorTask, Vectors, as_rows};
use crate::simd::{exact, fast};
use fourfold::Isa;
use fourfold::engine::jpeg::{Mode, Table, ZIGZAG};

/// A sequence of blocks: their coefficients and their samples.
pub(crate) struct Strip<C, S> {
    pub(crate) coefficients: C,
    pub(crate) samples: S,
    /// Samples from one row of an image to the next, in which the blocks are side by side. None if
    /// the 64 samples of each block follow those of the one before.
    pub(crate) stride: Option<usize>,
}

/// The types of samples that the inverse can store.
pub(crate) trait Store: Copy + Default + Send {
    /// Stores blocks that are given by their columns.
    fn store<V: Vectors>(columns: [V::Words; 8], to: BlocksMut<Self>);
}

impl Store for u8 {
    #[inline(always)]
    fn store<V: Vectors>(columns: [V::Words; 8], to: BlocksMut<u8>) {
        V::store_bytes(columns, to);
    }
}

impl Store for i16 {
    #[inline(always)]
    fn store<V: Vectors>(columns: [V::Words; 8], to: BlocksMut<i16>) {
        V::store(V::transpose(columns), to);
    }
}

/// A quantisation table, prepared for the inverse transform.
pub(crate) enum Dequantiser {
    Fast {
        factors: fast::Factors,
        /// Whether samples fit 32 bits for all coefficients.
        fits_i32: bool,
    },
    Exact(Block<i16>),
}

impl Dequantiser {
    pub(crate) fn new(mode: Mode, table: &Table) -> Dequantiser {
        match mode {
            Mode::Fast => Dequantiser::Fast { factors: fast::dequantisers(table), fits_i32: fast::fits_i32(table) },
            Mode::Exact => Dequantiser::Exact(table.rows().map(|row| row.map(|value| value as i16))),
        }
    }
}

/// A quantisation table, prepared for the forward transform.
pub(crate) enum Quantiser {
    Fast(fast::Factors),
    Exact(exact::Divisors),
}

impl Quantiser {
    /// Prepares a table, which must have no zeros.
    pub(crate) fn new(mode: Mode, table: &Table) -> Quantiser {
        match mode {
            Mode::Fast => Quantiser::Fast(fast::quantisers(table)),
            Mode::Exact => Quantiser::Exact(exact::Divisors::new(table)),
        }
    }
}

/// Transforms coefficients to samples. The strip's samples must have room for all its blocks.
pub(crate) fn inverse<T: Store>(isa: Isa, table: &Dequantiser, zigzag: bool, strip: Strip<&[[i16; 64]], &mut [T]>) {
    // Conversions to integers by instructions need floats within 32 bits; the portable code clamps.
    let isa = if matches!(table, Dequantiser::Fast { fits_i32: false, .. }) { Isa::Scalar } else { isa };
    dispatch(isa, Inverse { table, zigzag, strip });
}

/// Transforms samples to coefficients. The strip must have samples for all its blocks.
pub(crate) fn forward(isa: Isa, table: &Quantiser, zigzag: bool, strip: Strip<&mut [[i16; 64]], &[u8]>) {
    dispatch(isa, Forward { table, zigzag, strip });
}

struct Inverse<'a, T> {
    table: &'a Dequantiser,
    zigzag: bool,
    strip: Strip<&'a [[i16; 64]], &'a mut [T]>,
}

impl<T: Store> VectorTask for Inverse<'_, T> {
    #[inline(always)]
    unsafe fn with_vectors<V: Vectors>(self) {
        let Strip { coefficients, samples, stride } = self.strip;
        let step = if stride.is_some() { 8 } else { 64 };
        let mut ordered = [[[0; 8]; 8]; MAX_BLOCKS];
        for (index, group) in coefficients.chunks(V::BLOCKS).enumerate() {
            let (full, samples) = (group.len() == V::BLOCKS, &mut samples[index * V::BLOCKS * step..]);
            let coefficients = if full && !self.zigzag {
                // SAFETY: the caller guarantees the instructions.
                unsafe { V::load(as_rows(group)) }
            } else {
                group.iter().zip(&mut ordered).for_each(|(from, to)| *to = to_raster(from, self.zigzag));
                // SAFETY: as above.
                unsafe { V::load(&ordered) }
            };
            // SAFETY: as above.
            let columns = unsafe {
                match self.table {
                    Dequantiser::Fast { factors, .. } => fast::inverse::<V>(coefficients, factors),
                    Dequantiser::Exact(table) => exact::inverse::<V>(coefficients, table),
                }
            };
            if full {
                T::store::<V>(
                    columns,
                    BlocksMut::new(samples, stride, V::BLOCKS).expect("room for the strip's blocks"),
                );
            } else {
                let mut done = [T::default(); 64 * MAX_BLOCKS];
                T::store::<V>(
                    columns,
                    BlocksMut::new(&mut done, None, V::BLOCKS).expect("room for any vector's blocks"),
                );
                for (block, at) in done.as_chunks::<64>().0.iter().take(group.len()).zip((0..).step_by(step)) {
                    store_block(block, &mut samples[at..], stride.unwrap_or(8));
                }
            }
        }
    }
}

struct Forward<'a> {
    table: &'a Quantiser,
    zigzag: bool,
    strip: Strip<&'a mut [[i16; 64]], &'a [u8]>,
}

impl VectorTask for Forward<'_> {
    #[inline(always)]
    unsafe fn with_vectors<V: Vectors>(self) {
        let Strip { coefficients, samples, stride } = self.strip;
        let (step, stride) = stride.map_or((64, 8), |stride| (8, stride));
        for (index, group) in coefficients.chunks_mut(V::BLOCKS).enumerate() {
            let mut loaded = [[[0; 8]; 8]; MAX_BLOCKS];
            for (block, at) in loaded.iter_mut().take(group.len()).zip((index * V::BLOCKS * step..).step_by(step)) {
                load_block(&samples[at..], stride, block);
            }
            // SAFETY: the caller guarantees the instructions.
            let samples = unsafe { V::load_bytes(&loaded) };
            // SAFETY: as above.
            let rows = unsafe {
                match self.table {
                    Quantiser::Fast(factors) => fast::forward::<V>(samples, factors),
                    Quantiser::Exact(divisors) => exact::forward::<V>(samples, divisors),
                }
            };
            if group.len() == V::BLOCKS && !self.zigzag {
                let to = BlocksMut::new(group.as_flattened_mut(), None, V::BLOCKS);
                V::store(rows, to.expect("the group has V::BLOCKS blocks"));
            } else {
                let mut done = [0; 64 * MAX_BLOCKS];
                V::store(rows, BlocksMut::new(&mut done, None, V::BLOCKS).expect("room for any vector's blocks"));
                group.iter_mut().zip(done.as_chunks().0).for_each(|(to, from)| *to = from_raster(from, self.zigzag));
            }
        }
    }
}

/// Writes the rows of a block, `stride` samples apart.
#[inline(always)]
fn store_block<T: Copy>(block: &[T; 64], samples: &mut [T], stride: usize) {
    let samples = &mut samples[..7 * stride + 8];
    for (row, values) in block.as_chunks::<8>().0.iter().enumerate() {
        samples[row * stride..][..8].copy_from_slice(values);
    }
}

/// Reads the rows of a block, `stride` samples apart.
#[inline(always)]
fn load_block<T: Copy>(samples: &[T], stride: usize, block: &mut Block<T>) {
    let samples = &samples[..7 * stride + 8];
    for (row, values) in block.iter_mut().enumerate() {
        values.copy_from_slice(&samples[row * stride..][..8]);
    }
}

/// The coefficients of a block by row and column, from raster or zigzag order.
#[inline(always)]
fn to_raster(block: &[i16; 64], zigzag: bool) -> Block<i16> {
    let mut rows = [[0; 8]; 8];
    for (at, &value) in block.iter().enumerate() {
        let at = if zigzag { ZIGZAG[at] } else { at };
        rows[at / 8][at % 8] = value;
    }
    rows
}

/// The coefficients of a block in raster or zigzag order, from raster order.
#[inline(always)]
fn from_raster(block: &[i16; 64], zigzag: bool) -> [i16; 64] {
    if zigzag { ZIGZAG.map(|at| block[at]) } else { *block }
}
