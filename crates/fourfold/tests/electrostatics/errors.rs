//! Tests invalid and extreme grids, cells and settings of electrostatics.

use fourfold::Planner;
use fourfold::baseline::Algorithm;
use fourfold::electrostatics::{Cells, Electrostatics, Grid, Scaling};

fn planner(threads: usize) -> Planner {
    Planner::builder().threads(threads).build().unwrap()
}

fn grid() -> Grid {
    Grid::new([0.0, 0.0], [4.0, 4.0], [4, 4]).unwrap()
}

fn system() -> Electrostatics<f64> {
    Electrostatics::builder(grid()).build(&planner(2)).unwrap()
}

#[track_caller]
fn hint(error: fourfold::Error, hint: &str) {
    assert!(error.to_string().contains(hint), "{error}");
}

#[test]
fn factors_that_are_no_numbers_are_errors() {
    for (sides, scaling) in
        [([1e165; 2], Scaling::Physical), ([1e-165; 2], Scaling::Physical), ([1e300, 1e-300], Scaling::Dreamplace)]
    {
        let grid = Grid::new([0.0, 0.0], sides, [4, 4]).unwrap();
        let build = |planner| Electrostatics::<f64>::builder(grid).scaling(scaling).build(planner);
        hint(build(&planner(1)).err().unwrap(), "no numbers of f64");
    }
    let grid = Grid::new([0.0, 0.0], [1e-25, 1e-25], [4, 4]).unwrap();
    hint(Electrostatics::<f32>::builder(grid).scaling(Scaling::Physical).build(&planner(1)).err().unwrap(), "of f32");
    // Products that would be subnormal numbers.
    let grid = Grid::new([0.0, 0.0], [1e-17, 1e-17], [64, 64]).unwrap();
    let staged = Electrostatics::<f32>::builder(grid)
        .scaling(Scaling::Physical)
        .algorithm("three-stage".parse::<Algorithm>().unwrap());
    hint(staged.build(&planner(1)).err().unwrap(), "of f32");
}

/// Regions of extreme sizes and bins of extreme shapes, whose field is in range although the
/// potential may not be.
#[test]
fn fields_of_extreme_regions_are_those_of_double_precision() {
    let planner = planner(1);
    let regions = [[1e-30; 2], [1e21; 2], [1.0, 1e30], [1e30, 1.0], [1e16, 1.0]];
    for (sides, scaling) in
        regions.iter().flat_map(|&sides| [Scaling::Physical, Scaling::Dreamplace].map(|s| (sides, s)))
    {
        let grid = Grid::new([0.0, 0.0], sides, [8, 6]).unwrap();
        let density = |i: usize| (i * 7 % 11) as f64;
        let single = Electrostatics::<f32>::builder(grid).scaling(scaling).potential(false).build(&planner).unwrap();
        let double = Electrostatics::<f64>::builder(grid).scaling(scaling).potential(false).build(&planner).unwrap();
        let (mut here, mut there) = (single.maps().unwrap(), double.maps().unwrap());
        here.density_mut().iter_mut().enumerate().for_each(|(i, x)| *x = density(i) as f32);
        there.density_mut().iter_mut().enumerate().for_each(|(i, x)| *x = density(i));
        single.transform(&mut here).unwrap();
        double.transform(&mut there).unwrap();
        for (x, y) in here.field().into_iter().zip(there.field()) {
            let largest = y.iter().fold(0f64, |a, b| a.max(b.abs()));
            // Values that are too small for single precision may be 0.
            let near = |(x, y): (&f32, &f64)| (f64::from(*x) - y).abs() <= 1e-5 * largest + 1e-38;
            assert!(largest > 0.0 && x.iter().zip(y).all(near), "{sides:?} {scaling:?}");
        }
    }
}

#[test]
fn overflow_of_what_is_no_number_is_none() {
    let grid = Grid::new([0.0, 0.0], [4.0, 4.0], [4, 4]).unwrap();
    let system = Electrostatics::<f64>::builder(grid).build(&planner(1)).unwrap();
    assert!(system.spreader().overflow(&[f64::NAN; 16], 1.0).unwrap().is_nan());
    assert!(system.spreader().overflow(&[1.0; 16], f64::NAN).unwrap().is_nan());
}

#[test]
fn grids_without_area_are_errors() {
    hint(Grid::new([0.0, 0.0], [1.0, 1.0], [1, 5]).unwrap_err(), "1 x 5 bins is too small");
    hint(Grid::new([0.0, 0.0], [1.0, 1.0], [0, 0]).unwrap_err(), "too small");
    hint(Grid::new([0.0, 0.0], [1.0, 1.0], [1 << 40, 1 << 40]).unwrap_err(), "too large");
    hint(Grid::new([0.0, 1.0], [1.0, 1.0], [4, 4]).unwrap_err(), "no area");
    hint(Grid::new([0.0, f64::NAN], [1.0, 1.0], [4, 4]).unwrap_err(), "no area");
    hint(Grid::new([0.0, 0.0], [1e-320, 1.0], [4, 4]).unwrap_err(), "too small");
    hint(Grid::new([0.0, 0.0], [5e-324, 1.0], [4, 4]).unwrap_err(), "too small");
}

