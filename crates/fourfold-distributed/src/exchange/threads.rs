//! Ranks that are threads of one process. Each one copies from the memory of the others.

use crate::exchange::agreement::{REFUSED, check_told};
use crate::exchange::exchange::Exchange;
use crate::exchange::host::HostExchange;
use crate::exchange::moves::Moves;
use crate::exchange::region::RegionCopy;
use fourfold::{Error, ErrorKind, Result};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A rank of a program whose ranks are threads of one process.
///
/// A rank is lost when all clones of it are dropped. Others that wait for it then get an error.
///
/// ```
/// use fourfold_distributed::{Exchange, ThreadRank};
/// let ranks = ThreadRank::all(3);
/// std::thread::scope(|scope| {
///     for rank in ranks {
///         scope.spawn(move || assert_eq!(rank.all_gather(rank.rank() as u64 + 1).unwrap(), [1, 2, 3]));
///     }
/// });
/// ```
#[derive(Clone)]
pub struct ThreadRank {
    member: Arc<Member>,
}

/// A rank's part in the team. It leaves the team when it is dropped.
struct Member {
    rank: usize,
    team: Arc<Team>,
    /// Held during a call, so that threads with clones of one rank take turns.
    calls: Mutex<()>,
}

struct Team {
    state: Mutex<State>,
    changed: Condvar,
}

/// What ranks tell each other at a meeting.
struct State {
    /// The number of meetings that have ended.
    meetings: u64,
    /// The ranks that have come to the present one.
    present: usize,
    /// The first rank that was lost, if there is one.
    lost: Option<usize>,
    /// What was offered at meetings of even and of odd numbers. A rank offers the next time in one of them
    /// when all have come to the meeting between, and so have read what was offered here.
    slots: [Vec<Slot>; 2],
}

/// What one rank offers.
#[derive(Clone, Copy)]
enum Slot {
    Number(u64),
    /// Memory that others may read until the next meeting: address, bytes, and the exchange.
    Memory(usize, usize, u64),
    Refused,
}

/// A prepared exchange.
pub struct ThreadRoute {
    moves: Moves,
    /// What the others offered.
    offers: Vec<Slot>,
}

impl ThreadRank {
    /// The ranks of a program, in their order, each to be moved to a thread.
    pub fn all(ranks: usize) -> Vec<ThreadRank> {
        let slots = || vec![Slot::Refused; ranks];
        let state = State { meetings: 0, present: 0, lost: None, slots: [slots(), slots()] };
        let team = Arc::new(Team { state: Mutex::new(state), changed: Condvar::new() });
        let rank =
            |rank| ThreadRank { member: Arc::new(Member { rank, team: Arc::clone(&team), calls: Mutex::new(()) }) };
        (0..ranks).map(rank).collect()
    }

    /// Waits until all ranks have come, and reads what they offer. The caller holds `calls`, so that no
    /// rank comes twice.
    fn meet<T>(&self, offer: Slot, read: impl FnOnce(&[Slot]) -> T) -> Result<T> {
        let team = &self.member.team;
        let mut state = team.lock();
        if let Some(lost) = state.lost {
            return Err(ended(lost));
        }
        let number = state.meetings;
        let parity = usize::from(number % 2 == 1);
        state.slots[parity][self.member.rank] = offer;
        state.present += 1;
        if state.present == state.slots[0].len() {
            (state.present, state.meetings) = (0, number + 1);
            team.changed.notify_all();
        }
        while state.meetings == number && state.lost.is_none() {
            state = team.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        // A meeting that all ranks have come to counts, even if one is lost after it.
        if state.meetings == number {
            return Err(ended(state.lost.unwrap_or_default()));
        }
        Ok(read(&state.slots[parity]))
    }

    /// Begins a call. Other threads with this rank wait for its end.
    fn call(&self) -> MutexGuard<'_, ()> {
        self.member.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Comes to both meetings of an exchange without memory.
    fn stay_away(&self) {
        // An error says that a rank is lost, which others learn of, too.
        let _ = self.meet(Slot::Refused, |_| {}).and_then(|()| self.meet(Slot::Refused, |_| {}));
    }

    /// Checks that a route is one of this team.
    fn check_team(&self, route: &ThreadRoute) -> Result<()> {
        if route.offers.len() == self.ranks() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Argument, "an exchange that was prepared for other ranks".to_owned()))
    }

    /// Copies from the memory that the other ranks offer. Returns the bytes.
    fn copy(&self, route: &ThreadRoute, to: &mut [u8]) -> Result<usize> {
        let mut bytes = 0;
        for (rank, copy) in &route.moves.copies {
            let Slot::Memory(address, len, id) = route.offers[*rank] else { return Err(refused(*rank)) };
            if id != route.moves.id || len < copy.ends[0] {
                let message = format!("rank {rank} executes another exchange: all ranks must execute the same plans");
                return Err(Error::new(ErrorKind::Argument, message));
            }
            copy_from(address, len, copy, to);
            bytes += copy.bytes();
        }
        Ok(bytes)
    }
}

