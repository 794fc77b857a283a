//! The invariants of ARCHITECTURE.md that the sources show.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A source file: its path from the workspace's root, and its text.
struct Source {
    path: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All Rust files under `folder`, a path from the workspace's root.
fn sources(folder: &str) -> Vec<Source> {
    let mut found = vec![];
    for entry in fs::read_dir(root().join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}")) {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            found.extend(sources(&path));
        } else if path.ends_with(".rs") {
            found.push(Source { text: fs::read_to_string(entry.path()).unwrap(), path });
        }
    }
    found
}

const CORE: &str = "crates/fourfold/src/";

/// The files of the core crate, by their paths in src.
fn core() -> Vec<Source> {
    let mut files = sources(CORE.trim_end_matches('/'));
    files.iter_mut().for_each(|file| file.path = file.path.strip_prefix(CORE).unwrap().to_owned());
    assert!(files.len() > 30, "the sources have moved");
    files
}

impl Source {
    /// The text without comments.
    fn code(&self) -> String {
        let code = |line: &'_ str| line.split("//").next().unwrap_or_default().to_owned();
        self.text.lines().map(code).collect::<Vec<_>>().join("\n")
    }

    fn words(&self) -> BTreeSet<String> {
        let code = self.code();
        code.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect()
    }

    /// How the file names the root of the crate.
    fn roots(&self) -> Vec<String> {
        // A file in a folder, and not its mod.rs, has its parent's parent one step further.
        let module = self.path.matches('/').count() + usize::from(!self.path.ends_with("mod.rs"));
        vec!["crate::".to_owned(), "super::".repeat(module)]
    }

    /// What the file names after `crate::`, or after as many `super::` as lead there: modules, and
    /// the items that lib.rs takes out of them.
    fn imports(&self) -> BTreeSet<String> {
        self.roots().iter().flat_map(|root| self.names_after(root)).collect()
    }

    fn names_after(&self, root: &str) -> BTreeSet<String> {
        let code = self.code();
        let mut names = BTreeSet::new();
        for (at, _) in code.match_indices(root) {
            let rest = &code[at + root.len()..];
            match rest.strip_prefix('{') {
                Some(list) => names.extend(first_names(list)),
                None => names.extend(first_name(rest)),
            }
        }
        names
    }
}

