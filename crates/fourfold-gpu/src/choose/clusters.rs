//! Tiles of lines that the blocks of a cluster have together.

use crate::attributes::DeviceAttributes;
use crate::choose::cost::RESIDENT;
use crate::desc::choice::Size;
use crate::desc::kernel::{DigitRange, KernelDesc};
use crate::desc::stage::{Port, Stage};
use fourfold::Precision;

/// With blocks for one SM of so many, more blocks with runs below a sector are better. (On an H200 `dct3 f32 1600x20`
/// 6.5 µs with 24 blocks, 5.9 with 40; `dht f64 2560x20` 6.6 with 40, 7.7 with 80.)
const FEW: usize = 4;

impl DeviceAttributes {
    /// Whether columns of so many bytes in a short run, in so many runs, are for clusters: one block has no room for a
    /// run, and an SM has room for `resident` blocks of a cluster. Or an SM has room for one block, many SMs would have
    /// none in the last round, and there are `enough` columns. (On an H200 `dct2 f32 3000x500` 22.3 to 18.2 µs with 32
    /// runs, `dht f32 2160x24x43` 41.4 to 35.4 with 65. Back from a spectrum, `dct3 f32 2500x640` 17.6 to 18.9 with 40.)
    pub(crate) fn cluster_pays(&self, bytes: usize, runs: usize, resident: usize, enough: bool) -> bool {
        match self.blocks_of(bytes) {
            0 => self.blocks_of(bytes / self.cluster) >= resident,
            blocks => self.cluster > 1 && blocks < RESIDENT && enough && !self.fills(runs),
        }
    }
}

impl KernelDesc {
    /// By a cluster of blocks, if the first digit is even, and the tile fits them with short runs;
    /// with shorter ones where there are few columns. The kernel has whole lines, or the first range of
    /// their digits.
    pub(crate) fn clustered(&self, device: &DeviceAttributes, size: Size) -> Option<KernelDesc> {
        let [first, _, ..] = *self.digits else { return None };
        let cluster = first.radix / 2;
        if first.radix % 2 == 1 || cluster < 2 || cluster > device.cluster || !self.can_share_digits() {
            return None;
        }
        let range = DigitRange { first: 1, last: self.range.last };
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
        // As many columns in arrays of 16-bit reals as in others: the cluster's buffers have 32-bit ones, and so have
        // those of ranges.
        let halved = if desc.across { desc.precision().bytes() / desc.storage.bytes() } else { 1 };
        let wanted = size.tile.unwrap_or(device.short_run() / halved / desc.line_bytes());
        desc.tile = wanted.min(desc.sublines().next_power_of_two()).max(1);
        // Work for every SM, before runs are long; or for a few, before they are sectors.
        let is_short = |desc: &KernelDesc| desc.contiguous_bytes() <= device.least_run();
        let few = |desc: &KernelDesc| match is_short(desc) {
            true => FEW * desc.blocks() < device.sms,
            false => desc.blocks() < device.sms && !device.fills(desc.blocks()),
        };
        while size.tile.is_none() && desc.tile > 1 && few(&desc) {
            desc.tile /= 2;
        }
        let most = device.most_threads(desc.largest_radix(), desc.precision());
        let most = size.threads.unwrap_or(device.threads_per_block).min(most);
        desc = desc.with_cluster_threads(most, device, size);
        desc.resident = size.resident.unwrap_or_else(|| desc.cluster_resident(device));
        desc.warp = device.exchanging_warp(size);
        let fits = device.blocks_of(desc.shared_bytes()) > 0 && desc.threads <= most;
        fits.then(|| desc.with_padding(device))
    }

    /// With at most so many threads, of which registers hold a block.
    fn with_cluster_threads(mut self, most: usize, device: &DeviceAttributes, size: Size) -> KernelDesc {
        if self.inverse {
            // Where elements go to other blocks, every thread has one DFT, in its registers until
            // all have read theirs.
            let dfts = |desc: &KernelDesc| 2 * desc.tile * desc.length() / desc.digits[1].radix;
            while dfts(&self) > most && self.tile > 1 {
                self.tile /= 2;
            }
            return KernelDesc { threads: dfts(&self), ..self };
        }
        let elements = self.cluster_slice() * self.tile;
        self.threads = elements.next_multiple_of(device.warp).min(most.max(device.warp));
        if size.threads.is_some() { self } else { self.with_another_block(device) }
    }

    /// With so few threads that an SM has registers for two blocks, if it has the shared memory and no
    /// stage takes longer: one computes while the other waits. (On an H200, `fft f32 9720x300` with 512 threads
    /// instead of 1024: 50 to 40 µs. Where 512 of 768 leave half of them without an item in the last round:
    /// `dct2 f32 12288x4096` 320 to 351.)
    fn with_another_block(self, device: &DeviceAttributes) -> KernelDesc {
        let threads = device.usual_blocks(self.precision()) * device.usual_threads() / RESIDENT;
        let fewer = KernelDesc { threads, ..self.clone() };
        let taken = |desc: &KernelDesc| desc.item_rounds() * desc.threads;
        let fits = device.blocks_of(self.shared_bytes()) >= RESIDENT;
        if fits && threads < self.threads && taken(&fewer) <= taken(&self) { fewer } else { self }
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
