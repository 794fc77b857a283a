//! Tiles of lines that the blocks of a cluster have together.

use crate::attributes::DeviceAttributes;
use crate::choose::cost::RESIDENT;
use crate::desc::choice::Size;
use crate::desc::kernel::{DigitRange, KernelDesc};
use crate::desc::stage::{Port, Stage};
use fourfold::Precision;

impl DeviceAttributes {
    /// Whether columns of so many bytes in a short run, in so many runs, are for clusters: one
    /// block has no room for a run, and an SM has room for `resident` blocks of a cluster; or an SM
    /// has room for one block, and in the last round many SMs would have none.
    pub(crate) fn cluster_pays(&self, bytes: usize, runs: usize, resident: usize) -> bool {
        match self.blocks_of(bytes) {
            0 => self.blocks_of(bytes / self.cluster) >= resident,
            blocks => self.cluster > 1 && blocks < RESIDENT && runs > self.sms && !self.fills(runs),
        }
    }
}

impl KernelDesc {
    /// By a cluster of blocks, if the first digit is even, and the tile fits them with short runs;
    /// with shorter ones where there are few columns.
    pub(crate) fn clustered(&self, device: &DeviceAttributes, size: Size) -> Option<KernelDesc> {
        let [first, _, ..] = *self.digits else { return None };
        let cluster = first.radix / 2;
        if first.radix % 2 == 1 || cluster < 2 || cluster > device.cluster || !self.can_share_digits() {
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
        let wanted = size.tile.unwrap_or(device.short_run() / desc.line_bytes());
        desc.tile = wanted.min(desc.lines.next_power_of_two()).max(1);
        // Work for every SM, before runs are long.
        while size.tile.is_none()
            && desc.blocks() < device.sms
            && !device.fills(desc.blocks())
            && desc.tile > 1
            && desc.contiguous_bytes() > device.least_run() / 2
        {
            desc.tile /= 2;
        }
        let most = size
            .threads
            .unwrap_or(device.threads_per_block)
            .min(device.most_threads(desc.largest_radix(), desc.precision()));
        // Where elements go to other blocks, every thread has one DFT, in its registers until
        // all have read theirs.
        let dfts = |desc: &KernelDesc| 2 * desc.tile * desc.length() / desc.digits[1].radix;
        while self.inverse && dfts(&desc) > most && desc.tile > 1 {
            desc.tile /= 2;
        }
        desc.threads = match self.inverse {
            true => dfts(&desc),
            false => (desc.cluster_slice() * desc.tile).next_multiple_of(device.warp).min(most.max(device.warp)),
        };
        desc.resident = size.resident.unwrap_or_else(|| desc.cluster_resident(device));
        let fits = device.blocks_of(desc.shared_bytes()) > 0 && desc.threads <= most;
        fits.then(|| desc.with_padding(device))
    }

    /// Blocks on an SM for which the compiler shall leave registers; 0 if it may choose. Coming back from
    /// a spectrum, it would take a few more than there are for blocks of the usual size, in bytes;
    /// larger ones measured 3 % slower so.
    fn cluster_resident(&self, device: &DeviceAttributes) -> usize {
        let usual = device.usual_threads() * Precision::F32.bytes() == self.threads * self.precision().bytes();
        if self.fuses_product() {
            return device.resident(self);
        }
        if self.inverse && usual { device.usual_blocks(Precision::F32) } else { 0 }
    }
}
