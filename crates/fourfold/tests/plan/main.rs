//! Tests plans: threads, simultaneous executions, views, infinities and NaNs.

#[path = "../common/mod.rs"]
mod common;
mod errors;

use common::cases::read;
use common::run::{execute, execute_in_place};
use fourfold::oracle::verify::Data;
use fourfold::{Domain, Element, Isa, Kind, Layout, Plan, Planner, Precision, Problem, Result, Scratch, View, ViewMut};
use num_complex::Complex;

const SMALL: &str = include_str!("../../../../cases/small.txt");

/// Problems with every type of pass, large enough for several tiles for each thread.
const SHARED: [&str; 16] = [
    "dct2 f64 96x100",
    "dct2 f32 129x65 ortho",
    "dst4,dht f64 50x60",
    "rfft f64 64x66",
    "irfft f32 64x66",
    "fft f64 20x21x22",
    "dct2,fft f32 40x41",
    "dct3 f64 7x37x41 axes=1",
    "idct_idxst f64 65x64 inplace",
    "dct2 f64 16384",
    "fft f32 3x2000",
    "irfft f64 100000",
    "dct2 f32 300x200",
    "idct2 f64 33x1001 axes=0",
    "fft f64 40x41x42",
    "dct4,dht f32 3x130x170 axes=0,2 inplace",
];

fn plan(planner: &Planner, text: &str) -> Plan {
    let problem = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    planner.plan(&problem).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn with_threads(threads: usize) -> Planner {
    Planner::builder().threads(threads).build().unwrap()
}

fn random(precision: Precision, domain: Domain, layout: &Layout, seed: u64) -> Data {
    let mut data = Data::filled(precision, domain, layout.len, 0.0);
    let mut source = fastrand::Rng::with_seed(seed);
    (0..layout.len).for_each(|i| data.set(i, Complex::new(source.f64() - 0.5, source.f64() - 0.5)));
    data
}

fn random_input(problem: &Problem, seed: u64) -> Data {
    random(problem.precision(), problem.input_domain(), problem.input(), seed)
}

fn output(problem: &Problem) -> Data {
    Data::filled(problem.precision(), problem.output_domain(), problem.output().len, 0.0)
}

fn executed(plan: &Plan, input: &Data) -> Data {
    let in_place = plan.problem().in_place();
    let mut y = if in_place { input.clone() } else { output(plan.problem()) };
    execute(plan, input, &mut y).unwrap();
    y
}

#[test]
fn plans_may_be_shared_and_sent() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Plan>();
    shared::<Planner>();
    shared::<Scratch>();
}

#[test]
fn results_do_not_depend_on_the_threads() {
    for text in SHARED {
        let serial = plan(&with_threads(1), text);
        let input = random_input(serial.problem(), 1);
        let want = executed(&serial, &input);
        for threads in [2, 3, 7, 33] {
            let plan = plan(&with_threads(threads), text);
            assert_eq!(plan.threads(), threads);
            assert_eq!(executed(&plan, &input), want, "{text} with {threads} threads");
        }
    }
}

#[test]
fn one_plan_runs_in_several_threads_at_once() {
    for (text, threads) in SHARED.iter().flat_map(|text| [(text, 1), (text, 3)]) {
        let plan = plan(&with_threads(threads), text);
        std::thread::scope(|scope| {
            for seed in 0..4 {
                let plan = &plan;
                scope.spawn(move || {
                    let input = random_input(plan.problem(), seed);
                    let want = executed(plan, &input);
                    (0..20).for_each(|_| assert_eq!(executed(plan, &input), want, "{text}"));
                });
            }
        });
    }
}

#[test]
fn a_plan_outlives_its_planner() {
    let plan = plan(&with_threads(2), "dct2 f64 64x64");
    let input = random_input(plan.problem(), 1);
    assert_eq!(executed(&plan, &input), executed(&plan, &input));
}

#[test]
fn the_default_plan_of_4096_squared_needs_little_scratch() {
    for threads in [1, 2] {
        let plan = plan(&with_threads(threads), "dct2 f64 4096x4096");
        assert!(plan.scratch_bytes() < 16 << 20, "{} bytes", plan.scratch_bytes());
    }
}

/// Planning takes less than 1 ms.
#[test]
fn planning_is_quick() {
    let problem = "dct2 f64 1024x1024".parse().unwrap();
    let time = || {
        let (planner, start) = (Planner::new(), std::time::Instant::now());
        planner.plan(&problem).unwrap();
        start.elapsed()
    };
    // The least of 50 times, because other programs may load the machine.
    let best = (0..50).map(|_| time()).min().unwrap();
    assert!(best < std::time::Duration::from_millis(1), "{best:?}");
}

