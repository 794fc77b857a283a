//! `cargo xtask record FOLDER [FILE ...]`: records outputs, kernels and recipes as checksums and
//! text, or only the files named, such as `kernels.txt`.
//! `cargo xtask record --compare OLD NEW`: whether two recordings are the same.

use crate::process::{command, run, target_folder};
use crate::test::ALL_FEATURES;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, absolute};

/// The files of a recording; each line is a key, ` | ` and a value.
const FILES: [&str; 3] = ["cpu.txt", "kernels.txt", "recipes.txt"];

/// How many differences of a file are printed.
const PRINTED: usize = 20;

/// The task, with the arguments that follow its name.
pub(crate) fn run_task() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(2).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--compare", old, new] => compare(Path::new(old), Path::new(new)),
        [folder, ref files @ ..] if !folder.starts_with('-') && files.iter().all(|file| FILES.contains(file)) => {
            record(Path::new(folder), files)
        }
        _ => anyhow::bail!(
            "usage: cargo xtask record FOLDER [{}], or cargo xtask record --compare OLD NEW",
            FILES.join("] [")
        ),
    }
}

/// Builds and starts the program that records, as the tests are built, with the engine without
/// vectors. The profile does not change what it records; dev builds faster and checks more.
fn record(folder: &Path, files: &[&str]) -> Result<()> {
    let folder = absolute(folder)?;
    run(&mut command(&format!("cargo build {ALL_FEATURES} --example record")))?;
    let binary = target_folder().join("debug/examples/record");
    run(command(&binary.display().to_string()).arg(folder).args(files))
}

/// Prints how two recordings differ. It is an error if they do in more than comments of kernels.
fn compare(old: &Path, new: &Path) -> Result<()> {
    let mut different = 0;
    for name in FILES {
        if !new.join(name).exists() {
            println!("{name}: not recorded");
            continue;
        }
        let [before, after] = [lines(old, name)?, lines(new, name)?];
        different += compare_lines(name, &before, &after);
        if name == "kernels.txt" {
            print_texts([old, new], &before, &after)?;
        }
    }
    ensure!(different == 0, "{different} lines differ");
    ensure!(FILES.iter().any(|name| new.join(name).exists()), "{} has no recording", new.display());
    println!("What was recorded is the same.");
    Ok(())
}

type Lines = BTreeMap<String, String>;

/// The values of a file by their keys. Recipes have the separator in them.
fn lines(folder: &Path, name: &str) -> Result<Lines> {
    let path = folder.join(name);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let split = |line: &str| {
        let parts = if name == "recipes.txt" { line.split_once(" | ") } else { line.rsplit_once(" | ") };
        let (key, value) = parts.with_context(|| format!("{}: no key in {line}", path.display()))?;
        Ok((key.to_owned(), value.to_owned()))
    };
    text.lines().map(split).collect()
}

/// Prints which lines differ, and counts them.
fn compare_lines(name: &str, before: &Lines, after: &Lines) -> usize {
    let mut differences = vec![];
    let mut comments = 0;
    for key in before.keys().chain(after.keys().filter(|key| !before.contains_key(*key))) {
        match (before.get(key), after.get(key)) {
            (Some(old), Some(new)) if old == new => {}
            (Some(old), Some(new)) if plain(old) == plain(new) => comments += 1,
            (Some(old), Some(new)) => differences.push(format!("~ {key}\n    old {old}\n    new {new}")),
            (Some(old), None) => differences.push(format!("- {key} | {old}")),
            (None, new) => differences.push(format!("+ {key} | {}", new.map_or("", String::as_str))),
        }
    }
    println!("{name}: {} lines, {} differ, {comments} only in comments", before.len(), differences.len());
    differences.iter().take(PRINTED).for_each(|difference| println!("{difference}"));
    if differences.len() > PRINTED {
        println!("and {} more", differences.len() - PRINTED);
    }
    differences.len()
}

/// The checksums of a kernel's text: with comments and without.
fn checksums(value: &str) -> Option<[&str; 2]> {
    let (_, sums) = value.split_once(" text ")?;
    sums.split_once(' ').map(|(whole, plain)| [whole, plain])
}

/// A value without the checksum that comments are in.
fn plain(value: &str) -> String {
    checksums(value).map_or(value.to_owned(), |[whole, _]| value.replace(whole, ""))
}

/// Prints the first differing lines of the first kernels that differ.
fn print_texts(folders: [&Path; 2], before: &Lines, after: &Lines) -> Result<()> {
    let both = before.iter().filter_map(|(key, old)| Some((key, checksums(old)?, checksums(after.get(key)?)?)));
    let changed = both.filter(|(_, old, new)| old[1] != new[1]).take(PRINTED);
    for (key, old, new) in changed {
        let path = |folder: &Path, name: &str| folder.join(format!("kernels/{name}.txt"));
        let paths = [path(folders[0], old[0]), path(folders[1], new[0])];
        println!("{key}:\n    diff {} {}", paths[0].display(), paths[1].display());
        let [old, new] = [fs::read_to_string(&paths[0])?, fs::read_to_string(&paths[1])?];
        let mut pairs = old.lines().zip(new.lines()).filter(|(old, new)| old != new);
        if let Some((old, new)) = pairs.next() {
            println!("    old {}\n    new {}", old.trim(), new.trim());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Lines {
        let pair = |line: &str| line.rsplit_once(" | ").map(|(key, value)| (key.to_owned(), value.to_owned()));
        text.lines().map(|line| pair(line).expect("a key")).collect()
    }

    #[test]
    fn differences_are_counted_but_not_those_of_comments() {
        let old = of("a | kernel 0 | threads 8 text 11 22\nb | x | 1 2 3\nc | y");
        assert_eq!(compare_lines("", &old, &old), 0);
        assert_eq!(compare_lines("", &old, &of("a | kernel 0 | threads 8 text 33 22\nb | x | 1 2 3\nc | y")), 0);
        assert_eq!(compare_lines("", &old, &of("a | kernel 0 | threads 9 text 11 22\nb | x | 1 2 3\nc | y")), 1);
        assert_eq!(compare_lines("", &old, &of("a | kernel 0 | threads 8 text 11 23\nb | x | 1 2 4\nd | y")), 4);
    }
}
