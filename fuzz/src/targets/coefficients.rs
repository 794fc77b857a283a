//! Any bytes either are a JPEG file, whose coefficients survive being written and read again where
//! they can be written, or get an error.

use crate::targets::jpeg::LIMITS;
use fourfold_jpeg::{Coefficients, read_coefficients, write_coefficients};

pub(crate) fn check(file: &[u8]) {
    if let Ok(read) = read_coefficients(file, &LIMITS) {
        survive(&read.value);
    }
}

/// What can be written is read again as it was, without warnings.
pub(crate) fn survive(coefficients: &Coefficients) {
    let Ok(written) = write_coefficients(coefficients) else { return };
    let again = read_coefficients(&written, &LIMITS).expect("what is written is a file");
    assert_eq!(again.value, *coefficients);
    assert!(again.warnings.is_empty());
}
