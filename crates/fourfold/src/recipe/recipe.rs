//! Recipes: how to compute a problem, as a list of passes with the factors of their DFTs.

use crate::problem::element::Domain;
use crate::problem::kind::Transform1d;
use crate::problem::layout::Layout;
use crate::problem::problem::{AxisTransform, Problem};
use crate::recipe::scheme::Scheme;
use std::fmt;

/// A recipe says how a problem is computed. It is plain data, which can be printed and parsed.
///
/// ```text
/// dct2 f64 1000x1024
/// input -> output axis 1: dct2 1024 = 16 8 8
/// output -> output axis 0: dct2 1000 = 10 10 10
/// ```
///
/// The first line of a filter names both problems: `dct2 f64 64x64 | multiply | idct2 f64 64x64`.
/// One of its passes is then `output -> output axis 0: dct2 64 = 8 8 | multiply | dct3 64 = 8 8`.
/// If the input of a problem is multiplied, the first line and the first pass begin with `multiply
/// |`. If the output is multiplied, the first line and the last pass end with `| multiply`.
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

/// The array that the plan's factors multiply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Multiplied {
    /// The input.
    Input,
    /// The output, which is then the input of this second problem. The recipe is a filter.
    Between(Box<Problem>),
    /// The output, without a second problem.
    Output,
}

/// A pass: one trip through memory, which reads every element once and writes every element once.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// The axis of its lines.
    pub axis: usize,
    /// The array that it reads.
    pub from: ArrayId,
    /// The array that it writes.
    pub to: ArrayId,
    /// The steps that it computes on the lines, in order.
    pub ops: Vec<PassOp>,
}

/// An array that a pass of a recipe, or a stage of a baseline, reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayId {
    /// The caller's input.
    Input,
    /// The caller's output.
    Output,
    /// A work array in the scratch, by its number. Recipes of passes have at most one, and those of
    /// stages at most two.
    Work(usize),
}

/// A step of a pass on the lines of its axis.
#[derive(Clone, Debug, PartialEq)]
pub enum PassOp {
    /// A 1D transform.
    Transform(AxisRecipe),
    /// The multiply by the plan's factors.
    Multiply,
}

/// A 1D transform with the factors of its DFT.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisRecipe {
    /// The transform.
    pub transform: AxisTransform,
    /// A factor on the result.
    pub scale: f64,
    /// How the DFT is computed to which the transform reduces.
    pub scheme: Scheme,
}

impl Recipe {
    pub(crate) fn new(problem: Problem, multiply: Option<Multiplied>, ops: Vec<Vec<PassOp>>) -> Self {
        let mut recipe = Recipe { problem, multiply, passes: vec![], work: None };
        (recipe.passes, recipe.work) = assign_arrays(&recipe.problem, recipe.end(), ops);
        recipe
    }

    /// The problem. For a filter, it is the first one.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The second problem of a filter.
    pub fn inverse(&self) -> Option<&Problem> {
        match &self.multiply {
            Some(Multiplied::Between(inverse)) => Some(inverse),
            _ => None,
        }
    }

    /// The array that the plan's factors multiply, if there are factors.
    pub(crate) fn multiply(&self) -> Option<&Multiplied> {
        self.multiply.as_ref()
    }

    /// Domain and layout of the array that the plan's factors multiply, if there are factors.
    pub fn multiplied(&self) -> Option<(Domain, &Layout)> {
        let problem = &self.problem;
        self.multiply.as_ref().map(|multiply| match multiply {
            Multiplied::Input => (problem.input_domain(), problem.input()),
            Multiplied::Between(_) | Multiplied::Output => (problem.output_domain(), problem.output()),
        })
    }

