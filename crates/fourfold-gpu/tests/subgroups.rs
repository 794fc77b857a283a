//! Kernels whose work items exchange registers, on a device with `cl_khr_subgroup_shuffle`: `cargo xtask test
//! subgroups` gets one.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::{device, read, verdict};
use fourfold::Planner;
use fourfold_gpu::GpuPlanner;

/// Files of problems with lane pairs, and the shared memory with which their kernels have them.
const FILES: [(&str, usize); 2] = [
    (include_str!("../../../cases/lane_pairs.txt"), 32 << 10),
    (include_str!("../../../cases/mirrored_sublines.txt"), 8 << 10),
];

#[test]
#[ignore = "PoCL's work items exchange no registers"]
fn registers_are_exchanged_within_sub_groups() {
    let device = device().unwrap();
    for (file, bytes) in FILES {
        let planner = GpuPlanner::as_for(&device.target().with_shared_bytes(bytes), device.clone(), None);
        let (mut exchanging, mut all) = (0, 0);
        for problem in read(&file.replace(": ", " # ")) {
            let plan = planner.plan(&problem).unwrap();
            exchanging += usize::from(plan.sources().iter().any(|source| source.contains("sub_group_shuffle_xor(")));
            all += 1;
            let verdict = verdict(&planner, Planner::new().recipe(&problem).unwrap(), 1).unwrap();
            assert!(verdict.holds(), "{problem}: {verdict:?}");
        }
        assert!(10 * exchanging >= 9 * all && all > 20, "{exchanging} of {all} plans exchange registers");
    }
}
