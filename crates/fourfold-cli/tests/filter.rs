//! `filter`: ideal high-pass and low-pass filters on images.

mod common;
#[path = "common/images.rs"]
mod images;

use std::f64::consts::PI;
use std::ffi::OsStr;

use common::{Folder, failure, read, says, success};
use images::{COLORS, L8, RGB8, has_alpha, is_deep, number, open, picture, save};
use num_complex::Complex;

/// The orthonormal 2D DFT by its definition; the exponent has the given sign.
fn dft(plane: &[Complex<f64>], width: usize, sign: f64) -> Vec<Complex<f64>> {
    let height = plane.len() / width;
    let turn = |k: usize, n: usize, length: usize| (k * n % length) as f64 / length as f64;
    let term = |to: usize, from: usize| turn(to / width, from / width, height) + turn(to % width, from % width, width);
    let sum = |to: usize| {
        let terms = plane.iter().enumerate();
        let sum: Complex<f64> = terms.map(|(from, x)| x * Complex::cis(sign * 2.0 * PI * term(to, from))).sum();
        sum / (plane.len() as f64).sqrt()
    };
    (0..plane.len()).map(sum).collect()
}

/// The frequency in units of the Nyquist frequency. Indices k > n/2 stand for k − n.
fn frequency(at: usize, width: usize, height: usize) -> f64 {
    let side = |k: usize, n: usize| {
        let signed = if 2 * k > n { k as f64 - n as f64 } else { k as f64 };
        signed / n as f64 / 0.5
    };
    (side(at / width, height).powi(2) + side(at % width, width).powi(2)).sqrt()
}

/// Spectra of the colour channels after the filter.
fn filtered(planes: &[Vec<f64>], width: usize, keeps: impl Fn(f64) -> bool) -> Vec<Vec<Complex<f64>>> {
    let spectrum = |plane: &Vec<f64>| {
        let x: Vec<_> = plane.iter().map(|&x| Complex::from(x)).collect();
        let mut spectrum = dft(&x, width, -1.0);
        let height = plane.len() / width;
        let drop = |(at, y): (usize, &mut Complex<f64>)| {
            *y *= if keeps(frequency(at, width, height)) { 1.0 } else { 0.0 };
        };
        spectrum.iter_mut().enumerate().for_each(drop);
        spectrum
    };
    planes.iter().map(spectrum).collect()
}

#[test]
fn the_result_is_that_of_the_definition() {
    for (i, color) in COLORS.into_iter().enumerate() {
        for (width, height) in [(12, 7), (5, 8)] {
            let folder = Folder::new();
            let (input, output) = (folder.path("in.png"), folder.path("out.png"));
            save(&input, &picture(width, height, color), width, height, color);
            let before = open(&input).planes();
            let colors = before.len() - usize::from(has_alpha(color));
            let real = ["f64", "f32"][i % 2];
            for (option, high) in [("--high-pass", true), ("--low-pass", false)] {
                let report = success(&[&"filter", &input, &"-o", &output, &option, &"0.45", &"--type", &real]);
                let after = open(&output);
                assert_eq!(after.color, color);
                let after = after.planes();
                assert_eq!(before[colors..], after[colors..], "alpha is kept");
                let spectra = filtered(&before[..colors], width, |f| if high { f >= 0.45 } else { f <= 0.45 });
                let half_a_step = if is_deep(color) { 0.5 / 257.0 } else { 0.5 };
                for (spectrum, found) in spectra.iter().zip(&after) {
                    let expected = dft(spectrum, width, 1.0);
                    for (y, found) in expected.iter().zip(found) {
                        assert!(y.im.abs() < 1e-9);
                        let shown = if high { y.re.abs() } else { y.re };
                        assert!((shown.clamp(0.0, 255.0) - found).abs() <= half_a_step + 1e-3, "{color:?} {option}");
                    }
                }
                let passed = (0..width * height).filter(|&at| (frequency(at, width, height) >= 0.45) == high).count();
                assert_eq!(number(&report, "passed"), passed as f64);
                assert!(0 < passed && passed < width * height, "the frequency separates");
                says(&report, &[&format!("of {} frequencies", width * height), "megapixels/s"]);
            }
        }
    }
}

