//! What moves parts of arrays between ranks.

use crate::exchange::agreement::check_told;
use crate::exchange::moves::Moves;
use fourfold::Result;

/// The ranks of a program, and how they exchange parts of arrays. All ranks call the same functions in
/// the same order.
///
/// Before an exchange all ranks call [`Exchange::agree`], also those that cannot take part. So no other one
/// waits for them.
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

    /// Agrees with all ranks about the exchange that comes next. `id` is its identifier, or
    /// [`REFUSED`](crate::engine::REFUSED) of a rank that cannot take part. Plans call it in executions, so it
    /// should not allocate.
    ///
    /// # Errors
    /// On all ranks: if one is lost, refuses, or has another identifier.
    fn agree(&self, id: u64) -> Result<()> {
        check_told(id, &self.all_gather(id)?)
    }

    /// Prepares an exchange. Other ranks need not prepare it at the same time.
    ///
    /// # Errors
    /// If there is no memory for it, or if the moves are too large.
    fn route(&self, moves: Moves) -> Result<Self::Route>;

    /// Exchanges the parts of all ranks, which have agreed: from the memory `from`, which has this rank's
    /// part before the exchange, to the memory `to`. It does not allocate. Returns the bytes that came from
    /// other ranks.
    ///
    /// # Errors
    /// If a rank is lost, or has an error. The content of `to` is then undefined.
    fn exchange(&self, route: &mut Self::Route, from: &Self::Memory, to: &mut Self::Memory) -> Result<usize>;
}
