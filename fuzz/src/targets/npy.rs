//! Any bytes either are a .npy file, which is read without taking more memory than its data ask for
//! and which survives being written and read again, or get an error.

use crate::array::{bytes as size, with_elements};
use crate::npy;
use crate::npy::Npy;
use fourfold::Precision;
use fourfold::oracle::verify::Data;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(file) = Npy::new(bytes, bytes.len() as u64) else { return };
    let (shape, domain) = (file.header.shape.clone(), file.header.dtype.domain());
    if !shape.contains(&0) {
        file.header.strides();
    }
    let precision = file.header.dtype.precision().unwrap_or(Precision::F64);
    let array = file.read(precision, domain).expect("the file was found long enough");
    assert!(size(&array) <= 8 * bytes.len(), "one byte becomes at most one f64");
    let mut written = Vec::new();
    npy::write(&mut written, &shape, &array).expect("memory takes all");
    let again = Npy::new(&written[..], written.len() as u64).expect("what is written is a file");
    assert_eq!(again.header.shape, shape);
    assert_eq!(bits(&again.read(precision, domain).expect("what is written is whole")), bits(&array));
}

/// The values such that NaN equals NaN.
fn bits(array: &Data) -> String {
    with_elements!(array, elements => format!("{elements:?}"))
}
