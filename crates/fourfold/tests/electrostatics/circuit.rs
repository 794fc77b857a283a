//! Tests circuits: fixed cells, movable cells and fillers, against overlaps of all cells with all
//! bins.

use fourfold::Planner;
use fourfold::electrostatics::{Cells, Circuit, Float, Grid, Outside, Scaling, Spreader};

fn planner(threads: usize) -> Planner {
    Planner::builder().threads(threads).build().unwrap()
}

/// Cells as x, y, width and height.
struct List<T>([Vec<T>; 4]);

impl<T: Float> List<T> {
    fn new(cells: &[[f64; 4]]) -> List<T> {
        List([0, 1, 2, 3].map(|i| cells.iter().map(|cell| T::nearest(cell[i])).collect()))
    }

    fn cells(&self) -> Cells<'_, T> {
        let [x, y, width, height] = &self.0;
        Cells { low: [x, y], size: [width, height] }
    }
}

/// The cells as rectangles.
fn rectangles<T: Float>(cells: Cells<'_, T>) -> Vec<[f64; 4]> {
    let [[x, y], [width, height]] = [cells.low, cells.size];
    (0..x.len()).map(|i| [x[i].into(), y[i].into(), width[i].into(), height[i].into()]).collect()
}

/// A region of 10 by 6 whose bins are not square.
fn grid() -> Grid {
    Grid::new([-3.0, 2.0], [7.0, 8.0], [16, 15]).unwrap()
}

/// Macros, of which two overlap and two extend beyond the region; terminals without size, at the
/// border and outside.
const FIXED: [[f64; 4]; 8] = [
    [-1.0, 3.0, 2.5, 1.7],
    [0.5, 3.9, 2.0, 2.2],
    [5.5, 6.5, 3.0, 3.0],
    [-4.0, 2.5, 1.3, 0.4],
    [2.0, 5.0, 0.0, 0.0],
    [7.0, 3.0, 0.2, 0.2],
    [9.0, 3.0, 1.0, 1.0],
    [1.0, 9.5, 0.1, 0.1],
];

/// Cells far smaller than a bin, cells of some bins, and cells at the border.
fn movable() -> Vec<[f64; 4]> {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut cell = |most: f64| {
        let size = [most * rng.f64(), most * rng.f64()];
        [(10.0 - size[0]) * rng.f64() - 3.0, (6.0 - size[1]) * rng.f64() + 2.0, size[0], size[1]]
    };
    let mut cells: Vec<_> = (0..65).map(|i| cell(if i < 60 { 0.3 } else { 2.0 })).collect();
    cells.extend([[-3.0, 2.0, 0.1, 0.1], [6.9, 7.9, 0.1, 0.1], [1.0, 1.0 + 1.0, 0.0, 0.5]]);
    cells
}

/// The length of the intersection of the interval from `at` with a bin.
fn overlap(grid: &Grid, axis: usize, bin: usize, at: f64, extent: f64) -> f64 {
    let from = grid.region()[0][axis] + bin as f64 * grid.bin_size()[axis];
    ((at + extent).min(from + grid.bin_size()[axis]) - at.max(from)).max(0.0)
}

/// Adds the part of each bin that the rectangle covers, times its density.
fn cover(grid: &Grid, map: &mut [f64], [x, y, width, height]: [f64; 4], density: f64) {
    let (n, area) = (grid.bins()[1], grid.bin_size().iter().product::<f64>());
    for (b, part) in map.iter_mut().enumerate() {
        *part += density * overlap(grid, 0, b / n, x, width) * overlap(grid, 1, b % n, y, height) / area;
    }
}

/// The density of fixed cells for the target density.
fn fixed_density(grid: &Grid, cells: &[[f64; 4]], target: f64) -> Vec<f64> {
    let mut map = vec![0.0; grid.count()];
    cells.iter().for_each(|&cell| cover(grid, &mut map, cell, 1.0));
    map.iter().map(|part| target * part.min(1.0)).collect()
}

