//! Writes the kernel of a [`KernelDesc`]: stage after stage, each a loop over the items of the
//! block's lines.

use crate::desc::kernel::{KernelDesc, Packing};
use crate::desc::pointwise::Pointwise;
use crate::desc::sizes::Strips;
use crate::desc::stage::{Port, Stage, StageOp};
use crate::ir::statement::{Int, Statement, Sym, int};
use crate::ir::trace::{barrier, block, cluster_barrier, cluster_begin, comment, record, select, thread};
use fourfold::engine::C;

/// The statements of a kernel.
pub(crate) fn kernel(desc: &KernelDesc) -> Vec<Statement> {
    record(|| {
        let (thread, block) = (thread(), block());
        for (i, pass) in desc.passes().enumerate() {
            if i > 0 {
                barrier();
            }
            one_pass(pass, thread, block);
        }
    })
}

fn one_pass(desc: &KernelDesc, thread: Int, block: Int) {
    let home = Writer::new(desc, desc, thread, block);
    let across = desc.across_cluster();
    let across = across.as_ref().map(|view| Writer::new(view, desc, thread, block));
    let rows = desc.before_rows();
    let rows = rows.as_ref().map(|view| Writer::new(view, desc, thread, int(0)));
    let mut stages = desc.stages.iter().enumerate();
    while let Some((i, stage)) = stages.next() {
        let before = i.checked_sub(1).map(|i| &desc.stages[i]);
        wait_between(before, stage);
        comment(describe(stage));
        let fused = &desc.stages[i..i + desc.fused_stages(i)];
        if let [_, others @ ..] = fused
            && !others.is_empty()
        {
            stages.by_ref().take(others.len()).for_each(|(_, stage)| comment(describe(stage)));
            home.multiplying(fused).fused_combine(fused);
            continue;
        }
        let rows = rows.filter(|_| i + 2 == desc.stages.len());
        let own = rows.unwrap_or(home);
        let across = across.filter(|_| stage.is_across_cluster());
        let view = across.unwrap_or_else(|| own.taking(desc.takes_sublines(stage)));
        let view = view.multiplying(fused);
        // All threads of a cluster wait for each other before they write to other blocks.
        let guarded = stage.is_outside() && stage.to != Port::ClusterSlices;
        let items_per_thread = desc.items_per_thread(stage);
        let takes_rest_singly = desc.takes_rest_singly(stage);
        let in_place = matches!(stage.op, StageOp::SpectrumProduct(_) | StageOp::SymmetricProduct(_));
        let exchanges = home.lane_pairs(0, &stage.from).or(home.lane_pairs(1, &stage.to)).is_some();
        Writer { guarded, items_per_thread, takes_rest_singly, in_place, exchanges, ..view }.stage(stage);
    }
}

/// Until what the stage before has written can be read.
pub(crate) fn wait_between(before: Option<&Stage>, after: &Stage) {
    match before.map(|stage| &stage.to) {
        // The stage waits itself, before it writes: until all blocks of the cluster have
        // begun.
        None if after.to == Port::Cluster => cluster_begin(),
        None => {}
        Some(Port::Cluster | Port::ClusterSlices) => cluster_barrier(),
        Some(_) => barrier(),
    }
}

/// What the stages share.
#[derive(Clone, Copy)]
pub(crate) struct Writer<'a> {
    /// The kernel, as the stage sees it.
    pub(crate) desc: &'a KernelDesc,
    /// The kernel that has the buffers.
    pub(crate) buffers: &'a KernelDesc,
    pub(crate) thread: Int,
    /// The block: its tile, or with axis fusion its part of the array.
    pub(crate) block: Int,
    /// Which of the cluster's blocks.
    pub(crate) rank: Int,
    /// The line of a thread, if it always is the same.
    pub(crate) fixed: Option<Subline>,
    /// Whether the last tile, where it has fewer lines, must not touch what others would have.
    pub(crate) guarded: bool,
    /// How many items a thread takes at once, if it has several.
    pub(crate) items_per_thread: usize,
    /// Whether items beyond whole rounds of so many are taken one by one.
    pub(crate) takes_rest_singly: bool,
    /// Whether neighbouring threads take neighbouring sublines.
    pub(crate) takes_sublines: bool,
    /// Whether no two threads may take an item, since what it reads is what it writes.
    pub(crate) in_place: bool,
    /// Whether threads exchange registers.
    pub(crate) exchanges: bool,
    /// What the stage does to single elements.
    pub(crate) multiplied: Option<&'a Pointwise>,
}

