//! Ranks that are processes with MPI, with their parts in the memory of devices.

use crate::rank::library::takes_device_memory;
use crate::rank::rank::{MpiRank, MpiRoute};
use fourfold::{Error, ErrorKind, Result};
use fourfold_distributed::{Exchange, HostExchange, Move, Moves};
use fourfold_distributed_gpu::engine::box_copy;
use fourfold_gpu::{Api, BoxCopy, Device, GpuArray, GpuMemory, PinnedArray};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// A rank with a device. MPI sends from the device's memory if the library says that it can, else from
/// pinned memory of the host.
#[derive(Clone)]
pub struct MpiDeviceRank {
    rank: MpiRank,
    device: Device,
    is_direct: bool,
    /// Pinned memory for what is sent and what is received, if MPI does not take that of the device. All routes
    /// share it. Elements have at least the bytes of an `f32`.
    staging: Rc<RefCell<Option<[PinnedArray<f32>; 2]>>>,
}

/// A prepared exchange of parts on devices.
pub struct MpiDeviceRoute {
    route: MpiRoute,
    stays: Option<BoxCopy>,
    /// What is copied to pinned memory, and back from there, in elements of the latter.
    staged: [Vec<Range<usize>>; 2],
}

/// Elements of pinned memory at whose multiples parts of a device's memory begin.
const ALIGNMENT: usize = 64;

/// These bytes in elements of pinned memory, each range from an aligned beginning, and those that touch as one.
/// An exchange in parts has all its data in the same pinned memory, so what lies before a range is that of a part
/// that has arrived, or that comes later.
fn staged(bytes: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let element = size_of::<f32>();
    let aligned = |range: Range<usize>| range.start / element / ALIGNMENT * ALIGNMENT..range.end / element;
    let mut all: Vec<_> = bytes.map(aligned).collect();
    all.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = vec![];
    for range in all {
        match merged.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => merged.push(range),
        }
    }
    merged
}

/// The bytes of a message, which is contiguous.
fn bytes_of_move(one: &Move, element: usize) -> Range<usize> {
    let start = one.region().offset * element;
    start..start + one.region().elements() * element
}

impl MpiDeviceRank {
    /// The rank of `rank` with a device.
    pub fn new(rank: MpiRank, device: Device) -> MpiDeviceRank {
        let is_direct = device.info().id.api == Api::Cuda && takes_device_memory();
        MpiDeviceRank { rank, device, is_direct, staging: Rc::default() }
    }

    /// The same, whose messages MPI sends from the device's memory or not, whatever the library says of
    /// itself. A library without support that is given such memory usually ends the program. Open MPI that
    /// was built without CUDA can send it, if the UCX below it was built with CUDA.
    ///
    /// # Errors
    /// If messages are to be sent directly from memory that is not CUDA's.
    pub fn directly(mut self, is_direct: bool) -> Result<MpiDeviceRank> {
        if is_direct && self.device.info().id.api != Api::Cuda {
            let message = "MPI sends from the memory of CUDA's devices only: use pinned memory".to_owned();
            return Err(Error::new(ErrorKind::Argument, message));
        }
        self.is_direct = is_direct;
        Ok(self)
    }

    /// Makes pinned memory of at least so many elements.
    fn stage(&self, lengths: [usize; 2]) -> Result<()> {
        let mut staging = self.staging.borrow_mut();
        let there = staging.as_ref().map_or([0; 2], |arrays| arrays.each_ref().map(|array| array.len()));
        if staging.is_none() || there[0] < lengths[0] || there[1] < lengths[1] {
            *staging = None;
            let [from, to] = [0, 1].map(|side| self.device.pinned(there[side].max(lengths[side])));
            *staging = Some([from?, to?]);
        }
        Ok(())
    }

    /// Whether MPI sends from the device's memory.
    pub fn is_direct(&self) -> bool {
        self.is_direct
    }
}

impl Exchange for MpiDeviceRank {
    type Memory = GpuMemory;
    type Route = MpiDeviceRoute;

    fn rank(&self) -> usize {
        self.rank.rank()
    }

    fn ranks(&self) -> usize {
        self.rank.ranks()
    }

    fn all_gather(&self, mine: u64) -> Result<Vec<u64>> {
        self.rank.all_gather(mine)
    }

    fn agree(&self, id: u64) -> Result<()> {
        self.rank.agree(id)
    }

    fn route(&self, moves: Moves) -> Result<MpiDeviceRoute> {
        // Plans on devices have no exchange of several pieces.
        let stays = moves.stays().first().map(box_copy);
        let mut staged_ranges = [vec![], vec![]];
        if !self.is_direct {
            let lengths = moves.part_bytes().map(|bytes| bytes / size_of::<f32>());
            self.stage(lengths)?;
            let element = moves.element_bytes();
            staged_ranges = [(0, moves.sends()), (1, moves.receives())].map(|(side, messages)| {
                let kept = moves.stays().iter().map(|stays| stays.starts[side]..stays.ends[side]);
                staged(messages.iter().map(|one| bytes_of_move(one, element)).chain(kept))
            });
        }
        Ok(MpiDeviceRoute { route: self.rank.route(moves)?, stays, staged: staged_ranges })
    }

    fn exchange(&self, route: &mut MpiDeviceRoute, from: &GpuMemory, to: &mut GpuMemory) -> Result<usize> {
        let MpiDeviceRoute { route, stays, staged } = route;
        let mut staging = self.staging.borrow_mut();
        let ready = match (&mut *staging, stays) {
            (Some([sent, _]), _) if !self.is_direct => {
                staged[0].iter().try_for_each(|range| part_of(from, range)?.download(&mut sent[range.clone()]))
            }
            (_, Some(stays)) => to.copy_box(from, stays).and_then(|()| to.device().finish()),
            _ => from.device().finish(),
        };
        if let Err(error) = ready {
            self.rank.refuse(route);
            return Err(error);
        }
        let Some([sent, received]) = staging.as_mut().filter(|_| !self.is_direct) else {
            return self.rank.exchange_on_device(route, from, to);
        };
        let bytes = self.rank.exchange(route, bytes_of(sent), bytes_of_mut(received))?;
        for range in &staged[1] {
            part_of(to, range)?.upload(&received[range.clone()])?;
        }
        Ok(bytes)
    }
}

/// The elements of memory that are staged.
fn part_of(memory: &GpuMemory, range: &Range<usize>) -> Result<GpuArray<f32>> {
    memory.part(range.start * size_of::<f32>(), range.len() * size_of::<f32>())?.array(range.len())
}

fn bytes_of(reals: &[f32]) -> &[u8] {
    // SAFETY: reals are bytes without gaps.
    unsafe { std::slice::from_raw_parts(reals.as_ptr().cast(), size_of_val(reals)) }
}

fn bytes_of_mut(reals: &mut [f32]) -> &mut [u8] {
    // SAFETY: as above, and all bytes are reals.
    unsafe { std::slice::from_raw_parts_mut(reals.as_mut_ptr().cast(), size_of_val(reals)) }
}
