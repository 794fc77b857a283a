//! Any coefficients either are written as a file, which has them, or get an error: also those whose
//! sizes do not agree, and those without Huffman codes.

use crate::targets::coefficients::survive;
use fourfold::engine::jpeg::Table;
use fourfold_jpeg::{Coefficients, Color, Component};

/// Blocks of the largest component.
const MOST_BLOCKS: usize = 1 << 10;

pub(crate) fn check(bytes: &[u8]) {
    if let Some(coefficients) = coefficients(&mut bytes.iter().copied()) {
        survive(&coefficients);
    }
}

/// The first bytes are sizes, the rest values.
fn coefficients(bytes: &mut impl Iterator<Item = u8>) -> Option<Coefficients> {
    let mut size = || bytes.next().map(usize::from);
    let (width, height, color) = (size()?, size()?, size()?);
    let (color, count) = [(Color::Grey, 1), (Color::YCbCr, 3), (Color::Rgb, 3)][color % 3];
    // Six is more than sampling factors may be, zero less.
    let factors = (0..count).map(|_| Some([size()? % 6, size()? % 6])).collect::<Option<Vec<_>>>()?;
    let largest = |side: usize| factors.iter().map(|factor| factor[side]).max().unwrap_or(1).max(1);
    let (wrong, table) = (size()?, size()?);
    let component = |index: usize| {
        let [horizontal, vertical] = factors[index];
        let across = (width * horizontal).div_ceil(8 * largest(0)) + usize::from(wrong == 8 * index + 1);
        let down = (height * vertical).div_ceil(8 * largest(1)) + usize::from(wrong == 8 * index + 2);
        // The table may have zeros, and values of more than eight bits.
        let table = Table::raster(std::array::from_fn(|i| (table * (i + 1)) as u16));
        Component { horizontal, vertical, across, down, table }
    };
    let components: Vec<_> = (0..count).map(component).collect();
    if components.iter().any(|component| component.across * component.down > MOST_BLOCKS) {
        return None;
    }
    let values: Vec<u8> = bytes.collect();
    let mut values = values.chunks(2).cycle().map(|pair| i16::from_le_bytes([pair[0], *pair.get(1).unwrap_or(&0)]));
    let mut block = || std::array::from_fn(|_| values.next().unwrap_or_default());
    let blocks = components.iter().map(|component| (0..component.across * component.down).map(|_| block()).collect());
    Some(Coefficients { width, height, color, blocks: blocks.collect(), components })
}
