//! Ranks that are processes with MPI.
//!
//! Every exchange is one message to each rank that gets something. Datatypes say where its elements are
//! on both sides, so neither side packs them. Messages of single elements, which exchanges that reorder
//! have, are packed.

use crate::rank::call::{checked, is_running};
use crate::rank::message::Message;
use fourfold::{Error, ErrorKind, Result};
use fourfold_distributed::engine::{REFUSED, check_told};
use fourfold_distributed::{Exchange, HostExchange, Moves};
use fourfold_gpu::GpuMemory;
use mpi::ffi;
use mpi::ffi::{MPI_Comm, MPI_Request, MPI_Status};
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;
use std::ffi::c_int;
use std::rc::Rc;

/// The tag of all messages. Messages between two ranks arrive in the order in which they were sent.
const TAG: c_int = 0;

/// A rank of a program with MPI. Its messages do not meet those of others, because it has a
/// communicator that nothing else uses. It must be dropped before MPI is finalized.
#[derive(Clone)]
pub struct MpiRank {
    world: Rc<World>,
}

struct World {
    communicator: MPI_Comm,
    rank: usize,
    ranks: usize,
}

/// A prepared exchange.
pub struct MpiRoute {
    moves: Moves,
    sends: Vec<Message>,
    receives: Vec<Message>,
    /// Room for the requests and the statuses of all messages.
    requests: Vec<MPI_Request>,
    statuses: Vec<MPI_Status>,
}

impl MpiRank {
    /// The rank of this process in a communicator. All its processes call this at the same time.
    ///
    /// # Errors
    /// If MPI refuses.
    pub fn new(communicator: &SimpleCommunicator) -> Result<MpiRank> {
        let mut own = communicator.as_raw();
        let (mut rank, mut ranks) = (0, 0);
        // SAFETY: these calls write a new communicator and two numbers. The error handler is one of
        // MPI's.
        unsafe {
            checked("MPI_Comm_dup", ffi::MPI_Comm_dup(communicator.as_raw(), &mut own))?;
            checked("MPI_Comm_set_errhandler", ffi::MPI_Comm_set_errhandler(own, ffi::RSMPI_ERRORS_RETURN))?;
            checked("MPI_Comm_rank", ffi::MPI_Comm_rank(own, &mut rank))?;
            checked("MPI_Comm_size", ffi::MPI_Comm_size(own, &mut ranks))?;
        }
        Ok(MpiRank { world: Rc::new(World { communicator: own, rank: rank as usize, ranks: ranks as usize }) })
    }

    /// Exchanges messages from and to memory of CUDA's, which the library takes. What stays is the
    /// caller's to copy.
    pub(crate) fn exchange_on_device(&self, route: &mut MpiRoute, from: &GpuMemory, to: &GpuMemory) -> Result<usize> {
        let needed = route.moves.part_bytes();
        if needed[0] > from.bytes() || needed[1] > to.bytes() {
            self.refuse(route);
            return Err(Error::new(ErrorKind::Argument, "an exchange between arrays that are too short".to_owned()));
        }
        // SAFETY: the addresses are those of as much memory as the moves ask for. The caller has waited
        // for all that was enqueued, and enqueues nothing before this returns.
        unsafe { self.post_and_wait(route, Some(from.raw().cast::<u8>().cast_const()), to.raw().cast()) }
    }

    /// Posts the receives and the sends of an exchange. Without `from`, it sends empty messages.
    ///
    /// # Safety
    /// The memory at `to`, and at `from`, is that which the moves ask for. It is not used otherwise
    /// before [`MpiRank::wait`] returns.
    unsafe fn post(&self, route: &mut MpiRoute, from: Option<*const u8>, to: *mut u8) -> Result<()> {
        let communicator = self.world.communicator;
        // SAFETY: the constant is MPI's.
        route.requests.fill(unsafe { ffi::RSMPI_REQUEST_NULL });
        let mut requests = route.requests.iter_mut();
        for message in &mut route.receives {
            let request = requests.next().expect("there is room for all messages");
            let own = message.memory();
            let Message { rank, start, datatype, .. } = message;
            // SAFETY: the caller guarantees it.
            let code = unsafe {
                let start = own.unwrap_or_else(|| to.add(*start));
                ffi::MPI_Irecv(start.cast(), 1, datatype.raw(), *rank, TAG, communicator, request)
            };
            checked("MPI_Irecv", code)?;
        }
        for message in &mut route.sends {
            let request = requests.next().expect("there is room for all messages");
            let own = message.memory();
            let Message { rank, start, datatype, .. } = message;
            let count = c_int::from(from.is_some());
            // SAFETY: the caller guarantees it. An empty message reads nothing.
            let code = unsafe {
                let part = |from: *const u8| own.map_or_else(|| from.add(*start), <*mut u8>::cast_const);
                let start = from.map_or(std::ptr::null(), part);
                ffi::MPI_Isend(start.cast(), count, datatype.raw(), *rank, TAG, communicator, request)
            };
            checked("MPI_Isend", code)?;
        }
        Ok(())
    }

