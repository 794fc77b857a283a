//! Lines of an odd number of reals in several kernels.

use crate::desc::kernel::Packing;
use crate::lower::passes::lower;
use crate::run::inspect::Target;
use crate::simulator::simulate;
use fourfold::{Planner, Problem};

/// Of those that are alone in their elements, kernels have half of the frequencies.
#[test]
fn odd_lines_on_ranges_of_digits_are_right_and_have_no_races() {
    let cases = include_str!("../../../../cases/odd_lines.txt").lines().filter(|line| !line.starts_with('#'));
    let target = Target::cuda("sm_90").unwrap().with_shared_bytes(8 << 10).with_sms(1);
    let (mut wrong, mut counts) = (vec![], [0; 4]);
    for case in cases {
        let problem: Problem = case.parse().unwrap();
        let recipe = Planner::new().recipe(&problem).unwrap();
        let descs = lower(target.limits(), &recipe, false, None, &[]).unwrap().descs();
        let is_halved = descs.iter().any(|desc| desc.packing == Packing::Single && desc.halved > 0);
        counts[if is_halved { descs.len().min(3) } else { 0 }] += 1;
        match simulate(&target, &problem, &[]) {
            Ok((verdict, _)) if verdict.holds() => {}
            other => wrong.push(format!("{problem}: {} kernels, {other:?}", descs.len())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        counts[2] > 20 && counts[3] > 5,
        "problems with all frequencies, or half of them in 2 and 3 kernels: {counts:?}"
    );
}
