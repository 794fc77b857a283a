//! `tune`, and commands that use its file.

mod common;

use common::{Folder, command, failure, one_error, read, says, success};
use serde_json::Value;

const PROBLEM: &str = "dct2 f32 48x32";

#[test]
fn what_is_measured_is_kept() {
    let folder = Folder::new();
    let file = folder.path("some/where/wisdom");
    let text = success(&[&"tune", &PROBLEM, &"fft f64 60", &"--threads", &"1", &"--wisdom", &file]);
    says(&text, &[PROBLEM, "fft f64 60", "axis 0", file.to_str().unwrap()]);
    let kept = String::from_utf8(read(&file)).unwrap();
    assert_eq!(kept.lines().filter(|line| !line.starts_with('#')).count(), 2, "{kept}");
    success(&[&"verify", &PROBLEM, &"fft f64 60", &"--wisdom", &file]);
    // A second run adds to the file.
    let json = success(&[&"tune", &"dht f32 30", &"--json", &"--wisdom", &file]);
    let answer: Value = serde_json::from_str(&json).unwrap();
    says(answer[0]["passes"][0].as_str().unwrap(), &["axis 0", "dht 30 = "]);
    let more = String::from_utf8(read(&file)).unwrap();
    assert!(kept.lines().all(|line| more.contains(line)) && more.contains("dht f32 30"), "{more}");
}

#[test]
fn what_is_kept_is_followed() {
    let folder = Folder::new();
    let passes = ["input -> output axis 1: dct2 32 = 2 2 2 2 2", "output -> output axis 0: dct2 48 = 2 2 2 2 3"];
    let file = folder.write("wisdom", format!("{PROBLEM}\tcpu:simd128\t{}\n", passes.join("; ")).as_bytes());
    let plan = ["plan", PROBLEM, "--engine", "cpu:simd128"];
    says(&success(&[&plan[0], &plan[1], &plan[2], &plan[3], &"--wisdom", &file]), &passes);
    let run =
        |variable: &str| String::from_utf8(command().args(plan).env(variable, &file).output().unwrap().stdout).unwrap();
    says(&run("FOURFOLD_WISDOM"), &passes);
    let cache = command().args(plan).env("FOURFOLD_CACHE_DIR", file.parent().unwrap()).output().unwrap();
    says(&String::from_utf8(cache.stdout).unwrap(), &passes);
    assert!(!run("FOURFOLD_SOMETHING_ELSE").contains(passes[0]), "not what is estimated");
}

#[test]
fn mistakes_are_explained() {
    let folder = Folder::new();
    let absent = folder.path("absent");
    says(&failure(1, &[&"plan", &PROBLEM, &"--wisdom", &absent]), &["absent", "tune"]);
    let broken = folder.write("broken", b"dct2 f32 48x32\tcpu:simd128\n");
    says(&failure(1, &[&"verify", &PROBLEM, &"--wisdom", &broken]), &["broken", "line 1", "fields"]);
    let wrong =
        folder.write("wrong", format!("{PROBLEM}\tcpu:simd128\tinput -> output axis 1: dct2 32 = 5\n").as_bytes());
    // The message names a line that no engine can follow, and its file, for any problem.
    for command in ["bench", "tune"] {
        let told = failure(1, &[&command, &"fft f64 16", &"--engine", &"cpu:simd128", &"--wisdom", &wrong]);
        says(&told, &[PROBLEM, "cannot use", "wrong", "remove its line"]);
    }
    let nowhere = command().args(["tune", PROBLEM]).env("FOURFOLD_CACHE_DIR", "").env("FOURFOLD_WISDOM", "").output();
    says(&one_error(1, &nowhere.unwrap()), &["--wisdom", "FOURFOLD_WISDOM"]);
    let unwritable = folder.write("file", b"").join("wisdom");
    says(&failure(1, &[&"tune", &PROBLEM, &"--wisdom", &unwritable]), &["file"]);
}
