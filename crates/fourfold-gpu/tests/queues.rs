//! Queues, scratch and copies, on the device that the tests run on.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::present;
use fourfold::electrostatics::{Cells, Electrostatics, Grid};
use fourfold::{Element, ErrorKind, Planner, Result};
use fourfold_gpu::{Device, GpuElectrostatics, GpuMaps, GpuPlan, GpuPlanner};
use num_complex::Complex;
use std::thread;

/// Needs scratch for the buffers of long lines.
const LONG: &str = "fft f64 2x262144 axes=1";
/// Needs a work array too.
const WORK: &str = "irfft f64 2x524288";

fn plan(device: &Device, problem: &str) -> GpuPlan {
    GpuPlanner::new(device.clone()).plan(&problem.parse().unwrap()).unwrap()
}

fn numbers(len: usize, seed: usize) -> Vec<Complex<f64>> {
    (0..len).map(|i| Complex::new(((i + seed) as f64).sin(), ((i * seed + 1) as f64).cos())).collect()
}

/// What the plan makes of numbers, on its own queue.
fn on_own_queue(plan: &GpuPlan, x: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let mut y = vec![Complex::default(); plan.problem().output().len];
    plan.execute(x, &mut y).unwrap();
    y
}

fn argument<T: std::fmt::Debug>(result: Result<T>) {
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Argument);
}

#[test]
fn threads_with_queues_and_scratch_of_their_own_are_right() {
    let Some(device) = present() else { return };
    let plan = plan(&device, LONG);
    assert!(plan.scratch_bytes() > 0);
    let run = |seed: usize| -> Result<()> {
        let x = numbers(plan.problem().input().len, seed);
        let queue = device.new_queue()?;
        let (mut a, mut b) = (queue.upload(&x)?, queue.array(x.len())?);
        let mut scratch = plan.scratch(&queue)?;
        for _ in 0..4 {
            plan.execute_on_with(&a, &mut b, &mut scratch)?;
            std::mem::swap(&mut a, &mut b);
        }
        let mut y = vec![Complex::default(); x.len()];
        a.download(&mut y)?;
        let expected = (0..4).fold(x, |x, _| on_own_queue(&plan, &x));
        assert_eq!(y, expected, "thread {seed}");
        Ok(())
    };
    thread::scope(|scope| (1..5).for_each(|seed| drop(scope.spawn(move || run(seed).unwrap()))));
}

#[test]
fn queues_take_turns_with_the_plan_s_scratch() {
    let Some(device) = present() else { return };
    let plan = plan(&device, LONG);
    let run = |seed: usize| -> Result<()> {
        let x = numbers(plan.problem().input().len, seed);
        let queue = device.new_queue()?;
        let (a, mut b) = (queue.upload(&x)?, queue.array(x.len())?);
        let mut y = vec![Complex::default(); x.len()];
        for _ in 0..8 {
            plan.execute_on(&a, &mut b)?;
        }
        b.download(&mut y)?;
        assert_eq!(y, on_own_queue(&plan, &x), "thread {seed}");
        Ok(())
    };
    thread::scope(|scope| (1..5).for_each(|seed| drop(scope.spawn(move || run(seed).unwrap()))));
}

#[test]
fn scratch_holds_work_array_and_long_lines() {
    let Some(device) = present() else { return };
    let plan = plan(&device, WORK);
    let (from, to) = (plan.problem().input().len, plan.problem().output().len);
    assert!(plan.scratch_bytes() > from * size_of::<Complex<f64>>(), "{}", plan.scratch_bytes());
    let x = numbers(from, 7);
    let queue = device.new_queue().unwrap();
    // Scratch of another plan will do if it is large enough, and whatever is in it.
    let mut scratch = plan.scratch(&queue).unwrap();
    let (a, mut b) = (queue.upload(&x).unwrap(), queue.array::<f64>(to).unwrap());
    plan.execute_on_with(&a, &mut b, &mut scratch).unwrap();
    let (mut y, mut expected) = (vec![0.0; to], vec![0.0; to]);
    b.download(&mut y).unwrap();
    plan.execute(&x, &mut expected).unwrap();
    assert_eq!(y, expected);
}

#[test]
fn arrays_move_from_queue_to_queue() {
    let Some(device) = present() else { return };
    let plan = plan(&device, "dct2 f32 512x512 ortho");
    let back = self::plan(&device, "dct3 f32 512x512 ortho");
    let x: Vec<f32> = (0..512 * 512).map(|i| (i as f32).sin()).collect();
    let mut array = device.upload(&x).unwrap();
    for _ in 0..8 {
        plan.execute_on_in_place(&mut array).unwrap();
        array = array.move_to(&device.new_queue().unwrap()).unwrap();
        back.execute_on_in_place(&mut array).unwrap();
    }
    let mut y = vec![0.0f32; 512 * 512];
    array.download(&mut y).unwrap();
    assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-4));
}

