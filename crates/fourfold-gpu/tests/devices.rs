//! Plans for devices that are not there, from an A100 to the GPU of a telephone: every kernel of
//! the cases stays within what the device has.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;
#[allow(dead_code, reason = "only plans are made")]
#[path = "common/filtered.rs"]
mod filtered;
#[allow(dead_code, reason = "only plans are made")]
#[path = "common/multiplied.rs"]
mod multiplied;

use common::read;
use filtered::Filter;
use fourfold::{Multiplier, Precision, Problem, Wisdom};
use fourfold_gpu::inspect::{Inspection, Launch};
use fourfold_gpu::{Api, DeviceAttributes, Target};

const FILES: [&str; 17] = [
    include_str!("../../../cases/small.txt"),
    include_str!("../../../cases/clusters.txt"),
    include_str!("../../../cases/combine_fusion.txt"),
    include_str!("../../../cases/fused_axes.txt"),
    include_str!("../../../cases/half.txt"),
    include_str!("../../../cases/lane_pairs.txt"),
    include_str!("../../../cases/methods.txt"),
    include_str!("../../../cases/mirrored_sublines.txt"),
    include_str!("../../../cases/odd_lines.txt"),
    include_str!("../../../cases/odd_quarters.txt"),
    include_str!("../../../cases/odd_rows.txt"),
    include_str!("../../../cases/gpu.txt"),
    include_str!("../../../cases/accuracy.txt"),
    include_str!("../../../cases/speed.txt"),
    include_str!("../../../cases/multiplied.txt"),
    include_str!("../../../cases/digit_ranges.txt"),
    include_str!("../../../cases/rough_lines.txt"),
];

/// Registers of 32 bits of a thread for each byte of a real, as the cost model has them.
const REGISTERS: usize = 16;

/// The problems of a file, without the choices that some files have after a colon.
fn problems(file: &str) -> Vec<Problem> {
    let problem = |line: &str| line.split(':').next().unwrap_or_default().to_owned() + "\n";
    read(&file.lines().map(problem).collect::<String>())
}

/// The problem in `f32`, if the device has no `f64`.
fn possible(problem: &Problem, target: &Target) -> Problem {
    match target.attributes().double {
        true => problem.clone(),
        false => problem.to_string().replace(" f64 ", " f32 ").parse().unwrap(),
    }
}

/// What a plan needs, with its name and its precision, and what the device has less of.
fn exceeded(device: &DeviceAttributes, name: &str, precision: Precision, inspection: &Inspection) -> Vec<String> {
    let wrong = |(number, launch): (usize, &Launch)| {
        let registers = launch.threads * REGISTERS * precision.bytes();
        let sizes = [
            ("threads", launch.threads, device.threads_per_block),
            ("bytes of shared memory", launch.shared_bytes, device.shared_per_block),
            ("blocks", launch.blocks, device.grid_columns),
            ("registers", registers, device.registers_per_block),
            ("blocks of a cluster", launch.cluster, device.cluster),
            ("blocks of a cluster at once", launch.cluster, blocks_at_once(device, launch)),
            ("blocks beyond whole clusters", launch.blocks % launch.cluster, 0),
        ];
        let exceeding = sizes.into_iter().filter(|(_, needs, has)| needs > has);
        exceeding.map(move |(what, needs, has)| format!("{name}, kernel {number}: {needs} {what} of {has}"))
    };
    inspection.launches.iter().enumerate().flat_map(|launch| wrong(launch).collect::<Vec<_>>()).collect()
}

/// The blocks of a launch that all SMs hold at once: those of a cluster must be among them.
fn blocks_at_once(device: &DeviceAttributes, launch: &Launch) -> usize {
    let by_threads = device.threads_per_sm / launch.threads;
    let by_memory = device.shared_per_sm / (launch.shared_bytes + device.shared_reserved).max(1);
    device.sms * by_threads.min(by_memory).min(device.blocks_per_sm)
}

fn exceeded_by(target: &Target, problem: &Problem) -> Vec<String> {
    let inspection = target.inspect(problem).unwrap();
    exceeded(target.attributes(), &problem.to_string(), problem.precision(), &inspection)
}

/// A filter with a multiplier of each sort.
fn exceeded_by_filter(target: &Target, Filter { forward, inverse, meets }: Filter) -> Vec<String> {
    let filter = Filter { forward: possible(&forward, target), inverse: possible(&inverse, target), meets };
    let wrong = |multiplier: &Multiplier| {
        let pipeline = filter.pipeline(multiplier);
        let inspection = target.inspect_pipeline(&pipeline, &Wisdom::new()).unwrap();
        exceeded(target.attributes(), &pipeline.to_string(), filter.forward.precision(), &inspection)
    };
    filter.multipliers().iter().flat_map(wrong).collect()
}

/// NVIDIA's from a T4 and an A100 to an RTX 4090 and 5090, and devices of three other vendors.
fn models() -> impl Iterator<Item = Target> {
    let of_api = |api: Api| Target::models(api).into_iter().map(move |name| Target::known(api, name).unwrap());
    Api::ALL.into_iter().flat_map(of_api)
}

#[test]
fn kernels_stay_within_the_limits_of_every_device() {
    for target in models() {
        let name = target.name();
        let problems = FILES.iter().flat_map(|file| problems(file));
        let wrong: Vec<_> = problems.flat_map(|problem| exceeded_by(&target, &possible(&problem, &target))).collect();
        assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
    }
}

