//! Tests the schemes that compute lines one by one.

mod common;

use common::recipes::{assert_factors, assert_right, recipe};
use common::run::planner;
use common::sample::sample;
use fourfold::{Isa, Recipe};
use num_complex::Complex;

/// Tests odd and even numbers of passes within a part, and lines at any address, in place, or with
/// a stride.
#[test]
fn lines_may_be_done_in_parts() {
    let problems = [
        "fft f64 2x4096 axes=1",
        "ifft f32 4096",
        "ifft f64 4096x3 axes=0",
        "rfft f32 8192",
        "irfft f64 8192",
        "dct2 f64 8192",
        "dct2 f32 8192x2 axes=0",
        "dct3 f32 8192",
        "dst2 f64 8192",
        "dct4 f32 8192",
        "idxst f64 8192",
        "dht f32 8192",
        "dct1 f64 4097",
    ];
    for problem in sample(problems, 1, 0) {
        let factors = ["4 4 across 4 4", "2 2 across 8 8", "2 2 2 across 4 8", "2 2 2 across 8 4"];
        let factors = factors.map(|factors| format!("along 16 {factors}"));
        assert_factors(problem, &factors.each_ref().map(String::as_str));
    }
    assert_right("fft f64 4608\ninput -> output axis 0: forward 4608 = along 16 2 3 across 6 8");
    assert_right("fft f32 49920\ninput -> output axis 0: forward 49920 = along 16 3 13 across 8 10");
}

/// The same with the shortest lines, which the oracle transforms quickly: by one part, and by two.
#[test]
fn short_lines_are_right_in_parts() {
    // Real transforms of length 2N are complex ones of length N.
    let complex = ["fft", "ifft"].map(|kind| (kind, 1));
    let real = ["rfft", "irfft", "dct2", "dct3", "dct4", "dst2", "dst3", "dst4", "idxst", "dht"].map(|kind| (kind, 2));
    let kinds = complex.into_iter().chain(real).flat_map(|kind| [(kind, "f64"), (kind, "f32")]);
    let of = |n: usize, factors: &'static str| kinds.clone().map(move |kind| (kind, n, factors));
    for (((kind, times), precision), n, factors) in of(64, "16 2 2").chain(sample(of(1024, "16 2 2 across 4 4"), 1, 0))
    {
        let planned = recipe(&format!("{kind} {precision} {}", times * n)).to_string();
        let (head, _) = planned.rsplit_once('=').unwrap();
        assert_right(&format!("{head}= along {factors}"));
    }
}

/// Bluestein's convolution along a line: of pairs of reals, of an odd number of reals, and of complex
/// numbers, by each scheme for its DFTs; in place and with strides.
#[test]
fn lines_may_be_convolutions() {
    let kinds = ["dct2", "dct3", "dct4", "dst2", "dst3", "dst4", "idxst", "dht", "rfft", "irfft", "fft", "ifft"];
    let of = |kind: &str, n: usize| {
        let lengths = if kind.contains("fft") && !kind.contains("rfft") { vec![n] } else { vec![n, 2 * n] };
        lengths.into_iter().map(|n| format!("{n}")).collect::<Vec<_>>()
    };
    for (kind, precision) in kinds.into_iter().flat_map(|kind| [(kind, "f64"), (kind, "f32")]) {
        for length in of(kind, 37) {
            for shape in [length.clone(), format!("3x{length} axes=1"), format!("{length}x2 axes=0")] {
                assert_factors(&format!("{kind} {precision} {shape}"), &["bluestein(37: along 16 8)"]);
            }
        }
        // DCT-IV and DST-IV of even length have the convolution of half as many complex numbers.
        let [short, long] = ["bluestein(129: along 16 9 2)", "bluestein(129: along 16 2 2 across 4 4)"];
        for length in sample(of(kind, 129), 1, 0) {
            assert_factors(&format!("{kind} {precision} {length}"), &[short, long, "bluestein(129: 16 2 x 16)"]);
        }
    }
    for problem in ["dct1 f64 38", "dct1 f32 2x38 axes=1", "dst1 f64 36", "dst1 f32 36x2 axes=0"] {
        assert_factors(problem, &["bluestein(37: along 16 5)", "bluestein(37: 16 x 16)"]);
    }
}

/// Single lines whose lengths have large primes are convolutions by default, and several are not.
#[test]
fn single_rough_lines_are_convolutions() {
    let is = |problem: &str| recipe(problem).to_string().contains(": along 16");
    let single = ["dct2 f64 1009", "dct3 f32 7532", "rfft f64 5227", "fft f32 2011", "dst1 f64 61283", "dct4 f32 4099"];
    single.into_iter().for_each(|problem| assert!(is(problem), "{problem}"));
    let other = ["dct2 f64 1009x1009", "dct2 f64 1024", "dct2 f64 1000", "dct2 f64 3125", "dct2 f64 625"];
    other.into_iter().for_each(|problem| assert!(!is(problem), "{problem}"));
}

/// Long lines of a matrix fill the lanes, so they do not need the narrow vectors of a long line alone.
#[test]
fn matrices_of_long_lines_have_wide_vectors() {
    let isa = |factors: &str| {
        let text = format!("fft f64 51200\ninput -> output axis 0: forward 51200 = {factors}");
        planner(Isa::best(), 1).plan_recipe(text.parse::<Recipe>().unwrap()).unwrap().isa()
    };
    assert_eq!(isa("16 16 10 x 5 4"), Isa::best());
    assert_eq!(isa("16 16 10 5 4"), Isa::Simd128);
}

/// Non-temporal stores write whole cache lines. The result must not depend on the alignment, and
/// nothing outside of the signal may be written.
#[test]
fn parts_may_go_anywhere() {
    const N: usize = 4096;
    const ROOM: usize = 20;
    let recipe: Recipe =
        "fft f32 4096\ninput -> output axis 0: forward 4096 = along 16 2 2 across 8 8".parse().unwrap();
    let input: Vec<_> = (0..N).map(|i| Complex::new((i % 7) as f32, (i % 11) as f32)).collect();
    for isa in Isa::available() {
        let plan = planner(isa, 1).plan_recipe(recipe.clone()).unwrap();
        let mut expected = vec![Complex::default(); N];
        plan.execute(&input, &mut expected).unwrap();
        for offset in 0..ROOM {
            let outside = Complex::new(-1.0, -2.0);
            let mut output = vec![outside; N + ROOM];
            plan.execute(&input, &mut output[offset..][..N]).unwrap();
            assert_eq!(output[offset..][..N], expected, "{isa} from {offset} on");
            assert!(
                output[..offset].iter().chain(&output[offset + N..]).all(|z| *z == outside),
                "{isa} from {offset} on"
            );
            output[offset..][..N].copy_from_slice(&input);
            plan.execute_in_place(&mut output[offset..][..N]).unwrap();
            assert_eq!(output[offset..][..N], expected, "{isa} from {offset} on, in place");
        }
    }
}

#[test]
fn lines_may_be_cut_anywhere() {
    for problem in [
        "dct2 f64 3x240 axes=1",
        "dct3 f32 240",
        "fft f64 2x120 axes=1",
        "ifft f32 120",
        "rfft f64 240x5 axes=0",
        "irfft f64 240",
    ] {
        assert_factors(problem, &["8 x 5 3", "3 x 8 5", "5 3 x 8", "2 x 4 5 3", "8 5 x 3", "bluestein(15: 16 2) x 8"]);
    }
}
