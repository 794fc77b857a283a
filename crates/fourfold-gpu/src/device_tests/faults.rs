//! Whatever call a driver refuses: the caller gets an error, nothing stays behind, and the next call
//! works.

use crate::api::direct::DirectConvolution;
use crate::api::planner::GpuPlanner;
use crate::backend::device::Device;
use crate::device_tests::fake::{Options, TYPICAL};
use crate::device_tests::{fake, refused};
use crate::electrostatics::solver::GpuElectrostatics;
use crate::jpeg::blocks::BlockPlan;
use crate::jpeg::builder::BlockComponent;
use crate::jpeg::kernels::desc::BlockWork;
use crate::jpeg::ladder::BlockAlgorithm;
use crate::run::kernel_cache::UNUSED;
use fourfold::baseline::Algorithm;
use fourfold::electrostatics::{Cells, Electrostatics, Grid};
use fourfold::engine::jpeg::{Layout, Table};
use fourfold::{ErrorKind, Multiplier, Pipeline, Planner, Precision, Problem, Result};
use num_complex::Complex;

/// Something that plans and executes.
type Task = fn(&GpuPlanner) -> Result<()>;

/// What a driver is called for, with the fewest calls that this takes.
const TASKS: &[(&str, Task, usize)] = &[
    ("transforms", transforms, 30),
    ("pipelines", pipelines, 10),
    ("both parts", both_parts, 10),
    ("queues", queues, 8),
    ("pinned memory", pinned_memory, 7),
    ("methods", methods, 40),
    ("a direct convolution", direct_convolution, 5),
    ("an electrostatic system", electrostatics, 40),
    ("blocks", blocks, 10),
];

fn planned(planner: &GpuPlanner, text: &str) -> Result<()> {
    let problem: Problem = text.parse()?;
    let plan = planner.plan(&problem)?;
    plan.execute(&vec![0.0f32; problem.input().len], &mut vec![0.0f32; problem.output().len])
}

fn transforms(planner: &GpuPlanner) -> Result<()> {
    // One kernel, several, and with scratch.
    ["dct2 f32 12x20", "dht f32 47x6x5", "dct2 f32 524288"].into_iter().try_for_each(|text| planned(planner, text))
}

fn pipelines(planner: &GpuPlanner) -> Result<()> {
    let forward: Problem = "dct2 f32 16x12".parse()?;
    let multiplier = Multiplier::Table((0..192).map(f64::from).collect());
    let filter = planner.plan(Pipeline::from(&forward).multiply(&multiplier).transform(forward.inverse()?))?;
    filter.execute(&[0.0f32; 192], &mut [0.0f32; 192])?;
    planner.plan(Pipeline::from(&forward).threshold(0.5))?.execute_in_place(&mut [0.0f32; 192])
}

fn both_parts(planner: &GpuPlanner) -> Result<()> {
    let plan = planner.plan(&"dct2 f32 16x12".parse()?)?;
    plan.execute(&[Complex::new(0.0f32, 0.0); 192], &mut [Complex::new(0.0f32, 0.0); 192])
}

fn queues(planner: &GpuPlanner) -> Result<()> {
    let plan = planner.plan(&"dct2 f32 524288".parse()?)?;
    let (first, second) = (planner.device.new_queue()?, planner.device.new_queue()?);
    let mut array = first.array::<f32>(1 << 19)?;
    plan.execute_on_in_place(&mut array)?;
    let mut array = array.move_to(&second)?;
    plan.execute_on_in_place(&mut array)?;
    let mut copy = second.array(1 << 19)?;
    copy.copy_from(&array)?;
    second.finish()
}

fn pinned_memory(planner: &GpuPlanner) -> Result<()> {
    let device = &planner.device;
    let (host, mut array) = (device.pinned::<f32>(100)?, device.array::<f32>(100)?);
    let sent = array.upload_async(host)?;
    sent.is_done()?;
    let host = sent.wait()?;
    array.download_async(host)?.wait().map(drop)
}

