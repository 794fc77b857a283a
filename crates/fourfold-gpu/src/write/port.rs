//! Arrays as stages see them: lines of complex or packed real elements.

use crate::desc::kernel::Packing;
use crate::desc::stage::View;
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{if_less, select, select_real};
use crate::write::address::End;
use crate::write::element::Element;
use crate::write::table::root;
use crate::write::writer::{Subline, Writer};
use fourfold::Precision;
use fourfold::engine::{C, Index, Part, QUARTERS, Real};

impl Writer<'_> {
    /// Element `e` of the input, which is in `range`, or the number `e` that the view counts it as.
    pub(crate) fn read(&self, view: &View, line: Subline, e: Int, range: [usize; 2]) -> C<Sym> {
        let elements = range;
        let range = if view.of_four { range.map(|m| m / QUARTERS * 4) } else { range };
        let real = |m, range, number| {
            let (at, factor) = self.ordered(view, m, range);
            let x = self.read_real(line, number, at);
            factor.map_or(x, |factor| x * factor)
        };
        let z = match self.desc.packing {
            Packing::Complex => match view.combined {
                Some((reals, matrix)) => times_matrix(matrix, e, reals.map(|index| self.read_index(line, 0, index, e))),
                None => self.take_pair(self.pair_of(End::Input, line, e), [Element::new(line, 0, e); 2]),
            },
            Packing::TwoForOne => {
                let (at, factor) = self.ordered(view, e, range);
                let [x, y] = self.read_lines(line, at);
                factor.map_or(C { re: x, im: y }, |factor| C { re: x, im: y }.scale(factor))
            }
            Packing::HalfLength if view.order.is_none() && !view.of_four => self.read_pair(line, 0, e),
            Packing::HalfLength => {
                let range = range.map(|m| 2 * m);
                let reals = if view.of_four { [e, e + 4] } else { [e * 2, e * 2 + 1] };
                let [re, im] = reals.map(|m| real(m, range, 0));
                C { re, im }
            }
            Packing::Single => C { re: real(e, range, 0), im: Sym::lit(0.0) },
            Packing::Quarters => self.read_odd(e, elements, |m, range| real(m, range, 0)),
        };
        if view.exchanged { z.swap() } else { z }
    }

    pub(crate) fn write(&self, view: &View, line: Subline, e: Int, range: [usize; 2], z: C<Sym>) {
        let z = if view.exchanged { z.swap() } else { z };
        let z = view.scale.map_or(z, |at| z.scale(Array::Table.load(int(at))));
        let elements = range;
        let range = if view.of_four { range.map(|m| m / QUARTERS * 4) } else { range };
        let put = |m, range, x: Sym| {
            let (at, factor) = self.ordered(view, m, range);
            self.write_real(line, 0, at, factor.map_or(x, |factor| x * factor));
        };
        let real = |m, range, x| kept(view, m, range, || put(m, range, x));
        match self.desc.packing {
            Packing::Complex => match view.combined {
                Some((reals, matrix)) => {
                    let C { re, im } = times_matrix(matrix, e, [z.re, z.im]);
                    self.write_index(line, 0, reals[0], e, re);
                    self.write_index(line, 0, reals[1], e, im);
                }
                None => self.put_pair(self.pair_of(End::Output, line, e), [Element::new(line, 0, e); 2], z),
            },
            Packing::TwoForOne => kept(view, e, range, || {
                let (at, factor) = self.ordered(view, e, range);
                let z = factor.map_or(z, |factor| z.scale(factor));
                self.write_lines(line, at, [z.re, z.im]);
            }),
            Packing::HalfLength if view.order.is_none() && view.kept.is_none() && !view.of_four => {
                self.write_pair(line, 0, e, z);
            }
            Packing::HalfLength => {
                let range = range.map(|m| 2 * m);
                let [first, second] = if view.of_four { [e, e + 4] } else { [e * 2, e * 2 + 1] };
                real(first, range, z.re);
                real(second, range, z.im);
            }
            Packing::Single => real(e, range, z.re),
            Packing::Quarters => self.write_odd(view, e, elements, z, put),
        }
    }

    /// Element e of `n` and the one as far from the end, whose reals are neighbours on the line.
    pub(crate) fn read_neighbours(&self, view: &View, line: Subline, [e, n]: [Int; 2]) -> [C<Sym>; 2] {
        let [factor, other] = self.half_factors(view);
        let scaled = |[z, mirror]: [C<Sym>; 2]| [z.scale(factor), mirror.scale(other)];
        let both = match (self.desc.packing, view.combined) {
            (Packing::HalfLength, _) => {
                let [a, b, c, d] = self.read_four(line, e);
                scaled([C { re: a, im: c }, C { re: d, im: b }])
            }
            (Packing::TwoForOne, _) => {
                let [p, q] = [0, 1].map(|number| self.read_pair(line, number, e));
                scaled([C { re: p.re, im: q.re }, C { re: p.im, im: q.im }])
            }
            (_, Some((reals, matrix))) => {
                let mirror = n - 1 - e;
                let [p, q] = [e, mirror].map(|i| self.read_pair(line, 0, i));
                let descends = reals[0].step < 0;
                let ordered = |[even, odd]: [Sym; 2]| if descends { [odd, even] } else { [even, odd] };
                [times_matrix(matrix, e, ordered([p.re, q.im])), times_matrix(matrix, mirror, ordered([q.re, p.im]))]
            }
            (_, None) => {
                let p = self.read_pair(line, 0, e);
                scaled([p.re, p.im].map(|re| C { re, im: Sym::lit(0.0) }))
            }
        };
        if view.exchanged { both.map(C::swap) } else { both }
    }

    /// Element e of `n` and the one as far from the end, whose reals are neighbours on the line.
    pub(crate) fn write_neighbours(&self, view: &View, line: Subline, [e, n]: [Int; 2], both: [C<Sym>; 2]) {
        let [z, mirror] = if view.exchanged { both.map(C::swap) } else { both };
        let [factor, other] = self.half_factors(view);
        let scaled = |x: Sym, y: Sym| C { re: x * factor, im: y * other };
        match (self.desc.packing, view.combined) {
            (Packing::HalfLength, _) => {
                self.write_four(line, e, [scaled(z.re, mirror.im), scaled(z.im, mirror.re)]);
            }
            (Packing::TwoForOne, _) => {
                self.write_pair(line, 0, e, scaled(z.re, mirror.re));
                self.write_pair(line, 1, e, scaled(z.im, mirror.im));
            }
            (_, Some((_, matrix))) => {
                let last = n - 1 - e;
                let (z, mirror) =
                    (times_matrix(matrix, e, [z.re, z.im]), times_matrix(matrix, last, [mirror.re, mirror.im]));
                self.write_pair(line, 0, e, C { re: z.re, im: mirror.im });
                self.write_pair(line, 0, last, C { re: mirror.re, im: z.im });
            }
            (_, None) => self.write_pair(line, 0, e, scaled(z.re, mirror.re)),
        }
    }

    /// The same of element e ≤ n/2: of an odd number, the one in the middle is its own mirror image, and has
    /// half as many reals.
    pub(crate) fn read_inner_neighbours(&self, view: &View, line: Subline, e: Int, n: usize) -> [C<Sym>; 2] {
        if n % 2 == 0 || self.desc.packing == Packing::Complex {
            return self.read_neighbours(view, line, [e, int(n)]);
        }
        let ([factor, other], middle) = (self.half_factors(view), int(n / 2));
        if self.desc.packing != Packing::HalfLength {
            let [near, far] = [e * 2, select(e, middle, e * 2 + 1, e * 2)].map(|at| self.read_lines_of(line, at));
            let far = far.scale(select_real(e, middle, other, factor));
            let both = [near.scale(factor), far];
            return if view.exchanged { both.map(C::swap) } else { both };
        }
        let p = self.read_pair(line, 0, e * 2);
        let q = self.read_pair(line, 0, select(e, middle, e * 2 + 1, e * 2));
        // The middle one is its own mirror image.
        let [a, b] = [(q.re, p.im), (q.im, p.re)].map(|(x, y)| select_real(e, middle, x, y));
        let both = [C { re: p.re, im: a }, C { re: b, im: p.im }];
        let scales = [[factor, select_real(e, middle, factor, other)], [select_real(e, middle, other, factor), other]];
        let scaled = |i: usize| C { re: both[i].re * scales[i][0], im: both[i].im * scales[i][1] };
        let both = [scaled(0), scaled(1)];
        if view.exchanged { both.map(C::swap) } else { both }
    }

    /// The other way.
    pub(crate) fn write_inner_neighbours(&self, view: &View, line: Subline, e: Int, n: usize, both: [C<Sym>; 2]) {
        if n % 2 == 0 || self.desc.packing == Packing::Complex {
            return self.write_neighbours(view, line, [e, int(n)], both);
        }
        let middle = int(n / 2);
        if self.desc.packing != Packing::HalfLength {
            self.write_in_order(view, line, e * 2, int(0), both[0]);
            return if_less(e, middle, || self.write_in_order(view, line, e * 2 + 1, int(1), both[1]));
        }
        let [factor, other] = self.half_factors(view);
        let [z, mirror] = if view.exchanged { both.map(C::swap) } else { both };
        self.write_pair(line, 0, e * 2, C { re: z.re * factor, im: mirror.im * other });
        if_less(e, middle, || {
            self.write_pair(line, 0, e * 2 + 1, C { re: z.im * factor, im: mirror.re * other });
        });
    }

    /// An element as real `at` of its line, or of the two that are packed; `odd` is 1 where that is odd.
    pub(crate) fn write_in_order(&self, view: &View, line: Subline, at: Int, odd: Int, z: C<Sym>) {
        let [even_factor, odd_factor] = self.half_factors(view);
        let factor = select_real(odd, int(1), even_factor, odd_factor);
        let z = if view.exchanged { z.swap() } else { z }.scale(factor);
        match self.desc.packing {
            Packing::TwoForOne => self.write_lines(line, at, [z.re, z.im]),
            _ => self.write_real(line, 0, at, z.re),
        }
    }

    /// Real `at` of a line, or of the two that are packed.
    fn read_lines_of(&self, line: Subline, at: Int) -> C<Sym> {
        let [re, im] = match self.desc.packing {
            Packing::TwoForOne => self.read_lines(line, at),
            _ => [self.read_real(line, 0, at), Sym::lit(0.0)],
        };
        C { re, im }
    }

    /// Factors of the two halves of an order.
    pub(crate) fn half_factors(&self, view: &View) -> [Sym; 2] {
        let of = |order: usize| [0, 1].map(|i| self.desc.orders[order].pieces[i].factor.unwrap_or(1.0));
        view.order.map_or([1.0; 2], of).map(Sym::lit)
    }

    /// Reals 2i and 2i + 1 of line `number`.
    pub(crate) fn read_pair(&self, line: Subline, number: usize, i: Int) -> C<Sym> {
        let real = |at| self.read_real(line, number, at);
        let pair = |at| self.take_pair(at, neighbours(line, number, i));
        self.pair_at(End::Input, line, number, i).map_or_else(|| C { re: real(i * 2), im: real(i * 2 + 1) }, pair)
    }

    /// Reals 4i to 4i + 3 of a line.
    fn read_four(&self, line: Subline, i: Int) -> [Sym; 4] {
        if let Some(at) = self.four_at(End::Input, line, i) {
            return Array::Input.load_reals(at);
        }
        let [p, q] = [i * 2, i * 2 + 1].map(|i| self.read_pair(line, 0, i));
        [p.re, p.im, q.re, q.im]
    }

    /// The other way.
    fn write_four(&self, line: Subline, i: Int, [p, q]: [C<Sym>; 2]) {
        if let Some(at) = self.four_at(End::Output, line, i) {
            return Array::Output.store_reals(at, [p.re, p.im, q.re, q.im]);
        }
        self.write_pair(line, 0, i * 2, p);
        self.write_pair(line, 0, i * 2 + 1, q);
    }

    /// Reals 2i and 2i + 1 of line `number`.
    pub(crate) fn write_pair(&self, line: Subline, number: usize, i: Int, z: C<Sym>) {
        if let Some(at) = self.pair_at(End::Output, line, number, i) {
            return self.put_pair(at, neighbours(line, number, i), z);
        }
        self.write_real(line, number, i * 2, z.re);
        self.write_real(line, number, i * 2 + 1, z.im);
    }

    /// Where reals 2i and 2i + 1 of line `number` stand, if they are a pair of memory.
    fn pair_at(&self, end: End, line: Subline, number: usize, i: Int) -> Option<Int> {
        let at = || (self.address(end, line, i * 2, 1) + self.second(end, line, number)) / 2;
        self.in_groups(end, 2).then(at)
    }

    /// Where reals 4i to 4i + 3 of a line stand, if they are 16 bytes that memory has at once, and
    /// nothing is done to them on their way.
    fn four_at(&self, end: End, line: Subline, i: Int) -> Option<Int> {
        let plain = self.pointwise(end).is_none() && !self.side(end).shared && self.desc.precision() == Precision::F32;
        (plain && self.in_groups(end, 4)).then(|| self.address(end, line, i * 4, 1) / 4)
    }

    /// Whether reals 4i to 4i + 3 of a line are a sector of memory, of which a thread has half at once.
    pub(crate) fn shares_sectors(&self, end: End) -> bool {
        let has_four = self.desc.packing == Packing::HalfLength && self.desc.storage.bytes() == 8;
        has_four && !self.side(end).shared
    }

    /// Where real m stands on its line, and its factor.
    pub(crate) fn ordered(&self, view: &View, m: Int, range: [usize; 2]) -> (Int, Option<Sym>) {
        let Some(order) = view.order else { return (m, None) };
        let pieces = &self.desc.orders[order].pieces;
        let end = |i: usize| pieces.get(i + 1).map_or(usize::MAX, |piece| piece.first);
        let met: Vec<_> = (0..pieces.len()).filter(|&i| pieces[i].first < range[1] && end(i) > range[0]).collect();
        let place = |i: usize| m * pieces[i].index.step as i64 + pieces[i].index.start as i64;
        let [first, others @ ..] = &*met else { unreachable!("orders are whole") };
        let factor_of = |i: usize| Sym::lit(pieces[i].factor.unwrap_or(1.0));
        let (mut at, mut factor) = (place(*first), factor_of(*first));
        for &i in others {
            let start = int(pieces[i].first);
            at = select(m, start, at, place(i));
            factor = select_real(m, start, factor, factor_of(i));
        }
        (at, met.iter().any(|&i| pieces[i].factor.is_some()).then_some(factor))
    }

    /// Real `at` of both lines of a pair.
    pub(crate) fn read_lines(&self, line: Subline, at: Int) -> [Sym; 2] {
        if self.adjacent(End::Input) {
            let z = self.take_pair(self.address(End::Input, line, at, 2), both_lines(line, at));
            return [z.re, z.im];
        }
        [0, 1].map(|number| self.read_real(line, number, at))
    }

    pub(crate) fn write_lines(&self, line: Subline, at: Int, [x, y]: [Sym; 2]) {
        if self.adjacent(End::Output) {
            return self.put_pair(self.address(End::Output, line, at, 2), both_lines(line, at), C { re: x, im: y });
        }
        self.write_real(line, 0, at, x);
        self.write_real(line, 1, at, y);
    }

    /// Real `at` of line `number` of those that are packed.
    fn read_real(&self, line: Subline, number: usize, at: Int) -> Sym {
        let place = self.address(End::Input, line, at, 1) + self.second(End::Input, line, number);
        self.take(place, Element::new(line, number, at))
    }

    fn write_real(&self, line: Subline, number: usize, at: Int, x: Sym) {
        let place = self.address(End::Output, line, at, 1) + self.second(End::Output, line, number);
        self.put(place, Element::new(line, number, at), x);
    }

    /// The real that an index names for i, on line `number`; of complex arrays it names real and
    /// imaginary parts in turn.
    pub(crate) fn read_index(&self, line: Subline, number: usize, index: Index, i: Int) -> Sym {
        if !self.mixes_parts(End::Input) {
            let (at, element) = self.indexed(End::Input, line, number, index, i);
            return self.take(at, element);
        }
        let whole = Index { start: index.start - index.start % 2, ..index };
        let (at, element) = self.indexed(End::Input, line, number, whole, i);
        let z = self.take_pair(at / 2, [element; 2]);
        if index.start % 2 == 0 { z.re } else { z.im }
    }

    pub(crate) fn write_index(&self, line: Subline, number: usize, index: Index, i: Int, x: Sym) {
        let (at, element) = self.indexed(End::Output, line, number, index, i);
        self.put(at, element, x);
    }

    /// The complex number whose real part is at `index` for i, on line `number`.
    pub(crate) fn write_complex(&self, line: Subline, number: usize, index: Index, i: Int, z: C<Sym>) {
        let e = i * (index.step / 2) as i64 + (index.start / 2) as i64;
        let at = self.address(End::Output, line, e, 1) + self.second(End::Output, line, number);
        self.put_pair(at / 2, [Element::new(line, number, e); 2], z);
    }

    fn indexed(&self, end: End, line: Subline, number: usize, index: Index, i: Int) -> (Int, Element) {
        let second = self.second(end, line, number);
        if self.side(end).complex {
            debug_assert!(index.step % 2 == 0, "parts do not alternate");
            let along = i * (index.step / 2) as i64 + (index.start / 2) as i64;
            let at = self.address(end, line, along, 1) + (index.start % 2) as i64 + second;
            return (at, Element::new(line, number, along));
        }
        let along = i * index.step as i64 + index.start as i64;
        (self.address(end, line, along, 1) + second, Element::new(line, number, along))
    }

    fn pair_of(&self, end: End, line: Subline, e: Int) -> Int {
        self.address(end, line, e, 2)
    }
}

