//! Lane pairs: two threads of a warp whose small DFTs have elements from both ends of a line
//! inwards. Where these have neighbouring reals, one thread would take every second or fourth real;
//! each reads, or writes, neighbours for both instead, and they exchange registers.

use crate::desc::stage::{Port, View};
use crate::ir::packed::{WARP, exchange_reals};
use crate::ir::statement::{Int, Sym, int};
use crate::ir::trace::select;
use crate::write::writer::{Subline, Writer};
use fourfold::engine::C;

/// Which of `count` small DFTs is that of item `item`: half of a warp has DFTs in order, and the
/// other half their mirror images, the last thread that of the first. Where a warp has whole lines,
/// the mirror image of the first is the line's last anyway.
pub(crate) fn lane_pair_item(count: usize, item: Int) -> Int {
    if count <= WARP {
        return item;
    }
    let (half, lane) = ((WARP / 2) as i64, item % WARP as i64);
    let first = item / WARP as i64 * half;
    select(lane, int(WARP / 2), first + lane, lane + (count - WARP) as i64 - first)
}

impl Writer<'_> {
    /// What the other lane has in place of these, where a line has `count` DFTs.
    fn exchanged(&self, z: &[C<Sym>], count: usize) -> Vec<C<Sym>> {
        let reals: Vec<Sym> = z.iter().flat_map(|z| [z.re, z.im]).collect();
        let taken = exchange_reals(&reals, count.min(WARP) - 1, count * self.desc.tile);
        taken.chunks(2).map(|z| C { re: z[0], im: z[1] }).collect()
    }

    /// How the array is seen, if the stage at this end of it has lane pairs.
    pub(crate) fn lane_pairs<'a>(&self, end: usize, port: &'a Port) -> Option<&'a View> {
        match port {
            Port::Array(view) if self.desc.lane_pairs[end] => Some(view),
            _ => None,
        }
    }

    /// Elements `first` + `step` · j, j < `radix`. The mirror image of element j is the other
    /// lane's of the other end, `radix` − 1 − j.
    pub(crate) fn read_lane_pairs(
        &self,
        view: &View,
        line: Subline,
        first: Int,
        [radix, step]: [usize; 2],
    ) -> Vec<C<Sym>> {
        let both = |j: usize| self.read_neighbours(view, line, [first + (j * step) as i64, int(radix * step)]);
        let (own, others): (Vec<_>, Vec<_>) = (0..radix / 2).map(both).map(|[own, other]| (own, other)).unzip();
        own.into_iter().chain(self.exchanged(&others, step).into_iter().rev()).collect()
    }

    /// The other way.
    pub(crate) fn write_lane_pairs(
        &self,
        view: &View,
        line: Subline,
        first: Int,
        [radix, step]: [usize; 2],
        z: &[C<Sym>],
    ) {
        let (own, others) = z.split_at(radix / 2);
        for (j, (own, other)) in own.iter().zip(self.exchanged(others, step).into_iter().rev()).enumerate() {
            self.write_neighbours(view, line, [first + (j * step) as i64, int(radix * step)], [*own, other]);
        }
    }
}