/// Adds the density of cells that are widened to √2 bins about their centres, with their charge.
fn add_widened(grid: &Grid, map: &mut [f64], cells: &[[f64; 4]]) {
    for &[x, y, width, height] in cells {
        let [wide, high] = grid.bin_size().map(|side| 2f64.sqrt() * side);
        let [wide, high] = [wide.max(width), high.max(height)];
        let at = [x + width / 2.0 - wide / 2.0, y + height / 2.0 - high / 2.0];
        cover(grid, map, [at[0], at[1], wide, high], width * height / (wide * high));
    }
}

fn close<T: Float>(what: &str, found: &[T], wanted: &[f64], bound: f64) {
    for (b, (&found, wanted)) in found.iter().zip(wanted).enumerate() {
        let found: f64 = found.into();
        assert!((found - wanted).abs() <= bound, "{what}, bin {b}: {found} instead of {wanted}");
    }
}

fn densities_are_sums_of_overlaps<T: Float>(bound: f64) {
    let (grid, planner) = (grid(), planner(2));
    let (fixed, movable) = (List::<T>::new(&FIXED), List::<T>::new(&movable()));
    for (target, fillers) in [(1.0, true), (0.7, true), (0.7, false)] {
        let circuit = Circuit::builder(grid, movable.cells()).fixed(fixed.cells());
        let circuit = circuit.target_density(target).fillers(fillers).build(&planner).unwrap();
        assert_eq!(circuit.target_density(), target);
        let what = format!("target {target}");
        let mut wanted = fixed_density(&grid, &rectangles(fixed.cells()), target);
        add_widened(&grid, &mut wanted, &rectangles(movable.cells()));
        let mut found = vec![T::default(); grid.count()];
        let overflow = circuit.overflow(&mut found).unwrap();
        close(&format!("{what} without fillers"), &found, &wanted, bound);
        let area: f64 = rectangles(movable.cells()).iter().map(|[_, _, width, height]| width * height).sum();
        let more: f64 = wanted.iter().map(|density| (density - target).max(0.0)).sum();
        let wanted_overflow = more * grid.bin_size().iter().product::<f64>() / area;
        assert!(wanted_overflow > 0.01 && (overflow - wanted_overflow).abs() < 100.0 * bound, "{what}: {overflow}");

        assert_eq!(circuit.fillers().low[0].is_empty(), !fillers);
        add_widened(&grid, &mut wanted, &rectangles(circuit.fillers()));
        circuit.add_fillers(&mut found).unwrap();
        close(&format!("{what} with fillers"), &found, &wanted, bound);
        let system = circuit.system().build(&planner).unwrap();
        let mut maps = system.maps().unwrap();
        system.solve(circuit.cells(), &mut maps).unwrap();
        close(&format!("{what} of the system"), maps.density(), &wanted, bound);
    }
}

#[test]
fn densities_are_sums_of_overlaps_f64() {
    densities_are_sums_of_overlaps::<f64>(1e-13);
}

#[test]
fn densities_are_sums_of_overlaps_f32() {
    densities_are_sums_of_overlaps::<f32>(4e-6);
}

/// No bin has more of a fixed density than the target, and bins inside a macro have all of it.
#[test]
fn fixed_density_is_capped_by_the_target() {
    let fixed = List::<f64>::new(&[[1.0, 1.0, 4.0, 4.0], [2.0, 2.0, 4.0, 4.0], [2.0, 2.0, 4.0, 4.0]]);
    let none = List::<f64>::new(&[]);
    let grid = Grid::new([0.0, 0.0], [8.0, 8.0], [8, 8]).unwrap();
    let circuit = Circuit::builder(grid, none.cells()).fixed(fixed.cells()).target_density(0.6);
    let circuit = circuit.build(&planner(1)).unwrap();
    let mut density = vec![0.0; 64];
    assert_eq!(circuit.overflow(&mut density).unwrap(), 0.0);
    for (b, density) in density.iter().enumerate() {
        let inside = |from: usize, to: usize| (from..to).contains(&(b / 8)) && (from..to).contains(&(b % 8));
        assert_eq!(*density, if inside(1, 5) || inside(2, 6) { 0.6 } else { 0.0 }, "bin {b}");
    }
}

