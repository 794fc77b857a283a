//! Spreads 200,000 cells, which begin in a heap, by the electrostatic forces between them, until
//! their density overflow is below 10 %. Draws density and field before and after.
//!
//! `cargo run --release -p fourfold-cli --example spread_cells -- spread.png`
//!
//! Every cell moves with the field, x ← x + Δt ξ. In the continuum the density then follows dρ/dt =
//! −ρ (ρ − ρ̄): a heap flattens at a rate of its density, until the density is the same everywhere.
//! So Δt is a fraction of 1/max ρ. Placers do such steps between those that shorten the nets.

use std::error::Error;
use std::fs::File;
use std::time::Instant;

use fourfold::Planner;
use fourfold::electrostatics::{Cells, Electrostatics, Grid, Maps, Scaling, Spreader};
use fourfold_cli::picture::png_file::write_rgb;

const CELLS: usize = 200_000;
const BINS: usize = 512;

/// The width and height of the region, and the fraction of it that the cells cover.
const SIDE: f64 = 1024.0;
const UTILISATION: f64 = 0.7;

/// The overflow to be reached. ePlace defines it as the part of the cells' area above density 1.
const OVERFLOW: f64 = 0.1;
const MOST_STEPS: usize = 2000;

/// Δt · max ρ.
const STEP: f64 = 0.5;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: spread_cells FILE.png")?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let planner = Planner::builder().threads(threads).build()?;
    let grid = Grid::new([0.0, 0.0], [SIDE, SIDE], [BINS, BINS])?;
    let system = Electrostatics::builder(grid).scaling(Scaling::Physical).smoothing(2f64.sqrt()).build(&planner)?;
    // The overflow counts the cells' real sizes; the solver widens cells.
    let exact = Spreader::new(grid, 0.0, &planner)?;
    let (mut board, mut maps, mut density) = (Board::heap(), system.maps()?, vec![0.0; grid.count()]);
    let (start, mut panels, mut before) = (Instant::now(), vec![], f64::INFINITY);
    for step in 0..MOST_STEPS {
        system.solve(board.cells(), &mut maps)?;
        exact.density(board.cells(), &mut density)?;
        let overflow = exact.overflow(&density, 1.0)?;
        let (energy, done) = (system.energy(&maps)?, overflow < OVERFLOW);
        println!("step {step:3}  energy {energy:.4e}  overflow {:.2} %  {:.1?}", 100.0 * overflow, start.elapsed());
        if energy >= before {
            return Err(format!("the energy has risen from {before} to {energy}: the step is too long").into());
        }
        before = energy;
        if step == 0 || done {
            panels.push([density_panel(&density), field_panel(&maps)]);
        }
        if done {
            return Ok(write_rgb(File::create(path)?, [SHEET; 2], &sheet(&panels))?);
        }
        board.follow(&system.forces(board.cells(), &maps)?, STEP / most(maps.density()));
    }
    Err(format!("the overflow is above {OVERFLOW} after {MOST_STEPS} steps").into())
}

/// Cells one row high, of three widths.
struct Board {
    low: [Vec<f64>; 2],
    size: [Vec<f64>; 2],
}

impl Board {
    /// Cells in a heap left of the middle, twice as high as wide, and in a smaller one beside it.
    fn heap() -> Board {
        let mut rng = fastrand::Rng::with_seed(1);
        let row = (UTILISATION * SIDE * SIDE / (2.0 * CELLS as f64)).sqrt();
        let widths: Vec<f64> = (0..CELLS).map(|_| row * f64::from(rng.u8(1..=3))).collect();
        let heaps = [([0.4, 0.5], [0.06, 0.12]), ([0.75, 0.7], [0.04, 0.04])];
        let mut low = [vec![], vec![]];
        for &width in &widths {
            let (centre, spread) = heaps[usize::from(rng.u8(..4) == 0)];
            // Normally distributed numbers by Box and Muller's method.
            let (radius, angle) = ((-2.0 * rng.f64().max(1e-12).ln()).sqrt(), std::f64::consts::TAU * rng.f64());
            for (axis, (normal, size)) in [(angle.cos(), width), (angle.sin(), row)].into_iter().enumerate() {
                let place = SIDE * (centre[axis] + spread[axis] * radius * normal);
                low[axis].push(place.clamp(0.0, SIDE - size));
            }
        }
        Board { low, size: [widths, vec![row; CELLS]] }
    }

    fn cells(&self) -> Cells<'_, f64> {
        Cells { low: [&self.low[0], &self.low[1]], size: [&self.size[0], &self.size[1]] }
    }

    /// Moves every cell by the mean field on it, which is its force divided by its area. Cells stay
    /// inside the region.
    fn follow(&mut self, forces: &[Vec<f64>; 2], time: f64) {
        let [widths, heights] = &self.size;
        for (axis, low) in self.low.iter_mut().enumerate() {
            for (i, low) in low.iter_mut().enumerate() {
                let field = forces[axis][i] / (widths[i] * heights[i]);
                *low = (*low + time * field).clamp(0.0, SIDE - self.size[axis][i]);
            }
        }
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
