//! The order in which passes run: transforms along different axes commute, and passes along some of them may
//! fit one kernel.

use crate::attributes::DeviceAttributes;
use crate::choose::estimate::Choice;
use crate::choose::pass_order::order_of;
use crate::lower::arrays::PlanArrays;
use crate::lower::axis_fusion::fused;
use fourfold::engine::{ArrayId, in_order};
use fourfold::{Recipe, Result};
use std::collections::BTreeSet;

/// Passes whose orders are compared, at most: four have five.
const MOST: usize = 4;

/// The recipe's own order.
pub(crate) fn own_order(recipe: &Recipe) -> Vec<usize> {
    (0..recipe.passes().len()).collect()
}

/// That of choices, or else one with which the fewest kernels are needed. An error if a choice does not name
/// another pass.
pub(crate) fn order(device: &DeviceAttributes, recipe: &Recipe, choices: &[Choice]) -> Result<Vec<usize>> {
    let keeps_shape = recipe.passes().iter().all(|pass| pass.to == ArrayId::Output);
    if !keeps_shape || recipe.multiplied().is_some() || recipe.passes().is_empty() {
        return Ok(own_order(recipe));
    }
    match choices {
        [] => Ok(with_fewest_kernels(device, recipe)),
        choices => order_of(choices),
    }
}

