//! The orders in which the real side of a DFT is read from a line or written to it.
//!
//! Sources: [`EvenOdd`] is Makhoul's ("A fast cosine transform in one and two dimensions", 1980),
//! [`Reorder::Fold`] is that of Chan and Ho ("Direct methods for computing discrete sinusoidal
//! transforms", 1990), and the extensions follow from the symmetries of DCT-I and DST-I.

/// The real side v of a DFT in terms of a line x of N elements. If the DFT is backward, v is its
/// result, and the equations determine x. Engines use a reorder as [`Run`]s or as a
/// [`Permutation`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reorder {
    /// The even indices ascending, then the odd indices descending.
    EvenOdd(EvenOdd),
    /// For odd N, v_i = x_{4i+(N−1)/2}. Here x is extended with the symmetries of the cosines of
    /// type IV: x_{2N−1−j} = −x_j and x_{j+2N} = −x_j.
    Fold {
        /// Whether x is read from its end.
        reversed: bool,
    },
    /// The 2(N−1) elements of v_j = v_{2(N−1)−j} = x_j.
    EvenExtension {
        /// Factors on x_0 and x_{N−1}, if they have one.
        ends: [Option<f64>; 2],
    },
    /// The 2(N+1) elements of v_j = −v_{2(N+1)−j} = x_{j−1}, v_0 = v_{N+1} = 0.
    OddExtension,
}

/// v_m = x_{2m}, v_{N−1−m} = ±x_{2m+1}.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EvenOdd {
    /// Whether elements with odd indices change sign.
    pub signs: bool,
}

/// The index `start + step · i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    /// The index for i = 0.
    pub start: isize,
    /// The increment from i to i + 1.
    pub step: isize,
}

/// Part of a [`Reorder`]: v\[`first` + i\] = `factor` · x\[`place`(i)\] for i < `count`, which is not
/// 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The index of its first element in v.
    pub first: usize,
    /// The number of elements.
    pub count: usize,
    /// The indices of the elements on the line.
    pub place: Index,
    /// The factor on all elements, if they have one.
    pub factor: Option<f64>,
}

/// A [`Reorder`] as tables: v_m = factor\[m\] · x\[index\[m\]\].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Permutation {
    /// The index of element m on the line.
    pub index: Vec<usize>,
    /// The factors on the elements. An empty list means that all are 1.
    pub factor: Vec<f64>,
}

/// The indices `start` + `step` · i.
pub(crate) fn at(start: usize, step: isize) -> Index {
    Index { start: start as isize, step }
}

impl Index {
    /// The index for i.
    pub fn at(self, i: usize) -> usize {
        (self.start + self.step * i as isize) as usize
    }
}

impl EvenOdd {
    /// The index on the line of element m of N.
    pub fn place(self, m: usize, n: usize) -> usize {
        if 2 * m < n { 2 * m } else { 2 * (n - m) - 1 }
    }

    /// The element m that has the index `place` on the line.
    pub fn element(self, place: usize, n: usize) -> usize {
        if place % 2 == 0 { place / 2 } else { n - place.div_ceil(2) }
    }

    /// The factor on elements with odd indices on the line.
    pub fn odd_factor(self) -> f64 {
        if self.signs { -1.0 } else { 1.0 }
    }

    /// The factor on the element with the index `place` on the line.
    pub fn factor(self, place: usize) -> f64 {
        if place % 2 == 0 { 1.0 } else { self.odd_factor() }
    }

    /// Two elements without signs are in order.
    fn runs(self, n: usize) -> Vec<Run> {
        if n == 2 && !self.signs {
            return vec![run(0, 2, at(0, 1))];
        }
        let (even, odd) = (n.div_ceil(2), n / 2);
        let last = at((2 * odd).saturating_sub(1), -2);
        vec![run(0, even, at(0, 2)), run(even, odd, last).times(self.signs.then_some(-1.0))]
    }
}

fn run(first: usize, count: usize, place: Index) -> Run {
    Run { first, count, place, factor: None }
}

impl Run {
    fn times(self, factor: Option<f64>) -> Run {
        Run { factor, ..self }
    }
}

impl Reorder {
    /// The reorder of a line of `n` elements as runs.
    pub fn runs(self, n: usize) -> Vec<Run> {
        let mut runs = match self {
            Reorder::EvenOdd(order) => order.runs(n),
            Reorder::Fold { reversed } => fold(n, reversed),
            Reorder::EvenExtension { ends } => even_extension(n, ends),
            Reorder::OddExtension => odd_extension(n),
        };
        runs.retain(|run| run.count > 0);
        runs
    }

    /// The reorder of a line of `n` elements as tables.
    pub fn permutation(self, n: usize) -> Permutation {
        let runs = self.runs(n);
        let index = runs.iter().flat_map(|run| (0..run.count).map(|i| run.place.at(i))).collect();
        let factor = match runs.iter().all(|run| run.factor.is_none()) {
            true => vec![],
            false => runs.iter().flat_map(|run| std::iter::repeat_n(run.factor.unwrap_or(1.0), run.count)).collect(),
        };
        Permutation { index, factor }
    }
}

