//! Solutions of −∇·∇u + c u = f against the stencil, applied point by point, and against analytic
//! solutions.

#[path = "../common/poisson.rs"]
mod common;
mod errors;

use common::{
    PAIRS, POSITIONS, all_axes, applied, error_in_box, error_with_boundary, greatest, indices, mean, random, symmetric,
    unit_axis,
};
use fourfold::poisson::{
    Axis, Boundary, Boundary::*, BoundaryValues, Eigenvalues, End, Equation, Float, Position, Solver,
};
use fourfold::{Kind, Planner};

fn solve<T: Float>(equation: &Equation, f: &[T], values: &BoundaryValues<'_, T>) -> Vec<T> {
    let mut u = vec![T::default(); f.len()];
    let solver = Solver::<T>::new(equation, &Planner::new()).unwrap();
    solver.solve_with_boundary(f, values, &mut u).unwrap();
    u
}

fn check<T: Float>(axes: &[Axis], c: f64, epsilon: f64) {
    common::check(axes, c, epsilon, &solve::<T>);
}

#[test]
fn the_stencil_has_no_residual_in_one_dimension() {
    for points in [2, 3, 8, 13, 60] {
        for axis in all_axes(points, 0.3) {
            check::<f64>(&[axis], 0.0, f64::EPSILON);
            check::<f64>(&[axis], 2.5, f64::EPSILON);
            check::<f32>(&[axis], 1.0, f32::EPSILON.into());
        }
    }
}

#[test]
fn the_stencil_has_no_residual_in_more_dimensions() {
    let (first, second) = (all_axes(5, 0.5), all_axes(6, 0.2));
    for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b))) {
        check::<f64>(&[a, b], 0.0, f64::EPSILON);
    }
    for i in 0..10 {
        let axes: Vec<_> = (0..4).map(|a| all_axes(3 + a, 0.1 * (a + 1) as f64)[(i * (a + 1) + a) % 10]).collect();
        check::<f64>(&axes[..3], 0.0, f64::EPSILON);
        check::<f64>(&axes, 0.0, f64::EPSILON);
        check::<f32>(&axes, 0.5, f32::EPSILON.into());
    }
    check::<f64>(&[Axis::cells(130, 0.1, Neumann), Axis::cells(70, 0.1, Neumann)], 0.0, f64::EPSILON);
}

/// Both neighbours of the node are the Dirichlet end, so that its value is the solution.
#[test]
fn a_single_node_between_different_ends_has_the_value_of_one() {
    for (ends, end) in [((Dirichlet, Neumann), End::Low), ((Neumann, Dirichlet), End::High)] {
        let equation = Equation::new([Axis::nodes(1, 0.3, ends)]).unwrap();
        let u = solve(&equation, &[0.0f64], &BoundaryValues::new().constant(0, end, 1.5));
        assert!((u[0] - 1.5).abs() < 1e-14, "{u:?}");
    }
}

#[test]
fn one_point_is_enough_but_for_neumann_nodes() {
    for axis in all_axes(1, 0.3) {
        match axis.kind().unwrap() {
            Kind::Dct1 => assert!(Equation::new([axis]).unwrap_err().to_string().contains("expected 2 or more")),
            _ => check::<f64>(&[axis], 1.0, f64::EPSILON),
        }
    }
}

