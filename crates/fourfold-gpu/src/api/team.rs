//! Devices that exchange messages through NCCL.

use crate::api::array::one_queue;
use crate::api::memory::GpuMemory;
use crate::backend::device::Device;
use crate::backend::interface::{Member, TeamId};
use crate::backend::types::Message;
use crate::error::{argument, elsewhere};
use fourfold::Result;

/// A device as a member of a team whose devices exchange messages: NCCL's communicator, for CUDA. The
/// library is loaded when it is first asked for.
pub struct GpuTeam {
    device: Device,
    member: Box<dyn Member>,
}

impl Device {
    /// The identifier of a new team, as words that its members tell each other.
    ///
    /// # Errors
    /// [`Unavailable`](fourfold::ErrorKind::Unavailable) without NCCL; the message says which package has
    /// it.
    pub fn new_team(&self) -> Result<TeamId> {
        self.runtime.new_team()
    }
}

impl GpuTeam {
    /// Joins a team of `ranks` devices as number `rank`. It waits until all have joined, each from a
    /// thread or process that does nothing else meanwhile. No device can be in a team twice.
    ///
    /// # Errors
    /// As [`Device::new_team`], and if NCCL fails.
    pub fn join(device: &Device, id: TeamId, ranks: usize, rank: usize) -> Result<GpuTeam> {
        Ok(GpuTeam { device: device.clone(), member: device.runtime.join_team(id, ranks, rank)? })
    }

    /// Enqueues the messages of one exchange, in which all members take part: `sends` of the memory
    /// `from`, and `receives` in the memory `to`. Both belong to the queue of the device that joined.
    ///
    /// # Errors
    /// If a message leaves its memory, or if NCCL fails.
    pub fn exchange(
        &self,
        sends: &[Message],
        from: &GpuMemory,
        receives: &[Message],
        to: &mut GpuMemory,
    ) -> Result<()> {
        one_queue(from.device(), to.device())?;
        if !from.device().runtime.same(&self.device.runtime) {
            return Err(elsewhere());
        }
        for (messages, memory) in [(sends, from), (receives, &*to)] {
            if let Some(message) = messages.iter().find(|message| message.bytes.end > memory.bytes()) {
                let (end, bytes) = (message.bytes.end, memory.bytes());
                return Err(argument(format!("a message of bytes up to {end}: the memory has {bytes}")));
            }
        }
        self.member.exchange(&*from.device().queue.0, sends, &*from.buffer.0, receives, &mut *to.buffer.0)
    }
}

impl std::fmt::Debug for GpuTeam {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuTeam(of {})", self.device.name())
    }
}
