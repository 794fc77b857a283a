//! Blocks on the processor, a strip at a time.

mod exact;
mod fast;
mod isa;

use fourfold::Isa;
use fourfold::engine::jpeg::{Mode, Table, ZIGZAG};
use isa::Block;
pub(crate) use isa::{Vectors, Work, run};

/// As many blocks as any vector has.
const MOST_BLOCKS: usize = 4;

/// Blocks one after another, and where their samples stand: `step` from block to block, `stride` from row to row.
pub(crate) struct Strip<C, S> {
    pub(crate) coefficients: C,
    pub(crate) samples: S,
    pub(crate) step: usize,
    pub(crate) stride: usize,
}

/// Samples that the inverse makes.
pub(crate) trait Store: Copy + Default + Send {
    /// Blocks from their columns.
    fn store<V: Vectors>(columns: [V::Words; 8], blocks: &mut [Block<Self>]);
}

impl Store for u8 {
    #[inline(always)]
    fn store<V: Vectors>(columns: [V::Words; 8], blocks: &mut [Block<u8>]) {
        V::store_bytes(columns, blocks);
    }
}

impl Store for i16 {
    #[inline(always)]
    fn store<V: Vectors>(columns: [V::Words; 8], blocks: &mut [Block<i16>]) {
        V::store(V::transpose(columns), blocks);
    }
}

/// A quantisation table as the inverse of a mode wants it.
pub(crate) enum Dequantiser {
    Fast(Block<f32>),
    Exact(Block<i16>),
}

impl Dequantiser {
    pub(crate) fn new(mode: Mode, table: &Table) -> Dequantiser {
        match mode {
            Mode::Fast => Dequantiser::Fast(table.dequantisers()),
            Mode::Exact => Dequantiser::Exact(table.rows().map(|row| row.map(|value| value as i16))),
        }
    }
}

/// A quantisation table as the forward transform of a mode wants it.
pub(crate) enum Quantiser {
    Fast(Block<f32>),
    Exact(exact::Divisors),
}

impl Quantiser {
    /// Of a table without zeros.
    pub(crate) fn new(mode: Mode, table: &Table) -> Quantiser {
        match mode {
            Mode::Fast => Quantiser::Fast(table.quantisers()),
            Mode::Exact => Quantiser::Exact(exact::Divisors::new(table)),
        }
    }
}

/// Coefficients to samples. The strip's samples have room for all its blocks.
pub(crate) fn inverse<T: Store>(isa: Isa, by: &Dequantiser, zigzag: bool, strip: Strip<&[[i16; 64]], &mut [T]>) {
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
        let Strip { coefficients, samples, step, stride } = self.strip;
        let mut ordered = [[[0; 8]; 8]; MOST_BLOCKS];
        for (index, group) in coefficients.chunks(V::BLOCKS).enumerate() {
            let full = group.len() == V::BLOCKS && !self.zigzag;
            if !full {
                group.iter().zip(&mut ordered).for_each(|(from, to)| *to = in_raster(from, self.zigzag));
            }
            let columns = match (full, self.by) {
                (true, Dequantiser::Fast(by)) => fast::inverse::<V>(V::load(blocks(group)), by),
                (false, Dequantiser::Fast(by)) => fast::inverse::<V>(V::load(&ordered), by),
                (true, Dequantiser::Exact(by)) => exact::inverse::<V>(V::load(blocks(group)), by),
                (false, Dequantiser::Exact(by)) => exact::inverse::<V>(V::load(&ordered), by),
            };
            let mut done = [[[T::default(); 8]; 8]; MOST_BLOCKS];
            T::store::<V>(columns, &mut done);
            for (block, at) in done.iter().take(group.len()).zip((index * V::BLOCKS * step..).step_by(step)) {
                put(block, &mut samples[at..], stride);
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
        let Strip { coefficients, samples, step, stride } = self.strip;
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
            let mut done = [[[0; 8]; 8]; MOST_BLOCKS];
            V::store(rows, &mut done);
            group.iter_mut().zip(&done).for_each(|(to, from)| *to = in_order(from, self.zigzag));
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
fn put<T: Copy>(block: &Block<T>, samples: &mut [T], stride: usize) {
    let samples = &mut samples[..7 * stride + 8];
    for (row, values) in block.iter().enumerate() {
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
fn in_order(rows: &Block<i16>, zigzag: bool) -> [i16; 64] {
    if !zigzag {
        let mut block = [0; 64];
        block.copy_from_slice(rows.as_flattened());
        return block;
    }
    ZIGZAG.map(|at| rows[at / 8][at % 8])
}
