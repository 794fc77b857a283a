//! Circuits as charged cells: fixed cells, movable cells, and the fillers between them.

use crate::electrostatics::fillers::{add_fillers, evenly, reserve_cells};
use crate::electrostatics::grid::{Cells, Grid, Reach, wrong};
use crate::electrostatics::solver::{Builder, Electrostatics};
use crate::electrostatics::spread::Spreader;
use crate::electrostatics::steps::reserved;
use crate::error::{Error, Result};
use crate::plan::planner::Planner;
use crate::problem::float::Float;
use std::result;

/// The least size of movable cells and fillers along each axis, in bins.
const SMOOTHING: f64 = std::f64::consts::SQRT_2;

/// A placed circuit: the density of its fixed cells, its movable cells, and its fillers.
///
/// The setting is that of ePlace (Lu et al., 2015) as in DREAMPlace's source (`PlaceDB.py`,
/// `electric_overflow.py`). With the target density t, the area A of a bin, and c_b, the part of
/// bin b that fixed cells cover:
///
/// ```text
/// ρ_b      = t min(c_b, 1) + Σ over movable cells and fillers       the density of the system
/// overflow = A Σ_b max(ρ'_b − t, 0) / area of movable cells         ρ' is ρ without fillers
/// fillers  = t A Σ_b (1 − min(c_b, 1)) − area of movable cells      their area, if positive
/// ```
///
/// So fixed cells never charge a bin above the target density, even if they overlap. All charges
/// together are t times the area of the region, up to half a filler and to what widened cells lose
/// at the border, so no force is left where the density is t everywhere.
///
/// Fillers have the mean size of the movable cells without the 5 % of the smallest and the 5 % of
/// the largest sizes along each axis. Movable cells and fillers are widened to √2 bins, fixed cells
/// are not.
///
/// Four things differ from DREAMPlace. It subtracts the sum of all fixed cells' areas from that of
/// the region, which counts overlaps twice. Its fillers are as high as a row, which is the same
/// where most cells are. It has any number of fillers; here they are at least a quarter of a bin
/// long along each axis, so there are at most 16 for each bin. And it lowers the density of movable
/// macros to t.
///
/// ```
/// use fourfold::Planner;
/// use fourfold::electrostatics::{Cells, Circuit, Grid, Scaling};
/// let planner = Planner::new();
/// let grid = Grid::new([0.0, 0.0], [32.0, 32.0], [16, 16])?;
/// let (at, side) = ([0.0; 300], [1.0; 300]);
/// let movable = Cells { low: [&at, &at], size: [&side, &side] };
/// let macros = Cells { low: [&[20.0], &[0.0]], size: [&[12.0], &[10.0]] };
/// let circuit = Circuit::builder(grid, movable).fixed(macros).target_density(0.9);
/// let mut circuit = circuit.build(&planner)?;
/// circuit.gather();
/// let system = circuit.system().scaling(Scaling::Physical).build(&planner)?;
/// let mut maps = system.maps()?;
/// circuit.spread(|step| {
///     maps.density_mut().copy_from_slice(step.density);
///     system.transform(&mut maps)?;
///     let forces = system.forces(step.cells, &maps)?;
///     Ok::<_, fourfold::Error>((step.overflow > 0.1).then_some(forces))
/// })?;
/// assert!(circuit.overflow(maps.density_mut())? < 0.1);
/// # Ok::<(), fourfold::Error>(())
/// ```
pub struct Circuit<T> {
    system: Builder<T>,
    spreader: Spreader,
    target: f64,
    /// Of movable cells, then of fillers.
    low: [Vec<T>; 2],
    size: [Vec<T>; 2],
    movable: usize,
    /// The area of the movable cells, in bins.
    movable_area: f64,
    outside: Outside,
}

/// The settings of [`Circuit`].
#[derive(Clone, Copy, Debug)]
pub struct CircuitBuilder<'a, T> {
    grid: Grid,
    movable: Cells<'a, T>,
    fixed: Cells<'a, T>,
    target: f64,
    fillers: bool,
}