fn methods(planner: &GpuPlanner) -> Result<()> {
    let recipe = |algorithm: &str, text: &str| algorithm.parse::<Algorithm>()?.recipe(&text.parse()?);
    for algorithm in ["three-stage", "row-column"] {
        let plan = planner.plan_recipe(recipe(algorithm, "dct2 f32 16x12")?)?;
        plan.execute(&[0.0f32; 192], &mut [0.0f32; 192])?;
    }
    // A range, launches of single lines, a transpose by the host.
    for algorithm in ["mixed-radix-rule", "mixed-radix-naive", "mixed-radix-range"] {
        let plan = planner.plan_recipe(recipe(algorithm, "ifft,fft f32 12x12")?)?;
        plan.execute(&[Complex::new(0.0f32, 0.0); 144], &mut [Complex::new(0.0f32, 0.0); 144])?;
    }
    Ok(())
}

fn direct_convolution(planner: &GpuPlanner) -> Result<()> {
    let plan = DirectConvolution::new(planner, Precision::F32, [8, 6], &[1.0; 6], [2, 3])?;
    let (input, mut output) = (planner.device.array::<f32>(48)?, planner.device.array::<f32>(48)?);
    plan.execute_on(&input, &mut output)
}

fn electrostatics(planner: &GpuPlanner) -> Result<()> {
    let grid = Grid::new([0.0, 0.0], [8.0, 8.0], [32, 32])?;
    let builder = Electrostatics::<f32>::builder(grid).potential(true);
    let system = GpuElectrostatics::new(planner, &builder, &Planner::new())?;
    // A cell of many bins, which is several threads' work.
    let cells = Cells { low: [&[0.5f32, 1.0], &[0.5, 1.0]], size: [&[0.5, 6.0], &[0.5, 6.0]] };
    let mut maps = system.maps()?;
    system.solve(cells, &mut maps)?;
    system.energy(&maps)?;
    system.forces(cells, &maps).map(drop)
}

fn blocks(planner: &GpuPlanner) -> Result<()> {
    let component = BlockComponent { table: Table::luminance(90)?, blocks: 10, layout: Layout::Blocks };
    let plan = BlockPlan::builder(BlockWork::Inverse).component(component).build(&planner.device)?;
    let mut arrays = plan.arrays()?;
    arrays.upload_coefficients(0, &[0; 640])?;
    plan.enqueue(&mut arrays)?;
    arrays.download_samples(0, &mut [0u8; 640])
}

/// Refuses every call of a task in turn, each with a new planner; the number of calls.
fn refuse_each(name: &str, task: Task, options: Options) -> usize {
    let (device, driver) = fake::device(options);
    let held = driver.held();
    for call in 1.. {
        let planner = GpuPlanner::with_cache(device.clone(), None);
        driver.refuse(call);
        let result = task(&planner);
        let calls = driver.calls();
        driver.refuse(0);
        if calls < call {
            assert!(result.is_ok(), "{name}: {result:?}");
            return calls;
        }
        let message = result.expect_err(&format!("{name}: call {call} was refused")).to_string();
        assert!(message.contains(&format!("call {call}, to ")), "{name}: {message}");
        task(&planner).unwrap_or_else(|error| panic!("{name} after call {call} was refused: {error}"));
        drop(planner);
        assert_eq!(driver.held(), held, "{name}: call {call} was refused, and something was not given back");
    }
    unreachable!("there are fewer calls")
}

#[test]
fn every_refused_call_is_an_error_and_leaves_nothing_behind() {
    let mut all = 0;
    for vendor_ffts in [false, true] {
        for (name, task, fewest) in TASKS {
            let calls = refuse_each(name, *task, Options { vendor_ffts, ..TYPICAL });
            assert!(calls >= *fewest, "{name}: only {calls} calls");
            all += calls;
        }
    }
    println!("driver calls: {all} refused, one after another");
}

