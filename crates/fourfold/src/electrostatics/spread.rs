//! Sums over cells for the map of their density, and sums over maps for the forces on cells.
//!
//! The order of all sums is the same for any number of threads. One thread computes a strip of the
//! grid, so a bin adds its cells in the given order. A cell adds its bins row by row.

use crate::cpu::base::threads::Pool;
use crate::electrostatics::grid::{Cells, Charge, Grid};
use crate::electrostatics::steps::Scaling;
use crate::error::{Error, ErrorKind, Result, collected, filled};
use crate::plan::planner::Planner;
use crate::problem::float::Float;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The rows of bins (all y of one x) of a strip, which one thread computes.
const STRIP: usize = 8;

/// The cells of a task.
const CHUNK: usize = 1 << 10;

/// Computes density, forces and overflow from cells and maps. It does not depend on the engine of
/// the transforms.
pub struct Spreader {
    grid: Grid,
    least: f64,
    fixed: Option<Arc<[f64]>>,
    pool: Arc<Pool>,
}

impl Spreader {
    /// Makes a spreader for a grid, with the threads of a planner. Cells smaller than `least` bins
    /// are widened to that: see
    /// [`Builder::smoothing`](crate::electrostatics::solver::Builder::smoothing).
    ///
    /// # Errors
    /// If `least` is negative or NaN.
    pub fn new(grid: Grid, least: f64, planner: &Planner) -> Result<Spreader> {
        if !least.is_finite() || least < 0.0 {
            let message = format!("cells widened to {least} bins: expected 0 (not at all) or more");
            return Err(Error::new(ErrorKind::Argument, message));
        }
        Ok(Spreader { grid, least, fixed: None, pool: planner.pool() })
    }

