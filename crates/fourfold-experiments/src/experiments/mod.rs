//! The experiments: each is a file with a row of [`TABLES`].

mod breakdown;
mod compression;
mod electrostatics;
mod four_algorithms;
mod gather_scatter;
mod jpeg;
mod levels;
mod mobile_convolution;
mod mobile_ladder;
mod operations;
mod speedup;
mod three_dimensions;
mod transposing;
mod two_dimensions;
pub(crate) mod utilisation;
mod work_and_depth;

use anyhow::Result;

use crate::measure::Setting;
use crate::page::Outcome;

/// An experiment.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    /// What it is asked for by.
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Whether it is the same on every engine.
    pub(crate) once: bool,
    pub(crate) run: fn(&Setting) -> Result<Outcome>,
}

/// All experiments, in the order of their documents.
pub(crate) const TABLES: &[Table] = &[
    Table { once: true, ..table("table-i", "work and depth, derived and counted in kernels", work_and_depth::run) },
    table("table-ii", "reordering by gather and by scatter", gather_scatter::run),
    Table { once: true, ..table("table-iii", "operations of the naive and the efficient combine", operations::run) },
    table("table-iv", "four algorithms for a 1D DCT", four_algorithms::run),
    table("table-v", "2D DCT and IDCT: row-column, three stages, the FFT alone", two_dimensions::run),
    table("table-v-f32", "the same in single precision", two_dimensions::run_in_single),
    table("transposing", "the transpose within the reorder and the combine, in long matrices", transposing::run),
    table("three-dimensions", "3D DCT and IDCT: row-column, three stages, fused", three_dimensions::run),
    table("fig-6", "what the stages take", breakdown::run),
    table("table-vi", "how the kernels use the device", utilisation::run),
    table("eq-19", "Amdahl's law for image compression", speedup::run),
    table("algorithm-3", "image compression by three stages and fused", compression::run),
    table("table-vii", "density, field and forces of placed circuits (Algorithm 4)", electrostatics::run),
    table("mobile-ladder", "the 2D FFT of an article on mobile GPUs, change by change", mobile_ladder::run),
    table("mobile-convolution", "its convolutions, directly and by FFT", mobile_convolution::run),
    table("levels", "the 1D FFT of a course report, level by level", levels::run),
    table("jpeg", "GPUDCT's ladder for JPEG's blocks: speeds, and errors of photographs", jpeg::run),
];

pub(crate) const fn table(name: &'static str, about: &'static str, run: fn(&Setting) -> Result<Outcome>) -> Table {
    Table { name, about, once: false, run }
}
