//! Writes the kernel of a [`Spec`]: stage after stage, each a loop over the items of the work
//! group's lines.

use crate::desc::descriptor::{Port, Spec, Stage, Work};
use crate::ir::trace::{
    Int, Statement, barrier, cluster_barrier, cluster_begin, comment, for_each, group, if_less, int, loads_first,
    record, select, store_if_less, thread,
};
use std::cmp::Ordering;

/// The statements of a kernel.
pub(crate) fn kernel(spec: &Spec) -> Vec<Statement> {
    record(|| {
        let (thread, group) = (thread(), group());
        for (i, pass) in spec.passes().enumerate() {
            if i > 0 {
                barrier();
            }
            one_pass(pass, thread, group);
        }
    })
}

pub(crate) fn one_pass(spec: &Spec, thread: Int, group: Int) {
    let across = spec.across_cluster();
    let [home, across] = [spec, &across].map(|view| Writer::new(view, spec, thread, group));
    let mut stages = spec.stages.iter().enumerate();
    while let Some((i, stage)) = stages.next() {
        let before = i.checked_sub(1).map(|i| &spec.stages[i]);
        wait_between(before, stage);
        comment(describe(stage));
        if spec.joins(i) {
            let (_, next) = stages.next().expect("a stage that is joined has one after it");
            comment(describe(next));
            home.joint([stage, next]);
            continue;
        }
        let view = if stage.is_across_cluster() { across } else { home };
        Writer { guarded: stage.is_outside(), together: together(stage), ..view }.stage(stage);
    }
}

/// Until what the stage before has written can be read.
pub(crate) fn wait_between(before: Option<&Stage>, after: &Stage) {
    match before.map(|stage| &stage.to) {
        // The stage waits itself, before it writes: until all work groups of the cluster have
        // begun.
        None if after.to == Port::Cluster => cluster_begin(),
        None => {}
        Some(Port::Cluster | Port::Shares) => cluster_barrier(),
        Some(_) => barrier(),
    }
}

/// Items of a stage that a thread takes at once, so that it waits for memory once: as many as have
/// the numbers of one long butterfly.
pub(crate) fn together(stage: &Stage) -> usize {
    match &stage.work {
        Work::After { .. } | Work::Before { .. } | Work::Interleave(_) => 4,
        Work::Fold(_) => 2,
        _ => 1,
    }
}

/// What the stages share.
#[derive(Clone, Copy)]
pub(crate) struct Writer<'a> {
    /// The kernel, as the stage sees it.
    pub(crate) spec: &'a Spec,
    /// The kernel that has the buffers.
    pub(crate) buffers: &'a Spec,
    pub(crate) thread: Int,
    /// The tile.
    pub(crate) group: Int,
    /// Which of the cluster's work groups.
    pub(crate) rank: Int,
    /// The line of a thread, if it always is the same.
    pub(crate) fixed: Option<Line>,
    /// Whether the last tile, where it has fewer lines, must not touch what others would have.
    pub(crate) guarded: bool,
    /// How many items a thread takes at once, if it has several.
    pub(crate) together: usize,
}

