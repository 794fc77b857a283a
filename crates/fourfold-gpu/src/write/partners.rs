//! The DFTs of a fused combine, and their partners, whose terms are combined with theirs: see
//! [`combine_fusion`](crate::write::combine_fusion).
//!
//! The upper half of a partner's terms comes from registers of the same thread, from those of another one of its warp, or
//! from shared memory. With P = 2 · blocks, a block of a cluster has frequencies b and P − b of the first digit, and M DFTs
//! for each. DFT j of b > 0 has the partner M − 1 − j of P − b. One block has frequencies 0 and P/2. Partners are j and M − j
//! of 0, and j and M − 1 − j of P/2. So two DFTs are their own partners there: number 0 of 0, and M/2 of 0 or, with odd M, (M −
//! 1)/2 of P/2. They are taken as a pair whose terms stay where they are. A line in one block has frequency 0 alone.

use crate::desc::kernel::KernelDesc;
use crate::desc::stage::{Port, Split};
use crate::ir::packed::exchange_reals;
use crate::ir::statement::{Int, Sym, int};
use crate::ir::trace::{barrier, select, select_counted, select_pair};
use crate::write::dft::Small;
use crate::write::place::Address;
use crate::write::writer::{Subline, Writer};
use fourfold::Precision;
use fourfold::engine::C;

/// Complex numbers that a thread can hold.
pub(crate) const HELD: usize = 16;

/// Where partners are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Partners {
    /// In the same thread: its DFTs 2i and 2i + 1.
    Thread,
    /// In the other half of the warp.
    Warp,
    /// In any thread of the block.
    Block,
}

/// One DFT of the last digit.
pub(crate) struct FusedDft {
    pub(crate) line: Subline,
    pub(crate) small: Small,
    /// Where its numbers are.
    pub(crate) own: Vec<Address>,
    /// Where those of its partner are, which may be in any thread.
    partner: Vec<Address>,
    /// The sum of its number and its subline's frequency: 0 where it has term 0.
    pub(crate) zero: Int,
    /// 0 where it is its own partner, if partners are in threads or warps.
    itself: Int,
    /// Its lowest frequency.
    first: Int,
}

impl FusedDft {
    /// `a` in the DFT that has term 0, else `b`.
    pub(crate) fn where_zero(&self, a: C<Sym>, b: C<Sym>) -> C<Sym> {
        select_pair(self.zero, int(1), a, b)
    }

    /// Where the term is that term q < r/2 is combined with; where this is term 0, which has none,
    /// that in the middle.
    pub(crate) fn partner_of(&self, q: usize) -> Address {
        let radix = self.own.len();
        let itself = if q == 0 { radix / 2 } else { radix - q };
        Address::select(self.zero, int(1), self.own[itself], self.partner[radix - 1 - q])
    }

    /// Frequency k of term q; where that is 0, which is not combined, another.
    pub(crate) fn frequency_of(&self, split: &Split, q: usize) -> Int {
        let k = self.first + (q * split.inner) as i64;
        if q == 0 { select_counted(self.zero, int(1), int(1), k, k) } else { k }
    }
}

impl KernelDesc {
    /// How many DFTs a thread has, if every one has as many, and can hold them.
    pub(crate) fn rounds(&self, split: &Split) -> Option<usize> {
        let total = split.count() / (self.before() * self.after()) * self.slots();
        let rounds = total / self.threads;
        let even = self.shared && total % self.threads == 0 && self.has_even_tiles();
        (even && self.range.last > self.range.first + 1 && rounds > 0 && rounds * split.radix <= HELD).then_some(rounds)
    }

