//! Tests recipes: their text, printing and parsing, and that other recipes than the planner's give
//! correct results.

mod common;

use common::cases::read;
use common::recipes::{assert_factors, assert_right, recipe};
use common::run::{execute, planner};
use common::sample::count;
use fourfold::oracle::verify::check;
use fourfold::{ErrorKind, Isa, Kind, Planner, Problem, Recipe};
use proptest::prelude::*;

const FILES: [&str; 3] = [
    include_str!("../../../cases/small.txt"),
    include_str!("../../../cases/accuracy.txt"),
    include_str!("../../../cases/speed.txt"),
];

/// Between passes, numbers of 16 bits stay in their range where every pass takes its share.
#[test]
fn passes_of_halves_share_the_scale() {
    let scales = |problem: &str| recipe(problem).lines().map(|line| line.scale).collect::<Vec<_>>();
    assert_eq!(scales("dct2 f32 64x64 forward"), [1.0, 1.0 / 128.0 / 128.0]);
    assert_eq!(scales("dct2 f16 64x64"), [1.0, 1.0]);
    assert_eq!(scales("dct2 bf16 1x1 scale=4"), [1.0, 4.0]);
    let near = |got: Vec<f64>, wanted: &[f64]| {
        let is_near = |(got, wanted): (&f64, &f64)| (got / wanted - 1.0).abs() < 1e-14;
        assert!(got.len() == wanted.len() && got.iter().zip(wanted).all(is_near), "{got:?}, not {wanted:?}");
    };
    near(scales("dct2 f16 64x64 forward"), &[1.0 / 128.0, 1.0 / 128.0]);
    near(scales("dct2 bf16 64x8 scale=-0.125"), &[0.5, -0.25]);
    near(scales("dct2 f16 64 scale=-3"), &[-3.0]);
    for problem in ["dct2 f16 12x31x500 ortho", "rfft,fft f16 20x30 ortho", "dht bf16 7x1x9 scale=1e-9"] {
        let whole = problem.parse::<Problem>().unwrap().scale();
        near(vec![scales(problem).iter().product()], &[whole]);
    }
}

#[test]
fn passes_read_and_write_where_the_text_says() {
    for (text, hint) in [
        ("dct2 f64 8\nfoo bar axis 0: dct2 8 = 8", "input -> output axis 0:"),
        ("dct2 f64 8\noutput -> output axis 0: dct2 8 = 8", "input -> output axis 0:"),
        (
            "dct2 f64 8x8\ninput -> output axis 1: dct2 8 = 8\ninput -> output axis 0: dct2 8 = 8",
            "output -> output axis 0:",
        ),
    ] {
        let error = text.parse::<Recipe>().unwrap_err();
        assert!(error.kind() == ErrorKind::Notation && error.to_string().contains(hint), "{text}: {error}");
    }
}

#[test]
fn recipes_print_and_parse() {
    for problem in FILES.iter().flat_map(|file| read(file)) {
        let recipe = Planner::new().recipe(&problem).unwrap();
        assert_eq!(recipe.problem(), &problem);
        let again: Recipe = recipe.to_string().parse().unwrap_or_else(|e| panic!("{recipe}: {e}"));
        assert_eq!(again, recipe);
    }
}

#[test]
fn every_length_prints_and_parses() {
    for (kind, n) in Kind::ALL.into_iter().flat_map(|kind| (kind.min_length()..600).map(move |n| (kind, n))) {
        for shape in [n.to_string(), format!("9x{n}")] {
            let recipe = recipe(&format!("{kind} f64 {shape}"));
            assert_eq!(recipe.to_string().parse::<Recipe>().unwrap(), recipe);
        }
    }
}

#[test]
fn each_axis_is_one_trip_through_memory() {
    for problem in FILES.iter().flat_map(|file| read(file)) {
        let recipe = Planner::new().recipe(&problem).unwrap();
        assert_eq!(recipe.passes().len(), problem.transforms().len(), "{recipe}");
        assert_eq!(recipe.lines().count(), problem.transforms().len(), "{recipe}");
        let ends = problem.input().elements() * problem.input_domain().reals()
            + problem.output().elements() * problem.output_domain().reals();
        assert!(recipe.bytes_moved() >= ends * problem.precision().bytes(), "{recipe}");
    }
    assert_eq!(recipe("dct2 f64 100x100").bytes_moved(), 4 * 80_000);
}

