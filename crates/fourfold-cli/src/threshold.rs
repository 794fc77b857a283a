//! Drops small coefficients: those below a threshold, as in equation (20) of the paper, or all but
//! a percentage.

use anyhow::Result;
use fourfold::Element;

use crate::array::collect;

/// The types that images are computed with.
pub(crate) trait Sample: Element + Into<f64> {
    /// The nearest number of this type.
    fn nearest(x: f64) -> Self;

    fn magnitude(self) -> f64 {
        let x: f64 = self.into();
        x.abs()
    }
}

impl Sample for f32 {
    fn nearest(x: f64) -> f32 {
        x as f32
    }
}

impl Sample for f64 {
    fn nearest(x: f64) -> f64 {
        x
    }
}

/// The rule by which coefficients of a channel are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    /// Keeps those whose magnitude is at least this.
    Threshold(f64),
    /// Keeps this percentage of them, the largest in magnitude.
    Percent(f64),
}

impl Rule {
    /// Sets all others to zero. Returns the number of coefficients kept, or an error if memory is
    /// lacking.
    pub(crate) fn apply<T: Sample>(self, coefficients: &mut [T]) -> Result<usize> {
        match self {
            // Rounded to the type, as on devices.
            Rule::Threshold(least) => Ok(keep_from(coefficients, T::nearest(least).into())),
            Rule::Percent(percent) => keep_largest(coefficients, share(percent, coefficients.len())),
        }
    }
}

/// ⌈percent · count / 100⌉ of the decimal number `percent`. The product of binary numbers may be
/// too large by a rounding error: 0.56 · 10000 gives 5600.000000000001.
fn share(percent: f64, count: usize) -> usize {
    (percent * count as f64 / 100.0 * (1.0 - 4.0 * f64::EPSILON)).ceil() as usize
}

fn keep_from<T: Sample>(coefficients: &mut [T], least: f64) -> usize {
    let mut kept = 0;
    for b in coefficients {
        let keep = b.magnitude() >= least;
        kept += usize::from(keep);
        *b = if keep { *b } else { T::default() };
    }
    kept
}

/// Keeps exactly `count` coefficients. Of those that are equally large it keeps the first.
fn keep_largest<T: Sample>(coefficients: &mut [T], count: usize) -> Result<usize> {
    let Some(rank) = coefficients.len().checked_sub(count).filter(|_| count > 0) else {
        coefficients.fill(T::default());
        return Ok(0);
    };
    let mut magnitudes: Vec<f64> = collect(coefficients.len(), coefficients.iter().map(|b| b.magnitude()))?;
    let (_, &mut least, larger) = magnitudes.select_nth_unstable_by(rank, f64::total_cmp);
    let mut ties = count - larger.iter().filter(|&&magnitude| magnitude > least).count();
    for b in coefficients {
        let tie = b.magnitude() == least && ties > 0;
        ties -= usize::from(tie);
        *b = if tie || b.magnitude() > least { *b } else { T::default() };
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_compare_magnitudes() {
        let mut b = [3.0, -2.0, 1.999, 0.0, -5.0];
        assert_eq!(Rule::Threshold(2.0).apply(&mut b).unwrap(), 3);
        assert_eq!(b, [3.0, -2.0, 0.0, 0.0, -5.0]);
        assert_eq!(Rule::Threshold(0.0).apply(&mut b).unwrap(), 5);
        // 0.7 is a little more than the nearest f32.
        assert_eq!(Rule::Threshold(0.7).apply(&mut [0.7f32, 0.69]).unwrap(), 1);
    }

    #[test]
    fn shares_keep_exactly_so_many_also_of_equals() {
        for percent in [0.0, 1.0, 20.0, 50.0, 80.0, 81.0, 100.0] {
            let mut b = [1.0, -1.0, 1.0, -1.0, 2.0];
            let kept = Rule::Percent(percent).apply(&mut b).unwrap();
            assert_eq!(kept, (percent / 20.0_f64).ceil() as usize);
            assert_eq!(b.iter().filter(|b| **b != 0.0).count(), kept);
            assert_eq!(b[4] != 0.0, kept > 0, "the largest is kept first");
        }
    }

    #[test]
    fn shares_are_those_of_decimal_numbers() {
        assert_eq!(share(0.56, 1_000_000), 5600);
        assert_eq!(share(56.0, 100), 56);
        assert_eq!(share(7.0, 100), 7);
        assert_eq!(share(100.0, 12_345_678), 12_345_678);
        assert_eq!(share(1e-9, 10), 1);
        assert_eq!(share(0.0, 10), 0);
    }
}
