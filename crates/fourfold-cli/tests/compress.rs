//! `compress`: Algorithm 3 of the paper on images.

mod common;
#[path = "common/images.rs"]
mod images;

use std::f64::consts::PI;
use std::fs::File;

use common::{Folder, command, failure, read, says, success};
use images::{COLORS, L8, LA16, RGB8, RGBA8, has_alpha, is_deep, number, open, picture, save};
use png::{BitDepth, ColorType, Encoder};

/// The orthonormal 2D DCT-II by its definition, or its transpose, which is its inverse.
fn dct2(plane: &[f64], width: usize, inverse: bool) -> Vec<f64> {
    let height = plane.len() / width;
    let matrix = |k: usize, n: usize, length: usize| {
        let norm = if k == 0 { 1.0 } else { 2.0 };
        (norm / length as f64).sqrt() * (PI * (k * (2 * n + 1)) as f64 / (2 * length) as f64).cos()
    };
    let entry = |to: usize, from: usize, length: usize| match inverse {
        false => matrix(to, from, length),
        true => matrix(from, to, length),
    };
    let mut result = vec![0.0; plane.len()];
    for (to, value) in result.iter_mut().enumerate() {
        for (from, sample) in plane.iter().enumerate() {
            *value += entry(to / width, from / width, height) * entry(to % width, from % width, width) * sample;
        }
    }
    result
}

fn psnr(before: &[Vec<f64>], after: &[Vec<f64>]) -> f64 {
    let squares: f64 = before.concat().iter().zip(after.concat()).map(|(a, b)| (a - b).powi(2)).sum();
    10.0 * (255.0 * 255.0 * before.concat().len() as f64 / squares).log10()
}

#[test]
fn the_result_is_that_of_algorithm_3() {
    let (width, height, least) = (12, 7, 20.0);
    for color in COLORS {
        let folder = Folder::new();
        let (input, output) = (folder.path("in.png"), folder.path("out.png"));
        save(&input, &picture(width, height, color), width, height, color);
        let report = success(&[&"compress", &input, &"-o", &output, &"--threshold", &"20"]);
        let (before, after) = (open(&input), open(&output));
        assert_eq!(after.color, color);
        let (before, after) = (before.planes(), after.planes());
        let colors = before.len() - usize::from(has_alpha(color));
        assert_eq!(before[colors..], after[colors..], "alpha is kept");
        let mut kept = 0;
        for (a, d) in before[..colors].iter().zip(&after) {
            let mut b = dct2(a, width, false);
            b.iter_mut().for_each(|b| *b = if b.abs() >= least { *b } else { 0.0 });
            kept += b.iter().filter(|b| **b != 0.0).count();
            let half_a_step = if is_deep(color) { 0.5 / 257.0 } else { 0.5 };
            for (expected, found) in dct2(&b, width, true).iter().zip(d) {
                assert!((expected.clamp(0.0, 255.0) - found).abs() <= half_a_step + 1e-9, "{color:?}");
            }
        }
        assert_eq!(number(&report, "kept"), kept as f64);
        assert!(0 < kept && kept < colors * width * height, "the threshold separates");
        assert!((number(&report, "PSNR") - psnr(&before[..colors], &after[..colors])).abs() < 0.006);
        says(&report, &[&format!("of {} coefficients", colors * width * height), "megapixels/s"]);
    }
}

#[test]
fn keeping_all_changes_nothing() {
    for color in COLORS {
        for (width, height) in [(33, 20), (1, 1), (1, 9), (64, 1)] {
            let folder = Folder::new();
            let (input, output) = (folder.path("in.png"), folder.path("out.png"));
            save(&input, &picture(width, height, color), width, height, color);
            for how in [["--keep=100", "--type=f64"], ["--threshold=0", "--type=f64"], ["--keep=100", "--type=f32"]] {
                let report = success(&[&"compress", &input, &"-o", &output, &how[0], &how[1]]);
                assert_eq!(open(&input), open(&output), "{color:?} {width}x{height}");
                says(&report, &["(100.00 %)", "PSNR  inf dB"]);
            }
        }
    }
}

#[test]
fn a_share_is_counted_in_each_channel() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.png"), folder.path("out.png"));
    save(&input, &picture(10, 7, RGB8), 10, 7, RGB8);
    let mut quality = 0.0;
    for (percent, kept) in [("0", 0), ("0.1", 1), ("10", 7), ("10.1", 8), ("50", 35), ("99.9", 70)] {
        let report = success(&[&"compress", &input, &"-o", &output, &"--keep", &percent]);
        assert_eq!(number(&report, "kept"), f64::from(3 * kept));
        assert!(number(&report, "PSNR") >= quality, "more coefficients, better image");
        quality = number(&report, "PSNR");
    }
    success(&[&"compress", &input, &"-o", &output, &"--keep", &"0"]);
    assert!(open(&output).bytes.iter().all(|&sample| sample == 0));
}

