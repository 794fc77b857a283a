//! .npy files for tests.
#![allow(dead_code)] // each test file uses its own part

/// A .npy file of version 1.0.
pub(crate) fn npy(descr: &str, fortran_order: bool, shape: &str, data: Vec<u8>) -> Vec<u8> {
    let order = if fortran_order { "True" } else { "False" };
    let dict = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\x00", &(dict.len() as u16).to_le_bytes()[..], dict.as_bytes(), &data].concat()
}

pub(crate) fn little(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The header's text and the data of a file that the command wrote.
pub(crate) fn parts(file: &[u8]) -> (String, Vec<u8>) {
    assert_eq!(&file[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([file[8], file[9]]));
    assert_eq!((10 + length) % 64, 0);
    (String::from_utf8(file[10..10 + length].to_vec()).unwrap(), file[10 + length..].to_vec())
}

pub(crate) fn doubles(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect()
}

pub(crate) fn singles(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()).into()).collect()
}
