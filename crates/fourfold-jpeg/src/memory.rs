//! Memory that grows with an image: where there is none, that is an error.

use crate::argument;
use bytemuck::Zeroable;
use bytemuck::allocation::try_zeroed_vec;
use fourfold::Result;

/// So many zeros. Large memory the system clears when it is first touched, by the thread that needs
/// it.
pub(crate) fn zeros<T: Zeroable>(count: usize, what: &str) -> Result<Vec<T>> {
    let no_memory = |()| argument(format!("there is no memory for {} bytes of {what}", count * size_of::<T>()));
    try_zeroed_vec(count).map_err(no_memory)
}
