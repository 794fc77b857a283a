//! Distributed recipes: how ranks compute a problem together.

use crate::distribution::Distribution;
use crate::grid::Grid;
use crate::recipe::arrays::{ArrayDesc, replay};
use crate::recipe::real_form::RealForm;
use crate::recipe::real_signal;
use crate::recipe::search::search;
use crate::recipe::step::{Action, PassOp, Step};
use crate::recipe::subject::{Subject, columns_of};
use fourfold::engine::ArrayId;
use fourfold::{Domain, Problem, Result};
use std::fmt;

/// A distributed recipe says how ranks compute a problem together: passes over the parts that they
/// have, and exchanges of parts. It is plain data, which prints and parses.
///
/// ```text
/// dct2 f64 64x48x36 on 2x3 from p,q,* to *,p,q
/// input -> output axis 2: dct2
/// output -> work exchange to p,*,q
/// work -> work axis 1: dct2
/// work -> output exchange to *,p,q
/// output -> output axis 0: dct2
/// ```
///
/// A pass is along an axis that all ranks have as a whole. An exchange leads to another distribution;
/// what a rank has before and after it is not sent. The first line of a filter names both problems:
/// `dct2 f64 64x64 | multiply | idct2 f64 64x64`. That of a long signal has the lengths of the columns
/// and the rows of a matrix: `fft f64 1048576 as 1024x1024`.
///
/// An array of one axis has a second one of length 1. So ranks can send a signal to one rank, which
/// then has all of it, and the others nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    subject: Subject,
    grid: Grid,
    steps: Vec<Step>,
    /// The input, and the array that each step writes.
    arrays: Vec<ArrayDesc>,
}

impl Recipe {
    /// The recipe of a problem. The input has the distribution `input`. Without an `output`, the
    /// output has the distribution that takes the fewest exchanges, with the least elements sent.
    ///
    /// # Errors
    /// If a distribution does not fit the grid or the array, or if the problem has strides or is in
    /// place.
    pub fn new(problem: &Problem, grid: &Grid, input: &Distribution, output: Option<&Distribution>) -> Result<Recipe> {
        Recipe::find(Subject::transform(problem)?, grid, input, output)
    }

    /// The recipe of a filter: `forward`, a multiply, `inverse`. The spectrum is multiplied in the
    /// distribution in which it comes out of `forward`.
    ///
    /// # Errors
    /// Those of [`Recipe::new`], and if the output of `forward` is no input of `inverse`.
    pub fn filter(
        forward: &Problem,
        inverse: &Problem,
        grid: &Grid,
        input: &Distribution,
        output: Option<&Distribution>,
    ) -> Result<Recipe> {
        Recipe::find(Subject::filter(forward, inverse)?, grid, input, output)
    }

    /// The recipe of one signal, as a matrix N₁×N₂ with n = N₂n₁ + n₂ and k = k₁ + N₁k₂. There is none
    /// unless N has factors that give every rank columns and rows. All dimensions of the grid divide n₁.
    /// Parts are then blocks of the signal, of whole rows of the matrix.
    ///
    /// With `natural`, they divide k₂, so that parts of the output are blocks of the spectrum.
    /// Otherwise the output is left as it comes out, which saves an exchange: the grid divides k₁.
    ///
    /// Left as it comes out, `rfft` makes the matrix of X\[k₁ + N₁k₂\] with k₁ ≤ N₁/2 and all k₂ < N₂, and `irfft` takes it: the
    /// grid divides k₁, and a rank stores k₁ as the slower index. It has every term of the half spectrum
    /// either as X\[k\], or as the conjugate of X\[k\] at N − k. `irfft` uses both. With complex factors
    /// f\[N − k\] = conj(f\[k\]), ranks can so filter a signal without sending its spectrum.
    ///
    /// Transforms that are real on both sides are such matrices too, with blocks of the signal and of its terms
    /// as parts: see [`Reorder`](crate::Reorder). They take three exchanges, and `natural` changes nothing. The
    /// matrix of `dct1` and `dst1` has 2(N ∓ 1) elements, and so that length must have factors.
    ///
    /// # Errors
    /// Those of [`Recipe::new`].
    pub fn signal(problem: &Problem, grid: &Grid, natural: bool) -> Result<Option<Recipe>> {
        let Some(columns) = columns_of(problem, grid.ranks()) else { return Ok(None) };
        let subject = Subject::signal(problem, columns)?;
        if let Some(form) = subject.real_form().filter(|_| natural || subject.is_real_signal()) {
            return Recipe::of_real_form(subject, form, grid).map(Some);
        }
        let rows = Distribution::on_axis(0, 2, grid);
        // The signal that `irfft` makes has the same parts as that which `rfft` takes.
        let is_inverse = problem.output_domain() == Domain::Real;
        let output = if natural { Some(Distribution::on_axis(1, 2, grid)) } else { is_inverse.then(|| rows.clone()) };
        Recipe::find(subject, grid, &rows, output.as_ref()).map(Some)
    }

