//! Passes along several axes as one kernel: whether a part of the array fits shared memory.

use crate::attributes::DeviceAttributes;
use crate::choose::cost::RESIDENT;
use crate::choose::radices::SMALL;
use crate::desc::choice::Size;
use crate::desc::geometry::Across;
use crate::desc::kernel::KernelDesc;

/// How passes along several axes share an array.
pub(crate) struct FusedAxes {
    /// Parts of the array, one for each block.
    pub(crate) parts: usize,
    /// Neighbours of a part's run, and how many of them the last part has not.
    pub(crate) neighbours: usize,
    pub(crate) absent: usize,
    /// Reals of one in shared memory.
    pub(crate) between: usize,
    /// Blocks for which an SM must have room.
    pub(crate) blocks: usize,
    pub(crate) size: Size,
    /// Whether it is wanted also where it may not be worth it.
    pub(crate) in_any_case: bool,
}

impl KernelDesc {
    /// One kernel for `passes` along several axes, each block with a part of the array; if it fits.
    pub(crate) fn with_fused_axes(
        mut passes: Vec<KernelDesc>,
        shared: &FusedAxes,
        device: &DeviceAttributes,
    ) -> Option<KernelDesc> {
        let &FusedAxes { parts, neighbours, absent, blocks, in_any_case, .. } = shared;
        for pass in &mut passes {
            pass.across &= pass.lines > 1;
            if pass.lines % parts != 0 || !pass.has_own_lines(parts) {
                return None;
            }
            pass.tile = pass.lines / parts;
            pass.lines -= pass.tile / neighbours * absent;
            pass.near = pass.lines;
        }
        let fused = KernelDesc::fused(passes, shared, device)?;
        let fits = fused.shared_bytes() <= device.shared_of(blocks);
        (fits && (in_any_case || fused.is_worth_a_kernel(device))).then_some(fused)
    }

    /// Whether passes along several axes take less long than a kernel each.
    fn is_worth_a_kernel(&self, device: &DeviceAttributes) -> bool {
        // One round of small butterflies takes less long than another launch; so does one of large ones on every SM.
        let small = self.between <= SMALL * device.usual_threads();
        let few = device.is_one_round(self.blocks() * self.between);
        (small || device.saturates(self.blocks())) && (few || device.is_evenly_busy(self))
    }

    /// Passes as one kernel, with `between` reals of shared memory between them.
    fn fused(
        passes: Vec<KernelDesc>,
        &FusedAxes { between, blocks, size, .. }: &FusedAxes,
        device: &DeviceAttributes,
    ) -> Option<KernelDesc> {
        let threads = passes.iter().map(|pass| pass.butterflies()[1] * pass.tile).max()?.max(device.warp);
        let largest = passes.iter().map(KernelDesc::largest_radix).max()?;
        let most = device.most_threads(largest, passes[0].precision());
        let most = size.threads.map_or(most, |threads| threads.min(most));
        let threads = threads.next_multiple_of(device.warp).min(most);
        // Two blocks that registers hold, if they have as many threads together.
        let of_two = device.most_fused_threads(&passes);
        let shares = size.threads.is_none() && passes[0].blocks() > device.sms && RESIDENT * of_two >= threads;
        let threads = if shares { threads.min(of_two) } else { threads };
        let is_free = size.threads.is_none();
        let threads = if is_free { threads.min(device.most_convolving_threads(&passes)) } else { threads };
        // Padding that another pass has no room for would be chosen in vain.
        let beside = between * passes[0].precision().bytes();
        let room = device.shared_per_block.checked_sub(beside)?;
        let buffers = DeviceAttributes { shared_per_block: room, ..device.clone() };
        let padded = |pass| KernelDesc { threads, ..pass }.with_padding(&buffers).with_gap(device, beside, blocks);
        let mut passes: Vec<_> = passes.into_iter().map(padded).collect();
        let buffers = passes.iter().map(|pass| 2 * pass.shared_elements()).max().unwrap_or(0);
        for pass in &mut passes {
            for side in [&mut pass.geometry.input, &mut pass.geometry.output] {
                side.offset = if side.shared { buffers as i64 } else { side.offset };
            }
        }
        let link = |next: Option<Box<KernelDesc>>, pass| Some(Box::new(KernelDesc { next, ..pass }));
        let mut fused = *passes.into_iter().rev().fold(None, link)?;
        fused.between = between;
        fused.resident = size.resident.unwrap_or_else(|| device.fused_resident(&fused));
        Some(fused)
    }

    /// Whether the first lines are those of the first of so many parts of the array, and so on.
    fn has_own_lines(&self, parts: usize) -> bool {
        let whole = |axis: &Across| {
            self.geometry.input.shared && axis.input == 0 || self.geometry.output.shared && axis.output == 0
        };
        let own = self.geometry.axes.iter().take_while(|axis| !whole(axis));
        own.map(|axis| axis.size).product::<usize>() * parts == self.lines
    }
}
