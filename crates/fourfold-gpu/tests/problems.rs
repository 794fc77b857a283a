//! Problems of every sort on a device, against the oracle. Without a device they pass with a
//! message, but fail in CI, which has PoCL.

mod common;

use common::sample::sample;
use common::{execute, families, present, read, verdict};
use fourfold::oracle::verify::Data;
use fourfold::{ErrorKind, Kind, Multiplier, Pipeline, Planner};
use fourfold_gpu::cache::Cache;
use fourfold_gpu::{Api, Device, GpuPlanner, Target};
use num_complex::Complex;
use std::collections::BTreeMap;

const SMALL: &str = include_str!("../../../cases/small.txt");
const FAMILIES: &str = include_str!("../../../cases/gpu.txt");
const FUSED_AXES: &str = include_str!("../../../cases/fused_axes.txt");
const DIGIT_RANGES: &str = include_str!("../../../cases/digit_ranges.txt");
const ROUGH_LINES: &str = include_str!("../../../cases/rough_lines.txt");

/// A device of OpenCL is taken for a typical one: PoCL has more shared memory than any GPU.
fn planner(device: Device) -> GpuPlanner {
    let target = if device.info().id.api == Api::OpenCl { Target::opencl() } else { device.target() };
    GpuPlanner::as_for(&target, device, Cache::standard().unwrap())
}

fn all_hold(text: &str) {
    let Some(device) = present() else { return };
    all_hold_with(&planner(device), text);
}

/// A sample of the cases: the simulator has every sort of step but those of the longest signals.
fn all_hold_with(planner: &GpuPlanner, text: &str) {
    let own = Planner::new();
    let judge = |problem: fourfold::Problem| match verdict(planner, own.recipe(&problem).unwrap(), 1) {
        Ok(verdict) if verdict.holds() => None,
        Ok(verdict) => Some(format!("{problem}: {verdict:?}")),
        Err(e) => Some(format!("{problem}: {e}")),
    };
    let wrong: Vec<_> = sample(read(text), 16, 0).into_iter().filter_map(judge).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn small_problems_are_right() {
    all_hold(SMALL);
}

#[test]
fn every_kernel_family_is_right() {
    all_hold(FAMILIES);
}

/// By the attributes that the device tells, and by those of others that have less: warps of 16 or
/// 64 threads, shared memory without banks, long sectors.
#[test]
fn plans_for_devices_of_all_sorts_are_right() {
    let Some(device) = present() else { return };
    let cache = || Cache::standard().unwrap();
    let mut targets = vec![device.target()];
    if device.info().id.api == Api::OpenCl {
        let known = |name| Target::known(Api::OpenCl, name).unwrap();
        targets.extend(["mi300x", "arc-a770", "mali-g710"].map(known));
    }
    let count = targets.len();
    for (turn, target) in targets.into_iter().enumerate() {
        let own: Vec<&str> = FAMILIES.lines().skip(turn).step_by(count).collect();
        let text = own.join("\n");
        let planner = GpuPlanner::as_for(&target, device.clone(), cache());
        all_hold_with(&planner, &if target.attributes().double { text } else { text.replace(" f64 ", " f32 ") });
    }
}

/// Every kind at lengths of every sort, in rows and columns.
fn all_sorts() -> impl Iterator<Item = String> {
    let lengths =
        (1..=66).chain([97, 128, 255, 257, 512, 1000, 1009, 1013, 1439, 2048, 2879, 4096, 8191, 16384, 65536, 99999]);
    lengths.flat_map(|n| {
        Kind::ALL.iter().flat_map(move |kind| {
            let n = n.max(kind.min_length());
            ["f32", "f64"]
                .into_iter()
                .flat_map(move |real| [format!("{kind} {real} 40x{n} axes=1"), format!("{kind} {real} {n}x40 axes=0")])
        })
    })
}

/// What the problems of some texts reach on a target, each with the first that does.
fn reached<'a>(target: &Target, texts: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, String> {
    let mut reached = BTreeMap::new();
    for problem in texts.into_iter().flat_map(read) {
        let inspection = target.inspect(&problem).unwrap_or_else(|e| panic!("{problem}: {e}"));
        for family in families(&inspection) {
            reached.entry(family).or_insert_with(|| problem.to_string());
        }
    }
    reached
}

#[test]
fn the_cases_reach_every_sort_of_kernel() {
    let sorts: Vec<_> = all_sorts().collect();
    for target in [Target::opencl(), Target::cuda("sm_90").unwrap()] {
        let wanted = reached(&target, sorts.iter().map(String::as_str));
        let tested = reached(&target, [SMALL, FAMILIES]);
        let missing: Vec<_> = wanted.iter().filter(|(family, _)| !tested.contains_key(*family)).collect();
        assert!(
            missing.is_empty(),
            "cases/gpu.txt has none of these on {}, with examples:\n{missing:#?}",
            target.name()
        );
        assert!(wanted.len() >= 20, "{wanted:#?}");
    }
    let count =
        [SMALL, FAMILIES, FUSED_AXES, DIGIT_RANGES, ROUGH_LINES].iter().map(|text| read(text).len()).sum::<usize>();
    assert!(count <= 350, "{count} cases: PoCL compiles two kernels a second");
}

