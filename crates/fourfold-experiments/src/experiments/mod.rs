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
mod noise;
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
    table("noise", "how much times of the same problem differ in this run", noise::run),
];

pub(crate) const fn table(name: &'static str, about: &'static str, run: fn(&Setting) -> Result<Outcome>) -> Table {
    Table { name, about, once: false, run }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::are_short_sentences;
    use crate::ratios::{Ratios, of_methods};

    /// The sentences below a table, where every number is as long as numbers get.
    fn sentences(table: &str) -> Vec<String> {
        // Neither is the faster one everywhere.
        let times: Vec<Vec<f64>> =
            (0..8).map(|job| (0..10).map(|case| f64::from((3 + job * case) % 7 + 1)).collect()).collect();
        let ratios = || Ratios::new([0.12, 8538.99]);
        let methods = || of_methods([0, 1, 2].map(|method| &*times[method]));
        match table {
            "table-i" => vec![work_and_depth::teaches(&work_and_depth::totals())],
            "table-ii" => vec![gather_scatter::teaches(&[ratios(), ratios()])],
            "table-iii" => vec![operations::teaches(&[[1.0; 3], [0.25; 3]])],
            "table-iv" => vec![four_algorithms::teaches(&times)],
            "table-v" | "table-v-f32" => two_dimensions::sentences(&times),
            "transposing" => vec![transposing::teaches(&transposing::sample(&times))],
            "three-dimensions" | "algorithm-3" => vec![methods()],
            "fig-6" => vec![breakdown::teaches(&[[1.0, 3.0, 1.0]])],
            "table-vi" => vec![utilisation::teaches(&[[72.8, 30.2], [76.5, 18.4]])],
            "eq-19" => vec![speedup::teaches(&[vec![1.5, 2.0], vec![1.0, 2.0]])],
            "table-vii" => vec![electrostatics::sentence([ratios(), ratios(), ratios()])],
            "mobile-ladder" => {
                let means = vec![(18.53, "transposes"), (1.5, "fused"), (1.2, "in place"), (0.4, "device")];
                vec![mobile_ladder::sentence(means)]
            }
            "mobile-convolution" => vec![mobile_convolution::teaches(&[
                (512, vec![(3.0, 0.5), (9.0, 2.0)]),
                (1024, vec![(3.0, 0.5), (7.0, 2.0)]),
            ])],
            "levels" => vec![levels::teaches(
                &times.iter().map(|times| times.iter().copied().map(Some).collect()).collect::<Vec<_>>(),
            )],
            "jpeg" => jpeg::page::sentences(),
            "noise" => vec![noise::sentence(&[("t", ratios()), ("between tables", ratios())])],
            _ => vec![],
        }
    }

    #[test]
    fn every_table_ends_with_short_sentences() {
        for Table { name, .. } in TABLES {
            let sentences = sentences(name);
            assert!(!sentences.is_empty(), "{name} teaches nothing");
            assert!(sentences.iter().all(|text| are_short_sentences(text)), "{name}: {sentences:#?}");
        }
    }
}
