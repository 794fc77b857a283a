//! `poisson`: .npy files in and out, and pictures.

#[path = "common/arrays.rs"]
mod arrays;
mod common;

use std::ffi::OsStr;

use arrays::{doubles, little, npy, parts, singles};
use common::{Folder, failure, read, says, success};
use serde_json::Value;

/// Runs the command on an array, with options in one text. Returns u and the report.
fn solve(file: &[u8], options: &str) -> (Vec<f64>, String) {
    let folder = Folder::new();
    let (input, output) = (folder.write("f.npy", file), folder.path("u.npy"));
    let mut arguments: Vec<&dyn AsRef<OsStr>> = vec![&"poisson", &input, &"-o", &output];
    let words: Vec<_> = options.split_whitespace().collect();
    arguments.extend(words.iter().map(|word| word as &dyn AsRef<OsStr>));
    let report = success(&arguments);
    let (header, data) = parts(&read(&output));
    (if header.contains("<f4") { singles(&data) } else { doubles(&data) }, report)
}

/// A 3 × 4 array.
const F: [f64; 12] = [1.0, -2.0, 0.5, 3.0, 0.25, 1.5, -1.0, 2.0, -0.75, 0.0, 4.0, -3.5];

/// (2u_n − u_{n−1} − u_{n+1})/h² of row or column neighbours, with the values beyond the ends given.
fn second(before: f64, u: f64, after: f64, h: f64) -> f64 {
    (2.0 * u - before - after) / (h * h)
}

#[test]
fn the_solution_fulfils_the_equation() {
    for c in [1.5, -1e-3] {
        check_solution(c);
    }
}

fn check_solution(c: f64) {
    let file = npy("<f8", false, "(3, 4)", little(&F));
    let options = format!("--boundary neumann,dirichlet:neumann --at cells,nodes --spacing 0.5,0.25 --c {c:e}");
    let (u, report) = solve(&file, &options);
    says(&report, &["solved  3x4 unknowns in f64, by dct2,dst3", "time"]);
    let at = |i: usize, j: usize| u[4 * i + j];
    for (i, j) in (0..3usize).flat_map(|i| (0..4).map(move |j| (i, j))) {
        let [above, below] = [at(i.saturating_sub(1), j), at((i + 1).min(2), j)];
        let left = if j == 0 { 0.0 } else { at(i, j - 1) };
        let right = at(i, if j == 3 { 2 } else { j + 1 });
        let f = second(above, at(i, j), below, 0.5) + second(left, at(i, j), right, 0.25) + c * at(i, j);
        assert!((f - F[4 * i + j]).abs() < 1e-12, "{i}, {j}: {f}");
    }
}

#[test]
fn fortran_order_and_single_precision() {
    let columns: Vec<f64> = (0..4).flat_map(|j| (0..3).map(move |i| F[4 * i + j])).collect();
    let options = "--boundary periodic,dirichlet --c 2";
    let (rows, _) = solve(&npy("<f8", false, "(3, 4)", little(&F)), options);
    let (same, _) = solve(&npy("<f8", true, "(3, 4)", little(&columns)), options);
    assert_eq!(rows, same);
    let single = F.iter().flat_map(|f| (*f as f32).to_le_bytes()).collect();
    let (u, report) = solve(&npy("<f4", false, "(3, 4)", single), options);
    says(&report, &["in f32, by dht,dst2"]);
    assert!(u.iter().zip(&rows).all(|(a, b)| (a - b).abs() < 1e-6));
}

#[test]
fn values_at_ends_heat_steps_and_spectral_eigenvalues() {
    let zeros = npy("<f8", false, "(5,)", little(&[0.0; 5]));
    // u = 1 + x solves −u″ = 0 with u = 1 at the low end and the slope 1 at the high one.
    let (u, _) = solve(&zeros, "--boundary dirichlet:neumann --spacing 0.1 --value 0:low=1 --value 0:high=1");
    assert!(u.iter().enumerate().all(|(n, u)| (u - 1.0 - 0.1 * (n as f64 + 0.5)).abs() < 1e-12), "{u:?}");
    let waves: Vec<_> = (0..8).map(|n| (std::f64::consts::TAU * f64::from(n) / 8.0).cos()).collect();
    let file = npy("<f8", false, "(8,)", little(&waves));
    let (u, _) = solve(&file, "--boundary periodic --spectral --spacing 0.125");
    let by = std::f64::consts::TAU.powi(2);
    assert!(u.iter().zip(&waves).all(|(u, f)| (u - f / by).abs() < 1e-14), "{u:?}");
    let (u, _) = solve(&file, "--boundary periodic --spectral --spacing 0.125 --heat-step 0.5");
    assert!(u.iter().zip(&waves).all(|(u, f)| (u - f / (1.0 + 0.5 * by)).abs() < 1e-14), "{u:?}");
}

