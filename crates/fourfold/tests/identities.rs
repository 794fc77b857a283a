//! Tests identities of transforms: inverse, linearity, shift, adjoint, separability.

mod common;

use common::run::{execute, planner};
use common::sample::sample;
use fourfold::oracle::verify::Data;
use fourfold::{Domain, Isa, Kind, Layout, Planner, Precision, Problem};
use num_complex::Complex;
use std::f64::consts::PI;

type Z = Complex<f64>;

fn problem(text: &str) -> Problem {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Random elements of the domain, which are exact in `f32`.
fn random(count: usize, domain: Domain, seed: u64) -> Vec<Z> {
    let mut source = fastrand::Rng::with_seed(seed);
    let mut part = || f64::from(source.f32() * 2.0 - 1.0);
    (0..count).map(|_| Complex::new(part(), if domain == Domain::Complex { part() } else { 0.0 })).collect()
}

fn random_input(problem: &Problem, seed: u64) -> Vec<Z> {
    random(problem.input().elements(), problem.input_domain(), seed)
}

/// The output of the engine, in C order, for an input in C order. Both layouts must be C order.
fn apply_with(planner: &Planner, problem: &Problem, x: &[Z]) -> Vec<Z> {
    assert!(problem.input().is_c_order() && problem.output().is_c_order());
    let plan = planner.plan(problem).unwrap();
    let data = |domain, layout: &Layout| Data::filled(problem.precision(), domain, layout.len, f64::NAN);
    let mut input = data(problem.input_domain(), problem.input());
    let mut output = data(problem.output_domain(), problem.output());
    x.iter().enumerate().for_each(|(i, z)| input.set(i, *z));
    execute(&plan, &input, &mut output).unwrap();
    (0..problem.output().len).map(|i| output.get(i)).collect()
}

fn apply(problem: &Problem, x: &[Z]) -> Vec<Z> {
    apply_with(planner(Isa::best(), 1), problem, x)
}

fn norm(x: &[Z]) -> f64 {
    x.iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt()
}

/// Bounds of relative differences from rounding: a few units in the last place for each of about
/// ten operations.
fn tolerance(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => 2e-6,
        Precision::F64 => 4e-15,
    }
}

#[track_caller]
fn assert_close(got: &[Z], want: &[Z], precision: Precision, what: &dyn std::fmt::Display) {
    assert_eq!(got.len(), want.len(), "{what}");
    let distance = norm(&got.iter().zip(want).map(|(a, b)| a - b).collect::<Vec<_>>());
    assert!(distance <= tolerance(precision) * norm(want), "{what}: {distance:e} of {:e}", norm(want));
}

const OPTIONS: [&str; 5] = ["", " ortho", " forward", " orthogonalize=yes", " ortho orthogonalize=no"];

/// Every kind with every valid norm, as the texts before and after the shape.
fn kinds_and_options() -> impl Iterator<Item = (Kind, &'static str)> {
    let possible = |(kind, options): &(Kind, &str)| *kind != Kind::Idxst || options.is_empty();
    Kind::ALL.into_iter().flat_map(|kind| OPTIONS.map(|options| (kind, options))).filter(possible)
}

/// The kinds whose inverse undoes them on all arrays of their domain. This excludes transforms of
/// half spectra.
fn invertible() -> impl Iterator<Item = (Kind, &'static str)> {
    kinds_and_options().filter(|(kind, _)| ![Kind::Idxst, Kind::Irfft].contains(kind))
}

fn assert_round_trip(forward: &Problem) {
    for isa in Isa::available() {
        let x = random_input(forward, 1);
        let y = apply_with(planner(isa, 1), forward, &x);
        let restored = apply_with(planner(isa, 1), &forward.inverse().unwrap(), &y);
        assert_close(&restored, &x, forward.precision(), &format!("{forward} with {isa} and back"));
    }
}

#[test]
fn inverses_undo() {
    for (kind, options) in invertible() {
        for (shape, precision) in
            ["2", "7", "16x3", "5x34", "101", "6x5x4"].iter().flat_map(|s| [(s, "f32"), (s, "f64")])
        {
            assert_round_trip(&problem(&format!("{kind} {precision} {shape}{options}")));
        }
    }
    for mix in ["dct2,dst3", "dct1,rfft", "fft,idht", "rfft,dst4", "dct4,ifft"] {
        assert_round_trip(&problem(&format!("{mix} f64 12x10 scale=-3")));
        assert_round_trip(&problem(&format!("{mix} f32 3x9x11 axes=1,2 ortho")));
    }
}

/// The inverse of a long transform restores the input, which depends on every output.
#[test]
fn inverses_undo_long_transforms() {
    let lengths = [1009, 4097, 5040, 10_201, 32_768, 65_537, 1 << 18];
    let cases = lengths.iter().flat_map(|n| [(n, "f32"), (n, "f64")]);
    for (turn, kind) in Kind::ALL.into_iter().filter(|kind| ![Kind::Idxst, Kind::Irfft].contains(kind)).enumerate() {
        for (n, precision) in sample(cases.clone(), 1, turn) {
            let forward = problem(&format!("{kind} {precision} {n}"));
            let x = random_input(&forward, 2);
            let restored = apply(&forward.inverse().unwrap(), &apply(&forward, &x));
            assert_close(&restored, &x, forward.precision(), &forward);
        }
    }
}