#[test]
fn the_spectrum_is_drawn() {
    for (color, drawn) in [(LA16, L8), (RGBA8, RGB8)] {
        let folder = Folder::new();
        let [input, output, spectrum] = ["in.png", "out.png", "spectrum.png"].map(|name| folder.path(name));
        save(&input, &picture(24, 18, color), 24, 18, color);
        success(&[&"compress", &input, &"-o", &output, &"--keep", &"10", &"--spectrum", &spectrum]);
        let picture = open(&spectrum);
        assert_eq!((picture.width, picture.height, picture.color), (24, 18, drawn));
        let brightest = *picture.bytes.iter().max().unwrap();
        assert_eq!(brightest, 255);
        assert_eq!(picture.bytes.iter().position(|&sample| sample == 255).unwrap() / 3, 0, "the mean is the largest");
        assert!(picture.bytes.iter().any(|&sample| sample < 128));
    }
}

#[test]
fn jpeg_is_read_and_turned_upright() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.jpg"), folder.path("out.png"));
    save(&input, &picture(16, 8, RGB8), 16, 8, RGB8);
    success(&[&"compress", &input, &"-o", &output, &"--keep", &"100"]);
    let upright = open(&output);
    assert_eq!(upright, open(&input));
    // An EXIF segment with the entry Orientation = 6: rotate by 90° clockwise.
    let exif = b"\xff\xe1\x00\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let file = read(&input);
    let turned = folder.write("turned.jpg", &[&file[..2], exif, &file[2..]].concat());
    success(&[&"compress", &turned, &"-o", &output, &"--keep", &"100"]);
    assert_eq!(open(&output), upright.turned_right());
}

/// Samples of fewer than 8 bits and palettes become the channels that they stand for.
#[test]
fn small_samples_and_palettes_are_expanded() {
    let folder = Folder::new();
    let [input, output] = ["in.png", "out.png"].map(|name| folder.path(name));
    let convert = |color: ColorType, depth: BitDepth, transparent: Option<&'static [u8]>, bytes: &[u8]| {
        let mut encoder = Encoder::new(File::create(&input).unwrap(), 4, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == ColorType::Indexed {
            encoder.set_palette(&[1, 2, 3, 40, 50, 60, 255, 254, 253][..]);
        }
        transparent.into_iter().for_each(|alpha| encoder.set_trns(alpha));
        encoder.write_header().unwrap().write_image_data(bytes).unwrap();
        success(&[&"compress", &input, &"-o", &output, &"--keep", &"100"]);
        let image = open(&output);
        (image.color, image.bytes)
    };
    let grey = convert(ColorType::Grayscale, BitDepth::Two, None, &[0b00_01_10_11]);
    assert_eq!(grey, (L8, vec![0, 85, 170, 255]));
    let palette = convert(ColorType::Indexed, BitDepth::Four, None, &[0x01, 0x21]);
    assert_eq!(palette, (RGB8, vec![1, 2, 3, 40, 50, 60, 255, 254, 253, 40, 50, 60]));
    let transparent = convert(ColorType::Indexed, BitDepth::Eight, Some(&[7, 9]), &[2, 1, 0, 0]);
    assert_eq!(transparent, (RGBA8, vec![255, 254, 253, 255, 40, 50, 60, 9, 1, 2, 3, 7, 1, 2, 3, 7]));
}

/// A PNG file that has only the header of a grey 8-bit image of this size.
fn png_header(width: u32, height: u32) -> Vec<u8> {
    let chunk = |name: &[u8], data: &[u8]| {
        let body = [name, data].concat();
        let crc = !body.iter().fold(u32::MAX, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
        });
        [&(data.len() as u32).to_be_bytes()[..], &body, &crc.to_be_bytes()].concat()
    };
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
    [b"\x89PNG\r\n\x1a\n", &chunk(b"IHDR", &header)[..], &chunk(b"IDAT", &[]), &chunk(b"IEND", &[])].concat()
}

#[test]
fn bad_images_leave_the_old_output() {
    let folder = Folder::new();
    let good = folder.path("good.png");
    save(&good, &picture(40, 30, RGB8), 40, 30, RGB8);
    let jpeg = folder.path("good.jpg");
    save(&jpeg, &picture(40, 30, RGB8), 40, 30, RGB8);
    let output = folder.write("out.png", b"old");
    let (good_bytes, jpeg_bytes) = (read(&good), read(&jpeg));
    let cases: [(&[u8], &[&str]); 11] = [
        (b"", &["neither PNG nor JPEG"]),
        (b"BM not here", &["neither PNG nor JPEG"]),
        (&good_bytes[..good_bytes.len() / 2], &["cannot read"]),
        (&good_bytes[..20], &["cannot read"]),
        (&jpeg_bytes[..60], &["cut off"]),
        (&jpeg_bytes[..jpeg_bytes.len() / 2], &["cut off"]),
        (&jpeg_bytes[..jpeg_bytes.len() - 1], &["cut off"]),
        (&png_header(0, 5), &["0x5"]),
        (&png_header(2_000_000_000, 2_000_000_000), &["2000000000x2000000000", "at most"]),
        (&png_header(100_000, 100_000), &["100000x100000"]),
        (&png_header(16_000, 16_000), &["cut off: its pixels take 256016000 bytes, which cannot be"]),
    ];
    for (bytes, parts) in cases {
        let bad = folder.write("bad", bytes);
        let message = failure(1, &[&"compress", &bad, &"-o", &output, &"--keep", &"10"]);
        says(&message, &[&["bad"], parts].concat());
        let clauses: Vec<_> = message.trim().split(": ").collect();
        assert!(clauses.windows(2).all(|pair| pair[0] != pair[1]), "said twice: {message}");
        assert_eq!(read(&output), b"old");
    }
    says(&failure(1, &[&"compress", &folder.path(""), &"-o", &output, &"--keep", &"10"]), &["not a regular file"]);
    says(&failure(1, &[&"compress", &folder.path("none"), &"-o", &output, &"--keep", &"10"]), &["No such file"]);
    assert_eq!(folder.names(), ["bad", "good.jpg", "good.png", "out.png"]);
}

