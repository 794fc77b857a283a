//! Every large allocation of a call fails in turn: that is an error, nothing is leaked, and the next
//! call works. Allocations are counted for the whole process, so this file has only one test.
#![cfg(target_os = "linux")]

#[path = "common/failing_allocator.rs"]
mod failing_allocator;

use failing_allocator::Refuse::{Beyond, Nothing, Number};
use failing_allocator::{FailingAllocator, count, live, peaks, refuse};
use fourfold::baseline::Algorithm;
use fourfold::convolve::{Convolution, ConvolutionMethod, Mode};
use fourfold::electrostatics::{Cells, Electrostatics, Grid};
use fourfold::poisson::{Axis, Boundary, BoundaryValues, End, Equation, Solver};
use fourfold::{Isa, Multiplier, Pipeline, Planner, Precision, Problem};
use fourfold_gpu::{Device, GpuElectrostatics, GpuPlanner};
use fourfold_jpeg::{Image, Limits, Sampling, Transform, decode, encode, read_coefficients, write_coefficients};
use std::cell::RefCell;
use std::fmt::Debug;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: FailingAllocator = FailingAllocator;

/// How often calls failed.
#[derive(Default)]
struct Tally {
    calls: usize,
    failed: usize,
}

impl Tally {
    /// Refuses each large allocation of a call, once.
    fn each<T, E: Debug>(&mut self, what: &str, call: impl Fn() -> Result<T, E>) {
        let all = self.begin(what, &call);
        assert!(all > 0, "{what} has no large allocation");
        for number in 1..=all {
            self.fails(what, Number(number), &call);
        }
    }

    /// Leaves a call one byte less than each of the peaks of its large allocations needs. So what
    /// is asked for first, to see whether there is memory, must be no less than what follows.
    fn peaks<T, E: Debug>(&mut self, what: &str, call: impl Fn() -> Result<T, E>) {
        self.begin(what, &call);
        for peak in peaks() {
            self.fails(what, Beyond(peak - 1), &call);
        }
    }

    /// Calls twice, since what is made once for all is not the call's, and counts large allocations.
    fn begin<T, E: Debug>(&mut self, what: &str, call: &impl Fn() -> Result<T, E>) -> usize {
        self.calls += 1;
        refuse(Nothing);
        call().unwrap_or_else(|error| panic!("{what}: {error:?}"));
        refuse(Nothing);
        call().unwrap_or_else(|error| panic!("{what}: {error:?}"));
        count()
    }

    fn fails<T, E: Debug>(&mut self, what: &str, refused: failing_allocator::Refuse, call: &impl Fn() -> Result<T, E>) {
        self.failed += 1;
        let fails_and_works = || {
            let before = live();
            refuse(refused);
            let outcome = call();
            refuse(Nothing);
            assert!(outcome.is_err(), "{what}, {refused:?}: no error");
            drop(outcome);
            let after_the_error = more_than(before);
            drop(call().unwrap_or_else(|error| panic!("{what} after {refused:?}: {error:?}")));
            (after_the_error, more_than(before))
        };
        // A thread that waits for a message for the first time allocates what wakes it, and keeps it. Whether
        // it has to wait is chance, but it does so once: what a call leaks, the next one leaks, too.
        if fails_and_works() != (0, 0) {
            let leaked = fails_and_works();
            assert_eq!(leaked, (0, 0), "{what}, {refused:?}: bytes in use after the error, and after the next call");
        }
    }
}

/// The bytes in use beyond those before. Threads that begin or end give some back later.
fn more_than(before: usize) -> usize {
    let more = || live().saturating_sub(before);
    let looks = std::iter::repeat_with(|| std::thread::sleep(Duration::from_millis(1))).take(200);
    std::iter::once(more()).chain(looks.map(|()| more())).find(|&more| more == 0).unwrap_or_else(more)
}

/// Long enough that tables and scratch are large.
const PROBLEMS: [&str; 10] = [
    "dct2 f64 1000x1024",
    "dct1,dst1 f32 1439x1025",
    "fft f64 65536",
    "dct4 f64 65536",
    "rfft f32 9x10x2200",
    "irfft f64 64x2879",
    "idxst f64 2053",
    "dct3 f64 100003",
    "dst2 f32 3000x20 inplace",
    "dht f64 10201",
];

