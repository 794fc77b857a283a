//! CUDA kernels through NVIDIA's compiler, which needs no GPU. `cargo xtask test` brings it and
//! runs this.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::sample::{sample, whole};
use common::{families, read};
use fourfold::electrostatics::{Electrostatics, Float, Grid};
use fourfold::engine::jpeg::{Layout, Mode, Order, Table};
use fourfold::poisson::{Axis, Boundary, Boundary::*, Ends, Equation};
use fourfold::{Planner, Precision, Problem};
use fourfold_gpu::blocks::{BlockAlgorithm, BlockComponent, BlockPlan, BlockPlanBuilder, BlockWork};
use fourfold_gpu::inspect::Launch;
use fourfold_gpu::{GpuElectrostatics, Target};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const FILES: [&str; 2] = [include_str!("../../../cases/small.txt"), include_str!("../../../cases/gpu.txt")];

/// Columns that take the most threads of a cluster.
const LONG: [&str; 7] = [
    "dst3 f32 4096x4096",
    "dct2 f32 16384x16384",
    "dst4 f64 18928x1988",
    "fft f64 23296x500 axes=0",
    "dct3 f64 18816x738 axes=0",
    "dct2 f32 16384x64 axes=0",
    "dct3 f32 16384x64 axes=0",
];

const ARCHITECTURES: [&str; 2] = ["sm_80", "sm_90"];

/// A kernel of a problem's plan.
struct Kernel {
    architecture: &'static str,
    problem: Problem,
    launch: Launch,
}

/// Kernels that have between them every step of the cases, and those of the plans whose speed is
/// promised.
fn kernels(architecture: &'static str) -> Vec<Kernel> {
    let target = Target::cuda(architecture).unwrap();
    let mut seen = BTreeSet::new();
    let mut kernels = vec![];
    let fast = ["dct2", "dct3"].iter().flat_map(|kind| {
        let text = move |n: usize| ["f32", "f64"].map(|real| format!("{kind} {real} {n}x{n}"));
        [512, 1024, 2048, 4096, 8192].into_iter().flat_map(text)
    });
    let fast: Vec<Problem> = fast.chain(LONG.map(String::from)).flat_map(|text| read(&text)).collect();
    for (i, problem) in fast.iter().cloned().chain(FILES.iter().flat_map(|file| read(file))).enumerate() {
        let inspection = target.inspect(&problem).unwrap();
        let steps = families(&inspection);
        let fresh = !steps.is_subset(&seen);
        seen.extend(steps);
        if i < fast.len() || fresh {
            let kernel = |launch| Kernel { architecture, problem: problem.clone(), launch };
            kernels.extend(inspection.launches.into_iter().map(kernel));
        }
    }
    kernels
}

/// Arrays of 16 bits a real: a kernel of every sort, and those whose speed is promised. Before `sm_80`
/// `bf16` is rounded by its bits.
#[test]
#[ignore = "needs NVRTC: cargo xtask test brings it"]
fn kernels_of_halves_compile_without_spills() {
    let fast = ["dct2 f16 4096x4096", "dct3 f16 4096x4096", "dct2 bf16 4096x4096", "dct2 f16 512x512x512"];
    let cases = read(&[&fast.join("\n"), include_str!("../../../cases/half.txt")].join("\n"));
    let mut spilling = vec![];
    for architecture in ["sm_75", "sm_80", "sm_90"] {
        let (target, mut seen) = (Target::cuda(architecture).unwrap(), BTreeSet::new());
        for problem in sample(cases.clone(), if architecture == "sm_90" { 1 } else { 4 }, 0) {
            let inspection = target.inspect(&problem).unwrap();
            let steps = families(&inspection);
            if steps.is_subset(&seen) {
                continue;
            }
            seen.extend(steps);
            for launch in inspection.launches {
                let (line, spills) = compile(&Kernel { architecture, problem: problem.clone(), launch });
                println!("{line}");
                spilling.extend(spills.then_some(line));
            }
        }
    }
    assert!(spilling.is_empty(), "kernels spill registers:\n{spilling:#?}");
}

