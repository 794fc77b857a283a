//! Signals, and memory that is lacking: a command that ends early leaves the old file and no other.
#![cfg(target_os = "linux")]

mod common;
#[path = "common/images.rs"]
mod images;

use common::{Folder, command, one_error, read};
use fourfold_jpeg::{Image, Sampling, Transform, encode};
use images::{L8, RGB8, save};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

/// A picture that takes some seconds to compress.
fn large_picture(folder: &Folder) -> PathBuf {
    let path = folder.path("in.png");
    save(&path, &vec![100; 3000 * 3001], 3000, 3001, L8);
    path
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Waits until the command has begun a file in a folder.
fn wait_for_output(child: &mut Child, folder: &Path) {
    let files = format!("/proc/{}/fd", child.id());
    let open = || fs::read_dir(&files).into_iter().flatten().flatten();
    let is_new = |path: PathBuf| path.starts_with(folder) && !path.ends_with("in.png");
    while !open().any(|entry| fs::read_link(entry.path()).is_ok_and(is_new)) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be interrupted");
    }
}

#[test]
fn signals_end_the_command_as_any_other() {
    let folder = Folder::new();
    let (input, output) = (large_picture(&folder), folder.write("out.png", b"old"));
    for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1), ("-KILL", 9)] {
        // A shell starts programs in the background such that they ignore SIGINT, and so do theirs.
        let mut start = Command::new("env");
        start.arg("--default-signal").arg(command().get_program()).arg("compress").arg(&input);
        let mut child = start.arg("-o").arg(&output).args(["--keep", "10"]).spawn().unwrap();
        wait_for_output(&mut child, &fs::canonicalize(folder.path("")).unwrap());
        send(signal, &child);
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        assert_eq!((folder.names(), read(&output)), (vec!["in.png".into(), "out.png".into()], b"old".to_vec()));
    }
}

/// As under `nohup`.
#[test]
fn ignored_signals_stay_ignored() {
    let folder = Folder::new();
    let (input, output) = (large_picture(&folder), folder.path("out.png"));
    let program = command().get_program().to_owned();
    let script = "trap '' HUP; exec \"$0\" compress \"$1\" -o \"$2\" --keep 10 --json";
    let mut child = Command::new("sh").args(["-c", script]).arg(program).args([&input, &output]).spawn().unwrap();
    wait_for_output(&mut child, &fs::canonicalize(folder.path("")).unwrap());
    send("-HUP", &child);
    assert!(child.wait().unwrap().success());
    assert!(!read(&output).is_empty());
}

/// The command with so many KiB of memory.
fn limited(kibibytes: usize, arguments: &[&str]) -> Output {
    let line = format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\"");
    Command::new("sh").args(["-c", &line]).arg(command().get_program()).args(arguments).output().unwrap()
}

/// Runs the command with more and more memory. It must end with an error or succeed. Returns the last
/// error.
fn squeeze(limits: impl Iterator<Item = usize>, arguments: &[&str]) -> String {
    let (mut refused, mut done, mut last) = (0, 0, String::new());
    for limit in limits {
        let output = limited(limit, arguments);
        match output.status.code() {
            Some(0) => done += 1,
            _ => {
                last = one_error(1, &output);
                refused += 1;
            }
        }
    }
    assert!(refused > 0 && done > 0, "{arguments:?}: {refused} refused, {done} done");
    last
}

#[test]
fn images_need_memory_or_are_refused() {
    let folder = Folder::new();
    let [input, output, spectrum] = ["in.png", "out.png", "spectrum.png"].map(|name| folder.path(name));
    save(&input, &vec![100; 3 * 500 * 450], 500, 450, RGB8);
    let [input, output, spectrum] = [&input, &output, &spectrum].map(|path| path.to_str().unwrap());
    let limits = || (24_000..60_000).step_by(2_900);
    squeeze(limits(), &["compress", input, "-o", output, "--keep", "10", "--threads", "1"]);
    let filter = ["filter", input, "-o", output, "--low-pass", "0.5", "--threads", "1", "--spectrum", spectrum];
    // It asks for all at once: at 8 bytes, a channel of an array alone would take 1.8 MB.
    let refusal = squeeze(limits(), &filter);
    let bytes = refusal.split(' ').find_map(|word| word.parse::<usize>().ok());
    assert!(bytes.is_some_and(|bytes| bytes > 12_000_000), "{refusal}");
    squeeze(limits(), &["jpeg", "bench", "--size", "4", "--seconds", "0"]);
    fs::remove_file(folder.path("out.png")).unwrap();
}

#[test]
fn comparisons_need_memory_or_are_refused() {
    squeeze((24_000..60_000).step_by(3_000), &["verify", "dct2 f64 61x59x59", "--threads", "1"]);
}

/// Where no more threads can be had, there are fewer.
#[test]
fn many_files_are_decoded_with_little_memory() {
    let folder = Folder::new();
    let image = Image { width: 64, height: 64, channels: 1, samples: vec![9; 4096] };
    let file = encode(&image, 80, Sampling::Full, &Transform::builder().build().unwrap()).unwrap();
    let inputs: Vec<_> = (0..100).map(|i| folder.write(&format!("{i}.jpg"), &file)).collect();
    let out = folder.path("out/");
    let words = ["jpeg", "decode", "--threads", "1000", "-o", out.to_str().unwrap()];
    let arguments: Vec<_> = words.into_iter().chain(inputs.iter().map(|path| path.to_str().unwrap())).collect();
    for kibibytes in [60_000, 200_000, 600_000] {
        let output = limited(kibibytes, &arguments);
        assert!(output.status.success(), "{kibibytes}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(fs::read_dir(&out).unwrap().count(), 100);
        fs::remove_dir_all(&out).unwrap();
    }
}
