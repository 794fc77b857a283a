//! JPEG's blocks on the device, beside the definition.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::present;
use fourfold::Result;
use fourfold::engine::jpeg::{Layout, Mode, Order, Table};
use fourfold_gpu::blocks::{BlockAlgorithm, BlockArrays, BlockComponent, BlockPlan, BlockPlanBuilder, BlockWork};
use fourfold_gpu::{Device, Target};
use std::f64::consts::PI;

/// α_k α_l cos(πk(2n+1)/16) cos(πl(2m+1)/16), by 8k + l and 8n + m.
fn waves() -> Vec<[f64; 64]> {
    let scale = |k: usize| if k == 0 { 0.125f64.sqrt() } else { 0.5 };
    let wave = |k: usize, n: usize| scale(k) * (PI * (k * (2 * n + 1)) as f64 / 16.0).cos();
    (0..64).map(|k| std::array::from_fn(|n| wave(k / 8, n / 8) * wave(k % 8, n % 8))).collect()
}

fn table(rng: &mut fastrand::Rng) -> [u16; 64] {
    std::array::from_fn(|i| rng.u16(1..20) + i as u16)
}

/// Numbers of blocks that fill blocks and that do not.
const COUNTS: [usize; 6] = [1, 2, 63, 64, 65, 1000];

/// So many blocks one after another.
fn component(table: [u16; 64], blocks: usize) -> BlockComponent {
    BlockComponent { table: Table::raster(table), blocks, layout: Layout::Blocks }
}

/// What there is for a kind of work: the library's own, then the other algorithms.
fn ways(work: BlockWork) -> Vec<(&'static str, BlockPlanBuilder)> {
    let algorithms = BlockAlgorithm::ALL.iter().filter(|algorithm| algorithm.work == work);
    let others = algorithms.map(|algorithm| (algorithm.name, BlockPlan::builder(work).algorithm(algorithm)));
    std::iter::once(("the default", BlockPlan::builder(work))).chain(others).collect()
}

/// Builds, executes with what `fill` uploads.
fn execute(device: &Device, builder: BlockPlanBuilder, fill: impl Fn(&mut BlockArrays) -> Result<()>) -> BlockArrays {
    let plan = builder.build(device).unwrap();
    let mut arrays = plan.arrays().unwrap();
    fill(&mut arrays).unwrap();
    plan.enqueue(&mut arrays).unwrap();
    arrays
}

/// Roundings of the least accurate way, the direct sum, with those of its cosines, as a multiple of
/// the sum of all terms' magnitudes.
const ROUNDINGS: f64 = 64.0 * f32::EPSILON as f64;

#[test]
fn all_ways_back_are_the_definition() {
    let Some(device) = present() else { return };
    let (waves, mut rng) = (waves(), fastrand::Rng::with_seed(1));
    for (name, mut builder) in ways(BlockWork::Inverse) {
        let tables = COUNTS.map(|_| table(&mut rng));
        let coefficients: Vec<Vec<i16>> = COUNTS
            .iter()
            .zip(&tables)
            .map(|(blocks, table)| {
                let size = |i: usize| (900 / i16::try_from(table[i % 64]).unwrap()) >> (i % 64 / 8 + i % 8).min(12);
                (0..64 * blocks).map(|i| rng.i16(-size(i)..=size(i))).collect()
            })
            .collect();
        for (blocks, table) in COUNTS.iter().zip(tables) {
            builder = builder.component(component(table, *blocks));
        }
        let mut arrays = execute(&device, builder, |arrays| {
            coefficients.iter().enumerate().try_for_each(|(number, all)| arrays.upload_coefficients(number, all))
        });
        for (number, (coefficients, table)) in coefficients.iter().zip(&tables).enumerate() {
            let mut samples = vec![7u8; coefficients.len()];
            arrays.download_samples(number, &mut samples).unwrap();
            for (block, samples) in coefficients.as_chunks::<64>().0.iter().zip(samples.as_chunks::<64>().0) {
                let term = |k: usize| f64::from(block[k]) * f64::from(table[k]);
                let bound = 0.5 + ROUNDINGS * (0..64).map(|k| term(k).abs() / 4.0).sum::<f64>();
                for (n, &sample) in samples.iter().enumerate() {
                    let exact: f64 = (0..64).map(|k| term(k) * waves[k][n]).sum::<f64>() + 128.0;
                    let error = (exact.clamp(0.0, 255.0) - f64::from(sample)).abs();
                    assert!(error < bound, "{name}, component {number}: {exact} became {sample}");
                }
            }
        }
    }
}

