//! Copies as the distributed crate and as the GPU crate have them.

use fourfold_distributed::engine::RegionCopy;
use fourfold_gpu::BoxCopy;

pub(crate) fn box_copy(copy: &RegionCopy) -> BoxCopy {
    BoxCopy { run: copy.run, starts: copy.starts, axes: copy.axes.clone() }
}
