//! Tables and plots as a user makes them.

#[path = "../../fourfold-cli/tests/common/mod.rs"]
mod common;
mod ratios;

use std::fs;
use std::io::Write;

use common::{Folder, failure, says, success};
use ratios::checked_ratios;

#[test]
fn tables_are_printed_and_saved() {
    let folder = Folder::new();
    let out = folder.path("out");
    let quick: [&dyn AsRef<std::ffi::OsStr>; 8] =
        [&"table-i", &"table-iii", &"fig-6", &"table-vi", &"--quick", &"--engine", &"cpu", &"--out"];
    let text = success(&[&quick[..], &[&out]].concat());
    says(&text, &["# Table III", "| multiplications a thread | 10 | 10 | 16 | 16 |", "| reads | 2 N₁N₂ | 2.00 N₁N₂ |"]);
    says(
        &text,
        &["# Figure 6", "1024 × 1024 | reorder", "about 20 %", "left out: table-vi on cpu: it is for cuda alone"],
    );
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    assert!(text.contains(&read("table-iii.md")) && text.contains(&read("fig-6-cpu.md")));
    says(&text, &["# Table I:", "| 1024 × 1024 | FFT | O(N₁N₂ log N₁N₂) | 7N log₂ N − 2N | 144703488 |"]);
    says(&text, &["The efficient combine needs 0.25 times the reads of the naive one"]);
    let csv = read("fig-6-cpu.csv");
    let cells: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(cells.len(), 5, "a head, three stages and their sum");
    let parts: Vec<f64> = csv.lines().skip(1).map(milliseconds).collect();
    assert!(parts.iter().all(|ms| *ms > 0.0), "{parts:?}");
    assert!(fs::read(out.join("fig-6-cpu.svg")).unwrap().starts_with(b"<svg "));
    assert!(!out.join("table-vi-cpu.md").exists());
}

/// Algorithm 4 by all methods, whose fields the command itself compares.
#[test]
fn case_studies_are_timed() {
    let folder = Folder::new();
    let out = folder.path("out");
    let quick: [&dyn AsRef<std::ffi::OsStr>; 8] =
        [&"eq-19", &"table-vii", &"--quick", &"--engine", &"cpu", &"--threads", &"1", &"--out"];
    let text = success(&[&quick[..], &[&out]].concat());
    says(
        &text,
        &[
            "# Equation 19",
            "# Table VII",
            "| adaptec1 | 210904 | 543 | ",
            " | 512 × 512 | 0.63 | 0.33 | 1.90 |",
            " Fused transforms are ",
        ],
    );
    let csv = fs::read_to_string(out.join("table-vii-cpu.csv")).unwrap();
    assert_eq!(csv.lines().count(), 3, "a head and two circuits");
    for line in csv.lines().skip(1) {
        let cells: Vec<f64> = line.split(',').skip(8).map(|cell| cell.parse().unwrap()).collect();
        let (transforms, steps) = (&cells[..3], &cells[5..8]);
        assert!(transforms.iter().zip(steps).all(|(part, whole)| 0.0 < *part && part < whole), "{line}");
    }
    assert!(fs::read(out.join("table-vii-cpu.svg")).unwrap().starts_with(b"<svg "));
    assert_eq!(checked_ratios(&csv), 2 * 4);
}

