//! Rows that are written through shared memory: short ones of which a thread has all numbers, those whose
//! elements are an odd number with reals of both ends, and others by a choice.

use crate::choose::estimate::Choice;
use crate::desc::stage::StageOp;
use crate::limits::Api;
use crate::lower::passes::lower;
use crate::run::inspect::Target;
use crate::simulator::{estimated, resized, simulate};
use fourfold::{Planner, Problem};
use std::collections::BTreeSet;

/// What the first kernel ends with.
fn last(target: &Target, problem: &Problem) -> StageOp {
    estimated(target, problem)[0].stages.last().unwrap().op.clone()
}

fn is_copied(target: &Target, problem: &Problem) -> bool {
    matches!(last(target, problem), StageOp::Copy(_))
}

fn check(target: &Target, case: &str) {
    let (verdict, _) = simulate(target, &case.parse().unwrap(), &[]).unwrap();
    assert!(verdict.holds(), "{case}: {verdict:?}");
}

/// Of lines that a thread has whole, those that are read at once begin in different banks, of 32 with 4 bytes each.
#[test]
fn threads_with_short_rows_meet_different_banks() {
    let target = Target::cuda("sm_90").unwrap();
    for (case, at_once) in [
        ("dct4 f32 100000x32 axes=1", 16),
        ("dct4 f64 100000x32 axes=1", 8),
        ("fft f32 100000x16 axes=1", 16),
        ("dct2 f64 100000x16 axes=1", 8),
        ("dct3 f32 100000x16 axes=1", 16),
        ("dct4 f32 100000x24 axes=1", 16),
    ] {
        let desc = &estimated(&target, &case.parse().unwrap())[0];
        let banks: BTreeSet<_> = (0..at_once).map(|slot| slot * desc.slot_elements() % at_once).collect();
        assert!(desc.slots() >= at_once && banks.len() == at_once, "{case}: {}", desc.slot_elements());
    }
    for case in ["dct4 f32 301x32 axes=1", "dct4 f64 99x24 axes=1", "dct2 f64 1001x16 axes=1", "dct2 f32 77x128 axes=1"]
    {
        check(&target, case);
    }
}

/// A gap leaves as many axes in one kernel, and does not triple the memory of lines that meet few banks twice.
#[test]
fn gaps_cost_no_kernels_and_few_blocks() {
    let [ada, hopper] = ["sm_89", "sm_90"].map(|name| Target::cuda(name).unwrap());
    for (target, case) in [
        (&ada, "dst2 f64 200x7 inplace"),
        (&Target::opencl(), "dst1 f32 147x9 inplace"),
        (&Target::opencl(), "dst2 f32 18x7x12 inplace"),
        (&Target::known(Api::OpenCl, "mi300x").unwrap(), "dst3 f32 20x4x28"),
    ] {
        assert_eq!(estimated(target, &case.parse().unwrap()).len(), 1, "{case}");
    }
    for case in ["rfft f32 13230x7", "dct2 f16 88x7"] {
        assert_eq!(estimated(&hopper, &case.parse().unwrap())[0].gap, 0, "{case}");
    }
}

/// In tiles of one line and of many, of which the last one has fewer.
#[test]
fn short_rows_are_right_and_have_no_races() {
    for target in [Target::opencl(), Target::cuda("sm_90").unwrap().with_sms(1)] {
        for case in [
            "fft f64 37x5 axes=1",
            "ifft f16 35x31 axes=1",
            "fft f32 99x16 axes=1 in=17,1",
            "ifft f64 19x11 axes=1 inplace",
        ] {
            check(&target, case);
            assert!(is_copied(&target, &case.parse().unwrap()), "{case}");
        }
    }
}

/// Two lines as one, single ones, and convolved ones, in the order of their reals.
#[test]
fn rows_of_odd_numbers_are_right_and_have_no_races() {
    for target in [Target::opencl(), Target::cuda("sm_90").unwrap().with_sms(1)] {
        for case in [
            "dct3 f32 37x45",
            "dst3 f64 6x105 inplace",
            "dct3 f32 5x105 axes=1 out=107,1",
            "dct3 f32 137x15 axes=1",
            "dst3 f64 21x13 axes=1 out=14,1",
            "dct3 f16 9x75 scale=3",
            "dst3 f64 7x43 axes=1",
            "dct3 f32 6x129 ortho",
            "idxst f64 4x63 axes=1",
            "dct3 f64 3x1001 axes=1 out=2100,2",
        ] {
            check(&target, case);
            assert!(matches!(last(&target, &case.parse().unwrap()), StageOp::LineOrder(_)), "{case}");
        }
    }
}

/// Half spectra of one butterfly: two lines as one, single ones and pairs, three quarters; rows of several axes, and
/// an odd number of them.
#[test]
fn rows_of_one_butterfly_are_right_and_have_no_races() {
    for target in [Target::cuda("sm_90").unwrap(), Target::cuda("sm_90").unwrap().with_sms(1)] {
        for case in [
            "dct2 f64 1001x5",
            "dct2 f32 301x5 axes=1",
            "dst2 f32 1100x14",
            "dht f32 1001x7 ortho",
            "dct2 f64 3x1002x9 axes=1,2",
            "dct2 f32 4x6x11 axes=2",
            "dst2 f16 1000x10 scale=3",
            "dct1 f64 1001x6",
            "dst1 f64 77x11 axes=1 inplace",
            "dct1 f32 2001x4",
            "dct4 f32 1050x13 inplace",
            "dst4 bf16 12x7 axes=1",
        ] {
            check(&target, case);
            assert!(matches!(last(&target, &case.parse().unwrap()), StageOp::CopyLines(_)), "{case}");
        }
    }
}

