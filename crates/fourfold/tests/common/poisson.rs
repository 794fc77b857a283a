//! Boundary-value problems with their stencils, applied point by point, and analytic solutions.

use fourfold::poisson::{Axis, Boundary, Boundary::*, BoundaryValues, End, Ends, Equation, Float, Position};

/// Every pair of conditions that exists.
pub(crate) const PAIRS: [(Boundary, Boundary); 5] =
    [(Periodic, Periodic), (Dirichlet, Dirichlet), (Neumann, Neumann), (Dirichlet, Neumann), (Neumann, Dirichlet)];

pub(crate) const POSITIONS: [Position; 2] = [Position::Cells, Position::Nodes];

pub(crate) fn all_axes(points: usize, spacing: f64) -> Vec<Axis> {
    let pairs = POSITIONS.into_iter().flat_map(|position| PAIRS.map(|ends| (position, ends)));
    pairs.map(|(position, ends)| Axis { points, spacing, ends: ends.into(), position }).collect()
}

/// The matrix −d²/dx² of an axis by its definition: the value that the stencil reads beyond
/// an end is that of the condition.
fn matrix(axis: &Axis) -> Vec<Vec<f64>> {
    let (n, h) = (axis.points, axis.spacing);
    let mut matrix = vec![vec![0.0; n]; n];
    for i in 0..n {
        matrix[i][i] += 2.0 / (h * h);
        let low = (i.wrapping_sub(1), axis.ends.low, 1, n - 1);
        let high = (i + 1, axis.ends.high, n.wrapping_sub(2), 0);
        for (beside, boundary, mirrored, wrapped) in [low, high] {
            // A value beyond an end is that of a point inside, with a sign.
            let (j, sign) = match (boundary, axis.position) {
                _ if beside < n => (beside, 1.0),
                (Periodic, _) => (wrapped, 1.0),
                (Dirichlet, Position::Cells) => (i, -1.0),
                (Neumann, Position::Cells) => (i, 1.0),
                (Dirichlet, Position::Nodes) => continue,
                (Neumann, Position::Nodes) => (mirrored, 1.0),
            };
            // The mirror image of the only point's neighbour is at the other end, where u = 0.
            if j < n {
                matrix[i][j] -= sign / (h * h);
            }
        }
    }
    matrix
}

/// −∇·∇u + c u by the matrices of all axes.
pub(crate) fn applied(axes: &[Axis], c: f64, u: &[f64]) -> Vec<f64> {
    let mut result: Vec<f64> = u.iter().map(|u| c * u).collect();
    let mut inner = u.len();
    for axis in axes {
        let (matrix, n) = (matrix(axis), axis.points);
        inner /= n;
        for at in 0..u.len() {
            let (row, start) = (at / inner % n, at - at / inner % n * inner);
            result[at] += (0..n).map(|j| matrix[row][j] * u[start + j * inner]).sum::<f64>();
        }
    }
    result
}

/// The weight of a point in sums: half for each axis of which it is an end between Neumann nodes.
fn weight(axes: &[Axis], mut at: usize) -> f64 {
    let mut weight = 1.0;
    for axis in axes.iter().rev() {
        let i = at % axis.points;
        at /= axis.points;
        let halves = axis.position == Position::Nodes && axis.ends == Ends::from(Neumann);
        weight *= if halves && (i == 0 || i + 1 == axis.points) { 0.5 } else { 1.0 };
    }
    weight
}

pub(crate) fn mean(axes: &[Axis], x: &[f64]) -> f64 {
    let weights: Vec<_> = (0..x.len()).map(|at| weight(axes, at)).collect();
    x.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>() / weights.iter().sum::<f64>()
}

pub(crate) fn random(count: usize) -> Vec<f64> {
    let mut source = fastrand::Rng::with_seed(7);
    (0..count).map(|_| 2.0 * source.f64() - 1.0).collect()
}

pub(crate) fn greatest(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().fold(0.0, |a, x| a.max(x.abs()))
}

