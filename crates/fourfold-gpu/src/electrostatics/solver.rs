//! The electrostatic system on a device.

use crate::api::array::{GpuArray, one_queue};
use crate::api::plan::GpuPlan;
use crate::api::planner::GpuPlanner;
use crate::backend::cuda::nvrtc;
use crate::backend::device::Device;
use crate::backend::runtime::{Arguments, Buffer, Kernel};
use crate::electrostatics::cells::GpuCells;
use crate::electrostatics::kernels::{CellKernelDesc, CellWork, SUMS};
use crate::error::argument;
use crate::run::executable::table;
use crate::run::inspect::Target;
use crate::run::kernel_cache::{KernelCache, in_parallel};
use fourfold::electrostatics::{Builder, Cells, Float, Grid, MAPS, Map, Spreader, StepWork, Wanted, steps};
use fourfold::engine::{collected, filled};
use fourfold::{Multiplier, Pipeline, Planner, Precision, Problem, Result};

/// [`Electrostatics`](fourfold::electrostatics::Electrostatics) on a device: cells, maps and forces
/// stay there from step to step.
///
/// Results are the same in every run. Overlaps of cells and bins are computed in the type of the
/// maps, and forces summed in it; densities are summed exactly, of charges rounded to less than a
/// billionth of a bin (with two million cells, to 2^-42).
///
/// ```no_run
/// use fourfold::Planner;
/// use fourfold::electrostatics::{Cells, Electrostatics, Grid};
/// use fourfold_gpu::{Device, GpuElectrostatics, GpuPlanner};
/// let grid = Grid::new([0.0, 0.0], [8.0, 8.0], [512, 512])?;
/// let device = Device::cuda(0)?;
/// let planner = GpuPlanner::new(device.clone());
/// let system = GpuElectrostatics::new(&planner, &Electrostatics::<f32>::builder(grid), &Planner::new())?;
/// let cells = Cells { low: [&[3.0f32, 4.0], &[3.5, 3.5]], size: [&[1.0, 1.0], &[1.0, 1.0]] };
/// let mut maps = system.maps()?;
/// system.solve(cells, &mut maps)?; // uploads the cells
/// let [along_x, along_y] = system.forces(cells, &maps)?;
///
/// let mut cells = system.cells(cells)?; // or stay on the device
/// let mut forces = device.array::<f32>(2 * cells.count())?;
/// for _ in 0..100 {
///     system.solve_on(&cells, &mut maps)?;
///     system.forces_on(&cells, &maps, &mut forces)?;
///     let positions = cells.array_mut(); // which a kernel of the caller's moves
/// }
/// # Ok::<(), fourfold::Error>(())
/// ```
pub struct GpuElectrostatics<T> {
    device: Device,
    spreader: Spreader,
    wanted: Wanted,
    steps: Vec<(GpuPlan, Map, Map)>,
    desc: CellKernelDesc,
    /// As [`CellWork::ALL`].
    kernels: Vec<Kernel>,
    /// The fixed density, if there is one.
    fixed: Buffer,
    nothing: Buffer,
    host: std::marker::PhantomData<T>,
}

/// The maps of a system on its device, each of shape \[M, N\] in C order.
pub struct GpuMaps<T> {
    arrays: Vec<GpuArray<T>>,
    grid: Grid,
    potential: bool,
    /// Charges of bins, 0 where they are not being summed.
    sums: Buffer,
}

impl<T: Float> GpuElectrostatics<T> {
    /// The system that a builder describes, on the planner's device; `cells` has the threads that
    /// check those of the host.
    ///
    /// # Errors
    /// As [`Builder::build`] and [`GpuPlanner::plan`].
    pub fn new(planner: &GpuPlanner, builder: &Builder<T>, cells: &Planner) -> Result<Self> {
        let (spreader, wanted) = (builder.spreader(cells)?, builder.wanted());
        let plan = |work: StepWork| match work {
            StepWork::Fused(pipeline) => planner.plan(pipeline),
            StepWork::Staged(recipe) => planner.plan_recipe(recipe),
            StepWork::Scale(factors) => {
                let nothing = identity(spreader.grid().bins(), T::PRECISION)?;
                planner.plan(Pipeline::new().multiply(Multiplier::Table(factors)).transform(nothing))
            }
        };
        let steps = steps(spreader.grid(), &wanted)?.into_iter().map(|step| Ok((plan(step.work)?, step.from, step.to)));
        let steps = steps.collect::<Result<Vec<_>>>()?;
        let (device, desc) = (planner.device.clone(), CellKernelDesc::new(&spreader, T::PRECISION));
        Ok(GpuElectrostatics {
            kernels: compiled(&planner.kernel_cache, &device, &desc)?,
            fixed: table(&device, spreader.fixed_density().unwrap_or_default(), T::PRECISION)?,
            nothing: device.runtime.allocate(0)?,
            device,
            spreader,
            wanted,
            steps,
            desc,
            host: std::marker::PhantomData,
        })
    }

    /// What does the same on the processor, and the density overflow.
    pub fn spreader(&self) -> &Spreader {
        &self.spreader
    }

