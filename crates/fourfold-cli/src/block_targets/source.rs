//! The coefficients that are timed, and the directions.

use anyhow::Result;
use fourfold_jpeg::blocks::Table;
use fourfold_jpeg::{Component, Limits, read_coefficients};

use crate::array::{check_memory, collect};

/// A component's coefficients and table.
pub struct Source {
    /// What its coefficients are divided by.
    pub table: Table,
    /// 64 a block, in raster order.
    pub coefficients: Vec<i16>,
}

/// A direction that is timed.
#[derive(Clone, Copy, PartialEq)]
pub enum Direction {
    /// Coefficients to samples.
    Inverse,
    /// Samples to coefficients.
    Forward,
    /// A file to pixels.
    Decode,
}

impl Direction {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Inverse => "inverse",
            Direction::Forward => "forward",
            Direction::Decode => "decode",
        }
    }
}

impl Source {
    /// So many MiB of random coefficients, which fall off towards high frequencies as those of
    /// photographs do.
    pub fn random(mib: u32) -> Result<Source> {
        let blocks = (mib as usize) << 13;
        check_memory(blocks * 64 * 5)?;
        let table = Table::luminance(90)?;
        let mut rng = fastrand::Rng::with_seed(1);
        let coefficient = |i: usize| {
            let most = 200 >> (i / 8 + i % 8).min(7);
            if most == 0 { 0 } else { rng.i16(-most..=most) }
        };
        Ok(Source { table, coefficients: collect(64 * blocks, (0..64).cycle().map(coefficient))? })
    }

    /// The components of a JPEG file.
    pub fn of_file(file: &[u8], limits: &Limits) -> Result<Vec<Source>> {
        let image = read_coefficients(file, limits)?.value;
        let source = |(component, blocks): (Component, Vec<[i16; 64]>)| Source {
            table: component.table,
            coefficients: blocks.into_flattened(),
        };
        Ok(image.components.into_iter().zip(image.blocks).map(source).collect())
    }
}