/// One run for each value of ⌊(4i + (N−1)/2)/N⌋, which is at most 4.
fn fold(n: usize, reversed: bool) -> Vec<Run> {
    let first_beyond = |times: usize| (times * n - n / 2).div_ceil(4).min(n);
    let part = |times: usize| {
        let (start, end) = (if times == 0 { 0 } else { first_beyond(times) }, first_beyond(times + 1));
        let at = (4 * start + n / 2) as isize - (times * n) as isize;
        let descends = (times % 2 == 1) != reversed;
        let (at, step) = if descends { (n as isize - 1 - at, -4) } else { (at, 4) };
        let changes_sign = times == 1 || times == 2;
        run(start, end - start, Index { start: at, step }).times(changes_sign.then_some(-1.0))
    };
    (0..=4).map(part).collect()
}

/// Ends without a factor belong to the ascending run.
fn even_extension(n: usize, [a, b]: [Option<f64>; 2]) -> Vec<Run> {
    let last = n - 1;
    let [start, end] = [usize::from(a.is_some()), n - usize::from(b.is_some())];
    let ascending = run(start, end - start, at(start, 1));
    let descending = run(n, last.saturating_sub(1), at(last.max(1) - 1, -1));
    let end_of = |place: usize, factor: Option<f64>| factor.map(|_| run(place, 1, at(place, 1)).times(factor));
    [end_of(0, a), Some(ascending), end_of(last, b), Some(descending)].into_iter().flatten().collect()
}

fn odd_extension(n: usize) -> Vec<Run> {
    let zero = |first| run(first, 1, at(0, 0)).times(Some(0.0));
    let descending = run(n + 2, n, at(n - 1, -1)).times(Some(-1.0));
    vec![zero(0), run(1, n, at(0, 1)), zero(n + 1), descending]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_elements_are_inverse() {
        for n in 1..20 {
            let order = EvenOdd { signs: true };
            let Permutation { index, factor } = Reorder::EvenOdd(order).permutation(n);
            for (m, &place) in index.iter().enumerate() {
                assert_eq!((order.place(m, n), order.element(place, n)), (place, m));
                assert_eq!(factor.get(m).copied().unwrap_or(1.0), order.factor(place));
            }
        }
    }

    /// Index and sign of an element of the extended line, which has the symmetries of the cosines
    /// of type IV.
    fn continued(j: usize, n: usize) -> (usize, f64) {
        match j / n {
            0 => (j, 1.0),
            1 => (2 * n - 1 - j, -1.0),
            2 => (j - 2 * n, -1.0),
            3 => (4 * n - 1 - j, 1.0),
            _ => continued(j - 4 * n, n),
        }
    }

    #[test]
    fn a_fold_reads_the_continued_line() {
        for n in (1..40).step_by(2) {
            let [ascending, reversed] = [false, true].map(|reversed| Reorder::Fold { reversed }.permutation(n));
            for i in 0..n {
                let (place, factor) = continued(4 * i + n / 2, n);
                assert_eq!((ascending.index[i], reversed.index[i]), (place, n - 1 - place), "{n}");
                assert_eq!(ascending.factor.get(i).copied().unwrap_or(1.0), factor, "{n}");
            }
        }
    }

    #[test]
    fn an_end_with_a_factor_is_a_run() {
        for (n, ends) in (2..9).flat_map(|n| {
            [[None; 2], [Some(3.0), None], [None, Some(5.0)], [Some(3.0), Some(5.0)]].map(|ends| (n, ends))
        }) {
            let Permutation { index, factor } = Reorder::EvenExtension { ends }.permutation(n);
            let wanted: Vec<usize> = (0..n).chain((1..n - 1).rev()).collect();
            assert_eq!(index, wanted, "{n} {ends:?}");
            let weight = |m: usize| if m == 0 { ends[0] } else { ends[1].filter(|_| m == n - 1) };
            let weights: Vec<f64> = (0..index.len()).map(|m| weight(m).unwrap_or(1.0)).collect();
            assert_eq!(factor, if ends == [None; 2] { vec![] } else { weights }, "{n} {ends:?}");
        }
    }

    #[test]
    fn extensions_are_symmetric() {
        for n in 2..20 {
            let even = Reorder::EvenExtension { ends: [None; 2] }.permutation(n).index;
            let odd = Reorder::OddExtension.permutation(n);
            assert_eq!((even.len(), odd.index.len()), (2 * (n - 1), 2 * (n + 1)));
            assert!((1..even.len()).all(|j| even[j] == even[even.len() - j]));
            let element = |j: usize| (odd.index[j], odd.factor[j]);
            let is_odd = |j: usize| element(j) == (element(odd.index.len() - j).0, -element(odd.index.len() - j).1);
            assert!((1..odd.index.len()).all(is_odd));
        }
    }
}
