//! Ranks that are processes with MPI, with their parts in the memory of devices.

use crate::rank::library::takes_device_memory;
use crate::rank::rank::{MpiRank, MpiRoute};
use fourfold::{Error, ErrorKind, Result};
use fourfold_distributed::{Exchange, HostExchange, Moves};
use fourfold_distributed_gpu::engine::box_copy;
use fourfold_gpu::{Api, BoxCopy, Device, GpuMemory, PinnedArray};

/// A rank with a device. MPI sends from the device's memory if the library says that it can, else from
/// pinned memory of the host.
#[derive(Clone)]
pub struct MpiDeviceRank {
    rank: MpiRank,
    device: Device,
    is_direct: bool,
}

/// A prepared exchange of parts on devices.
pub struct MpiDeviceRoute {
    route: MpiRoute,
    stays: Option<BoxCopy>,
    /// Pinned memory for what is sent and what is received, if MPI does not take that of the device.
    /// Elements have at least the bytes of an `f32`.
    staging: Option<[PinnedArray<f32>; 2]>,
}

impl MpiDeviceRank {
    /// The rank of `rank` with a device.
    pub fn new(rank: MpiRank, device: Device) -> MpiDeviceRank {
        let is_direct = device.info().id.api == Api::Cuda && takes_device_memory();
        MpiDeviceRank { rank, device, is_direct }
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
        let [from, to] = moves.part_bytes().map(|bytes| self.device.pinned(bytes / size_of::<f32>()));
        let staging = if self.is_direct { None } else { Some([from?, to?]) };
        Ok(MpiDeviceRoute { route: self.rank.route(moves)?, stays, staging })
    }

    fn exchange(&self, route: &mut MpiDeviceRoute, from: &GpuMemory, to: &mut GpuMemory) -> Result<usize> {
        let MpiDeviceRoute { route, stays, staging } = route;
        let ready = match (&mut *staging, stays) {
            (Some([sent, _]), _) => from.array::<f32>(sent.len()).and_then(|from| from.download(sent)),
            (None, Some(stays)) => to.copy_box(from, stays).and_then(|()| to.device().finish()),
            (None, None) => from.device().finish(),
        };
        if let Err(error) = ready {
            self.rank.refuse(route);
            return Err(error);
        }
        let Some([sent, received]) = staging else { return self.rank.exchange_on_device(route, from, to) };
        let bytes = self.rank.exchange(route, bytes_of(sent), bytes_of_mut(received))?;
        to.array::<f32>(received.len())?.upload(received).map(|()| bytes)
    }
}

fn bytes_of(reals: &[f32]) -> &[u8] {
    // SAFETY: reals are bytes without gaps.
    unsafe { std::slice::from_raw_parts(reals.as_ptr().cast(), size_of_val(reals)) }
}

fn bytes_of_mut(reals: &mut [f32]) -> &mut [u8] {
    // SAFETY: as above, and all bytes are reals.
    unsafe { std::slice::from_raw_parts_mut(reals.as_mut_ptr().cast(), size_of_val(reals)) }
}
