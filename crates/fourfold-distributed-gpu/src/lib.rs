#![doc = include_str!("../README.md")]
//!
//! - [`NcclRank`]: a rank with a GPU, whose exchanges are NCCL's. Ranks are threads of one process, or
//!   processes with MPI.
//! - [`QueueRank`]: a rank that is a thread with a queue. Several ranks may share a device, of CUDA or
//!   of OpenCL.
//! - A [`RankPlanner`] makes [`RankPlan`]s, which enqueue passes and exchanges on the rank's queue.

mod boxes;
mod exchange;
mod plan;

/// What exchanges elsewhere need, such as those by MPI.
pub mod engine {
    pub use crate::boxes::box_copy;
}

pub use crate::exchange::nccl::{NcclRank, NcclRoute};
pub use crate::exchange::queues::{QueueRank, QueueRoute};
pub use crate::plan::plan::RankPlan;
pub use crate::plan::planner::RankPlanner;
