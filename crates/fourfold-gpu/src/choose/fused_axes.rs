//! Passes along several axes as one kernel: whether a part of the array fits shared memory.

use crate::choose::clusters::MOST_REALS;
use crate::desc::geometry::Across;
use crate::desc::kernel::KernelDesc;
use crate::ir::packed::WARP;
use crate::limits::Limits;

/// Reals of an array that one block transforms faster than another kernel is launched.
const SMALL: usize = 2048;

impl KernelDesc {
    /// One kernel for `passes` along several axes, each block with a part of the array that
    /// has `parts` in all and `between` reals; if shared memory has room for two blocks
    /// (`wanted`: for one), and there is work for the device.
    pub(crate) fn with_fused_axes(
        mut passes: Vec<KernelDesc>,
        parts: usize,
        between: usize,
        wanted: bool,
        limits: &Limits,
    ) -> Option<KernelDesc> {
        let mut threads = WARP;
        for pass in &mut passes {
            pass.across &= pass.lines > 1;
            if pass.lines % parts != 0 || !pass.has_own_lines(parts) {
                return None;
            }
            pass.tile = pass.lines / parts;
            threads = threads.max(pass.butterflies()[1] * pass.tile);
        }
        let most = limits.threads.min(MOST_REALS / passes[0].precision().bytes());
        let threads = threads.next_multiple_of(WARP).min(most);
        // Padding that another pass has no room for would be chosen in vain.
        let room = limits.shared_bytes.checked_sub(between * passes[0].precision().bytes())?;
        let limits_of_buffers = Limits { shared_bytes: room, ..limits.clone() };
        let mut passes: Vec<_> =
            passes.into_iter().map(|pass| KernelDesc { threads, ..pass }.with_padding(&limits_of_buffers)).collect();
        let buffers = passes.iter().map(|pass| 2 * pass.shared_elements()).max().unwrap_or(0);
        for pass in &mut passes {
            for side in [&mut pass.geometry.input, &mut pass.geometry.output] {
                side.offset = if side.shared { buffers as i64 } else { side.offset };
            }
        }
        let link = |next: Option<Box<KernelDesc>>, pass| Some(Box::new(KernelDesc { next, ..pass }));
        let mut fused = *passes.into_iter().rev().fold(None, link)?;
        fused.between = between;
        let enough = 4 * parts >= limits.sms || between <= SMALL;
        let estimated = enough && 2 * fused.shared_bytes() <= limits.shared_bytes;
        (fused.shared_bytes() <= limits.shared_bytes && (wanted || estimated)).then_some(fused)
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
