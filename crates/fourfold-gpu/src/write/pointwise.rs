//! What is done to elements as they are read and written.

use crate::desc::geometry::{LineIndex, Pair};
use crate::desc::pointwise::{AxisLists, ElementNumber, Factors, Inside, Pointwise, ZeroSums};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{cut_off, normal_reciprocal, reciprocal, select, select_real};
use crate::write::address::End;
use crate::write::element::Element;
use crate::write::writer::{Common, Writer};
use fourfold::engine::C;

impl Writer<'_> {
    /// Reads real `at` of the input.
    pub(crate) fn take(&self, at: Int, element: Element) -> Sym {
        let place = self.place_inside(at, element);
        self.real_done(End::Input, at, element, self.array(End::Input).load(place))
    }

    /// Reads pair `at` of the input: the reals of two elements, or one complex number.
    pub(crate) fn take_pair(&self, at: Int, elements: [Element; 2]) -> C<Sym> {
        let place = self.place_inside(at, elements[0]);
        self.pair_done(End::Input, at, elements, self.array(End::Input).load_pair(place))
    }

    /// A place of the input that is in memory: that of the element, if it is, or the first.
    fn place_inside(&self, at: Int, element: Element) -> Int {
        let Some(Pointwise::Pad(inside)) = self.pointwise(End::Input) else { return at };
        inside.bounds(element, self.desc.geometry.pair).fold(at, |at, (index, count)| select(index, count, at, int(0)))
    }

    /// Whether so many elements along the line, or lines of a pair, are all inside or all outside.
    pub(crate) fn keeps_groups(&self, end: End, count: usize) -> bool {
        let Some(Pointwise::Pad(inside)) = self.pointwise(end) else { return true };
        let packed = inside.across.iter().filter(|(index, _)| index.packed).map(|(_, count)| *count);
        inside.along.into_iter().chain(packed).all(|length| length % count == 0)
    }

    /// Writes real `at` of the output.
    pub(crate) fn put(&self, at: Int, element: Element, x: Sym) {
        self.array(End::Output).store(at, self.real_done(End::Output, at, element, x));
    }

    /// Writes pair `at` of the output: the reals of two elements, or one complex number.
    pub(crate) fn put_pair(&self, at: Int, elements: [Element; 2], z: C<Sym>) {
        self.array(End::Output).store_pair(at, self.pair_done(End::Output, at, elements, z));
    }

    pub(crate) fn pointwise(&self, end: End) -> Option<&Pointwise> {
        let [input, output, _] = &self.desc.pointwise;
        if end == End::Input { input.as_ref() } else { output.as_ref() }
    }

    /// Whether real and imaginary part of what is read or written there depend on both.
    pub(crate) fn mixes_parts(&self, end: End) -> bool {
        matches!(self.pointwise(end), Some(Pointwise::Multiply { complex: true, .. }))
    }

    fn real_done(&self, end: End, at: Int, element: Element, x: Sym) -> Sym {
        let pair = self.desc.geometry.pair;
        match self.pointwise(end) {
            None => x,
            Some(Pointwise::Threshold(at)) => cut_off(x, Array::Table.load(int(*at))),
            Some(Pointwise::Pad(inside)) => inside.or_zero(element, pair, x),
            Some(Pointwise::Multiply { parts, factors, complex }) => {
                debug_assert!(!complex, "complex factors meet whole numbers");
                x * self.factor(factors, || at / *parts as i64, element, false).re
            }
        }
    }

    fn pair_done(&self, end: End, at: Int, elements: [Element; 2], z: C<Sym>) -> C<Sym> {
        let ([first, second], pair) = (elements, self.desc.geometry.pair);
        match self.pointwise(end) {
            None => z,
            Some(Pointwise::Threshold(at)) => {
                let threshold = Array::Table.load(int(*at));
                C { re: cut_off(z.re, threshold), im: cut_off(z.im, threshold) }
            }
            Some(Pointwise::Pad(inside)) => {
                C { re: inside.or_zero(first, pair, z.re), im: inside.or_zero(second, pair, z.im) }
            }
            Some(Pointwise::Multiply { parts: 1, factors: Factors::Table(first), .. }) => {
                let factors = Array::Factors.load_pair(at + (first / 2) as i64);
                C { re: z.re * factors.re, im: z.im * factors.im }
            }
            Some(Pointwise::Multiply { parts: 1, factors, .. }) => {
                let [f, g] = elements.map(|element| self.factor(factors, || at, element, false).re);
                C { re: z.re * f, im: z.im * g }
            }
            Some(Pointwise::Multiply { complex: true, factors, .. }) => z.mul(self.factor(factors, || at, first, true)),
            Some(Pointwise::Multiply { factors, .. }) => {
                debug_assert!(first.number == second.number || matches!(factors, Factors::Table(_)));
                z.scale(self.factor(factors, || at, first, false).re)
            }
        }
    }

    /// The factor of an element, which is number `at` of the memory.
    pub(crate) fn factor(
        &self,
        factors: &Factors,
        at: impl FnOnce() -> Int,
        element: Element,
        complex: bool,
    ) -> C<Sym> {
        match factors {
            Factors::Table(first) => entry(Array::Factors, *first, at(), complex),
            Factors::Elements(number, first) => {
                entry(Array::Factors, *first, number.of(element, self.desc.geometry.pair), complex)
            }
            Factors::Separable(lists) => {
                let one = C { re: Sym::lit(1.0), im: Sym::lit(0.0) };
                self.terms(lists, element, complex).reduce(|f, g| product(f, g, complex)).unwrap_or(one)
            }
            Factors::ReciprocalSum(lists, zeros) => {
                let sum = self.terms(lists, element, false).reduce(|f, g| f + g);
                let may_be_zero = *zeros == ZeroSums::Any || *zeros == ZeroSums::First && element.may_be_first;
                let inverse = if may_be_zero { reciprocal } else { normal_reciprocal };
                C { re: sum.map_or(Sym::lit(0.0), |sum| inverse(sum.re)), im: Sym::lit(0.0) }
            }
        }
    }

    /// What the line's elements have in common, and what the element has itself.
    fn terms(&self, lists: &AxisLists, element: Element, complex: bool) -> impl Iterator<Item = C<Sym>> {
        let along = lists.along.map(|at| entry(Array::Table, at, element.along(), complex));
        element.line.common[element.number].into_iter().chain(along)
    }

    /// See [`Common`]: of line `number` of all.
    pub(crate) fn common(&self, number: Int) -> Common {
        let Some(Pointwise::Multiply { factors, complex, .. }) = self.multiplied else { return [None; 2] };
        let (lists, sums) = match factors {
            Factors::Table(_) | Factors::Elements(..) => return [None; 2],
            Factors::Separable(lists) => (lists, false),
            Factors::ReciprocalSum(lists, _) => (lists, true),
        };
        let pair = self.desc.geometry.pair;
        [0, 1].map(|packed| {
            let wanted = lists.across.iter().filter(|_| packed < self.desc.packing.lines());
            let entries = wanted.map(|(index, at)| entry(Array::Table, *at, index.of(number, packed, pair), *complex));
            entries.reduce(|f, g| if sums { f + g } else { product(f, g, *complex) })
        })
    }
}

