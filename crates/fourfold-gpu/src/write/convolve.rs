//! Small DFTs without a butterfly, as convolutions: the core's Rader and Bluestein rules.

use crate::desc::chirp::DigitChirp;
use crate::desc::stage::{Port, Rader, Split, View};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{if_less, select, select_pair};
use crate::write::address::End;
use crate::write::dft::{Small, small_dft};
use crate::write::place::Address;
use crate::write::table::coefficient;
use crate::write::writer::{Subline, Writer};
use fourfold::engine::C;
use std::ops::Range;

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
        let halves = self.desc.inverse && self.shares_sectors(End::Output);
        if let (Port::Buffer, Port::Array(view), true) = (from, to, halves) {
            return self.interleave_halves(view, count);
        }
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

    /// The same of a signal from the buffer, where two elements have the reals of a sector of memory. A thread writes two
    /// reals at once, so neighbouring threads write its halves. Of an element that is its own mirror image, there is one half.
    fn interleave_halves(&self, view: &View, count: usize) {
        let [factor, other] = self.half_factors(view);
        self.items(count, |line, half| {
            let (e, second) = (half / 2, half % 2);
            let part = if view.exchanged { int(1) - second } else { second };
            let real = |e: Int, part: Int| Array::Shared.load(self.address_of(&Port::Buffer, line, e).at * 2 + part);
            let [x, y] = [real(e, part), real(int(count - 1) - e, int(1) - part)];
            self.write_pair(line, 0, half, C { re: x * factor, im: y * other });
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

    /// Small DFTs of the first digit's values times the chirp, and of zeros after these.
    pub(crate) fn chirp(&self, split: &Split, chirp: &DigitChirp, from: &Port, to: &Port) {
        let groups = split.groups / self.desc.after();
        self.items(groups, |line, item| {
            let (small, value) = self.small_of_chirp(split, chirp, line, item);
            let sources = self.small_addresses(&small, from, line);
            let number = |j: usize| {
                let (first, ends) = (j * chirp.step, chirp.ends_in(j));
                if first >= chirp.radix {
                    return C { re: Sym::lit(0.0), im: Sym::lit(0.0) };
                }
                // Past the end, a DFT reads what the value before needs, and drops it.
                let end = int(chirp.radix - first);
                let back = |by: usize| if ends { select(value, end, int(0), int(by)) } else { int(0) };
                let source = match ends {
                    true => self.address_of(from, line, item + (j * groups) as i64 - back(groups)),
                    false => sources[j],
                };
                let z =
                    self.load(from, line, source, chirp.elements(split, if ends { j - 1..j + 1 } else { j..j + 1 }));
                let z = z.mul(coefficient(chirp.table, value + first as i64 - back(chirp.step)));
                if ends { select_pair(value, end, z, C { re: Sym::lit(0.0), im: Sym::lit(0.0) }) } else { z }
            };
            let z: Vec<C<Sym>> = (0..split.radix).map(number).collect();
            let targets = self.small_addresses(&small, to, line);
            for (j, z) in small_dft(&z).into_iter().enumerate() {
                self.store(to, line, targets[j], [0, usize::MAX], z);
            }
        });
    }

    /// Small DFTs whose results times the chirp are the values of the first digit, convolved.
    pub(crate) fn unchirp(&self, split: &Split, chirp: &DigitChirp, from: &Port, to: &Port) {
        self.items(split.groups / self.desc.after(), |line, item| {
            let (small, value) = self.small_of_chirp(split, chirp, line, item);
            let sources = self.small_addresses(&small, from, line);
            let z: Vec<C<Sym>> = sources.iter().map(|at| self.load(from, line, *at, [0, usize::MAX])).collect();
            let targets = self.small_addresses(&small, to, line);
            for (j, z) in small_dft(&z).into_iter().enumerate().take_while(|(j, _)| j * chirp.step < chirp.radix) {
                let first = j * chirp.step;
                let store = || {
                    let z = z.swap().mul(coefficient(chirp.table, value + first as i64));
                    self.store(to, line, targets[j], chirp.elements(split, j..j + 1), z);
                };
                if chirp.ends_in(j) { if_less(value, int(chirp.radix - first), store) } else { store() }
            }
        });
    }

    /// A small DFT of the first digit, and the first of its values.
    fn small_of_chirp(&self, split: &Split, chirp: &DigitChirp, line: Subline, item: Int) -> (Small, Int) {
        let groups = split.groups / self.desc.after();
        (self.small_at(split, [groups, 1], line, [int(0), item]), item / (groups / chirp.step) as i64)
    }

    /// The value 0 of a digit, which small DFTs of Rader's rule leave out: the first one of them moves it.
    pub(crate) fn move_first(&self, split: &Split, line: Subline, item: Int, [from, to]: [&Port; 2]) {
        let Some(rader) = split.rader.filter(|_| from != to) else { return };
        let sequence = (split.inner * split.groups) as i64;
        let first = self.in_range(&rader).first(item / sequence);
        if_less(item % sequence, int(1), || {
            let z = self.load_at(from, line, first, rader.elements());
            self.store_at(to, line, first, rader.elements(), z);
        });
    }

    /// Small DFTs of the last digit of a digit that is convolved, products with the spectrum, and small DFTs back.
    /// With Rader, x_0 joins every sum by way of term 0, which is itself the sum of all other elements: with x_0 it is
    /// X_0. With Bluestein, the parts are exchanged until the chirp: the DFT that follows is to go backwards.
    pub(crate) fn convolve_digit(&self, split: &Split, spectrum: usize, from: &Port, to: &Port) {
        let (after, before) = (self.desc.after(), self.desc.before());
        self.items(split.count() / (before * after), |line, item| {
            let small = match &split.rader {
                Some(rader) => self.small_of_rader(split, rader, line, item),
                None => self.small(split, [split.groups / after, split.inner / before], line, item, to),
            };
            let k = small.column.k;
            let spectrum_at = |j: usize| coefficient(spectrum, k + (j * split.inner) as i64);
            let Some(rader) = split.rader.map(|rader| self.in_range(&rader)) else {
                let product = |j: usize, z: C<Sym>| z.mul(spectrum_at(j)).swap();
                return self.there_and_back(split, &small, line, [from, to], product);
            };
            let (all, sequence) = ([0, usize::MAX], split.inner * split.groups);
            let first = rader.first(item / sequence as i64);
            let [x_at, own] = [self.address_of(from, line, first), self.small_addresses(&small, from, line)[0]];
            // Only the item with term 0 reads x_0, which it writes. Others read a number of their own instead.
            let x = self.load(from, line, Address::select(k, int(1), x_at, own), all);
            let x = select_pair(k, int(1), x, C { re: Sym::lit(0.0), im: Sym::lit(0.0) });
            let product = |j: usize, z: C<Sym>| {
                let product = z.mul(spectrum_at(j));
                if j > 0 {
                    return product;
                }
                if_less(k, int(1), || self.store_at(to, line, first, all, x + z));
                product + x
            };
            self.there_and_back(split, &small, line, [from, to], product);
        });
    }
}

impl DigitChirp {
    /// Among which elements of an array numbers j of the small DFTs are, for all j of a range.
    fn elements(&self, split: &Split, range: Range<usize>) -> [usize; 2] {
        [range.start, range.end].map(|j| self.radix.min(j * self.step) * split.groups / self.step)
    }

    /// Whether some values of element j of the small DFTs are past the last one.
    fn ends_in(&self, j: usize) -> bool {
        (j + 1) * self.step > self.radix
    }
}