/// An element that is not finite changes every output that depends on it. If the definition
/// multiplies it by zero, the output may be finite or not.
#[test]
fn what_is_not_finite_reaches_all_that_depends_on_it() {
    for (kind, n) in Kind::ALL.into_iter().flat_map(|kind| [2, 5, 8, 17, 37, 101].map(|n| (kind, n))) {
        let plan = plan(&Planner::new(), &format!("{kind} f64 {n}"));
        let problem = plan.problem();
        let with = |at: usize, x: f64| {
            let mut input = Data::filled(problem.precision(), problem.input_domain(), problem.input().len, 0.0);
            input.set(at, Complex::new(x, 0.0));
            executed(&plan, &input)
        };
        for at in 0..problem.input().len {
            let (unit, nan, infinite) = (with(at, 1.0), with(at, f64::NAN), with(at, f64::INFINITY));
            let depends = |k: &usize| unit.get(*k).norm_sqr() > 1e-20;
            for k in (0..problem.output().len).filter(depends) {
                let lost = |y: &Data| !(y.get(k).re.is_finite() && y.get(k).im.is_finite());
                assert!(lost(&nan) && lost(&infinite), "{problem}: output {k} does not see element {at}");
            }
        }
    }
}

#[test]
fn views_have_strides_of_their_own() {
    for text in ["dct2 f64 6x7", "rfft f32 6x8", "irfft f64 6x9", "fft f32 5x6", "dct3,dst2 f64 4x5x6 axes=0,2"] {
        let plan = plan(&with_threads(3), text);
        let problem = plan.problem();
        let input = random_input(problem, 2);
        let want = executed(&plan, &input);
        // Negative strides with gaps, and transposed arrays: element i of C order is at the index
        // of the layout.
        let shapes = [&problem.input().shape, &problem.output().shape];
        let strided = shapes.map(|shape| {
            let reversed = Layout::c_order(&shape.iter().rev().copied().collect::<Vec<_>>(), 16).unwrap();
            let strides: Vec<_> = reversed.strides.iter().rev().map(|s| -3 * s).collect();
            Layout::strided(shape, &strides, 16).unwrap()
        });
        let places =
            strided.clone().map(|l| fourfold::oracle::naive::positions(&l, &fourfold::oracle::naive::everything(&l)));
        // The slice has three more elements than the layout needs, before the array.
        let mut x = Data::filled(problem.precision(), problem.input_domain(), strided[0].len + 3, f64::NAN);
        let mut y = Data::filled(problem.precision(), problem.output_domain(), strided[1].len + 3, 7.0);
        places[0].iter().enumerate().for_each(|(i, at)| x.set(at + 3, input.get(i)));
        execute_shifted(&plan, &x, &mut y, &strided, 3).unwrap();
        let mut rest = y.clone();
        for (i, at) in places[1].iter().enumerate() {
            assert_eq!(y.get(at + 3), want.get(i), "{text}");
            rest.set(at + 3, Complex::new(7.0, 7.0));
        }
        assert_eq!(rest, Data::filled(problem.precision(), problem.output_domain(), strided[1].len + 3, 7.0), "{text}");
    }
}

/// Executes on views whose layouts begin `shift` elements into the slices.
fn execute_shifted(plan: &Plan, x: &Data, y: &mut Data, layouts: &[Layout; 2], shift: usize) -> Result<()> {
    fn go<I: Element, O: Element>(plan: &Plan, x: &[I], y: &mut [O], l: &[Layout; 2], shift: usize) -> Result<()> {
        let input = View { data: x, offset: l[0].offset + shift, strides: &l[0].strides };
        let output = ViewMut { data: y, offset: l[1].offset + shift, strides: &l[1].strides };
        plan.execute_views(input, output, &mut plan.scratch())
    }
    match (x, y) {
        (Data::F64(x), Data::F64(y)) => go(plan, x, y, layouts, shift),
        (Data::F32(x), Data::ComplexF32(y)) => go(plan, x, y, layouts, shift),
        (Data::ComplexF64(x), Data::F64(y)) => go(plan, x, y, layouts, shift),
        (Data::ComplexF32(x), Data::ComplexF32(y)) => go(plan, x, y, layouts, shift),
        _ => unreachable!("the problems above have no other types"),
    }
}

#[test]
fn in_place_is_what_out_of_place_is() {
    for problem in read(SMALL) {
        let (from, to) = (problem.input(), problem.output());
        if problem.input_domain() != problem.output_domain() || from != to || problem.in_place() {
            continue;
        }
        let plan = with_threads(2).plan(&problem).unwrap();
        let input = random_input(&problem, 3);
        let want = executed(&plan, &input);
        let mut data = input.clone();
        execute_in_place(&plan, &mut data).unwrap();
        assert_eq!(data, want, "{problem}");
    }
}