#[test]
fn all_ways_forward_are_the_definition() {
    let Some(device) = present() else { return };
    let (waves, mut rng) = (waves(), fastrand::Rng::with_seed(2));
    for (name, mut builder) in ways(BlockWork::Forward) {
        let tables = COUNTS.map(|_| table(&mut rng));
        for (blocks, table) in COUNTS.iter().zip(tables) {
            builder = builder.component(component(table, *blocks));
        }
        // Also blocks of nothing but the least and the most.
        let mut sample = |i: usize| if i / 64 % 7 == 3 { 255 * rng.u8(0..2) } else { rng.u8(..) };
        let samples = COUNTS.map(|blocks| (0..64 * blocks).map(&mut sample).collect::<Vec<_>>());
        let mut arrays = execute(&device, builder, |arrays| {
            samples.iter().enumerate().try_for_each(|(number, all)| arrays.upload_samples(number, all))
        });
        for (number, (samples, table)) in samples.iter().zip(&tables).enumerate() {
            let mut coefficients = vec![7; samples.len()];
            arrays.download_coefficients(number, &mut coefficients).unwrap();
            for (samples, block) in samples.as_chunks::<64>().0.iter().zip(coefficients.as_chunks::<64>().0) {
                for (k, &coefficient) in block.iter().enumerate() {
                    let exact: f64 = (0..64).map(|n| (f64::from(samples[n]) - 128.0) * waves[k][n]).sum();
                    let error = (exact / f64::from(table[k]) - f64::from(coefficient)).abs();
                    assert!(error < 0.501, "{name}, component {number}: {exact} of {} became {coefficient}", table[k]);
                }
            }
        }
    }
}

/// What is beyond a byte is clamped, in the first and in the last sample.
#[test]
fn samples_are_clamped() {
    let Some(device) = present() else { return };
    for (name, builder) in ways(BlockWork::Inverse) {
        let mut coefficients = [0; 128];
        (coefficients[0], coefficients[64]) = (i16::MAX, i16::MIN);
        let builder = builder.component(component([u16::MAX; 64], 2));
        let mut arrays = execute(&device, builder, |arrays| arrays.upload_coefficients(0, &coefficients));
        let mut samples = [7u8; 128];
        arrays.download_samples(0, &mut samples).unwrap();
        assert_eq!(samples, std::array::from_fn(|i| if i < 64 { 255 } else { 0 }), "{name}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let Some(device) = present() else { return };
    let refused = |builder: BlockPlanBuilder, why: &str| {
        let error = builder.build(&device).err().expect(why).to_string();
        assert!(error.contains(why), "{error}");
    };
    let (inverse, forward) = (|| BlockPlan::builder(BlockWork::Inverse), || BlockPlan::builder(BlockWork::Forward));
    let one = component([1; 64], 1);
    let rows = |across, stride| BlockComponent { layout: Layout::Rows { across, stride }, blocks: 6, ..one };
    refused(inverse(), "at least one");
    refused(inverse().component(component([1; 64], 0)), "0 blocks");
    refused(inverse().component(component([1; 64], usize::MAX)), "blocks");
    refused(forward().component(component([0; 64], 1)), "zero");
    refused(forward().component(one).samples::<i16>(), "16-bit samples are only");
    refused(inverse().component(rows(3, 25)), "multiple of 8");
    refused(inverse().component(rows(3, 16)), "too short");
    refused(inverse().component(rows(4, 32)), "not whole rows");
    refused(inverse().component(rows(3, 1 << 40)), "at most");
    refused(inverse().component(one).component(rows(3, 24)), "expected one sort in a plan");
    let next16 = BlockAlgorithm::ALL.iter().find(|algorithm| algorithm.name == "next16").unwrap();
    refused(inverse().algorithm(next16).component(one).mode(Mode::Exact), "next16 supports only the fast mode");
    refused(inverse().algorithm(next16).component(one).order(Order::Zigzag), "raster order");
    refused(forward().algorithm(next16).component(one), "next16 is an algorithm of Inverse");
    refused(BlockPlan::builder(BlockWork::Move).component(rows(3, 24)), "a yardstick supports only");
}

#[test]
fn arrays_that_do_not_fit_are_refused() {
    let Some(device) = present() else { return };
    let plan = |work, blocks| BlockPlan::builder(work).component(component([1; 64], blocks)).build(&device).unwrap();
    let (two, three) = (plan(BlockWork::Move, 2), plan(BlockWork::Inverse, 3));
    let mut arrays = two.arrays().unwrap();
    assert!(arrays.upload_samples(0, &[0u8; 129]).is_err());
    assert!(arrays.download_coefficients(0, &mut [0; 129]).is_err());
    assert!(arrays.upload_samples(0, &[0i16; 1]).unwrap_err().to_string().contains("16 bits, where the plan's have 8"));
    assert!(arrays.upload_coefficients(1, &[0; 1]).unwrap_err().to_string().contains("component 1"));
    assert!(three.enqueue(&mut arrays).err().unwrap().to_string().contains("[[2, 128]], the plan: [[3, 192]]"));
}

/// The yardsticks read all and write all: sums of words half the array apart, and words twice.
#[test]
fn moving_reads_and_writes_everything() {
    let Some(device) = present() else { return };
    let mut rng = fastrand::Rng::with_seed(3);
    for blocks in COUNTS {
        let coefficients: Vec<i16> = (0..64 * blocks).map(|_| rng.i16(..)).collect();
        let yardstick = |work| BlockPlan::builder(work).component(component([1; 64], blocks));
        let there = yardstick(BlockWork::Move);
        let mut arrays = execute(&device, there, |arrays| arrays.upload_coefficients(0, &coefficients));
        let mut samples = vec![7u8; 64 * blocks];
        arrays.download_samples(0, &mut samples).unwrap();
        let word = |pair: &[i16; 2]| u32::from(pair[0] as u16) | (u32::from(pair[1] as u16) << 16);
        let words: Vec<u32> = coefficients.as_chunks().0.iter().map(word).collect();
        let (near, far) = words.split_at(words.len() / 2);
        let sums = near.iter().zip(far).map(|(a, b)| a.wrapping_add(*b));
        assert!(sums.eq(samples.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes))), "{blocks} blocks");

        let back = yardstick(BlockWork::MoveBack);
        let mut arrays = execute(&device, back, |arrays| arrays.upload_samples(0, &samples));
        let mut doubled = vec![7; 64 * blocks];
        arrays.download_coefficients(0, &mut doubled).unwrap();
        let bytes: Vec<u8> = doubled.iter().flat_map(|x| x.to_le_bytes()).collect();
        assert!(bytes == [&samples[..], &samples[..]].concat(), "{blocks} blocks");
    }
}

