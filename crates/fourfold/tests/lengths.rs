//! Tests every kind, length, precision and instruction set against the oracle.

mod common;

use common::exact_lines::{Arrangement, Lines, PRECISIONS};
use common::run::{planner, verdict};
use common::sample::{one_of, sample};
use fourfold::{Isa, Kind, Planner, Problem};

/// Rows, columns, neither of them, and one line. The numbers of lines are not multiples of a
/// vector's width.
const ARRANGEMENTS: [Arrangement; 4] = [
    Arrangement { outer: 19, inner: 1 },
    Arrangement { outer: 1, inner: 19 },
    Arrangement { outer: 3, inner: 5 },
    Arrangement { outer: 1, inner: 1 },
];

const MOST_LINES: usize = 19;

/// Lengths up to this one belong to every sample.
const ALWAYS: usize = 20;

/// The index of a kind. Consecutive kinds have different samples of the lengths.
fn index(kind: Kind) -> usize {
    Kind::ALL.iter().position(|other| *other == kind).expect("all kinds are there")
}

/// The number of outputs of each line to compare. The error of this sample differs from that of all
/// outputs by some hundredths, unless the oracle is too slow for so many.
fn samples(n: usize, lines: usize) -> usize {
    (30_000_000 / (n * lines)).clamp(60, 400)
}

/// Tests every length up to 256 in every arrangement.
fn short(kind: Kind) {
    for n in (kind.min_length()..=ALWAYS).chain(sample(ALWAYS + 1..=256, 3, index(kind))) {
        let lines = Lines::new(kind, n, MOST_LINES, n);
        for isa in Isa::available() {
            for (precision, at) in PRECISIONS.iter().flat_map(|p| ARRANGEMENTS.map(|at| (*p, at))) {
                lines.check(planner(isa, 1), precision, at);
            }
        }
    }
}

/// Tests every number of lines near the widths of vectors.
fn batches(kind: Kind) {
    for n in [2, 5, 12, 37, 64] {
        let lines = Lines::new(kind, n, 33, n);
        for isa in Isa::available() {
            for count in (1..=17).chain([31, 32, 33]) {
                for at in [Arrangement { outer: count, inner: 1 }, Arrangement { outer: 1, inner: count }] {
                    PRECISIONS.iter().for_each(|&precision| lines.check(planner(isa, 1), precision, at));
                }
            }
        }
    }
}

/// Tests lengths with special recipes: Rader with and without zeros, and within Rader, a repeated prime, powers of
/// two and their neighbours, products of all radices.
const MIDDLING: [usize; 23] = [
    257, 511, 512, 513, 961, 1000, 1001, 1009, 1024, 1025, 1439, 1536, 2011, 2018, 2047, 2187, 2310, 2878, 2879, 4095,
    4096, 4097, 4099,
];

/// Tests longer lengths. Beyond 4096, a single batched line is computed without vectors.
const LONG: [usize; 10] = [8192, 10201, 16384, 59049, 65535, 65536, 65537, 1 << 18, (1 << 20) - 1, 1 << 20];

fn middling(kind: Kind) {
    for n in sample(MIDDLING, 3, index(kind)) {
        let lines = Lines::new(kind, n, 9, samples(n, 9));
        for isa in Isa::available() {
            let planner = Planner::builder().isa(isa).build().unwrap();
            for at in [Arrangement { outer: 1, inner: 1 }, Arrangement { outer: 9, inner: 1 }] {
                PRECISIONS.iter().for_each(|&precision| lines.check(&planner, precision, at));
            }
        }
    }
}

fn long(kind: Kind) {
    // Fast lengths near 2^20 are 2^20 + 1 for the DCT-I and 2^20 − 1 for the DST-I.
    for n in sample(LONG.into_iter().chain((kind == Kind::Dct1).then_some((1 << 20) + 1)), 3, index(kind)) {
        let counts: &[usize] = if n < 1 << 18 { &[1, 3] } else { &[1] };
        let most = *counts.last().expect("not empty");
        let lines = Lines::new(kind, n, most, samples(n, most));
        let planner = Planner::new();
        for count in counts {
            let at = Arrangement { outer: 1, inner: *count };
            PRECISIONS.iter().for_each(|&precision| lines.check(&planner, precision, at));
        }
    }
}

/// Tests primes whose convolutions need other convolutions or long direct sums. They have the
/// largest rounding errors without Bluestein's algorithm.
#[test]
fn nested_convolutions() {
    let problems = [
        (Kind::Dct3, 131203),
        (Kind::Idxst, 135389),
        (Kind::Fft, 389 * 389),
        (Kind::Dst3, 524309),
        (Kind::Dct3, 1048573),
    ];
    let planner = Planner::new();
    for (kind, n) in sample(problems, 1, 0) {
        let lines = Lines::new(kind, n, 1, samples(n, 1));
        PRECISIONS.iter().for_each(|&precision| lines.check(&planner, precision, Arrangement { outer: 1, inner: 1 }));
    }
}

macro_rules! for_each_kind {
    ($($name:ident: $kind:ident),*) => { $(
        mod $name {
            #[test]
            fn short() {
                super::short(super::Kind::$kind);
            }
            #[test]
            fn batches() {
                super::batches(super::Kind::$kind);
            }
            #[test]
            fn middling() {
                super::middling(super::Kind::$kind);
            }
            #[test]
            fn long() {
                super::long(super::Kind::$kind);
            }
        }
    )* };
}
for_each_kind!(
    dct1: Dct1, dct2: Dct2, dct3: Dct3, dct4: Dct4, dst1: Dst1, dst2: Dst2, dst3: Dst3, dst4: Dst4,
    dht: Dht, idxst: Idxst, fft: Fft, ifft: Ifft, rfft: Rfft, irfft: Irfft
);

/// The other kinds differ from these only in the scale, and norms only in scale and end weights.
#[test]
fn scaled() {
    for kind in Kind::ALL {
        for norm in ["", "ortho", "forward", "orthogonalize=yes", "ortho orthogonalize=no"] {
            for (n, precision) in [1, 2, 3, 8, 21, 64, 97, 256].into_iter().flat_map(|n| PRECISIONS.map(|p| (n, p))) {
                // The DCT-I has no length 1, and the IDXST has no norm.
                let Ok(problem) = format!("{kind} {} 3x{n} axes=1 {norm}", precision.name()).parse() else { continue };
                let verdict = verdict(planner(Isa::best(), 1), &problem, n as u64);
                assert!(verdict.holds(), "{problem}: {verdict:?}");
            }
        }
    }
}

/// Tests the mean error over ten inputs of the most used transform.
#[test]
fn dct2_is_as_accurate_as_documented() {
    for isa in Isa::available() {
        for (text, most) in [("f64 1024", 2.7e-16), ("f64 4096", 2.7e-16), ("f32 1024", 1.5e-7), ("f32 4096", 1.5e-7)] {
            let problem: Problem = format!("dct2 {text}").parse().unwrap();
            let mean = (0..10).map(|seed| verdict(planner(isa, 1), &problem, seed).error).sum::<f64>() / 10.0;
            assert!(mean <= most, "{problem} with {isa}: {mean:e} > {most:e}");
        }
    }
}

#[test]
fn samples_have_every_case_between_them() {
    let turns = one_of(3);
    let mut all: Vec<usize> = (5..5 + turns).flat_map(|turn| sample(0..100, 3, turn)).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all, (0..100).collect::<Vec<_>>());
    assert_eq!(sample(0..33 * turns, 3, 0).len(), 33);
}
