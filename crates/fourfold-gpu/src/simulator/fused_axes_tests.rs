//! Passes along several axes as one kernel.

use crate::choose::estimate::Choice;
use crate::desc::choice::AxisFusion;
use crate::desc::kernel::KernelDesc;
use crate::lower::passes::lower;
use crate::run::inspect::Target;
use crate::simulator::{assert_kernels, estimated, simulate};
use fourfold::{Planner, Problem};

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

/// Where no cache has the arrays, of the axis beside a short one that is transformed: 80 bytes instead of 40.
#[test]
fn short_axes_have_runs_of_the_next_one() {
    let target = Target::cuda("sm_90").unwrap();
    let blocks = |target: &Target, case| of_axes(target, case).map(|desc| desc.blocks());
    for (case, parts) in [
        ("dht f64 112x32000x5", Some(16000)),
        ("dct2 f32 300x20000x6", Some(5000)),
        // Where no run divides the axis, only whole sectors.
        ("dct2 f64 112x32003x5", None),
        ("dct2 f32 112x32003x8", Some(32003)),
        ("dct2 f32 3000017x3x5 axes=1,2", Some(300002)),
        ("dct2 f64 16x8x16x4 axes=1,3 in=1,16,128,2048", Some(16)),
        ("dct2 f64 11x320x5", Some(320)),
    ] {
        assert_eq!(blocks(&target, case), parts, "{case}");
    }
    let small = target.with_l2_bytes(0).with_sms(1);
    for case in ["dct2 f64 6x70x5 axes=0,2", "dst1 f32 4x90x7 axes=0,2", "dct3 f64 5x64x3 axes=0,2 inplace"] {
        assert!(blocks(&small, case).is_some(), "{case}: a kernel for each pass");
        let (verdict, _) = simulate(&small, &case.parse().unwrap(), &[]).unwrap();
        assert!(verdict.holds(), "{case}: {verdict:?}");
    }
}

/// A block of few threads has as many planes as fill a warp, or fewer, so that there are blocks for all SMs. Their number
/// divides the axis, but for an axis that is around all others.
#[test]
fn a_warp_has_several_small_planes() {
    let target = Target::cuda("sm_90").unwrap();
    for (case, planes) in [
        ("dct2 f32 8192x8x8 axes=1,2", 8),
        ("dct2 f32 2112x8x8 axes=1,2", 4),
        ("dct2 f32 1000x8x8 axes=1,2", 1),
        ("dct2 f32 9000x3x8x8 axes=2,3", 8),
        ("dct3 f64 20011x4x4 axes=1,2", 8),
        ("fft f32 30x8x400x8 axes=1,3", 4),
        ("dct4 f32 8000x15x10 axes=1,2", 2),
        // These axes have others around them: they are divided, or a block has one plane.
        ("dct2 f32 3x4001x5 axes=0,2", 1),
        ("dct2 f32 3x4000x5 axes=0,2", 5),
        ("dct2 f32 67x71x4x4 axes=2,3 in=1152,16,4,1", 1),
        ("dct2 f32 10000x24x24 axes=1,2", 1),
    ] {
        let desc = of_axes(&target, case).unwrap();
        let problem: Problem = case.parse().unwrap();
        let all: usize = problem.input().shape.iter().product();
        let own: usize = problem.transforms().iter().map(|transform| problem.input().shape[transform.axis]).product();
        assert_eq!(desc.blocks(), (all / own).div_ceil(planes), "{case}");
    }
    // With one SM, blocks of small batches have several planes, and the last block of some has fewer.
    let (small, mut uneven) = (target.with_sms(1), 0);
    for case in [
        "dct2 f32 37x8x8 axes=1,2",
        "dct3 f64 41x3x5 axes=1,2",
        "rfft f32 3x13x4x6 axes=2,3",
        "dct4 f64 53x6x5 axes=1,2",
        "fft f32 47x4x3x2 axes=1,2,3",
        "dst1 f32 3x31x5 axes=0,2",
        "dct2 f64 3x2x29x5 axes=0,1,3",
        "dht f32 43x5x7 axes=1,2 out=35,-1,5",
        "dct1 f32 6x5x61 axes=0,1 in=1,6,30 out=1,6,30",
        "dct2 f32 5x9x4x4 axes=2,3 in=160,16,4,1",
    ] {
        let (verdict, _) = simulate(&small, &case.parse().unwrap(), &[]).unwrap();
        assert!(verdict.holds(), "{case}: {verdict:?}");
        uneven += usize::from(of_axes(&small, case).is_some_and(|desc| !desc.has_even_tiles()));
    }
    assert!(uneven >= 5, "{uneven} cases whose last block has fewer planes");
}

/// Inner axes that follow each other are as one: of both a part has the same run.
#[test]
fn axes_that_follow_each_other_are_one() {
    assert_kernels(&[("dct2 f32 500x20x16x15 axes=1,2", 1), ("dct2 f32 500x20x16x3x5 axes=1,2", 1)]);
    let target = Target::cuda("sm_90").unwrap();
    for case in ["dct2 f32 7x5x6x3x4 axes=1,2", "fft f64 2x3x5x4x3 axes=2,3", "rfft f32 3x5x4x6 axes=2,3"] {
        let (verdict, _) = simulate(&target.clone().with_sms(1), &case.parse().unwrap(), &[]).unwrap();
        assert!(verdict.holds(), "{case}: {verdict:?}");
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

/// Where an SM has two blocks.
#[test]
fn registers_hold_the_threads_of_two_blocks() {
    let target = Target::cuda("sm_90").unwrap();
    for (case, threads) in [
        ("dct1 f64 13x833x63", 128),
        ("dct2 f64 1000x60x60 axes=1,2", 256),
        ("dct2 f32 1000x96x96 axes=1,2", 512),
        ("dct2 f32 8x1080x480", 256),
        ("dct3 f64 114x110x38", 224),
    ] {
        assert_eq!(of_axes(&target, case).map(|desc| desc.threads), Some(threads), "{case}");
    }
}

/// A kernel for each pass, where shared memory has room for two blocks, or registers for one. So it is where some SMs
/// have more than a fourth more blocks than all on average, or runs are short.
#[test]
fn blocks_of_several_axes_keep_all_sms_busy() {
    assert_kernels(&[
        ("dct3 f64 17x260x200", 2),
        ("dct3 f64 17x260x398", 3),
        ("dct3 f64 17x280x200", 3),
        ("dct4 f32 1569x27x106 axes=1,2", 2),
        ("dct4 f32 1569x27x106", 3),
        ("dst3 f32 1120x137x39", 3),
        ("dct2 f32 64x64x64x16 axes=1,3", 1),
        ("dct2 f32 264x32x32x64 axes=1,2", 2),
        ("dct2 f64 12x168x216", 2),
    ]);
}

/// Where no cache has the arrays, a trip must touch fewer sectors than one for each pass.
#[test]
fn pieces_below_a_sector_have_a_kernel_for_each_pass() {
    assert_kernels(&[
        // 7 of 8 reals of a sector, and 5 of any 5.
        ("dct2 f32 300000x7x7 axes=1,2 in=56,8,1 out=56,8,1", 1),
        ("dst4 f32 600x3600x5", 3),
        ("dst4 f32 60x367x5", 2),
        ("dct2 f32 16x16x100003 axes=0,1", 2),
        ("dct2 f32 16x16x100000 axes=0,1", 1),
    ]);
}
