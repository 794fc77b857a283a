//! Element types of `.npy` files.

use anyhow::{Result, bail};
use fourfold::{Domain, Precision};
use num_complex::Complex;

/// The sort of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Class {
    Bool,
    Signed,
    Unsigned,
    Float,
    Complex,
}

/// The type of the elements: class, bytes of an element, byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DType {
    /// The sort of an element.
    pub class: Class,
    /// The bytes of an element.
    pub bytes: usize,
    big_endian: bool,
}

impl DType {
    /// Reads a type string such as `<f8`.
    ///
    /// # Errors
    /// If the commands do not read such elements.
    pub fn parse(text: &str) -> Result<DType> {
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

    /// The precision of floats; integers and booleans have none.
    pub fn precision(self) -> Option<Precision> {
        match (self.class, self.bytes) {
            (Class::Float, 4) | (Class::Complex, 8) => Some(Precision::F32),
            (Class::Float, 8) | (Class::Complex, 16) => Some(Precision::F64),
            _ => None,
        }
    }

    /// Real or complex.
    pub fn domain(self) -> Domain {
        if self.class == Class::Complex { Domain::Complex } else { Domain::Real }
    }

    /// One real number from the bytes of one element, or of one part of a complex element.
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

    /// One element as a complex number.
    pub fn number(self, bytes: &[u8]) -> Complex<f64> {
        match self.class {
            Class::Complex => {
                let (re, im) = bytes.split_at(bytes.len() / 2);
                Complex::new(self.real(re), self.real(im))
            }
            _ => Complex::new(self.real(bytes), 0.0),
        }
    }
}

/// Names a type that cannot be read in NumPy's terms.
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
