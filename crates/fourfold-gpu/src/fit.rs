//! Fits a pass to a device: how many lines a work group takes, with how many threads, and where their buffers are.

use crate::spec::Spec;

/// Threads of a work group; more where few work groups share a multiprocessor.
const THREADS: usize = 256;

/// Bytes of neighbouring lines that are read as one run.
const RUN: usize = 128;

impl Spec {
    /// The kernels of the pass: one with buffers in local memory, or one for each stage.
    pub(crate) fn fitted(mut self, local_bytes: usize, most_threads: usize) -> Vec<Spec> {
        self.across &= self.lines > 1;
        self.tile = 1;
        let fits = |spec: &Spec| spec.local_reals() * spec.precision.bytes() <= local_bytes;
        if !fits(&self) {
            return self.staged(most_threads);
        }
        let wanted = self.wanted();
        while 2 * self.tile <= wanted && fits(&Spec { tile: 2 * self.tile, ..self.clone() }) {
            self.tile *= 2;
        }
        let crowded = 3 * self.local_reals() * self.precision.bytes() > local_bytes;
        let most = most_threads.min(if crowded { 2 * THREADS } else { THREADS });
        let items = self.stages.iter().map(|stage| stage.work.items()).max().unwrap_or(1);
        self.threads = (items * self.tile).next_multiple_of(32).clamp(1, most);
        vec![self]
    }

    /// Lines that a work group should have: a run of memory, or work for enough threads.
    fn wanted(&self) -> usize {
        let items = self.stages.iter().map(|stage| stage.work.items()).max().unwrap_or(1);
        let parts = if self.geometry.input.complex || self.geometry.output.complex { 2 } else { 1 };
        let run = if self.across { RUN / (parts * self.precision.bytes()) } else { 1 };
        run.max(THREADS / items.max(1)).clamp(1, self.lines)
    }

    fn staged(self, most_threads: usize) -> Vec<Spec> {
        let (tile, threads) = (self.lines, THREADS.min(most_threads));
        let one = |stage: &crate::spec::Stage| Spec {
            stages: vec![stage.clone()],
            local: false,
            tile,
            threads,
            ..self.clone()
        };
        self.stages.iter().map(one).collect()
    }
}
