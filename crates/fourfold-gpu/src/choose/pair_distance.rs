//! Which columns are packed as one.
//!
//! Threads that are neighbours have columns that are. Where two neighbouring columns are a pair of
//! memory, a warp reads or writes both with one instruction, in a run without gaps. Where rows have an odd
//! number of reals, it needs two instructions, which each skip every other real and so touch all sectors
//! of the run: of 64 bytes at any place, 2 · 2.875 sectors of 32 bytes in `f32`. If column c of a tile of T
//! pairs is packed with column c + T, each instruction has a run without gaps, half as long, which is
//! 2 · 1.875 sectors.

use crate::desc::geometry::{Geometry, Pair};
use crate::desc::kernel::KernelDesc;

/// The kernels of a pass, with the columns of a tile packed at the distance of the pairs that it has. All
/// kernels have the same distance, since a buffer in device memory has the pairs of the first for the others.
pub(crate) fn with_pair_distance(descs: Vec<KernelDesc>) -> Vec<KernelDesc> {
    let may = |desc: &KernelDesc| desc.across && desc.next.is_none() && desc.geometry.may_pair_at_distance();
    let least = descs.iter().map(|desc| desc.tile).min().unwrap_or(1);
    let distance = if descs.iter().all(may) { least } else { 1 };
    let packed = |geometry: &Geometry| geometry.pair.map(|pair| Pair { distance, ..pair });
    let at_distance = |desc: KernelDesc| {
        let geometry = Geometry { pair: packed(&desc.geometry), ..desc.geometry };
        KernelDesc { geometry, ..desc }
    };
    descs.into_iter().map(at_distance).collect()
}
