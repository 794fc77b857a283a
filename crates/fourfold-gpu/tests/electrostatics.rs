//! The electrostatic system on a device, beside the same on the CPU.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::present;
use fourfold::Planner;
use fourfold::electrostatics::{Cells, Electrostatics, Float, Grid, Map, Scaling};
use fourfold_gpu::{GpuElectrostatics, GpuPlanner};

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
    let there = GpuElectrostatics::new(planner, &builder.method(method.parse().unwrap()), &Planner::new()).unwrap();
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
    let four_n = builder([8, 8]).method("four-n".parse().unwrap());
    assert!(GpuElectrostatics::new(&planner, &four_n, &Planner::new()).is_err());
}
