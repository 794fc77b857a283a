//! The work that `bench` times: transforms and copies, in host memory and in devices' memory.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Error, Result};
use fourfold::engine::Pool;
use fourfold::oracle::verify::Data;
use fourfold::timing::{Timed, Work};
use fourfold::{Plan, Problem, Scratch, Storage};
use fourfold_gpu::{Device, GpuPlan};

use crate::array::{array_bytes, bytes, check_memory, copy, random, with_elements, zeros, zeros_of};
pub use crate::device_data::DeviceData;

/// The most runs in place one after another. Each transforms the result of the last, and the
/// numbers must stay finite.
const MOST_RUNS_IN_PLACE: usize = 8;

/// The least time of a batch on a device, since waiting for a device costs about 10 µs.
const LEAST_BATCH_ON_A_DEVICE: Duration = Duration::from_millis(5);

/// The bytes of the arrays that runs on a device take in turn, so that no run finds its input in a
/// cache: an H200's has 60 MB.
pub const IN_TURN: usize = 320 << 20;

/// The most pairs of arrays. Smaller problems take the time of a launch, in a cache or not.
pub const MOST_PAIRS: usize = 1024;

/// Pairs beyond the second take at most one part in so many of a device's memory.
const SHARE_OF_MEMORY: u64 = 8;

/// Work of any type that takes turns with others.
pub type Contestant = Timed<Box<dyn Work<Error = Error>>>;

/// Warms work up.
pub fn contestant(work: impl Work<Error = Error> + 'static) -> Result<Contestant> {
    Timed::new(Box::new(work) as Box<dyn Work<Error = Error>>)
}

/// Random input, and the output. In place, the output begins as a copy of the input.
pub struct Arrays {
    input: Data,
    output: Data,
    in_place: bool,
    /// The type of reals on devices.
    storage: Storage,
}

impl Arrays {
    /// Those of a problem.
    pub fn new(problem: &Problem) -> Result<Arrays> {
        check_memory(array_bytes(problem))?;
        let precision = problem.precision();
        let input = random(precision, problem.input_domain(), problem.input().len)?;
        let output = zeros_of(precision, problem.output_domain(), problem.output().len)?;
        let mut arrays = Arrays { input, output, in_place: problem.in_place(), storage: problem.storage() };
        arrays.restore();
        Ok(arrays)
    }

    fn restore(&mut self) {
        if self.in_place {
            copy(&self.input, &mut self.output);
        }
    }

    /// The bytes of the larger of input and output.
    pub fn bytes(&self) -> usize {
        bytes(&self.input).max(bytes(&self.output))
    }
}

/// A transform on a CPU. All of them share their arrays.
pub struct Transform {
    plan: Plan,
    scratch: Scratch,
    arrays: Rc<RefCell<Arrays>>,
}

impl Transform {
    /// By a plan, of arrays that fit it.
    pub fn new(plan: Plan, arrays: Rc<RefCell<Arrays>>) -> Result<Transform> {
        Ok(Transform { scratch: plan.try_scratch()?, plan, arrays })
    }
}

impl Work for Transform {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        let Arrays { input, output, in_place, .. } = &mut *self.arrays.borrow_mut();
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

/// A copy by memcpy, of which every thread does the same share.
pub struct Memcpy {
    pool: Pool,
    /// For each thread, what it copies and where to.
    shares: Vec<Mutex<[Vec<f64>; 2]>>,
}

impl Memcpy {
    /// A copy of so many bytes by so many threads.
    pub fn new(bytes: usize, threads: usize) -> Result<Memcpy> {
        let share = || -> Result<Mutex<[Vec<f64>; 2]>> {
            let reals = bytes.div_ceil(threads * size_of::<f64>());
            let [mut from, to] = [zeros(reals)?, zeros(reals)?];
            from.fill(1.0);
            Ok(Mutex::new([from, to]))
        };
        let shares = (0..threads).map(|_| share()).collect::<Result<_>>()?;
        Ok(Memcpy { pool: Pool::new(threads).context("cannot start threads for the copy")?, shares })
    }
}

impl Work for Memcpy {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        self.pool.run_tasks(self.shares.len(), &|_, share| {
            let [from, to] = &mut *self.shares[share].lock().unwrap_or_else(PoisonError::into_inner);
            black_box(to).copy_from_slice(black_box(from));
        });
        Ok(())
    }
}

