//! Small DFTs without a butterfly, as convolutions: the core's Rader and Bluestein rules.

use crate::desc::stage::{Port, Rader};
use crate::ir::statement::{Array, Sym, int};
use crate::ir::trace::{if_less, select};
use crate::write::table::coefficient;
use crate::write::writer::Writer;
use fourfold::engine::C;

impl Writer<'_> {
    /// The digit within the kernel's range.
    pub(crate) fn in_range(&self, rader: &Rader) -> Rader {
        Rader { groups: rader.groups / self.desc.after(), inner: rader.inner / self.desc.before(), ..*rader }
    }

    /// Elements as they are, from the order of the one end to that of the other: buffers that are
    /// written to an array hold a spectrum, unless the transform came back from one.
    pub(crate) fn copy(&self, count: usize, from: &Port, to: &Port) {
        let spectrum = matches!(to, Port::Array(_)) && !matches!(from, Port::Array(_)) && !self.desc.inverse;
        self.items(count / (self.desc.before() * self.desc.after()), |line, e| {
            let place = if spectrum { self.place_of(e, &self.desc.digits) } else { e };
            let z = self.load_at(from, line, place, [0, count]);
            self.store_at(to, line, e, [0, count], z);
        });
    }

    /// The elements from both ends inwards, whose reals are neighbours on the line: from an array,
    /// or a spectrum or signal to one.
    pub(crate) fn interleave(&self, count: usize, from: &Port, to: &Port) {
        let spectrum = matches!(to, Port::Array(_)) && !self.desc.inverse;
        let range = [0, count];
        self.items(count.div_ceil(2), |line, e| {
            let ends = [e, int(count - 1) - e];
            let places = ends.map(|e| if spectrum { self.place_of(e, &self.desc.digits) } else { e });
            let both = match from {
                Port::Array(view) => self.read_inner_neighbours(view, line, e, count),
                _ => places.map(|place| self.load_at(from, line, place, range)),
            };
            match to {
                Port::Array(view) => self.write_inner_neighbours(view, line, e, count, both),
                _ => places.into_iter().zip(both).for_each(|(place, z)| self.store_at(to, line, place, range, z)),
            }
        });
    }

    /// An odd number of elements of a signal, in the order of their reals on the line.
    pub(crate) fn line_order(&self, count: usize, from: &Port, to: &Port) {
        let Port::Array(view) = to else { unreachable!("the order is that of an array") };
        self.items(count, |line, real| {
            let (half, odd) = (real / 2, real % 2);
            let element = select(odd, int(1), half, int(count - 1) - half);
            let z = self.load_at(from, line, element, [0, count]);
            self.write_in_order(view, line, real, odd, z);
        });
    }

    /// The rows of the block's lines from shared memory.
    pub(crate) fn copy_lines(&self, n: usize) {
        let desc = self.desc;
        let (of_block, all) = (desc.block_reals(n), desc.geometry.output_lines() * n);
        let first = self.block * of_block as i64;
        self.deal(of_block, self.items_per_thread, |i| {
            let x = Array::Shared.load(i + desc.row_offset() as i64);
            let put = || Array::Output.store(first + i + desc.geometry.output.offset, x);
            self.guard()(if all % of_block == 0 { int(0) } else { first + i }, int(all), &put);
        });
    }

    /// The first digit times the chirp, then zeros.
    pub(crate) fn chirp(&self, [radix, room]: [usize; 2], groups: usize, chirp: usize, from: &Port, to: &Port) {
        let (elements, groups) = ([0, radix * groups], groups / self.desc.after());
        self.items(room * groups, |line, place| {
            let end = int(radix * groups);
            if_less(place, end, || {
                let z = self.load_at(from, line, place, elements);
                self.store_at(to, line, place, elements, z.mul(coefficient(chirp, place / groups as i64)));
            });
            if_less(end - 1, place, || {
                self.store_at(to, line, place, elements, C { re: Sym::lit(0.0), im: Sym::lit(0.0) });
            });
        });
    }

    /// The first digit, convolved, times the chirp.
    pub(crate) fn unchirp(&self, radix: usize, groups: usize, chirp: usize, from: &Port, to: &Port) {
        let (elements, groups) = ([0, radix * groups], groups / self.desc.after());
        self.items(radix * groups, |line, place| {
            let z = self.load_at(from, line, place, elements).swap();
            self.store_at(to, line, place, elements, z.mul(coefficient(chirp, place / groups as i64)));
        });
    }

    /// Spectra times another. With Rader, x_0 joins every sum by way of term 0, which is itself the
    /// sum of all other elements: with x_0 it is X_0. With Bluestein, the parts are exchanged until
    /// the chirp: the DFT that follows is to go backwards.
    pub(crate) fn convolve(
        &self,
        length: usize,
        groups: usize,
        spectrum: usize,
        rader: Option<&Rader>,
        from: &Port,
        to: &Port,
    ) {
        let groups = groups / self.desc.after();
        let Some(rader) = rader.map(|rader| self.in_range(rader)) else {
            return self.items(length * groups, |line, place| {
                let z = self.load_at(from, line, place, [0, length * groups]);
                let product = z.mul(coefficient(spectrum, place / groups as i64));
                self.store_at(to, line, place, [0, length * groups], product.swap());
            });
        };
        let all = [0, usize::MAX];
        self.items(rader.inner * rader.groups * length, |line, item| {
            let (number, q) = (item / length as i64, item % length as i64);
            let first = rader.first(number);
            let value = Array::Indices.load_int(q + rader.powers as i64);
            let place = first + value * rader.groups as i64;
            let z = self.load_at(from, line, place, all);
            let product = z.mul(coefficient(spectrum, q));
            if_less(q, int(1), || {
                let x = self.load_at(from, line, first, all);
                self.store_at(to, line, first, all, x + z);
                self.store_at(to, line, place, all, product + x);
            });
            if_less(int(0), q, || self.store_at(to, line, place, all, product));
        });
    }
}
