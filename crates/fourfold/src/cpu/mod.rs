//! The CPU engine: recipes run with SIMD lanes and threads.
//!
//! A pass cuts the lines of its axis into tiles of as many lines as a vector has lanes, so that
//! every vector operation works on that many transforms at once and no arithmetic ever crosses
//! lanes. What a tile computes does not depend on its neighbours or on the thread, so results are
//! the same for any number of threads.

pub(crate) mod base;
pub(crate) mod batch;
pub(crate) mod dft;
pub(crate) mod engine;
pub(crate) mod simd;
pub(crate) mod single;