/// The table of the documentation is that of the code.
#[test]
fn the_documented_table_is_the_codes() {
    for text in [include_str!("../../src/poisson/mod.rs"), include_str!("../../../../docs/poisson.md")] {
        let rows: Vec<Vec<_>> = text
            .lines()
            .map(|line| line.trim_start_matches("//! "))
            .filter(|line| ["| periodic |", "| Dirichlet |", "| Neumann |"].iter().any(|start| line.starts_with(start)))
            .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect())
            .filter(|row: &Vec<_>| row.len() == 6)
            .collect();
        assert_eq!(rows.len(), 9);
        let mut found = 0;
        for row in &rows {
            let boundary = |i: usize| row[i].to_lowercase().parse::<Boundary>().unwrap();
            for position in row[2].split(", ").map(|position| position.parse::<Position>().unwrap()) {
                let axis = Axis { points: 8, spacing: 1.0, ends: (boundary(0), boundary(1)).into(), position };
                let kind = axis.kind().unwrap();
                assert_eq!([kind.name(), kind.inverse().unwrap().name()], [row[3], row[4]], "{row:?}");
                let theta = theta(row[5], 8);
                let wave: Vec<f64> = spectrum(&axis);
                let near = |k: usize| (wave[k] - theta(k).min(std::f64::consts::TAU - theta(k)).powi(2)).abs() < 1e-12;
                assert!((0..8).all(near), "{row:?}: {wave:?}");
                found += 1;
            }
        }
        assert_eq!(found, 10);
    }
}

/// θ_k of the documentation's table.
fn theta(text: &str, n: usize) -> impl Fn(usize) -> f64 {
    let (above, below) = text.split_once('/').unwrap();
    let length = n as f64
        + if below.contains('+') {
            1.0
        } else if below.contains('−') {
            -1.0
        } else {
            0.0
        };
    let shift = if above.contains("½") {
        0.5
    } else if above.contains("+1") {
        1.0
    } else {
        0.0
    };
    let times = if above.starts_with('2') { 2.0 } else { 1.0 };
    move |k| times * std::f64::consts::PI * (k as f64 + shift) / length
}

/// The spectral eigenvalues of an axis, from the divisors of its pipeline with c = 1.
fn spectrum(axis: &Axis) -> Vec<f64> {
    let equation = Equation::new([*axis]).unwrap().c(1.0).eigenvalues(Eigenvalues::Spectral);
    let pipeline = equation.pipeline(fourfold::Precision::F64).unwrap();
    let Some(fourfold::Multiplier::ReciprocalSum(lists)) = pipeline.multiplier() else { panic!("one list") };
    lists[0].iter().map(|divisor| divisor - 1.0).collect()
}

#[test]
fn the_stencil_converges_with_order_two() {
    for (position, ends) in POSITIONS.into_iter().flat_map(|position| PAIRS.map(|ends| (position, ends))) {
        for c in [0.0, 3.0] {
            let [coarse, fine] = [64, 128].map(|n| error_with_boundary(unit_axis(position, ends, n), c, &solve));
            let order = (coarse / fine).log2();
            assert!((1.9..2.1).contains(&order), "{position} {ends:?} c = {c}: {coarse:e}, {fine:e}, order {order}");
        }
    }
}

/// u = Π u_a on boxes of two and three axes, with values at every end.
#[test]
fn the_stencil_converges_with_order_two_in_boxes() {
    let sorts =
        [(Position::Cells, (Dirichlet, Neumann)), (Position::Nodes, (Neumann, Dirichlet)), (Position::Cells, PAIRS[0])];
    for dimensions in [2, 3] {
        let error = |n: usize| {
            let axes: Vec<_> =
                sorts[..dimensions].iter().map(|(position, ends)| unit_axis(*position, *ends, n)).collect();
            error_in_box(&axes, &solve)
        };
        let (coarse, fine) = (error(16), error(32));
        let order = (coarse / fine).log2();
        assert!((1.85..2.15).contains(&order), "{dimensions} axes: {coarse:e}, {fine:e}, order {order}");
    }
}

#[test]
fn spectral_solutions_are_exact_for_smooth_data() {
    for (position, ends) in POSITIONS.into_iter().flat_map(|position| PAIRS.map(|ends| (position, ends))) {
        for c in [0.0, 3.0, -7.0] {
            let axis = unit_axis(position, ends, 48);
            let points: Vec<_> = (0..axis.points).map(|n| symmetric(ends, axis.coordinate(n))).collect();
            let mut exact: Vec<_> = points.iter().map(|[u, _]| *u).collect();
            let f: Vec<_> = points.iter().map(|[u, second]| c * u - second).collect();
            let equation = Equation::new([axis]).unwrap().c(c).eigenvalues(Eigenvalues::Spectral);
            let u = solve(&equation, &f, &BoundaryValues::new());
            if equation.is_singular() {
                let mean = mean(&[axis], &exact);
                exact.iter_mut().for_each(|exact| *exact -= mean);
            }
            let error = greatest(u.iter().zip(&exact).map(|(u, exact)| u - exact)) / greatest(exact.iter().copied());
            assert!(error <= 1e-12, "{position} {ends:?} c = {c}: {error:e}");
        }
    }
}

