//! Fits a pass to a device: which kernels, how many lines a block takes, and with how many
//! threads.

use crate::desc::choice::Size;
use crate::desc::kernel::{DigitRange, KernelDesc, Packing};
use crate::desc::stage::{Port, Stage, StageOp};
use crate::ir::packed::WARP;
use crate::limits::Limits;
use fourfold::Precision;

/// Threads of a block; more where few blocks share an SM, or none do.
const THREADS: usize = 256;

/// Bytes of neighbouring lines that are read as one run: as many as the memory reads at once.
pub(crate) const RUN: usize = 128;

/// How many times as many blocks as SMs are many, or as few of them few.
const FEW: usize = 8;

/// Bytes of a run below which two trips through memory in long runs are better than one.
pub(crate) const LEAST_RUN: usize = 32;

/// Bytes in shared memory of columns in runs of 64 bytes, with the padding, which take so many for
/// each byte of a run.
pub(crate) fn run_bytes(column: usize) -> usize {
    column.saturating_add(column / 16).saturating_mul(RUN / 2)
}

impl Limits {
    /// Whether so few blocks have so many butterflies each that more of them are faster,
    /// though they run in several kernels.
    pub(crate) fn spreads(&self, groups: usize, butterflies: usize) -> bool {
        FEW * groups <= self.sms && butterflies > 2 * THREADS
    }
}

impl KernelDesc {
    /// The kernels of the pass, by clusters if they are `shared`.
    pub(crate) fn fitted(mut self, limits: &Limits, clustered: bool, size: Size) -> Vec<KernelDesc> {
        self.across &= self.lines > 1;
        let whole = self.clone().tiled(limits, size);
        let spread = whole
            .as_ref()
            .is_none_or(|desc| size.tile.is_none() && limits.spreads(desc.blocks(), desc.butterflies()[1]));
        if spread {
            // Their block would need the line as a whole.
            self = self.straightened(0).straightened(1);
        }
        let split = || self.split_by_digits(limits);
        if let Some(desc) = clustered.then(|| self.clustered(limits, size)).flatten() {
            return vec![desc];
        }
        match whole {
            Some(desc) if spread => split().unwrap_or(vec![desc]),
            Some(desc) if size.tile.is_some() || desc.has_runs() => vec![desc],
            Some(desc) => split().unwrap_or(vec![desc]),
            None => split().unwrap_or_else(|| self.staged(limits)),
        }
    }

    /// Whether lines that a block has together are runs of memory.
    fn has_runs(&self) -> bool {
        !self.across || self.contiguous_bytes() >= LEAST_RUN.min(self.wanted_contiguous_bytes())
    }

    /// Whether whole lines in shared memory are better than several kernels.
    pub(crate) fn suits_whole_lines(&self, limits: &Limits) -> bool {
        let spreads = || limits.spreads(self.blocks(), self.butterflies()[1]);
        self.shared && (self.cluster > 1 || self.has_runs() && !spreads())
    }

    /// With the buffer in shared memory, if it fits.
    pub(crate) fn tiled(mut self, limits: &Limits, size: Size) -> Option<KernelDesc> {
        self.tile = 1;
        if self.shared_bytes() > limits.shared_bytes {
            return None;
        }
        let wanted = size.tile.unwrap_or_else(|| self.wanted());
        // Half of the memory, so that one block computes while another reads; all of it for
        // runs that are short otherwise.
        let room = |desc: &KernelDesc| {
            if size.tile.is_some() || desc.interleaved() && desc.contiguous_bytes() <= RUN / 2 {
                limits.shared_bytes
            } else {
                limits.shared_bytes / 2
            }
        };
        loop {
            let next = KernelDesc { tile: 2 * self.tile, ..self.clone() };
            if next.tile > wanted || next.shared_bytes() > room(&next) {
                break;
            }
            self = next;
        }
        // Work for every SM, before runs are long; sublines take less long each.
        let whole = self.range == DigitRange::all(self.digits.len());
        let least = if whole { 3 * limits.sms / 4 } else { 2 * limits.sms };
        while size.tile.is_none() && self.blocks() < least && self.tile > 1 && self.contiguous_bytes() > LEAST_RUN {
            self.tile /= 2;
        }
        // So that registers, of which f64 takes twice as many, hold as many threads as shared
        // memory has room for.
        let width = 16 / self.precision().bytes();
        let one_per_sm = width * self.shared_bytes() > limits.shared_bytes || self.blocks() <= limits.sms;
        let most = if one_per_sm { 2 * THREADS } else { THREADS };
        let most = size.threads.unwrap_or(most).min(limits.threads);
        // Both sublines of a Hermitian pair at once take half as long, but longer in all.
        self.side_by_side = self.blocks() <= FEW * limits.sms;
        let sublines = if self.side_by_side { self.slots() } else { self.tile };
        self.threads = (self.dealt() * sublines).next_multiple_of(WARP).clamp(1, most);
        Some(self.with_lane_pairs(limits).with_padding(limits))
    }

