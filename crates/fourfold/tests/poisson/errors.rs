//! Equations, right-hand sides and boundary values that are refused, and why.

use fourfold::poisson::{
    Axis, Boundary, Boundary::*, BoundaryValues, Eigenvalues, End, Ends, Equation, Float, Position, Solver,
};
use fourfold::{Error, Planner, Precision};

fn neumann() -> Equation {
    Equation::new([Axis::cells(4, 0.5, Neumann), Axis::nodes(5, 0.5, Neumann)]).unwrap()
}

fn says(error: Error, hint: &str) {
    assert!(error.to_string().contains(hint), "{error}");
}

#[test]
fn axes_that_do_not_exist_are_refused() {
    let refused = |axis: Axis, hint: &str| says(Equation::new([Axis::cells(4, 1.0, Neumann), axis]).unwrap_err(), hint);
    refused(
        Axis::cells(4, 1.0, (Periodic, Neumann)),
        "axis 1: the boundary `periodic:neumann`: expected `periodic` at both",
    );
    refused(Axis::nodes(4, 1.0, (Dirichlet, Periodic)), "`dirichlet:periodic`");
    for spacing in [0.0, -0.5, f64::NAN, f64::INFINITY] {
        refused(Axis::cells(4, spacing, Neumann), &format!("a spacing of {spacing}: expected a finite number above 0"));
    }
    refused(Axis::nodes(1, 1.0, Neumann), "1 points on an axis of nodes with `neumann`: expected 2 or more");
    refused(Axis::cells(0, 1.0, Dirichlet), "0 points on an axis of cells with `dirichlet`: expected 1 or more");
    says(Equation::new([]).unwrap_err(), "0 axes: expected 1 to 4");
    says(Equation::new([Axis::cells(2, 1.0, Neumann); 5]).unwrap_err(), "5 axes: expected 1 to 4");
}

#[test]
fn numbers_out_of_range_are_refused() {
    let refused = |equation: Equation, hint: &str| says(equation.pipeline(Precision::F64).unwrap_err(), hint);
    refused(neumann().c(f64::NAN), "c = NaN: expected a finite number");
    refused(neumann().heat_step(0.0), "a heat step of 0: expected a finite number above 0");
    refused(neumann().heat_step(f64::INFINITY), "a heat step of inf");
    for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
        let hint = format!("a tolerance of {tolerance}: expected a finite number from 0 on");
        refused(neumann().tolerance(tolerance), &hint);
        let checked = neumann().tolerance(tolerance).check_compatible(&[0.0; 20], &BoundaryValues::new());
        says(checked.unwrap_err(), &hint);
    }
    // 16 is the largest eigenvalue of the stencil on 2 periodic cells of ½.
    refused(Equation::new([Axis::cells(2, 0.5, Periodic)]).unwrap().c(-16.0), "c = -16 cancels the eigenvalue 16");
    let tiny = Equation::new([Axis::cells(4, 1e-30, Dirichlet)]).unwrap();
    assert!(tiny.pipeline(Precision::F64).is_ok());
    says(tiny.pipeline(Precision::F32).unwrap_err(), "out of the range of f32: expected spacings nearer to 1");
    // The number that is to blame is named, not another one.
    let dirichlet = |spacing| Equation::new([Axis::cells(4, spacing, Dirichlet)]).unwrap();
    for spacing in [1e200, 1e-200] {
        refused(dirichlet(spacing), &format!("follows from spacings of [{spacing:?}]"));
    }
    refused(dirichlet(1e-200).c(-1.0), "follows from spacings of [1e-200]");
    refused(
        neumann().c(1e-320),
        "follows from c = 1e-320, and is out of the range of f64: expected 0 or a number nearer",
    );
    refused(neumann().c(1e308), "follows from c = 1e308");
    refused(dirichlet(1.0).heat_step(1e308), "follows from a heat step of 1e308");
    // The stencil on 2 periodic cells of 2 has the eigenvalues 0 and 1.
    refused(
        Equation::new([Axis::cells(2, 2.0, Periodic)]).unwrap().c(-2.0).heat_step(1.0),
        "c = -2 and a heat step of 1 make the factor 1 + time (λ + c) zero for the eigenvalue λ = 1",
    );
    // These are 2^40 sums, of which only the ends are checked.
    let long = Equation::new([Axis::cells(1 << 20, 1.0, Dirichlet), Axis::nodes(1 << 20, 1.0, Dirichlet)]).unwrap();
    assert!(long.pipeline(Precision::F64).is_ok() && long.c(1.0).pipeline(Precision::F64).is_ok());
    let huge = Equation::new([Axis::cells(1 << 40, 1.0, Dirichlet), Axis::cells(1 << 40, 1.0, Dirichlet)]).unwrap();
    assert!(huge.pipeline(Precision::F64).is_err());
}

