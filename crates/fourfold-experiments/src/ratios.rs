//! Ratios of a table in words, for the sentence below it.

use crate::rounding::ratio;

/// Ratios of positive numbers.
pub(crate) struct Ratios(Vec<f64>);

impl Ratios {
    pub(crate) fn new(ratios: impl IntoIterator<Item = f64>) -> Ratios {
        Ratios(ratios.into_iter().collect())
    }

    /// `over[i] / under[i]`.
    pub(crate) fn of(over: &[f64], under: &[f64]) -> Ratios {
        Ratios::new(over.iter().zip(under).map(|(a, b)| a / b))
    }

    /// The geometric mean: the mean of a ratio and its inverse is 1.
    pub(crate) fn mean(&self) -> f64 {
        (self.0.iter().map(|x| x.ln()).sum::<f64>() / self.0.len() as f64).exp()
    }

    pub(crate) fn least(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    pub(crate) fn most(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    /// The least and the largest: `1.21 to 1.58`.
    pub(crate) fn range(&self) -> String {
        let [least, most] = [self.least(), self.most()].map(ratio);
        if least == most { least } else { format!("{least} to {most}") }
    }

    /// The geometric mean of several, and the range: `1.40 times (1.21 to 1.58)`.
    pub(crate) fn times(&self) -> String {
        match self.0.len() {
            1 => format!("{} times", self.range()),
            _ => format!("{} times ({})", ratio(self.mean()), self.range()),
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// How often a ratio is above 1: `in all 4 cases`.
    pub(crate) fn above_one(&self) -> String {
        let (count, all) = (self.0.iter().filter(|x| **x > 1.0).count(), self.0.len());
        match count {
            0 => format!("in none of {all} cases"),
            _ if count == all => format!("in all {all} cases"),
            _ => format!("in {count} of {all} cases"),
        }
    }
}

/// A sentence on the cases, of which each has a name, in which a way is faster than fused passes: from
/// the time of these over the other. Nothing if there are none.
pub(crate) fn where_faster(way: &str, over: &[(String, f64)]) -> Option<String> {
    let faster: Vec<_> = over.iter().filter(|(_, over)| *over > 1.0).collect();
    let mut names: Vec<&str> = faster.iter().map(|(name, _)| &**name).collect();
    names.dedup();
    let gains = Ratios::new(faster.iter().map(|(_, over)| *over));
    let names = match &names[..] {
        names if names.len() > 3 => format!("in {} of {} cases", faster.len(), over.len()),
        names => format!("at {}", names.join(", ")),
    };
    (gains.count() > 0).then(|| format!(" {way} is {} times as fast as `fused` {names}.", gains.range()))
}

/// The sentence on the times of one problem after another by rows and columns, in three stages, and
/// fused.
pub(crate) fn of_methods([rows, stages, fused]: [&[f64]; 3]) -> String {
    format!(
        "`three-stage` is {} as fast as `row-column`, and `fused` is {} as fast as `three-stage`.",
        Ratios::of(rows, stages).times(),
        Ratios::of(stages, fused).times()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_follow_from_the_numbers() {
        let ratios = Ratios::of(&[1.0, 8.0], &[2.0, 2.0]);
        assert_eq!(ratios.times(), "1.41 times (0.50 to 4.00)");
        assert_eq!(ratios.above_one(), "in 1 of 2 cases");
        let over = [("a", 0.9), ("b", 1.5), ("b", 2.0)].map(|(name, over)| (name.to_owned(), over));
        assert_eq!(where_faster("It", &over).unwrap(), " It is 1.50 to 2.00 times as fast as `fused` at b.");
        assert_eq!(where_faster("It", &over[..1]), None);
        assert_eq!(Ratios::new([2.0]).times(), "2.00 times");
        assert_eq!(Ratios::new([2.0, 3.0]).above_one(), "in all 2 cases");
        assert_eq!(Ratios::new([0.5, 1.0]).above_one(), "in none of 2 cases");
        assert_eq!(
            of_methods([&[4.0, 9.0], &[2.0, 3.0], &[1.0, 2.0]]),
            "`three-stage` is 2.45 times (2.00 to 3.00) as fast as `row-column`, and `fused` is 1.73 times (1.50 to 2.00) \
             as fast as `three-stage`."
        );
    }
}
