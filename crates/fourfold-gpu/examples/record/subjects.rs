//! What is recorded: the problems of the case files, by all methods and with all multipliers that
//! they are tested with, and random problems.

use crate::api::{How, Problem, SORTS, Subject, all_methods, recipe};
use crate::random::Random;

/// The text of a case file.
macro_rules! cases {
    ($name:literal) => {
        include_str!(concat!("../../../../cases/", $name, ".txt"))
    };
}

/// Limits that a device does not have.
const WHOLE: [usize; 2] = [usize::MAX; 2];

/// Case files, and the bytes of shared memory and the blocks of the device that each is for.
const FILES: [(&str, [usize; 2]); 10] = [
    (cases!("small"), WHOLE),
    (cases!("gpu"), WHOLE),
    (cases!("accuracy"), WHOLE),
    (cases!("speed"), WHOLE),
    (cases!("methods"), WHOLE),
    (cases!("multiplied"), WHOLE),
    (cases!("clusters"), [16 << 10, 1]),
    (cases!("combine_fusion"), [16 << 10, 1]),
    (cases!("lane_pairs"), [32 << 10, 1]),
    (cases!("digit_ranges"), [8 << 10, usize::MAX]),
];

/// Those whose problems are also planned by the methods of the papers.
const BY_METHODS: [&str; 2] = [cases!("methods"), cases!("small")];

/// Those whose problems are also multiplied.
const MULTIPLIED: [&str; 3] = [cases!("multiplied"), cases!("lane_pairs"), cases!("clusters")];

/// The problems of a file, and what stands after a colon.
fn read(text: &str) -> Vec<(Problem, Option<String>)> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let parse = |line: &str| {
        let (problem, choice) = line.split_once(": ").map_or((line, None), |(left, right)| (left, Some(right)));
        (problem.parse().unwrap_or_else(|e| panic!("{problem}: {e}")), choice.map(str::to_owned))
    };
    lines.filter(|line| !line.is_empty()).map(parse).collect()
}

/// All subjects of the case files.
pub(crate) fn all() -> Vec<Subject> {
    let mut subjects = vec![];
    for (text, device) in FILES {
        for (problem, choice) in read(text) {
            let plain = Subject { problem, how: How::Plan, device, parts: false, choice: None };
            let chosen = choice.filter(|_| text == cases!("combine_fusion"));
            subjects.extend(chosen.map(|choice| Subject { choice: Some(choice), ..plain.clone() }));
            if text == cases!("small") && plain.is_real() {
                subjects.push(Subject { parts: true, ..plain.clone() });
            }
            if BY_METHODS.contains(&text) {
                let by = |name| Subject { how: How::Algorithm(name), ..plain.clone() };
                subjects.extend(all_methods().into_iter().map(by).filter(|subject| recipe(subject).is_ok()));
            }
            if MULTIPLIED.contains(&text) {
                let ways = SORTS
                    .into_iter()
                    .flat_map(|sort| [How::Premultiplied(sort), How::Postmultiplied(sort), How::Filter(sort)]);
                let ways = ways.chain([How::Threshold]);
                subjects.extend(ways.map(|how| Subject { how, ..plain.clone() }));
            }
            subjects.push(plain);
        }
    }
    subjects
}

const KINDS: [&str; 18] = [
    "dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4", "dht", "idxst", "fft", "ifft", "rfft", "irfft",
    "idct1", "idct2", "idct3", "idst4",
];

/// How many random problems there are.
const RANDOM: usize = 500;

/// Random problems of one to three dimensions: kinds, precisions, lengths, axes, norms, in place.
pub(crate) fn random() -> Vec<Subject> {
    let mut random = Random::of("fourfold");
    let mut subjects = vec![];
    while subjects.len() < RANDOM {
        let Ok(problem) = random_text(&mut random).parse() else { continue };
        subjects.push(Subject { problem, how: How::Plan, device: WHOLE, parts: false, choice: None });
    }
    subjects
}

/// What may be a problem in notation.
fn random_text(random: &mut Random) -> String {
    let dimensions = 1 + random.below(3);
    let longest = [20.0, 13.0, 9.0][dimensions - 1];
    let mut length = || (longest * (random.real() + 1.0) / 2.0).exp2() as usize;
    let shape: Vec<String> = (0..dimensions).map(|_| length().to_string()).collect();
    let transformed: Vec<usize> = (0..dimensions).filter(|_| random.below(4) > 0).collect();
    let kinds: Vec<&str> = match random.below(2) {
        0 => vec![random.choice(&KINDS)],
        _ => transformed.iter().map(|_| random.choice(&KINDS)).collect(),
    };
    let axes = transformed.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let axes = if transformed.len() == dimensions { String::new() } else { format!("axes={axes}") };
    let real = random.choice(&["f32", "f64"]);
    let options = random.choice(&["", "", "", "ortho", "forward", "inplace", "adjoint", "scale=0.5"]);
    format!("{} {real} {} {axes} {options}", kinds.join(","), shape.join("x")).trim().replace("  ", " ")
}
