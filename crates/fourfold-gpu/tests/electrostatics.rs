//! The electrostatic system on a device, beside the same on the CPU.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::present;
use common::sample::sample;
use fourfold::baseline::Algorithm;
use fourfold::electrostatics::{Cells, Circuit, Electrostatics, Float, Grid, Map, Scaling};
use fourfold::{Planner, Precision};
use fourfold_gpu::{GpuCells, GpuElectrostatics, GpuMaps, GpuPlanner};

/// Positions and sizes of cells all over a region of 10 by 6.
fn cells<T: Float>(count: usize) -> [Vec<T>; 4] {
    let mut source = fastrand::Rng::with_seed(3);
    [8.5, 4.5, 1.5, 1.5].map(|most| (0..count).map(|_| T::nearest(most * source.f64())).collect())
}

fn distance<T: Float>(a: &[T], b: &[T]) -> f64 {
    let scale = b.iter().map(|b| (*b).into().abs()).fold(f64::MIN_POSITIVE, f64::max);
    a.iter().zip(b).map(|(a, b)| ((*a).into() - (*b).into()).abs()).fold(0.0, f64::max) / scale
}

fn check<T: Float>(planner: &GpuPlanner, bins: [usize; 2], method: &str, potential: bool, bound: f64) {
    let grid = Grid::new([0.0, 0.0], [10.0, 6.0], bins).unwrap();
    let [x, y, width, height] = cells::<T>(200);
    let cells = Cells { low: [&x, &y], size: [&width, &height] };
    let builder = Electrostatics::<T>::builder(grid).scaling(Scaling::Physical).potential(potential);
    let here = builder.build(&Planner::new()).unwrap();
    let algorithm = (method != "fused").then(|| method.parse::<Algorithm>().unwrap());
    let there = GpuElectrostatics::new(planner, &builder.algorithm(algorithm), &Planner::new()).unwrap();
    let (mut maps, mut there_maps) = (here.maps().unwrap(), there.maps().unwrap());
    here.solve(cells, &mut maps).unwrap();
    there.solve(cells, &mut there_maps).unwrap();
    let same = |map: Map, wanted: &[T]| {
        let mut found = vec![T::default(); wanted.len()];
        there_maps.array(map).download(&mut found).unwrap();
        let error = distance(&found, wanted);
        assert!(error < bound, "{bins:?} {method} {map:?}: {error:e}");
    };
    let [along_x, along_y] = maps.field();
    same(Map::FieldX, along_x);
    same(Map::FieldY, along_y);
    if potential {
        same(Map::Potential, maps.potential().unwrap());
        let (found, wanted) = (there.energy(&there_maps).unwrap(), here.energy(&maps).unwrap());
        assert!((found / wanted - 1.0).abs() < 10.0 * bound, "{found} instead of {wanted}");
    } else {
        assert!(there.energy(&there_maps).is_err());
    }
    let (found, wanted) = (there.forces(cells, &there_maps).unwrap(), here.forces(cells, &maps).unwrap());
    assert!((0..2).all(|axis| distance(&found[axis], &wanted[axis]) < 10.0 * bound));
}

/// Cells of every sort, of a region from (−3, 2) to (7, 8), and how a grid looks at them.
struct Board<T> {
    values: [Vec<T>; 4],
    grid: Grid,
    smoothing: f64,
}

impl<T: Float> Board<T> {
    /// Some smaller than a bin, some of many bins; without area, and beyond the region; one over
    /// all of it.
    fn new(bins: [usize; 2], smoothing: f64) -> Board<T> {
        let mut source = fastrand::Rng::with_seed(5);
        let mut list = vec![[-4.0, 1.0, 12.0, 9.0], [-3.0, 2.0, 0.0, 0.0], [6.5, 7.5, 3.0, 3.0], [-3.5, 3.0, 0.5, 1.0]];
        list.extend([[2.0, 2.0, 0.0, 6.0], [-3.0, 4.0, 10.0, 1e-6], [1.0, 4.0, 2.0, 2.5]]);
        list.extend(
            (0..80)
                .map(|_| [10.0 * source.f64() - 3.0, 6.0 * source.f64() + 2.0, 0.4 * source.f64(), 0.3 * source.f64()]),
        );
        list.extend(
            (0..8)
                .map(|_| [6.0 * source.f64() - 3.0, 3.0 * source.f64() + 2.0, 4.0 * source.f64(), 3.0 * source.f64()]),
        );
        let values = [0, 1, 2, 3].map(|i| list.iter().map(|cell: &[f64; 4]| T::nearest(cell[i])).collect());
        Board { values, grid: Grid::new([-3.0, 2.0], [7.0, 8.0], bins).unwrap(), smoothing }
    }

