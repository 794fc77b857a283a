//! What kernels ask of memory.

use crate::desc::kernel::KernelDesc;
use crate::run::inspect::Target;
use crate::simulator::traffic::Traffic;
use crate::simulator::{estimated, traffic};

/// Blocks of each kernel that are run.
const BLOCKS: usize = 2;

/// The kernels of a problem on an H200, with what their first blocks ask for.
fn kernels(case: &str) -> Vec<(KernelDesc, Traffic)> {
    let (target, problem) = (Target::cuda("sm_90").unwrap(), case.parse().unwrap());
    estimated(&target, &problem).into_iter().zip(traffic(&target, &problem, BLOCKS, |_| {})).collect()
}

/// Of types III in `f64`, where both lanes of a pair or neighbouring threads write a half: rows of a length that 4
/// divides, or 2, and signals. Back from a spectrum, a kernel that writes a sector by two halves would write it twice.
#[test]
fn sectors_of_f64_are_written_once() {
    for case in [
        "dct3 f64 64x4096 axes=1",
        "dct3 f64 64x3000 axes=1",
        "dst3 f64 64x486 axes=1",
        "dct3 f64 518400",
        "dst3 f64 4147200",
    ] {
        let (desc, traffic) = kernels(case).pop().unwrap();
        assert!(desc.inverse && traffic.sectors_each(1) < 1.07, "{case}: {traffic:?}");
    }
}

/// The other way, where lanes are in pairs.
#[test]
fn sectors_of_f64_are_read_once_by_lane_pairs() {
    for case in ["dct2 f64 64x4096 axes=1", "dst2 f64 518400", "dct2 f64 4147200"] {
        let (desc, traffic) = kernels(case).remove(0);
        assert!(desc.lane_pairs[0] && traffic.sectors_each(0) < 1.07, "{case}: {traffic:?}");
    }
}

/// Two reals of an element that are neighbours on the line: read, and written, at once.
#[test]
fn pairs_of_reals_are_one_access() {
    for case in ["rfft f64 64x3000 axes=1", "dht f32 64x486 axes=1", "rfft f32 1048576", "dht f64 518400"] {
        let (_, traffic) = kernels(case).remove(0);
        assert!(traffic.sectors_each(0) < 1.15, "{case}: {traffic:?}");
    }
    for case in ["irfft f64 64x3000 axes=1", "irfft f32 64x486 axes=1", "irfft f32 1048576", "irfft f64 518400"] {
        let (_, traffic) = kernels(case).pop().unwrap();
        assert!(traffic.sectors_each(1) < 1.15, "{case}: {traffic:?}");
    }
}

/// Kernels whose sublines are neighbours at one end only: the first one back from a spectrum, and the last one to it.
/// Blocks of the last case have four sublines, which are fewer than threads that shared memory answers together.
#[test]
fn neighbouring_sublines_meet_different_banks() {
    for (case, most) in [
        ("dct2 f64 20250000", 1.2),
        ("dct2 f32 13996800", 1.05),
        ("dct3 f64 20160000", 1.2),
        ("dht f64 8847360", 1.2),
        ("dct2 f64 518400", 1.5),
    ] {
        let (_, traffic) = kernels(case).into_iter().find(|(desc, _)| desc.transposes()).unwrap();
        assert!(traffic.wavefronts_each() < most, "{case}: {traffic:?}");
    }
}

/// Complex rows, whose last small DFTs are taken in the order of frequencies.
#[test]
fn complex_rows_meet_different_banks() {
    for case in ["fft f32 64x4096 axes=1", "fft f64 64x4096 axes=1", "fft f64 64x1024 axes=1", "fft f32 64x1024 axes=1"]
    {
        let (_, traffic) = kernels(case).remove(0);
        assert!(traffic.wavefronts_each() < 1.3, "{case}: {traffic:?}");
    }
}

/// Without padding, every second thread or all of them meet the same banks; with it, few do.
#[test]
fn padding_spreads_places_over_banks() {
    let target = Target::cuda("sm_90").unwrap();
    for case in ["dct2 f64 64x4096 axes=1", "dct2 f64 64x1440 axes=1", "dct2 f32 64x1536 axes=1"] {
        let of =
            |change: fn(&mut KernelDesc)| traffic(&target, &case.parse().unwrap(), BLOCKS, change)[0].wavefronts_each();
        let [with, without] = [of(|_| {}), of(|desc| desc.padding = [usize::MAX; 2])];
        assert!(with < 1.35 && without > 1.3 * with, "{case}: {with} wavefronts, and {without} without padding");
    }
}