#[test]
fn all_charge_is_the_target_density_of_the_region() {
    // Bins are smaller than cells, so no cell is widened and none loses charge at the border.
    let grid = Grid::new([0.0, 0.0], [20.0, 10.0], [64, 32]).unwrap();
    let cells: Vec<_> =
        (0..40).map(|i| [f64::from(i % 8), f64::from(i / 8), 1.0, 0.5 + 0.025 * f64::from(i)]).collect();
    let (fixed, movable) = (List::<f64>::new(&[[12.0, 1.0, 5.0, 6.0]]), List::<f64>::new(&cells));
    let circuit = Circuit::builder(grid, movable.cells()).fixed(fixed.cells()).target_density(0.9);
    let circuit = circuit.build(&planner(2)).unwrap();
    let bin: f64 = grid.bin_size().iter().product();
    let area = |cells: &[[f64; 4]]| cells.iter().map(|[_, _, width, height]| width * height).sum::<f64>();
    let charge = |density: &[f64]| density.iter().sum::<f64>() * bin;
    let mut density = vec![0.0; grid.count()];
    circuit.overflow(&mut density).unwrap();
    assert!((charge(&density) - (0.9 * 30.0 + area(&cells))).abs() < 1e-11);
    circuit.add_fillers(&mut density).unwrap();
    let filler = rectangles(circuit.fillers())[0];
    assert!((charge(&density) - 0.9 * 200.0).abs() <= 0.5 * filler[2] * filler[3] + 1e-11, "{}", charge(&density));
}

/// Fillers have the mean size of all but the 5 % of the smallest and of the largest, and they take
/// what the target density leaves of the free area.
#[test]
fn fillers_fill_the_free_area() {
    // The mean of 2 … 19 is 10.5. That of the heights is 2 without the two of 50.
    let widths = (0..40).map(|i| f64::from(i / 2 + 1));
    let cells: Vec<_> =
        widths.enumerate().map(|(i, width)| [1.0, 1.0, width, if i < 2 { 50.0 } else { 2.0 }]).collect();
    let (fixed, movable) = (List::<f64>::new(&[[50.0, 50.0, 50.0, 50.0]]), List::<f64>::new(&cells));
    let grid = Grid::new([0.0, 0.0], [100.0, 100.0], [64, 64]).unwrap();
    let circuit = Circuit::builder(grid, movable.cells()).fixed(fixed.cells()).target_density(0.8);
    let circuit = circuit.build(&planner(1)).unwrap();
    let area: f64 = cells.iter().map(|[_, _, width, height]| width * height).sum();
    let fillers = rectangles(circuit.fillers());
    assert_eq!(fillers.len(), ((0.8 * 7500.0 - area) / (10.5 * 2.0)).round() as usize);
    for [x, y, width, height] in &fillers {
        assert!((width - 10.5).abs() < 1e-12 && (height - 2.0).abs() < 1e-12);
        assert!(*x >= 0.0 && *y >= 0.0 && x + width <= 100.0 && y + height <= 100.0);
    }
    // They are everywhere: a quarter of them in each quarter, up to a few.
    let left_low = fillers.iter().filter(|[x, y, ..]| *x < 44.75 && *y < 49.0).count();
    assert!(left_low.abs_diff(fillers.len() / 4) < 8, "{left_low} of {}", fillers.len());
    assert_eq!(circuit.cells().low[0].len(), 40 + fillers.len());
    // Tiny cells make fillers of a quarter of a bin, so that memory suffices.
    let tiny = List::<f64>::new(&[[1.0, 1.0, 1e-9, 1e-9]]);
    let circuit = Circuit::builder(grid, tiny.cells()).build(&planner(1)).unwrap();
    assert_eq!(circuit.fillers().low[0].len(), 16 * 64 * 64);
}

