//! JPEG's blocks: modes, orders, layouts and tables.

use crate::arithmetic::cosine8::SCALES;
use crate::error::{Error, ErrorKind, Result};

/// The arithmetic of a transform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Single precision, rounded once at the end.
    #[default]
    Fast,
    /// The integer arithmetic of libjpeg's method `islow`, bit for bit.
    Exact,
}

/// The order of the 64 coefficients of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Row by row, as in libjpeg's arrays: index 8 · vertical + horizontal frequency.
    #[default]
    Raster,
    /// Zigzag order along diagonals, from low to high frequencies, as in files.
    Zigzag,
}

/// The positions of the samples of a sequence of blocks. The samples of a block are 8 rows of 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// The 64 samples of a block, then those of the next one.
    Blocks,
    /// The rows of an image with `across` blocks side by side. Each row begins `stride` samples
    /// after the one above. The blocks are ordered from left to right, then down.
    Rows {
        /// The number of blocks side by side.
        across: usize,
        /// The samples from one row to the next, at least 8 · `across`.
        stride: usize,
    },
}

impl Layout {
    /// The number of samples that `blocks` blocks span.
    ///
    /// # Errors
    /// If rows are shorter than their blocks, if the last row of blocks is incomplete, or if the
    /// number overflows.
    pub fn samples(self, blocks: usize) -> Result<usize> {
        let Layout::Rows { across, stride } = self else { return size(blocks.checked_mul(64)) };
        let width = size(across.checked_mul(8))?;
        if blocks == 0 {
            return Ok(0);
        }
        if across == 0 || blocks % across != 0 {
            return Err(argument(format!("{blocks} blocks are not whole rows of {across} blocks")));
        }
        if stride < width {
            return Err(argument(format!("a stride of {stride} is too short for {across} blocks: at least {width}")));
        }
        let rows = 8 * (blocks / across);
        size((rows - 1).checked_mul(stride).and_then(|up_to_last| up_to_last.checked_add(width)))
    }
}

fn size(samples: Option<usize>) -> Result<usize> {
    samples.ok_or_else(|| argument("the layout spans more samples than memory has addresses".into()))
}

fn argument(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

/// Raster positions in zigzag order. Source: ITU-T T.81, figure A.6.
pub const ZIGZAG: [usize; 64] = zigzag();

const fn zigzag() -> [usize; 64] {
    let mut order = [0; 64];
    let (mut at, mut diagonal) = (0, 0);
    while diagonal < 15 {
        let mut step = if diagonal < 8 { 0 } else { diagonal - 7 };
        while step <= diagonal && step < 8 {
            // Even diagonals ascend from the lowest row.
            let (row, column) = if diagonal % 2 == 0 { (diagonal - step, step) } else { (step, diagonal - step) };
            order[at] = 8 * row + column;
            at += 1;
            step += 1;
        }
        diagonal += 1;
    }
    order
}

/// A quantisation table, which has the divisor of each coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    rows: [[u16; 8]; 8],
}

impl Table {
    /// A table from 64 values row by row.
    pub fn raster(values: [u16; 64]) -> Table {
        Table { rows: std::array::from_fn(|row| std::array::from_fn(|column| values[8 * row + column])) }
    }

    /// A table from 64 values in zigzag order.
    pub fn zigzag(values: [u16; 64]) -> Table {
        let mut raster = [0; 64];
        ZIGZAG.iter().zip(values).for_each(|(&at, value)| raster[at] = value);
        Table::raster(raster)
    }

    /// The table of luminance at a quality from 1 to 100. It is table K.1 of ITU-T T.81, scaled to
    /// 8 bits as in libjpeg.
    ///
    /// # Errors
    /// If the quality is not between 1 and 100.
    pub fn luminance(quality: u8) -> Result<Table> {
        scaled(&LUMINANCE, quality)
    }

    /// The table of chrominance at a quality from 1 to 100. It is table K.2 of ITU-T T.81, scaled
    /// to 8 bits as in libjpeg.
    ///
    /// # Errors
    /// If the quality is not between 1 and 100.
    pub fn chrominance(quality: u8) -> Result<Table> {
        scaled(&CHROMINANCE, quality)
    }

    /// The values by row and column.
    pub fn rows(&self) -> &[[u16; 8]; 8] {
        &self.rows
    }

    /// Checks that no value is zero.
    ///
    /// # Errors
    /// If a value is zero.
    pub fn check_divides(&self) -> Result<()> {
        if self.rows.as_flattened().contains(&0) {
            return Err(argument("a quantisation table has a zero, by which nothing can be divided".into()));
        }
        Ok(())
    }

    /// The factors q_kl s_k s_l on coefficients before
    /// [`idct8`](crate::arithmetic::cosine8::idct8), where s is [`SCALES`].
    pub fn dequantisers(&self) -> [[f32; 8]; 8] {
        self.scaled(|q, scale| q * scale)
    }

    /// The factors 1 / (64 s_k s_l q_kl) on results of [`dct8`](crate::arithmetic::cosine8::dct8),
    /// where s is [`SCALES`].
    pub fn quantisers(&self) -> [[f32; 8]; 8] {
        self.scaled(|q, scale| 1.0 / (64.0 * scale * q))
    }

    fn scaled(&self, factor: impl Fn(f64, f64) -> f64) -> [[f32; 8]; 8] {
        let factor = |k: usize, l: usize| factor(self.rows[k][l].into(), SCALES[k] * SCALES[l]) as f32;
        std::array::from_fn(|k| std::array::from_fn(|l| factor(k, l)))
    }
}

fn scaled(table: &[u16; 64], quality: u8) -> Result<Table> {
    let quality = u32::from(quality);
    let percent = match quality {
        1..50 => 5000 / quality,
        50..=100 => 200 - 2 * quality,
        _ => return Err(argument(format!("a quality of {quality}: it goes from 1 to 100"))),
    };
    Ok(Table::raster(table.map(|value| ((u32::from(value) * percent + 50) / 100).clamp(1, 255) as u16)))
}

#[rustfmt::skip]
const LUMINANCE: [u16; 64] = [
    16, 11, 10, 16,  24,  40,  51,  61,
    12, 12, 14, 19,  26,  58,  60,  55,
    14, 13, 16, 24,  40,  57,  69,  56,
    14, 17, 22, 29,  51,  87,  80,  62,
    18, 22, 37, 56,  68, 109, 103,  77,
    24, 35, 55, 64,  81, 104, 113,  92,
    49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103,  99,
];

#[rustfmt::skip]
const CHROMINANCE: [u16; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99,
    18, 21, 26, 66, 99, 99, 99, 99,
    24, 26, 56, 99, 99, 99, 99, 99,
    47, 66, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
];