#[test]
fn incompatible_right_hand_sides_are_refused_with_the_amount() {
    // The same of sums over all points, in which ends of Neumann nodes count half.
    let sums = |sums| neumann().check_compatible_sums(sums, Precision::F64);
    assert!(sums([1e-9, 1.0]).is_ok() && sums([-1e-7, 1.0]).is_err());
    says(sums([f64::NAN, 1.0]).unwrap_err(), "a sum over the right-hand side is NaN");
    says(sums([0.0, f64::INFINITY]).unwrap_err(), "is inf: expected finite numbers");
    assert_eq!([0, 1, 3].map(|i| Axis::nodes(4, 1.0, Neumann).weight(i)), [0.5, 1.0, 0.5]);
    let solver = Solver::<f64>::new(&neumann(), &Planner::new()).unwrap();
    let (mut f, mut u) = ([1.0; 20], [7.0; 20]);
    says(solver.solve(&f, &mut u).unwrap_err(), "|Σ f| is 1e0 of Σ |f|. Expected at most 1e-8: subtract the mean, 1e0");
    // The solution is that for f without its mean, which is 0 here.
    assert!(u.iter().all(|u| u.abs() < 1e-15), "{u:?}");
    // Two cells of opposite sign, of which one is an end of nodes and counts half.
    f = [0.0; 20];
    (f[7], f[5]) = (3.0, -3.0);
    says(solver.solve(&f, &mut u).unwrap_err(), "|Σ f| is 3.333333333333333e-1 of Σ |f|");
    f[5] = -6.0;
    solver.solve(&f, &mut u).unwrap();
    // What enters at an end is part of the right-hand side: 2/h at the node, which counts half.
    let values = BoundaryValues::new().constant(1, End::Low, 1.0);
    let error = solver.solve_with_boundary(&[0.0; 20], &values, &mut u).unwrap_err();
    says(error, "subtract the mean, 5e-1");
    let leaves = values.constant(1, End::High, -1.0);
    solver.solve_with_boundary(&[0.0; 20], &leaves, &mut u).unwrap();
    let tolerant = Solver::<f64>::new(&neumann().tolerance(1.0), &Planner::new()).unwrap();
    tolerant.solve(&[1.0; 20], &mut u).unwrap();
    assert!(u.iter().all(|u| u.abs() < 1e-15), "{u:?}");
    assert!(neumann().check_compatible(&[1.0f32; 20], &BoundaryValues::new()).is_err());
    assert!(neumann().c(1.0).check_compatible(&[1.0f32; 20], &BoundaryValues::new()).is_ok());
}

/// Sums over parts of 5×4 points, each with its weight.
#[test]
fn sums_of_parts_have_the_weights_of_the_whole() {
    let equation = Equation::new([Axis::nodes(5, 1.0, Neumann), Axis::nodes(4, 1.0, Neumann)]).unwrap();
    for ranges in [[0..5, 0..4], [0..2, 1..3], [4..5, 3..4], [2..2, 0..4], [0..5, 2..2]] {
        let points: Vec<_> = ranges[0].clone().flat_map(|i| ranges[1].clone().map(move |j| (i, j))).collect();
        let f: Vec<_> = points.iter().map(|(i, j)| (7 * i + 3 * j) as f64 - 9.0).collect();
        let weights = points.iter().map(|(i, j)| equation.axes()[0].weight(*i) * equation.axes()[1].weight(*j));
        let expected = weights.zip(&f).fold([0.0; 2], |[sum, size], (w, x)| [sum + w * x, size + w * x.abs()]);
        assert_eq!(equation.sums_of_part(&f, &ranges).unwrap(), expected, "{ranges:?}");
        says(equation.sums_of_part(&[1.0; 21], &ranges).unwrap_err(), "21 elements in");
    }
    says(
        equation.sums_of_part(&[1.0; 4], &[5..6, 0..4]).unwrap_err(),
        "4 elements in [5..6, 0..4] of the shape [5, 4]",
    );
    says(equation.sums_of_part(&[1.0; 5], &[]).unwrap_err(), "of the shape [5, 4]");
}