/// The number before some words of the compiler's log.
fn number(log: &str, after: &str) -> usize {
    let before = log.split(after).next().unwrap_or_default();
    let word = before.split_whitespace().last().unwrap_or_default();
    word.parse().unwrap_or_else(|_| panic!("no number of{after} in {log}"))
}

/// Bytes stored and loaded by kernels that leave registers for four blocks: two numbers that
/// live in memory cost less than a block, as was measured of DST-III.
const KEPT: usize = 16;

/// A line for the log, and whether registers are spilled.
fn compile(kernel: &Kernel) -> (String, bool) {
    let Kernel { architecture, problem, launch } = kernel;
    let log = launch.resources(architecture).unwrap_or_else(|e| panic!("{problem} on {architecture}: {e}"));
    let registers = number(log.split("Used ").nth(1).unwrap_or_default(), " registers");
    let spilled = number(&log, " bytes spill stores") + number(&log, " bytes spill loads");
    let (pass, threads, local) = (launch.pass + 1, launch.threads, launch.shared_bytes);
    let line = format!(
        "{architecture} {problem} pass {pass}: {registers} registers, {spilled} bytes spilled, {threads} threads, {local} bytes shared"
    );
    let kept = if launch.source.contains("__launch_bounds__(256, 4)") { KEPT } else { 0 };
    (line, spilled > kept)
}