#[test]
fn what_belongs_to_two_queues_or_devices_is_an_error() {
    let Some(device) = present() else { return };
    let plan = plan(&device, LONG);
    let len = plan.problem().input().len;
    let queue = device.new_queue().unwrap();
    let (a, mut b) = (device.array::<Complex<f64>>(len).unwrap(), queue.array(len).unwrap());
    argument(plan.execute_on(&a, &mut b));
    let mut there = plan.scratch(&queue).unwrap();
    let mut c = device.array::<Complex<f64>>(len).unwrap();
    argument(plan.execute_on_with(&a, &mut c, &mut there));
    argument(plan.execute_on_in_place_with(&mut c, &mut there));
    argument(c.copy_from(&b));
    let mut small = self::plan(&device, "fft f64 4").scratch(&device).unwrap();
    argument(plan.execute_on_with(&a, &mut c, &mut small));
    let other = common::device().unwrap();
    argument(device.wait_for(&other));
    argument(b.move_to(&other));
}

#[test]
fn pinned_arrays_are_copied_meanwhile() {
    let Some(device) = present() else { return };
    let mut array = device.array::<f32>(1000).unwrap();
    let mut host = device.pinned::<f32>(1000).unwrap();
    assert!(host.iter().all(|x| *x == 0.0));
    host.iter_mut().enumerate().for_each(|(i, x)| *x = i as f32);
    let mut host = array.upload_async(host).unwrap().wait().unwrap();
    host.fill(-1.0);
    let filled = array.download_async(host).unwrap();
    while !filled.is_done().unwrap() {
        thread::yield_now();
    }
    let host = filled.wait().unwrap();
    assert!(host.iter().enumerate().all(|(i, x)| *x == i as f32));
    drop(array.upload_async(host).unwrap()); // waits
    argument(array.upload_async(device.pinned(1001).unwrap()).map(|_| ()));
    assert!(device.pinned::<f32>(0).unwrap().is_empty());
}

#[test]
fn given_scratch_needs_the_plan_for_both_parts_before() {
    let Some(device) = present() else { return };
    let plan = plan(&device, "dct2 f64 5x6");
    let x = numbers(30, 3);
    let (a, mut b) = (device.upload(&x).unwrap(), device.array::<Complex<f64>>(30).unwrap());
    let mut scratch = plan.scratch(&device).unwrap();
    argument(plan.execute_on_with(&a, &mut b, &mut scratch));
    let both = plan.both_parts().unwrap();
    let mut scratch = both.scratch(&device).unwrap();
    let mut y = [vec![Complex::default(); 30], vec![Complex::default(); 30]];
    plan.execute_on_with(&a, &mut b, &mut scratch).unwrap();
    b.download(&mut y[0]).unwrap();
    both.execute(&x, &mut y[1]).unwrap();
    assert_eq!(y[0], y[1]);
    argument(both.execute(&[0.0f64; 30], &mut [0.0f64; 30]));
    argument(self::plan(&device, "fft f32 4").both_parts().map(|_| ()));
}

#[test]
fn memory_that_is_not_there_is_an_error_that_says_how_much_was_needed() {
    let Some(device) = present() else { return };
    argument(device.array::<f64>(usize::MAX));
    let absent = |result: Result<()>| {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.to_string().contains(&(8usize << 50).to_string()), "{error}");
    };
    absent(device.array::<f64>(1 << 50).map(|_| ()));
    absent(device.pinned::<f64>(1 << 50).map(|_| ()));
}

#[test]
fn zero_elements_are_an_array() {
    let Some(device) = present() else { return };
    fn empty<T: Element>(device: &Device) -> Result<()> {
        let mut array = device.upload::<T>(&[])?;
        array.download(&mut [])?;
        array.upload(&[])?;
        array.download_async(device.pinned(0)?)?.wait().map(|_| ())
    }
    empty::<f32>(&device).unwrap();
    empty::<Complex<f64>>(&device).unwrap();
}

/// What forces are computed with belongs to the cells, which threads share.
#[test]
fn threads_that_share_cells_do_not_mix_their_forces() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device.clone());
    let grid = Grid::new([0.0, 0.0], [8.0, 8.0], [64, 64]).unwrap();
    let builder = Electrostatics::<f32>::builder(grid);
    let system = GpuElectrostatics::new(&planner, &builder, &Planner::new()).unwrap();
    // Cells of many bins, which several threads of the device have parts of.
    let cells = Cells { low: [&[0.5f32, 1.0, 2.5], &[0.5, 1.5, 0.0]], size: [&[7.0, 5.0, 5.0], &[6.0, 6.0, 8.0]] };
    let cells = system.cells(cells).unwrap();
    let fields: Vec<_> = (1..=2u8)
        .map(|seed| {
            let mut maps = system.maps().unwrap();
            let mut source = fastrand::Rng::with_seed(seed.into());
            maps.density_mut().upload(&std::array::from_fn::<f32, 4096, _>(|_| source.f32())).unwrap();
            system.transform(&mut maps).unwrap();
            maps
        })
        .collect();
    let forces = |maps: &GpuMaps<f32>| {
        let mut forces = device.array::<f32>(6).unwrap();
        system.forces_on(&cells, maps, &mut forces).unwrap();
        let mut values = [0.0; 6];
        forces.download(&mut values).unwrap();
        values
    };
    let expected: Vec<_> = fields.iter().map(forces).collect();
    assert_ne!(expected[0], expected[1]);
    thread::scope(|scope| {
        for (maps, expected) in fields.iter().zip(&expected) {
            scope.spawn(|| (0..400).for_each(|round| assert_eq!(forces(maps), *expected, "round {round}")));
        }
    });
}
