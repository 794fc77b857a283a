//! Arrays of 16 bits a real on a device, against the oracle. Without a device these tests pass with a
//! message, but fail in CI, which has PoCL.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::{present, read, verdict};
use fourfold::oracle::verify::Data;
use fourfold::{Bf16, ErrorKind, F16, Kind, Multiplier, Pipeline, Planner, Problem};
use fourfold_gpu::cache::Cache;
use fourfold_gpu::{Api, Device, GpuPlanner, Target};
use num_complex::Complex;

const CASES: &str = include_str!("../../../cases/half.txt");

/// A device of OpenCL is taken for a typical one: PoCL has more shared memory than any GPU.
fn planner(device: Device) -> GpuPlanner {
    let target = if device.info().id.api == Api::OpenCl { Target::opencl() } else { device.target() };
    GpuPlanner::as_for(&target, device, Cache::standard().unwrap())
}

fn problem(text: &str) -> Problem {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn halves_are_right() {
    let Some(device) = present() else { return };
    let (planner, own) = (planner(device), Planner::new());
    let judge = |problem: Problem| match verdict(&planner, own.recipe(&problem).unwrap(), 1) {
        Ok(verdict) if verdict.holds() => None,
        Ok(verdict) => Some(format!("{problem}: {verdict:?}")),
        Err(e) => Some(format!("{problem}: {e}")),
    };
    let wrong: Vec<_> = read(CASES).into_iter().filter_map(judge).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_cases_have_every_kind() {
    let cases = read(CASES);
    let missing: Vec<_> =
        Kind::ALL.iter().filter(|kind| !cases.iter().any(|case| case.kinds().contains(kind))).collect();
    let inverses = missing.iter().all(|kind| kind.name().starts_with('i'));
    assert!(inverses, "cases/half.txt lacks {missing:?}");
}

/// Every number is stored as the one nearest to it, of two the even one, also where it is subnormal,
/// infinite or none; so it is by the conversions of the host, which their own tests check.
#[test]
fn devices_round_as_the_host_does() {
    let Some(device) = present() else { return };
    let planner = planner(device);
    // A transform of length 1 multiplies by the scale.
    let x: Vec<u16> = (0..=u16::MAX).collect();
    let scale = 1.0 + 2f64.powi(-5) + 2f64.powi(-10);
    let text = |real: &str| format!("dht {real} 65536x1 axes=1 scale={scale:?}");
    let expected = |x: f32| x * scale as f32;

    let (halves, mut y) = (x.iter().map(|x| F16::from_bits(*x)).collect::<Vec<_>>(), vec![F16::default(); x.len()]);
    planner.plan(&problem(&text("f16"))).unwrap().execute(&halves, &mut y).unwrap();
    for (x, y) in halves.iter().zip(&y) {
        let wanted = F16::from(expected((*x).into()));
        assert!(*y == wanted || f32::from(wanted).is_nan() && f32::from(*y).is_nan(), "{x:?}: {y:?}, not {wanted:?}");
    }

    // Devices may take subnormal floats for 0.
    let is_normal = |x: f32| x == 0.0 || x.abs() >= 2.0 * f32::MIN_POSITIVE;
    let (halves, mut y) = (x.iter().map(|x| Bf16::from_bits(*x)).collect::<Vec<_>>(), vec![Bf16::default(); x.len()]);
    planner.plan(&problem(&text("bf16"))).unwrap().execute(&halves, &mut y).unwrap();
    for (x, y) in halves.iter().zip(&y).filter(|(x, _)| is_normal(f32::from(**x))) {
        let wanted = Bf16::from(expected((*x).into()));
        assert!(*y == wanted || f32::from(wanted).is_nan() && f32::from(*y).is_nan(), "{x:?}: {y:?}, not {wanted:?}");
    }
}

/// Sums beyond 65504 are not finite in `f16`, in `bf16` they are; a norm keeps them small, between
/// passes too.
#[test]
fn norms_keep_sums_of_f16_finite() {
    let Some(device) = present() else { return };
    let planner = planner(device);
    let run = |text: &str| {
        let problem = problem(text);
        let (x, mut y) = (Data::F32(vec![200.0; 512 * 512]), Data::F32(vec![0.0; 512 * 512]));
        planner.plan(&problem).unwrap().execute_data(&x, &mut y).unwrap();
        y.get(0).re
    };
    // The first pass makes an infinity, and the second one a NaN of it.
    assert!(!run("dct2 f16 512x512").is_finite());
    let near = |got: f64, wanted: f64, bound: f64| assert!((got / wanted - 1.0).abs() < bound, "{got}, not {wanted}");
    near(run("dct2 bf16 512x512"), 4.0 * 512.0 * 512.0 * 200.0, 0.01);
    near(run("dct2 f16 512x512 forward"), 200.0, 1e-3);
    near(run("dct2 f16 512x512 scale=1e-5"), 4.0 * 512.0 * 512.0 * 200.0 * 1e-5, 1e-3);
    // The first pass alone would make 204800 without its share of the scale.
    near(run("dct2 f16 512x512 ortho scale=0.25"), 512.0 * 200.0 * 0.25, 1e-3);
}

#[test]
fn inverses_undo_halves() {
    let Some(device) = present() else { return };
    let planner = planner(device);
    let forward = problem("dct2 f16 48x40 ortho");
    let x: Vec<F16> = (0..48 * 40).map(|i| F16::from((i as f32 * 0.37).sin())).collect();
    let (mut y, mut back) = (vec![F16::default(); x.len()], vec![F16::default(); x.len()]);
    planner.plan(&forward).unwrap().execute(&x, &mut y).unwrap();
    planner.plan(&forward.inverse().unwrap()).unwrap().execute(&y, &mut back).unwrap();
    let error: f32 = x.iter().zip(&back).map(|(x, y)| (f32::from(*x) - f32::from(*y)).powi(2)).sum();
    assert!((error / x.len() as f32).sqrt() < 1e-3, "{error}");
}

/// Numbers between transforms have 16 bits, also of a filter, and multiplies read their factors in `f32`.
#[test]
fn filters_of_halves_are_right() {
    let Some(device) = present() else { return };
    let planner = planner(device);
    let factors = Multiplier::Table((0..24 * 20).map(|i| 1.0 / (1.0 + i as f64 / 9.0)).collect());
    let filter = |real: &str| {
        let forward = problem(&format!("dct2 {real} 24x20 ortho"));
        let inverse = forward.inverse().unwrap();
        Pipeline::new().transform(forward).multiply(&factors).transform(inverse)
    };
    let x: Vec<F16> = (0..24 * 20).map(|i| F16::from((i as f32 * 0.37).sin())).collect();
    let (mut y, mut wanted) = (vec![F16::default(); x.len()], vec![0.0f32; x.len()]);
    planner.plan(filter("f16")).unwrap().execute(&x, &mut y).unwrap();
    let wide: Vec<f32> = x.iter().map(|x| f32::from(*x)).collect();
    Planner::new().plan(filter("f32")).unwrap().execute(&wide, &mut wanted).unwrap();
    let square = |x: f32| f64::from(x * x);
    let error: f64 = y.iter().zip(&wanted).map(|(y, wanted)| square(f32::from(*y) - wanted)).sum();
    let whole: f64 = wanted.iter().map(|wanted| square(*wanted)).sum();
    assert!((error / whole).sqrt() < 1e-3, "{error} of {whole}");
}

#[test]
fn sums_of_reals_take_complex_halves() {
    let Some(device) = present() else { return };
    let plan = planner(device).plan(&problem("dct2,dst1 bf16 6x10 ortho")).unwrap();
    let [re, im] = [0.3f32, 0.7].map(|step| (0..60).map(|i| Bf16::from((i as f32 * step).sin())).collect::<Vec<_>>());
    let both: Vec<_> = re.iter().zip(&im).map(|(re, im)| Complex::new(*re, *im)).collect();
    let mut parts = [vec![Bf16::default(); 60], vec![Bf16::default(); 60]];
    let mut out = vec![Complex::<Bf16>::default(); 60];
    plan.execute(&re, &mut parts[0]).unwrap();
    plan.execute(&im, &mut parts[1]).unwrap();
    plan.execute(&both, &mut out).unwrap();
    let near = |a: Bf16, b: Bf16| (f32::from(a) - f32::from(b)).abs() < 0.05;
    let is_near = |i: usize| near(out[i].re, parts[0][i]) && near(out[i].im, parts[1][i]);
    assert!((0..60).all(is_near), "{out:?}, not {parts:?}");
}

#[test]
fn other_types_than_the_problem_s_are_errors() {
    let Some(device) = present() else { return };
    let planner = planner(device);
    let plan = planner.plan(&problem("dct2 f16 8")).unwrap();
    let error = plan.execute(&[0.0f32; 8], &mut [0.0f32; 8]).unwrap_err();
    assert_eq!(error.to_string(), "`dct2 f16 8` takes F16 to F16, not f32 to f32");
    let error = plan.execute(&[F16::default(); 8], &mut [Bf16::default(); 8]).unwrap_err();
    assert_eq!(error.to_string(), "`dct2 f16 8` takes F16 to F16, not F16 to Bf16");
    let error = planner.plan(&problem("dct2 f32 8")).unwrap().execute(&[F16::default(); 8], &mut [F16::default(); 8]);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Argument);
    let error = plan.execute_data(&Data::F64(vec![0.0; 8]), &mut Data::F64(vec![0.0; 8])).unwrap_err();
    assert_eq!(error.to_string(), "`dct2 f16 8` takes its numbers as f32, not as f64");
}

/// Half the bytes, since what is between passes has 16 bits, too; three quarters at most where the lines
/// of a pass need several kernels, between which they have 32. No scratch beyond that of `f32`.
#[test]
fn halves_are_half_the_bytes() {
    for target in [Target::opencl(), Target::cuda("sm_90").unwrap()] {
        for shape in ["512x512", "4096x4096", "64x128x256", "500x300"] {
            let inspect = |real: &str| target.inspect(&problem(&format!("dct2 {real} {shape}"))).unwrap();
            let [half, single] = ["f16", "f32"].map(inspect);
            let most = if single.scratch_bytes == 0 { single.bytes_moved / 2 } else { single.bytes_moved / 4 * 3 };
            assert!(half.bytes_moved <= most, "{shape} on {}: {} bytes", target.name(), half.bytes_moved);
            assert_eq!(half.scratch_bytes, single.scratch_bytes, "{shape} on {}", target.name());
        }
    }
}
