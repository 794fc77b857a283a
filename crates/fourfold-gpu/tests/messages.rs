//! Outputs in slabs, and copies of boxes: what becomes messages between ranks.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::{execute, present};
use fourfold::oracle::verify::{Data, check};
use fourfold::{ErrorKind, Problem};
use fourfold_gpu::{BoxCopy, GpuPlanner, SlabLayout};

/// Problems with one pass, or whose last pass is along their first axis, and the number of slabs: one
/// line and many, lines in several kernels, two lines as one, pairs of neighbours, both precisions, and
/// outputs in another order.
const CASES: &[(&str, usize)] = &[
    ("dct2 f64 12x20 axes=1", 2),
    ("dct2 f32 12x20 axes=1", 5),
    ("dct2 f32 12x21 axes=1", 3),
    ("dct2 f32 256", 4),
    ("dct3 f64 3x64x5 axes=1", 8),
    ("dct3 f32 3x6x4 axes=1 out=4,12,1", 3),
    ("dct4 f64 16x16 axes=1 out=1,16", 2),
    ("dct1 f32 18x4 axes=0", 9),
    ("dst2 f64 9x10x2 axes=1 out=2,18,1", 5),
    ("dht f64 7x30 axes=1", 6),
    ("idxst f32 16x8 axes=1", 4),
    ("fft f64 8x18 axes=1", 3),
    ("fft f32 5x128 axes=1 out=1,5", 64),
    ("rfft f64 4x22 axes=1", 6),
    ("rfft f32 3x62x2 axes=1", 4),
    ("irfft f64 5x20 axes=1", 10),
    ("dct2 f64 3x8192 axes=1", 2),
    ("fft f64 8192", 16),
    ("ifft f32 4x2x4x7 axes=0,2 out=28,112,7,1", 4),
    ("ifft f32 4x2x4x7 axes=0 out=28,112,7,1", 4),
    ("ifft f64 4x2x4x7 axes=0,2 out=28,112,7,1", 2),
    ("dct2,dct3 f64 16x24", 4),
    ("dct2 f64 6x10x3 axes=0,1", 2),
    ("dct2 f32 6x10x3 axes=0,1", 3),
    ("dct4,dct2 f64 8x600 axes=0,1 out=600,1", 2),
    ("dst2,dct3 f32 600x640", 4),
    ("dct2 f64 300x640", 100),
    ("dct2 f64 16x4x6", 8),
];

/// Where the element with these indices of an output in slabs is, whose slabs are cut along `axis`.
fn place(problem: &Problem, SlabLayout { axis, count, distance }: SlabLayout, index: &[usize]) -> usize {
    let output = problem.output();
    let length = output.shape[axis] / count;
    let mut order: Vec<usize> = (0..output.shape.len()).collect();
    order.sort_by_key(|&axis| output.strides[axis]);
    let (mut at, mut stride) = (0, 1);
    for a in order {
        let i = if a == axis { index[a] % length } else { index[a] };
        at += i * stride;
        stride *= if a == axis { length } else { output.shape[a] };
    }
    at + index[axis] / length * distance
}

/// The elements of an output in slabs, in the problem's layout.
fn gathered(problem: &Problem, layout_of_slabs: SlabLayout, slabs: &Data, output: &mut Data) {
    let layout = problem.output();
    let mut index = vec![0; layout.shape.len()];
    for _ in 0..layout.elements() {
        let at: usize = index.iter().zip(&layout.strides).map(|(i, stride)| i * *stride as usize).sum();
        output.set(at, slabs.get(place(problem, layout_of_slabs, &index)));
        for a in (0..index.len()).rev() {
            index[a] = (index[a] + 1) % layout.shape[a];
            if index[a] > 0 {
                break;
            }
        }
    }
}

