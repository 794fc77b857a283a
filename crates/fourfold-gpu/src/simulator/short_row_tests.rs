//! Short rows of which a thread has all numbers: they are written through shared memory.

use crate::desc::stage::StageOp;
use crate::lower::passes::lower;
use crate::run::inspect::Target;
use crate::simulator::simulate;
use fourfold::{Planner, Problem};

/// Whether the only pass ends with a copy.
fn is_copied(target: &Target, problem: &Problem) -> bool {
    let recipe = Planner::new().recipe(problem).unwrap();
    let lowered = lower(target.limits(), &recipe, false, None, &[]).unwrap();
    let descs = lowered.descs();
    matches!(&descs[..], [desc] if matches!(desc.stages.last().unwrap().op, StageOp::Copy(_)))
}

/// In tiles of one line and of many, of which the last one has fewer.
#[test]
fn short_rows_are_right_and_have_no_races() {
    for target in [Target::opencl(), Target::cuda("sm_90").unwrap().with_sms(1)] {
        for case in [
            "fft f64 37x5 axes=1",
            "ifft f16 35x31 axes=1",
            "fft f32 99x16 axes=1 in=17,1",
            "dct4 f32 33x30 axes=1 scale=3",
            "dst4 f64 19x22 axes=1 inplace",
            "dct3 f32 137x15 axes=1",
            "dst3 f64 21x13 axes=1 out=14,1",
        ] {
            let problem: Problem = case.parse().unwrap();
            let (verdict, _) = simulate(&target, &problem, &[]).unwrap();
            assert!(verdict.holds(), "{case}: {verdict:?}");
            assert!(is_copied(&target, &problem), "{case}");
        }
    }
}

/// Rows of 64 bytes are as long as a run that costs little more, and columns are neighbours as they are.
#[test]
fn other_lines_are_written_as_they_are() {
    let target = Target::cuda("sm_90").unwrap();
    for case in ["fft f32 37x8 axes=1", "fft f64 37x4 axes=1", "fft f32 16x37 axes=0", "dct2 f32 37x15 axes=1"] {
        assert!(!is_copied(&target, &case.parse().unwrap()), "{case}");
    }
}
