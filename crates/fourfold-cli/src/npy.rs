//! Reads and writes arrays in NumPy's `.npy` format, versions 1.0, 2.0 and 3.0.
//!
//! Source: NumPy's NEP 1 and `numpy/lib/format.py`. The size in a header may be false, so nothing
//! is allocated before the file is known to be long enough.

use std::io::{self, Read, Write};

use anyhow::{Context, Result, ensure};
use fourfold::oracle::verify::Data;
use fourfold::{Domain, Element, Precision};
use fourfold_npy::{Header, encode};
use num_complex::Complex;

use crate::array::{fitting, zeros, zeros_of};

/// The most axes of an array, as in NumPy.
const MOST_AXES: usize = 64;

/// Elements converted at a time.
const CHUNK: usize = 4096;

/// A file whose header has been read, and which is long enough for its array.
pub(crate) struct Npy<R> {
    pub(crate) header: Header,
    elements: usize,
    reader: R,
}

impl<R: Read> Npy<R> {
    /// Reads the header of a file of `file_bytes` bytes. Bytes after the array are ignored, as
    /// NumPy does.
    pub(crate) fn new(mut reader: R, file_bytes: u64) -> Result<Self> {
        let (header, header_bytes) = Header::read(&mut reader)?;
        let axes = header.shape.len();
        ensure!(axes <= MOST_AXES, "its array has {axes} axes; at most {MOST_AXES} are read");
        let (elements, needed) = header.size().with_context(|| format!("its shape {:?} is too large", header.shape))?;
        let held = file_bytes.saturating_sub(header_bytes);
        ensure!(held >= needed, "it is cut off: its array takes {needed} bytes, and {held} follow the header");
        Ok(Npy { header, elements, reader })
    }

    /// Reads the elements, in the file's order.
    ///
    /// Integers and booleans become the nearest floats. Real numbers become complex if the `domain`
    /// asks for it; complex numbers stay complex.
    ///
    /// # Errors
    /// If the file is cut off, if memory is lacking, or if a number is beyond the largest one of the type.
    pub(crate) fn read(self, precision: Precision, domain: Domain) -> Result<Data> {
        let domain = if self.header.dtype.domain() == Domain::Complex { Domain::Complex } else { domain };
        Ok(match (precision, domain) {
            (Precision::F32, Domain::Real) => Data::F32(self.convert(|i, z| element(i, z.re))?),
            (Precision::F64, Domain::Real) => Data::F64(self.convert(|_, z| Ok(z.re))?),
            (Precision::F32, Domain::Complex) => {
                Data::ComplexF32(self.convert(|i, z| Ok(Complex::new(element(i, z.re)?, element(i, z.im)?)))?)
            }
            (Precision::F64, Domain::Complex) => Data::ComplexF64(self.convert(|_, z| Ok(z))?),
        })
    }

    /// Reads real elements, in C order.
    ///
    /// # Errors
    /// If the file has complex elements, or is cut off, or if memory is lacking.
    pub(crate) fn read_reals(self, precision: Precision) -> Result<Data> {
        ensure!(self.header.dtype.domain() == Domain::Real, "it holds complex numbers: real ones are needed");
        let header = self.header.clone();
        let data = self.read(precision, Domain::Real)?;
        if !header.fortran_order || header.shape.len() < 2 {
            return Ok(data);
        }
        let (strides, elements) = (header.strides(), header.shape.iter().product());
        let mut ordered = zeros_of(precision, Domain::Real, elements)?;
        for i in 0..elements {
            let (mut rest, mut at) = (i, 0);
            for (n, stride) in header.shape.iter().zip(&strides).rev() {
                at += rest % n * stride.unsigned_abs();
                rest /= n;
            }
            ordered.set(i, data.get(at));
        }
        Ok(ordered)
    }

    fn convert<T: Element>(mut self, convert: impl Fn(usize, Complex<f64>) -> Result<T>) -> Result<Vec<T>> {
        let dtype = self.header.dtype;
        let mut elements = zeros(self.elements)?;
        let mut buffer = vec![0; CHUNK * dtype.bytes];
        for (number, chunk) in elements.chunks_mut(CHUNK).enumerate() {
            let bytes = &mut buffer[..chunk.len() * dtype.bytes];
            self.reader.read_exact(bytes).context("its data are cut off")?;
            let first = number * CHUNK;
            for (i, (element, bytes)) in (first..).zip(chunk.iter_mut().zip(bytes.chunks_exact(dtype.bytes))) {
                *element = convert(i, dtype.number(bytes))?;
            }
        }
        Ok(elements)
    }
}

/// The number of element `i` in `f32`.
fn element(i: usize, number: f64) -> Result<f32> {
    fitting(number, format_args!("element {i}"))
}

/// Writes an array in C order, little-endian.
pub(crate) fn write(writer: &mut impl Write, shape: &[usize], data: &Data) -> io::Result<()> {
    let descr = match data {
        Data::F32(_) => "<f4",
        Data::F64(_) => "<f8",
        Data::ComplexF32(_) => "<c8",
        Data::ComplexF64(_) => "<c16",
    };
    writer.write_all(&encode(descr, shape))?;
    match data {
        Data::F32(reals) => write_parts(writer, reals, |x| [x.to_le_bytes()]),
        Data::F64(reals) => write_parts(writer, reals, |x| [x.to_le_bytes()]),
        Data::ComplexF32(numbers) => write_parts(writer, numbers, |z| [z.re.to_le_bytes(), z.im.to_le_bytes()]),
        Data::ComplexF64(numbers) => write_parts(writer, numbers, |z| [z.re.to_le_bytes(), z.im.to_le_bytes()]),
    }
}

/// Writes an array of 16-bit integers in C order.
pub(crate) fn write_i16(writer: &mut impl Write, shape: &[usize], values: &[i16]) -> io::Result<()> {
    writer.write_all(&encode("<i2", shape))?;
    write_parts(writer, values, |x| [x.to_le_bytes()])
}

/// Writes an array of 16-bit integers without signs in C order.
pub(crate) fn write_u16(writer: &mut impl Write, shape: &[usize], values: &[u16]) -> io::Result<()> {
    writer.write_all(&encode("<u2", shape))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use fourfold_npy::MAGIC;

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
        let list = message(&file(&dict("'<f8'", "[6, 8]"), &[0; 384]));
        assert!(list.contains("\"shape\" is a list") && !list.contains("structured"), "{list}");
        let many = message(&file(&dict("'<f8'", &format!("({})", "9,".repeat(20_000))), &[0; 8]));
        assert!(many.contains("20000 axes; at most 64") && many.len() < 200, "{many}");
    }
}
