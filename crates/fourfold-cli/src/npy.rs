//! Reads and writes arrays in NumPy's `.npy` format, versions 1.0, 2.0 and 3.0.
//!
//! Source: NumPy's NEP 1 and `numpy/lib/format.py`. The header is a Python dict literal with
//! exactly the keys `descr`, `fortran_order` and `shape`; `literal.rs` reads exactly that. A header
//! is never believed about sizes: nothing is allocated before the file has been seen to be long
//! enough.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use fourfold::oracle::verify::Data;
use fourfold::{Domain, Element, Precision};
use num_complex::Complex;

use crate::array::zeros;
use crate::literal::{self, Value};

const MAGIC: &[u8] = b"\x93NUMPY";

/// More than NumPy itself reads without being told to (10 000 bytes), and what a version 1.0 file
/// can hold at most.
const LONGEST_HEADER: usize = 65_535;

/// Elements converted at a time.
const CHUNK: usize = 4096;

/// What one element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Bool,
    Signed,
    Unsigned,
    Float,
    Complex,
}

/// The type of the elements: class, bytes of an element, byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DType {
    pub(crate) class: Class,
    bytes: usize,
    big_endian: bool,
}

/// What the file says about its array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    pub(crate) fortran_order: bool,
}

/// A file whose header has been read, and which is long enough to hold what that promises.
pub(crate) struct Npy<R> {
    pub(crate) header: Header,
    elements: usize,
    reader: R,
}

impl DType {
    /// Reads a type string such as `<f8`.
    fn parse(text: &str) -> Result<DType> {
        let (order, rest) = text.split_at_checked(1).unwrap_or(("", text));
        let (class, bytes) = rest.split_at_checked(1).unwrap_or(("", rest));
        let big_endian = match order {
            "<" | "|" => false,
            ">" => true,
            "=" => cfg!(target_endian = "big"),
            _ => bail!("its element type {text:?} is not one that NumPy writes"),
        };
        let (class, bytes) = match (class, bytes) {
            ("b", "1") => (Class::Bool, 1),
            ("i", "1" | "2" | "4" | "8") => (Class::Signed, bytes.parse()?),
            ("u", "1" | "2" | "4" | "8") => (Class::Unsigned, bytes.parse()?),
            ("f", "4" | "8") => (Class::Float, bytes.parse()?),
            ("c", "8" | "16") => (Class::Complex, bytes.parse()?),
            _ => bail!("its elements are {}; convert them to float64, for example", describe(class, bytes, text)),
        };
        Ok(DType { class, bytes, big_endian })
    }

    /// The precision that the elements have by themselves; integers and booleans have none.
    pub(crate) fn precision(self) -> Option<Precision> {
        match (self.class, self.bytes) {
            (Class::Float, 4) | (Class::Complex, 8) => Some(Precision::F32),
            (Class::Float, 8) | (Class::Complex, 16) => Some(Precision::F64),
            _ => None,
        }
    }

    /// Real or complex.
    pub(crate) fn domain(self) -> Domain {
        if self.class == Class::Complex { Domain::Complex } else { Domain::Real }
    }

    /// One real number. The slice has the bytes of one element, or of one part of a complex
    /// element.
    fn real(self, bytes: &[u8]) -> f64 {
        let mut little = [0; 8];
        little[..bytes.len()].copy_from_slice(bytes);
        if self.big_endian {
            little[..bytes.len()].reverse();
        }
        let word = u64::from_le_bytes(little);
        let unused = 64 - 8 * bytes.len() as u32;
        match (self.class, bytes.len()) {
            (Class::Bool, _) => f64::from(u8::from(word != 0)),
            (Class::Unsigned, _) => word as f64,
            (Class::Signed, _) => ((word as i64) << unused >> unused) as f64,
            (_, 4) => f64::from(f32::from_bits(word as u32)),
            (_, _) => f64::from_bits(word),
        }
    }

