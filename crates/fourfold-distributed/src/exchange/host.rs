//! Exchanges between ranks whose parts are in the memory of the host.

use crate::exchange::exchange::Exchange;
use fourfold::Result;
use std::ops::Range;

/// Ranks whose parts are in the memory of the host.
pub trait HostExchange: Exchange<Memory = [u8]> {
    /// Takes part in an exchange without data: it then fails on all ranks that receive from this one.
    fn refuse(&self, route: &mut Self::Route);

    /// Exchanges parts of messages after one another, with a route for each part. Part k is sent when
    /// `passes` have computed block k of `from`, and block k of `to` is computed when part k has arrived.
    /// After an error, other ranks still get what they wait for, and an error with it. It does not allocate.
    /// Returns the bytes that came from other ranks.
    ///
    /// This one ends each part before the next one begins. Ranks whose messages move on their own can do
    /// better.
    ///
    /// # Errors
    /// Those of [`Exchange::exchange`], and of the passes.
    fn exchange_in_parts(
        &self,
        routes: &mut [Self::Route],
        from: &mut [u8],
        to: &mut [u8],
        passes: &mut PartPasses<'_>,
    ) -> Result<usize> {
        let mut outcome = Ok(0);
        for (part, route) in routes.iter_mut().enumerate() {
            let ready = outcome.and_then(|bytes| passes.before(part, &mut from[passes.block(0, part)]).map(|()| bytes));
            outcome = match ready {
                Ok(bytes) => self.exchange(route, from, to).map(|more| bytes + more),
                Err(error) => {
                    self.refuse(route);
                    Err(error)
                }
            };
            outcome = outcome.and_then(|bytes| passes.after(part, &mut to[passes.block(1, part)]).map(|()| bytes));
        }
        outcome
    }
}

/// The passes beside an exchange in parts. Only plans make them, so what they say of blocks holds: part k of
/// the messages is sent from the blocks up to k of the memory before the exchange, and all that arrives in
/// block k of the memory after it is of part k.
pub struct PartPasses<'a> {
    blocks: [&'a [Range<usize>]; 2],
    compute: &'a mut dyn FnMut(usize, usize, &mut [u8]) -> Result<()>,
}

impl<'a> PartPasses<'a> {
    /// Passes that `compute` does for a side, a part and the bytes of its block. The blocks follow one
    /// another; there are none of a side without passes.
    pub(crate) fn new(
        blocks: [&'a [Range<usize>]; 2],
        compute: &'a mut dyn FnMut(usize, usize, &mut [u8]) -> Result<()>,
    ) -> PartPasses<'a> {
        PartPasses { blocks, compute }
    }

    /// The bytes of a block in the memory before the exchange (side 0), or after it (side 1). It is empty if
    /// no pass computes it.
    pub fn block(&self, side: usize, part: usize) -> Range<usize> {
        self.blocks[side].get(part).cloned().unwrap_or_default()
    }

    /// Computes a block of the memory before the exchange.
    ///
    /// # Errors
    /// Those of the passes.
    pub fn before(&mut self, part: usize, block: &mut [u8]) -> Result<()> {
        if block.is_empty() { Ok(()) } else { (self.compute)(0, part, block) }
    }

    /// Computes a block of the memory after the exchange.
    ///
    /// # Errors
    /// Those of the passes.
    pub fn after(&mut self, part: usize, block: &mut [u8]) -> Result<()> {
        if block.is_empty() { Ok(()) } else { (self.compute)(1, part, block) }
    }
}
