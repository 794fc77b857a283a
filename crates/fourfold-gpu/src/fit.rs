//! Fits a pass to a device: which kernels, how many lines a work group takes, and with how many threads.

use crate::runtime::Limits;
use crate::spec::{Port, Spec, Stage, Window, Work};
use fourfold::Precision;

/// Threads of a work group; more where few work groups share a multiprocessor.
const THREADS: usize = 256;

/// Bytes of neighbouring lines that are read as one run: as many as the memory reads at once.
const RUN: usize = 128;

/// Bytes of a run below which two trips through memory in long runs are better than one.
const LEAST_RUN: usize = 32;

impl Spec {
    /// The kernels of the pass.
    pub(crate) fn fitted(mut self, limits: &Limits) -> Vec<Spec> {
        self.across &= self.lines > 1;
        let whole = self.clone().tiled(limits);
        let windows = || self.windowed(limits);
        match whole {
            Some(spec) if spec.run() >= LEAST_RUN.min(spec.wanted_run()) => vec![spec],
            Some(spec) => windows().unwrap_or(vec![spec]),
            None => windows().unwrap_or_else(|| self.staged(limits)),
        }
    }

    /// With the buffer in local memory, if it fits.
    fn tiled(mut self, limits: &Limits) -> Option<Spec> {
        self.tile = 1;
        if self.local_bytes() > limits.local_bytes {
            return None;
        }
        let wanted = self.wanted();
        // Half of the memory, so that one work group computes while another reads; all of it for runs that are short otherwise.
        let room = |spec: &Spec| {
            if spec.across && spec.run() <= RUN / 2 { limits.local_bytes } else { limits.local_bytes / 2 }
        };
        loop {
            let next = Spec { tile: 2 * self.tile, ..self.clone() };
            if next.tile > wanted || next.local_bytes() > room(&next) {
                break;
            }
            self = next;
        }
        let crowded = 3 * self.local_bytes() > limits.local_bytes;
        let most = match self.precision {
            Precision::F32 if crowded => 2 * THREADS,
            _ => THREADS,
        };
        let items = self.stages.iter().map(|stage| self.window_items(&stage.work)).max().unwrap_or(1);
        self.threads = (items * self.tile).next_multiple_of(32).clamp(1, most.min(limits.threads));
        Some(self)
    }

    /// Items of a stage in one window.
    fn window_items(&self, work: &Work) -> usize {
        (work.items() / (self.before() * self.after())).max(1)
    }

    /// Bytes that neighbouring lines of a work group have together in memory.
    fn run(&self) -> usize {
        self.tile.min(self.lines) * self.line_bytes()
    }

    fn wanted_run(&self) -> usize {
        if self.across { RUN.min(self.lines * self.line_bytes()) } else { 0 }
    }

    /// Bytes from a line to the next.
    fn line_bytes(&self) -> usize {
        let reals =
            self.geometry.axes.first().map_or(1, |axis| axis.output.unsigned_abs().min(axis.input.unsigned_abs()));
        (reals as usize).clamp(1, 2) * self.precision.bytes()
    }

    /// Lines that a work group should have: a run of memory, or work for enough threads.
    fn wanted(&self) -> usize {
        let items = self.stages.iter().map(|stage| self.window_items(&stage.work)).max().unwrap_or(1);
        let run = if self.across { RUN / self.line_bytes() } else { 1 };
        run.max(THREADS / items).clamp(1, self.windows().next_power_of_two())
    }

    /// Kernels on windows of digits, the first and the last of which do the combines too.
    fn windowed(&self, _limits: &Limits) -> Option<Vec<Spec>> {
        None
    }

    /// A kernel for each stage, with buffers in device memory.
    fn staged(&self, limits: &Limits) -> Vec<Spec> {
        let threads = THREADS.min(limits.threads);
        let outside = |port: &Port| if *port == Port::Buffer { Port::Scratch } else { port.clone() };
        let one = |stage: &Stage| Spec {
            stages: vec![Stage { from: outside(&stage.from), to: outside(&stage.to), ..stage.clone() }],
            local: false,
            tile: 1,
            threads,
            ..self.clone()
        };
        self.stages.iter().map(one).collect()
    }
}

impl Window {
    /// All of so many digits.
    pub(crate) fn all(digits: usize) -> Window {
        Window { first: 0, last: digits }
    }
}
