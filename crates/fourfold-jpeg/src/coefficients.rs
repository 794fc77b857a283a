//! The quantised coefficients of an image, and the parameters of its components.

use crate::error::argument;
use crate::limits::check_writable_size;
use fourfold::Result;
use fourfold::engine::jpeg::Table;

/// The colour space of a file's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// One component: luminance.
    Grey,
    /// Three components: luminance Y and chrominance Cb and Cr, as JFIF defines them.
    YCbCr,
    /// Three components: red, green and blue.
    Rgb,
}

impl Color {
    /// The number of components, which is the number of channels of the decoded image too.
    pub(crate) fn components(self) -> usize {
        match self {
            Color::Grey => 1,
            Color::YCbCr | Color::Rgb => 3,
        }
    }
}

/// A component of a file: its sampling factors, size and quantisation table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// Horizontal sampling factor H, 1 to 4. With the largest factor H_max of all components, the
    /// component has ⌈width · H / H_max⌉ samples in a row. Source: ITU-T T.81, A.1.1.
    pub horizontal: usize,
    /// Vertical sampling factor V, likewise.
    pub vertical: usize,
    /// Blocks in a row: ⌈width · H / (8 · H_max)⌉.
    pub across: usize,
    /// Rows of blocks: ⌈height · V / (8 · V_max)⌉.
    pub down: usize,
    /// The quantisation table: the divisors of its coefficients.
    pub table: Table,
}

/// The quantised coefficients of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coefficients {
    /// Pixels in a row.
    pub width: usize,
    /// Rows of pixels.
    pub height: usize,
    /// The colour space of the components.
    pub color: Color,
    /// One component if grey, else three.
    pub components: Vec<Component>,
    /// For each component, `across` · `down` blocks, row by row. A block is 8 × 8 coefficients: that
    /// of vertical frequency k and horizontal frequency l has the index 8k + l.
    pub blocks: Vec<Vec<[i16; 64]>>,
}

/// The largest value of a quantisation table that libjpeg writes.
const LARGEST_QUANTISER: u16 = 32_767;

impl Coefficients {
    /// Checks that the sizes agree and that all parameters can be written.
    ///
    /// # Errors
    /// If the image cannot be written in this size, the number of components is not that of the colour space, a sampling factor is not within
    /// 1 to 4, a quantisation value not within 1 to 32,767, or a component has not the number of
    /// blocks that follows from the image's size.
    pub(crate) fn check(&self) -> Result<()> {
        let Coefficients { width, height, color, ref components, ref blocks } = *self;
        check_writable_size(width, height)?;
        let count = color.components();
        if components.len() != count || blocks.len() != count {
            return Err(argument(format!("{color:?} has {count} components, not {}", components.len())));
        }
        let mut factors = components.iter().flat_map(|component| [component.horizontal, component.vertical]);
        if factors.any(|factor| !(1..=4).contains(&factor)) {
            return Err(argument("sampling factors go from 1 to 4".into()));
        }
        let [horizontal, vertical] = largest_factors(components);
        for (component, blocks) in components.iter().zip(blocks) {
            let mut quantisers = component.table.rows().as_flattened().iter();
            if let Some(q) = quantisers.find(|&&q| !(1..=LARGEST_QUANTISER).contains(&q)) {
                return Err(argument(format!(
                    "a quantisation table has {q}; values from 1 to {LARGEST_QUANTISER} can be written"
                )));
            }
            let across = (width * component.horizontal).div_ceil(8 * horizontal);
            let down = (height * component.vertical).div_ceil(8 * vertical);
            if [component.across, component.down, blocks.len()] != [across, down, across * down] {
                let Component { across: a, down: d, .. } = component;
                let given = format!("a component has {} blocks as {a}x{d}", blocks.len());
                return Err(argument(format!("{given}; it must have {across}x{down}")));
            }
        }
        Ok(())
    }
}

/// The largest horizontal and vertical sampling factors, H_max and V_max.
pub(crate) fn largest_factors(components: &[Component]) -> [usize; 2] {
    let largest = |factor: fn(&Component) -> usize| components.iter().map(factor).max().unwrap_or(1);
    [largest(|c| c.horizontal), largest(|c| c.vertical)]
}
