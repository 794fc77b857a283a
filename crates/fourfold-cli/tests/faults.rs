//! Faults of the system, one at a time: memory that is refused, threads that cannot be started,
//! disks that are full, processes that are killed. Files are then the old ones or the new ones.
//! `FOURFOLD_SWEEPS=whole` kills more often.
#![cfg(target_os = "linux")]

mod common;
#[path = "common/images.rs"]
mod images;

use common::{Folder, command, one_error, read};
use images::{RGB8, picture, save};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A command and the files that it writes.
struct WritingCommand {
    words: Vec<String>,
    outputs: Vec<&'static str>,
}

const WIDTH: usize = 480;
const HEIGHT: usize = 400;

/// Content that no command writes.
const OLD: &[u8] = b"old";

/// Commands that write every sort of file, with their inputs.
fn works(folder: &Folder) -> Vec<WritingCommand> {
    save(&folder.path("in.png"), &picture(WIDTH, HEIGHT, RGB8), WIDTH, HEIGHT, RGB8);
    folder.write("in.npy", &npy([HEIGHT, WIDTH]));
    let work = |line: &str, outputs: &[&'static str]| WritingCommand {
        words: line.split(' ').map(|word| named(folder, word)).chain(["--threads".into(), "1".into()]).collect(),
        outputs: outputs.to_vec(),
    };
    let jpeg = work("jpeg encode ./in.png -o ./in.jpg", &[]);
    assert!(command().args(jpeg.words).status().unwrap().success());
    let coefficients = ["jpeg", "coefficients", "./in.jpg", "-o", "./out.npz"].map(|word| named(folder, word));
    vec![
        work("compress ./in.png -o ./out.png --keep 10 --spectrum ./out2.png", &["out.png", "out2.png"]),
        work("filter ./in.png -o ./out.png --low-pass 0.5", &["out.png"]),
        work("transform dct2_f64_auto ./in.npy -o ./out.npy", &["out.npy"]),
        work("transform rfft_f64_auto ./in.npy -o ./out.npy", &["out.npy"]),
        work("jpeg encode ./in.png -o ./out.jpg", &["out.jpg"]),
        work("jpeg decode ./in.jpg -o ./out.png", &["out.png"]),
        WritingCommand { words: coefficients.to_vec(), outputs: vec!["out.npz"] },
        work("poisson ./in.npy -o ./out.npy --boundary dirichlet --plot ./out2.png", &["out.npy", "out2.png"]),
        work("convolve ./in.npy -o ./out.npy --gaussian 2 --plot ./out2.png", &["out.npy", "out2.png"]),
        work("convolve ./in.png -o ./out.png --box 9", &["out.png"]),
    ]
}

/// A word of a command line: files are in the folder, and problems have spaces.
fn named(folder: &Folder, word: &str) -> String {
    word.strip_prefix("./").map_or(word.replace('_', " "), |name| folder.path(name).to_str().unwrap().to_owned())
}

/// A file of `f64`.
fn npy(shape: [usize; 2]) -> Vec<u8> {
    let dict = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", shape[0], shape[1]);
    let data = (0..shape[0] * shape[1]).flat_map(|i| ((i * i % 1009) as f64).to_le_bytes());
    let head = [b"\x93NUMPY\x01\0", &(dict.len() as u16).to_le_bytes()[..], dict.as_bytes()].concat();
    head.into_iter().chain(data).collect()
}

impl WritingCommand {
    /// The command, ready to run in another program's place.
    fn after(&self, words: &[&str]) -> Command {
        let mut command_line = Command::new(words[0]);
        command_line.args(&words[1..]).arg(command().get_program()).args(&self.words);
        command_line
    }

    fn restore(&self, folder: &Folder) {
        self.outputs.iter().for_each(|name| drop(folder.write(name, OLD)));
    }

    /// What the command writes if nothing fails.
    fn expected(&self, folder: &Folder) -> Vec<Vec<u8>> {
        assert!(command().args(&self.words).output().unwrap().status.success(), "{:?}", self.words);
        self.outputs.iter().map(|name| read(&folder.path(name))).collect()
    }

    /// Each output is the old file or the new one.
    fn is_whole(&self, folder: &Folder, expected: &[Vec<u8>], fault: &str) {
        for (name, new) in self.outputs.iter().zip(expected) {
            let found = read(&folder.path(name));
            assert!(found == OLD || found == *new, "{:?}, {fault}: {name} has {} bytes", self.words, found.len());
        }
    }

    /// Nothing was written: a command with two outputs writes both or neither, unless it is killed.
    fn is_old(&self, folder: &Folder, fault: &str) {
        for name in &self.outputs {
            assert_eq!(read(&folder.path(name)), OLD, "{:?}, {fault}: {name}", self.words);
        }
    }
}

/// Allocations of so many bytes hold the image or the array, or a part of it. Smaller ones are a few
/// rows, and the buffers of the decoder and the encoder of PNG, which cannot fail without an abort.
const LARGE: usize = 300 << 10;

