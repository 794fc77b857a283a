//! Tests charged cells on a grid against sums over all coefficients in double precision.

mod circuit;
mod dreamplace;
mod errors;

use fourfold::Planner;
use fourfold::baseline::Algorithm;
use fourfold::electrostatics::{Cells, Electrostatics, Float, Grid, Maps, Scaling};
use std::f64::consts::PI;

const SHAPES: [[usize; 2]; 8] = [[2, 2], [2, 7], [3, 2], [5, 9], [8, 8], [12, 7], [16, 31], [20, 6]];

fn planner(threads: usize) -> Planner {
    Planner::builder().threads(threads).build().unwrap()
}

/// A region whose bins are not square.
fn grid(bins: [usize; 2]) -> Grid {
    Grid::new([-1.5, 2.0], [7.0, 5.25], bins).unwrap()
}

/// Cells that own their memory.
struct Board<T> {
    low: [Vec<T>; 2],
    size: [Vec<T>; 2],
}

impl<T: Float> Board<T> {
    /// Random cells in the region. Some of them extend beyond its edges.
    fn random(grid: &Grid, count: usize, seed: u64) -> Board<T> {
        let mut source = fastrand::Rng::with_seed(seed);
        let [low, high] = grid.region();
        let mut list = |axis: usize, from: f64, to: f64| -> Vec<T> {
            let extent = high[axis] - low[axis];
            (0..count).map(|_| T::nearest((from + (to - from) * source.f64()) * extent)).collect()
        };
        let size = [list(0, 0.0, 0.3), list(1, 0.0, 0.3)];
        let corner = [list(0, -0.1, 0.95), list(1, -0.1, 0.95)];
        // Cells that are outside of the region are moved into it.
        let low = [0, 1].map(|axis| {
            let place =
                |(at, size): (&T, &T)| T::nearest(((*at).into() + low[axis]).max(low[axis] - (*size).into() / 2.0));
            corner[axis].iter().zip(&size[axis]).map(place).collect()
        });
        Board { low, size }
    }

    fn cells(&self) -> Cells<'_, T> {
        Cells { low: [&self.low[0], &self.low[1]], size: [&self.size[0], &self.size[1]] }
    }

    /// [low, high] of cell i along an axis.
    fn span(&self, i: usize, axis: usize) -> [f64; 2] {
        let low: f64 = self.low[axis][i].into();
        [low, low + self.size[axis][i].into()]
    }
}

/// The length of the intersection of two intervals.
fn intersection(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[1].min(b[1]) - a[0].max(b[0])).max(0.0)
}

/// The interval of bin i along an axis.
fn bin(grid: &Grid, axis: usize, i: usize) -> [f64; 2] {
    let (low, size) = (grid.region()[0][axis], grid.bin_size()[axis]);
    [low + i as f64 * size, low + (i as f64 + 1.0) * size]
}

/// The area of the intersection of cell c with every bin.
fn areas<T: Float>(grid: &Grid, board: &Board<T>, c: usize) -> Vec<f64> {
    let [m, n] = grid.bins();
    let along = |axis: usize, i: usize| intersection(board.span(c, axis), bin(grid, axis, i));
    (0..m * n).map(|b| along(0, b / n) * along(1, b % n)).collect()
}

fn close(what: &str, found: &[impl Float], wanted: &[f64], bound: f64) {
    let scale = wanted.iter().fold(f64::MIN_POSITIVE, |a, b| a.max(b.abs()));
    assert_eq!(found.len(), wanted.len());
    for (i, (&f, w)) in found.iter().zip(wanted).enumerate() {
        let error = (f.into() - w).abs() / scale;
        assert!(error <= bound, "{what}, element {i}: {} instead of {w}, {error:e}", f.into());
    }
}

fn bound<T: Float>() -> f64 {
    if size_of::<T>() == 4 { 3e-6 } else { 2e-14 }
}

