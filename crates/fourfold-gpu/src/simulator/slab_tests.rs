//! Outputs in slabs, by the kernels of a GPU: clusters and lane pairs, which PoCL has not.

use crate::desc::geometry::SlabLayout;
use crate::lower::passes::lower_in_slabs;
use crate::run::inspect::Target;
use crate::simulator::simulate_passes;
use fourfold::oracle::verify::{Data, check};
use fourfold::{Layout, Planner, Problem};

/// Where element `at` of an output in C order is, if the output is in slabs.
fn place(output: &Layout, SlabLayout { axis, count, distance }: SlabLayout, at: usize) -> usize {
    let inner = output.strides[axis] as usize;
    let (n, length) = (output.shape[axis], output.shape[axis] / count);
    let (outer, k, rest) = (at / (n * inner), at / inner % n, at % inner);
    k / length * distance + (outer * length + k % length) * inner + rest
}

/// Simulates a problem in two slabs, if its last axis has an even length. Returns the kernels' largest
/// cluster, and whether one has lane pairs that write.
fn simulated(target: &Target, case: &str) -> Option<(usize, bool)> {
    let problem: Problem = case.parse().unwrap();
    let recipe = Planner::new().recipe(&problem).unwrap();
    let (axis, output) = (recipe.passes().last()?.axis, problem.output());
    if problem.in_place() || !output.is_c_order() || output.shape[axis] % 2 == 1 {
        return None;
    }
    // The second slab begins at a place that memory does not read at once with its neighbours.
    let slabs = SlabLayout { axis, count: 2, distance: output.len / 2 + output.len % 4 };
    let lowered = lower_in_slabs(target.limits(), &recipe, false, None, &[], Some(slabs)).unwrap();
    let verdict = check(&problem, lowered.uses_bluestein(), 1, |input, whole| {
        let len = slabs.distance + output.len / 2;
        let mut cut = Data::filled(problem.precision(), problem.output_domain(), len, f64::NAN);
        simulate_passes(&lowered, input, &mut cut)?;
        (0..output.len).for_each(|at| whole.set(at, cut.get(place(output, slabs, at))));
        Ok(())
    });
    assert!(verdict.as_ref().unwrap().holds(), "{case}: {verdict:?}");
    let descs = lowered.descs();
    let cluster = descs.iter().map(|desc| desc.cluster).max()?;
    Some((cluster, descs.iter().any(|desc| desc.lane_pairs[1])))
}

#[test]
fn slabs_are_right_and_have_no_races() {
    let [pairs, clusters] = [32, 16].map(|kib| Target::cuda("sm_90").unwrap().with_shared_bytes(kib << 10).with_sms(1));
    let cases = |text: &'static str| text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let of_pairs = cases(include_str!("../../../../cases/lane_pairs.txt")).filter_map(|line| line.split(':').next());
    let of_clusters = cases(include_str!("../../../../cases/clusters.txt"));
    let found: Vec<_> = of_pairs.filter_map(|case| simulated(&pairs, case)).collect();
    let clustered: Vec<_> = of_clusters.filter_map(|case| simulated(&clusters, case)).collect();
    assert!(found.iter().filter(|(_, writes)| *writes).count() > 2, "lane pairs: {found:?}");
    assert!(clustered.iter().filter(|(cluster, _)| *cluster > 1).count() > 4, "clusters: {clustered:?}");
}
