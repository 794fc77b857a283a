//! Tests that invalid arguments and settings of plans are errors.

use fourfold::baseline::Algorithm;
use fourfold::{Error, ErrorKind, F16, Isa, Plan, Planner, Problem, Result, View, ViewMut};
use num_complex::Complex;

fn plan(planner: &Planner, text: &str) -> Plan {
    let problem = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    planner.plan(&problem).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[track_caller]
fn assert_refused(result: Result<()>, hints: &[&str]) {
    let error: Error = result.expect_err("bad arguments");
    assert_eq!(error.kind(), ErrorKind::Argument);
    let message = error.to_string();
    assert!(hints.iter().all(|hint| message.contains(hint)) && !message.contains('\n'), "{message}");
}

#[test]
fn short_slices_are_refused() {
    let plan = plan(&Planner::new(), "dct2 f64 4x5");
    let (x, mut y) = ([1.0; 20], [7.0; 20]);
    assert_refused(plan.execute(&x[..19], &mut y), &["input", "19", "20"]);
    assert_refused(plan.execute(&x, &mut y[..19]), &["output", "19", "20"]);
    assert_refused(plan.execute::<f64, f64>(&[], &mut y), &["input", "0", "20"]);
    assert_refused(plan.execute_in_place(&mut y[..19]), &["19", "20"]);
    assert_eq!(y, [7.0; 20]);
    plan.execute(&[1.0; 21], &mut [0.0; 22]).unwrap();
}

#[test]
fn wrong_element_types_are_refused() {
    let planner = Planner::new();
    let mut y = [7.0f64; 20];
    assert_refused(plan(&planner, "dct2 f64 4x5").execute(&[1.0f32; 20], &mut y), &["f64", "f32"]);
    assert_refused(plan(&planner, "dct2 f32 4x5").execute(&[1.0f32; 20], &mut y), &["f32", "f64"]);
    assert_refused(plan(&planner, "fft f64 20").execute(&[1.0f64; 20], &mut y), &["Complex<f64>", "f64"]);
    let half = [Complex::new(1.0f64, 0.0); 20];
    assert_refused(plan(&planner, "rfft f64 20").execute(&half, &mut y), &["Complex<f64>"]);
    assert_refused(plan(&planner, "dct2 f64 20").execute(&half, &mut y), &["Complex<f64>"]);
    assert_refused(plan(&planner, "rfft f64 20").execute_in_place(&mut y), &["Complex<f64>"]);
    assert_eq!(y, [7.0; 20]);
}

#[test]
fn arrays_of_16_bits_are_refused() {
    let (planner, problem) = (Planner::new(), "dct2 f16 4x5".parse::<Problem>().unwrap());
    let recipe = planner.recipe(&problem).unwrap();
    let bytes = planner.scratch_bytes(&recipe.clone().into());
    for error in
        [planner.plan(&problem).err(), planner.plan_recipe(recipe).err(), bytes.err(), planner.tune(&problem).err()]
    {
        let error = error.expect("only devices have halves");
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert_eq!(error.to_string(), "`dct2 f16 4x5`: f16 is for GPUs, through CUDA or OpenCL: use f32 on a CPU");
    }
    let halves = [F16::from(1.0); 20];
    assert_refused(plan(&planner, "dct2 f32 4x5").execute(&halves, &mut [0.0f32; 20]), &["takes f32", "F16"]);
    let error = "three-stage".parse::<Algorithm>().unwrap().recipe(&problem).unwrap_err();
    assert!(error.kind() == ErrorKind::Problem && error.to_string().contains("use f32 or f64"), "{error}");
}

#[test]
fn what_changes_its_shape_is_not_done_in_place() {
    let mut y = [Complex::new(7.0f64, 7.0); 20];
    for text in ["rfft f64 20", "irfft f64 20"] {
        assert!(plan(&Planner::new(), text).execute_in_place(&mut y).is_err());
    }
    assert_eq!(y, [Complex::new(7.0, 7.0); 20]);
}

#[test]
fn small_scratch_is_refused() {
    let planner = Planner::new();
    let (large, small) = (plan(&planner, "dct2 f64 64x64"), plan(&planner, "dct2 f64 2"));
    let mut y = vec![7.0; 64 * 64];
    let mut scratch = small.scratch();
    assert_refused(large.execute_with(&vec![1.0; 64 * 64], &mut y, &mut scratch), &["scratch", "Plan::scratch"]);
    assert_refused(large.execute_in_place_with(&mut y, &mut scratch), &["scratch", "Plan::scratch"]);
    assert!(y.iter().all(|y| *y == 7.0));
    small.execute_with(&[1.0, 2.0], &mut [0.0, 0.0], &mut large.scratch()).unwrap();
}

#[test]
fn bad_views_are_refused() {
    let plan = plan(&Planner::new(), "dct2 f64 4x5");
    let (x, mut y) = ([1.0; 20], [7.0; 20]);
    let right: [isize; 2] = [5, 1];
    let mut input = |strides: &[isize], offset| {
        let (input, output) =
            (View { data: &x, offset, strides }, ViewMut { data: &mut y, offset: 0, strides: &right });
        plan.execute_views(input, output, &mut plan.scratch())
    };
    assert_refused(input(&[5, 1], 1), &["input", "offset 1"]);
    assert_refused(input(&[5, 2], 0), &["input", "leave"]);
    assert_refused(input(&[-5, 1], 0), &["input", "leave"]);
    assert_refused(input(&[-5, 1], 16), &["input", "leave"]);
    assert_refused(input(&[isize::MIN, 1], 0), &["input", "leave"]);
    assert_refused(input(&[isize::MAX, isize::MAX], usize::MAX), &["input", "leave"]);
    assert_refused(input(&[5], 0), &["input", "1 strides", "2 axes"]);
    assert_refused(input(&[20, 5, 1], 0), &["input", "3 strides", "2 axes"]);
    assert_refused(input(&[], 0), &["input", "0 strides"]);
    assert_eq!(y, [7.0; 20]);
    let mut output = |strides: &[isize], offset| {
        let (input, output) =
            (View { data: &x, offset: 0, strides: &right }, ViewMut { data: &mut y, offset, strides });
        plan.execute_views(input, output, &mut plan.scratch())
    };
    assert_refused(output(&[5, 1], 1), &["output", "offset 1"]);
    assert_refused(output(&[1, 1], 0), &["output", "one place"]);
    assert_refused(output(&[0, 1], 0), &["output", "one place"]);
    assert_refused(output(&[4, 1], 0), &["output", "one place"]);
    assert_refused(output(&[2, 3], 0), &["output", "one place"]);
    assert_refused(output(&[-5, 1], 14), &["output", "leave"]);
    let in_place = |data: &mut [f64], strides: &[isize], offset| {
        plan.execute_view_in_place(ViewMut { data, offset, strides }, &mut plan.scratch())
    };
    assert_refused(in_place(&mut y, &[1, 1], 0), &["one place"]);
    assert_refused(in_place(&mut y, &[5, 1], 2), &["leave"]);
    assert_eq!(y, [7.0; 20]);
}

/// The input of this problem repeats elements, so it cannot be written in place.
#[test]
fn a_repeated_input_is_not_done_in_place() {
    let plan = plan(&Planner::new(), "dct2 f64 3x3 in=0,1");
    let mut y = [7.0; 9];
    assert_refused(plan.execute_in_place(&mut y), &["one place"]);
    assert_eq!(y, [7.0; 9]);
}

#[test]
fn settings_that_no_machine_has_are_refused() {
    for threads in [0, 1025, usize::MAX] {
        let error = Planner::builder().threads(threads).build().err().expect("too few or many threads");
        assert!(error.kind() == ErrorKind::Argument && error.to_string().contains("1024"), "{error}");
    }
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.is_available()) {
        let error = Planner::builder().isa(isa).build().err().expect("an instruction set that is not there");
        assert!(error.kind() == ErrorKind::Unavailable && error.to_string().contains(isa.name()), "{error}");
    }
    assert_eq!("AVX2".parse::<Isa>().unwrap(), Isa::Avx2);
    assert!("sse9".parse::<Isa>().unwrap_err().to_string().contains("avx512"));
}

