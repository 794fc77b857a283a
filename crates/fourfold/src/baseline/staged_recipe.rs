//! The recipe of a baseline, which has stages instead of passes.

use crate::baseline::algorithm::Algorithm;
use crate::baseline::stage::{Combine, Direction, Stage, StageWork};
use crate::error::{Error, ErrorKind, Result};
use crate::problem::problem::Problem;
use crate::recipe::pipeline::Pipeline;
use crate::recipe::recipe::{ArrayId, Recipe};
use std::fmt;
use std::str::FromStr;

/// A staged recipe says how a baseline computes a problem, and if there is a threshold, which of
/// the outputs it sets to 0. It is plain data, which can be printed and parsed.
///
/// ```text
/// dct2 f64 1000x1024 by three-stage
/// 1000x1024 -> 1000x1024: scatter axis 0 split, axis 1 split
/// 1000x1024 -> 1000x513 complex: rfft f64 1000x1024; …
/// 1000x513 complex -> 1000x1024: combine after axes 0,1, 4 reals a thread
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StagedRecipe {
    problem: Problem,
    threshold: Option<f64>,
    algorithm: Algorithm,
    stages: Vec<Stage>,
}

impl Algorithm {
    /// The recipe of a problem or a [`Pipeline`] by this algorithm. The pipeline is a transform,
    /// with or without a threshold after it. The combine that computes the last outputs applies the
    /// threshold (Algorithm 3 of the paper).
    ///
    /// ```
    /// use fourfold::baseline::Algorithm;
    /// use fourfold::{Pipeline, Planner};
    /// let algorithm: Algorithm = "three-stage".parse()?;
    /// let recipe = algorithm.recipe(Pipeline::from(&"dct2 f64 4".parse()?).threshold(1.0))?;
    /// let mut y = [0.0f64; 4];
    /// Planner::new().plan_recipe(recipe)?.execute(&[1.0f64, 1.0, 1.0, 1.1], &mut y)?;
    /// assert_eq!(y[1..], [0.0; 3]);
    /// # Ok::<(), fourfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Problem`](ErrorKind::Problem) if the algorithm does not compute the problem; the message
    /// names the problems that it does. [`Argument`](ErrorKind::Argument) if the pipeline has other
    /// steps, if its threshold is negative or NaN, or if its last outputs are not a combine's.
    pub fn recipe<'a>(self, what: impl Into<Pipeline<'a>>) -> Result<StagedRecipe> {
        self.recipe_of(&what.into())
    }

    fn recipe_of(self, pipeline: &Pipeline<'_>) -> Result<StagedRecipe> {
        let (problem, threshold) = pipeline.thresholded()?;
        let mut stages = self.stages(problem)?;
        if let Some(least) = threshold {
            let message =
                || format!("`{pipeline}` by {self}: expected a transform whose last step is a combine, such as dct2");
            let combine = last_combine(&mut stages).ok_or_else(|| Error::new(ErrorKind::Argument, message()))?;
            combine.threshold = Some(least);
        }
        Ok(StagedRecipe { stages, problem: problem.clone(), threshold, algorithm: self })
    }
}

/// The combine that computes the last outputs, which only transposes may follow.
fn last_combine(stages: &mut [Stage]) -> Option<&mut Combine> {
    let moves = |stage: &&mut Stage| matches!(&stage.work, StageWork::Reorder { orders, .. } if orders.is_empty());
    match stages.iter_mut().rev().find(|stage| !moves(stage)).map(|stage| &mut stage.work) {
        Some(StageWork::Combine(combine)) if combine.direction == Direction::After => Some(combine),
        _ => None,
    }
}

impl StagedRecipe {
    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The algorithm of the recipe.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The stages in order. There is at least one.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The arrays that each stage reads and writes. Between the first and the last stage, two work
    /// arrays alternate. A stage in place reads and writes the same one.
    pub fn stage_arrays(&self) -> Vec<[ArrayId; 2]> {
        let last = self.stages.iter().rposition(|stage| !stage.is_in_place()).unwrap_or(0);
        let (mut at, mut written) = (ArrayId::Input, 0);
        let next = |(i, stage): (usize, &Stage)| {
            let from = at;
            at = match stage.is_in_place() {
                _ if i >= last => ArrayId::Output,
                true => at,
                false => ArrayId::Work(written % 2),
            };
            written += usize::from(!stage.is_in_place());
            [from, at]
        };
        self.stages.iter().enumerate().map(next).collect()
    }