#[test]
fn solutions_are_drawn_and_reported() {
    let folder = Folder::new();
    let input = folder.write("f.npy", &npy("<f8", false, "(3, 4)", little(&F)));
    let [output, plot] = ["u.npy", "u.png"].map(|name| folder.path(name));
    let options: [&dyn AsRef<OsStr>; 9] =
        [&"poisson", &input, &"-o", &output, &"--boundary", &"dirichlet", &"--plot", &plot, &"--json"];
    let report: Value = serde_json::from_str(&success(&options)).unwrap();
    assert_eq!(
        (&report["shape"], &report["kinds"][1], &report["type"]),
        (&[3, 4].into(), &"dst2".into(), &"f64".into())
    );
    assert!(read(&plot).starts_with(b"\x89PNG"));
}

#[test]
fn mistakes_are_explained() {
    let folder = Folder::new();
    let input = folder.write("f.npy", &npy("<f8", false, "(3, 4)", little(&F)));
    let output = folder.path("u.npy");
    let fails = |code, options: &str, hints: &[&str]| {
        let mut arguments: Vec<&dyn AsRef<OsStr>> = vec![&"poisson", &input, &"-o", &output];
        let words: Vec<_> = options.split_whitespace().collect();
        arguments.extend(words.iter().map(|word| word as &dyn AsRef<OsStr>));
        says(&failure(code, &arguments), hints);
    };
    fails(2, "", &["--boundary"]);
    fails(2, "--boundary robin", &["robin", "periodic, dirichlet or neumann"]);
    fails(1, "--boundary periodic:neumann", &["axis 0", "periodic:neumann", "at both ends of an axis or at neither"]);
    fails(1, "--boundary neumann", &["|Σ f| is", "subtract the mean"]);
    fails(1, "--boundary dirichlet --spacing 0", &["a spacing of 0: expected a finite number above 0"]);
    fails(1, "--boundary dirichlet --spacing -.5", &["a spacing of -0.5: expected a finite number above 0"]);
    fails(1, "--boundary dirichlet --spacing 1,-.5e-3", &["axis 1: a spacing of -0.0005"]);
    fails(1, "--boundary dirichlet --spacing 1e-200", &["spacings of [1e-200, 1e-200]", "out of the range of f64"]);
    fails(1, "--boundary neumann --c 1e-320", &["c = 1e-320", "out of the range of f64"]);
    fails(1, "--boundary dirichlet --c -inf", &["c = -inf: expected a finite number"]);
    for tolerance in ["inf", "-inf", "-1e-3"] {
        let given = tolerance.parse::<f64>().unwrap();
        let hint = format!("a tolerance of {given}: expected a finite number from 0 on");
        fails(1, &format!("--boundary dirichlet --tolerance {tolerance}"), &[&hint]);
    }
    fails(1, "--boundary dirichlet --spacing 1,2,3", &["3 spacings for 2 axes: expected 1 or 2"]);
    fails(2, "--boundary dirichlet --at faces", &["faces", "cells or nodes"]);
    fails(2, "--boundary dirichlet --value 0=1", &["AXIS:END=X is needed"]);
    fails(2, "--boundary dirichlet --value -.5", &["AXIS:END=X is needed"]);
    let twice = "the low end of axis 1 has boundary values twice: expected once";
    fails(1, "--boundary dirichlet --value 1:low=1 --value 1:low=2", &[twice]);
    let large = "the value at the high end of axis 0 is 1e300, which is out of the range of f32: give --type f64";
    fails(1, "--boundary dirichlet --type f32 --value 0:high=1e300", &[large]);
    fails(1, "--boundary dirichlet --value 2:low=1", &["axis 2", "2 axes"]);
    fails(1, "--boundary dirichlet --heat-step -1", &["a heat step of -1"]);
    fails(1, "--boundary dirichlet --algorithm row-column", &["leave out --algorithm row-column"]);
    assert_eq!(folder.names(), ["f.npy"]);
    let bad = folder.write("n.npy", &npy("<f8", false, "(2, 2)", little(&[1.0, 2.0, f64::INFINITY, -3.0])));
    let infinite = failure(1, &[&"poisson", &bad, &"-o", &output, &"--boundary", &"neumann"]);
    says(&infinite, &["the right-hand side is inf at [1, 0]: expected finite numbers"]);
    let complex = folder.write("z.npy", &npy("<c16", false, "(1,)", little(&[1.0, 2.0])));
    says(&failure(1, &[&"poisson", &complex, &"-o", &output, &"--boundary", &"dirichlet"]), &["real ones are needed"]);
}

#[test]
fn numbers_beyond_the_type_and_names_of_images_are_refused() {
    let folder = Folder::new();
    let input = folder.write("f.npy", &npy("<f8", false, "(3, 4)", little(&F)));
    let output = folder.path("u.npy");
    let huge = folder.write("huge.npy", &npy("<f8", false, "(2,)", little(&[1.0, -1e300])));
    let hint = "element 1 is -1e300, which is out of the range of f32: give --type f64";
    let arguments: [&dyn AsRef<OsStr>; 8] =
        [&"poisson", &huge, &"-o", &output, &"--boundary", &"dirichlet", &"--type", &"f32"];
    says(&failure(1, &arguments), &[hint]);
    let image = folder.path("u.png");
    let hint = "what is written is an array; name it .npy";
    says(&failure(1, &[&"poisson", &input, &"-o", &image, &"--boundary", &"dirichlet"]), &[hint]);
    assert_eq!(folder.names(), ["f.npy", "huge.npy"]);
}
