//! A Helmholtz equation, −∇·∇u − k² u = f, in a room with hard walls: the sound of a small source at
//! one frequency. Draws u:
//!
//! `cargo run --release -p fourfold-cli --example helmholtz -- sound.png`

use std::error::Error;
use std::fs::File;

use fourfold::Planner;
use fourfold::poisson::{Axis, Boundary::*, Equation, Solver};
use fourfold_cli::picture::plot::Plot;

/// The cells along both axes of a room of 2 × 3.
const CELLS: [usize; 2] = [240, 360];

/// The wave number: a wave has the length 2π/k = 0.28.
const K: f64 = 22.3;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: helmholtz FILE.png")?;
    let spacing = 2.0 / CELLS[0] as f64;
    let axes = CELLS.map(|cells| Axis::cells(cells, spacing, Neumann));
    let solver = Solver::<f64>::new(&Equation::new(axes)?.c(-K * K), &Planner::new())?;

    // A Gaussian source, a tenth of a wave wide.
    let source = [0.7, 0.9];
    let strength = |i: usize| {
        let place = [axes[0].coordinate(i / CELLS[1]), axes[1].coordinate(i % CELLS[1])];
        let distance = (place[0] - source[0]).hypot(place[1] - source[1]);
        (-0.5 * (distance / 0.03).powi(2)).exp()
    };
    let f: Vec<f64> = (0..CELLS[0] * CELLS[1]).map(strength).collect();
    let mut u = vec![0.0; f.len()];
    solver.solve(&f, &mut u)?;
    Ok(Plot::new(&CELLS, |i| u[i])?.write(&mut File::create(path)?)?)
}