    /// Checks the number of a stage.
    ///
    /// # Errors
    /// If there is no stage with this number.
    #[doc(hidden)]
    pub fn check_stage(&self, stage: usize) -> Result<()> {
        let (count, problem, algorithm) = (self.stages.len(), &self.problem, self.algorithm);
        let message = || format!("there is no stage {stage}: `{problem}` by {algorithm} has {count}, from 0 on");
        if stage < count { Ok(()) } else { Err(Error::new(ErrorKind::Argument, message())) }
    }

    /// Whether a DFT uses Bluestein's convolution, whose error is about ten times that of other
    /// DFTs.
    pub fn uses_bluestein(&self) -> bool {
        self.ffts().any(Recipe::uses_bluestein)
    }

    /// The bytes of arrays that the stages read and write, without tables.
    pub fn bytes_moved(&self) -> usize {
        let real = self.problem.precision().bytes();
        let stage = |stage: &Stage| match &stage.work {
            StageWork::Fft(recipe) => recipe.bytes_moved(),
            StageWork::Reorder { .. } | StageWork::Combine(_) | StageWork::FftStep(_) => {
                (stage.from.reals() + stage.to.reals()).saturating_mul(real)
            }
        };
        self.stages.iter().map(stage).fold(0, usize::saturating_add)
    }

    /// The reals of the largest array between two stages.
    pub(crate) fn work_reals(&self) -> usize {
        self.stages.iter().skip(1).map(|stage| stage.from.reals()).max().unwrap_or(0)
    }

    /// The recipes of the FFTs among the stages.
    pub(crate) fn ffts(&self) -> impl Iterator<Item = &Recipe> {
        self.stages.iter().filter_map(|stage| match &stage.work {
            StageWork::Fft(recipe) => Some(&**recipe),
            StageWork::Reorder { .. } | StageWork::Combine(_) | StageWork::FftStep(_) => None,
        })
    }
}

impl fmt::Display for StagedRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.problem)?;
        self.threshold.map_or(Ok(()), |least| write!(f, " | threshold {least}"))?;
        write!(f, " by {}", self.algorithm)?;
        self.stages.iter().try_for_each(|stage| write!(f, "\n{stage}"))
    }
}

impl FromStr for StagedRecipe {
    type Err = Error;

    /// Parses the format that `Display` writes. Problem and algorithm determine the stages, and the
    /// text must have the same ones.
    ///
    /// # Errors
    /// If the first line does not name an algorithm, if the algorithm does not compute the problem,
    /// or if a stage differs.
    fn from_str(text: &str) -> Result<Self> {
        let mut lines = text.trim().lines().map(str::trim);
        let heading = lines.next().unwrap_or_default();
        let Some((problem, algorithm)) = heading.split_once(" by ") else {
            return Err(invalid(format!("`{heading}` names no algorithm: expected `dct2 f64 64x64 by three-stage`")));
        };
        let (problem, threshold) = match problem.split_once(THRESHOLD) {
            None => (problem, None),
            Some((problem, least)) => (problem, Some(parse_threshold(least)?)),
        };
        let problem: Problem = problem.parse()?;
        let pipeline = threshold.into_iter().fold(Pipeline::from(&problem), Pipeline::threshold);
        let recipe = algorithm.trim().parse::<Algorithm>()?.recipe(pipeline)?;
        check_lines(&recipe, &lines.collect::<Vec<_>>())?;
        Ok(recipe)
    }
}

/// What stands between a problem and its threshold.
const THRESHOLD: &str = "| threshold";

fn parse_threshold(text: &str) -> Result<f64> {
    let text = text.trim();
    text.parse().map_err(|_| invalid(format!("`{text}` is no threshold: expected a number, as in `threshold 0.5`")))
}

/// Checks that the lines are the stages of the recipe.
fn check_lines(recipe: &StagedRecipe, lines: &[&str]) -> Result<()> {
    let (wanted, algorithm): (Vec<String>, _) =
        (recipe.stages.iter().map(Stage::to_string).collect(), recipe.algorithm);
    let differs =
        (0..wanted.len().max(lines.len())).find(|&i| wanted.get(i).map(String::as_str) != lines.get(i).copied());
    match differs {
        None => Ok(()),
        Some(i) if i < wanted.len() => {
            let found = lines.get(i).copied().unwrap_or_default();
            Err(invalid(format!("`{found}`: stage {} of {algorithm} is `{}`", i + 1, wanted[i])))
        }
        Some(i) => Err(invalid(format!("`{}`: {algorithm} has {} stages", lines[i], wanted.len()))),
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::Notation, message)
}