#[test]
fn a_target_below_the_utilisation_is_raised() {
    let grid = Grid::new([0.0, 0.0], [10.0, 10.0], [10, 10]).unwrap();
    let (fixed, movable) = (List::<f64>::new(&[[0.0, 0.0, 10.0, 5.0]]), List::<f64>::new(&[[5.0, 5.0, 4.0, 5.0]; 2]));
    let built = |fixed: &List<f64>| {
        let circuit = Circuit::builder(grid, movable.cells()).fixed(fixed.cells()).target_density(0.5);
        circuit.build(&planner(1)).unwrap()
    };
    assert!((built(&fixed).target_density() - 0.8).abs() < 1e-15);
    assert!(built(&fixed).fillers().low[0].is_empty());
    // Without a free area the target is 1, but without movable cells it is what was asked for.
    let everything = List::new(&[[0.0, 0.0, 10.0, 10.0]]);
    assert_eq!(built(&everything).target_density(), 1.0);
    let none = List::new(&[]);
    let circuit = Circuit::builder(grid, none.cells()).fixed(everything.cells()).target_density(0.5);
    assert_eq!(circuit.build(&planner(1)).unwrap().target_density(), 0.5);
}

/// The total force is zero in a circuit that is its own image under a half turn.
#[test]
fn the_total_force_is_zero_in_a_symmetric_circuit() {
    let turned = |[x, y, width, height]: [f64; 4]| [10.0 - x - width, 6.0 - y - height, width, height];
    let both = |cells: &[[f64; 4]]| [cells.to_vec(), cells.iter().copied().map(turned).collect()].concat();
    let macros = List::<f64>::new(&both(&[[0.5, 0.5, 2.0, 1.5], [-1.0, 4.0, 2.0, 1.0]]));
    let mut rng = fastrand::Rng::with_seed(8);
    let half: Vec<_> = (0..50).map(|_| [4.0 * rng.f64(), 5.0 * rng.f64(), 0.5 * rng.f64(), 0.4 * rng.f64()]).collect();
    let movable = List::<f64>::new(&both(&half));
    for bins in [[16, 12], [15, 9]] {
        let grid = Grid::new([0.0, 0.0], [10.0, 6.0], bins).unwrap();
        let circuit = Circuit::builder(grid, movable.cells()).fixed(macros.cells()).fillers(false);
        let circuit = circuit.target_density(0.9).build(&planner(1)).unwrap();
        let system = circuit.system().build(&planner(1)).unwrap();
        let mut maps = system.maps().unwrap();
        system.solve(circuit.cells(), &mut maps).unwrap();
        for forces in system.forces(circuit.cells(), &maps).unwrap() {
            let (total, size) = (forces.iter().sum::<f64>(), forces.iter().map(|f| f.abs()).sum::<f64>());
            assert!(size > 0.1 && total.abs() < 1e-13 * size, "{bins:?}: {total:e} of {size:e}");
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let (fixed, movable) = (List::<f32>::new(&FIXED), List::<f32>::new(&movable()));
    let run = |threads: usize| {
        let planner = planner(threads);
        let mut circuit = Circuit::builder(grid(), movable.cells()).fixed(fixed.cells()).build(&planner).unwrap();
        let system = circuit.system().build(&planner).unwrap();
        let mut maps = system.maps().unwrap();
        system.solve(circuit.cells(), &mut maps).unwrap();
        let forces = system.forces(circuit.cells(), &maps).unwrap();
        circuit.follow(&forces, 0.1).unwrap();
        let overflow = circuit.overflow(maps.density_mut()).unwrap();
        (forces, circuit.cells().low.concat(), overflow, maps.density().to_vec())
    };
    let wanted = run(1);
    (2..=4).for_each(|threads| assert!(run(threads) == wanted, "{threads} threads"));
}

/// So many that each of four threads sorts a part of them; many charge the same bin.
#[test]
fn sums_over_many_cells_are_the_same_on_all_threads() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut list = |low: f64, most: f64| (0..6000).map(|_| low + most * rng.f64()).collect::<Vec<f64>>();
    let (low, size) = ([list(-3.0, 9.0), list(2.0, 5.0)], [list(0.0, 1.0), list(0.0, 1.0)]);
    let cells = Cells { low: [&low[0], &low[1]], size: [&size[0], &size[1]] };
    let run = |threads: usize| {
        let spreader = Spreader::new(Grid::new([-3.0, 2.0], [7.0, 8.0], [40, 24]).unwrap(), 1.5, &planner(threads));
        let (spreader, mut map) = (spreader.unwrap(), vec![0.0; 40 * 24]);
        spreader.density(cells, &mut map).unwrap();
        let forces = spreader.forces(cells, [&map, &map]).unwrap();
        (map, forces)
    };
    let wanted = run(1);
    (2..=4).for_each(|threads| assert!(run(threads) == wanted, "{threads} threads"));
    assert!(wanted.1[0].iter().all(|force| *force > 0.0), "every cell has its force");
}

#[test]
fn cells_outside_the_region_are_clipped_or_moved_and_counted() {
    let fixed = List::<f64>::new(&FIXED);
    let movable =
        List::<f64>::new(&[[0.0, 3.0, 1.0, 1.0], [-9.0, 3.0, 1.0, 2.0], [6.5, 7.75, 1.0, 0.5], [8.0, 9.0, 0.0, 0.0]]);
    let circuit = Circuit::builder(grid(), movable.cells()).fixed(fixed.cells()).build(&planner(1)).unwrap();
    // The terminal at (7, 3) touches the region.
    assert_eq!(circuit.outside(), Outside { clipped: 3, ignored: 2, moved: 3 });
    let wanted = [[0.0, 3.0, 1.0, 1.0], [-3.0, 3.0, 1.0, 2.0], [6.0, 7.5, 1.0, 0.5], [7.0, 8.0, 0.0, 0.0]];
    assert_eq!(rectangles(circuit.movable()), wanted);
    // In single precision 0.1 is more than it is in double precision.
    let grid = Grid::new([0.0, 0.0], [0.1, 0.1], [4, 4]).unwrap();
    let movable = List::<f32>::new(&[[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.01, 0.01]]);
    let circuit = Circuit::builder(grid, movable.cells()).build(&planner(1)).unwrap();
    circuit.overflow(&mut [0.0; 16]).unwrap();
}

#[test]
fn circuits_that_cannot_be_are_errors() {
    let hint = |cells: &[[f64; 4]], fixed: &[[f64; 4]], target: f64, hint: &str| {
        let (movable, fixed) = (List::<f64>::new(cells), List::<f64>::new(fixed));
        let circuit = Circuit::builder(grid(), movable.cells()).fixed(fixed.cells()).target_density(target);
        let error = circuit.build(&planner(1)).err().unwrap().to_string();
        assert!(error.contains(hint), "{error}");
    };
    let (good, nan, inf) = ([0.0, 3.0, 1.0, 1.0], f64::NAN, f64::INFINITY);
    hint(&[good, [0.0, 3.0, -1.0, 1.0]], &[], 1.0, "movable cell 1 has size [-1.0, 1.0]: expected finite numbers of 0");
    hint(&[[0.0, 3.0, nan, 1.0]], &[], 1.0, "movable cell 0 has size");
    hint(&[[0.0, 3.0, 1.0, inf]], &[], 1.0, "movable cell 0 has size");
    hint(&[[nan, 3.0, 1.0, 1.0]], &[], 1.0, "movable cell 0 is at [NaN, 3]");
    hint(&[[0.0, 3.0, 1.0, 7.0]], &[], 1.0, "movable cell 0 has height 7: expected at most 6");
    hint(&[[0.0, 3.0, 1e300, 1.0]], &[], 1.0, "has width 1");
    hint(&[], &[good, good, [0.0, 3.0, 1.0, -0.5]], 1.0, "fixed cell 2 has size [1.0, -0.5]");
    hint(&[], &[[0.0, -inf, 1.0, 1.0]], 1.0, "fixed cell 0 is at [0, -inf]: expected finite numbers");
    for target in [0.0, -0.5, 1.5, nan] {
        hint(&[good], &[], target, "expected more than 0 and at most 1");
    }
    let uneven = Cells { low: [&[1.0][..], &[1.0]], size: [&[1.0], &[]] };
    assert!(Circuit::builder(grid(), uneven).build(&planner(1)).err().unwrap().to_string().contains("0 heights"));
    let error = Circuit::builder(grid(), Cells { low: [&[], &[]], size: [&[], &[]] }).fixed(uneven).build(&planner(1));
    assert!(error.err().unwrap().to_string().contains("0 heights"));
    // A macro of any size covers the region.
    let (none, large) = (List::<f64>::new(&[]), List::<f64>::new(&[[-1e308, -1e308, 1.5e308, 1.5e308]]));
    let circuit = Circuit::builder(grid(), none.cells()).fixed(large.cells()).build(&planner(1)).unwrap();
    let mut density = vec![0.0; 240];
    circuit.overflow(&mut density).unwrap();
    assert!(density.iter().all(|density| *density == 1.0));
}

#[test]
fn maps_and_forces_of_other_lengths_are_errors() {
    let movable = List::<f64>::new(&movable());
    let mut circuit = Circuit::builder(grid(), movable.cells()).fillers(false).build(&planner(1)).unwrap();
    assert!(circuit.overflow(&mut [0.0; 3]).unwrap_err().to_string().contains("16 x 15 bins"));
    assert!(circuit.add_fillers(&mut [0.0; 3]).unwrap_err().to_string().contains("16 x 15 bins"));
    let error = circuit.follow(&[vec![0.0; 68], vec![0.0; 67]], 1.0).unwrap_err();
    assert!(error.to_string().contains("68 forces along x and 67 along y: expected 68"), "{error}");
    let fixed = |map: Vec<f64>| circuit.system().fixed_density(map).build(&planner(1)).err().unwrap().to_string();
    assert!(fixed(vec![0.0; 16]).contains("fixed density map has 16 elements"));
    assert!(fixed([vec![0.0; 239], vec![f64::NAN]].concat()).contains("bin 239 is NaN: expected finite"));
}

/// Cells that are gathered at the centre spread around macros until the overflow is below 10 %.
#[test]
fn gathered_cells_spread_around_macros() {
    let side = vec![[0.0, 0.0, 1.0, 1.0]; 1500];
    let (fixed, movable) = (List::<f64>::new(&[[30.0, 30.0, 14.0, 20.0], [5.0, 8.0, 20.0, 12.0]]), List::new(&side));
    let grid = Grid::new([0.0, 0.0], [64.0, 64.0], [32, 32]).unwrap();
    let planner = planner(2);
    let mut circuit = Circuit::builder(grid, movable.cells()).fixed(fixed.cells()).build(&planner).unwrap();
    circuit.gather();
    let deviation = |values: &[f64]| {
        let mean = values[..1500].iter().sum::<f64>() / 1500.0;
        (mean + 0.5, (values[..1500].iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1500.0).sqrt())
    };
    for along in circuit.cells().low {
        let (mean, deviation) = deviation(along);
        assert!((mean - 32.0).abs() < 1e-3 && (deviation - 0.064).abs() < 1e-3, "{mean}, {deviation}");
    }
    let system = circuit.system().scaling(Scaling::Physical).build(&planner).unwrap();
    let mut maps = system.maps().unwrap();
    let mut overflows = vec![];
    let spread = circuit.spread(|step| {
        assert_eq!(step.number, overflows.len());
        overflows.push(step.overflow);
        maps.density_mut().copy_from_slice(step.density);
        system.transform(&mut maps)?;
        let forces = system.forces(step.cells, &maps)?;
        Ok::<_, fourfold::Error>((step.overflow >= 0.1 && step.number < 100).then_some(forces))
    });
    spread.unwrap();
    assert!(overflows[0] > 0.9 && *overflows.last().unwrap() < 0.1, "{overflows:?}");
}
