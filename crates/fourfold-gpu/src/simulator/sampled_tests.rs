//! Kernels of every sort at the sizes where indices begin to need 64 bits.

use crate::api::direct::Shape;
use crate::baseline::kernels::moves::StageKernelDesc;
use crate::baseline::staged::{Plan, plans};
use crate::desc::action::WORK;
use crate::desc::kernel::KernelDesc;
use crate::electrostatics::cells::{MOST_CELLS, MOST_PARTS};
use crate::electrostatics::kernels::{CellKernelDesc, CellWork, HEAD, SUMS};
use crate::ir::narrow::Narrow;
use crate::jpeg::builder::MOST_BLOCKS;
use crate::jpeg::kernels::desc::{BlockKernelDesc, BlockWork, Instructions};
use crate::jpeg::kernels::program::{Program, program};
use crate::jpeg::ladder;
use crate::jpeg::ladder::BlockAlgorithm;
use crate::lower::passes::lower;
use crate::run::inspect::Target;
use crate::simulator::sampled::Sampled;
use crate::write::writer::kernel;
use fastrand::Rng;
use fourfold::baseline::Algorithm;
use fourfold::electrostatics::{Electrostatics, Grid};
use fourfold::engine::ArrayId;
use fourfold::engine::jpeg::{Layout, Mode, Order};
use fourfold::{Planner, Precision, Problem};

/// Around 2^31 reals, below and above, and such strides.
const LARGE: &[&str] = &[
    "dct2 f32 32768x65535",
    "dct3 f32 46340x46340",
    "dct2 f64 46341x46341",
    "dct4 f64 65536x65536",
    "dst1 f32 46339x46341",
    "dht f64 1289x1290x1291 axes=2",
    "dct2 f32 1289x1290x1291 axes=0,2",
    "idct_idxst f32 32768x65535",
    "fft f32 32768x32767",
    "fft f64 46341x46341",
    "rfft f32 32768x65533",
    "irfft f64 32768x65533",
    "fft f32 16777216x63 axes=0",
    "dct2 f32 16777216x127 axes=0",
    "dct3 f64 127x16777216 axes=1",
    "rfft f32 67108864x15 axes=0",
    "fft f32 10007x100003 axes=0",
    "dct2 f32 4099x520000 axes=0",
    "dct2 f32 1000x1000 in=2100000,2000",
    "dct2 f32 1000x1000 out=2200000,2000",
    "fft f64 1000x1000 in=1000000,1000",
    "dct2 f32 2147483647x1 axes=1",
    "dct2 f16 46340x46340",
    "dct3 bf16 65536x65536",
    "fft f16 46341x46341",
];

/// Every problem of the case files.
fn cases() -> impl Iterator<Item = Problem> {
    let files = [
        include_str!("../../../../cases/gpu.txt"),
        include_str!("../../../../cases/small.txt"),
        include_str!("../../../../cases/half.txt"),
    ];
    let lines = files.into_iter().flat_map(str::lines).map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).map(|line| line.parse().unwrap())
}

/// Checks every pass of a problem; the kernels with wide indices and those without.
fn check_passes(target: &Target, problem: &Problem, parts: bool) -> [usize; 2] {
    let recipe = Planner::new().recipe(problem).unwrap();
    let lowered = lower(target.limits(), &recipe, parts, None, &[]).unwrap();
    let work = recipe.work().map_or(0, |(domain, shape)| domain.reals() * shape.iter().product::<usize>());
    let ends =
        [problem.input().len * problem.input_domain().reals(), problem.output().len * problem.output_domain().reals()];
    let reals = |id: ArrayId| match id {
        ArrayId::Input if problem.in_place() => ends[1],
        ArrayId::Input => ends[0],
        ArrayId::Output => ends[1],
        WORK => work,
        ArrayId::Work(_) => unreachable!("there is no filter"),
    };
    let mut widths = [0; 2];
    for pass in &lowered.passes {
        let table = pass.tables.indices();
        let scratch = pass.descs.iter().map(KernelDesc::scratch_reals).max().unwrap_or(0);
        for desc in &pass.descs {
            let reals = [reals(pass.ends[0]), reals(pass.ends[1]), scratch / if parts { 2 } else { 1 }];
            let [stored, real] = [desc.storage.bytes(), desc.precision().bytes()];
            let bytes = reals.map(|reals| reals * if parts { 2 } else { 1 });
            let wide = desc.frame().wide;
            let launch = Sampled {
                name: format!("{problem} on {}", target.name()),
                statements: &kernel(desc),
                storage: desc.storage,
                wide,
                range: None,
                blocks: desc.blocks(),
                threads: desc.threads,
                bytes: [bytes[0] * stored, bytes[1] * stored, bytes[2] * real, desc.shared_bytes()],
                table: None,
                indices: &|at, _| table[at],
            };
            launch.check();
            widths[usize::from(wide)] += 1;
        }
    }
    widths
}

