//! Methods by the names that they have on the command line: `fused`, or the algorithm of a
//! baseline.

use std::fmt;
use std::str::FromStr;

use anyhow::{Error, Result, bail, ensure};
use fourfold::baseline::{Algorithm, AnyRecipe};
use fourfold::{Planner, Problem};

/// How a problem is computed: by the algorithm of a baseline, or by fourfold's passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MethodName(pub Option<Algorithm>);

/// The methods that one word on the command line stands for: one by its name, or `all`.
#[derive(Clone)]
pub(crate) struct MethodNames(pub(crate) Vec<MethodName>);

impl MethodName {
    /// fourfold's passes.
    pub const FUSED: MethodName = MethodName(None);

    /// All methods, the default first.
    pub(crate) fn all() -> impl Iterator<Item = MethodName> {
        [MethodName::FUSED].into_iter().chain(Algorithm::ALL.map(|algorithm| MethodName(Some(algorithm))))
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.0.map_or("fused", Algorithm::name)
    }

    /// What it does, in a few words.
    pub(crate) fn about(self) -> &'static str {
        self.0.map_or("reorder, FFT and combine in one pass over the array an axis", Algorithm::about)
    }

    /// How it computes a problem, without wisdom.
    pub fn recipe(self, problem: &Problem) -> fourfold::Result<AnyRecipe> {
        match self.0 {
            None => Ok(Planner::new().recipe(problem)?.into()),
            Some(algorithm) => Ok(algorithm.recipe(problem)?.into()),
        }
    }

    fn names() -> String {
        MethodName::all().map(MethodName::name).collect::<Vec<_>>().join(", ")
    }
}

/// One method, by its name.
pub(crate) fn one_method(text: &str) -> Result<MethodName> {
    ensure!(text != "all", "all methods are for verify and bench; name one of: {}", MethodName::names());
    text.parse()
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for MethodName {
    type Err = Error;

    fn from_str(text: &str) -> Result<MethodName> {
        match MethodName::all().find(|method| method.name() == text) {
            Some(method) => Ok(method),
            None => bail!("there is no method {text:?}; there are: {}", MethodName::names()),
        }
    }
}

impl FromStr for MethodNames {
    type Err = Error;

    fn from_str(text: &str) -> Result<MethodNames> {
        Ok(MethodNames(if text == "all" { MethodName::all().collect() } else { vec![text.parse()?] }))
    }
}
