//! Between half spectra of reals and complex terms: the core's rule of pairs.
//!
//! A half spectrum of length N stands as N reals Re X_0, Re X_1, Im X_1, Re X_2, …

use super::{Line, Writer};
use crate::spec::Port;
use crate::trace::{Int, Sym, if_less, int};
use fourfold::engine::{C, Real, pack, unpack};

impl Writer<'_> {
    pub(super) fn unpack(&self, terms: usize, turns: usize, from: &Port, to: &Port) {
        self.items(terms / 2 + 1, |line, k| {
            if_less(k, int(1), || {
                let z = self.read(from, line, int(0));
                self.write_real(to, line, int(0), z.re + z.im);
                self.write_real(to, line, int(2 * terms - 1), z.re - z.im);
            });
            if_less(int(0), k, || {
                let mirror = int(terms) - k;
                let (a, b) = (self.read(from, line, k), self.read(from, line, mirror));
                let [a, b] = unpack(a, b, self.table(k * 2 + turns as i64));
                // In the middle both are one term.
                self.write_term(to, line, mirror, b);
                self.write_term(to, line, k, a);
            });
        });
    }

    pub(super) fn pack(&self, terms: usize, turns: usize, from: &Port, to: &Port) {
        self.items(terms / 2 + 1, |line, k| {
            if_less(k, int(1), || {
                let (first, last) =
                    (self.read_real(from, line, int(0)), self.read_real(from, line, int(2 * terms - 1)));
                self.write(to, line, int(0), C { re: first + last, im: first - last });
            });
            if_less(int(0), k, || {
                let mirror = int(terms) - k;
                let (a, b) = (self.read_term(from, line, k), self.read_term(from, line, mirror));
                let [a, b] = pack(a, b, self.table(k * 2 + turns as i64));
                self.write(to, line, mirror, b);
                self.write(to, line, k, a);
            });
        });
    }

    /// All terms of an odd number n of reals.
    pub(super) fn extend(&self, n: usize, from: &Port, to: &Port) {
        self.items(n / 2 + 1, |line, k| {
            if_less(k, int(1), || {
                let first = C { re: self.read_real(from, line, int(0)), im: Sym::lit(0.0) };
                self.write(to, line, int(0), first);
            });
            if_less(int(0), k, || {
                let z = self.read_term(from, line, k);
                self.write(to, line, k, z);
                self.write(to, line, int(n) - k, z.conj());
            });
        });
    }

    fn read_term(&self, port: &Port, line: Line, k: Int) -> C<Sym> {
        C { re: self.read_real(port, line, k * 2 - 1), im: self.read_real(port, line, k * 2) }
    }

    fn write_term(&self, port: &Port, line: Line, k: Int, z: C<Sym>) {
        self.write_real(port, line, k * 2 - 1, z.re);
        self.write_real(port, line, k * 2, z.im);
    }
}