/// A half spectrum of a real array is restored from the real side.
#[test]
fn half_spectra_come_back() {
    for shape in ["8", "9", "5x6", "6x5", "3x4x7"] {
        let inverse = problem(&format!("irfft f64 {shape}"));
        let forward = inverse.inverse().unwrap();
        let spectrum = apply(&forward, &random_input(&forward, 3));
        assert_close(&apply(&forward, &apply(&inverse, &spectrum)), &spectrum, Precision::F64, &inverse);
    }
}

#[test]
fn transforms_are_linear() {
    for (kind, options) in kinds_and_options() {
        for shape in ["9", "16x7"] {
            let p = problem(&format!("{kind} f64 {shape}{options}"));
            let (x, y) = (random_input(&p, 4), random_input(&p, 5));
            let combine = |x: &[Z], y: &[Z]| -> Vec<Z> { x.iter().zip(y).map(|(x, y)| x * 0.625 - y * 3.0).collect() };
            let whole = apply(&p, &combine(&x, &y));
            assert_close(&whole, &combine(&apply(&p, &x), &apply(&p, &y)), Precision::F64, &p);
        }
    }
}

/// Scaling by a power of two is exact.
#[test]
fn powers_of_two_pass_through() {
    for (kind, options) in kinds_and_options() {
        for (precision, n) in [("f32", 24), ("f64", 37), ("f64", 128)] {
            let p = problem(&format!("{kind} {precision} {n}{options}"));
            let x = random_input(&p, 6);
            let half: Vec<_> = x.iter().map(|z| z * 0.5).collect();
            let want: Vec<_> = apply(&p, &x).iter().map(|z| z * 0.5).collect();
            assert_eq!(apply(&p, &half), want, "{p}");
        }
    }
}

/// A cyclic shift by s multiplies term k by exp(−2πi ks/N). For the DHT it follows the rule of
/// cas(a + b).
#[test]
fn cyclic_shifts_turn_the_spectrum() {
    for n in [8usize, 15, 49, 128, 191] {
        let shift = n / 3;
        let angle = |k: usize| 2.0 * PI * (k * shift % n) as f64 / n as f64;
        let shifted = |x: &[Z]| -> Vec<Z> { (0..n).map(|i| x[(i + n - shift) % n]).collect() };
        for (kind, sign) in [("fft", -1.0), ("rfft", -1.0), ("ifft", 1.0)] {
            let p = problem(&format!("{kind} f64 {n}"));
            let x = random_input(&p, 7);
            let rotated: Vec<_> = apply(&p, &x).iter().enumerate().map(|(k, z)| z * Z::cis(sign * angle(k))).collect();
            assert_close(&apply(&p, &shifted(&x)), &rotated, Precision::F64, &p);
        }
        let p = problem(&format!("dht f64 {n}"));
        let x = random_input(&p, 8);
        let y = apply(&p, &x);
        let rotated: Vec<_> = (0..n).map(|k| y[k] * angle(k).cos() + y[(n - k) % n] * angle(k).sin()).collect();
        assert_close(&apply(&p, &shifted(&x)), &rotated, Precision::F64, &p);
    }
}

/// Reversing the input multiplies term k of type II by (−1)^k. For type IV it gives the other one
/// of the cosine and the sine transform, times (−1)^k.
#[test]
fn reversed_input_alternates_signs() {
    for n in [8usize, 9, 33, 64] {
        let reversed = |x: &[Z]| -> Vec<Z> { x.iter().rev().copied().collect() };
        let alternated =
            |y: Vec<Z>| -> Vec<Z> { y.iter().enumerate().map(|(k, z)| if k % 2 == 0 { *z } else { -z }).collect() };
        for (kind, mirror) in [("dct1", "dct1"), ("dct2", "dct2"), ("dst1", "dst1"), ("dst2", "dst2"), ("dct4", "dst4")]
        {
            let [p, q] = [kind, mirror].map(|kind| problem(&format!("{kind} f64 {n}")));
            let x = random_input(&p, 9);
            assert_close(&apply(&q, &reversed(&x)), &alternated(apply(&p, &x)), Precision::F64, &p);
        }
    }
}

