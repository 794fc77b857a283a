//! Passes along several axes as one kernel: whether a part of the array fits shared memory.

use crate::attributes::DeviceAttributes;
use crate::choose::cost::RESIDENT;
use crate::choose::radices::SMALL;
use crate::desc::choice::Size;
use crate::desc::geometry::Across;
use crate::desc::kernel::KernelDesc;

impl KernelDesc {
    /// One kernel for `passes` along several axes, each block with a part of the array that
    /// has `parts` in all and `between` reals; if shared memory has room for two blocks
    /// (`wanted`: for one, of this size), and there is work for the device.
    pub(crate) fn with_fused_axes(
        mut passes: Vec<KernelDesc>,
        parts: usize,
        between: usize,
        wanted: Option<Size>,
        device: &DeviceAttributes,
    ) -> Option<KernelDesc> {
        let mut threads = device.warp;
        for pass in &mut passes {
            pass.across &= pass.lines > 1;
            if pass.lines % parts != 0 || !pass.has_own_lines(parts) {
                return None;
            }
            pass.tile = pass.lines / parts;
            threads = threads.max(pass.butterflies()[1] * pass.tile);
        }
        let size = wanted.unwrap_or_default();
        let largest = passes.iter().map(KernelDesc::largest_radix).max();
        let most = device.most_threads(largest.unwrap_or(1), passes[0].precision());
        let most = size.threads.map_or(most, |threads| threads.min(most));
        let threads = threads.next_multiple_of(device.warp).min(most);
        // Padding that another pass has no room for would be chosen in vain.
        let room = device.shared_per_block.checked_sub(between * passes[0].precision().bytes())?;
        let buffers = DeviceAttributes { shared_per_block: room, ..device.clone() };
        let mut passes: Vec<_> =
            passes.into_iter().map(|pass| KernelDesc { threads, ..pass }.with_padding(&buffers)).collect();
        let buffers = passes.iter().map(|pass| 2 * pass.shared_elements()).max().unwrap_or(0);
        for pass in &mut passes {
            for side in [&mut pass.geometry.input, &mut pass.geometry.output] {
                side.offset = if side.shared { buffers as i64 } else { side.offset };
            }
        }
        let link = |next: Option<Box<KernelDesc>>, pass| Some(Box::new(KernelDesc { next, ..pass }));
        let mut fused = *passes.into_iter().rev().fold(None, link)?;
        fused.between = between;
        fused.resident = size.resident.unwrap_or(0);
        // One round of small butterflies takes less long than another launch.
        let small = between <= SMALL * device.usual_threads();
        let blocks = if wanted.is_some() { 1 } else { RESIDENT };
        let enough = wanted.is_some() || small || device.saturates(parts);
        (enough && fused.shared_bytes() <= device.shared_of(blocks)).then_some(fused)
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
