//! Lines of an odd number of reals in several kernels.

use crate::desc::kernel::Packing;
use crate::lower::passes::lower;
use crate::run::inspect::Target;
use crate::simulator::simulate;
use crate::simulator::tests::multiplied::SIDES;
use crate::simulator::tests::simulate_multiplied;
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
        assert!(descs.iter().any(|desc| desc.range.first > 0), "{problem}: whole lines");
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

/// Factors are read at places that are there, also by threads that store nothing.
#[test]
fn multiplied_odd_lines_are_right() {
    let target = Target::cuda("sm_90").unwrap().with_shared_bytes(8 << 10).with_sms(1);
    for case in ["dct3 f64 729", "dct2 f64 729", "dst4 f64 1215", "irfft f64 1215", "dst3 f32 3x1125 axes=1"] {
        let problem: Problem = case.parse().unwrap();
        for side in SIDES {
            for multiplier in side.multipliers(&problem) {
                let descs = simulate_multiplied(&target, &problem, side, &multiplier, &[]).descs;
                assert!(descs.iter().any(|desc| desc.halved > 0), "{problem}: all frequencies");
            }
        }
    }
}
