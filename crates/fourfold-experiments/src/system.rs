//! The electrostatic system on an engine: density, field and forces, which stay where they are
//! computed.

use anyhow::Result;
use fourfold::Planner;
use fourfold::electrostatics::{Builder, Cells, Electrostatics, Map, Maps};
use fourfold_cli::array::{collect, zeros};
use fourfold_cli::planner::EnginePlanner;
use fourfold_gpu::{Device, GpuArray, GpuCells, GpuElectrostatics, GpuMaps};

/// A system with its maps and forces.
pub(crate) enum System {
    Cpu(Box<OnCpu>),
    Gpu(Box<OnDevice>),
}

pub(crate) struct OnCpu {
    system: Electrostatics<f64>,
    maps: Maps<f64>,
    forces: [Vec<f64>; 2],
}

/// All that stays on a device from step to step.
pub(crate) struct OnDevice {
    device: Device,
    system: GpuElectrostatics<f64>,
    cells: GpuCells<f64>,
    maps: GpuMaps<f64>,
    forces: GpuArray<f64>,
}

impl System {
    /// Makes a system. A device gets the cells; there the threads only check them.
    pub(crate) fn new(
        engine: &EnginePlanner,
        threads: usize,
        builder: &Builder<f64>,
        cells: Cells<'_, f64>,
    ) -> Result<System> {
        engine.with_planner(
            |planner| {
                let system = builder.build(planner)?;
                let maps = system.maps()?;
                Ok(System::Cpu(Box::new(OnCpu { system, maps, forces: [vec![], vec![]] })))
            },
            |device, planner| {
                let system = GpuElectrostatics::new(planner, builder, &Planner::builder().threads(threads).build()?)?;
                let (cells, maps) = (system.cells(cells)?, system.maps()?);
                let forces = device.array(2 * cells.count())?;
                Ok(System::Gpu(Box::new(OnDevice { device: device.clone(), system, cells, maps, forces })))
            },
        )
    }

    /// Density, transforms and forces. A device takes the cells that it has.
    pub(crate) fn step(&mut self, cells: Cells<'_, f64>) -> Result<()> {
        match self {
            System::Cpu(here) => here.system.spreader().density(cells, here.maps.density_mut())?,
            System::Gpu(there) => there.system.density_on(&there.cells, &mut there.maps)?,
        }
        self.transform()?;
        self.push(cells)
    }

    /// The same for cells that have moved, whose density is known.
    pub(crate) fn step_with(&mut self, density: &[f64], cells: Cells<'_, f64>) -> Result<()> {
        match self {
            System::Cpu(here) => here.maps.density_mut().copy_from_slice(density),
            System::Gpu(there) => {
                there.maps.density_mut().upload(density)?;
                there.cells = there.system.cells(cells)?;
            }
        }
        self.transform()?;
        self.push(cells)
    }

    /// The transforms alone.
    pub(crate) fn transform(&mut self) -> Result<()> {
        Ok(match self {
            System::Cpu(here) => here.system.transform(&mut here.maps),
            System::Gpu(there) => there.system.transform(&mut there.maps),
        }?)
    }

    /// The forces of the field.
    fn push(&mut self, cells: Cells<'_, f64>) -> Result<()> {
        match self {
            System::Cpu(here) => here.forces = here.system.forces(cells, &here.maps)?,
            System::Gpu(there) => there.system.forces_on(&there.cells, &there.maps, &mut there.forces)?,
        }
        Ok(())
    }

    /// A copy of the forces along x and along y.
    pub(crate) fn forces(&self) -> Result<[Vec<f64>; 2]> {
        match self {
            System::Cpu(here) => Ok([copy(&here.forces[0])?, copy(&here.forces[1])?]),
            System::Gpu(there) => {
                let mut along_x = zeros(there.forces.len())?;
                there.forces.download(&mut along_x)?;
                let along_y = along_x.split_off(there.cells.count());
                Ok([along_x, along_y])
            }
        }
    }

    /// A copy of a map.
    pub(crate) fn map(&self, map: Map) -> Result<Vec<f64>> {
        match self {
            System::Cpu(here) => copy(match map {
                Map::Potential => here.maps.potential()?,
                Map::FieldX => here.maps.field()[0],
                Map::FieldY => here.maps.field()[1],
                _ => here.maps.density(),
            }),
            System::Gpu(there) => {
                let array = there.maps.array(map);
                let mut copy = zeros(array.len())?;
                array.download(&mut copy)?;
                Ok(copy)
            }
        }
    }

    pub(crate) fn energy(&self) -> Result<f64> {
        Ok(match self {
            System::Cpu(here) => here.system.energy(&here.maps),
            System::Gpu(there) => there.system.energy(&there.maps),
        }?)
    }

    /// Waits for the device.
    pub(crate) fn finish(&self) -> Result<()> {
        match self {
            System::Cpu(..) => Ok(()),
            System::Gpu(there) => Ok(there.device.finish()?),
        }
    }
}

/// A copy, or an error if memory is lacking.
fn copy(numbers: &[f64]) -> Result<Vec<f64>> {
    collect(numbers.len(), numbers.iter().copied())
}
