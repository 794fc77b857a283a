//! Tables and plots as a user makes them.

#[path = "../../fourfold-cli/tests/common/mod.rs"]
mod common;

use std::fs;

use common::{Folder, failure, says, success};

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
    says(&text, &["# Table I:", "| 1024 × 1024 | FFT | O(N₁N₂ log N₁N₂) | 7N log₂ N + 4N | 150994944 |"]);
    says(&text, &["The efficient combine needs 0.25 times the reads of the naive one"]);
    let csv = read("fig-6-cpu.csv");
    let cells: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(cells.len(), 5, "a head, three stages and their sum");
    let parts: Vec<f64> = csv.lines().skip(1).map(milliseconds).collect();
    assert!(parts.iter().all(|ms| *ms > 0.0), "{parts:?}");
    assert!(fs::read(out.join("fig-6-cpu.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(!out.join("table-vi-cpu.md").exists());
}

/// Algorithms 3 and 4 by all methods, whose fields the command itself compares.
#[test]
fn case_studies_are_timed() {
    let folder = Folder::new();
    let out = folder.path("out");
    let quick: [&dyn AsRef<std::ffi::OsStr>; 6] =
        [&"algorithm-3", &"table-vii", &"--quick", &"--engine", &"cpu", &"--out"];
    let text = success(&[&quick[..], &[&out]].concat());
    says(
        &text,
        &[
            "# Algorithm 3",
            "| noise, 720 × 1280 | ",
            "# Table VII",
            "| adaptec1 | 210904 | 512 × 512 | 0.63 | 0.33 | 1.90 |",
        ],
    );
    // By rows and columns, in three stages, fused; at least a coefficient is dropped, and not all.
    let noise = fs::read_to_string(out.join("algorithm-3-cpu.csv")).unwrap();
    for cells in noise.lines().skip(1).map(|line| line.rsplit(',').collect::<Vec<_>>()) {
        let kept: f64 = cells[7].trim_end_matches(" %").parse().unwrap();
        assert!((1.0..99.0).contains(&kept), "{cells:?}");
        assert!(cells[..7].iter().all(|cell| cell.parse::<f64>().unwrap() > 0.0), "{cells:?}");
    }
    let csv = fs::read_to_string(out.join("table-vii-cpu.csv")).unwrap();
    assert_eq!(csv.lines().count(), 3, "a head and two circuits");
    for line in csv.lines().skip(1) {
        let cells: Vec<f64> = line.split(',').skip(6).map(|cell| cell.parse().unwrap()).collect();
        let (transforms, steps) = (&cells[..3], &cells[5..8]);
        assert!(transforms.iter().zip(steps).all(|(part, whole)| 0.0 < *part && part < whole), "{line}");
    }
    assert!(fs::read(out.join("table-vii-cpu.png")).unwrap().starts_with(b"\x89PNG"));
}

/// Every table ends with a sentence that has its ratios.
#[test]
fn transforms_of_two_and_three_dimensions_are_timed() {
    let folder = Folder::new();
    let out = folder.path("out");
    let quick: [&dyn AsRef<std::ffi::OsStr>; 7] =
        [&"table-v-f32", &"transposing", &"three-dimensions", &"--quick", &"--engine", &"cpu", &"--out"];
    let text = success(&[&quick[..], &[&out]].concat());
    says(
        &text,
        &["# Table V in single precision", "# Section IV-C", "| 100 × 10000 | DCT | 0.39 |", "# Section III-D"],
    );
    says(&text, &["as fast as three stages.\n", "transposing saves time in "]);
    let numbers = |name: &str, from: usize, count: usize| {
        let csv = fs::read_to_string(out.join(name)).unwrap();
        let cells = |line: &str| line.split(',').skip(from).take(count).map(|cell| cell.parse().unwrap()).collect();
        csv.lines().skip(1).map(cells).collect::<Vec<Vec<f64>>>()
    };
    for (name, from, count, rows) in
        [("table-v-f32-cpu.csv", 2, 12, 10), ("transposing-cpu.csv", 3, 10, 4), ("three-dimensions-cpu.csv", 2, 9, 4)]
    {
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
    says(&text, &["# Course report, Table 3", "| 8192 | 6745.41 | 11.67 | 0.42 |", "# Mobile GPUs: convolutions"]);
    says(&text, &["On 256 × 256 the ", "left out: mobile-ladder on cpu: it is about how devices"]);
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
    assert_eq!(convolutions.iter().map(|row| row[1]).collect::<Vec<_>>(), [3.0, 5.0, 9.0, 15.0, 31.0]);
    assert!(convolutions[4][2] > convolutions[0][2], "n² products a pixel take longer: {convolutions:?}");
    assert!(fs::read(out.join("levels-cpu.png")).unwrap().starts_with(b"\x89PNG"));
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
    fs::create_dir_all(out.join("levels-cpu.png")).unwrap();
    let late = failure(1, &[&"table-iii", &"levels", &"--quick", &"--engine", &"cpu", &"--out", &out]);
    says(&late, &["cannot write", "levels-cpu.png"]);
    assert!(!out.join("table-iii.md").exists());
    says(&failure(1, &[&"table-iii", &"--engine", &"cuda:99", &"--out", &out]), &["cuda"]);
    // What is there is done all the same.
    says(&failure(1, &[&"table-iii", &"--engine", &"cpu,cuda:99", &"--out", &out]), &["all on cuda:99"]);
    assert!(out.join("table-iii.md").exists());
}