/// A wave of one frequency leaves a filter multiplied by its response.
#[test]
fn bands_and_roll_offs_multiply_waves() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.png"), folder.path("out.png"));
    let wave = |at: usize| 128.0 + 100.0 * (2.0 * PI * 4.0 * (at % 32) as f64 / 32.0).cos();
    let bytes: Vec<u8> = (0..32 * 16).map(|at| wave(at).round() as u8).collect();
    save(&input, &bytes, 32, 16, L8);
    for (options, factor) in [
        (["--band-pass=0.2,0.3", "--rolloff=ideal"], 1.0),
        (["--band-pass=0.3,0.5", "--rolloff=ideal"], 0.0),
        (["--high-pass=0.25", "--rolloff=gaussian"], 0.5f64.sqrt()),
        (["--high-pass=0.5", "--rolloff=butterworth:2"], (0.0625f64 / 1.0625).sqrt()),
    ] {
        success(&[&"filter", &input, &"-o", &output, &options[0], &options[1]]);
        let found = open(&output).planes().concat();
        let want = |at: usize| (factor * (wave(at) - 128.0)).abs();
        assert!((0..32 * 16).all(|at| (found[at] - want(at)).abs() <= 1.6), "{options:?}");
    }
    let wrong = failure(1, &[&"filter", &input, &"-o", &output, &"--band-pass", &"0.3,0.2"]);
    says(&wrong, &["a band from 0.3 to 0.2: expected the lower cut-off first"]);
    let wrong = failure(2, &[&"filter", &input, &"-o", &output, &"--band-pass", &"0.3"]);
    says(&wrong, &["LOW,HIGH is needed"]);
    let wrong = failure(2, &[&"filter", &input, &"-o", &output, &"--low-pass=1", &"--rolloff=steep"]);
    says(&wrong, &["steep", "ideal, gaussian or butterworth:ORDER"]);
}

#[test]
fn filters_that_keep_all_change_nothing() {
    for color in COLORS {
        for (width, height) in [(33, 20), (1, 1), (1, 9), (64, 1), (37, 41)] {
            let folder = Folder::new();
            let (input, output) = (folder.path("in.png"), folder.path("out.png"));
            save(&input, &picture(width, height, color), width, height, color);
            for how in [
                ["--high-pass=0", "--type=f64"],
                ["--low-pass=1.4142136", "--type=f64"],
                ["--high-pass=0", "--type=f32"],
            ] {
                let report = success(&[&"filter", &input, &"-o", &output, &how[0], &how[1]]);
                assert_eq!(open(&input), open(&output), "{color:?} {width}x{height}");
                says(&report, &["(100.00 %)"]);
            }
        }
    }
}

#[test]
fn the_ends_of_the_scale() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.png"), folder.path("out.png"));
    save(&input, &picture(20, 30, L8), 20, 30, L8);
    let before = open(&input).planes();
    let mean = before[0].iter().sum::<f64>() / 600.0;
    let after = |option: &str, f: &str| {
        let report = success(&[&"filter", &input, &"-o", &output, &option, &f]);
        (number(&report, "passed"), open(&output).planes().concat())
    };
    let (passed, low) = after("--low-pass", "0");
    assert!(passed == 1.0 && low.iter().all(|y| (y - mean).abs() <= 0.5 + 1e-9), "the mean");
    assert_eq!(after("--high-pass", "1.4142").0, 1.0, "a checkerboard");
    // Steps are 1/10 along the rows and 1/15 along the columns. The frequency at the limit passes
    // both filters.
    assert_eq!((after("--low-pass", "0.1").0, after("--high-pass", "0.1").0), (5.0, 600.0 - 3.0));
}

