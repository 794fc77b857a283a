//! How to compute, as data: a list of passes and, in each, the sums with their factors.

use crate::baseline::methods::Algorithm;
use crate::baseline::stage;
use crate::baseline::stage::{Stage, StageEnd, StageWork};
use crate::error::{Error, ErrorKind, Result};
use crate::problem::element::Domain;
use crate::problem::layout::Layout;
use crate::problem::problem::{AxisTransform, Problem};
use crate::recipe::rules::axes;
use crate::recipe::rules::cosine_sine::dft_of;
use crate::recipe::rules::four_step::complex_length;
use crate::recipe::rules::mixed_radix::{Factor, length};
use crate::recipe::scheme::{Scheme, parse_scheme};
use std::fmt;
use std::str::FromStr;

/// How a problem is computed: pure data, printed and parsed.
///
/// ```text
/// dct2 f64 1000x1024
/// input -> output axis 1: dct2 1024 = 16 8 8
/// output -> output axis 0: dct2 1000 = 10 10 10
/// ```
///
/// A filter names both problems in the first line, `dct2 f64 64x64 | multiply | idct2 f64 64x64`,
/// and one of its passes reads `output -> output axis 0: dct2 64 = 8 8 | multiply | dct3 64 = 8 8`.
/// A problem whose input is multiplied first begins with `multiply | dct3 f64 64x64`, and so does
/// its first pass; one whose output is multiplied ends with `| multiply`, and so does its last.
///
/// A recipe by another [`Algorithm`] than the default has [stages](Stage) instead of passes, and
/// names the method in the first line: `dct2 f64 1000x1024 by three-stage`.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    problem: Problem,
    multiply: Option<Multiplied>,
    passes: Vec<Pass>,
    work: Option<(Domain, Vec<usize>)>,
    staged: Option<(Algorithm, Vec<Stage>)>,
}

/// What the plan's factors multiply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Multiplied {
    /// The input.
    Input,
    /// The output, which this problem then takes: a filter.
    Between(Box<Problem>),
    /// The output, which nothing takes.
    Output,
}

/// One trip through memory: every element is read once and written once.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// The axis along which it works.
    pub axis: usize,
    /// Where it reads.
    pub from: ArrayId,
    /// Where it writes.
    pub to: ArrayId,
    /// What it does on the way.
    pub ops: Vec<PassOp>,
}

/// An array that passes read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayId {
    /// The caller's input.
    Input,
    /// The caller's output.
    Output,
    /// Part of the scratch.
    Work,
}

/// What a pass does to the lines of its axis.
#[derive(Clone, Debug, PartialEq)]
pub enum PassOp {
    /// A sum.
    Transform(AxisRecipe),
    /// The plan's pointwise multiplier.
    Multiply,
}

/// A sum with the factors of its DFT.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisRecipe {
    /// The sum.
    pub transform: AxisTransform,
    /// A factor on the result.
    pub scale: f64,
    /// How the DFT is done that it reduces to.
    pub scheme: Scheme,
}

impl Recipe {
    pub(crate) fn new(problem: Problem, multiply: Option<Multiplied>, ops: Vec<Vec<PassOp>>) -> Self {
        let mut recipe = Recipe { problem, multiply, passes: vec![], work: None, staged: None };
        (recipe.passes, recipe.work) = axes::places(&recipe.problem, recipe.end(), ops);
        recipe
    }

    pub(crate) fn staged(problem: Problem, method: Algorithm, stages: Vec<Stage>) -> Self {
        Recipe { problem, multiply: None, passes: vec![], work: None, staged: Some((method, stages)) }
    }

    /// The stages, in order; none where there are passes.
    pub fn stages(&self) -> &[Stage] {
        self.staged.as_ref().map_or(&[], |(_, stages)| stages)
    }

    /// An error if there is no stage of this number.
    #[doc(hidden)]
    pub fn check_stage(&self, stage: usize) -> Result<()> {
        let (count, problem) = (self.stages().len(), &self.problem);
        let message = || format!("there is no stage {stage}: `{problem}` by {} has {count}, from 0 on", self.method());
        if stage < count { Ok(()) } else { Err(Error::new(ErrorKind::Argument, message())) }
    }

