//! Cells in a device's memory, and the work that they are dealt out as.

use crate::api::array::GpuArray;
use crate::backend::device::Device;
use crate::backend::runtime::Buffer;
use crate::backend::types::Index;
use crate::electrostatics::kernels::{HEAD, fraction_bits, parts};
use crate::error::argument;
use crate::run::executable::table;
use fourfold::Result;
use fourfold::electrostatics::{Cells, Float, Grid, Spreader};
use fourfold::engine::{collected, reserve};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Cells in the memory of a system's device
/// ([`GpuElectrostatics::cells`](crate::electrostatics::solver::GpuElectrostatics::cells)), where
/// they can be moved from step to step.
pub struct GpuCells<T> {
    pub(crate) array: GpuArray<T>,
    /// Within which they were checked.
    pub(crate) grid: Grid,
    count: usize,
    /// The first part of each cell, which mostly is all of it.
    pub(crate) first: Items,
    /// The others.
    pub(crate) rest: Items,
    /// Cells of which there are others, and which.
    pub(crate) split: Items,
    /// The forces on the others, which what computes forces writes and then reads. Whoever has the
    /// lock enqueues all of that before somebody else can.
    forces: Mutex<GpuArray<T>>,
    /// 2^F and 2^-F.
    pub(crate) units: Buffer,
}

/// A list of items of work: a thread each.
pub(crate) struct Items {
    pub(crate) count: usize,
    pub(crate) buffer: Buffer,
}

/// Indices have 31 bits, and so has what counts cells by four.
pub(crate) const MOST_CELLS: usize = 1 << 28;

/// Parts beside the first of each cell, whatever the cells: where so many are large, there is work
/// for all threads anyway.
pub(crate) const MOST_PARTS: usize = 1 << 24;