/// Candidates whose kernels or memory are refused are left out, so that not every refused call is an
/// error here.
#[test]
fn tuning_goes_on_after_a_refused_call_or_is_an_error() {
    let problem: Problem = "dct2 f32 96".parse().unwrap();
    let (device, driver) = fake::device(TYPICAL);
    let held = driver.held();
    let (mut refused, mut errors) = (0, 0);
    // Launches are repeated as often as time allows, so that there is no last call.
    for call in (1..60).chain((60..2000).step_by(97)) {
        let planner = GpuPlanner::with_cache(device.clone(), None);
        driver.refuse(call);
        let result = planner.tune(&problem);
        refused += usize::from(driver.calls() >= call);
        driver.refuse(0);
        if let Err(error) = result {
            assert!(error.to_string().contains(&format!("call {call}, to ")), "{error}");
            errors += 1;
        }
        planner.plan(&problem).unwrap();
        drop(planner);
        assert_eq!(driver.held(), held, "call {call}");
    }
    assert!(refused > 60 && errors > 3, "{refused} calls refused, {errors} errors");
}

#[test]
fn kernels_that_no_plan_uses_are_unloaded_but_for_the_last() {
    let (device, driver) = fake::device(TYPICAL);
    let planner = GpuPlanner::with_cache(device.clone(), None);
    let held = driver.held();
    for n in 2..150 {
        drop(planner.plan(&format!("dct2 f32 {n}x{n}").parse().unwrap()).unwrap());
    }
    // Those of the last plan were still used when it was made.
    let unused = driver.held() - held;
    assert!((UNUSED..UNUSED + 6).contains(&unused), "{unused} kernels");
    // The last ones are found again, the first ones are compiled again.
    let calls = |text: &str| {
        driver.refuse(0);
        planner.plan(&text.parse().unwrap()).unwrap();
        driver.calls()
    };
    let [last, first] = ["dct2 f32 149x149", "dct2 f32 5x5"];
    assert_eq!(calls(last), calls(last));
    assert!(calls(first) > calls(first));
    // Tuning compiles more.
    planner.tune(&"dct2 f32 96x20".parse().unwrap()).unwrap();
    planner.plan(&"dct2 f32 7".parse().unwrap()).unwrap();
    assert!(driver.held() - held <= UNUSED + 6, "{} kernels", driver.held() - held);
    drop(planner);
    assert_eq!(driver.held(), held);
}

/// Plans of every sort, of which those that are made run.
fn plan_all(planner: &GpuPlanner) -> Vec<(String, Result<()>)> {
    let mut all: Vec<(String, Result<()>)> =
        TASKS.iter().map(|(name, task, _)| (name.to_string(), task(planner))).collect();
    for algorithm in BlockAlgorithm::ALL {
        let component = BlockComponent { table: Table::luminance(90).unwrap(), blocks: 10, layout: Layout::Blocks };
        let builder = BlockPlan::builder(algorithm.work).algorithm(algorithm).component(component);
        let run = |plan: BlockPlan| plan.enqueue(&mut plan.arrays()?);
        all.push((algorithm.name.into(), builder.build(&planner.device).and_then(run)));
    }
    all
}

fn device_of(threads: usize, kernel_threads: usize) -> Device {
    fake::device(Options { threads, kernel_threads, ..TYPICAL }).0
}

#[test]
fn devices_with_small_blocks_are_refused_when_planning() {
    let planner = GpuPlanner::with_cache(device_of(64, 64), None);
    let all = plan_all(&planner);
    for (name, result) in &all {
        if let Err(error) = result {
            assert!(error.to_string().contains("a thread block needs 256 threads"), "{name}: {error}");
        }
    }
    let refused = all.iter().filter(|(_, result)| result.is_err()).map(|(name, _)| &**name).collect::<Vec<_>>();
    for name in ["methods", "a direct convolution", "an electrostatic system", "naive"] {
        assert!(refused.contains(&name), "{name} is planned: {refused:?}");
    }
    for name in ["transforms", "pipelines", "both parts", "blocks"] {
        assert!(!refused.contains(&name), "{name} fits smaller blocks: {refused:?}");
    }
}