    /// Where the partners of DFTs are. In a block of whole lines, DFTs and combine are two stages, but where one measured
    /// faster: with partners in threads for rows of types III and in `f64`, and in warps for rows of types III in
    /// `f64`. (On an H200 rows of `dct3 f64 2048x2048` 34.0 to 30.3 µs, of `dct3 f32 16384x16384` 859 to 823, but of `dct2 f32
    /// 16384x16384` 688 to 732. In warps, rows of `dct3 f64 8192x8192` 341 to 322, of `dct3 f32 8192x8192` 162 to 190, of
    /// `dct2 f64 8192x8192` 286 to 310.)
    pub(crate) fn partners(&self, split: &Split) -> Partners {
        let f64 = self.precision() == Precision::F64;
        // A fused combine writes to the array, and not to rows that another stage writes.
        let halves = self.has_whole_lines() && split.inner % 2 == 0 && !self.convolves() && self.row_reals() == 0;
        let is_row = self.inverse && !self.interleaved();
        let [threads, warps] = match self.cluster {
            1 => [halves && (f64 || is_row), halves && is_row && f64],
            _ => [true; 2],
        };
        let keeps_lines = (self.warp / 2).is_multiple_of(self.tile) && self.threads.is_multiple_of(self.warp);
        match self.rounds(split) {
            Some(rounds) if threads && rounds % 2 == 0 => Partners::Thread,
            Some(_) if warps && self.warp > 1 && keeps_lines => Partners::Warp,
            _ => Partners::Block,
        }
    }
}

