//! Distributed transforms agree with the oracle, and with the plan of one process.

mod common;

use common::{compare, recipe};
use fourfold::{Domain, Kind};

/// Uneven lengths for each number of axes.
const SHAPES: [&str; 4] = ["13", "7x10", "5x6x9", "3x5x4x6"];

/// Whether the norm `ortho` fits the kind.
fn norm(kind: Kind) -> &'static str {
    if kind.inverse().is_some() { " ortho" } else { "" }
}

#[test]
fn every_kind_agrees_on_slabs_and_pencils() {
    let (mut same, mut all) = (0, 0);
    for (kind, shape) in Kind::ALL.into_iter().flat_map(|kind| SHAPES.map(|shape| (kind, shape))) {
        for grid in ["3", "2x2"] {
            let problem = format!("{kind} f64 {shape}{}", norm(kind));
            let ends = usual(&problem, grid);
            for output in [None, Some(&*ends)] {
                same += usize::from(compare(&recipe(&problem, grid, &ends, output).unwrap()));
                all += 1;
            }
        }
    }
    assert_eq!(all, 23 * 4 * 4);
    // The others compute their lines in another order, or few lines one by one.
    assert!(same > all / 2, "{same} of {all} have the bits of one process");
}

/// The usual distribution of the problem's input.
fn usual(problem: &str, grid: &str) -> String {
    let axes = problem.parse::<fourfold::Problem>().unwrap().input().shape.len();
    fourfold_distributed::Distribution::blocks(axes, &grid.parse().unwrap()).to_string()
}

#[test]
fn mixes_batches_norms_and_precisions_agree() {
    for (problem, grid, input, output) in [
        ("dct2,dst3,dct4 f64 6x5x7", "2x2", "p,q,*", None),
        ("dct2,fft,dst1 f64 6x5x7", "2x3", "p,q,*", Some("*,q,p")),
        ("rfft f32 6x9x10", "2x2", "*,q,p", Some("p,q,*")),
        ("irfft f32 6x9x11 ortho", "2x2", "p,q,*", Some("q,*,p")),
        ("dct3,rfft f64 6x9x10 axes=0,2", "4", "*,p,*", None),
        ("rfft,dct2 f64 6x9x10 axes=1,0 scale=0.25", "2x2", "p,q,*", None),
        ("rfft f64 7x9 adjoint", "3", "p,*", Some("p,*")),
        ("irfft f64 7x10 adjoint", "3", "*,p", None),
        ("dct2 f64 7x9 adjoint ortho", "2x2", "pq,*", Some("*,pq")),
        ("idxst,dct3 f32 9x11", "2x2", "qp,*", Some("p,q")),
        ("idct2 f32 12x64 axes=1", "5", "p,*", None),
        ("idct2 f32 12x64 axes=1", "5", "*,p", Some("*,p")),
        ("dct2 f64 12x64 axes=0", "2x3", "q,p", Some("q,p")),
        ("fft,ifft f64 12x10 forward", "2x3", "q,p", Some("q,p")),
        ("dst2 f64 20x19 forward orthogonalize=yes", "3", "*,p", Some("*,p")),
        ("idht f64 4x3x5x2 axes=3,1", "2x2", "*,*,p,q", None),
    ] {
        compare(&recipe(problem, grid, input, output).unwrap_or_else(|e| panic!("{problem}: {e}")));
    }
}

#[test]
fn ranks_may_have_nothing() {
    for (problem, grid, input, output) in [
        ("dct2 f64 3x4", "8", "p,*", Some("p,*")),
        ("dct2 f64 1x1x1", "2x3", "p,q,*", None),
        ("rfft f64 2x2x5", "3x2", "p,q,*", Some("*,p,q")),
        ("dct4 f32 1x40", "3x2", "p,q", Some("q,p")),
        ("fft f64 2", "5", "p", Some("p")),
    ] {
        compare(&recipe(problem, grid, input, output).unwrap());
    }
}

#[test]
fn long_lines_agree() {
    compare(&recipe("dct2 f64 2x4099", "2", "p,*", None).unwrap());
    compare(&recipe("dct1 f64 3001", "2", "p", Some("p")).unwrap());
    compare(&recipe("fft f64 3x70000", "3", "*,p", Some("*,p")).unwrap());
}

/// Distributions of an array with so many axes over the dimensions of a grid, chosen at random.
fn random_distribution(axes: usize, dimensions: usize, random: &mut fastrand::Rng) -> String {
    let mut words = vec![String::new(); axes];
    let mut names: Vec<_> = ['p', 'q'][..dimensions].to_vec();
    random.shuffle(&mut names);
    names.into_iter().for_each(|name| words[random.usize(..axes)].push(name));
    words.iter_mut().filter(|word| word.is_empty()).for_each(|word| word.push('*'));
    words.join(",")
}

#[test]
fn random_distributions_agree() {
    let mut random = fastrand::Rng::with_seed(27);
    for _ in 0..150 {
        let axes = random.usize(1..5);
        let kinds: Vec<_> = (0..axes).map(|_| Kind::ALL[random.usize(..12)]).collect();
        let shape: Vec<_> = (0..axes).map(|_| random.usize(2..12).to_string()).collect();
        let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
        let problem = format!("{} f64 {}", names.join(","), shape.join("x"));
        let dimensions = random.usize(1..3);
        let grid = ["1", "2", "3", "5", "2x2", "3x2", "1x4", "2x3"].into_iter();
        let grids: Vec<_> = grid.filter(|grid| grid.contains('x') == (dimensions == 2)).collect();
        let grid = grids[random.usize(..grids.len())];
        let [input, output] = [(); 2].map(|()| random_distribution(axes, dimensions, &mut random));
        let found = recipe(&problem, grid, &input, random.bool().then_some(&*output));
        compare(&found.unwrap_or_else(|e| panic!("{problem} {grid} {input} {output}: {e}")));
    }
}

#[test]
fn half_spectra_have_their_domains() {
    let recipe = recipe("rfft f64 6x9x10", "2x2", "p,q,*", None).unwrap();
    assert_eq!((recipe.input().domain, recipe.output().domain), (Domain::Real, Domain::Complex));
    assert_eq!(recipe.output().shape, [6, 9, 6]);
}