    fn cells(&self) -> Cells<'_, T> {
        let [x, y, width, height] = &self.values;
        Cells { low: [x, y], size: [width, height] }
    }

    fn count(&self) -> usize {
        self.values[0].len()
    }

    fn systems(&self, planner: &GpuPlanner) -> (Electrostatics<T>, GpuElectrostatics<T>) {
        let builder = Electrostatics::<T>::builder(self.grid).smoothing(self.smoothing);
        let there = GpuElectrostatics::new(planner, &builder, &Planner::new()).unwrap();
        (builder.build(&Planner::new()).unwrap(), there)
    }

    /// A bound of the error of what a cell charges a bin with, in roundings u.
    ///
    /// Along an axis let S be the sum of all lengths there may be, in bins. The low corner, its
    /// difference to the region's and its product with 1/bin (a rounded number too) are wrong by
    /// 4uS; the extent by 2uS, the widened one's half by as much; both ends after two more
    /// additions by 10uS together. An overlap has two ends, one operation and a value up to 1:
    /// 20uS + u. A density below 1 is a quotient of two such extents: 4u, and 5u for a device's
    /// division; three products of numbers up to 1 add 3u.
    fn charge_error(&self) -> f64 {
        let [low, high] = self.grid.region();
        let largest = |values: &[T]| values.iter().map(|x| (*x).into().abs()).fold(0.0, f64::max);
        let along = |axis: usize| {
            let length =
                largest(&self.values[axis]) + largest(&self.values[axis + 2]) + low[axis].abs() + high[axis].abs();
            20.0 * (length / self.grid.bin_size()[axis] + self.smoothing) + 1.0
        };
        along(0) + along(1) + 12.0
    }

    /// The bins that cell `i` meets, and those around them.
    fn met(&self, i: usize) -> [std::ops::Range<usize>; 2] {
        [0, 1].map(|axis| {
            let (low, bin) = (self.grid.region()[0][axis], self.grid.bin_size()[axis]);
            let (from, size) = ((self.values[axis][i].into() - low) / bin, self.values[axis + 2][i].into() / bin);
            let (most, widened) = (self.grid.bins()[axis] as f64, (self.smoothing - size).max(0.0) / 2.0 + 1.0);
            let end = |place: f64| place.clamp(0.0, most) as usize;
            end((from - widened).floor())..end((from + size + widened).ceil())
        })
    }
}

fn downloaded<T: Float>(maps: &GpuMaps<T>, map: Map) -> Vec<T> {
    let mut values = vec![T::default(); maps.array(map).len()];
    maps.array(map).download(&mut values).unwrap();
    values
}

/// Half the distance of 1 to the next number.
fn rounding<T: Float>() -> f64 {
    if T::nearest(1.0 + f64::EPSILON).into() > 1.0 { f64::EPSILON / 2.0 } else { f64::from(f32::EPSILON) / 2.0 }
}