impl Inside {
    /// Indices, and the numbers below which they are for elements that are inside.
    fn bounds(&self, element: Element, pair: Option<Pair>) -> impl Iterator<Item = (Int, Int)> {
        let index = move |index: &LineIndex| index.of(element.line.number, element.number, pair);
        let across = self.across.iter().map(move |(line, n)| (index(line), int(*n)));
        self.along.map(|n| (element.along(), int(n))).into_iter().chain(across)
    }

    /// `x` if the element is inside, else 0.
    fn or_zero(&self, element: Element, pair: Option<Pair>, x: Sym) -> Sym {
        self.bounds(element, pair).fold(x, |x, (index, n)| select_real(index, n, x, Sym::lit(0.0)))
    }
}

impl ElementNumber {
    fn of(&self, element: Element, pair: Option<Pair>) -> Int {
        let Element { line, number, .. } = element;
        let along = element.along() * self.along as i64;
        let index = |index: &LineIndex| index.of(line.number, number, pair);
        self.across.iter().fold(along, |sum, (line, stride)| sum + index(line) * *stride as i64)
    }
}

impl LineIndex {
    /// That of line `packed` of those that are line `number` together.
    fn of(&self, number: Int, packed: usize, pair: Option<Pair>) -> Int {
        match pair.filter(|_| self.packed) {
            None => number / self.stride as i64 % self.size as i64,
            Some(pair) => {
                let second = if packed == 1 { pair.second(number, 1) } else { int(0) };
                pair.first(pair.place(number)) + second
            }
        }
    }
}

/// A factor of a list.
fn entry(table: Array, first: usize, i: Int, complex: bool) -> C<Sym> {
    match complex {
        true => table.load_pair(i + (first / 2) as i64),
        false => C { re: table.load(i + first as i64), im: Sym::lit(0.0) },
    }
}

fn product(f: C<Sym>, g: C<Sym>, complex: bool) -> C<Sym> {
    if complex { f.mul(g) } else { f.scale(g.re) }
}
