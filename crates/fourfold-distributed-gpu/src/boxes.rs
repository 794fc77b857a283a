//! Copies as the distributed crate and as the GPU crate have them.

use fourfold_distributed::engine::RegionCopy;
use fourfold_gpu::BoxCopy;

/// The steps are not negative: plans on devices have no exchange that reverses an axis.
pub(crate) fn box_copy(copy: &RegionCopy) -> BoxCopy {
    let axes = copy.axes.iter().map(|(count, steps)| (*count, steps.map(isize::unsigned_abs))).collect();
    BoxCopy { run: copy.run, starts: copy.starts, axes }
}