    /// The method by which it was made.
    pub fn method(&self) -> Algorithm {
        self.staged.as_ref().map_or(Algorithm::ALL[0], |(method, _)| *method)
    }

    /// Where each stage reads and writes: two arrays take turns between input and output, but what
    /// is done in place stays where it is.
    pub fn stage_ends(&self) -> Vec<[StageEnd; 2]> {
        stage::ends(self.stages())
    }

    /// Reals of the largest array between two stages.
    pub(crate) fn work_reals(&self) -> usize {
        self.stages().iter().skip(1).map(|stage| stage.from.reals()).max().unwrap_or(0)
    }

    /// The FFTs of its stages.
    pub(crate) fn ffts(&self) -> impl Iterator<Item = &Recipe> {
        self.stages().iter().filter_map(|stage| match &stage.work {
            StageWork::Fft(recipe) => Some(&**recipe),
            _ => None,
        })
    }

    /// The problem; of a filter, the forward one.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The inverse problem of a filter.
    pub fn inverse(&self) -> Option<&Problem> {
        match &self.multiply {
            Some(Multiplied::Between(inverse)) => Some(inverse),
            _ => None,
        }
    }

    /// Domain and layout of the array that is multiplied by the plan's factors, if one is.
    pub fn multiplied(&self) -> Option<(Domain, &Layout)> {
        let problem = &self.problem;
        self.multiply.as_ref().map(|multiply| match multiply {
            Multiplied::Input => (problem.input_domain(), problem.input()),
            Multiplied::Between(_) | Multiplied::Output => (problem.output_domain(), problem.output()),
        })
    }

    /// What that array is to the user.
    pub(crate) fn multiplied_name(&self) -> &'static str {
        match &self.multiply {
            Some(Multiplied::Input) => "input",
            Some(Multiplied::Between(_)) => "spectrum",
            Some(Multiplied::Output) | None => "output",
        }
    }

    /// The problem that the last pass completes.
    pub(crate) fn end(&self) -> &Problem {
        self.inverse().unwrap_or(&self.problem)
    }

    /// The passes, in order; none where there are [stages](Recipe::stages), or nothing to do.
    pub fn passes(&self) -> &[Pass] {
        &self.passes
    }

    /// Domain and shape of the work array, if a pass writes one.
    pub fn work(&self) -> Option<(Domain, &[usize])> {
        self.work.as_ref().map(|(domain, shape)| (*domain, shape.as_slice()))
    }

    /// All sums, in order.
    pub fn lines(&self) -> impl Iterator<Item = &AxisRecipe> {
        self.passes.iter().flat_map(|pass| &pass.ops).filter_map(|op| match op {
            PassOp::Transform(line) => Some(line),
            PassOp::Multiply => None,
        })
    }

    /// Whether Bluestein's convolution stands somewhere, which costs about a digit.
    pub fn uses_bluestein(&self) -> bool {
        let own = self.lines().flat_map(|line| line.scheme.factors()).any(Factor::uses_bluestein);
        own || self.ffts().any(Recipe::uses_bluestein)
    }

    /// Bytes that the passes or stages read and write, tables not counted.
    pub fn bytes_moved(&self) -> usize {
        let real = self.problem.precision().bytes();
        let stage = |stage: &Stage| match &stage.work {
            StageWork::Fft(recipe) => recipe.bytes_moved(),
            _ => (stage.from.reals() + stage.to.reals()).saturating_mul(real),
        };
        let staged = self.stages().iter().map(stage).fold(0, usize::saturating_add);
        let reals = |(domain, shape): (Domain, &[usize])| domain.reals() * shape.iter().product::<usize>();
        let reals = |place: ArrayId| match place {
            ArrayId::Input => reals((self.problem.input_domain(), &self.problem.input().shape)),
            ArrayId::Output => reals((self.end().output_domain(), &self.end().output().shape)),
            ArrayId::Work => self.work().map_or(0, reals),
        };
        let moved = self.passes.iter().map(|pass| reals(pass.from) + reals(pass.to)).fold(0, usize::saturating_add);
        moved.saturating_mul(real).saturating_add(staged)
    }
}

impl fmt::Display for ArrayId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ArrayId::Input => "input",
            ArrayId::Output => "output",
            ArrayId::Work => "work",
        })
    }
}

