//! Circuits as a user has them.

#[path = "../../fourfold-cli/tests/common/mod.rs"]
mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Folder, failure, one_error, says, success};

fn small() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/small/small.aux")
}

/// The number before a word in the line that begins with another.
fn number(text: &str, line: &str, before: &str) -> f64 {
    let line = text.lines().find(|other| other.starts_with(line)).unwrap_or_else(|| panic!("no {line} in {text}"));
    let words: Vec<&str> = line.split([' ', ',', ';']).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| *word == before).unwrap_or_else(|| panic!("no {before} in {line}"));
    words[at - 1].parse().unwrap()
}

#[test]
fn a_circuit_is_read_and_drawn() {
    let folder = Folder::new();
    let pictures = folder.path("pictures");
    let text = success(&[&"circuit", &small(), &"--bins", &"40x8", &"--plot", &pictures]);
    says(
        &text,
        &[
            "3 movable nodes, 2 fixed, 1 fixed that may be covered; 3 nets, 7 pins, wire length 37.75",
            "[10.0, 20.0] to [30.0, 24.0], 3 rows; movable nodes are 23.8 % of its area, fixed 41.2 %",
            "1 fixed nodes clipped to the region, 0 fixed nodes outside of it left out, 0 movable nodes moved inside",
            "40 x 8 bins of 0.5000 x 0.5000; target density 1",
        ],
    );
    assert!(number(&text, "energy", "(DREAMPlace's") > 0.0);
    for name in ["density", "potential", "field"] {
        assert!(fs::read(pictures.join(format!("small-{name}.png"))).unwrap().starts_with(b"\x89PNG"));
    }
}

/// A circuit with macros whose cells begin at the centre.
#[test]
fn cells_spread_from_the_centre() {
    let folder = Folder::new();
    let out = folder.path("circuit");
    let file = success(&[&"generate", &"adaptec1", &"--cells", &"3000", &"--seed", &"7", &"--out", &out]);
    let file = file.trim().to_owned();
    let placed = success(&[&"circuit", &file]);
    says(&placed, &["3000 movable nodes, 8 fixed", "movable nodes are 32.", "64 x 64 bins"]);
    assert!(number(&placed, "overflow", "%") < 10.0, "the generator places cells like a placer: {placed}");
    let spread = success(&[&"circuit", &file, &"--spread"]);
    assert!(number(&spread, "overflow", "%") < 10.0, "{spread}");
    assert!(number(&spread, "spread", "steps") > 10.0, "{spread}");
    let passed = success(&[&"circuit", &file, &"--spread", &"--within", &"3600"]);
    says(&passed, &["verdict        passed: the cells spread within 3600 s"]);
    let late = failure(1, &[&"circuit", &file, &"--spread", &"--within", &"0.000001"]);
    says(&late, &["the cells spread in ", " s, and 0.000001 s were allowed"]);
    says(&failure(2, &[&"circuit", &file, &"--spread", &"--within", &"0"]), &["a number of seconds above 0"]);
    // The same files again for the same seed.
    let again = folder.path("again");
    success(&[&"generate", &"adaptec1", &"--cells", &"3000", &"--seed", &"7", &"--out", &again]);
    for extension in ["aux", "nodes", "nets", "wts", "pl", "scl"] {
        let read = |folder: &Path| fs::read(folder.join(format!("adaptec1.{extension}"))).unwrap();
        assert_eq!(read(&out), read(&again), "{extension}");
    }
}

/// 200,000 cells beside macros, all at the centre of the region. How long it takes depends on the
/// machine and on what else it does: docs/circuits.md has the command that passes or fails by time.
#[test]
fn two_hundred_thousand_cells_spread_by_their_forces_alone() {
    let folder = Folder::new();
    let out = folder.path("circuit");
    let file = success(&[&"generate", &"adaptec1", &"--cells", &"200000", &"--out", &out]);
    let text = success(&[&"circuit", &file.trim(), &"--bins", &"512x512", &"--spread"]);
    says(&text, &["200000 movable nodes, 515 fixed", "512 x 512 bins"]);
    assert!(number(&text, "overflow", "%") < 10.0, "{text}");
}

/// The small circuit with other text in some of its files.
fn changed(folder: &Folder, extensions: &[&str], change: impl Fn(String) -> String) -> PathBuf {
    for extension in ["aux", "nodes", "nets", "wts", "pl", "scl"] {
        let text = fs::read_to_string(small().with_extension(extension)).unwrap();
        let text = if extensions.contains(&extension) { change(text) } else { text };
        folder.write(&format!("small.{extension}"), text.as_bytes());
    }
    folder.path("small.aux")
}