#[test]
fn spectra_are_drawn_centred() {
    for (width, height) in [(12, 7), (9, 10)] {
        let folder = Folder::new();
        let [input, output, drawn] = ["in.png", "out.png", "s.png"].map(|name| folder.path(name));
        save(&input, &picture(width, height, RGB8), width, height, RGB8);
        let options: [&dyn AsRef<OsStr>; 8] =
            [&"filter", &input, &"-o", &output, &"--high-pass", &"0.3", &"--spectrum", &drawn];
        success(&options);
        let found = open(&drawn);
        assert_eq!((found.color, found.width, found.height), (RGB8, width, height));
        let found = found.planes();
        let spectra = filtered(&open(&input).planes(), width, |f| f >= 0.3);
        let logarithm = |y: &Complex<f64>| (1.0 + y.norm()).ln();
        let largest = spectra.concat().iter().map(logarithm).fold(0.0, f64::max);
        for (spectrum, found) in spectra.iter().zip(&found) {
            for (at, y) in spectrum.iter().enumerate() {
                let (row, column) = ((at / width + height / 2) % height, (at % width + width / 2) % width);
                let shown = found[row * width + column];
                assert!((255.0 * logarithm(y) / largest - shown).abs() <= 0.51, "{width}x{height} at {at}");
            }
        }
        assert_eq!(found[0][height / 2 * width + width / 2], 0.0, "the mean is dropped");
    }
}

#[test]
fn bad_options_and_images_are_refused() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.png"), folder.write("out.png", b"old"));
    save(&input, &picture(4, 4, L8), 4, 4, L8);
    let fails = |code, rest: &[&str], parts: &[&str]| {
        let mut arguments: Vec<&dyn AsRef<OsStr>> = vec![&"filter", &input, &"-o", &output];
        arguments.extend(rest.iter().map(|word| word as &dyn AsRef<OsStr>));
        says(&failure(code, &arguments), parts);
    };
    for f in ["-0.5", "nan", "inf", "half"] {
        fails(2, &["--high-pass", f], &[f, "at least 0"]);
        fails(2, &["--low-pass", f], &[f, "at least 0"]);
    }
    for (option, cutoff) in [("--high-pass", "1.5"), ("--low-pass", "1.5"), ("--band-pass", "0.3,1.5")] {
        fails(1, &[option, cutoff], &["a cut-off of 1.5: expected one within the band, from 0 to 1.414"]);
    }
    for (option, cutoff) in [("--high-pass", "-.5"), ("--low-pass", "-1e-3"), ("--band-pass", "-.1,0.5")] {
        fails(2, &[option, cutoff], &[option, cutoff, "at least 0"]);
    }
    fails(2, &[], &["--high-pass", "--low-pass"]);
    fails(2, &["--high-pass", "1", "--low-pass", "1"], &["--high-pass", "--low-pass"]);
    let high = |rest: &[&'static str]| [&["--high-pass", "0.1"], rest].concat();
    fails(1, &high(&["--algorithm", "row-column"]), &["fused", "row-column", "leave out --algorithm row-column"]);
    fails(1, &high(&["--engine", "opencl:99"]), &["opencl"]);
    fails(1, &[&["--high-pass", "0.1", "--spectrum"][..], &[output.to_str().unwrap()]].concat(), &["out.png twice"]);
    fails(1, &[&["--high-pass", "0.1", "--spectrum"][..], &[input.to_str().unwrap()]].concat(), &["also an input"]);
    fails(1, &high(&["--spectrum", "s.jpg"]), &["s.jpg", "PNG"]);
    let bad = folder.write("bad.png", b"no image");
    says(&failure(1, &[&"filter", &bad, &"-o", &output, &"--low-pass", &"1"]), &["bad.png", "neither PNG nor JPEG"]);
    let cut = folder.write("bad.png", &read(&input)[..40]);
    says(&failure(1, &[&"filter", &cut, &"-o", &output, &"--low-pass", &"1"]), &["cannot read"]);
    assert_eq!(
        (read(&output), folder.names()),
        (b"old".to_vec(), ["bad.png", "in.png", "out.png"].map(String::from).to_vec())
    );
}
