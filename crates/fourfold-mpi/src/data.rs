//! Parts of arrays of any element type.

use crate::any_plan::AnyPlan;
use anyhow::Result;
use fourfold::oracle::verify::Data;
use fourfold_distributed::{ArrayDesc, Grid, Only};
use num_complex::Complex;

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
pub(crate) fn runs(array: &ArrayDesc, grid: &Grid, rank: usize) -> Vec<(usize, usize)> {
    let ranges = array.ranges(grid, rank);
    // The whole array is in the order in which ranks store their parts.
    let axes: Vec<_> = array.order.iter().map(|axis| (ranges[*axis].clone(), array.shape[*axis])).collect();
    let (mut starts, mut run) = (vec![0], 1);
    for (i, (range, _)) in axes.iter().enumerate() {
        let stride: usize = axes[i + 1..].iter().map(|(_, length)| length).product();
        let is_whole = axes[i + 1..].iter().all(|(range, length)| range.len() == *length);
        if is_whole {
            starts.iter_mut().for_each(|start| *start += range.start * stride);
            run = range.len() * stride;
            break;
        }
        starts = starts.iter().flat_map(|start| range.clone().map(move |k| start + k * stride)).collect();
    }
    if run == 0 { vec![] } else { starts.into_iter().map(|start| (start, run)).collect() }
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
