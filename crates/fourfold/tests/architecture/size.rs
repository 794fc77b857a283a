//! Files and functions are short, and the code map names every folder.

use crate::sources::{Source, crate_sources, root, sources, words};
use std::fs;

/// Lines that a file may have, and a function.
const LONGEST_FILE: usize = 400;
const LONGEST_FUNCTION: usize = 50;

/// Files that are longer, with the lines that they may have: they may only become shorter.
const LONGER_FILES: &[(&str, usize)] = &[];

/// The same of functions.
const LONGER_FUNCTIONS: &[(&str, usize)] = &[];

/// The most lines of a file, or of a function in it.
fn most(longer: &[(&str, usize)], path: &str, else_: usize) -> usize {
    longer.iter().find(|(long, _)| *long == path).map_or(else_, |(_, lines)| *lines)
}

fn all() -> impl Iterator<Item = Source> {
    ["crates", "python/src", "xtask", "bench", "fuzz"].into_iter().flat_map(sources)
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
            .all(|word| word.starts_with("pub") || ["const", "unsafe", "extern", "\"C\"", "crate)"].contains(&word))
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
    for name in [
        "fourfold",
        "fourfold-gpu",
        "fourfold-jpeg",
        "fourfold-cli",
        "fourfold-experiments",
        "fourfold-distributed",
        "fourfold-distributed-gpu",
        "fourfold-python",
    ] {
        for file in crate_sources(name) {
            let place = file.path.rsplit_once('/').map_or(file.path.clone(), |(folder, _)| format!("{folder}/"));
            let is_known = map.contains(&format!("`{place}`")) || place == "lib.rs";
            assert!(is_known, "`{place}` of {name} is not in the code map");
        }
    }
}

#[test]
fn all_sorts_of_functions_are_measured() {
    let text = "fn a() {\n}\npub(crate) unsafe extern \"C\" fn b() {\n\n}\nextern \"C\" fn c();\n    pub const fn d() {\n    }\n";
    let file = Source { path: String::new(), text: text.into() };
    assert_eq!(functions(&file), [("a".into(), 2), ("b".into(), 3), ("d".into(), 2)]);
}

/// The most terms of the glossary.
const MOST_TERMS: usize = 40;

#[test]
fn the_glossary_is_short() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, glossary) = text.split_once("\n## Glossary\n").expect("a glossary");
    let terms = glossary.lines().take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with("| "));
    // The first row is the table's head.
    let count = terms.count() - 1;
    assert!((20..=MOST_TERMS).contains(&count), "the glossary has {count} terms, and at most {MOST_TERMS} are read");
}