/// Density, energy and forces on a device beside the processor's, of the same maps: bounds are
/// those of roundings.
fn compare<T: Float + PartialEq + std::fmt::Debug>(planner: &GpuPlanner, bins: [usize; 2], smoothing: f64) {
    let board = Board::<T>::new(bins, smoothing);
    let (here, there) = board.systems(planner);
    let mut maps = there.maps().unwrap();
    there.solve(board.cells(), &mut maps).unwrap();
    let (u, unit) = (rounding::<T>(), (board.count() as f64) / 2f64.powi(60));
    let what = format!("{bins:?} {smoothing} {:?}", T::PRECISION);
    // Both sides have as much of an error at most.
    let charge_error = 2.0 * board.charge_error() * u + unit;

    let (found, mut wanted) = (downloaded(&maps, Map::Density), vec![T::default(); board.grid.count()]);
    here.spreader().density(board.cells(), &mut wanted).unwrap();
    let mut overlapping = vec![0; wanted.len()];
    for [rows, columns] in (0..board.count()).map(|i| board.met(i)) {
        rows.flat_map(|row| columns.clone().map(move |column| (row, column)))
            .for_each(|(row, column)| overlapping[row * bins[1] + column] += 1);
    }
    for (bin, ((found, wanted), overlapping)) in found.iter().zip(&wanted).zip(overlapping).enumerate() {
        let (found, wanted): (f64, f64) = ((*found).into(), (*wanted).into());
        let bound = f64::from(overlapping) * charge_error + 4.0 * u * wanted;
        assert!((found - wanted).abs() <= bound, "{what} bin {bin}: {found} instead of {wanted}, bound {bound:e}");
    }

    let field = [Map::FieldX, Map::FieldY].map(|map| downloaded(&maps, map));
    let forces = there.forces(board.cells(), &maps).unwrap();
    let wanted = here.spreader().forces(board.cells(), [&field[0], &field[1]]).unwrap();
    let area: f64 = board.grid.bin_size().iter().product();
    for (axis, i) in (0..2).flat_map(|axis| (0..board.count()).map(move |i| (axis, i))) {
        let (found, wanted): (f64, f64) = (forces[axis][i].into(), wanted[axis][i].into());
        let [rows, columns] = board.met(i);
        let terms = rows.flat_map(|row| columns.clone().map(move |column| row * bins[1] + column));
        let (count, sum) = terms.fold((0, 0.0), |(count, sum), bin| (count + 1, sum + field[axis][bin].into().abs()));
        // Each term's charge, and as many additions as there are terms, with a product for the
        // area.
        let bound = area * sum * (charge_error + f64::from(count + 3) * u);
        assert!((found - wanted).abs() <= bound, "{what} force {axis} on {i}: {found}, {wanted}, bound {bound:e}");
    }

    let (density, potential) = (downloaded(&maps, Map::Density), downloaded(&maps, Map::Potential));
    let wanted = here.spreader().energy(&density, &potential, Scaling::Dreamplace).unwrap();
    let sum: f64 = density.iter().zip(&potential).map(|(a, b)| ((*a).into() * (*b).into()).abs()).sum();
    // A product and the device's additions; and the host's of both sides, in double precision.
    let (bins, double) = (density.len(), f64::EPSILON / 2.0);
    let bound = sum * ((1 + bins.div_ceil(1 << 14)) as f64 * u + (2 * bins) as f64 * double);
    assert!((there.energy(&maps).unwrap() - wanted).abs() <= bound, "{what}: the energy");
}

#[test]
fn cells_do_the_same_as_on_the_processor() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    let boards = [([2, 2], 0.0), ([16, 16], 2f64.sqrt()), ([3, 200], 0.0), ([160, 128], 2f64.sqrt())];
    let cases =
        boards.into_iter().flat_map(|board| [Precision::F64, Precision::F32].map(|precision| (board, precision)));
    for ((bins, smoothing), precision) in sample(cases, 2, 0) {
        match precision {
            Precision::F32 => compare::<f32>(&planner, bins, smoothing),
            Precision::F64 => compare::<f64>(&planner, bins, smoothing),
        }
    }
}

/// All results of a step, and bits of theirs.
fn bits(system: &GpuElectrostatics<f32>, cells: &GpuCells<f32>, maps: &mut GpuMaps<f32>) -> Vec<Vec<u32>> {
    let mut forces = maps.array(Map::Density).device().array(2 * cells.count()).unwrap();
    system.solve_on(cells, maps).unwrap();
    system.forces_on(cells, maps, &mut forces).unwrap();
    let mut values = vec![0.0; forces.len()];
    forces.download(&mut values).unwrap();
    let of = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect();
    [downloaded(maps, Map::Density), downloaded(maps, Map::FieldX), values].map(of).into()
}

#[test]
fn results_are_the_same_in_every_run_and_order() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    let mut board = Board::<f32>::new([60, 45], 2f64.sqrt());
    let (_, system) = board.systems(&planner);
    let (cells, mut maps) = (system.cells(board.cells()).unwrap(), system.maps().unwrap());
    let first = bits(&system, &cells, &mut maps);
    assert_eq!(bits(&system, &cells, &mut maps), first);
    board.values.iter_mut().for_each(|values| values.reverse());
    let reversed = bits(&system, &system.cells(board.cells()).unwrap(), &mut maps);
    assert_eq!(reversed[..2], first[..2], "the order of the cells");
    let along_x: Vec<u32> = reversed[2][..board.count()].iter().rev().copied().collect();
    assert_eq!(along_x, first[2][..board.count()]);
}

#[test]
fn cells_without_a_place_do_nothing() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    [0.0, 2f64.sqrt()].into_iter().for_each(|smoothing| bad_cells(&planner, smoothing));
}

