//! Fourier-related transforms of arrays that are divided among the ranks of a program.
//!
//! Data goes one way: a problem with the [`Distribution`] of its input → [`Recipe`] (passes and
//! exchanges, as data) → [`Plan`] on every rank → execute.
//!
//! ```
//! use fourfold_distributed::{Distribution, Exchange, Grid, Planner, Recipe, ThreadRank};
//! // Two ranks have two rows each of a 4×4 array. The output is left as it comes out: two columns.
//! let recipe: fn() -> fourfold::Result<Recipe> = || {
//!     let grid: Grid = "2".parse()?;
//!     Recipe::new(&"dct2 f64 4x4".parse()?, &grid, &"p,*".parse()?, None)
//! };
//! assert!(recipe()?.to_string().starts_with("dct2 f64 4x4 on 2 from p,* to *,p\ninput -> work axis 1: dct2\n"));
//! std::thread::scope(|scope| {
//!     for rank in ThreadRank::all(2) {
//!         scope.spawn(move || {
//!             let number = rank.rank();
//!             let mut plan = Planner::new(fourfold::Planner::new(), rank).plan(recipe()).unwrap();
//!             assert_eq!(plan.output_ranges(), [0..4, 2 * number..2 * number + 2]);
//!             let mut y = vec![0.0; plan.output_len()];
//!             plan.execute(&vec![1.0; plan.input_len()], &mut y).unwrap();
//!             assert_eq!(y[0], if number == 0 { 64.0 } else { 0.0 });
//!         });
//!     }
//! });
//! # Ok::<(), fourfold::Error>(())
//! ```
//!
//! - A [`Grid`] arranges the ranks. A [`Distribution`] says which of its dimensions divide each axis.
//! - A [`Planner`] makes plans of the ranks that an [`Exchange`] connects: threads of one process
//!   ([`ThreadRank`]), or processes with MPI (the package `fourfold-mpi`).
//! - All ranks make the same plans and execute them in the same order. Where one has an error, the
//!   others do not wait for it.

mod distribution;
mod exchange;
mod grid;
mod hash;
mod plan;
mod recipe;

/// What engines that run the passes elsewhere need, such as those on GPUs.
pub mod engine {
    pub use crate::exchange::agreement::{REFUSED, check_told};
    pub use crate::exchange::packed::{PackedAction, PackedStep, PassPart, PassSlabs, packed_steps};
    pub use crate::exchange::region::RegionCopy;
    pub use crate::plan::plan::check_part;
    pub use crate::plan::plan_id::{PlanId, agreed};
    pub use crate::plan::prepare::{Factors, RankPasses};
    pub use crate::plan::tune::{fastest_parts, slowest_seconds};
}

pub use crate::distribution::Distribution;
pub use crate::exchange::exchange::Exchange;
pub use crate::exchange::host::{HostExchange, PartPasses};
pub use crate::exchange::moves::{Move, Moves};
pub use crate::exchange::region::Region;
pub use crate::exchange::threads::{ThreadRank, ThreadRoute};
pub use crate::grid::Grid;
pub use crate::plan::plan::{Only, Plan};
pub use crate::plan::planner::Planner;
pub use crate::recipe::arrays::ArrayDesc;
pub use crate::recipe::recipe::Recipe;
pub use crate::recipe::reorder::Reorder;
pub use crate::recipe::step::{Action, PassOp, Step};
