//! Lines that are convolved as a whole.

use crate::choose::estimate::Choice;
use crate::desc::kernel::KernelDesc;
use crate::ir::statement::{Int, int};
use crate::run::inspect::Target;
use crate::simulator::{estimated, rechosen, resized, simulate};
use crate::write::writer::in_strips;
use fourfold::Problem;

/// Few long lines, with little shared memory.
fn target() -> Target {
    Target::cuda("sm_90").unwrap().with_shared_bytes(8 << 10).with_sms(1)
}

/// The same without clusters.
fn unclustered() -> Target {
    Target::opencl().with_shared_bytes(8 << 10).with_sms(1)
}

/// Of even and odd DFTs: those of an odd number change the sign of the second half of the chirp.
const LINES: [&str; 26] = [
    "fft f64 1511",
    "ifft f32 1594",
    "rfft f64 1511",
    "irfft f64 1511",
    "dct2 f64 1583",
    "dct3 f64 1583",
    "dct2 f32 3166",
    "dct4 f64 1583",
    "dst4 f32 3166",
    "dht f64 1583",
    "dst1 f64 1582",
    "dct1 f32 1584",
    "dct3 f64 3166",
    "dst3 f32 3166 ortho",
    "idxst f64 3166",
    "irfft f32 3194",
    "dct3 f64 2x3166 axes=1",
    "dht f64 3166",
    "dht f32 2x3166 scale=3 axes=1",
    "dct1 f64 2039",
    "dst1 f32 2037",
    "dct1 f32 1584 ortho",
    "dct1 f64 2039 ortho scale=3",
    "dst1 f64 2037 ortho",
    "dct1 f64 3x2039 axes=1",
    "dct2 f64 3x1583 axes=1",
];

const COLUMNS: [&str; 3] = ["dct3 f64 3166x3 axes=0", "dst1 f64 2037x3 axes=0", "fft f32 1511x2 axes=0"];

#[test]
fn convolved_lines_are_right_and_have_no_races() {
    for case in LINES.into_iter().chain(COLUMNS) {
        let problem: Problem = case.parse().unwrap();
        assert!(estimated(&target(), &problem).iter().any(KernelDesc::convolves_lines), "{case}");
        let (verdict, _) = simulate(&target(), &problem, &[]).unwrap();
        assert!(verdict.holds(), "{case}: {verdict:?}");
    }
}

/// When each tile of a kernel comes.
fn turns(desc: &KernelDesc) -> Vec<usize> {
    let (blocks, strips) = (desc.tiles(), desc.strips().unwrap());
    let mut turns = vec![None; blocks];
    for turn in 0..blocks {
        let Int::Lit(block) = in_strips(int(turn), blocks, strips) else { panic!("a literal") };
        assert_eq!(turns[block as usize].replace(turn), None, "block {block} comes twice");
    }
    turns.into_iter().map(Option::unwrap).collect()
}

/// Four runs of a type IV have the same sectors: those of an element, of the one in the run after the next, and of
/// their mirror images. The last ones are convolved.
#[test]
fn blocks_of_four_runs_that_read_the_same_sectors_come_together() {
    for (n, kind) in [
        (78_125usize, "dct4"),
        (117_649, "dct4"),
        (390_625, "dst4"),
        (177_147, "dst4"),
        (200_003, "dct4"),
        (262_147, "dst4"),
        (99_991, "dct4"),
    ] {
        let first = estimated(&unclustered(), &format!("{kind} f64 {n}").parse().unwrap()).remove(0);
        let (blocks, sublines, turns) = (first.tiles(), first.sublines(), turns(&first));
        let turn = |element: usize| turns[element % sublines / first.tile];
        let others = |e: usize| [(e + n / 2) % n, (n / 4 + n - e) % n, (n / 4 + n + n / 2 - e) % n];
        let distances = |e: usize| others(e).map(|other| turn(e).abs_diff(turn(other)));
        let mut distances: Vec<_> = (0..n).flat_map(distances).collect();
        distances.sort_unstable();
        // Blocks that are left over where strips have one more come last, and edges of strips may be apart.
        let most = distances[distances.len() / 10 * 9];
        let within = if first.convolves_lines() { blocks / 5 } else { 16 };
        assert!(most <= within && blocks > 50, "{n}: {most} turns of {blocks}, {:?}", first.strips());
    }
}