#[test]
fn spectral_solutions_are_exact_in_boxes() {
    let sorts = [(Position::Nodes, (Dirichlet, Neumann)), (Position::Cells, PAIRS[0]), (Position::Cells, PAIRS[2])];
    let axes = sorts.map(|(position, ends)| unit_axis(position, ends, 36));
    let part = |a: usize, n: usize| symmetric(sorts[a].1, axes[a].coordinate(n));
    let equation = Equation::new(axes).unwrap().c(2.0).eigenvalues(Eigenvalues::Spectral);
    let places: Vec<_> = (0..equation.unknowns()).map(|i| indices(&axes, i)).collect();
    let value = |n: &[usize]| (0..3).map(|a| part(a, n[a])[0]).product::<f64>();
    let second = |n: &[usize], a: usize| (0..3).map(|b| part(b, n[b])[usize::from(a == b)]).product::<f64>();
    let f: Vec<_> = places.iter().map(|n| 2.0 * value(n) - (0..3).map(|a| second(n, a)).sum::<f64>()).collect();
    let u = solve(&equation, &f, &BoundaryValues::new());
    let error = greatest(u.iter().zip(&places).map(|(u, n)| u - value(n)));
    assert!(error <= 1e-12 * greatest(places.iter().map(|n| value(n))), "{error:e}");
}

#[test]
fn a_heat_step_is_implicit() {
    for (position, ends) in POSITIONS.into_iter().flat_map(|position| PAIRS.map(|ends| (position, ends))) {
        let axes =
            [Axis { points: 9, spacing: 0.2, ends: ends.into(), position }, Axis::cells(7, 0.3, (Dirichlet, Neumann))];
        let (time, before) = (0.01, random(63));
        let solver = Solver::<f64>::new(&Equation::new(axes).unwrap().heat_step(time), &Planner::new()).unwrap();
        let mut u = vec![0.0; 63];
        solver.solve(&before, &mut u).unwrap();
        let residual = applied(&axes, 0.0, &u).into_iter().zip(&u).zip(&before).map(|((a, u), f)| u + time * a - f);
        let error = greatest(residual);
        assert!(error < 1e-14, "{axes:?}: {error:e}");
        // Heat that enters through an end is the same as a source next to it.
        let mut source = before.clone();
        source[6] += time * 2.0 / 0.3;
        source.iter_mut().skip(13).step_by(7).for_each(|f| *f += time * 2.0 / 0.3);
        let (mut entered, mut sourced) = (vec![0.0; 63], vec![0.0; 63]);
        solver.solve_with_boundary(&before, &BoundaryValues::new().constant(1, End::High, 2.0), &mut entered).unwrap();
        solver.solve(&source, &mut sourced).unwrap();
        assert!(greatest(entered.iter().zip(&sourced).map(|(a, b)| a - b)) < 1e-14);
    }
}

#[test]
fn results_do_not_depend_on_the_threads() {
    let equation = Equation::new([Axis::cells(90, 0.1, Neumann), Axis::nodes(70, 0.1, Periodic)]).unwrap().c(1.0);
    let f = random(90 * 70);
    let solved = |threads: usize| {
        let mut u = vec![0.0; f.len()];
        let planner = Planner::builder().threads(threads).build().unwrap();
        Solver::<f64>::new(&equation, &planner).unwrap().solve(&f, &mut u).unwrap();
        u
    };
    assert_eq!(solved(1), solved(3));
}
