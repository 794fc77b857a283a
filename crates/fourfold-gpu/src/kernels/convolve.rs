//! Small DFTs without a butterfly, as convolutions: the core's Rader and Bluestein rules.

use super::dft::Small;
use super::{Line, Writer};
use crate::spec::{Convolution, Port, Split};
use crate::trace::{Array, Int, Sym, if_less, int};
use fourfold::engine::{C, Real};

impl Writer<'_> {
    /// Signals to be convolved, from the elements of small DFTs.
    pub(super) fn scatter(&self, split: &Split, convolution: &Convolution, from: &Port, to: &Port) {
        let length = convolution.length(split.radix);
        let count = length.max(split.radix);
        self.items(split.count() * count, |line, item| {
            let (number, q) = (item / count as i64, item % count as i64);
            let small = Small::new(split, number);
            let first = || self.read(from, line, small.input);
            let place = number * length as i64;
            match *convolution {
                Convolution::Rader { powers, side } => {
                    if_less(q, int(1), || self.hold_back(line, number, side, first()));
                    if_less(int(0), q, || {
                        let j = Array::Indices.load_int(q + (powers as i64 - 1));
                        self.write(to, line, place + q - 1, self.turned_at(&small, from, line, j));
                    });
                }
                Convolution::Bluestein { chirp, .. } => {
                    let chirped = |z: C<Sym>| z.mul(self.table(q * 2 + chirp as i64));
                    if_less(q, int(1), || self.write(to, line, place, chirped(first())));
                    if_less(int(0), q, || {
                        if_less(q, int(split.radix), || {
                            self.write(to, line, place + q, chirped(self.turned_at(&small, from, line, q)));
                        });
                    });
                    let zero = C { re: Sym::lit(0.0), im: Sym::lit(0.0) };
                    if_less(int(split.radix - 1), q, || self.write(to, line, place + q, zero));
                }
            }
        });
    }

    /// Spectra times the spectrum at `spectrum`. With Rader, x_0 joins every sum by way of term 0, which is itself the sum
    /// of all other elements: with x_0 it is X_0.
    pub(super) fn convolve(
        &self,
        [batch, length]: [usize; 2],
        spectrum: usize,
        side: Option<usize>,
        from: &Port,
        to: &Port,
    ) {
        self.items(batch * length, |line, item| {
            let q = item % length as i64;
            let z = self.read(from, line, item);
            let product = z.mul(self.table(q * 2 + spectrum as i64));
            let Some(side) = side else { return self.write(to, line, item, product) };
            if_less(q, int(1), || {
                let number = item / length as i64;
                let x = self.held_back(line, number * 2 + side as i64).map(|(array, at)| array.load(at));
                let x = C { re: x[0], im: x[1] };
                self.hold_back(line, number, side, x + z);
                self.write(to, line, item, product + x);
            });
            if_less(int(0), q, || self.write(to, line, item, product));
        });
    }

    /// Elements of small DFTs, from what was convolved.
    pub(super) fn gather(&self, split: &Split, convolution: &Convolution, from: &Port, to: &Port) {
        let (radix, length) = (split.radix, convolution.length(split.radix));
        self.items(split.count() * radix, |line, item| {
            let (number, q) = (item / radix as i64, item % radix as i64);
            let small = Small::new(split, number);
            let put = |k: Int, z| self.write(to, line, small.output + k * split.inner as i64, z);
            let place = number * length as i64 + q;
            match *convolution {
                Convolution::Rader { powers, side } => {
                    if_less(q, int(1), || {
                        let x = self.held_back(line, number * 2 + side as i64).map(|(array, at)| array.load(at));
                        put(int(0), C { re: x[0], im: x[1] });
                    });
                    if_less(int(0), q, || {
                        let k = Array::Indices.load_int(q + (powers + length) as i64 - 1);
                        put(k, self.read(from, line, place - 1));
                    });
                }
                Convolution::Bluestein { chirp, .. } => {
                    put(q, self.read(from, line, place).mul(self.table(q * 2 + chirp as i64)));
                }
            }
        });
    }

    fn hold_back(&self, line: Line, number: Int, side: usize, z: C<Sym>) {
        let [(array, re), (_, im)] = self.held_back(line, number * 2 + side as i64);
        array.store(re, z.re);
        array.store(im, z.im);
    }
}
