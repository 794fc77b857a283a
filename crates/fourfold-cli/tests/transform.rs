//! `transform`: .npy files in and out.

#[path = "common/arrays.rs"]
mod arrays;
mod common;

use std::f64::consts::PI;

use arrays::{doubles, little, npy, parts, singles};
use common::{Folder, command, failure, one_error, read, says, success};

/// Runs a problem on a file; returns the header's text and the data of the result.
fn transform(problem: &str, file: &[u8]) -> (String, Vec<u8>) {
    let folder = Folder::new();
    let (input, output) = (folder.write("in.npy", file), folder.path("out.npy"));
    assert_eq!(success(&[&"transform", &problem, &input, &"-o", &output]), "");
    assert_eq!(folder.names(), ["in.npy", "out.npy"]);
    parts(&read(&output))
}

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let error = found.iter().zip(expected).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let size = expected.iter().map(|b| b * b).sum::<f64>().sqrt();
    assert!(error <= tolerance * size, "{found:?} is not {expected:?}");
}

/// The definition of the DCT-II.
fn dct2(x: &[f64]) -> Vec<f64> {
    let angle = |n: usize, k: usize| PI * (k * (2 * n + 1)) as f64 / (2 * x.len()) as f64;
    let term = |k: usize| x.iter().enumerate().map(|(n, x)| 2.0 * x * angle(n, k).cos()).sum();
    (0..x.len()).map(term).collect()
}

/// The definition of the DFT, parts side by side.
fn dft(x: &[(f64, f64)]) -> Vec<f64> {
    let term = |k: usize| {
        let terms = x.iter().enumerate().map(|(n, (re, im))| {
            let (sin, cos) = (-2.0 * PI * ((n * k) % x.len()) as f64 / x.len() as f64).sin_cos();
            [re * cos - im * sin, re * sin + im * cos]
        });
        terms.fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]])
    };
    (0..x.len()).flat_map(term).collect()
}

fn matrix(rows: usize, columns: usize, at: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    (0..rows)
        .flat_map(|row| (0..columns).map(move |column| (row, column)))
        .map(|(row, column)| at(row, column))
        .collect()
}

fn sample(row: usize, column: usize) -> f64 {
    ((7 * row + 3 * column) as f64).sin() + 0.1 * row as f64
}

/// The DCT-II along the rows of a 3x5 array of samples.
fn rows_transformed() -> Vec<f64> {
    (0..3).flat_map(|row| dct2(&(0..5).map(|column| sample(row, column)).collect::<Vec<_>>())).collect()
}

#[test]
fn c_and_fortran_order_and_both_byte_orders_agree() {
    let c = matrix(3, 5, sample);
    let fortran = matrix(5, 3, |column, row| sample(row, column));
    let big = |values: &[f64]| values.iter().flat_map(|value| value.to_be_bytes()).collect();
    for file in [
        npy("<f8", false, "(3, 5)", little(&c)),
        npy("<f8", true, "(3, 5)", little(&fortran)),
        npy(">f8", false, "(3, 5)", big(&c)),
        npy(">f8", true, "(3, 5)", big(&fortran)),
    ] {
        for problem in ["dct2 f64 auto axes=1", "DCT2 f64 3x5 axes=-1"] {
            let (header, data) = transform(problem, &file);
            says(&header, &["'descr': '<f8'", "'fortran_order': False", "'shape': (3, 5)"]);
            close(&doubles(&data), &rows_transformed(), 1e-14);
        }
    }
}

#[test]
fn single_precision_stays_single() {
    let data = matrix(3, 5, sample).iter().flat_map(|&x| (x as f32).to_be_bytes()).collect();
    let (header, data) = transform("dct2 f32 auto axes=1", &npy(">f4", false, "(3, 5)", data));
    says(&header, &["'descr': '<f4'"]);
    close(&singles(&data), &rows_transformed(), 1e-6);
}

#[test]
fn integers_and_booleans_become_floats() {
    let x = [3.0, 0.0, 200.0, 7.0];
    let files = [
        npy("|u1", false, "(4,)", x.map(|x| x as u8).to_vec()),
        npy(">u2", false, "(4,)", x.iter().flat_map(|&x| (x as u16).to_be_bytes()).collect()),
        npy("<i8", false, "(4,)", x.iter().flat_map(|&x| (x as i64).to_le_bytes()).collect()),
    ];
    for file in &files {
        close(&doubles(&transform("dct2 f64 auto", file).1), &dct2(&x), 1e-14);
        close(&singles(&transform("dct2 f32 auto", file).1), &dct2(&x), 1e-6);
    }
    let bools = npy("|b1", false, "(3,)", vec![1, 0, 1]);
    close(&doubles(&transform("dct2 f64 auto", &bools).1), &dct2(&[1.0, 0.0, 1.0]), 1e-14);
}

