//! A part of a sweep, or the whole.
#![allow(dead_code, reason = "every test file uses a part")]

/// The variable that says how much of the sweeps runs: `whole`, or a number k for one in k of the
/// cases that run without it. `cargo xtask test --full` asks for all of them, the suite `arm`, which
/// emulates a processor, for fewer.
const VARIABLE: &str = "FOURFOLD_SWEEPS";

/// Whether sweeps run whole.
pub(crate) fn whole() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == "whole")
}

/// Of how many cases of the usual sample one runs: usually 1.
pub(crate) fn one_in() -> usize {
    let number = std::env::var(VARIABLE).ok().and_then(|value| value.parse().ok());
    number.unwrap_or(1).max(1)
}

/// Every `n`-th case of a sweep, or all of them if sweeps run whole. Samples of `n` consecutive
/// turns have all cases between them: so a sweep over kinds and lengths has every kind and every
/// length.
pub(crate) fn sample<T>(cases: impl IntoIterator<Item = T>, n: usize, turn: usize) -> Vec<T> {
    let n = n * one_in();
    let chosen = |i: usize| whole() || i % n == (i / n + turn) % n;
    cases.into_iter().enumerate().filter(|(i, _)| chosen(*i)).map(|(_, case)| case).collect()
}

/// The number of random cases: of so many, an `n`-th unless sweeps run whole.
pub(crate) fn count(cases: u32, n: u32) -> u32 {
    if whole() { cases } else { cases.div_ceil(n * one_in() as u32) }
}