/// `body` if number m of the order, which is in `range`, is written: see [`View::kept`].
pub(crate) fn kept(view: &View, m: Int, range: [usize; 2], body: impl FnOnce()) {
    let Some([first, end]) = view.kept else { return body() };
    if first <= range[0] && range[1] <= end {
        return body();
    }
    let m = if view.of_four { select(m % 2, int(1), m, int(first)) } else { m };
    let below = || if_less(m, int(end), body);
    if first == 0 { below() } else { if_less(int(first - 1), m, below) }
}

/// Elements 2i and 2i + 1 of a line.
fn neighbours(line: Subline, number: usize, i: Int) -> [Element; 2] {
    [0, 1].map(|start| Element { index: Index { start, step: 2 }, ..Element::new(line, number, i) })
}

/// Element `along` of both lines of a pair.
fn both_lines(line: Subline, along: Int) -> [Element; 2] {
    [0, 1].map(|number| Element::new(line, number, along))
}

/// Matrix i times two reals.
fn times_matrix(matrix: crate::desc::combine::Matrix, i: Int, [x, y]: [Sym; 2]) -> C<Sym> {
    let [a, b, c, d] = coefficients(matrix, i);
    C { re: x.mul_add(a, y * b), im: x.mul_add(c, y * d) }
}

/// Matrix i, row by row.
pub(crate) fn coefficients(matrix: crate::desc::combine::Matrix, i: Int) -> [Sym; 4] {
    use crate::desc::combine::Matrix;
    match matrix {
        Matrix::Same(at) => [0, 1, 2, 3].map(|part| Array::Table.load(int(at + part))),
        Matrix::Reflections(at) => {
            let C { re: a, im: b } = root(at, i);
            [a, b, b, -a]
        }
        Matrix::Rotations(at) => {
            let C { re: a, im: b } = root(at, i);
            [a, b, -b, a]
        }
        Matrix::Part(part, at) => {
            let (by, zero) = (Array::Table.load(int(at)), Sym::lit(0.0));
            if part == Part::Re { [by, zero, zero, by] } else { [zero, by, by, zero] }
        }
    }
}