#[test]
#[ignore = "needs NVRTC: cargo xtask test brings it"]
fn kernels_of_every_sort_compile_without_spills() {
    let of = |(turn, architecture)| sample(kernels(architecture), 2, turn);
    let kernels: Vec<Kernel> = ARCHITECTURES.into_iter().enumerate().flat_map(of).collect();
    let (next, results) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let work = || {
        while let Some(kernel) = kernels.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = compile(kernel);
            results.lock().unwrap().push(result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort();
    results.iter().for_each(|(line, _)| println!("{line}"));
    assert_eq!(results.len(), kernels.len());
    assert!(kernels.len() > if whole() { 80 } else { 40 }, "{}", kernels.len());
    let spilling: Vec<_> = results.iter().filter(|(_, spills)| *spills).map(|(line, _)| line).collect();
    assert!(spilling.is_empty(), "kernels spill registers:\n{spilling:#?}");
}

/// Solves of Poisson's equation, whose kernels multiply: those whose speed is promised, and one of every
/// sort of kind.
#[test]
#[ignore = "needs NVRTC: cargo xtask test brings it"]
fn kernels_of_solves_compile_without_spills() {
    let target = Target::cuda("sm_90").unwrap();
    let mut spilling = vec![];
    let cells = |n, boundary: Boundary| Axis::cells(n, 1.0, boundary);
    let nodes = |n, ends: Ends| Axis::nodes(n, 1.0, ends);
    for axes in [
        vec![cells(4096, Neumann); 2],
        vec![cells(1024, Dirichlet); 2],
        vec![cells(2048, Dirichlet); 2],
        vec![cells(256, Dirichlet); 3],
        vec![cells(512, Neumann); 3],
        vec![cells(256, Periodic); 2],
        vec![cells(4096, Periodic); 2],
        vec![nodes(4097, Neumann.into()); 2],
        vec![nodes(511, Dirichlet.into()); 2],
        vec![nodes(512, (Dirichlet, Neumann).into()); 2],
    ] {
        let equation = Equation::new(axes).unwrap();
        for precision in [Precision::F32, Precision::F64] {
            let pipeline = equation.pipeline(precision).unwrap();
            let recipe = Planner::new().recipe(pipeline.borrowed()).unwrap();
            let inspection = target.inspect_as(recipe, pipeline.multiplier(), None, false).unwrap();
            let problem = pipeline.problems().next().unwrap();
            for launch in inspection.launches {
                let (line, spills) = compile(&Kernel { architecture: "sm_90", problem: problem.clone(), launch });
                println!("solve: {line}");
                spilling.extend(spills.then_some(line));
            }
        }
    }
    assert!(spilling.is_empty(), "kernels spill registers:\n{spilling:#?}");
}

/// Every kernel for blocks: all options, the yardsticks, the other algorithms.
fn block_kernels() -> Vec<(String, BlockPlanBuilder)> {
    let component = |layout| BlockComponent { table: Table::raster([1; 64]), blocks: 6, layout };
    let mut kernels = vec![];
    for (work, mode, order) in [BlockWork::Inverse, BlockWork::Forward].into_iter().flat_map(|work| {
        [Mode::Fast, Mode::Exact]
            .into_iter()
            .flat_map(move |mode| [Order::Raster, Order::Zigzag].map(|order| (work, mode, order)))
    }) {
        for layout in [Layout::Blocks, Layout::Rows { across: 3, stride: 24 }] {
            let builder = BlockPlan::builder(work).mode(mode).order(order).component(component(layout));
            let name = format!("{work:?} {mode:?} {order:?} {layout:?}");
            if work == BlockWork::Inverse {
                kernels.push((format!("{name} to 16 bits"), builder.clone().samples::<i16>()));
            }
            kernels.push((name, builder));
        }
    }
    for work in [BlockWork::Move, BlockWork::MoveBack] {
        kernels.push((format!("{work:?}"), BlockPlan::builder(work).component(component(Layout::Blocks))));
    }
    for algorithm in BlockAlgorithm::ALL {
        let builder = BlockPlan::builder(algorithm.work).algorithm(algorithm).component(component(Layout::Blocks));
        kernels.push((format!("{:?} by {}", algorithm.work, algorithm.name), builder));
    }
    kernels
}

#[test]
#[ignore = "needs NVRTC: cargo xtask test brings it"]
fn kernels_for_blocks_compile_without_spills() {
    for architecture in ARCHITECTURES {
        let target = Target::cuda(architecture).unwrap();
        for (name, builder) in block_kernels() {
            let log = builder.resources(&target).unwrap_or_else(|e| panic!("{name}: {e}"));
            let spilled = number(&log, " bytes spill stores") + number(&log, " bytes spill loads");
            let registers = number(log.split("Used ").nth(1).unwrap_or_default(), " registers");
            println!("{architecture} blocks {name}: {registers} registers, {spilled} bytes spilled");
            assert_eq!(spilled, 0, "{name} spills registers");
        }
    }
}

/// What the compiler says of every kernel for cells, on grids whose indices have 32 and 64 bits.
fn cell_kernels<T: Float>(target: &Target) -> Vec<(String, String)> {
    let of = |(bins, smoothing)| {
        let grid = Grid::new([-1.0, 0.5], [10.0, 6.0], bins).unwrap();
        let builder = Electrostatics::<T>::builder(grid).smoothing(smoothing);
        // A fixed density beside cells that are widened, as circuits have it.
        let builder = if smoothing > 0.0 { builder.fixed_density(vec![0.5; grid.count()]) } else { builder };
        GpuElectrostatics::resources(&builder, target).unwrap_or_else(|e| panic!("{bins:?}: {e}"))
    };
    [([512, 1024], 2f64.sqrt()), ([512, 1024], 0.0), ([1 << 17, 1 << 16], 0.0)].into_iter().flat_map(of).collect()
}

#[test]
#[ignore = "needs NVRTC: cargo xtask test brings it"]
fn kernels_for_cells_compile_without_spills() {
    for architecture in ARCHITECTURES {
        let target = Target::cuda(architecture).unwrap();
        for (name, log) in [cell_kernels::<f32>(&target), cell_kernels::<f64>(&target)].concat() {
            let spilled = number(&log, " bytes spill stores") + number(&log, " bytes spill loads");
            let registers = number(log.split("Used ").nth(1).unwrap_or_default(), " registers");
            println!("{architecture} cells {name}: {registers} registers, {spilled} bytes spilled");
            assert_eq!(spilled, 0, "{name} spills registers");
        }
    }
}

#[test]
fn numbers_are_read_from_the_log() {
    let log = "ptxas info    : Function properties for pass\nptxas         .     0 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\nptxas info    : Used 64 registers, used 1 barriers\n";
    assert_eq!(number(log, " bytes spill stores"), 12);
    assert_eq!(number(log, " bytes spill loads"), 8);
    assert_eq!(number(log.split("Used ").nth(1).unwrap(), " registers"), 64);
}
