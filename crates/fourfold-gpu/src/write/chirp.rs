//! Elements of a line that is one convolution: Bluestein's rule, with what the line is made of and
//! becomes.

use crate::desc::chirp::{Chirp, Chirped};
use crate::desc::combine::HalfSpectra;
use crate::desc::stage::View;
use crate::desc::table::RootTable;
use crate::ir::statement::{Int, Sym, int};
use crate::ir::trace::{if_less, select, select_pair, select_real};
use crate::write::table::coefficient;
use crate::write::writer::{Subline, Writer};
use fourfold::engine::C;

impl Chirp {
    /// c_j for a j in this range.
    fn at(&self, j: Int, range: [usize; 2]) -> C<Sym> {
        self.shifted(self.table, 0, j, range)
    }

    /// d_j = exp(−πi j(j + shift)/N) for a j in this range, from a table for j ≤ N/2. It is ±d_{N−shift−j}, with + if
    /// N + shift is even. So threads that take both ends of a line inwards read the same half of it.
    fn shifted(&self, table: usize, shift: usize, j: Int, [start, end]: [usize; 2]) -> C<Sym> {
        let n = self.n;
        let half = n / 2 + 1;
        if end <= half {
            return coefficient(table, j);
        }
        let (other, sign) = (int(n - shift) - j, if (n + shift) % 2 == 0 { 1.0 } else { -1.0 });
        let is_high = start >= half;
        let z = coefficient(table, if is_high { other } else { select(j, int(half), j, other) });
        let [low, high] = [1.0, sign].map(Sym::lit);
        match sign < 0.0 {
            true => z.scale(if is_high { high } else { select_real(j, int(half), low, high) }),
            false => z,
        }
    }
}

impl Writer<'_> {
    /// Element `e`, which is in `range`: a number of the line times the chirp, or 0 after the last.
    pub(crate) fn read_chirped(
        &self,
        view: &View,
        chirp: &Chirp,
        line: Subline,
        e: Int,
        [start, end]: [usize; 2],
    ) -> C<Sym> {
        let Chirp { count, ref elements, .. } = *chirp;
        let zero = Sym::lit(0.0);
        if start >= count {
            return C { re: zero, im: zero };
        }
        let at = if end <= count { e } else { select(e, int(count), e, int(count - 1)) };
        let range = [start, end.min(count)];
        let plain = View { chirp: None, ..view.clone() };
        let C { re, im } = match elements {
            Chirped::TermsOfLine { n, half } => self.term_of_line(*n, half, line, at, range).mul(chirp.at(at, range)),
            Chirped::PairsOfLine { n, roots, half } => {
                self.pair_of_line((*n, *roots), half, line, at, start == 0).mul(chirp.at(at, range))
            }
            Chirped::Folded { odd, table } => self.folded(&plain, chirp, (*odd, *table), line, at, range),
            _ => self.read(&plain, line, at, range).mul(chirp.at(at, range)),
        };
        let kept = |x: Sym| if end <= count { x } else { select_real(e, int(count), x, zero) };
        C { re: kept(re), im: kept(im) }
    }

    /// Element e of a folded extension, which is in `range`, times the chirp.
    fn folded(
        &self,
        view: &View,
        chirp: &Chirp,
        (odd, table): (bool, usize),
        line: Subline,
        e: Int,
        [start, end]: [usize; 2],
    ) -> C<Sym> {
        let n = chirp.n;
        let a = self.read(view, line, e, [start, end]).re;
        let b = self.read(view, line, int(n) - e, [n + 1 - end, n + 1 - start]).re;
        let b = if odd { -b } else { b };
        let [c, d] = [chirp.at(e, [start, end]), chirp.shifted(table, 1, e, [start, end])];
        let [C { re, im }, turned] = [c.scale(a + b), d.scale(a - b)];
        C { re: re - turned.im, im: im + turned.re }
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

    /// Writes element `e`, which is in `range`, if there is one. The convolution leaves its parts
    /// exchanged.
    pub(crate) fn write_chirped(
        &self,
        view: &View,
        chirp: &Chirp,
        line: Subline,
        e: Int,
        [start, end]: [usize; 2],
        z: C<Sym>,
    ) {
        let Chirp { count, ref elements, .. } = *chirp;
        if start >= count {
            return;
        }
        let range = [start, end.min(count)];
        let body = || {
            let z = z.swap().mul(chirp.at(e, range));
            match elements {
                Chirped::TermsToLine(steps) => {
                    steps.iter().for_each(|step| self.term_to_line(step, count, line, e, range, &[z]))
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
                _ => self.write(&View { chirp: None, ..view.clone() }, line, e, range, z),
            }
        };
        if end <= count { body() } else { if_less(e, int(count), body) }
    }
}
