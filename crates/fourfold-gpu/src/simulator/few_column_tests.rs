//! Few long columns, which one block for each runs of a sector would leave to few SMs.

use crate::desc::kernel::{KernelDesc, Packing};
use crate::lower::passes::lower;
use crate::run::inspect::Target;
use crate::simulator::{assert_kernels, estimated, simulate};
use fourfold::{Planner, Problem};

/// The blocks of clusters, of tiles with gaps too.
#[test]
fn clusters_have_few_columns() {
    let target = Target::cuda("sm_90").unwrap();
    for (case, tile, cluster) in [
        ("dct2 f32 1280x20 axes=0", 4, 8),
        ("dht f64 640x5 axes=0", 1, 8),
        ("dct3 f32 1600x45 axes=0", 8, 8),
        ("dct2 f16 2016x90 axes=0", 16, 8),
        ("dct1 f32 1025x24 axes=0", 4, 8),
        ("rfft f64 1200x9 axes=0", 1, 6),
    ] {
        let problem: Problem = case.parse().unwrap();
        let desc = &estimated(&target, &problem)[0];
        assert_eq!((desc.tile, desc.cluster), (tile, cluster), "{case}");
        let (verdict, _) = simulate(&target, &problem, &[]).unwrap();
        assert!(verdict.holds(), "{case}: {verdict:?}");
    }
}

/// Short ones, enough of them, long ones that more kernels have, and those without an even factor.
#[test]
fn other_columns_have_no_clusters() {
    let target = Target::cuda("sm_90").unwrap();
    for (case, count) in [
        ("dct2 f32 512x20 axes=0", 1),
        ("dct2 f32 1280x480 axes=0", 1),
        ("dct2 f32 16384x60 axes=0", 2),
        ("dht f32 3969x97 axes=0", 2),
        ("dct4 f32 2940x43 axes=0", 2),
    ] {
        let descs = estimated(&target, &case.parse().unwrap());
        assert!(descs.iter().all(|desc| desc.cluster == 1), "{case}");
        assert_eq!(descs.len(), count, "{case}");
    }
}

/// Digit by digit in one block for a line, it would wait for each of its runs: so columns are convolved as a whole, or
/// in two kernels if the convolution of a digit is short.
#[test]
fn few_rough_columns_of_many_numbers_are_not_one_kernel() {
    assert_kernels(&[
        ("dct1 f64 3323x67 axes=0", 2),
        ("dct1 f32 3840x257 axes=0", 3),
        ("dst1 f32 2104x240 axes=0", 3),
        ("dst1 f32 1543x68 axes=0", 1),
    ]);
}

/// Where an SM has one block at a time: half of the SMs idle in the last round, runs begin anywhere in a sector, or a
/// number has one real.
#[test]
fn columns_that_waste_sms_and_sectors_are_several_kernels() {
    assert_kernels(&[
        ("dct4 f32 12250x656 axes=0", 2),
        ("dct3 f32 6615x1323", 3),
        ("dst4 f64 2048x1825", 2),
        ("dct1 f64 1339x9x117", 3),
        ("dct3 f32 4409x600 axes=0", 3),
        ("dct3 f32 4409x600", 4),
        ("dct2 f32 5039x1600", 2),
        ("dct4 f64 3779x288", 4),
        // Blocks for three of four SMs, of two lines each.
        ("dht f64 2467x480", 2),
        ("dct2 f32 210x1151", 2),
    ]);
}

/// Two kernels that convolve a digit each take longer than one convolution, and so does one with few blocks.
#[test]
fn long_lines_with_one_rough_digit_are_ranges_of_digits() {
    let target = Target::cuda("sm_90").unwrap();
    for (case, is_one) in [
        ("dst1 f64 1246199", false),
        ("dct1 f32 315504", true),
        ("dct2 f32 444648", true),
        ("dct3 f32 1082112", true),
        ("dst3 f64 177935", true),
    ] {
        let descs = estimated(&target, &case.parse().unwrap());
        assert_eq!(descs.iter().any(KernelDesc::convolves_lines), is_one, "{case}");
        assert_eq!(descs.len(), 3, "{case}");
    }
}

#[test]
fn columns_in_more_kernels_are_right() {
    let target = Target::cuda("sm_90").unwrap().with_shared_bytes(32 << 10).with_sms(1);
    let cases = [
        "dct2 f64 1608x9",
        "dct1 f32 900x7 axes=0",
        "dst3 f64 1809x9",
        "dht f64 1515x9",
        "dst1 f32 2412x9 axes=0",
        "dct4 f64 1750x9 axes=0",
        "dst3 f32 1750x5 inplace axes=0",
    ];
    for case in cases {
        let problem: Problem = case.parse().unwrap();
        let recipe = Planner::new().recipe(&problem).unwrap();
        let choices = lower(target.limits(), &recipe, false, None, &[]).unwrap().choices();
        assert!(choices.iter().any(|choice| choice.size.kernels == Some(2)), "{case}: {choices:?}");
        let (verdict, _) = simulate(&target, &problem, &[]).unwrap();
        assert!(verdict.holds(), "{case}: {verdict:?}");
    }
}

/// Of an odd number of columns, pairs of neighbouring reals, unless pairs of columns are a power of two, or clusters have
/// them on the way back from a spectrum.
#[test]
fn odd_columns_are_pairs_of_reals() {
    let target = Target::cuda("sm_90").unwrap();
    let packing = |target: &Target, case: &str| estimated(target, &case.parse().unwrap()).last().unwrap().packing;
    for (case, expected) in [
        ("dct2 f64 5080320x5", Packing::HalfLength),
        ("dht f32 24000x19", Packing::HalfLength),
        ("dst2 f64 163x6750x15", Packing::TwoForOne),
        ("dst2 f64 19440x6", Packing::TwoForOne),
        ("dct3 f64 19440x9", Packing::HalfLength),
        ("dct2 f64 512x9", Packing::HalfLength),
        ("dct3 f32 700x2205", Packing::HalfLength),
        ("dct2 f64 19441x9", Packing::Single),
        ("dct2 f64 512x15", Packing::TwoForOne),
        ("dst3 f32 6000x2999", Packing::TwoForOne),
    ] {
        assert_eq!(packing(&target, case), expected, "{case}");
    }
    let small = target.with_shared_bytes(16 << 10).with_sms(1);
    for case in ["dct2 f64 2048x9", "dst2 f32 1536x5 inplace", "dht f64 540x11"] {
        assert_eq!(packing(&small, case), Packing::HalfLength, "{case}");
        let (verdict, _) = simulate(&small, &case.parse().unwrap(), &[]).unwrap();
        assert!(verdict.holds(), "{case}: {verdict:?}");
    }
}