/// The sum of both neighbours, x_{n−1} + x_{n+1}, with an even extension of the input, multiplies
/// term k of the DCT-II by 2 cos(πk/N). With an odd extension, it multiplies term k of the DST-II
/// by 2 cos(π(k+1)/N).
#[test]
fn neighbours_multiply_the_spectrum() {
    for n in [2usize, 8, 21, 100, 256] {
        for (kind, sign, first) in [("dct2", 1.0, 0), ("dst2", -1.0, 1)] {
            let p = problem(&format!("{kind} f64 {n}"));
            let x = random_input(&p, 10);
            let before = |i: usize| if i == 0 { x[0] * sign } else { x[i - 1] };
            let after = |i: usize| if i + 1 == n { x[n - 1] * sign } else { x[i + 1] };
            let sums: Vec<_> = (0..n).map(|i| before(i) + after(i)).collect();
            let factor = |k: usize| 2.0 * (PI * (k + first) as f64 / n as f64).cos();
            let want: Vec<_> = apply(&p, &x).iter().enumerate().map(|(k, z)| z * factor(k)).collect();
            assert_close(&apply(&p, &sums), &want, Precision::F64, &p);
        }
    }
}

#[test]
fn adjoints_move_across_the_inner_product() {
    let product = |a: &[Z], b: &[Z]| a.iter().zip(b).map(|(a, b)| a.re * b.re + a.im * b.im).sum::<f64>();
    let mixes =
        ["dct2,rfft f64 7x8", "rfft,fft f64 5x6", "idct_idxst f64 8x9", "irfft,dst1 f64 6x5", "dct1,fft f64 4x9"];
    let single = kinds_and_options()
        .flat_map(|(kind, options)| ["7", "16", "3x8", "6x5"].map(|shape| format!("{kind} f64 {shape}{options}")));
    for text in single.chain(mixes.map(String::from)) {
        let p = problem(&text);
        let adjoint = p.adjoint();
        let (x, y) = (random_input(&p, 11), random_input(&adjoint, 12));
        let (ax, ay) = (apply(&p, &x), apply(&adjoint, &y));
        let size = norm(&ax) * norm(&y) + norm(&ay) * norm(&x);
        let difference = product(&ax, &y) - product(&x, &ay);
        assert!(difference.abs() <= 4e-15 * size, "{p}: {difference:e} of {size:e}");
    }
}

/// Transforms of one axis after another, in either order, equal the transform of all axes.
#[test]
fn axes_separate() {
    for kinds in ["dct2", "dst3,dht", "fft", "dct1,dst4", "dct3,fft", "ifft,idst2"] {
        let [first, second] = [kinds.split(',').next().unwrap(), kinds.split(',').next_back().unwrap()];
        let p = problem(&format!("{kinds} f64 3x12x10 axes=1,2"));
        let x = random_input(&p, 13);
        let want = apply(&p, &x);
        // A problem with only a real kind has real data, so the two parts are transformed
        // separately.
        let one = |kind: &str, axis: usize, x: &[Z]| -> Vec<Z> {
            let p = problem(&format!("{kind} f64 3x12x10 axes={axis}"));
            if p.input_domain() == Domain::Complex {
                return apply(&p, x);
            }
            let part = |f: &dyn Fn(&Z) -> f64| apply(&p, &x.iter().map(|z| f(z).into()).collect::<Vec<_>>());
            part(&|z| z.re).iter().zip(part(&|z| z.im)).map(|(re, im)| Complex::new(re.re, im.re)).collect()
        };
        assert_close(&one(second, 2, &one(first, 1, &x)), &want, Precision::F64, &p);
        assert_close(&one(first, 1, &one(second, 2, &x)), &want, Precision::F64, &p);
    }
}

/// The half spectrum is the lower half of the spectrum. The DHT is the real minus the imaginary
/// part of the spectrum.
#[test]
fn hartley_and_half_spectra_are_parts_of_the_fft() {
    for n in [1usize, 2, 9, 16, 60, 97, 131] {
        let [whole, half, hartley] = ["fft", "rfft", "dht"].map(|kind| problem(&format!("{kind} f64 {n}")));
        let x = random_input(&half, 14);
        let spectrum = apply(&whole, &x);
        assert_close(&apply(&half, &x), &spectrum[..n / 2 + 1], Precision::F64, &half);
        let differences: Vec<_> = spectrum.iter().map(|z| (z.re - z.im).into()).collect();
        assert_close(&apply(&hartley, &x), &differences, Precision::F64, &hartley);
        let restored = apply(&problem(&format!("irfft f64 {n}")), &spectrum[..n / 2 + 1]);
        assert_close(&restored, &x, Precision::F64, &half);
    }
}

#[test]
fn ortho_keeps_the_norm() {
    let without = [Kind::Idxst, Kind::Rfft, Kind::Irfft];
    for kind in Kind::ALL.into_iter().filter(|kind| !without.contains(kind)) {
        for (shape, precision) in ["8", "37x5", "512", "3x4x5x6"].iter().flat_map(|s| [(s, "f32"), (s, "f64")]) {
            let p = problem(&format!("{kind} {precision} {shape} ortho"));
            let x = random_input(&p, 15);
            let ratio = norm(&apply(&p, &x)) / norm(&x);
            assert!((ratio - 1.0).abs() <= tolerance(p.precision()), "{p}: {ratio}");
        }
    }
}
