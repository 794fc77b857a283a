//! Kernels on ranges of digits that compute the lower half of the frequencies of the first range's digits:
//! term N − k gives the same outputs as term k, or is its conjugate.
//!
//! Let d be the value of the first range's digits, which have I values. Elements n₁ + (N/I) · d of N reals lead
//! to T_b = Σ_d x exp(−2π√−1 bd/I), so that T_{I−b} is the conjugate of T_b. Of odd I, frequencies b ≤ (I − 1)/2
//! are enough: the kernels after the first one have (I + 1)/(2I) of N complex numbers. Kernels that lead back
//! begin with these frequencies. Their last one reads conjugates of them for the others.

use crate::desc::combine::{CombineStep, HalfSpectra, TermRange};
use crate::desc::kernel::values;
use crate::desc::stage::{Port, Split};
use crate::desc::table::RootTable;
use crate::ir::statement::{Int, Sym, int};
use crate::ir::trace::{if_less, select, select_pair, select_real, store_if_less};
use crate::write::combine::Spot;
use crate::write::dft::Small;
use crate::write::place::Address;
use crate::write::writer::{Subline, Writer};
use fourfold::engine::C;

impl Writer<'_> {
    /// What the inner steps of a combine make of all terms between the ends of `n` odd reals.
    pub(crate) fn kept_half_spectra_to_line(&self, n: usize, steps: &[CombineStep], from: &Port) {
        let (ends, inner): (Vec<&CombineStep>, Vec<_>) =
            steps.iter().partition(|step| step.terms() == TermRange::First);
        self.first_item(|line, spot| {
            let terms = self.end_terms(TermRange::First, self.at(from, spot));
            ends.iter().for_each(|step| self.write_step(step, line, int(0), &terms));
        });
        let end = n / 2 + 1;
        self.one_of_each_pair(n, |line, k, spot| {
            let z = self.at(from, spot);
            let z = select_pair(k, int(end), z, z.conj());
            // Where this is term 0, nothing is stored.
            let k = select(k, int(1), int(1), select(k, int(end), k, int(n) - k));
            inner.iter().for_each(|step| self.term_to_line(step, end, line, k, [1, end], &[z]));
        });
    }

    pub(crate) fn kept_line_to_half_spectra(&self, n: usize, terms: &HalfSpectra, to: &Port) {
        let put = |spot: Spot, z: C<Sym>| self.store_at(to, spot.line, spot.place, [0, n], z);
        self.first_item(|line, spot| put(spot, self.first_element(line, terms)));
        let (before, end) = (self.desc.before(), int(n / 2 + 1));
        self.items(n / before, |line, high| {
            let k = high * before as i64 + line.frequency;
            store_if_less(int(0), k, || {
                let k = select(k, int(1), int(1), k);
                let term = select(k, end, k, int(n) - k);
                let [z, conjugate] = self.inner_elements(line, term, (n, RootTable::default()), terms);
                put(Spot { line, place: self.place_in_subline(high) }, select_pair(k, end, z, conjugate));
            });
        });
    }

    /// `body` with where term 0 stands.
    pub(crate) fn first_item(&self, body: impl Fn(Subline, Spot)) {
        self.items(1, |line, _| {
            let here = || body(line, Spot { line, place: int(0) });
            if self.desc.before() == 1 { here() } else { if_less(line.frequency, int(1), here) }
        });
    }

    /// `body` with k and where term k stands, for one of each two terms k and n − k of an odd number.
    pub(crate) fn one_of_each_pair(&self, n: usize, body: impl Fn(Subline, Int, Spot)) {
        let before = self.desc.before();
        let one = |line: Subline, k: Int, high: Int| body(line, k, Spot { line, place: self.place_in_subline(high) });
        if before == 1 {
            return self.items((n - 1) / 2, |line, i| one(line, i + 1, i + 1));
        }
        self.items(n / before, |line, high| {
            let k = high * before as i64 + line.frequency;
            // Where the first range has frequency 0, both terms are here.
            let lower = select(line.frequency % self.desc.halved as i64, int(1), k, int(1));
            store_if_less(int(0), k, || store_if_less(lower, int(n / 2 + 1), || one(line, k, high)));
        });
    }

    /// Of a DFT at the end of the first range where all kernels meet: the frequency of its number j, and the first
    /// one that the other kernels do not have, if it may be so high. The other kernels have the number if the
    /// first is less.
    pub(crate) fn kept_frequency(&self, split: &Split, port: &Port, small: &Small, j: usize) -> Option<[Int; 2]> {
        let (end, first) = (self.desc.halved / 2 + 1, j * split.inner);
        if split.rader.is_some() || !self.is_at_kept_frequencies(port) || first + split.inner <= end {
            return None;
        }
        let is_never = first >= end;
        Some(if is_never { [int(1), int(0)] } else { [self.first_frequency(small) + first as i64, int(end)] })
    }

    /// Where the numbers of a DFT stand. Of frequencies that other kernels do not have, it is where their
    /// conjugates do.
    pub(crate) fn kept_sources(&self, split: &Split, from: &Port, line: Subline, small: &Small) -> Vec<Address> {
        let own = self.small_addresses(small, from, line);
        if split.rader.is_some() || !self.is_at_kept_frequencies(from) {
            return own;
        }
        let (radix, range) = (split.radix, self.desc.range);
        let first = self.first_frequency(small);
        // I − b = (inner − b₀) + inner · (r − 1 − j) for b = b₀ + inner · j; with b₀ = 0 it is inner · (r − j).
        let opposite = select(first, int(1), int(0), int(split.inner) - first);
        let k = self.place_of(opposite, &self.desc.digits[range.first..range.last - 1]);
        let mirror = self.small_addresses(&self.small_beside(split, line, small, k), from, line);
        let source = |(j, own): (usize, Address)| match self.kept_frequency(split, from, small, j) {
            Some([frequency, end]) => {
                let other = Address::select(first, int(1), mirror[radix - j], mirror[radix - 1 - j]);
                Address::select(frequency, end, own, other)
            }
            None => own,
        };
        own.into_iter().enumerate().map(source).collect()
    }

    /// Number j of a DFT, from where [`Writer::kept_sources`] says. On the way back parts are exchanged, so a
    /// conjugate differs in the sign of the first.
    pub(crate) fn load_kept(
        &self,
        split: &Split,
        from: &Port,
        line: Subline,
        (small, j): (&Small, usize),
        source: Address,
    ) -> C<Sym> {
        let C { re, im } = self.load(from, line, source, split.elements(j));
        let signed = |[frequency, end]: [Int; 2]| select_real(frequency, end, re, -re);
        C { re: self.kept_frequency(split, from, small, j).map_or(re, signed), im }
    }

    fn is_at_kept_frequencies(&self, port: &Port) -> bool {
        self.desc.halved > 0 && self.desc.range.first == 0 && *port == Port::Scratch
    }

    /// The frequency of the first number of a DFT over the last digit of the first range.
    fn first_frequency(&self, small: &Small) -> Int {
        let digits = &self.desc.digits[..self.desc.range.last - 1];
        let (mut rest, mut frequency) = (small.column.k, int(0));
        for (i, digit) in digits.iter().enumerate().rev() {
            let value = if i == 0 { rest } else { rest % digit.radix as i64 };
            frequency = frequency + value * values(&digits[..i]) as i64;
            rest = rest / digit.radix as i64;
        }
        frequency
    }
}
