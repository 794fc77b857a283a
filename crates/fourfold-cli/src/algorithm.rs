//! Algorithms by the names that they have on the command line: `fused`, or a baseline's.

use std::fmt;
use std::str::FromStr;

use anyhow::{Error, Result, bail, ensure};
use fourfold::baseline::{Algorithm, AnyRecipe};
use fourfold::{Planner, Problem};

/// A baseline's algorithm, or `None` for fourfold's passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlgorithmName(pub Option<Algorithm>);

/// The algorithms of one word on the command line: one by its name, or `all`.
#[derive(Clone)]
pub(crate) struct AlgorithmNames(pub(crate) Vec<AlgorithmName>);

impl AlgorithmName {
    /// fourfold's passes.
    pub const FUSED: AlgorithmName = AlgorithmName(None);

    /// All algorithms, the default first.
    pub(crate) fn all() -> impl Iterator<Item = AlgorithmName> {
        [AlgorithmName::FUSED].into_iter().chain(Algorithm::ALL.map(|algorithm| AlgorithmName(Some(algorithm))))
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.0.map_or("fused", Algorithm::name)
    }

    /// A short description.
    pub(crate) fn about(self) -> &'static str {
        self.0.map_or("reorder, FFT and combine in one pass over the array for each axis", Algorithm::about)
    }

    /// The recipe of a problem, without wisdom.
    pub fn recipe(self, problem: &Problem) -> fourfold::Result<AnyRecipe> {
        match self.0 {
            None => Ok(Planner::new().recipe(problem)?.into()),
            Some(algorithm) => Ok(algorithm.recipe(problem)?.into()),
        }
    }

    fn names() -> String {
        AlgorithmName::all().map(AlgorithmName::name).collect::<Vec<_>>().join(", ")
    }
}

/// One algorithm by its name.
pub(crate) fn one_algorithm(text: &str) -> Result<AlgorithmName> {
    ensure!(text != "all", "all is for verify and bench; name one algorithm of: {}", AlgorithmName::names());
    text.parse()
}

impl fmt::Display for AlgorithmName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for AlgorithmName {
    type Err = Error;

    fn from_str(text: &str) -> Result<AlgorithmName> {
        match AlgorithmName::all().find(|algorithm| algorithm.name() == text) {
            Some(algorithm) => Ok(algorithm),
            None => bail!("there is no algorithm {text:?}; there are: {}", AlgorithmName::names()),
        }
    }
}

impl FromStr for AlgorithmNames {
    type Err = Error;

    fn from_str(text: &str) -> Result<AlgorithmNames> {
        Ok(AlgorithmNames(if text == "all" { AlgorithmName::all().collect() } else { vec![text.parse()?] }))
    }
}
