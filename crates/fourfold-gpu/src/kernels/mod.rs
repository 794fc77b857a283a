//! Writes the kernel of a [`Spec`]: stage after stage, each a loop over the items of the work group's lines.

mod combine;
mod convolve;
mod dft;
mod port;
mod real;

use crate::spec::{Spec, Stage, Work};
use crate::trace::{Int, Statement, barrier, comment, for_each, group, if_less, int, record, thread};

/// The statements of a kernel.
pub(crate) fn kernel(spec: &Spec) -> Vec<Statement> {
    record(|| {
        let writer = Writer { spec, thread: thread(), group: group() };
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
}

/// A line of the work group.
#[derive(Clone, Copy)]
struct Line {
    /// Its number among all lines.
    number: Int,
    /// Its place in the buffers.
    slot: Int,
}

impl Writer<'_> {
    fn stage(&self, stage: &Stage) {
        let Stage { work, from, to } = stage;
        match work {
            Work::Copy(count) => self.items(*count, |line, i| self.write(to, line, i, self.read(from, line, i))),
            Work::Combine(parts) => parts.iter().for_each(|part| self.combine(part, from, to)),
            Work::Butterflies(split) => self.butterflies(split, from, to),
            Work::Unpack { terms, turns } => self.unpack(*terms, *turns, from, to),
            Work::Pack { terms, turns } => self.pack(*terms, *turns, from, to),
            Work::Extend(n) => self.extend(*n, from, to),
            Work::Scatter(split, convolution) => self.scatter(split, convolution, from, to),
            Work::Convolve { batch, length, spectrum, side } => {
                self.convolve([*batch, *length], *spectrum, *side, from, to);
            }
            Work::Gather(split, convolution) => self.gather(split, convolution, from, to),
        }
    }

    /// `body` for each of `count` items of each of the work group's lines.
    fn items(&self, count: usize, body: impl FnOnce(Line, Int)) {
        let spec = self.spec;
        let total = int(count * spec.tile);
        let one = |i: Int| {
            let (slot, item) = match spec.across {
                true => (i % spec.tile as i64, i / spec.tile as i64),
                false if spec.tile == 1 => (int(0), i),
                false => (i / count as i64, i % count as i64),
            };
            if !spec.local {
                return body(Line { number: slot, slot }, item);
            }
            let number = self.group * spec.tile as i64 + slot;
            let number = if spec.lines == 1 { int(0) } else { number };
            let guard = if spec.lines % spec.tile == 0 { int(0) } else { number };
            if_less(guard, int(spec.lines), || body(Line { number, slot }, item));
        };
        if spec.local {
            for_each(self.thread, total, int(spec.threads), one);
        } else {
            let i = self.group * spec.threads as i64 + self.thread;
            if_less(i, total, || one(i));
        }
    }
}

/// The stage in words.
fn describe(stage: &Stage) -> String {
    match &stage.work {
        Work::Copy(count) => format!("copy {count} elements"),
        Work::Combine(_) => "combine".into(),
        Work::Butterflies(split) => format!("DFTs of {}, {} a line", split.radix, split.count()),
        Work::Unpack { terms, .. } => format!("half spectrum of {} reals from {terms} terms", 2 * terms),
        Work::Pack { terms, .. } => format!("{terms} terms from the half spectrum of {} reals", 2 * terms),
        Work::Extend(n) => format!("whole spectrum of {n} reals"),
        Work::Scatter(split, _) => format!("DFTs of {} as convolutions, {} a line", split.radix, split.count()),
        Work::Convolve { batch, length, .. } => format!("convolve {batch} times {length} elements"),
        Work::Gather(split, _) => format!("DFTs of {} from convolutions", split.radix),
    }
}