/// Where few SMs have little shared memory, filters have clusters.
#[test]
fn filters_stay_within_the_limits_of_every_device() {
    let small = Target::cuda("sm_90").unwrap().with_shared_bytes(16 << 10).with_sms(8);
    for target in models().chain([small]) {
        let name = target.name();
        let wrong: Vec<_> = filtered::cases().flat_map(|filter| exceeded_by_filter(&target, filter)).collect();
        assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
    }
}

#[test]
fn what_kernels_exceed_is_found() {
    let [mi300x, b200] = [(Api::OpenCl, "mi300x"), (Api::Cuda, "sm_100")].map(|(api, name)| Target::known(api, name));
    let [mi300x, b200] = [mi300x.unwrap(), b200.unwrap()];
    let problem: Problem = "dct2 f64 1024x1024".parse().unwrap();
    assert!(exceeded_by(&mi300x, &problem).is_empty());
    let mut large = b200.inspect(&problem).unwrap();
    let found =
        |target: &Target, plan: &Inspection| exceeded(target.attributes(), "a plan", Precision::F64, plan).join("\n");
    assert_eq!(found(&b200, &large), "");
    let small = found(&mi300x, &large);
    assert!(small.contains("bytes of shared memory of 65536"), "a B200 has blocks that an MI300X has not: {small}");
    let clusters: Problem = "dct2 f64 4096x4096".parse().unwrap();
    let mut clustered = b200.inspect(&clusters).unwrap();
    assert!(clustered.launches.iter().any(|launch| launch.cluster > 1), "columns are in clusters");
    assert!(found(&mi300x, &clustered).contains("blocks of a cluster of 1"), "an MI300X has no clusters");
    let one = b200.with_sms(1);
    assert!(found(&one, &clustered).contains("blocks of a cluster at once of"), "an SM has no room for a cluster");
    clustered.launches.iter_mut().for_each(|launch| launch.blocks += 1);
    assert!(found(&one, &clustered).contains("1 blocks beyond whole clusters of 0"));
    large.launches[0].blocks = 1 << 31;
    assert!(found(&one, &large).contains("2147483648 blocks of 2147483647"));
}

#[test]
fn devices_that_are_not_known_are_named() {
    let error = Target::known(Api::OpenCl, "mi300").err().unwrap().to_string();
    assert!(error.contains("mi300x, arc-a770, mali-g710"), "{error}");
}

#[test]
fn large_butterflies_are_where_registers_hold_them_and_sms_have_several_warps_of_them() {
    let has = |api: Api, name: &str, problem: &str| {
        let inspection = Target::known(api, name).unwrap().inspect(&problem.parse().unwrap()).unwrap();
        inspection.launches.iter().flat_map(|launch| &launch.steps).any(|step| step.starts_with("DFTs of 61,"))
    };
    assert!(has(Api::Cuda, "sm_90", "dst1 f32 487x356x10"));
    assert!(!has(Api::Cuda, "sm_90", "dct2 f32 610x1220"), "6100 a pass");
    assert!(!has(Api::Cuda, "sm_90", "dst1 f64 487x356x10"), "244 registers for the numbers alone");
    assert!(!has(Api::OpenCl, "mali-g710", "dst1 f32 487x356x10"), "64 registers a thread");
}

fn inspected(problem: &str) -> Inspection {
    Target::known(Api::Cuda, "sm_90").unwrap().inspect(&problem.parse().unwrap()).unwrap()
}

/// Registers are bounded in ranges of digits with many blocks, and not in rows.
#[test]
fn ranges_leave_registers_for_the_blocks_of_an_sm() {
    let has = |problem: &str, number: usize, bounds: &str| {
        inspected(problem).launches[number].source.contains(&format!("__launch_bounds__({bounds})"))
    };
    assert!(has("dst4 f64 25509168", 0, "160, 3") && has("dst4 f64 25509168", 1, "224, 2"));
    assert!(has("dct2 f32 4096x4096", 0, "256"), "rows");
    assert!(has("dct1 f64 4097x4097", 0, "256"), "folded quarters");
    assert!(has("dct2 f64 262144", 0, "128"), "few blocks");
}

/// The buffer of 1.5 N complex numbers and a few more is no longer than 1.6 N, where the core's has 1.7 N.
#[test]
fn long_convolutions_have_lengths_near_the_least() {
    for (kind, n, bytes, kernels) in [("dst2 f64", 29_372_747, 16, 5), ("dst2 f32", 59_085_889, 8, 3)] {
        let inspection = inspected(&format!("{kind} {n}"));
        assert_eq!(inspection.launches.len(), kernels, "{kind} {n}");
        let length = inspection.scratch_bytes / bytes;
        assert!((n * 3 / 2..n * 8 / 5).contains(&length), "{kind} {n}: {length}");
    }
}

/// Tiles with runs below a sector are for SMs that draw too little otherwise.
#[test]
fn tiles_are_halved_below_a_sector_where_many_sms_have_no_block() {
    assert_eq!(inspected("dct2 f32 512x512").launches[1].blocks, 64);
    assert!(inspected("dct4 f32 2940x43").launches[1].blocks > 32);
}

/// Odd lines of type IV have four runs. In clusters the blocks that read the same sectors of a long one are far between.
#[test]
fn long_convolutions_of_four_runs_have_clusters_where_the_cache_keeps_sectors() {
    for (problem, kernels) in [("dct4 f64 9446321", 3), ("dct4 f32 60189407", 5), ("dct2 f32 60684089", 3)] {
        assert_eq!(inspected(problem).launches.len(), kernels, "{problem}");
    }
}