/// Tests every butterfly in every position, and every other factor, for every transform.
#[test]
fn other_factors_are_right_too() {
    let products = [
        (
            24,
            ["2 3 4", "4 3 2", "3 8", "8 3", "2 2 2 3", "3 2 2 2", "direct(3) 8", "8 direct(3)", "2 direct(3) 4"]
                .as_slice(),
        ),
        (60, &["5 4 3", "3 4 5", "4 direct(15)", "bluestein(15: 16 2) 4", "4 bluestein(15: 3 2 5)", "2 5 2 3"]),
        (64, &["16 4", "4 16", "8 8", "2 2 2 2 2 2", "2 16 2", "2 4 8"]),
        (105, &["3 5 7", "7 5 3", "direct(105)", "bluestein(105: 16 16)", "direct(21) 5", "rader(7: 3 2) 5 3"]),
        (143, &["11 13", "13 11", "rader(11: 5 2) rader(13: 4 3)", "bluestein(11: 3 7) 13", "bluestein(143: 13 11 3)"]),
        (
            257,
            &[
                "rader(257: 16 16)",
                "rader(257: 16 16 2)",
                "rader(257: 8 13 5)",
                "direct(257)",
                "bluestein(257: 8 13 5)",
            ],
        ),
        (289, &["direct(17) direct(17)", "rader(17: 4 4) rader(17: 8 4)", "rader(17: 2 8) bluestein(17: 11 3)"]),
        (94, &["rader(47: rader(23: 11 2) 2) 2", "2 rader(47: direct(23) 2)", "2 rader(47: bluestein(23: 3 3 5) 2)"]),
    ];
    let sums = ["dct2", "dct3", "dst2", "dst3", "dht", "idxst", "fft", "ifft", "rfft", "irfft"];
    for (n, lists) in products {
        sums.iter().for_each(|sum| assert_factors(&format!("{sum} f64 19x{n} axes=1"), lists));
    }
}

#[test]
fn passes_may_be_in_another_order() {
    assert_right("dct2 f64 12x10\ninput -> output axis 0: dct2 12 = 4 3\noutput -> output axis 1: dct2 10 = 5 2");
    assert_right("fft,dct2 f64 6x8\ninput -> output axis 0: forward 6 = 3 2\noutput -> output axis 1: dct2 8 = 8");
    assert_right(
        "rfft,dct2 f64 6x8\ninput -> output axis 0: real_to_half 6 = 3 2\noutput -> output axis 1: dct2 8 = 8",
    );
}

