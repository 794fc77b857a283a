//! Files that commands read, and files that they write whole or not at all.

pub(crate) mod input;
pub mod output;
mod unfinished;
