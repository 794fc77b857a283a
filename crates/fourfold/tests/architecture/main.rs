//! The invariants of ARCHITECTURE.md that the sources show.

mod floors;
mod imports;
mod names;
mod safety;
mod size;
mod sources;
