//! Reads the workspace's sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A source file: its path, and its text.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All Rust files under `folder`. Paths are relative to the workspace's root.
pub(crate) fn sources(folder: &str) -> Vec<Source> {
    files(folder, "rs")
}

/// All files under `folder` whose names end in `.{extension}`.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<Source> {
    let mut found = vec![];
    for entry in fs::read_dir(root().join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}")) {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            if !path.ends_with("/target") {
                found.extend(files(&path, extension));
            }
        } else if path.ends_with(&format!(".{extension}")) {
            found.push(Source { text: fs::read_to_string(entry.path()).unwrap(), path });
        }
    }
    found
}

/// The files of a crate, by their paths in its `src`.
pub(crate) fn crate_sources(name: &str) -> Vec<Source> {
    let src = if name == "fourfold-python" { "python/src".into() } else { format!("crates/{name}/src") };
    let mut files = sources(&src);
    files.iter_mut().for_each(|file| file.path = file.path[src.len() + 1..].to_owned());
    assert!(files.len() > 5, "the sources of {name} have moved");
    files
}

impl Source {
    /// The text without comments and without unit tests, which are at the end of a file.
    pub(crate) fn code(&self) -> String {
        let text = self.text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let code = |line: &'_ str| line.split("//").next().unwrap_or_default().to_owned();
        text.lines().map(code).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn words(&self) -> BTreeSet<String> {
        words(&self.code()).map(str::to_owned).collect()
    }
}

/// The identifiers, keywords and numbers of a text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
