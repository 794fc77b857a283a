//! The order of passes with which the fewest kernels are needed: transforms along different axes commute,
//! and passes along some of them may fit one kernel.

use crate::attributes::DeviceAttributes;
use crate::lower::arrays::PlanArrays;
use crate::lower::axis_fusion::fused;
use fourfold::Recipe;
use fourfold::engine::{ArrayId, PassOp, Transform1d, in_order};
use std::borrow::Cow;

/// Passes whose orders are compared, at most: four have 24.
const MOST: usize = 4;

/// The recipe in an order that takes fewer kernels than its own, if there is one. Of several, the one that
/// keeps the first passes where they are: rows come before columns.
pub(crate) fn with_fewest_kernels<'a>(device: &DeviceAttributes, recipe: &'a Recipe) -> Cow<'a, Recipe> {
    let passes = recipe.passes();
    let keeps_shape = passes.iter().all(|pass| pass.to == ArrayId::Output);
    if !(3..=MOST).contains(&passes.len()) || !keeps_shape || recipe.multiplied().is_some() {
        return Cow::Borrowed(recipe);
    }
    let halves = |op: &PassOp| matches!(op, PassOp::Transform(line) if line.transform.transform1d == Transform1d::R2C);
    let fixed = usize::from(passes[0].ops.iter().any(halves));
    let own: Vec<usize> = (0..passes.len()).collect();
    let others = orders(own[fixed..].to_vec()).into_iter().map(|order| [&own[..fixed], &order].concat());
    let reordered = others.skip(1).map(|order| in_order(recipe, &order));
    let recipes = std::iter::once(Cow::Borrowed(recipe)).chain(reordered.map(Cow::Owned));
    recipes.min_by_key(|recipe| kernels(device, recipe)).expect("there is the recipe's own order")
}

/// How many kernels passes are, if one that is not fused counts as one.
fn kernels(device: &DeviceAttributes, recipe: &Recipe) -> usize {
    let arrays = PlanArrays { recipe, parts: false, padded: None, slabs: None };
    let (mut done, mut count) = (0, 0);
    while done < recipe.passes().len() {
        done += fused(device, &arrays, done, &[]).map_or(1, |pass| pass.passes.len());
        count += 1;
    }
    count
}

/// All orders of some numbers, in lexicographic order if the numbers are in order.
fn orders(numbers: Vec<usize>) -> Vec<Vec<usize>> {
    if numbers.len() < 2 {
        return vec![numbers];
    }
    let led = |i: usize| {
        let mut rest = numbers.clone();
        let first = rest.remove(i);
        orders(rest).into_iter().map(move |order| [&[first], &*order].concat())
    };
    (0..numbers.len()).flat_map(led).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::inspect::Target;
    use fourfold::Planner;

    #[test]
    fn orders_begin_with_the_own_one() {
        assert_eq!(orders(vec![1, 2, 3])[..3], [vec![1, 2, 3], vec![1, 3, 2], vec![2, 1, 3]]);
        let mut all = orders(vec![0, 1, 2, 3]);
        assert!(all.is_sorted());
        all.dedup();
        assert_eq!(all.len(), 24);
    }

    /// The axes of the passes of an H200's plan.
    fn axes(problem: &str) -> Vec<usize> {
        let recipe = Planner::new().recipe(&problem.parse().unwrap()).unwrap();
        let target = Target::cuda("sm_90").unwrap();
        let ordered = with_fewest_kernels(&target.limits().attributes, &recipe);
        ordered.passes().iter().map(|pass| pass.axis).collect()
    }

    #[test]
    fn passes_that_fit_one_kernel_come_together() {
        // 8 rows of 1920 fit shared memory, but no 1080 rows, and no columns of 8 · 1080.
        assert_eq!(axes("dct2 f32 8x1080x1920"), [2, 0, 1]);
        assert_eq!(axes("rfft f32 8x1080x1920"), [2, 0, 1]);
        assert_eq!(axes("dct2 f32 1080x8x1920"), [2, 1, 0], "planes of 8 rows are one kernel as it is");
        assert_eq!(axes("dct2 f32 512x512x512"), [2, 1, 0], "no two passes fit");
        assert_eq!(axes("irfft f32 8x1080x1920"), [1, 0, 2], "spectra stand in another array");
    }
}
