//! Tests that execution with the caller's scratch does not allocate. Allocations are counted for
//! the whole process, so this file has only one test.

use fourfold::baseline::Algorithm;
use fourfold::{Element, Plan, Planner, View, ViewMut};
use num_complex::Complex;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The number of allocations that `work` makes in all threads. It is the least of three executions,
/// because a starting thread of the planner may allocate during one of them.
fn allocations(mut work: impl FnMut()) -> usize {
    let counts = [(); 3].map(|()| {
        let region = Region::new(ALLOCATOR);
        work();
        let change = region.change();
        change.allocations + change.reallocations
    });
    counts.into_iter().min().expect("there are three")
}

fn executing<I: Element, O: Element>(plan: &Plan) -> usize {
    let (input, output) = (plan.problem().input(), plan.problem().output());
    let (x, mut y) = (vec![I::default(); input.len], vec![O::default(); output.len]);
    let mut scratch = plan.scratch();
    allocations(|| plan.execute_with(&x, &mut y, &mut scratch).unwrap())
}

fn executing_in_place<T: Element>(plan: &Plan) -> usize {
    let mut data = vec![T::default(); plan.problem().input().len];
    let mut scratch = plan.scratch();
    allocations(|| plan.execute_in_place_with(&mut data, &mut scratch).unwrap())
}

/// Executes with these strides on both sides.
fn executing_on_views(plan: &Plan, strides: [isize; 2]) -> usize {
    let (x, mut y) = (vec![0.0f64; 100 * 96], vec![0.0f64; 100 * 96]);
    let mut scratch = plan.scratch();
    allocations(|| {
        let input = View { data: &x, offset: 0, strides: &strides };
        let output = ViewMut { data: &mut y, offset: 0, strides: &strides };
        plan.execute_views(input, output, &mut scratch).unwrap();
    })
}

#[test]
fn executing_allocates_nothing() {
    for threads in [1, 2] {
        let planner = Planner::builder().threads(threads).build().unwrap();
        let plan = |text: &str| planner.plan(&text.parse().unwrap()).unwrap();
        let square = plan("dct2 f64 96x100");
        // Without given scratch there is one allocation, which shows that the counter works.
        assert_ne!(allocations(|| square.execute(&[1.0; 9600], &mut [0.0; 9600]).unwrap()), 0);
        assert_eq!(executing::<f64, f64>(&square), 0);
        assert_eq!(executing_in_place::<f64>(&square), 0);
        assert_eq!(executing_on_views(&square, [1, 96]), 0);
        // The axes interleave, but no two elements overlap.
        assert_eq!(executing_on_views(&plan("dct2 f64 4x5"), [5, 4]), 0);
        assert_eq!(executing::<f32, f32>(&plan("dct4,dst1 f32 101x37")), 0);
        assert_eq!(executing::<Complex<f64>, Complex<f64>>(&square), 0);
        assert_eq!(executing::<f32, Complex<f32>>(&plan("rfft f32 9x10x11")), 0);
        assert_eq!(executing::<Complex<f64>, f64>(&plan("irfft f64 64x1439")), 0);
        assert_eq!(executing_in_place::<Complex<f64>>(&plan("fft f64 16384")), 0);
        assert_eq!(executing::<f64, f64>(&plan("dct2 f64 20x16 in=40,2 out=-32,2")), 0);
        assert_eq!(executing::<f64, f64>(&plan("dct2 f64 3x500 axes=1")), 0);
        assert_eq!(executing_in_place::<f64>(&plan("dct3 f64 96x100")), 0);
        for method in Algorithm::ALL {
            let staged = |text: &str| Some(planner.plan_recipe(method.recipe(&text.parse().ok()?).ok()?).unwrap());
            assert!(staged("dct2 f64 3x500 axes=1").is_none_or(|plan| executing::<f64, f64>(&plan) == 0), "{method}");
            assert!(staged("dct3 f64 96x100").is_none_or(|plan| executing_in_place::<f64>(&plan) == 0), "{method}");
        }
    }
}