/// A thread's sixteen bytes at a time, in both languages.
#[test]
fn kernels_move_sixteen_bytes() {
    for target in [Target::cuda("sm_90").unwrap(), Target::opencl()] {
        for work in [BlockWork::Inverse, BlockWork::Forward, BlockWork::Move, BlockWork::MoveBack] {
            let source = BlockPlan::builder(work).component(component([1; 64], 1)).source(&target).unwrap();
            let count = |text: &str| source.matches(text).count();
            let is_back = matches!(work, BlockWork::Forward | BlockWork::MoveBack);
            // Once for full blocks, once for the last.
            assert_eq!(count("uint4*)input)["), if is_back { 8 } else { 16 }, "{source}");
            assert_eq!(count("uint4*)output)["), if is_back { 16 } else { 8 });
            assert_eq!(source.matches("input[").count() + source.matches("output[").count(), 0);
        }
    }
}

/// Devices of CUDA exchange registers, those of OpenCL need not, and small thread blocks are too
/// small.
#[test]
fn what_a_device_lacks_is_said() {
    let lacking = |target: &Target| -> Vec<_> {
        let inverse = BlockAlgorithm::ALL.iter().filter(|algorithm| algorithm.work == BlockWork::Inverse);
        inverse.filter_map(|algorithm| Some((algorithm.name, algorithm.lacks(target)?.to_string()))).collect()
    };
    assert_eq!(lacking(&Target::cuda("sm_75").unwrap()), []);
    let exchanging = lacking(&Target::typical(fourfold_gpu::Api::OpenCl));
    assert_eq!(exchanging.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["next16", "next", "no-shared"]);
    assert!(
        exchanging
            .iter()
            .all(|(_, why)| why == "its threads exchange registers, on a typical OpenCL device through shared memory")
    );
    let small = lacking(&Target::cuda("sm_75").unwrap().with_shared_bytes(5000));
    let why = "a thread block needs 9216 bytes of shared memory; ";
    assert!(small.iter().any(|(name, message)| *name == "gpujpeg" && message.starts_with(why)), "{small:?}");
    assert!(
        small.iter().any(|(_, message)| message.ends_with(": use another algorithm, or the CPU engine")),
        "{small:?}"
    );
}