/// Each row has a text and a part of the message.
const ERRORS: &[(&str, &str)] = &[
    ("", "kind"),
    ("dct2 f64 8", "no pass does dct2 along axis 0"),
    ("dct2 f64 8\ninput -> output", "is not a pass"),
    ("dct2 f64 8\ninput -> output axis 0:", "is not a pass"),
    ("dct2 f64 8\ninput -> output axis x: dct2 8 = 8", "is not a pass"),
    ("dct2 f64 8\ninput -> output axis 1: dct2 8 = 8", "axis 1 has no `dct2 8 `"),
    ("dct2 f64 8\ninput -> output axis 0: dct3 8 = 8", "axis 0 has no `dct3 8 `"),
    ("dct2 f64 8\ninput -> output axis 0: dct2 9 = 9", "axis 0 has no `dct2 9 `"),
    ("dct2 f64 8\ninput -> output axis 0: dct2 8 = 4", "the factors make 4, not 8"),
    ("dct2 f64 8\ninput -> output axis 0: dct2 8 =", "the factors make 1, not 8"),
    ("dct2 f64 8\ninput -> output axis 0: dct2 8 = 8\noutput -> output axis 0: dct2 8 = 8", "has no `dct2 8 `"),
    ("dct2 f64 8\ninput -> output axis 0: dct2 8 = 8 | multiply", "multiply"),
    ("dct2 f64 8\ninput -> output axis 0: multiply | dct2 8 = 8", "multiply"),
    ("dct2 f64 8\ninput -> output axis 0: dct2 8 = 8\noutput -> output axis 0: multiply", "multiply"),
    ("dct2 f64 8 | multiply | idct2 f64 8\ninput -> output axis 0: dct2 8 = 8 | dct3 8 = 8", "multiply"),
    ("dct2 f64 8 | multiply | idct2 f64 8\ninput -> output axis 0: multiply | dct2 8 = 8 | dct3 8 = 8", "multiply"),
    ("dct2 f64 8 | multiply | idct2 f64 9\ninput -> output axis 0: dct2 8 = 8", "must agree"),
    ("dct2 f64 14\ninput -> output axis 0: dct2 14 = 14", "`14` is not a factor"),
    ("dct2 f64 15\ninput -> output axis 0: dct2 15 = 15", "`15` is not a factor"),
    ("dct2 f64 9\ninput -> output axis 0: dct2 9 = rader(9: 8)", "is not a factor"),
    ("dct2 f64 17\ninput -> output axis 0: dct2 17 = rader(17: 8)", "is not a factor"),
    ("dct2 f64 17\ninput -> output axis 0: dct2 17 = rader(17: 11 3)", "is not a factor"),
    ("dct2 f64 17\ninput -> output axis 0: dct2 17 = rader(17: 5 6)", "is not a factor"),
    ("dct2 f64 17\ninput -> output axis 0: dct2 17 = rader(17: 16 16)", "is not a factor"),
    ("dct2 f64 17\ninput -> output axis 0: dct2 17 = direct(17", "is not a factor"),
    ("dct2 f64 17\ninput -> output axis 0: dct2 17 = direct(17: 17)", "is not a factor"),
    ("dct2 f64 17\ninput -> output axis 0: dct2 17 = bluestein(17: 16 2)", "is not a factor"),
    ("dct2 f64 17\ninput -> output axis 0: dct2 17 = bluestein(17: 16 16 16)", "is not a factor"),
    ("dct2 f64 17\ninput -> output axis 0: dct2 17 = bluestein(17: bluestein(35: 16 5))", "is not a factor"),
    ("dct2 f64 8\ninput -> output axis 0: dct2 8 = direct(8)", "is not a factor"),
    ("dct2 f64 8\ninput -> output axis 0: dct2 8 = direct(1) 8", "is not a factor"),
    ("dct2 f64 8\ninput -> output axis 0: dct2 8 = fast(8)", "is not a factor"),
    ("dct2 f64 9\ninput -> output axis 0: dct2 9 = 3 x 3", "even length"),
    ("dct2 f64 16\ninput -> output axis 0: dct2 16 = 4 x 4", "the factors make 16, not 8"),
    ("dct2 f64 64\ninput -> output axis 0: dct2 64 = along 8 4", "the first 16"),
    ("dct2 f64 32\ninput -> output axis 0: dct2 32 = along 16", "the first 16"),
    ("dct2 f64 96\ninput -> output axis 0: dct2 96 = along 16 16", "the factors make 256, not 48"),
    ("fft f64 512\ninput -> output axis 0: forward 512 = along 16 2 across 4 4", "three radices or more"),
    ("fft f64 2048\ninput -> output axis 0: forward 2048 = along 16 2 2 across 8 4 1", "is not a factor"),
    ("fft f64 1024\ninput -> output axis 0: forward 1024 = along 16 2 2 across 16", "two across parts"),
    ("fft f64 1536\ninput -> output axis 0: forward 1536 = along 16 2 2 across 4 6", "a multiple of 16"),
    ("fft f64 16384\ninput -> output axis 0: forward 16384 = along 16 2 2 across 16 16", "up to 128"),
    ("fft f64 272\ninput -> output axis 0: forward 272 = along 16 direct(17)", "expected radices along a line"),
    ("fft f64 37\ninput -> output axis 0: forward 37 = bluestein(37: along 16 4)", "needs at least 73"),
    ("dct2 f64 37\ninput -> output axis 0: dct2 37 = bluestein(37: along 16 3)", "needs at least 55"),
    ("dct2 f64 74\ninput -> output axis 0: dct2 74 = bluestein(74: along 16 16)", "the factors make 74, not 37"),
    ("fft f64 37\ninput -> output axis 0: forward 37 = bluestein(37: along 16 16 2)", "at most eight times"),
    ("fft f64 37\ninput -> output axis 0: forward 37 = bluestein(0: along 16 8)", "a length of 3 or more"),
    ("fft f64 37\ninput -> output axis 0: forward 37 = bluestein(37: along 8 16)", "the first 16"),
    ("fft f64 37\ninput -> output axis 0: forward 37 = bluestein(37: bluestein(39: along 16 5))", "is not a factor"),
    ("fft f64 37\ninput -> output axis 0: forward 37 = bluestein(37: 16 8 x )", "on both sides"),
    ("fft f64 37\ninput -> output axis 0: forward 37 = bluestein(37:  x 16 8)", "on both sides"),
    ("fft f64 16\ninput -> output axis 0: forward 16 =  x 16", "on both sides"),
    (
        "rfft,dct2 f64 6x8\ninput -> output axis 1: dct2 8 = 8\noutput -> output axis 0: real_to_half 6 = 3 2",
        "half spectrum",
    ),
    (
        "irfft,dct2 f64 6x8\ninput -> output axis 0: half_to_real 6 = 3 2\noutput -> output axis 1: dct2 8 = 8",
        "half spectrum",
    ),
];

