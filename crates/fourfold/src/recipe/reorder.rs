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
        /// Factors on x_0 and x_{N−1}.
        ends: [f64; 2],
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

/// Part of a [`Reorder`]: v\[`first` + i\] = `factor` · x\[`place`(i)\] for i < `count`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The index of its first element in v.
    pub first: usize,
    /// The number of elements.
    pub count: usize,
    /// The indices of the elements on the line.
    pub place: Index,
    /// The factor on all elements.
    pub factor: f64,
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

    fn runs(self, n: usize) -> [Run; 2] {
        let (even, odd) = (n.div_ceil(2), n / 2);
        let last = at((2 * odd).saturating_sub(1), -2);
        [
            Run { first: 0, count: even, place: at(0, 2), factor: 1.0 },
            Run { first: even, count: odd, place: last, factor: self.odd_factor() },
        ]
    }
}

impl Reorder {
    /// The reorder of a line of `n` elements as runs. Some of them may be empty.
    pub fn runs(self, n: usize) -> Vec<Run> {
        match self {
            Reorder::EvenOdd(order) => order.runs(n).into(),
            Reorder::Fold { reversed } => fold(n, reversed).into(),
            Reorder::EvenExtension { ends } => even_extension(n, ends).into(),
            Reorder::OddExtension => odd_extension(n).into(),
        }
    }

    /// The reorder of a line of `n` elements as tables.
    pub fn permutation(self, n: usize) -> Permutation {
        let runs = self.runs(n);
        let index = runs.iter().flat_map(|run| (0..run.count).map(|i| run.place.at(i))).collect();
        let factor = match runs.iter().all(|run| run.count == 0 || run.factor == 1.0) {
            true => vec![],
            false => runs.iter().flat_map(|run| std::iter::repeat_n(run.factor, run.count)).collect(),
        };
        Permutation { index, factor }
    }
}

/// One run for each value of ⌊(4i + (N−1)/2)/N⌋, which is at most 4.
fn fold(n: usize, reversed: bool) -> [Run; 5] {
    let first_beyond = |times: usize| (times * n - n / 2).div_ceil(4).min(n);
    let mut first = 0;
    [0, 1, 2, 3, 4].map(|times| {
        let (start, end) = (first, first_beyond(times + 1));
        first = end;
        let at = (4 * start + n / 2) as isize - (times * n) as isize;
        let mirrored = times % 2 == 1;
        let (at, step) = if mirrored != reversed { (n as isize - 1 - at, -4) } else { (at, 4) };
        let factor = if times == 1 || times == 2 { -1.0 } else { 1.0 };
        Run { first: start, count: end - start, place: Index { start: at, step }, factor }
    })
}

fn even_extension(n: usize, [a, b]: [f64; 2]) -> [Run; 4] {
    let last = n - 1;
    [
        Run { first: 0, count: 1, place: at(0, 1), factor: a },
        Run { first: 1, count: last - 1, place: at(1, 1), factor: 1.0 },
        Run { first: last, count: 1, place: at(last, 1), factor: b },
        Run { first: last + 1, count: last - 1, place: at(last.max(1) - 1, -1), factor: 1.0 },
    ]
}

fn odd_extension(n: usize) -> [Run; 4] {
    [
        Run { first: 0, count: 1, place: at(0, 0), factor: 0.0 },
        Run { first: 1, count: n, place: at(0, 1), factor: 1.0 },
        Run { first: n + 1, count: 1, place: at(0, 0), factor: 0.0 },
        Run { first: n + 2, count: n, place: at(n - 1, -1), factor: -1.0 },
    ]
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
    fn extensions_are_symmetric() {
        for n in 2..20 {
            let even = Reorder::EvenExtension { ends: [1.0, 1.0] }.permutation(n).index;
            let odd = Reorder::OddExtension.permutation(n);
            assert_eq!((even.len(), odd.index.len()), (2 * (n - 1), 2 * (n + 1)));
            assert!((1..even.len()).all(|j| even[j] == even[even.len() - j]));
            let element = |j: usize| (odd.index[j], odd.factor[j]);
            let is_odd = |j: usize| element(j) == (element(odd.index.len() - j).0, -element(odd.index.len() - j).1);
            assert!((1..odd.index.len()).all(is_odd));
        }
    }
}
