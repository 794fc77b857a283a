//! The small circuit in `tests/data`, as it is and with mistakes.

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::circuit::rects::Rect;
use crate::circuit::{Kind, Pin, Row};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/small")
}

/// The texts of a circuit's files: nodes, pl, scl, nets, wts.
type Texts = [String; 5];

const NAMES: [&str; 5] = ["nodes", "pl", "scl", "nets", "wts"];

fn small() -> Texts {
    NAMES.map(|name| fs::read_to_string(folder().join(format!("small.{name}"))).unwrap())
}

fn parse_bytes(texts: [&[u8]; 5]) -> anyhow::Result<Circuit> {
    let source = |i: usize| Source { name: NAMES[i], text: texts[i] };
    parse(&Sources { nodes: source(0), pl: source(1), scl: source(2), nets: source(3), wts: Some(source(4)) })
}

fn parse_texts(texts: &Texts) -> anyhow::Result<Circuit> {
    parse_bytes([0, 1, 2, 3, 4].map(|i| texts[i].as_bytes()))
}

/// The small circuit as its files say it, with b mirrored and c turned.
fn expected() -> Circuit {
    let nodes = [
        ("a", [10.0, 20.0], [4.0, 2.0], Kind::Movable),
        ("b", [14.5, 20.0], [2.5, 2.0], Kind::Movable),
        ("c", [17.0, 20.0], [2.0, 3.0], Kind::Movable),
        ("m", [20.0, 20.0], [8.0, 4.0], Kind::Fixed),
        ("p", [9.0, 19.0], [1.0, 1.0], Kind::Fixed),
        ("q", [12.0, 21.0], [2.0, 2.0], Kind::Overlay),
    ];
    let mut circuit = Circuit { nodes: Default::default(), rows: vec![], nets: Default::default() };
    nodes.into_iter().for_each(|(name, low, size, kind)| circuit.nodes.push(name, Rect::new(low, size), kind));
    let row = |low, spacing, sites| Row { axis: 0, low, height: 2.0, site_width: 1.0, spacing, sites };
    circuit.rows = vec![row([10.0, 20.0], 1.0, 20), row([10.0, 22.0], 2.0, 5), row([28.0, 22.0], 2.0, 1)];
    let pin = |node, offset| Pin { node, offset };
    circuit.nets.pins.extend([pin(0, [1.0, 0.5]), pin(1, [0.5, 1.0])]);
    circuit.nets.end_net("n0");
    circuit.nets.pins.extend([pin(2, [0.5, 1.5]), pin(3, [0.0; 2]), pin(5, [0.0; 2])]);
    circuit.nets.end_net("clock");
    circuit.nets.pins.extend([pin(4, [0.0; 2]), pin(0, [0.0; 2])]);
    circuit.nets.end_net("");
    circuit.nets.weights[1] = 2.5;
    circuit
}

#[test]
fn every_feature_is_read() {
    let circuit = read(&folder().join("small.aux")).unwrap();
    assert_eq!(circuit, expected());
    assert_eq!(circuit.region(), Rect { low: [10.0, 20.0], high: [30.0, 24.0] });
    // n0 from (13, 21.5) to (16.25, 22). clock at (18.5, 23), (24, 22), (13, 22). p at (9.5, 19.5),
    // a at (12, 21).
    assert_eq!(circuit.wire_length(), 3.25 + 0.5 + 2.5 * (11.0 + 1.0) + 2.5 + 1.5);
}

#[test]
fn line_ends_and_spaces_do_not_matter() {
    let crlf = small().map(|text| text.replace('\n', "\r\n"));
    assert_eq!(parse_texts(&crlf).unwrap(), expected());
    let tight = small().map(|text| text.replace(" : ", ":").replace("  ", "\t"));
    assert_eq!(parse_texts(&tight).unwrap(), expected());
    let wide = small().map(|text| text.replace(':', " : ").replace('\n', " \t\n\n"));
    assert_eq!(parse_texts(&wide).unwrap(), expected());
    // Comments may have any bytes.
    let mut nodes = small()[0].clone().into_bytes();
    nodes.extend(b"# \xff\xfe");
    let texts = small();
    let others = [1, 2, 3, 4].map(|i| texts[i].as_bytes());
    assert_eq!(parse_bytes([&nodes, others[0], others[1], others[2], others[3]]).unwrap(), expected());
}

