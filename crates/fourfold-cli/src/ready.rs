//! A problem made ready on an engine: one shape for the plans of all of them.

use fourfold::oracle::verify::Data;
use fourfold::{Element, Plan, Problem, Result};
use fourfold_gpu::{Device, GpuPlan};

use crate::array::with_elements;

/// A plan of some engine.
pub enum Ready {
    /// One of the processor.
    Cpu(Box<Plan>),
    /// One of a device, with the device.
    Gpu(Box<GpuPlan>, Device),
}

impl Ready {
    /// What it computes.
    pub fn problem(&self) -> &Problem {
        match self {
            Ready::Cpu(plan) => plan.problem(),
            Ready::Gpu(plan, _) => plan.problem(),
        }
    }

    /// Whether Bluestein's convolution stands somewhere, which costs about a digit.
    pub(crate) fn uses_bluestein(&self) -> bool {
        match self {
            Ready::Cpu(plan) => plan.recipe().uses_bluestein(),
            Ready::Gpu(plan, _) => plan.uses_bluestein(),
        }
    }

    /// Whether FFTs between stages are those of a library of the device's maker.
    pub fn uses_vendor_fft(&self) -> bool {
        matches!(self, Ready::Gpu(plan, _) if plan.uses_vendor_fft())
    }

    /// Transforms from array to array, both in this machine's memory.
    pub fn execute(&self, input: &Data, output: &mut Data) -> Result<()> {
        with_elements!(input, x => with_elements!(output, y => match self {
            Ready::Cpu(plan) => plan.execute(x, y),
            Ready::Gpu(plan, _) => plan.execute(x, y),
        }))
    }

    /// Transforms an array of this machine's memory in place.
    pub(crate) fn execute_in_place<T: Element>(&self, data: &mut [T]) -> Result<()> {
        match self {
            Ready::Cpu(plan) => plan.execute_in_place(data),
            Ready::Gpu(plan, _) => plan.execute_in_place(data),
        }
    }
}