/// Every table ends with a sentence that has its ratios.
#[test]
fn transforms_of_two_and_three_dimensions_are_timed() {
    let folder = Folder::new();
    let out = folder.path("out");
    let quick: [&dyn AsRef<std::ffi::OsStr>; 9] = [
        &"table-v-f32",
        &"transposing",
        &"three-dimensions",
        &"--quick",
        &"--engine",
        &"cpu",
        &"--threads",
        &"1",
        &"--out",
    ];
    let text = success(&[&quick[..], &[&out]].concat());
    says(
        &text,
        &["# Table V in single precision", "# Section IV-C", "| 100 × 10000 | DCT | 0.39 |", "# Section III-D"],
    );
    says(&text, &["as fast as `three-stage`.\n", "\nTransposed within reorder and combine, an array takes "]);
    let numbers = |name: &str, from: usize, count: usize| {
        let csv = fs::read_to_string(out.join(name)).unwrap();
        let cells = |line: &str| line.split(',').skip(from).take(count).map(|cell| cell.parse().unwrap()).collect();
        csv.lines().skip(1).map(cells).collect::<Vec<Vec<f64>>>()
    };
    for (name, from, count, rows, ratios) in [
        ("table-v-f32-cpu.csv", 2, 13, 10, 8),
        ("transposing-cpu.csv", 3, 12, 4, 3),
        ("three-dimensions-cpu.csv", 2, 9, 4, 4),
    ] {
        let csv = fs::read_to_string(out.join(name)).unwrap();
        assert_eq!(checked_ratios(&csv), rows * ratios, "{name}");
        let numbers = numbers(name, from, count);
        assert_eq!(numbers.len(), rows, "{name}");
        assert!(numbers.iter().all(|row| row.len() == count && row.iter().all(|x| *x > 0.0)), "{name}: {numbers:?}");
    }
}

/// The last cell but two: milliseconds stand before their share and the multiple of a copy.
fn milliseconds(line: &str) -> f64 {
    let cells: Vec<&str> = line.rsplit(',').collect();
    cells[2].parse().unwrap()
}

#[test]
fn complex_ffts_and_convolutions_have_tables() {
    let folder = Folder::new();
    let out = folder.path("out");
    let tables: [&dyn AsRef<std::ffi::OsStr>; 7] =
        [&"levels", &"mobile-convolution", &"mobile-ladder", &"--quick", &"--engine", &"cpu", &"--out"];
    let text = success(&[&tables[..], &[&out]].concat());
    says(&text, &["# Course report, Table 3", "| 4096 | 1681.68 | 5.42 | 0.38 |", "# Mobile GPUs: convolutions"]);
    says(&text, &["\nThe FFT is faster ", "left out: mobile-ladder on cpu: it is about how devices"]);
    let numbers = |name: &str| -> Vec<Vec<f64>> {
        let csv = fs::read_to_string(out.join(name)).unwrap();
        let row = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect();
        csv.lines().skip(1).map(row).collect()
    };
    let csv = fs::read_to_string(out.join("levels-cpu.csv")).unwrap();
    assert!(csv.lines().next().unwrap().starts_with("N,\"sums on a CPU, published\""), "{csv}");
    for row in numbers("levels-cpu.csv") {
        let [brute_force, definition, levels, fused] = [row[4], row[5], row[6], row[9]];
        assert!(brute_force > 2.0 * definition, "a sine takes longer than a load: {row:?}");
        assert!(definition > 5.0 * levels && levels > fused && fused > 0.0, "{row:?}");
    }
    let convolutions = numbers("mobile-convolution-cpu.csv");
    for (name, ratios) in [("levels-cpu.csv", 3 * 3), ("mobile-convolution-cpu.csv", 5)] {
        assert_eq!(checked_ratios(&fs::read_to_string(out.join(name)).unwrap()), ratios, "{name}");
    }
    assert_eq!(convolutions.iter().map(|row| row[1]).collect::<Vec<_>>(), [3.0, 5.0, 9.0, 15.0, 31.0]);
    assert!(convolutions[4][2] > convolutions[0][2], "n² products a pixel take longer: {convolutions:?}");
    assert!(fs::read(out.join("levels-cpu.svg")).unwrap().starts_with(b"<svg "));
}

/// A PNG file of a smooth picture with noise, in colour or grey.
fn photograph(folder: &Folder, name: &str, size: [u32; 2], color: png::ColorType) {
    let mut rng = fastrand::Rng::with_seed(7);
    picture(folder, name, size, color, |i| ((i as f64 * 0.01).sin() * 90.0 + 128.0) as u8 ^ rng.u8(0..8));
}

fn picture(
    folder: &Folder,
    name: &str,
    [width, height]: [u32; 2],
    color: png::ColorType,
    sample: impl FnMut(usize) -> u8,
) {
    let samples: Vec<u8> = (0..width as usize * height as usize * color.samples()).map(sample).collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.write_header().unwrap().write_image_data(&samples).unwrap();
    folder.write(name, &file);
}

