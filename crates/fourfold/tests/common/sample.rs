//! A part of a sweep, or the whole.
#![allow(dead_code, reason = "every test file uses a part")]

/// The variable that says how much of the sweeps runs: `whole`, or a number k for one in k of the
/// cases that run without it. `cargo xtask test --full` asks for all of them; `--quick`, and the
/// suite `arm`, which emulates a processor, for fewer.
const VARIABLE: &str = "FOURFOLD_SWEEPS";

/// Whether sweeps run whole.
pub(crate) fn whole() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == "whole")
}

/// The part of a sweep that runs, as one case of so many, where one of `n` is usual.
pub(crate) fn one_of(n: usize) -> usize {
    let fewer = std::env::var(VARIABLE).ok().and_then(|value| value.parse().ok());
    if whole() { 1 } else { n * fewer.unwrap_or(1).max(1) }
}

/// Every `n`-th case of a sweep, all of them if sweeps run whole, or fewer if fewer are asked for.
/// Samples of `one_of(n)` consecutive turns have all cases between them: so a sweep over kinds and
/// lengths has every kind and every length.
pub(crate) fn sample<T>(cases: impl IntoIterator<Item = T>, n: usize, turn: usize) -> Vec<T> {
    let n = one_of(n);
    let chosen = |i: usize| i % n == (i / n + turn) % n;
    cases.into_iter().enumerate().filter(|(i, _)| chosen(*i)).map(|(_, case)| case).collect()
}

/// The number of random cases: of so many, the same part as of a sweep.
pub(crate) fn count(cases: u32, n: u32) -> u32 {
    cases.div_ceil(one_of(n as usize) as u32)
}