/// Rows of one butterfly and of several, of large ones, and convolved ones; also on a device whose shared memory is a part
/// of device memory, in `f32` and `f16`.
#[test]
fn a_choice_says_whether_rows_go_through_shared_memory() {
    let mali = Target::known(Api::OpenCl, "mali-g710").unwrap();
    assert!(mali.limits().attributes.shared_is_emulated);
    for target in [Target::opencl(), Target::cuda("sm_90").unwrap().with_sms(1), mali] {
        for case in [
            "dct2 f32 101x5 axes=1",
            "dct2 f64 37x21 axes=1",
            "dct2 f32 9x90 axes=1",
            "dst2 f32 7x102 axes=1 inplace",
            "dct1 f64 7x41 axes=1",
            "dst1 f32 5x81 axes=1 ortho",
            "dht f32 5x1000 axes=1",
            "dst4 f64 6x77 axes=1",
            "dct2 f16 3x5x127 axes=2",
        ] {
            if case.contains("f64") && !target.limits().attributes.double {
                continue;
            }
            for through in [0, 1] {
                let descs = resized(&target, case, |size| size.through = Some(through));
                let last = &descs[0].stages.last().unwrap().op;
                assert_eq!(matches!(last, StageOp::CopyLines(_)), through == 1, "{case}");
            }
        }
    }
}

/// Rows whose last DFTs and combine would be one stage, if no other stage wrote them.
#[test]
fn rows_go_through_shared_memory_without_combine_fusion() {
    let target = Target::cuda("sm_90").unwrap().with_sms(1);
    for (case, choice) in [
        ("dct2 f64 8x1024 axes=1", "pairs 8 8 8 tile 1 threads 32"),
        ("dht f64 5x512 axes=1", "pairs 4 8 8 tile 1 threads 16"),
        ("dst2 f64 4x2048 axes=1", "pairs 16 8 8"),
    ] {
        let problem: Problem = case.parse().unwrap();
        let recipe = Planner::new().recipe(&problem).unwrap();
        for through in [0, 1] {
            let choices: [Choice; 1] = [format!("{choice} through {through}").parse().unwrap()];
            let descs = lower(target.limits(), &recipe, false, None, &choices).unwrap().descs();
            assert_eq!(descs[0].combine_partners().is_some(), through == 0, "{case}");
            let (verdict, _) = simulate(&target, &problem, &choices).unwrap();
            assert!(verdict.holds(), "{case} with {choice} through {through}: {verdict:?}");
        }
    }
}

/// Columns, complex numbers, rows that are made otherwise, and rows without room in shared memory.
#[test]
fn such_a_choice_changes_no_other_lines() {
    let target = Target::cuda("sm_90").unwrap();
    for case in [
        "dct2 f32 14x301 axes=0",
        "dct3 f64 301x15 axes=1",
        "rfft f64 37x5 axes=1",
        "fft f32 37x5 axes=1",
        "dct2 f64 3x20000 axes=1",
    ] {
        let other = resized(&target, case, |size| size.through = Some(1));
        assert_eq!(other, estimated(&target, &case.parse().unwrap()), "{case}");
    }
}

/// Of complex numbers, with gaps between them, an odd number on each of several axes, of two butterflies, or backwards,
/// they are written as they are.
#[test]
fn other_rows_are_written_by_the_combine() {
    let target = Target::cuda("sm_90").unwrap();
    for case in [
        "rfft f64 37x5 axes=1",
        "dct2 f32 37x5 axes=1 out=7,1",
        "dct2 f64 37x5 axes=1 out=1,37",
        "dct2 f32 3x5x5 axes=2 out=30,6,1",
        "dct2 f64 3x1001x9 axes=1,2",
        "dct2 f64 37x21 axes=1",
        "dct2 f64 37x17 axes=1",
        "dct3 f64 37x5 axes=1",
    ] {
        check(&target, case);
        assert!(!matches!(last(&target, &case.parse().unwrap()), StageOp::CopyLines(_)), "{case}");
    }
}

/// An odd number of elements of two reals each.
#[test]
fn odd_numbers_of_pairs_are_right_and_have_no_races() {
    for target in [Target::opencl(), Target::cuda("sm_90").unwrap().with_sms(1)] {
        for case in [
            "dct3 f32 3x90 axes=1",
            "dst3 f64 90",
            "dct4 f64 6x90 inplace",
            "dst4 f32 5x86 axes=1",
            "dct4 f32 3x258 axes=1 ortho",
            "dct4 f32 33x30 axes=1 scale=3",
            "dst4 f64 19x22 axes=1 inplace",
            "dct3 f64 86",
            "idxst f32 5x210 axes=1",
        ] {
            check(&target, case);
            assert!(matches!(last(&target, &case.parse().unwrap()), StageOp::Interleave(_)), "{case}");
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

/// Few long lines, whose kernels do without stages that only reorder: beside a convolution, elements are copied.
#[test]
fn long_lines_with_convolutions_are_right() {
    let target = Target::cuda("sm_90").unwrap();
    for case in ["dct4 f64 65538", "dst4 f32 65538", "dct3 f64 32769", "dct4 f32 2x65538 axes=1"] {
        check(&target, case);
    }
}