#[test]
fn passes_along_several_axes_in_one_kernel_are_right() {
    all_hold(FUSED_AXES);
}

#[test]
fn lines_longer_than_local_memory_are_right() {
    let Some(device) = present() else { return };
    let target = device.target().with_shared_bytes(8 << 10);
    let planner = GpuPlanner::as_for(&target, device, Cache::standard().unwrap());
    all_hold_with(&planner, DIGIT_RANGES);
    all_hold_with(&planner, ROUGH_LINES);
}

#[test]
fn sums_of_reals_take_complex_data() {
    let Some(device) = present() else { return };
    let plan = GpuPlanner::new(device).plan(&"dct2,dst1 f64 6x10 ortho".parse().unwrap()).unwrap();
    let re: Vec<f64> = (0..60).map(|i| (i as f64).sin()).collect();
    let im: Vec<f64> = (0..60).map(|i| (i as f64).cos()).collect();
    let both: Vec<_> = re.iter().zip(&im).map(|(re, im)| Complex::new(*re, *im)).collect();
    let (mut out_re, mut out_im, mut out) = (vec![0.0; 60], vec![0.0; 60], vec![Complex::<f64>::default(); 60]);
    plan.execute(&re, &mut out_re).unwrap();
    plan.execute(&im, &mut out_im).unwrap();
    plan.execute(&both, &mut out).unwrap();
    for (z, (re, im)) in out.iter().zip(out_re.iter().zip(&out_im)) {
        assert!((z.re - re).abs() < 1e-14 && (z.im - im).abs() < 1e-14);
    }
}

#[test]
fn what_is_ignored_or_another_signal_spoils_nothing() {
    let Some(device) = present() else { return };
    let planner = planner(device);
    let run = |text: &str, spoilt: &dyn Fn(usize) -> bool| {
        let problem: fourfold::Problem = text.parse().unwrap();
        let x = (0..problem.input().len).map(|i| if spoilt(i) { f64::NAN } else { (i as f64).sin() });
        let x: Vec<f64> = x.collect();
        let mut y = vec![0.0f64; x.len()];
        planner.plan(&problem).unwrap().execute(&x, &mut y).unwrap();
        y
    };
    // The IDXST ignores the first element: here, the first row or column.
    for (text, columns) in [("idxst,dct3 f64 6x9", 9), ("idxst,dct2 f64 6x16", 16)] {
        assert!(run(text, &|i| i < columns).iter().all(|y| y.is_finite()), "{text}");
    }
    for (text, columns) in [("dct3,idxst f64 6x9", 9), ("dct2,idxst f64 4096x16", 16), ("dct1,idxst f64 9x8", 8)] {
        assert!(run(text, &|i| i % columns == 0).iter().all(|y| y.is_finite()), "{text}");
    }
    // A half spectrum's first term is real.
    let problem: fourfold::Problem = "irfft,dct2 f64 8x5".parse().unwrap();
    let mut x: Vec<_> = (0..25).map(|i| Complex::new((i as f64).sin(), (i as f64).cos())).collect();
    x[1].im = f64::NAN;
    let mut y = vec![0.0f64; 40];
    planner.plan(&problem).unwrap().execute(&x, &mut y).unwrap();
    assert!(y.iter().all(|y| y.is_finite()), "{y:?}");
    for text in ["dct2 f64 6x10 axes=1", "dct3 f64 6x9 axes=1", "dst2 f64 6x5x9 axes=1,2"] {
        let y = run(text, &|i| i == 2);
        let signal = y.len() / 6;
        assert!(y[..signal].iter().all(|y| y.is_nan()) && y[signal..].iter().all(|y| y.is_finite()), "{text}: {y:?}");
    }
}

#[test]
fn arrays_on_the_device_stay_there() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device.clone());
    let problem = "dct2 f32 16x16 ortho".parse::<fourfold::Problem>().unwrap();
    let (plan, back) = (planner.plan(&problem).unwrap(), planner.plan(&problem.inverse().unwrap()).unwrap());
    let x: Vec<f32> = (0..256).map(|i| i as f32).collect();
    let (mut a, mut b) = (device.upload(&x).unwrap(), device.array::<f32>(256).unwrap());
    plan.execute_on(&a, &mut b).unwrap();
    back.execute_on_in_place(&mut b).unwrap();
    a.copy_from(&b).unwrap();
    let mut y = vec![0.0f32; 256];
    a.download(&mut y).unwrap();
    assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-3), "{y:?}");
}

