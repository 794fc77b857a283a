//! Ranks that are threads of one process, each with a queue of a device.

use crate::boxes::box_copy;
use fourfold::{Error, ErrorKind, Result};
use fourfold_distributed::engine::{REFUSED, check_told};
use fourfold_distributed::{Exchange, Moves, ThreadRank};
use fourfold_gpu::{BoxCopy, GpuMemory};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A rank that is a thread with a queue of a device: each copies from the memory of the others. Several
/// ranks can have queues of one device. Those of several devices need CUDA.
///
/// An exchange waits for the queue: so ranks are for tests, and for more ranks than devices.
#[derive(Clone)]
pub struct QueueRank {
    team: ThreadRank,
    board: Arc<Mutex<Vec<Option<GpuMemory>>>>,
}

/// A prepared exchange between queues.
pub struct QueueRoute {
    id: u64,
    copies: Vec<(usize, BoxCopy)>,
    stays: Option<BoxCopy>,
}

impl QueueRank {
    /// The ranks of a program, in their order, each to be moved to a thread.
    pub fn all(ranks: usize) -> Vec<QueueRank> {
        let board = Arc::new(Mutex::new((0..ranks).map(|_| None).collect()));
        let rank = |team| QueueRank { team, board: Arc::clone(&board) };
        ThreadRank::all(ranks).into_iter().map(rank).collect()
    }

    fn board(&self) -> MutexGuard<'_, Vec<Option<GpuMemory>>> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the memory to the others, when what was enqueued has written it.
    fn show(&self, memory: &GpuMemory) -> Result<()> {
        memory.device().finish()?;
        self.board()[self.rank()] = Some(memory.share()?);
        Ok(())
    }

    /// Copies from the memory that the others show. Returns the bytes.
    fn copy(&self, route: &QueueRoute, from: &GpuMemory, to: &mut GpuMemory) -> Result<usize> {
        if let Some(stays) = &route.stays {
            to.copy_box(from, stays)?;
        }
        let mut bytes = 0;
        for (rank, copy) in &route.copies {
            let other = self.board()[*rank].as_ref().map(GpuMemory::share).transpose()?;
            let missing = || Error::new(ErrorKind::Unavailable, format!("rank {rank} shows no memory"));
            to.copy_box(&other.ok_or_else(missing)?, copy)?;
            bytes += copy.bytes();
        }
        Ok(bytes)
    }
}

impl Exchange for QueueRank {
    type Memory = GpuMemory;
    type Route = QueueRoute;

    fn rank(&self) -> usize {
        self.team.rank()
    }

    fn ranks(&self) -> usize {
        self.team.ranks()
    }

    fn all_gather(&self, mine: u64) -> Result<Vec<u64>> {
        self.team.all_gather(mine)
    }

    fn agree(&self, id: u64) -> Result<()> {
        self.team.agree(id)
    }

    fn route(&self, moves: Moves) -> Result<QueueRoute> {
        let copies = moves.copies().iter().map(|(rank, copy)| (*rank, box_copy(copy))).collect();
        Ok(QueueRoute { id: moves.id(), copies, stays: moves.stays().first().map(box_copy) })
    }

    fn exchange(&self, route: &mut QueueRoute, from: &GpuMemory, to: &mut GpuMemory) -> Result<usize> {
        let shown = self.show(from);
        let mine = if shown.is_ok() { route.id } else { REFUSED };
        let told = self.team.all_gather(mine);
        let copied = told.and_then(|told| check_told(route.id, &told)).and_then(|()| self.copy(route, from, to));
        let finished = to.device().finish();
        // Nobody writes memory that is shown before all have come here.
        let met = self.team.all_gather(mine);
        self.board()[self.rank()] = None;
        shown?;
        let bytes = copied?;
        met?;
        finished.map(|()| bytes)
    }
}