    /// Maps on the device, of whatever its memory holds.
    ///
    /// # Errors
    /// If the device does not have that much memory.
    pub fn maps(&self) -> Result<GpuMaps<T>> {
        let count = self.spreader.grid().count();
        let arrays = (0..MAPS).map(|_| self.device.array(count)).collect::<Result<_>>()?;
        let mut sums = self.device.runtime.allocate(count * size_of::<u64>())?;
        self.device.queue.upload(&filled(count, 0f64, format_args!("sums of {count} bins"))?, &mut sums)?;
        Ok(GpuMaps { arrays, grid: *self.spreader.grid(), potential: self.wanted.potential, sums })
    }

    /// A copy of cells on the device.
    ///
    /// # Errors
    /// If a cell lies outside the region or its size is negative or not a number, there are more
    /// than 2^28, or the device does not have that much memory.
    pub fn cells(&self, cells: Cells<'_, T>) -> Result<GpuCells<T>> {
        GpuCells::new(&self.device, &self.spreader, cells)
    }

    /// The density of cells, which are taken to the device, and there potential and field, which
    /// are enqueued.
    ///
    /// # Errors
    /// As [`GpuElectrostatics::cells`], and if the maps are those of another grid or device, or the
    /// device fails.
    pub fn solve(&self, cells: Cells<'_, T>, maps: &mut GpuMaps<T>) -> Result<()> {
        self.solve_on(&self.cells(cells)?, maps)
    }

    /// Enqueues the same of cells on the device.
    ///
    /// # Errors
    /// If cells or maps are those of another grid or device, or the device fails.
    pub fn solve_on(&self, cells: &GpuCells<T>, maps: &mut GpuMaps<T>) -> Result<()> {
        self.density_on(cells, maps)?;
        self.transform(maps)
    }

    /// Enqueues only the density of cells with the fixed density.
    ///
    /// # Errors
    /// As [`GpuElectrostatics::solve_on`].
    pub fn density_on(&self, cells: &GpuCells<T>, maps: &mut GpuMaps<T>) -> Result<()> {
        self.check(cells, maps)?;
        let (cells_at, nothing) = (&cells.array.buffer, &self.nothing);
        for items in [&cells.first, &cells.rest] {
            let arguments = [cells_at, nothing, &cells.units, &items.buffer, &maps.sums];
            self.launch(CellWork::Charge, items.count, arguments)?;
        }
        let density = &maps.arrays[Map::Density as usize];
        let arguments = [&self.fixed, &density.buffer, &cells.units, nothing, &maps.sums];
        self.launch(CellWork::Density, density.len(), arguments)
    }

    /// Enqueues the transforms of the density that the maps have.
    ///
    /// # Errors
    /// If the maps are those of another grid or device, or the device fails.
    pub fn transform(&self, maps: &mut GpuMaps<T>) -> Result<()> {
        self.check_maps(maps)?;
        maps.potential = self.wanted.potential;
        for (plan, from, to) in &self.steps {
            let (from, to) = (*from as usize, *to as usize);
            if from == to {
                plan.execute_on_in_place(&mut maps.arrays[to])?;
            } else {
                let both = maps.arrays.get_disjoint_mut([from, to]);
                let [input, output] = both.expect("two maps of those that there are");
                plan.execute_on(input, output)?;
            }
        }
        Ok(())
    }

    /// The energy, from the density and the potential on the device: [`Spreader::energy`]. The
    /// device sums it but for the last few thousand terms, which the host adds.
    ///
    /// # Errors
    /// If the system that filled the maps computes no potential, they are those of another grid, or
    /// the device fails.
    pub fn energy(&self, maps: &GpuMaps<T>) -> Result<f64> {
        if !maps.potential {
            return Err(argument("the system computes no potential: build it with `potential(true)`".into()));
        }
        self.check_maps(maps)?;
        one_queue(&self.device, &maps.array(Map::Density).device)?;
        let sums = self.device.array::<T>(SUMS)?;
        let [density, potential] = [Map::Density, Map::Potential].map(|map| &maps.array(map).buffer);
        let arguments = [density, &sums.buffer, potential, &self.nothing, &self.nothing];
        self.launch(CellWork::Energy, SUMS, arguments)?;
        let mut terms = vec![T::default(); SUMS];
        sums.download(&mut terms)?;
        let sum: f64 = terms.into_iter().map(T::into).sum();
        Ok(sum * self.wanted.scaling.energy_factor(self.spreader.grid()))
    }

    /// The force on every cell along x and along y, from the field on the device:
    /// [`Spreader::forces`].
    ///
    /// # Errors
    /// As [`GpuElectrostatics::solve`].
    pub fn forces(&self, cells: Cells<'_, T>, maps: &GpuMaps<T>) -> Result<[Vec<T>; 2]> {
        let cells = self.cells(cells)?;
        let mut forces = self.device.array(2 * cells.count())?;
        self.forces_on(&cells, maps, &mut forces)?;
        let what = format_args!("forces on {} cells", cells.count());
        let mut along_x = filled(forces.len(), T::default(), what)?;
        forces.download(&mut along_x)?;
        let along_y = collected(cells.count(), along_x[cells.count()..].iter().copied(), what)?;
        along_x.truncate(cells.count());
        Ok([along_x, along_y])
    }