#[test]
fn what_does_not_fit_is_an_error() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device.clone());
    let plan = planner.plan(&"dct2 f32 8".parse().unwrap()).unwrap();
    let argument = |result: fourfold::Result<()>| assert_eq!(result.unwrap_err().kind(), ErrorKind::Argument);
    argument(plan.execute(&[0.0f32; 7], &mut [0.0f32; 8]));
    argument(plan.execute(&[0.0f32; 8], &mut [0.0f32; 7]));
    argument(plan.execute(&[0.0f64; 8], &mut [0.0f64; 8]));
    argument(execute(&plan, &Data::F32(vec![0.0; 8]), &mut Data::ComplexF32(vec![Complex::default(); 8])));
    let long = planner.plan(&"fft f32 1000000007".parse().unwrap());
    let long = long.unwrap_err();
    assert_eq!(long.kind(), ErrorKind::Unavailable);
    assert!(long.to_string().contains("at most 268435456 run on a GPU; use shorter axes, or the CPU engine"), "{long}");
    let other = GpuPlanner::new(common::device().unwrap()).plan(&"dct2 f32 8".parse().unwrap()).unwrap();
    argument(other.execute_on_in_place(&mut device.upload(&[0.0f32; 8]).unwrap()));
}

#[test]
fn a_device_that_is_not_there_is_an_error() {
    for absent in [Device::cuda(1000), Device::opencl(1000), Device::open("opencl:1000")] {
        assert_eq!(absent.unwrap_err().kind(), ErrorKind::Unavailable);
    }
}

/// Sizes of plans do not overflow: of scratch, of tables, of what is moved.
#[test]
fn plans_that_no_device_runs_are_errors() {
    let planned = |target: &Target, problem: &str| target.inspect(&problem.parse().unwrap()).map(drop);
    let [cuda, mi300x] = [(Api::Cuda, "sm_90"), (Api::OpenCl, "mi300x")].map(|(api, name)| Target::known(api, name));
    let [cuda, mi300x] = [cuda.unwrap(), mi300x.unwrap()];
    planned(&cuda, "dct2 f64 34359738368x16 axes=1").unwrap();
    let blocks = "a launch has 2147483648 blocks; sm_90 has at most 2147483647: use fewer elements";
    let bytes =
        |bytes: usize| format!("an array of {bytes} bytes is too large: a device addresses at most {}", 1usize << 57);
    for (target, problem, words) in [
        (&cuda, "dct2 f64 68719476736x16 axes=1", blocks.to_owned()),
        (&cuda, "dct1 f16 268435456x268435456", "blocks; sm_90 has at most".into()),
        (&mi300x, "dct1 f16 268435456x268435456", "blocks; mi300x has at most 4294967295: use fewer".into()),
        (&mi300x, "irfft f32 67108864x134217728", "blocks; mi300x has at most".into()),
        (&cuda, "dct2 f64 268435456x268435456", bytes(1 << 59)),
        (&mi300x, "dct1 f16 268435456x268435456x32", bytes(1 << 62)),
        (&cuda, "fft f32 8 out=9007199254740992", bytes(7 * (1 << 56) + 8)),
    ] {
        let error = planned(target, problem).expect_err(problem);
        assert!(error.kind() == ErrorKind::Unavailable && error.to_string().contains(&words), "{problem}: {error}");
    }
}

#[test]
fn f64_on_a_device_without_it_is_an_error() {
    let targets = [Target::opencl(), Target::cuda("sm_90").unwrap()].map(Target::without_f64);
    for target in &targets {
        for problem in read(SMALL) {
            let planned = target.inspect(&problem);
            if problem.precision() == fourfold::Precision::F32 {
                let launches = planned.unwrap_or_else(|e| panic!("{problem}: {e}")).launches;
                assert!(launches.iter().all(|launch| !launch.source.contains("double")), "{problem}");
                continue;
            }
            let error = planned.err().unwrap_or_else(|| panic!("{problem} is planned"));
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            assert_eq!(error.to_string(), format!("{} has no f64: use f32", target.name()));
        }
    }
    let Some(device) = present() else { return };
    let target = device.target().without_f64();
    let planner = GpuPlanner::as_for(&target, device, None);
    let problem = |text: &str| text.parse::<fourfold::Problem>().unwrap();
    let forward = || Pipeline::new().transform(problem("dct2 f64 8"));
    let refused = [
        planner.plan(&problem("dct2 f64 8")),
        planner.plan(forward().threshold(1.0)),
        planner.plan(forward().multiply(Multiplier::Table(vec![1.0; 8])).transform(problem("dct3 f64 8"))),
    ];
    for plan in refused {
        let error = plan.expect_err("must be refused");
        assert!(error.kind() == ErrorKind::Unavailable && error.to_string().contains("has no f64: use f32"), "{error}");
    }
    planner.plan(&problem("dct2 f32 8")).unwrap();
}
