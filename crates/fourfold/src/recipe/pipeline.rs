//! Transforms and pointwise steps in order, which one plan computes.

use crate::error::{Error, ErrorKind, Result};
use crate::problem::problem::Problem;
use crate::recipe::multiplier::Multiplier;
use crate::recipe::recipe::Recipe;
use crate::recipe::rules::axes;
use std::borrow::Cow;
use std::fmt;

/// Transforms and pointwise steps in order, which one plan computes. A pointwise step is part of
/// the pass before or after it, so it needs no trip through memory.
///
/// A [`Problem`] converts into a pipeline of one step. These other pipelines can be planned:
///
/// - `multiply | dct3 f64 64x64`: the first pass multiplies its input.
/// - `dct2 f64 64x64 | multiply`: the last pass multiplies its output.
/// - `dct2 f64 64x64 | multiply | idct2 f64 64x64`: a filter. The last pass of the first transform,
///   the multiply and the first pass of the second are one pass.
/// - `dct2 f64 64x64 | threshold 0.5`: the last pass sets every real of a magnitude below 0.5 to 0.
///   NaNs stay NaNs. Only devices support this.
///
/// ```
/// use fourfold::{Multiplier, Pipeline, Planner, Problem};
/// // Solve u − u″ = f with Neumann ends: divide by 1 + the eigenvalues of −d²/dx².
/// let forward: Problem = "dct2 f64 8".parse()?;
/// let factors = (0..8).map(|k| 1.0 / (3.0 - 2.0 * (std::f64::consts::PI * k as f64 / 8.0).cos())).collect();
/// let filter = Pipeline::from(&forward).multiply(Multiplier::Table(factors)).transform(forward.inverse()?);
/// assert_eq!(filter.to_string(), "dct2 f64 8 | multiply | idct2 f64 8");
/// let plan = Planner::new().plan(filter)?;
/// let (f, mut u) = ([1.0f64; 8], [0.0f64; 8]);
/// plan.execute(&f, &mut u)?;
/// assert!(u.iter().all(|u| (u - 1.0).abs() < 1e-15)); // a constant solves it
/// # Ok::<(), fourfold::Error>(())
/// ```
///
/// The output of a filter's first transform must have the shape and type of the input of its
/// second. The strides of both on that side are ignored. If they share no axis, the last pass of the
/// first multiplies, and [`Recipe::remark`] says so. Complex factors mix the real and imaginary
/// parts of numbers. So they need an axis along which both transforms are Fourier transforms.
///
/// ```
/// use fourfold::{Multiplier, Pipeline, Planner, Problem};
/// // −f′ of f = Σ_k a_k cos(kθ) is Σ_k k a_k sin(kθ): here of cos 2θ, at θ = π(n + ½)/8.
/// let k = Multiplier::Table((0..8).map(f64::from).collect());
/// let plan = Planner::new().plan(Pipeline::new().multiply(&k).transform(&"idxst f64 8".parse()?))?;
/// let (a, mut slope) = ([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0f64], [0.0f64; 8]);
/// plan.execute(&a, &mut slope)?;
/// assert!((slope[1] - 2.0 * (3.0 * std::f64::consts::PI / 8.0).sin()).abs() < 1e-15);
/// // Quantisation as in JPEG: the coefficients of eight samples divided by steps.
/// let steps = (1..=8).map(|k| 1.0 / f64::from(k)).collect();
/// let forward: Problem = "dct2 f64 8 ortho".parse()?;
/// let plan = Planner::new().plan(Pipeline::from(&forward).multiply(Multiplier::Table(steps)))?;
/// let (x, mut quantised) = ([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0f64], [0.0f64; 8]);
/// plan.execute(&x, &mut quantised)?;
/// assert!((quantised[7] - 2.562915447741505 / 8.0).abs() < 1e-15);
/// # Ok::<(), fourfold::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pipeline<'a> {
    steps: Vec<PipelineStep<'a>>,
}

// A pipeline has at most three steps, so boxing the large variant would save nothing.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PipelineStep<'a> {
    Transform(Cow<'a, Problem>),
    Multiply(Cow<'a, Multiplier>),
    Threshold(f64),
}

impl PipelineStep<'_> {
    fn shape(&self) -> StepShape<'_> {
        match self {
            PipelineStep::Transform(problem) => StepShape::Transform(problem),
            PipelineStep::Multiply(_) => StepShape::Multiply,
            PipelineStep::Threshold(_) => StepShape::Threshold,
        }
    }
}

/// A step without its numbers, on which no recipe depends.
pub(crate) enum StepShape<'a> {
    Transform(&'a Problem),
    Multiply,
    Threshold,
}

/// The recipe of the pipeline of these steps. `None` if no plan supports them.
pub(crate) fn recipe_of(steps: &[StepShape]) -> Option<Result<Recipe>> {
    use StepShape::{Multiply, Threshold, Transform};
    match *steps {
        [Transform(problem)] | [Transform(problem), Threshold] => Some(Ok(axes::recipe(problem))),
        [Multiply, Transform(problem)] => Some(axes::premultiplied(problem)),
        [Transform(problem), Multiply] => Some(axes::postmultiplied(problem)),
        [Transform(forward), Multiply, Transform(inverse)] => Some(axes::filter(forward, inverse)),
        _ => None,
    }
}

