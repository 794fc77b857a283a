//! The invariants of ARCHITECTURE.md that the sources show.

mod backends;
mod definitions;
mod floors;
mod imports;
mod names;
mod safety;
mod size;
mod sources;
