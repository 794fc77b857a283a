//! Ranks with a GPU each, whose exchanges are NCCL's.

use crate::boxes::box_copy;
use fourfold::{Error, ErrorKind, Result};
use fourfold_distributed::{Exchange, Move, Moves};
use fourfold_gpu::{BoxCopy, Device, GpuMemory, GpuTeam, Message, TeamId};
use std::sync::Arc;

/// A rank with a GPU, whose messages NCCL sends. The ranks of `host` are threads of one process, or
/// processes with MPI: through them ranks meet, and agree before each exchange, so that a rank with an
/// error does not leave the others waiting on their GPUs.
#[derive(Clone)]
pub struct NcclRank<H> {
    host: H,
    team: Arc<GpuTeam>,
    /// A second queue, for what stays on the rank.
    beside: Device,
}

/// A prepared exchange of NCCL.
pub struct NcclRoute {
    sends: Vec<Message>,
    receives: Vec<Message>,
    stays: Option<BoxCopy>,
}

impl<H: Exchange> NcclRank<H> {
    /// Joins the other ranks. Each has another GPU. It takes the result of opening the device, so that a
    /// rank without one tells the others, which would wait for it.
    ///
    /// # Errors
    /// On all ranks, if one of them has no device, or no NCCL; the message of that rank says which
    /// package has it. Also if two ranks have one GPU.
    pub fn join(host: H, device: Result<Device>) -> Result<NcclRank<H>> {
        let id = device.as_ref().map_err(Clone::clone).and_then(Device::new_team);
        told(&host, &id)?;
        let (device, id) = (device?, id?);
        let mut words: TeamId = id;
        for word in &mut words {
            *word = host.all_gather(*word)?[0];
        }
        let joined = GpuTeam::join(&device, words, host.ranks(), host.rank());
        let joined = joined.and_then(|team| Ok((team, device.new_queue()?)));
        told(&host, &joined)?;
        let (team, beside) = joined?;
        Ok(NcclRank { host, team: Arc::new(team), beside })
    }

    /// Enqueues the messages, and beside them the copy of what stays.
    fn enqueue(&self, route: &NcclRoute, from: &GpuMemory, to: &mut GpuMemory) -> Result<()> {
        let queue = to.device().clone();
        if let Some(stays) = &route.stays {
            self.beside.wait_for(&queue)?;
            to.seen_from(&self.beside)?.copy_box(from, stays)?;
        }
        self.team.exchange(&route.sends, from, &route.receives, to)?;
        if route.stays.is_some() { queue.wait_for(&self.beside) } else { Ok(()) }
    }
}

/// Tells the other ranks whether this one has succeeded, and learns whether they have.
fn told<H: Exchange, T>(host: &H, outcome: &Result<T>) -> Result<()> {
    let told = host.all_gather(u64::from(outcome.is_ok()))?;
    match told.iter().position(|told| *told == 0) {
        Some(rank) if outcome.is_ok() => {
            let message = format!("rank {rank} cannot join the ranks of NCCL: its error says why");
            Err(Error::new(ErrorKind::Unavailable, message))
        }
        _ => Ok(()),
    }
}

fn messages(moves: &[Move], element: usize) -> Vec<Message> {
    let message = |one: &Move| {
        let start = one.region().offset * element;
        Message { rank: one.rank(), bytes: start..start + one.region().elements() * element }
    };
    moves.iter().map(message).collect()
}

impl<H: Exchange> Exchange for NcclRank<H> {
    type Memory = GpuMemory;
    type Route = NcclRoute;

    fn rank(&self) -> usize {
        self.host.rank()
    }

    fn ranks(&self) -> usize {
        self.host.ranks()
    }

    fn all_gather(&self, mine: u64) -> Result<Vec<u64>> {
        self.host.all_gather(mine)
    }

    fn agree(&self, id: u64) -> Result<()> {
        self.host.agree(id)
    }

    fn route(&self, moves: Moves) -> Result<NcclRoute> {
        let element = moves.element_bytes();
        let [sends, receives] = [moves.sends(), moves.receives()].map(|side| messages(side, element));
        Ok(NcclRoute { sends, receives, stays: moves.stays().first().map(box_copy) })
    }

    fn exchange(&self, route: &mut NcclRoute, from: &GpuMemory, to: &mut GpuMemory) -> Result<usize> {
        self.enqueue(route, from, to)?;
        Ok(route.receives.iter().map(|message| message.bytes.len()).sum())
    }
}