fn bad_cells(planner: &GpuPlanner, smoothing: f64) {
    let board = Board::<f32>::new([24, 30], smoothing);
    let (_, system) = board.systems(planner);
    let mut maps = system.maps().unwrap();
    let (count, mut values) = (board.count(), board.values.concat());
    // All but a few have no area. Then these have no place.
    values[2 * count..3 * count - 4].fill(0.0);
    let mut cells = system.cells(board.cells()).unwrap();
    cells.array_mut().upload(&values).unwrap();
    let wanted = bits(&system, &cells, &mut maps);
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let bad = [
        [nan, 3.0, 1.0, 1.0],
        [inf, 3.0, 1.0, 1.0],
        [-inf, 3.0, 1.0, 1.0],
        [0.0, nan, 1.0, 1.0],
        [0.0, -1e38, 1.0, 1.0],
    ];
    let bad =
        bad.into_iter().chain([[0.0, 3.0, nan, 1.0], [0.0, 3.0, -2.0, -2.0], [3e38, -3e38, 3e38, 3e38], [nan; 4]]);
    for (i, cell) in bad.enumerate() {
        (0..4).for_each(|row| values[row * count + i] = cell[row]);
    }
    cells.array_mut().upload(&values).unwrap();
    let found = bits(&system, &cells, &mut maps);
    assert_eq!(found[..2], wanted[..2]);
    // Nothing is charged beyond all cells' being there, whatever they say.
    for value in [inf, 3e38] {
        values[2 * count..].fill(value);
        cells.array_mut().upload(&values).unwrap();
        system.solve_on(&cells, &mut maps).unwrap();
        assert!(downloaded(&maps, Map::Density).iter().all(|density| (0.0..=count as f32).contains(density)));
    }
    let none = system.cells(Cells { low: [&[], &[]], size: [&[], &[]] }).unwrap();
    assert!(bits(&system, &none, &mut maps)[0].iter().all(|bits| *bits == 0));
}

#[test]
fn systems_are_those_of_the_cpu() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    for bins in [[16, 16], [9, 14], [20, 7]] {
        check::<f64>(&planner, bins, "fused", true, 1e-13);
    }
    check::<f32>(&planner, [12, 32], "fused", false, 2e-5);
    for method in ["three-stage", "row-column"] {
        check::<f64>(&planner, [12, 10], method, true, 1e-13);
    }
}

/// Fixed cells, movable cells and fillers on the device, beside the processor's.
fn compare_circuit<T: Float>(planner: &GpuPlanner, bound: f64) {
    let grid = Grid::new([0.0, 0.0], [10.0, 6.0], [40, 32]).unwrap();
    let ([x, y, width, height], value) = (cells::<T>(40), T::nearest);
    let movable = Cells { low: [&x, &y], size: [&width, &height] };
    let macros =
        [[1.0, 5.0, 9.5].map(value), [1.0, 2.5, -1.0].map(value), [3.0, 4.0, 2.0].map(value), [2.0; 3].map(value)];
    let [x, y, width, height] = &macros;
    let circuit = Circuit::builder(grid, movable).fixed(Cells { low: [x, y], size: [width, height] });
    let circuit = circuit.target_density(0.9).build(&Planner::new()).unwrap();
    let here = circuit.system().build(&Planner::new()).unwrap();
    let there = GpuElectrostatics::new(planner, &circuit.system(), &Planner::new()).unwrap();
    let (mut maps, mut there_maps) = (here.maps().unwrap(), there.maps().unwrap());
    here.solve(circuit.cells(), &mut maps).unwrap();
    // Twice, since sums that are left over would add up.
    (0..2).for_each(|_| there.solve(circuit.cells(), &mut there_maps).unwrap());
    let density = downloaded(&there_maps, Map::Density);
    assert!(distance(&density, maps.density()) < bound, "{:e}", distance(&density, maps.density()));
    assert!(there.spreader().fixed_density().unwrap().contains(&0.9));
    let (found, wanted) = (there.forces(circuit.cells(), &there_maps), here.forces(circuit.cells(), &maps));
    let (found, wanted) = (found.unwrap().concat(), wanted.unwrap().concat());
    assert!(distance(&found, &wanted) < 10.0 * bound, "{:e}", distance(&found, &wanted));
}

#[test]
fn circuits_are_those_of_the_cpu() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    compare_circuit::<f64>(&planner, 1e-13);
    compare_circuit::<f32>(&planner, 2e-5);
}

