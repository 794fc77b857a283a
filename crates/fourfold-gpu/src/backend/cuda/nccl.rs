//! NCCL, opened when devices first exchange messages. These are the functions that are called here, as
//! `nccl.h` declares them.

use crate::backend::cuda::context;
use crate::backend::cuda::context::Context;
use crate::backend::cuda::memory;
use crate::backend::cuda::queue::Queue;
use crate::backend::cuda::releases::bind_to_release;
use crate::backend::interface;
use crate::backend::interface::{Buffer, Queue as _, TeamId, Teams, own, own_mut};
use crate::backend::types::Message;
use crate::error::{argument, unavailable};
use cudarc::driver::CudaContext;
use fourfold::Result;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Names of the library: that of its package, and that of its package for developers.
const NAMES: [&str; 2] = ["libnccl.so.2", "libnccl.so"];

/// `ncclInt8`, of which messages have as many as bytes.
const BYTE: c_int = 0;

/// `ncclUniqueId`.
#[repr(C)]
#[derive(Clone, Copy)]
struct UniqueId([u8; 128]);

impl UniqueId {
    fn of(words: TeamId) -> UniqueId {
        let mut bytes = words.iter().flat_map(|word| word.to_le_bytes());
        UniqueId([0; 128].map(|_: u8| bytes.next().unwrap_or(0)))
    }

    fn words(&self) -> TeamId {
        let mut words =
            self.0.chunks_exact(8).map(|word| word.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)));
        [0; 16].map(|_: u64| words.next().unwrap_or(0))
    }
}

/// `ncclComm_t`.
type Communicator = *mut c_void;
/// `ncclResult_t`, which is 0 for success.
type Code = c_int;
type Send = unsafe extern "C" fn(*const c_void, usize, c_int, c_int, Communicator, *mut c_void) -> Code;
type Receive = unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Communicator, *mut c_void) -> Code;

/// The library's functions.
struct Nccl {
    new_id: unsafe extern "C" fn(*mut UniqueId) -> Code,
    join: unsafe extern "C" fn(*mut Communicator, c_int, UniqueId, c_int) -> Code,
    leave: unsafe extern "C" fn(Communicator) -> Code,
    begin: unsafe extern "C" fn() -> Code,
    end: unsafe extern "C" fn() -> Code,
    send: Send,
    receive: Receive,
    describe: unsafe extern "C" fn(Code) -> *const c_char,
}

/// A device in a team.
struct Member {
    nccl: &'static Nccl,
    /// Held during a call: NCCL's communicators are for one thread at a time.
    communicator: Mutex<Shared>,
    context: Arc<CudaContext>,
}

/// A communicator, which any thread can use while no other one does.
struct Shared(Communicator);

// SAFETY: NCCL asks for one thread at a time, which the mutex ensures.
unsafe impl std::marker::Send for Shared {}

fn library() -> Result<&'static Nccl> {
    static LIBRARY: OnceLock<std::result::Result<Nccl, String>> = OnceLock::new();
    LIBRARY.get_or_init(Nccl::open).as_ref().map_err(|message| unavailable(message.clone()))
}