/// The unit of length. DREAMPlace's is the width of a bin.
fn unit(grid: &Grid, scaling: Scaling) -> f64 {
    if scaling == Scaling::Dreamplace { grid.bin_size()[0] } else { 1.0 }
}

/// The solution of Poisson's equation and its negative gradient, summed coefficient by coefficient.
fn by_definition(grid: &Grid, scaling: Scaling, density: &[f64]) -> [Vec<f64>; 3] {
    let ([m, n], [bx, by], unit) = (grid.bins(), grid.bin_size(), unit(grid, scaling));
    let angle = |u: usize, i: usize, n: usize| PI * ((u * (2 * i + 1)) % (4 * n)) as f64 / (2 * n) as f64;
    let bins = || (0..m).flat_map(|i| (0..n).map(move |j| (i, j)));
    let mut maps = [0, 1, 2].map(|_| vec![0.0; m * n]);
    for (u, v) in bins().skip(1) {
        let sum: f64 = bins().map(|(i, j)| density[i * n + j] * angle(u, i, m).cos() * angle(v, j, n).cos()).sum();
        let a = 4.0 / (m * n) as f64 * sum;
        let half = |index: usize| if index == 0 { 0.5 } else { 1.0 };
        let (ku, kv) = (PI * u as f64 / (m as f64 * bx) * unit, PI * v as f64 / (n as f64 * by) * unit);
        let square = ku * ku + kv * kv;
        let (phi, x, y) = (a / square, a * ku / square, a * kv / square);
        for (i, j) in bins() {
            let (p, q) = (angle(u, i, m), angle(v, j, n));
            maps[0][i * n + j] += half(u) * half(v) * phi * p.cos() * q.cos();
            maps[1][i * n + j] += half(v) * x * p.sin() * q.cos();
            maps[2][i * n + j] += half(u) * y * p.cos() * q.sin();
        }
    }
    maps
}

fn solved<T: Float>(
    grid: Grid,
    scaling: Scaling,
    algorithm: Option<Algorithm>,
    threads: usize,
    board: &Board<T>,
) -> Maps<T> {
    let system = Electrostatics::builder(grid).scaling(scaling).algorithm(algorithm).build(&planner(threads)).unwrap();
    let mut maps = system.maps().unwrap();
    system.solve(board.cells(), &mut maps).unwrap();
    maps
}

fn maps_are_their_definitions<T: Float>() {
    let algorithms = [None, Some("three-stage".parse().unwrap()), Some("row-column".parse().unwrap())];
    for (bins, scaling) in SHAPES.into_iter().flat_map(|b| [Scaling::Dreamplace, Scaling::Physical].map(|s| (b, s))) {
        let grid = grid(bins);
        let board = Board::<T>::random(&grid, 40, 3);
        for algorithm in algorithms {
            let maps = solved(grid, scaling, algorithm, 2, &board);
            let what = format!("{bins:?} {scaling:?} {algorithm:?}");
            let area: f64 = grid.bin_size().iter().product();
            let mut density = vec![0.0; grid.count()];
            for c in 0..40 {
                density.iter_mut().zip(areas(&grid, &board, c)).for_each(|(sum, part)| *sum += part / area);
            }
            close(&format!("{what} density"), maps.density(), &density, bound::<T>());
            let density: Vec<f64> = maps.density().iter().map(|&x| x.into()).collect();
            let [potential, x, y] = by_definition(&grid, scaling, &density);
            close(&format!("{what} potential"), maps.potential().unwrap(), &potential, bound::<T>());
            // If the field along one axis is zero, the scale is that of the other axis.
            let both = |a: &[f64], b: &[f64]| a.iter().chain(b).copied().collect::<Vec<_>>();
            let found: Vec<T> = maps.field().concat();
            close(&format!("{what} field"), &found, &both(&x, &y), bound::<T>());
        }
    }
}

#[test]
fn maps_are_their_definitions_f64() {
    maps_are_their_definitions::<f64>();
}

#[test]
fn maps_are_their_definitions_f32() {
    maps_are_their_definitions::<f32>();
}