    /// The name of that array in messages.
    pub(crate) fn multiplied_name(&self) -> &'static str {
        match &self.multiply {
            Some(Multiplied::Input) => "input",
            Some(Multiplied::Between(_)) => "spectrum",
            Some(Multiplied::Output) | None => "output",
        }
    }

    /// What to know of a filter whose problems share no axis: it has a pass more than others.
    pub fn remark(&self) -> Option<String> {
        let (inverse, multiply) = (self.inverse()?, PassOp::Multiply);
        self.passes.iter().find(|pass| pass.ops.last() == Some(&multiply))?;
        let problem = &self.problem;
        Some(format!(
            "`{problem}` and `{inverse}` share no axis on which the first can end and the second begin, both with Fourier \
             transforms or neither: this filter has one pass more than others"
        ))
    }

    /// The problem whose output the last pass writes.
    pub(crate) fn end(&self) -> &Problem {
        self.inverse().unwrap_or(&self.problem)
    }

    /// The passes in order.
    pub fn passes(&self) -> &[Pass] {
        &self.passes
    }

    /// Domain and shape of the work array, if a pass writes one.
    pub fn work(&self) -> Option<(Domain, &[usize])> {
        self.work.as_ref().map(|(domain, shape)| (*domain, shape.as_slice()))
    }

    /// All 1D transforms in order.
    pub fn lines(&self) -> impl Iterator<Item = &AxisRecipe> {
        self.passes.iter().flat_map(|pass| &pass.ops).filter_map(|op| match op {
            PassOp::Transform(line) => Some(line),
            PassOp::Multiply => None,
        })
    }

    /// Whether a DFT uses Bluestein's convolution, whose error is about ten times that of other
    /// DFTs.
    pub fn uses_bluestein(&self) -> bool {
        self.lines().any(|line| line.scheme.uses_bluestein())
    }

    /// The bytes of arrays that the passes read and write, without tables.
    pub fn bytes_moved(&self) -> usize {
        let real = self.problem.storage().bytes();
        let reals = |(domain, shape): (Domain, &[usize])| domain.reals() * shape.iter().product::<usize>();
        let reals = |array: ArrayId| match array {
            ArrayId::Input => reals((self.problem.input_domain(), &self.problem.input().shape)),
            ArrayId::Output => reals((self.end().output_domain(), &self.end().output().shape)),
            ArrayId::Work(_) => self.work().map_or(0, reals),
        };
        let moved = self.passes.iter().map(|pass| reals(pass.from) + reals(pass.to)).fold(0, usize::saturating_add);
        moved.saturating_mul(real)
    }
}

/// Assigns arrays to the passes, and determines domain and shape of the work array. `end` is the
/// problem whose output the last pass writes.
fn assign_arrays(problem: &Problem, end: &Problem, ops: Vec<Vec<PassOp>>) -> (Vec<Pass>, Option<(Domain, Vec<usize>)>) {
    let count = ops.len();
    let mut state = (problem.input_domain(), problem.input().shape.clone());
    let mut from = ArrayId::Input;
    let (mut passes, mut work) = (vec![], None);
    for (i, ops) in ops.into_iter().enumerate() {
        let mut axis = 0;
        for op in &ops {
            if let PassOp::Transform(line) = op {
                axis = line.transform.axis;
                after(&mut state, line);
            }
        }
        let fits = state.0 == end.output_domain() && state.1 == end.output().shape;
        let to = if i + 1 == count || fits { ArrayId::Output } else { ArrayId::Work(0) };
        if to == ArrayId::Work(0) {
            work = Some(state.clone());
        }
        passes.push(Pass { axis, from, to, ops });
        from = to;
    }
    (passes, work)
}

/// Updates the domain and the shape of an array by a transform along one axis.
fn after((domain, shape): &mut (Domain, Vec<usize>), line: &AxisRecipe) {
    let AxisTransform { axis, n, transform1d, .. } = line.transform;
    match transform1d {
        Transform1d::R2C => (*domain, shape[axis]) = (Domain::Complex, n / 2 + 1),
        Transform1d::C2R => (*domain, shape[axis]) = (Domain::Real, n),
        _ => {}
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
                write!(f, "{} {} ={scheme}", transform.transform1d, transform.n)
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
