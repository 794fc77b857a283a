//! Between half spectra of real data and lines: the core's combines.
//!
//! With Z the DFT of a + ib, the half spectra of a and b are A_k = (Z_k + Z̄_{N−k})/2 and B_k = −i(Z_k − Z̄_{N−k})/2; the halves are in the
//! coefficients. Backwards Z_k = A_k + iB_k and Z_{N−k} = Ā_k + iB̄_k. Pairs of neighbours are the core's rule of pairs.

use super::port::coefficients;
use super::{Line, Writer};
use crate::spec::{Matrix, Packing, Part, Port, Terms};
use crate::trace::{Array, Int, Sym, int};
use fourfold::engine::{C, Index, Real, pack, unpack};

/// Terms of the half spectra of all lines that are packed.
type Packed = Vec<C<Sym>>;

impl Writer<'_> {
    pub(super) fn half_spectra_to_line(&self, n: usize, turns: usize, parts: &[Part], from: &Port, to: &Port) {
        let Port::Array(_) = to else { unreachable!("lines are in arrays") };
        let lines = self.spec.packing.lines();
        for part in parts {
            self.items(part.count(), |line, i| match *part {
                Part::Zero { to } => (0..lines).for_each(|l| self.write_index(line, l, to, i, Sym::lit(0.0))),
                Part::One { from: index, to, by, .. } => {
                    let by = Array::Table.load(int(by));
                    let terms = self.terms(n, turns, from, line, Term::of(index, n, i));
                    let real = |z: &C<Sym>| if index.start == 0 || index.start % 2 == 1 { z.re } else { z.im };
                    let values: Vec<_> = terms.iter().map(|z| real(z) * by).collect();
                    self.write_values(line, to, i, &values);
                }
                Part::Two { from: [index, _], to, matrix, .. } => {
                    let [a, b, c, d] = coefficients(matrix, i);
                    let terms = self.terms(n, turns, from, line, Term::of(index, n, i));
                    let row = |a: Sym, b: Sym| terms.iter().map(|z| z.re.mul_add(a, z.im * b)).collect::<Vec<_>>();
                    self.write_values(line, to[0], i, &row(a, b));
                    self.write_values(line, to[1], i, &row(c, d));
                }
            });
        }
    }

    /// The real at `index` for i of all lines that are packed.
    fn write_values(&self, line: Line, index: Index, i: Int, values: &[Sym]) {
        if let [x, y] = *values {
            if !self.writes_complex() {
                return self.write_lines(line, i * index.step as i64 + index.start as i64, [x, y]);
            }
        }
        values.iter().enumerate().for_each(|(l, x)| self.write_index(line, l, index, i, *x));
    }

    fn read_values(&self, line: Line, index: Index, i: Int) -> Vec<Sym> {
        if self.spec.packing == Packing::Lines && !self.spec.geometry.input.complex {
            return self.read_lines(line, i * index.step as i64 + index.start as i64).to_vec();
        }
        (0..self.spec.packing.lines()).map(|l| self.read_index(line, l, index, i)).collect()
    }

    fn writes_complex(&self) -> bool {
        self.spec.geometry.output.complex
    }

    /// Term k of the half spectra.
    fn terms(&self, n: usize, turns: usize, from: &Port, line: Line, term: Term) -> Packed {
        let read = |k: Int| self.load_at(from, line, self.place_of(k, &self.spec.digits), [0, n]);
        let half = int(n / 2);
        match (self.spec.packing, term) {
            (Packing::Single, Term::First) => vec![read(int(0))],
            (Packing::Single, Term::Last) => vec![read(half)],
            (Packing::Single, Term::Inner(k)) => vec![read(k)],
            (Packing::Lines, Term::First | Term::Last) => {
                let z = read(if term == Term::First { int(0) } else { half });
                self.separated(z, z)
            }
            (Packing::Lines, Term::Inner(k)) => self.separated(read(k), read(int(n) - k)),
            (Packing::Pairs, Term::Inner(k)) => {
                let turn = Array::Table.load_pair(k + (turns / 2) as i64);
                vec![unpack(read(k), read(half - k), turn)[0]]
            }
            (Packing::Pairs, _) => {
                let z = read(int(0));
                let re = if term == Term::First { z.re + z.im } else { z.re - z.im };
                vec![C { re, im: Sym::lit(0.0) }]
            }
            (Packing::Complex, _) => unreachable!("complex data have whole spectra"),
        }
    }

    /// Twice the terms of two lines, from terms k and N − k of both as one.
    fn separated(&self, z: C<Sym>, mirror: C<Sym>) -> Packed {
        vec![z + mirror.conj(), (z - mirror.conj()).times_minus_i()]
    }

    pub(super) fn line_to_half_spectra(&self, n: usize, turns: usize, terms: &Terms, from: &Port, to: &Port) {
        let Port::Array(_) = from else { unreachable!("lines are in arrays") };
        let put = |line: Line, k: Int, z: C<Sym>| {
            let place = self.place_of(k, &self.spec.digits);
            self.store_at(to, line, place, [0, n], z.swap());
        };
        let end = |line: Line, term: Option<(usize, usize)>| self.end(line, term);
        if self.spec.packing == Packing::Pairs {
            self.items(1, |line, _| {
                let (first, last) = (end(line, terms.first)[0], end(line, terms.last)[0]);
                put(line, int(0), C { re: first + last, im: first - last });
            });
            // In the middle both are one term.
            return self.items(n / 4, |line, i| {
                let (k, mirror) = (i + 1, int(n / 2 - 1) - i);
                let [a, b] = [k, mirror].map(|k| self.inner(line, terms, k - 1)[0]);
                let [a, b] = pack(a, b, Array::Table.load_pair(k + (turns / 2) as i64));
                put(line, mirror, b);
                put(line, k, a);
            });
        }
        self.items(1, |line, _| put(line, int(0), together(&real(&end(line, terms.first)))));
        if n % 2 == 0 {
            self.items(1, |line, _| put(line, int(n / 2), together(&real(&end(line, terms.last)))));
        }
        self.items((n - 1) / 2, |line, i| {
            let inner = self.inner(line, terms, i);
            put(line, i + 1, together(&inner));
            put(line, int(n - 1) - i, together(&inner.iter().map(|z| z.conj()).collect::<Vec<_>>()));
        });
    }

    /// Term 0, or the last.
    fn end(&self, line: Line, term: Option<(usize, usize)>) -> Vec<Sym> {
        let Some((from, by)) = term else { return vec![Sym::lit(0.0); self.spec.packing.lines()] };
        let by = Array::Table.load(int(by));
        self.read_values(line, Index { start: from as isize, step: 0 }, int(0)).iter().map(|x| *x * by).collect()
    }

    /// Term i + 1.
    fn inner(&self, line: Line, terms: &Terms, i: Int) -> Packed {
        let (from, matrix): ([Index; 2], Matrix) = terms.inner.expect("there are terms between the ends");
        let [a, b, c, d] = coefficients(matrix, i);
        let [x, y] = from.map(|index| self.read_values(line, index, i));
        let term = |(x, y): (&Sym, &Sym)| C { re: x.mul_add(a, *y * b), im: x.mul_add(c, *y * d) };
        x.iter().zip(&y).map(term).collect()
    }
}

/// A term of a half spectrum.
#[derive(Clone, Copy, PartialEq)]
enum Term {
    First,
    Inner(Int),
    /// N/2 of an even N.
    Last,
}

impl Term {
    /// The term that has the real at `index` for i in it.
    fn of(index: Index, n: usize, i: Int) -> Term {
        match (index.start as usize, index.step) {
            (0, _) => Term::First,
            (start, 0) if start == n - 1 && n % 2 == 0 => Term::Last,
            (start, step) => Term::Inner(i * (step / 2) as i64 + start.div_ceil(2) as i64),
        }
    }
}

fn real(values: &[Sym]) -> Packed {
    values.iter().map(|re| C { re: *re, im: Sym::lit(0.0) }).collect()
}

/// a + ib.
fn together(terms: &[C<Sym>]) -> C<Sym> {
    match *terms {
        [a, b] => a + b.times_i(),
        [a] => a,
        _ => unreachable!("one line or two are packed"),
    }
}