#[test]
fn outputs_in_slabs_are_right() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    for (i, &(case, count)) in CASES.iter().enumerate() {
        let problem: Problem = case.parse().unwrap();
        // The last pass is along the first transformed axis.
        let axis = problem.transforms().iter().map(|transform| transform.axis).min().unwrap();
        let elements = problem.output().elements();
        // One after another, or with room between them.
        let room: &[usize] = if i % 4 == 0 { &[0, 24] } else { &[0] };
        for distance in room.iter().map(|room| elements / count + room) {
            let layout = SlabLayout { axis, count, distance };
            let plan = planner.plan_in_slabs(&problem, layout).unwrap();
            let run = |input: &Data, output: &mut Data| {
                let len = (count - 1) * distance + elements / count;
                let mut slabs = Data::filled(problem.precision(), problem.output_domain(), len, f64::NAN);
                execute(&plan, input, &mut slabs)?;
                gathered(&problem, layout, &slabs, output);
                Ok(())
            };
            let verdict = check(&problem, plan.uses_bluestein(), 27, run).unwrap();
            assert!(verdict.holds(), "{case} in {layout:?}: {verdict:?}");
        }
    }
}

#[test]
fn wrong_slabs_are_errors() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    let fails = |problem: &str, count: usize, words: &str| {
        let error = planner
            .plan_in_slabs(&problem.parse::<Problem>().unwrap(), SlabLayout { axis: 1, count, distance: 120 })
            .unwrap_err();
        assert!(error.kind() == ErrorKind::Argument && error.to_string().contains(words), "{error}");
    };
    fails("dct2 f64 12x20 axes=1", 3, "20 elements");
    fails("dct2 f64 12x20 axes=1", 0, "20 elements");
    fails("dct2 f64 12x20 axes=1 out=21,1", 2, "gaps");
    fails("dct2 f64 12x20", 2, "last pass");
    fails("dct2 f64 24x20 axes=1", 2, "one has 240 elements");
    let plan = planner
        .plan_in_slabs(
            &"dct2 f64 12x20 axes=1".parse::<Problem>().unwrap(),
            SlabLayout { axis: 1, count: 2, distance: 120 },
        )
        .unwrap();
    assert_eq!(plan.execute_in_place(&mut [0.0; 240]).unwrap_err().kind(), ErrorKind::Argument);
}

/// The bytes that a copy should have made.
fn copied(from: &[u8], to: &mut [u8], copy: &BoxCopy) {
    let mut starts = vec![copy.starts];
    for (count, steps) in &copy.axes {
        let next = |start: [usize; 2]| (0..*count).map(move |i| [start[0] + i * steps[0], start[1] + i * steps[1]]);
        starts = starts.into_iter().flat_map(next).collect();
    }
    for [source, target] in starts {
        to[target..target + copy.run].copy_from_slice(&from[source..source + copy.run]);
    }
}

#[test]
fn boxes_are_copied_between_queues() {
    let Some(device) = present() else { return };
    let other = device.new_queue().unwrap();
    let numbers = |first: u32| (0..2048).map(|i| (first + i) as f32).collect::<Vec<_>>();
    let (x, y) = (numbers(0), numbers(5000));
    let bytes = |data: &[f32]| data.iter().flat_map(|x| x.to_ne_bytes()).collect::<Vec<u8>>();
    for (run, starts, axes) in [
        (64, [8, 16], vec![]),
        (16, [4, 0], vec![(5, [32, 24])]),
        (8, [0, 8], vec![(3, [160, 200]), (5, [32, 8])]),
        (8, [0, 4], vec![(3, [170, 104]), (3, [40, 24])]),
        (4, [12, 0], vec![(2, [1000, 768]), (3, [200, 96]), (4, [40, 24]), (2, [8, 12])]),
    ] {
        let copy = BoxCopy { run, starts, axes };
        let (from, to) = (other.upload(&x).unwrap(), device.upload(&y).unwrap());
        let mut expected = bytes(&y);
        copied(&bytes(&x), &mut expected, &copy);
        to.memory().unwrap().copy_box(&from.memory().unwrap(), &copy).unwrap();
        let mut found = vec![0f32; y.len()];
        to.download(&mut found).unwrap();
        assert_eq!(bytes(&found), expected, "{copy:?}");
    }
    let mut short = device.memory(100).unwrap();
    let beyond = BoxCopy { run: 10, starts: [0, 91], axes: vec![] };
    assert_eq!(short.copy_box(&device.memory(100).unwrap(), &beyond).unwrap_err().kind(), ErrorKind::Argument);
}

#[test]
fn devices_without_nccl_say_so() {
    let Some(device) = present() else { return };
    // OpenCL has no NCCL, and a machine without the library says which package has it.
    if let Err(error) = device.new_team() {
        assert!(error.kind() == ErrorKind::Unavailable && error.to_string().contains("NCCL"), "{error}");
    }
}
