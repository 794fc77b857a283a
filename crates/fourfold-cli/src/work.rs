//! What `bench` times: transforms and copies, in this machine's memory and in devices'.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Result;
use fourfold::verify::Data;
use fourfold::{Domain, Plan, Problem, Scratch};
use fourfold_gpu::{Device, GpuArray, GpuPlan};
use num_complex::Complex;

use crate::array::{bytes, check_memory, copy, random, with_elements, zeros, zeros_of};
use crate::timing::Work;

/// Runs in place one after the other, each on the result of the last: few, so that the numbers stay finite.
const LONGEST_BATCH_IN_PLACE: usize = 8;

/// What a device enqueues between two waits, which cost about 10 µs.
const SHORTEST_ON_A_DEVICE: Duration = Duration::from_millis(5);

/// Random input, and the output; in place, the output begins as a copy of the input.
pub(crate) struct Arrays {
    input: Data,
    output: Data,
    in_place: bool,
}

impl Arrays {
    pub(crate) fn new(problem: &Problem) -> Result<Arrays> {
        let precision = problem.precision();
        let reals = |domain: Domain, len: usize| len.saturating_mul(domain.reals() * precision.bytes());
        let input = reals(problem.input_domain(), problem.input().len);
        check_memory(input.saturating_add(reals(problem.output_domain(), problem.output().len)))?;
        let input = random(precision, problem.input_domain(), problem.input().len)?;
        let output = zeros_of(precision, problem.output_domain(), problem.output().len)?;
        let mut arrays = Arrays { input, output, in_place: problem.in_place() };
        arrays.restore();
        Ok(arrays)
    }

    fn restore(&mut self) {
        if self.in_place {
            copy(&self.input, &mut self.output);
        }
    }

    /// The larger of input and output.
    pub(crate) fn bytes(&self) -> usize {
        bytes(&self.input).max(bytes(&self.output))
    }
}

/// A transform by the processor. All of them share their arrays.
pub(crate) struct Transform {
    plan: Plan,
    scratch: Scratch,
    arrays: Rc<RefCell<Arrays>>,
}

impl Transform {
    pub(crate) fn new(plan: Plan, arrays: Rc<RefCell<Arrays>>) -> Result<Transform> {
        Ok(Transform { scratch: plan.try_scratch()?, plan, arrays })
    }
}

impl Work for Transform {
    fn run(&mut self) -> Result<()> {
        let Arrays { input, output, in_place } = &mut *self.arrays.borrow_mut();
        let (plan, scratch) = (&self.plan, &mut self.scratch);
        match in_place {
            true => with_elements!(output, x => plan.execute_in_place_with(black_box(x), scratch)?),
            false => with_elements!(&*input, x => with_elements!(output, y =>
                plan.execute_with(black_box(x), black_box(y), scratch)?)),
        }
        Ok(())
    }

    fn restore(&mut self) -> Result<()> {
        self.arrays.borrow_mut().restore();
        Ok(())
    }

    fn longest_batch(&self) -> usize {
        if self.plan.problem().in_place() { LONGEST_BATCH_IN_PLACE } else { usize::MAX }
    }
}

/// The yardstick: one thread's memcpy.
pub(crate) struct Memcpy {
    from: Vec<f64>,
    to: Vec<f64>,
}

impl Memcpy {
    pub(crate) fn new(bytes: usize) -> Result<Memcpy> {
        let mut from: Vec<f64> = zeros(bytes.div_ceil(size_of::<f64>()))?;
        from.fill(1.0);
        Ok(Memcpy { to: from.clone(), from })
    }
}

impl Work for Memcpy {
    fn run(&mut self) -> Result<()> {
        black_box(&mut self.to).copy_from_slice(black_box(&self.from));
        Ok(())
    }
}

/// Elements in a device's memory.
enum DeviceData {
    F32(GpuArray<f32>),
    F64(GpuArray<f64>),
    ComplexF32(GpuArray<Complex<f32>>),
    ComplexF64(GpuArray<Complex<f64>>),
}

impl DeviceData {
    fn upload(device: &Device, data: &Data) -> Result<DeviceData> {
        Ok(match data {
            Data::F32(x) => DeviceData::F32(device.upload(x)?),
            Data::F64(x) => DeviceData::F64(device.upload(x)?),
            Data::ComplexF32(x) => DeviceData::ComplexF32(device.upload(x)?),
            Data::ComplexF64(x) => DeviceData::ComplexF64(device.upload(x)?),
        })
    }
}

/// A transform of arrays on a device. In place the numbers may overflow: a device is no slower with infinities.
pub(crate) struct DeviceTransform {
    plan: GpuPlan,
    device: Device,
    input: DeviceData,
    output: DeviceData,
}

impl DeviceTransform {
    pub(crate) fn new(plan: GpuPlan, device: Device, arrays: &Arrays) -> Result<DeviceTransform> {
        let (input, output) =
            (DeviceData::upload(&device, &arrays.input)?, DeviceData::upload(&device, &arrays.output)?);
        Ok(DeviceTransform { plan, device, input, output })
    }
}

impl Work for DeviceTransform {
    fn run(&mut self) -> Result<()> {
        let (plan, input, output) = (&self.plan, &self.input, &mut self.output);
        match plan.problem().in_place() {
            true => with_elements!(DeviceData, output, x => plan.execute_on_in_place(x)?),
            false => with_elements!(DeviceData, input, x => with_elements!(DeviceData, output, y =>
                plan.execute_on(x, y)?)),
        }
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        Ok(self.device.finish()?)
    }

    fn shortest(&self) -> Duration {
        SHORTEST_ON_A_DEVICE
    }
}

/// The yardstick of a device: a copy from its memory to its memory.
pub(crate) struct DeviceCopy {
    device: Device,
    from: GpuArray<f64>,
    to: GpuArray<f64>,
}

impl DeviceCopy {
    pub(crate) fn new(device: Device, bytes: usize) -> Result<DeviceCopy> {
        let from = device.upload(&zeros::<f64>(bytes.div_ceil(size_of::<f64>()))?)?;
        Ok(DeviceCopy { to: device.array(from.len())?, from, device })
    }
}

impl Work for DeviceCopy {
    fn run(&mut self) -> Result<()> {
        Ok(self.to.copy_from(&self.from)?)
    }

    fn finish(&self) -> Result<()> {
        Ok(self.device.finish()?)
    }

    fn shortest(&self) -> Duration {
        SHORTEST_ON_A_DEVICE
    }
}
