//! What ranks tell each other before an exchange: which one comes next, or that they do not take part.

use fourfold::{Error, ErrorKind, Result};

/// What a rank tells the others if it does not take part. Identifiers of exchanges are not 0.
pub const REFUSED: u64 = 0;

/// Checks that all ranks take part in the exchange `id`. `told` has what each rank has told.
///
/// # Errors
/// If a rank does not, or if it executes another exchange.
pub fn check_told(id: u64, told: &[u64]) -> Result<()> {
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
