//! Passes along several axes as one kernel.

use crate::choose::estimate::Choice;
use crate::desc::choice::AxisFusion;
use crate::desc::kernel::KernelDesc;
use crate::lower::passes::lower;
use crate::run::inspect::Target;
use crate::simulator::simulate;
use fourfold::{Planner, Problem};

/// The kernels that are estimated.
fn estimated(target: &Target, problem: &Problem) -> Vec<KernelDesc> {
    let recipe = Planner::new().recipe(problem).unwrap();
    lower(target.limits(), &recipe, false, None, &[]).unwrap().descs()
}

/// The one of several axes among them, if there is one.
fn of_axes(target: &Target, case: &str) -> Option<KernelDesc> {
    estimated(target, &case.parse().unwrap()).into_iter().find(|desc| desc.next.is_some())
}

/// The same if choices say that they are one.
fn fused(target: &Target, case: &str) -> KernelDesc {
    let problem: Problem = case.parse().unwrap();
    let recipe = Planner::new().recipe(&problem).unwrap();
    let choices = lower(target.limits(), &recipe, false, None, &[]).unwrap().choices();
    let choices: Vec<Choice> =
        choices.into_iter().map(|choice| Choice { axis_fusion: AxisFusion::WithPrevious, ..choice }).collect();
    let fused = lower(target.limits(), &recipe, false, None, &choices).unwrap();
    assert_eq!(fused.descs().len(), 1, "{case}");
    let (verdict, _) = simulate(target, &problem, &choices).unwrap();
    assert!(verdict.holds(), "{case}: {verdict:?}");
    fused.descs().remove(0)
}

#[test]
fn fused_passes_are_right_and_have_no_races() {
    let cases = include_str!("../../../../cases/fused_axes.txt").lines().filter(|line| !line.starts_with('#'));
    let target = Target::cuda("sm_90").unwrap();
    let mut counts = [0; 2];
    for problem in cases.map(|case| case.parse::<Problem>().unwrap()) {
        let descs = estimated(&target, &problem);
        let (verdict, _) = simulate(&target, &problem, &[]).unwrap();
        assert!(verdict.holds(), "{problem}: {verdict:?}");
        assert!(descs.iter().any(|desc| desc.next.is_some()), "{problem}: a kernel for each pass");
        counts[usize::from(descs.len() > 1)] += 1;
    }
    assert!(counts[0] > 20 && counts[1] > 2, "problems of one kernel, and of more: {counts:?}");
}

/// As long as memory reads at once, or what divides the axis; a short axis as a whole.
#[test]
fn runs_are_as_long_as_can_be() {
    let target = Target::cuda("sm_90").unwrap();
    for (case, run) in [
        ("dct2 f32 5x6x48 axes=0,1", 24),
        ("dct3 f64 4x6x20 axes=0,1", 10),
        ("fft f64 4x3x7 axes=0,1", 7),
        ("dct2 f32 6x8x34 axes=0,1", 17),
        ("dct2 f32 2x6x9x3 axes=1,2", 3),
    ] {
        let axes = fused(&target, case).geometry.axes;
        assert_eq!(axes.first().map(|axis| axis.size), Some(run), "{case}: {axes:?}");
    }
}

/// What is estimated only where parts are contiguous, choices may have: pieces of less than a sector, and an
/// input and an output of which different axes are innermost.
#[test]
fn parts_of_single_elements_are_right_and_have_no_races() {
    let target = Target::cuda("sm_90").unwrap();
    for case in [
        "dct2 f32 3x4x6 axes=0,1",
        "dct2 f64 5x6x3 axes=0,2",
        "dct2 f64 4x5x6x7 axes=1,2 in=1,28,140,4 out=210,42,7,1",
        "dct2 f32 2x2x3x2x2x2x3x2 axes=7,0,3 in=1,2,4,12,24,48,96,288",
    ] {
        fused(&target, case);
    }
}

/// Where shared memory has no room for the buffers of all lines, a block takes them in turn.
#[test]
fn lines_in_turn_are_right_and_have_no_races() {
    let target = Target::cuda("sm_90").unwrap().with_shared_bytes(16 << 10);
    let mut uneven = 0;
    for (case, tiles) in [
        ("dct2 f32 2x48x48 axes=1,2", 2),
        ("dct3 f64 3x36x40 axes=1,2", 3),
        ("fft f32 2x36x40 axes=1,2", 3),
        ("rfft f64 2x36x32 axes=1,2", 2),
        ("dct2 f32 2x40x54 axes=1,2", 2),
        ("dst1 f64 3x31x37 axes=1,2", 3),
        ("dct2 f32 24x24x5 axes=0,1", 3),
    ] {
        let desc = fused(&target, case);
        let in_turn = desc.passes().map(KernelDesc::tiles_in_turn).collect::<Vec<_>>();
        assert_eq!(in_turn, [tiles; 2], "{case}");
        uneven += desc.passes().filter(|pass| !pass.has_even_tiles()).count();
    }
    assert!(uneven > 1, "only {uneven} with a last tile of fewer lines");
}

/// Where an SM has two blocks.
#[test]
fn registers_hold_the_threads_of_two_blocks() {
    let target = Target::cuda("sm_90").unwrap();
    for (case, threads) in [
        ("dct1 f64 13x833x63", 128),
        ("dst3 f32 409x483x18", 704),
        ("dct2 f64 1000x100x100 axes=1,2", 256),
        ("dct2 f32 8x1080x1920", 384),
        ("dct2 f32 1000x96x96 axes=1,2", 512),
        ("dct2 f32 100x96x96 axes=1,2", 576),
    ] {
        assert_eq!(of_axes(&target, case).map(|desc| desc.threads), Some(threads), "{case}");
    }
}

/// Where a cache has the arrays, and of digits that are convolved, no lines are taken in turn by the estimate.
#[test]
fn lines_in_turn_are_for_large_arrays() {
    let target = Target::cuda("sm_90").unwrap();
    for (case, turns) in [
        ("dct2 f32 1000x128x128 axes=1,2", Some(2)),
        ("dct2 f32 200x128x128 axes=1,2", None),
        ("dct2 f32 1000x127x127 axes=1,2", None),
        ("dct2 f32 1000x64x64 axes=1,2", Some(1)),
        ("dct2 f32 8x1080x1920", Some(2)),
    ] {
        assert_eq!(of_axes(&target, case).map(|desc| desc.tiles_in_turn()), turns, "{case}");
    }
}

/// Where no cache has the arrays, a trip must touch fewer sectors than one for each pass.
#[test]
fn pieces_below_a_sector_have_a_kernel_for_each_pass() {
    let target = Target::cuda("sm_90").unwrap();
    for (case, kernels) in [
        // 7 of 8 reals of a sector, and 5 of any 5.
        ("dct2 f32 300000x7x7 axes=1,2 in=56,8,1 out=56,8,1", 1),
        ("dst4 f32 600x3600x5", 3),
        ("dst4 f32 60x367x5", 2),
        ("dct2 f32 16x16x100003 axes=0,1", 2),
        ("dct2 f32 16x16x100000 axes=0,1", 1),
    ] {
        assert_eq!(estimated(&target, &case.parse().unwrap()).len(), kernels, "{case}");
    }
}
