//! The electrostatic system on the CPU.

use crate::baseline::algorithm::Algorithm;
use crate::cpu::base::memory::Scratch;
use crate::electrostatics::grid::{Cells, Grid};
use crate::electrostatics::spread::Spreader;
use crate::electrostatics::steps::{MAPS, Map, Scaling, StepWork, Wanted, reserved, steps};
use crate::error::{Error, ErrorKind, Result, filled};
use crate::plan::plan::Plan;
use crate::plan::planner::Planner;
use crate::problem::float::Float;
use std::marker::PhantomData;
use std::sync::Arc;

/// The executable form of Algorithm 4 on a grid. The [module](super) has the formulas.
pub struct Electrostatics<T> {
    spreader: Spreader,
    wanted: Wanted,
    steps: Vec<(PreparedStep<T>, Map, Map)>,
    scratch_bytes: usize,
}

/// The settings of [`Electrostatics`].
#[derive(Clone, Debug)]
pub struct Builder<T> {
    grid: Grid,
    wanted: Wanted,
    smoothing: f64,
    fixed: Option<Arc<[f64]>>,
    float: PhantomData<T>,
}

/// The maps of a system, each of shape \[M, N\] in C order, and the scratch to compute them.
pub struct Maps<T> {
    maps: [Vec<T>; MAPS],
    grid: Grid,
    potential: bool,
    scratch: Scratch,
}

enum PreparedStep<T> {
    Plan(Box<Plan>),
    Scale(Vec<T>),
}

impl<T> Builder<T> {
    /// Sets the units of potential, field and energy. The default is [`Scaling::Dreamplace`].
    pub fn scaling(mut self, scaling: Scaling) -> Self {
        self.wanted.scaling = scaling;
        self
    }

    /// Widens cells that are smaller than `bins` bins along an axis to that size, about their
    /// centres, with a density that keeps their charge. Then the field on a cell depends less on
    /// its position in a bin. ePlace and DREAMPlace use √2 bins. The default is 0, which does not
    /// widen.
    pub fn smoothing(mut self, bins: f64) -> Self {
        self.smoothing = bins;
        self
    }

    /// Sets a density of shape \[M, N\] that is added to that of the cells, such as that of cells
    /// that do not move. The default is none.
    pub fn fixed_density(mut self, map: impl Into<Arc<[f64]>>) -> Self {
        self.fixed = Some(map.into());
        self
    }

    /// Sets the baseline that computes the transforms. The default is `None`: fourfold's passes,
    /// which include the scalings. With a baseline, each scaling is another trip through memory.
    pub fn algorithm(mut self, algorithm: impl Into<Option<Algorithm>>) -> Self {
        self.wanted.algorithm = algorithm.into();
        self
    }

    /// Sets whether the potential is computed, which only the energy needs. The default is `true`.
    /// (DREAMPlace's fast mode omits it.)
    pub fn potential(mut self, potential: bool) -> Self {
        self.wanted.potential = potential;
        self
    }
}

impl<T: Float> Builder<T> {
    /// The settings as data for other engines.
    pub fn wanted(&self) -> Wanted {
        self.wanted
    }

    /// Makes a [`Spreader`], which computes densities and forces with the threads of the planner.
    ///
    /// # Errors
    /// If the smoothing is negative or NaN, or the fixed density is of another grid or not finite.
    pub fn spreader(&self, planner: &Planner) -> Result<Spreader> {
        let spreader = Spreader::new(self.grid, self.smoothing, planner)?;
        match &self.fixed {
            Some(map) => spreader.with_fixed_density(map.clone()),
            None => Ok(spreader),
        }
    }

    /// Makes the system, which uses the planner's threads.
    ///
    /// # Errors
    /// Those of [`Builder::spreader`]; if the algorithm does not compute the transforms; or if
    /// there is no memory for the tables.
    pub fn build(&self, planner: &Planner) -> Result<Electrostatics<T>> {
        let prepared = |work: StepWork| {
            Ok(match work {
                StepWork::Fused(pipeline) => PreparedStep::Plan(Box::new(planner.plan(pipeline)?)),
                StepWork::Staged(recipe) => PreparedStep::Plan(Box::new(planner.plan_recipe(recipe)?)),
                StepWork::Scale(factors) => {
                    let mut scale = reserved(&self.grid)?;
                    scale.extend(factors.iter().map(|&factor| T::nearest(factor)));
                    PreparedStep::Scale(scale)
                }
            })
        };
        let steps = steps(&self.grid, &self.wanted)?;
        let steps =
            steps.into_iter().map(|step| Ok((prepared(step.work)?, step.from, step.to))).collect::<Result<Vec<_>>>()?;
        let bytes = |step: &PreparedStep<T>| if let PreparedStep::Plan(plan) = step { plan.scratch_bytes() } else { 0 };
        let scratch_bytes = steps.iter().map(|(step, ..)| bytes(step)).max().unwrap_or(0);
        Ok(Electrostatics { spreader: self.spreader(planner)?, wanted: self.wanted, steps, scratch_bytes })
    }
}

