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

/// Computes the passes on a side of an exchange for a part, whose block has these bytes.
type Compute<'a> = dyn FnMut(usize, usize, &mut [u8]) -> Result<()> + 'a;

/// The passes beside an exchange in parts. Part k of the messages is sent from the blocks up to k of the memory
/// before the exchange. All that arrives in block k of the memory after it is of part k. Only plans make these
/// passes, so that this holds.
pub struct PartPasses<'a> {
    blocks: [&'a [Range<usize>]; 2],
    compute: &'a mut Compute<'a>,
}

impl<'a> PartPasses<'a> {
    /// Passes that `compute` does for a side, a part and the bytes of its block. The blocks follow one
    /// another; there are none of a side without passes.
    pub(crate) fn new(blocks: [&'a [Range<usize>]; 2], compute: &'a mut Compute<'a>) -> PartPasses<'a> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::moves::{MessagePart, Moves};
    use crate::exchange::threads::ThreadRank;
    use crate::recipe::recipe::Recipe;
    use fourfold::{Error, ErrorKind, Precision};

    /// A rank whose pass fails in part 1 of 3 takes part in all, so that the other one does not wait.
    #[test]
    fn a_failing_pass_is_an_error_on_both_ranks() {
        let recipe: Recipe = "dct2 f64 6x2 on 2 from p,* to *,p
            input -> work axis 1: dct2
            work -> output exchange to *,p
            output -> output axis 0: dct2"
            .parse()
            .unwrap();
        let exchange = |rank: ThreadRank| {
            let ends = [&recipe.arrays()[1], &recipe.arrays()[2]];
            let route = |number: usize| {
                let part = MessagePart { axis: 0, side: 0, number, parts: 3 };
                rank.route(Moves::new(ends, None, Some(part), Precision::F64, recipe.grid(), rank.rank())).unwrap()
            };
            let mut routes: Vec<_> = (0..3).map(route).collect();
            let (mut from, mut to) = ([0u8; 48], [0u8; 48]);
            let mut compute = |_: usize, part: usize, block: &mut [u8]| {
                block.fill(1 + part as u8);
                let fails = rank.rank() == 1 && part == 1;
                if fails { Err(Error::new(ErrorKind::Argument, "a pass".to_owned())) } else { Ok(()) }
            };
            let mut passes = PartPasses::new([&[0..16, 16..32, 32..48], &[]], &mut compute);
            let outcome = rank.exchange_in_parts(&mut routes, &mut from, &mut to, &mut passes);
            // Part 0 has arrived.
            assert_eq!((to[0], to[24]), (1, 1));
            outcome.unwrap_err().to_string()
        };
        let messages: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = ThreadRank::all(2).into_iter().map(|rank| scope.spawn(|| exchange(rank))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(messages[0].contains("rank 1 does not take part") && messages[1] == "a pass", "{messages:?}");
    }
}
