//! The last stage of DCT-I and DST-I: the core's rule of three quarters of an extension.

use crate::desc::combine::{SymmetricLastPass, TermRange};
use crate::desc::kernel::Packing;
use crate::desc::stage::Port;
use crate::ir::statement::{Array, Int, Sym, int};
use crate::write::combine::{Packed, Spot, Spots};
use crate::write::writer::{Subline, Writer};
use fourfold::engine::{C, Index, QUARTERS, symmetric_last_pass_term};

/// Terms of the three quarters.
type Quarters = [Packed; QUARTERS];

impl Writer<'_> {
    pub(crate) fn symmetric_last_pass(&self, pass: &SymmetricLastPass, from: &Port) {
        let (h, pairs) = (pass.len, self.desc.packing == Packing::HalfLength);
        let end = |spot: Spot, which: TermRange| self.quarters(spot, |spot| self.end_terms(which, self.at(from, spot)));
        self.end_items(0, |line, spot| {
            self.last_pass_first(pass, line, &end(spot, TermRange::First));
            // Element 0 of pairs has both ends of a half spectrum.
            if pairs {
                self.last_pass_middle(pass, line, &end(spot, TermRange::Last));
            }
        });
        if h % 2 == 0 && !pairs {
            self.end_items(h / 2, |line, spot| self.last_pass_middle(pass, line, &end(spot, TermRange::Last)));
        }
        let count = if pairs { h / 4 } else { (h - 1) / 2 };
        self.inner_items(h, 1, 1, count, |line, i, Spots { k, at, mirror }| {
            let spots = |s| Spots { k, at: quarter(at, s), mirror: quarter(mirror, s) };
            let terms = [0, 1, 2].map(|s| self.both_terms(pass.roots, from, spots(s)));
            self.last_pass_inner(pass, line, i, &terms.each_ref().map(|both| both[0].clone()));
            // In the middle of pairs both are one.
            if pairs {
                self.last_pass_inner(pass, line, int(h / 2 - 2) - i, &terms.each_ref().map(|both| both[1].clone()));
            }
        });
    }

    fn quarters(&self, spot: Spot, terms: impl Fn(Spot) -> Packed) -> Quarters {
        [0, 1, 2].map(|s| terms(quarter(spot, s)))
    }

    /// Outputs 0, h and 2h.
    fn last_pass_first(&self, pass: &SymmetricLastPass, line: Subline, quarters: &Quarters) {
        let h = pass.len as isize;
        let [scale, _, first, last] = scales(pass);
        let of = |y: &dyn Fn([Sym; QUARTERS]) -> Sym| values(quarters, |z| y(z.map(|z| z.re)));
        if pass.sine {
            return self.last_pass_write(pass, line, h, 0, int(0), &of(&|[_, a, _]| (a + a) * scale));
        }
        self.last_pass_write(pass, line, 0, 0, int(0), &of(&|[e, a, f]| (e + f + (a + a)) * first));
        self.last_pass_write(pass, line, h, 0, int(0), &of(&|[e, _, f]| (e - f) * scale));
        self.last_pass_write(pass, line, 2 * h, 0, int(0), &of(&|[e, a, f]| (e + f - (a + a)) * last));
    }

    /// Outputs h/2 and 3h/2 of an even h: cosines F_{h/2} = 0, sines E_{h/2} = 0.
    fn last_pass_middle(&self, pass: &SymmetricLastPass, line: Subline, quarters: &Quarters) {
        let (h, [scale, rotated, ..]) = (pass.len as isize, scales(pass));
        let of = |y: &dyn Fn(Sym, Sym) -> Sym| {
            values(quarters, |[e, a, f]| y(if pass.sine { f.re } else { e.re } * scale, a.re * rotated))
        };
        self.last_pass_write(pass, line, h / 2, 0, int(0), &of(&|straight, rotated| straight + rotated));
        let other = |straight, rotated| if pass.sine { rotated - straight } else { straight - rotated };
        self.last_pass_write(pass, line, h + h / 2, 0, int(0), &of(&other));
    }

    /// Outputs k, 2h − k, h + k and h − k for k = i + 1.
    fn last_pass_inner(&self, pass: &SymmetricLastPass, line: Subline, i: Int, quarters: &Quarters) {
        let h = pass.len as isize;
        let pair = |part: i64| Array::Table.load_pair(i * 2 + (pass.table / 2) as i64 + part);
        let (near, far) = (pair(0), pair(1));
        let [scale, ..] = scales(pass);
        let term = |z| symmetric_last_pass_term(pass.sine, z, [near.re, near.im, far.re, far.im], scale);
        let outputs: Vec<[Sym; 4]> = lines(quarters).map(term).collect();
        for (j, (start, step)) in [(1, 1), (2 * h - 1, -1), (h + 1, 1), (h - 1, -1)].into_iter().enumerate() {
            let values: Vec<Sym> = outputs.iter().map(|y| y[j]).collect();
            self.last_pass_write(pass, line, start, step, i, &values);
        }
    }

    /// Output `start` + `step` · i of every line that is packed; sines begin with output 1.
    fn last_pass_write(
        &self,
        pass: &SymmetricLastPass,
        line: Subline,
        start: isize,
        step: isize,
        i: Int,
        values: &[Sym],
    ) {
        self.write_values(line, Index { start: start - isize::from(pass.sine), step }, i, values);
    }
}

/// Where the same term of quarter `s` stands: the quarters are the last digit.
fn quarter(spot: Spot, s: i64) -> Spot {
    Spot { place: spot.place + s, ..spot }
}

fn scales(pass: &SymmetricLastPass) -> [Sym; 4] {
    [0, 1, 2, 3].map(|i| Array::Table.load(int(pass.scales + i)))
}

/// The terms of each line that is packed.
fn lines(quarters: &Quarters) -> impl Iterator<Item = [C<Sym>; QUARTERS]> {
    (0..quarters[0].len()).map(|line| quarters.each_ref().map(|terms| terms[line]))
}

fn values(quarters: &Quarters, y: impl Fn([C<Sym>; QUARTERS]) -> Sym) -> Vec<Sym> {
    lines(quarters).map(y).collect()
}