/// The numbers of cells that were not inside the region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// Fixed cells that extend beyond the region. Only their part inside has a charge.
    pub clipped: usize,
    /// Fixed cells without any part inside, such as terminals around the region. They have no
    /// charge.
    pub ignored: usize,
    /// Movable cells that were moved to the nearest place inside.
    pub moved: usize,
}

/// A step of [`Circuit::spread`].
#[derive(Clone, Copy, Debug)]
pub struct SpreadStep<'a, T> {
    /// The number of steps before.
    pub number: usize,
    /// The overflow before the step.
    pub overflow: f64,
    /// The density of fixed cells, movable cells and fillers.
    pub density: &'a [T],
    /// The movable cells and the fillers.
    pub cells: Cells<'a, T>,
}

impl<'a, T: Float> CircuitBuilder<'a, T> {
    /// Sets the fixed cells, such as macros and terminals. The default is none.
    pub fn fixed(mut self, cells: Cells<'a, T>) -> Self {
        self.fixed = cells;
        self
    }

    /// Sets the target density, more than 0 and at most 1. The default is 1. A target below the
    /// utilisation, which is the movable cells' area divided by the free area, is raised to that.
    pub fn target_density(mut self, target: f64) -> Self {
        self.target = target;
        self
    }

    /// Sets whether fillers take the area that movable cells leave free. The default is `true`.
    pub fn fillers(mut self, fillers: bool) -> Self {
        self.fillers = fillers;
        self
    }

    /// Makes the circuit, which uses the planner's threads.
    ///
    /// # Errors
    /// If a size is negative, infinite or NaN, a position is infinite or NaN, a movable cell is
    /// larger than the region, the target density is not in its range, or there is no memory.
    pub fn build(&self, planner: &Planner) -> Result<Circuit<T>> {
        if !(self.target > 0.0 && self.target <= 1.0) {
            return Err(wrong(format!("a target density of {}: expected more than 0 and at most 1", self.target)));
        }
        let (grid, mut outside) = (&self.grid, Outside::default());
        let mut covered = self.covered(planner, &mut outside)?;
        covered.iter_mut().for_each(|part| *part = part.min(1.0));
        let [mut low, mut size] = lists(self.movable.count()?)?;
        size.iter_mut().zip(self.movable.size).for_each(|(list, sizes)| list.extend_from_slice(sizes));
        self.place_movable(&mut low, &mut outside)?;
        let (movable, movable_area) = (low[0].len(), area(grid, &size));
        let free = covered.iter().map(|part| 1.0 - part).sum::<f64>();
        // With movable cells but no free area this is infinite, and the target is 1.
        let needed = if movable_area == 0.0 { 0.0 } else { movable_area / free };
        let target = self.target.max(needed.min(1.0));
        if self.fillers {
            add_fillers(grid, target * free - movable_area, &mut low, &mut size)?;
        }
        covered.iter_mut().for_each(|part| *part *= target);
        let system = Electrostatics::builder(*grid).smoothing(SMOOTHING).fixed_density(covered);
        let spreader = system.spreader(planner)?;
        Ok(Circuit { system, spreader, target, low, size, movable, movable_area, outside })
    }

    /// The part of each bin that fixed cells cover, more than 1 where they overlap.
    fn covered(&self, planner: &Planner, outside: &mut Outside) -> Result<Vec<f64>> {
        let count = self.fixed.count()?;
        let [mut low, mut size] = lists(count)?;
        for i in 0..count {
            let cell = cell("fixed cell", self.fixed, i)?;
            let reach = [0, 1].map(|axis| self.grid.reach(axis, cell[axis]));
            if reach.contains(&Reach::Outside) {
                outside.ignored += 1;
                continue;
            }
            outside.clipped += usize::from(reach.contains(&Reach::Across));
            for (axis, [from, extent]) in cell.into_iter().enumerate() {
                low[axis].push(from);
                size[axis].push(extent);
            }
        }
        let mut map = reserved(&self.grid)?;
        map.resize(self.grid.count(), 0.0);
        let cells = Cells { low: [&low[0], &low[1]], size: [&size[0], &size[1]] };
        Spreader::new(self.grid, 0.0, planner)?.density(cells, &mut map)?;
        Ok(map)
    }

