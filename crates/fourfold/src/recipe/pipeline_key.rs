//! What wisdom knows pipelines by.

use crate::error::{Error, ErrorKind, Result};
use crate::problem::problem::Problem;
use crate::recipe::multiplier::{Multiplier, MultiplierKind};
use crate::recipe::pipeline::{Pipeline, PipelineStep, StepShape, recipe_of};
use crate::recipe::recipe::Recipe;
use std::fmt;
use std::str::FromStr;

/// A pipeline without its numbers, by which [`Wisdom`](crate::Wisdom) knows it:
/// `dct2 f64 64x64 | multiply table | idct2 f64 64x64`. This is the first line of a recipe with the
/// kind of the factors, on which the time of a pass depends. A threshold is left out, since a pass
/// with one is tuned like the same pass without.
#[derive(Clone, Debug, PartialEq)]
pub struct PipelineKey {
    steps: Vec<KeyStep>,
}

// A pipeline has at most three steps, so boxing the large variant would save nothing.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
enum KeyStep {
    Transform(Problem),
    Multiply(MultiplierKind),
}

impl PipelineKey {
    /// The transforms, in order.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.steps.iter().filter_map(|step| if let KeyStep::Transform(problem) = step { Some(problem) } else { None })
    }

    /// The problem, if the pipeline is only that.
    pub fn as_problem(&self) -> Option<&Problem> {
        if let [KeyStep::Transform(problem)] = &self.steps[..] { Some(problem) } else { None }
    }

    /// The recipe of such a pipeline, by estimate.
    ///
    /// # Errors
    /// If no plan supports these steps.
    pub fn recipe(&self) -> Result<Recipe> {
        let shapes: Vec<_> = self.steps.iter().map(KeyStep::shape).collect();
        let expected = "expected a problem, with a multiply before or after it, or between it and another problem";
        recipe_of(&shapes).unwrap_or_else(|| Err(malformed(format!("`{self}`: {expected}"))))
    }

    /// Such a pipeline with factors between 1/2 and 3/2, to be measured.
    ///
    /// # Errors
    /// Those of [`PipelineKey::recipe`], and if memory is lacking for the factors.
    pub fn example(&self) -> Result<Pipeline<'static>> {
        let recipe = self.recipe()?;
        let shape = recipe.multiplied().map_or(&[][..], |(_, layout)| &layout.shape);
        self.steps.iter().try_fold(Pipeline::new(), |pipeline, step| {
            Ok(match step {
                KeyStep::Transform(problem) => pipeline.transform(problem.clone()),
                KeyStep::Multiply(kind) => pipeline.multiply(Multiplier::example(*kind, shape)?),
            })
        })
    }
}

impl KeyStep {
    fn shape(&self) -> StepShape<'_> {
        match self {
            KeyStep::Transform(problem) => StepShape::Transform(problem),
            KeyStep::Multiply(_) => StepShape::Multiply,
        }
    }
}

impl From<&Pipeline<'_>> for PipelineKey {
    fn from(pipeline: &Pipeline<'_>) -> PipelineKey {
        let step = |step: &PipelineStep<'_>| match step {
            PipelineStep::Transform(problem) => Some(KeyStep::Transform(problem.as_ref().clone())),
            PipelineStep::Multiply(multiplier) => Some(KeyStep::Multiply(multiplier.kind())),
            PipelineStep::Threshold(_) => None,
        };
        PipelineKey { steps: pipeline.steps().iter().filter_map(step).collect() }
    }
}

fn malformed(message: String) -> Error {
    Error::new(ErrorKind::Notation, message)
}

impl fmt::Display for PipelineKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.steps.iter().enumerate() {
            f.write_str(if i > 0 { " | " } else { "" })?;
            match step {
                KeyStep::Transform(problem) => write!(f, "{problem}")?,
                KeyStep::Multiply(kind) => write!(f, "multiply {kind}")?,
            }
        }
        Ok(())
    }
}

impl FromStr for PipelineKey {
    type Err = Error;

    /// Parses the format that `Display` writes.
    ///
    /// # Errors
    /// If a step is malformed, or if no plan supports the steps.
    fn from_str(text: &str) -> Result<PipelineKey> {
        let parse = |step: &str| match step.trim().split_once(char::is_whitespace) {
            Some(("multiply", kind)) => kind.trim().parse().map(KeyStep::Multiply),
            _ if step.trim() == "multiply" => "".parse().map(KeyStep::Multiply),
            _ => step.parse().map(KeyStep::Transform),
        };
        let key = PipelineKey { steps: text.split('|').map(parse).collect::<Result<_>>()? };
        key.as_problem().map_or_else(|| key.recipe().map(drop), |_| Ok(()))?;
        Ok(key)
    }
}
