//! The header of a `.npy` file: magic, version, length, and a Python dict literal with exactly the
//! keys `descr`, `fortran_order` and `shape`.

use std::io::Read;

use anyhow::{Context, Result, bail, ensure};

use crate::dict::{Value, dict};
use crate::dtype::DType;

/// The first bytes of a file.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest header that a file of version 1.0 can hold. NumPy reads 10 000 bytes unless it is
/// asked to read more.
const LONGEST_HEADER: usize = 65_535;

/// The header's description of the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The type of the elements.
    pub dtype: DType,
    /// The lengths of the axes.
    pub shape: Vec<usize>,
    /// Whether the first axis is the fastest one.
    pub fortran_order: bool,
}

impl Header {
    /// Reads magic, version, length and dict. Returns the header and its number of bytes.
    ///
    /// # Errors
    /// If it is not the header of a `.npy` file that is understood.
    pub fn read(reader: &mut impl Read) -> Result<(Header, u64)> {
        let mut start = [0; 8];
        reader.read_exact(&mut start).context("it is not a .npy file: too short")?;
        ensure!(start.starts_with(MAGIC), "it is not a .npy file: it does not begin with \\x93NUMPY");
        let length_bytes = match (start[6], start[7]) {
            (1, 0) => 2,
            (2 | 3, 0) => 4,
            (major, minor) => bail!("its format version is {major}.{minor}; 1.0, 2.0 and 3.0 are known"),
        };
        let mut length = [0; 4];
        reader.read_exact(&mut length[..length_bytes]).context("its header is cut off")?;
        let length = u32::from_le_bytes(length) as usize;
        ensure!(length <= LONGEST_HEADER, "its header claims {length} bytes; at most {LONGEST_HEADER} are accepted");
        let mut text = vec![0; length];
        reader.read_exact(&mut text).context("its header is cut off")?;
        let text = std::str::from_utf8(&text).context("its header is not text")?;
        Ok((Header::parse(text)?, (8 + length_bytes + length) as u64))
    }

    /// Reads the dict.
    fn parse(text: &str) -> Result<Header> {
        let (mut dtype, mut fortran_order, mut shape) = (None, None, None);
        for (key, value) in dict(text).context("its header is not understood")? {
            let repeated = match (key, value) {
                ("descr", Value::Text(text)) => dtype.replace(DType::parse(text)?).is_some(),
                ("descr", _) => bail!("it holds records (a structured array); save one field of it"),
                ("fortran_order", Value::Bool(flag)) => fortran_order.replace(flag).is_some(),
                ("shape", Value::Tuple(lengths)) => shape.replace(lengths).is_some(),
                (key, _) => bail!("its header has an unexpected entry {key:?}"),
            };
            ensure!(!repeated, "its header has the entry {key:?} twice");
        }
        let missing = |key| format!("its header has no entry {key:?}");
        Ok(Header {
            dtype: dtype.with_context(|| missing("descr"))?,
            shape: shape.with_context(|| missing("shape"))?,
            fortran_order: fortran_order.with_context(|| missing("fortran_order"))?,
        })
    }

    /// The strides of the axes, in elements. The size must have been checked.
    pub fn strides(&self) -> Vec<isize> {
        let mut strides = vec![0; self.shape.len()];
        let mut step = 1;
        let mut stride = |axis: usize| {
            strides[axis] = step;
            step *= self.shape[axis] as isize;
        };
        let axes = 0..self.shape.len();
        if self.fortran_order {
            axes.for_each(&mut stride)
        } else {
            axes.rev().for_each(&mut stride)
        }
        strides
    }

    /// The number of elements and of their bytes; `None` if a product overflows.
    pub fn size(&self) -> Option<(usize, u64)> {
        let elements = self.shape.iter().try_fold(1usize, |product, &length| product.checked_mul(length))?;
        Some((elements, u64::try_from(elements).ok()?.checked_mul(self.dtype.bytes as u64)?))
    }
}

/// The bytes of a header of version 1.0, padded with blanks so that the data begin at a multiple of
/// 64 bytes.
///
/// # Panics
/// If the array has more axes than NumPy allows, and the header does not fit version 1.0.
pub fn encode(descr: &str, shape: &[usize]) -> Vec<u8> {
    let lengths = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let comma = if shape.len() == 1 { "," } else { "" };
    let mut dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({lengths}{comma}), }}");
    let blanks = 63 - (MAGIC.len() + 4 + dict.len()) % 64;
    dict.extend(std::iter::repeat_n(' ', blanks));
    dict.push('\n');
    let length = u16::try_from(dict.len()).expect("an array has at most 64 axes");
    [MAGIC, &[1, 0], &length.to_le_bytes(), dict.as_bytes()].concat()
}