/// Pairs of input and output on a device, which runs take in turn.
pub struct DeviceArrays {
    device: Device,
    pairs: Vec<[DeviceData; 2]>,
    /// The index of the pair that was taken last.
    last: usize,
}

impl DeviceArrays {
    /// Pairs of copies of `arrays`.
    pub fn new(device: Device, arrays: &Arrays) -> Result<DeviceArrays> {
        let upload = |data| DeviceData::upload(&device, data, arrays.storage);
        let first = [upload(&arrays.input)?, upload(&arrays.output)?];
        let pair = (first[0].bytes() + first[1].bytes()).max(1);
        let share = usize::try_from(device.info().memory / SHARE_OF_MEMORY).unwrap_or(usize::MAX);
        let count = (IN_TURN.min(share) / pair).clamp(2, MOST_PAIRS);
        let copies = (1..count).map(|_| Ok([first[0].copied()?, first[1].copied()?])).collect::<Result<Vec<_>>>()?;
        Ok(DeviceArrays { device, pairs: [first].into_iter().chain(copies).collect(), last: 0 })
    }

    /// The next input with its output.
    pub fn next_pair(&mut self) -> (&DeviceData, &mut DeviceData) {
        self.last = (self.last + 1) % self.pairs.len();
        let [input, output] = &mut self.pairs[self.last];
        (input, output)
    }

    /// Where they are.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Enqueues a copy of the next input or output, the larger of the two, to the pair that was
    /// taken half a round ago.
    fn copy(&mut self) -> Result<()> {
        self.next_pair();
        let [from, to] = [self.last, (self.last + self.pairs.len() / 2) % self.pairs.len()];
        let [from, to] = self.pairs.get_disjoint_mut([from, to])?;
        let larger = usize::from(to[1].bytes() > to[0].bytes());
        to[larger].copy_from(&from[larger])
    }
}

/// A transform of arrays on a device. In place the numbers may overflow, which does not change a
/// device's times.
pub struct DeviceTransform {
    plan: GpuPlan,
    arrays: Rc<RefCell<DeviceArrays>>,
}

impl DeviceTransform {
    /// By a plan, of arrays that fit it.
    pub fn new(plan: GpuPlan, arrays: Rc<RefCell<DeviceArrays>>) -> DeviceTransform {
        DeviceTransform { plan, arrays }
    }
}

impl Work for DeviceTransform {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        let (plan, mut arrays) = (&self.plan, self.arrays.borrow_mut());
        let (input, output) = arrays.next_pair();
        match plan.problem().in_place() {
            true => output.transform(plan),
            false => input.transform_to(output, plan),
        }
    }

    fn synchronize(&mut self) -> Result<()> {
        Ok(self.arrays.borrow().device.finish()?)
    }

    fn least_batch(&self) -> Duration {
        LEAST_BATCH_ON_A_DEVICE
    }
}

/// A copy from a device's memory to the same memory.
pub struct DeviceCopy(pub Rc<RefCell<DeviceArrays>>);

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_copy() {
        let mut copy = Memcpy::new(1000 * size_of::<f64>(), 3).unwrap();
        copy.run().unwrap();
        let shares: Vec<[Vec<f64>; 2]> = copy.shares.into_iter().map(|share| share.into_inner().unwrap()).collect();
        assert_eq!((copy.pool.threads(), shares.len()), (3, 3));
        assert!(shares.iter().all(|[from, to]| *to == vec![1.0; 334] && from == to));
    }
}
