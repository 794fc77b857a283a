//! Copies as the distributed crate and as the GPU crate have them.

use fourfold_distributed::engine::RegionCopy;
use fourfold_gpu::BoxCopy;

/// A copy between parts as devices do it. The steps are not negative: plans on devices have no exchange
/// that reverses an axis.
pub fn box_copy(copy: &RegionCopy) -> BoxCopy {
    let axes = copy.axes.iter().map(|(count, steps)| (*count, steps.map(isize::unsigned_abs))).collect();
    BoxCopy { run: copy.run, starts: copy.starts, axes }
}
