//! What is done to elements as they are read and written.

use crate::desc::pointwise::{AxisFactors, Factors, Pointwise};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{cut_off, reciprocal};
use crate::write::port::End;
use crate::write::writer::Writer;
use fourfold::engine::C;

impl Writer<'_> {
    /// Reads real `at` of the input.
    pub(crate) fn take(&self, at: Int) -> Sym {
        self.real_done(End::Input, at, self.array(End::Input).load(at))
    }

    /// Reads pair `at` of the input: two reals, or one complex number.
    pub(crate) fn take_pair(&self, at: Int) -> C<Sym> {
        self.pair_done(End::Input, at, self.array(End::Input).load_pair(at))
    }

    /// Writes real `at` of the output.
    pub(crate) fn put(&self, at: Int, x: Sym) {
        self.array(End::Output).store(at, self.real_done(End::Output, at, x));
    }

    /// Writes pair `at` of the output: two reals, or one complex number.
    pub(crate) fn put_pair(&self, at: Int, z: C<Sym>) {
        self.array(End::Output).store_pair(at, self.pair_done(End::Output, at, z));
    }

    pub(crate) fn pointwise(&self, end: End) -> Option<&Pointwise> {
        let [input, output] = &self.desc.pointwise;
        if end == End::Input { input.as_ref() } else { output.as_ref() }
    }

    /// Whether real and imaginary part of what is read or written there depend on both.
    pub(crate) fn mixes_parts(&self, end: End) -> bool {
        matches!(self.pointwise(end), Some(Pointwise::Multiply { complex: true, .. }))
    }

    fn real_done(&self, end: End, at: Int, x: Sym) -> Sym {
        match self.pointwise(end) {
            None => x,
            Some(Pointwise::Threshold(at)) => cut_off(x, Array::Table.load(int(*at))),
            Some(Pointwise::Multiply { parts, factors, complex }) => {
                debug_assert!(!complex, "complex factors meet whole numbers");
                x * self.factor(factors, at / *parts as i64, false).re
            }
        }
    }

    fn pair_done(&self, end: End, at: Int, z: C<Sym>) -> C<Sym> {
        match self.pointwise(end) {
            None => z,
            Some(Pointwise::Threshold(at)) => {
                let threshold = Array::Table.load(int(*at));
                C { re: cut_off(z.re, threshold), im: cut_off(z.im, threshold) }
            }
            Some(Pointwise::Multiply { parts: 1, factors: Factors::Table(first), .. }) => {
                let factors = Array::Factors.load_pair(at + (first / 2) as i64);
                C { re: z.re * factors.re, im: z.im * factors.im }
            }
            Some(Pointwise::Multiply { parts: 1, factors, .. }) => {
                let [f, g] = [0, 1].map(|i| self.factor(factors, at * 2 + i, false).re);
                C { re: z.re * f, im: z.im * g }
            }
            Some(Pointwise::Multiply { complex: true, factors, .. }) => z.mul(self.factor(factors, at, true)),
            Some(Pointwise::Multiply { factors, .. }) => z.scale(self.factor(factors, at, false).re),
        }
    }

    /// The factor of an element.
    fn factor(&self, factors: &Factors, element: Int, complex: bool) -> C<Sym> {
        let load = |table: Array, at: usize, i: Int| match complex {
            true => table.load_pair(i + (at / 2) as i64),
            false => C { re: table.load(i + at as i64), im: Sym::lit(0.0) },
        };
        let along = |axis: &AxisFactors| load(Array::Table, axis.at, element / axis.stride as i64 % axis.size as i64);
        match factors {
            Factors::Table(at) => load(Array::Factors, *at, element),
            Factors::Separable(axes) => {
                let one = C { re: Sym::lit(1.0), im: Sym::lit(0.0) };
                let product = |f: C<Sym>, g: C<Sym>| if complex { f.mul(g) } else { f.scale(g.re) };
                axes.iter().map(along).reduce(product).unwrap_or(one)
            }
            Factors::ReciprocalSum(axes) => {
                let sum = axes.iter().map(|axis| along(axis).re).reduce(|f, g| f + g);
                C { re: sum.map_or(Sym::lit(0.0), reciprocal), im: Sym::lit(0.0) }
            }
        }
    }
}
