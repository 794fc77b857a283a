//! A part of a sweep, or the whole.
#![allow(dead_code, reason = "every test file uses a part")]

/// Whether the variable FOURFOLD_SWEEPS has this value. `cargo xtask test --full` sets `whole`, and
/// `--quick` sets `quick`.
fn asked(value: &str) -> bool {
    std::env::var_os("FOURFOLD_SWEEPS").is_some_and(|asked| asked == value)
}

/// Whether sweeps run whole.
pub(crate) fn whole() -> bool {
    asked("whole")
}

/// The part of a sweep that runs, as one case of so many, where one of `n` is usual.
pub(crate) fn one_of(n: usize) -> usize {
    match (whole(), asked("quick")) {
        (true, _) => 1,
        (_, true) => 4 * n,
        _ => n,
    }
}

/// Every `n`-th case of a sweep, all of them if sweeps run whole, or fewer for a quick test. Samples
/// of `n` consecutive turns have all cases between them: so a sweep over kinds and lengths has every
/// kind and every length.
pub(crate) fn sample<T>(cases: impl IntoIterator<Item = T>, n: usize, turn: usize) -> Vec<T> {
    let n = one_of(n);
    let chosen = |i: usize| i % n == (i / n + turn) % n;
    cases.into_iter().enumerate().filter(|(i, _)| chosen(*i)).map(|(_, case)| case).collect()
}

/// The number of random cases: of so many, the same part as of a sweep.
pub(crate) fn count(cases: u32, n: u32) -> u32 {
    cases.div_ceil(one_of(n as usize) as u32)
}
