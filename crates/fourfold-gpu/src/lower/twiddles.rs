//! Twiddles of a stage pipeline, with their places in the table.

use crate::choose::radices::powers_of_four;
use crate::desc::stage::Split;
use crate::desc::table::TwiddleTable;
use crate::lower::stages::{StagePipeline, first_digit, lengths};
use crate::lower::tables::Entry;
use fourfold::engine::Factor;

impl StagePipeline {
    /// w^{jk} for the given j; k runs over the values of the digits `before`, of which so many are
    /// before the kernel's range.
    pub(crate) fn twiddles(
        &mut self,
        before: &[usize],
        cut: usize,
        radix: usize,
        powers: impl Iterator<Item = usize>,
    ) -> TwiddleTable {
        let powers: Vec<usize> = powers.collect();
        let count: usize = before.iter().product();
        let mut list = |before: &[usize], len: usize| {
            let (before, powers) = (before.to_vec(), powers.clone());
            (len > 1).then(|| self.tables.push_pairs(Entry::Twiddles { before, order: len * radix, powers }))
        };
        let (outer, inner) = before.split_at(cut);
        let outer: usize = outer.iter().product();
        let high = if outer > 1 { list(&[outer], count) } else { None };
        TwiddleTable { at: list(inner, count / outer).unwrap_or(0), before: high }
    }

    /// The digits of a convolution's DFT, with `after` values of those after them; their twiddles
    /// serve there and back. Kernels' ranges begin with digit 0 and the `cuts`.
    pub(crate) fn splits(&mut self, parts: &[Factor], after: usize, cuts: &[usize]) -> Vec<Split> {
        let radices = lengths(parts);
        let mut split = |i: usize| {
            let (before, radix) = (&radices[..i], radices[i]);
            let groups = after * radices[i + 1..].iter().product::<usize>();
            let twiddles = self.twiddles(before, first_digit(cuts, i), radix, powers_of_four(radix));
            Split { radix, groups, inner: before.iter().product(), twiddles, inverse: false, rader: None }
        };
        (0..radices.len()).map(&mut split).collect()
    }
}
