//! What tells plans from one another, by which ranks find out whether they do the same.

use crate::exchange::exchange::Exchange;
use crate::hash::hash;
use crate::recipe::recipe::Recipe;
use fourfold::{Error, ErrorKind, Result};

/// What tells a plan from others.
#[derive(Clone, Copy, Debug)]
pub struct PlanId(u64);

/// The order of the elements in messages. Ranks with different ones would take elements for others.
#[derive(Clone, Copy, Debug)]
pub enum MessageOrder {
    /// That of arrays in C order.
    Array,
    /// That of [`packed_steps`](crate::engine::packed_steps).
    Packed,
}

impl PlanId {
    /// The identifier of a plan whose exchanges are in so many parts. That of a filter has the number of
    /// the filter, since ranks do not compare the factors.
    pub fn new(recipe: &Recipe, parts: usize, order: MessageOrder, filter: Option<u64>) -> PlanId {
        PlanId(hash(&format!("{recipe} {parts} {order:?} {filter:?}")))
    }

    /// What ranks tell each other of the plan. It is not 0.
    fn told(self) -> u64 {
        self.0 | 1
    }

    /// The identifier of the exchange with this number, by which all ranks count alike. It is not 0.
    pub fn exchange(self, number: usize) -> u64 {
        // Any odd factor keeps the numbers apart. This one is 2^64 divided by the golden ratio.
        self.0.wrapping_add((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1
    }
}

/// The plan of this rank, if all ranks have made one of the same recipe.
///
/// # Errors
/// On all ranks: if one of them has no plan, or one of another recipe.
pub fn agreed<E: Exchange, P>(exchange: &E, plan: Result<P>, id: impl Fn(&P) -> PlanId) -> Result<P> {
    // 0 says that there is no plan.
    let hashes = exchange.all_gather(plan.as_ref().map_or(0, |plan| id(plan).told()));
    let plan = plan?;
    check_agreement(&hashes?)?;
    Ok(plan)
}

/// Checks that all ranks have made the same plan.
fn check_agreement(hashes: &[u64]) -> Result<()> {
    let fail = |message: String| Err(Error::new(ErrorKind::Argument, message));
    if let Some(rank) = hashes.iter().position(|hash| *hash == 0) {
        return fail(format!("rank {rank} cannot make this plan: its error says why"));
    }
    match hashes.iter().position(|hash| *hash != hashes[0]) {
        None => Ok(()),
        Some(rank) => fail(format!(
            "rank {rank} plans another problem, grid, distribution, number of parts or engine than rank 0"
        )),
    }
}
