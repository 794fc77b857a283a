//! Times plans for one problem in turn, each beside a copy of the same array.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::Result;
use fourfold::Problem;
use fourfold::timing::{Pace, Summary, take_turns};
use fourfold_gpu::Device;

use crate::any_plan::AnyPlan;
use crate::bench_targets::{Arrays, DeviceArrays, DeviceCopy, DeviceTransform, Memcpy, Transform};
use crate::bench_targets::{Contestant, contestant};
use crate::engine::Engine;

/// Transforms of one problem. Each is compared with a copy in the memory that its arrays are in, on
/// a CPU by as many threads.
pub struct Comparison {
    arrays: Rc<RefCell<Arrays>>,
    /// The arrays of engines that have their own memory.
    device_arrays: Vec<(Engine, Rc<RefCell<DeviceArrays>>)>,
    /// Each with the index of its copy.
    transforms: Vec<(Contestant, usize)>,
    copies: Vec<(Engine, Contestant)>,
}

impl Comparison {
    /// A comparison without plans, with random arrays.
    pub fn new(problem: &Problem) -> Result<Comparison> {
        let arrays = Rc::new(RefCell::new(Arrays::new(problem)?));
        Ok(Comparison { arrays, device_arrays: vec![], transforms: vec![], copies: vec![] })
    }

    /// Adds a plan for the problem, on an engine.
    pub fn add_plan(&mut self, engine: &Engine, plan: AnyPlan) -> Result<()> {
        let bytes = self.arrays.borrow().bytes();
        match plan {
            AnyPlan::Cpu(plan) => {
                let threads = plan.threads();
                let transform = contestant(Transform::new(*plan, Rc::clone(&self.arrays))?)?;
                self.add(transform, Engine::Cpu(None), || contestant(Memcpy::new(bytes, threads)?))
            }
            AnyPlan::Gpu(plan, device) => {
                let arrays = self.arrays_on(engine, device)?;
                let transform = contestant(DeviceTransform::new(*plan, Rc::clone(&arrays)))?;
                self.add(transform, engine.clone(), || contestant(DeviceCopy(arrays)))
            }
        }
    }

    /// The arrays that all transforms on a device share.
    fn arrays_on(&mut self, engine: &Engine, device: Device) -> Result<Rc<RefCell<DeviceArrays>>> {
        if let Some((_, arrays)) = self.device_arrays.iter().find(|(other, _)| other == engine) {
            return Ok(Rc::clone(arrays));
        }
        let arrays = Rc::new(RefCell::new(DeviceArrays::new(device, &self.arrays.borrow())?));
        self.device_arrays.push((engine.clone(), Rc::clone(&arrays)));
        Ok(arrays)
    }

    /// Adds a transform whose arrays are in the memory of `place`.
    fn add(&mut self, transform: Contestant, place: Engine, copy: impl FnOnce() -> Result<Contestant>) -> Result<()> {
        let known = self.copies.iter().position(|(other, _)| *other == place);
        let index = known.unwrap_or(self.copies.len());
        if known.is_none() {
            self.copies.push((place, copy()?));
        }
        self.transforms.push((transform, index));
        Ok(())
    }

    /// Measures all in turn. Returns the times of every transform and of its copy, in
    /// milliseconds.
    pub fn measure(&mut self, pace: &Pace) -> Result<Vec<(Summary, Summary)>> {
        let transforms = self.transforms.iter_mut().map(|(transform, _)| transform);
        let times = take_turns(transforms.chain(self.copies.iter_mut().map(|(_, copy)| copy)), pace)?;
        let (transforms, copies) = times.split_at(self.transforms.len());
        let both = |(time, (_, copy)): (&Summary, &(_, usize))| (time.in_unit(1e3), copies[*copy].in_unit(1e3));
        Ok(transforms.iter().zip(&self.transforms).map(both).collect())
    }
}