#[test]
fn kernels_that_have_no_room_for_their_threads_are_refused_when_planning() {
    let planner = GpuPlanner::with_cache(device_of(256, 16), None);
    let mut planned = vec![];
    for (name, result) in plan_all(&planner) {
        match result {
            Ok(()) => planned.push(name),
            Err(error) => assert!(error.to_string().contains("with at most 16 threads a block"), "{name}: {error}"),
        }
    }
    // Kernels of baselines, of cells and of blocks have one size.
    assert_eq!(planned, ["transforms", "pipelines", "both parts", "queues", "pinned memory"]);
}

#[test]
fn kernels_are_smaller_where_the_compiler_leaves_less_room() {
    let problem: Problem = "dct2 f32 200x256".parse().unwrap();
    let threads = |device: Device, tunes: bool| {
        let planner = GpuPlanner::with_cache(device, None);
        if tunes {
            planner.tune(&problem).unwrap();
        }
        let sources = planner.plan(&problem).unwrap().sources();
        let of =
            |source: &String| source.split("reqd_work_group_size(").nth(1).unwrap().split(',').next().unwrap().parse();
        sources.iter().map(|source| of(source).unwrap()).max()
    };
    for tunes in [false, true] {
        assert!(threads(device_of(256, 256), tunes) > Some(24));
        assert!(threads(device_of(256, 24), tunes) <= Some(24));
    }
}

#[test]
fn kernels_take_less_shared_memory_where_the_compiler_adds_to_it() {
    let problem: Problem = "dct2 f32 256x11264 axes=1".parse().unwrap();
    let words = |added_bytes: usize| {
        let planner = GpuPlanner::with_cache(fake::device(Options { added_bytes, ..TYPICAL }).0, None);
        let sources = planner.plan(&problem).unwrap().sources();
        let of = |source: &String| source.split("real local_[").nth(1)?.split(']').next()?.parse::<usize>().ok();
        sources.iter().filter_map(of).max().unwrap()
    };
    let bytes = 48 << 10;
    assert!(4 * words(0) > bytes - (3 << 10), "a line takes almost all of it");
    assert!(4 * words(3 << 10) <= bytes - (3 << 10));
}

#[test]
fn kernels_take_the_shared_memory_that_all_are_granted_where_more_is_refused() {
    let problem: Problem = "dct2 f32 256x4096 axes=1".parse().unwrap();
    let launches = |granted_bytes: usize| {
        let planner = GpuPlanner::with_cache(fake::device(Options { granted_bytes, ..TYPICAL }).0, None);
        planner.plan(&problem).unwrap().sources().len()
    };
    let [whole, parts, stages] = [48 << 10, 12 << 10, 0].map(launches);
    assert!(whole == 1 && whole < parts && parts < stages, "{whole}, {parts} and {stages} launches");
}

/// Work items of OpenCL exchange registers where their kernel has the sub-groups that it was written for.
#[test]
fn kernels_exchange_no_registers_where_sub_groups_differ_or_are_refused() {
    let problem: Problem = "dct2 f32 64x2048 axes=1".parse().unwrap();
    let exchanges = |subgroup: Option<usize>| {
        let planner = GpuPlanner::with_cache(fake::device(Options { subgroup, ..TYPICAL }).0, None);
        let sources = planner.plan(&problem).unwrap().sources();
        sources.iter().any(|source| source.contains("sub_group_shuffle_xor("))
    };
    assert_eq!([None, Some(32), Some(16), Some(0)].map(exchanges), [false, true, false, false]);
}

/// A kernel that is given, and not planned, is refused.
#[test]
fn a_kernel_that_needs_other_sub_groups_is_an_error() {
    let (device, _) = fake::device(Options { subgroup: Some(16), ..TYPICAL });
    let algorithm = BlockAlgorithm::ALL.iter().find(|algorithm| algorithm.name == "next").unwrap();
    let component = BlockComponent { table: Table::luminance(90).unwrap(), blocks: 1, layout: Layout::Blocks };
    let builder = BlockPlan::builder(algorithm.work).algorithm(algorithm).component(component);
    let message = refused(builder.build(&device), ErrorKind::Unavailable);
    assert!(message.contains("sub-groups of 16 work items") && message.contains("it needs 32"), "{message}");
}
