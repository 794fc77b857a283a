//! Solutions on a device: the residual of the stencil, and the order of convergence.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../fourfold/tests/common/poisson.rs"]
mod oracle;

use common::present;
use fourfold::poisson::{Axis, Boundary::*, BoundaryValues, Eigenvalues, Equation, Float, Position, Solver};
use fourfold::{Planner, Precision};
use fourfold_gpu::GpuPlanner;
use fourfold_gpu::poisson::GpuSolver;
use oracle::{PAIRS, POSITIONS, all_axes, check, error_in_box, error_with_boundary, greatest, random, unit_axis};

fn solve<T: Float>(planner: &GpuPlanner, equation: &Equation, f: &[T], values: &BoundaryValues<'_, T>) -> Vec<T> {
    let mut u = vec![T::default(); f.len()];
    GpuSolver::<T>::new(equation, planner).unwrap().solve_with_boundary(f, values, &mut u).unwrap();
    u
}

#[test]
fn the_stencil_has_no_residual() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    let (axes, others) = (all_axes(12, 0.3), all_axes(9, 0.2));
    for i in [0, 3, 5, 8] {
        let both = [axes[i], others[(3 * i + 1) % others.len()]];
        check::<f32>(&both, 1.0, f32::EPSILON.into(), &|equation, f, values| solve(&planner, equation, f, values));
    }
    let three = [axes[1], others[7], others[0]];
    check::<f64>(&three, 0.5, f64::EPSILON, &|equation, f, values| solve(&planner, equation, f, values));
}

#[test]
fn the_stencil_converges_with_order_two() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    let solve = |equation: &Equation, f: &[f64], values: &BoundaryValues<'_, f64>| solve(&planner, equation, f, values);
    for (position, ends) in POSITIONS.into_iter().flat_map(|position| PAIRS.map(|ends| (position, ends))) {
        let [coarse, fine] = [64, 128].map(|n| error_with_boundary(unit_axis(position, ends, n), 0.0, &solve));
        let order = (coarse / fine).log2();
        assert!((1.9..2.1).contains(&order), "{position} {ends:?}: {coarse:e}, {fine:e}, order {order}");
    }
    let sorts =
        [(Position::Cells, (Dirichlet, Neumann)), (Position::Nodes, (Neumann, Dirichlet)), (Position::Cells, PAIRS[0])];
    for dimensions in [2, 3] {
        let [coarse, fine] = [16, 32].map(|n| {
            let axes = sorts[..dimensions].iter().map(|(position, ends)| unit_axis(*position, *ends, n));
            error_in_box(&axes.collect::<Vec<_>>(), &solve)
        });
        let order = (coarse / fine).log2();
        assert!((1.85..2.15).contains(&order), "{dimensions} axes: {coarse:e}, {fine:e}, order {order}");
    }
}

#[test]
fn spectral_solutions_and_heat_steps_are_those_of_the_cpu() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device.clone());
    let axes = [Axis::cells(24, 0.1, Neumann), Axis::nodes(15, 0.2, Dirichlet)];
    let spectral = Equation::new(axes).unwrap().c(-0.7).eigenvalues(Eigenvalues::Spectral);
    for equation in [spectral, Equation::new(axes).unwrap().heat_step(0.05)] {
        let f = random(24 * 15);
        let mut here = vec![0.0; f.len()];
        Solver::<f64>::new(&equation, &Planner::new()).unwrap().solve(&f, &mut here).unwrap();
        let there = GpuSolver::<f64>::new(&equation, &planner).unwrap();
        let (f, mut u, mut found) = (device.upload(&f).unwrap(), device.array(f.len()).unwrap(), vec![0.0; f.len()]);
        there.solve_on(&f, &mut u).unwrap();
        u.download(&mut found).unwrap();
        let error = greatest(here.iter().zip(&found).map(|(a, b)| a - b)) / greatest(here.iter().copied());
        assert!(error < 1e-14, "{error:e}");
    }
}

#[test]
fn incompatible_right_hand_sides_are_refused() {
    let Some(device) = present() else { return };
    let equation = Equation::new([Axis::cells(8, 0.5, Neumann)]).unwrap();
    let solver = GpuSolver::<f32>::new(&equation, &GpuPlanner::new(device)).unwrap();
    let error = solver.solve(&[1.0; 8], &mut [0.0; 8]).unwrap_err().to_string();
    assert!(error.contains("|Σ f| is 1e0 of Σ |f|"), "{error}");
    assert!(solver.solve(&[0.0; 7], &mut [0.0; 8]).unwrap_err().to_string().contains("7 elements: expected 8"));
    let values = BoundaryValues::new().constant(0, fourfold::poisson::End::Low, 1.0);
    assert!(solver.solve_with_boundary(&[0.0; 8], &values, &mut [0.0; 8]).is_err());
    assert!(equation.c(f64::NAN).pipeline(Precision::F32).is_err());
}
