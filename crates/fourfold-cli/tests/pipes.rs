//! Named pipes where the command expects files: it neither waits for their other ends nor reads them.
#![cfg(unix)]

mod common;

use common::{Folder, command, one_error, says, success};
use std::process::{Command, Output, Stdio};

const PROBLEM: &str = "dct2 f32 8";

/// A folder with a named pipe.
fn with_pipe(name: &str) -> Folder {
    let folder = Folder::new();
    assert!(Command::new("mkfifo").arg(folder.path(name)).status().unwrap().success());
    folder
}

/// The command in the folder, which is ended if it waits for 20 seconds.
fn run(folder: &Folder, variable: (&str, &str), words: &[&str]) -> Output {
    let mut start = Command::new("timeout");
    start.arg("20").arg(command().get_program()).args(words).current_dir(folder.path("")).env(variable.0, variable.1);
    start.stdin(Stdio::null()).output().unwrap()
}

#[test]
fn pipes_that_the_environment_names_are_warnings() {
    let folder = with_pipe("pipe");
    for (variable, words) in [
        ("FOURFOLD_WISDOM", &["plan", PROBLEM][..]),
        ("FOURFOLD_WISDOM", &["verify", PROBLEM]),
        ("FOURFOLD_CACHE_DIR", &["plan", PROBLEM]),
    ] {
        let output = run(&folder, (variable, "pipe"), words);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && told.lines().count() == 1, "{variable}: {told}");
        says(&told, &["fourfold: warning: pipe"]);
    }
}

#[test]
fn pipes_that_the_command_line_names_are_errors() {
    let folder = with_pipe("pipe.npy");
    folder.write("x.npy", &[0; 8]);
    for words in [
        &["plan", PROBLEM, "--wisdom", "pipe.npy"][..],
        &["tune", PROBLEM, "--wisdom", "pipe.npy"],
        &["verify", "--cases", "pipe.npy"],
        &["transform", "dct2 f64 auto", "pipe.npy", "-o", "out.npy"],
        &["poisson", "pipe.npy", "-o", "out.npy", "--boundary", "dirichlet"],
        &["convolve", "pipe.npy", "-o", "out.npy", "--box", "3"],
        &["compress", "pipe.npy", "-o", "out.png", "--keep", "10"],
        &["jpeg", "decode", "pipe.npy", "-o", "out.png"],
        &["transform", "dct2 f64 auto", "x.npy", "-o", "pipe.npy"],
    ] {
        says(&one_error(1, &run(&folder, ("LANG", "C"), words)), &["pipe.npy", "it is not a regular file"]);
    }
}

#[test]
fn a_lock_that_is_a_pipe_is_an_error() {
    let folder = with_pipe("wisdom.lock");
    let tune = ["tune", PROBLEM, "--threads", "1", "--wisdom", "wisdom"];
    let refused = |output: &Output| says(&one_error(1, output), &["cannot lock wisdom.lock: it is not a regular file"]);
    refused(&run(&folder, ("LANG", "C"), &tune));
    // Also one that somebody reads.
    let reader = ["-c", "exec 3<>wisdom.lock; exec \"$0\" \"$@\""];
    refused(
        &Command::new("sh")
            .args(reader)
            .arg(command().get_program())
            .args(tune)
            .current_dir(folder.path(""))
            .output()
            .unwrap(),
    );
}

/// As a shell's `<(…)` makes them.
#[test]
fn problems_may_come_from_a_pipe_that_is_written() {
    let folder = with_pipe("pipe");
    let script =
        "exec 3<>pipe; (sleep 0.2; echo 'dct2 f64 8') >pipe & exec 4<pipe 3>&-; exec \"$0\" verify --cases pipe";
    let output =
        Command::new("sh").args(["-c", script]).arg(command().get_program()).current_dir(folder.path("")).output();
    says(&String::from_utf8(output.unwrap().stdout).unwrap(), &["ok", "dct2 f64 8"]);
    success(&[&"verify", &"--cases", &folder.write("cases", PROBLEM.as_bytes())]);
}
