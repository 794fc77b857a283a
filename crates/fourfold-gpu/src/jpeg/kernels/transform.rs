//! A block in a thread's registers, from words to words.

use crate::ir::narrow::Narrow;
use crate::ir::packed::{Short, any, bits, clamp, nearest, of_bits, packed, parts, permute, real};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{comment, select};
use crate::jpeg::kernels::desc::{BlockKernelDesc, HEAD, Instructions};
use fourfold::engine::jpeg::{Mode, Order, Words, ZIGZAG, dct8_first, dct8_last, idct8_first, idct8_last, wrapped8};
use fourfold::engine::{Real, dct8, idct8};

/// Samples of coefficients.
pub(crate) fn inverse(desc: &BlockKernelDesc, words: &[Int]) -> Vec<Int> {
    comment("dequantise, inverse DCT, round".into());
    let coefficients = in_raster(desc.order, &parts(words, Narrow::Short));
    let samples = match desc.mode {
        Mode::Fast => inverse_fast(&coefficients, desc.narrow),
        Mode::Exact => inverse_exact(&coefficients, desc.narrow),
    };
    packed(&samples, desc.narrow)
}

/// Coefficients of samples.
pub(crate) fn forward(desc: &BlockKernelDesc, words: &[Int]) -> Vec<Int> {
    comment("DCT, quantise".into());
    match (desc.mode, desc.instructions) {
        (Mode::Exact, _) => {
            let coefficients = forward_exact(&parts(words, Narrow::Byte));
            packed(&in_order(desc.order, &coefficients), Narrow::Short)
        }
        (Mode::Fast, Instructions::Convert) => {
            let samples = parts(words, Narrow::Byte).into_iter().map(real);
            let block = forward_fast(samples.collect(), 0.0);
            let coefficients: Vec<_> =
                block.into_iter().zip(factors()).map(|(c, f)| nearest(c * f, Narrow::Short)).collect();
            packed(&in_order(desc.order, &coefficients), Narrow::Short)
        }
        (Mode::Fast, Instructions::Bits | Instructions::BitsRoomy | Instructions::BitsDirect) => {
            let block = forward_fast(words.iter().flat_map(|&word| biased(word)).collect(), BIAS);
            let rounded: Vec<_> = block.into_iter().zip(factors()).map(|(c, f)| round(c, f)).collect();
            let halves = in_order(desc.order, &rounded);
            halves.chunks(2).map(|pair| permute(pair[0], pair[1], [0, 1, 4, 5])).collect()
        }
    }
}

/// By vertical and horizontal frequency, from the order in which they stand.
fn in_raster(order: Order, coefficients: &[Int]) -> Vec<Int> {
    let mut block = coefficients.to_vec();
    if order == Order::Zigzag {
        ZIGZAG.iter().zip(coefficients).for_each(|(&at, &c)| block[at] = c);
    }
    block
}

/// The other way.
fn in_order(order: Order, block: &[Int]) -> Vec<Int> {
    match order {
        Order::Raster => block.to_vec(),
        Order::Zigzag => ZIGZAG.iter().map(|&at| block[at]).collect(),
    }
}

fn factors() -> impl Iterator<Item = Sym> {
    (0..16).flat_map(|i| Array::Table.load_reals(int(i)))
}

/// Table number `number` of integers.
fn integers(number: usize) -> impl Iterator<Item = Short> {
    let first = HEAD / 4 + 16 * number;
    (first..first + 16).flat_map(|i| Array::Indices.load_words(int(i), 4)).map(Short)
}

/// Columns or rows of a block: where they begin, and from element to element.
const COLUMNS: [[usize; 2]; 8] = [[0, 8], [1, 8], [2, 8], [3, 8], [4, 8], [5, 8], [6, 8], [7, 8]];
const ROWS: [[usize; 2]; 8] = [[0, 1], [8, 1], [16, 1], [24, 1], [32, 1], [40, 1], [48, 1], [56, 1]];

fn pass<T: Copy>(block: &mut [T], lines: [[usize; 2]; 8], transform: fn([T; 8]) -> [T; 8]) {
    for [start, step] in lines {
        let line = transform(std::array::from_fn(|k| block[start + k * step]));
        line.into_iter().enumerate().for_each(|(k, x)| block[start + k * step] = x);
    }
}

fn inverse_fast(coefficients: &[Int], narrow: Narrow) -> Vec<Int> {
    let mut block: Vec<_> = coefficients.iter().zip(factors()).map(|(&c, f)| real(c) * f).collect();
    if narrow == Narrow::Byte {
        // The first term stands for itself in all samples.
        block[0] = block[0] + Sym::lit(128.0);
    }
    pass(&mut block, COLUMNS, idct8);
    pass(&mut block, ROWS, idct8);
    block.into_iter().map(|x| nearest(x, narrow)).collect()
}

fn inverse_exact(coefficients: &[Int], narrow: Narrow) -> Vec<Int> {
    let mut block: Vec<_> = coefficients.iter().zip(integers(0)).map(|(&c, q)| Short(c).mul(q)).collect();
    wrap_where_alone(&mut block[..8], &coefficients[8..]);
    pass(&mut block, COLUMNS, idct8_first);
    pass(&mut block, ROWS, idct8_last);
    let sample = |Short(x)| if narrow == Narrow::Byte { clamp(x + 128, [0, 255]) } else { x };
    block.into_iter().map(sample).collect()
}

/// Takes the first row as libjpeg-turbo does if the others are zero.
fn wrap_where_alone(first: &mut [Short], others: &[Int]) {
    let others = any(others);
    for row in first {
        row.0 = select(int(0), others, row.0, wrapped8(*row).0);
    }
}

/// 64 s_k s_l times the coefficients of samples that are `bias` too large.
fn forward_fast(samples: Vec<Sym>, bias: f64) -> Vec<Sym> {
    let mut block = samples;
    pass(&mut block, COLUMNS, dct8);
    pass(&mut block, ROWS, dct8);
    block[0] = block[0] - Sym::lit(64.0 * (128.0 + bias));
    block
}

fn forward_exact(samples: &[Int]) -> Vec<Int> {
    let mut block: Vec<_> = samples.iter().map(|&x| Short(x + -128)).collect();
    pass(&mut block, ROWS, dct8_first);
    pass(&mut block, COLUMNS, dct8_last);
    let by = integers(0).zip(integers(1)).zip(integers(2));
    block.into_iter().zip(by).map(|(y, ((half, first), second))| y.scale(half, first, second).0).collect()
}

/// What [`biased`] adds: in reals from 2^15 to 2^16, bits 8 to 15 count ones. Sums of 64 such are
/// below 2^22, and so exact; all others of the transform's terms are of differences, from which it
/// is gone.
const BIAS: f64 = (1 << 15) as f64;

/// The bytes of a word as reals plus [`BIAS`].
fn biased(word: Int) -> Vec<Sym> {
    let bias = int((BIAS as f32).to_bits() as usize);
    (0..4).map(|i| of_bits(permute(word, bias, [4, i, 6, 7]))).collect()
}

/// The nearest integer to c · f in the lower half of a word: reals from 2^23 to 2^24 have no bits
/// for fractions. Coefficients of bytes are below 2^15.
fn round(c: Sym, f: Sym) -> Int {
    bits(c.mul_add(f, Sym::lit(12_582_912.0)))
}
