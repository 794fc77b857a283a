//! Table VII: Algorithm 4, the density, the field and the forces of circuits as large as those of
//! the ISPD 2005 contest.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::{Error, Result, ensure};
use fourfold::Planner;
use fourfold::electrostatics::{Builder, Cells, Electrostatics, Grid, Map, Maps};
use fourfold::timing::Work;
use fourfold::timing::table::{digits, ratio};
use fourfold_cli::algorithm::AlgorithmName;
use fourfold_cli::bench_targets::contestant;
use fourfold_gpu::{Device, GpuArray, GpuCells, GpuElectrostatics, GpuMaps};

use crate::measure::Setting;
use crate::page::{Outcome, Page, Part, strings};
use crate::plot::{Line, Plot};

/// A circuit: its movable cells (Nam et al., 2005), bins along each axis (DREAMPlace's settings for
/// it), and the published milliseconds by rows and columns and in three stages, on a Titan Xp, with
/// their quotient.
struct Circuit {
    name: &'static str,
    cells: usize,
    bins: usize,
    published: [&'static str; 3],
}

const CIRCUITS: [Circuit; 8] = [
    circuit("adaptec1", 210_904, 512, ["0.63", "0.33", "1.90"]),
    circuit("adaptec2", 254_457, 1024, ["2.00", "1.00", "1.99"]),
    circuit("adaptec3", 450_927, 1024, ["2.27", "1.29", "1.75"]),
    circuit("adaptec4", 494_716, 1024, ["2.88", "1.89", "1.53"]),
    circuit("bigblue1", 277_604, 512, ["0.67", "0.38", "1.78"]),
    circuit("bigblue2", 534_782, 1024, ["2.56", "1.53", "1.68"]),
    circuit("bigblue3", 1_095_519, 2048, ["8.25", "4.87", "1.69"]),
    circuit("bigblue4", 2_169_183, 2048, ["15.10", "11.72", "1.29"]),
];

const fn circuit(name: &'static str, cells: usize, bins: usize, published: [&'static str; 3]) -> Circuit {
    Circuit { name, cells, bins, published }
}

/// Those of a quick run: one of each smaller grid.
const QUICK_CIRCUITS: usize = 2;

const METHODS: [&str; 3] = ["row-column", "three-stage", "fused"];

const PARTS: [Part; 2] = [
    Part { title: "The step as published, and today's transforms", columns: 8 },
    Part { title: "Today's step", columns: 5 },
];

/// The part of the region that cells cover.
const UTILISATION: f64 = 0.7;

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let circuits = if setting.quick { &CIRCUITS[..QUICK_CIRCUITS] } else { &CIRCUITS[..] };
    let (mut rows, mut bars) = (vec![], [vec![], vec![], vec![]]);
    for (i, circuit) in circuits.iter().enumerate() {
        let (transforms, whole) = times(setting, circuit)?;
        bars.iter_mut().zip(&transforms).for_each(|(bar, &ms)| bar.push((i as f64, ms)));
        rows.push(row(circuit, &transforms, &whole));
    }
    let line = |(name, points): (&str, Vec<_>)| Line { name: name.into(), points };
    Ok(Outcome::page(Page {
        title: format!("Table VII: electric field and forces of placed circuits, on {}", setting.engine()),
        text: vec![
            format!(
                "Milliseconds of one step of Algorithm 4. The circuits are synthetic: as many cells as the ISPD 2005 circuits have movable ones, one row high and of random widths, \
                 spread evenly at random over the region, of which they cover {:.0} %; grids as DREAMPlace sets them. `transforms`: DCT-II, two scalings, IDXST_IDCT and IDCT_IDXST (no potential, as the \
                 algorithm has none); scalings are trips of their own for row-column and three-stage, and parts of passes for fused. `step`: with the density of all cells, \
                 widened to √2 bins, before, and the force on each of them after{}. Published: the whole step on a Titan Xp with an actual placement's cells.",
                100.0 * UTILISATION,
                if matches!(setting.contender().0.engine, fourfold_cli::engine::Engine::Cpu(_)) {
                    ""
                } else {
                    ", all on the device, where the cells are and the forces stay"
                }
            ),
            format!(
                "{} FFTs: {}.",
                setting.how_of_steps(&format!("the fields of the other methods with that of {}", METHODS[0])),
                setting.fft_library(&"dct2 f64 512x512".parse()?)?
            ),
        ],
        columns: columns(),
        parts: PARTS.to_vec(),
        rows,
        teaches: String::new(),
        plot: Plot {
            title: "Transforms of a step of Algorithm 4, ms".into(),
            labels: ["circuit".into(), "ms".into()],
            lines: METHODS.into_iter().zip(bars).map(line).collect(),
            bars: circuits.iter().map(|circuit| circuit.name.to_owned()).collect(),
        },
    }))
}

