//! Files and functions are short, and the code map names every folder.

use crate::sources::{Source, crate_sources, root, sources, words};
use std::fs;

/// Lines that a file may have, and a function.
const LONGEST_FILE: usize = 400;
const LONGEST_FUNCTION: usize = 50;

/// Files that are longer, with the lines that they may have: they may only become shorter.
const LONGER_FILES: &[(&str, usize)] = &[("crates/fourfold-cli/src/npy.rs", 407)];

/// The same of functions.
const LONGER_FUNCTIONS: &[(&str, usize)] = &[
    ("crates/fourfold-cli/src/commands/reproduce/electrostatics.rs", 58),
    ("crates/fourfold-cli/src/commands/reproduce/utilisation.rs", 51),
    ("crates/fourfold-cli/tests/devices.rs", 53),
];

/// The most lines of a file, or of a function in it.
fn most(longer: &[(&str, usize)], path: &str, else_: usize) -> usize {
    longer.iter().find(|(long, _)| *long == path).map_or(else_, |(_, lines)| *lines)
}

fn all() -> impl Iterator<Item = Source> {
    sources("crates").into_iter().chain(sources("xtask"))
}

#[test]
fn files_are_short() {
    let long: Vec<_> = all().map(|file| (file.text.lines().count(), file.path)).collect();
    let long: Vec<_> =
        long.into_iter().filter(|(lines, path)| *lines > most(LONGER_FILES, path, LONGEST_FILE)).collect();
    assert!(long.is_empty(), "{long:#?}");
}

/// The functions of a file as rustfmt writes them: name and lines, from the signature to the
/// closing brace.
fn functions(file: &Source) -> Vec<(String, usize)> {
    let lines: Vec<_> = file.text.lines().collect();
    let mut found = vec![];
    for (start, line) in lines.iter().enumerate() {
        let Some((before, after)) = line.split_once("fn ") else { continue };
        if !before
            .split_whitespace()
            .all(|word| word.starts_with("pub") || ["const", "unsafe", "crate)"].contains(&word))
        {
            continue;
        }
        let end = format!("{}}}", &line[..line.len() - line.trim_start().len()]);
        let declared = lines[start..].iter().find(|line| line.ends_with(['{', ';', '}']));
        if declared.is_some_and(|line| line.ends_with('{')) {
            let length = lines[start..].iter().position(|line| *line == end).map_or(usize::MAX, |at| at + 1);
            found.push((words(after).next().unwrap_or_default().to_owned(), length));
        }
    }
    found
}

#[test]
fn functions_are_short() {
    let files: Vec<_> = all().collect();
    let all: Vec<_> = files.iter().flat_map(|file| functions(file).into_iter().map(move |f| (&file.path, f))).collect();
    assert!(all.len() > 500, "the search finds {} functions", all.len());
    let long: Vec<_> =
        all.into_iter().filter(|(path, (_, lines))| *lines > most(LONGER_FUNCTIONS, path, LONGEST_FUNCTION)).collect();
    assert!(long.is_empty(), "{long:#?}");
}

/// Every folder of the crates, and every file that stands in none, is named in the code map.
#[test]
fn the_code_map_is_complete() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for name in ["fourfold", "fourfold-gpu", "fourfold-jpeg"] {
        for file in crate_sources(name) {
            let place = file.path.rsplit_once('/').map_or(file.path.clone(), |(folder, _)| format!("{folder}/"));
            let is_known = map.contains(&format!("`{place}`")) || place == "lib.rs";
            assert!(is_known, "`{place}` of {name} is not in the code map");
        }
    }
}