impl Writer<'_> {
    /// The DFTs of a thread.
    pub(crate) fn fused_dfts(&self, split: &Split, partners: Partners) -> Vec<FusedDft> {
        let desc = self.desc;
        let count = split.count() / (desc.before() * desc.after());
        let rounds = desc.rounds(split).expect("as many for every thread");
        let number = |round: usize| self.thread + (round * desc.threads) as i64;
        let (half, warp) = ((desc.warp / 2) as i64, desc.warp as i64);
        match partners {
            Partners::Block => (0..rounds).map(|round| self.fused_dft(split, count, number(round))).collect(),
            Partners::Warp => {
                let side = self.thread / half % 2;
                let of_sides = |i: Int| self.dft_of_pair(split, count, i / warp * half + i % half, side);
                (0..rounds).map(number).map(of_sides).collect()
            }
            Partners::Thread => {
                let both = |i: Int| [0, 1].map(|side| self.dft_of_pair(split, count, i, int(side)));
                (0..rounds / 2).map(number).flat_map(both).collect()
            }
        }
    }

    /// DFT number `i` of the block, of `count` for each subline.
    fn fused_dft(&self, split: &Split, count: usize, i: Int) -> FusedDft {
        let (line, j) = match self.desc.has_hermitian_pairs() {
            true => {
                let (line, j) = self.item(i, 2 * count);
                (self.half_of(line, j / count as i64), j % count as i64)
            }
            false => self.item(i, count),
        };
        let zero = j + line.frequency;
        let carry = select(line.frequency, int(1), int(1), int(0));
        let other = select(zero, int(1), int(0), int(count - 1) - j + carry);
        let mirror = self.other(line);
        let partner = self.small_addresses(&self.small_of_frequency(split, mirror, other), &Port::Buffer, mirror);
        FusedDft { partner, zero, ..self.dft_of_line(split, line, j) }
    }

    /// One DFT (`side` 0) or the other (1) of pair number `i` of the block, of `count` for each place of the tile.
    fn dft_of_pair(&self, split: &Split, count: usize, i: Int, side: Int) -> FusedDft {
        if !self.desc.has_hermitian_pairs() {
            let (line, pair) = self.item(i, count / 2);
            let other = select(pair, int(1), int(count / 2), int(count)) - pair;
            let j = select(side, int(1), pair, other);
            return FusedDft { itself: pair, zero: pair + side, ..self.dft_of_line(split, line, j) };
        }
        let (line, pair) = self.item(i, count);
        // How many pairs have frequency 0 in the block that has it.
        let lower = count.div_ceil(2);
        let in_zero = |zero: Int, others: Int| select(self.rank, int(1), zero, others);
        let half = in_zero(select(pair, int(lower), int(0), int(1)), int(0));
        let other_half = in_zero(select(pair, int(1), int(count % 2), half), int(1));
        let j = in_zero(select(pair, int(lower), pair, pair - lower as i64), pair);
        let sum = select(pair, int(1), int(count / 2), select(pair, int(lower), int(count), int(count - 1 + lower)));
        let other = in_zero(sum, int(count - 1)) - pair;
        let of_side = |a: Int, b: Int| select(side, int(1), a, b);
        let dft = self.dft_of_line(split, self.half_of(line, of_side(half, other_half)), of_side(j, other));
        FusedDft { itself: pair + self.rank, zero: pair + self.rank + side, ..dft }
    }

    fn dft_of_line(&self, split: &Split, line: Subline, j: Int) -> FusedDft {
        let small = self.small_of_frequency(split, line, j);
        let own = self.small_addresses(&small, &Port::Buffer, line);
        let first = j * self.desc.before() as i64 + line.frequency;
        FusedDft { own, partner: vec![], line, small, zero: int(0), itself: int(1), first }
    }

    /// What partners have in place of these lists, of each DFT of a thread.
    fn of_partners(&self, partners: Partners, lists: &[Vec<C<Sym>>]) -> Vec<Vec<C<Sym>>> {
        let of_lane = |list: &Vec<C<Sym>>| {
            let reals: Vec<Sym> = list.iter().flat_map(|z| [z.re, z.im]).collect();
            let taken = exchange_reals(&reals, self.desc.warp / 2, self.desc.threads);
            taken.chunks(2).map(|z| C { re: z[0], im: z[1] }).collect()
        };
        match partners {
            Partners::Thread => (0..lists.len()).map(|i| lists[i ^ 1].clone()).collect(),
            Partners::Warp => lists.iter().map(of_lane).collect(),
            Partners::Block => unreachable!("they go through shared memory"),
        }
    }

    /// The terms that terms q < r/2 of each DFT are combined with.
    pub(crate) fn mirror_terms(
        &self,
        partners: Partners,
        dfts: &[FusedDft],
        spectra: &[Vec<C<Sym>>],
    ) -> Vec<Vec<C<Sym>>> {
        let upper: Vec<Vec<C<Sym>>> = spectra.iter().map(|z| z[z.len() / 2..].to_vec()).collect();
        let others = self.of_partners(partners, &upper);
        let terms = |(i, dft): (usize, &FusedDft)| {
            let (z, other) = (&spectra[i], &others[i]);
            let own =
                |q: usize| if q == 0 { z[z.len() - 1] } else { dft.where_zero(z[z.len() - q], z[z.len() - 1 - q]) };
            let half = z.len() / 2;
            (0..half).map(|q| select_pair(dft.itself, int(1), own(q), other[half - 1 - q])).collect()
        };
        dfts.iter().enumerate().map(terms).collect()
    }

    /// The upper halves of the terms of each DFT, from those that their lower halves were made with.
    pub(crate) fn upper_terms(
        &self,
        partners: Partners,
        dfts: &[FusedDft],
        mirrors: &[Vec<C<Sym>>],
    ) -> Vec<Vec<Option<C<Sym>>>> {
        let others = self.of_partners(partners, mirrors);
        let terms = |(i, dft): (usize, &FusedDft)| {
            let (mirrors, other) = (&mirrors[i], &others[i]);
            let own = |q: usize| dft.where_zero(mirrors[(q + 1) % mirrors.len()], mirrors[q]);
            (0..mirrors.len()).rev().map(|q| Some(select_pair(dft.itself, int(1), own(q), other[q]))).collect()
        };
        dfts.iter().enumerate().map(terms).collect()
    }

    /// Puts the upper halves of spectra where DFTs of any thread find them.
    pub(crate) fn share_upper_terms(&self, dfts: &[FusedDft], spectra: &[Vec<C<Sym>>]) {
        for (dft, z) in dfts.iter().zip(spectra) {
            (z.len() / 2..z.len()).for_each(|q| self.store_shared(dft.line, dft.own[q], z[q]));
        }
        barrier();
    }
}
