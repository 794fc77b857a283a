//! Blocks whose threads, lines and runs a large radix or an odd length decides.

use crate::desc::kernel::KernelDesc;
use crate::run::inspect::Target;
use crate::simulator::{assert_kernels, estimated, resized, simulate};

fn target() -> Target {
    Target::cuda("sm_90").unwrap()
}

/// The first kernel, which is right.
fn first(target: &Target, case: &str) -> KernelDesc {
    let problem = case.parse().unwrap();
    let (verdict, _) = simulate(target, &problem, &[]).unwrap();
    assert!(verdict.holds(), "{case}: {verdict:?}");
    estimated(target, &problem).remove(0)
}

/// Rows have a thread for each of their large butterflies, if there are more blocks than registers for them; else more.
#[test]
fn rows_with_large_radices_have_few_threads() {
    for (case, sms, threads) in [
        ("dst1 f64 128x347 axes=1", 1, 64),
        ("dst1 f64 128x347 axes=1", 132, 192),
        ("dst2 f64 128x867 axes=1", 1, 64),
        ("dst2 f64 128x867 axes=1", 132, 320),
    ] {
        assert_eq!(first(&target().with_sms(sms), case).threads, threads, "{case} on {sms} SMs");
    }
}

/// Columns have a butterfly of 17 and more for each thread of a warp; rows of one butterfly have half as many.
#[test]
fn columns_fill_a_warp_with_large_radices() {
    let few = target().with_sms(1);
    for (case, lines) in [("dst2 f32 29x600 axes=0", 32), ("dht f32 23x601 axes=0", 32), ("dht f32 600x29 axes=1", 16)]
    {
        assert_eq!(first(&few, case).tile, lines, "{case}");
    }
}

/// Ranges of an odd signal that no cache has: runs of twice the length.
#[test]
fn odd_signals_have_longer_runs() {
    for (l2_bytes, case, bytes) in
        [(1, "dct2 f32 54675", 256), (1 << 20, "dct2 f32 54675", 128), (1, "dct2 f32 108000", 128)]
    {
        let descs = resized(&target().with_sms(1).with_l2_bytes(l2_bytes), case, |size| size.kernels = Some(2));
        assert_eq!(descs[0].contiguous_bytes(), bytes, "{case} beside {l2_bytes} bytes");
    }
}

/// One range more where 12 blocks would be busy for long; not where 18 are, nor where 12 are not.
#[test]
fn ranges_leave_few_sms_idle() {
    assert_kernels(&[("dct4 f32 83237x3 axes=0", 3), ("dst1 f32 140111", 2), ("dct4 f32 6825", 2)]);
}
