//! Elements of a line that is one convolution: Bluestein's rule, with what the line is made of and
//! becomes.

use crate::desc::chirp::{Chirp, Chirped};
use crate::desc::combine::HalfSpectra;
use crate::desc::stage::View;
use crate::desc::table::RootTable;
use crate::ir::statement::{Int, Sym, int};
use crate::ir::trace::{if_less, select, select_pair, select_real};
use crate::write::table::{coefficient, root};
use crate::write::writer::{Subline, Writer};
use fourfold::engine::{C, Roots};
use std::ops::Range;

impl Chirp {
    /// d_{e + js} for j in a range, each as soon as it is known, where s is the step, and d_j = exp(−πi j(j + shift)/N).
    /// `table` has d_e, and d_{e + js} = d_e · exp(−2πi ejs/N) · d_{js}.
    fn each(&self, (table, shift): (usize, usize), e: Int, range: Range<usize>, mut each: impl FnMut(usize, C<Sym>)) {
        let powers: Vec<C<Sym>> = self.powers.iter().map(|power| root(*power, e)).collect();
        let (order, roots) = (2 * self.n as u128, Roots::new(2 * self.n as u64));
        products(0, coefficient(table, e), &powers, range.end, &mut |j, z| {
            if !range.contains(&j) {
                return;
            }
            let at = (j * self.step) as u128;
            let constant = roots.get((at * (at + shift as u128) % order) as u64);
            each(j, z.mul(C { re: Sym::lit(constant.re), im: Sym::lit(constant.im) }));
        });
    }

    /// At which places of a DFT of the first digit, of `radix`, elements may be.
    fn places(&self, radix: usize) -> Range<usize> {
        self.first / self.step..(self.first + self.count).div_ceil(self.step).min(radix)
    }

    /// The element at place j of such a DFT, whose first place is `e`, and its range.
    fn element(&self, e: Int, j: usize) -> (Int, [usize; 2]) {
        let ends = [j, j + 1].map(|j| (j * self.step).saturating_sub(self.first).min(self.count));
        (e + (j * self.step) as i64 - self.first as i64, ends)
    }

    /// Whether some numbers of place j are before the first element.
    fn begins_in(&self, j: usize) -> bool {
        j * self.step < self.first
    }

    /// Whether some are after the last one.
    fn ends_in(&self, j: usize) -> bool {
        (j + 1) * self.step > self.first + self.count
    }

    /// The element at place j, or one that is there.
    fn there(&self, e: Int, j: usize) -> Int {
        let last = int(self.count);
        let from_first = if self.begins_in(j) { select(e, int(0), int(0), e) } else { e };
        if self.ends_in(j) { select(e, last, from_first, last - 1) } else { from_first }
    }

    /// A part of that element, or 0 where none is there.
    fn kept(&self, e: Int, j: usize, x: Sym) -> Sym {
        let zero = Sym::lit(0.0);
        let from_first = if self.begins_in(j) { select_real(e, int(0), zero, x) } else { x };
        if self.ends_in(j) { select_real(e, int(self.count), from_first, zero) } else { from_first }
    }
}

/// The products of z and those of `others` whose numbers are bits of j, for numbers j from `from` on below `count`. Each
/// is one product of one before. Registers keep few, since those with a bit come before the next lower one is added.
fn products(from: usize, z: C<Sym>, others: &[C<Sym>], count: usize, each: &mut dyn FnMut(usize, C<Sym>)) {
    each(from, z);
    for (bit, other) in others.iter().enumerate().filter(|(bit, _)| from + (1 << bit) < count) {
        products(from + (1 << bit), z.mul(*other), &others[..bit], count, each);
    }
}