#[test]
fn rows_may_be_vertical() {
    let mut texts = small();
    texts[2] = texts[2].replace("Horizontal", "Vertical");
    let circuit = parse_texts(&texts).unwrap();
    assert_eq!(circuit.region(), Rect { low: [20.0, 10.0], high: [24.0, 30.0] });
}

/// Where LEF and DEF put a point of a node in each orientation.
#[test]
fn orientations_are_those_of_def() {
    let [x, y] = [3.0, 1.0];
    let places = [
        ("N", [x, y]),
        ("W", [-y, x]),
        ("S", [-x, -y]),
        ("E", [y, -x]),
        ("FN", [-x, y]),
        ("FS", [x, -y]),
        ("FW", [y, x]),
        ("FE", [-y, -x]),
    ];
    for (name, place) in places {
        assert_eq!(name.parse::<orientation::Orientation>().unwrap().turned([x, y]), place, "{name}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    let mut circuit = expected();
    circuit.rows[2].axis = 1;
    circuit.nodes.rects.size[0][1] = 1.0 / 3.0;
    let file = |part: Part| {
        let mut text = vec![];
        write(&circuit, "x", part, &mut text).unwrap();
        text
    };
    let [nodes, pl, scl, nets, wts] = [Part::Nodes, Part::Pl, Part::Scl, Part::Nets, Part::Wts].map(file);
    assert_eq!(parse_bytes([&nodes, &pl, &scl, &nets, &wts]).unwrap(), circuit);
    // The middle of a node that is turned is still at 0, not at −0.
    let mut text = vec![];
    write(&parse_texts(&small()).unwrap(), "x", Part::Nets, &mut text).unwrap();
    assert!(!String::from_utf8(text).unwrap().split_whitespace().any(|word| word == "-0"));
    assert_eq!(String::from_utf8(file(Part::Aux)).unwrap(), "RowBasedPlacement : x.nodes x.nets x.wts x.pl x.scl\n");
}

/// A file, a part of it, what stands there instead, and the error.
const MISTAKES: &[(usize, &str, &str, &str)] = &[
    (0, "UCLA nodes 1.0", "", "nodes:4: expected the header \"UCLA nodes 1.0\", found \"NumNodes      :  6\""),
    (0, "UCLA nodes", "UCLA nets", "nodes:1: expected the header \"UCLA nodes 1.0\", found \"UCLA nets 1.0\""),
    (0, ":  6", ":  7", "nodes:4: expected NumNodes : 6, which is what the file has, found \"NumNodes      :  7\""),
    (
        0,
        ":  6",
        ":  6000000000000000000000",
        "nodes:4: expected NumNodes, a whole number from 0 to 2147483648, found \"NumNodes      :  6000000000000000000000\"",
    ),
    (
        0,
        ":  6",
        ":  18446744073709551615",
        "nodes:4: expected NumNodes, a whole number from 0 to 2147483648, found \"NumNodes      :  18446744073709551615\"",
    ),
    (0, "NumTerminals  :  3", "NumNodes : 6", "nodes:5: expected NumNodes once, in line 4, found \"NumNodes : 6\""),
    (0, ":  3", ":  2", "nodes:5: expected NumTerminals : 3, which is what the file has, found \"NumTerminals  :  2\""),
    (0, "c   3", "c  -3", "nodes:9: expected a width, a number from 0 to 2147483648, found \"c  -3  2\""),
    (0, "c   3  2", "c   3", "nodes:9: expected a height, a number from 0 to 2147483648, found \"c   3\""),
    (0, "c   3", "c NaN", "nodes:9: expected a width, a number from 0 to 2147483648, found \"c NaN  2\""),
    (0, "c   3", "c 1e300", "nodes:9: expected a width, a number from 0 to 2147483648, found \"c 1e300  2\""),
    (0, "c   3", "c 2e9", "nodes:9: expected a movable node that fits the rows' region of 20 x 4, found \"c 2e9  2\""),
    (0, "nodes 1.0", "nodes 1.0 x", "nodes:1: expected the header \"UCLA nodes 1.0\", found \"UCLA nodes 1.0 x\""),
    (0, "c   3", "a   3", "nodes:9: expected nodes with different names, found \"a   3  2\""),
    (
        0,
        "4  terminal",
        "4  fixed",
        "nodes:10: expected \"terminal\", \"terminal_NI\" or nothing after the height, found \"m   8  4  fixed\"",
    ),
    (1, "c   17", "d   17", "pl:5: expected a node that the .nodes file has, found \"d   17    20   : W\""),
    (1, "c   17", "a   17", "pl:5: expected one position for each node, found \"a   17    20   : W\""),
    (1, "17 ", "1x7", "pl:5: expected x, a number from -2147483648 to 2147483648, found \"c   1x7   20   : W\""),
    (1, "17 ", "inf ", "pl:5: expected x, a number from -2147483648 to 2147483648, found \"c   inf    20   : W\""),
    (
        1,
        "20   : W",
        "1e300: W",
        "pl:5: expected y, a number from -2147483648 to 2147483648, found \"c   17    1e300: W\"",
    ),
    (1, ": W", ": X", "pl:5: expected an orientation, N, S, E, W, FN, FS, FE or FW, found \"c   17    20   : X\""),
    (
        1,
        "S  /FIXED",
        "S  /FIX",
        "pl:6: expected /FIXED, /FIXED_NI or nothing after the orientation, found \"m   20    20   : S  /FIX\"",
    ),
    (1, "q   12    21   : N  /FIXED_NI\n", "", "pl: expected a position for every node, found none for \"q\""),
    (2, "NumRows : 2", "NumRows : 3", "scl:3: expected NumRows : 2, which is what the file has, found \"NumRows : 3\""),
    (
        2,
        "CoreRow Horizontal",
        "CoreRow Diagonal",
        "scl:5: expected \"CoreRow Horizontal\" or \"CoreRow Vertical\", found \"CoreRow Diagonal\"",
    ),
    (
        2,
        "  Height        : 2\n",
        "  Height        : 0\n",
        "scl:7: expected Height, a number from 0.000000001 to 2147483648, found \"Height        : 0\"",
    ),
    (
        2,
        "  Height        : 2\n",
        "  Height : 2\n  Height : 2\n",
        "scl:8: expected Height once in a CoreRow, found \"Height : 2\"",
    ),
    (
        2,
        "  Height        : 2\n",
        "  Height : 2 3\n",
        "scl:7: expected nothing after the number of Height, found \"Height : 2 3\"",
    ),
    (2, "  Height        : 2\n", "", "scl:12: expected Height before the end of a CoreRow, found \"End\""),
    (
        2,
        "Coordinate    : 20",
        "Coordinate : -1e300",
        "scl:6: expected Coordinate, a number from -2147483648 to 2147483648, found \"Coordinate : -1e300\"",
    ),
    (
        2,
        "Sitespacing   : 1",
        "Sitespacing : NaN",
        "scl:9: expected Sitespacing, a number from 0 to 2147483648, found \"Sitespacing : NaN\"",
    ),
    (2, "  Coordinate    : 20\n", "", "scl:12: expected Coordinate before the end of a CoreRow, found \"End\""),
    (
        2,
        "Siteorient    : 1",
        "Sitecolor : 1",
        "scl:10: expected Coordinate, Height, Sitewidth, Sitespacing, Siteorient, Sitesymmetry, SubrowOrigin or End of a CoreRow, found \"Sitecolor : 1\"",
    ),
    (
        2,
        "NumSites : 20",
        "Sites : 20",
        "scl:12: expected \"SubrowOrigin : x NumSites : n\", found \"SubrowOrigin  : 10   Sites : 20\"",
    ),
    (
        2,
        "NumSites : 20",
        "NumSites : 0",
        "scl:12: expected a row of sites, 0.000000001 or more wide and high, found \"SubrowOrigin  : 10   NumSites : 0\"",
    ),
    (
        2,
        "NumSites : 20",
        "NumSites : 2147483648",
        "scl:12: expected a row that ends at 2147483648 at most, found \"SubrowOrigin  : 10   NumSites : 2147483648\"",
    ),
    (
        3,
        "NumNets : 3",
        "NumNets : 4",
        "nets:3: expected NumNets : 3, which is what the file has, found \"NumNets : 4\"",
    ),
    (
        3,
        "NumPins : 7",
        "NumPins : 8",
        "nets:4: expected NumPins : 7, which is what the file has, found \"NumPins : 8\"",
    ),
    (
        3,
        "NetDegree : 3",
        "NetDegree : 4",
        "nets:9: expected NetDegree : 3, which is what the net has, found \"NetDegree : 4   clock\"",
    ),
    (3, "\ta  I\n", "", "nets:13: expected NetDegree : 1, which is what the net has, found \"NetDegree : 2\""),
    (3, "clock", "n0", "nets:9: expected nets with different names, found \"NetDegree : 3   n0\""),
    (3, "m  O", "M  O", "nets:11: expected a node that the .nodes file has, found \"M  O\""),
    (
        3,
        "c  I : 1.5 -0.5",
        "c  I : 1.5",
        "nets:10: expected a pin's y, a number from -2147483648 to 2147483648, found \"c  I : 1.5\"",
    ),
    (
        3,
        "c  I : 1.5 -0.5",
        "c  I : 1.5 -0.5 7",
        "nets:10: expected \"node I : x y\", with I, O or B, found \"c  I : 1.5 -0.5 7\"",
    ),
    (3, "NumPins : 7", "a I", "nets:4: expected NumNets, NumPins or NetDegree, found \"a I\""),
    (4, "clock", "clocks", "wts:3: expected a net or a node that the other files have, found \"clocks   2.5\""),
    (4, "2.5", "-2.5", "wts:3: expected a weight, a number from 0 to 2147483648, found \"clock   -2.5\""),
    (4, "a       1", "clock   1", "wts:4: expected one weight for each name, found \"clock   1\""),
    (4, "2.5", "2.5 3", "wts:3: expected \"name weight\", found \"clock   2.5 3\""),
];

#[test]
fn mistakes_name_file_and_line() {
    for (file, from, to, message) in MISTAKES {
        let mut texts = small();
        assert!(texts[*file].contains(from), "{from}");
        texts[*file] = texts[*file].replacen(from, to, 1);
        let error = parse_texts(&texts).expect_err(message);
        assert_eq!(error.to_string(), *message);
    }
}

#[test]
fn text_is_utf8() {
    let texts = small();
    let mut nodes = texts[0].clone().into_bytes();
    let at = texts[0].find("   c   3").unwrap();
    nodes[at + 3] = 0xff;
    let others = [1, 2, 3, 4].map(|i| texts[i].as_bytes());
    let error = parse_bytes([&nodes, others[0], others[1], others[2], others[3]]).unwrap_err();
    assert_eq!(error.to_string(), "nodes:9: expected text in UTF-8");
}

/// Files that end anywhere are errors, but for those that lack only what may be absent.
#[test]
fn truncated_files_are_errors() {
    let whole = small();
    for file in 0..4 {
        for end in 0..whole[file].trim_end().len() {
            let mut texts = small();
            texts[file].truncate(end);
            // The last digits and letters may be missing without anything that says so.
            let is_whole = |circuit: &Circuit| circuit.nodes.len() == 6 && circuit.nets.pins.len() == 7;
            let result = parse_texts(&texts);
            assert!(result.as_ref().map_or(true, is_whole), "{} to {end}: {result:?}", NAMES[file]);
        }
    }
}

#[test]
fn aux_files_name_all_others() {
    let read = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.aux");
        fs::write(&path, text).unwrap();
        let error = super::read(&path).expect_err(text).to_string();
        error.replace(&format!("{}/", folder.path().display()), "")
    };
    let line = "\"RowBasedPlacement : X.nodes X.nets X.wts X.pl X.scl\"";
    assert_eq!(read(""), format!("x.aux: expected {line}"));
    assert_eq!(read("Rows : x.nodes"), format!("x.aux:1: expected {line}, found \"Rows : x.nodes\""));
    let all = "RowBasedPlacement : x.nodes x.nets x.pl x.scl";
    assert_eq!(read(all), "cannot read x.nodes");
    assert_eq!(
        read("RowBasedPlacement : x.nodes x.nets x.pl x.scl\n\nx.wts"),
        "x.aux:3: expected nothing after the line \"RowBasedPlacement : …\", found \"x.wts\""
    );
    assert_eq!(
        read("RowBasedPlacement : x.nodes x.nets x.pl"),
        "x.aux:1: expected a file .scl, found \"RowBasedPlacement : x.nodes x.nets x.pl\""
    );
    assert_eq!(
        read("RowBasedPlacement : x.pl y.pl x.nodes"),
        "x.aux:1: expected one file .pl, found \"RowBasedPlacement : x.pl y.pl x.nodes\""
    );
}
