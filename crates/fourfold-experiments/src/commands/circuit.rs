//! `circuit`: the electrostatic system of a placed circuit.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use fourfold::Planner;
use fourfold::electrostatics::{Map, Outside, Scaling};
use fourfold::timing::table::digits;
use fourfold_cli::algorithm::AlgorithmName;
use fourfold_cli::array::check_memory;
use fourfold_cli::files::output::Output;
use fourfold_cli::planner::EnginePlanner;
use fourfold_cli::print::printable;
use fourfold_cli::progress::Progress;
use fourfold_cli::wisdom::Tuning;

use crate::args::CircuitArgs;
use crate::charges::Charges;
use crate::circuit::{Circuit, Kind, bookshelf};
use crate::heat_map::{Colors, HeatMap};
use crate::system::System;

/// The overflow at which cells have spread.
const SPREAD: f64 = 0.1;

/// The most steps that may take.
const MOST_STEPS: usize = 2000;

/// Densities above this are drawn as this.
const DENSEST: f64 = 2.0;

/// Bytes for each bin. 17 numbers were counted, most of them while the factors of the field are
/// made; some room is added.
const BYTES_A_BIN: usize = 20 * size_of::<f64>();

/// Bytes for each node or filler: of numbers, 8 that say where it is, 5 of its charge, 8 of its
/// places in the lists of one or two strips of the grid, 10 of forces, and some room.
const BYTES_A_CELL: usize = 40 * size_of::<f64>();

pub(crate) fn run(args: &CircuitArgs) -> Result<()> {
    let start = Instant::now();
    let circuit = bookshelf::read(&args.file)?;
    let read = start.elapsed().as_secs_f64();
    let engine = EnginePlanner::new(args.engine.clone(), AlgorithmName::FUSED, args.threads, &Tuning::default())?;
    let host = Planner::builder().threads(args.threads).build()?;
    let bins = args.bins.unwrap_or_else(|| default_bins(circuit.nodes.count(Kind::Movable)));
    check_room(circuit.nodes.len(), bins)?;
    let mut charges = Charges::new(&circuit, bins, &host, |builder| {
        builder.target_density(args.target_density).fillers(!args.no_fillers)
    })?;
    check_room(charges.placed.cells().count()?, bins)?;
    if let Some(folder) = &args.plot {
        fs::create_dir_all(folder).with_context(|| format!("cannot write in {}", folder.display()))?;
    }
    say("circuit", &counts(&circuit))?;
    say("read", &format!("{} s", digits(read)))?;
    say("region", &region(&circuit))?;
    say("outside", &outside(charges.placed.outside()))?;
    say("grid", &grid(&charges))?;
    if charges.placed.target_density() > args.target_density {
        say("warning", &raised(args.target_density, charges.placed.target_density()))?;
    }
    let seconds = match args.spread {
        true => Some(spread(&mut charges, &engine, args.threads)?),
        false => None,
    };
    let mut density = vec![0.0; charges.placed.grid().count()];
    say("overflow", &format!("{:.2} %", 100.0 * charges.placed.overflow(&mut density)?))?;
    let mut system = System::new(&engine, args.threads, &charges.placed.system(), charges.placed.cells())?;
    system.step(charges.placed.cells())?;
    say("energy", &format!("{} (DREAMPlace's scale)", digits(system.energy()?)))?;
    say("largest force", &largest_force(&circuit, &charges, &system.forces()?))?;
    if let Some(folder) = &args.plot {
        plot(folder, &args.file, &charges, &system)?;
    }
    match seconds.zip(args.within) {
        Some((seconds, limit)) => judge(seconds, limit),
        None => Ok(()),
    }
}

/// Says whether the cells have spread in time; an error if they have not.
fn judge(seconds: f64, limit: f64) -> Result<()> {
    ensure!(seconds <= limit, "the cells spread in {} s, and {limit} s were allowed", digits(seconds));
    say("verdict", &format!("passed: the cells spread within {limit} s"))
}

fn say(what: &str, text: &str) -> Result<()> {
    Ok(writeln!(io::stdout(), "{what:<14} {}", printable(text))?)
}

/// An error if there is no memory for so many cells and bins.
fn check_room(cells: usize, [m, n]: [usize; 2]) -> Result<()> {
    check_memory(BYTES_A_CELL * cells + BYTES_A_BIN * m * n)
}

fn raised(asked: f64, used: f64) -> String {
    format!(
        "a target density of {asked:?} is less than the movable nodes need: {} is used, which is the utilisation",
        digits(used)
    )
}

/// ePlace's grid: along each axis the least power of two that is at least the root of the number of
/// cells.
fn default_bins(cells: usize) -> [usize; 2] {
    let side = (cells as f64).sqrt().ceil() as usize;
    [side.next_power_of_two().clamp(16, 4096); 2]
}

