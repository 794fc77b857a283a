//! Solves −∇·∇u + c u = f on a box, where the transforms diagonalise the operator.
//!
//! A solve is forward transforms → multiply by 1/(λ + c) → inverse transforms, as one
//! [`Pipeline`](crate::Pipeline). An [`Equation`] describes it for all engines: 1 to 4 axes, each
//! with points, spacing, the boundary conditions of both ends, and the position of the unknowns.
//!
//! ```
//! use fourfold::Planner;
//! use fourfold::poisson::{Axis, Boundary::*, Equation, Solver};
//! // −∇·∇u = f on 64 × 32 cells. Nothing passes the sides of axis 0, and u = 0 at those of axis 1.
//! let equation = Equation::new([Axis::cells(64, 0.1, Neumann), Axis::cells(32, 0.1, Dirichlet)])?;
//! let solver = Solver::<f64>::new(&equation, &Planner::new())?;
//! let (f, mut u) = (vec![1.0; 64 * 32], vec![0.0; 64 * 32]);
//! solver.solve(&f, &mut u)?;
//! // Along axis 1, 1 = −u″ has the solution x (3.2 − x)/2, and its stencil another h²/8.
//! let x: f64 = 0.1 * 10.5;
//! assert!((u[32 * 7 + 10] - (x * (3.2 - x) / 2.0 + 0.01 / 8.0)).abs() < 1e-12);
//! # Ok::<(), fourfold::Error>(())
//! ```
//!
//! # Boundary conditions
//!
//! Dirichlet's condition gives the value of u at an end, and Neumann's its derivative along the
//! outward normal. Both are zero unless a solve gets [`BoundaryValues`]. Cells have the length h of
//! the spacing, and their unknowns are at (n + ½) h from the low end. The distance of nodes is h. An
//! end with Dirichlet's condition lies one h beyond the last unknown, since u is known there. An end
//! with Neumann's condition lies at the last unknown.
//!
//! The kinds of an axis of N points, and the angles θ_k of the terms k = 0 … N − 1:
//!
//! | low end | high end | position | kind | inverse | θ_k |
//! |---|---|---|---|---|---|
//! | periodic | periodic | cells, nodes | `dht` | `idht` | 2πk/N |
//! | Dirichlet | Dirichlet | cells | `dst2` | `idst2` | π(k+1)/N |
//! | Neumann | Neumann | cells | `dct2` | `idct2` | πk/N |
//! | Dirichlet | Neumann | cells | `dst4` | `idst4` | π(k+½)/N |
//! | Neumann | Dirichlet | cells | `dct4` | `idct4` | π(k+½)/N |
//! | Dirichlet | Dirichlet | nodes | `dst1` | `idst1` | π(k+1)/(N+1) |
//! | Neumann | Neumann | nodes | `dct1` | `idct1` | πk/(N−1) |
//! | Dirichlet | Neumann | nodes | `dst3` | `idst3` | π(k+½)/N |
//! | Neumann | Dirichlet | nodes | `dct3` | `idct3` | π(k+½)/N |
//!
//! # Eigenvalues
//!
//! [`Eigenvalues::Stencil`] is the operator of second order, (2u_n − u_{n−1} − u_{n+1})/h² along
//! each axis, with λ_k = 4 sin²(θ_k/2)/h². Beyond an end it takes the values that the condition
//! gives: odd or even continuation about the end. [`Eigenvalues::Spectral`] is the exact derivative
//! of the series, λ_k = (θ_k/h)², with θ_k between −π and π.
//!
//! # Singular equations
//!
//! If c = 0 and no end has Dirichlet's condition, constants solve the equation with f = 0. Then f
//! must have the mean 0, where the points at ends of Neumann nodes count half. A solve returns an
//! error if |Σ f| exceeds the [tolerance](Equation::tolerance) times Σ |f|, both with the terms of
//! boundary values: [`Equation::check_compatible`] has the formula. It drops the mean that remains,
//! and its solution has the mean 0.

pub(crate) mod boundary;
pub(crate) mod boundary_values;
pub(crate) mod equation;
pub(crate) mod solver;
pub(crate) mod sums;

pub use crate::poisson::boundary::{Axis, Boundary, Ends, Position};
pub use crate::poisson::boundary_values::{BoundaryValues, End};
pub use crate::poisson::equation::{Eigenvalues, Equation};
pub use crate::poisson::solver::Solver;
pub use crate::problem::float::Float;
