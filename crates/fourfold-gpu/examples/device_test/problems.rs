//! Which problems are tried.

use crate::common::read;
use fourfold::Kind::{self, *};
use fourfold::baseline::{Algorithm, AnyRecipe};
use fourfold::{Planner, Problem};
use fourfold_gpu::Target;
use std::collections::BTreeSet;

/// Problems that have kernels in common: one planner makes their plans, by one method and for as
/// large a device.
pub(crate) struct Group {
    /// A baseline, or fourfold's passes.
    pub(crate) algorithm: Option<Algorithm>,
    pub(crate) problems: Vec<Problem>,
    /// Bytes of shared memory and blocks at once, at most.
    pub(crate) device: [usize; 2],
}

/// All that a device has.
pub(crate) const WHOLE: [usize; 2] = [usize::MAX; 2];

impl Group {
    pub(crate) fn target(&self, target: &Target) -> Target {
        let [shared_bytes, sms] = self.device;
        target.clone().with_shared_bytes(shared_bytes).with_sms(sms)
    }

    /// How a problem of the group is computed.
    pub(crate) fn recipe(&self, problem: &Problem) -> fourfold::Result<AnyRecipe> {
        match self.algorithm {
            None => Ok(Planner::new().recipe(problem)?.into()),
            Some(algorithm) => Ok(algorithm.recipe(problem)?.into()),
        }
    }

    /// The name of the algorithm.
    pub(crate) fn method(&self) -> &'static str {
        self.algorithm.map_or("fused", Algorithm::name)
    }
}

const FILES: [&str; 3] = [
    include_str!("../../../../cases/small.txt"),
    include_str!("../../../../cases/gpu.txt"),
    include_str!("../../../../cases/fused_axes.txt"),
];

/// Cases for little shared memory, so that short lines go the way of long ones.
const DIGIT_RANGES: &str = include_str!("../../../../cases/digit_ranges.txt");

/// The same for lengths with large primes.
const ROUGH_LINES: &str = include_str!("../../../../cases/rough_lines.txt");

/// The same for clusters, which columns are for where they have work for the device.
const CLUSTERS: &str = include_str!("../../../../cases/clusters.txt");
const LITTLE: usize = 8 << 10;

/// Cases for the methods of the paper.
const METHODS: &str = include_str!("../../../../cases/methods.txt");

/// The longest of all lengths that are tried.
const SMALL: usize = 512;

/// How many problems of longer lengths.
const RANDOM: usize = 300;

/// Signals that few devices hold in shared memory, nor in two passes.
const LONG: [&str; 6] = [
    "fft f32 16777216",
    "dct2 f64 8388608",
    "dct3 f32 4194304",
    "rfft f64 3000000",
    "dst1 f32 1048575",
    "fft f64 2x1000003 axes=1",
];

/// Kinds, each with one whose kernels are the same but for the scale. Seven places on, never two
/// are complex.
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

/// Kinds of a third axis.
const THIRD: [Kind; 5] = [Dct2, Dst4, Dht, Dct1, Dst3];

/// Every kind at every length up to 512, in one to three dimensions, in both precisions; random
/// longer ones; the cases. Every `shard.1`-th group from the `shard.0`-th on, those that take
/// longest first.
pub(crate) fn sweep(shard: (usize, usize)) -> Vec<Group> {
    let long = LONG.map(read).into_iter().map(whole);
    let groups = long.chain(random()).chain(cases()).chain(methods()).chain(small());
    groups.skip(shard.0).step_by(shard.1).collect()
}

/// In an order in which all shards take about as long.
fn small() -> Vec<Group> {
    let mut places = vec![];
    for n in 1..=SMALL {
        places.extend((0..KINDS.len()).flat_map(|i| ["f32", "f64"].map(|real| (n, i, real))));
    }
    fastrand::Rng::with_seed(2).shuffle(&mut places);
    places.into_iter().map(|(n, i, real)| every_dimension(n, i, real)).collect()
}

/// For all that a device has.
fn whole(problems: Vec<Problem>) -> Group {
    Group { algorithm: None, problems, device: WHOLE }
}

fn cases() -> impl Iterator<Item = Group> {
    let little =
        [(DIGIT_RANGES, [LITTLE, usize::MAX]), (ROUGH_LINES, [LITTLE, usize::MAX]), (CLUSTERS, [2 * LITTLE, 1])];
    let files = FILES.into_iter().map(|file| (file, WHOLE)).chain(little);
    files.flat_map(|(file, device)| read(file).into_iter().map(move |problem| Group { device, ..whole(vec![problem]) }))
}