impl Writer<'_> {
    /// The elements of a DFT of the first digit, whose first is `e`: numbers of the line times the chirp, or 0
    /// before the first and after the last.
    pub(crate) fn read_chirped(&self, view: &View, chirp: &Chirp, line: Subline, e: Int, radix: usize) -> Vec<C<Sym>> {
        let plain = View { chirp: None, ..view.clone() };
        let number = |j: usize| {
            let (e, range) = chirp.element(e, j);
            let at = chirp.there(e, j);
            let z = match &chirp.elements {
                Chirped::TermsOfLine { n, half } => self.term_of_line(*n, half, line, at, range),
                Chirped::PairsOfLine { n, roots, half } => {
                    self.pair_of_line((*n, *roots), half, line, at, range[0] == 0)
                }
                Chirped::Folded { odd, .. } => self.folded(&plain, chirp.n, *odd, line, at, range),
                _ => self.read(&plain, line, at, range),
            };
            C { re: chirp.kept(e, j, z.re), im: chirp.kept(e, j, z.im) }
        };
        let places = chirp.places(radix);
        let numbers: Vec<C<Sym>> = places.clone().map(number).collect();
        let mut elements = vec![C { re: Sym::lit(0.0), im: Sym::lit(0.0) }; radix];
        match chirp.elements {
            Chirped::Folded { table, .. } => {
                chirp.each((chirp.table, chirp.shift), e, places.clone(), |j, c| {
                    elements[j] = c.scale(numbers[j - places.start].re)
                });
                chirp.each((table, chirp.shift + 1), e, places.clone(), |j, d| {
                    elements[j] = elements[j] + d.scale(numbers[j - places.start].im).times_i()
                });
            }
            _ => chirp.each((chirp.table, chirp.shift), e, places.clone(), |j, c| {
                elements[j] = numbers[j - places.start].mul(c)
            }),
        }
        elements
    }

    /// The sum and the difference of element e of a folded extension, which is in `range`, and its mirror image.
    fn folded(&self, view: &View, n: usize, odd: bool, line: Subline, e: Int, [start, end]: [usize; 2]) -> C<Sym> {
        let a = self.read(view, line, e, [start, end]).re;
        let b = self.read(view, line, int(n) - e, [n + 1 - end, n + 1 - start]).re;
        let b = if odd { -b } else { b };
        C { re: a + b, im: a - b }
    }

    /// Complex number e of a line of `n` reals, its parts exchanged; `first`: whether it may be the first.
    fn pair_of_line(
        &self,
        reals: (usize, RootTable),
        half: &HalfSpectra,
        line: Subline,
        e: Int,
        first: bool,
    ) -> C<Sym> {
        let inner = if first { select(e, int(1), int(1), e) } else { e };
        let [z, _] = self.inner_elements(line, inner, reals, half);
        if first { select_pair(e, int(1), self.first_element(line, half), z) } else { z }
    }

    /// Term k of half spectra of `n` reals, which is in `range`, its parts exchanged.
    fn term_of_line(&self, n: usize, half: &HalfSpectra, line: Subline, k: Int, range: [usize; 2]) -> C<Sym> {
        let (highest, first, last) = ((n - 1) / 2, range[0] == 0, n % 2 == 0 && range[1] > n / 2);
        let inner = if first { select(k, int(1), int(1), k) } else { k };
        let inner = if last { select(k, int(n / 2), inner, int(highest)) } else { inner };
        let [z, _] = self.inner_elements(line, inner, (n, RootTable::default()), half);
        let mut z = z.scale(Sym::lit(2.0));
        if first {
            z = select_pair(k, int(1), self.first_element(line, half), z);
        }
        if last {
            z = select_pair(k, int(n / 2), z, self.last_element(line, half));
        }
        z
    }

    /// Writes those elements of a DFT of the first digit, whose first is `e`, that are there. The convolution leaves
    /// their parts exchanged.
    pub(crate) fn write_chirped(&self, view: &View, chirp: &Chirp, line: Subline, e: Int, numbers: &[C<Sym>]) {
        let plain = View { chirp: None, ..view.clone() };
        chirp.each((chirp.table, chirp.shift), e, chirp.places(numbers.len()), |j, c| {
            let (e, range) = chirp.element(e, j);
            let body = || self.write_unchirped(&plain, chirp, line, (e, range), numbers[j].swap().mul(c));
            let before_end = || if chirp.ends_in(j) { if_less(e, int(chirp.count), body) } else { body() };
            if chirp.begins_in(j) { if_less(int(0) - 1, e, before_end) } else { before_end() }
        });
    }

    /// Writes an element in a range.
    fn write_unchirped(&self, view: &View, chirp: &Chirp, line: Subline, (e, range): (Int, [usize; 2]), z: C<Sym>) {
        match &chirp.elements {
            Chirped::TermsToLine(steps) => {
                steps.iter().for_each(|step| self.term_to_line(step, chirp.count, line, e, range, &[z]))
            }
            Chirped::TermPairs { odd, terms, steps } => {
                let zero = Sym::lit(0.0);
                let both = match odd {
                    true => [C { re: zero, im: z.im }, C { re: zero, im: -z.re }],
                    false => [C { re: z.re, im: zero }, C { re: z.im, im: zero }],
                };
                for (i, term) in both.into_iter().enumerate() {
                    let (k, range) = (e * 2 + i as i64, [2 * range[0] + i, 2 * range[1] - 1 + i]);
                    steps.iter().for_each(|step| self.term_to_line(step, *terms, line, k, range, &[term]));
                }
            }
            _ => self.write(view, line, e, range, z),
        }
    }
}
