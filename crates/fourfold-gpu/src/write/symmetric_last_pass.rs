//! The last stage of DCT-I and DST-I: the core's rule of three quarters of an extension.

use crate::desc::combine::{SymmetricLastPass, TermRange};
use crate::desc::kernel::Packing;
use crate::desc::stage::Port;
use crate::ir::statement::{Array, Int, Sym, int};
use crate::write::combine::{Packed, Spot, Spots};
use crate::write::writer::{Subline, Writer};
use fourfold::engine::{C, Index, QUARTERS, symmetric_last_pass_term};

/// Terms of the three quarters.
pub(crate) type Quarters = [Packed; QUARTERS];

/// A real of each of the lines that are packed.
pub(crate) struct Output {
    pub(crate) index: Index,
    pub(crate) values: Vec<Sym>,
}

impl Writer<'_> {
    pub(crate) fn symmetric_last_pass(&self, pass: &SymmetricLastPass, from: &Port) {
        let (h, pairs) = (pass.len, self.desc.packing == Packing::HalfLength);
        let end = |spot: Spot, which: TermRange| self.end_quarters(from, spot, which);
        let write = |line: Subline, i: Int, outputs: Vec<Output>| {
            outputs.iter().for_each(|output| self.write_values(line, output.index, i, &output.values));
        };
        self.end_items(0, |line, spot| {
            write(line, int(0), pass.first_outputs(&end(spot, TermRange::First)));
            // Element 0 of pairs has both ends of a half spectrum.
            if pairs {
                write(line, int(0), pass.middle_outputs(&end(spot, TermRange::Last)));
            }
        });
        if h % 2 == 0 && !pairs {
            self.end_items(h / 2, |line, spot| {
                write(line, int(0), pass.middle_outputs(&end(spot, TermRange::Last)));
            });
        }
        let count = if pairs { h / 4 } else { (h - 1) / 2 };
        self.inner_items(h, 1, 1, count, |line, i, spots| {
            let terms = self.inner_quarters(pass, from, spots);
            for (terms, i) in terms.iter().zip(self.term_numbers(pass, i)) {
                write(line, i, pass.inner_outputs(i, terms));
            }
        });
    }

    /// Those of the terms of [`Writer::inner_quarters`], less one. In the middle of pairs both are
    /// one.
    pub(crate) fn term_numbers(&self, pass: &SymmetricLastPass, i: Int) -> Vec<Int> {
        let other = || int(pass.len / 2) - 2 - i;
        if self.desc.packing == Packing::HalfLength { vec![i, other()] } else { vec![i] }
    }

    /// Terms of the quarters that are real.
    pub(crate) fn end_quarters(&self, from: &Port, spot: Spot, which: TermRange) -> Quarters {
        [0, 1, 2].map(|s| self.end_terms(which, self.at(from, quarter(spot, s))))
    }

    /// Term k of the quarters and, of pairs, the one that is found with it: h/2 − k.
    pub(crate) fn inner_quarters(&self, pass: &SymmetricLastPass, from: &Port, spots: Spots) -> Vec<Quarters> {
        let Spots { k, at, mirror } = spots;
        let spots = |s| Spots { k, at: quarter(at, s), mirror: quarter(mirror, s) };
        let terms = [0, 1, 2].map(|s| self.both_terms(pass.roots, from, spots(s)));
        (0..terms[0].len()).map(|both| terms.each_ref().map(|terms| terms[both].clone())).collect()
    }
}

impl SymmetricLastPass {
    /// Outputs 0, h and 2h.
    pub(crate) fn first_outputs(&self, quarters: &Quarters) -> Vec<Output> {
        let (h, [scale, _, first, last]) = (self.len as isize, self.scales());
        let output = |place: isize, y: &dyn Fn([Sym; QUARTERS]) -> Sym| {
            self.output([place, 0], values(quarters, |z| y(z.map(|z| z.re))))
        };
        if self.sine {
            return vec![output(h, &|[_, a, _]| (a + a) * scale)];
        }
        vec![
            output(0, &|[e, a, f]| (e + f + (a + a)) * first),
            output(h, &|[e, _, f]| (e - f) * scale),
            output(2 * h, &|[e, a, f]| (e + f - (a + a)) * last),
        ]
    }

    /// Outputs h/2 and 3h/2 of an even h: cosines F_{h/2} = 0, sines E_{h/2} = 0.
    pub(crate) fn middle_outputs(&self, quarters: &Quarters) -> Vec<Output> {
        let (h, [scale, rotated, ..]) = (self.len as isize, self.scales());
        let of = |y: &dyn Fn(Sym, Sym) -> Sym| {
            values(quarters, |[e, a, f]| y(if self.sine { f.re } else { e.re } * scale, a.re * rotated))
        };
        let other = |straight, rotated| if self.sine { rotated - straight } else { straight - rotated };
        vec![
            self.output([h / 2, 0], of(&|straight, rotated| straight + rotated)),
            self.output([h + h / 2, 0], of(&other)),
        ]
    }

    /// Outputs k, 2h − k, h + k and h − k for k = i + 1.
    pub(crate) fn inner_outputs(&self, i: Int, quarters: &Quarters) -> Vec<Output> {
        let h = self.len as isize;
        let (row, [scale, ..]) = (self.row(i), self.scales());
        let term = |z| symmetric_last_pass_term(self.sine, z, row, scale);
        let outputs: Vec<[Sym; 4]> = lines(quarters).map(term).collect();
        let place = |(j, place): (usize, [isize; 2])| self.output(place, outputs.iter().map(|y| y[j]).collect());
        [[1, 1], [2 * h - 1, -1], [h + 1, 1], [h - 1, -1]].into_iter().enumerate().map(place).collect()
    }

    /// Output `start` + `step` · i; sines begin with output 1.
    pub(crate) fn output(&self, [start, step]: [isize; 2], values: Vec<Sym>) -> Output {
        Output { index: Index { start: start - isize::from(self.sine), step }, values }
    }

    /// The four numbers of the table for k = i + 1.
    pub(crate) fn row(&self, i: Int) -> [Sym; 4] {
        let pair = |part: i64| Array::Table.load_pair(i * 2 + (self.table / 2) as i64 + part);
        let (near, far) = (pair(0), pair(1));
        [near.re, near.im, far.re, far.im]
    }

    pub(crate) fn scales(&self) -> [Sym; 4] {
        [0, 1, 2, 3].map(|i| Array::Table.load(int(self.scales + i)))
    }
}

/// Where the same term of quarter `s` stands: the quarters are the last digit.
pub(crate) fn quarter(spot: Spot, s: i64) -> Spot {
    Spot { place: spot.place + s, ..spot }
}

/// The terms of each line that is packed.
fn lines(quarters: &Quarters) -> impl Iterator<Item = [C<Sym>; QUARTERS]> {
    (0..quarters[0].len()).map(|line| quarters.each_ref().map(|terms| terms[line]))
}

fn values(quarters: &Quarters, y: impl Fn([C<Sym>; QUARTERS]) -> Sym) -> Vec<Sym> {
    lines(quarters).map(y).collect()
}