    /// Items of a subline for which there are threads: those of the longest stage of butterflies.
    /// Along memory, where a line of complex numbers has those of one line, those of the shortest
    /// measured faster: a thread for each of its long butterflies, and several short ones for every
    /// thread; but 4 % slower for three quarters that are folded in f64.
    fn dealt(&self) -> usize {
        let [least, most] = self.butterflies();
        let folds = |stage: &Stage| matches!(stage.op, StageOp::SymmetricLastPass(_) | StageOp::SymmetricProduct(_));
        let folds = self.stages.iter().any(folds);
        let one = matches!(self.packing, Packing::Complex | Packing::HalfLength) && !self.convolves() && !folds;
        if one && !self.interleaved() { least } else { most }
    }

    /// Items of the shortest and the longest stage of butterflies in one subline, or of any if
    /// there are none: of combines a thread takes several.
    pub(crate) fn butterflies(&self) -> [usize; 2] {
        let items = |stage: &Stage| self.subline_items(&stage.op);
        let butterflies = self.stages.iter().filter(|stage| matches!(stage.op, StageOp::Butterflies(_))).map(items);
        let butterflies: Vec<usize> = butterflies.collect();
        let all = if butterflies.is_empty() { self.stages.iter().map(items).collect() } else { butterflies };
        let ends = [all.iter().min(), all.iter().max()];
        ends.map(|count| *count.unwrap_or(&1))
    }

    /// Items of a stage in one subline.
    fn subline_items(&self, op: &StageOp) -> usize {
        (op.items() / (self.before() * self.after())).max(1)
    }

    /// Bytes of memory in which neighbouring sublines of a block stand side by side.
    pub(crate) fn contiguous_bytes(&self) -> usize {
        self.tile.min(self.neighbours()) * self.line_bytes()
    }

    pub(crate) fn wanted_contiguous_bytes(&self) -> usize {
        RUN.min(self.neighbours() * self.line_bytes())
    }

    /// Sublines that stand side by side in memory.
    fn neighbours(&self) -> usize {
        match self.across {
            true => self.lines,
            false => self.parts(),
        }
    }

    /// Bytes from a subline to the next.
    pub(crate) fn line_bytes(&self) -> usize {
        if !self.across {
            return 2 * self.precision().bytes();
        }
        self.geometry.line_bytes(self.storage)
    }

    /// Lines that a block should have: a run of memory, or work for enough threads.
    fn wanted(&self) -> usize {
        let items = self.stages.iter().map(|stage| self.subline_items(&stage.op)).max().unwrap_or(1);
        let least = match self.interleaved() {
            true => RUN / self.line_bytes(),
            // Two lines of two warps each measured 5 % faster than one.
            false if self.precision() == Precision::F64 && self.dealt() == 2 * WARP => 2,
            false => 1,
        };
        least.max(THREADS / items).clamp(1, self.sublines().next_power_of_two())
    }

    /// A kernel for each stage, with buffers in device memory.
    fn staged(&self, limits: &Limits) -> Vec<KernelDesc> {
        let threads = THREADS.min(limits.threads);
        let outside = |port: &Port| if *port == Port::Buffer { Port::Scratch } else { port.clone() };
        let one = |stage: &Stage| KernelDesc {
            stages: vec![Stage { from: outside(&stage.from), to: outside(&stage.to), ..stage.clone() }],
            shared: false,
            tile: 1,
            threads,
            ..self.clone()
        };
        self.stages.iter().map(one).collect()
    }
}