impl<T: Float> Electrostatics<T> {
    /// The settings of a system on a grid, with their defaults.
    pub fn builder(grid: Grid) -> Builder<T> {
        let wanted = Wanted { precision: T::PRECISION, scaling: Scaling::default(), algorithm: None, potential: true };
        Builder { grid, wanted, smoothing: 0.0, fixed: None, float: PhantomData }
    }

    /// The part of the system that computes densities and forces.
    pub fn spreader(&self) -> &Spreader {
        &self.spreader
    }

    /// Allocates maps of zeros.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn maps(&self) -> Result<Maps<T>> {
        let count = self.spreader.grid().count();
        let mut maps: [Vec<T>; MAPS] = Default::default();
        for map in &mut maps {
            *map = filled(count, T::default(), format_args!("a map of {count} bins"))?;
        }
        let grid = *self.spreader.grid();
        Ok(Maps { maps, grid, potential: self.wanted.potential, scratch: Scratch::new(self.scratch_bytes)? })
    }

    /// Computes the density of cells with the fixed density, and from it potential and field.
    ///
    /// # Errors
    /// If a cell is outside of the region, if its size is negative or NaN, or if the maps are those
    /// of another grid.
    pub fn solve(&self, cells: Cells<'_, T>, maps: &mut Maps<T>) -> Result<()> {
        self.spreader.check_grid("maps", &maps.grid)?;
        self.spreader.density(cells, &mut maps.maps[Map::Density as usize])?;
        self.transform(maps)
    }

    /// Computes potential and field from the density in the maps.
    ///
    /// # Errors
    /// If the maps are those of another grid or algorithm.
    pub fn transform(&self, maps: &mut Maps<T>) -> Result<()> {
        self.spreader.check_grid("maps", &maps.grid)?;
        maps.potential = self.wanted.potential;
        for (step, from, to) in &self.steps {
            maps.execute(&self.spreader, step, *from as usize, *to as usize)?;
        }
        Ok(())
    }

    /// The energy, by the formula in [`Scaling`].
    ///
    /// # Errors
    /// If the system computes no potential, or the maps are those of another grid.
    pub fn energy(&self, maps: &Maps<T>) -> Result<f64> {
        self.spreader.check_grid("maps", &maps.grid)?;
        self.spreader.energy(maps.density(), maps.potential()?, self.wanted.scaling)
    }

    /// The force on every cell along x and along y: [`Spreader::forces`].
    ///
    /// # Errors
    /// Those of [`Spreader::forces`], and if the maps are those of another grid.
    pub fn forces(&self, cells: Cells<'_, T>, maps: &Maps<T>) -> Result<[Vec<T>; 2]> {
        self.spreader.check_grid("maps", &maps.grid)?;
        self.spreader.forces(cells, maps.field())
    }
}

impl<T> Maps<T> {
    /// The density ρ.
    pub fn density(&self) -> &[T] {
        &self.maps[Map::Density as usize]
    }

    /// The density ρ, to be written before [`Electrostatics::transform`].
    pub fn density_mut(&mut self) -> &mut [T] {
        &mut self.maps[Map::Density as usize]
    }

    /// The potential φ.
    ///
    /// # Errors
    /// If the system that filled the maps computes no potential.
    pub fn potential(&self) -> Result<&[T]> {
        let message = "the system computes no potential: build it with `potential(true)`";
        if self.potential {
            Ok(&self.maps[Map::Potential as usize])
        } else {
            Err(Error::new(ErrorKind::Argument, message))
        }
    }

    /// The field (ξ_x, ξ_y).
    pub fn field(&self) -> [&[T]; 2] {
        [Map::FieldX, Map::FieldY].map(|map| &*self.maps[map as usize])
    }
}

impl<T: Float> Maps<T> {
    fn execute(&mut self, spreader: &Spreader, step: &PreparedStep<T>, from: usize, to: usize) -> Result<()> {
        if from == to {
            let PreparedStep::Plan(plan) = step else { unreachable!("a multiply has another map to write") };
            return plan.execute_in_place_with(&mut self.maps[to], &mut self.scratch);
        }
        let [input, output] = self.maps.get_disjoint_mut([from, to]).expect("two maps of those that there are");
        match step {
            PreparedStep::Plan(plan) => plan.execute_with(input, output, &mut self.scratch),
            PreparedStep::Scale(factors) => spreader.scale(input, factors, output),
        }
    }
}
