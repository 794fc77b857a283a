//! The steps of a rank where messages have to be contiguous, as NCCL's have.
//!
//! The messages of an exchange lie one after another, ordered by the other ranks' numbers. A pass
//! writes them so, and the pass after the exchange reads what arrives where it is, if
//!
//! - the array is stored with the axis of the next pass first. What comes from all ranks along that axis
//!   is then one array.
//! - the pass before cuts its lines into a slab for each rank, of equal lengths.
//!
//! Elsewhere boxes are copied, which is a trip through memory: where the parts along the axis of the
//! pass are uneven, where no pass is before or after the exchange, and after a pass that multiplies what
//! it writes.
//!
//! A first pass can be done in parts, of blocks along the axis with which messages begin. Then the
//! exchange of one part can be under way while the pass computes the next one.

use crate::distribution::block;
use crate::exchange::moves::{MessagePart, Moves, common};
use crate::exchange::region::{Region, RegionCopy, strides};
use crate::recipe::arrays::ArrayDesc;
use crate::recipe::recipe::Recipe;
use crate::recipe::step::{Action, PassOp, Step};
use fourfold::Domain;
use fourfold::engine::{ArrayId, Transform1d};
use std::ops::Range;

/// A step of a rank whose messages are contiguous.
#[derive(Clone, Debug)]
pub struct PackedStep {
    /// The array that it reads.
    pub from: ArrayId,
    /// The array that it writes.
    pub to: ArrayId,
    /// The bytes that it writes.
    pub bytes: usize,
    /// What it does.
    pub action: PackedAction,
}

/// What a step does on a rank.
#[derive(Clone, Debug)]
pub enum PackedAction {
    /// Passes of the recipe, which are computed as one problem.
    Pass {
        /// The numbers of the recipe's steps.
        steps: Range<usize>,
        /// The strides of its input and its output, in elements.
        strides: [Vec<isize>; 2],
        /// How the output is cut into messages.
        slabs: PassSlabs,
        /// The parts in which it is done. They are as many as those of the exchange that comes next, or
        /// one.
        parts: Vec<PassPart>,
    },
    /// Copies of boxes to or from the places of messages.
    Copy(Vec<RegionCopy>),
    /// An exchange of contiguous messages, in parts.
    Exchange(Vec<Moves>),
}

/// Equal slabs of the output of a pass.
#[derive(Clone, Copy, Debug)]
pub struct PassSlabs {
    /// The axis that is cut, that of the last step.
    pub axis: usize,
    /// The number of slabs.
    pub count: usize,
    /// Elements from the beginning of a slab to that of the next one.
    pub distance: usize,
}

/// A block of the lines of a pass.
#[derive(Clone, Debug)]
pub struct PassPart {
    /// The axis that is divided, and the length of the block. `None`: all lines.
    pub block: Option<(usize, usize)>,
    /// Where the block begins in the input and in the output, in bytes.
    pub starts: [usize; 2],
}

/// The bytes of which a part's beginning is a multiple.
pub(crate) const PART_ALIGNMENT: usize = 256;