impl fmt::Display for PassOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PassOp::Multiply => f.write_str("multiply"),
            PassOp::Transform(AxisRecipe { transform, scheme, .. }) => {
                write!(f, "{} {} ={scheme}", transform.sum, transform.n)
            }
        }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.multiply == Some(Multiplied::Input) {
            f.write_str("multiply | ")?;
        }
        write!(f, "{}", self.problem)?;
        if let Some((method, stages)) = &self.staged {
            write!(f, " by {method}")?;
            return stages.iter().try_for_each(|stage| write!(f, "\n{stage}"));
        }
        match &self.multiply {
            Some(Multiplied::Between(inverse)) => write!(f, " | multiply | {inverse}")?,
            Some(Multiplied::Output) => f.write_str(" | multiply")?,
            Some(Multiplied::Input) | None => {}
        }
        for pass in &self.passes {
            let ops: Vec<_> = pass.ops.iter().map(PassOp::to_string).collect();
            write!(f, "\n{} -> {} axis {}: {}", pass.from, pass.to, pass.axis, ops.join(" | "))?;
        }
        Ok(())
    }
}

impl FromStr for Recipe {
    type Err = Error;

    /// Reads what `Display` writes. The passes may be in another order and have other factors than
    /// the planner's.
    ///
    /// # Errors
    /// If the passes do not compute the problem, or a factor has no algorithm.
    fn from_str(text: &str) -> Result<Self> {
        let mut rows = text.trim().lines().map(str::trim);
        let heading = rows.next().unwrap_or_default();
        if let Some((problem, method)) = heading.split_once(" by ") {
            return parse_staged(problem.parse()?, method.trim().parse()?, &rows.collect::<Vec<_>>());
        }
        let default = if let Some((forward, inverse)) = heading.split_once("| multiply |") {
            axes::filter(&forward.parse()?, &inverse.parse()?)?
        } else if let Some(problem) = heading.strip_prefix("multiply |") {
            axes::premultiplied(&problem.parse()?)?
        } else if let Some(problem) = heading.strip_suffix("| multiply") {
            axes::postmultiplied(&problem.parse()?)?
        } else {
            axes::recipe(&heading.parse()?)
        };
        let mut unused: Vec<&AxisRecipe> = default.lines().collect();
        let rows: Vec<_> = rows.collect();
        let ops = rows.iter().map(|row| parse_pass(row, &mut unused)).collect::<Result<Vec<_>>>()?;
        if let Some(line) = unused.first() {
            return Err(invalid(format!("no pass does {} along axis {}", line.transform.sum, line.transform.axis)));
        }
        let recipe = Recipe::new(default.problem.clone(), default.multiply.clone(), ops);
        check_order(&recipe)?;
        check_multiplies(&recipe)?;
        check_heads(&recipe, &rows)?;
        Ok(recipe)
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::Notation, message)
}

/// A method's stages follow from the problem, and what stands in the text must say the same.
fn parse_staged(problem: Problem, method: Algorithm, rows: &[&str]) -> Result<Recipe> {
    let recipe = method.recipe(&problem)?;
    let wanted: Vec<String> = recipe.to_string().lines().skip(1).map(str::to_owned).collect();
    let differs =
        (0..wanted.len().max(rows.len())).find(|&i| wanted.get(i).map(String::as_str) != rows.get(i).copied());
    match differs {
        None => Ok(recipe),
        Some(i) if i < wanted.len() => {
            let found = rows.get(i).copied().unwrap_or_default();
            Err(invalid(format!("`{found}`: stage {} of {method} is `{}`", i + 1, wanted[i])))
        }
        Some(i) => Err(invalid(format!("`{}`: {method} has {} stages", rows[i], wanted.len()))),
    }
}