/// A line, or a window of one, that a work group has.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    /// Its number among all windows.
    pub(crate) window: Int,
    /// The line's number.
    pub(crate) number: Int,
    /// Its place in local memory.
    pub(crate) slot: Int,
    /// 1 for the mirrored one of two windows.
    pub(crate) half: Int,
    /// The digits before the window, as a frequency.
    pub(crate) frequency: Int,
    /// The digits after it.
    pub(crate) after: Int,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(spec: &'a Spec, buffers: &'a Spec, thread: Int, group: Int) -> Writer<'a> {
        let (rank, group) = divide(group, spec.cluster, usize::MAX);
        let mut writer = Writer { spec, buffers, thread, group, rank, fixed: None, guarded: true, together: 1 };
        writer.fixed = writer.fixed();
        writer
    }

    pub(crate) fn stage(&self, stage: &Stage) {
        let Stage { work, from, to } = stage;
        match work {
            Work::Copy(count) => self.copy(*count, from, to),
            Work::Fold(fold) => self.fold(fold, from),
            Work::Interleave(count) => self.interleave(*count, from, to),
            Work::Butterflies(split) => self.butterflies(split, from, to),
            Work::Chirp { radix, room, groups, chirp } => self.chirp([*radix, *room], *groups, *chirp, from, to),
            Work::Unchirp { radix, groups, chirp } => self.unchirp(*radix, *groups, *chirp, from, to),
            Work::Convolve { length, groups, spectrum, rader } => {
                self.convolve(*length, *groups, *spectrum, rader.as_ref(), from, to);
            }
            Work::After { n, turns, parts } => self.half_spectra_to_line(*n, *turns, parts, from, to),
            Work::Before { n, turns, terms } => self.line_to_half_spectra(*n, *turns, terms, from, to),
        }
    }

    /// `body` for each of `count` items of each of the work group's windows; of windows across a
    /// cluster, for the work group's share.
    pub(crate) fn items(&self, count: usize, body: impl Fn(Line, Int)) {
        if self.is_across_cluster() {
            let share = count.div_ceil(self.spec.cluster);
            return self.items_of_pairs(share, |line, item| {
                let item = item + self.rank * share as i64;
                let guard = if share * self.spec.cluster == count { int(0) } else { item };
                if_less(guard, int(count), || body(line, item));
            });
        }
        if !self.spec.mirrored() {
            return self.items_of_pairs(count, body);
        }
        let body = |line: Line, item: Int| {
            if self.spec.cluster > 1 {
                return body(line, item);
            }
            // Frequencies 0 and that in the middle are mirrored to themselves.
            let before = self.spec.before();
            let lower = select(line.half, int(1), int(1), int(before) - line.frequency);
            let higher = select(line.half, int(1), int(0), lower * 2);
            if_less(int(0), lower, || if_less(higher, int(before), || body(line, item)));
        };
        if self.spec.side_by_side {
            return self.items_of_pairs(2 * count, |line, i| {
                body(self.half_of(line, i / count as i64), i % count as i64);
            });
        }
        for half in [0, 1] {
            self.items_of_pairs(count, |line, item| body(self.half_of(line, int(half)), item));
        }
    }

    pub(crate) fn is_across_cluster(&self) -> bool {
        self.spec.cluster > 1 && self.spec.window.first == 0
    }

    /// Whether every thread runs through the body of a stage across the cluster exactly once, so
    /// that it can wait there.
    pub(crate) fn waits_late(&self, count: usize) -> bool {
        let Spec { cluster, tile, threads, .. } = *self.spec;
        count % cluster == 0 && count / cluster * tile == threads && self.spec.windows() % tile == 0
    }

    /// `body` for each of `count` items of each window; of mirrored ones as one.
    pub(crate) fn items_of_pairs(&self, count: usize, body: impl Fn(Line, Int)) {
        let spec = self.spec;
        if count == 0 {
            return;
        }
        if !spec.local {
            let i = self.group * spec.threads as i64 + self.thread;
            let windows = spec.windows() as i64;
            let (window, item) = match spec.interleaved() {
                true => (i % windows, i / windows),
                false => (i / count as i64, i % count as i64),
            };
            return if_less(i, int(count * spec.windows()), || body(self.line(window, int(0)), item));
        }
        let total = count * spec.tile;
        let guarded = self.guarded && spec.windows() % spec.tile != 0;
        let one = |i: Int| {
            let (line, item) = self.item(i, count);
            let guard = if guarded { line.window } else { int(0) };
            if_less(guard, int(spec.windows()), || body(line, item));
        };
        self.deal(total, if guarded { 1 } else { self.together }, one);
    }

    /// Item number i of all of the work group's windows, which have `count` each: its window, and
    /// its number there.
    pub(crate) fn item(&self, i: Int, count: usize) -> (Line, Int) {
        let tile = self.spec.tile as i64;
        match self.fixed {
            Some(line) => (line, i / tile),
            None if self.spec.interleaved() => (self.of_slot(i % tile), i / tile),
            None => (self.of_slot(i / count as i64), i % count as i64),
        }
    }

    /// The first of two mirrored windows, or the other.
    pub(crate) fn half_of(&self, line: Line, half: Int) -> Line {
        let before = int(self.spec.before());
        let (low, high) = match self.spec.cluster > 1 {
            true => (self.rank, select(self.rank, int(1), int(self.spec.before() / 2), before - self.rank)),
            false => (line.frequency, before - line.frequency),
        };
        let slot = line.slot + half * self.spec.mirror_offset() as i64;
        Line { slot, half, frequency: select(half, int(1), low, high), ..line }
    }

    /// Deals out `total` numbers to the threads, each taking so many at once: it loads what all of
    /// them need, then stores.
    pub(crate) fn deal(&self, total: usize, together: usize, one: impl Fn(Int)) {
        let threads = self.spec.threads;
        let rounds = total.div_ceil(threads);
        let together = together.min(rounds);
        let (last, step) = (total - 1, together * threads);
        let several = |first: Int| {
            let number = |j: usize| first + (j * threads) as i64;
            loads_first(|| {
                for j in 0..together {
                    let i = number(j);
                    match total % step == 0 || rounds == 1 {
                        true => one(i),
                        false => store_if_less(i, int(total), || one(select(i, int(last), i, int(last)))),
                    }
                }
            });
        };
        match total.cmp(&threads) {
            Ordering::Equal => one(self.thread),
            Ordering::Less => if_less(self.thread, int(total), || one(self.thread)),
            Ordering::Greater if together == 1 => for_each(self.thread, int(total), int(threads), one),
            Ordering::Greater if rounds == together => several(self.thread),
            Ordering::Greater => for_each(self.thread, int(total), int(step), several),
        }
    }

    /// A thread keeps its line if threads are dealt out to lines in turn.
    pub(crate) fn fixed(&self) -> Option<Line> {
        let Spec { local, tile, threads, .. } = *self.spec;
        let keeps = tile == 1 || self.spec.interleaved() && threads % tile == 0;
        (local && keeps).then(|| self.of_slot(self.thread % tile as i64))
    }

    pub(crate) fn of_slot(&self, slot: Int) -> Line {
        self.line(self.group * self.spec.tile as i64 + slot, slot)
    }

    pub(crate) fn line(&self, window: Int, slot: Int) -> Line {
        let spec = self.spec;
        let (number, part) = match spec.across {
            true => divide(window, spec.lines, spec.parts()),
            false => {
                let (part, number) = divide(window, spec.parts(), spec.lines);
                (number, part)
            }
        };
        let (after, frequency) = divide(part, spec.after(), spec.parts() / spec.after());
        // Which of the windows a number stands for is free: frequencies serve those that write
        // spectra, and no other minds.
        Line { window, number, slot, half: int(0), frequency: frequency + self.rank, after }
    }

    /// The digits before the window in the order of the places.
    pub(crate) fn before(&self, line: Line) -> Int {
        self.place_of(line.frequency, &self.spec.digits[..self.spec.window.first])
    }
}

