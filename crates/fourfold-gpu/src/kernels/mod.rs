//! Writes the kernel of a [`Spec`]: stage after stage, each a loop over the items of the work group's lines.

mod combine;
mod convolve;
mod dft;
mod place;
mod pointwise;
mod port;

use crate::spec::{Spec, Stage, Work};
use crate::trace::{Int, Statement, barrier, comment, for_each, group, if_less, int, record, thread};
use std::cmp::Ordering;

/// The statements of a kernel.
pub(crate) fn kernel(spec: &Spec) -> Vec<Statement> {
    record(|| {
        let mut writer = Writer { spec, thread: thread(), group: group(), fixed: None };
        writer.fixed = writer.fixed();
        for (i, stage) in spec.stages.iter().enumerate() {
            if i > 0 {
                barrier();
            }
            comment(describe(stage));
            writer.stage(stage);
        }
    })
}

/// What the stages share.
struct Writer<'a> {
    spec: &'a Spec,
    thread: Int,
    group: Int,
    /// The line of a thread, if it always is the same.
    fixed: Option<Line>,
}

/// A line, or a window of one, that a work group has.
#[derive(Clone, Copy)]
struct Line {
    /// Its number among all windows.
    window: Int,
    /// The line's number.
    number: Int,
    /// Its place in local memory.
    slot: Int,
    /// The digits before the window, as a frequency.
    frequency: Int,
    /// The digits after it.
    after: Int,
}

impl Writer<'_> {
    fn stage(&self, stage: &Stage) {
        let Stage { work, from, to } = stage;
        match work {
            Work::Copy(count) => self.copy(*count, from, to),
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

    /// `body` for each of `count` items of each of the work group's windows.
    fn items(&self, count: usize, body: impl Fn(Line, Int)) {
        self.items_of_pairs(count, &body);
        if self.spec.mirrored() {
            self.items_of_pairs(count, |line, item| {
                let before = self.spec.before();
                if_less(int(0), line.frequency, || {
                    if_less(line.frequency * 2, int(before), || body(self.mirror(line), item));
                });
            });
        }
    }

    /// The same, of windows that are mirrored only of the first.
    fn items_of_pairs(&self, count: usize, body: impl Fn(Line, Int)) {
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
        let (total, tile) = (count * spec.tile, spec.tile as i64);
        let one = |i: Int| {
            let (line, item) = match self.fixed {
                Some(line) => (line, i / tile),
                None if spec.interleaved() => (self.of_slot(i % tile), i / tile),
                None => (self.of_slot(i / count as i64), i % count as i64),
            };
            let guard = if spec.windows() % spec.tile == 0 { int(0) } else { line.window };
            if_less(guard, int(spec.windows()), || body(line, item));
        };
        match total.cmp(&spec.threads) {
            Ordering::Equal => one(self.thread),
            Ordering::Less => if_less(self.thread, int(total), || one(self.thread)),
            Ordering::Greater => for_each(self.thread, int(total), int(spec.threads), one),
        }
    }

    /// A thread keeps its line if threads are dealt out to lines in turn.
    fn fixed(&self) -> Option<Line> {
        let Spec { local, tile, threads, .. } = *self.spec;
        let keeps = tile == 1 || self.spec.interleaved() && threads % tile == 0;
        (local && keeps).then(|| self.of_slot(self.thread % tile as i64))
    }

    fn of_slot(&self, slot: Int) -> Line {
        self.line(self.group * self.spec.tile as i64 + slot, slot)
    }

    fn line(&self, window: Int, slot: Int) -> Line {
        let spec = self.spec;
        let (number, part) = match spec.across {
            true => divide(window, spec.lines, spec.parts()),
            false => {
                let (part, number) = divide(window, spec.parts(), spec.lines);
                (number, part)
            }
        };
        let (after, frequency) = divide(part, spec.after(), spec.parts() / spec.after());
        // Which of the windows a number stands for is free: frequencies serve those that write spectra, and no other minds.
        Line { window, number, slot, frequency, after }
    }

    /// The window with terms N − k.
    fn mirror(&self, line: Line) -> Line {
        let frequency = int(self.spec.before()) - line.frequency;
        Line { slot: line.slot + self.spec.tile as i64, frequency, ..line }
    }

    /// The digits before the window in the order of the places.
    fn before(&self, line: Line) -> Int {
        self.place_of(line.frequency, &self.spec.digits[..self.spec.window.first])
    }
}

/// Remainder and quotient of i < `size` · `count`.
fn divide(i: Int, size: usize, count: usize) -> (Int, Int) {
    match (size, count) {
        (1, 1) => (int(0), int(0)),
        (1, _) => (int(0), i),
        (_, 1) => (i, int(0)),
        _ => (i % size as i64, i / size as i64),
    }
}

/// The stage in words.
fn describe(stage: &Stage) -> String {
    match &stage.work {
        Work::Copy(count) => format!("copy {count} elements"),
        Work::Interleave(count) => format!("interleave {count} elements"),
        Work::Butterflies(split) => format!("DFTs of {}, {} a line", split.radix, split.count()),
        Work::Chirp { radix, room, .. } => format!("DFTs of {radix} as convolutions of {room}"),
        Work::Unchirp { radix, .. } => format!("DFTs of {radix} from convolutions"),
        Work::Convolve { length, .. } => format!("convolve {length} elements"),
        Work::After { n, .. } => format!("half spectra of {n} reals, and from these the line"),
        Work::Before { n, .. } => format!("half spectra of {n} reals from the line"),
    }
}
