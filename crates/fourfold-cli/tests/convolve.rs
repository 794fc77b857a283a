//! `convolve`: arrays and images.

#[path = "common/arrays.rs"]
mod arrays;
mod common;
#[path = "common/images.rs"]
mod images;

use std::ffi::OsStr;

use arrays::{doubles, little, npy, parts};
use common::{Folder, failure, read, says, success};
use images::{L8, RGBA16, open, picture, save};

/// Runs the command in a folder, with options in one text.
fn run(folder: &Folder, input: &str, output: &str, options: &str) -> String {
    let paths = [input, output].map(|name| folder.path(name));
    let mut arguments: Vec<&dyn AsRef<OsStr>> = vec![&"convolve", &paths[0], &"-o", &paths[1]];
    let words: Vec<_> =
        options.split_whitespace().map(|word| word.replace('@', folder.path("").to_str().unwrap())).collect();
    arguments.extend(words.iter().map(|word| word as &dyn AsRef<OsStr>));
    success(&arguments)
}

#[test]
fn arrays_are_convolved() {
    let folder = Folder::new();
    folder.write("x.npy", &npy("<f8", false, "(4,)", little(&[1.0, 2.0, 3.0, 4.0])));
    folder.write("h.npy", &npy("<i2", false, "(2,)", vec![1, 0, 10, 0]));
    let convolved = |options: &str| {
        says(&run(&folder, "x.npy", "y.npy", &format!("--kernel @h.npy {options}")), &["elements by", "time"]);
        doubles(&parts(&read(&folder.path("y.npy"))).1)
    };
    assert_eq!(convolved("--mode full"), [1.0, 12.0, 23.0, 34.0, 40.0]);
    assert_eq!(convolved("--mode full --correlate"), [10.0, 21.0, 32.0, 43.0, 4.0]);
    assert_eq!(convolved("--mode valid"), [12.0, 23.0, 34.0]);
    assert_eq!(convolved("--boundary periodic"), [41.0, 12.0, 23.0, 34.0]);
    let mean = run(&folder, "x.npy", "y.npy", "--box 3 --boundary reflect --json --plot @y.png");
    says(&mean, &["\"method\"", "\"direct\"", "\"tile\""]);
    let y = doubles(&parts(&read(&folder.path("y.npy"))).1);
    assert!(y.iter().zip([4.0, 6.0, 9.0, 11.0]).all(|(y, three)| (y - three / 3.0).abs() < 1e-14), "{y:?}");
    assert!(read(&folder.path("y.png")).starts_with(b"\x89PNG"));
}

/// The kernel alone would fit, and so would its spectrum.
#[test]
#[cfg(target_os = "linux")]
fn memory_is_asked_for_before_the_kernel_is_made() {
    let folder = Folder::new();
    save(&folder.path("in.png"), &picture(20, 15, L8), 20, 15, L8);
    let line = "ulimit -v 3000000; exec \"$0\" convolve in.png -o out.png --gaussian 1024";
    let mut start = std::process::Command::new("sh");
    start.args(["-c", line]).arg(common::command().get_program()).current_dir(folder.path(""));
    let message = common::one_error(1, &start.output().unwrap());
    let bytes =
        message.split_once("this takes about ").and_then(|(_, rest)| rest.split(' ').next()?.parse::<usize>().ok());
    // In `f64` the kernel and its copies, and a tile with its spectrum and scratch.
    let kernel = 8 * 8193 * 8193;
    assert!(bytes.is_some_and(|bytes| (5 * kernel..8 * kernel).contains(&bytes)), "{message}");
    assert_eq!(folder.names(), ["in.png"]);
}

#[test]
fn images_are_blurred() {
    for color in [L8, RGBA16] {
        let folder = Folder::new();
        let [input, output] = ["in.png", "out.png"].map(|name| folder.path(name));
        save(&input, &picture(20, 15, color), 20, 15, color);
        run(&folder, "in.png", "out.png", "--gaussian 1.5 --boundary reflect");
        let (before, after) = (open(&input).planes(), open(&output).planes());
        let weight = |n: i32| (-0.5 * (f64::from(n) / 1.5).powi(2)).exp();
        let sum: f64 = (-6..=6).map(weight).sum();
        let mirror = |i: i32, n: i32| {
            let i = i.rem_euclid(2 * n);
            (if i < n { i } else { 2 * n - 1 - i }) as usize
        };
        let (row, column) = (2, 18);
        for (before, after) in before.iter().zip(&after).take(before.len() - usize::from(before.len() > 1)) {
            let term = |i: i32, j: i32| {
                weight(i) * weight(j) / sum / sum * before[mirror(row + i, 15) * 20 + mirror(column + j, 20)]
            };
            let want: f64 = (-6..=6).flat_map(|i| (-6..=6).map(move |j| term(i, j))).sum();
            assert!((after[2 * 20 + 18] - want).abs() <= 0.51, "{color:?}");
        }
        run(&folder, "in.png", "out.png", "--box 1");
        assert_eq!(open(&input), open(&output), "a kernel of one pixel changes nothing");
    }
}

#[test]
fn mistakes_are_explained() {
    let folder = Folder::new();
    let x = folder.write("x.npy", &npy("<f8", false, "(2,)", little(&[1.0, 2.0])));
    let h = folder.write("h.npy", &npy("<f8", false, "(3,)", little(&[1.0; 3])));
    let image = folder.path("in.png");
    save(&image, &picture(4, 4, L8), 4, 4, L8);
    let output = folder.path("out");
    let fails = |code, input: &dyn AsRef<OsStr>, rest: &[&dyn AsRef<OsStr>], hints: &[&str]| {
        let arguments = [&[&"convolve" as &dyn AsRef<OsStr>, input, &"-o", &output][..], rest].concat();
        says(&failure(code, &arguments), hints);
    };
    fails(2, &x, &[], &["--kernel", "--gaussian", "--box"]);
    fails(1, &x, &[&"--kernel", &h, &"--mode", &"valid"], &["kernel has 3 elements along axis 0", "the array 2"]);
    fails(2, &x, &[&"--kernel", &h, &"--mode", &"half"], &["half", "full, same or valid"]);
    fails(2, &x, &[&"--kernel", &h, &"--boundary", &"edge"], &["edge", "zero, periodic or reflect"]);
    for sigma in ["0", "-.5"] {
        fails(2, &x, &[&"--gaussian", &sigma], &[sigma, "above 0"]);
    }
    let large = folder.write("large.npy", &npy("<f8", false, "(2,)", little(&[1.0, 1e300])));
    let single = "element 1 of the kernel is 1e300, which is out of the range of f32: give --type f64";
    fails(1, &x, &[&"--kernel", &large, &"--type", &"f32"], &[single]);
    let number = folder.write("number.npy", &npy("<f8", false, "()", little(&[2.0])));
    fails(1, &x, &[&"--kernel", &number], &["a kernel of 0 axes, which is one number, for arrays of 1: expected 1"]);
    for rest in [[&"--kernel" as &dyn AsRef<OsStr>, &number], [&"--box", &"3"]] {
        fails(1, &number, &rest, &["an array of 0 axes, which is one number: expected 1 or more"]);
    }
    fails(1, &image, &[&"--box", &"3", &"--mode", &"full"], &["keeps its size", "--mode full"]);
    fails(1, &image, &[&"--kernel", &folder.path("none.npy")], &["none.npy"]);
}
