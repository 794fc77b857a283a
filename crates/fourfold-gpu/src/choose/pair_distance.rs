//! Which columns are packed as one.
//!
//! Threads that are neighbours have columns that are. Where two neighbouring columns are a pair of
//! memory, a warp reads or writes both with one instruction, in a run without gaps. Where rows have an odd
//! number of reals, it needs two instructions, which each skip every other real and so touch all sectors
//! of the run: of 64 bytes at any place, 2 · 2.875 sectors of 32 bytes in `f32`. If column c is packed with
//! column c + 8, each instruction has a run without gaps, half as long, which is 2 · 1.875 sectors.

use crate::attributes::DeviceAttributes;
use crate::desc::geometry::{Geometry, Pair};
use crate::desc::kernel::KernelDesc;

impl DeviceAttributes {
    /// The kernels of a pass, with columns packed that are at least the reals of a sector apart, of which a
    /// tile has a multiple; or all of its pairs, if these are fewer. (At the distance of all pairs of larger
    /// tiles, two of 17 problems took 1 and 2 % longer. The others took as long.) All kernels have the same
    /// distance, since a buffer in device memory has the pairs of the first for the others.
    pub(crate) fn with_pair_distance(&self, descs: Vec<KernelDesc>) -> Vec<KernelDesc> {
        let may = |desc: &KernelDesc| desc.across && desc.next.is_none() && desc.geometry.may_pair_at_distance();
        let sector = |desc: &KernelDesc| self.sector_bytes / desc.storage.bytes();
        let least = descs.iter().min_by_key(|desc| desc.tile).filter(|_| descs.iter().all(may));
        let distance =
            least.map_or(1, |desc| (sector(desc).max(1)..desc.tile).find(|d| desc.tile % d == 0).unwrap_or(desc.tile));
        let packed = |geometry: &Geometry| geometry.pair.map(|pair| Pair { distance, ..pair });
        let at_distance = |desc: KernelDesc| {
            let geometry = Geometry { pair: packed(&desc.geometry), ..desc.geometry };
            KernelDesc { geometry, ..desc }
        };
        descs.into_iter().map(at_distance).collect()
    }
}
