//! What each rank sends and receives in an exchange.

use crate::distribution::block;
use crate::exchange::piece::{Pieces, same};
use crate::exchange::region::{Region, RegionCopy};
use crate::grid::Grid;
use crate::hash::hash;
use crate::recipe::arrays::ArrayDesc;
use fourfold::{Error, ErrorKind, Precision, Result};
use std::ops::Range;

/// The moves of one rank in an exchange. A rank sends every other one the intersection of its part
/// before the exchange with the other's part after it, which may have several boxes.
#[derive(Clone, Debug)]
pub struct Moves {
    /// A hash of both distributed arrays, which is the same on all ranks of an exchange.
    pub(crate) id: u64,
    element: usize,
    /// The elements of the rank's parts before and after the exchange.
    elements: [usize; 2],
    sends: Vec<Move>,
    receives: Vec<Move>,
    /// What stays on this rank, from the part before to the part after.
    stays: Vec<RegionCopy>,
    /// What it can copy from the parts of others, with their ranks.
    pub(crate) copies: Vec<(usize, RegionCopy)>,
}

/// Which part of each message of an exchange is moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessagePart {
    /// The axis that is cut.
    pub(crate) axis: usize,
    /// Whose part is cut: that of the rank that sends (0), or of the one that receives (1).
    pub(crate) side: usize,
    pub(crate) number: usize,
    pub(crate) parts: usize,
}

impl MessagePart {
    /// The block of the axis between two ranks, whose parts have these ranges of it.
    fn block(&self, ranges: [&Range<usize>; 2]) -> Range<usize> {
        let range = ranges[self.side];
        let block = block(range.len(), self.parts, self.number);
        range.start + block.start..range.start + block.end
    }
}

/// Elements that one rank sends to another one, in the same order on both sides.
#[derive(Clone, Debug)]
pub struct Move {
    rank: usize,
    region: Region,
}

impl Move {
    /// The other rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Where the elements are in this rank's part: the one before the exchange for what it sends, the
    /// one after it for what it receives.
    pub fn region(&self) -> &Region {
        &self.region
    }
}

impl Moves {
    /// The moves of `rank` from the array `before` to the array `after`. The pieces say which elements
    /// belong together; without them, those of the same indices do. If one array is complex and the other
    /// real, pieces have the complex one as reals, with the parts of an element as neighbours. With a `cut`,
    /// only a part of each message is moved; the arrays then have the same elements in the same order.
    pub(crate) fn new(
        [before, after]: [&ArrayDesc; 2],
        pieces: Option<Pieces>,
        cut: Option<MessagePart>,
        precision: Precision,
        grid: &Grid,
        rank: usize,
    ) -> Moves {
        let pieces = pieces.unwrap_or_else(|| same(&before.shape, &after.order));
        let as_reals = before.domain != after.domain;
        let element = precision.bytes() * if as_reals { 1 } else { before.domain.reals() };
        let part = |array: &ArrayDesc, rank: usize| {
            let mut ranges = array.ranges(grid, rank);
            let reals = if as_reals { array.domain.reals() } else { 1 };
            let fastest = &mut ranges[array.order[array.order.len() - 1]];
            *fastest = fastest.start * reals..fastest.end * reals;
            ranges
        };
        let (mine, next) = (part(before, rank), part(after, rank));
        let elements = [&mine, &next].map(|part| part.iter().map(Range::len).product());
        let id = hash(&format!("{element} {before:?} {after:?} {pieces:?} {cut:?}"));
        let mut moves = Moves { id, element, elements, sends: vec![], receives: vec![], stays: vec![], copies: vec![] };
        let orders = [&before.order[..], &after.order[..]];
        let regions = |from: &[Range<usize>], to: &[Range<usize>]| match cut {
            None => pieces.regions([from, to], orders),
            Some(cut) => {
                pieces.within(cut.axis, cut.block([&from[cut.axis], &to[cut.axis]])).regions([from, to], orders)
            }
        };
        for other in 0..grid.ranks() {
            let received = regions(&part(before, other), &next);
            let copies = received.iter().map(|[from, to]| RegionCopy::new(from, to, element));
            if other == rank {
                moves.stays.extend(copies);
                continue;
            }
            moves.copies.extend(copies.map(|copy| (other, copy)));
            let sent = regions(&mine, &part(after, other)).into_iter();
            moves.sends.extend(sent.map(|[region, _]| Move { rank: other, region }));
            moves.receives.extend(received.into_iter().map(|[_, region]| Move { rank: other, region }));
        }
        moves
    }

