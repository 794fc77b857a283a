//! Finds the imports between the files of a crate.

use crate::sources::{Source, words};
use std::collections::{BTreeMap, BTreeSet};

/// The files that each file imports, by their paths in `src`.
pub(crate) type Imports = BTreeMap<String, BTreeSet<String>>;

/// The module of a file, as the list of names after `crate`.
fn module(path: &str) -> Vec<&str> {
    let mut names: Vec<_> = path.trim_end_matches(".rs").split('/').collect();
    if matches!(names.last(), Some(&"mod" | &"lib" | &"main")) {
        names.pop();
    }
    names
}

/// All imports between the files of one crate.
pub(crate) fn imports(files: &[Source]) -> Imports {
    let modules: BTreeMap<Vec<&str>, &str> = files.iter().map(|file| (module(&file.path), &*file.path)).collect();
    let found = |file: &Source| {
        let named = paths(file).into_iter().filter_map(|path| target(&modules, &path));
        (file.path.clone(), named.filter(|path| *path != file.path).map(str::to_owned).collect())
    };
    files.iter().map(found).collect()
}

/// The file of a path from the crate's root, which is that of the longest module in it.
fn target<'a>(modules: &BTreeMap<Vec<&str>, &'a str>, path: &[String]) -> Option<&'a str> {
    let names: Vec<_> = path.iter().map(String::as_str).collect();
    (0..=names.len()).rev().find_map(|n| modules.get(&names[..n]).copied())
}

/// The paths within the crate in a file, as lists of names after `crate`.
fn paths(file: &Source) -> BTreeSet<Vec<String>> {
    let (code, own) = (file.code(), module(&file.path));
    let mut found = BTreeSet::new();
    for first in ["crate", "super", "self"] {
        for (at, _) in code.match_indices(&format!("{first}::")) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '$') {
                continue;
            }
            let path = &code[at..];
            let mut base: Vec<String> = own.iter().map(|name| name.to_string()).collect();
            let (mut rest, mut is_first) = (path, true);
            while let Some((word, after)) = rest.split_once("::") {
                match word {
                    "crate" if is_first => base.clear(),
                    "super" => drop(base.pop()),
                    "self" if is_first => {}
                    _ => break,
                }
                (rest, is_first) = (after, false);
            }
            expand(&base, rest, &mut found);
        }
    }
    found
}

/// Adds the paths of the use tree, or of the path of an expression, at the beginning of `text`.
/// Returns its length.
fn expand(base: &[String], text: &str, found: &mut BTreeSet<Vec<String>>) -> usize {
    let start = text.len() - text.trim_start().len();
    if text[start..].starts_with('{') {
        let mut at = start + 1;
        loop {
            at += expand(base, &text[at..], found);
            let rest = text[at..].trim_start();
            at = text.len() - rest.len();
            match rest.chars().next() {
                Some(',') => at += 1,
                Some('}') => return at + 1,
                _ => return at,
            }
        }
    }
    let name = words(&text[start..]).next().filter(|name| text[start..].starts_with(name)).unwrap_or_default();
    let end = start + name.len();
    let mut path = base.to_vec();
    if !name.is_empty() && name != "self" {
        path.push(name.to_owned());
    }
    if let Some(after) = text[end..].strip_prefix("::") {
        return end + 2 + expand(&path, after, found);
    }
    found.insert(path);
    let alias = text[end..].trim_start();
    match alias.strip_prefix("as ") {
        Some(alias) => text.len() - alias.len() + words(alias).next().map_or(0, str::len),
        None => end,
    }
}

/// The circles: groups of files each of which imports all others of its group, directly or through
/// others.
pub(crate) fn circles(imports: &Imports) -> Vec<Vec<String>> {
    let reachable: BTreeMap<_, _> = imports.keys().map(|file| (file, reached(imports, file))).collect();
    let mut groups = BTreeSet::new();
    for (file, others) in &reachable {
        let group: Vec<_> =
            others.iter().filter(|other| reachable[*other].contains(*file)).map(|other| other.to_string()).collect();
        if !group.is_empty() {
            groups.insert(group);
        }
    }
    groups.into_iter().collect()
}

/// The files that `from` imports, directly or through others.
fn reached<'a>(imports: &'a Imports, from: &str) -> BTreeSet<&'a String> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(file) = next.pop() {
        for other in imports.get(file).into_iter().flatten() {
            if seen.insert(other) {
                next.push(other);
            }
        }
    }
    seen
}

fn source(path: &str, text: &str) -> Source {
    Source { path: path.into(), text: text.into() }
}

#[test]
fn imports_are_found() {
    let files = [
        source("lib.rs", "pub use crate::a::One;"),
        source("a.rs", "use crate::b::{self, c::{D, E as F}, g};\nlet x = crate::h::K::new(); // crate::z::Z"),
        source("b/mod.rs", "use super::a;"),
        source("b/c.rs", "use super::g::G;\nuse super::super::h;"),
        source("b/g.rs", "#[cfg(test)]\nmod tests {\n    use crate::a::One;\n}"),
        source("h.rs", "use std::fmt;\nuse fourfold_other::a::A;"),
    ];
    let found = imports(&files);
    let of = |path: &str| found[path].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(of("lib.rs"), ["a.rs"]);
    assert_eq!(of("a.rs"), ["b/c.rs", "b/g.rs", "b/mod.rs", "h.rs"]);
    assert_eq!(of("b/mod.rs"), ["a.rs"]);
    assert_eq!(of("b/c.rs"), ["b/g.rs", "h.rs"]);
    assert!(of("b/g.rs").is_empty() && of("h.rs").is_empty());
    assert_eq!(circles(&found), [["a.rs", "b/mod.rs"]]);
}
