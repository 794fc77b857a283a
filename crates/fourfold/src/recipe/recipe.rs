//! How to compute, as data: a list of passes and, in each, the sums with their factors.

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
/// The recipes of [baselines](crate::baseline) are of another type,
/// [`StagedRecipe`](crate::baseline::StagedRecipe), and name their algorithm in the first line.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    problem: Problem,
    multiply: Option<Multiplied>,
    passes: Vec<Pass>,
    work: Option<(Domain, Vec<usize>)>,
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

/// An array that a pass of a recipe, or a stage of a baseline, reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayId {
    /// The caller's input.
    Input,
    /// The caller's output.
    Output,
    /// A part of the scratch, by its number. Passes have one, stages have two.
    Work(usize),
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
        let mut recipe = Recipe { problem, multiply, passes: vec![], work: None };
        (recipe.passes, recipe.work) = axes::places(&recipe.problem, recipe.end(), ops);
        recipe
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

    /// The passes, in order; none if no axis is transformed.
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

    /// Whether a DFT uses Bluestein's convolution, which costs about a digit.
    pub fn uses_bluestein(&self) -> bool {
        self.lines().flat_map(|line| line.scheme.factors()).any(Factor::uses_bluestein)
    }

    /// Bytes that the passes read and write, tables not counted.
    pub fn bytes_moved(&self) -> usize {
        let real = self.problem.precision().bytes();
        let reals = |(domain, shape): (Domain, &[usize])| domain.reals() * shape.iter().product::<usize>();
        let reals = |place: ArrayId| match place {
            ArrayId::Input => reals((self.problem.input_domain(), &self.problem.input().shape)),
            ArrayId::Output => reals((self.end().output_domain(), &self.end().output().shape)),
            ArrayId::Work(_) => self.work().map_or(0, reals),
        };
        let moved = self.passes.iter().map(|pass| reals(pass.from) + reals(pass.to)).fold(0, usize::saturating_add);
        moved.saturating_mul(real)
    }
}

impl fmt::Display for ArrayId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArrayId::Input => f.write_str("input"),
            ArrayId::Output => f.write_str("output"),
            ArrayId::Work(0) => f.write_str("work"),
            ArrayId::Work(number) => write!(f, "work {number}"),
        }
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
        if let Some((_, algorithm)) = heading.split_once(" by ") {
            return Err(invalid(format!("`by {algorithm}`: expected passes, not the stages of a baseline")));
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