/// Remainder and quotient of i < `size` · `count`.
pub(crate) fn divide(i: Int, size: usize, count: usize) -> (Int, Int) {
    match (size, count) {
        (1, 1) => (int(0), int(0)),
        (1, _) => (int(0), i),
        (_, 1) => (i, int(0)),
        _ => (i % size as i64, i / size as i64),
    }
}

/// The stage in words.
pub(crate) fn describe(stage: &Stage) -> String {
    match &stage.work {
        Work::Copy(count) => format!("copy {count} elements"),
        Work::Interleave(count) => format!("interleave {count} elements"),
        Work::Butterflies(split) => {
            let across = if stage.is_across_cluster() { " across the cluster" } else { "" };
            format!("DFTs of {}{across}, {} a line", split.radix, split.count())
        }
        Work::Chirp { radix, room, .. } => format!("DFTs of {radix} as convolutions of {room}"),
        Work::Unchirp { radix, .. } => format!("DFTs of {radix} from convolutions"),
        Work::Convolve { length, .. } => format!("convolve {length} elements"),
        Work::Fold(fold) => format!("three half spectra of {} reals, and from these the line", fold.len),
        Work::After { n, .. } => format!("half spectra of {n} reals, and from these the line"),
        Work::Before { n, .. } => format!("half spectra of {n} reals from the line"),
    }
}
