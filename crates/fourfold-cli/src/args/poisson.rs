//! The command line of `poisson`.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use fourfold::Precision;
use fourfold::poisson::{End, Ends, Position};

use crate::args::common::OneEngine;
use crate::args::values::precision;

const HELP: &str = "\
Lists have a comma between axes, and one entry is for all axes. Boundary conditions have a colon
between the low and the high end of an axis: neumann,dirichlet:neumann

Cells have their unknowns at (n + 1/2) h from the low end. A node at an end with the condition
dirichlet is no unknown. docs/poisson.md has the table of all conditions.";

/// Solve a Poisson or Helmholtz equation, or do a step of the heat equation, on a box
///
/// Solves −∇·∇u + c u = f, where the array in a .npy file is f.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Poisson {
    /// The right-hand side f: a .npy file of real numbers with 1 to 4 axes
    pub(crate) input: PathBuf,
    /// The .npy file to write u to
    #[arg(short, long, value_name = "NPY")]
    pub(crate) output: PathBuf,
    /// Boundary conditions: periodic, dirichlet or neumann, or two of them as LOW:HIGH
    #[arg(long, value_name = "B,…", value_delimiter = ',', required = true)]
    pub(crate) boundary: Vec<Ends>,
    /// Positions of the unknowns: cells or nodes
    #[arg(long = "at", value_name = "P,…", value_delimiter = ',', default_value = "cells")]
    pub(crate) positions: Vec<Position>,
    /// Distances of neighbouring unknowns
    #[arg(long, value_name = "H,…", value_delimiter = ',', default_value = "1")]
    pub(crate) spacing: Vec<f64>,
    /// The factor c; negative ones make a Helmholtz equation
    #[arg(long, value_name = "C", default_value_t = 0.0)]
    pub(crate) c: f64,
    /// A value at one end of an axis, such as 0:low=1.5: of u for dirichlet, of its derivative
    /// outwards for neumann; may be repeated for other ends
    #[arg(long = "value", verbatim_doc_comment, value_name = "AXIS:END=X", value_parser = end_value, allow_hyphen_values = true)]
    pub(crate) values: Vec<EndValue>,
    /// Differentiate the series of sines or cosines exactly, instead of by the stencil
    #[arg(long)]
    pub(crate) spectral: bool,
    /// Do one implicit step of this time of the heat equation instead; f is u before it
    #[arg(long, value_name = "TIME")]
    pub(crate) heat_step: Option<f64>,
    /// The largest |Σ f| that a singular equation may have, as a part of Σ |f|, both with
    /// what --value adds [default: 1e-8 in f64, 1e-4 in f32]
    #[arg(long, verbatim_doc_comment, value_name = "T")]
    pub(crate) tolerance: Option<f64>,
    /// The type to compute with, f32 or f64 [default: that of the file, or f64]
    #[arg(long = "type", value_name = "TYPE", value_parser = precision)]
    pub(crate) precision: Option<Precision>,
    /// Also draw u; of more than two axes, the middle of the first ones
    #[arg(long, value_name = "PNG")]
    pub(crate) plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) how: OneEngine,
}

/// A value at one end of an axis.
#[derive(Clone, Copy)]
pub(crate) struct EndValue {
    pub(crate) axis: usize,
    pub(crate) end: End,
    pub(crate) value: f64,
}

fn end_value(text: &str) -> Result<EndValue> {
    let parts = || {
        let (end, value) = text.split_once('=')?;
        let (axis, end) = end.split_once(':')?;
        let end = [End::Low, End::High].into_iter().find(|one| one.to_string() == end)?;
        Some(EndValue { axis: axis.parse().ok()?, end, value: value.parse().ok()? })
    };
    let value = parts().context("AXIS:END=X is needed, such as 0:low=1.5 or 1:high=-2")?;
    ensure!(value.value.is_finite(), "a finite number is needed");
    Ok(value)
}
