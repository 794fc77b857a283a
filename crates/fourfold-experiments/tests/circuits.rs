//! Circuits as a user has them.

#[path = "../../fourfold-cli/tests/common/mod.rs"]
mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Folder, failure, says, success};

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
    // The same files again for the same seed.
    let again = folder.path("again");
    success(&[&"generate", &"adaptec1", &"--cells", &"3000", &"--seed", &"7", &"--out", &again]);
    for extension in ["aux", "nodes", "nets", "wts", "pl", "scl"] {
        let read = |folder: &Path| fs::read(folder.join(format!("adaptec1.{extension}"))).unwrap();
        assert_eq!(read(&out), read(&again), "{extension}");
    }
}

#[test]
fn nodes_outside_are_counted() {
    let folder = Folder::new();
    let source = small();
    for extension in ["aux", "nodes", "nets", "wts", "pl", "scl"] {
        let text = fs::read_to_string(source.with_extension(extension)).unwrap();
        let text = match extension {
            // a far left of the region, and p far below it.
            "pl" => text.replace("a   10    20", "a   -500  20").replace("p    9    19", "p    9   -99"),
            _ => text,
        };
        folder.write(&format!("small.{extension}"), text.as_bytes());
    }
    let text = success(&[&"circuit", &folder.path("small.aux")]);
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
    says(&failure(2, &[&"circuit", &small(), &"--bins", &"1x1"]), &["two whole numbers from 2 to 65536"]);
    says(&failure(1, &[&"circuit", &small(), &"--target-density", &"2"]), &["target density", "at most 1"]);
    says(&failure(1, &[&"generate", &"adaptec9", &"--out", &none]), &["adaptec9", "adaptec1", "bigblue4"]);
    says(&failure(2, &[&"generate", &"adaptec1", &"--cells", &"7", &"--out", &none]), &["from 1000 to"]);
    // A command comes first.
    says(&failure(1, &[&"--quick", &"generate", &"adaptec1", &"--out", &none]), &["there is no table \"generate\""]);
}