#[test]
fn bad_options_are_refused() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.png"), folder.path("out.png"));
    save(&input, &picture(4, 4, L8), 4, 4, L8);
    let fails = |code, rest: &[&str], parts: &[&str]| {
        let mut arguments: Vec<&dyn AsRef<std::ffi::OsStr>> = vec![&"compress", &input, &"-o", &output];
        arguments.extend(rest.iter().map(|word| word as &dyn AsRef<std::ffi::OsStr>));
        says(&failure(code, &arguments), parts);
    };
    for percent in ["-1", "100.5", "nan", "inf", "ten"] {
        fails(2, &["--keep", percent], &[percent, "0 to 100"]);
    }
    for threshold in ["-0.5", "nan", "inf"] {
        fails(2, &["--threshold", threshold], &[threshold, "at least 0"]);
    }
    fails(2, &[], &["--keep", "--threshold"]);
    fails(2, &["--keep", "1", "--threshold", "1"], &["--keep", "--threshold"]);
    let same = output.to_str().unwrap();
    fails(1, &["--keep", "1", "--spectrum", same], &["out.png twice"]);
    fails(1, &["--keep", "1", "--spectrum", input.to_str().unwrap()], &["in.png", "also an input"]);
    let message = failure(1, &[&"compress", &input, &"-o", &input, &"--keep", &"1"]);
    says(&message, &["in.png", "also an input"]);
    fails(2, &["--keep", "1", "--type", "f16"], &["f16", "f32 or f64"]);
    fails(1, &["--keep", "1", "--spectrum", "spectrum.JPG"], &["spectrum.JPG", "PNG"]);
    fails(1, &["--keep", "1", "--spectrum", "/no/such/folder/s.png"], &["s.png", "No such file"]);
    assert_eq!(folder.names(), ["in.png"]);
}

/// A colour profile of 200 MiB takes 200 KiB in the file. It is left out.
#[test]
#[cfg(target_os = "linux")]
fn a_profile_does_not_fill_the_memory() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.png"), folder.path("out.png"));
    let mut info = png::Info::with_size(4, 4);
    info.color_type = png::ColorType::Grayscale;
    info.icc_profile = Some(vec![0; 200 << 20].into());
    let encoder = png::Encoder::with_info(std::fs::File::create(&input).unwrap(), info).unwrap();
    encoder.write_header().unwrap().write_image_data(&[7; 16]).unwrap();
    assert!(std::fs::metadata(&input).unwrap().len() < 1 << 20);
    let script = "ulimit -v 150000; exec \"$0\" compress \"$1\" -o \"$2\" --keep 50 --threads 1";
    let program = command().get_program().to_owned();
    let run = std::process::Command::new("sh").args(["-c", script]).arg(program).args([&input, &output]).output();
    let run = run.unwrap();
    assert!(run.status.success() && run.stderr.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(std::fs::metadata(&output).unwrap().len() < 1000);
}

#[test]
fn other_formats_are_not_promised() {
    let folder = Folder::new();
    let input = folder.path("in.png");
    save(&input, &picture(4, 4, L8), 4, 4, L8);
    let message = failure(1, &[&"compress", &input, &"-o", &folder.path("out.jpg"), &"--keep", &"10"]);
    says(&message, &["out.jpg", "PNG"]);
    assert_eq!(folder.names(), ["in.png"]);
}

#[test]
fn programs_read_json() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in.png"), folder.path("out.png"));
    save(&input, &picture(40, 30, RGB8), 40, 30, RGB8);
    let report = |percent: &str| -> serde_json::Value {
        let text = success(&[&"compress", &input, &"-o", &output, &"--keep", &percent, &"--json"]);
        serde_json::from_str(&text).unwrap()
    };
    let some = report("10");
    assert_eq!((&some["width"], &some["height"]), (&40.into(), &30.into()));
    assert_eq!((&some["coefficients"], &some["kept"]), (&3600.into(), &360.into()));
    assert!(some["psnr"].as_f64().unwrap() > 10.0 && some["seconds"].as_f64().unwrap() > 0.0);
    assert!(report("100")["psnr"].is_null(), "nothing was lost");
}