/// An order that takes fewer kernels than the recipe's own, if there is one. Of several, the one that keeps the
/// first passes where they are: rows come before columns.
fn with_fewest_kernels(device: &DeviceAttributes, recipe: &Recipe) -> Vec<usize> {
    let count = recipe.passes().len();
    if !(3..=MOST).contains(&count) {
        return own_order(recipe);
    }
    orders(count).into_iter().min_by_key(|order| kernels(device, &in_order(recipe, order))).unwrap_or_default()
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

/// All orders of so many passes in which those of a group follow one another, and groups the first of each, in
/// lexicographic order. The first pass stays the first one, as R2C must.
fn orders(count: usize) -> BTreeSet<Vec<usize>> {
    let mut groupings: Vec<Vec<Vec<usize>>> = vec![vec![]];
    for pass in 0..count {
        let with = |groups: Vec<Vec<usize>>| {
            let separate = [&*groups, &[vec![pass]]].concat();
            let joined = (0..groups.len()).map(move |i| {
                let mut groups = groups.clone();
                groups[i].push(pass);
                groups
            });
            std::iter::once(separate).chain(joined)
        };
        groupings = groupings.into_iter().flat_map(with).collect();
    }
    groupings.into_iter().map(|groups| groups.concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::passes::lower;
    use crate::run::inspect::Target;
    use fourfold::Planner;

    #[test]
    fn orders_begin_with_the_own_one() {
        assert_eq!(Vec::from_iter(orders(3)), [vec![0, 1, 2], vec![0, 2, 1]]);
        let all = Vec::from_iter(orders(4));
        assert_eq!((all.len(), &all[0], &all[1]), (5, &vec![0, 1, 2, 3], &vec![0, 1, 3, 2]));
        assert!(all.contains(&vec![0, 3, 1, 2]) && all.iter().all(|order| order[0] == 0));
    }

    /// The axes of the passes of an H200's plan, in the order in which they run.
    fn axes(problem: &str) -> Vec<usize> {
        let recipe = Planner::new().recipe(&problem.parse().unwrap()).unwrap();
        let target = Target::cuda("sm_90").unwrap();
        let order = order(&target.limits().attributes, &recipe, &[]).unwrap();
        order.into_iter().map(|pass| recipe.passes()[pass].axis).collect()
    }

    #[test]
    fn passes_that_fit_one_kernel_come_together() {
        // 8 rows of 480 fit shared memory, but no 1080 rows, and no columns of 8 · 1080.
        assert_eq!(axes("dct2 f32 8x1080x480"), [2, 0, 1]);
        assert_eq!(axes("rfft f32 8x1080x480"), [2, 0, 1]);
        assert_eq!(axes("dct2 f32 1080x8x480"), [2, 1, 0], "planes of 8 rows are one kernel as it is");
        assert_eq!(axes("dct2 f32 512x512x512"), [2, 1, 0], "no two passes fit");
        assert_eq!(axes("irfft f32 8x1080x480"), [1, 0, 2], "spectra stand in another array");
    }

    /// Choices are those of the recipe's passes: whoever runs them in its own order understands them, too, and
    /// so does a device with less memory.
    #[test]
    fn choices_are_in_the_order_of_the_recipe() {
        let target = Target::cuda("sm_90").unwrap();
        let recipe = Planner::new().recipe(&"dct2 f32 8x1080x480".parse().unwrap()).unwrap();
        let lowered = lower(target.limits(), &recipe, false, None, &[]).unwrap();
        let choices = lowered.choices();
        let texts: Vec<_> = choices.iter().map(Choice::to_string).collect();
        assert_eq!(texts, ["pairs 16 15", "lines 12 10 9", "lines 8 joined 1"]);
        assert_eq!(texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<Choice>>(), choices);
        let again = lower(target.limits(), &recipe, false, None, &choices).unwrap();
        assert_eq!((again.descs(), again.choices()), (lowered.descs(), choices.clone()));
        for less in [80 << 10, 48 << 10, 16 << 10] {
            let target = Target::cuda("sm_90").unwrap().with_shared_bytes(less);
            let lowered = lower(target.limits(), &recipe, false, None, &choices).unwrap();
            assert!(lowered.descs().iter().all(|desc| desc.shared_bytes() <= less));
        }
        // Both parts of complex arrays, in the recipe's own order.
        let parts = lower(target.limits(), &recipe, true, None, &choices).unwrap();
        assert_eq!((parts.order, parts.passes.len()), (vec![0, 1, 2], 3));
    }

    /// Also groups of three, and two groups.
    #[test]
    fn choices_of_other_orders_lead_to_the_same_kernels() {
        let target = Target::cuda("sm_90").unwrap();
        for (problem, order, texts) in [
            ("dct2 f32 4x4x1080x240", vec![0, 2, 3, 1], ["", "", " joined 1", " joined 3"]),
            ("dct2 f32 8x4x120x480", vec![0, 3, 1, 2], ["", "", " joined 2", " joined 1"]),
        ] {
            let recipe = Planner::new().recipe(&problem.parse().unwrap()).unwrap();
            let lowered = lower(target.limits(), &recipe, false, None, &[]).unwrap();
            let choices = lowered.choices();
            assert_eq!(lowered.order, order, "{problem}");
            for (choice, text) in choices.iter().zip(texts) {
                let choice = choice.to_string();
                assert!(choice.ends_with(text) && choice.contains("joined") != text.is_empty(), "{problem}: {choice}");
            }
            let again = lower(target.limits(), &recipe, false, None, &choices).unwrap();
            assert_eq!((again.descs(), again.choices()), (lowered.descs(), choices), "{problem}");
        }
    }

    #[test]
    fn choices_that_name_no_other_pass_are_refused() {
        let target = Target::cuda("sm_90").unwrap();
        let problem = "dct2 f32 8x1080x480".parse().unwrap();
        for wrong in ["joined 2", "joined 9", "joined 0", "joined -1", "joined x", "joined 1 1"] {
            let choices = format!("pairs 16 15\nlines 12 10 9 {wrong}\nlines 8");
            assert!(target.inspect_choices(&problem, &choices).is_err(), "{wrong}");
        }
        for right in ["lines 12 10 9 joined 1\nlines 8 joined 2", "lines 12 10 9 joined 3\nlines 8 joined 1"] {
            assert!(target.inspect_choices(&problem, &format!("pairs 16 15\n{right}")).is_ok(), "{right}");
        }
        for wrong in
            ["pairs 16 15 joined 2\nlines 12 10 9\nlines 8", "pairs 16 15\nlines 12 10 9 joined 3\nlines 8 joined 2"]
        {
            assert!(target.inspect_choices(&problem, wrong).is_err(), "{wrong}");
        }
    }
}
