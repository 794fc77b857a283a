//! One long signal, as columns and rows of a matrix.

mod common;

use common::distributed;
use fourfold::Problem;
use fourfold::oracle::verify::{Data, check};
use fourfold_distributed::{Grid, Recipe};

#[test]
fn long_signals_agree_with_the_oracle() {
    for (problem, grid) in [
        ("fft f64 60", "4"),
        ("ifft f64 60 ortho", "4"),
        ("fft f32 1001", "3"),
        ("ifft f64 4096 scale=0.5", "2x3"),
        ("fft f64 2310 adjoint", "5"),
        ("fft f64 65536", "4"),
    ] {
        let (problem, grid): (Problem, Grid) = (problem.parse().unwrap(), grid.parse().unwrap());
        for natural in [true, false] {
            let recipe = Recipe::signal(&problem, &grid, natural).unwrap().unwrap();
            assert_eq!(recipe.exchanges(), if natural { 3 } else { 2 });
            let run = |x: &Data, y: &mut Data| {
                distributed(&recipe, None, x, y);
                Ok(())
            };
            let verdict = check(&problem, false, 5, run).unwrap();
            assert!(verdict.holds(), "{recipe}: {verdict:?}");
        }
    }
}

/// Parts are blocks of the signal, and of its spectrum if that is in natural order.
#[test]
fn parts_of_a_signal_are_blocks() {
    let recipe = Recipe::signal(&"fft f64 60".parse().unwrap(), &"3".parse().unwrap(), true).unwrap().unwrap();
    let (input, output) = (recipe.input(), recipe.output());
    assert_eq!((&input.shape[..], &input.order[..]), (&[10, 6][..], &[0, 1][..]));
    assert_eq!(input.ranges(recipe.grid(), 0), [0..4, 0..6]);
    assert_eq!((&output.shape[..], &output.order[..]), (&[10, 6][..], &[1, 0][..]));
    assert_eq!(output.ranges(recipe.grid(), 0), [0..10, 0..2]);
}

/// A signal without factors for all ranks has no such recipe, and is computed by one rank.
#[test]
fn some_signals_have_no_matrix() {
    for (problem, grid) in [("fft f64 61", "2"), ("fft f64 62", "3"), ("dct2 f64 64", "2"), ("fft f64 8x8", "2")] {
        assert!(
            Recipe::signal(&problem.parse().unwrap(), &grid.parse().unwrap(), true).unwrap().is_none(),
            "{problem}"
        );
    }
}
