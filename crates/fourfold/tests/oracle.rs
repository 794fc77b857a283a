//! Tests the oracle against SciPy, closed forms, and the identities that define inverse and
//! adjoint. Also tests that `verify::check` finds wrong outputs.

mod common;

use common::sample::sample;
use fourfold::oracle::naive::{self, Dd};
use fourfold::oracle::verify::{Data, check, relative_error};
use fourfold::{Domain, Problem};
use num_complex::Complex;

const KINDS: [&str; 23] = [
    "dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4", "dht", "idxst", "fft", "rfft", "idct1", "idct2",
    "idct3", "idct4", "idst1", "idst2", "idst3", "idst4", "idht", "ifft", "irfft",
];
const NORMS: [&str; 5] = ["", " ortho", " forward", " orthogonalize=yes", " ortho orthogonalize=no"];

fn problem(text: &str) -> Problem {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// All problems of length `n`: every kind with every norm that it has.
fn problems(n: usize) -> impl Iterator<Item = Problem> {
    KINDS
        .into_iter()
        .flat_map(move |kind| NORMS.iter().filter_map(move |norm| format!("{kind} f64 {n}{norm}").parse().ok()))
}

fn random(n: usize, domain: Domain, seed: u64) -> Vec<Complex<f64>> {
    let mut source = fastrand::Rng::with_seed(seed);
    let mut part = || source.f64() * 2.0 - 1.0;
    (0..n).map(|_| Complex::new(part(), if domain == Domain::Complex { part() } else { 0.0 })).collect()
}

fn rounded(x: &[Complex<Dd>]) -> Vec<Complex<f64>> {
    x.iter().map(|z| Complex::new(z.re.hi, z.im.hi)).collect()
}

/// The transform of double-double data, by linearity.
fn transform_dd(problem: &Problem, x: &[Complex<Dd>]) -> Vec<Complex<Dd>> {
    let low: Vec<_> = x.iter().map(|z| Complex::new(z.re.lo, z.im.lo)).collect();
    let high = naive::transform(problem, &rounded(x)).unwrap();
    let low = naive::transform(problem, &low).unwrap();
    high.iter().zip(low).map(|(a, b)| Complex { re: a.re + b.re, im: a.im + b.im }).collect()
}

fn inner_product(a: &[Complex<f64>], b: &[Complex<Dd>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.re * b.re.hi + a.im * b.im.hi).sum()
}

#[test]
fn agrees_with_scipy() {
    let cases = common::golden();
    assert!(cases.len() > 900);
    for case in cases {
        let exact = naive::transform(&case.problem, &case.input).unwrap();
        let error = relative_error(&case.output, &exact);
        // The factor √2 of orthogonalize and the scale are rounded to `f64`, and appear up to three
        // times for each axis.
        assert!(error <= 4e-16, "{}: {error:e}", case.problem);
    }
}

#[test]
fn inverse_undoes_forward() {
    for n in sample((1..=20).chain([31, 32, 33, 100, 1000]), 1, 12) {
        for forward in problems(n).filter(|p| p.inverse().is_ok() && !p.to_string().starts_with("irfft")) {
            let x = random(n, forward.input_domain(), n as u64);
            let y = naive::transform(&forward, &x).unwrap();
            let inverse = forward.inverse().unwrap();
            let error = relative_error(&x, &transform_dd(&inverse, &y));
            // Scales and end weights are rounded to `f64`. Powers of two are exact.
            let rounding = [forward.scale(), inverse.scale()].iter().any(|s| s.log2().fract() != 0.0);
            let plain = !forward.to_string().contains("ortho");
            let bound = if plain && !rounding { 1e-29 } else { 6e-16 };
            assert!(error <= bound, "{forward}: {error:e}");
        }
    }
}

#[test]
fn adjoint_moves_across_the_inner_product() {
    let mixed =
        ["rfft f64 4x3", "irfft f64 3x4x2", "ifft,irfft f64 3x5 ortho", "dct2,rfft f64 5x4", "fft,idxst f64 3x4"];
    for forward in (1..=17).flat_map(problems).chain(mixed.map(problem)) {
        let adjoint = forward.adjoint();
        let x = random(forward.input().elements(), forward.input_domain(), 1);
        let y = random(forward.output().elements(), forward.output_domain(), 2);
        let left = inner_product(&y, &naive::transform(&forward, &x).unwrap());
        let right = inner_product(&x, &naive::transform(&adjoint, &y).unwrap());
        let size = x.len() as f64 * (1.0 + left.abs());
        assert!((left - right).abs() <= 1e-15 * size, "{forward}: {left} {right}");
    }
}

#[test]
fn ortho_keeps_the_norm() {
    let norm = |x: &[Complex<f64>]| x.iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt();
    for kind in KINDS.iter().filter(|kind| !["idxst", "rfft", "irfft"].contains(kind)) {
        for shape in ["7", "16", "5x6", "3x4x2"] {
            let p = problem(&format!("{kind} f64 {shape} ortho"));
            let x = random(p.input().elements(), p.input_domain(), 3);
            let y = naive::transform(&p, &x).unwrap();
            assert!((norm(&rounded(&y)) / norm(&x) - 1.0).abs() < 1e-15, "{p}");
        }
    }
}

#[test]
fn tiny_sums_by_hand() {
    let by_hand: [(&str, &[f64], &[f64]); 9] = [
        ("dct1 f64 3", &[1.0, 2.0, 4.0], &[9.0, -3.0, 1.0]),
        ("dct2 f64 1", &[3.0], &[6.0]),
        ("dct3 f64 1", &[3.0], &[3.0]),
        ("dst1 f64 1", &[3.0], &[6.0]),
        ("dst3 f64 1", &[3.0], &[3.0]),
        ("dht f64 4", &[1.0, 2.0, 3.0, 4.0], &[10.0, -4.0, -2.0, 0.0]),
        ("idxst f64 1", &[3.0], &[0.0]),
        ("irfft f64 4 forward", &[1.0, 2.0, 4.0], &[9.0, -3.0, 1.0, -3.0]),
        ("dct1 f64 2x2", &[1.0, 2.0, 3.0, 4.0], &[10.0, -2.0, -4.0, 0.0]),
    ];
    for (text, x, y) in by_hand {
        let x: Vec<_> = x.iter().map(|&x| Complex::from(x)).collect();
        let exact = naive::transform(&problem(text), &x).unwrap();
        let rounded: Vec<f64> = exact.iter().map(|z| z.re.hi + z.im.hi).collect();
        assert!(rounded.iter().zip(y).all(|(got, want)| (got - want).abs() < 1e-30), "{text}: {rounded:?}");
    }
}

/// Two impulses in a signal so long that the sums have many blocks.
#[test]
fn long_transforms_of_impulses() {
    let n = 1_000_003;
    let (i, j) = (1234, 987_654);
    let mut x = vec![Complex::from(0.0); n];
    (x[i], x[j]) = (1.0.into(), 0.25.into());
    let picks: Vec<usize> = (0..12).map(|k| k * k * 8111).chain([n - 1]).collect();
    let exact = naive::sampled(&problem(&format!("dct2 f64 {n}")), &x, std::slice::from_ref(&picks)).unwrap();
    let cosine =
        |k: usize, i: usize| (std::f64::consts::PI * (k * (2 * i + 1) % (4 * n)) as f64 / (2 * n) as f64).cos();
    for (k, y) in picks.into_iter().zip(exact) {
        let want = 2.0 * cosine(k, i) + 0.5 * cosine(k, j);
        assert!((y.re.hi - want).abs() < 1e-14, "{k}: {} {want}", y.re.hi);
    }
}

#[test]
fn samples_are_those_of_the_whole() {
    for text in
        ["dct2,dst4,dht f64 4x5x6", "rfft f64 4x5x6 axes=0,1", "irfft,idxst f64 4x5x6 axes=0,2", "fft f64 3x8x5"]
    {
        let p = problem(text);
        let x = random(p.input().elements(), p.input_domain(), 4);
        let picks = [vec![2, 0], vec![1], vec![0, 3, 4]];
        let whole = naive::transform(&p, &x).unwrap();
        let c_order = fourfold::Layout::c_order(&p.output().shape, 8).unwrap();
        let want: Vec<_> = naive::positions(&c_order, &picks).into_iter().map(|at| whole[at]).collect();
        assert_eq!(naive::sampled(&p, &x, &picks).unwrap(), want, "{text}");
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let p = problem("dct2 f64 3x4");
    let x = random(12, Domain::Real, 5);
    assert!(naive::transform(&p, &x[..11]).is_err());
    assert!(naive::sampled(&p, &x, &[vec![0]]).is_err());
    assert!(naive::sampled(&p, &x, &[vec![0], vec![4]]).is_err());
    assert!(naive::sampled(&p, &x, &[vec![], vec![0]]).unwrap().is_empty());
}

/// The output of a correct engine: that of the oracle, rounded.
fn run_oracle(p: &Problem, input: &Data, output: &mut Data) {
    let all = naive::everything(p.input());
    let x: Vec<_> = naive::positions(p.input(), &all).into_iter().map(|at| input.get(at)).collect();
    let y = rounded(&naive::transform(p, &x).unwrap());
    for (at, y) in naive::positions(p.output(), &naive::everything(p.output())).into_iter().zip(y) {
        output.set(at, y);
    }
}

const CHECKED: [&str; 5] = [
    "dct2 f64 5x6 in=-12,2 out=1,-7",
    "rfft f32 4x6x2 axes=0,1 in=3,40,1",
    "fft f64 3x8 axes=1 inplace in=20,2 ortho",
    "ifft f32 9 out=-3",
    "dst4 f32 3x3 in=0,1",
];

#[test]
fn right_outputs_hold() {
    for text in CHECKED {
        let p = problem(text);
        let verdict = check(&p, false, 6, |input, output| {
            run_oracle(&p, input, output);
            Ok(())
        });
        let verdict = verdict.unwrap();
        assert!(verdict.holds() && verdict.sampled.is_none(), "{text}: {verdict:?}");
        assert!(verdict.error > 0.0, "{text}: rounding alone makes an error");
    }
}

#[test]
fn wrong_outputs_do_not_hold() {
    let spoils: [fn(&Problem, &mut Data); 3] = [
        |p, y| y.set(p.output().offset, y.get(p.output().offset) * 1.001),
        |p, y| *y = Data::filled(p.precision(), p.output_domain(), p.output().len, 0.0),
        |p, y| y.set(p.output().offset, f64::NAN.into()),
    ];
    for (text, spoil) in CHECKED.iter().flat_map(|text| spoils.map(|spoil| (text, spoil))) {
        let p = problem(text);
        let verdict = check(&p, true, 7, |input, output| {
            run_oracle(&p, input, output);
            spoil(&p, output);
            Ok(())
        });
        assert!(!verdict.unwrap().holds(), "{text}");
    }
}

/// The squares of these outputs overflow, or are 0.
#[test]
fn errors_are_relative_whatever_the_scale() {
    for scale in ["1e-250", "1e-155", "1e155", "1e200", "1e306"] {
        let p = problem(&format!("dct2 f64 8 scale={scale}"));
        for (factor, least, most) in [(1.0, 1e-18, 1.5e-16), (1.0 + 1e-9, 0.99e-9, 1.01e-9)] {
            let verdict = check(&p, false, 7, |input, output| {
                run_oracle(&p, input, output);
                (0..8).for_each(|i| output.set(i, output.get(i) * factor));
                Ok(())
            });
            let error = verdict.unwrap().error;
            assert!((least..most).contains(&error), "{scale}, {factor}: {error:e}");
        }
    }
}

#[test]
fn writing_between_the_elements_does_not_hold() {
    let p = problem("dct2 f64 5 out=2");
    let verdict = check(&p, false, 8, |input, output| {
        run_oracle(&p, input, output);
        output.set(3, 0.0.into());
        Ok(())
    });
    let verdict = verdict.unwrap();
    assert!(verdict.strays == 1 && verdict.error <= verdict.bound && !verdict.holds(), "{verdict:?}");
}

#[test]
fn missing_outputs_do_not_hold() {
    let p = problem("dct2 f32 5x5");
    assert!(!check(&p, false, 9, |_, _| Ok(())).unwrap().holds());
}

#[test]
fn errors_of_the_run_come_back() {
    let error = fourfold::Error::new(fourfold::ErrorKind::Unavailable, "no such engine");
    assert_eq!(check(&problem("dct2 f64 4"), false, 0, |_, _| Err(error.clone())), Err(error));
}

#[test]
fn long_problems_are_sampled() {
    for text in sample(["dct2 f32 50000", "fft f32 300x400x8 axes=0,1"], 1, 0) {
        let verdict = check(&problem(text), false, 10, |_, _| Ok(())).unwrap();
        assert!(verdict.sampled.is_some_and(|n| n >= 1000), "{text}: {verdict:?}");
    }
}
