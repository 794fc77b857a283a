//! Headers and coefficients of files.

use crate::coefficients::{Coefficients, Color, Component};
use crate::ffi::arrays::Array;
use crate::ffi::read::Reader;
use crate::ffi::write;
use crate::limits::Limits;
use fourfold::Result;

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// Pixels in a row.
    pub width: usize,
    /// Rows of pixels.
    pub height: usize,
    /// The colour space of the components.
    pub color: Color,
}

/// A result, and libjpeg's warnings about the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithWarnings<T> {
    /// The result. Missing data are grey, and damaged data are as libjpeg decodes them.
    pub value: T,
    /// At most 11 warnings, such as that the file ends early.
    pub warnings: Vec<String>,
}

/// Reads a file's header, up to the first scan. Nothing is decoded.
///
/// # Errors
/// [`ErrorKind::File`](fourfold::ErrorKind) if it is no JPEG file, of a kind that is not read, or
/// beyond the limit of pixels: the errors of [`decode`](crate::decode) that do not depend on scans.
pub fn read_header(file: &[u8], limits: &Limits) -> Result<Header> {
    let Reader { width, height, color, .. } = Reader::new(file, limits)?;
    Ok(Header { width, height, color })
}

/// Reads a file's quantised coefficients: baseline, extended or progressive, Huffman-coded, 8 bits a
/// sample; grey, YCbCr or RGB.
///
/// # Errors
/// [`ErrorKind::File`](fourfold::ErrorKind) if the file is of another kind, beyond the limits, or so
/// damaged that libjpeg refuses it; [`ErrorKind::Argument`](fourfold::ErrorKind) if there is no
/// memory.
pub fn read_coefficients(file: &[u8], limits: &Limits) -> Result<WithWarnings<Coefficients>> {
    let mut reader = Reader::new(file, limits)?;
    let arrays = reader.read()?;
    let components = reader.components();
    let blocks = arrays.into_iter().zip(&components).map(without_padding).collect();
    let value = Coefficients { width: reader.width, height: reader.height, color: reader.color, components, blocks };
    Ok(WithWarnings { value, warnings: reader.warnings() })
}

/// A component's blocks without the padding to whole MCUs that libjpeg's arrays have. They move to
/// the front of the same memory.
fn without_padding((array, component): (Array, &Component)) -> Vec<[i16; 64]> {
    let (Array { mut blocks, across: padded, .. }, across) = (array, component.across);
    for row in (1..component.down).filter(|_| across < padded) {
        blocks.copy_within(row * padded..row * padded + across, row * across);
    }
    blocks.truncate(across * component.down);
    blocks
}

/// Writes quantised coefficients as a baseline file with the Huffman tables of ITU-T T.81, annex
/// K.3.
///
/// # Errors
/// [`ErrorKind::Argument`](fourfold::ErrorKind) if sizes do not agree, a side is 0 or longer than
/// 65,500 pixels, or a quantisation table has a zero or a value above 32,767;
/// [`ErrorKind::File`](fourfold::ErrorKind) if a coefficient has no Huffman code. These have codes:
/// AC coefficients within ±1023, and DC coefficients that differ from the previous block's by at
/// most 2047.
pub fn write_coefficients(image: &Coefficients) -> Result<Vec<u8>> {
    image.check()?;
    write::write(image)
}
