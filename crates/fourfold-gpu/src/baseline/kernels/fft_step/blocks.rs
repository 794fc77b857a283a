//! All levels of an FFT of a part of a line on chip: one thread block has the part, or each thread
//! block of a cluster has a share of it. Below, a block is such a part.
//!
//! Elements are loaded, go through levels of radix 2 with twiddle factors after, and are written
//! where bits are reversed. Levels whose butterflies lie across the thread blocks of a cluster come
//! first: every thread block sends all it has to the one that lies a level's distance away, and
//! when all have, takes the sums or the differences of its own and what it got. What it gets goes
//! to two places alternately, so that one barrier a level is enough: who sends again has passed the
//! barrier after which the last but one was read.

use crate::baseline::kernels::fft_step::{LineView, Writer, lines, reversed};
use crate::baseline::kernels::moves::{StageKernelDesc, THREADS};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{barrier, cluster_barrier, cluster_begin, cluster_wait, if_less, select, select_real};
use fourfold::baseline::{FftStep, FftWork};
use fourfold::engine::C;

/// A block in the memory of thread blocks.
struct Block {
    len: usize,
    groups: usize,
    thread: Int,
    /// Which of the thread blocks this is.
    rank: Int,
}

pub(crate) fn blocks(desc: &StageKernelDesc, step: &FftStep, thread: Int, block: Int) {
    let FftWork::Blocks { axis, len, groups, backward, scale } = step.work else { return };
    let [n, _] = lines(desc, step);
    let blocks = n / len;
    let number = block / groups as i64;
    let [from, to] = Writer { desc, step }.lines(number / blocks as i64, axis);
    let number = number % blocks as i64;
    let block = Block { len, groups, thread, rank: block % groups as i64 };
    if groups > 1 {
        cluster_begin();
    }
    block.load(from, number, backward, scale);
    if groups > 1 {
        cluster_wait();
    }
    let distances = (0..len.ilog2()).rev().map(|bit| 1usize << bit);
    let (across, inside): (Vec<_>, Vec<_>) = distances.partition(|distance| *distance >= block.part());
    across.into_iter().enumerate().for_each(|(number, distance)| block.level_across(number, distance));
    inside.into_iter().for_each(|distance| block.level(distance));
    barrier();
    block.store(to, reversed(number, &bits(blocks)), blocks, backward);
}

fn bits(count: usize) -> Vec<usize> {
    vec![2; count.ilog2() as usize]
}

fn shared(place: Int) -> C<Sym> {
    Array::Shared.load_pair(place)
}

impl Block {
    /// Elements that a thread block has.
    fn part(&self) -> usize {
        self.len / self.groups
    }

    /// `body` for every number below `count`, by the threads of a thread block.
    fn each(&self, count: usize, body: impl Fn(Int)) {
        (0..count).step_by(THREADS).for_each(|start| {
            let item = self.thread + start as i64;
            if_less(item, int(count), || body(item));
        });
    }

    fn load(&self, from: LineView, number: Int, backward: bool, scale: f64) {
        let first = number * self.len as i64 + self.rank * self.part() as i64;
        self.each(self.part(), |place| {
            let z = from.load(first + place).scale(Sym::lit(scale));
            Array::Shared.store_pair(place, if backward { z.swap() } else { z });
        });
    }

    /// w_{2D}^k.
    fn twiddle(&self, k: Int, distance: usize) -> C<Sym> {
        Array::Table.load_pair(k * (self.len / 2 / distance) as i64)
    }

    fn level_across(&self, number: usize, distance: usize) {
        let (part, step) = (self.part(), (distance / self.part()) as i64);
        let upper = self.rank / step % 2;
        let peer = self.rank + step - upper * (2 * step);
        let got = (part * (1 + number % 2)) as i64;
        self.each(part, |place| Array::Peer(peer).store_pair(place + got, shared(place)));
        cluster_barrier();
        let sign = select_real(upper, int(1), Sym::lit(1.0), Sym::lit(-1.0));
        self.each(part, |place| {
            let (own, other) = (shared(place), shared(place + got));
            // Sums take no twiddle factor, w^0.
            let k = select(upper, int(1), int(0), self.rank % step * part as i64 + place);
            Array::Shared.store_pair(place, (other + own.scale(sign)).mul(self.twiddle(k, distance)));
        });
    }

    fn level(&self, distance: usize) {
        barrier();
        self.each(self.part() / 2, |item| {
            let k = item % distance as i64;
            let base = item / distance as i64 * (2 * distance) as i64 + k;
            let places = [base, base + distance as i64];
            let [a, b] = places.map(shared);
            let difference = if distance == 1 { a - b } else { (a - b).mul(self.twiddle(k, distance)) };
            Array::Shared.store_pair(places[0], a + b);
            Array::Shared.store_pair(places[1], difference);
        });
    }

    /// The element at place r·part + q of the block is its term rev(q)·groups + rev(r).
    fn store(&self, to: LineView, first: Int, blocks: usize, backward: bool) {
        let own = reversed(self.rank, &bits(self.groups));
        self.each(self.part(), |j| {
            let z = shared(reversed(j, &bits(self.part())));
            let term = j * self.groups as i64 + own;
            to.store(first + term * blocks as i64, if backward { z.swap() } else { z });
        });
    }
}
