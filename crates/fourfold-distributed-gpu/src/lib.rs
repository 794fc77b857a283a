//! Fourier-related transforms of arrays that are divided among GPUs.
//!
//! The ranks of [`fourfold_distributed`] with their parts in the memory of devices: the same recipes,
//! whose passes are plans of [`fourfold_gpu`].
//!
//! ```no_run
//! use fourfold_distributed::{Recipe, ThreadRank};
//! use fourfold_distributed_gpu::{NcclRank, RankPlanner};
//! use fourfold_gpu::{Device, GpuPlanner};
//! # fn main() -> fourfold::Result<()> {
//! // A thread for each of two GPUs, which have half of the rows each.
//! let recipe = || Recipe::new(&"dct2 f64 4096x4096".parse()?, &"2".parse()?, &"p,*".parse()?, None);
//! std::thread::scope(|scope| {
//!     for host in ThreadRank::all(2) {
//!         scope.spawn(move || -> fourfold::Result<()> {
//!             let device = Device::cuda(fourfold_distributed::Exchange::rank(&host))?;
//!             let rank = NcclRank::join(host, Ok(device.clone()))?;
//!             let mut plan = RankPlanner::new(GpuPlanner::new(device.clone()), device.clone(), rank).plan(recipe())?;
//!             let (x, mut y) = (device.array::<f64>(plan.input_len())?, device.array::<f64>(plan.output_len())?);
//!             plan.execute(&x, &mut y)?;
//!             device.finish()
//!         });
//!     }
//! });
//! # Ok(())
//! # }
//! ```
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
