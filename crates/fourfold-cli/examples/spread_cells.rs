//! Spreads 200,000 cells, which begin at the centre of a region with macros, by the electrostatic
//! forces between them, until their density overflow is below 10 %. Draws density and field before
//! and after.
//!
//! `cargo run --release -p fourfold-cli --example spread_cells -- spread.png`
//!
//! Every cell moves with the field. Placers do such steps between those that shorten the nets.

use std::error::Error;
use std::fs::File;
use std::time::Instant;

use fourfold::Planner;
use fourfold::electrostatics::{Cells, Circuit, Grid, Maps, Scaling};
use fourfold_cli::picture::png_file::write_rgb;

const CELLS: usize = 200_000;
const BINS: usize = 512;

/// The width and height of the region, and the part of it that macros cover at least.
const SIDE: f64 = 1024.0;
const MACROS: f64 = 0.25;

/// The area of the cells as a part of the region's.
const UTILISATION: f64 = 0.4;

/// The overflow to be reached.
const OVERFLOW: f64 = 0.1;
const MOST_STEPS: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: spread_cells FILE.png")?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let planner = Planner::builder().threads(threads).build()?;
    let (mut rng, grid) = (fastrand::Rng::with_seed(1), Grid::new([0.0, 0.0], [SIDE, SIDE], [BINS, BINS])?);
    let (macros, cells) = (Board::macros(&mut rng), Board::cells(&mut rng));
    let mut circuit = Circuit::builder(grid, cells.list()).fixed(macros.list()).build(&planner)?;
    circuit.gather();
    let system = circuit.system().scaling(Scaling::Physical).build(&planner)?;
    let (mut maps, start, mut panels, mut last) = (system.maps()?, Instant::now(), vec![], (f64::INFINITY, 1.0));
    circuit.spread(|step| {
        maps.density_mut().copy_from_slice(step.density);
        system.transform(&mut maps)?;
        let (energy, done) = (system.energy(&maps)?, step.overflow < OVERFLOW || step.number == MOST_STEPS);
        let (overflow, time) = (100.0 * step.overflow, start.elapsed());
        println!("step {:3}  energy {energy:.4e}  overflow {overflow:.2} %  {time:.1?}", step.number);
        if energy >= last.0 {
            return Err(format!("the energy has risen from {} to {energy}: the step is too long", last.0).into());
        }
        last = (energy, step.overflow);
        if step.number == 0 || done {
            panels.push([density_panel(step.density), field_panel(&maps)]);
        }
        let forces = (!done).then(|| system.forces(step.cells, &maps)).transpose()?;
        Ok::<_, Box<dyn Error>>(forces)
    })?;
    if last.1 >= OVERFLOW {
        return Err(
            format!("the overflow is {} after {MOST_STEPS} steps: expected less than {OVERFLOW}", last.1).into()
        );
    }
    Ok(write_rgb(File::create(path)?, [SHEET; 2], &sheet(&panels))?)
}

/// Rectangles by their corners and sizes.
struct Board {
    low: [Vec<f64>; 2],
    size: [Vec<f64>; 2],
}

impl Board {
    /// Macros at random places, which may overlap.
    fn macros(rng: &mut fastrand::Rng) -> Board {
        let (mut board, mut area) = (Board { low: [vec![], vec![]], size: [vec![], vec![]] }, 0.0);
        while area < MACROS * SIDE * SIDE {
            let size = [0, 1].map(|_| SIDE * (0.02 + 0.15 * rng.f64()));
            area += size[0] * size[1];
            for axis in 0..2 {
                board.low[axis].push((SIDE - size[axis]) * rng.f64());
                board.size[axis].push(size[axis]);
            }
        }
        board
    }

    /// Cells one row high, mostly narrow and seldom wide.
    fn cells(rng: &mut fastrand::Rng) -> Board {
        let widths: Vec<f64> = (0..CELLS).map(|_| 0.3 + 0.2 / (0.06 + rng.f64())).collect();
        // With this height, which is a width of 1 too, the cells have their area.
        let row = (UTILISATION * SIDE * SIDE / widths.iter().sum::<f64>()).sqrt();
        let widths: Vec<f64> = widths.into_iter().map(|width| row * width).collect();
        Board { low: [vec![0.0; CELLS], vec![0.0; CELLS]], size: [widths, vec![row; CELLS]] }
    }

    fn list(&self) -> Cells<'_, f64> {
        Cells { low: [&self.low[0], &self.low[1]], size: [&self.size[0], &self.size[1]] }
    }
}

fn most(values: &[f64]) -> f64 {
    values.iter().fold(f64::MIN_POSITIVE, |a, &b| a.max(b))
}

/// Draws density 0 white, 1 blue, 4 and more red.
fn density_panel(density: &[f64]) -> Panel {
    panel(|b| {
        let (fill, over) = (density[b].min(1.0), ((density[b] - 1.0) / 3.0).clamp(0.0, 1.0));
        let blend = |from: [f64; 3], to: [f64; 3], t: f64| [0, 1, 2].map(|c| from[c] + t * (to[c] - from[c]));
        blend(blend([255.0; 3], [0.0, 114.0, 178.0], fill), [213.0, 40.0, 0.0], over)
    })
}

/// Draws the field's direction as hue. Brightness is √(strength / greatest strength).
fn field_panel(maps: &Maps<f64>) -> Panel {
    let [x, y] = maps.field();
    let strength: Vec<f64> = x.iter().zip(y).map(|(x, y)| x.hypot(*y)).collect();
    let greatest = most(&strength);
    panel(|b| {
        let angle = y[b].atan2(x[b]);
        let value = 255.0 * (strength[b] / greatest).sqrt();
        [0.0, 1.0, 2.0].map(|c: f64| value * (0.5 + 0.5 * (angle - c * std::f64::consts::TAU / 3.0).cos()))
    })
}

/// The pixels of a picture, row by row.
type Panel = Vec<[u8; 3]>;

/// Draws a map with x to the right and y up.
fn panel(color: impl Fn(usize) -> [f64; 3]) -> Panel {
    let bin = |pixel: usize| pixel % BINS * BINS + BINS - 1 - pixel / BINS;
    (0..BINS * BINS).map(|pixel| color(bin(pixel)).map(|part| part.round() as u8)).collect()
}

/// Pixels between pictures, and a side of the sheet.
const GAP: usize = 8;
const SHEET: usize = 2 * BINS + GAP;

/// Places "before" above "after", and density left of field.
fn sheet(panels: &[[Panel; 2]]) -> Vec<u8> {
    let mut sheet = vec![128; 3 * SHEET * SHEET];
    for (down, pair) in panels.iter().enumerate() {
        for (across, panel) in pair.iter().enumerate() {
            for (row, pixels) in panel.chunks_exact(BINS).enumerate() {
                let at = (down * (BINS + GAP) + row) * SHEET + across * (BINS + GAP);
                sheet[3 * at..][..3 * BINS].copy_from_slice(pixels.as_flattened());
            }
        }
    }
    sheet
}