    /// One element as real and imaginary part.
    fn number(self, bytes: &[u8]) -> Complex<f64> {
        match self.class {
            Class::Complex => {
                let (re, im) = bytes.split_at(bytes.len() / 2);
                Complex::new(self.real(re), self.real(im))
            }
            _ => Complex::new(self.real(bytes), 0.0),
        }
    }
}

/// What a type that cannot be read is, in the user's terms.
fn describe(class: &str, bytes: &str, text: &str) -> String {
    match (class, bytes) {
        ("f", "2") => "float16".into(),
        ("f", "10" | "12" | "16") => "longdouble".into(),
        ("c", "20" | "24" | "32") => "clongdouble".into(),
        ("O", _) => "Python objects".into(),
        ("S" | "a" | "U", _) => "text".into(),
        ("M" | "m", _) => "dates or times".into(),
        _ => format!("of type {text:?}"),
    }
}

impl Header {
    /// Reads magic, version, length and dict; returns the header and how many bytes it took.
    fn read(reader: &mut impl Read) -> Result<(Header, u64)> {
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
        for (key, value) in literal::dict(text).context("its header is not understood")? {
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

    /// Steps between neighbours along each axis, in elements. The shape must have been found
    /// possible.
    pub(crate) fn strides(&self) -> Vec<isize> {
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

    /// Elements of the array, and the bytes they take; `None` if the product overflows.
    fn size(&self) -> Option<(usize, u64)> {
        let elements = self.shape.iter().try_fold(1usize, |product, &length| product.checked_mul(length))?;
        Some((elements, u64::try_from(elements).ok()?.checked_mul(self.dtype.bytes as u64)?))
    }
}

impl Npy<BufReader<File>> {
    /// Opens a file and reads its header.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        // Opening a pipe would wait for its writer.
        ensure!(fs::metadata(path)?.is_file(), "it is not a regular file");
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        Npy::new(BufReader::new(file), metadata.len())
    }
}

impl<R: Read> Npy<R> {
    /// Reads the header of a file of `file_bytes` bytes. Bytes after the array are ignored, as
    /// NumPy does.
    pub(crate) fn new(mut reader: R, file_bytes: u64) -> Result<Self> {
        let (header, header_bytes) = Header::read(&mut reader)?;
        let (elements, needed) = header.size().with_context(|| format!("its shape {:?} is too large", header.shape))?;
        let held = file_bytes.saturating_sub(header_bytes);
        ensure!(held >= needed, "it is cut off: its array takes {needed} bytes, and {held} follow the header");
        Ok(Npy { header, elements, reader })
    }

    /// Reads the elements, in the order in which they lie in the file.
    ///
    /// Integers and booleans become the nearest floating-point numbers, real numbers may become
    /// complex; complex numbers stay so whatever the `domain`.
    pub(crate) fn read(self, precision: Precision, domain: Domain) -> Result<Data> {
        let domain = if self.header.dtype.domain() == Domain::Complex { Domain::Complex } else { domain };
        Ok(match (precision, domain) {
            (Precision::F32, Domain::Real) => Data::F32(self.convert(|z| z.re as f32)?),
            (Precision::F64, Domain::Real) => Data::F64(self.convert(|z| z.re)?),
            (Precision::F32, Domain::Complex) => {
                Data::ComplexF32(self.convert(|z| Complex::new(z.re as f32, z.im as f32))?)
            }
            (Precision::F64, Domain::Complex) => Data::ComplexF64(self.convert(|z| z)?),
        })
    }

    fn convert<T: Element>(mut self, convert: impl Fn(Complex<f64>) -> T) -> Result<Vec<T>> {
        let dtype = self.header.dtype;
        let mut elements = zeros(self.elements)?;
        let mut buffer = vec![0; CHUNK * dtype.bytes];
        for chunk in elements.chunks_mut(CHUNK) {
            let bytes = &mut buffer[..chunk.len() * dtype.bytes];
            self.reader.read_exact(bytes).context("its data are cut off")?;
            for (element, bytes) in chunk.iter_mut().zip(bytes.chunks_exact(dtype.bytes)) {
                *element = convert(dtype.number(bytes));
            }
        }
        Ok(elements)
    }
}

/// Writes an array in C order and the byte order of little-endian machines.
pub(crate) fn write(writer: &mut impl Write, shape: &[usize], data: &Data) -> io::Result<()> {
    let descr = match data {
        Data::F32(_) => "<f4",
        Data::F64(_) => "<f8",
        Data::ComplexF32(_) => "<c8",
        Data::ComplexF64(_) => "<c16",
    };
    writer.write_all(&header(descr, shape))?;
    match data {
        Data::F32(reals) => write_parts(writer, reals, |x| [x.to_le_bytes()]),
        Data::F64(reals) => write_parts(writer, reals, |x| [x.to_le_bytes()]),
        Data::ComplexF32(numbers) => write_parts(writer, numbers, |z| [z.re.to_le_bytes(), z.im.to_le_bytes()]),
        Data::ComplexF64(numbers) => write_parts(writer, numbers, |z| [z.re.to_le_bytes(), z.im.to_le_bytes()]),
    }
}

/// Writes an array of 16-bit integers in C order.
pub(crate) fn write_i16(writer: &mut impl Write, shape: &[usize], values: &[i16]) -> io::Result<()> {
    writer.write_all(&header("<i2", shape))?;
    write_parts(writer, values, |x| [x.to_le_bytes()])
}

/// The same without signs.
pub(crate) fn write_u16(writer: &mut impl Write, shape: &[usize], values: &[u16]) -> io::Result<()> {
    writer.write_all(&header("<u2", shape))?;
    write_parts(writer, values, |x| [x.to_le_bytes()])
}

fn write_parts<T: Copy, const PARTS: usize, const BYTES: usize>(
    writer: &mut impl Write,
    elements: &[T],
    bytes: impl Fn(T) -> [[u8; BYTES]; PARTS],
) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(CHUNK * PARTS * BYTES);
    for chunk in elements.chunks(CHUNK) {
        buffer.clear();
        chunk.iter().for_each(|&element| buffer.extend_from_slice(bytes(element).as_flattened()));
        writer.write_all(&buffer)?;
    }
    Ok(())
}

/// Magic, version 1.0, length and dict, padded with blanks so that the data begin at a multiple of
/// 64 bytes.
fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let lengths = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let comma = if shape.len() == 1 { "," } else { "" };
    let mut dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({lengths}{comma}), }}");
    let blanks = 63 - (MAGIC.len() + 4 + dict.len()) % 64;
    dict.extend(std::iter::repeat_n(' ', blanks));
    dict.push('\n');
    let length = u16::try_from(dict.len()).expect("an array has at most 64 axes");
    [MAGIC, &[1, 0], &length.to_le_bytes(), dict.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of version 1.0 with the given dict and data.
    fn file(dict: &str, data: &[u8]) -> Vec<u8> {
        [MAGIC, &[1, 0], &(dict.len() as u16).to_le_bytes(), dict.as_bytes(), data].concat()
    }

    fn open(bytes: &[u8]) -> Result<Npy<&[u8]>> {
        Npy::new(bytes, bytes.len() as u64)
    }

    fn reals(descr: &str, data: &[u8]) -> Vec<f64> {
        let dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,)}}");
        match open(&file(&dict, data)).unwrap().read(Precision::F64, Domain::Real).unwrap() {
            Data::F64(reals) => reals,
            _ => unreachable!(),
        }
    }

    fn message(bytes: &[u8]) -> String {
        match open(bytes) {
            Ok(npy) => panic!("accepted: {:?}", npy.header),
            Err(error) => format!("{error:#}"),
        }
    }

    #[test]
    fn every_element_type_is_read() {
        assert_eq!(reals("|b1", &[0, 1]), [0.0, 1.0]);
        assert_eq!(reals("|i1", &[0xff, 127]), [-1.0, 127.0]);
        assert_eq!(reals("|u1", &[0xff, 1]), [255.0, 1.0]);
        assert_eq!(reals(">i2", &[0xff, 0xfe, 1, 0]), [-2.0, 256.0]);
        assert_eq!(reals("<u4", &[0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0]), [4294967295.0, 2.0]);
        let longs: Vec<u8> = [i64::MIN, -3].iter().flat_map(|x| x.to_be_bytes()).collect();
        assert_eq!(reals(">i8", &longs), [-9223372036854775808.0, -3.0]);
        let singles: Vec<u8> = [1.5f32, -0.1].iter().flat_map(|x| x.to_be_bytes()).collect();
        assert_eq!(reals(">f4", &singles), [1.5, f64::from(-0.1f32)]);
        let doubles: Vec<u8> = [1.1f64, f64::NEG_INFINITY].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(reals("<f8", &doubles), [1.1, f64::NEG_INFINITY]);
    }

    #[test]
    fn complex_numbers_are_read() {
        let data: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0].iter().flat_map(|x| x.to_be_bytes()).collect();
        let bytes = file("{'descr': '>c8', 'fortran_order': True, 'shape': (2,)}", &data);
        for domain in [Domain::Real, Domain::Complex] {
            let whole = open(&bytes).unwrap().read(Precision::F64, domain).unwrap();
            assert_eq!(whole, Data::ComplexF64(vec![Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)]));
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for shape in [vec![], vec![6], vec![2, 3], vec![1; 20]] {
            let elements: usize = shape.iter().product();
            let array = Data::ComplexF64((0..elements).map(|n| Complex::new(n as f64, -0.5)).collect());
            let mut bytes = Vec::new();
            write(&mut bytes, &shape, &array).unwrap();
            assert_eq!((bytes.len() - 16 * elements) % 64, 0);
            let npy = open(&bytes).unwrap();
            assert_eq!(npy.header.shape, shape);
            assert!(!npy.header.fortran_order);
            assert_eq!(npy.read(Precision::F64, Domain::Complex).unwrap(), array);
        }
    }

    #[test]
    fn hostile_files_are_refused() {
        let dict = |descr: &str, shape: &str| format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}");
        assert!(message(b"").contains("too short"));
        assert!(message(b"PK\x03\x04 a zip file").contains("NUMPY"));
        assert!(message(b"\x93NUMPY\x09\x00\x00\x00").contains("version"));
        assert!(message(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").contains("4294967295"));
        assert!(message(b"\x93NUMPY\x01\x00\xff\xff{").contains("cut off"));
        assert!(message(&file(&dict("'<f8'", "(3,)"), &[0; 23])).contains("takes 24 bytes, and 23"));
        assert!(message(&file(&dict("'<f8'", "(4294967296, 4294967296)"), &[])).contains("too large"));
        assert!(message(&file(&dict("'<f8'", "(2305843009213693952,)"), &[])).contains("too large"));
        assert!(message(&file(&dict("'<f8'", "(-1,)"), &[])).contains("not understood"));
        assert!(message(&file(&dict("'<f2'", "(1,)"), &[0; 2])).contains("float16"));
        assert!(message(&file(&dict("'<f16'", "(1,)"), &[0; 16])).contains("longdouble"));
        assert!(message(&file(&dict("'|O'", "(1,)"), &[0; 16])).contains("Python objects"));
        assert!(message(&file(&dict("''", "(1,)"), &[])).contains("element type"));
        assert!(message(&file(&dict("'é8'", "(1,)"), &[])).contains("element type"));
        assert!(message(&file(&dict("[('a', '<f8')]", "(1,)"), &[0; 8])).contains("not understood"));
        assert!(message(&file("{'descr': '<f8', 'shape': (1,)}", &[0; 8])).contains("fortran_order"));
        assert!(message(&file(&"(".repeat(60_000), &[])).contains("not understood"));
    }
}
