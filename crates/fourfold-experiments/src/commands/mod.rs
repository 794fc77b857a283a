//! What the program does besides experiments, a command a file.

pub(crate) mod circuit;
pub(crate) mod generate;