fn first_name(text: &str) -> Option<String> {
    let name: String = text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// The first name of every item in a list whose opening brace is behind.
fn first_names(list: &str) -> Vec<String> {
    let (mut names, mut depth, mut item) = (vec![], 1, true);
    for (i, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => item = true,
            _ if item && !c.is_whitespace() => {
                names.extend(first_name(&list[i..]));
                item = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

#[test]
fn unsafe_stands_in_the_engine_only() {
    let allowed = |path: &str| {
        path.strip_prefix("crates/fourfold/src/cpu/").is_some_and(|file| !["dispatch.rs", "lines.rs"].contains(&file))
            || path.starts_with("crates/fourfold-gpu/src/runtime/")
            || path.starts_with("crates/fourfold-jpeg/src/cpu/isa/")
            || path.starts_with("crates/fourfold-jpeg/src/file/libjpeg/")
    };
    let files: Vec<_> = ["crates", "xtask", "fuzz/fuzz_targets"].into_iter().flat_map(sources).collect();
    let is_unsafe =
        |file: &&Source| file.path != "crates/fourfold/tests/architecture.rs" && file.words().contains("unsafe");
    let found: Vec<_> = files.iter().filter(is_unsafe).map(|file| file.path.as_str()).collect();
    assert!(found.len() > 10, "the search finds nothing: {found:?}");
    let outside: Vec<_> = found.into_iter().filter(|path| !allowed(path)).collect();
    assert!(outside.is_empty(), "unsafe outside the engine: {outside:?}");
}

#[test]
fn intrinsics_stand_in_isa_only() {
    let files = core().into_iter().chain(sources("crates/fourfold-jpeg/src"));
    for file in files.filter(|file| !file.path.contains("cpu/isa/")) {
        let found: Vec<_> = file.words().into_iter().filter(|word| word.starts_with("_mm") || word == "arch").collect();
        assert!(found.is_empty(), "{} uses {found:?}", file.path);
    }
}

/// What each layer may not know: modules, and what lib.rs takes out of them.
const PLANS: [&str; 10] =
    ["plan", "planner", "multiplier", "ndarray", "Plan", "Planner", "PlannerBuilder", "Multiplier", "Scratch", "View"];
const ENGINE: [&str; 3] = ["cpu", "Isa", "ViewMut"];
const RECIPES: [&str; 16] = [
    "fft_step", "recipe", "rules", "scheme", "stage", "FftStep", "Recipe", "Stage", "Method", "Line", "Op", "Pass",
    "Place", "Scheme", "Factor", "RADICES",
];
const ORACLE: [&str; 3] = ["naive", "verify", "notation"];

/// Fails if one of the files that `layer` chooses imports one of the names.
fn assert_ignorant(layer: &[&str], forbidden: &[&[&str]]) {
    let in_layer = |file: &Source| {
        layer.iter().any(|name| file.path == *name || name.ends_with('/') && file.path.starts_with(name))
    };
    let files: Vec<_> = core().into_iter().filter(in_layer).collect();
    assert!(files.len() >= layer.len(), "{layer:?}: a file has moved");
    for file in files {
        let imports = file.imports();
        let found: Vec<_> = forbidden.concat().into_iter().filter(|name| imports.contains(*name)).collect();
        assert!(found.is_empty(), "{} imports {found:?}", file.path);
    }
}

#[test]
fn problems_know_neither_rules_nor_recipes_nor_engines() {
    let problems =
        ["builder.rs", "element.rs", "error.rs", "kind.rs", "layout.rs", "norm.rs", "notation.rs", "problem.rs"];
    assert_ignorant(&problems, &[&RECIPES, &PLANS, &ENGINE, &["naive", "verify"]]);
}

#[test]
fn rules_and_recipes_know_no_engine() {
    assert_ignorant(&["rules/", "recipe.rs", "scheme.rs", "stage.rs", "fft_step.rs"], &[&PLANS, &ENGINE, &ORACLE]);
}

#[test]
fn the_oracle_knows_nothing_that_it_checks() {
    assert_ignorant(&["naive.rs", "verify.rs", "dd.rs", "twiddle.rs"], &[&RECIPES, &PLANS, &ENGINE, &["spectrum"]]);
}

#[test]
fn arithmetic_knows_no_engine() {
    assert_ignorant(&["butterfly.rs", "turns.rs", "complex.rs", "real.rs"], &[&RECIPES, &PLANS, &ENGINE, &ORACLE]);
}

#[test]
fn the_engine_knows_no_planner() {
    let plans = PLANS.into_iter().filter(|name| !["multiplier", "Multiplier", "Scratch", "View"].contains(name));
    assert_ignorant(&["cpu/"], &[&plans.collect::<Vec<_>>(), &ORACLE]);
}

#[test]
fn imports_are_found() {
    let file = Source {
        path: String::new(),
        text: "use crate::{A, b::{C, D}, e::F}; // crate::G\nuse crate::h::{I};\nlet j = crate::K::new();".into(),
    };
    assert_eq!(file.imports(), ["A", "K", "b", "e", "h"].map(str::to_owned).into());
    for (path, text) in
        [("kind.rs", "use super::cpu;"), ("rules/axes.rs", "super::super::cpu::f()"), ("cpu/mod.rs", "super::cpu")]
    {
        let file = Source { path: path.into(), text: text.into() };
        assert_eq!(file.imports(), ["cpu".to_owned()].into(), "{path}");
    }
}

/// Lines that a file may have, and a function.
const LONGEST_FILE: usize = 500;
const LONGEST_FUNCTION: usize = 70;

#[test]
fn files_are_short() {
    for file in sources("crates").into_iter().chain(sources("xtask")) {
        let lines = file.text.lines().count();
        assert!(lines <= LONGEST_FILE, "{} has {lines} lines", file.path);
    }
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
            found.push((first_name(after).unwrap_or_default(), length));
        }
    }
    found
}

#[test]
fn functions_are_short() {
    let files: Vec<_> = sources("crates").into_iter().chain(sources("xtask")).collect();
    let all: Vec<_> = files.iter().flat_map(|file| functions(file).into_iter().map(move |f| (&file.path, f))).collect();
    assert!(all.len() > 500, "the search finds {} functions", all.len());
    let long: Vec<_> = all.into_iter().filter(|(_, (_, lines))| *lines > LONGEST_FUNCTION).collect();
    assert!(long.is_empty(), "{long:?}");
}

/// Every file of the core crate is named in the code map, or its folder is.
#[test]
fn the_code_map_is_complete() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for file in core() {
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let known = map.contains(&format!("`{}`", file.path)) || map.contains(&format!("`{folder}/*"));
        assert!(known || ["lib.rs", "mod.rs"].contains(&name), "{} is not in the code map", file.path);
    }
}