/// `input -> output axis 1: dct2 1024 = 16 8 8 | multiply | …`
fn parse_pass(row: &str, unused: &mut Vec<&AxisRecipe>) -> Result<Vec<PassOp>> {
    let malformed = || invalid(format!("`{row}` is not a pass: expected `input -> output axis 0: dct2 64 = 8 8`"));
    let (head, ops) = row.split_once(':').ok_or_else(malformed)?;
    let axis: usize = head.split_once("axis ").and_then(|(_, axis)| axis.trim().parse().ok()).ok_or_else(malformed)?;
    let parse = |op: &str| -> Result<PassOp> {
        let op = op.trim();
        if op == "multiply" {
            return Ok(PassOp::Multiply);
        }
        let (name, factors) = op.split_once('=').ok_or_else(malformed)?;
        let is = |line: &&AxisRecipe| {
            line.transform.axis == axis && format!("{} {}", line.transform.sum, line.transform.n) == name.trim()
        };
        let at =
            unused.iter().position(is).ok_or_else(|| invalid(format!("`{row}`: axis {axis} has no `{name}` to do")))?;
        let line = unused.remove(at);
        let scheme = parse_scheme(factors)?;
        let (data, len) = dft_of(line.transform.sum, line.transform.n);
        let (makes, wanted) = match &scheme {
            Scheme::Batched(factors) => (length(factors), Some(len)),
            Scheme::IntraVector(factors) => (length(factors), complex_length(data, len)),
            Scheme::Blocked { within: a, across: b } | Scheme::FourStep { columns: a, rows: b } => {
                (length(a).saturating_mul(length(b)), complex_length(data, len))
            }
        };
        if Some(makes) != wanted {
            let wanted = wanted.map_or("an even length, to be cut".into(), |n| n.to_string());
            return Err(invalid(format!("`{row}`: the factors make {makes}, not {wanted}")));
        }
        Ok(PassOp::Transform(AxisRecipe { scheme, ..line.clone() }))
    };
    let ops = ops.split('|').map(parse).collect::<Result<Vec<_>>>()?;
    let alone = |op: &PassOp| matches!(op, PassOp::Transform(line) if !matches!(line.scheme, Scheme::Batched(_)));
    if ops.len() > 1 && ops.iter().any(alone) {
        return Err(invalid(format!("`{row}`: what goes line by line needs a pass of its own")));
    }
    Ok(ops)
}

/// A filter multiplies once, between its two problems, or a problem its input, before all else, or
/// its output, after all; nothing else does.
fn check_multiplies(recipe: &Recipe) -> Result<()> {
    let ops = recipe.passes.iter().flat_map(|pass| &pass.ops).enumerate();
    let places: Vec<usize> = ops.filter(|(_, op)| **op == PassOp::Multiply).map(|(i, _)| i).collect();
    let wanted = recipe.multiply.as_ref().map(|multiply| match multiply {
        Multiplied::Input => 0,
        Multiplied::Between(_) | Multiplied::Output => recipe.problem.transforms().len(),
    });
    if places != wanted.as_slice() {
        let message = "passes multiply where the first line does: at the beginning, or once all sums of the problem are done, of a filter the first";
        return Err(invalid(message.into()));
    }
    if let Some(pass) = recipe.passes.iter().find(|pass| pass.ops == [PassOp::Multiply]) {
        let message =
            format!("the pass along axis {} only multiplies: that is a part of the pass before or after it", pass.axis);
        return Err(invalid(message));
    }
    Ok(())
}

/// Where a pass reads and writes follows from its place among the others, and what stands in the
/// text must say the same.
fn check_heads(recipe: &Recipe, rows: &[&str]) -> Result<()> {
    for (pass, row) in recipe.passes.iter().zip(rows) {
        let head: Vec<_> = row.split(':').next().unwrap_or_default().split_whitespace().collect();
        let wanted = format!("{} -> {} axis {}", pass.from, pass.to, pass.axis);
        if head.join(" ") != wanted {
            return Err(invalid(format!("`{row}`: the pass begins `{wanted}:` there")));
        }
    }
    Ok(())
}

/// Half spectra are made first and undone last.
fn check_order(recipe: &Recipe) -> Result<()> {
    use crate::problem::kind::Transform1d::{C2R, R2C};
    let sums: Vec<_> = recipe.lines().map(|line| line.transform.sum).collect();
    let early = sums.iter().skip(1).any(|s| *s == R2C);
    let late = sums.iter().rev().skip(1).any(|s| *s == C2R);
    if early || late {
        return Err(invalid("a half spectrum must be made by the first pass and undone by the last".into()));
    }
    Ok(())
}