/// What the factors of a line's elements have in common, or the terms of their sums, of each of the
/// lines that are packed.
pub(crate) type Common = [Option<C<Sym>>; 2];

/// A subline that a block has: the elements of a line with the same digits outside the kernel's
/// range.
#[derive(Clone, Copy)]
pub(crate) struct Subline {
    /// Its number among all sublines.
    pub(crate) index: Int,
    /// The line's number.
    pub(crate) number: Int,
    /// Its place in shared memory.
    pub(crate) slot: Int,
    /// 1 for the second subline of a Hermitian pair.
    pub(crate) half: Int,
    /// The digits before the range, as a frequency.
    pub(crate) frequency: Int,
    /// The digits after it.
    pub(crate) after: Int,
    /// What the factors of its elements have in common, if the stage multiplies.
    pub(crate) common: Common,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(desc: &'a KernelDesc, buffers: &'a KernelDesc, thread: Int, block: Int) -> Writer<'a> {
        let (rank, block) = divide(block, desc.cluster, usize::MAX);
        let block = match desc.blocks_of_each_line() {
            Some(blocks) => {
                let (line, part) = divide(block, desc.lines, blocks);
                let part = if desc.multiplies_by_chirp() { from_both_ends(part, blocks) } else { part };
                line * blocks as i64 + part
            }
            None if desc.takes_ends() => match desc.strips() {
                Some(strips) => in_strips(block, desc.tiles(), strips),
                None => from_both_ends(block, desc.tiles()),
            },
            None => block,
        };
        let (fixed, guarded, items_per_thread, multiplied) = (None, true, 1, None);
        let [takes_rest_singly, in_place, exchanges] = [false; 3];
        let takes_sublines = desc.interleaved();
        let writer = Writer {
            desc,
            buffers,
            thread,
            block,
            rank,
            fixed,
            guarded,
            items_per_thread,
            takes_rest_singly,
            takes_sublines,
            in_place,
            exchanges,
            multiplied,
        };
        Writer { fixed: writer.fixed(), ..writer }
    }

    /// For a stage whose neighbouring threads take neighbouring sublines, or do not.
    fn taking(self, takes_sublines: bool) -> Writer<'a> {
        if takes_sublines == self.takes_sublines {
            return self;
        }
        let writer = Writer { takes_sublines, ..self };
        Writer { fixed: writer.fixed(), ..writer }
    }

    /// For stages that are written as one: what is done to the array that they read or write, or to
    /// the spectrum between them.
    fn multiplying(self, stages: &[Stage]) -> Writer<'a> {
        let touches = |stage: &Stage| {
            let [from, to] = [&stage.from, &stage.to].map(|port| matches!(port, Port::Array(_)));
            [from, to, stage.op.is_product()]
        };
        let touched = stages.iter().map(touches).fold([false; 3], |a, b| [0, 1, 2].map(|i| a[i] || b[i]));
        let multiplied = (0..3).filter(|&i| touched[i]).find_map(|i| self.desc.pointwise[i].as_ref());
        let writer = Writer { multiplied, ..self };
        // What all elements of a thread's line have in common is found before its loops.
        let fixed = self.fixed.map(|line| Subline { common: writer.common(line.number), ..line });
        Writer { fixed, ..writer }
    }

    pub(crate) fn stage(&self, stage: &Stage) {
        let Stage { op, from, to } = stage;
        match op {
            StageOp::Copy(count) => self.copy(*count, from, to),
            StageOp::SymmetricLastPass(pass) => match self.desc.packing {
                Packing::Quarters => self.odd_last_pass(pass, from),
                _ => self.symmetric_last_pass(pass, from),
            },
            StageOp::Interleave(count) => self.interleave(*count, from, to),
            StageOp::CopyLines(n) => self.copy_lines(*n),
            StageOp::LineOrder(count) => self.line_order(*count, from, to),
            StageOp::Butterflies(split) => self.butterflies(split, from, to),
            StageOp::Chirp { split, chirp } => self.chirp(split, chirp, from, to),
            StageOp::Unchirp { split, chirp } => self.unchirp(split, chirp, from, to),
            StageOp::ConvolveDigit { split, spectrum } => self.convolve_digit(split, *spectrum, from, to),
            StageOp::ConvolveLine { split, spectrum } => self.convolve_line(split, *spectrum, from, to),
            StageOp::HalfSpectraToLine { n, roots, steps } => self.half_spectra_to_line(*n, *roots, steps, from, to),
            StageOp::LineToHalfSpectra { n, roots, terms } => self.line_to_half_spectra(*n, *roots, terms, from, to),
            StageOp::SpectrumProduct(product) => self.spectrum_product(product),
            StageOp::SymmetricProduct(product) => match self.desc.packing {
                Packing::Quarters => self.odd_product(product),
                _ => self.symmetric_product(product),
            },
            StageOp::ElementProduct(product) => self.element_products(product),
            StageOp::SignalProduct(product) => self.signal_products(product),
        }
    }

    pub(crate) fn is_across_cluster(&self) -> bool {
        self.desc.cluster > 1 && self.desc.range.first == 0
    }

    /// Whether every thread runs through the body of a stage across the cluster exactly once, so
    /// that it can wait there.
    pub(crate) fn waits_late(&self, count: usize) -> bool {
        let KernelDesc { cluster, tile, threads, .. } = *self.desc;
        count % cluster == 0 && count / cluster * tile == threads && self.desc.has_even_tiles()
    }

    /// The first subline of a Hermitian pair, or the other.
    pub(crate) fn half_of(&self, line: Subline, half: Int) -> Subline {
        let before = int(self.desc.before());
        let (low, high) = match self.desc.cluster > 1 {
            true => (self.rank, select(self.rank, int(1), int(self.desc.before() / 2), before - self.rank)),
            false => (line.frequency, select(line.frequency, int(1), int(0), before - line.frequency)),
        };
        let slot = line.slot + half * self.desc.hermitian_offset() as i64;
        Subline { slot, half, frequency: select(half, int(1), low, high), ..line }
    }

    /// A thread keeps its line if threads are dealt out to lines cyclically.
    pub(crate) fn fixed(&self) -> Option<Subline> {
        let KernelDesc { shared, tile, threads, .. } = *self.desc;
        let keeps = tile == 1 || self.takes_sublines && threads % tile == 0;
        (shared && keeps).then(|| self.of_slot(self.thread % tile as i64))
    }

    /// That of a place in the tile. Past the last one it stands for the last one, so that what it reads
    /// is there.
    pub(crate) fn of_slot(&self, slot: Int) -> Subline {
        let (index, count) = (self.block * self.desc.tile as i64 + slot, self.desc.sublines());
        let there = if self.desc.has_even_tiles() { index } else { select(index, int(count), index, int(count - 1)) };
        Subline { index, ..self.subline(there, slot) }
    }

    pub(crate) fn subline(&self, index: Int, slot: Int) -> Subline {
        let desc = self.desc;
        let (number, part) = match desc.across {
            true => {
                let (near, rest) = divide(index, desc.near, desc.parts() * (desc.lines / desc.near));
                let (part, others) = divide(rest, desc.parts(), desc.lines / desc.near);
                (near + others * desc.near as i64, part)
            }
            false => {
                let (part, number) = divide(index, desc.parts(), desc.lines);
                (number, part)
            }
        };
        let half = part / 2;
        let part = match desc.mirrors_sublines() {
            true => select(part % 2, int(1), half, int(desc.parts() - 1) - half),
            false => part,
        };
        let (after, frequency) = divide(part, desc.after(), desc.parts() / desc.after());
        // Which of the sublines a number stands for is free: frequencies serve those that write
        // spectra, and no other minds.
        let frequency = match desc.kept_frequencies() {
            Some(kept) => frequency % kept as i64 + frequency / kept as i64 * desc.halved as i64,
            None => frequency + self.rank,
        };
        Subline { index, number, slot, half: int(0), frequency, after, common: self.common(number) }
    }

    /// The digits before the range in the order of the places.
    pub(crate) fn before(&self, line: Subline) -> Int {
        self.place_of(line.frequency, &self.desc.digits[..self.desc.range.first])
    }
}