impl<'a> Pipeline<'a> {
    /// A pipeline without steps.
    pub fn new() -> Pipeline<'a> {
        Pipeline::default()
    }

    /// Adds a transform.
    pub fn transform(self, problem: impl Into<Cow<'a, Problem>>) -> Self {
        self.with(PipelineStep::Transform(problem.into()))
    }

    /// Adds a pointwise multiply y_k = f_k x_k. The [`Multiplier`] has the factors f.
    pub fn multiply(self, multiplier: impl Into<Cow<'a, Multiplier>>) -> Self {
        self.with(PipelineStep::Multiply(multiplier.into()))
    }

    /// Adds a threshold, which sets reals of a magnitude below `least` to 0. Planning returns an
    /// error if `least` is negative or NaN.
    pub fn threshold(self, least: f64) -> Self {
        self.with(PipelineStep::Threshold(least))
    }

    fn with(mut self, step: PipelineStep<'a>) -> Self {
        self.steps.push(step);
        self
    }

    /// The same steps, borrowed, to make several plans of one pipeline.
    pub fn borrowed(&self) -> Pipeline<'_> {
        let steps = self.steps.iter().map(|step| match step {
            PipelineStep::Transform(problem) => PipelineStep::Transform(Cow::Borrowed(problem.as_ref())),
            PipelineStep::Multiply(multiplier) => PipelineStep::Multiply(Cow::Borrowed(multiplier.as_ref())),
            PipelineStep::Threshold(least) => PipelineStep::Threshold(*least),
        });
        Pipeline { steps: steps.collect() }
    }

    /// The transforms, in order.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.steps
            .iter()
            .filter_map(|step| if let PipelineStep::Transform(problem) = step { Some(&**problem) } else { None })
    }

    /// The factors of the multiply, if there is one.
    pub fn multiplier(&self) -> Option<&Multiplier> {
        self.steps.iter().find_map(|step| if let PipelineStep::Multiply(by) = step { Some(&**by) } else { None })
    }

    /// The threshold, if there is one.
    pub fn least(&self) -> Option<f64> {
        self.steps.iter().find_map(|step| if let PipelineStep::Threshold(least) = step { Some(*least) } else { None })
    }

    pub(crate) fn steps(&self) -> &[PipelineStep<'a>] {
        &self.steps
    }

    /// The problem, if the pipeline is only that.
    pub fn as_problem(&self) -> Option<&Problem> {
        if let [PipelineStep::Transform(problem)] = &self.steps[..] { Some(problem) } else { None }
    }

    /// The transform and its threshold, if the pipeline has no other steps.
    ///
    /// # Errors
    /// If it has, or if the threshold is negative or NaN.
    pub(crate) fn thresholded(&self) -> Result<(&Problem, Option<f64>)> {
        match &self.steps[..] {
            [PipelineStep::Transform(problem)] => Ok((problem, None)),
            [PipelineStep::Transform(problem), PipelineStep::Threshold(least)] => {
                check_threshold(*least)?;
                Ok((problem, Some(*least)))
            }
            _ => {
                let message = format!("`{self}`: expected a transform, with or without a threshold after it");
                Err(Error::new(ErrorKind::Argument, message))
            }
        }
    }

    /// The recipe of the pipeline. A threshold does not change the passes of its transform.
    ///
    /// # Errors
    /// If no plan supports these steps, if a multiplier or a threshold does not fit, or if no axis
    /// can include the multiply.
    pub(crate) fn recipe(&self) -> Result<Recipe> {
        let shapes: Vec<_> = self.steps.iter().map(PipelineStep::shape).collect();
        let recipe = recipe_of(&shapes).unwrap_or_else(|| Err(self.unsupported()))?;
        self.least().map_or(Ok(()), check_threshold)?;
        self.multiplier().map_or(Ok(()), |multiplier| multiplier.check(&recipe))?;
        Ok(recipe)
    }

    fn unsupported(&self) -> Error {
        let message = format!(
            "`{self}` cannot be one plan: expected a transform, with a multiply before or after it or between it and \
             another, or with a threshold after it"
        );
        Error::new(ErrorKind::Argument, message)
    }
}

fn check_threshold(least: f64) -> Result<()> {
    if least >= 0.0 {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Argument, format!("a threshold of {least}: expected 0 or more")))
}

/// Writes the steps with `|` between them, as in the first line of a recipe. The text does not have
/// the factors of a multiply, so it cannot be parsed to a pipeline. It parses as a recipe's first
/// line.
impl fmt::Display for Pipeline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.steps.iter().enumerate() {
            f.write_str(if i > 0 { " | " } else { "" })?;
            match step {
                PipelineStep::Transform(problem) => write!(f, "{problem}")?,
                PipelineStep::Multiply(_) => f.write_str("multiply")?,
                PipelineStep::Threshold(least) => write!(f, "threshold {least}")?,
            }
        }
        Ok(())
    }
}

// This is the only conversion from a reference, so that `planner.plan(&text.parse()?)` infers the
// type of the problem.
impl<'a> From<&'a Problem> for Pipeline<'a> {
    fn from(problem: &'a Problem) -> Pipeline<'a> {
        Pipeline::new().transform(problem)
    }
}

impl From<Problem> for Pipeline<'_> {
    fn from(problem: Problem) -> Self {
        Pipeline::new().transform(problem)
    }
}

impl<'a> From<&'a Problem> for Cow<'a, Problem> {
    fn from(problem: &'a Problem) -> Cow<'a, Problem> {
        Cow::Borrowed(problem)
    }
}

impl From<Problem> for Cow<'_, Problem> {
    fn from(problem: Problem) -> Self {
        Cow::Owned(problem)
    }
}

impl<'a> From<&'a Multiplier> for Cow<'a, Multiplier> {
    fn from(multiplier: &'a Multiplier) -> Cow<'a, Multiplier> {
        Cow::Borrowed(multiplier)
    }
}

impl From<Multiplier> for Cow<'_, Multiplier> {
    fn from(multiplier: Multiplier) -> Self {
        Cow::Owned(multiplier)
    }
}
