//! What moves parts of arrays between ranks.

use crate::exchange::moves::Moves;
use fourfold::Result;

/// The ranks of a program, and how they exchange parts of arrays. All ranks call the same functions in
/// the same order.
///
/// A rank that cannot take part calls [`Exchange::refuse`], so that no other one waits for it.
pub trait Exchange {
    /// The memory that parts are in: bytes of the host, or memory of a device.
    type Memory: ?Sized;

    /// An exchange that has been prepared, with what it keeps between executions.
    type Route;

    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// The numbers of all ranks, in their order.
    ///
    /// # Errors
    /// If a rank is lost.
    fn all_gather(&self, mine: u64) -> Result<Vec<u64>>;

    /// Prepares an exchange. Other ranks need not prepare it at the same time.
    ///
    /// # Errors
    /// If there is no memory for it, or if the moves are too large.
    fn route(&self, moves: Moves) -> Result<Self::Route>;

    /// Exchanges the parts of all ranks: from the memory `from`, which has this rank's part before the
    /// exchange, to the memory `to`. It does not allocate. Returns the bytes that came from other
    /// ranks.
    ///
    /// # Errors
    /// If a rank is lost, refuses, or executes another exchange. The content of `to` is then
    /// undefined.
    fn exchange(&self, route: &mut Self::Route, from: &Self::Memory, to: &mut Self::Memory) -> Result<usize>;

    /// Takes part in an exchange without data: it then fails on all ranks that receive from this one.
    fn refuse(&self, route: &mut Self::Route);
}