/// Number i of `count`, from both ends inwards.
fn from_both_ends(i: Int, count: usize) -> Int {
    select(i % 2, int(1), i / 2, int(count - 1) - i / 2)
}

/// Number i of `count`, from number `middle` on, one before and one after in turn.
fn from_the_middle(i: Int, count: usize, middle: usize) -> Int {
    let (before, after) = (int(middle + count) - i / 2, i / 2 + (middle + 1) as i64);
    select(i % 2, int(1), before, after) % count as i64
}

/// The same in each of several strips in turn. Some strips have one number more than others: these numbers come last.
pub(crate) fn in_strips(i: Int, count: usize, Strips { count: strips, middle, .. }: Strips) -> Int {
    let (length, longer) = (count / strips, count % strips);
    let (turn, strip) = (i / strips as i64, i % strips as i64);
    let first = strip * length as i64 + select(strip, int(longer), strip, int(longer));
    let within = from_the_middle(turn, length, middle);
    first + if longer == 0 { within } else { select(turn, int(length), within, int(length)) }
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
    match &stage.op {
        StageOp::Copy(count) => format!("copy {count} elements"),
        StageOp::Interleave(count) | StageOp::LineOrder(count) => format!("interleave {count} elements"),
        StageOp::CopyLines(n) => format!("rows of {n} reals as they stand"),
        StageOp::Butterflies(split) => {
            let across = if stage.is_across_cluster() { " across the cluster" } else { "" };
            format!("DFTs of {}{across}, {} a line", split.radix, split.count())
        }
        StageOp::Chirp { split, chirp } => {
            let (room, count) = (split.radix * chirp.step, split.count());
            format!("DFTs of {} as convolutions of {room}: DFTs of {}, {count} a line", chirp.radix, split.radix)
        }
        StageOp::Unchirp { split, chirp } => {
            format!("DFTs of {}, {} a line, and from these DFTs of {}", split.radix, split.count(), chirp.radix)
        }
        StageOp::ConvolveDigit { split, .. } | StageOp::ConvolveLine { split, .. } => {
            format!("convolve with DFTs of {0} there and back, {1} a line", split.radix, split.count())
        }
        StageOp::SymmetricLastPass(pass) => {
            format!("three half spectra of {} reals, and from these the line", pass.len)
        }
        StageOp::HalfSpectraToLine { n, .. } => format!("half spectra of {n} reals, and from these the line"),
        StageOp::LineToHalfSpectra { n, .. } => format!("half spectra of {n} reals from the line"),
        StageOp::ElementProduct(product) => format!("{} elements, multiplied", product.n),
        StageOp::SignalProduct(product) => format!("{} elements of a signal, multiplied", product.n),
        StageOp::SpectrumProduct(product) => format!("half spectra of {} reals, multiplied on the line", product.n),
        StageOp::SymmetricProduct(product) => {
            format!("three half spectra of {} reals, multiplied on the line", product.there.len)
        }
    }
}