/// Algorithm 3 of noise and of the channels of photographs. The command itself compares the images
/// that the algorithms give.
#[test]
fn photographs_are_compressed_beside_noise() {
    let (folder, photos) = (Folder::new(), Folder::new());
    photograph(&photos, "b|\u{1b}[2J.png", [97, 45], png::ColorType::Rgb);
    picture(&photos, "black.png", [1, 1], png::ColorType::Grayscale, |_| 0);
    photograph(&photos, "grey.png", [40, 30], png::ColorType::Grayscale);
    let (out, of) = (folder.path("out"), photos.path(""));
    let text = success(&[&"algorithm-3", &"--quick", &"--engine", &"cpu", &"--out", &out, &"--photos", &of]);
    says(&text, &["# Algorithm 3", "| noise, 720 × 1280 | ", "| b\\|\\u{1b}[2J, green, 45 × 97 | "]);
    says(&text, &["| black, grey, 1 × 1 | 0.0 % | inf | ", "| grey, grey, 30 × 40 | "]);
    assert!(!text.contains("NaN") && !text.contains('\u{1b}'), "{text}");
    says(&text, &[" Here `three-stage` is "]);
    let csv = fs::read_to_string(out.join("algorithm-3-cpu.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.rsplit(',').collect()).collect();
    assert_eq!(rows.len(), 3 + 3 + 1 + 1);
    assert_eq!(checked_ratios(&csv), rows.len() * 2);
    let kept = |row: usize| rows[row][7].trim_end_matches(" %").parse::<f64>().unwrap();
    for (i, row) in rows.iter().enumerate() {
        let is_black = row[row.len() - 1].contains("black");
        assert!(is_black || (0.1..99.0).contains(&kept(i)), "some coefficients are dropped, not all: {row:?}");
        assert!(row[..7].iter().all(|cell| cell.parse::<f64>().unwrap() > 0.0), "{row:?}");
    }
    assert!(kept(0) > kept(3), "a smooth picture has more small coefficients than noise: {csv}");
}

/// Whether OpenCL shows a device. Without one, tests say so and pass, but fail in CI.
fn has_opencl() -> bool {
    let there = fourfold_gpu::Device::open("opencl").is_ok();
    assert!(there || std::env::var_os("CI").is_none(), "no device of OpenCL");
    if !there {
        // What a test that passes prints by `eprintln!` is not shown.
        std::io::stderr().write_all(b"NOT TESTED: no device of OpenCL\n").unwrap();
    }
    there
}

/// On PoCL, a CPU, the errors alone.
#[test]
fn errors_of_photographs_have_a_table() {
    let (folder, photos) = (Folder::new(), Folder::new());
    if !has_opencl() {
        return;
    }
    photograph(&photos, "b.png", [97, 45], png::ColorType::Rgb);
    photograph(&photos, "grey.png", [40, 30], png::ColorType::Grayscale);
    photos.write("notes.txt", b"no photograph");
    let (out, of) = (folder.path("out"), photos.path(""));
    let jpeg: [&dyn AsRef<std::ffi::OsStr>; 8] =
        [&"jpeg", &"--quick", &"--engine", &"opencl", &"--out", &out, &"--photos", &of];
    let text = success(&jpeg);
    says(
        &text,
        &["# GPUDCT", "b (97 × 45 pixels), grey (40 × 30 pixels)", "Left out: all speeds: this device is a CPU."],
    );
    says(&text, &["All 80 values of PSNR are at least 50 dB; the lowest is ", "\nThe lowest PSNR is ", "| yes |\n"]);
    let csv = fs::read_to_string(out.join("jpeg-opencl-0.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    says(
        &csv,
        &["rung,\"Y, published\",", ",lowest Cr,b 4:4:4 Y,b 4:4:4 Cb,b 4:4:4 Cr,grey 4:4:4 Y,", ",grey 4:2:0 Cr\n"],
    );
    let names = ["naive", "lut", "separable", "decomposed", "no-shared", "next", "next16", "gpujpeg", "fast", "exact"];
    assert_eq!(rows[1..].iter().map(|row| row[0]).collect::<Vec<_>>(), names);
    // Three published, three lowest, then Y, Cb and Cr of both photographs twice.
    for row in &rows[1..] {
        assert_eq!(row.len(), 1 + 3 + 3 + 12, "{row:?}");
        let measured = |cells: &[&str]| cells.iter().map(|cell| cell.parse().unwrap()).collect::<Vec<f64>>();
        let [lowest, full, grey, quarter] = [4..7, 7..10, 10..11, 13..16].map(|range| measured(&row[range]));
        assert!(row[11..13].iter().all(|cell| cell.is_empty()), "a grey photograph has one component: {row:?}");
        assert_eq!(lowest[0], full[0].min(grey[0]).min(quarter[0]).min(row[16].parse().unwrap()), "{row:?}");
        assert_eq!(lowest[1..], [full[1].min(quarter[1]), full[2].min(quarter[2])], "{row:?}");
    }
    // libjpeg's integers differ from the definition in more samples than single precision does.
    let lowest = |row: usize| rows[row][4].parse::<f64>().unwrap();
    assert!(lowest(10) < 75.0 && lowest(9) > lowest(10), "{csv}");
    rungs_that_a_device_lacks_are_named();
}

/// The article's changes on PoCL. The command itself compares the result of every step with that of
/// fused passes, and fails if one differs.
#[test]
fn a_complex_fft_is_changed_step_by_step() {
    let folder = Folder::new();
    if !has_opencl() {
        return;
    }
    let out = folder.path("out");
    let text = success(&[&"mobile-ladder", &"--quick", &"--engine", &"opencl", &"--out", &out]);
    says(&text, &["# Mobile GPUs: a complex 2D FFT", "Machine: opencl:0 (", ", driver ", " threads of "]);
    says(
        &text,
        &["the command compares every algorithm's result with that of fused passes.", "\nOf the steps at all N, "],
    );
    let csv = fs::read_to_string(out.join("mobile-ladder-opencl-0.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[1..].iter().map(|row| row[0]).collect::<Vec<_>>(), ["64", "120", "125"]);
    let head = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
    let has = |row: usize, name: &str| rows[row][head(name)].parse::<f64>().is_ok_and(|ms| ms > 0.0);
    for name in ["processor", "a launch a row", "one for all rows", "elements", "2 × 2", "4 × 4", "in place"] {
        assert!((1..4).all(|row| has(row, name)), "{name}: {csv}");
    }
    assert_eq!([1, 2, 3].map(|row| has(row, "radix 2 alone")), [true, false, false], "{csv}");
    assert_eq!([1, 2, 3].map(|row| has(row, "padded")), [false, false, true], "{csv}");
    let plot = fs::read_to_string(out.join("mobile-ladder-opencl-0.svg")).unwrap();
    assert!(plot.starts_with("<svg ") && plot.contains("N = 125"), "{plot}");
}

/// Rungs whose thread blocks a device does not have are named; the others are measured. Called after
/// the same rungs were measured, so that their kernels are not compiled twice.
fn rungs_that_a_device_lacks_are_named() {
    let (folder, photos) = (Folder::new(), Folder::new());
    photograph(&photos, "a.png", [16, 16], png::ColorType::Rgb);
    let arguments = ["jpeg", "--quick", "--engine", "opencl", "--out"];
    let mut small = common::command();
    small
        .args(arguments)
        .arg(folder.path("out"))
        .arg("--photos")
        .arg(photos.path(""))
        .env("POCL_MAX_WORK_GROUP_SIZE", "64");
    let output = small.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    says(
        &text,
        &[
            "errors of decomposed: a thread block needs 256 threads; ",
            " has at most 64",
            "| decomposed | 83.8 | 76.5 | 77.6 | – |",
        ],
    );
    assert!(!text.contains("errors of fast"), "{text}");
}

#[test]
fn photographs_that_cannot_be_read_are_named() {
    let folder = Folder::new();
    let out = folder.path("out");
    // Before anything is measured.
    let fails = |photos: &std::path::Path| {
        let error = failure(1, &[&"table-iii", &"jpeg", &"--engine", &"cpu", &"--out", &out, &"--photos", &photos]);
        assert!(!out.join("table-iii.md").exists(), "{error}");
        error
    };
    says(&fails(&folder.path("absent")), &["cannot read ", "absent"]);
    let photos = Folder::new();
    says(&fails(&photos.path("")), &["has no photographs: files that end with .png, .jpg or .jpeg"]);
    photos.write("broken.jpg", b"\xff\xd8\xff\xe0 and then nothing");
    says(&fails(&photos.path("")), &["cannot read ", "broken.jpg: it is cut off"]);
    if has_opencl() {
        let none = failure(1, &[&"jpeg", &"--engine", &"opencl", &"--out", &out]);
        says(&none, &["nothing of what was asked for"]);
    }
}

/// What the run measures after its first claims on times and once more; how long tables take; and that
/// the claims of a table are judged by what the whole run knows.
#[test]
fn times_of_the_same_problem_are_compared() {
    let folder = Folder::new();
    let out = folder.path("out");
    let text = success(&[&"fig-6", &"noise", &"--quick", &"--engine", &"cpu", &"--out", &out]);
    says(&text, &["# Noise", "| fig-6 | 5 | ", "\nTimes of the same row differ by "]);
    says(&text, &["time: fig-6 on cpu: ", "\ntime: noise on cpu: "]);
    let (progress, pages) = text.split_once("# Figure 6").unwrap();
    assert!(progress.lines().filter(|line| !line.is_empty()).all(|line| line.starts_with("time: ")), "{progress}");
    assert!(!pages.contains("time: "), "{pages}");
    let csv = fs::read_to_string(out.join("noise-cpu.csv")).unwrap();
    assert_eq!(csv.lines().count(), 2, "one table: {csv}");
    let mean: f64 = csv.lines().nth(1).unwrap().split(',').nth(2).unwrap().parse().unwrap();
    let (_, title) = text.split_once("Claims, where the noise of this table is ").unwrap();
    let noise: f64 = title.split_once(" times (").unwrap().0.parse().unwrap();
    // The page of noise has three digits.
    assert!((noise / mean - 1.0).abs() < 0.006, "{noise} is not {mean}");
    let saved = fs::read_to_string(out.join("fig-6-cpu.md")).unwrap();
    assert!(text.contains(&saved), "{saved}");
}

#[test]
fn repeated_names_are_one_and_nothing_at_all_is_an_error() {
    let folder = Folder::new();
    let out = folder.path("out");
    let text = success(&[&"table-iii", &"table-iii", &"--engine", &"cpu,cpu", &"--out", &out]);
    assert_eq!(text.matches("# Table III").count(), 1);
    let nothing = failure(1, &[&"table-vi", &"mobile-ladder", &"--engine", &"cpu", &"--out", &out]);
    says(&nothing, &["nothing of what was asked for"]);
}

#[test]
fn mistakes_are_explained() {
    let folder = Folder::new();
    let out = folder.path("out");
    says(&failure(1, &[&"table-ix", &"--out", &out]), &["table-ix", "table-ii", "eq-19"]);
    let file = folder.write("file", b"");
    says(&failure(1, &[&"table-iii", &"--out", &file]), &["cannot write in"]);
    // Before anything is measured, so also before tables that come first are printed.
    fs::create_dir_all(out.join("levels-cpu.svg")).unwrap();
    let late = failure(1, &[&"table-iii", &"levels", &"--quick", &"--engine", &"cpu", &"--out", &out]);
    says(&late, &["cannot write", "levels-cpu.svg"]);
    assert!(!out.join("table-iii.md").exists());
    says(&failure(1, &[&"table-iii", &"--engine", &"cuda:99", &"--out", &out]), &["cuda"]);
    // What is there is done all the same.
    says(&failure(1, &[&"table-iii", &"--engine", &"cpu,cuda:99", &"--out", &out]), &["all on cuda:99"]);
    assert!(out.join("table-iii.md").exists());
}
