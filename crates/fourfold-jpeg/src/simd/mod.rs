//! Blocks on the processor, a strip at a time.

pub(crate) mod exact;
pub(crate) mod fast;
pub(crate) mod isa;

use crate::simd::isa::Block;
use crate::simd::isa::Places;
pub(crate) use crate::simd::isa::{Vectors, Work, run};
use fourfold::Isa;
use fourfold::engine::jpeg::{Mode, Table, ZIGZAG};

/// As many blocks as any vector has.
const MOST_BLOCKS: usize = 4;

/// Blocks one after another, and where their samples stand.
pub(crate) struct Strip<C, S> {
    pub(crate) coefficients: C,
    pub(crate) samples: S,
    /// From row to row, if they are rows in which the blocks are neighbours; else each block has
    /// 64.
    pub(crate) stride: Option<usize>,
}

/// Samples that the inverse makes.
pub(crate) trait Store: Copy + Default + Send {
    /// Blocks from their columns.
    fn store<V: Vectors>(columns: [V::Words; 8], to: Places<Self>);
}

impl Store for u8 {
    #[inline(always)]
    fn store<V: Vectors>(columns: [V::Words; 8], to: Places<u8>) {
        V::store_bytes(columns, to);
    }
}

impl Store for i16 {
    #[inline(always)]
    fn store<V: Vectors>(columns: [V::Words; 8], to: Places<i16>) {
        V::store(V::transpose(columns), to);
    }
}

/// A quantisation table as the inverse of a mode wants it.
pub(crate) enum Dequantiser {
    /// And whether samples have 32 bits, whatever the coefficients.
    Fast(fast::Factors, bool),
    Exact(Block<i16>),
}

impl Dequantiser {
    pub(crate) fn new(mode: Mode, table: &Table) -> Dequantiser {
        match mode {
            Mode::Fast => Dequantiser::Fast(fast::dequantisers(table), fast::is_tame(table)),
            Mode::Exact => Dequantiser::Exact(table.rows().map(|row| row.map(|value| value as i16))),
        }
    }
}

/// A quantisation table as the forward transform of a mode wants it.
pub(crate) enum Quantiser {
    Fast(fast::Factors),
    Exact(exact::Divisors),
}

impl Quantiser {
    /// Of a table without zeros.
    pub(crate) fn new(mode: Mode, table: &Table) -> Quantiser {
        match mode {
            Mode::Fast => Quantiser::Fast(fast::quantisers(table)),
            Mode::Exact => Quantiser::Exact(exact::Divisors::new(table)),
        }
    }
}

/// Coefficients to samples. The strip's samples have room for all its blocks.
pub(crate) fn inverse<T: Store>(isa: Isa, by: &Dequantiser, zigzag: bool, strip: Strip<&[[i16; 64]], &mut [T]>) {
    // The portable code stays within 32 bits anyway.
    let isa = if matches!(by, Dequantiser::Fast(_, false)) { Isa::Scalar } else { isa };
    isa::run(isa, Inverse { by, zigzag, strip });
}

/// Samples to coefficients, likewise.
pub(crate) fn forward(isa: Isa, by: &Quantiser, zigzag: bool, strip: Strip<&mut [[i16; 64]], &[u8]>) {
    isa::run(isa, Forward { by, zigzag, strip });
}

struct Inverse<'a, T> {
    by: &'a Dequantiser,
    zigzag: bool,
    strip: Strip<&'a [[i16; 64]], &'a mut [T]>,
}

