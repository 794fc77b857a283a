//! Runs the command as a user does.
#![allow(dead_code)] // no test file uses all

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The program of the crate that is tested, by name and place.
const PROGRAM: (&str, &str) =
    match (option_env!("CARGO_BIN_EXE_fourfold"), option_env!("CARGO_BIN_EXE_fourfold-experiments")) {
        (Some(path), _) => ("fourfold", path),
        (None, Some(path)) => ("fourfold-experiments", path),
        (None, None) => panic!("cargo names the program"),
    };

/// The command, ready to be given arguments.
pub(crate) fn command() -> Command {
    Command::new(PROGRAM.1)
}

fn run(arguments: &[&dyn AsRef<OsStr>]) -> Output {
    command().args(arguments.iter().map(|argument| argument.as_ref())).output().unwrap()
}

/// The output on stdout of a run that must succeed and print nothing on stderr.
pub(crate) fn success(arguments: &[&dyn AsRef<OsStr>]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The one line on stderr of a run that must end with this exit code.
pub(crate) fn failure(code: i32, arguments: &[&dyn AsRef<OsStr>]) -> String {
    let output = run(arguments);
    one_error(code, &output)
}

/// The one line on stderr of a run that ended.
pub(crate) fn one_error(code: i32, output: &Output) -> String {
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{errors}");
    assert!(errors.starts_with(&format!("{}: ", PROGRAM.0)) && errors.ends_with('\n'), "{errors:?}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    errors
}

/// A temporary folder, for one test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// The names of its files and folders, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<_> = fs::read_dir(self.0.path()).unwrap().map(|entry| name(entry.unwrap())).collect();
        names.sort();
        names
    }
}

/// Asserts that the message holds all parts.
pub(crate) fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}

/// Reads a whole file.
pub(crate) fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}
