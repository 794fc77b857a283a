//! Writes the kernel of a [`Spec`]: stage after stage, each a loop over the items of the work group's lines.

mod combine;
mod convolve;
mod dft;
mod place;
mod port;

use crate::spec::{Spec, Stage, Work};
use crate::trace::{Int, Statement, barrier, comment, for_each, group, if_less, int, record, thread};

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
    /// The digits before the window, in the order of the places, and as a frequency.
    before: Int,
    frequency: Int,
    /// The digits after it.
    after: Int,
}

impl Writer<'_> {
    fn stage(&self, stage: &Stage) {
        let Stage { work, from, to } = stage;
        match work {
            Work::Copy(count) => self.copy(*count, from, to),
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

    /// `body` for each of `count` items of each of the work group's lines.
    fn items(&self, count: usize, body: impl FnOnce(Line, Int)) {
        let spec = self.spec;
        if count == 0 {
            return;
        }
        if !spec.local {
            let i = self.group * spec.threads as i64 + self.thread;
            let windows = spec.windows() as i64;
            let (window, item) = match spec.across {
                true => (i % windows, i / windows),
                false => (i / count as i64, i % count as i64),
            };
            return if_less(i, int(count * spec.windows()), || body(self.line(window, int(0)), item));
        }
        let (total, tile) = (count * spec.tile, spec.tile as i64);
        let one = |i: Int| {
            let (line, item) = match self.fixed {
                Some(line) => (line, i / tile),
                None if spec.across => (self.of_slot(i % tile), i / tile),
                None => (self.of_slot(i / count as i64), i % count as i64),
            };
            let guard = if spec.windows() % spec.tile == 0 { int(0) } else { line.window };
            if_less(guard, int(spec.windows()), || body(line, item));
        };
        match total.cmp(&spec.threads) {
            std::cmp::Ordering::Equal => one(self.thread),
            std::cmp::Ordering::Less => if_less(self.thread, int(total), || one(self.thread)),
            std::cmp::Ordering::Greater => for_each(self.thread, int(total), int(spec.threads), one),
        }
    }

    /// A thread keeps its line if threads are dealt out to lines in turn.
    fn fixed(&self) -> Option<Line> {
        let Spec { local, across, tile, threads, .. } = *self.spec;
        (local && (tile == 1 || across && threads % tile == 0)).then(|| self.of_slot(self.thread % tile as i64))
    }

    fn of_slot(&self, slot: Int) -> Line {
        self.line(self.group * self.spec.tile as i64 + slot, slot)
    }

    fn line(&self, window: Int, slot: Int) -> Line {
        let spec = self.spec;
        let (lines, before, after) = (spec.lines, spec.before(), spec.after());
        let (number, part) = match spec.across {
            true => divide(window, lines, before * after, false),
            false => divide(window, before * after, lines, true),
        };
        let (after, k) = divide(part, after, before, false);
        let last = spec.after() == 1;
        let before = if last { self.place_of(k, &spec.digits[..spec.window.first]) } else { k };
        Line { window, number, slot, before, frequency: k, after }
    }
}

/// Remainder and quotient of i < `size` · `count`; `swap` for the quotient first.
fn divide(i: Int, size: usize, count: usize, swap: bool) -> (Int, Int) {
    let (low, high) = match (size, count) {
        (1, _) => (int(0), i),
        (_, 1) => (i, int(0)),
        _ => (i % size as i64, i / size as i64),
    };
    let (low, high) = if size == 1 && count == 1 { (int(0), int(0)) } else { (low, high) };
    if swap { (high, low) } else { (low, high) }
}

/// The stage in words.
fn describe(stage: &Stage) -> String {
    match &stage.work {
        Work::Copy(count) => format!("copy {count} elements"),
        Work::Butterflies(split) => format!("DFTs of {}, {} a line", split.radix, split.count()),
        Work::Chirp { radix, room, .. } => format!("DFTs of {radix} as convolutions of {room}"),
        Work::Unchirp { radix, .. } => format!("DFTs of {radix} from convolutions"),
        Work::Convolve { length, .. } => format!("convolve {length} elements"),
        Work::After { n, .. } => format!("half spectra of {n} reals, and from these the line"),
        Work::Before { n, .. } => format!("half spectra of {n} reals from the line"),
    }
}