/// The cases of methods, by all methods that have them.
fn methods() -> impl Iterator<Item = Group> {
    Algorithm::ALL.into_iter().flat_map(|algorithm| {
        let able = read(METHODS).into_iter().filter(move |problem| algorithm.recipe(problem).is_ok());
        able.map(move |problem| Group { algorithm: Some(algorithm), ..whole(vec![problem]) })
    })
}

/// The kinds number i at length n. In two dimensions they are columns, with the kinds seven places
/// on as rows of length 513 − n, where the numbers' parities say so, else those rows (of other
/// kinds' columns); in three dimensions it is the other way round, and the other axes are short. So
/// every kind has every length as columns and as rows.
fn every_dimension(n: usize, i: usize, real: &str) -> Group {
    let others = &KINDS[(i + KINDS.len() / 2) % KINDS.len()];
    let columns = (n + i + i / (KINDS.len() / 2)) % 2 == 0;
    let place = if columns { 2 } else { n / 2 % 2 };
    let mut texts = vec![];
    for (kind, other) in KINDS[i].iter().zip(others) {
        let n = n.max(kind.min_length());
        texts.push(format!("{kind} {real} {n}"));
        if columns {
            texts.push(format!("{kind},{other} {real} {n}x{}", (SMALL + 1 - n).max(other.min_length())));
        }
        let mut axes = [(kind, n), (other, 2 + n % 4), (&THIRD[(n + i) % THIRD.len()], 2 + (n / 4 + i) % 3)];
        axes.swap(0, place);
        let [(a, l), (b, m), (c, k)] = axes;
        texts.push(format!("{a},{b},{c} {real} {l}x{m}x{k}"));
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

/// Few small problems whose kernels have between them every step, in each precision, that those of
/// the cases have, but for signals of more than `longest` elements; every `shard.1`-th of these
/// from the `shard.0`-th on.
pub(crate) fn sample(target: &Target, shard: (usize, usize), longest: usize) -> Vec<Group> {
    let elements = |group: &Group| group.problems[0].input().len.max(group.problems[0].output().len);
    let mut seen = BTreeSet::new();
    let mut groups: Vec<Group> = cases().chain(methods()).collect();
    groups.retain(|group| elements(group) <= longest);
    groups.sort_by_key(elements);
    groups.retain(|group| {
        let target = group.target(target);
        let inspection = group.recipe(&group.problems[0]).and_then(|recipe| target.inspect_recipe(recipe));
        let steps = inspection.map(|inspection| crate::common::families(&inspection)).unwrap_or_default();
        let fresh = steps.iter().any(|step| !seen.contains(step));
        seen.extend(steps);
        fresh
    });
    println!("{} problems reach {} sorts of steps", groups.len(), seen.len());
    groups.into_iter().skip(shard.0).step_by(shard.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fourfold::Precision;
    use fourfold::engine::AxisTransform;
    use std::collections::HashSet;

    /// Of every axis of the small problems: sum, length, precision, dimensions, whether it is a
    /// row.
    fn axes() -> HashSet<(String, usize, Precision, usize, bool)> {
        let of = |problem: &Problem| {
            let (precision, dimensions) = (problem.precision(), problem.transforms().len());
            let axis = |t: &AxisTransform| {
                (format!("{:?}", t.transform1d), t.n, precision, dimensions, t.axis + 1 == dimensions)
            };
            problem.transforms().iter().map(axis).collect::<Vec<_>>()
        };
        small().iter().flat_map(|group| group.problems.iter().flat_map(of)).collect()
    }

    #[test]
    fn every_kind_has_every_length_in_every_dimension() {
        let axes = axes();
        for kind in Kind::ALL {
            for n in kind.min_length()..=SMALL {
                for precision in [Precision::F32, Precision::F64] {
                    let there = |d: usize, row: bool| {
                        axes.contains(&(format!("{:?}", kind.transform1d()), n, precision, d, row))
                    };
                    let dimensions = [1, 2, 3].map(|d| there(d, true) || there(d, false));
                    assert_eq!(dimensions, [true; 3], "{kind} {n} in one to three dimensions");
                    let ways = [true, false].map(|row| there(2, row) || there(3, row));
                    assert_eq!(ways, [true; 2], "{kind} {n} as rows and as columns");
                }
            }
        }
    }

    #[test]
    fn shards_are_disjoint_and_whole() {
        let texts = |shard| {
            sweep(shard).iter().flat_map(|group| group.problems.clone()).map(|p| p.to_string()).collect::<Vec<_>>()
        };
        let mut parts = [texts((0, 2)), texts((1, 2))].concat();
        let mut all = texts((0, 1));
        parts.sort();
        all.sort();
        assert_eq!(parts, all);
    }
}