/// Whatever memory there is, the commands end well or say that it does not suffice.
#[test]
#[cfg(target_os = "linux")]
fn memory_that_ends_is_an_error() {
    let folder = Folder::new();
    let out = folder.path("circuit");
    let generate = ["generate", "adaptec1", "--cells", "30000", "--out", out.to_str().unwrap()];
    let program = common::command().get_program().to_owned();
    // In steps of so many KiB from what a program needs to start.
    let limited = |step: usize, arguments: &[&str]| {
        let run = |kib: usize, arguments: &[&str]| {
            let limit = ["-c", "ulimit -v \"$0\" && exec \"$@\"", &kib.to_string()];
            Command::new("sh").args(limit).arg(&program).args(arguments).output().unwrap()
        };
        let first = (1..).map(|i| i << 10).find(|kib| run(*kib, &["--version"]).status.success()).unwrap();
        let results = (0..).map(|i| run(first + i * step, arguments));
        let failed = results.take_while(|output| !output.status.success()).map(|output| one_error(1, &output));
        failed.inspect(|error| assert!(error.contains("memory") || error.contains("threads"), "{error}")).count()
    };
    assert!(limited(2 << 10, &generate) > 3);
    let file = out.join("adaptec1.aux");
    let read = ["circuit", file.to_str().unwrap(), "--threads", "1", "--bins"];
    assert!(limited(4 << 10, &[&read[..], &["64x64"]].concat()) > 3);
    assert!(limited(16 << 10, &[&read[..], &["1024x1024"]].concat()) > 3);
    // Nodes that are as wide as the region are in all lists of its strips, with one charge in each.
    let wide = changed(&folder, &["nodes", "pl"], |text| {
        let line =
            |i: usize| if text.contains("nodes") { format!("w{i} 20 0.1 terminal\n") } else { format!("w{i} 10 20\n") };
        let text = text.replace("Terminals  :  3", "Terminals : 30003").replace(":  6", ":  30006");
        (0..30_000).fold(text, |text, i| text + &line(i))
    });
    let read = ["circuit", wide.to_str().unwrap(), "--threads", "1", "--bins", "256x256"];
    assert!(limited(4 << 10, &read) > 3);
    let huge = failure(1, &[&"circuit", &file, &"--bins", &"65536x65536"]);
    says(&huge, &["this takes about 6", " bytes of memory; "]);
}

#[test]
fn a_target_density_that_is_too_low_is_raised_with_a_warning() {
    let text = success(&[&"circuit", &small(), &"--target-density", &"0.125"]);
    says(
        &text,
        &[
            "target density 0.3958",
            "warning        a target density of 0.125 is less than the movable nodes need: 0.3958",
        ],
    );
    assert!(!success(&[&"circuit", &small()]).contains("warning"));
    says(&success(&[&"circuit", &"--help"]), &["raised to that, with a warning"]);
}

/// Names come from files that anybody may have written.
#[test]
fn names_do_not_command_the_terminal() {
    let folder = Folder::new();
    let file = changed(&folder, &["nodes", "nets", "pl"], |text| {
        text.replace("\tb", "\tb\u{1b}[2J").replace("\nb ", "\nb\u{1b}[2J ")
    });
    let text = success(&[&"circuit", &file, &"--bins", &"16x16"]);
    says(&text, &["on b\\u{1b}[2J, along x"]);
    let aux = folder.write("bad.aux", b"RowBasedPlacement : \x1b[2J.nodes x.nets x.pl x.scl");
    says(&failure(1, &[&"circuit", &aux]), &["cannot read ", "/\\u{1b}[2J.nodes"]);
}

#[test]
fn zero_has_no_sign() {
    let folder = Folder::new();
    let file = changed(&folder, &["scl"], |text| text.replace("SubrowOrigin  : 10", "SubrowOrigin : -0"));
    says(&success(&[&"circuit", &file]), &["region         [0.0, 20.0] to "]);
}

#[test]
fn nodes_outside_are_counted() {
    let folder = Folder::new();
    // a far left of the region, and p far below it.
    let file = changed(&folder, &["pl"], |text| {
        text.replace("a   10    20", "a   -500  20").replace("p    9    19", "p    9   -99")
    });
    let text = success(&[&"circuit", &file]);
    says(
        &text,
        &["0 fixed nodes clipped to the region, 1 fixed nodes outside of it left out, 1 movable nodes moved inside"],
    );
}

#[test]
fn mistakes_are_explained() {
    let folder = Folder::new();
    let none = folder.path("none.aux");
    says(&failure(1, &[&"circuit", &none]), &["cannot read", "none.aux"]);
    let aux = folder.write("bad.aux", b"RowBasedPlacement : bad.nodes bad.nets bad.pl bad.scl");
    for name in ["bad.nets", "bad.pl", "bad.scl"] {
        folder.write(name, b"");
    }
    folder.write("bad.nodes", b"UCLA nodes 1.0\na 5 -1\n");
    let error = failure(1, &[&"circuit", &aux]);
    says(&error, &["bad.nodes:2: expected a height, a number from 0 to 2147483648, found \"a 5 -1\""]);
    let file = changed(&folder, &["nodes"], |text| text.replace("c   3", "c   2e9"));
    says(&failure(1, &[&"circuit", &file]), &["small.nodes:9: expected a movable node that fits", "\"c   2e9  2\""]);
    says(&failure(2, &[&"circuit", &small(), &"--bins", &"1x1"]), &["two whole numbers from 2 to 65536"]);
    says(&failure(1, &[&"circuit", &small(), &"--target-density", &"2"]), &["target density", "at most 1"]);
    says(&failure(1, &[&"generate", &"adaptec9", &"--out", &none]), &["adaptec9", "adaptec1", "bigblue4"]);
    says(&failure(2, &[&"generate", &"adaptec1", &"--cells", &"7", &"--out", &none]), &["from 1000 to"]);
    // A command comes first.
    says(&failure(1, &[&"--quick", &"generate", &"adaptec1", &"--out", &none]), &["there is no table \"generate\""]);
}
