//! A problem with its arrays, as contestants see it.

use crate::arrays::{Memory, fill};
use anyhow::{Context, Result};
use fourfold::{Domain, Kind, Precision, Problem};

/// What is computed, and where.
pub(crate) struct Case {
    pub(crate) text: String,
    pub(crate) problem: Problem,
    /// The kind of all axes, if they agree.
    pub(crate) kind: Option<Kind>,
    pub(crate) shape: Vec<usize>,
    /// All axes from this one on are transformed.
    pub(crate) first: usize,
    pub(crate) bits: u32,
    input: Memory,
    output: Memory,
}

impl Case {
    pub(crate) fn new(text: &str) -> Result<Case> {
        let problem: Problem = text.parse().with_context(|| format!("in the list of problems: {text}"))?;
        let shape = problem.input().shape.clone();
        let bits = if problem.precision() == Precision::F32 { 32 } else { 64 };
        let kinds = problem.kinds().to_vec();
        let kind = kinds.iter().all(|kind| *kind == kinds[0]).then_some(kinds[0]);
        let first = problem.transforms().iter().map(|t| t.axis).min().unwrap_or(0);
        let reals = numbers(&problem);
        // Room for the half spectrum too, which the yardstick of a DCT, a real FFT, writes.
        let (rows, last) = (shape[..shape.len() - 1].iter().product::<usize>(), shape[shape.len() - 1]);
        let room = reals.max(2 * rows * (last / 2 + 1)) * bits as usize / 8;
        let (input, output) = (Memory::new(room), Memory::new(room));
        let case = Case { text: text.to_owned(), problem, kind, shape, first, bits, input, output };
        case.fill();
        Ok(case)
    }

    /// Writes the input; planners of peers may have overwritten it.
    pub(crate) fn fill(&self) {
        fill(self.input(), numbers(&self.problem), self.bits);
    }

    pub(crate) fn input(&self) -> *mut u8 {
        self.input.base()
    }

    pub(crate) fn output(&self) -> *mut u8 {
        self.output.base()
    }

    /// Bytes of the input.
    pub(crate) fn bytes(&self) -> usize {
        numbers(&self.problem) * self.bits as usize / 8
    }

    /// Real numbers of the output.
    pub(crate) fn results(&self) -> usize {
        self.problem.output().len * parts(self.problem.output_domain())
    }

    /// Lengths of the transformed axes.
    pub(crate) fn lengths(&self) -> &[usize] {
        &self.shape[self.first..]
    }

    /// Transforms in the batch.
    pub(crate) fn batch(&self) -> usize {
        self.shape[..self.first].iter().product()
    }

    /// The library symbol of this precision: `single` or `double`.
    pub(crate) fn by_bits<T>(&self, single: T, double: T) -> T {
        if self.bits == 32 { single } else { double }
    }
}

/// Real numbers of the input.
fn numbers(problem: &Problem) -> usize {
    problem.input().len * parts(problem.input_domain())
}

fn parts(domain: Domain) -> usize {
    if domain == Domain::Complex { 2 } else { 1 }
}
