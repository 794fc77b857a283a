//! Filters and thresholds on a device, beside the same on the CPU.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;
#[path = "common/filtered.rs"]
mod filtered;
#[path = "common/multiplied.rs"]
mod multiplied;

use common::sample::sample;
use common::{execute, present};
use fourfold::{Element, ErrorKind, Multiplier, Pipeline, Planner, Precision, Problem};
use fourfold_gpu::{DirectConvolution, GpuPlanner};
use multiplied::SIDES;
use num_complex::Complex;

type Complex64 = Complex<f64>;

fn wave(i: usize) -> f64 {
    (1.7 * i as f64).sin() + 0.1 * (i as f64).cos()
}

fn waves(count: usize) -> Vec<f64> {
    (0..count).map(wave).collect()
}

fn complex_waves(count: usize) -> Vec<Complex64> {
    (0..count).map(|i| Complex::new(wave(i), wave(i + 7))).collect()
}

/// The greatest difference between the filter here and there.
fn difference<I: Element, O: Element>(
    planner: &GpuPlanner,
    [forward, inverse]: [&str; 2],
    multiplier: &Multiplier,
    x: &[I],
    zeros: &[O],
    distance: fn(&O, &O) -> f64,
) -> f64 {
    let [forward, inverse]: [Problem; 2] = [forward, inverse].map(|text| text.parse().unwrap());
    let (mut here, mut there) = (zeros.to_vec(), zeros.to_vec());
    let filter = Pipeline::from(&forward).multiply(multiplier).transform(&inverse);
    planner.plan(filter.borrowed()).unwrap().execute(x, &mut here).unwrap();
    Planner::new().plan(filter).unwrap().execute(x, &mut there).unwrap();
    here.iter().zip(&there).map(|(a, b)| distance(a, b)).fold(0.0, f64::max)
}

fn real_distance(a: &f64, b: &f64) -> f64 {
    (a - b).abs()
}

fn complex_distance(a: &Complex64, b: &Complex64) -> f64 {
    (a - b).norm()
}

#[test]
fn filters_are_those_of_the_cpu() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    let lists = |shape: &[usize]| shape.iter().map(|n| waves(*n)).collect::<Vec<_>>();
    let complex_lists = |shape: &[usize]| shape.iter().map(|n| complex_waves(*n)).collect::<Vec<_>>();
    let real = |problems, multiplier: Multiplier, count: usize| {
        let error = difference(&planner, problems, &multiplier, &waves(count), &vec![0.0; count], real_distance);
        assert!(error < 1e-12, "{problems:?}: {error:e}");
    };
    real(["dct2 f64 12x20", "idct2 f64 12x20"], Multiplier::Table(waves(240)), 240);
    real(["dct2 f64 12x20", "idct_idxst f64 12x20"], Multiplier::Separable(lists(&[12, 20])), 240);
    real(["dst1,dct4 f64 3x9x10 axes=1,2", "idst1,idct4 f64 3x9x10 axes=1,2"], Multiplier::Table(waves(270)), 270);
    real(["rfft f64 18x22", "irfft f64 18x22"], Multiplier::Table(waves(18 * 12)), 18 * 22);
    real(["rfft f64 18x22", "irfft f64 18x22"], Multiplier::ComplexTable(complex_waves(18 * 12)), 18 * 22);
    real(["rfft f64 15x21", "irfft f64 15x21"], Multiplier::ComplexSeparable(complex_lists(&[15, 11])), 15 * 21);
    real(["dct2 f64 12x20 axes=1", "idct2 f64 12x20 axes=0"], Multiplier::Table(waves(240)), 240);
    real(["dct2 f64 33", "dct3 f64 33"], Multiplier::Separable(lists(&[33])), 33);
    let complex = |problems, multiplier: Multiplier, count: usize| {
        let zeros = vec![Complex64::default(); count];
        let error = difference(&planner, problems, &multiplier, &complex_waves(count), &zeros, complex_distance);
        assert!(error < 1e-12, "{problems:?}: {error:e}");
    };
    complex(["fft f64 8x17x4", "ifft f64 8x17x4"], Multiplier::ComplexTable(complex_waves(544)), 544);
    complex(["fft f64 40x6", "ifft f64 40x6"], Multiplier::Separable(lists(&[40, 6])), 240);
    complex(["dct2 f64 12x20", "idct2 f64 12x20"], Multiplier::Table(waves(240)), 240);
}

/// Every case, the sorts of multipliers in turn: the simulator has them all.
#[test]
fn filters_are_as_their_definitions() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    for (i, filter) in sample(filtered::cases().enumerate(), 8, 0) {
        let all = filter.multipliers();
        let multiplier = &all[i % all.len()];
        let plan = planner.plan(filter.pipeline(multiplier)).unwrap();
        filter.check(multiplier, plan.uses_bluestein(), |x, y| execute(&plan, x, y));
    }
}

/// Every case on both sides, the sorts of multipliers in turn: the simulator has them all.
#[test]
fn sides_are_multiplied_on_the_way() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    let cases = multiplied::cases().flat_map(|problem| SIDES.map(|side| (problem.clone(), side)));
    for (i, (problem, side)) in sample(cases.enumerate(), 9, 0) {
        let all = side.multipliers(&problem);
        let multiplier = &all[i / SIDES.len() % all.len()];
        let plan = planner.plan(side.pipeline(multiplier, &problem)).unwrap();
        let verdict = side.verdict(multiplier, &problem, plan.uses_bluestein(), |x, y| execute(&plan, x, y));
        assert!(verdict.holds(), "{problem}, {side:?}, {multiplier:?}: {verdict:?}");
    }
}