    /// Sets the density that is that of bins without cells, such as that of fixed cells:
    /// [`Builder::fixed_density`](crate::electrostatics::solver::Builder::fixed_density).
    ///
    /// # Errors
    /// If the map is not the grid's, or a density is infinite or NaN.
    pub fn with_fixed_density(mut self, map: Arc<[f64]>) -> Result<Spreader> {
        self.check_map("fixed density", map.len())?;
        if let Some(bin) = map.iter().position(|density| !density.is_finite()) {
            let message = format!("the fixed density of bin {bin} is {}: expected finite numbers", map[bin]);
            return Err(Error::new(ErrorKind::Argument, message));
        }
        self.fixed = Some(map);
        Ok(self)
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The least size of a cell's charge along each axis, in bins.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// The density of bins without cells, if it is not 0.
    pub fn fixed_density(&self) -> Option<&[f64]> {
        self.fixed.as_deref()
    }

    /// Checks all cells, for engines whose kernels do not check them.
    ///
    /// # Errors
    /// If a cell is outside of the region or its size is negative or NaN.
    pub fn check_cells<T: Float>(&self, cells: Cells<'_, T>) -> Result<()> {
        self.charges(cells).map(|_| ())
    }

    /// Computes ρ_b, the fraction of each bin that cells cover, and writes it to `map`. It is more
    /// than 1 where cells overlap. Cells are clipped to the region. Widened cells have a density
    /// below 1, which keeps their charge. The fixed density is added, if there is one.
    ///
    /// # Errors
    /// If a cell is outside of the region or its size is negative or NaN, or the map is not the
    /// grid's.
    pub fn density<T: Float>(&self, cells: Cells<'_, T>, map: &mut [T]) -> Result<()> {
        match &self.fixed {
            Some(fixed) => self.accumulate(cells, map, |bin, _| fixed[bin]),
            None => self.accumulate(cells, map, |_, _| 0.0),
        }
    }

    /// Adds the density of cells to that in `map`, without the fixed density.
    ///
    /// # Errors
    /// As [`Spreader::density`].
    pub fn add<T: Float>(&self, cells: Cells<'_, T>, map: &mut [T]) -> Result<()> {
        self.accumulate(cells, map, |_, density| density.into())
    }

    /// Writes the density of cells and what there is before, a function of the bin and its value.
    fn accumulate<T: Float, F>(&self, cells: Cells<'_, T>, map: &mut [T], before: F) -> Result<()>
    where
        F: Fn(usize, T) -> f64 + Sync,
    {
        self.check_map("density", map.len())?;
        let [m, n] = self.grid.bins();
        let lists = self.lists(cells, |rows| rows.start / STRIP..rows.end.div_ceil(STRIP))?;
        let strips = locked(m.div_ceil(STRIP), map.chunks_mut(STRIP * n))?;
        self.try_tasks(strips.len(), &|strip| {
            let mut map = locking(&strips[strip]);
            let first = strip * STRIP;
            let old = map.iter().enumerate().map(|(b, &value)| before(first * n + b, value));
            let mut sums = collected(map.len(), old, format_args!("sums of {} bins", map.len()))?;
            let rows = first..(first + sums.len() / n);
            let charges = lists.iter().flat_map(|part| part.strip(strip));
            charges.for_each(|(_, charge)| charge.add_to(&mut sums, rows.clone(), n));
            map.iter_mut().zip(sums).for_each(|(place, sum)| *place = T::nearest(sum));
            Ok(())
        })
    }

    /// The forces F_i = d_i Σ_b |cell i ∩ bin b| ξ_b on all cells, along x and along y. Areas are
    /// in the units of the region. d_i is 1, or less for widened cells.
    ///
    /// # Errors
    /// As [`Spreader::density`].
    pub fn forces<T: Float>(&self, cells: Cells<'_, T>, field: [&[T]; 2]) -> Result<[Vec<T>; 2]> {
        field.iter().try_for_each(|map| self.check_map("field", map.len()))?;
        let (bins, bin_area) = (self.grid.bins(), self.grid.bin_size().iter().product::<f64>());
        let lists = self.lists(cells, |rows| rows.start / STRIP..rows.start / STRIP + 1)?;
        let (strips, parts) = (bins[0].div_ceil(STRIP), lists.len());
        let found = locked(strips * parts, (0..strips * parts).map(|_| vec![]))?;
        // Strip after strip, so that the threads read the same part of the maps.
        self.try_tasks(found.len(), &|task| {
            let list = lists[task % parts].strip(task / parts);
            let force = |(_, charge): &(usize, Charge)| charge.sums(field, bins).map(|sum| T::nearest(sum * bin_area));
            let forces = collected(list.len(), list.iter().map(force), format_args!("forces on {} cells", list.len()))?;
            *locking(&found[task]) = forces;
            Ok(())
        })?;
        let count = cells.low[0].len();
        let mut forces = [of_cells(count, T::default())?, of_cells(count, T::default())?];
        let share = self.share(count);
        let [along_x, along_y] = forces.each_mut().map(|forces| forces.chunks_mut(share));
        let places = locked(parts, along_x.zip(along_y))?;
        self.pool.run_tasks(parts, &|_, part| {
            let (along_x, along_y) = &mut *locking(&places[part]);
            for strip in 0..strips {
                let list = lists[part].strip(strip);
                for ((cell, _), force) in list.iter().zip(&*locking(&found[strip * parts + part])) {
                    [along_x[cell - part * share], along_y[cell - part * share]] = *force;
                }
            }
        });
        drop(places);
        Ok(forces)
    }

    /// ePlace's density overflow, Σ_b max(ρ_b − `target`, 0) / Σ_b ρ_b, which is the fraction of
    /// the charge above the target density. It is NaN if a density or the target is NaN.
    ///
    /// # Errors
    /// If the map is not the grid's.
    pub fn overflow<T: Float>(&self, density: &[T], target: f64) -> Result<f64> {
        let (over, all) = (self.excess(density, target)?, self.sum(&|b| density[b].into())?);
        Ok(if all <= 0.0 { 0.0 } else { over / all })
    }

    /// Σ_b max(ρ_b − `target`, 0), the area above the target density in bins. It is NaN if a
    /// density or the target is NaN.
    ///
    /// # Errors
    /// If the map is not the grid's.
    pub fn excess<T: Float>(&self, density: &[T], target: f64) -> Result<f64> {
        self.check_map("density", density.len())?;
        // `max` would replace a NaN by 0.
        let more = |density: f64| if density <= target { 0.0 } else { density - target };
        self.sum(&|b| more(density[b].into()))
    }

    /// The energy of a density in a potential, by the formula of the scaling.
    ///
    /// # Errors
    /// If a map is not the grid's.
    pub fn energy<T: Float>(&self, density: &[T], potential: &[T], scaling: Scaling) -> Result<f64> {
        self.check_map("density", density.len())?;
        self.check_map("potential", potential.len())?;
        Ok(self.sum(&|b| density[b].into() * potential[b].into())? * scaling.energy_factor(&self.grid))
    }

    /// Σ_b f(b), summed row by row.
    fn sum(&self, f: &(dyn Fn(usize) -> f64 + Sync)) -> Result<f64> {
        let [m, n] = self.grid.bins();
        let rows = locked(m, (0..m).map(|_| 0.0))?;
        self.pool.run_tasks(m, &|_, row| {
            let sum = (row * n..(row + 1) * n).map(f).sum();
            *locking(&rows[row]) = sum;
        });
        Ok(rows.into_iter().map(|row| row.into_inner().unwrap_or_else(PoisonError::into_inner)).sum())
    }

    /// y_b = x_b f_b for all bins b.
    pub(crate) fn scale<T: Float>(&self, x: &[T], f: &[T], y: &mut [T]) -> Result<()> {
        let [m, row] = self.grid.bins();
        let rows = locked(m, y.chunks_mut(row))?;
        self.pool.run_tasks(rows.len(), &|_, r| {
            let mut y = locking(&rows[r]);
            let part = r * row..(r + 1) * row;
            y.iter_mut().zip(x[part.clone()].iter().zip(&f[part])).for_each(|(y, (&x, &f))| *y = x * f);
        });
        Ok(())
    }

    /// Runs tasks of which each may fail; one of their errors, if there is one.
    fn try_tasks(&self, count: usize, task: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
        let all = Mutex::new(Ok(()));
        self.pool.run_tasks(count, &|_, i| {
            if let Err(error) = task(i) {
                *locking(&all) = Err(error);
            }
        });
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The charges of all cells, sorted by strips, in parts of which each is sorted by one thread. Part
    /// after part, the charges of a strip are in the given order, for any number of threads. `strips`
    /// maps the rows of a charge to the strips in which it is.
    fn lists<T: Float>(
        &self,
        cells: Cells<'_, T>,
        strips: impl Fn(Range<usize>) -> Range<usize> + Sync,
    ) -> Result<Vec<Lists>> {
        let charges = self.charges(cells)?;
        let (rows, share) = (self.grid.bins()[0], self.share(charges.len()));
        let strips = |charge: &Charge| strips(charge.spans[0].bins(rows));
        let parts =
            locked(charges.len().div_ceil(share), charges.chunks(share).map(|charges| (charges, Lists::default())))?;
        self.try_tasks(parts.len(), &|part| {
            let (charges, lists) = &mut *locking(&parts[part]);
            *lists = Lists::new(charges, part * share, rows.div_ceil(STRIP), strips)?;
            Ok(())
        })?;
        let lists = parts.iter().map(|part| std::mem::take(&mut locking(part).1));
        collected(parts.len(), lists, format_args!("{} parts of cells", parts.len()))
    }

    /// The cells of a part: the same number for each thread, but for small ones.
    fn share(&self, cells: usize) -> usize {
        cells.div_ceil(self.pool.threads()).max(CHUNK)
    }

    /// Checks that `grid` is the grid of this spreader. `what` was made for `grid`.
    ///
    /// # Errors
    /// If it is another grid.
    #[doc(hidden)]
    pub fn check_grid(&self, what: &str, grid: &Grid) -> Result<()> {
        let of = |grid: &Grid| {
            let ([m, n], [low, high]) = (grid.bins(), grid.region());
            format!("{m} x {n} bins from {low:?} to {high:?}")
        };
        let message = || format!("the {what} are of a grid of {}: expected {}", of(grid), of(&self.grid));
        if *grid == self.grid { Ok(()) } else { Err(Error::new(ErrorKind::Argument, message())) }
    }

    /// Checks the length of a map.
    ///
    /// # Errors
    /// If it is not the number of bins.
    #[doc(hidden)]
    pub fn check_map(&self, name: &str, len: usize) -> Result<()> {
        let [m, n] = self.grid.bins();
        let message = || format!("the {name} map has {len} elements: the grid has {m} x {n} bins");
        if len == m * n { Ok(()) } else { Err(Error::new(ErrorKind::Argument, message())) }
    }

    /// The charges of all cells.
    fn charges<T: Float>(&self, cells: Cells<'_, T>) -> Result<Vec<Charge>> {
        let mut charges = of_cells(cells.count()?, Charge::default())?;
        let count = charges.len().div_ceil(CHUNK);
        let chunks = locked(count, charges.chunks_mut(CHUNK).map(|chunk| (chunk, Ok(()))))?;
        self.pool.run_tasks(chunks.len(), &|_, c| {
            let mut guard = locking(&chunks[c]);
            let (chunk, result) = &mut *guard;
            let charge = |i: usize| self.grid.charge(cells, c * CHUNK + i, self.least);
            *result = chunk.iter_mut().enumerate().try_for_each(|(i, place)| charge(i).map(|charge| *place = charge));
        });
        chunks.into_iter().try_for_each(|chunk| chunk.into_inner().unwrap_or_else(PoisonError::into_inner).1)?;
        Ok(charges)
    }
}

/// Charges with the indices of their cells, sorted by strips. Those of strip s are
/// `items[starts[s]..starts[s + 1]]`, in the order of the cells. So the part of a map that a thread
/// accesses stays in its cache, even if neighbours in the list of cells are far from each other.
#[derive(Default)]
struct Lists {
    starts: Vec<usize>,
    items: Vec<(usize, Charge)>,
}

impl Lists {
    /// Sorts the charges of the cells from `first` on by counting. `strips` maps a charge to the strips,
    /// of `count`, in which it is.
    fn new(charges: &[Charge], first: usize, count: usize, strips: impl Fn(&Charge) -> Range<usize>) -> Result<Lists> {
        let mut starts = filled(count + 1, 0, format_args!("{count} strips of a map"))?;
        charges.iter().for_each(|charge| strips(charge).for_each(|strip| starts[strip + 1] += 1));
        (1..starts.len()).for_each(|strip| starts[strip] += starts[strip - 1]);
        let mut next = collected(count, starts.iter().copied(), format_args!("{count} strips of a map"))?;
        let mut items = of_cells(starts[count], Default::default())?;
        for (cell, charge) in (first..).zip(charges) {
            for strip in strips(charge) {
                items[next[strip]] = (cell, *charge);
                next[strip] += 1;
            }
        }
        Ok(Lists { starts, items })
    }

    fn strip(&self, strip: usize) -> &[(usize, Charge)] {
        &self.items[self.starts[strip]..self.starts[strip + 1]]
    }
}

/// What each task locks.
fn locked<T>(count: usize, parts: impl Iterator<Item = T>) -> Result<Vec<Mutex<T>>> {
    collected(count, parts.map(Mutex::new), format_args!("{count} parts of a map or of cells"))
}

/// Access to what only one task at a time uses.
fn locking<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A list of equal elements. Large cells are in many strips, so there may be more than of cells.
fn of_cells<T: Clone>(count: usize, value: T) -> Result<Vec<T>> {
    filled(count, value, format_args!("charges or forces of {count} cells"))
}

/// The most bins along an axis for which the parts of a cell are on the stack. Almost all cells
/// have fewer.
const FEW: usize = 8;

impl Charge {
    /// Calls `each` with the first bin along axis 1 and the covered fractions of all bins there.
    fn with_parts<R>(&self, n: usize, each: impl FnOnce(usize, &[f64]) -> R) -> R {
        let bins = self.spans[1].bins(n);
        let first = bins.start;
        if bins.len() <= FEW {
            let mut parts = [0.0; FEW];
            parts.iter_mut().zip(bins.clone()).for_each(|(part, bin)| *part = self.spans[1].overlap(bin));
            return each(first, &parts[..bins.len()]);
        }
        each(first, &bins.map(|bin| self.spans[1].overlap(bin)).collect::<Vec<_>>())
    }

    /// Adds the charge to the sums of the bins of `rows`.
    fn add_to(&self, sums: &mut [f64], rows: Range<usize>, n: usize) {
        let met = self.spans[0].bins(usize::MAX);
        self.with_parts(n, |first, parts| {
            for row in met.start.max(rows.start)..met.end.min(rows.end) {
                let density = self.density * self.spans[0].overlap(row);
                let line = &mut sums[(row - rows.start) * n + first..][..parts.len()];
                line.iter_mut().zip(parts).for_each(|(sum, part)| *sum += density * part);
            }
        });
    }

    /// Σ_b q_b m_b for both maps m, where q_b is the charge on bin b. Areas are in bins.
    fn sums<T: Float>(&self, maps: [&[T]; 2], [m, n]: [usize; 2]) -> [f64; 2] {
        self.with_parts(n, |first, parts| {
            let mut sums = [0.0; 2];
            for row in self.spans[0].bins(m) {
                let density = self.density * self.spans[0].overlap(row);
                let lines = maps.map(|map| &map[row * n + first..][..parts.len()]);
                for (i, part) in parts.iter().enumerate() {
                    let charge = density * part;
                    sums[0] += charge * lines[0][i].into();
                    sums[1] += charge * lines[1][i].into();
                }
            }
            sums
        })
    }
}