fn columns() -> Vec<String> {
    strings(&[
        "circuit",
        "cells",
        "bins",
        "row-column step, published",
        "three-stage step, published",
        "row-column/three-stage step, published",
        "row-column transforms",
        "three-stage transforms",
        "fused transforms",
        "row-column/three-stage transforms",
        "three-stage/fused transforms",
        "row-column step",
        "three-stage step",
        "fused step",
        "row-column/three-stage step",
        "three-stage/fused step",
    ])
}

fn row(circuit: &Circuit, transforms: &[f64], whole: &[f64]) -> Vec<String> {
    let &Circuit { name, cells, bins, published } = circuit;
    let head = [name.to_owned(), cells.to_string(), format!("{bins} × {bins}")];
    let quoted = published.map(str::to_owned);
    let today = |times: &[f64]| {
        let ratios = [times[0] / times[1], times[1] / times[2]].map(ratio);
        times.iter().copied().map(digits).chain(ratios).collect::<Vec<_>>()
    };
    head.into_iter().chain(quoted).chain(today(transforms)).chain(today(whole)).collect()
}

/// Milliseconds of the transforms and of the whole step by each method.
fn times(setting: &Setting, circuit: &Circuit) -> Result<(Vec<f64>, Vec<f64>)> {
    let board = Rc::new(Board::new(circuit)?);
    let side = circuit.bins as f64;
    let grid = Grid::new([0.0, 0.0], [side, side], [circuit.bins; 2])?;
    let builder = Electrostatics::<f64>::builder(grid).smoothing(2f64.sqrt()).potential(false);
    let system = |method: &str| -> Result<Shared> {
        let system =
            System::new(setting, &builder.clone().algorithm(method.parse::<AlgorithmName>()?.0), board.cells())?;
        Ok(Rc::new(RefCell::new(system)))
    };
    let systems = METHODS.iter().map(|method| system(method)).collect::<Result<Vec<_>>>()?;
    let steps = systems.iter().map(|system| contestant(Step { system: system.clone(), board: board.clone() }));
    let mut works = steps.collect::<Result<Vec<_>>>()?;
    check_same(&systems)?;
    for system in &systems {
        works.push(contestant(Transforms(system.clone()))?);
    }
    let mut whole = setting.fastest(works)?;
    let transforms = whole.split_off(METHODS.len());
    Ok((transforms, whole))
}

/// An error unless the methods have made the same field.
fn check_same(systems: &[Shared]) -> Result<()> {
    let fields = systems.iter().map(|system| system.borrow().field()).collect::<Result<Vec<_>>>()?;
    let largest = fields[0].iter().fold(f64::MIN_POSITIVE, |a, b| a.max(b.abs()));
    for (method, field) in METHODS.iter().zip(&fields).skip(1) {
        let errors = || field.iter().zip(&fields[0]).map(|(a, b)| (a - b).abs() / largest);
        let most = errors().fold(0.0, f64::max);
        // One by one, since what is not a number is no maximum either.
        ensure!(errors().all(|error| error < 1e-12), "{method} differs from {} by {most:.1e} or more", METHODS[0]);
    }
    Ok(())
}

/// The cells of a synthetic circuit, in bins.
struct Board {
    low: [Vec<f64>; 2],
    size: [Vec<f64>; 2],
}

