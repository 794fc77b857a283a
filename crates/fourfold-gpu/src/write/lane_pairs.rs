//! Lane pairs: two threads of a warp whose small DFTs have elements from both ends of a line
//! inwards. Where these have neighbouring reals, one thread would take every second or fourth real;
//! each reads, or writes, neighbours for both instead, and they exchange registers.
//!
//! A small DFT has elements f + s·j of a line, j < R; its mirror image has those of s − 1 − f. A kernel
//! on whole lines has all of them. One on a range of digits has those of its sublines: then neighbouring
//! places of a tile have sublines that are mirror images.

use crate::desc::stage::{Port, View};
use crate::ir::packed::{exchange_reals, exchanging};
use crate::ir::statement::{Int, Sym, int};
use crate::ir::trace::{select, select_pair, store_if_less};
use crate::write::address::End;
use crate::write::writer::{Subline, Writer};
use fourfold::engine::C;

/// The small DFT of a thread: elements `first` + `step` · j of the line, j < `radix`.
#[derive(Clone, Copy)]
pub(crate) struct LaneDft {
    first: Int,
    step: usize,
    radix: usize,
    /// Small DFTs of a subline.
    count: usize,
}

impl LaneDft {
    fn element(&self, j: usize) -> Int {
        self.first + (j * self.step) as i64
    }

    /// Elements of the line.
    fn elements(&self) -> usize {
        self.radix * self.step
    }

    /// Whether it is that of the two which has the smaller element of those in the middle: in the words
    /// of a comparison.
    fn is_lower(&self) -> [Int; 2] {
        [self.first * 2, int(self.step)]
    }
}