#[test]
fn forces_and_energy_are_their_sums() {
    for (bins, scaling) in SHAPES.into_iter().flat_map(|b| [Scaling::Dreamplace, Scaling::Physical].map(|s| (b, s))) {
        let grid = grid(bins);
        let board = Board::<f64>::random(&grid, 30, 5);
        let system = Electrostatics::builder(grid).scaling(scaling).build(&planner(2)).unwrap();
        let mut maps = system.maps().unwrap();
        system.solve(board.cells(), &mut maps).unwrap();
        let forces = system.forces(board.cells(), &maps).unwrap();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for axis in 0..2 {
            let wanted: Vec<f64> = (0..30).map(|c| dot(&areas(&grid, &board, c), maps.field()[axis])).collect();
            close(&format!("{bins:?} force {axis}"), &forces[axis], &wanted, 1e-13);
        }
        let sum = dot(maps.density(), maps.potential().unwrap());
        let [bx, by] = grid.bin_size();
        let wanted = if scaling == Scaling::Physical { sum * bx * by / 2.0 } else { sum };
        close("energy", &[system.energy(&maps).unwrap()], &[wanted], 1e-13);
        assert!(wanted > 0.0);
    }
}

/// Widened cells act as cells of the larger size with a smaller density.
#[test]
fn small_cells_are_widened_about_their_centres() {
    let grid = grid([10, 12]);
    let [bx, by] = grid.bin_size();
    let least = 2f64.sqrt();
    let small =
        Board { low: [vec![1.0, 2.0], vec![3.0, 3.2]], size: [vec![0.1 * bx, 3.0 * bx], vec![0.2 * by, 0.5 * by]] };
    let wide = Board {
        low: [
            vec![1.0 + (0.1 - least) / 2.0 * bx, 2.0],
            vec![3.0 + (0.2 - least) / 2.0 * by, 3.2 + (0.5 - least) / 2.0 * by],
        ],
        size: [vec![least * bx, 3.0 * bx], vec![least * by, least * by]],
    };
    let thinner = [0.1 / least * (0.2 / least), 0.5 / least];
    let system = Electrostatics::<f64>::builder(grid).smoothing(least).build(&planner(1)).unwrap();
    let mut maps = system.maps().unwrap();
    system.solve(small.cells(), &mut maps).unwrap();
    let all = [0, 1].map(|c| areas(&grid, &wide, c).iter().map(|area| area * thinner[c]).collect::<Vec<_>>());
    let wanted: Vec<f64> = all[0].iter().zip(&all[1]).map(|(a, b)| (a + b) / (bx * by)).collect();
    close("density", maps.density(), &wanted, 1e-13);
    let forces = system.forces(small.cells(), &maps).unwrap();
    for axis in 0..2 {
        let force = |c: usize| all[c].iter().zip(maps.field()[axis]).map(|(area, field)| area * field).sum();
        close("force", &forces[axis], &[force(0), force(1)], 1e-12);
    }
}

/// The total area is conserved if no cell is clipped.
#[test]
fn the_density_has_the_area_of_the_cells() {
    let grid = Grid::new([0.0, 0.0], [10.0, 6.0], [17, 23]).unwrap();
    let mut source = fastrand::Rng::with_seed(1);
    let size = [0, 1].map(|_| (0..500).map(|_| source.f64()).collect::<Vec<f64>>());
    let low = [9.0, 5.0].map(|most| (0..500).map(|_| source.f64() * most).collect::<Vec<f64>>());
    let board = Board { low, size };
    let maps = solved(grid, Scaling::default(), None, 3, &board);
    let area: f64 = board.size[0].iter().zip(&board.size[1]).map(|(w, h)| w * h).sum();
    let sum = maps.density().iter().sum::<f64>() * grid.bin_size().iter().product::<f64>();
    assert!((sum - area).abs() < 1e-12 * area, "{sum} instead of {area}");
}