/// The steps of `rank`. A first pass that writes messages, and the exchange after it, are done in `parts`
/// parts where the sizes of all ranks allow it.
pub fn packed_steps(recipe: &Recipe, rank: usize, parts: usize) -> Vec<PackedStep> {
    let packer = Packer { recipe, rank };
    let mut order = recipe.input().order.clone();
    let mut steps: Vec<(bool, usize, PackedAction)> = vec![];
    let mut i = 0;
    while i < recipe.steps().len() {
        let (start, end) = (i, packer.end(i));
        i = end;
        let bytes = packer.bytes(&recipe.arrays()[end]);
        if let Some(axis) = packer.axis(end - 1) {
            let written = packer.written_order(end - 1, &order);
            let count = packer.slabs(end - 1, &written);
            let slabs = PassSlabs { axis, count, distance: bytes / packer.element(&recipe.arrays()[end]) / count };
            let ends = [&recipe.arrays()[start], &recipe.arrays()[end]];
            let same = ends[0].domain == ends[1].domain && ends[0].shape == ends[1].shape;
            let strides = [packer.strides(ends[0], &order), packer.strides(ends[1], &written)];
            let in_place = same && order == written && count == 1;
            let parts = vec![PassPart { block: None, starts: [0, 0] }];
            steps.push((in_place, bytes, PackedAction::Pass { steps: start..end, strides, slabs, parts }));
            order = written;
            continue;
        }
        order = packer.message_order(start, &order);
        let is_packed = matches!(steps.last(), Some((_, _, PackedAction::Pass { slabs, .. })) if slabs.count > 1);
        if let Some(copies) = packer.copies(start, 0, &order).filter(|_| !is_packed) {
            steps.push((false, packer.bytes(&recipe.arrays()[start]), PackedAction::Copy(copies)));
        }
        let parts = if packer.may_divide(start, &order, parts) { parts } else { 1 };
        if let [(_, _, PackedAction::Pass { strides, parts: of_pass, .. })] = &mut steps[..]
            && parts > 1
        {
            *of_pass = packer.pass_parts(start, order[0], strides, parts);
        }
        steps.push((false, bytes, PackedAction::Exchange(packer.moves(start, order[0], parts))));
        let copies = packer.copies(start, 1, &order);
        steps.extend(copies.map(|copies| (false, bytes, PackedAction::Copy(copies))));
    }
    placed(steps)
}

/// The steps with the arrays that they read and write: each reads one and writes another one, but for
/// those that are in place.
fn placed(steps: Vec<(bool, usize, PackedAction)>) -> Vec<PackedStep> {
    let mut to = ArrayId::Output;
    let mut placed = vec![];
    let count = steps.len();
    for (i, (in_place, bytes, action)) in steps.into_iter().rev().enumerate() {
        let from = match to {
            _ if i + 1 == count => ArrayId::Input,
            _ if in_place => to,
            ArrayId::Output => ArrayId::Work(0),
            ArrayId::Work(_) | ArrayId::Input => ArrayId::Output,
        };
        placed.push(PackedStep { from, to, bytes, action });
        to = from;
    }
    placed.reverse();
    placed
}

/// What the steps of a rank follow from.
struct Packer<'a> {
    recipe: &'a Recipe,
    rank: usize,
}