#[test]
fn lists_have_an_entry_for_each_axis_or_one_for_all() {
    let on = |ends: &[Ends], spacings: &[f64]| Equation::on_shape(&[5, 4], ends, &[Position::Cells], spacings);
    let ends = [Ends::from(Neumann), (Dirichlet, Neumann).into()];
    let expected = Equation::new([Axis::cells(5, 0.5, ends[0]), Axis::cells(4, 0.5, ends[1])]).unwrap();
    assert_eq!(on(&ends, &[0.5]).unwrap(), expected);
    says(on(&ends, &[1.0; 3]).unwrap_err(), "3 spacings for 2 axes: expected 1 or 2");
    says(on(&[], &[1.0]).unwrap_err(), "0 boundary conditions for 2 axes");
}

/// Of sums that are infinite or NaN no comparison tells anything.
#[test]
fn right_hand_sides_without_a_finite_sum_are_refused() {
    fn refused<T: Float>(f: &[T; 20], hint: &str) {
        let solver = Solver::<T>::new(&neumann().tolerance(1.0), &Planner::new()).unwrap();
        let (none, mut u) = (BoundaryValues::new(), [T::default(); 20]);
        says(solver.solve(f, &mut u).unwrap_err(), hint);
        says(solver.solve_with_boundary(f, &none, &mut u).unwrap_err(), hint);
        says(neumann().check_compatible(f, &none).unwrap_err(), hint);
    }
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for at in [0, 7, 19] {
            let mut f = [0.0; 20];
            f[at] = bad;
            let place = [at / 5, at % 5];
            refused(&f, &format!("the right-hand side is {bad} at {place:?}: expected finite numbers"));
        }
    }
    let mut both = [0.0; 20];
    (both[3], both[4]) = (f64::INFINITY, f64::NEG_INFINITY);
    refused(&both, "the right-hand side is inf at [0, 3]");
    refused(&[1e308; 20], "the sum of the right-hand side, of up to 1e308, overflows: expected smaller numbers");
    // In `f32` the sum is that of `f64`, but the transform overflows.
    let mut large = [3e38f32; 20];
    large[10..].fill(-3e38);
    let solver = Solver::<f32>::new(&neumann(), &Planner::new()).unwrap();
    says(solver.solve(&large, &mut [0.0; 20]).unwrap_err(), "overflows");
}

/// A NaN is in all of the solution of other equations, as documented.
#[test]
fn a_nan_spreads_to_the_whole_solution() {
    let solver = Solver::<f64>::new(&neumann().c(1.0), &Planner::new()).unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        let (mut f, mut u) = ([1.0; 20], [0.0; 20]);
        f[8] = bad;
        solver.solve(&f, &mut u).unwrap();
        assert!(u.iter().all(|u| !u.is_finite()), "{u:?}");
    }
}

/// What enters at two ends cancels the sources inside but for rounding errors, which are small beside
/// either.
#[test]
fn the_tolerance_is_relative_to_the_terms_before_they_cancel() {
    for (points, spacing) in [(1, 0.3), (2, 0.3), (2, 0.7), (3, 0.1)] {
        let equation = Equation::new([Axis::cells(points, spacing, Neumann)]).unwrap();
        let f = vec![-2.2 / spacing / points as f64; points];
        let values = BoundaryValues::new().constant(0, End::Low, 1.1).constant(0, End::High, 1.1);
        equation.check_compatible(&f, &values).unwrap();
        let mut u = vec![0.0; points];
        Solver::<f64>::new(&equation, &Planner::new()).unwrap().solve_with_boundary(&f, &values, &mut u).unwrap();
        // With three times the sources, 6.6 and −2.2 remain: half of all that comes and goes.
        let more = f.iter().map(|f| 3.0 * f).collect::<Vec<_>>();
        let check = |tolerance| equation.clone().tolerance(tolerance).check_compatible(&more, &values);
        says(check(0.499).unwrap_err(), "|Σ f|, with the terms of boundary values, is ");
        check(0.501).unwrap();
    }
}