/// The field is the gradient of the potential: −∂φ/∂x, at the centres of bins, of the function with
/// these cosine coefficients. Central differences multiply each of its waves by sinc(k b): (φ(x +
/// b) − φ(x − b))/(2b) = −Σ sin(k b)/(k b) · ξ_k sin(k x). This identity is exact, with φ mirrored
/// at the boundary (Neumann).
#[test]
fn the_field_is_the_gradient_of_the_potential() {
    for bins in SHAPES {
        let grid = grid(bins);
        let board = Board::<f64>::random(&grid, 25, 8);
        for scaling in [Scaling::Physical, Scaling::Dreamplace] {
            let unit = unit(&grid, scaling);
            let maps = solved(grid, scaling, None, 1, &board);
            for axis in 0..2 {
                let differences = central_differences(&grid, maps.potential().unwrap(), axis, unit);
                let seen = seen_by_differences(&grid, maps.field()[axis], axis);
                let scale = maps.field().concat().iter().fold(0.0f64, |a, b| a.max(b.abs()));
                let worst = differences.iter().zip(&seen).map(|(d, s)| (d + s).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-13 * scale, "{bins:?} {scaling:?} axis {axis}: {worst:e} of {scale:e}");
            }
        }
    }
}

/// The lines of a map along an axis: (first, stride, length).
fn lines([m, n]: [usize; 2], axis: usize) -> Vec<(usize, usize, usize)> {
    if axis == 0 { (0..n).map(|j| (j, n, m)).collect() } else { (0..m).map(|i| (i * n, 1, n)).collect() }
}

fn central_differences(grid: &Grid, map: &[f64], axis: usize, unit: f64) -> Vec<f64> {
    let (mut result, step) = (vec![0.0; map.len()], grid.bin_size()[axis] / unit);
    for (first, stride, len) in lines(grid.bins(), axis) {
        let at = |i: usize| map[first + i * stride];
        for i in 0..len {
            let (before, after) = (at(i.saturating_sub(1)), at((i + 1).min(len - 1)));
            result[first + i * stride] = (after - before) / (2.0 * step);
        }
    }
    result
}

/// Σ_u sin(ω_u)/ω_u · s_u sin(ω_u (i + ½)) of lines Σ_u s_u sin(ω_u (i + ½)), ω_u = πu/N, 0 < u <
/// N.
fn seen_by_differences(grid: &Grid, map: &[f64], axis: usize) -> Vec<f64> {
    let mut result = vec![0.0; map.len()];
    for (first, stride, len) in lines(grid.bins(), axis) {
        for u in 1..len {
            let w = PI * u as f64 / len as f64;
            let sine = |i: usize| (w * (i as f64 + 0.5)).sin();
            let s = 2.0 / len as f64 * (0..len).map(|i| map[first + i * stride] * sine(i)).sum::<f64>();
            (0..len).for_each(|i| result[first + i * stride] += w.sin() / w * s * sine(i));
        }
    }
    result
}

/// The forces on a symmetric arrangement of cells are symmetric, and their sum is zero.
#[test]
fn the_total_force_is_zero_where_all_is_symmetric() {
    for bins in [[8, 8], [9, 14], [15, 15]] {
        let grid = Grid::new([0.0, 0.0], [9.0, 7.0], bins).unwrap();
        let half = Board::<f64>::random(&Grid::new([0.0, 0.0], [4.0, 3.0], [2, 2]).unwrap(), 20, 4);
        let reflected = |axis: usize, extent: f64| {
            let list = half.low[axis].iter().zip(&half.size[axis]);
            list.map(move |(low, size)| extent - low - size).collect::<Vec<_>>()
        };
        let both = |a: &[f64], b: &[f64]| [a, b].concat();
        let board = Board {
            low: [both(&half.low[0], &reflected(0, 9.0)), both(&half.low[1], &reflected(1, 7.0))],
            size: [both(&half.size[0], &half.size[0]), both(&half.size[1], &half.size[1])],
        };
        let system = Electrostatics::builder(grid).smoothing(1.0).build(&planner(1)).unwrap();
        let mut maps = system.maps().unwrap();
        system.solve(board.cells(), &mut maps).unwrap();
        for forces in system.forces(board.cells(), &maps).unwrap() {
            let (total, size) = (forces.iter().sum::<f64>(), forces.iter().map(|f| f.abs()).sum::<f64>());
            assert!(size > 0.0 && total.abs() < 1e-13 * size, "{bins:?}: {total:e} of {size:e}");
            (0..20).for_each(|c| assert!((forces[c] + forces[c + 20]).abs() < 1e-13 * size));
        }
    }
}