/// Copies from the memory that another rank offers.
fn copy_from(address: usize, len: usize, copy: &RegionCopy, to: &mut [u8]) {
    // SAFETY: the other rank borrows this memory for an exchange, and stays in it until this rank has
    // come to the meeting after the copies. Nobody writes it meanwhile. This rank borrows `to` mutably,
    // so that is other memory.
    let from = unsafe { std::slice::from_raw_parts(address as *const u8, len) };
    copy.execute(from, to);
}

/// The numbers that ranks offer.
fn numbers(slots: &[Slot]) -> impl Iterator<Item = Result<u64>> {
    slots.iter().enumerate().map(|(rank, slot)| match slot {
        Slot::Number(number) => Ok(*number),
        Slot::Memory(..) | Slot::Refused => {
            Err(Error::new(ErrorKind::Argument, format!("rank {rank} executes, while others plan")))
        }
    })
}

fn ended(rank: usize) -> Error {
    Error::new(ErrorKind::Unavailable, format!("rank {rank} has ended, and others wait for it"))
}

fn refused(rank: usize) -> Error {
    let message = format!("rank {rank} does not take part in an exchange: it has had an error");
    Error::new(ErrorKind::Unavailable, message)
}

impl Team {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.team.lock().lost.get_or_insert(self.rank);
        self.team.changed.notify_all();
    }
}

impl Exchange for ThreadRank {
    type Memory = [u8];
    type Route = ThreadRoute;

    fn rank(&self) -> usize {
        self.member.rank
    }

    fn ranks(&self) -> usize {
        self.member.team.lock().slots[0].len()
    }

    fn all_gather(&self, mine: u64) -> Result<Vec<u64>> {
        let _call = self.call();
        self.meet(Slot::Number(mine), |slots| numbers(slots).collect())?
    }

    fn agree(&self, id: u64) -> Result<()> {
        let _call = self.call();
        self.meet(Slot::Number(id), |slots| {
            if numbers(slots).all(|told| told == Ok(id)) && id != REFUSED {
                return Ok(());
            }
            check_told(id, &numbers(slots).collect::<Result<Vec<_>>>()?)
        })?
    }

    fn route(&self, moves: Moves) -> Result<ThreadRoute> {
        Ok(ThreadRoute { moves, offers: vec![Slot::Refused; self.ranks()] })
    }

    fn exchange(&self, route: &mut ThreadRoute, from: &[u8], to: &mut [u8]) -> Result<usize> {
        let _call = self.call();
        if let Err(error) = route.moves.check(from, to).and_then(|()| self.check_team(route)) {
            self.stay_away();
            return Err(error);
        }
        let offers = &mut route.offers;
        self.meet(Slot::Memory(from.as_ptr() as usize, from.len(), route.moves.id), |slots| {
            offers.copy_from_slice(slots)
        })?;
        route.moves.copy_own(from, to);
        let copied = self.copy(route, to);
        // Every rank comes to this meeting, whatever its copies gave: none of them can be lost now.
        self.meet(Slot::Refused, |_| {})?;
        copied
    }
}

impl HostExchange for ThreadRank {
    fn refuse(&self, _: &mut ThreadRoute) {
        let _call = self.call();
        self.stay_away();
    }
}
