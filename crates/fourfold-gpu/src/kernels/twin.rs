//! Combines of half spectra in the registers of the butterflies beside them.
//!
//! Terms k and N − k meet in the combines. The butterfly f of the last digit has the frequencies b + I·(f + q·F), q < R, for the digits b before
//! the window, which have I values, and the F values f of those of the window before the last. Its twin has the others of each pair: with b > 0
//! it is butterfly F − 1 − f of the window I − b, with b = 0 it is F − f, and element q meets element R − 1 − q. Butterfly 0 of b = 0 is its own twin,
//! where q meets R − q.

use super::combine::{real, together};
use super::{Line, Writer};
use crate::spec::{Packing, Part, Port, Split, Terms, Which};
use crate::trace::{Array, Int, Sym, if_less, int, select};
use fourfold::engine::{Butterfly, C, Real, pack, unpack};

/// What a stage of twins works with.
#[derive(Clone, Copy)]
pub(super) struct Twins<'a> {
    pub(super) split: &'a Split,
    pub(super) n: usize,
    pub(super) turns: usize,
    pub(super) from: &'a Port,
    pub(super) to: &'a Port,
}

/// A butterfly with its window.
#[derive(Clone, Copy)]
struct One {
    line: Line,
    f: Int,
}

impl Writer<'_> {
    pub(super) fn butterflies_to_line(&self, twins: Twins<'_>, parts: &[Part]) {
        match twins.split.radix {
            2 => self.to_line::<2>(twins, parts),
            4 => self.to_line::<4>(twins, parts),
            8 => self.to_line::<8>(twins, parts),
            other => unreachable!("no twins of radix {other}"),
        }
    }

    pub(super) fn line_to_butterflies(&self, twins: Twins<'_>, terms: &Terms) {
        match twins.split.radix {
            2 => self.from_line::<2>(twins, terms),
            4 => self.from_line::<4>(twins, terms),
            8 => self.from_line::<8>(twins, terms),
            other => unreachable!("no twins of radix {other}"),
        }
    }

    fn to_line<const R: usize>(&self, twins: Twins<'_>, parts: &[Part])
    where
        [C<Sym>; R]: Butterfly,
    {
        let load = |one: One| self.transformed::<R>(&twins, one);
        let single = |one: One| {
            let z = load(one);
            self.put_end(&twins, parts, one.line, Which::First, z[0]);
            for q in 1..R / 2 {
                self.put_pair_of_terms(&twins, parts, one.line, int(q * self.stride(&twins)), z[q], z[R - q]);
            }
            self.put_middle(&twins, parts, one.line, z[0], z[R / 2]);
        };
        let middle = |one: One| self.put_twins(&twins, parts, one, load(one), None);
        self.twins(&twins, single, middle, |one, other| {
            self.put_twins(&twins, parts, one, load(one), Some(load(other)))
        });
    }

    fn from_line<const R: usize>(&self, twins: Twins<'_>, terms: &Terms)
    where
        [C<Sym>; R]: Butterfly,
    {
        let store = |one: One, z: [C<Sym>; R]| self.transform_back(&twins, one, z);
        let single = |one: One| {
            let mut z = self.ends::<R>(&twins, terms, one.line);
            for q in 1..R / 2 {
                [z[q], z[R - q]] = self.get_pair_of_terms(&twins, terms, one.line, int(q * self.stride(&twins)));
            }
            store(one, z);
        };
        let middle = |one: One| {
            let mut z = [C { re: Sym::lit(0.0), im: Sym::lit(0.0) }; R];
            for q in 0..R / 2 {
                [z[q], z[R - 1 - q]] = self.get_pair_of_terms(&twins, terms, one.line, self.frequency(&twins, one, q));
            }
            store(one, z);
        };
        self.twins(&twins, single, middle, |one, other| {
            let mut z = [[C { re: Sym::lit(0.0), im: Sym::lit(0.0) }; R]; 2];
            for q in 0..R {
                let pair = self.get_twins(&twins, terms, one, q);
                [z[0][q], z[1][R - 1 - q]] = pair;
            }
            store(one, z[0]);
            store(other, z[1]);
        });
    }

    /// Deals out the butterflies: the one that is its own twin, the one whose twin is itself in reverse, and pairs.
    fn twins(&self, twins: &Twins<'_>, single: impl Fn(One), middle: impl Fn(One), pair: impl Fn(One, One)) {
        let count = self.butterflies_before(twins);
        if !self.spec.mirrored() {
            return self.items_of_pairs(count.div_ceil(2), |line, f| {
                if_less(f, int(1), || {
                    single(One { line, f: int(0) });
                    if count % 2 == 0 {
                        middle(One { line, f: int(count / 2) });
                    }
                });
                if count > 2 {
                    if_less(int(0), f, || pair(One { line, f }, One { line, f: int(count) - f }));
                }
            });
        }
        let windows = self.spec.before() as i64;
        self.items_of_pairs(count, |line, f| {
            let b = line.frequency;
            if_less(b + f, int(1), || single(One { line, f: int(0) }));
            // Windows that are their own twins have every pair of butterflies twice.
            let half = select(b, int(1), int(count / 2 + 1), int(count));
            let end = select(b * 2, int(windows as usize), half, int(count.div_ceil(2)));
            if_less(int(0), b + f, || {
                if_less(f, end, || {
                    let carry = select(b, int(1), int(1), int(0));
                    pair(One { line, f }, One { line: self.other(line), f: int(count - 1) - f + carry });
                });
            });
        });
    }

    /// F: the values of the window's digits before the last.
    fn butterflies_before(&self, twins: &Twins<'_>) -> usize {
        twins.split.inner / self.spec.before()
    }

    /// I·F: from element q of a butterfly to the next.
    fn stride(&self, twins: &Twins<'_>) -> usize {
        twins.split.inner
    }

    fn frequency(&self, twins: &Twins<'_>, one: One, q: usize) -> Int {
        one.f * self.spec.before() as i64 + one.line.frequency + (q * self.stride(twins)) as i64
    }

    /// The elements of a butterfly, transformed.
    fn transformed<const R: usize>(&self, twins: &Twins<'_>, one: One) -> [C<Sym>; R]
    where
        [C<Sym>; R]: Butterfly,
    {
        let small = self.last_small(twins.split, one.line, one.f);
        let sources = self.small_addresses(&small, twins.from, one.line);
        let twiddles = self.twiddles::<R>(twins.split, &small);
        let mut z = [C { re: Sym::lit(0.0), im: Sym::lit(0.0) }; R];
        for (j, z) in z.iter_mut().enumerate() {
            *z = twiddles.turn(j, self.load(twins.from, one.line, sources[j], [0, usize::MAX]));
        }
        z.dft()
    }

    /// Terms of a butterfly back to its elements; the parts are exchanged before, and after the last stage of all.
    fn transform_back<const R: usize>(&self, twins: &Twins<'_>, one: One, z: [C<Sym>; R])
    where
        [C<Sym>; R]: Butterfly,
    {
        let small = self.last_small(twins.split, one.line, one.f);
        let targets = self.small_addresses(&small, twins.to, one.line);
        let twiddles = self.twiddles::<R>(twins.split, &small);
        for (j, z) in z.map(C::swap).dft().into_iter().enumerate() {
            self.store(twins.to, one.line, targets[j], [0, usize::MAX], twiddles.turn(j, z));
        }
    }

    /// Results q of a butterfly and of its twin; without the twin, of one that is its own in reverse.
    fn put_twins<const R: usize>(
        &self,
        twins: &Twins<'_>,
        parts: &[Part],
        one: One,
        z: [C<Sym>; R],
        twin: Option<[C<Sym>; R]>,
    ) {
        let last = if twin.is_some() { R } else { R / 2 };
        let w = twin.unwrap_or(z);
        for q in 0..last {
            let (k, at, mirror) = (self.frequency(twins, one, q), z[q], w[R - 1 - q]);
            let below_half = q < R / 2 || self.spec.packing == Packing::Pairs;
            match below_half {
                true => self.put_pair_of_terms(twins, parts, one.line, k, at, mirror),
                false => self.put_pair_of_terms(twins, parts, one.line, int(twins.n) - k, mirror, at),
            }
        }
    }

    /// Terms k and N − k of packed lines: term k of each line; of pairs, terms k and N − k.
    fn put_pair_of_terms(&self, twins: &Twins<'_>, parts: &[Part], line: Line, k: Int, at: C<Sym>, mirror: C<Sym>) {
        if self.spec.packing == Packing::Pairs {
            let [a, b] = unpack(at, mirror, self.turn(twins, k));
            self.put_inner(twins, parts, line, k, &[a]);
            return self.put_inner(twins, parts, line, int(twins.n / 2) - k, &[b]);
        }
        self.put_inner(twins, parts, line, k, &self.separated(at, mirror));
    }

    /// The term in the middle, and the last.
    fn put_middle(&self, twins: &Twins<'_>, parts: &[Part], line: Line, first: C<Sym>, middle: C<Sym>) {
        if self.spec.packing == Packing::Lines {
            return self.put_end(twins, parts, line, Which::Last, middle);
        }
        self.put_end(twins, parts, line, Which::Last, first);
        let k = int(twins.n / 4);
        self.put_inner(twins, parts, line, k, &[unpack(middle, middle, self.turn(twins, k))[0]]);
    }

    fn put_end(&self, twins: &Twins<'_>, parts: &[Part], line: Line, which: Which, z: C<Sym>) {
        let values = self.end_terms(which, z);
        for part in parts.iter().filter(|part| part.which(twins.n) == which) {
            self.write_part(part, line, int(0), &values);
        }
    }

    fn put_inner(&self, twins: &Twins<'_>, parts: &[Part], line: Line, k: Int, values: &[C<Sym>]) {
        for part in parts.iter().filter(|part| matches!(part.which(twins.n), Which::Inner { .. })) {
            self.write_part(part, line, k - 1, values);
        }
    }

    /// Elements 0 and R/2 of butterfly 0.
    fn ends<const R: usize>(&self, twins: &Twins<'_>, terms: &Terms, line: Line) -> [C<Sym>; R] {
        let mut z = [C { re: Sym::lit(0.0), im: Sym::lit(0.0) }; R];
        let (first, last) = (self.end(line, terms.first), self.end(line, terms.last));
        if self.spec.packing == Packing::Lines {
            (z[0], z[R / 2]) = (together(&real(&first)), together(&real(&last)));
            return z;
        }
        z[0] = C { re: first[0] + last[0], im: first[0] - last[0] };
        let k = int(twins.n / 4);
        let middle = self.inner(line, terms, k - 1)[0];
        z[R / 2] = pack(middle, middle, self.turn(twins, k))[0];
        z
    }

    /// Element q of a butterfly, and of its twin the one that it meets.
    fn get_twins(&self, twins: &Twins<'_>, terms: &Terms, one: One, q: usize) -> [C<Sym>; 2] {
        let k = self.frequency(twins, one, q);
        if q < twins.split.radix / 2 || self.spec.packing == Packing::Pairs {
            return self.get_pair_of_terms(twins, terms, one.line, k);
        }
        let [mirror, at] = self.get_pair_of_terms(twins, terms, one.line, int(twins.n) - k);
        [at, mirror]
    }

    /// Complex terms k and N − k of packed lines, from those of the half spectra.
    fn get_pair_of_terms(&self, twins: &Twins<'_>, terms: &Terms, line: Line, k: Int) -> [C<Sym>; 2] {
        if self.spec.packing == Packing::Pairs {
            let [a, b] = [k, int(twins.n / 2) - k].map(|k| self.inner(line, terms, k - 1)[0]);
            return pack(a, b, self.turn(twins, k));
        }
        let inner = self.inner(line, terms, k - 1);
        let mirror: Vec<_> = inner.iter().map(|z| z.conj()).collect();
        [together(&inner), together(&mirror)]
    }

    fn turn(&self, twins: &Twins<'_>, k: Int) -> C<Sym> {
        Array::Table.load_pair(k + (twins.turns / 2) as i64)
    }
}
