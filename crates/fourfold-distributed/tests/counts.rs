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

/// The elements of a real signal's array that a rank needs for each real of its part after an exchange, by
/// their places in the whole array before it.
fn source(kind: &str, exchange: usize, [rows, columns]: [usize; 2], at: usize) -> Option<usize> {
    let n = rows * columns;
    let even_odd = |i: usize| if i < n / 2 { 2 * i + 1 } else { 2 * (n - 1 - i) };
    // The place of term k among the pairs, each with its two parts.
    let pair = |k: usize| {
        let (term, part) = if k % rows <= rows / 2 { (k, 0) } else { (n - k, 1) };
        2 * (term % rows * columns + term / rows) + part
    };
    let term_of_pair = |at: usize| {
        let k = at / 2 / columns + rows * (at / 2 % columns);
        if at % 2 == 0 { k } else { (n - k) % n }
    };
    // The index of term k, and of pairs of ends the element that each part is.
    let index = |k: usize| if k == 0 { n - 1 } else { n - k };
    let ends = |at: usize| if at % 2 == 0 { 2 * n - 1 - at } else { at - 1 };
    // A pair of type IV at (k₁, k₂).
    let pair_of_ends = |i: usize| {
        let (k, part) = if i % 2 == 0 { (i / 2, 0) } else { ((2 * n - 1 - i) / 2, 1) };
        2 * (k % rows * columns + k / rows) + part
    };
    match (kind, exchange) {
        ("dht", 0) | (_, 1) => Some(at),
        ("dct4", 0) => Some(ends(at)),
        ("dct4", 2) => Some(pair_of_ends(at)),
        ("idxst", 0) => Some(index(term_of_pair(at))),
        ("idxst", 2) => (0..n).find(|i| even_odd(*i) == at),
        ("dct2", 0) => Some(even_odd(at)),
        ("dct3", 0) => Some(term_of_pair(at)),
        ("dct3", 2) => (0..n).find(|i| even_odd(*i) == at),
        (_, 2) => Some(pair(at)),
        _ => None,
    }
}

#[test]
fn real_signals_send_what_the_next_pass_reads() {
    for (kind, grid) in ["dct2", "dct3", "dct4", "idxst", "dht"]
        .into_iter()
        .flat_map(|kind| ["2", "3", "4", "6"].map(|grid| (kind, grid)))
    {
        let problem = format!("{kind} f64 210").parse().unwrap();
        let recipe = Recipe::signal(&problem, &grid.parse().unwrap(), true).unwrap().unwrap();
        let is_inverse = ["dct3", "idxst"].contains(&kind);
        let matrix = if is_inverse { &recipe.arrays()[4].shape } else { &recipe.arrays()[1].shape };
        let matrix = [matrix[0], matrix[1]];
        check_bytes(&recipe, &|exchange, at| source(kind, exchange, matrix, at).unwrap());
    }
}

/// Executes the recipe of a signal, and compares the bytes with those of the reals that ranks need and lack.
/// `source` has the place before an exchange of each real after it.
fn check_bytes(recipe: &Recipe, source: &dyn Fn(usize, usize) -> usize) {
    let (problem, input) = (recipe.problem(), recipe.input());
    let elements = input.shape.iter().product();
    let reports = run_ranks(recipe, None, &Data::filled(problem.precision(), input.domain, elements, 1.0));
    let is_exchange = |i: &usize| matches!(recipe.steps()[*i].action, Action::Exchange { .. });
    for (number, i) in (0..recipe.steps().len()).filter(is_exchange).enumerate() {
        let reals = |array: &ArrayDesc, rank: usize| -> Vec<usize> {
            let places = positions(&array.shape, &array.ranges(recipe.grid(), rank), &array.order);
            let parts = array.domain.reals();
            places.into_iter().flat_map(|at| (0..parts).map(move |part| parts * at + part)).collect()
        };
        let mut needed = 0;
        for rank in 0..reports.len() {
            let held: HashSet<_> = reals(&recipe.arrays()[i], rank).into_iter().collect();
            let all = reals(&recipe.arrays()[i + 1], rank).into_iter();
            needed += all.map(|at| source(number, at)).filter(|at| !held.contains(at)).count();
        }
        let sent: usize = reports.iter().map(|report| report.bytes_sent[number]).sum();
        assert_eq!(sent, needed * size_of::<f64>(), "{recipe}: exchange {number}");
    }
    let sent = |report: &common::Report| report.bytes_sent.iter().sum::<usize>();
    let received = reports.iter().map(|report| report.bytes_received).sum::<usize>();
    assert_eq!(received, reports.iter().map(sent).sum::<usize>());
}

/// The same as [`source`], of signals that are a line on one side of an exchange.
fn source_of_line(kind: &str, exchange: usize, n: usize, [rows, columns]: [usize; 2], at: usize) -> usize {
    let (size, half) = (rows * columns, n / 2);
    // The place in the matrix of the first of these terms that the rows k₁ ≤ N₁/2 have.
    let place = |terms: [usize; 2]| {
        let k = terms.into_iter().find(|k| *k < size && k % rows <= rows / 2).unwrap();
        k % rows * columns + k / rows
    };
    let extended = || {
        let width = columns / 2 + 1;
        let m = columns * (at / width + 1) - at % width;
        m.min(size - m)
    };
    match (kind, exchange) {
        ("dct1", 0) => extended(),
        // The ends stand for zeros.
        ("dst1", 0) => extended().clamp(1, n) - 1,
        ("dct1", 2) => place([at, size - at]),
        ("dst1", 2) => place([at + 1, size - at - 1]),
        ("dct4", 0) => {
            if at <= half {
                2 * at
            } else {
                2 * n - 1 - 2 * at
            }
        }
        ("dct4", 2) => {
            let distance = at.abs_diff(half);
            2 * place([distance, n - distance]) + usize::from(at > half)
        }
        ("rfft", 2) => 2 * place([at / 2, n - at / 2]) + at % 2,
        ("irfft", 0) => {
            let k = at / 2 / columns + rows * (at / 2 % columns);
            2 * k.min(n - k) + at % 2
        }
        _ => at,
    }
}

#[test]
fn signals_in_a_line_send_what_the_next_pass_reads() {
    for (kind, n) in [
        ("dct1", 211),
        ("dst1", 209),
        ("dct1", 33),
        ("dst1", 44),
        ("dct4", 315),
        ("rfft", 210),
        ("rfft", 64),
        ("irfft", 210),
        ("irfft", 64),
    ] {
        for grid in ["2", "3", "4", "5"] {
            let problem = format!("{kind} f64 {n}").parse().unwrap();
            let recipe = Recipe::signal(&problem, &grid.parse().unwrap(), true).unwrap().unwrap();
            let text = recipe.to_string();
            let lengths = text.split(" as ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap().split('x');
            let matrix: Vec<usize> = lengths.map(|length| length.parse().unwrap()).collect();
            let matrix = [matrix[0], matrix[1]];
            check_bytes(&recipe, &|exchange, at| source_of_line(kind, exchange, n, matrix, at));
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
