//! Memory that grows with an image: lack of it is an error, not an abort.

use crate::error::argument;
use bytemuck::Zeroable;
use bytemuck::allocation::try_zeroed_vec;
use fourfold::Result;

/// `count` zeros. The system clears a large allocation page by page, on the thread that first
/// touches the page.
///
/// # Errors
/// If there is no memory; the message names `what` is to be kept there.
pub(crate) fn zeros<T: Zeroable>(count: usize, what: &str) -> Result<Vec<T>> {
    let no_memory = |()| argument(format!("there is no memory for {} bytes of {what}", count * size_of::<T>()));
    try_zeroed_vec(count).map_err(no_memory)
}