impl Packer<'_> {
    fn ranges(&self, array: &ArrayDesc, rank: usize) -> Vec<Range<usize>> {
        array.ranges(self.recipe.grid(), rank)
    }

    fn element(&self, array: &ArrayDesc) -> usize {
        self.recipe.problem().precision().bytes() * array.domain.reals()
    }

    fn bytes(&self, array: &ArrayDesc) -> usize {
        array.elements(self.recipe.grid(), self.rank) * self.element(array)
    }

    fn strides(&self, array: &ArrayDesc, order: &[usize]) -> Vec<isize> {
        let lengths: Vec<_> = self.ranges(array, self.rank).iter().map(Range::len).collect();
        strides(&lengths, order)
    }

    /// The step after those that are computed together with step `i`: passes with one transform each, all
    /// sums of reals or all complex FFTs, in the order in which one process does them.
    fn end(&self, i: usize) -> usize {
        let mut end = i + 1;
        while let (Some(last), Some(next)) = (self.lone(end - 1), self.lone(end))
            && last.0 == next.0
            && last.1 == next.1
            && last.2 > next.2
        {
            end += 1;
        }
        end
    }

    /// Stage, sort and axis of step `i`, if it is a pass of one transform that can be computed with others.
    fn lone(&self, i: usize) -> Option<(usize, bool, usize)> {
        let Action::Pass { axis, ops } = &self.recipe.steps().get(i)?.action else { return None };
        let [PassOp::Transform { stage, transform }] = &ops[..] else { return None };
        let is_complex = match transform.transform1d {
            Transform1d::R2C | Transform1d::C2R => return None,
            Transform1d::Forward | Transform1d::Backward => true,
            _ if self.recipe.arrays()[i].domain == Domain::Complex => return None,
            _ => false,
        };
        Some((*stage, is_complex, *axis))
    }

    /// The axis of step `i`, if it is a pass.
    fn axis(&self, i: usize) -> Option<usize> {
        let Action::Pass { axis, .. } = &self.recipe.steps().get(i)?.action else { return None };
        Some(*axis)
    }

    /// Whether step `i` is a pass whose output is as the recipe has it, since its factors are found by
    /// their addresses.
    fn multiplies_last(&self, i: usize) -> bool {
        matches!(&self.recipe.steps()[i].action, Action::Pass { ops, .. } if ops.last() == Some(&PassOp::Multiply))
    }

    /// The order of the axes in the messages of exchange `i`.
    fn message_order(&self, i: usize, order: &[usize]) -> Vec<usize> {
        let before = i.checked_sub(1).filter(|&before| self.axis(before).is_some() && !self.multiplies_last(before));
        match self.axis(i + 1).filter(|_| before.is_some()) {
            Some(next) => [next]
                .into_iter()
                .chain(self.recipe.arrays()[i].order.iter().copied().filter(|axis| *axis != next))
                .collect(),
            None if before.is_some() => self.recipe.arrays()[i + 1].order.clone(),
            None => order.to_vec(),
        }
    }

    /// The order of the axes in what pass `i` writes, if it reads them in `order`.
    fn written_order(&self, i: usize, order: &[usize]) -> Vec<usize> {
        let own = &self.recipe.arrays()[i + 1].order;
        match self.recipe.steps().get(i + 1) {
            None => own.clone(),
            Some(_) if self.multiplies_last(i) => own.clone(),
            Some(_) if self.axis(i + 1).is_some() => order.to_vec(),
            Some(_) => self.message_order(i + 1, own),
        }
    }

    /// The number of slabs that pass `i` writes as messages, or 1.
    fn slabs(&self, i: usize, order: &[usize]) -> usize {
        let is_exchange =
            matches!(self.recipe.steps().get(i + 1), Some(step) if matches!(step.action, Action::Exchange { .. }));
        let Some(axis) = self.axis(i).filter(|_| is_exchange && !self.multiplies_last(i)) else { return 1 };
        if self.copies(i + 1, 0, order).is_none() {
            return 1;
        }
        let before = &self.recipe.arrays()[i + 1];
        let mine = self.ranges(before, self.rank);
        let messages = self.messages(i + 1, 0);
        let length = mine[axis].len() / messages.len().max(1);
        let is_slab = |(number, (_, ranges)): (usize, &(usize, Vec<Range<usize>>))| {
            let start = mine[axis].start + number * length;
            let others = (0..mine.len()).filter(|other| *other != axis);
            ranges[axis] == (start..start + length) && others.into_iter().all(|other| ranges[other] == mine[other])
        };
        let all = length * messages.len() == mine[axis].len() && messages.iter().enumerate().all(is_slab);
        if all && !messages.is_empty() { messages.len() } else { 1 }
    }

    /// What this rank sends (side 0) or receives (side 1) in exchange `i`, with what stays: the other
    /// ranks in order, and the indices.
    fn messages(&self, i: usize, side: usize) -> Vec<(usize, Vec<Range<usize>>)> {
        let [before, after] = [&self.recipe.arrays()[i], &self.recipe.arrays()[i + 1]];
        let [mine, theirs] = if side == 0 { [before, after] } else { [after, before] };
        let mine = self.ranges(mine, self.rank);
        let message = |rank: usize| (rank, common(&mine, &self.ranges(theirs, rank)));
        let is_some = |(_, ranges): &(usize, Vec<Range<usize>>)| ranges.iter().all(|range| !range.is_empty());
        (0..self.recipe.grid().ranks()).map(message).filter(is_some).collect()
    }

    /// The copies between a part that is stored in `order` and its messages, from the part (side 0) or to
    /// it (side 1). None are needed if the part is its messages.
    fn copies(&self, i: usize, side: usize, order: &[usize]) -> Option<Vec<RegionCopy>> {
        let array = &self.recipe.arrays()[i + side];
        let part = self.ranges(array, self.rank);
        let mut at = 0;
        let mut is_packed = true;
        let mut copies = vec![];
        for (_, ranges) in self.messages(i, side) {
            let inside = Region::new(&ranges, &part, order)?;
            let message = Region { offset: at, ..Region::new(&ranges, &ranges, order)? };
            is_packed &= inside.offset == at && inside.runs().axes.len() == 1;
            at += message.elements();
            let [from, to] = if side == 0 { [&inside, &message] } else { [&message, &inside] };
            copies.push(RegionCopy::new(from, to, self.element(array)));
        }
        if is_packed { None } else { Some(copies) }
    }

    /// Whether the passes before exchange `i`, whose messages have this order, can be done in so many parts
    /// on all ranks: they are the first steps, none multiplies, all ranks with something write slabs, and
    /// parts are aligned.
    fn may_divide(&self, i: usize, order: &[usize], parts: usize) -> bool {
        let transforms_only = |step: &Step| match &step.action {
            Action::Pass { ops, .. } => !ops.contains(&PassOp::Multiply),
            _ => false,
        };
        let steps = &self.recipe.steps()[..i];
        if parts < 2 || i == 0 || self.end(0) != i || !steps.iter().all(transforms_only) {
            return false;
        }
        let is_fine = |rank: usize| {
            let packer = Packer { recipe: self.recipe, rank };
            let [input, output] = [&self.recipe.arrays()[0], &self.recipe.arrays()[i]];
            if packer.bytes(output) == 0 {
                return true;
            }
            let strides = [packer.strides(input, &input.order), packer.strides(output, order)];
            let is_aligned = |part: &PassPart| {
                part.starts.iter().all(|start| start % PART_ALIGNMENT == 0)
                    && part.block.is_some_and(|(_, rows)| rows > 0)
            };
            packer.slabs(i - 1, order) > 1 && packer.pass_parts(i, order[0], &strides, parts).iter().all(is_aligned)
        };
        (0..self.recipe.grid().ranks()).all(is_fine)
    }

    /// The blocks along `axis` of the passes before exchange `i`, whose input and output have these strides.
    fn pass_parts(&self, i: usize, axis: usize, strides: &[Vec<isize>; 2], parts: usize) -> Vec<PassPart> {
        let [input, output] = [&self.recipe.arrays()[0], &self.recipe.arrays()[i]];
        let rows = self.ranges(output, self.rank)[axis].len();
        let slabs = self.messages(i, 0).len().max(1);
        let steps = [strides[0][axis].unsigned_abs(), strides[1][axis].unsigned_abs() / slabs];
        let bytes = [steps[0] * self.element(input), steps[1] * self.element(output)];
        let part = |number: usize| {
            let block = block(rows, parts, number);
            PassPart { block: Some((axis, block.len())), starts: bytes.map(|bytes| block.start * bytes) }
        };
        (0..parts).map(part).collect()
    }

    /// The moves of exchange `i`, in parts along `axis`.
    fn moves(&self, i: usize, axis: usize, parts: usize) -> Vec<Moves> {
        let ends = [&self.recipe.arrays()[i], &self.recipe.arrays()[i + 1]];
        let (precision, grid) = (self.recipe.problem().precision(), self.recipe.grid());
        let part = |number: usize| {
            Moves::packed(ends, precision, grid, self.rank, MessagePart { axis, side: 0, number, parts })
        };
        (0..parts).map(part).collect()
    }
}
