#![doc = include_str!("../README.md")]

mod api;
mod backend;
mod baseline;
mod choose;
mod desc;
mod electrostatics;
mod ir;
mod jpeg;
mod lower;
mod print;
mod run;
#[cfg(test)]
mod simulator;
mod write;

pub use crate::api::array::{GpuArray, GpuScratch};
pub use crate::api::pinned::{Pending, PinnedArray};
pub use crate::api::plan::{GpuPlan, GpuPlanner};
pub use crate::backend::device::{Api, Device, DeviceId, DeviceInfo};
#[doc(hidden)]
pub use crate::baseline::direct::DirectConvolution;
pub use crate::baseline::jpeg::BlockMethod;
pub use crate::electrostatics::cells::GpuCells;
pub use crate::electrostatics::solver::{GpuElectrostatics, GpuMaps};
pub use crate::jpeg::blocks::{BlockArrays, BlockComponent, BlockPlan, BlockPlanBuilder, BlockSample};
pub use crate::jpeg::kernels::BlockWork;
pub use crate::run::counts::Counts;
pub use crate::run::disk_cache::{Cache, CacheEntry};
pub use crate::run::inspect::{Launch, Outline, Target};