    /// Enqueues the same of cells on the device. `forces` gets those along x of all cells, then
    /// those along y.
    ///
    /// # Errors
    /// As [`GpuElectrostatics::solve_on`], and if `forces` is too short.
    pub fn forces_on(&self, cells: &GpuCells<T>, maps: &GpuMaps<T>, forces: &mut GpuArray<T>) -> Result<()> {
        self.check(cells, maps)?;
        one_queue(&self.device, &forces.device)?;
        let (has, needs) = (forces.len(), 2 * cells.count());
        if has < needs {
            return Err(argument(format!("forces on {} cells need {needs} elements: {has} given", cells.count())));
        }
        let [along_x, along_y] = [Map::FieldX, Map::FieldY].map(|map| &maps.array(map).buffer);
        let (cells_at, of_parts) = (&cells.array.buffer, cells.forces());
        for (items, forces) in [(&cells.first, &*forces), (&cells.rest, &*of_parts)] {
            let arguments = [cells_at, &forces.buffer, along_x, &items.buffer, along_y];
            self.launch(CellWork::Forces, items.count, arguments)?;
        }
        let (split, nothing) = (&cells.split, &self.nothing);
        let arguments = [&of_parts.buffer, &forces.buffer, nothing, &split.buffer, nothing];
        self.launch(CellWork::Join, split.count, arguments)
    }

    /// The same as [`Launch::resources`](crate::run::inspect::Launch::resources) of every kernel
    /// for cells, with what each does.
    #[doc(hidden)]
    pub fn resources(builder: &Builder<T>, target: &Target) -> Result<Vec<(String, String)>> {
        let desc = CellKernelDesc::new(&builder.spreader(&Planner::new())?, T::PRECISION);
        let resources = |work: CellWork| {
            let source = desc.source(work, target.dialect());
            Ok((format!("{work:?}"), nvrtc::resources(&source, target.name())?))
        };
        CellWork::ALL.into_iter().map(resources).collect()
    }

    fn launch(&self, work: CellWork, items: usize, arguments: Arguments<'_>) -> Result<()> {
        if items == 0 {
            return Ok(());
        }
        self.device.queue.launch(&self.kernels[work as usize], self.desc.grid(work, items), arguments)
    }

    fn check(&self, cells: &GpuCells<T>, maps: &GpuMaps<T>) -> Result<()> {
        cells.check()?;
        self.spreader.check_grid("cells", &cells.grid)?;
        one_queue(&self.device, &cells.array.device)?;
        one_queue(&self.device, &maps.array(Map::Density).device)?;
        self.check_maps(maps)
    }

    fn check_maps(&self, maps: &GpuMaps<T>) -> Result<()> {
        self.spreader.check_grid("maps", &maps.grid)?;
        // It may have been swapped for another array since.
        self.spreader.check_map("density", maps.array(Map::Density).len())
    }
}

/// The kernels of cells, made at the same time.
fn compiled(kernel_cache: &KernelCache, device: &Device, desc: &CellKernelDesc) -> Result<Vec<Kernel>> {
    let compile = |i: usize| {
        let work = CellWork::ALL[i];
        kernel_cache.compile(&desc.source(work, device.runtime.dialect()), desc.grid(work, 1).size())
    };
    in_parallel(CellWork::ALL.len(), compile).into_iter().collect()
}

impl<T> GpuMaps<T> {
    /// A map. Only those that are results are of use: the coefficients are what is left of them.
    pub fn array(&self, map: Map) -> &GpuArray<T> {
        &self.arrays[map as usize]
    }

    /// The density, to be written before [`GpuElectrostatics::transform`].
    pub fn density_mut(&mut self) -> &mut GpuArray<T> {
        &mut self.arrays[Map::Density as usize]
    }
}

/// A transform that changes nothing, of an axis that has one element: what is left is one trip
/// through memory, which can multiply.
fn identity([m, n]: [usize; 2], precision: Precision) -> Result<Problem> {
    format!("dct3 {} {m}x{n}x1 axes=2", precision.name()).parse()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device_tests::present;
    use crate::limits::Api;
    use fourfold::electrostatics::Electrostatics;

    /// Whose maps few devices hold.
    #[test]
    fn kernels_of_large_grids_compile() {
        let Some(device) = Api::ALL.into_iter().find_map(present) else { return };
        let kernel_cache = KernelCache::new(device.runtime.clone(), device.target().limits().clone(), None);
        let grid = Grid::new([0.0, 0.0], [1.0, 1.0], [1 << 17, 1 << 16]).unwrap();
        let spreader = Electrostatics::<f32>::builder(grid).smoothing(1.0).spreader(&Planner::new()).unwrap();
        let desc = CellKernelDesc::new(&spreader, Precision::F32);
        assert!(desc.source(CellWork::Charge, device.runtime.dialect()).contains("typedef long"));
        assert_eq!(compiled(&kernel_cache, &device, &desc).unwrap().len(), CellWork::ALL.len());
    }
}