#[test]
fn indices_of_transforms_stay_in_their_type_and_arrays() {
    let targets = [Target::opencl(), Target::cuda("sm_90").unwrap()];
    let mut widths = [0; 2];
    for target in &targets {
        for problem in LARGE.iter().filter_map(|text| text.parse().ok()).chain(cases()) {
            let [narrow, wide] = check_passes(target, &problem, false);
            widths = [widths[0] + narrow, widths[1] + wide];
        }
    }
    assert!(widths.iter().all(|count| *count > 20), "kernels without and with wide indices: {widths:?}");
}

#[test]
fn indices_of_both_parts_stay_in_their_type_and_arrays() {
    for text in ["dct2 f32 32768x32767", "dct3 f64 32768x32768", "dct4 f32 16777216x63 axes=0", "dht f32 12x20"] {
        check_passes(&Target::opencl(), &text.parse().unwrap(), true);
    }
}

#[test]
fn indices_of_methods_stay_in_their_type_and_arrays() {
    let problems = [
        "dct2 f32 32768x65535",
        "dct2 f64 46341x46341",
        "dct3 f32 32768x65535",
        "idct_idxst f32 32768x65535",
        "dct2 f32 2147483000",
        "fft f32 1073741823",
        "fft f32 32768x32767",
        "ifft,fft f32 32768x32768",
        "fft f32 1048576",
        "dct2 f64 12x20",
        "dct2 f32 1024",
        "ifft,fft f32 12x12",
        "fft f64 2048",
    ];
    let (mut widths, mut algorithms) = ([0; 2], 0);
    for algorithm in Algorithm::ALL {
        let recipes = problems.iter().filter_map(|text| algorithm.recipe(&text.parse().ok()?).ok());
        let mut count = 0;
        for recipe in recipes {
            for plan in plans(&recipe, false).unwrap() {
                let Plan::Kernel(desc) = plan else { continue };
                check_stage(&desc);
                widths[usize::from(desc.frame().wide)] += 1;
                count += 1;
            }
        }
        algorithms += usize::from(count > 0);
    }
    assert!(widths.iter().all(|count| *count > 20) && algorithms > 20, "{widths:?}, {algorithms} algorithms");
}

fn check_stage(desc: &StageKernelDesc) {
    let bytes = [&desc.from, &desc.to].map(|side| side.extent * desc.precision.bytes());
    for launch in [0, desc.launches() - 1] {
        let launch = Sampled {
            name: format!("launch {launch} of {desc:?}"),
            statements: &desc.kernel(),
            storage: desc.precision.into(),
            wide: desc.frame().wide,
            range: desc.range(),
            blocks: desc.blocks(),
            threads: desc.threads(),
            bytes: [bytes[0], bytes[1], 0, desc.shared_bytes()],
            table: None,
            indices: &|at, _| [launch as u32][at],
        };
        launch.check();
    }
}

#[test]
fn indices_of_cells_stay_in_their_type_and_maps() {
    let grids = [[64, 48], [1 << 15, (1 << 16) - 1], [1 << 15, 1 << 15], [2, (1 << 30) - 8200], [1 << 17, 1 << 16]];
    for (bins, smoothing) in grids.into_iter().flat_map(|bins| [(bins, 0.0), (bins, 2.0)]) {
        let grid = Grid::new([0.0, 0.0], [1.0, 1.0], bins).unwrap();
        let spreader = Electrostatics::<f32>::builder(grid).smoothing(smoothing).spreader(&Planner::new()).unwrap();
        for precision in [Precision::F32, Precision::F64] {
            let desc = CellKernelDesc::new(&spreader, precision);
            CellWork::ALL.into_iter().for_each(|work| check_cells(&desc, work, bins));
        }
    }
}