#[test]
fn allocations_that_fail_are_errors() {
    let folder = Folder::new();
    let (library, source) = (folder.path("failing.so"), "tests/common/failing_malloc.c");
    let compiler = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).status();
    if !compiler.is_ok_and(|status| status.success()) {
        return eprintln!("NOT TESTED: there is no C compiler");
    }
    let mut failed = 0;
    for work in works(&folder) {
        let expected = work.expected(&folder);
        for number in 1.. {
            work.restore(&folder);
            let report = folder.write("report", b"");
            let mut start = command();
            start.args(&work.words).env("LD_PRELOAD", &library).env("FAULT_REPORT", &report);
            start.env("FAULT_BYTES", LARGE.to_string()).env("FAULT_NUMBER", number.to_string());
            let output = start.output().unwrap();
            if read(&report).is_empty() {
                assert!(output.status.success() && number > 1, "{:?}: {number} allocations", work.words);
                break;
            }
            failed += 1;
            if output.status.success() {
                // It was asked whether there is memory for more threads.
                work.is_whole(&folder, &expected, "fewer threads");
                continue;
            }
            assert_eq!(output.status.code(), Some(1), "{:?}, allocation {number}: {output:?}", work.words);
            one_error(1, &output);
            work.is_old(&folder, &format!("allocation {number}"));
        }
    }
    println!("command allocations: {failed} failed");
}

