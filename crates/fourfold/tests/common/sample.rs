//! A part of a sweep, or the whole.
#![allow(dead_code, reason = "every test file uses a part")]

/// Whether sweeps run whole. `cargo xtask test --full` asks for it by `FOURFOLD_SWEEPS=whole`.
pub(crate) fn whole() -> bool {
    std::env::var_os("FOURFOLD_SWEEPS").is_some_and(|value| value == "whole")
}

/// Every `n`-th case of a sweep, or all of them if sweeps run whole. Samples of `n` consecutive
/// turns have all cases between them: so a sweep over kinds and lengths has every kind and every
/// length.
pub(crate) fn sample<T>(cases: impl IntoIterator<Item = T>, n: usize, turn: usize) -> Vec<T> {
    let chosen = |i: usize| whole() || i % n == (i / n + turn) % n;
    cases.into_iter().enumerate().filter(|(i, _)| chosen(*i)).map(|(_, case)| case).collect()
}

/// The number of random cases: of so many, an `n`-th unless sweeps run whole.
pub(crate) fn count(cases: u32, n: u32) -> u32 {
    if whole() { cases } else { cases.div_ceil(n) }
}