/// A sum just above the tolerance is refused, and one just below it is not, for every axis without
/// Dirichlet's condition, long signals, and scratch that another solve has used.
#[test]
fn the_tolerance_decides_for_every_singular_equation() {
    fn check<T: Float + From<f32>>(axes: &[Axis], tolerance: f64) {
        let solver =
            |tolerance| Solver::<T>::new(&Equation::new(axes).unwrap().tolerance(tolerance), &Planner::new()).unwrap();
        let (strict, tolerant) = (solver(tolerance / 1.01), solver(tolerance * 1.01));
        let unknowns = strict.equation().unknowns();
        // 1 and −1 inside the box, where points count whole, and the rest at one of them.
        let [low, high] = [1, 3].map(|n| axes.iter().fold(0, |at, axis| at * axis.points + n));
        let mut f = vec![T::default(); unknowns];
        let sum = tolerance * 2.0 / (1.0 - tolerance);
        (f[low], f[high]) = (T::from(-1.0), T::from((1.0 + sum) as f32));
        let (mut u, mut scratch) = (vec![T::default(); unknowns], strict.plan().scratch());
        tolerant.solve_with(&f, &mut u, &mut scratch).unwrap();
        let error = strict.solve_with(&f, &mut u, &mut scratch).unwrap_err();
        says(error, "the right-hand side has no solution");
        f[high] = T::from(1.0);
        strict.solve_with(&f, &mut u, &mut scratch).unwrap();
    }
    let sorts: [fn(usize) -> Axis; 3] =
        [|n| Axis::cells(n, 0.1, Neumann), |n| Axis::nodes(n, 0.1, Neumann), |n| Axis::cells(n, 0.1, Periodic)];
    for (a, b) in sorts.iter().flat_map(|a| sorts.iter().map(move |b| (a, b))) {
        for tolerance in [0.25, 1e-3] {
            check::<f64>(&[a(12)], tolerance);
            check::<f64>(&[a(4096)], tolerance);
            check::<f64>(&[a(8), b(33)], tolerance);
            check::<f32>(&[a(8), b(33)], tolerance);
            check::<f64>(&[a(5), b(6), a(7)], tolerance);
        }
    }
}

#[test]
fn arrays_and_values_that_do_not_fit_are_refused() {
    let axes = [Axis::cells(4, 0.5, Dirichlet), Axis::nodes(5, 0.5, Periodic)];
    let equation = Equation::new(axes).unwrap();
    let solver = Solver::<f64>::new(&equation, &Planner::new()).unwrap();
    let (f, mut u) = ([0.0; 20], [0.0; 20]);
    says(
        solver.solve(&f[..19], &mut u).unwrap_err(),
        "the right-hand side has 19 elements: expected 20 of shape [4, 5]",
    );
    says(solver.solve(&f, &mut u[..19]).unwrap_err(), "the solution has 19 elements");
    let none = BoundaryValues::new();
    says(solver.solve_with_boundary(&f, &none, &mut u[..19]).unwrap_err(), "the solution has 19 elements");
    let mut refused = |values: BoundaryValues<'_, f64>, hint: &str| {
        says(solver.solve_with_boundary(&f, &values, &mut u).unwrap_err(), hint);
    };
    refused(BoundaryValues::new().constant(2, End::Low, 1.0), "boundary values at axis 2: the equation has 2 axes");
    refused(BoundaryValues::new().constant(1, End::Low, 1.0), "axis 1, which is periodic and has no ends");
    refused(BoundaryValues::new().list(0, End::High, &[1.0; 4]), "4 boundary values at axis 0: expected 5");
    let low = BoundaryValues::new().constant(0, End::Low, 1.0);
    refused(low.clone().list(0, End::Low, &[1.0; 5]), "the low end of axis 0 has boundary values twice: expected once");
    refused(low.constant(0, End::High, f64::NAN), "a boundary value of NaN at axis 0: expected finite numbers");
    let large = BoundaryValues::new().constant(0, End::High, 1e308);
    refused(large, "boundary values add inf to the right-hand side at [3, 0], which is then out of the range of f64");
    let spectral = equation.eigenvalues(Eigenvalues::Spectral);
    let values = BoundaryValues::new().constant(0, End::Low, 1.0);
    says(spectral.add_boundary_values(&values, &mut [0.0; 20]).unwrap_err(), "expected those of the stencil");
}

#[test]
fn conditions_and_positions_are_texts() {
    assert_eq!("dirichlet:neumann".parse::<Ends>().unwrap(), Ends::from((Dirichlet, Neumann)));
    assert_eq!("periodic".parse::<Ends>().unwrap().to_string(), "periodic");
    assert_eq!(Ends::from((Neumann, Dirichlet)).to_string(), "neumann:dirichlet");
    assert_eq!("nodes".parse::<Position>().unwrap(), Position::Nodes);
    says("robin".parse::<Boundary>().unwrap_err(), "the boundary `robin`: expected periodic, dirichlet or neumann");
    says("a:b:c".parse::<Ends>().unwrap_err(), "the boundary `a`");
    says("faces".parse::<Position>().unwrap_err(), "the position `faces`: expected cells or nodes");
}