    fn find(subject: Subject, grid: &Grid, input: &Distribution, output: Option<&Distribution>) -> Result<Recipe> {
        let input = input.fitted(subject.named_axes(), grid)?;
        let output = output.map(|output| output.fitted(subject.named_axes(), grid)).transpose()?;
        let actions = search(&subject, grid, &input, output.as_ref());
        Ok(Recipe::assemble(subject, grid.clone(), input, actions))
    }

    /// The recipe of these actions, which compute the subject.
    pub(crate) fn assemble(subject: Subject, grid: Grid, input: Distribution, actions: Vec<Action>) -> Recipe {
        let arrays = replay(&subject, input, &actions);
        Recipe::of_arrays(subject, grid, arrays, actions)
    }

    /// The recipe of a signal of this form, with the signal and its terms in natural order.
    pub(crate) fn of_real_form(subject: Subject, form: RealForm, grid: &Grid) -> Result<Recipe> {
        let (arrays, actions) = real_signal::actions(&subject, form, grid)?;
        Ok(Recipe::of_arrays(subject, grid.clone(), arrays, actions))
    }

    fn of_arrays(subject: Subject, grid: Grid, arrays: Vec<ArrayDesc>, actions: Vec<Action>) -> Recipe {
        let mut to = ArrayId::Output;
        let mut steps = vec![];
        for (i, action) in actions.into_iter().enumerate().rev() {
            let from = if i == 0 { ArrayId::Input } else { arrays[i].array_before(to, &arrays[i + 1], &action) };
            steps.push(Step { from, to, action });
            to = from;
        }
        steps.reverse();
        Recipe { subject, grid, steps, arrays }
    }

    /// The problem. For a filter, it is the first one.
    pub fn problem(&self) -> &Problem {
        self.subject.long_signal().unwrap_or(&self.subject.stages()[0])
    }

    /// The problem whose output is that of the recipe. It is the second one of a filter.
    pub fn last_problem(&self) -> &Problem {
        let last = || self.subject.stages().last().expect("a recipe computes something");
        self.subject.long_signal().unwrap_or_else(last)
    }

    pub(crate) fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The grid of ranks.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The steps in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The input, and then the array that each step writes.
    pub fn arrays(&self) -> &[ArrayDesc] {
        &self.arrays
    }

    /// The input.
    pub fn input(&self) -> &ArrayDesc {
        &self.arrays[0]
    }

    /// The output.
    pub fn output(&self) -> &ArrayDesc {
        self.arrays.last().expect("there is the input")
    }

    /// The array that a filter multiplies, which is the output of its first problem, or that the twiddle
    /// factors of a long signal multiply.
    pub fn multiplied(&self) -> Option<ArrayDesc> {
        let multiplies =
            |step: &Step| matches!(&step.action, Action::Pass { ops, .. } if ops.contains(&PassOp::Multiply));
        let at = self.steps.iter().position(multiplies)?;
        let (domain, shape) = self.subject.multiplied();
        Some(ArrayDesc { domain, shape, ..self.arrays[at].clone() })
    }

    /// The bytes that a rank needs for its part of the input, for the output and for the work array. The last
    /// two also have arrays between steps.
    pub fn array_bytes(&self, rank: usize) -> [usize; 3] {
        let real = self.problem().precision().bytes();
        let bytes = |array: &ArrayDesc| array.elements(&self.grid, rank) * array.domain.reals() * real;
        let most = |is_there: &dyn Fn(ArrayId) -> bool| {
            let written = self.steps.iter().zip(&self.arrays[1..]).filter(|(step, _)| is_there(step.to));
            written.map(|(_, array)| bytes(array)).max().unwrap_or(0)
        };
        let [output, work] = [most(&|id| id == ArrayId::Output), most(&|id| matches!(id, ArrayId::Work(_)))];
        [bytes(self.input()), output, work]
    }

    /// Whether exchanges reorder a long real signal or its terms. Only ranks whose parts are in the memory of the
    /// host do so.
    pub fn reorders(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.action, Action::Exchange { reorder: Some(_), .. }))
    }

    /// The number of exchanges.
    pub fn exchanges(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step.action, Action::Exchange { .. })).count()
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (input, output) = (&self.input().distribution, &self.output().distribution);
        write!(f, "{} on {} from {input} to {output}", self.subject, self.grid)?;
        self.steps.iter().try_for_each(|Step { from, to, action }| write!(f, "\n{from} -> {to} {action}"))
    }
}
