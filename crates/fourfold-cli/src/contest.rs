//! Transforms of one problem timed in turn, next to a copy of the same array.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::Result;
use fourfold::Problem;
use fourfold_gpu::Device;

use crate::engine::Engine;
use crate::ready::Ready;
use crate::timing::{Spread, Timed};
use crate::work::{Arrays, DeviceArrays, DeviceCopy, DeviceTransform, Memcpy, Transform};

/// Transforms of one problem, each with its yardstick: a copy where its arrays are.
pub struct Contest {
    arrays: Rc<RefCell<Arrays>>,
    /// Those of engines that have their own memory.
    device_arrays: Vec<(Engine, Rc<RefCell<DeviceArrays>>)>,
    /// With the number of the yardstick.
    transforms: Vec<(Timed, usize)>,
    copies: Vec<(Engine, Timed)>,
}

impl Contest {
    /// Nobody yet, with random arrays.
    pub fn new(problem: &Problem) -> Result<Contest> {
        let arrays = Rc::new(RefCell::new(Arrays::new(problem)?));
        Ok(Contest { arrays, device_arrays: vec![], transforms: vec![], copies: vec![] })
    }

    /// Adds a plan for the problem, on an engine.
    pub fn enter(&mut self, engine: &Engine, plan: Ready) -> Result<()> {
        let bytes = self.arrays.borrow().bytes();
        match plan {
            Ready::Cpu(plan) => {
                let transform = Timed::warm(Transform::new(*plan, Rc::clone(&self.arrays))?)?;
                self.add(transform, Engine::Cpu(None), || Timed::warm(Memcpy::new(bytes)?))
            }
            Ready::Gpu(plan, device) => {
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

    /// Adds a transform whose arrays are where those of `place` are.
    fn add(&mut self, transform: Timed, place: Engine, copy: impl FnOnce() -> Result<Timed>) -> Result<()> {
        let known = self.copies.iter().position(|(other, _)| *other == place);
        let number = known.unwrap_or(self.copies.len());
        if known.is_none() {
            self.copies.push((place, copy()?));
        }
        self.transforms.push((transform, number));
        Ok(())
    }

    /// Measures everyone once more.
    pub fn sample(&mut self) -> Result<()> {
        self.transforms.iter_mut().try_for_each(|(transform, _)| transform.sample())?;
        self.copies.iter_mut().try_for_each(|(_, copy)| copy.sample())
    }

    /// How often that was done.
    pub fn rounds(&self) -> usize {
        self.copies.iter().map(|(_, copy)| copy.samples()).max().unwrap_or(0)
    }

    /// The times of every transform and of its yardstick.
    pub fn results(&self) -> impl Iterator<Item = (Spread, Spread)> {
        self.transforms.iter().map(|(transform, number)| (transform.spread(), self.copies[*number].1.spread()))
    }
}