    /// Lists the positions of the movable cells, inside the region.
    fn place_movable(&self, low: &mut [Vec<T>; 2], outside: &mut Outside) -> Result<()> {
        let [from, to] = self.grid.region();
        for i in 0..self.movable.count()? {
            let cell = cell("movable cell", self.movable, i)?;
            if let Some(axis) = (0..2).find(|&axis| cell[axis][1] > to[axis] - from[axis]) {
                let along = ["width", "height"][axis];
                let (is, most) = (cell[axis][1], to[axis] - from[axis]);
                return Err(wrong(format!("movable cell {i} has {along} {is}: expected at most {most}, the region's")));
            }
            let inside = [0, 1].map(|axis| self.grid.reach(axis, cell[axis]) == Reach::Inside);
            outside.moved += usize::from(inside.contains(&false));
            for (axis, [at, extent]) in cell.into_iter().enumerate() {
                // What is inside stays as it is, without a rounding.
                let place = if inside[axis] { self.movable.low[axis][i] } else { self.grid.place(axis, at, extent) };
                low[axis].push(place);
            }
        }
        Ok(())
    }
}

/// Empty lists of positions and of sizes along each axis, with room for so many cells.
fn lists<T>(count: usize) -> Result<[[Vec<T>; 2]; 2]> {
    let mut lists = [const { [const { Vec::new() }; 2] }; 2];
    lists.iter_mut().flatten().try_for_each(|list| reserve_cells(list, count))?;
    Ok(lists)
}

/// The position and the size of a cell along each axis.
fn cell<T: Float>(name: &str, cells: Cells<'_, T>, i: usize) -> Result<[[f64; 2]; 2]> {
    let ([x, y], [width, height]) = (cells.low.map(|low| low[i].into()), cells.size_of(name, i)?);
    if !(f64::is_finite(x) && f64::is_finite(y)) {
        return Err(wrong(format!("{name} {i} is at [{x}, {y}]: expected finite numbers")));
    }
    Ok([[x, width], [y, height]])
}

/// The area of cells, in bins.
fn area<T: Float>(grid: &Grid, size: &[Vec<T>; 2]) -> f64 {
    let [width, height] = grid.bin_size();
    size[0].iter().zip(&size[1]).map(|(&w, &h)| w.into() / width * (h.into() / height)).sum()
}

impl<T: Float> Circuit<T> {
    /// The settings of a circuit with these movable cells.
    pub fn builder(grid: Grid, movable: Cells<'_, T>) -> CircuitBuilder<'_, T> {
        let fixed = Cells { low: [&[], &[]], size: [&[], &[]] };
        CircuitBuilder { grid, movable, fixed, target: 1.0, fillers: true }
    }

    /// The settings of the circuit's electrostatic system, for all engines: the density of the
    /// fixed cells, and √2 bins to which other cells are widened.
    pub fn system(&self) -> Builder<T> {
        self.system.clone()
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        self.spreader.grid()
    }

    /// The target density, which is the one that was set or the utilisation.
    pub fn target_density(&self) -> f64 {
        self.target
    }

    /// The numbers of cells that were not inside the region.
    pub fn outside(&self) -> Outside {
        self.outside
    }

    /// The movable cells, then the fillers: all that have a force.
    pub fn cells(&self) -> Cells<'_, T> {
        self.part(0, self.low[0].len())
    }

