//! Where neighbouring reals are read or written by pairs of threads, and where by a stage.

use crate::attributes::DeviceAttributes;
use crate::desc::choice::Size;
use crate::desc::kernel::{KernelDesc, Packing};
use crate::desc::stage::{Port, Split, Stage, StageOp, View};
use fourfold::Precision;

impl DeviceAttributes {
    /// Threads of a warp that may exchange registers: one if the device cannot, or the choice says so.
    pub(crate) fn exchanging_warp(&self, size: Size) -> usize {
        if self.exchanges_registers && size.exchange != Some(0) { self.warp } else { 1 }
    }
}

impl KernelDesc {
    /// Without a stage that only reorders neighbours, the first or (`end` 1) the last. Beside a convolution,
    /// which cannot touch the array itself, it copies the elements as they are.
    pub(crate) fn straightened(mut self, end: usize) -> KernelDesc {
        let touches = |stage: &Stage| matches!(&stage.op, StageOp::Butterflies(split) if split.rader.is_none());
        match &mut *self.stages {
            [Stage { op: StageOp::Interleave(_), from, .. }, next, ..] if end == 0 && touches(next) => {
                next.from = from.clone();
                self.stages.remove(0);
            }
            [.., last, Stage { op: StageOp::Interleave(_) | StageOp::LineOrder(_), to, .. }]
                if end == 1 && touches(last) =>
            {
                last.to = to.clone();
                self.stages.pop();
            }
            stages => {
                let stage = if end == 0 { stages.first_mut() } else { stages.last_mut() };
                let op = stage.map(|stage| &mut stage.op);
                if let Some(op @ &mut (StageOp::Interleave(count) | StageOp::LineOrder(count))) = op {
                    *op = StageOp::Copy(count);
                }
            }
        }
        self
    }

    /// With lane pairs instead of such stages, and where every second or fourth real would be read.
    /// To write spectra that are combined (DCT-IV) they measured 5 to 10 % slower than a stage; to
    /// read two lines as one in `f32`, 1 to 2 % slower than single threads.
    pub(crate) fn with_lane_pairs(mut self, device: &DeviceAttributes, size: Size) -> KernelDesc {
        self.warp = device.exchanging_warp(size);
        let pays = [self.packing != Packing::TwoForOne || self.precision() == Precision::F64, self.inverse];
        let pays = pays.map(|pays| if self.has_whole_lines() { pays } else { self.may_mirror(device) });
        let pays = size.exchange.map_or(pays, |exchange| [exchange == 1; 2]);
        for end in [0, 1].into_iter().filter(|end| device.exchanges_registers && pays[*end]) {
            let straight = self.clone().straightened(end);
            if straight.may_have_lane_pairs(end) {
                self = straight;
                self.lane_pairs[end] = true;
            }
        }
        self
    }

    /// Whether the DFTs of the first digit, in the first stage or the last, can be dealt out so
    /// that those of mirrored elements are in one warp.
    fn may_have_lane_pairs(&self, end: usize) -> bool {
        let outermost = if end == 0 { self.stages.first() } else { self.stages.last() };
        let Some(Stage { op: StageOp::Butterflies(split), from, to }) = outermost else { return false };
        let halves = matches!([from, to][end], Port::Array(View { halves: true, .. }));
        if !self.has_whole_lines() {
            let fits = |threads: usize| threads <= self.threads && self.threads % self.warp == 0;
            return halves && self.mirroring_threads(end, split).is_some_and(fits);
        }
        let whole = !self.has_runs() && self.cluster == 1 && self.places() == split.radix * split.groups;
        // All threads of a warp come where they exchange.
        let threads = split.groups * self.tile;
        let warps = match split.groups < self.warp {
            true => {
                split.groups.is_power_of_two()
                    && (threads < self.warp || threads % self.warp == 0)
                    && self.has_even_tiles()
            }
            false => split.groups % self.warp == 0,
        };
        halves
            && split.inner == 1
            && split.groups > 1
            && whole
            && split.radix % 2 == 0
            && warps
            && self.threads % self.warp == 0
    }

    /// Whether sublines of a range may be mirrored. Where no SM has a second block, caches have what is beside
    /// their runs. (On an H200 `dct2 f64 262144` 10.3 µs without lane pairs, 13.2 with them.)
    fn may_mirror(&self, device: &DeviceAttributes) -> bool {
        device.exchanges_registers && !self.has_whole_lines() && self.blocks() > device.sms
    }

    /// The threads with which an end of the kernel has mirrored sublines, if it can.
    pub(crate) fn threads_for_mirrors(&self, device: &DeviceAttributes) -> Option<usize> {
        if !self.may_mirror(device) {
            return None;
        }
        let ends =
            [self.stages.first().map(|stage| (stage, &stage.from)), self.stages.last().map(|stage| (stage, &stage.to))];
        let threads = |(end, outermost): (usize, Option<(&Stage, &Port)>)| match outermost? {
            (Stage { op: StageOp::Butterflies(split), .. }, Port::Array(View { halves: true, .. })) => {
                self.mirroring_threads(end, split)
            }
            _ => None,
        };
        ends.into_iter().enumerate().filter_map(threads).max()
    }

    /// The same of a kernel on the first digits, or the last ones, where neighbouring threads can take
    /// mirrored sublines: so many threads have an item each of all items of a tile.
    fn mirroring_threads(&self, end: usize, split: &Split) -> Option<usize> {
        let stage = if end == 0 { self.stages.first() } else { self.stages.last() };
        let is_outermost = if split.inverse || end == 0 { self.before() == 1 } else { self.after() == 1 };
        let items = split.count() / (self.before() * self.after());
        let may = is_outermost
            && split.rader.is_none()
            && self.shared
            && self.cluster == 1
            && !self.across
            && !self.has_hermitian_pairs()
            && stage.is_some_and(|stage| self.takes_sublines(stage))
            && self.tile % 2 == 0
            && (self.lines == 1 || self.parts() % 2 == 0);
        may.then_some(items * self.tile)
    }
}