impl Nccl {
    fn open() -> std::result::Result<Nccl, String> {
        // SAFETY: loading NCCL runs nothing but its own constructors.
        let library = NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok());
        let library = library.ok_or(
            "no NCCL on this machine (libnccl.so.2 cannot be loaded): install NVIDIA's package libnccl2, or \
             nvidia-nccl-cu13 from PyPI with its folder in LD_LIBRARY_PATH",
        )?;
        Nccl::of(Box::leak(Box::new(library))).map_err(|e| format!("the NCCL here is too old, or no NCCL: {e}"))
    }

    fn of(library: &'static Library) -> std::result::Result<Nccl, libloading::Error> {
        // SAFETY: the types are those of the declarations in `nccl.h`.
        unsafe {
            Ok(Nccl {
                new_id: *library.get(b"ncclGetUniqueId\0")?,
                join: *library.get(b"ncclCommInitRank\0")?,
                leave: *library.get(b"ncclCommDestroy\0")?,
                begin: *library.get(b"ncclGroupStart\0")?,
                end: *library.get(b"ncclGroupEnd\0")?,
                send: *library.get(b"ncclSend\0")?,
                receive: *library.get(b"ncclRecv\0")?,
                describe: *library.get(b"ncclGetErrorString\0")?,
            })
        }
    }

    /// An error if a call did not succeed.
    fn check(&self, what: &str, code: Code) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: every code has a text, which is constant.
        let text = unsafe { CStr::from_ptr((self.describe)(code)) };
        Err(unavailable(format!("NCCL cannot {what}: {}", text.to_string_lossy())))
    }
}

impl Teams for Context {
    fn new_team(&self) -> Result<TeamId> {
        let nccl = library()?;
        let mut id = UniqueId([0; 128]);
        // SAFETY: writes to what lives until it returns.
        nccl.check("make a team", unsafe { (nccl.new_id)(&mut id) })?;
        Ok(id.words())
    }

    fn join_team(&self, id: TeamId, ranks: usize, rank: usize) -> Result<Box<dyn interface::Member>> {
        let nccl = library()?;
        let number = |number: usize| {
            c_int::try_from(number).map_err(|_| argument(format!("a team of {ranks} devices: expected at most 2^31")))
        };
        let (count, place) = (number(ranks)?, number(rank)?);
        self.context.bind_to_thread().map_err(|e| context::failed("use the device", e))?;
        let mut communicator = ptr::null_mut();
        // SAFETY: writes to what lives until it returns; the context is this thread's.
        nccl.check("join a team", unsafe { (nccl.join)(&mut communicator, count, UniqueId::of(id), place) })?;
        let communicator = Mutex::new(Shared(communicator));
        Ok(Box::new(Member { nccl, communicator, context: Arc::clone(&self.context) }))
    }
}

impl interface::Member for Member {
    fn exchange(
        &self,
        queue: &dyn interface::Queue,
        sends: &[Message],
        from: &dyn Buffer,
        receives: &[Message],
        to: &mut dyn Buffer,
    ) -> Result<()> {
        let (queue, from, to): (&Queue, &memory::Buffer, &mut memory::Buffer) = (own(queue)?, own(from)?, own_mut(to)?);
        queue.bind().map_err(|e| context::failed("use the device", e))?;
        let communicator = self.communicator.lock().unwrap_or_else(PoisonError::into_inner);
        let at = |address: u64, message: &Message| {
            ptr::without_provenance_mut::<c_void>(address as usize + message.bytes.start)
        };
        let (nccl, stream) = (self.nccl, queue.raw());
        // SAFETY: the messages are in memory of the device, as the caller has checked, which is not freed
        // before what was enqueued is done. A group that was begun is ended.
        unsafe {
            nccl.check("begin an exchange", (nccl.begin)())?;
            let send = |message: &Message| {
                let (start, rank) = (at(from.address, message), message.rank as c_int);
                nccl.check("send", (nccl.send)(start, message.bytes.len(), BYTE, rank, communicator.0, stream))
            };
            let receive = |message: &Message| {
                let (start, rank) = (at(to.address, message), message.rank as c_int);
                nccl.check("receive", (nccl.receive)(start, message.bytes.len(), BYTE, rank, communicator.0, stream))
            };
            let enqueued = sends.iter().try_for_each(send).and_then(|()| receives.iter().try_for_each(receive));
            nccl.check("exchange", (nccl.end)()).and(enqueued)
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let Shared(communicator) = *self.communicator.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = bind_to_release(&self.context);
        // SAFETY: was made, and is destroyed once, which waits for its messages. After a failure nothing
        // is left to do.
        let _ = unsafe { (self.nccl.leave)(communicator) };
    }
}
