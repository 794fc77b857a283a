//! Tiles of lines that the blocks of a cluster have together.

use crate::choose::tiling::{LEAST_RUN, RUN};
use crate::desc::choice::Size;
use crate::desc::kernel::{DigitRange, KernelDesc};
use crate::desc::stage::{Port, Stage};
use crate::ir::packed::WARP;
use crate::limits::Limits;

/// Bytes of one real for each thread of a cluster's block, at most.
pub(crate) const MOST_REALS: usize = 4096;

impl Limits {
    /// Whether columns of so many bytes in a run of 64, in so many runs, are for clusters: one
    /// block has no room for a run, and an SM has room for `resident` blocks of a cluster; or an SM
    /// has room for one block, and in the last round many SMs would have none.
    pub(crate) fn cluster_pays(&self, bytes: usize, runs: usize, resident: usize) -> bool {
        match bytes > self.shared_bytes {
            true => bytes / self.cluster <= self.shared_bytes / resident,
            false => {
                let turns = runs.next_multiple_of(self.sms.max(1));
                self.cluster > 1 && 2 * bytes > self.shared_bytes && runs > self.sms && 4 * runs <= 3 * turns
            }
        }
    }
}

impl KernelDesc {
    /// By a cluster of blocks, if the first digit is even, and the tile fits them with runs of
    /// 64 bytes; less where there are few columns.
    pub(crate) fn clustered(&self, limits: &Limits, size: Size) -> Option<KernelDesc> {
        let [first, _, ..] = *self.digits else { return None };
        let cluster = first.radix / 2;
        if first.radix % 2 == 1 || cluster < 2 || cluster > limits.cluster || !self.can_split_digits() {
            return None;
        }
        let range = DigitRange { first: 1, last: self.digits.len() };
        let mut desc = KernelDesc { cluster, range, side_by_side: true, ..self.clone() };
        match &mut *desc.stages {
            // Only DFTs and half spectra go to other blocks.
            [.., Stage { op, .. }, _] if self.inverse && op.is_product() => return None,
            [.., to_slices, last] if self.inverse => {
                (to_slices.to, last.from) = (Port::ClusterSlices, Port::ClusterSlices)
            }
            [_, ..] => {}
            [] => return None,
        }
        if self.is_forward() {
            desc.stages[0].to = Port::Cluster;
        }
        let wanted = size.tile.unwrap_or(RUN / 2 / desc.line_bytes());
        desc.tile = wanted.min(desc.lines.next_power_of_two()).max(1);
        // Work for every SM, before runs are long.
        while size.tile.is_none()
            && desc.blocks() < 3 * limits.sms / 4
            && desc.tile > 1
            && desc.contiguous_bytes() > LEAST_RUN / 2
        {
            desc.tile /= 2;
        }
        // As many threads as registers can be had for: of f64 half as many.
        let most =
            size.threads.unwrap_or(limits.threads).min(MOST_REALS / desc.precision().bytes()).min(limits.threads);
        // Where elements go to other blocks, every thread has one DFT, in its registers until
        // all have read theirs.
        let dfts = |desc: &KernelDesc| 2 * desc.tile * desc.length() / desc.digits[1].radix;
        while self.inverse && dfts(&desc) > most && desc.tile > 1 {
            desc.tile /= 2;
        }
        desc.threads = match self.inverse {
            true => dfts(&desc),
            false => (desc.cluster_slice() * desc.tile).next_multiple_of(WARP).min(most.max(WARP)),
        };
        let fits = desc.shared_bytes() <= limits.shared_bytes && desc.threads <= most;
        fits.then(|| desc.with_padding(limits))
    }
}
