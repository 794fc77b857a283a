//! Measures what is repeated.

use std::time::{Duration, Instant};

/// Shorter measurements would say more about the clock than about the work.
const SHORTEST: Duration = Duration::from_micros(20);

/// Measured times of one run, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// Of at least one time.
    pub(crate) fn of(times: &[f64]) -> Spread {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Spread { median: (low + high) / 2.0, min: sorted[0], max: sorted[sorted.len() - 1] }
    }
}

/// How many runs in a row make a measurement that the clock resolves, at most `most`; this also warms up.
pub(crate) fn batch(most: usize, mut run: impl FnMut()) -> usize {
    let mut runs = 1;
    loop {
        if measure(runs, &mut run) * runs as f64 >= 1e3 * SHORTEST.as_secs_f64() || runs >= most {
            return runs.min(most);
        }
        runs *= 2;
    }
}

/// The time of one run, in milliseconds, as the mean of `runs` in a row.
pub(crate) fn measure(runs: usize, mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..runs).for_each(|_| run());
    1e3 * start.elapsed().as_secs_f64() / runs as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(Spread::of(&[4.0, 1.0, 2.0, 9.0]), Spread { median: 3.0, min: 1.0, max: 9.0 });
        assert_eq!(Spread::of(&[5.0]), Spread { median: 5.0, min: 5.0, max: 5.0 });
    }

    #[test]
    fn batches_are_as_long_as_the_clock_needs() {
        assert_eq!(batch(1 << 20, || std::thread::sleep(Duration::from_millis(1))), 1);
        assert_eq!(batch(4, || ()), 4);
    }
}