#[test]
fn errors_say_what_is_wrong() {
    for (text, hint) in ERRORS {
        let error = text.parse::<Recipe>().expect_err(text);
        assert!(error.to_string().contains(hint), "{text:?}: {error}");
        assert!([ErrorKind::Notation, ErrorKind::Problem].contains(&error.kind()), "{error:?}");
    }
}

/// Tests brackets so deeply nested that they would overflow the stack, numbers that do not fit any
/// memory, and a length whose factorisation would take too long.
#[test]
fn hostile_recipes_are_refused_at_once() {
    let start = std::time::Instant::now();
    let of = |factors: &str| format!("dct2 f64 8\ninput -> output axis 0: dct2 8 = {factors}");
    let hostile = [
        of(&"rader(17: ".repeat(100_000)),
        of(&format!("{}{}", "rader(17: ".repeat(100_000), ")".repeat(100_000))),
        of(&"2 ".repeat(1_000_000)),
        of("direct(18446744073709551617)"),
        of("bluestein(3: 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16)"),
        of(&")".repeat(1000)),
        "dct2 f32 2305843009213693951\ninput -> output axis 0: dct2 2305843009213693951 = direct(2305843009213693951)"
            .into(),
    ];
    for text in hostile {
        let error = text.parse::<Recipe>().expect_err("hostile");
        assert!(!error.to_string().is_empty());
    }
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

/// Parsing never panics, and every recipe that parses gives correct results.
fn try_recipe(text: &str) -> Result<(), TestCaseError> {
    let Ok(recipe) = text.parse::<Recipe>() else { return Ok(()) };
    prop_assert_eq!(&recipe.to_string().parse::<Recipe>().unwrap(), &recipe);
    let Ok(plan) = planner(Isa::best(), 1).plan_recipe(recipe.clone()) else { return Ok(()) };
    let problem: &Problem = recipe.problem();
    let verdict = check(problem, recipe.uses_bluestein(), 1, |x, y| execute(&plan, x, y)).unwrap();
    prop_assert!(verdict.holds(), "{recipe}: {verdict:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(count(1500, 3)))]

    #[test]
    fn no_text_panics(text in "\\PC*") {
        try_recipe(&text)?;
        try_recipe(&format!("dct2 f64 8x9\n{text}"))?;
        try_recipe(&format!("dct2 f64 72\ninput -> output axis 0: dct2 72 = {text}"))?;
    }

    #[test]
    fn no_factors_panic(
        sum in prop::sample::select(vec!["dct2", "dct3", "fft", "irfft"]),
        n in prop::sample::select(vec![16usize, 24, 51, 60, 97, 120]),
        factors in "(([2-8]|1[136]|direct\\([1-9]{1,3}\\)|rader\\((17|97): [2-8 ]{1,9}\\)|bluestein\\([1-9]{1,2}: [2-8 ]{1,9}\\)|x) ?){1,5}",
    ) {
        let planned = recipe(&format!("{sum} f64 3x{n} axes=1")).to_string();
        let (head, _) = planned.rsplit_once('=').unwrap();
        try_recipe(&format!("{head}= {factors}"))?;
    }

    /// The text with one character removed, doubled or exchanged.
    #[test]
    fn no_mutation_panics(
        problem in prop::sample::select(read(FILES[0])),
        at in any::<prop::sample::Index>(),
        other in "[ -~\n]{0,2}",
        replace: bool,
    ) {
        let text = Planner::new().recipe(&problem).unwrap().to_string();
        let at = at.index(text.len());
        let after = if replace { at + 1 } else { at };
        try_recipe(&format!("{}{other}{}", &text[..at], &text[after..]))?;
    }
}
