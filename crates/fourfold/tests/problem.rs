//! Tests the resolved transforms, end weights and scales of problems against the definitions as
//! matrices.

use std::f64::consts::PI;

use fourfold::engine::{AxisTransform, EndWeights, Transform1d};
use fourfold::{Domain, Kind, Norm, Problem};
use num_complex::Complex;

fn parse(text: &str) -> Problem {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

type Z = Complex<f64>;

/// The definitions of `Transform1d`, term by term, as in its documentation.
fn sum(kind: Transform1d, n: usize, x: &[Z]) -> Vec<Z> {
    let last = n - 1;
    let end_factor = |term: bool| if term { 1.0 } else { 2.0 };
    let angle = |num: usize, den: usize| PI * num as f64 / den as f64;
    let root = |j: usize, k: usize| Z::cis(2.0 * PI * (j * k) as f64 / n as f64);
    let real =
        |f: &dyn Fn(usize, usize) -> f64| -> Vec<Z> { (0..n).map(|k| (0..n).map(|j| x[j] * f(k, j)).sum()).collect() };
    match kind {
        Transform1d::Dct1 => real(&|k, j| end_factor(j == 0 || j == last) * angle(k * j, last).cos()),
        Transform1d::Dct2 => real(&|k, j| 2.0 * angle(k * (2 * j + 1), 2 * n).cos()),
        Transform1d::Dct3 => real(&|k, j| end_factor(j == 0) * angle((2 * k + 1) * j, 2 * n).cos()),
        Transform1d::Dct4 => real(&|k, j| 2.0 * angle((2 * k + 1) * (2 * j + 1), 4 * n).cos()),
        Transform1d::Dst1 => real(&|k, j| 2.0 * angle((k + 1) * (j + 1), n + 1).sin()),
        Transform1d::Dst2 => real(&|k, j| 2.0 * angle((k + 1) * (2 * j + 1), 2 * n).sin()),
        Transform1d::Dst3 => real(&|k, j| end_factor(j == last) * angle((2 * k + 1) * (j + 1), 2 * n).sin()),
        Transform1d::Dst4 => real(&|k, j| 2.0 * angle((2 * k + 1) * (2 * j + 1), 4 * n).sin()),
        Transform1d::Dht => real(&|k, j| root(j, k).re + root(j, k).im),
        Transform1d::Idxst => real(&|k, j| angle(j * (2 * k + 1), 2 * n).sin()),
        Transform1d::IdxstAdjoint => real(&|k, j| angle(k * (2 * j + 1), 2 * n).sin()),
        Transform1d::Forward => (0..n).map(|k| (0..n).map(|j| x[j] * root(j, k).conj()).sum()).collect(),
        Transform1d::Backward => (0..n).map(|k| (0..n).map(|j| x[j] * root(j, k)).sum()).collect(),
        Transform1d::R2C => (0..=n / 2).map(|k| (0..n).map(|j| x[j].re * root(j, k).conj()).sum()).collect(),
        Transform1d::C2R => {
            let term = |j: usize, k: usize| end_factor(k == 0 || 2 * k == n) * (x[k] * root(j, k)).re;
            (0..n).map(|j| (0..=n / 2).map(|k| term(j, k)).sum::<f64>().into()).collect()
        }
    }
}

/// The transform along one axis of an array in C order, with end weights.
fn along_axis(t: &AxisTransform, shape: &mut [usize], x: &[Z]) -> Vec<Z> {
    let from = shape[t.axis];
    let half = t.n / 2 + 1;
    let to = match t.transform1d {
        Transform1d::R2C => half,
        _ => t.n,
    };
    assert_eq!(from, if t.transform1d == Transform1d::C2R { half } else { t.n });
    let inner: usize = shape[t.axis + 1..].iter().product();
    let outer = x.len() / (inner * from);
    let mut y = vec![Z::default(); outer * to * inner];
    for line in 0..outer * inner {
        let (o, i) = (line / inner, line % inner);
        let mut signal: Vec<Z> = (0..from).map(|j| x[(o * from + j) * inner + i]).collect();
        signal[0] *= t.end_weights.input_first;
        signal[from - 1] *= t.end_weights.input_last;
        let mut result = sum(t.transform1d, t.n, &signal);
        result[0] *= t.end_weights.output_first;
        result[to - 1] *= t.end_weights.output_last;
        for (k, value) in result.into_iter().enumerate() {
            y[(o * to + k) * inner + i] = value;
        }
    }
    shape[t.axis] = to;
    y
}

/// The problem on an array in C order, computed by the definitions.
fn apply(problem: &Problem, x: &[Z]) -> Vec<Z> {
    let mut transforms = problem.transforms().to_vec();
    transforms.sort_by_key(|t| (t.transform1d == Transform1d::C2R, t.transform1d != Transform1d::R2C));
    let mut shape = problem.input().shape.clone();
    let mut y: Vec<Z> = x.iter().map(|value| value * problem.scale()).collect();
    for transform in &transforms {
        y = along_axis(transform, &mut shape, &y);
    }
    assert_eq!(shape, problem.output().shape);
    y
}

/// The problem as a real matrix, as a list of columns. A complex element is two coordinates.
fn matrix(problem: &Problem) -> Vec<Vec<f64>> {
    let units: &[Z] = match problem.input_domain() {
        Domain::Real => &[Z::ONE],
        Domain::Complex => &[Z::ONE, Z::I],
    };
    let count = problem.input().elements();
    let mut columns = Vec::new();
    for (i, unit) in (0..count).flat_map(|i| units.iter().map(move |unit| (i, unit))) {
        let mut x = vec![Z::default(); count];
        x[i] = *unit;
        let y = apply(problem, &x);
        columns.push(match problem.output_domain() {
            Domain::Real => y.iter().map(|value| value.re).collect(),
            Domain::Complex => y.iter().flat_map(|value| [value.re, value.im]).collect(),
        });
    }
    columns
}

fn transposed(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
}

fn product(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let rows = transposed(a);
    let dot = |row: &Vec<f64>, column: &Vec<f64>| row.iter().zip(column).map(|(p, q)| p * q).sum();
    b.iter().map(|column| rows.iter().map(|row| dot(row, column)).collect()).collect()
}

fn identity(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|j| (0..n).map(|i| f64::from(i == j)).collect()).collect()
}