/// Cells that move along the forces spread, and the energy decreases with every step.
#[test]
fn the_energy_falls_as_cells_follow_the_forces() {
    let grid = Grid::new([0.0, 0.0], [32.0, 32.0], [32, 32]).unwrap();
    let mut source = fastrand::Rng::with_seed(7);
    let mut board = Board {
        low: [0, 1].map(|_| (0..600).map(|_| 12.0 + 8.0 * source.f64()).collect::<Vec<_>>()),
        size: [vec![1.0; 600], vec![1.0; 600]],
    };
    let system =
        Electrostatics::builder(grid).scaling(Scaling::Physical).smoothing(2f64.sqrt()).build(&planner(2)).unwrap();
    let mut maps = system.maps().unwrap();
    let mut energies = vec![];
    let mut overflow = vec![];
    for _ in 0..60 {
        system.solve(board.cells(), &mut maps).unwrap();
        energies.push(system.energy(&maps).unwrap());
        overflow.push(system.spreader().overflow(maps.density(), 1.0).unwrap());
        let most = maps.density().iter().fold(0.0f64, |a, b| a.max(*b));
        for (axis, forces) in system.forces(board.cells(), &maps).unwrap().iter().enumerate() {
            // All areas are 1, so the velocity equals the force.
            let place = |(low, force): (&mut f64, &f64)| *low = (*low + 0.3 / most * force).clamp(0.0, 31.0);
            board.low[axis].iter_mut().zip(forces).for_each(place);
        }
    }
    assert!(energies.windows(2).all(|pair| pair[1] < pair[0]), "{energies:?}");
    assert!(overflow[0] > 0.8 && overflow[59] < 0.1, "{overflow:?}");
}

/// Results have the same bits for any number of threads, and for repeated executions.
#[test]
fn threads_change_no_bit() {
    let grid = grid([37, 29]);
    let board = Board::<f32>::random(&grid, 5000, 2);
    let run = |threads: usize| {
        let system = Electrostatics::builder(grid).smoothing(1.5).build(&planner(threads)).unwrap();
        let mut maps = system.maps().unwrap();
        system.solve(board.cells(), &mut maps).unwrap();
        let forces = system.forces(board.cells(), &maps).unwrap();
        let overflow = system.spreader().overflow(maps.density(), 0.5).unwrap();
        let energy = system.energy(&maps).unwrap();
        (maps.density().to_vec(), maps.potential().unwrap().to_vec(), maps.field().concat(), forces, overflow, energy)
    };
    let wanted = run(1);
    (1..=5).for_each(|threads| assert!(run(threads) == wanted, "{threads} threads"));
}

#[test]
fn the_field_alone_is_the_same_field() {
    let grid = grid([12, 18]);
    let board = Board::<f64>::random(&grid, 30, 6);
    for algorithm in [None, Some("three-stage".parse().unwrap())] {
        let with = solved(grid, Scaling::Physical, algorithm, 1, &board);
        let system = Electrostatics::builder(grid).scaling(Scaling::Physical).algorithm(algorithm).potential(false);
        let system = system.build(&planner(1)).unwrap();
        let mut maps = system.maps().unwrap();
        system.solve(board.cells(), &mut maps).unwrap();
        assert_eq!(maps.field(), with.field());
        assert!(maps.potential().unwrap_err().to_string().contains("potential(true)"));
        assert!(system.energy(&maps).is_err());
    }
}