/// The solution of an equation with boundary values on some engine.
pub(crate) type Solve<'a, T> = &'a dyn Fn(&Equation, &[T], &BoundaryValues<'_, T>) -> Vec<T>;

/// Checks the residual of a random right-hand side, in the rounding errors of ‖A‖ ‖u‖.
pub(crate) fn check<T: Float>(axes: &[Axis], c: f64, epsilon: f64, solve: Solve<'_, T>) {
    let equation = Equation::new(axes).unwrap().c(c);
    let mut f = random(equation.unknowns());
    if equation.is_singular() {
        let mean = mean(axes, &f);
        f.iter_mut().for_each(|f| *f -= mean);
    }
    let f: Vec<T> = f.into_iter().map(T::nearest).collect();
    let u: Vec<f64> = solve(&equation, &f, &BoundaryValues::new()).into_iter().map(Into::into).collect();
    let norm = c.abs() + axes.iter().map(|axis| 4.0 / axis.spacing.powi(2)).sum::<f64>();
    let residual = applied(axes, c, &u).into_iter().zip(&f).map(|(a, f)| a - Into::<f64>::into(*f));
    let (error, size) = (greatest(residual), norm * greatest(u.iter().copied()));
    assert!(error <= 8.0 * epsilon * size, "{axes:?}, c = {c}: {:e} rounding errors", error / size / epsilon);
    if equation.is_singular() {
        assert!(mean(axes, &u).abs() <= 8.0 * epsilon * greatest(u.iter().copied()), "{axes:?}: {:e}", mean(axes, &u));
    }
}

/// A smooth function with its first and second derivative. It fulfils no condition except that it
/// has the period 1 if asked.
pub(crate) fn smooth(x: f64, periodic: bool) -> [f64; 3] {
    let (w, add) = if periodic { (std::f64::consts::TAU, 0.0) } else { (2.3, 0.4) };
    let (s, c) = (w * x + add).sin_cos();
    [s.exp(), w * c * s.exp(), w * w * (c * c - s) * s.exp()]
}

/// An axis of length 1 with about `n` points.
pub(crate) fn unit_axis(position: Position, ends: (Boundary, Boundary), n: usize) -> Axis {
    let points = match (position, ends) {
        (Position::Nodes, (Dirichlet, Dirichlet)) => n - 1,
        (Position::Nodes, (Neumann, Neumann)) => n + 1,
        _ => n,
    };
    Axis { points, spacing: 1.0 / n as f64, ends: ends.into(), position }
}

/// The greatest error of the stencil's solution with inhomogeneous boundary values.
pub(crate) fn error_with_boundary(axis: Axis, c: f64, solve: Solve<'_, f64>) -> f64 {
    let periodic = axis.ends.low == Periodic;
    let points: Vec<_> = (0..axis.points).map(|n| smooth(axis.coordinate(n), periodic)).collect();
    assert!((axis.length() - 1.0).abs() < 1e-12);
    let f: Vec<_> = points.iter().map(|[u, _, second]| c * u - second).collect();
    let mut values = BoundaryValues::new();
    for (end, x, boundary, outward) in [(End::Low, 0.0, axis.ends.low, -1.0), (End::High, 1.0, axis.ends.high, 1.0)] {
        let [u, slope, _] = smooth(x, periodic);
        values = match boundary {
            Periodic => values,
            Dirichlet => values.constant(0, end, u),
            Neumann => values.constant(0, end, outward * slope),
        };
    }
    let equation = Equation::new([axis]).unwrap().c(c).tolerance(1.0);
    let u = solve(&equation, &f, &values);
    let mut difference: Vec<_> = u.iter().zip(&points).map(|(u, [exact, ..])| u - exact).collect();
    if equation.is_singular() {
        let mean = mean(&[axis], &difference);
        difference.iter_mut().for_each(|difference| *difference -= mean);
    }
    greatest(difference)
}

/// The indices of point `at` along all axes.
pub(crate) fn indices(axes: &[Axis], mut at: usize) -> Vec<usize> {
    let mut indices: Vec<_> = axes.iter().rev().map(|axis| (at % axis.points, at /= axis.points).0).collect();
    indices.reverse();
    indices
}

pub(crate) fn error_in_box(axes: &[Axis], solve: Solve<'_, f64>) -> f64 {
    let part = |a: usize, x: f64| smooth(x, axes[a].ends.low == Periodic);
    let at = |i: usize| indices(axes, i).iter().enumerate().map(|(a, n)| axes[a].coordinate(*n)).collect::<Vec<_>>();
    let value = |x: &[f64]| (0..x.len()).map(|a| part(a, x[a])[0]).product::<f64>();
    let equation = Equation::new(axes).unwrap().c(1.0);
    let points: Vec<_> = (0..equation.unknowns()).map(at).collect();
    let laplacian = |x: &[f64]| (0..x.len()).map(|a| value(x) * part(a, x[a])[2] / part(a, x[a])[0]).sum::<f64>();
    let f: Vec<_> = points.iter().map(|x| value(x) - laplacian(x)).collect();
    let mut lists = vec![];
    for (a, axis) in axes.iter().enumerate().filter(|(_, axis)| axis.ends.low != Periodic) {
        for (end, x, boundary, outward) in [(End::Low, 0.0, axis.ends.low, -1.0), (End::High, 1.0, axis.ends.high, 1.0)]
        {
            let side = (0..points.len()).filter(|i| indices(axes, *i)[a] == 0).map(|i| {
                let mut place = points[i].clone();
                place[a] = x;
                let [u, slope, _] = part(a, x);
                value(&place) * if boundary == Neumann { outward * slope / u } else { 1.0 }
            });
            lists.push((a, end, side.collect::<Vec<_>>()));
        }
    }
    let values = lists.iter().fold(BoundaryValues::new(), |values, (a, end, list)| values.list(*a, *end, list));
    let u = solve(&equation, &f, &values);
    greatest(u.iter().zip(&points).map(|(u, x)| u - value(x)))
}

/// u = b(ωx) exp(cos kπx) has the symmetries of the conditions at 0 and 1: b is a sine or cosine.
pub(crate) fn symmetric(ends: (Boundary, Boundary), x: f64) -> [f64; 2] {
    use std::f64::consts::{FRAC_PI_2, PI};
    let (w, quarter, k) = match ends {
        (Periodic, _) => (0.0, FRAC_PI_2, 2.0 * PI),
        (Neumann, Neumann) => (0.0, FRAC_PI_2, PI),
        (Dirichlet, Dirichlet) => (PI, 0.0, PI),
        (Dirichlet, _) => (FRAC_PI_2, 0.0, PI),
        _ => (FRAC_PI_2, FRAC_PI_2, PI),
    };
    let (b, slope) = (w * x + quarter).sin_cos();
    let (g, [first, second]) = ((k * x).cos(), [-k * (k * x).sin(), -k * k * (k * x).cos()]);
    [b * g.exp(), (2.0 * w * slope * first - w * w * b + b * (second + first * first)) * g.exp()]
}