#[test]
fn complex_numbers_have_both_parts_transformed_by_real_kinds() {
    let numbers = matrix(3, 10, |row, place| sample(row, place / 2) * if place % 2 == 0 { 1.0 } else { -0.5 });
    let by_columns = matrix(5, 6, |column, place| numbers[10 * (place / 2) + 2 * column + place % 2]);
    let expected: Vec<f64> = rows_transformed().iter().flat_map(|y| [*y, -0.5 * y]).collect();
    for file in [npy("<c16", false, "(3, 5)", little(&numbers)), npy("<c16", true, "(3, 5)", little(&by_columns))] {
        let (header, data) = transform("dct2 f64 auto axes=1", &file);
        says(&header, &["'descr': '<c16'", "'shape': (3, 5)"]);
        close(&doubles(&data), &expected, 1e-14);
    }
}

#[test]
fn complex_transforms_take_real_and_complex_numbers() {
    let reals = [1.0, -2.0, 0.5, 4.0, 3.0];
    let (header, data) = transform("fft f64 auto", &npy("<f8", false, "(5,)", little(&reals)));
    says(&header, &["'descr': '<c16'", "'shape': (5,)"]);
    close(&doubles(&data), &dft(&reals.map(|re| (re, 0.0))), 1e-14);
    let parts = [1.0f32, 2.0, -3.0, 0.25, 5.0, -1.0].iter().flat_map(|x| x.to_be_bytes()).collect();
    let (header, data) = transform("fft f32 auto", &npy(">c8", false, "(3,)", parts));
    says(&header, &["'descr': '<c8'"]);
    close(&singles(&data), &dft(&[(1.0, 2.0), (-3.0, 0.25), (5.0, -1.0)]), 1e-6);
}

#[test]
fn half_spectra_have_their_shapes() {
    let reals = matrix(3, 6, sample);
    let folder = Folder::new();
    let [input, half, back] = ["in.npy", "half.npy", "back.npy"].map(|name| folder.path(name));
    std::fs::write(&input, npy("<f8", true, "(6, 3)", little(&reals))).unwrap();
    success(&[&"transform", &"rfft f64 auto axes=0", &input, &"-o", &half]);
    says(&parts(&read(&half)).0, &["'descr': '<c16'", "'shape': (4, 3)"]);
    success(&[&"transform", &"irfft f64 auto axes=0", &half, &"-o", &back]);
    let (header, data) = parts(&read(&back));
    says(&header, &["'descr': '<f8'", "'shape': (6, 3)"]);
    close(&doubles(&data), &matrix(6, 3, |row, column| reals[6 * column + row]), 1e-14);
    success(&[&"transform", &"irfft f64 7x3 axes=0", &half, &"-o", &back]);
    says(&parts(&read(&back)).0, &["'shape': (7, 3)"]);
}

#[test]
fn not_a_number_passes_through() {
    let (_, data) = transform("dct2 f64 auto axes=1", &npy("<f8", false, "(2, 2)", little(&[f64::NAN, 1.0, 2.0, 3.0])));
    let found = doubles(&data);
    assert!(found[0].is_nan() && found[1].is_nan() && found[2] == 10.0);
}

#[test]
fn an_input_is_not_overwritten() {
    let folder = Folder::new();
    let array = npy("<f8", false, "(3,)", little(&[1.0, 2.0, 4.0]));
    let file = folder.write("a.npy", &array);
    let message = failure(1, &[&"transform", &"dct2 f64 auto", &file, &"-o", &file]);
    says(&message, &["a.npy", "also an input"]);
    assert!(read(&file) == array && folder.names() == ["a.npy"]);
}

/// The error for a problem and a file; an output that was there must stay as it was.
fn refused(problem: &str, file: &[u8]) -> String {
    let folder = Folder::new();
    let (input, output) = (folder.write("in.npy", file), folder.write("out.npy", b"old"));
    let message = failure(1, &[&"transform", &problem, &input, &"-o", &output]);
    assert_eq!(read(&output), b"old");
    assert_eq!(folder.names(), ["in.npy", "out.npy"]);
    message
}

