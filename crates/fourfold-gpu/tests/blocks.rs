//! JPEG's blocks on the device, beside the definition.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::present;
use fourfold_gpu::{BlockPlan, BlockWork, Target};
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

/// Numbers of blocks that fill work groups and that do not.
const COUNTS: [usize; 6] = [1, 2, 63, 64, 65, 1000];

#[test]
fn the_inverse_is_the_definition() {
    let Some(device) = present() else { return };
    let (waves, mut rng) = (waves(), fastrand::Rng::with_seed(1));
    for blocks in COUNTS {
        let table = table(&mut rng);
        let size = |i: usize| (900 / i16::try_from(table[i % 64]).unwrap()) >> (i % 64 / 8 + i % 8).min(12);
        let coefficients: Vec<i16> = (0..64 * blocks).map(|i| rng.i16(-size(i)..=size(i))).collect();
        let plan = BlockPlan::new(&device, BlockWork::Inverse, &table, blocks, None).unwrap();
        let mut arrays = plan.arrays().unwrap();
        arrays.upload_coefficients(&coefficients).unwrap();
        plan.enqueue(&mut arrays).unwrap();
        let mut samples = vec![7; 64 * blocks];
        arrays.download_samples(&mut samples).unwrap();
        for (block, samples) in coefficients.as_chunks::<64>().0.iter().zip(samples.as_chunks::<64>().0) {
            for (n, &sample) in samples.iter().enumerate() {
                let exact: f64 =
                    (0..64).map(|k| f64::from(block[k]) * f64::from(table[k]) * waves[k][n]).sum::<f64>() + 128.0;
                let error = (exact.clamp(0.0, 255.0) - f64::from(sample)).abs();
                assert!(error < 0.501, "{blocks} blocks: {exact} became {sample}");
            }
        }
    }
}

#[test]
fn the_forward_transform_is_the_definition() {
    let Some(device) = present() else { return };
    let (waves, mut rng) = (waves(), fastrand::Rng::with_seed(2));
    for blocks in COUNTS {
        let table = table(&mut rng);
        let samples: Vec<u8> = (0..64 * blocks).map(|_| rng.u8(..)).collect();
        let plan = BlockPlan::new(&device, BlockWork::Forward, &table, blocks, None).unwrap();
        let mut arrays = plan.arrays().unwrap();
        arrays.upload_samples(&samples).unwrap();
        plan.enqueue(&mut arrays).unwrap();
        let mut coefficients = vec![7; 64 * blocks];
        arrays.download_coefficients(&mut coefficients).unwrap();
        for (samples, block) in samples.as_chunks::<64>().0.iter().zip(coefficients.as_chunks::<64>().0) {
            for (k, &coefficient) in block.iter().enumerate() {
                let exact: f64 = (0..64).map(|n| (f64::from(samples[n]) - 128.0) * waves[k][n]).sum();
                let error = (exact / f64::from(table[k]) - f64::from(coefficient)).abs();
                assert!(error < 0.501, "{blocks} blocks: {exact} of {} became {coefficient}", table[k]);
            }
        }
    }
}

/// What is beyond a byte is clamped, in the first and in the last sample.
#[test]
fn samples_are_clamped() {
    let Some(device) = present() else { return };
    let plan = BlockPlan::new(&device, BlockWork::Inverse, &[u16::MAX; 64], 2, None).unwrap();
    let mut arrays = plan.arrays().unwrap();
    let mut coefficients = [0; 128];
    (coefficients[0], coefficients[64]) = (i16::MAX, i16::MIN);
    arrays.upload_coefficients(&coefficients).unwrap();
    plan.enqueue(&mut arrays).unwrap();
    let mut samples = [7; 128];
    arrays.download_samples(&mut samples).unwrap();
    assert_eq!(samples, std::array::from_fn(|i| if i < 64 { 255 } else { 0 }));
}

#[test]
fn what_does_not_fit_is_refused() {
    let Some(device) = present() else { return };
    let plan = |work, blocks, table| BlockPlan::new(&device, work, table, blocks, None);
    assert!(plan(BlockWork::Inverse, 0, &[1; 64]).is_err());
    assert!(plan(BlockWork::Inverse, usize::MAX, &[1; 64]).is_err());
    assert!(plan(BlockWork::Forward, 1, &[0; 64]).err().unwrap().to_string().contains("zero"));
    let (two, three) = (plan(BlockWork::Move, 2, &[1; 64]).unwrap(), plan(BlockWork::Inverse, 3, &[1; 64]).unwrap());
    let mut arrays = two.arrays().unwrap();
    assert!(arrays.upload_samples(&[0; 129]).is_err());
    assert!(arrays.download_coefficients(&mut [0; 129]).is_err());
    assert!(three.enqueue(&mut arrays).err().unwrap().to_string().contains("the arrays have 2 blocks, the plan 3"));
}

/// The yardstick reads all and writes all: sums of words half the array apart.
#[test]
fn moving_reads_and_writes_everything() {
    let Some(device) = present() else { return };
    let mut rng = fastrand::Rng::with_seed(3);
    for blocks in COUNTS {
        let coefficients: Vec<i16> = (0..64 * blocks).map(|_| rng.i16(..)).collect();
        let plan = BlockPlan::new(&device, BlockWork::Move, &[1; 64], blocks, None).unwrap();
        let mut arrays = plan.arrays().unwrap();
        arrays.upload_coefficients(&coefficients).unwrap();
        plan.enqueue(&mut arrays).unwrap();
        let mut samples = vec![7; 64 * blocks];
        arrays.download_samples(&mut samples).unwrap();
        let word = |pair: &[i16; 2]| u32::from(pair[0] as u16) | (u32::from(pair[1] as u16) << 16);
        let words: Vec<u32> = coefficients.as_chunks().0.iter().map(word).collect();
        let (near, far) = words.split_at(words.len() / 2);
        let sums = near.iter().zip(far).map(|(a, b)| a.wrapping_add(*b));
        assert!(sums.eq(samples.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes))), "{blocks} blocks");
    }
}

/// A thread's sixteen bytes at a time, in both languages.
#[test]
fn kernels_move_sixteen_bytes() {
    for target in [Target::cuda("sm_90").unwrap(), Target::opencl()] {
        for work in [BlockWork::Inverse, BlockWork::Forward, BlockWork::Move] {
            let source = target.block_source(work);
            let count = |text: &str| source.matches(text).count();
            let loads = count("uint4*)input)[");
            // Once for full work groups, once for the last.
            assert_eq!(loads, if work == BlockWork::Forward { 8 } else { 16 }, "{source}");
            assert_eq!(count("uint4*)output)["), if work == BlockWork::Forward { 16 } else { 8 });
            assert_eq!(source.matches("input[").count() + source.matches("output[").count(), 0);
        }
    }
}