/// Axes whose tables do not fit any memory are an error, which is returned without delay.
#[test]
fn absurd_lengths_are_refused() {
    let start = std::time::Instant::now();
    for text in [
        "dct2 f64 1073741824",
        "dct1 f64 4294967297",
        "fft f32 1152921504606846975",
        "dct2 f32 2305843009213693951",
        "dst4 f32 2305843009213693921",
    ] {
        let error = Planner::new().plan(&text.parse().unwrap()).err().unwrap_or_else(|| panic!("{text}"));
        assert!(error.kind() == ErrorKind::Unavailable && error.to_string().contains("too long"), "{text}: {error}");
    }
    assert!(start.elapsed().as_secs() < 2, "{:?}", start.elapsed());
}

/// Arrays that do not fit any memory can be planned. Execution then rejects slices that are too
/// short.
#[test]
fn absurd_arrays_are_refused() {
    for text in ["rfft f32 1048576x1048576x1048576", "dct2 f32 1048576x1048576x1048576", "fft f64 536870912x512x1x2x3"]
    {
        let problem: Problem = text.parse().unwrap();
        let recipe = Planner::new().recipe(&problem).unwrap();
        assert!(recipe.bytes_moved() > problem.input().len, "{recipe}");
    }
    let plan = plan(&Planner::builder().threads(2).build().unwrap(), "dct2 f32 1048576x1048576x1048576");
    assert_refused(plan.execute(&[1.0f32], &mut [0.0f32]), &["input", "1152921504606846976"]);
    assert_refused(plan.execute_in_place(&mut [0.0f32]), &["1152921504606846976"]);
}
