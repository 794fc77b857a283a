//! Heat spreads on a plate whose left edge is hot, whose right edge is cold, and whose other edges
//! let nothing pass. Draws the plate after some implicit steps:
//!
//! `cargo run --release -p fourfold-cli --example heat_plate -- heat.png`

use std::error::Error;
use std::fs::File;

use fourfold::Planner;
use fourfold::poisson::{Axis, Boundary::*, BoundaryValues, End, Equation, Solver};
use fourfold_cli::picture::plot::Plot;

/// The cells along both axes of a plate of 1 × 1.5.
const CELLS: [usize; 2] = [160, 240];

/// The time of a step, in the unit of (length)²/diffusivity, and the number of steps.
const TIME: f64 = 2e-3;
const STEPS: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: heat_plate FILE.png")?;
    let spacing = 1.0 / CELLS[0] as f64;
    let axes = [Axis::cells(CELLS[0], spacing, Neumann), Axis::cells(CELLS[1], spacing, Dirichlet)];
    let solver = Solver::<f64>::new(&Equation::new(axes)?.heat_step(TIME), &Planner::new())?;

    // A warm disc on a cold plate; the left edge is hotter in its middle.
    let middle = [0.5, 1.0];
    let warm = |i: usize| {
        let place = [axes[0].coordinate(i / CELLS[1]), axes[1].coordinate(i % CELLS[1])];
        if (place[0] - middle[0]).hypot(place[1] - middle[1]) < 0.2 { 1.0 } else { 0.0 }
    };
    let left: Vec<f64> = (0..CELLS[0]).map(|n| (std::f64::consts::PI * axes[0].coordinate(n)).sin()).collect();
    let values = BoundaryValues::new().list(1, End::Low, &left);

    let mut plate: Vec<f64> = (0..CELLS[0] * CELLS[1]).map(warm).collect();
    let mut next = plate.clone();
    for _ in 0..STEPS {
        solver.solve_with_boundary(&plate, &values, &mut next)?;
        std::mem::swap(&mut plate, &mut next);
    }
    Ok(Plot::new(&CELLS, |i| plate[i])?.write(&mut File::create(path)?)?)
}