#[track_caller]
fn assert_close(a: &[Vec<f64>], b: &[Vec<f64>], what: &Problem) {
    let size = b.iter().flatten().fold(1.0, |most: f64, value| most.max(value.abs()));
    assert_eq!((a.len(), a[0].len()), (b.len(), b[0].len()), "{what}");
    for (p, q) in a.iter().flatten().zip(b.iter().flatten()) {
        assert!((p - q).abs() <= 1e-13 * size, "{what}: {a:?} is not {b:?}");
    }
}

/// All problems of small lengths with every kind, norm and orthogonalize, and some mixed ones in
/// two and three dimensions.
fn small_problems() -> Vec<Problem> {
    let mut texts = vec!["dct3,idxst f64 3x4".to_string()];
    for options in ["", " ortho", " forward", " orthogonalize=yes", " ortho orthogonalize=no", " forward scale=-3"] {
        for kind in Kind::ALL.into_iter().filter(|kind| options.is_empty() || *kind != Kind::Idxst) {
            texts.extend((kind.min_length()..7).map(|n| format!("{kind} f64 {n}{options}")));
        }
        for (kinds, shape) in MIXES {
            texts.push(format!("{kinds} f64 {shape}{options}"));
        }
    }
    let adjoint: Vec<String> = texts.iter().map(|text| format!("{text} adjoint")).collect();
    texts.iter().chain(&adjoint).map(|text| parse(text)).collect()
}

const MIXES: [(&str, &str); 7] = [
    ("dct1,dst2", "3x2"),
    ("dct2,dct3,idst3", "2x3x2"),
    ("rfft", "3x4"),
    ("irfft", "4x3"),
    ("rfft,dct2,fft", "4x2x3"),
    ("irfft,ifft", "4x3"),
    ("fft,idct1", "3x4"),
];