    /// Posts an exchange, and waits for it. After an error, no message uses the memory any more.
    ///
    /// # Safety
    /// As for [`MpiRank::post`].
    unsafe fn post_and_wait(&self, route: &mut MpiRoute, from: Option<*const u8>, to: *mut u8) -> Result<usize> {
        // SAFETY: the caller guarantees it.
        let received = unsafe { self.post(route, from, to) }.and_then(|()| self.wait(route));
        if received.is_err() {
            abandon(route);
        }
        received
    }

    /// Waits for all messages. Returns the bytes that were received.
    fn wait(&self, route: &mut MpiRoute) -> Result<usize> {
        let MpiRoute { requests, statuses, receives, .. } = route;
        // SAFETY: the lists have as many elements as there are messages.
        let code = unsafe { ffi::MPI_Waitall(requests.len() as c_int, requests.as_mut_ptr(), statuses.as_mut_ptr()) };
        checked("MPI_Waitall", code)?;
        let mut bytes = 0;
        for (Message { rank, datatype, bytes: whole, .. }, status) in receives.iter().zip(statuses) {
            let mut count = 0;
            // SAFETY: the status is that of a message of this datatype.
            checked("MPI_Get_count", unsafe { ffi::MPI_Get_count(status, datatype.raw(), &mut count) })?;
            if count != 1 {
                let message = format!("rank {rank} does not take part in an exchange, or executes another one");
                return Err(Error::new(ErrorKind::Unavailable, message));
            }
            bytes += whole;
        }
        Ok(bytes)
    }
}

/// Cancels the messages that are still under way.
fn abandon(route: &mut MpiRoute) {
    // SAFETY: requests that are not null are those of messages. The lists are of the same length.
    unsafe {
        for request in route.requests.iter_mut().filter(|request| **request != ffi::RSMPI_REQUEST_NULL) {
            ffi::MPI_Cancel(request);
        }
        ffi::MPI_Waitall(route.requests.len() as c_int, route.requests.as_mut_ptr(), route.statuses.as_mut_ptr());
    }
}

impl Exchange for MpiRank {
    type Memory = [u8];
    type Route = MpiRoute;

    fn rank(&self) -> usize {
        self.world.rank
    }

    fn ranks(&self) -> usize {
        self.world.ranks
    }

    fn all_gather(&self, mine: u64) -> Result<Vec<u64>> {
        let mut numbers = vec![0u64; self.world.ranks];
        let number = &raw const mine;
        // SAFETY: the list has room for a number of every rank.
        let code = unsafe {
            let unit = ffi::RSMPI_UINT64_T;
            ffi::MPI_Allgather(number.cast(), 1, unit, numbers.as_mut_ptr().cast(), 1, unit, self.world.communicator)
        };
        checked("MPI_Allgather", code)?;
        Ok(numbers)
    }

    fn agree(&self, id: u64) -> Result<()> {
        // The largest identifier and, as a complement, the least one: so one reduction tells whether all are equal.
        let (mine, mut most) = ([id, !id], [0u64; 2]);
        // SAFETY: both lists have two numbers.
        let code = unsafe {
            let unit = ffi::RSMPI_UINT64_T;
            let lists = (mine.as_ptr().cast(), most.as_mut_ptr().cast());
            ffi::MPI_Allreduce(lists.0, lists.1, 2, unit, ffi::RSMPI_MAX, self.world.communicator)
        };
        checked("MPI_Allreduce", code)?;
        if most == mine && id != REFUSED {
            return Ok(());
        }
        // All ranks come here, or none.
        check_told(id, &self.all_gather(id)?)
    }

    fn route(&self, moves: Moves) -> Result<MpiRoute> {
        let element = moves.element_bytes();
        let sends = moves.sends().iter().map(|send| Message::new(send, element)).collect::<Result<Vec<_>>>()?;
        let receives = moves.receives().iter().map(|one| Message::new(one, element)).collect::<Result<Vec<_>>>()?;
        let count = sends.len() + receives.len();
        // SAFETY: the constant is MPI's. A status is plain numbers, which MPI writes before they are read.
        let (requests, statuses) = unsafe { (vec![ffi::RSMPI_REQUEST_NULL; count], vec![std::mem::zeroed(); count]) };
        Ok(MpiRoute { moves, sends, receives, requests, statuses })
    }

    fn exchange(&self, route: &mut MpiRoute, from: &[u8], to: &mut [u8]) -> Result<usize> {
        if let Err(error) = route.moves.check(from, to) {
            self.refuse(route);
            return Err(error);
        }
        route.sends.iter_mut().for_each(|send| send.pack(from));
        route.moves.copy_own(from, to);
        // SAFETY: the memory is large enough, and borrowed until all messages are there.
        let bytes = unsafe { self.post_and_wait(route, Some(from.as_ptr()), to.as_mut_ptr()) }?;
        route.receives.iter().for_each(|receive| receive.unpack(to));
        Ok(bytes)
    }
}

impl HostExchange for MpiRank {
    fn refuse(&self, route: &mut MpiRoute) {
        let mut memory = vec![0u8; route.moves.part_bytes()[1]];
        // Errors are of no use to a rank that has had one.
        // SAFETY: the memory is that which the moves ask for, and lives until all messages are there.
        let _ = unsafe { self.post_and_wait(route, None, memory.as_mut_ptr()) };
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if is_running() {
            // SAFETY: it is a communicator of ours.
            unsafe { ffi::MPI_Comm_free(&mut self.communicator) };
        }
    }
}