/// Planning: tables and scratch are probed in one piece before they are made.
fn planning(tally: &mut Tally) {
    for (problem, isa) in
        PROBLEMS.iter().flat_map(|problem| Isa::available().into_iter().map(move |isa| (problem, isa)))
    {
        let parsed: Problem = problem.parse().unwrap();
        let plan = || Planner::builder().isa(isa).build()?.plan(&parsed);
        tally.peaks(&format!("planning {problem} with {isa}"), plan);
    }
    for (problem, algorithm) in PROBLEMS.iter().flat_map(|problem| Algorithm::ALL.map(|algorithm| (problem, algorithm)))
    {
        let parsed: Problem = problem.parse().unwrap();
        let Ok(recipe) = algorithm.recipe(&parsed) else { continue };
        tally.peaks(&format!("planning {problem} by {algorithm}"), || Planner::new().plan_recipe(recipe.clone()));
    }
    let problem: Problem = "dct2 f64 100x96".parse().unwrap();
    let multiplier = Multiplier::Table(vec![0.5; 9600]);
    let inverse = problem.inverse().unwrap();
    let filter = || Planner::new().plan(Pipeline::new().transform(&problem).multiply(&multiplier).transform(&inverse));
    tally.peaks("planning a filter", filter);
    let long: Problem = "dct2 f64 5000x2".parse().unwrap();
    let lists = Multiplier::Separable(vec![vec![0.5; 5000], vec![2.0; 2]]);
    tally.peaks("planning with lists", || Planner::new().plan(Pipeline::from(&long).multiply(&lists)));
}

/// Kernels are compiled once, and then found.
fn planning_on_a_device(tally: &mut Tally) {
    let device = match Device::open("opencl:0") {
        Err(error) if std::env::var_os("CI").is_none() => return eprintln!("NOT TESTED: {error}"),
        device => device.unwrap(),
    };
    let planner = GpuPlanner::new(device);
    for problem in ["dct2 f32 8192x20", "fft f32 3000x7", "dct1 f32 10008"] {
        let parsed: Problem = problem.parse().unwrap();
        tally.peaks(&format!("planning {problem} on a device"), || planner.plan(&parsed));
    }
    let (table, lists) = (vec![0.5; 9600], vec![vec![0.5; 5000], vec![2.0; 2]]);
    for (problem, multiplier) in [
        ("dct2 f32 100x96", Multiplier::Table(table.clone())),
        ("dct2 f32 100x96 in=1,100", Multiplier::Table(table)),
        ("dct2 f32 5000x2 in=1,5000", Multiplier::Separable(lists.clone())),
        ("dct2 f32 5000x2", Multiplier::Separable(lists)),
    ] {
        let parsed: Problem = problem.parse().unwrap();
        let premultiplied = || planner.plan(Pipeline::new().multiply(&multiplier).transform(&parsed));
        tally.peaks(&format!("planning multiply | {problem} on a device"), premultiplied);
    }
    let (builder, low, size) = (Electrostatics::<f32>::builder(grid()), [5.0; CELLS], [1.0; CELLS]);
    let cells = Cells { low: [&low, &low], size: [&size, &size] };
    let system = GpuElectrostatics::new(&planner, &builder, &Planner::new()).unwrap();
    tally.each("maps on a device", || system.maps());
    tally.each("cells on a device", || system.cells(cells));
    let mut maps = system.maps().unwrap();
    system.solve(cells, &mut maps).unwrap();
    tally.each("forces on a device", || system.forces(cells, &maps));
}

const CELLS: usize = 10_000;

/// Long lists along an axis, rows and strips.
fn grid() -> Grid {
    Grid::new([0.0, 0.0], [40_000.0, 8.0], [40_000, 8]).unwrap()
}

fn electrostatics(tally: &mut Tally) {
    let builder = |fused: bool| {
        let builder = Electrostatics::<f64>::builder(grid()).potential(true);
        if fused { builder } else { builder.algorithm(Some("three-stage".parse().unwrap())) }
    };
    for fused in [true, false] {
        let planner = Planner::builder().threads(2).build().unwrap();
        tally.peaks("planning electrostatics", || builder(fused).build(&planner));
        let system = builder(fused).build(&planner).unwrap();
        tally.each("maps", || system.maps());
        let (low, size) = ([5.0; CELLS], [1.0; CELLS]);
        let (cells, maps) = (Cells { low: [&low, &low], size: [&size, &size] }, RefCell::new(system.maps().unwrap()));
        tally.each("electrostatics", || system.solve(cells, &mut maps.borrow_mut()));
        let (spreader, maps) = (system.spreader(), maps.borrow());
        tally.each("forces", || spreader.forces(cells, maps.field()));
        tally.each("energy", || spreader.overflow(maps.density(), 1.0));
    }
}

fn executing(tally: &mut Tally) {
    for problem in PROBLEMS {
        let plan = Planner::builder().threads(2).build().unwrap().plan(&problem.parse().unwrap()).unwrap();
        tally.each(&format!("scratch of {problem}"), || plan.try_scratch());
    }
    let plan = Planner::builder().threads(2).build().unwrap().plan(&PROBLEMS[0].parse().unwrap()).unwrap();
    let x = vec![1.0; plan.problem().input().len];
    let y = RefCell::new(vec![0.0; x.len()]);
    tally.each("executing", || plan.execute(&x, &mut y.borrow_mut()));
}

