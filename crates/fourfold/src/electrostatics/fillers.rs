//! Fillers: charges that take the area which the movable cells of a circuit leave free.

use crate::electrostatics::grid::Grid;
use crate::error::{Result, reserve};
use crate::problem::float::Float;

/// The part of the sizes at each end of their sorted list that does not count for the mean.
const TRIMMED: f64 = 0.05;

/// The least size of fillers along each axis, in bins.
const LEAST: f64 = 0.25;

/// Appends fillers with an area of `wanted` bins in all, evenly over the region.
pub(crate) fn add_fillers<T: Float>(
    grid: &Grid,
    wanted: f64,
    low: &mut [Vec<T>; 2],
    size: &mut [Vec<T>; 2],
) -> Result<()> {
    let (bin, [from, to]) = (grid.bin_size(), grid.region());
    if size[0].is_empty() || wanted <= 0.0 {
        return Ok(());
    }
    let means = [trimmed_mean(&size[0])?, trimmed_mean(&size[1])?];
    let each = [0, 1].map(|axis| T::nearest(means[axis].max(LEAST * bin[axis])));
    let extent: [f64; 2] = each.map(T::into);
    let count = (wanted / (extent[0] / bin[0] * (extent[1] / bin[1]))).round() as usize;
    for axis in 0..2 {
        let room = to[axis] - from[axis] - extent[axis];
        let place = |i: usize| grid.place::<T>(axis, from[axis] + room * evenly(i)[axis], extent[axis]);
        reserve_cells(&mut low[axis], count)?;
        low[axis].extend((0..count).map(place));
        reserve_cells(&mut size[axis], count)?;
        size[axis].extend((0..count).map(|_| each[axis]));
    }
    Ok(())
}

/// The mean without the smallest and the largest numbers.
fn trimmed_mean<T: Float>(sizes: &[T]) -> Result<f64> {
    let mut sorted: Vec<f64> = vec![];
    reserve_cells(&mut sorted, sizes.len())?;
    sorted.extend(sizes.iter().map(|&size| size.into()));
    sorted.sort_unstable_by(f64::total_cmp);
    let trimmed = (sorted.len() as f64 * TRIMMED) as usize;
    let middle = &sorted[trimmed..sorted.len() - trimmed];
    Ok(middle.iter().map(|size| size / middle.len() as f64).sum())
}

/// Point `i` of a sequence that covers the unit square evenly: multiples of 1/g and 1/g² modulo 1,
/// where g³ = g + 1. In two dimensions g is what the golden ratio is in one (Roberts, 2018).
pub(crate) fn evenly(i: usize) -> [f64; 2] {
    const G: f64 = 1.324_717_957_244_746;
    [1.0 / G, 1.0 / (G * G)].map(|step| (0.5 + i as f64 * step).fract())
}

/// Makes room for so many more numbers of cells.
pub(crate) fn reserve_cells<T>(list: &mut Vec<T>, count: usize) -> Result<()> {
    reserve(list, count, format_args!("{count} cells"))
}
