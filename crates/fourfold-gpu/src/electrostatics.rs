//! The electrostatic system with its transforms on a device.

use crate::runtime::argument;
use crate::{Device, GpuArray, GpuPlan, GpuPlanner};
use fourfold::electrostatics::{Builder, Cells, Float, MAPS, Map, Spreader, Wanted, Work, steps};
use fourfold::{Method, Multiplier, Planner, Precision, Problem, Result};

/// [`Electrostatics`](fourfold::electrostatics::Electrostatics) whose maps are on a device, as are the transforms with their scalings. Cells are
/// spread over the grid and forces gathered from it on the processor, which takes the density there and the field back.
///
/// Results are the same in every run.
///
/// ```no_run
/// use fourfold::Planner;
/// use fourfold::electrostatics::{Cells, Electrostatics, Grid, Map};
/// use fourfold_gpu::{Device, GpuElectrostatics, GpuPlanner};
/// let grid = Grid::new([0.0, 0.0], [8.0, 8.0], [512, 512])?;
/// let planner = GpuPlanner::new(Device::cuda(0)?);
/// let system = GpuElectrostatics::new(&planner, &Electrostatics::<f32>::builder(grid), &Planner::new())?;
/// let cells = Cells { low: [&[3.0f32, 4.0], &[3.5, 3.5]], size: [&[1.0, 1.0], &[1.0, 1.0]] };
/// let mut maps = system.maps()?;
/// system.solve(cells, &mut maps)?;
/// let [along_x, along_y] = system.forces(cells, &maps)?;
/// # Ok::<(), fourfold::Error>(())
/// ```
pub struct GpuElectrostatics<T> {
    device: Device,
    spreader: Spreader,
    wanted: Wanted,
    steps: Vec<(GpuPlan, Map, Map)>,
    host: std::marker::PhantomData<T>,
}

/// The maps of a system on its device, each of shape \[M, N\] in C order.
pub struct GpuMaps<T> {
    arrays: Vec<GpuArray<T>>,
}

impl<T: Float> GpuElectrostatics<T> {
    /// The system that a builder describes, on the planner's device; `cells` has the threads that spread cells and gather forces.
    ///
    /// # Errors
    /// As [`Builder::build`] and [`GpuPlanner::plan`].
    pub fn new(planner: &GpuPlanner, builder: &Builder<T>, cells: &Planner) -> Result<Self> {
        let (spreader, wanted) = (builder.spreader(cells)?, builder.wanted());
        let plan = |problem: &Problem| match wanted.method == Method::ALL[0] {
            true => planner.plan(problem),
            false => planner.plan_recipe(wanted.method.recipe(problem)?),
        };
        let plan = |work: Work| match work {
            Work::Transform(problem) => plan(&problem),
            Work::Premultiplied(factors, problem) => planner.premultiplied(&factors, &problem),
            Work::Scale(factors) => {
                planner.premultiplied(&Multiplier::Table(factors), &identity(spreader.grid().bins(), T::PRECISION)?)
            }
        };
        let steps = steps(spreader.grid(), &wanted)?.into_iter().map(|step| Ok((plan(step.work)?, step.from, step.to)));
        let steps = steps.collect::<Result<Vec<_>>>()?;
        Ok(GpuElectrostatics {
            device: planner.device.clone(),
            spreader,
            wanted,
            steps,
            host: std::marker::PhantomData,
        })
    }

    /// What does densities and forces, on the processor.
    pub fn spreader(&self) -> &Spreader {
        &self.spreader
    }

    /// Maps on the device, of whatever its memory holds.
    ///
    /// # Errors
    /// If the device has not so much memory.
    pub fn maps(&self) -> Result<GpuMaps<T>> {
        let count = self.spreader.grid().count();
        Ok(GpuMaps { arrays: (0..MAPS).map(|_| self.device.array(count)).collect::<Result<_>>()? })
    }

    /// The density of cells, made here and taken to the device, and there potential and field, which are enqueued.
    ///
    /// # Errors
    /// As [`Electrostatics::solve`](fourfold::electrostatics::Electrostatics::solve), and if the device fails.
    pub fn solve(&self, cells: Cells<'_, T>, maps: &mut GpuMaps<T>) -> Result<()> {
        let mut density = vec![T::default(); self.spreader.grid().count()];
        self.spreader.density(cells, &mut density)?;
        maps.density_mut().upload(&density)?;
        self.transform(maps)
    }

    /// Enqueues the transforms of the density that the maps have.
    ///
    /// # Errors
    /// If the maps are those of another grid or device, or the device fails.
    pub fn transform(&self, maps: &mut GpuMaps<T>) -> Result<()> {
        self.spreader.check_map("density", maps.array(Map::Density).len())?;
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

    /// The energy, from the density and the potential on the device: [`Spreader::energy`].
    ///
    /// # Errors
    /// If the system computes no potential, the maps are those of another grid, or the device fails.
    pub fn energy(&self, maps: &GpuMaps<T>) -> Result<f64> {
        if !self.wanted.potential {
            return Err(argument("the system computes no potential: build it with `potential(true)`".into()));
        }
        let [density, potential] = [Map::Density, Map::Potential].map(|map| self.downloaded(maps, map));
        self.spreader.energy(&density?, &potential?, self.wanted.scaling)
    }

    /// The force on every cell along x and along y, from the field on the device: [`Spreader::forces`].
    ///
    /// # Errors
    /// As there, and if the device fails.
    pub fn forces(&self, cells: Cells<'_, T>, maps: &GpuMaps<T>) -> Result<[Vec<T>; 2]> {
        let [x, y] = [Map::FieldX, Map::FieldY].map(|map| self.downloaded(maps, map));
        self.spreader.forces(cells, [&x?, &y?])
    }

    fn downloaded(&self, maps: &GpuMaps<T>, map: Map) -> Result<Vec<T>> {
        let mut values = vec![T::default(); maps.array(map).len()];
        maps.array(map).download(&mut values)?;
        Ok(values)
    }
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

/// A transform that changes nothing, of an axis that has one element: what is left is one trip through memory, which can multiply.
fn identity([m, n]: [usize; 2], precision: Precision) -> Result<Problem> {
    format!("dct3 {} {m}x{n}x1 axes=2", precision.name()).parse()
}