/// The values of one line do not change other lines, which are in the same vectors.
#[test]
fn nan_stays_in_its_line() {
    for isa in Isa::available() {
        let planner = Planner::builder().isa(isa).build().unwrap();
        for kind in fourfold::Kind::ALL {
            for (precision, n) in [("f64", 12), ("f32", 37), ("f32", 16)] {
                for (shape, axis, line) in [(format!("19x{n}"), 1, 5), (format!("{n}x19"), 0, 5)] {
                    let plan = plan(&planner, &format!("{kind} {precision} {shape} axes={axis}"));
                    let clean = random_input(plan.problem(), 4);
                    let mut spoilt = clean.clone();
                    let strides = (plan.problem().input().strides.clone(), plan.problem().output().strides.clone());
                    spoilt.set(
                        (line * strides.0[1 - axis] + 2 * strides.0[axis]) as usize,
                        Complex::new(f64::NAN, f64::NAN),
                    );
                    let (want, got) = (executed(&plan, &clean), executed(&plan, &spoilt));
                    for i in 0..plan.problem().output().len {
                        let here = i as isize / strides.1[1 - axis] % 19 == line;
                        let (want, got) = (want.get(i), got.get(i));
                        assert!(here || want == got, "{}: {got} for {want} at {i}", plan.problem());
                        assert!(!here || got.re.is_nan() || got.im.is_nan(), "{}: {got} at {i}", plan.problem());
                    }
                }
            }
        }
    }
}

#[test]
fn infinities_and_extremes_do_not_panic() {
    for problem in read(SMALL) {
        let plan = with_threads(1).plan(&problem).unwrap();
        for value in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, f64::MIN_POSITIVE, -0.0] {
            executed(&plan, &Data::filled(problem.precision(), problem.input_domain(), problem.input().len, value));
        }
    }
}

#[test]
fn sums_of_zeros_are_zero() {
    for problem in read(SMALL) {
        let plan = with_threads(1).plan(&problem).unwrap();
        let y = executed(&plan, &Data::filled(problem.precision(), problem.input_domain(), problem.input().len, 0.0));
        assert!((0..problem.output().len).all(|i| y.get(i) == Complex::ZERO), "{problem}");
    }
}

/// The stride of an axis of one element is not used.
#[test]
fn strides_of_single_elements_do_not_matter() {
    let (most, least) = (isize::MAX, isize::MIN);
    for kind in ["dct2", "fft", "rfft", "irfft"] {
        for axes in ["0", "1", "0,1"] {
            let plain = plan(&with_threads(1), &format!("{kind} f64 1x8 axes={axes}"));
            for (a, b) in [(most, least), (least, most), (0, 0)] {
                let strided = plan(&with_threads(2), &format!("{kind} f64 1x8 axes={axes} in={a},1 out={b},1"));
                let input = random_input(plain.problem(), 5);
                assert_eq!(executed(&strided, &input), executed(&plain, &input), "{}", strided.problem());
            }
        }
    }
}

#[test]
fn there_may_be_32_axes() {
    let shape = format!("{}3x5", "1x".repeat(30));
    for kind in ["dct2", "fft", "rfft"] {
        let (many, few) = (
            plan(&with_threads(1), &format!("{kind} f64 {shape}")),
            plan(&with_threads(1), &format!("{kind} f64 3x5")),
        );
        let input = random_input(few.problem(), 6);
        let scale = if kind == "dct2" { 2f64.powi(30) } else { 1.0 };
        let (many, few) = (executed(&many, &input), executed(&few, &input));
        let len = if kind == "rfft" { 9 } else { 15 };
        assert!((0..len).all(|i| (many.get(i) - few.get(i) * scale).norm() <= 1e-14 * scale), "{kind}");
    }
    let plan = plan(&with_threads(1), &format!("dct2 f64 {shape} axes=31"));
    plan.execute(&[Complex::new(1.0, 2.0); 15], &mut [Complex::new(0.0, 0.0); 15]).unwrap();
}

#[test]
fn plans_say_what_they_are() {
    let planner = Planner::builder().isa(Isa::Simd128).threads(2).build().unwrap();
    let plan = plan(&planner, "dct2 f64 8x9");
    assert_eq!((plan.isa(), plan.threads(), planner.isa()), (Isa::Simd128, 2, Isa::Simd128));
    assert_eq!(plan.problem().to_string(), "dct2 f64 8x9");
    assert_eq!(plan.bytes_moved(), 4 * 72 * 8);
    assert!(format!("{plan:?}").contains("2 × simd128"));
    assert!(plan.scratch().bytes() >= plan.scratch_bytes());
}