/// A shell that lets no file grow beyond so many blocks, and then goes on in the command.
fn with_short_files(work: &WritingCommand, blocks: usize, signal: &str) -> Output {
    let line = format!("trap {signal} XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    work.after(&["sh", "-c", &line]).output().unwrap()
}

#[test]
fn files_that_cannot_grow_are_errors() {
    let folder = Folder::new();
    let mut failed = 0;
    for work in works(&folder) {
        let expected = work.expected(&folder);
        for blocks in [0, 1, 3, 7, 20] {
            for (signal, is_ignored) in [("''", true), ("-", false)] {
                work.restore(&folder);
                let output = with_short_files(&work, blocks, signal);
                if output.status.success() {
                    work.is_whole(&folder, &expected, "a short file");
                    continue;
                }
                failed += 1;
                if is_ignored {
                    let message = one_error(1, &output);
                    assert_eq!(message.matches("File too large").count(), 1, "{message}");
                }
                work.is_old(&folder, &format!("{blocks} blocks"));
            }
        }
    }
    println!("short files: {failed} commands failed");
    assert!(failed > 40, "{failed}");
}

/// Runs a command whose outputs are on a file system of so many KiB, in a mount namespace. Its exit
/// code, and the checksums of what the file system has then; `None` if there are no namespaces.
fn on_small_disk(folder: &Folder, work: &WritingCommand, kibibytes: usize) -> Option<(i32, Vec<String>)> {
    let disk = folder.path("disk");
    fs::create_dir_all(&disk).unwrap();
    let script = "mount -t tmpfs -o size=\"$1\"k none \"$2\" || exit 99; cd \"$2\"; shift 2
        for file in $OUTPUTS; do printf old >\"$file\"; done
        \"$@\" >/dev/null 2>errors; echo $?; rm -f errors; cksum * | sort -k3";
    let moved = work.words.iter().map(|word| {
        let name = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if work.outputs.contains(&name) { disk.join(name).to_str().unwrap().to_owned() } else { word.clone() }
    });
    let mut start = Command::new("unshare");
    start.args(["-m", "sh", "-c", script, "sh", &kibibytes.to_string()]).arg(&disk).arg(command().get_program());
    let output = start.args(moved).env("OUTPUTS", work.outputs.join(" ")).output().ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    Some((lines.next()?.parse().ok()?, lines.map(str::to_owned).collect()))
}

#[test]
fn full_disks_are_errors() {
    let folder = Folder::new();
    let mut failed = 0;
    for work in works(&folder) {
        let Some((code, new)) = on_small_disk(&folder, &work, 16 << 10) else {
            return eprintln!("NOT TESTED: this user cannot mount file systems");
        };
        assert_eq!(code, 0, "{:?}: {new:?}", work.words);
        for kibibytes in [8, 16, 40, 64, 100] {
            let (code, found) = on_small_disk(&folder, &work, kibibytes).unwrap();
            assert_eq!(found.len(), work.outputs.len(), "{:?}, {kibibytes} KiB: {found:?}", work.words);
            match code {
                0 => assert_eq!(found, new, "{:?}, {kibibytes} KiB", work.words),
                1 => {
                    failed += 1;
                    let old = found.iter().all(|line| line.split(' ').nth(1) == Some("3"));
                    assert!(old, "{:?}, {kibibytes} KiB: {found:?}", work.words);
                }
                code => panic!("{:?}, {kibibytes} KiB: exit code {code}", work.words),
            }
        }
    }
    println!("full disks: {failed} commands failed");
    assert!(failed > 10, "{failed}");
}

/// The command as a user who may start no thread. Root may start any number, so another user runs a
/// copy.
fn without_threads(folder: &Folder, words: &[&str]) -> Output {
    let program = folder.path("fourfold");
    fs::copy(command().get_program(), &program).unwrap();
    fs::set_permissions(folder.path(""), fs::Permissions::from_mode(0o777)).unwrap();
    let [rights, none] = [&["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups"][..], &[]];
    // Whoever may not become another user is not root.
    let is_root = Command::new(rights[0]).args(&rights[1..]).arg("true").status().is_ok_and(|status| status.success());
    let mut start = Command::new("prlimit");
    start.arg("--nproc=1:1").args(if is_root { rights } else { none }).arg(&program).args(words);
    start.env("FOURFOLD_CACHE_DIR", "").output().unwrap()
}

#[test]
fn threads_that_cannot_be_started_are_errors() {
    let folder = Folder::new();
    works(&folder);
    let file = |name: &str| folder.path(name).to_str().unwrap().to_owned();
    let [image, photo, out, jpeg] = ["in.png", "in.jpg", "out.png", "out.jpg"].map(file);
    let tables = file("tables");
    let mut failed = 0;
    for words in [
        &["verify", "dct2 f64 64"][..],
        &["compress", &image, "-o", &out, "--keep", "10"],
        &["jpeg", "encode", &image, "-o", &jpeg],
        &["tune", "dct2 f64 64", "--wisdom", &tables],
        &["bench", "dct2 f64 64", "--seconds", "0"],
    ] {
        let output = without_threads(&folder, &[words, &["--threads", "4"]].concat());
        let message = one_error(1, &output);
        assert!(message.contains("cannot start 4 threads"), "{words:?}: {message}");
        failed += 1;
        let written = [&out, &jpeg, &tables].into_iter().filter(|path| Path::new(path).exists());
        assert_eq!(written.count(), 0, "{words:?}");
        let output = without_threads(&folder, &[words, &["--threads", "1"]].concat());
        assert!(output.status.success(), "{words:?}: {output:?}");
        [&out, &jpeg, &tables].iter().for_each(|path| drop(fs::remove_file(path)));
    }
    // Several files are decoded on as many threads as there are.
    let several =
        ["jpeg", "decode", &photo, &photo.replace("in.jpg", "in2.jpg"), "-o", &file("out/"), "--threads", "1"];
    fs::copy(&photo, folder.path("in2.jpg")).unwrap();
    assert!(without_threads(&folder, &several).status.success());
    println!("threads: {failed} commands had an error, and one had fewer threads");
}

/// How often each command is killed.
fn kills() -> u32 {
    if std::env::var_os("FOURFOLD_SWEEPS").is_some_and(|value| value == "whole") { 100 } else { 12 }
}

#[test]
fn killed_commands_leave_the_old_file_or_the_new_one() {
    let folder = Folder::new();
    let (mut random, mut survived, mut killed) = (fastrand::Rng::with_seed(1), 0, 0);
    for work in works(&folder) {
        let start = Instant::now();
        let expected = work.expected(&folder);
        let time = start.elapsed();
        let allowed = folder.names();
        for _ in 0..kills() {
            work.restore(&folder);
            let mut child = command().args(&work.words).stdout(Stdio::null()).spawn().unwrap();
            // Most of the time is before the file is written, so half of the kills are near the end.
            let part = if random.bool() { random.f64() } else { 0.8 + 0.4 * random.f64() };
            std::thread::sleep(time.mul_f64(part));
            child.kill().unwrap();
            killed += u32::from(!child.wait().unwrap().success());
            work.is_whole(&folder, &expected, "killed");
            survived += 1;
        }
        // What a killed command leaves, the next one removes.
        work.expected(&folder);
        assert_eq!(folder.names(), allowed, "{:?}", work.words);
    }
    println!("kills: {survived} survived, of that {killed} before the end");
    assert!(killed > survived / 8, "{killed} of {survived}");
}

/// The tuning file keeps its lines, whenever a command that adds to it is killed.
#[test]
fn killed_tuning_keeps_the_file() {
    let folder = Folder::new();
    let file = folder.path("wisdom");
    let tune = |problem: &str| {
        let mut start = command();
        start.args(["tune", problem, "--threads", "1", "--wisdom"]).arg(&file).stdout(Stdio::null());
        start
    };
    let start = Instant::now();
    assert!(tune("dct2 f64 8").status().unwrap().success());
    let time = start.elapsed().max(Duration::from_millis(1));
    let mut random = fastrand::Rng::with_seed(2);
    for round in 0..kills() {
        let before = fs::read_to_string(&file).unwrap();
        let mut child = tune(&format!("dct2 f64 {}", 9 + round)).spawn().unwrap();
        std::thread::sleep(time.mul_f64(1.3 * random.f64()));
        child.kill().unwrap();
        child.wait().unwrap();
        let after = fs::read_to_string(&file).unwrap();
        assert!(
            after.ends_with('\n') && before.lines().all(|line| after.lines().any(|other| other == line)),
            "{after}"
        );
        let plan = command().args(["plan", "dct2 f64 8", "--wisdom"]).arg(&file).output().unwrap();
        assert!(plan.status.success() && plan.stderr.is_empty(), "{plan:?}");
    }
}
