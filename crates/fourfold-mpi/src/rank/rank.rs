//! Ranks that are processes with MPI.
//!
//! Every exchange is one message to each rank that gets something. Datatypes say where its elements are
//! on both sides, so neither side packs them. Messages of single elements, which exchanges that reorder
//! have, are packed.

use crate::rank::call::{checked, is_running};
use crate::rank::message::Message;
use fourfold::{Error, ErrorKind, Result};
use fourfold_distributed::engine::{REFUSED, check_told};
use fourfold_distributed::{Exchange, HostExchange, Moves, PartPasses};
use fourfold_gpu::GpuMemory;
use mpi::ffi;
use mpi::ffi::{MPI_Comm, MPI_Request, MPI_Status};
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;
use std::ffi::c_int;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
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

    /// The ranks on the node of this one, in their order. All ranks call it at the same time.
    ///
    /// # Errors
    /// If MPI refuses.
    pub fn ranks_of_node(&self) -> Result<Vec<usize>> {
        let name = mpi::environment::processor_name();
        let mut hasher = DefaultHasher::new();
        name.as_ref().ok().hash(&mut hasher);
        let (mine, all) = (hasher.finish(), self.all_gather(hasher.finish())?);
        Ok((0..all.len()).filter(|rank| all[*rank] == mine).collect())
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

    /// Posts the receives of an exchange.
    ///
    /// # Safety
    /// The memory at `to` is that which the moves ask for. Where messages are received, it is not used
    /// otherwise before [`MpiRank::received`] returns.
    unsafe fn post_receives(&self, route: &mut MpiRoute, to: *mut u8) -> Result<()> {
        // SAFETY: the constant is MPI's.
        route.requests.fill(unsafe { ffi::RSMPI_REQUEST_NULL });
        for (message, request) in route.receives.iter_mut().zip(&mut route.requests) {
            let own = message.memory();
            let Message { rank, start, datatype, .. } = message;
            // SAFETY: the caller guarantees it.
            let code = unsafe {
                let start = own.unwrap_or_else(|| to.add(*start));
                ffi::MPI_Irecv(start.cast(), 1, datatype.raw(), *rank, TAG, self.world.communicator, request)
            };
            checked("MPI_Irecv", code)?;
        }
        Ok(())
    }

    /// Posts the sends of an exchange. Without `from`, it sends empty messages.
    ///
    /// # Safety
    /// The memory at `from` is that which the moves ask for. What is sent is not written before
    /// [`MpiRank::sent`] returns.
    unsafe fn post_sends(&self, route: &mut MpiRoute, from: Option<*const u8>) -> Result<()> {
        for (message, request) in route.sends.iter_mut().zip(&mut route.requests[route.receives.len()..]) {
            let own = message.memory();
            let Message { rank, start, datatype, .. } = message;
            let count = c_int::from(from.is_some());
            // SAFETY: the caller guarantees it. An empty message reads nothing.
            let code = unsafe {
                let part = |from: *const u8| own.map_or_else(|| from.add(*start), <*mut u8>::cast_const);
                let start = from.map_or(std::ptr::null(), part);
                ffi::MPI_Isend(start.cast(), count, datatype.raw(), *rank, TAG, self.world.communicator, request)
            };
            checked("MPI_Isend", code)?;
        }
        Ok(())
    }

    /// Posts an exchange, and waits for it. After an error, no message uses the memory any more.
    ///
    /// # Safety
    /// The memory at `to`, and at `from`, is that which the moves ask for.
    unsafe fn post_and_wait(&self, route: &mut MpiRoute, from: Option<*const u8>, to: *mut u8) -> Result<usize> {
        // SAFETY: the caller guarantees it. Nothing else happens before this returns.
        let posted = unsafe { self.post_receives(route, to).and_then(|()| self.post_sends(route, from)) };
        let sent = posted.and_then(|()| self.sent(route));
        let received = sent.and_then(|()| self.received(route));
        if received.is_err() {
            abandon(route);
        }
        received
    }

    /// Waits until the messages to others are sent.
    fn sent(&self, route: &mut MpiRoute) -> Result<()> {
        wait_for(&mut route.requests[route.receives.len()..], &mut route.statuses)
    }

    /// Waits for the messages of others. Returns their bytes.
    fn received(&self, route: &mut MpiRoute) -> Result<usize> {
        let MpiRoute { requests, statuses, receives, .. } = route;
        wait_for(&mut requests[..receives.len()], statuses)?;
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

    /// Lets the library move what is under way. Some do so only in calls.
    fn progress(&self) -> Result<()> {
        let mut is_there = 0;
        // SAFETY: a status is plain numbers, which MPI writes.
        let code = unsafe {
            let mut status = std::mem::zeroed();
            let (source, tag) = (ffi::RSMPI_ANY_SOURCE, ffi::RSMPI_ANY_TAG);
            ffi::MPI_Iprobe(source, tag, self.world.communicator, &mut is_there, &mut status)
        };
        checked("MPI_Iprobe", code)
    }

    /// Posts all receives and, when its block is computed, each part's sends. Computes blocks that have
    /// arrived. After an error, the other ranks get empty messages.
    ///
    /// # Safety
    /// The memory at `from` and `to` is that which the moves ask for. It is not used otherwise before
    /// [`MpiRank::sent`] and [`MpiRank::received`] have returned for all routes.
    unsafe fn in_parts(
        &self,
        routes: &mut [MpiRoute],
        [from, to]: [*mut u8; 2],
        passes: &mut PartPasses<'_>,
    ) -> Result<usize> {
        let slice = |start: *mut u8, range: Range<usize>| {
            // SAFETY: the range is within the memory. No message under way is in it: see `PartPasses`. Rows of
            // the memory after the exchange, of which one element is of a part, are of this part only.
            unsafe { std::slice::from_raw_parts_mut(start.add(range.start), range.len()) }
        };
        // SAFETY: the caller guarantees it.
        routes.iter_mut().try_for_each(|route| unsafe { self.post_receives(route, to) })?;
        let mut outcome = Ok(());
        for (part, route) in routes.iter_mut().enumerate() {
            outcome = outcome.and_then(|()| passes.before(part, slice(from, passes.block(0, part))));
            if outcome.is_ok() {
                // SAFETY: messages under way read this memory, and nothing writes it now.
                let from = unsafe { std::slice::from_raw_parts(from, route.moves.part_bytes()[0]) };
                route.sends.iter_mut().for_each(|send| send.pack(from));
            }
            // SAFETY: the caller guarantees it, and later blocks are others.
            unsafe { self.post_sends(route, outcome.is_ok().then_some(from.cast_const())) }?;
            self.progress()?;
        }
        let mut bytes = 0;
        for (part, route) in routes.iter_mut().enumerate() {
            let received = self.received(route).map(|more| bytes += more);
            outcome = outcome.and(received);
            if outcome.is_ok() {
                // SAFETY: as above.
                let from = unsafe { std::slice::from_raw_parts(from, route.moves.part_bytes()[0]) };
                for (message, bytes) in route.receives.iter().filter_map(|one| Some((one, one.unpacked()?))) {
                    message.unpack_at_start(slice(to, bytes));
                }
                for stays in route.moves.stays() {
                    stays.execute_at_start(from, slice(to, stays.starts[1]..stays.ends[1]));
                }
                outcome = passes.after(part, slice(to, passes.block(1, part)));
            }
        }
        routes.iter_mut().try_for_each(|route| self.sent(route))?;
        outcome.map(|()| bytes)
    }
}

/// Waits for messages.
fn wait_for(requests: &mut [MPI_Request], statuses: &mut [MPI_Status]) -> Result<()> {
    // SAFETY: there are as many statuses as requests, or more.
    let code = unsafe { ffi::MPI_Waitall(requests.len() as c_int, requests.as_mut_ptr(), statuses.as_mut_ptr()) };
    checked("MPI_Waitall", code)
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

    fn exchange_in_parts(
        &self,
        routes: &mut [MpiRoute],
        from: &mut [u8],
        to: &mut [u8],
        passes: &mut PartPasses<'_>,
    ) -> Result<usize> {
        routes.iter().try_for_each(|route| route.moves.check(from, to))?;
        // SAFETY: the memory is large enough, and borrowed until no message is under way.
        let outcome = unsafe { self.in_parts(routes, [from.as_mut_ptr(), to.as_mut_ptr()], passes) };
        if outcome.is_err() {
            routes.iter_mut().for_each(abandon);
        }
        outcome
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