#[test]
fn circuits_spread_by_the_forces_of_the_device() {
    let Some(device) = present() else { return };
    let grid = Grid::new([0.0, 0.0], [32.0, 32.0], [16, 16]).unwrap();
    let ([at, side], fixed) = ([vec![0f32; 400], vec![1.0; 400]], [[14.0f32, 4.0], [10.0, 20.0], [8.0, 6.0]]);
    let [x, y, macro_side] = &fixed;
    let circuit = Circuit::builder(grid, Cells { low: [&at, &at], size: [&side, &side] });
    let circuit = circuit.fixed(Cells { low: [x, y], size: [macro_side, macro_side] });
    let mut circuit = circuit.build(&Planner::new()).unwrap();
    circuit.gather();
    let builder = circuit.system().scaling(Scaling::Physical);
    let system = GpuElectrostatics::new(&GpuPlanner::new(device), &builder, &Planner::new()).unwrap();
    let (mut maps, mut overflows) = (system.maps().unwrap(), vec![]);
    let spread = circuit.spread(|step| {
        overflows.push(step.overflow);
        maps.density_mut().upload(step.density)?;
        system.transform(&mut maps)?;
        let forces = system.forces(step.cells, &maps)?;
        Ok::<_, fourfold::Error>((step.overflow >= 0.1 && step.number < 100).then_some(forces))
    });
    spread.unwrap();
    assert!(overflows[0] > 0.9 && *overflows.last().unwrap() < 0.1, "{overflows:?}");
}

#[test]
fn what_cannot_be_is_an_error() {
    let Some(device) = present() else { return };
    let planner = GpuPlanner::new(device);
    let builder = |bins| Electrostatics::<f64>::builder(Grid::new([0.0, 0.0], [10.0, 6.0], bins).unwrap());
    let system = GpuElectrostatics::new(&planner, &builder([8, 8]), &Planner::new()).unwrap();
    let mut maps = system.maps().unwrap();
    let outside = Cells { low: [&[11.0], &[1.0]], size: [&[1.0], &[1.0]] };
    assert!(system.solve(outside, &mut maps).unwrap_err().to_string().contains("cell 0 of size"));
    let other = GpuElectrostatics::new(&planner, &builder([8, 10]), &Planner::new()).unwrap();
    assert!(other.transform(&mut maps).unwrap_err().to_string().contains("8 x 10 bins"));
    // As many bins of another size.
    let larger = Electrostatics::builder(Grid::new([0.0, 0.0], [10.0, 7.0], [8, 8]).unwrap());
    let larger = GpuElectrostatics::new(&planner, &larger, &Planner::new()).unwrap();
    let error = larger.transform(&mut maps).unwrap_err();
    assert!(error.to_string().contains("expected 8 x 8 bins from [0.0, 0.0] to [10.0, 7.0]"), "{error}");
    let inside = Cells { low: [&[1.0], &[1.0]], size: [&[1.0], &[1.0]] };
    let mut cells = system.cells(inside).unwrap();
    // The energy takes a potential, of whatever system filled the maps last.
    let fast = GpuElectrostatics::new(&planner, &builder([8, 8]).potential(false), &Planner::new()).unwrap();
    fast.solve_on(&cells, &mut maps).unwrap();
    let error = system.energy(&maps).unwrap_err();
    assert!(error.to_string().contains("potential(true)"), "{error}");
    system.transform(&mut maps).unwrap();
    fast.energy(&maps).unwrap();
    let error = other.solve_on(&cells, &mut maps).unwrap_err();
    assert!(error.to_string().contains("8 x 10 bins"), "{error}");
    let error = larger.forces_on(&cells, &larger.maps().unwrap(), maps.density_mut()).unwrap_err();
    assert!(error.to_string().contains("the cells are of a grid of 8 x 8 bins"), "{error}");
    let mut short = maps.array(Map::Density).device().array(1).unwrap();
    let error = system.forces_on(&cells, &maps, &mut short).unwrap_err();
    assert!(error.to_string().contains("forces on 1 cells need 2 elements"), "{error}");
    std::mem::swap(cells.array_mut(), &mut short);
    assert!(system.solve_on(&cells, &mut maps).unwrap_err().to_string().contains("expected 4"));
    let four_n = builder([8, 8]).algorithm("four-n".parse::<Algorithm>().unwrap());
    assert!(GpuElectrostatics::new(&planner, &four_n, &Planner::new()).is_err());
}
