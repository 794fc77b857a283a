#![doc = include_str!("../README.md")]
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
    pub use crate::plan::plan_id::{MessageOrder, PlanId, agreed};
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
pub use crate::plan::execution::Only;
pub use crate::plan::plan::Plan;
pub use crate::plan::planner::Planner;
pub use crate::recipe::arrays::ArrayDesc;
pub use crate::recipe::recipe::Recipe;
pub use crate::recipe::reorder::Reorder;
pub use crate::recipe::step::{Action, PassOp, Step};
