//! Lines of which few are side by side in memory, on ranges of digits.

use crate::desc::kernel::KernelDesc;
use crate::run::inspect::Target;
use crate::simulator::{estimated, simulate};
use fourfold::Problem;

/// Long lines, with little shared memory.
fn target() -> Target {
    Target::cuda("sm_90").unwrap().with_shared_bytes(8 << 10).with_sms(1)
}

/// The kernels of a problem that have sublines.
fn ranges(case: &str) -> Vec<KernelDesc> {
    estimated(&target(), &case.parse().unwrap()).into_iter().filter(|desc| !desc.has_whole_lines()).collect()
}

/// Packed in pairs and not, odd and even numbers of lines, butterflies and convolutions of digits and of lines, and
/// directions.
#[test]
fn few_lines_side_by_side_are_right_and_have_no_races() {
    for (case, near) in [
        ("dct2 f64 4x2048x3", 2),
        ("dct3 f32 3x2048x5", 5),
        ("dct2 f64 4x2048x6 axes=1", 6),
        ("dct3 f64 5x2187x3 axes=1", 3),
        ("dst1 f64 3x1023x5 axes=1", 5),
        ("dct4 f32 2x2048x7 axes=0,1", 7),
        ("dht f32 3x2187x4 axes=1", 4),
        ("fft f32 3x2500x2 axes=1", 2),
        ("irfft f64 3x2048x3 axes=1", 3),
        ("dct2 f64 3x1748x3 axes=1", 3),
        ("dct2 f64 3x1583x3 axes=1", 3),
        ("dct3 f32 2x3166x5 axes=1", 5),
    ] {
        let ranges = ranges(case);
        assert!(ranges.len() > 1, "{case}");
        assert!(ranges.iter().all(|desc| desc.near == near && near < desc.lines), "{case}: {ranges:?}");
        let (verdict, _) = simulate(&target(), &case.parse::<Problem>().unwrap(), &[]).unwrap();
        assert!(verdict.holds(), "{case}: {verdict:?}");
    }
}

/// Where they are as many as memory reads at once, or one is not followed by others.
#[test]
fn other_lines_come_one_part_after_the_other() {
    for case in ["dct2 f64 4x2048x16 axes=1", "dct3 f32 2x2048x40 axes=1", "dct2 f64 2048x3 axes=0", "dct2 f32 5x2048"]
    {
        let ranges = ranges(case);
        assert!(ranges.len() > 1, "{case}");
        assert!(ranges.iter().all(|desc| desc.near == desc.lines), "{case}");
    }
}
