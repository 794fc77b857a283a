//! One type for the plans of all engines.

use fourfold::oracle::verify::Data;
use fourfold::{Element, Plan, Problem, Result};
use fourfold_gpu::{Device, GpuPlan};

use crate::array::with_elements;

/// A plan of some engine.
pub enum AnyPlan {
    /// A plan of the CPU.
    Cpu(Box<Plan>),
    /// A plan with the device that runs it.
    Gpu(Box<GpuPlan>, Device),
}

impl AnyPlan {
    /// The problem that it computes.
    pub fn problem(&self) -> &Problem {
        match self {
            AnyPlan::Cpu(plan) => plan.problem(),
            AnyPlan::Gpu(plan, _) => plan.problem(),
        }
    }

    /// Whether an axis uses Bluestein's convolution, which costs about one decimal digit.
    pub(crate) fn uses_bluestein(&self) -> bool {
        match self {
            AnyPlan::Cpu(plan) => plan.recipe().uses_bluestein(),
            AnyPlan::Gpu(plan, _) => plan.uses_bluestein(),
        }
    }

    /// Whether the FFTs between a baseline's stages come from the device vendor's library (cuFFT).
    pub fn uses_vendor_fft(&self) -> bool {
        matches!(self, AnyPlan::Gpu(plan, _) if plan.uses_vendor_fft())
    }

    /// Transforms from array to array, both in host memory.
    pub fn execute(&self, input: &Data, output: &mut Data) -> Result<()> {
        match self {
            AnyPlan::Cpu(plan) => with_elements!(input, x => with_elements!(output, y => plan.execute(x, y))),
            AnyPlan::Gpu(plan, _) => plan.execute_data(input, output),
        }
    }

    /// Transforms an array in host memory in place.
    pub(crate) fn execute_in_place<T: Element>(&self, data: &mut [T]) -> Result<()> {
        match self {
            AnyPlan::Cpu(plan) => plan.execute_in_place(data),
            AnyPlan::Gpu(plan, _) => plan.execute_in_place(data),
        }
    }

    /// The same of an array of any type.
    pub(crate) fn execute_data_in_place(&self, data: &mut Data) -> Result<()> {
        match self {
            AnyPlan::Cpu(plan) => with_elements!(data, x => plan.execute_in_place(x)),
            AnyPlan::Gpu(plan, _) => plan.execute_data_in_place(data),
        }
    }
}