fn counts(circuit: &Circuit) -> String {
    let [movable, fixed, overlays] = [Kind::Movable, Kind::Fixed, Kind::Overlay].map(|kind| circuit.nodes.count(kind));
    let nets = &circuit.nets;
    format!(
        "{movable} movable nodes, {fixed} fixed, {overlays} fixed that may be covered; {} nets, {} pins, wire length {}",
        nets.len(),
        nets.pins.len(),
        digits(circuit.wire_length())
    )
}

fn region(circuit: &Circuit) -> String {
    let (region, nodes) = (circuit.region(), &circuit.nodes);
    let share = |kind: Kind| {
        let chosen = (0..nodes.len()).filter(|node| nodes.kinds[*node] == kind);
        // The sum of nothing is -0.
        100.0 * chosen.map(|node| nodes.rects.area(node)).fold(0.0, |sum, area| sum + area) / region.area()
    };
    format!(
        "{:?} to {:?}, {} rows; movable nodes are {:.1} % of its area, fixed {:.1} %",
        region.low,
        region.high,
        circuit.rows.len(),
        share(Kind::Movable),
        share(Kind::Fixed)
    )
}

fn outside(Outside { clipped, ignored, moved, .. }: Outside) -> String {
    format!(
        "{clipped} fixed nodes clipped to the region, {ignored} fixed nodes outside of it left out, {moved} movable nodes moved inside"
    )
}

fn grid(charges: &Charges) -> String {
    let placed = &charges.placed;
    let ([m, n], [width, height]) = (placed.grid().bins(), placed.grid().bin_size());
    format!(
        "{m} x {n} bins of {} x {}; target density {}, {} fillers",
        digits(width),
        digits(height),
        digits(placed.target_density()),
        placed.fillers().low[0].len()
    )
}

/// Gathers the movable cells at the centre and lets the forces spread them. Returns the seconds that
/// this takes.
fn spread(charges: &mut Charges, engine: &EnginePlanner, threads: usize) -> Result<f64> {
    let placed = &mut charges.placed;
    placed.gather();
    let builder = placed.system().scaling(Scaling::Physical).potential(false);
    let mut system = System::new(engine, threads, &builder, placed.cells())?;
    let (start, progress, mut last) = (Instant::now(), Progress::new(MOST_STEPS), (0, 1.0));
    placed.spread(|step| {
        last = (step.number, step.overflow);
        progress.message(format!("overflow {:.1} %", 100.0 * step.overflow));
        progress.step();
        if step.overflow < SPREAD || step.number == MOST_STEPS {
            return Ok(None);
        }
        system.step_with(step.density, step.cells)?;
        system.forces().map(Some)
    })?;
    let (steps, overflow) = last;
    ensure!(overflow < SPREAD, "after {steps} steps the overflow is still {:.1} %", 100.0 * overflow);
    let seconds = start.elapsed().as_secs_f64();
    say("spread", &format!("{steps} steps from the centre of the region, {} s", digits(seconds)))?;
    Ok(seconds)
}

fn largest_force(circuit: &Circuit, charges: &Charges, [x, y]: &[Vec<f64>; 2]) -> String {
    let size = |cell: usize| x[cell].hypot(y[cell]);
    let largest = (0..charges.movable.len()).max_by(|a, b| size(*a).total_cmp(&size(*b)));
    match largest {
        Some(cell) => {
            let name = circuit.nodes.names.get(charges.movable[cell]);
            format!("{} on {name}, along x {}, along y {}", digits(size(cell)), digits(x[cell]), digits(y[cell]))
        }
        None => "none: no node is movable".into(),
    }
}

/// Draws density, potential and field.
fn plot(folder: &Path, file: &Path, charges: &Charges, system: &System) -> Result<()> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let [density, potential, x, y] =
        [system.map(Map::Density)?, system.map(Map::Potential)?, system.map(Map::FieldX)?, system.map(Map::FieldY)?];
    let strength: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x.hypot(*y)).collect();
    let most = |values: &[f64]| values.iter().fold(f64::MIN_POSITIVE, |most: f64, value| most.max(value.abs()));
    let densest = most(&density);
    let map = |title: String, values, colors, arrows| HeatMap {
        title,
        region: charges.placed.grid().region(),
        bins: charges.placed.grid().bins(),
        values,
        colors,
        arrows,
    };
    let around = Colors::Around(most(&potential));
    let title = format!("{stem}: density, at most {}", digits(densest));
    let maps = [
        ("density", map(title, &density, Colors::UpTo(densest.min(DENSEST)), None)),
        ("potential", map(format!("{stem}: potential"), &potential, around, None)),
        ("field", map(format!("{stem}: field"), &strength, Colors::UpTo(most(&strength)), Some([&x, &y]))),
    ];
    for (name, map) in maps {
        let path = folder.join(format!("{stem}-{name}.png"));
        let mut output = Output::create(&path)?;
        let picture = map.png()?;
        output.fill(|to| to.write_all(&picture))?;
        output.commit()?;
        say(name, &path.display().to_string())?;
    }
    Ok(())
}
