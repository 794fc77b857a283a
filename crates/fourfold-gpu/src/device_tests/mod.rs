//! Tests of the caller's queues and memory. They use the device that `FOURFOLD_DEVICE` names, or
//! else `opencl:0`. With CUDA they need `--test-threads 1`: while a test captures a graph, no other
//! may synchronise the device.

pub(crate) mod cuda;
pub(crate) mod fake;
pub(crate) mod faults;
pub(crate) mod opencl;
pub(crate) mod tuned;

use crate::api::plan::GpuPlan;
use crate::api::planner::GpuPlanner;
use crate::backend::device::Device;
use crate::limits::Api;
use fourfold::baseline::Algorithm;
use fourfold::{Error, ErrorKind, Problem, Result};

/// Needs scratch on every device, also where local memory is a cache of a CPU.
const LONG: &str = "dct2 f32 4194304";

/// The device to test on, if it is one of this API.
pub(crate) fn present(api: Api) -> Option<Device> {
    let name = std::env::var("FOURFOLD_DEVICE").unwrap_or("opencl:0".into());
    if !name.starts_with(api.name()) {
        eprintln!("NOT TESTED: FOURFOLD_DEVICE is {name}, not of {api}");
        return None;
    }
    match Device::open(&name) {
        Err(e) if std::env::var_os("CI").is_none() => {
            eprintln!("NOT TESTED: {e}");
            None
        }
        device => Some(device.unwrap()),
    }
}

fn plan(device: &Device, problem: &str) -> GpuPlan {
    GpuPlanner::new(device.clone()).plan(&problem.parse().unwrap()).unwrap()
}

/// Numbers, and what the plan makes of them on its own queue.
fn numbers(plan: &GpuPlan) -> (Vec<f32>, Vec<f32>) {
    let x: Vec<f32> = (0..plan.problem().input().len).map(|i| (i as f32).sin()).collect();
    let mut y = vec![0.0; x.len()];
    plan.execute(&x, &mut y).unwrap();
    (x, y)
}

fn refused<T>(result: Result<T>, kind: ErrorKind) -> String {
    let error: Error = result.err().expect("must be refused");
    assert_eq!(error.kind(), kind, "{error}");
    error.to_string()
}

/// Kernels, tables and plans of the vendor's FFTs stay while something that was enqueued uses them,
/// and may be given back by a thread that has never used the device.
#[test]
fn plans_can_be_dropped_while_they_run() {
    for api in Api::ALL {
        let Some(device) = present(api) else { continue };
        for algorithm in [None, Some("three-stage")] {
            let planner = GpuPlanner::with_cache(device.clone(), None);
            let problem: Problem = "dct2 f32 256x384".parse().unwrap();
            let baseline = |name: &str| name.parse::<Algorithm>().unwrap().recipe(&problem).unwrap();
            let plan = match algorithm {
                None => planner.plan(&problem).unwrap(),
                Some(name) => planner.plan_recipe(baseline(name)).unwrap(),
            };
            let (x, expected) = numbers(&plan);
            let (a, mut b) = (device.upload(&x).unwrap(), device.array(x.len()).unwrap());
            let mut scratch = plan.scratch(&device).unwrap();
            (0..20).for_each(|_| plan.execute_on_with(&a, &mut b, &mut scratch).unwrap());
            std::thread::spawn(move || drop((plan, planner, scratch))).join().unwrap();
            let mut y = vec![0.0; x.len()];
            b.download(&mut y).unwrap();
            assert_eq!(y, expected, "{algorithm:?} on {api}");
        }
    }
}

/// The FFTs of a baseline get a part of its scratch, and divide that for long lines.
#[test]
fn parts_of_parts_of_memory_are_where_they_belong() {
    for api in Api::ALL {
        let Some(device) = present(api) else { continue };
        let runtime = &device.runtime;
        let reals = runtime.alignment().div_ceil(8);
        let mut whole = runtime.allocate(8 * 4 * reals).unwrap();
        device.queue.upload(&vec![0.0f64; 4 * reals], &mut whole).unwrap();
        let part = whole.part(8 * reals, 8 * 3 * reals).unwrap();
        let mut inner = part.part(8 * reals, 8 * 2 * reals).unwrap();
        drop(part);
        device.queue.upload(&[1.0f64, 2.0], &mut inner).unwrap();
        drop(inner.share().unwrap().part(8 * reals, 8 * reals).unwrap());
        let mut found = vec![0.0f64; 4 * reals];
        device.queue.download(&whole, &mut found).unwrap();
        let mut expected = vec![0.0f64; 4 * reals];
        expected[2 * reals..][..2].copy_from_slice(&[1.0, 2.0]);
        assert_eq!(found, expected);
    }
}

/// What a driver tells, and what is assumed where it does not.
#[test]
fn attributes_of_a_device_fit_together() {
    for api in Api::ALL {
        let Some(device) = present(api) else { continue };
        let has = &device.info().attributes;
        assert!(has.sms > 0 && has.warp > 0 && has.banks > 0 && has.cluster > 0, "{has:?}");
        let levels = [
            [has.warp, has.threads_per_block, has.threads_per_sm],
            [has.registers_per_thread, has.registers_per_block, has.registers_per_sm],
            [has.shared_reserved, has.shared_per_block, has.shared_per_sm],
            [1, has.sector_bytes, has.line_bytes],
        ];
        assert!(levels.iter().all(|levels| levels.is_sorted()), "{has:?}");
        let text = format!("{has:?}");
        assert!(has.assumed.iter().all(|name| text.contains(&format!(" {name}: "))), "assumed are attributes: {text}");
    }
}

#[test]
fn a_compiler_s_log_is_shown() {
    for api in Api::ALL {
        let Some(device) = present(api) else { continue };
        let source = "void broken() { no_such_function_(1) }";
        let message = refused(device.runtime.compile(source, 0), ErrorKind::Unavailable);
        assert!(message.contains("no_such_function_"), "{message}");
        refused(device.runtime.load(b"no machine code", 0), ErrorKind::Unavailable);
    }
}

#[test]
fn absent_numbers_name_those_that_are_there() {
    for api in Api::ALL {
        let Some(device) = present(api) else { continue };
        let message = refused(Device::open(&format!("{api}:77")), ErrorKind::Unavailable);
        assert!(message.contains(&device.info().id.to_string()) && message.contains(":77"), "{message}");
    }
}