impl Board {
    fn new(circuit: &Circuit) -> Result<Board> {
        let (mut rng, side) = (fastrand::Rng::with_seed(1), circuit.bins as f64);
        let area = UTILISATION * side * side / circuit.cells as f64;
        // Of the mean area at the mean width; widths are from half to one and a half times that.
        let height = area.sqrt();
        let widths: Vec<f64> = (0..circuit.cells).map(|_| height * (0.5 + rng.f64())).collect();
        let heights = vec![height; circuit.cells];
        let mut place = |size: &Vec<f64>| size.iter().map(|size| rng.f64() * (side - size)).collect();
        Ok(Board { low: [place(&widths), place(&heights)], size: [widths, heights] })
    }

    fn cells(&self) -> Cells<'_, f64> {
        Cells { low: [&self.low[0], &self.low[1]], size: [&self.size[0], &self.size[1]] }
    }
}

/// Algorithm 4 by a method on an engine, with its maps.
enum System {
    Cpu(Box<Electrostatics<f64>>, Maps<f64>),
    Gpu(Box<OnDevice>),
}

/// All that stays on a device from step to step.
struct OnDevice {
    device: Device,
    system: GpuElectrostatics<f64>,
    cells: GpuCells<f64>,
    maps: GpuMaps<f64>,
    forces: GpuArray<f64>,
}

type Shared = Rc<RefCell<System>>;

impl System {
    fn new(setting: &Setting, builder: &Builder<f64>, cells: Cells<'_, f64>) -> Result<System> {
        let (contender, threads) = setting.contender();
        contender.with_planner(
            |planner| {
                let system = builder.build(planner)?;
                let maps = system.maps()?;
                Ok(System::Cpu(Box::new(system), maps))
            },
            |device, planner| {
                let system = GpuElectrostatics::new(planner, builder, &Planner::builder().threads(threads).build()?)?;
                let (cells, maps) = (system.cells(cells)?, system.maps()?);
                let forces = device.array(2 * cells.count())?;
                Ok(System::Gpu(Box::new(OnDevice { device: device.clone(), system, cells, maps, forces })))
            },
        )
    }

    fn transform(&mut self) -> Result<()> {
        Ok(match self {
            System::Cpu(system, maps) => system.transform(maps),
            System::Gpu(there) => there.system.transform(&mut there.maps),
        }?)
    }

    /// Density, transforms, forces; on a device, of the cells that are there.
    fn step(&mut self, cells: Cells<'_, f64>) -> Result<()> {
        match self {
            System::Cpu(system, maps) => {
                system.solve(cells, maps)?;
                system.forces(cells, maps)?;
            }
            System::Gpu(there) => {
                let OnDevice { system, cells, maps, forces, .. } = &mut **there;
                system.solve_on(cells, maps)?;
                system.forces_on(cells, maps, forces)?;
            }
        }
        Ok(())
    }

    /// ξ_x, then ξ_y.
    fn field(&self) -> Result<Vec<f64>> {
        match self {
            System::Cpu(_, maps) => Ok(maps.field().concat()),
            System::Gpu(there) => {
                let arrays = [Map::FieldX, Map::FieldY].map(|map| there.maps.array(map));
                let mut both = vec![0.0; 2 * arrays[0].len()];
                for (array, part) in arrays.iter().zip(both.chunks_mut(arrays[0].len())) {
                    array.download(part)?;
                }
                Ok(both)
            }
        }
    }

    fn finish(&self) -> Result<()> {
        match self {
            System::Cpu(..) => Ok(()),
            System::Gpu(there) => Ok(there.device.finish()?),
        }
    }
}

/// The transforms alone.
struct Transforms(Shared);

impl Work for Transforms {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        self.0.borrow_mut().transform()
    }

    fn synchronize(&mut self) -> Result<()> {
        self.0.borrow().finish()
    }
}

/// A whole step.
struct Step {
    system: Shared,
    board: Rc<Board>,
}

impl Work for Step {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        self.system.borrow_mut().step(self.board.cells())
    }

    fn synchronize(&mut self) -> Result<()> {
        self.system.borrow().finish()
    }
}
