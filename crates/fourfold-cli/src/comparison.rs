//! Times plans for one problem in turn, each beside a copy of the same array.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::Result;
use fourfold::Problem;
use fourfold_gpu::Device;

use crate::any_plan::AnyPlan;
use crate::bench_targets::{Arrays, DeviceArrays, DeviceCopy, DeviceTransform, Memcpy, Transform};
use crate::engine::Engine;
use crate::timing::{Spread, Timed};

/// Transforms of one problem. Each is compared with a copy in the memory that its arrays are in.
pub(crate) struct Comparison {
    arrays: Rc<RefCell<Arrays>>,
    /// The arrays of engines that have their own memory.
    device_arrays: Vec<(Engine, Rc<RefCell<DeviceArrays>>)>,
    /// Each with the index of its copy.
    transforms: Vec<(Timed, usize)>,
    copies: Vec<(Engine, Timed)>,
}

impl Comparison {
    /// A comparison without plans, with random arrays.
    pub(crate) fn new(problem: &Problem) -> Result<Comparison> {
        let arrays = Rc::new(RefCell::new(Arrays::new(problem)?));
        Ok(Comparison { arrays, device_arrays: vec![], transforms: vec![], copies: vec![] })
    }

    /// Adds a plan for the problem, on an engine.
    pub(crate) fn add_plan(&mut self, engine: &Engine, plan: AnyPlan) -> Result<()> {
        let bytes = self.arrays.borrow().bytes();
        match plan {
            AnyPlan::Cpu(plan) => {
                let transform = Timed::warm(Transform::new(*plan, Rc::clone(&self.arrays))?)?;
                self.add(transform, Engine::Cpu(None), || Timed::warm(Memcpy::new(bytes)?))
            }
            AnyPlan::Gpu(plan, device) => {
                let arrays = self.arrays_on(engine, device)?;
                let transform = Timed::warm(DeviceTransform::new(*plan, Rc::clone(&arrays)))?;
                self.add(transform, engine.clone(), || Timed::warm(DeviceCopy(arrays)))
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
    fn add(&mut self, transform: Timed, place: Engine, copy: impl FnOnce() -> Result<Timed>) -> Result<()> {
        let known = self.copies.iter().position(|(other, _)| *other == place);
        let index = known.unwrap_or(self.copies.len());
        if known.is_none() {
            self.copies.push((place, copy()?));
        }
        self.transforms.push((transform, index));
        Ok(())
    }

    /// Measures each transform and each copy once more.
    pub(crate) fn sample(&mut self) -> Result<()> {
        self.transforms.iter_mut().try_for_each(|(transform, _)| transform.sample())?;
        self.copies.iter_mut().try_for_each(|(_, copy)| copy.sample())
    }

    /// The number of measurements of each.
    pub(crate) fn rounds(&self) -> usize {
        self.copies.iter().map(|(_, copy)| copy.samples()).max().unwrap_or(0)
    }

    /// The times of every transform and of its copy.
    pub(crate) fn results(&self) -> impl Iterator<Item = (Spread, Spread)> {
        self.transforms.iter().map(|(transform, index)| (transform.spread(), self.copies[*index].1.spread()))
    }
}
