//! Parts of arrays of any element type.

use crate::any_plan::AnyPlan;
use anyhow::Result;
use fourfold::oracle::verify::Data;
use fourfold_distributed::{ArrayDesc, Grid, Only};
use num_complex::Complex;
use std::ops::Range;

/// The arrays of one rank.
pub(crate) struct Arrays {
    pub(crate) input: Data,
    pub(crate) output: Data,
}

impl Arrays {
    /// Zeros, as many as the plan needs.
    pub(crate) fn new(plan: &AnyPlan) -> Result<Arrays> {
        let (recipe, precision) = (plan.recipe(), plan.recipe().problem().precision());
        let [input, output] = plan.lengths();
        Ok(Arrays {
            input: Data::try_filled(precision, recipe.input().domain, input, 0.0)?,
            output: Data::try_filled(precision, recipe.output().domain, output, 0.0)?,
        })
    }

    /// Executes the plan, or only a part of it, when `meet` has returned. Returns the seconds.
    pub(crate) fn execute(
        &mut self,
        plan: &mut AnyPlan,
        only: Option<Only>,
        meet: &dyn Fn(bool) -> fourfold::Result<()>,
    ) -> fourfold::Result<f64> {
        plan.execute([&mut self.input, &mut self.output], only, meet)
    }
}

/// The runs of elements in a whole array that a rank has, in the order in which it stores them: the
/// first index of each in the whole array, and the number of elements.
pub(crate) fn runs(array: &ArrayDesc, grid: &Grid, rank: usize) -> impl Iterator<Item = (usize, usize)> {
    let ranges = array.ranges(grid, rank);
    // The whole array is in the order in which ranks store their parts.
    let axes: Vec<_> = array.order.iter().map(|axis| (ranges[*axis].clone(), array.shape[*axis])).collect();
    let stride = |axis: usize| axes[axis + 1..].iter().map(|(_, length)| length).product::<usize>();
    // All that a run has but its outermost axis is whole.
    let is_partial = |(range, length): &(Range<usize>, usize)| range.len() < *length;
    let outer = axes.iter().rposition(is_partial).unwrap_or(0);
    let run = axes[outer].0.len() * stride(outer);
    let first = axes[outer].0.start * stride(outer);
    let outer: Vec<_> = (0..outer).map(|axis| (axes[axis].0.clone(), stride(axis))).collect();
    let count = if run == 0 { 0 } else { outer.iter().map(|(range, _)| range.len()).product() };
    (0..count).map(move |mut number| {
        let mut start = first;
        for (range, stride) in outer.iter().rev() {
            start += (range.start + number % range.len()) * stride;
            number /= range.len();
        }
        (start, run)
    })
}

/// A number that depends on an index of the whole array: Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014. Both parts are uniform in [−1, 1).
pub(crate) fn random(seed: u64, index: usize) -> Complex<f64> {
    let uniform = |i: u64| {
        let z = seed.wrapping_add(i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    Complex::new(uniform(2 * index as u64), uniform(2 * index as u64 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fourfold::Domain;

    /// The runs of all ranks have every element of the array once, in the order of the parts.
    #[test]
    fn runs_are_the_parts() {
        for (shape, grid, distribution, order) in [
            (vec![5, 4, 3], "2x2", "p,q,*", vec![0, 1, 2]),
            (vec![5, 4, 3], "2x2", "*,q,p", vec![0, 1, 2]),
            (vec![5, 4, 3], "3", "*,p,*", vec![0, 1, 2]),
            (vec![2, 7], "4", "p,*", vec![0, 1]),
            (vec![3, 6], "2", "*,p", vec![1, 0]),
        ] {
            let (grid, distribution): (Grid, _) = (grid.parse().unwrap(), distribution.parse().unwrap());
            let array = ArrayDesc { domain: Domain::Real, shape, distribution, order };
            for rank in 0..grid.ranks() {
                let ranges = array.ranges(&grid, rank);
                let expected = array.order.iter().fold(vec![0], |outer: Vec<usize>, axis| {
                    let length = array.shape[*axis];
                    outer.iter().flat_map(|at| ranges[*axis].clone().map(move |i| at * length + i)).collect()
                });
                let found: Vec<_> =
                    runs(&array, &grid, rank).flat_map(|(start, length)| start..start + length).collect();
                assert_eq!(found, expected, "{array:?} {rank}");
            }
        }
    }
}