    /// The same between memories in which messages lie one after another, ordered by the other rank's
    /// number. What stays is one of them. Only part `cut.number` of `cut.parts` of each message is
    /// moved: a block of the elements along the axis with which messages begin.
    pub(crate) fn packed(
        [before, after]: [&ArrayDesc; 2],
        precision: Precision,
        grid: &Grid,
        rank: usize,
        cut: MessagePart,
    ) -> Moves {
        let element = precision.bytes() * before.domain.reals();
        let elements = [before, after].map(|array| array.elements(grid, rank));
        let id = hash(&format!("packed {element} {before:?} {after:?} {cut:?}"));
        let size = |from: usize, to: usize| {
            common(&before.ranges(grid, from), &after.ranges(grid, to)).iter().map(Range::len).product::<usize>()
        };
        // The part of a message that begins at an element of the memory.
        let part = |from: usize, to: usize, start: usize| {
            let (rows, size) = (before.ranges(grid, from)[cut.axis].len(), size(from, to));
            // A message that is not cut may have some of the rows only.
            let (rows, row) = if cut.parts == 1 { (size, 1) } else { (rows, size / rows.max(1)) };
            let block = block(rows, cut.parts, cut.number);
            Region { offset: start + block.start * row, axes: vec![(block.len() * row, 1)] }
        };
        let mut moves = Moves { id, element, elements, sends: vec![], receives: vec![], stays: vec![], copies: vec![] };
        let mut starts = [0, 0];
        for other in 0..grid.ranks() {
            let [send, receive] = [part(rank, other, starts[0]), part(other, rank, starts[1])];
            starts = [starts[0] + size(rank, other), starts[1] + size(other, rank)];
            let theirs = || (0..rank).map(|before| size(other, before)).sum();
            let has_any = |region: &Region| region.elements() > 0;
            let copy = has_any(&receive).then(|| RegionCopy::new(&part(other, rank, theirs()), &receive, element));
            if other == rank {
                moves.stays.extend(copy);
                continue;
            }
            moves.copies.extend(copy.map(|copy| (other, copy)));
            moves.sends.extend(has_any(&send).then_some(Move { rank: other, region: send }));
            moves.receives.extend(has_any(&receive).then_some(Move { rank: other, region: receive }));
        }
        moves
    }

    /// A hash of both distributed arrays, which is the same on all ranks of an exchange, and not 0.
    pub fn id(&self) -> u64 {
        self.id | 1
    }

    /// What this rank can copy from the parts of others, with their ranks.
    pub fn copies(&self) -> &[(usize, RegionCopy)] {
        &self.copies
    }

    /// What stays on this rank.
    pub fn stays(&self) -> &[RegionCopy] {
        &self.stays
    }

    /// The bytes of an element.
    pub fn element_bytes(&self) -> usize {
        self.element
    }

    /// The ranks to which this one sends, with what they get.
    pub fn sends(&self) -> &[Move] {
        &self.sends
    }

    /// The ranks from which this one receives, with what it gets. Regions are within the memory that
    /// [`Moves::check`] asks for.
    pub fn receives(&self) -> &[Move] {
        &self.receives
    }

    /// The bytes that the rank sends to others.
    pub fn bytes_sent(&self) -> usize {
        self.sends.iter().map(|send| send.region.elements() * self.element).sum()
    }

    /// The bytes of the rank's parts before and after the exchange.
    pub fn part_bytes(&self) -> [usize; 2] {
        self.elements.map(|elements| elements * self.element)
    }

    /// Copies what stays on this rank.
    pub fn copy_own(&self, from: &[u8], to: &mut [u8]) {
        self.stays.iter().for_each(|stays| stays.execute(from, to));
    }

    /// Checks that the memory of both parts is large enough.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(&self, from: &[u8], to: &[u8]) -> Result<()> {
        let needed = self.part_bytes();
        if needed[0] <= from.len() && needed[1] <= to.len() {
            return Ok(());
        }
        let message = format!(
            "an exchange from {} bytes to {} bytes: its parts have {} and {} bytes",
            from.len(),
            to.len(),
            needed[0],
            needed[1]
        );
        Err(Error::new(ErrorKind::Argument, message))
    }
}

/// The intersection of two boxes.
pub(crate) fn common(a: &[Range<usize>], b: &[Range<usize>]) -> Vec<Range<usize>> {
    let both = |(a, b): (&Range<usize>, &Range<usize>)| {
        let start = a.start.max(b.start);
        start..a.end.min(b.end).max(start)
    };
    a.iter().zip(b).map(both).collect()
}