/// A kernel with as many cells and parts as there may be, of which any may be large.
fn check_cells(desc: &CellKernelDesc, work: CellWork, bins: [usize; 2]) {
    let real = desc.precision.bytes();
    let map = bins[0] * bins[1] * real;
    let (cells, parts) = (MOST_CELLS, MOST_PARTS);
    let items = match work {
        CellWork::Charge | CellWork::Forces => cells,
        CellWork::Join => parts,
        CellWork::Density => bins[0] * bins[1],
        CellWork::Energy => SUMS,
    };
    let (all, forces) = (4 * cells * real, 2 * cells * real);
    let (bytes, table) = match work {
        CellWork::Charge => ([all, 0, 8 * bins[0] * bins[1]], 2 * real),
        CellWork::Density => ([0, map, 8 * bins[0] * bins[1]], 2 * real),
        CellWork::Forces => ([all, forces, map], map),
        CellWork::Join => ([2 * parts * real, forces, 0], 0),
        CellWork::Energy => ([map, SUMS * real, 0], map),
    };
    let most = bins[1].min(parts + 1);
    let list = |at: usize, rng: &mut Rng| {
        let mut end = |most: usize| if rng.bool() { most } else { 0 };
        let value = match (at, at.saturating_sub(HEAD) / items) {
            (0, _) => items,
            (1, _) => cells,
            (2, _) => parts,
            (_, 0) => end(cells - 1),
            (_, 1) if work == CellWork::Join => 0,
            (_, 1) => end(most - 1),
            _ if work == CellWork::Join => parts,
            _ => most,
        };
        value as u32
    };
    let grid = desc.grid(work, items);
    let launch = Sampled {
        name: format!("{work:?} of {desc:?}"),
        statements: &desc.kernel(work),
        storage: desc.precision.into(),
        wide: desc.frame(work).wide,
        range: None,
        blocks: grid.blocks,
        threads: grid.threads,
        bytes: [bytes[0], bytes[1], bytes[2], grid.shared_bytes],
        table: Some(table),
        indices: &list,
    };
    launch.check();
}

#[test]
fn indices_of_direct_convolutions_stay_in_their_type_and_arrays() {
    let shapes = [[5, 7], [46340, 46340], [1, (1 << 31) - 300], [(1 << 31) - 300, 1], [46341, 46341]];
    for matrix in shapes {
        let taps = matrix.map(|n| n.min(5));
        let shape = Shape { precision: Precision::F32, matrix, taps };
        let (grid, bytes) = (shape.grid(), 4 * matrix[0] * matrix[1]);
        let launch = Sampled {
            name: format!("{matrix:?}"),
            statements: &shape.kernel(),
            storage: shape.precision.into(),
            wide: shape.frame().wide,
            range: None,
            blocks: grid.blocks,
            threads: grid.threads,
            bytes: [bytes, bytes, 0, grid.shared_bytes],
            table: Some(4 * taps[0] * taps[1]),
            indices: &|_, _| unreachable!("there is no list"),
        };
        launch.check();
    }
}

#[test]
fn indices_of_jpeg_s_blocks_stay_in_their_type_and_arrays() {
    let works = [BlockWork::Inverse, BlockWork::Forward, BlockWork::Move, BlockWork::MoveBack];
    for work in works {
        for (mode, order) in [(Mode::Fast, Order::Raster), (Mode::Fast, Order::Zigzag), (Mode::Exact, Order::Raster)] {
            for (narrow, rows) in [(Narrow::Byte, false), (Narrow::Byte, true), (Narrow::Short, true)] {
                let moves = matches!(work, BlockWork::Move | BlockWork::MoveBack);
                if (narrow == Narrow::Short && work != BlockWork::Inverse) || (moves && rows) {
                    continue;
                }
                let desc = BlockKernelDesc { work, mode, order, narrow, rows, instructions: Instructions::default() };
                check_blocks(&format!("{desc:?}"), &program(&desc), MOST_BLOCKS, (work, narrow, rows));
            }
        }
    }
}

#[test]
fn indices_of_jpeg_s_ladder_stay_in_their_type_and_arrays() {
    for algorithm in BlockAlgorithm::ALL {
        let sort = (algorithm.work, Narrow::Byte, false);
        check_blocks(algorithm.name, &(algorithm.program)(), ladder::MOST_BLOCKS, sort);
    }
}

/// As many blocks as there may be, or as rows of an image with room at the right.
fn check_blocks(name: &str, program: &Program, most: usize, (work, narrow, rows): (BlockWork, Narrow, bool)) {
    for blocks in [1, 129, most - 1, most] {
        let [across, stride] = if blocks % 128 == 0 { [128, 1024 + 8] } else { [blocks, 8 * blocks] };
        // With room, fewer blocks span the most samples.
        let blocks = if rows && stride > 8 * across { blocks / 2 } else { blocks };
        let layout = if rows { Layout::Rows { across, stride } } else { Layout::Blocks };
        let samples = layout.samples(blocks).unwrap() * (4 / narrow.per_word());
        let (coefficients, head) = (128 * blocks, [blocks, across, stride / 8, 0]);
        let (input, output) = match work {
            BlockWork::Inverse | BlockWork::Move => (coefficients, samples),
            BlockWork::Forward | BlockWork::MoveBack => (samples, coefficients),
        };
        let launch = Sampled {
            name: format!("{blocks} blocks of {name}"),
            statements: &program.statements,
            storage: program.frame.storage,
            wide: program.frame.wide,
            range: None,
            blocks: blocks.div_ceil(program.blocks),
            threads: program.frame.threads,
            bytes: [input, output, 0, program.shared_bytes()],
            table: None,
            indices: &|at, rng| head.get(at).map_or_else(|| rng.u32(1..256), |value| *value as u32),
        };
        launch.check();
    }
}