    /// The movable cells, in the given order.
    pub fn movable(&self) -> Cells<'_, T> {
        self.part(0, self.movable)
    }

    /// The fillers.
    pub fn fillers(&self) -> Cells<'_, T> {
        self.part(self.movable, self.low[0].len())
    }

    fn part(&self, start: usize, end: usize) -> Cells<'_, T> {
        let [[x, y], [width, height]] = [&self.low, &self.size].map(|lists| [0, 1].map(|i| &lists[i][start..end]));
        Cells { low: [x, y], size: [width, height] }
    }

    /// Writes the density of fixed and movable cells, without fillers, to `density`. Returns its
    /// overflow, by the formula of [`Circuit`].
    ///
    /// # Errors
    /// If the map is not the grid's.
    pub fn overflow(&self, density: &mut [T]) -> Result<f64> {
        self.spreader.density(self.movable(), density)?;
        let excess = self.spreader.excess(density, self.target)?;
        Ok(if self.movable_area > 0.0 { excess / self.movable_area } else { 0.0 })
    }

    /// Adds the density of the fillers, after [`Circuit::overflow`]. The sum is the density of
    /// [`Circuit::cells`].
    ///
    /// # Errors
    /// If the map is not the grid's.
    pub fn add_fillers(&self, density: &mut [T]) -> Result<()> {
        self.spreader.add(self.fillers(), density)
    }

    /// Gathers the movable cells at the centre of the region, as DREAMPlace starts: with a standard
    /// deviation of 0.1 % of the region's sides, since cells at one point would never part. They
    /// cover a small rectangle evenly, where DREAMPlace takes random numbers.
    pub fn gather(&mut self) {
        // The standard deviation of an even distribution is its width divided by √12.
        let width = 0.001 * 12f64.sqrt();
        let [from, to] = self.grid().region();
        for axis in 0..2 {
            for i in 0..self.movable {
                let (extent, part) = (self.size[axis][i].into(), 0.5 + width * (evenly(i)[axis] - 0.5));
                let at = from[axis] + (to[axis] - from[axis]) * part - extent / 2.0;
                self.low[axis][i] = self.spreader.grid().place(axis, at, extent);
            }
        }
    }

    /// Spreads movable cells and fillers: lets them follow the forces that `forces` computes from
    /// the density and the cells of each step, in [`Scaling::Physical`](super::Scaling::Physical).
    /// This ends when it returns `None`.
    ///
    /// Each step lasts Δt = 1/(2 max ρ). Where cells follow the field, dρ/dt = −ρ (ρ − ρ̄) in the
    /// continuum, so the highest density falls by about a third in each step while it is high.
    ///
    /// # Errors
    /// Those of `forces`, and if there is not one force along each axis for each cell.
    pub fn spread<E: From<Error>>(
        &mut self,
        mut forces: impl FnMut(SpreadStep<'_, T>) -> result::Result<Option<[Vec<T>; 2]>, E>,
    ) -> result::Result<(), E> {
        let mut density = reserved(self.grid())?;
        density.resize(self.grid().count(), T::default());
        for number in 0.. {
            let overflow = self.overflow(&mut density)?;
            self.add_fillers(&mut density)?;
            let most = density.iter().fold(f64::MIN_POSITIVE, |most, &density| most.max(density.into()));
            let step = SpreadStep { number, overflow, density: &density, cells: self.cells() };
            let Some(forces) = forces(step)? else { break };
            self.follow(&forces, 0.5 / most)?;
        }
        Ok(())
    }

    /// Moves movable cells and fillers by `time` times the mean field on them, which is the force
    /// divided by the charge: x ← x + time · F / (width · height). They stay inside the region. The
    /// forces are those on [`Circuit::cells`], in [`Scaling::Physical`](super::Scaling::Physical).
    ///
    /// # Errors
    /// If there is not one force along each axis for each cell.
    pub fn follow(&mut self, forces: &[Vec<T>; 2], time: f64) -> Result<()> {
        let count = self.low[0].len();
        if forces.iter().any(|along| along.len() != count) {
            let [x, y] = [forces[0].len(), forces[1].len()];
            return Err(wrong(format!("{x} forces along x and {y} along y: expected {count}, one for each cell")));
        }
        for axis in 0..2 {
            for (i, force) in forces[axis].iter().enumerate() {
                let [width, height] = [0, 1].map(|axis| self.size[axis][i].into());
                if width * height > 0.0 {
                    let at = self.low[axis][i].into() + time * ((*force).into() / (width * height));
                    self.low[axis][i] = self.spreader.grid().place(axis, at, self.size[axis][i].into());
                }
            }
        }
        Ok(())
    }
}
