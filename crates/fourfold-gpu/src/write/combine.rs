//! Between half spectra of real data and lines: the core's combines.
//!
//! With Z the DFT of a + ib, the half spectra of a and b are A_k = (Z_k + Z̄_{N−k})/2 and B_k =
//! −i(Z_k − Z̄_{N−k})/2; the halves are in the coefficients. Backwards Z_k = A_k + iB_k and
//! Z_{N−k} = Ā_k + iB̄_k. Pairs of neighbours are the core's rule of pairs.

use crate::desc::combine::{CombineStep, HalfSpectra, Matrix, TermRange};
use crate::desc::kernel::Packing;
use crate::desc::stage::Port;
use crate::desc::table::RootTable;
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{if_less, select, store_if_less};
use crate::write::port::coefficients;
use crate::write::table::root;
use crate::write::writer::{Subline, Writer};
use fourfold::engine::{C, Index, Part, Real, pack, unpack};

/// Terms of the half spectra of all lines that are packed.
pub(crate) type Packed = Vec<C<Sym>>;

impl Writer<'_> {
    pub(crate) fn half_spectra_to_line(
        &self,
        n: usize,
        roots: RootTable,
        steps: &[CombineStep],
        from: &Port,
        to: &Port,
    ) {
        let Port::Array(_) = to else { unreachable!("lines are in arrays") };
        if self.desc.halved > 0 {
            return self.kept_half_spectra_to_line(n, steps, from);
        }
        // Sublines have all terms, of which each step may take some.
        let (partial, whole): (Vec<&CombineStep>, Vec<_>) =
            steps.iter().partition(|step| self.desc.has_hermitian_pairs() && !step.takes_all());
        if !partial.is_empty() {
            let end = n.div_ceil(2);
            self.inner_items(n, 1, 1, end - 1, |line, _, spots| {
                let terms = self.inner_terms(roots, from, spots);
                partial.iter().for_each(|step| self.term_to_line(step, end, line, spots.k, [1, end], &terms));
            });
        }
        for step in whole {
            match step.terms() {
                TermRange::First => self.end_items(0, |line, spot| {
                    self.write_step(step, line, int(0), &self.end_terms(TermRange::First, self.at(from, spot)));
                }),
                TermRange::Last => {
                    let place = if self.desc.packing == Packing::HalfLength { 0 } else { n / 2 };
                    self.end_items(place, |line, spot| {
                        self.write_step(step, line, int(0), &self.end_terms(TermRange::Last, self.at(from, spot)));
                    });
                }
                TermRange::Inner { .. } if self.desc.packing == Packing::HalfLength && step.takes_all() => {
                    // Two terms at once: in the middle both are one.
                    self.inner_items(n, 1, 1, n / 4, |line, i, Spots { k, at, mirror }| {
                        let [a, b] = unpack(self.at(from, at), self.at(from, mirror), root(roots, k));
                        self.write_step(step, line, i, &[a]);
                        self.write_step(step, line, int(n / 2 - 2) - i, &[b]);
                    });
                }
                TermRange::Inner { first, step: every } => {
                    self.inner_items(n, first, every, step.count(), |line, i, spots| {
                        self.write_step(step, line, i, &self.inner_terms(roots, from, spots));
                    });
                }
            }
        }
    }

    pub(crate) fn at(&self, port: &Port, spot: Spot) -> C<Sym> {
        self.load_at(port, spot.line, spot.place, [0, usize::MAX])
    }

    /// What a step of the combine makes of its term i of each line.
    pub(crate) fn write_step(&self, step: &CombineStep, line: Subline, i: Int, terms: &[C<Sym>]) {
        match *step {
            // The zeros of complex terms are written with their real parts.
            CombineStep::Zero { .. } if self.desc.geometry.output.complex => {}
            CombineStep::Zero { to } => self.write_values(line, to, i, &vec![Sym::lit(0.0); terms.len()]),
            CombineStep::End { to, by, .. } | CombineStep::Part { part: Part::Re, to, by, .. } => {
                let by = Array::Table.load(int(by));
                self.write_values(line, to, i, &terms.iter().map(|z| z.re * by).collect::<Vec<_>>());
            }
            CombineStep::Part { part: Part::Im, to, by, .. } => {
                let by = Array::Table.load(int(by));
                self.write_values(line, to, i, &terms.iter().map(|z| z.im * by).collect::<Vec<_>>());
            }
            CombineStep::Inner { to, matrix, .. } => {
                let [a, b, c, d] = coefficients(matrix, i);
                let row = |a: Sym, b: Sym| terms.iter().map(|z| z.re.mul_add(a, z.im * b)).collect::<Vec<_>>();
                let (first, second) = (row(a, b), row(c, d));
                if self.desc.geometry.output.complex {
                    return self.write_terms(line, to[0], i, &first, &second);
                }
                self.write_values(line, to[0], i, &first);
                self.write_values(line, to[1], i, &second);
            }
        }
    }

    /// What a step makes of term k of `count`, which is in `range`, if it takes that.
    pub(crate) fn term_to_line(
        &self,
        step: &CombineStep,
        count: usize,
        line: Subline,
        k: Int,
        [start, end]: [usize; 2],
        terms: &[C<Sym>],
    ) {
        let (first, every) = match step.terms() {
            TermRange::First => (0, 1),
            TermRange::Last => (count - 1, 1),
            TermRange::Inner { first, step } => (first, step),
        };
        let last = first + every * (step.count() - 1);
        if end <= first || last < start {
            return;
        }
        let (guard, is_above) = (self.guard(), start >= first);
        // What is loaded may be so anyway: `end` is at most one step above the last, and steps of parts and ends
        // load the same number for all terms.
        let from_first = if is_above { k } else { select(k, int(first), int(first), k) } - first as i64;
        let body = || self.write_step(step, line, from_first / every as i64, terms);
        let each = || if every == 1 { body() } else { guard(from_first % every as i64, int(1), &body) };
        let below = || if end <= last + 1 { each() } else { guard(k, int(last + 1), &each) };
        if is_above { below() } else { guard(int(first - 1), k, &below) }
    }

    /// Complex elements of `n` reals.
    fn elements(&self, n: usize) -> usize {
        if self.desc.packing == Packing::HalfLength { n / 2 } else { n }
    }

    /// `body` with where frequency `k` stands.
    pub(crate) fn end_items(&self, k: usize, body: impl Fn(Subline, Spot)) {
        let before = self.desc.before();
        let place = self.place_in_subline(int(k / before));
        let value = k % before;
        let here = |line: Subline| body(line, Spot { line, place });
        if !self.desc.has_hermitian_pairs() {
            return self.items_of_pairs(1, |line, _| here(line));
        }
        self.items(1, |line, _| {
            if_less(int(value) - 1, line.frequency, || if_less(line.frequency, int(value + 1), || here(line)));
        });
    }

    /// `body` for k = first + step · i, i < `count`, with where k and frequency −k stand.
    pub(crate) fn inner_items(
        &self,
        n: usize,
        first: usize,
        step: usize,
        count: usize,
        body: impl Fn(Subline, Int, Spots),
    ) {
        let elements = self.elements(n);
        if !self.desc.has_hermitian_pairs() {
            return self.items_of_pairs(count, |line, i| {
                let k = i * step as i64 + first as i64;
                let [at, mirror] = [k, int(elements) - k].map(|k| Spot { line, place: self.place_in_subline(k) });
                body(line, i, Spots { k, at, mirror });
            });
        }
        debug_assert!(step == 1, "sublines have all terms");
        let (before, end) = (self.desc.before(), first + count);
        let highest = elements / before - 1;
        let rounds = (end - 1) / before + 1;
        self.items(rounds, |line, high| {
            // Where a subline has one term less, the next is computed twice and stored once.
            let k = high * before as i64 + line.frequency;
            let stored = select(k, int(first), int(end), k);
            let high = select(k, int(first), high + 1, high);
            let k = high * before as i64 + line.frequency;
            let one = || {
                // N − k = (I − b) + I · (N₂ − 1 − k₂) for k = b + I · k₂; with b = 0 it is I ·
                // (N₂ − k₂).
                let carry = select(line.frequency, int(1), int(1), int(0));
                let spot = |line, k| Spot { line, place: self.place_in_subline(k) };
                let mirror = spot(self.other(line), int(highest) - high + carry);
                let i = select(k, int(end), k, int(end - 1)) - first as i64;
                body(line, i, Spots { k: i + first as i64, at: spot(line, high), mirror });
            };
            match self.in_place {
                true => if_less(stored, int(end), one),
                false => store_if_less(stored, int(end), one),
            }
        });
    }

    /// The subline of terms N − k, which may be the same.
    pub(crate) fn other(&self, line: Subline) -> Subline {
        let offset = self.desc.hermitian_offset() as i64;
        let slot = select(line.half, int(1), line.slot + offset, line.slot - offset);
        let itself = |frequency: Int| select(int(0), frequency, slot, line.slot);
        // A block has the sublines of a Hermitian pair of frequencies, or those of 0 and the one in
        // the middle.
        if self.desc.cluster > 1 {
            return Subline { slot: itself(self.rank), ..line };
        }
        let before = int(self.desc.before());
        let low = select(line.half, int(1), line.frequency, before - line.frequency);
        Subline { slot: select(low * 2, before, itself(low), line.slot), ..line }
    }

    pub(crate) fn place_in_subline(&self, k: Int) -> Int {
        self.place_of(k, &self.desc.digits[self.desc.range.first..])
    }

    /// The real at `index` for i of all lines that are packed; of complex terms it is the real
    /// part, and the other 0.
    pub(crate) fn write_values(&self, line: Subline, index: Index, i: Int, values: &[Sym]) {
        let zero = Sym::lit(0.0);
        match *values {
            _ if self.desc.geometry.output.complex => {
                self.write_terms(line, index, i, values, &vec![zero; values.len()])
            }
            [x, y] => self.write_lines(line, i * index.step as i64 + index.start as i64, [x, y]),
            _ => values.iter().enumerate().for_each(|(l, x)| self.write_index(line, l, index, i, *x)),
        }
    }

    /// Real and imaginary parts.
    fn write_terms(&self, line: Subline, index: Index, i: Int, re: &[Sym], im: &[Sym]) {
        for (l, (re, im)) in re.iter().zip(im).enumerate() {
            self.write_complex(line, l, index, i, C { re: *re, im: *im });
        }
    }

    fn read_values(&self, line: Subline, index: Index, i: Int) -> Vec<Sym> {
        if self.desc.packing == Packing::TwoForOne && !self.desc.geometry.input.complex {
            return self.read_lines(line, i * index.step as i64 + index.start as i64).to_vec();
        }
        (0..self.desc.packing.lines()).map(|l| self.read_index(line, l, index, i)).collect()
    }

    /// A term between the ends.
    fn inner_terms(&self, roots: RootTable, from: &Port, spots: Spots) -> Packed {
        self.both_terms(roots, from, spots).swap_remove(0)
    }

    /// Term k between the ends and, of pairs, the one that is found with it: N/2 − k.
    pub(crate) fn both_terms(&self, roots: RootTable, from: &Port, Spots { k, at, mirror }: Spots) -> Vec<Packed> {
        match self.desc.packing {
            Packing::TwoForOne => vec![self.separated(self.at(from, at), self.at(from, mirror))],
            Packing::HalfLength => {
                unpack(self.at(from, at), self.at(from, mirror), root(roots, k)).map(|term| vec![term]).to_vec()
            }
            Packing::Single => vec![vec![self.at(from, at)]],
            Packing::Complex | Packing::Quarters => unreachable!("they have no half spectra of lines"),
        }
    }

    /// Term 0, or the last of an even number of reals.
    pub(crate) fn end_terms(&self, which: TermRange, z: C<Sym>) -> Packed {
        let sum = |z: C<Sym>| vec![C { re: z.re + z.im, im: Sym::lit(0.0) }];
        match self.desc.packing {
            Packing::TwoForOne => self.separated(z, z),
            Packing::HalfLength if which == TermRange::First => sum(z),
            Packing::HalfLength => sum(z.conj()),
            Packing::Single | Packing::Complex | Packing::Quarters => vec![z],
        }
    }

    /// Twice the terms of two lines, from terms k and N − k of both as one.
    pub(crate) fn separated(&self, z: C<Sym>, mirror: C<Sym>) -> Packed {
        vec![z + mirror.conj(), (z - mirror.conj()).times_minus_i()]
    }

    pub(crate) fn line_to_half_spectra(&self, n: usize, roots: RootTable, terms: &HalfSpectra, from: &Port, to: &Port) {
        let Port::Array(_) = from else { unreachable!("lines are in arrays") };
        let put = |spot: Spot, z: C<Sym>| self.store_at(to, spot.line, spot.place, [0, n], z);
        if self.desc.halved > 0 {
            return self.kept_line_to_half_spectra(n, terms, to);
        }
        let pairs = self.desc.packing == Packing::HalfLength;
        self.end_items(0, |line, spot| put(spot, self.first_element(line, terms)));
        if n % 2 == 0 && !pairs {
            self.end_items(n / 2, |line, spot| put(spot, self.last_element(line, terms)));
        }
        // In the middle of pairs both are one.
        let count = if pairs { n / 4 } else { (n - 1) / 2 };
        self.inner_items(n, 1, 1, count, |line, _, Spots { k, at, mirror }| {
            let [a, b] = self.inner_elements(line, k, (n, roots), terms);
            put(mirror, b);
            put(at, a);
        });
    }

    /// Element 0 of what a transform back takes, its parts exchanged as those of all.
    pub(crate) fn first_element(&self, line: Subline, terms: &HalfSpectra) -> C<Sym> {
        let first = self.end(line, terms.first);
        if self.desc.packing == Packing::HalfLength {
            let (first, last) = (first[0], self.end(line, terms.last)[0]);
            return C { re: first + last, im: first - last }.swap();
        }
        as_one(&real(&first)).swap()
    }

    /// Element n/2 of lines of an even number of reals.
    pub(crate) fn last_element(&self, line: Subline, terms: &HalfSpectra) -> C<Sym> {
        as_one(&real(&self.end(line, terms.last))).swap()
    }

    /// Elements k and N − k.
    pub(crate) fn inner_elements(
        &self,
        line: Subline,
        k: Int,
        (n, roots): (usize, RootTable),
        terms: &HalfSpectra,
    ) -> [C<Sym>; 2] {
        let i = k - 1;
        if self.desc.packing == Packing::HalfLength {
            let [a, b] = [i, int(n / 2 - 2) - i].map(|i| self.inner(line, terms, i)[0]);
            return pack(a, b, root(roots, k)).map(C::swap);
        }
        let inner = self.inner(line, terms, i);
        let mirror: Vec<_> = inner.iter().map(|z| z.conj()).collect();
        [as_one(&inner).swap(), as_one(&mirror).swap()]
    }

    /// Term 0, or the last.
    fn end(&self, line: Subline, term: Option<(usize, usize)>) -> Vec<Sym> {
        let Some((from, by)) = term else { return vec![Sym::lit(0.0); self.desc.packing.lines()] };
        let by = Array::Table.load(int(by));
        self.read_values(line, Index { start: from as isize, step: 0 }, int(0)).iter().map(|x| *x * by).collect()
    }

    /// Term i + 1.
    fn inner(&self, line: Subline, terms: &HalfSpectra, i: Int) -> Packed {
        let (from, matrix): ([Index; 2], Matrix) = terms.inner.expect("there are terms between the ends");
        let [a, b, c, d] = coefficients(matrix, i);
        let [x, y] = from.map(|index| self.read_values(line, index, i));
        let term = |(x, y): (&Sym, &Sym)| C { re: x.mul_add(a, *y * b), im: x.mul_add(c, *y * d) };
        x.iter().zip(&y).map(term).collect()
    }
}

/// Where a frequency stands.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    pub(crate) line: Subline,
    pub(crate) place: Int,
}

/// Frequency k, and where this and N − k stand.
#[derive(Clone, Copy)]
pub(crate) struct Spots {
    pub(crate) k: Int,
    pub(crate) at: Spot,
    pub(crate) mirror: Spot,
}

pub(crate) fn real(values: &[Sym]) -> Packed {
    values.iter().map(|re| C { re: *re, im: Sym::lit(0.0) }).collect()
}

/// a + ib.
pub(crate) fn as_one(terms: &[C<Sym>]) -> C<Sym> {
    match *terms {
        [a, b] => a + b.times_i(),
        [a] => a,
        _ => unreachable!("one line or two are packed"),
    }
}
