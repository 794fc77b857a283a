//! `tune`, and commands that use its file.

mod common;

use common::{Folder, command, failure, one_error, read, says, success};
use serde_json::Value;
use std::process::{Command, Stdio};

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

/// The warning of a run that succeeds.
fn warned(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && told.lines().count() == 1, "{told}");
    assert!(told.starts_with("fourfold: warning: "), "{told}");
    told
}

/// A line that is no UTF-8.
const NO_TEXT: &[u8] = b"dct2 \xff";

/// Lines that are not understood, and one that does not compute its problem.
#[test]
fn lines_that_cannot_be_used_are_skipped() {
    let folder = Folder::new();
    let good = "fft f64 16\tcpu:simd128\tinput -> output axis 0: forward 16 = 2 2 2 2\n";
    let bytes = |name: &str, line: &[u8]| folder.write(name, &[b"# comment\n", line, b"\n", good.as_bytes()].concat());
    let file = |name: &str, line: &str| bytes(name, line.as_bytes());
    let unknown = "dct9 f64 8\tcpu:simd128\tx";
    let files = [
        (file("unknown", unknown), &["unknown", "line 2 is not used", "dct9"][..]),
        (file("few", "dct2 f32 48x32\tcpu:simd128"), &["few", "line 2 is not used", "2 fields"]),
        (
            file("wrong", &format!("{PROBLEM}\tcpu:simd128\tinput -> output axis 1: dct2 32 = 5")),
            &["wrong", "line 2 is not used", PROBLEM],
        ),
        (bytes("bytes", NO_TEXT), &["bytes", "line 2 is not used"]),
    ];
    for (file, parts) in &files {
        for words in [&["plan", PROBLEM][..], &["verify", "fft f64 16", "dht f32 5"], &["tune", "dht f32 5"]] {
            let mut run = command();
            says(&warned(run.args(words).args(["--engine", "cpu:simd128", "--wisdom"]).arg(file)), parts);
        }
        let plan = command().args(["plan", "fft f64 16", "--engine", "cpu:simd128", "--wisdom"]).arg(file).output();
        says(&String::from_utf8(plan.unwrap().stdout).unwrap(), &["2 2 2 2"]);
    }
    // What another version may understand is kept when the file is written.
    let kept = String::from_utf8(read(&files[0].0)).unwrap();
    assert!(kept.contains(unknown) && kept.contains(good) && kept.contains("dht f32 5"), "{kept}");
    let kept = read(&folder.path("bytes"));
    assert!(kept.split(|byte| *byte == b'\n').any(|line| line == NO_TEXT), "{kept:?}");
}

#[test]
fn a_cache_that_cannot_be_read_is_a_warning() {
    let folder = Folder::new();
    let file = folder.write("file", b"");
    for words in [&["plan", PROBLEM][..], &["verify", "dht f32 5"]] {
        says(&warned(command().args(words).env("FOURFOLD_CACHE_DIR", &file)), &["file/wisdom", "Not a directory"]);
    }
    let long = folder.path("long");
    std::fs::File::create(&long).unwrap().set_len(1 << 25).unwrap();
    for (path, why) in [("/dev/zero", "not a regular file"), (long.to_str().unwrap(), "longer than 16777216 bytes")] {
        says(&warned(command().args(["plan", PROBLEM]).env("FOURFOLD_WISDOM", path)), &[path, why]);
    }
}

#[test]
fn processes_do_not_lose_what_others_keep() {
    let folder = Folder::new();
    let file = folder.path("wisdom");
    let lengths = |first: usize| (first..32).step_by(4);
    let start = |first: usize| {
        let problems = lengths(first).map(|n| format!("dht f32 {n}"));
        command().arg("tune").args(problems).arg("--wisdom").arg(&file).stdout(Stdio::null()).spawn().unwrap()
    };
    let mut children = [2, 3, 4, 5].map(start);
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    let kept = String::from_utf8(read(&file)).unwrap();
    let lost: Vec<_> = (2..32).filter(|n| !kept.contains(&format!("dht f32 {n}\t"))).collect();
    assert_eq!(lost, [0; 0], "{kept}");
}

/// A file of a stranger's does not fill the terminal.
#[test]
fn warnings_have_a_bound() {
    let folder = Folder::new();
    let line = format!("{}\tcpu\tx\n", "dct9 ".repeat(400));
    let file = folder.write("wisdom", line.repeat(100).as_bytes());
    let output = command().args(["plan", PROBLEM, "--wisdom"]).arg(&file).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && told.lines().count() == 21, "{told}");
    let start = format!("fourfold: warning: {}: ", file.display());
    let lengths: Vec<_> = told.lines().map(|line| line.strip_prefix(&start).unwrap().chars().count()).collect();
    assert!(lengths.iter().all(|length| *length <= 501), "{lengths:?}");
    says(told.lines().last().unwrap(), &["80 more warnings"]);
}

#[test]
fn mistakes_are_explained() {
    let folder = Folder::new();
    let absent = folder.path("absent");
    says(&failure(1, &[&"plan", &PROBLEM, &"--wisdom", &absent]), &["absent", "tune"]);
    says(&failure(1, &[&"plan", &PROBLEM, &"--wisdom", &absent.join("absent")]), &["absent"]);
    let with_all = failure(1, &[&"tune", &PROBLEM, &"--method", &"all", &"--wisdom", &absent]);
    says(&with_all, &["only the algorithm fused can be tuned"]);
    let kindless = failure(1, &[&"tune", &"dct2 f32 8 | multiply", &"--wisdom", &absent]);
    says(&kindless, &["dct2 f32 8 | multiply", "expected one of multiply table"]);
    let on_cpu = failure(1, &[&"tune", &"dct2 f32 8", &"dct2 f32 8 | multiply table", &"--wisdom", &absent]);
    says(&on_cpu, &["only devices are tuned for `dct2 f32 8 | multiply table`"]);
    assert!(!absent.exists(), "nothing is tuned before the mistake is found");
    let nowhere = command().args(["tune", PROBLEM]).env("FOURFOLD_CACHE_DIR", "").env("FOURFOLD_WISDOM", "").output();
    says(&one_error(1, &nowhere.unwrap()), &["--wisdom", "FOURFOLD_WISDOM"]);
    // Tuning would take hours.
    let long = "dct2 f64 1000x1000x100";
    says(
        &failure(1, &[&"tune", &long, &"--wisdom", &"/dev/null"]),
        &["cannot write /dev/null: it is not a regular file"],
    );
    let unwritable = folder.write("file", b"").join("wisdom");
    says(&failure(1, &[&"tune", &PROBLEM, &"--wisdom", &unwritable]), &["file"]);
    let beside_no_memory = failure(1, &[&"tune", &"dct2 f64 8 out=100000000000000", &"--wisdom", &unwritable]);
    says(&beside_no_memory, &["cannot make", "file"]);
}
