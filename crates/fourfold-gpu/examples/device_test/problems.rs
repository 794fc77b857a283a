//! Which problems are tried.

use crate::common::read;
use fourfold::Kind::{self, *};
use fourfold::Problem;
use fourfold_gpu::Target;
use std::collections::BTreeSet;

/// Problems that have kernels in common: one planner makes their plans, for as much local memory.
pub(crate) struct Group {
    pub(crate) problems: Vec<Problem>,
    pub(crate) local_bytes: usize,
}

const FILES: [&str; 2] = [include_str!("../../../../cases/small.txt"), include_str!("../../../../cases/gpu.txt")];

/// Cases for little local memory, so that short lines go the way of long ones.
const WINDOWS: &str = include_str!("../../../../cases/windows.txt");
const LITTLE: usize = 8 << 10;

/// The longest of all lengths that are tried.
const SMALL: usize = 512;

/// How many problems of longer lengths.
const RANDOM: usize = 300;

/// Signals that few devices hold in local memory, nor in two passes.
const LONG: [&str; 6] = [
    "fft f32 16777216",
    "dct2 f64 8388608",
    "dct3 f32 4194304",
    "rfft f64 3000000",
    "dst1 f32 1048575",
    "fft f64 2x1000003 axes=1",
];

/// Kinds, each with one whose kernels are the same but for the scale. Seven places on, never two are complex.
const KINDS: [[Kind; 2]; 14] = [
    [Dct1, Idct1],
    [Fft, Fft],
    [Dct2, Idct3],
    [Ifft, Ifft],
    [Dct3, Idct2],
    [Rfft, Rfft],
    [Dct4, Idct4],
    [Irfft, Irfft],
    [Dst1, Idst1],
    [Dst2, Idst3],
    [Dst3, Idst2],
    [Dst4, Idst4],
    [Dht, Idht],
    [Idxst, Idxst],
];

/// Every kind at every length up to 512, in rows and in columns, in both precisions; random longer ones; the cases. Every `shard.1`-th
/// group from the `shard.0`-th on, those that take longest first.
pub(crate) fn sweep(shard: (usize, usize)) -> Vec<Group> {
    let long = LONG.map(read).into_iter().map(whole);
    let groups = long.chain(random()).chain(cases()).chain((1..=SMALL).map(every_kind));
    groups.skip(shard.0).step_by(shard.1).collect()
}

/// With all the local memory that a device has.
fn whole(problems: Vec<Problem>) -> Group {
    Group { problems, local_bytes: usize::MAX }
}

fn cases() -> impl Iterator<Item = Group> {
    let files = FILES.into_iter().map(|file| (file, usize::MAX)).chain([(WINDOWS, LITTLE)]);
    files.flat_map(|(file, local_bytes)| {
        read(file).into_iter().map(move |problem| Group { problems: vec![problem], local_bytes })
    })
}

/// All kinds at length n in columns and at length 513 − n in rows; some with an axis between, some alone.
fn every_kind(n: usize) -> Group {
    let mut texts = vec![];
    for real in ["f32", "f64"] {
        for (i, columns) in KINDS.iter().enumerate() {
            let rows = &KINDS[(i + 7) % KINDS.len()];
            for (a, b) in columns.iter().zip(rows) {
                let (n, m) = (n.max(a.min_length()), (SMALL + 1 - n).max(b.min_length()));
                texts.push(match (n + i) % 8 {
                    1 => format!("{a},{b} {real} {n}x3x{m} axes=0,2"),
                    2 => format!("{a},dst4,{b} {real} {n}x4x{m}"),
                    5 => format!("{a},dht,{b} {real} {n}x3x{m}"),
                    _ => format!("{a},{b} {real} {n}x{m}"),
                });
                if (n + i) % 8 == 3 {
                    texts.push(format!("{a} {real} {n}"));
                }
            }
        }
    }
    whole(read(&texts.join("\n")))
}

/// Longer lengths, evenly spread over their logarithms, in all layouts.
fn random() -> impl Iterator<Item = Group> {
    let mut random = fastrand::Rng::with_seed(1);
    let text = move |i: usize| {
        let kind = random.choice(KINDS.as_flattened()).expect("there are kinds");
        let real = random.choice(["f32", "f64"]).expect("there are two");
        let n = (512.0 * 2048_f64.powf(random.f64())) as usize;
        let [a, b] = [(); 2].map(|()| random.usize(1..=(1 << 21) / n).min(40));
        let half = matches!(kind, Rfft | Irfft);
        let norm = if *kind == Idxst { "scale=0.5" } else { "ortho" };
        let place = if half { "" } else { "inplace" };
        match i % 6 {
            0 => format!("{kind} {real} {n} {norm}"),
            1 => format!("{kind} {real} {n} {place}"),
            2 => format!("{kind} {real} {a}x{n} axes=1"),
            3 => format!("{kind} {real} {n}x{a} axes=0 {place}"),
            4 => format!("{kind} {real} {a}x{n}x{b} axes=1 {norm}"),
            _ if half => format!("{kind} {real} {n}x{a}"),
            _ => format!("{kind} {real} {n}x{a} out=-{},2 {norm}", 2 * a + 1),
        }
    };
    (0..RANDOM).map(text).map(|text| whole(read(&text)))
}

/// Few small problems whose kernels have between them every step, in each precision, that those of the cases have.
pub(crate) fn sample(target: &Target) -> Vec<Group> {
    let mut seen = BTreeSet::new();
    let mut groups: Vec<Group> = cases().collect();
    groups.sort_by_key(|group| group.problems[0].input().len.max(group.problems[0].output().len));
    groups.retain(|group| {
        let outline = target.clone().with_local_bytes(group.local_bytes).outline(&group.problems[0]);
        let steps = outline.map(|outline| crate::common::families(&outline)).unwrap_or_default();
        let fresh = steps.iter().any(|step| !seen.contains(step));
        seen.extend(steps);
        fresh
    });
    println!("{} problems reach {} sorts of steps", groups.len(), seen.len());
    groups
}
