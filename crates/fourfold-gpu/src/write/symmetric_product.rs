//! The spectrum between a DCT-I or DST-I and one back, multiplied where it stands: terms k of three
//! quarters of an extension become the outputs of their last pass, which are multiplied, and become
//! terms k of the three quarters that lead back.
//!
//! With k = 0, Y the extension of the outputs: cosines have Y_0 + 2Y_h + Y_{2h}, Y_0 − Y_{2h} and Y_0
//! − 2Y_h + Y_{2h}; sines have 0, 2Y_h and 0. With k = h/2, for the outputs a = Y_{h/2} and b =
//! Y_{3h/2}: cosines have 2(a + b), √2(a − b) and 0; sines have 0, √2(a + b) and 2(a − b).

use crate::desc::combine::{SymmetricLastPass, TermRange};
use crate::desc::filter::SymmetricProduct;
use crate::desc::kernel::Packing;
use crate::desc::stage::Port;
use crate::desc::table::RootTable;
use crate::ir::statement::{Int, Sym, int};
use crate::write::combine::{Spot, Spots, as_one, real};
use crate::write::element::Element;
use crate::write::symmetric_last_pass::{Output, Quarters, quarter};
use crate::write::table::root;
use crate::write::writer::{Subline, Writer};
use fourfold::engine::{C, QUARTERS, pack, symmetric_first_pass_term};

impl Writer<'_> {
    pub(crate) fn symmetric_product(&self, product: &SymmetricProduct) {
        let SymmetricProduct { there, inverse: back } = product;
        let (h, pairs) = (there.len, self.desc.packing == Packing::HalfLength);
        let quarters = |spot: Spot, which| self.end_quarters(&Port::Buffer, spot, which);
        let done = |line, outputs| self.outputs_done(line, int(0), outputs);
        let first = |line: Subline, spot: Spot| {
            back.first_terms(&done(line, there.first_outputs(&quarters(spot, TermRange::First))))
        };
        let middle = |line: Subline, spot: Spot| {
            back.middle_terms(&done(line, there.middle_outputs(&quarters(spot, TermRange::Last))))
        };
        self.end_items(0, |line, spot| {
            let first = first(line, spot);
            // Element 0 of pairs has both ends of a half spectrum.
            match pairs {
                true => {
                    let both = |(a, b): (&Vec<Sym>, &Vec<Sym>)| C { re: a[0] + b[0], im: a[0] - b[0] }.swap();
                    let middle = middle(line, spot);
                    self.put_quarters(spot, [0, 1, 2].map(|s| both((&first[s], &middle[s]))));
                }
                false => self.put_quarters(spot, first.map(|terms| as_one(&real(&terms)).swap())),
            }
        });
        if h % 2 == 0 && !pairs {
            self.end_items(h / 2, |line, spot| {
                self.put_quarters(spot, middle(line, spot).map(|terms| as_one(&real(&terms)).swap()));
            });
        }
        let count = if pairs { h / 4 } else { (h - 1) / 2 };
        self.inner_items(h, 1, 1, count, |line, i, spots| {
            let terms = self.inner_quarters(there, &Port::Buffer, spots);
            let back = |(terms, i): (&Quarters, Int)| {
                back.inner_terms(i, &self.outputs_done(line, i, there.inner_outputs(i, terms)))
            };
            let terms: Vec<Quarters> = terms.iter().zip(self.term_numbers(there, i)).map(back).collect();
            self.put_inner_quarters(there.roots, spots, &terms);
        });
    }

    /// Outputs, multiplied.
    pub(crate) fn outputs_done(&self, line: Subline, i: Int, outputs: Vec<Output>) -> Vec<Vec<Sym>> {
        let done = |Output { index, values }: Output| {
            let element = |number| Element { index, ..Element::new(line, number, i) };
            values.into_iter().enumerate().map(|(number, x)| self.real_element_done(x, element(number))).collect()
        };
        outputs.into_iter().map(done).collect()
    }

    fn put_quarters(&self, spot: Spot, elements: [C<Sym>; QUARTERS]) {
        for (s, z) in (0..).zip(elements) {
            let Spot { line, place } = quarter(spot, s);
            self.store_at(&Port::Buffer, line, place, [0, usize::MAX], z);
        }
    }

    /// Elements k and −k of each quarter.
    fn put_inner_quarters(&self, roots: RootTable, Spots { k, at, mirror }: Spots, terms: &[Quarters]) {
        let both = |s: usize| match terms {
            [a, b] => pack(a[s][0], b[s][0], root(roots, k)).map(C::swap),
            _ => {
                let terms = &terms[0][s];
                let mirror: Vec<_> = terms.iter().map(|z| z.conj()).collect();
                [as_one(terms).swap(), as_one(&mirror).swap()]
            }
        };
        let elements = [0, 1, 2].map(both);
        self.put_quarters(mirror, elements.map(|both| both[1]));
        self.put_quarters(at, elements.map(|both| both[0]));
    }
}

/// From outputs, of each line that is packed, to terms of the quarters.
impl SymmetricLastPass {
    pub(crate) fn first_terms(&self, outputs: &[Vec<Sym>]) -> [Vec<Sym>; QUARTERS] {
        let [scale, _, first, last] = self.scales();
        let zeros = || vec![Sym::lit(0.0); outputs[0].len()];
        match outputs {
            [middle] => [zeros(), middle.iter().map(|y| (*y + *y) * scale).collect(), zeros()],
            [low, middle, high] => {
                let terms = |y: &dyn Fn(Sym, Sym, Sym) -> Sym| -> Vec<Sym> {
                    let term = |((a, b), c): ((&Sym, &Sym), &Sym)| y(*a * first, (*b + *b) * scale, *c * last);
                    low.iter().zip(middle).zip(high).map(term).collect()
                };
                [terms(&|a, b, c| a + c + b), terms(&|a, _, c| a - c), terms(&|a, b, c| a + c - b)]
            }
            _ => unreachable!("one or three outputs have no other beside them"),
        }
    }

    fn middle_terms(&self, outputs: &[Vec<Sym>]) -> [Vec<Sym>; QUARTERS] {
        let [scale, rotated, ..] = self.scales();
        let terms = |y: &dyn Fn(Sym, Sym) -> Sym| -> Vec<Sym> {
            outputs[0].iter().zip(&outputs[1]).map(|(a, b)| y(*a, *b)).collect()
        };
        let zeros = terms(&|_, _| Sym::lit(0.0));
        let twice = |x: Sym| (x + x) * scale;
        match self.sine {
            true => [zeros, terms(&|a, b| (a + b) * rotated), terms(&|a, b| twice(a - b))],
            false => [terms(&|a, b| twice(a + b)), terms(&|a, b| (a - b) * rotated), zeros],
        }
    }

    fn inner_terms(&self, i: Int, outputs: &[Vec<Sym>]) -> Quarters {
        let (row, [scale, ..]) = (self.row(i), self.scales());
        let of_line = |line: usize| {
            let outputs = [0, 1, 2, 3].map(|j: usize| outputs[j][line]);
            symmetric_first_pass_term(self.sine, outputs, row, scale)
        };
        let terms: Vec<[C<Sym>; QUARTERS]> = (0..outputs[0].len()).map(of_line).collect();
        [0, 1, 2].map(|s: usize| terms.iter().map(|terms| terms[s]).collect())
    }
}