impl<T: Store> Work for Inverse<'_, T> {
    #[inline(always)]
    fn run<V: Vectors>(self) {
        let Strip { coefficients, samples, stride } = self.strip;
        let step = if stride.is_some() { 8 } else { 64 };
        let mut ordered = [[[0; 8]; 8]; MOST_BLOCKS];
        for (index, group) in coefficients.chunks(V::BLOCKS).enumerate() {
            let (full, samples) = (group.len() == V::BLOCKS, &mut samples[index * V::BLOCKS * step..]);
            let coefficients = if full && !self.zigzag {
                V::load(blocks(group))
            } else {
                group.iter().zip(&mut ordered).for_each(|(from, to)| *to = in_raster(from, self.zigzag));
                V::load(&ordered)
            };
            let columns = match self.by {
                Dequantiser::Fast(by, _) => fast::inverse::<V>(coefficients, by),
                Dequantiser::Exact(by) => exact::inverse::<V>(coefficients, by),
            };
            if full {
                T::store::<V>(columns, Places::new(samples, stride, V::BLOCKS).expect("room for the strip's blocks"));
            } else {
                let mut done = [T::default(); 64 * MOST_BLOCKS];
                T::store::<V>(columns, Places::new(&mut done, None, V::BLOCKS).expect("room for any vector's blocks"));
                for (block, at) in done.as_chunks::<64>().0.iter().take(group.len()).zip((0..).step_by(step)) {
                    put(block, &mut samples[at..], stride.unwrap_or(8));
                }
            }
        }
    }
}

struct Forward<'a> {
    by: &'a Quantiser,
    zigzag: bool,
    strip: Strip<&'a mut [[i16; 64]], &'a [u8]>,
}

impl Work for Forward<'_> {
    #[inline(always)]
    fn run<V: Vectors>(self) {
        let Strip { coefficients, samples, stride } = self.strip;
        let (step, stride) = stride.map_or((64, 8), |stride| (8, stride));
        for (index, group) in coefficients.chunks_mut(V::BLOCKS).enumerate() {
            let mut taken = [[[0; 8]; 8]; MOST_BLOCKS];
            for (block, at) in taken.iter_mut().take(group.len()).zip((index * V::BLOCKS * step..).step_by(step)) {
                take(&samples[at..], stride, block);
            }
            let samples = V::load_bytes(&taken);
            let rows = match self.by {
                Quantiser::Fast(by) => fast::forward::<V>(samples, by),
                Quantiser::Exact(by) => exact::forward::<V>(samples, by),
            };
            if group.len() == V::BLOCKS && !self.zigzag {
                let places = Places::new(group.as_flattened_mut(), None, V::BLOCKS);
                V::store(rows, places.expect("there are as many blocks"));
            } else {
                let mut done = [0; 64 * MOST_BLOCKS];
                V::store(rows, Places::new(&mut done, None, V::BLOCKS).expect("room for any vector's blocks"));
                group.iter_mut().zip(done.as_chunks().0).for_each(|(to, from)| *to = in_order(from, self.zigzag));
            }
        }
    }
}

/// Blocks as rows of eight.
#[inline(always)]
fn blocks(group: &[[i16; 64]]) -> &[Block<i16>] {
    let (rows, _) = group.as_flattened().as_chunks::<8>();
    rows.as_chunks::<8>().0
}

#[inline(always)]
fn put<T: Copy>(block: &[T; 64], samples: &mut [T], stride: usize) {
    let samples = &mut samples[..7 * stride + 8];
    for (row, values) in block.as_chunks::<8>().0.iter().enumerate() {
        samples[row * stride..][..8].copy_from_slice(values);
    }
}

#[inline(always)]
fn take<T: Copy>(samples: &[T], stride: usize, block: &mut Block<T>) {
    let samples = &samples[..7 * stride + 8];
    for (row, values) in block.iter_mut().enumerate() {
        values.copy_from_slice(&samples[row * stride..][..8]);
    }
}

/// The rows of a block, from the order in which its coefficients stand.
#[inline(always)]
fn in_raster(block: &[i16; 64], zigzag: bool) -> Block<i16> {
    let mut rows = [[0; 8]; 8];
    for (at, &value) in block.iter().enumerate() {
        let at = if zigzag { ZIGZAG[at] } else { at };
        rows[at / 8][at % 8] = value;
    }
    rows
}

/// The other way.
#[inline(always)]
fn in_order(block: &[i16; 64], zigzag: bool) -> [i16; 64] {
    if zigzag { ZIGZAG.map(|at| block[at]) } else { *block }
}