impl Writer<'_> {
    /// Which of `count` small DFTs of a line is that of item `item`: half of a warp has DFTs in order, and
    /// the other half their mirror images, the last thread that of the first. Where a warp has whole
    /// lines, the mirror image of the first is the line's last anyway. Of sublines that are mirror
    /// images, the second one is taken backwards.
    pub(crate) fn lane_pair_item(&self, count: usize, line: Subline, item: Int) -> Int {
        if self.desc.mirrors_sublines() {
            return select(line.slot % 2, int(1), item, int(count - 1) - item);
        }
        let warp = self.desc.warp;
        if count <= warp {
            return item;
        }
        let (half, lane) = ((warp / 2) as i64, item % warp as i64);
        let first = item / warp as i64 * half;
        select(lane, int(warp / 2), first + lane, lane + (count - warp) as i64 - first)
    }

    /// The DFT of that number, of `count`.
    pub(crate) fn lane_dft(&self, radix: usize, count: usize, line: Subline, item: Int) -> LaneDft {
        let (before, after) = (self.desc.before(), self.desc.after());
        // Either there are no digits before the range, or none after it.
        let offset = if before > 1 { line.frequency } else { line.after };
        let stride = before * after;
        LaneDft { first: item * stride as i64 + offset, step: count * stride, radix, count }
    }

    /// What the other lane has in place of these.
    fn exchanged(&self, z: &[C<Sym>], count: usize) -> Vec<C<Sym>> {
        let reals: Vec<Sym> = z.iter().flat_map(|z| [z.re, z.im]).collect();
        self.exchanged_reals(&reals, count).chunks(2).map(|z| C { re: z[0], im: z[1] }).collect()
    }

    fn exchanged_reals(&self, reals: &[Sym], count: usize) -> Vec<Sym> {
        let bits = if self.desc.mirrors_sublines() { 1 } else { count.min(self.desc.warp) - 1 };
        exchange_reals(reals, bits, exchanging(count * self.desc.tile, self.desc.warp))
    }

    /// How the array is seen, if the stage at this end of it has lane pairs.
    pub(crate) fn lane_pairs<'a>(&self, end: usize, port: &'a Port) -> Option<&'a View> {
        match port {
            Port::Array(view) if self.desc.lane_pairs[end] => Some(view),
            _ => None,
        }
    }

    /// The elements of a DFT. The mirror image of element j is the other lane's of the other end,
    /// `radix` − 1 − j; so both read those in the middle of an odd radix.
    pub(crate) fn read_lane_pairs(&self, view: &View, line: Subline, dft: LaneDft) -> Vec<C<Sym>> {
        if self.shares_sectors(End::Input) {
            return self.read_shared_sectors(view, line, dft);
        }
        let elements = int(dft.elements());
        let both = |e: Int| self.read_neighbours(view, line, [e, elements]);
        let (own, others): (Vec<_>, Vec<_>) =
            (0..dft.radix / 2).map(|j| both(dft.element(j))).map(|[own, other]| (own, other)).unzip();
        let middle = (dft.radix % 2 == 1).then(|| {
            let (e, [a, b]) = (dft.element(dft.radix / 2), dft.is_lower());
            let lower = select(a, b, e, elements - 1 - e);
            let [lower, upper] = self.read_inner_neighbours(view, line, lower, dft.elements());
            select_pair(a, b, lower, upper)
        });
        own.into_iter().chain(middle).chain(self.exchanged(&others, dft.count).into_iter().rev()).collect()
    }

    /// The other way.
    pub(crate) fn write_lane_pairs(&self, view: &View, line: Subline, z: &[C<Sym>], dft: LaneDft) {
        if self.shares_sectors(End::Output) {
            return self.write_shared_sectors(view, line, z, dft);
        }
        let write = |j: usize, own: C<Sym>, other: C<Sym>| {
            self.write_neighbours(view, line, [dft.element(j), int(dft.elements())], [own, other]);
        };
        let (own, others) = z.split_at(dft.radix / 2);
        let others = self.exchanged(others, dft.count);
        let mut others = others.into_iter().rev();
        own.iter().zip(others.by_ref()).enumerate().for_each(|(j, (own, other))| write(j, *own, other));
        if let ([middle, ..], Some(other)) = (&z[dft.radix / 2..], others.next()) {
            let (e, [a, b], both) = (dft.element(dft.radix / 2), dft.is_lower(), [*middle, other]);
            // The thread that stores nothing loads factors, too.
            let lower = select(a, b, e, int(dft.elements() - 1) - e);
            store_if_less(a, b, || self.write_inner_neighbours(view, line, lower, dft.elements(), both));
        }
    }

    /// Whether the own sector is the first of those of both lanes, in the words of a comparison.
    fn is_first(&self, line: Subline, dft: LaneDft) -> [Int; 2] {
        if self.desc.mirrors_sublines() { [line.slot % 2, int(1)] } else { dft.is_lower() }
    }

    /// Which pairs of reals a lane has: the first half of the sector with its element j and that one's mirror image. And
    /// the second half of the sector of which the other lane has the first.
    fn halves_of_sectors(&self, dft: LaneDft, j: usize) -> [Int; 2] {
        let of_other = int(dft.elements() - 1) - dft.element(dft.radix - 1 - j);
        [dft.element(j) * 2, of_other * 2 + 1]
    }

    /// Where four neighbouring reals are a sector of memory, of which a thread reads two at once: of each, both lanes
    /// read a half, at the same time.
    fn read_shared_sectors(&self, view: &View, line: Subline, dft: LaneDft) -> Vec<C<Sym>> {
        let [factor, other] = self.half_factors(view);
        let read = |[a, b]: [Int; 2], [near, far]: [Int; 2]| {
            let z = self.read_pair(line, 0, select(a, b, near, far));
            C { re: z.re * factor, im: z.im * other }
        };
        let ([a, b], middle) = (self.is_first(line, dft), dft.radix / 2);
        let both = |j: usize| {
            let [near, far] = self.halves_of_sectors(dft, j);
            let [first, second] = [read([a, b], [near, far]), read([a, b], [far, near])];
            [select_pair(a, b, first, second), select_pair(a, b, second, first)]
        };
        let halves: Vec<[C<Sym>; 2]> = (0..middle).map(both).collect();
        // Of the sector with the two in the middle, the lower lane has the first half.
        let [c, d] = dft.is_lower();
        let inner = (dft.radix % 2 == 1).then(|| {
            let z = read([c, d], self.halves_of_sectors(dft, middle));
            select_pair(c, d, z, z.swap())
        });
        let sent = halves.iter().flat_map(|[near, far]| [far.re, near.im]).chain(inner.map(|z| z.im));
        let taken = self.exchanged_reals(&sent.collect::<Vec<_>>(), dft.count);
        let number = |re: Sym, im: Sym| if view.exchanged { C { re: im, im: re } } else { C { re, im } };
        let own = (0..middle).map(|j| number(halves[j][0].re, taken[2 * j]));
        let mirrors = (0..middle).rev().map(|j| number(halves[j][1].im, taken[2 * j + 1]));
        own.chain(inner.map(|z| number(z.re, taken[2 * middle]))).chain(mirrors).collect()
    }

    /// The other way. Otherwise the cache would be asked for each sector twice. (On an H200 `dct3 f64 4194304` 65.5 to
    /// 61.8 µs, `dct3 f64 16384x16384` 4308 to 4067.)
    fn write_shared_sectors(&self, view: &View, line: Subline, z: &[C<Sym>], dft: LaneDft) {
        let z: Vec<C<Sym>> = z.iter().map(|z| if view.exchanged { z.swap() } else { *z }).collect();
        let imaginary: Vec<Sym> = z.iter().map(|z| z.im).collect();
        let taken = self.exchanged_reals(&imaginary, dft.count);
        let ([factor, other], last) = (self.half_factors(view), dft.radix - 1);
        let halves = |j: usize| {
            let near = C { re: z[j].re * factor, im: taken[last - j] * other };
            let far = C { re: taken[j] * factor, im: z[last - j].re * other };
            let [own, of_other] = self.halves_of_sectors(dft, j);
            [(own, near), (of_other, far)]
        };
        let write = |[a, b]: [Int; 2], [near, far]: [(Int, C<Sym>); 2]| {
            self.write_pair(line, 0, select(a, b, near.0, far.0), select_pair(a, b, near.1, far.1));
        };
        let is_first = self.is_first(line, dft);
        for j in 0..dft.radix / 2 {
            let [near, far] = halves(j);
            write(is_first, [near, far]);
            write(is_first, [far, near]);
        }
        // Of an element that is its own mirror image, both lanes write all that there is.
        if dft.radix % 2 == 1 {
            write(dft.is_lower(), halves(dft.radix / 2));
        }
    }
}
