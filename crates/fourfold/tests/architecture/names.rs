//! Tests that old names and private phrases do not return.

use crate::sources::{Source, files, root, sources, words};
use std::fs;

/// Names that may not be defined any more (as a type, a trait, a function, a module, a constant or
/// a field), and the new names.
const OLD: &[(&str, &str)] = &[
    ("Sum", "Transform1d"),
    ("RealToHalf", "R2C"),
    ("HalfToReal", "C2R"),
    ("Edges", "EndWeights"),
    ("Op", "PassOp"),
    ("StageEnd", "ArrayId"),
    ("Method", "Algorithm"),
    ("Launches", "LaunchMode"),
    ("Turns", "Decimation"),
    ("Outputs", "CombineVariant"),
    ("Extent", "ArrayDesc"),
    ("Lane", "Vector"),
    ("Precise", "Dispatch"),
    ("Numbers", "ComplexVector"),
    ("Paired", "Interleaved"),
    ("Walk", "Cursor"),
    ("Ordered", "Permuted"),
    ("Turning", "FusedCombine"),
    ("turn_pairs", "transpose_pairs"),
    ("SKEW", "padding"),
    ("apart", "stride"),
    ("meeting", "fusion_axis"),
];

/// The same in the core crate and the GPU crate: the command still has some of these names.
const OLD_IN_THE_ENGINES: &[(&str, &str)] = &[
    ("Line", "AxisRecipe, Batch, Lines or Subline"),
    ("Home", "ArrayId"),
    ("Way", "AccessPattern"),
    ("Draft", "LoweredPass"),
    ("Chain", "StagePipeline"),
    ("Spec", "KernelDesc"),
    ("Outline", "Inspection"),
    ("Window", "DigitRange"),
    ("Rows", "Strided"),
    ("product", "pointwise"),
    ("alone", "one_per_pass"),
    ("skips", "padding"),
    ("once", "evict_first"),
    ("reach", "extent"),
    ("together", "items_per_thread"),
    ("twins", "lane_pairs"),
    ("joined", "axis_fusion"),
    ("joint", "combine_fusion"),
    ("sift", "threshold"),
    ("contest", "comparison"),
    ("literal", "npy_header"),
];

/// The same in the core crate alone.
const OLD_IN_THE_CORE: &[(&str, &str)] = &[("Place", "ArrayId"), ("Ready", "Prepared…")];

/// The same in the command alone.
const OLD_IN_THE_COMMAND: &[(&str, &str)] = &[
    ("sift", "threshold"),
    ("Contest", "Comparison"),
    ("contest", "comparison"),
    ("Contender", "EnginePlanner"),
    ("Contenders", "SeveralEngines"),
    ("How", "OneEngine"),
    ("literal", "npy::dict"),
    ("Ready", "AnyPlan"),
    ("ready", "any_plan"),
    ("MethodName", "AlgorithmName"),
    ("Kept", "Tuning"),
    ("Aim", "KernelTarget"),
    ("Way", "BlockAlgorithm"),
    ("Draft", "LoweredPass"),
    ("Chain", "StagePipeline"),
    ("Spec", "KernelDesc"),
    ("Outline", "Inspection"),
];

/// Words before a name that is defined.
const KEYWORDS: &[&str] = &["struct", "enum", "trait", "type", "fn", "mod", "const", "static"];

/// The names that a file defines, with the numbers of their lines.
fn definitions(file: &Source) -> Vec<(usize, String)> {
    let mut found = vec![];
    for (i, line) in file.code().lines().enumerate() {
        let all: Vec<_> = words(line).collect();
        let defined = all.windows(2).filter(|pair| KEYWORDS.contains(&pair[0])).map(|pair| pair[1]);
        found.extend(defined.map(|name| (i + 1, name.to_owned())));
        // A field, as rustfmt writes it: `pub(crate) name: Type,`.
        let field = line.trim().trim_start_matches("pub(crate) ").trim_start_matches("pub ");
        if let Some((name, rest)) = field.split_once(": ") {
            let is_name = words(name).eq([name]);
            if line.starts_with("    ") && is_name && rest.ends_with(',') && rest.starts_with(char::is_uppercase) {
                found.push((i + 1, name.to_owned()));
            }
        }
    }
    found
}

#[test]
fn old_names_do_not_come_back() {
    let files: Vec<_> = ["crates", "xtask", "bench", "fuzz"]
        .into_iter()
        .flat_map(sources)
        .filter(|file| !file.path.contains("/architecture/"))
        .collect();
    let mut found = vec![];
    for file in &files {
        for (line, name) in definitions(file) {
            let (engines, own): (&[_], &[_]) = match file.path.split("/src").next() {
                Some("crates/fourfold") => (OLD_IN_THE_ENGINES, OLD_IN_THE_CORE),
                Some("crates/fourfold-gpu") => (OLD_IN_THE_ENGINES, &[]),
                Some("crates/fourfold-cli") => (&[], OLD_IN_THE_COMMAND),
                _ => (&[], &[]),
            };
            if let Some((_, new)) = OLD.iter().chain(engines).chain(own).find(|(old, _)| *old == name) {
                found.push(format!("{}:{line}: `{name}` is called {new}", file.path));
            }
        }
    }
    assert!(found.is_empty(), "{}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn definitions_are_found() {
    let text = "pub(crate) struct Line {\n    pub(crate) back: Vec<u8>,\n    n: usize,\n}\nfn run() {}\n";
    let file = Source { path: String::new(), text: text.into() };
    let names: Vec<_> = definitions(&file).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["Line", "back", "run"]);
}

/// Phrases that only their authors understand. They may not be in the pages, nor in comments of the
/// core crate.
const PHRASES: &[&str] = &["first design", "has it", "of its own", "by itself", "what else", "promise", "drawn "];

#[test]
fn private_phrases_do_not_come_back_to_the_pages() {
    let mut found = vec![];
    let mut check = |path: &str, line: usize, text: &str| {
        let text = text.to_lowercase();
        let hits = PHRASES.iter().filter(|phrase| text.contains(**phrase));
        found.extend(hits.map(|phrase| format!("{path}:{line}: {phrase:?}")));
    };
    let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
    let pages = pages.map(|path| Source { path: path.into(), text: fs::read_to_string(root().join(path)).unwrap() });
    for file in files("docs", "md").into_iter().chain(files("crates", "md")).chain(pages) {
        file.text.lines().enumerate().for_each(|(i, text)| check(&file.path, i + 1, text));
    }
    let code =
        ["src", "tests", "examples"].into_iter().flat_map(|folder| sources(&format!("crates/fourfold/{folder}")));
    for file in code.filter(|file| !file.path.contains("/architecture/")) {
        let comments = file.text.lines().enumerate().filter_map(|(i, line)| Some((i, line.split_once("//")?.1)));
        comments.for_each(|(i, comment)| check(&file.path, i + 1, comment));
    }
    assert!(found.is_empty(), "{}:\n{}", found.len(), found.join("\n"));
}
