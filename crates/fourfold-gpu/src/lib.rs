#![doc = include_str!("../README.md")]

mod api;
mod attributes;
mod backend;
mod baseline;
mod choose;
mod desc;
#[cfg(test)]
mod device_tests;
mod electrostatics;
mod error;
mod ir;
mod jpeg;
mod limits;
mod lower;
pub mod poisson;
mod print;
mod run;
#[cfg(test)]
mod simulator;
mod write;

pub use crate::api::array::{GpuArray, GpuScratch};
#[doc(hidden)]
pub use crate::api::direct::DirectConvolution;
pub use crate::api::memory::GpuMemory;
pub use crate::api::pinned::{Pending, PinnedArray};
pub use crate::api::plan::GpuPlan;
pub use crate::api::planner::GpuPlanner;
pub use crate::api::team::GpuTeam;
pub use crate::attributes::DeviceAttributes;
pub use crate::backend::device::Device;
pub use crate::backend::interface::TeamId;
pub use crate::backend::types::{BoxCopy, Message};
pub use crate::desc::geometry::SlabLayout;
pub use crate::electrostatics::cells::GpuCells;
pub use crate::electrostatics::solver::{GpuElectrostatics, GpuMaps};
pub use crate::limits::{Api, DeviceId, DeviceInfo};
pub use crate::run::inspect::Target;

/// JPEG's 8×8 blocks: samples from quantised coefficients, and back.
pub mod blocks {
    pub use crate::jpeg::arrays::{BlockArrays, BlockSample};
    pub use crate::jpeg::blocks::BlockPlan;
    pub use crate::jpeg::builder::{BlockComponent, BlockPlanBuilder};
    pub use crate::jpeg::kernels::desc::BlockWork;
    pub use crate::jpeg::ladder::BlockAlgorithm;
}

/// Compiled kernels on disk.
pub mod cache {
    pub use crate::run::disk_cache::{Cache, CacheEntry};
}

/// What a plan launches, without a device.
pub mod inspect {
    pub use crate::run::counts::Counts;
    pub use crate::run::inspect::{Inspection, Launch};
}
