//! How the items of a stage are dealt out to the threads of a block.

use crate::ir::packed::exchanging;
use crate::ir::statement::{Int, int};
use crate::ir::trace::{for_each, if_less, loads_first, select, select_counted, store_if_less};
use crate::write::writer::{Subline, Writer};
use std::cmp::Ordering;

impl Writer<'_> {
    /// `body` for each of `count` items of each of the block's sublines; of sublines across a
    /// cluster, for the block's slice.
    pub(crate) fn items(&self, count: usize, body: impl Fn(Subline, Int)) {
        if self.is_across_cluster() {
            let slice = count.div_ceil(self.desc.cluster);
            return self.items_of_pairs(slice, |line, item| {
                let item = item + self.rank * slice as i64;
                let guard = if slice * self.desc.cluster == count { int(0) } else { item };
                if_less(guard, int(count), || body(line, item));
            });
        }
        if !self.desc.has_hermitian_pairs() {
            return self.items_of_pairs(count, body);
        }
        let body = |line: Subline, item: Int| {
            if self.desc.cluster > 1 {
                return body(line, item);
            }
            // Frequencies 0 and that in the middle are their own pairs.
            let before = self.desc.before();
            let lower = select(line.half, int(1), int(1), int(before) - line.frequency);
            let higher = select(line.half, int(1), int(0), lower * 2);
            let guard = self.guard();
            guard(int(0), lower, &|| guard(higher, int(before), &|| body(line, item)));
        };
        if self.desc.side_by_side {
            return self.items_of_pairs(2 * count, |line, i| {
                body(self.half_of(line, i / count as i64), i % count as i64);
            });
        }
        for half in [0, 1] {
            self.items_of_pairs(count, |line, item| body(self.half_of(line, int(half)), item));
        }
    }

    /// `body` for each of `count` items of each subline; Hermitian pairs count as one.
    pub(crate) fn items_of_pairs(&self, count: usize, body: impl Fn(Subline, Int)) {
        let desc = self.desc;
        if count == 0 {
            return;
        }
        if !desc.shared {
            let i = self.block * desc.threads as i64 + self.thread;
            let sublines = desc.sublines() as i64;
            let (index, item) = match desc.interleaved() {
                true => (i % sublines, i / sublines),
                false => (i / count as i64, i % count as i64),
            };
            return if_less(i, int(count * desc.sublines()), || body(self.subline(index, int(0)), item));
        }
        let total = count * desc.tile;
        // The mirror image of the one in the middle is that itself, computed once more.
        let sublines = if desc.mirrors_sublines() { desc.sublines().next_multiple_of(2) } else { desc.sublines() };
        let guarded = self.guarded && sublines % desc.tile != 0;
        let one = |i: Int| {
            let (line, item) = self.item(i, count);
            let index = if guarded { line.index } else { int(0) };
            self.guard()(index, int(sublines), &|| body(line, item));
        };
        self.deal(total, self.items_per_thread, one);
    }

    /// What keeps a body to what there is. A thread that takes several items loads for all of them
    /// first, whether they are there or not; and one whose registers others exchange is there for them.
    pub(crate) fn guard(&self) -> fn(Int, Int, &dyn Fn()) {
        match self.exchanges || self.items_per_thread > 1 && !self.in_place {
            true => |a, b, body| store_if_less(a, b, body),
            false => |a, b, body| if_less(a, b, body),
        }
    }

    /// Item number i of all of the block's sublines, which have `count` each: its subline, and
    /// its number there.
    pub(crate) fn item(&self, i: Int, count: usize) -> (Subline, Int) {
        let tile = self.desc.tile as i64;
        match self.fixed {
            Some(line) => (line, i / tile),
            None if self.takes_sublines => (self.of_slot(i % tile), i / tile),
            None => (self.of_slot(i / count as i64), i % count as i64),
        }
    }

    /// Deals out `total` numbers to the threads, each taking so many at once. Where the stage says so, those of whole
    /// rounds are dealt out like this, and the rest one by one.
    pub(crate) fn deal(&self, total: usize, items_per_thread: usize, one: impl Fn(Int)) {
        let threads = self.desc.threads;
        // Whole warps exchange registers.
        let warps = exchanging(total, self.desc.warp);
        if self.exchanges && warps > total {
            let item = select(self.thread, int(total), self.thread, int(total - 1));
            let guard = if warps == threads { int(0) } else { self.thread };
            return if_less(guard, int(warps), || store_if_less(self.thread, int(total), || one(item)));
        }
        let leaves_rest = self.takes_rest_singly && total > threads;
        let rounds = if leaves_rest { total / threads } else { total.div_ceil(threads) };
        let items = items_per_thread.min(rounds);
        let whole = if leaves_rest { total - total % (items * threads) } else { total };
        self.deal_between(0, whole, items, &one);
        if whole < total {
            self.deal_between(whole, total, 1, &one);
        }
    }

    /// Deals out the numbers from `start` to `end`, so many at once: a thread loads what all of them need, then
    /// stores. Those past the end are the last one again.
    fn deal_between(&self, start: usize, end: usize, items: usize, one: impl Fn(Int)) {
        let (threads, count) = (self.desc.threads, end - start);
        let step = items * threads;
        // How many there are in the last round.
        let rest = (count - 1) % step + 1;
        let take = |first: Int| {
            if items == 1 {
                return one(first);
            }
            let number = |j: usize| first + (j * threads) as i64;
            loads_first(|| {
                for j in 0..items {
                    let (i, last) = (number(j), int(end - 1));
                    let clamped = || one(select_counted(i, last, i, last, i));
                    if (j + 1) * threads <= rest { one(i) } else { store_if_less(i, int(end), clamped) }
                }
            });
        };
        let first = self.thread + start as i64;
        match count.cmp(&step) {
            Ordering::Less if items == 1 => if_less(self.thread, int(count), || one(first)),
            Ordering::Less | Ordering::Equal => take(first),
            Ordering::Greater => for_each(first, int(end), int(step), take),
        }
    }
}
