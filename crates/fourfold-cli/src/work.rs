//! What `bench` times: transforms and copies, in this machine's memory and in devices'.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Error, Result, bail};
use fourfold::oracle::verify::Data;
use fourfold::timing::{Timed, Work};
use fourfold::{Domain, Element, Plan, Problem, Scratch};
use fourfold_gpu::{Device, GpuArray, GpuPlan};
use num_complex::Complex;

use crate::array::{bytes, check_memory, copy, random, with_elements, zeros, zeros_of};

/// Runs in place one after the other, each on the result of the last: few, so that the numbers stay
/// finite.
const MOST_RUNS_IN_PLACE: usize = 8;

/// What a device enqueues between two waits, which cost about 10 µs.
const LEAST_BATCH_ON_A_DEVICE: Duration = Duration::from_millis(5);

/// Bytes of the arrays that runs on a device go through in turn, so that no run finds its own in a
/// cache (an H200's has 60 MB) as it would only where nothing but this one array is worked on.
pub(crate) const IN_TURN: usize = 320 << 20;

/// The most pairs of arrays for that. So small ones take what a launch takes, wherever they are.
pub(crate) const MOST_PAIRS: usize = 1024;

/// Of a device's memory, what the pairs beyond the second may take: one part in so many.
const SHARE_OF_MEMORY: u64 = 8;

/// Work of any type that takes turns with others.
pub(crate) type Contestant = Timed<Box<dyn Work<Error = Error>>>;

/// Warms work up.
pub(crate) fn contestant(work: impl Work<Error = Error> + 'static) -> Result<Contestant> {
    Timed::new(Box::new(work) as Box<dyn Work<Error = Error>>)
}

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
    type Error = Error;

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

    fn most_runs(&self) -> usize {
        if self.plan.problem().in_place() { MOST_RUNS_IN_PLACE } else { usize::MAX }
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
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        black_box(&mut self.to).copy_from_slice(black_box(&self.from));
        Ok(())
    }
}

/// Elements in a device's memory.
pub(crate) enum DeviceData {
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

    fn bytes(&self) -> usize {
        match self {
            DeviceData::F32(x) => size_of::<f32>() * x.len(),
            DeviceData::F64(x) => size_of::<f64>() * x.len(),
            DeviceData::ComplexF32(x) => size_of::<Complex<f32>>() * x.len(),
            DeviceData::ComplexF64(x) => size_of::<Complex<f64>>() * x.len(),
        }
    }

    /// Another array with the same elements.
    fn copied(&self) -> Result<DeviceData> {
        fn copied<T: Element>(x: &GpuArray<T>) -> Result<GpuArray<T>> {
            let mut y = x.device().array(x.len())?;
            y.copy_from(x)?;
            Ok(y)
        }
        Ok(match self {
            DeviceData::F32(x) => DeviceData::F32(copied(x)?),
            DeviceData::F64(x) => DeviceData::F64(copied(x)?),
            DeviceData::ComplexF32(x) => DeviceData::ComplexF32(copied(x)?),
            DeviceData::ComplexF64(x) => DeviceData::ComplexF64(copied(x)?),
        })
    }

    /// Enqueues a copy of an array of the same type and length.
    fn copy_from(&mut self, from: &DeviceData) -> Result<()> {
        match (self, from) {
            (DeviceData::F32(to), DeviceData::F32(from)) => to.copy_from(from)?,
            (DeviceData::F64(to), DeviceData::F64(from)) => to.copy_from(from)?,
            (DeviceData::ComplexF32(to), DeviceData::ComplexF32(from)) => to.copy_from(from)?,
            (DeviceData::ComplexF64(to), DeviceData::ComplexF64(from)) => to.copy_from(from)?,
            _ => bail!("arrays of two types"),
        }
        Ok(())
    }
}

/// Inputs with outputs on a device, in turn.
pub(crate) struct DeviceArrays {
    device: Device,
    pairs: Vec<[DeviceData; 2]>,
    turn: usize,
}

impl DeviceArrays {
    /// Pairs of copies of `arrays`.
    pub(crate) fn new(device: Device, arrays: &Arrays) -> Result<DeviceArrays> {
        let pair = (bytes(&arrays.input) + bytes(&arrays.output)).max(1);
        let share = usize::try_from(device.info().memory / SHARE_OF_MEMORY).unwrap_or(usize::MAX);
        let count = (IN_TURN.min(share) / pair).clamp(2, MOST_PAIRS);
        let first = [DeviceData::upload(&device, &arrays.input)?, DeviceData::upload(&device, &arrays.output)?];
        let copies = (1..count).map(|_| Ok([first[0].copied()?, first[1].copied()?])).collect::<Result<Vec<_>>>()?;
        Ok(DeviceArrays { device, pairs: [first].into_iter().chain(copies).collect(), turn: 0 })
    }

    /// The next input with its output.
    pub(crate) fn next_pair(&mut self) -> (&DeviceData, &mut DeviceData) {
        self.turn = (self.turn + 1) % self.pairs.len();
        let [input, output] = &mut self.pairs[self.turn];
        (input, output)
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// Enqueues a copy of the larger of the next input and output to that which has waited longest.
    fn copy(&mut self) -> Result<()> {
        self.next_pair();
        let [from, to] = [self.turn, (self.turn + self.pairs.len() / 2) % self.pairs.len()];
        let [from, to] = self.pairs.get_disjoint_mut([from, to])?;
        let larger = usize::from(to[1].bytes() > to[0].bytes());
        to[larger].copy_from(&from[larger])
    }
}

/// A transform of arrays on a device. In place the numbers may overflow: a device is no slower with
/// infinities.
pub(crate) struct DeviceTransform {
    plan: GpuPlan,
    arrays: Rc<RefCell<DeviceArrays>>,
}

impl DeviceTransform {
    pub(crate) fn new(plan: GpuPlan, arrays: Rc<RefCell<DeviceArrays>>) -> DeviceTransform {
        DeviceTransform { plan, arrays }
    }
}

impl Work for DeviceTransform {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        let (plan, mut arrays) = (&self.plan, self.arrays.borrow_mut());
        let (input, output) = arrays.next_pair();
        match plan.problem().in_place() {
            true => with_elements!(DeviceData, output, x => plan.execute_on_in_place(x)?),
            false => with_elements!(DeviceData, input, x => with_elements!(DeviceData, output, y =>
                plan.execute_on(x, y)?)),
        }
        Ok(())
    }

    fn synchronize(&mut self) -> Result<()> {
        Ok(self.arrays.borrow().device.finish()?)
    }

    fn least_batch(&self) -> Duration {
        LEAST_BATCH_ON_A_DEVICE
    }
}

/// The yardstick of a device: a copy from its memory to its memory.
pub(crate) struct DeviceCopy(pub(crate) Rc<RefCell<DeviceArrays>>);

impl Work for DeviceCopy {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        self.0.borrow_mut().copy()
    }

    fn synchronize(&mut self) -> Result<()> {
        Ok(self.0.borrow().device.finish()?)
    }

    fn least_batch(&self) -> Duration {
        LEAST_BATCH_ON_A_DEVICE
    }
}