#[test]
fn what_does_not_suit_is_refused() {
    let file = |descr| npy(descr, false, "(4,)", vec![0; 64]);
    let problem = "dct2 f64 auto";
    says(&refused("dct2 f32 auto", &file("<f8")), &["in.npy", "f64", "instead of f32"]);
    says(&refused("fft f64 auto", &file("<c8")), &["f32", "instead of f64"]);
    says(&refused("dct2 f64 5", &file("<f8")), &["shape 4", "5", "auto"]);
    says(&refused("dct2 f64 2x2", &file("<f8")), &["shape 4", "2x2"]);
    says(&refused("rfft f64 auto", &file("<c16")), &["rfft", "complex", "fft"]);
    says(&refused("dct2 f64 auto in=2", &file("<f8")), &["in="]);
    says(&refused("dct2 f64 auto inplace", &file("<f8")), &["inplace"]);
    says(&refused("dct2 f64 auto axes=1", &file("<f8")), &["axis 1"]);
    says(&refused("dct7 f64 auto", &file("<f8")), &["dct7"]);
    says(&refused("dct1 f64 auto", &npy("<f8", false, "(1,)", little(&[1.0]))), &["dct1"]);
    says(&refused(problem, &npy("<f8", false, "()", little(&[1.0]))), &["shape"]);
    says(&refused(problem, &npy("<f8", false, "(3, 0)", vec![])), &["0"]);
    says(&refused(problem, &file("<f2")), &["float16"]);
    says(&refused(problem, &file("<f16")), &["longdouble"]);
    says(&refused(problem, &file("<U4")), &["text"]);
    says(&refused(problem, &file("|O")), &["Python objects"]);
}

#[test]
fn broken_files_are_refused() {
    let whole = npy("<f8", false, "(4,)", little(&[1.0; 4]));
    for length in [0, 5, 8, 9, 40, whole.len() - 1] {
        says(&refused("dct2 f64 auto", &whole[..length]), &["cannot read", "in.npy"]);
    }
    says(&refused("dct2 f64 auto", b"not an array at all"), &["not a .npy file"]);
    says(&refused("dct2 f64 auto", &npy("<f8", false, "(1000000000000,)", vec![])), &["8000000000000 bytes"]);
    says(&refused("dct2 f64 auto", &npy("<f8", false, "(-4,)", vec![])), &["header"]);
    let hostile = npy("<f8", false, "(9223372036854775807, 9223372036854775807)", vec![]);
    says(&refused("dct2 f64 auto", &hostile), &["too large"]);
}

#[test]
fn unreadable_and_unwritable_paths_are_named() {
    let folder = Folder::new();
    let (problem, none, nowhere) = ("dct2 f64 auto", folder.path("none.npy"), folder.path("no/where.npy"));
    says(&failure(1, &[&"transform", &problem, &none, &"-o", &folder.path("o")]), &["none.npy", "No such file"]);
    says(&failure(1, &[&"transform", &problem, &folder.path(""), &"-o", &none]), &["cannot read"]);
    let input = folder.write("in.npy", &npy("<f8", false, "(1,)", little(&[1.0])));
    says(&failure(1, &[&"transform", &problem, &input, &"-o", &nowhere]), &["where.npy", "No such file"]);
    says(&failure(1, &[&"transform", &problem, &input, &"-o", &folder.path("")]), &["not a regular file"]);
    says(&failure(2, &[&"transform", &problem, &input]), &["--output"]);
    assert_eq!(folder.names(), ["in.npy"]);
}

#[test]
#[cfg(unix)]
fn a_write_that_fails_halfway_leaves_the_old_file() {
    let folder = Folder::new();
    let input = folder.write("in.npy", &npy("<f8", false, "(8192,)", vec![0; 65536]));
    let output = folder.write("out.npy", b"old");
    let binary = command().get_program().to_owned();
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" transform 'dct2 f64 auto' \"$1\" -o \"$2\"";
    let shell = std::process::Command::new("sh").args(["-c", script]).arg(binary).args([&input, &output]).output();
    says(&one_error(1, &shell.unwrap()), &["cannot write", "out.npy", "too large"]);
    assert_eq!(read(&output), b"old");
    assert_eq!(folder.names(), ["in.npy", "out.npy"]);
}

#[test]
#[cfg(unix)]
fn a_pipe_is_not_waited_for() {
    let folder = Folder::new();
    let pipe = folder.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let message = failure(1, &[&"transform", &"dct2 f64 auto", &pipe, &"-o", &folder.path("out.npy")]);
    says(&message, &["pipe", "not a regular file"]);
}

#[test]
fn programs_read_json() {
    let folder = Folder::new();
    let input = folder.write("in.npy", &npy("<f4", false, "(2, 4)", vec![0; 32]));
    let text = success(&[&"transform", &"rfft f32 auto axes=-1", &input, &"-o", &folder.path("out.npy"), &"--json"]);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["problem"], "rfft f32 2x4 axes=1");
    assert_eq!(report["dtype"], "complex64");
    assert_eq!(report["shape"], serde_json::json!([2, 3]));
}