impl<T: Float> GpuCells<T> {
    pub(crate) fn new(device: &Device, spreader: &Spreader, cells: Cells<'_, T>) -> Result<Self> {
        spreader.check_cells(cells)?;
        let count = cells.count()?;
        if count > MOST_CELLS {
            return Err(argument(format!("{count} cells: at most {MOST_CELLS} can be on a device")));
        }
        let [[x, y], [width, height]] = [cells.low, cells.size];
        let work =
            WorkItems::new((0..count).map(|i| parts(bins(spreader, [width, height].map(|size| size[i].into())))))?;
        let numbers = [x, y, width, height].into_iter().flatten();
        let unit = 2f64.powi(fraction_bits(count) as i32);
        let items = |rows: &[Vec<u32>; 3]| Items::new(device, [count, work.rest[0].len()], rows);
        Ok(GpuCells {
            array: device.upload(&collected(4 * count, numbers.copied(), format_args!("{count} cells"))?)?,
            grid: *spreader.grid(),
            count,
            first: items(&work.first)?,
            rest: items(&work.rest)?,
            split: items(&work.split)?,
            forces: Mutex::new(device.array(2 * work.rest[0].len())?),
            units: table(device, &[unit, unit.recip()], T::PRECISION)?,
        })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// x of all cells, then their y, widths and heights.
    pub fn array(&self) -> &GpuArray<T> {
        &self.array
    }

    /// The same, to be written: by [`GpuArray::upload`], which fills as much as it is given (only x
    /// and y, say), or by kernels of the caller's ([`GpuArray::raw`]).
    ///
    /// Nobody checks what is written. What lies outside the region has no charge and no force
    /// there, nor has what has no place (infinities, NaNs); negative sizes are 0. A cell that grows
    /// much is slow until it is made anew: how many threads a cell gets was decided by its size
    /// then.
    pub fn array_mut(&mut self) -> &mut GpuArray<T> {
        &mut self.array
    }

    /// The forces on parts beside the first, to be used by one caller at a time.
    pub(crate) fn forces(&self) -> MutexGuard<'_, GpuArray<T>> {
        self.forces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An error unless the array has as many elements as there were.
    pub(crate) fn check(&self) -> Result<()> {
        let (has, needs) = (self.array.len(), 4 * self.count);
        let message = || format!("the array of {} cells has {has} elements: expected {needs}", self.count);
        if has == needs { Ok(()) } else { Err(argument(message())) }
    }
}

/// Bins along each axis that a cell of this size meets at most.
fn bins(spreader: &Spreader, size: [f64; 2]) -> [f64; 2] {
    let (grid, least) = (spreader.grid(), spreader.least());
    [0, 1].map(|axis| {
        // It begins within one and ends within another.
        let met = (size[axis] / grid.bin_size()[axis]).max(least).ceil() + 1.0;
        met.min(grid.bins()[axis] as f64)
    })
}

/// Rows of lists.
#[derive(Default)]
struct WorkItems {
    /// Cell, part, parts.
    first: [Vec<u32>; 3],
    /// The same.
    rest: [Vec<u32>; 3],
    /// Cell, and where its parts begin and end in `rest`.
    split: [Vec<u32>; 3],
}

impl WorkItems {
    /// Of cells that are worth so many threads each.
    fn new(parts: impl Iterator<Item = usize>) -> Result<WorkItems> {
        let mut work = WorkItems::default();
        for (cell, parts) in parts.enumerate() {
            let start = work.rest[0].len();
            let parts = parts.min(1 + MOST_PARTS - start);
            push(&mut work.first, [cell, 0, parts])?;
            (1..parts).try_for_each(|part| push(&mut work.rest, [cell, part, parts]))?;
            if parts > 1 {
                push(&mut work.split, [cell, start, start + parts - 1])?;
            }
        }
        Ok(work)
    }
}

/// All are below 2^31: cells, parts, and parts of a cell, which are at most the columns of a grid
/// and one more than all parts.
fn push(rows: &mut [Vec<u32>; 3], values: [usize; 3]) -> Result<()> {
    for (row, value) in rows.iter_mut().zip(values) {
        let count = row.len();
        if count == row.capacity() {
            reserve(row, count.max(64), format_args!("{count} items of work"))?;
        }
        row.push(value as u32);
    }
    Ok(())
}

impl Items {
    fn new(device: &Device, [cells, parts]: [usize; 2], rows: &[Vec<u32>; 3]) -> Result<Items> {
        let count = rows[0].len();
        let head: [u32; HEAD] = [count, cells, parts].map(|number| number as u32);
        let places = head.iter().chain(rows.iter().flatten()).map(|&value| Index(value));
        let places = collected(HEAD + 3 * count, places, format_args!("{count} items of work"))?;
        let mut buffer = device.runtime.allocate(size_of_val(&*places))?;
        device.queue.upload(&places, &mut buffer)?;
        Ok(Items { count, buffer })
    }
}

impl<T> std::fmt::Debug for GpuCells<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuCells({} cells on {})", self.count, self.array.device.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_cells_are_split_while_there_is_room() {
        let work = WorkItems::new([1, 3, 1, 2].into_iter()).unwrap();
        assert_eq!(work.first, [vec![0, 1, 2, 3], vec![0; 4], vec![1, 3, 1, 2]]);
        assert_eq!(work.rest, [vec![1, 1, 3], vec![1, 2, 1], vec![3, 3, 2]]);
        assert_eq!(work.split, [vec![1, 3], vec![0, 2], vec![2, 3]]);
        let work = WorkItems::new([MOST_PARTS, 5, 5].into_iter()).unwrap();
        assert_eq!((&work.first[2], work.rest[0].len()), (&vec![MOST_PARTS as u32, 2, 1], MOST_PARTS));
    }

    #[test]
    fn sums_of_all_cells_fit() {
        for cells in [0, 1, 2, 3, 1000, 1 << 20, MOST_CELLS] {
            let largest = (cells as u128) << fraction_bits(cells);
            assert!(largest <= 1 << 62, "{cells}");
            assert!(cells < 2 || 2 * largest > 1 << 62, "{cells}: bits are left over");
        }
    }
}
