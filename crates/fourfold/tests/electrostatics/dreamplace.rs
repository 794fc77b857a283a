//! Tests that `Scaling::Dreamplace` is the scale of DREAMPlace's source.

use fourfold::Planner;
use fourfold::electrostatics::{Electrostatics, Grid, Scaling};
use std::f64::consts::PI;

fn transformed(kinds: &str, [m, n]: [usize; 2], input: &[f64]) -> Vec<f64> {
    let plan = Planner::new().plan(&format!("{kinds} f64 {m}x{n}").parse().unwrap()).unwrap();
    let mut output = vec![0.0; m * n];
    plan.execute(input, &mut output).unwrap();
    output
}

fn close(what: &str, found: &[f64], wanted: &[f64]) {
    let scale = wanted.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    let worst = found.iter().zip(wanted).map(|(f, w)| (f - w).abs()).fold(0.0, f64::max);
    assert!(worst <= 1e-13 * scale, "{what}: {worst:e} of {scale:e}");
}

/// A function of all bins.
fn map([m, n]: [usize; 2], f: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    (0..m * n).map(|b| f(b / n, b % n)).collect()
}

/// π u (i + ½) / n.
fn angle(u: usize, i: usize, n: usize) -> f64 {
    PI * u as f64 * (i as f64 + 0.5) / n as f64
}

/// DREAMPlace's transforms as the kinds with factors that stand for them. On impulses they are 4
/// cos cos, 4 sin cos and 4 cos sin. The first four values of each are what the steps of
/// `dct2_fft2_cuda_kernel.cu` make of an impulse at (2, 3): its preprocessing, an inverse FFT, its
/// postprocessing.
#[test]
fn kinds_stand_for_the_transforms_of_dreamplace() {
    let bins = [8, 8];
    let impulse = map(bins, |i, j| if [i, j] == [2, 3] { 1.0 } else { 0.0 });
    type Wave = fn(f64) -> f64;
    let (cos, sin): (Wave, Wave) = (f64::cos, f64::sin);
    let cases = [
        ("dct3", 1.0, [cos, cos], [3.072711026845665, -0.720959822006944, -3.624509785411551, -2.0531198686373497]),
        (
            "dct3,idxst",
            2.0,
            [cos, sin],
            [2.0531198686373466, 3.6245097854115516, 0.720959822006948, -3.072711026845663],
        ),
        (
            "idxst,dct3",
            2.0,
            [sin, cos],
            [1.2727585805728339, -0.2986313362013687, -1.5013211100714612, -0.8504300947672578],
        ),
    ];
    for (kinds, factor, [f, g], source) in cases {
        let found: Vec<f64> = transformed(kinds, bins, &impulse).iter().map(|x| factor * x).collect();
        close(kinds, &found, &map(bins, |i, j| 4.0 * f(angle(2, i, 8)) * g(angle(3, j, 8))));
        close(kinds, &found[..4], &source);
    }
    let forward: Vec<f64> = transformed("dct2", bins, &impulse).iter().map(|x| x / 64.0).collect();
    close("dct2", &forward, &map(bins, |u, v| 4.0 / 64.0 * angle(u, 2, 8).cos() * angle(v, 3, 8).cos()));
}

fn solved(grid: Grid, density: &[f64]) -> [Vec<f64>; 3] {
    let system = Electrostatics::<f64>::builder(grid).scaling(Scaling::Dreamplace).build(&Planner::new()).unwrap();
    let mut maps = system.maps().unwrap();
    maps.density_mut().copy_from_slice(density);
    system.transform(&mut maps).unwrap();
    let [x, y] = maps.field();
    [maps.potential().unwrap().to_vec(), x.to_vec(), y.to_vec()]
}

/// The steps of `electric_potential.py`, with the transforms of the test above.
#[test]
fn potential_and_field_are_those_of_the_steps_of_dreamplace() {
    for (bins, sides) in [([8, 8], [8.0, 8.0]), ([12, 10], [6.0, 20.0])] {
        let grid = Grid::new([0.0, 0.0], sides, bins).unwrap();
        let (count, [bin_x, bin_y]) = (grid.count() as f64, grid.bin_size());
        let density = map(bins, |i, j| ((7 * i + 5 * j) % 11) as f64 / 4.0);
        let auv = transformed("dct2", bins, &density);
        let wu = |u: usize| 2.0 * PI * u as f64 / bins[0] as f64;
        let wv = |v: usize| 2.0 * PI * v as f64 / bins[1] as f64 * (bin_x / bin_y);
        let scaled = |factor: &dyn Fn(f64, f64) -> f64| {
            map(bins, |u, v| {
                let (square, a) = (wu(u).powi(2) + wv(v).powi(2), auv[u * bins[1] + v] / count);
                if u + v == 0 { 0.0 } else { a * factor(wu(u), wv(v)) / square }
            })
        };
        let twice = |map: Vec<f64>| map.into_iter().map(|x| 2.0 * x).collect::<Vec<_>>();
        let found = solved(grid, &density);
        close("potential", &found[0], &transformed("dct3", bins, &scaled(&|_, _| 1.0)));
        close("field along x", &found[1], &twice(transformed("idxst,dct3", bins, &scaled(&|wu, _| wu / 2.0))));
        close("field along y", &found[2], &twice(transformed("dct3,idxst", bins, &scaled(&|_, wv| wv / 2.0))));
    }
}

/// −∇²φ = ρ − ρ̄ and ξ = −∇φ where lengths are in widths of bins: a wave with the wave numbers k
/// and l has the potential of the same wave divided by k² + l².
#[test]
fn waves_have_the_potential_of_poissons_equation_in_widths_of_bins() {
    let (bins, [u, v]) = ([16, 12], [3, 2]);
    // A bin is twice as high as wide.
    let grid = Grid::new([-3.0, 5.0], [5.0, 17.0], bins).unwrap();
    let (k, l) = (PI * 3.0 / 16.0, PI * 2.0 / 24.0);
    let waves = |f: fn(f64) -> f64, g: fn(f64) -> f64| map(bins, |i, j| f(angle(u, i, 16)) * g(angle(v, j, 12)));
    let density: Vec<f64> = waves(f64::cos, f64::cos).iter().map(|wave| 1.5 + wave).collect();
    let times = |factor: f64, wave: Vec<f64>| wave.into_iter().map(|x| factor * x).collect::<Vec<_>>();
    let (found, square) = (solved(grid, &density), k * k + l * l);
    close("potential", &found[0], &times(1.0 / square, waves(f64::cos, f64::cos)));
    close("field along x", &found[1], &times(k / square, waves(f64::sin, f64::cos)));
    close("field along y", &found[2], &times(l / square, waves(f64::cos, f64::sin)));
}
