//! The figures that are kept of several measurements.

/// What several measurements say about the time of one run. The [module](crate::timing) says which
/// figure to use for what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The least time.
    pub min: f64,
    /// The middle one; of an even number the mean of the middle two.
    pub median: f64,
    /// The largest time.
    pub max: f64,
    /// How many were measured.
    pub rounds: usize,
}

impl Summary {
    /// Of times in any order and unit; none if there are no times.
    pub fn of(times: &[f64]) -> Option<Summary> {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Some(Summary { min, median: (low + high) / 2.0, max, rounds: sorted.len() })
    }

    /// The same times in another unit, of which a second has `per_second`.
    pub fn in_unit(self, per_second: f64) -> Summary {
        let Summary { min, median, max, rounds } = self;
        Summary { min: min * per_second, median: median * per_second, max: max * per_second, rounds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        let of = |times: &[f64]| Summary::of(times).map(|summary| (summary.min, summary.median, summary.max));
        assert_eq!(of(&[4.0, 1.0, 2.0, 9.0]), Some((1.0, 3.0, 9.0)));
        assert_eq!(of(&[7.0, 1.0, 2.0]), Some((1.0, 2.0, 7.0)));
        assert_eq!(of(&[5.0]), Some((5.0, 5.0, 5.0)));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn units_are_of_all_times() {
        let seconds = Summary { min: 0.5, median: 1.0, max: 2.0, rounds: 3 };
        assert_eq!(seconds.in_unit(1e3), Summary { min: 500.0, median: 1000.0, max: 2000.0, rounds: 3 });
    }
}
