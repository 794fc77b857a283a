//! Transforms of one problem timed in turn, next to a copy of the same array.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::Result;
use fourfold::Problem;
use fourfold::timing::{Pace, Summary, take_turns};
use fourfold_gpu::Device;

use crate::engine::Engine;
use crate::ready::Ready;
use crate::work::{Arrays, Contestant, DeviceArrays, DeviceCopy, DeviceTransform, Memcpy, Transform, contestant};

/// Transforms of one problem, each with its yardstick: a copy where its arrays are.
pub(crate) struct Contest {
    arrays: Rc<RefCell<Arrays>>,
    /// Those of engines that have their own memory.
    device_arrays: Vec<(Engine, Rc<RefCell<DeviceArrays>>)>,
    /// With the number of the yardstick.
    transforms: Vec<(Contestant, usize)>,
    copies: Vec<(Engine, Contestant)>,
}

impl Contest {
    /// Nobody yet, with random arrays.
    pub(crate) fn new(problem: &Problem) -> Result<Contest> {
        let arrays = Rc::new(RefCell::new(Arrays::new(problem)?));
        Ok(Contest { arrays, device_arrays: vec![], transforms: vec![], copies: vec![] })
    }

    /// Adds a plan for the problem, on an engine.
    pub(crate) fn enter(&mut self, engine: &Engine, plan: Ready) -> Result<()> {
        let bytes = self.arrays.borrow().bytes();
        match plan {
            Ready::Cpu(plan) => {
                let transform = contestant(Transform::new(*plan, Rc::clone(&self.arrays))?)?;
                self.add(transform, Engine::Cpu(None), || contestant(Memcpy::new(bytes)?))
            }
            Ready::Gpu(plan, device) => {
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

    /// Adds a transform whose arrays are where those of `place` are.
    fn add(&mut self, transform: Contestant, place: Engine, copy: impl FnOnce() -> Result<Contestant>) -> Result<()> {
        let known = self.copies.iter().position(|(other, _)| *other == place);
        let number = known.unwrap_or(self.copies.len());
        if known.is_none() {
            self.copies.push((place, copy()?));
        }
        self.transforms.push((transform, number));
        Ok(())
    }

    /// Measures everyone in turns. Returns the times of every transform and of its yardstick, in
    /// milliseconds.
    pub(crate) fn measure(&mut self, pace: &Pace) -> Result<Vec<(Summary, Summary)>> {
        let transforms = self.transforms.iter_mut().map(|(transform, _)| transform);
        let times = take_turns(transforms.chain(self.copies.iter_mut().map(|(_, copy)| copy)), pace)?;
        let (transforms, copies) = times.split_at(self.transforms.len());
        let both = |(time, (_, copy)): (&Summary, &(_, usize))| (time.in_unit(1e3), copies[*copy].in_unit(1e3));
        Ok(transforms.iter().zip(&self.transforms).map(both).collect())
    }
}