/// Elements e and N − 1 − e of a DCT-II have neighbouring reals, so that the blocks that read them should find
/// each other's sectors in the cache.
#[test]
fn blocks_that_read_the_same_sectors_come_together() {
    for n in [65_537usize, 99_991, 100_003, 131_071, 200_003] {
        let first = estimated(&unclustered(), &format!("dct2 f64 {n}").parse().unwrap()).remove(0);
        let (blocks, sublines) = (first.tiles(), first.sublines());
        let turns = turns(&first);
        let turn = |element: usize| turns[element % sublines / first.tile];
        let distance = (0..n).map(|e| turn(e).abs_diff(turn(n - 1 - e))).max().unwrap();
        assert!(distance <= 3 && blocks > 8, "{n}: {distance} turns of {blocks}");
    }
}

/// Two ranges of digits are three kernels, three are five: whichever choices say.
#[test]
fn convolved_lines_have_as_many_kernels_as_choices_say() {
    for (case, count) in [("dct2 f64 1583", 3), ("fft f32 3167", 3), ("dst1 f64 16221", 5)] {
        assert_eq!(estimated(&target(), &case.parse().unwrap()).len(), count, "{case}");
        for kernels in [3, 5] {
            let descs = resized(&target(), case, |size| size.kernels = Some(kernels));
            assert!(descs.len() == kernels || kernels < count, "{case}: {} kernels", descs.len());
        }
    }
}

/// Few long lines are three kernels, or by a choice one; short ones are one, or by a choice three. A line without room
/// in shared memory is three.
#[test]
fn lines_with_room_are_convolved_in_one_kernel_if_choices_say_so() {
    let large = Target::cuda("sm_90").unwrap();
    for (target, case, kernels, count) in [
        (&large, "dct3 f32 2x2699 axes=1", None, 3),
        (&large, "dct3 f32 2x2699 axes=1", Some(1), 1),
        (&large, "dst2 f64 2027", Some(1), 1),
        (&large, "dht f64 2027x3 axes=0", Some(1), 1),
        (&large, "dct2 f64 3x347 axes=1", None, 1),
        (&large, "dct2 f64 3x347 axes=1", Some(3), 3),
        (&target(), "dct2 f64 1583", None, 3),
        (&target(), "dct2 f64 1583", Some(1), 3),
    ] {
        let descs = resized(target, case, |size| size.kernels = kernels);
        assert_eq!(descs.len(), count, "{case}, {kernels:?}");
    }
}

fn clustered(choice: &mut Choice) {
    choice.clustered = true;
}

/// Clusters with the first range of digits; of 16-bit reals, too, and with more digits in the last range.
#[test]
fn convolved_lines_are_right_in_clusters() {
    let others = ["dct2 f16 1583", "dht bf16 3167", "dct3 f64 4127", "dst3 f32 8219 ortho", "fft f64 5119"];
    for case in LINES.into_iter().chain(others) {
        let descs = rechosen(&target(), case, clustered);
        let clusters: Vec<_> = descs.iter().map(|desc| (desc.cluster, desc.blocks(), desc.tile)).collect();
        assert!(descs.len() == 3 && descs[0].cluster > 1 && descs[2].cluster > 1, "{case}: {clusters:?}");
    }
}

/// Without a choice, long lines have clusters. So they have not if a choice says so, if blocks do not fit, or if lines are
/// columns.
#[test]
fn long_lines_have_clusters_where_these_fit() {
    let case = "dct2 f64 65537";
    let has_clusters = |descs: &[KernelDesc]| descs.iter().any(|desc| desc.cluster > 1);
    assert!(has_clusters(&estimated(&target(), &case.parse().unwrap())), "no choice");
    assert!(!has_clusters(&resized(&target(), case, |size| size.kernels = Some(5))), "five kernels");
    let few_threads = |choice: &mut Choice| (choice.clustered, choice.size.threads) = (true, Some(1));
    assert!(!has_clusters(&rechosen(&target(), case, few_threads)), "one thread");
    assert!(!has_clusters(&rechosen(&target(), "dct2 f64 1583x3 axes=0", clustered)), "columns");
    assert!(!has_clusters(&rechosen(&unclustered(), "dct2 f64 1583", clustered)), "a device without clusters");
}

/// Between its kernels, a line of 16-bit reals has 32-bit ones: so a tile has as many columns.
#[test]
fn clusters_have_as_many_columns_of_16_bit_lines() {
    let tile = |case: &str| estimated(&Target::cuda("sm_90").unwrap(), &case.parse().unwrap())[0].tile;
    assert_eq!([tile("fft f16 20000003"), tile("dct3 bf16 15754861")], [8; 2]);
    assert_eq!([tile("fft f32 20000003"), tile("fft f64 5000011")], [8, 4]);
}
