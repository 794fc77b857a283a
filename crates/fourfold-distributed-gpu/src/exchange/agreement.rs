//! What ranks tell each other before an exchange.

use fourfold::{Error, ErrorKind, Result};

/// What a rank tells the others if it does not take part. Identifiers of exchanges are not 0.
pub(crate) const REFUSED: u64 = 0;

/// An error if a rank does not take part in the exchange `id`.
pub(crate) fn check(id: u64, told: &[u64]) -> Result<()> {
    if let Some(rank) = told.iter().position(|other| *other == REFUSED) {
        let message = format!("rank {rank} does not take part in an exchange: it has had an error");
        return Err(Error::new(ErrorKind::Unavailable, message));
    }
    match told.iter().position(|other| *other != id) {
        None => Ok(()),
        Some(rank) => {
            let message = format!("rank {rank} executes another exchange: all ranks must execute the same plans");
            Err(Error::new(ErrorKind::Argument, message))
        }
    }
}
