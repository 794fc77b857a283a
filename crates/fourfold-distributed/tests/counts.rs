//! Bytes and memory, counted.

mod common;

use common::{positions, recipe, run_ranks};
use fourfold::oracle::verify::Data;
use fourfold_distributed::{Action, ArrayDesc, Recipe};
use std::collections::HashSet;

/// The elements that a rank must get from others in an exchange: those that it has after it, and not
/// before.
fn floor(recipe: &Recipe, before: &ArrayDesc, after: &ArrayDesc, rank: usize) -> usize {
    let held = |array: &ArrayDesc| -> HashSet<usize> {
        positions(&array.shape, &array.ranges(recipe.grid(), rank), &array.order).into_iter().collect()
    };
    held(after).difference(&held(before)).count()
}

#[test]
fn bytes_are_at_their_floor_and_memory_at_most_one_array() {
    let ends = [
        ("dct2 f64 13x10", "3", "p,*", None),
        ("dct2 f32 13x10", "8", "p,*", Some("p,*")),
        ("rfft f64 7x9x10", "2x3", "p,q,*", None),
        ("irfft f32 7x9x10", "2x2", "p,q,*", Some("p,q,*")),
        ("dst2 f64 5x4x6x3", "2x2", "p,q,*,*", Some("*,*,p,q")),
        ("dht f64 17", "4", "p", Some("p")),
        ("fft f64 12x12", "2x2", "pq,*", Some("p,q")),
    ];
    let arrays = ends.map(|(problem, grid, input, output)| recipe(problem, grid, input, output).unwrap());
    let signals = [("fft f64 60", "4", true), ("rfft f64 60", "3", false), ("irfft f32 60", "4", false)];
    let signal = |(problem, grid, natural): (&str, &str, bool)| {
        Recipe::signal(&problem.parse().unwrap(), &grid.parse().unwrap(), natural).unwrap().unwrap()
    };
    for recipe in arrays.into_iter().chain(signals.map(signal)) {
        let elements = recipe.input().shape.iter().product();
        let data = Data::filled(recipe.problem().precision(), recipe.input().domain, elements, 1.0);
        let reports = run_ranks(&recipe, None, &data);
        let bytes = |array: &ArrayDesc| recipe.problem().precision().bytes() * array.domain.reals();
        let (mut sent, mut number) = (0, 0);
        for (i, _) in
            recipe.steps().iter().enumerate().filter(|(_, step)| matches!(step.action, Action::Exchange { .. }))
        {
            let (before, after) = (&recipe.arrays()[i], &recipe.arrays()[i + 1]);
            let needed: usize =
                (0..reports.len()).map(|rank| floor(&recipe, before, after, rank) * bytes(before)).sum();
            assert_eq!(reports.iter().map(|report| report.bytes_sent[number]).sum::<usize>(), needed, "{recipe}");
            (sent, number) = (sent + needed, number + 1);
        }
        assert!(sent > 0);
        assert_eq!(reports.iter().map(|report| report.bytes_received).sum::<usize>(), sent, "{recipe}");
        for (rank, report) in reports.iter().enumerate() {
            let largest = recipe.arrays().iter().map(|array| array.elements(recipe.grid(), rank) * bytes(array)).max();
            assert!(report.work_bytes <= largest.unwrap(), "{recipe}: rank {rank}");
        }
    }
}

/// Where all parts are equal, the slice for the output needs no more than the output, and the work array
/// is as large as a part.
#[test]
fn equal_parts_need_one_more() {
    for (problem, grid, input) in [("dct2 f64 12x12", "4", "p,*"), ("fft f64 12x12x12", "2x3", "p,q,*")] {
        let recipe = recipe(problem, grid, input, None).unwrap();
        let part = recipe.input().elements(recipe.grid(), 0);
        let bytes = part * recipe.problem().precision().bytes() * recipe.input().domain.reals();
        let data = Data::filled(recipe.problem().precision(), recipe.input().domain, recipe.problem().input().len, 1.0);
        assert!(run_ranks(&recipe, None, &data).iter().all(|report| report.work_bytes == bytes), "{recipe}");
    }
}