#[test]
fn cells_outside_or_without_size_are_errors() {
    let system = system();
    let solve = |low, size| system.solve(Cells { low, size }, &mut system.maps().unwrap());
    hint(
        solve([&[1.0, 4.5], &[1.0, 1.0]], [&[1.0, 1.0]; 2]).unwrap_err(),
        "cell 1 of size [1.0, 1.0] at [4.5, 1.0] lies outside",
    );
    hint(solve([&[-1.5], &[1.0]], [&[1.0]; 2]).unwrap_err(), "cell 0");
    hint(solve([&[f64::NAN], &[1.0]], [&[1.0]; 2]).unwrap_err(), "lies outside");
    hint(solve([&[1.0], &[1.0]], [&[-1.0], &[1.0]]).unwrap_err(), "size [-1.0, 1.0]: expected finite numbers of 0");
    hint(solve([&[1.0], &[1.0]], [&[1.0], &[f64::NAN]]).unwrap_err(), "finite numbers of 0 or more");
    hint(solve([&[1.0], &[1.0]], [&[1.0], &[f64::INFINITY]]).unwrap_err(), "finite numbers of 0 or more");
    hint(solve([&[1.0], &[1.0, 2.0]], [&[1.0], &[1.0]]).unwrap_err(), "1 x, 2 y");
    // The message names the first of several invalid cells.
    let low = vec![9.0; 10_000];
    hint(solve([&low, &low], [&low, &low]).unwrap_err(), "cell 0 ");
}

#[test]
fn settings_and_maps_that_do_not_fit_are_errors() {
    let (grid, system) = (grid(), system());
    hint(Electrostatics::<f64>::builder(grid).smoothing(f64::NAN).build(&planner(1)).err().unwrap(), "widened to NaN");
    let four_n =
        Electrostatics::<f64>::builder(grid).algorithm("four-n".parse::<Algorithm>().unwrap()).build(&planner(1));
    hint(four_n.err().unwrap(), "four-n does not compute");
    let other =
        Electrostatics::<f64>::builder(Grid::new([0.0; 2], [1.0; 2], [8, 8]).unwrap()).build(&planner(1)).unwrap();
    hint(system.transform(&mut other.maps().unwrap()).unwrap_err(), "of a grid of 8 x 8 bins");
    // Grids with the same number of bins, but with another shape or position.
    let mut maps = system.maps().unwrap();
    for (high, bins) in [([4.0, 4.0], [2, 8]), ([4.0, 5.0], [4, 4])] {
        let grid = Grid::new([0.0, 0.0], high, bins).unwrap();
        let other = Electrostatics::<f64>::builder(grid).build(&planner(1)).unwrap();
        let cells = Cells { low: [&[1.0f64], &[1.0]], size: [&[1.0], &[1.0]] };
        hint(other.transform(&mut maps).unwrap_err(), "of a grid of 4 x 4 bins from [0.0, 0.0] to [4.0, 4.0]");
        hint(other.solve(cells, &mut maps).unwrap_err(), "of a grid of 4 x 4 bins");
        hint(other.forces(cells, &maps).unwrap_err(), "of a grid of 4 x 4 bins");
        hint(other.energy(&maps).unwrap_err(), "of a grid of 4 x 4 bins");
    }
}

#[test]
fn cells_at_the_border_of_all_sizes_or_none_are_no_errors() {
    let system = system();
    let solve = |low, size| system.solve(Cells { low, size }, &mut system.maps().unwrap());
    // A cell that only touches the region, on any side, is valid. It charges nothing unless it is
    // widened.
    let mut maps = system.maps().unwrap();
    let border = Cells { low: [&[4.0, -1.0, 1.0, 1.0], &[1.0, 1.0, 4.0, -1.0]], size: [&[1.0; 4], &[1.0; 4]] };
    system.solve(border, &mut maps).unwrap();
    assert!(maps.density().iter().all(|density| *density == 0.0));
    // A cell whose size in bins overflows covers all bins.
    let huge = Cells { low: [&[-1e308], &[-8e307]], size: [&[1.7e308], &[1.6e308]] };
    let fine = Grid::new([0.0, 0.0], [0.4, 0.4], [4, 4]).unwrap();
    let fine = Electrostatics::<f64>::builder(fine).smoothing(1.5).build(&planner(1)).unwrap();
    let mut covered = fine.maps().unwrap();
    fine.solve(huge, &mut covered).unwrap();
    assert!(covered.density().iter().all(|density| *density == 1.0), "{:?}", covered.density());
    // An empty list of cells, or cells without area, charge nothing.
    assert!(solve([&[], &[]], [&[], &[]]).is_ok());
    assert!(solve([&[1.0], &[1.0]], [&[0.0], &[0.0]]).is_ok());
}
