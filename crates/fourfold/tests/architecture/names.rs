//! Tests that old names and private phrases do not return.

use crate::definitions::{Definition, Sort, definitions};
use crate::sources::{Source, files, root, sources};
use std::fs;

/// What a rule is about.
#[derive(Clone, Copy, Debug)]
enum Scope {
    /// Types, traits and variants of this name, in all sources.
    Types,
    /// Variants of this name, in all sources.
    Variants,
    /// Everything of this name, in all sources.
    All,
    /// Modules of this name, in all sources.
    Modules,
    /// Everything of this name in one place: the files whose paths begin so.
    In(&'static str),
    /// Fields of this name in one place.
    Fields(&'static str),
}

/// Names that were given up, and the new names.
const OLD: &[(&str, Scope, &str)] = &[
    ("Sum", Scope::Types, "Transform1d"),
    ("RealToHalf", Scope::Types, "R2C"),
    ("HalfToReal", Scope::Types, "C2R"),
    ("Edges", Scope::Types, "EndWeights"),
    ("edges", Scope::All, "end_weights"),
    ("Line", Scope::Types, "AxisRecipe, Batch, Lines or Subline"),
    ("Op", Scope::Types, "PassOp or StageOp"),
    ("Place", Scope::Types, "ArrayId"),
    ("StageEnd", Scope::Types, "ArrayId"),
    ("Home", Scope::Types, "ArrayId"),
    ("Lanes", Scope::Variants, "Batched"),
    ("Along", Scope::Variants, "IntraVector"),
    ("Parts", Scope::Variants, "Blocked"),
    ("Cut", Scope::Variants, "FourStep"),
    ("Method", Scope::Types, "Algorithm"),
    ("BlockMethod", Scope::Types, "BlockAlgorithm"),
    ("Way", Scope::Types, "AccessPattern"),
    ("Launches", Scope::Types, "LaunchMode"),
    ("Turns", Scope::Types, "Decimation"),
    ("Before", Scope::Variants, "InTime"),
    ("After", Scope::Variants, "InFrequency"),
    ("Reverse", Scope::Variants, "DigitReversal"),
    ("Outputs", Scope::Types, "CombineVariant"),
    ("Terms", Scope::Types, "IndexMap, SpectrumTerms or HalfSpectrum"),
    ("Extent", Scope::Types, "ArrayDesc"),
    ("turning", Scope::All, "fused_combine"),
    ("Turning", Scope::Types, "FusedCombine"),
    ("order", Scope::In("crates/fourfold/src/cpu/batch/fused_combine.rs"), "fused_combine"),
    ("pairs", Scope::In("crates/fourfold/src/cpu/batch/fused_combine.rs"), "even_odd or real_packing"),
    ("fold", Scope::In("crates/fourfold/src/cpu/batch/"), "symmetric_last_pass"),
    ("fold", Scope::Modules, "symmetric_last_pass"),
    ("Fold", Scope::Types, "SymmetricLastPass"),
    ("fold_term", Scope::All, "symmetric_last_pass_term"),
    ("Draft", Scope::Types, "LoweredPass"),
    ("Chain", Scope::Types, "StagePipeline"),
    ("Spec", Scope::Types, "KernelDesc"),
    ("Outline", Scope::Types, "Inspection"),
    ("once", Scope::Fields("crates/fourfold-gpu/"), "evict_first"),
    ("back", Scope::Fields("crates/fourfold-gpu/"), "inverse"),
    ("reach", Scope::Fields("crates/fourfold-gpu/"), "extent"),
    ("gain", Scope::Fields("crates/fourfold-gpu/"), "factor"),
    ("share", Scope::Fields("crates/fourfold-gpu/"), "cluster slice"),
    ("together", Scope::Fields("crates/fourfold-gpu/"), "items_per_thread"),
    ("product", Scope::Modules, "pointwise"),
    ("lines", Scope::Modules, "tiling or geometry"),
    ("pairs", Scope::Modules, "combine_steps or real_packing"),
    ("paired", Scope::All, "interleaved"),
    ("is_paired", Scope::All, "is_interleaved"),
    ("Lane", Scope::Types, "Vector"),
    ("Precise", Scope::Types, "Dispatch"),
    ("turn", Scope::In("crates/fourfold/src/"), "transpose or rotate"),
    ("turn_pairs", Scope::All, "transpose_pairs"),
    ("turn_blocks", Scope::All, "transpose_blocks"),
    ("Numbers", Scope::Types, "ComplexVector"),
    ("Paired", Scope::Types, "Interleaved"),
    ("Job", Scope::Types, "VectorTask"),
    ("Work", Scope::Types, "WithIsa or StageOp"),
    ("work", Scope::Modules, "bench_targets"),
    ("Ready", Scope::Types, "Prepared…"),
    ("Rows", Scope::Types, "Strided"),
    ("Walk", Scope::Types, "Cursor"),
    ("Ordered", Scope::Types, "Permuted"),
    ("apart", Scope::All, "stride"),
    ("SKEW", Scope::All, "padding"),
    ("past", Scope::All, "non_temporal"),
    ("alone", Scope::All, "one_per_pass"),
    ("meeting", Scope::All, "fusion_axis"),
    ("Window", Scope::Types, "DigitRange"),
    ("mirrored", Scope::All, "hermitian"),
    ("Mirrored", Scope::Types, "Hermitian"),
    ("skips", Scope::All, "padding"),
    ("turns", Scope::Fields("crates/fourfold-gpu/"), "conflicts"),
    ("Lines", Scope::Variants, "TwoForOne"),
    ("Pairs", Scope::Variants, "HalfLength"),
    ("twins", Scope::All, "lane_pairs"),
    ("joined", Scope::Modules, "axis_fusion"),
    ("joint", Scope::All, "combine_fusion"),
    ("sift", Scope::All, "threshold"),
    ("contest", Scope::All, "comparison"),
    ("Contest", Scope::Types, "Comparison"),
    ("literal", Scope::Modules, "npy_header"),
    ("Contender", Scope::Types, "EnginePlanner"),
    ("Contenders", Scope::Types, "SeveralEngines"),
    ("MethodName", Scope::Types, "AlgorithmName"),
];

/// Definitions that have an old name for another thing: the name, the file, and the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("Fold", "crates/fourfold/src/recipe/reorder.rs", "the order of Chan and Ho's DCT-IV"),
    ("Rows", "crates/fourfold/src/jpeg/block.rs", "the rows of an image"),
    ("Before", "crates/fourfold/src/cpu/batch/combine.rs", "the combine before the DFT"),
    ("After", "crates/fourfold/src/cpu/batch/combine.rs", "the combine after the DFT"),
    ("Before", "crates/fourfold/src/baseline/stage.rs", "the combine before the FFTs"),
    ("After", "crates/fourfold/src/baseline/stage.rs", "the combine after the FFTs"),
    ("Work", "crates/fourfold/src/recipe/recipe.rs", "a work array"),
    ("Work", "crates/fourfold/src/timing/work.rs", "what is timed"),
    ("work", "crates/fourfold/src/timing/mod.rs", "what is timed"),
    ("Line", "crates/fourfold-experiments/src/plot.rs", "a line of a plot"),
    ("Spec", "bench/src/peers/ipp.rs", "IPP's name"),
    ("Sum", "crates/fourfold/src/baseline/fft_step.rs", "a transform by its definition, as a sum"),
    ("Lines", "crates/fourfold/src/baseline/fft_step.rs", "a launch for each line"),
];

/// Whether a rule is about a definition in a file.
fn applies(scope: Scope, path: &str, definition: &Definition) -> bool {
    match scope {
        Scope::Types => matches!(definition.sort, Sort::Type | Sort::Variant),
        Scope::Variants => definition.sort == Sort::Variant,
        Scope::All => true,
        Scope::Modules => definition.sort == Sort::Module,
        Scope::In(place) => path.starts_with(place),
        Scope::Fields(place) => definition.sort == Sort::Field && path.starts_with(place),
    }
}

/// The definitions in a file that have old names, as messages, and the exceptions that it needs.
fn old_names(file: &Source) -> (Vec<String>, Vec<(&str, &str)>) {
    let (mut found, mut needed) = (vec![], vec![]);
    for definition in definitions(file) {
        let is_old =
            |rule: &&(&str, Scope, &str)| rule.0 == definition.name && applies(rule.1, &file.path, &definition);
        let Some((name, _, new)) = OLD.iter().find(is_old) else { continue };
        let mut excepted = EXCEPTIONS.iter().map(|(name, path, _)| (*name, *path));
        match excepted.find(|excepted| *excepted == (*name, &*file.path)) {
            Some(exception) => needed.push(exception),
            None => found.push(format!("{}:{}: `{name}` is called {new}", file.path, definition.line)),
        }
    }
    (found, needed)
}

fn all_sources() -> Vec<Source> {
    let files = ["crates", "python/src", "xtask", "bench", "fuzz"].into_iter().flat_map(sources);
    files.filter(|file| !file.path.contains("/tests/architecture/")).collect()
}

#[test]
fn old_names_do_not_come_back() {
    let (mut found, mut needed) = (vec![], vec![]);
    let files = all_sources();
    for file in &files {
        let (names, exceptions) = old_names(file);
        found.extend(names);
        needed.extend(exceptions);
    }
    assert!(found.is_empty(), "{}:\n{}", found.len(), found.join("\n"));
    let excepted = EXCEPTIONS.iter().map(|(name, path, _)| (*name, *path));
    let unused: Vec<_> = excepted.filter(|exception| !needed.contains(exception)).collect();
    assert!(unused.is_empty(), "exceptions that are not needed any more: {unused:?}");
}

#[test]
fn an_old_name_is_caught() {
    let caught = |path: &str, text: &str| {
        let file = Source { path: path.into(), text: text.into() };
        old_names(&file).0.len()
    };
    let gpu = "crates/fourfold-gpu/src/desc/kernel.rs";
    for text in ["enum Scheme {\n    Along,\n}", "struct Terms;", "let past = 1;", "const SKEW: u8 = 1;", "mod lines;"]
    {
        assert_eq!(caught("bench/src/main.rs", text), 1 + usize::from(text.contains("SKEW")), "{text}");
    }
    assert_eq!(caught(gpu, "struct A {\n    gain: f64,\n}"), 1);
    assert_eq!(caught("bench/src/main.rs", "struct A {\n    gain: f64,\n}\nlet lines = 1; // struct Terms;"), 0);
    assert_eq!(caught("crates/fourfold/src/timing/work.rs", "trait Work {}"), 0);
    assert_eq!(caught("crates/fourfold/src/timing/table.rs", "trait Work {}"), 1);
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
