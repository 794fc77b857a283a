#![doc = include_str!("../README.md")]

mod array;
mod banks;
mod blocks;
mod cache;
mod cells;
mod chain;
mod choice;
mod device;
mod dialect;
mod direct;
mod draft;
mod electrostatics;
mod engine;
mod fit;
mod fixed;
mod joined;
mod kernels;
mod library;
mod lines;
mod outline;
mod pinned;
mod plan;
mod pointwise;
mod runtime;
#[cfg(test)]
mod simulator;
mod sizes;
mod spec;
mod staged;
mod trace;
mod tune;
mod words;

pub use array::{GpuArray, GpuScratch};
pub use blocks::{BlockArrays, BlockComponent, BlockPlan, BlockPlanBuilder, BlockSample, BlockWork};
pub use cache::{Cache, CacheEntry};
pub use cells::GpuCells;
pub use device::{Api, Device, DeviceId, DeviceInfo};
#[doc(hidden)]
pub use direct::DirectConvolution;
pub use electrostatics::{GpuElectrostatics, GpuMaps};
pub use kernels::blocks::ladder::BlockMethod;
pub use outline::{Counts, Launch, Outline, Target};
pub use pinned::{Pending, PinnedArray};
pub use plan::{GpuPlan, GpuPlanner};
