//! Tests plans on `ndarray` arrays and views.
#![cfg(feature = "ndarray")]

use fourfold::{ErrorKind, Plan, Planner};
use ndarray::{Array, Array1, Array2, Array3, ArrayD, Axis, IxDyn, ShapeBuilder, array, s};
use num_complex::Complex;

fn plan(text: &str) -> Plan {
    Planner::builder().threads(2).build().unwrap().plan(&text.parse().unwrap()).unwrap()
}

fn random<D: ndarray::Dimension>(shape: impl ShapeBuilder<Dim = D>) -> Array<f64, D> {
    let mut source = fastrand::Rng::with_seed(1);
    Array::from_shape_simple_fn(shape, || source.f64() - 0.5)
}

/// The transform of a copy in C order.
fn by_slices(plan: &Plan, x: &Array3<f64>) -> Array3<f64> {
    let x = x.as_standard_layout();
    let mut y = Array3::<f64>::zeros(x.raw_dim());
    plan.execute(x.as_slice().unwrap(), y.as_slice_mut().unwrap()).unwrap();
    y
}

#[test]
fn views_of_every_sort_are_transformed() {
    let plan = plan("dct2,dst3 f64 6x7x20 axes=1,2");
    let x: Array3<f64> = random((20, 14, 18));
    // The arrays are transposed, sliced with steps, and reversed.
    let view = x.slice(s![.., ..;-2, 2..14;2]).reversed_axes();
    assert_eq!(view.shape(), [6, 7, 20]);
    let want = by_slices(&plan, &view.to_owned());
    let mut y = Array3::<f64>::from_elem((7, 40, 6), 9.0);
    let mut target = y.slice_mut(s![..;-1, ..;2, ..]).permuted_axes([2, 0, 1]);
    plan.execute_array(&view, &mut target).unwrap();
    assert_eq!(target, want);
    assert!(y.slice(s![.., 1..;2, ..]).iter().all(|y| *y == 9.0), "what is between the elements stays");
    let mut fortran = Array3::<f64>::zeros((6, 7, 20).f());
    plan.execute_array(&view, &mut fortran).unwrap();
    assert_eq!(fortran, want);
}

#[test]
fn halves_of_one_array_are_input_and_output() {
    let plan = plan("dct2 f64 8x9");
    let mut both: Array3<f64> = random((8, 9, 2));
    let (x, mut y) = both.multi_slice_mut((s![.., .., 0], s![.., .., 1]));
    let copy = x.to_owned();
    plan.execute_array(&x, &mut y).unwrap();
    let mut want = Array2::<f64>::zeros((8, 9));
    plan.execute_array(&copy, &mut want).unwrap();
    assert_eq!(y, want);
    assert_eq!(x, copy);
}

#[test]
fn a_broadcast_input_is_read() {
    let plan = plan("dct2 f64 5x4");
    let row = array![1.0, 2.0, 3.0, 4.0];
    let (mut y, mut want) = (Array2::<f64>::zeros((5, 4)), Array2::<f64>::zeros((5, 4)));
    plan.execute_array(&row.broadcast((5, 4)).unwrap(), &mut y).unwrap();
    plan.execute_array(&row.broadcast((5, 4)).unwrap().to_owned(), &mut want).unwrap();
    assert_eq!(y, want);
}

#[test]
fn views_are_transformed_in_place() {
    let plan = plan("dct4 f64 6x5");
    let mut x: Array2<f64> = random((5, 12));
    let mut want = Array2::<f64>::zeros((6, 5));
    plan.execute_array(&x.slice(s![.., ..;2]).t(), &mut want).unwrap();
    let rest = x.slice(s![.., 1..;2]).to_owned();
    plan.execute_array_in_place(&mut x.slice_mut(s![.., ..;2]).reversed_axes()).unwrap();
    assert_eq!(x.slice(s![.., ..;2]).t(), want);
    assert_eq!(x.slice(s![.., 1..;2]), rest);
}

#[test]
fn dimensions_may_be_dynamic_and_elements_complex() {
    let x: ArrayD<f64> = random(IxDyn(&[4, 6]));
    let mut half = ArrayD::<Complex<f64>>::zeros(IxDyn(&[4, 4]));
    plan("rfft f64 4x6").execute_array(&x, &mut half).unwrap();
    let mut restored = Array2::<f64>::zeros((4, 6));
    plan("irfft f64 4x6").execute_array(&half, &mut restored).unwrap();
    assert!((&restored.into_dyn() - &x).iter().all(|d| d.abs() < 1e-15));
    let z = x.mapv(|x| Complex::new(x, -2.0 * x));
    let (mut both, mut one) = (ArrayD::<Complex<f64>>::zeros(z.raw_dim()), ArrayD::<f64>::zeros(x.raw_dim()));
    plan("dct3 f64 4x6").execute_array(&z, &mut both).unwrap();
    plan("dct3 f64 4x6").execute_array(&x, &mut one).unwrap();
    assert_eq!(both, one.mapv(|y| Complex::new(y, -2.0 * y)));
}

#[test]
fn what_does_not_fit_is_refused() {
    let plan = plan("dct2 f64 3x4");
    let x: Array2<f64> = random((3, 4));
    let mut y = Array2::from_elem((3, 4), 7.0);
    let refused = |result: fourfold::Result<()>, hint: &str| {
        let error = result.expect_err(hint);
        assert!(error.kind() == ErrorKind::Argument && error.to_string().contains(hint), "{error}");
    };
    refused(plan.execute_array(&x.t(), &mut y), "the input has shape [4, 3], the problem needs [3, 4]");
    refused(plan.execute_array(&x, &mut y.slice_mut(s![.., 1..])), "the output has shape [3, 3]");
    refused(plan.execute_array(&x.view().insert_axis(Axis(0)), &mut y), "[1, 3, 4]");
    refused(plan.execute_array(&Array1::<f64>::zeros(12), &mut y), "[12]");
    refused(plan.execute_array(&Array2::<f64>::zeros((0, 4)), &mut y), "[0, 4]");
    refused(plan.execute_array(&Array2::<f32>::zeros((3, 4)), &mut y), "f32");
    refused(plan.execute_array_in_place(&mut y.view_mut().reversed_axes()), "the array has shape [4, 3]");
    let small = Planner::new().plan(&"dct2 f64 1".parse().unwrap()).unwrap();
    refused(plan.execute_array_with(&x, &mut y, &mut small.scratch()), "scratch");
    assert!(y.iter().all(|y| *y == 7.0));
}