#[test]
fn norms_scale_as_scipy_documents() {
    // (kind, L at N = 5).
    let lengths = [("dct1", 8.0), ("dct2", 10.0), ("dst1", 12.0), ("dst3", 10.0), ("dht", 5.0), ("rfft", 5.0)];
    for (kind, l) in lengths {
        let scale = |text: String| parse(&text).scale();
        assert_eq!(scale(format!("{kind} f64 5")), 1.0);
        assert_eq!(scale(format!("{kind} f64 5 ortho")), 1.0 / f64::sqrt(l));
        assert_eq!(scale(format!("{kind} f64 5 forward")), 1.0 / l);
        assert_eq!(scale(format!("i{kind} f64 5")), 1.0 / l);
        assert_eq!(scale(format!("i{kind} f64 5 ortho")), 1.0 / f64::sqrt(l));
        assert_eq!(scale(format!("i{kind} f64 5 forward")), 1.0);
        assert_eq!(scale(format!("i{kind} f64 5x5 axes=1 scale=3")), 3.0 / l);
    }
    assert_eq!(parse("dct2 f64 2048x512 ortho").scale(), 1.0 / 2048.0);
}

#[test]
fn forward_kinds_are_their_sums() {
    for kind in Kind::ALL.into_iter().filter(|kind| kind.name().starts_with(['d', 'f', 'r']) || *kind == Kind::Idxst) {
        let problem = parse(&format!("{kind} f64 4"));
        let [transform] = problem.transforms() else { panic!("{problem}") };
        assert_eq!((transform.axis, transform.n, transform.transform1d), (0, 4, kind.transform1d()));
        assert_eq!((transform.end_weights, problem.scale()), (EndWeights::ONE, 1.0));
    }
}

#[test]
fn only_one_axis_is_halved() {
    let sums = |text| parse(text).transforms().iter().map(|t| (t.axis, t.transform1d)).collect::<Vec<_>>();
    assert_eq!(sums("rfft f64 4x5"), [(0, Transform1d::Forward), (1, Transform1d::R2C)]);
    assert_eq!(sums("rfft f64 4x5 axes=1,0"), [(1, Transform1d::Forward), (0, Transform1d::R2C)]);
    assert_eq!(sums("rfft,dct2 f64 4x5"), [(0, Transform1d::R2C), (1, Transform1d::Dct2)]);
    assert_eq!(
        sums("irfft,irfft,dst1 f64 4x5x6"),
        [(0, Transform1d::Backward), (1, Transform1d::C2R), (2, Transform1d::Dst1)]
    );
    assert_eq!(sums("rfft f64 4x5 adjoint"), [(0, Transform1d::Backward), (1, Transform1d::C2R)]);
    assert_eq!(parse("rfft f64 4x5 axes=1,0").output().shape, [3, 5]);
    assert_eq!(parse("irfft f64 4x5").input().shape, [4, 3]);
    assert_eq!(parse("irfft f64 4x5").output_domain(), Domain::Real);
    assert_eq!(parse("dct2,fft f64 4x5").input_domain(), Domain::Complex);
}

#[test]
fn inverses_undo() {
    for problem in small_problems().iter().filter(|problem| !problem.kinds().contains(&Kind::Idxst)) {
        let inverse = problem.inverse().unwrap();
        // Not every half spectrum is that of a real array, so the two transforms are the identity
        // only from the real side.
        let from_half = problem.input_domain() == Domain::Complex && problem.output_domain() == Domain::Real;
        let (first, second) = if from_half { (&inverse, problem) } else { (problem, &inverse) };
        let first = matrix(first);
        assert_close(&product(&matrix(second), &first), &identity(first.len()), problem);
    }
}

#[test]
fn adjoints_are_transposes() {
    for problem in &small_problems() {
        assert_close(&matrix(&problem.adjoint()), &transposed(&matrix(problem)), problem);
    }
}

#[test]
fn ortho_is_orthogonal() {
    let orthonormal = |problem: &&Problem| {
        let half = problem.input_domain() != problem.output_domain();
        problem.norm() == Norm::Ortho && !half && !problem.to_string().contains("orthogonalize")
    };
    for problem in small_problems().iter().filter(orthonormal) {
        let columns = matrix(problem);
        assert_close(&product(&transposed(&columns), &columns), &identity(columns.len()), problem);
    }
}
