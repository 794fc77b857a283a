//! The spectrum between a transform and one back, multiplied where it stands: the combine that leads
//! to a line, the factors of the line's elements, and the combine that leads back, term by term.

use crate::desc::combine::TermRange;
use crate::desc::filter::{ElementProduct, InnerProduct, SpectrumProduct};
use crate::desc::kernel::Packing;
use crate::desc::pointwise::Pointwise;
use crate::desc::stage::{Port, Split};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::write::combine::{Packed, Spot, Spots, as_one, real};
use crate::write::dft::small_dft;
use crate::write::element::Element;
use crate::write::port::coefficients;
use crate::write::table::root;
use crate::write::writer::{Subline, Writer};
use fourfold::engine::{C, Index, Real, pack, unpack};

impl Writer<'_> {
    pub(crate) fn spectrum_product(&self, product: &SpectrumProduct) {
        let n = product.n;
        let at = |spot| self.at(&Port::Buffer, spot);
        let put = |spot: Spot, z| {
            self.store_at(&Port::Buffer, spot.line, spot.place, [0, usize::MAX], z);
        };
        let pairs = self.desc.packing == Packing::HalfLength;
        self.end_items(0, |line, spot| put(spot, self.first_product(product, line, at(spot))));
        if n % 2 == 0 && !pairs {
            self.end_items(n / 2, |line, spot| put(spot, self.last_product(product, line, at(spot))));
        }
        for terms in &product.inner {
            // In the middle of pairs both are one.
            let count = if pairs { n / 4 } else { terms.count };
            self.inner_items(n, terms.first, terms.step, count, |line, i, Spots { k, at: spot, mirror }| {
                let [z, other] = self.inner_product(product, &terms.product, line, [i, k], [at(spot), at(mirror)]);
                put(mirror, other);
                put(spot, z);
            });
        }
    }

    /// All elements in the buffer.
    pub(crate) fn element_products(&self, product: &ElementProduct) {
        let before = self.desc.before();
        self.items(product.n / before, |line, high| {
            let place = self.place_in_subline(high);
            let z = self.load_at(&Port::Buffer, line, place, [0, usize::MAX]);
            let z = self.element_product(product, line, high * before as i64 + line.frequency, z);
            self.store_at(&Port::Buffer, line, place, [0, usize::MAX], z);
        });
    }

    /// DFTs of the last digit and those back from it, which take the same elements: so these stay in
    /// registers.
    pub(crate) fn dfts_of_products(
        &self,
        [there, back]: [&Split; 2],
        product: &ElementProduct,
        [from, to]: [&Port; 2],
    ) {
        let before = self.desc.before();
        self.items(there.inner / before, |line, item| {
            let small = self.small_of_frequency(there, line, item);
            let sources = self.small_addresses(&small, from, line);
            let range = |j: usize| [j, j + 1];
            let z: Vec<_> = (0..there.radix).map(|j| self.load(from, line, sources[j], range(j))).collect();
            let twiddles = self.twiddles(there, &small);
            let turned: Vec<_> = z.into_iter().enumerate().map(|(j, z)| twiddles.before(there, j, z)).collect();
            let k = |j: usize| item * before as i64 + line.frequency + (j * there.inner) as i64;
            let spectrum = small_dft(&turned).into_iter().enumerate();
            let products: Vec<_> = spectrum.map(|(j, z)| self.element_product(product, line, k(j), z)).collect();
            let targets = self.small_addresses(&small, to, line);
            for (j, z) in small_dft(&products).into_iter().enumerate() {
                self.store(to, line, targets[j], range(j), twiddles.after(back, j, z));
            }
        });
    }

    /// What element k becomes.
    fn element_product(&self, product: &ElementProduct, line: Subline, k: Int, z: C<Sym>) -> C<Sym> {
        let [there, back] = product.exchanged.map(|swaps| move |z: C<Sym>| if swaps { z.swap() } else { z });
        let z = there(z);
        let z = product.scale.map_or(z, |at| z.scale(Array::Table.load(int(at))));
        back(match &product.combined {
            Some(reals) => self.through_line(false, reals, line, k, &[z])[0],
            None => self.element_done(z, Element::new(line, 0, k)),
        })
    }

    /// What element 0 becomes; that of pairs has both ends.
    pub(crate) fn first_product(&self, product: &SpectrumProduct, line: Subline, z: C<Sym>) -> C<Sym> {
        let first = self.end_product(product, false, line, &self.end_terms(TermRange::First, z));
        if self.desc.packing == Packing::HalfLength {
            let last = self.end_product(product, true, line, &self.end_terms(TermRange::Last, z));
            return C { re: first[0] + last[0], im: first[0] - last[0] }.swap();
        }
        as_one(&real(&first)).swap()
    }

    /// What element n/2 of lines of an even number of reals becomes.
    pub(crate) fn last_product(&self, product: &SpectrumProduct, line: Subline, z: C<Sym>) -> C<Sym> {
        as_one(&real(&self.end_product(product, true, line, &self.end_terms(TermRange::Last, z)))).swap()
    }

    /// What elements k and N − k become, which are number i of their terms.
    pub(crate) fn inner_product(
        &self,
        product: &SpectrumProduct,
        inner: &InnerProduct,
        line: Subline,
        [i, k]: [Int; 2],
        [z, mirror]: [C<Sym>; 2],
    ) -> [C<Sym>; 2] {
        let n = product.n;
        let through = |i: Int, terms: &[C<Sym>]| self.through_line(product.complex, inner, line, i, terms);
        if self.desc.packing == Packing::HalfLength {
            let root = root(product.roots, k);
            let [a, b] = unpack(z, mirror, root);
            let [a, b] = [through(i, &[a])[0], through(int(n / 2 - 2) - i, &[b])[0]];
            return pack(a, b, root).map(C::swap);
        }
        let terms = if self.desc.packing == Packing::TwoForOne { self.separated(z, mirror) } else { vec![z] };
        let terms = through(i, &terms);
        let mirror: Vec<_> = terms.iter().map(|z| z.conj()).collect();
        [as_one(&terms).swap(), as_one(&mirror).swap()]
    }

    /// Terms of the packed lines that are real, to the line, multiplied, and back.
    fn end_product(&self, product: &SpectrumProduct, last: bool, line: Subline, terms: &[C<Sym>]) -> Vec<Sym> {
        let Some(end) = product.ends[usize::from(last)] else { return vec![Sym::lit(0.0); terms.len()] };
        let index = Index { start: end.place as isize, step: 0 };
        let [there, back] = end.by.map(|at| Array::Table.load(int(at)));
        let one = |(number, z): (usize, &C<Sym>)| {
            let element = element_of(product.complex, line, number, index, int(0));
            self.real_element_done(z.re * there, element) * back
        };
        terms.iter().enumerate().map(one).collect()
    }

    /// The same of terms number i between the ends.
    fn through_line(&self, complex: bool, inner: &InnerProduct, line: Subline, i: Int, terms: &[C<Sym>]) -> Packed {
        let [there, back] = inner.matrices.map(|matrix| coefficients(matrix, i));
        let one = |(number, z): (usize, &C<Sym>)| {
            let z = times(there, *z);
            let element = |index| element_of(complex, line, number, index, i);
            let elements = inner.line.map(|index| Element { may_be_first: inner.may_be_first, ..element(index) });
            let z = match (complex, inner.is_single()) {
                (true, _) => self.element_done(z, elements[0]),
                (false, true) => C { re: self.real_element_done(z.re, elements[0]), im: Sym::lit(0.0) },
                (false, false) => self.reals_done(z, elements),
            };
            times(back, if inner.swaps { z.swap() } else { z })
        };
        terms.iter().enumerate().map(one).collect()
    }

    /// Two reals of a line, times their factors.
    fn reals_done(&self, z: C<Sym>, elements: [Element; 2]) -> C<Sym> {
        let [re, im] =
            [(z.re, elements[0]), (z.im, elements[1])].map(|(x, element)| self.real_element_done(x, element));
        C { re, im }
    }

    /// A real of the spectrum times its factor.
    pub(crate) fn real_element_done(&self, x: Sym, element: Element) -> Sym {
        self.element_done(C { re: x, im: Sym::lit(0.0) }, element).re
    }

    /// An element of the spectrum times its factor.
    pub(crate) fn element_done(&self, z: C<Sym>, element: Element) -> C<Sym> {
        let Some(Pointwise::Multiply { complex, factors, .. }) = &self.desc.pointwise[2] else { return z };
        let factor = self.factor(factors, || int(0), element, *complex);
        if *complex { z.mul(factor) } else { z.scale(factor.re) }
    }
}

/// The element of a line at the real that an index names for i.
fn element_of(complex: bool, line: Subline, number: usize, index: Index, i: Int) -> Element {
    let index = if complex { Index { start: index.start / 2, step: index.step / 2 } } else { index };
    Element { index, ..Element::new(line, number, i) }
}

/// A matrix, row by row, times two reals.
fn times([a, b, c, d]: [Sym; 4], C { re: x, im: y }: C<Sym>) -> C<Sym> {
    C { re: x.mul_add(a, y * b), im: x.mul_add(c, y * d) }
}