/// The IDXST ignores the spectrum's first column, however large it is; it comes after the sums
/// along columns.
#[test]
fn what_the_inverse_ignores_spoils_nothing() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    let mut factors = waves(9 * 15);
    factors.iter_mut().step_by(15).for_each(|factor| *factor = 1e12);
    let problems = ["dct2 f64 9x15", "dct3,idxst f64 9x15"];
    let (multiplier, zeros) = (Multiplier::Table(factors), vec![0.0; 135]);
    let error = difference(&planner, problems, &multiplier, &waves(135), &zeros, real_distance);
    assert!(error < 1e-10, "{error:e}");
}

#[test]
fn what_is_small_becomes_zero() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    for text in ["dct2 f64 24x36 ortho", "dct2 f64 7x9 ortho", "rfft f64 16x30 ortho"] {
        let problem: Problem = text.parse().unwrap();
        let x = waves(problem.input().len);
        let run = |threshold: f64| {
            let plan = planner.plan(Pipeline::from(&problem).threshold(threshold)).unwrap();
            let mut y = vec![Complex64::default(); problem.output().len];
            let mut real = vec![0.0; problem.output().len];
            match problem.output_domain() {
                fourfold::Domain::Real => plan.execute(&x, &mut real).unwrap(),
                fourfold::Domain::Complex => plan.execute(&x, &mut y).unwrap(),
            }
            real.into_iter().chain(y.into_iter().flat_map(|z| [z.re, z.im])).collect::<Vec<f64>>()
        };
        let (all, some) = (run(0.0), run(0.5));
        let cut: Vec<f64> = all.iter().map(|y| if y.abs() < 0.5 { 0.0 } else { *y }).collect();
        assert_eq!(some, cut, "{text}");
        assert!(some.iter().any(|y| *y != 0.0) && some.iter().zip(&all).any(|(a, b)| a != b), "{text}");
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    let parse = |text: &str| text.parse::<Problem>().unwrap();
    let (forward, inverse) = (parse("dct2 f64 4x5"), parse("idct2 f64 4x5"));
    let filter = |count, inverse| {
        planner.plan(Pipeline::from(&forward).multiply(Multiplier::Table(vec![1.0; count])).transform(inverse))
    };
    let short = filter(19, &inverse);
    assert_eq!(short.unwrap_err().kind(), ErrorKind::Argument);
    let other = filter(20, &parse("idct2 f64 5x4"));
    assert_eq!(other.unwrap_err().kind(), ErrorKind::Problem);
    let table = Multiplier::Table(vec![1.0; 20]);
    let shared = planner.plan(Pipeline::new().multiply(table).transform(parse("dct2 f64 4x5 in=1,1")));
    assert!(shared.unwrap_err().to_string().contains("in one place"));
    for least in [f64::NAN, -1.0] {
        let error = planner.plan(Pipeline::from(&forward).threshold(least)).unwrap_err();
        assert!(error.kind() == ErrorKind::Argument && error.to_string().contains("expected 0 or more"), "{error}");
    }
}

#[test]
fn direct_convolutions_are_their_sums() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device.clone());
    for (matrix, shape) in
        [([7, 9], [3, 3]), ([20, 33], [5, 4]), ([6, 5], [6, 5]), ([1, 4], [1, 1]), ([40, 17], [9, 2])]
    {
        let ([height, width], [rows, columns]) = (matrix, shape);
        let (x, taps) = (waves(height * width), waves(rows * columns));
        let plan = DirectConvolution::new(&planner, Precision::F64, matrix, &taps, shape).unwrap();
        let (input, mut output) = (device.upload(&x).unwrap(), device.array::<f64>(x.len()).unwrap());
        plan.execute_on(&input, &mut output).unwrap();
        let mut y = vec![0.0; x.len()];
        output.download(&mut y).unwrap();
        for (at, y) in y.iter().enumerate() {
            let from =
                |i: usize, j: usize| (at / width + height - i) % height * width + (at % width + width - j) % width;
            let terms = (0..rows * columns).map(|tap| taps[tap] * x[from(tap / columns, tap % columns)]);
            assert!((terms.sum::<f64>() - y).abs() < 1e-12, "{matrix:?} {shape:?} at {at}");
        }
    }
    let refused = |matrix, taps: usize, shape| {
        DirectConvolution::new(&planner, Precision::F32, matrix, &vec![1.0; taps], shape).err().unwrap().kind()
    };
    assert_eq!(refused([4, 4], 8, [3, 3]), ErrorKind::Argument);
    assert_eq!(refused([4, 4], 5, [5, 1]), ErrorKind::Argument);
    assert_eq!(refused([4, 4], 0, [0, 1]), ErrorKind::Argument);
    let plan = DirectConvolution::new(&planner, Precision::F32, [4, 4], &[1.0], [1, 1]).unwrap();
    let (short, mut whole) = (device.upload(&[0.0f32; 15]).unwrap(), device.array::<f32>(16).unwrap());
    assert_eq!(plan.execute_on(&short, &mut whole).unwrap_err().kind(), ErrorKind::Argument);
    let (wide, mut other) = (device.upload(&[0.0f64; 16]).unwrap(), device.array::<f64>(16).unwrap());
    assert_eq!(plan.execute_on(&wide, &mut other).unwrap_err().kind(), ErrorKind::Argument);
}
