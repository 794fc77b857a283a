//! Charged cells on a grid: density, potential, field, energy, and the force on every cell, as
//! placers of circuits compute them.
//!
//! Algorithm 4 of "A New Acceleration Paradigm for Discrete Cosine Transform and Other
//! Fourier-Related Transforms" (Jiang, Gu, Pan), which is ePlace's electrostatic system (Lu et al.,
//! 2015) as DREAMPlace computes it (Lin et al., 2019):
//!
//! ```text
//! ρ   the part of each bin that cells cover                 [M, N], axis 0 along x
//! a   = DCT-II of ρ
//! φ   from a / (k_u² + k_v²) by an IDCT                     the potential
//! ξ_x from a k_u / (k_u² + k_v²) by an IDXST_IDCT           the field, −∂φ/∂x
//! ξ_y from a k_v / (k_u² + k_v²) by an IDCT_IDXST           −∂φ/∂y
//! W   from Σ ρ φ                                            the energy
//! F   = Σ over bins of (area of the cell in the bin) · ξ    the force on a cell
//! ```
//!
//! [`Scaling`] has the formulas with their factors. The boundary condition is Neumann's, so no
//! field leaves the region. Cells that move along the forces spread until the density is uniform.
//!
//! ```
//! use fourfold::Planner;
//! use fourfold::electrostatics::{Cells, Electrostatics, Grid};
//! let planner = Planner::new();
//! let grid = Grid::new([0.0, 0.0], [8.0, 8.0], [16, 16])?;
//! let system = Electrostatics::<f64>::builder(grid).build(&planner)?;
//! // Two neighbouring squares repel each other.
//! let cells = Cells { low: [&[3.0, 4.0], &[3.5, 3.5]], size: [&[1.0, 1.0], &[1.0, 1.0]] };
//! let mut maps = system.maps()?;
//! system.solve(cells, &mut maps)?;
//! let [along_x, along_y] = system.forces(cells, &maps)?;
//! assert!(along_x[0] < 0.0 && along_x[1] > 0.0);
//! assert!((along_x[0] + along_x[1]).abs() < 1e-12 && along_y[0].abs() < 1e-12);
//! assert!(system.energy(&maps)? > 0.0);
//! # Ok::<(), fourfold::Error>(())
//! ```
//!
//! [`Circuit`] is a placed circuit with fixed cells, a target density and fillers, as such a system.
//!
//! Results are the same bit for bit for any number of threads of the planner.

pub(crate) mod circuit;
pub(crate) mod fillers;
pub(crate) mod grid;
pub(crate) mod solver;
pub(crate) mod spread;
pub(crate) mod steps;

pub use crate::electrostatics::circuit::{Circuit, CircuitBuilder, Outside, SpreadStep};
pub use crate::electrostatics::grid::{Cells, Grid};
pub use crate::electrostatics::solver::{Builder, Electrostatics, Maps};
pub use crate::electrostatics::spread::Spreader;
pub use crate::electrostatics::steps::{MAPS, Map, Scaling, Step, StepWork, Wanted, steps};
pub use crate::problem::float::Float;