/// A singular equation of many lines, whose right-hand side is summed in parts.
fn solving(tally: &mut Tally) {
    let cells = |points| Axis::cells(points, 1.0, Boundary::Neumann);
    let equation = Equation::new([cells(20_000), cells(4)]).unwrap();
    tally.each("factors of an equation", || equation.pipeline(Precision::F64));
    tally.peaks("planning an equation", || Solver::<f64>::new(&equation, &Planner::new()));
    let solver = Solver::<f64>::new(&equation, &Planner::new()).unwrap();
    let f: Vec<_> = (0..equation.unknowns()).map(|i| [1.0, -1.0][i % 2]).collect();
    let u = RefCell::new(vec![0.0; f.len()]);
    tally.each("solving", || solver.solve(&f, &mut u.borrow_mut()));
    let values = BoundaryValues::new().constant(1, End::Low, 1.0).constant(1, End::High, -1.0);
    tally.each("solving with boundary values", || solver.solve_with_boundary(&f, &values, &mut u.borrow_mut()));
}

/// A large kernel, and many arrays.
fn convolving(tally: &mut Tally) {
    let (kernel, planner) = (vec![0.5; 64 * 64], Planner::new());
    let builder = |method| Convolution::builder([300, 200], [64, 64], &kernel).method(method).correlate();
    tally.each("planning direct sums", || builder(ConvolutionMethod::Direct).build(&planner));
    tally.peaks("planning a convolution", || builder(ConvolutionMethod::Transform).build(&Planner::new()));
    for method in [ConvolutionMethod::Direct, ConvolutionMethod::Transform] {
        let many = || Convolution::builder([20_000, 30], [3], &kernel[..3]).method(method).build(&planner);
        let (x, y) = (vec![1.0; 20_000 * 30], RefCell::new(vec![0.0; 20_000 * 30]));
        let convolution = many().unwrap();
        tally.each(&format!("convolving {method:?}"), || convolution.apply(&x, &mut y.borrow_mut()));
        tally.each("the first of many", || many()?.apply(&x, &mut y.borrow_mut()));
    }
    estimated(tally, &[300, 200], &[64, 64]);
    estimated(tally, &[100, 120], &[500, 400]);
    estimated(tally, &[20_000, 30], &[3]);
    estimated(tally, &[200_000], &[3000]);
    estimated(tally, &[200_000, 1], &[3000, 1]);
}

/// What a convolution takes is known before, and no more than twice as much.
fn estimated(tally: &mut Tally, shape: &[usize], kernel_shape: &[usize]) {
    let kernel = vec![0.5; kernel_shape.iter().product()];
    let (x, y) = (vec![1.0; shape.iter().product()], RefCell::new(vec![0.0; shape.iter().product()]));
    for threads in [1, 2] {
        tally.begin("a convolution", &|| {
            let planner = Planner::builder().threads(threads).build()?;
            Convolution::builder(shape, kernel_shape, &kernel).build(&planner)?.apply(&x, &mut y.borrow_mut())
        });
        let peak = peaks().last().copied().unwrap_or(0) + size_of_val(&x[..]);
        let memory = Convolution::<f64>::memory(shape, kernel_shape, Mode::Same, threads).unwrap();
        assert!((peak..=2 * peak).contains(&memory), "{shape:?}, {kernel_shape:?}: {memory} bytes, in fact {peak}");
    }
}

fn jpeg(tally: &mut Tally) {
    let samples = (0..3 * 400 * 300u64).map(|i| (i * i % 251) as u8).collect();
    let image = Image { width: 400, height: 300, channels: 3, samples };
    let transform = Transform::builder().threads(2).build().unwrap();
    let limits = Limits::default();
    for sampling in [Sampling::Full, Sampling::Half, Sampling::Quarter] {
        tally.each("encoding", || encode(&image, 90, sampling, &transform));
        let file = encode(&image, 90, sampling, &transform).unwrap();
        tally.each("decoding", || decode(&file, &transform, &limits));
        tally.each("reading coefficients", || read_coefficients(&file, &limits));
        let coefficients = read_coefficients(&file, &limits).unwrap().value;
        tally.each("writing coefficients", || write_coefficients(&coefficients));
    }
}

#[test]
fn every_large_allocation_may_fail() {
    let mut tally = Tally::default();
    jpeg(&mut tally);
    executing(&mut tally);
    solving(&mut tally);
    convolving(&mut tally);
    planning(&mut tally);
    electrostatics(&mut tally);
    planning_on_a_device(&mut tally);
    println!("allocations: {} failed in {} calls", tally.failed, tally.calls);
}
