//! The CPU engine: recipes run with SIMD lanes and threads.
//!
//! A pass cuts the lines of its axis into tiles of as many lines as a vector has lanes, so that every vector operation works on
//! that many transforms at once and no arithmetic ever crosses lanes. What a tile computes does not depend on its neighbours or on
//! the thread, so results are the same for any number of threads.

pub(crate) mod along;
mod combine;
pub(crate) mod cut;
pub(crate) mod dft;
pub(crate) mod dispatch;
pub(crate) mod engine;
pub(crate) mod factor;
mod fold;
pub(crate) mod isa;
pub(crate) mod lane;
pub(crate) mod line;
mod lines;
pub(crate) mod memory;
mod numbers;
mod order;
mod pairs;
mod parts;
mod pass;
mod product;
pub(crate) mod single;
pub(crate) mod sizes;
pub(crate) mod stage;
pub(crate) mod threads;
mod tiles;
mod transpose;
mod turning;
