//! Distributed plans.

use crate::exchange::host::HostExchange;
use crate::plan::execution::{Only, Run};
use crate::plan::memory::{Arrays, WorkArray, bytes_of, bytes_of_mut};
use crate::plan::plan_id::PlanId;
use crate::plan::planned_step::PlannedStep;
use crate::recipe::arrays::ArrayDesc;
use crate::recipe::recipe::Recipe;
use fourfold::{Element, Error, ErrorKind, Result, Scratch, Storage};
use std::ops::Range;

/// The executable form of a recipe on one rank. It owns its work array, and the exchanges take part in
/// those of all ranks, so executions need the plan exclusively.
pub struct Plan<E: HostExchange> {
    id: PlanId,
    recipe: Recipe,
    exchange: E,
    steps: Vec<PlannedStep<E::Route>>,
    work: WorkArray,
    scratch: Option<Scratch>,
    /// The elements that an execution needs at both ends.
    lengths: [usize; 2],
    received: usize,
}

impl<E: HostExchange> Plan<E> {
    pub(crate) fn new(id: PlanId, recipe: Recipe, exchange: E, steps: Vec<PlannedStep<E::Route>>) -> Result<Plan<E>> {
        let [_, output, work] = recipe.array_bytes(exchange.rank());
        let work = WorkArray::new(work)?;
        let largest = steps.iter().flat_map(PlannedStep::passes).max_by_key(|plan| plan.scratch_bytes());
        let scratch = largest.map(|plan| plan.try_scratch()).transpose()?;
        let element = recipe.problem().precision().bytes() * recipe.output().domain.reals();
        let lengths = [recipe.input().elements(recipe.grid(), exchange.rank()), output.div_ceil(element)];
        Ok(Plan { id, recipe, exchange, steps, work, scratch, lengths, received: 0 })
    }

    pub(crate) fn id(&self) -> PlanId {
        self.id
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The plans of this rank's passes, in order, those of all parts. A rank that has nothing has none.
    pub fn passes(&self) -> impl Iterator<Item = &fourfold::Plan> {
        self.steps.iter().flat_map(PlannedStep::passes)
    }

    /// The ranges of indices along each axis of the input that this rank has. Its part is in C order.
    pub fn input_ranges(&self) -> Vec<Range<usize>> {
        self.recipe.input().ranges(self.recipe.grid(), self.exchange.rank())
    }

    /// The ranges of indices along each axis of the output that this rank has.
    pub fn output_ranges(&self) -> Vec<Range<usize>> {
        self.recipe.output().ranges(self.recipe.grid(), self.exchange.rank())
    }

    /// The number of elements of the input that this rank has.
    pub fn input_len(&self) -> usize {
        self.lengths[0]
    }

    /// The number of elements that an execution needs in the slice for the output. The rank's part of
    /// the output is in the first of them. There may be more, because the slice also has arrays
    /// between steps.
    pub fn output_len(&self) -> usize {
        self.lengths[1]
    }

    /// The bytes of the work array.
    pub fn work_bytes(&self) -> usize {
        self.recipe.array_bytes(self.exchange.rank())[2]
    }

    /// The bytes of the scratch of the passes, which depends on the length of lines and on the number of
    /// threads, not on the number of lines.
    pub fn scratch_bytes(&self) -> usize {
        self.scratch.as_ref().map_or(0, Scratch::bytes)
    }

    /// The most parts into which an exchange is cut.
    pub fn parts(&self) -> usize {
        self.steps.iter().map(PlannedStep::parts).max().unwrap_or(1)
    }

    /// The bytes that this rank sends to others in each exchange.
    pub fn bytes_sent(&self) -> Vec<usize> {
        let sent = |step: &PlannedStep<_>| match step {
            PlannedStep::Exchange { bytes_sent, .. } => Some(*bytes_sent),
            _ => None,
        };
        self.steps.iter().filter_map(sent).collect()
    }

    /// The bytes that came from other ranks in all executions so far, as the exchanges have counted
    /// them.
    pub fn bytes_received(&self) -> usize {
        self.received
    }

    /// Transforms the parts of all ranks. `input` has this rank's part of the input, and the first
    /// elements of `output` receive its part of the output. It does not allocate.
    ///
    /// # Errors
    /// If a slice is too short or its elements are not those of the problem, or if a rank is lost or executes
    /// another plan. All ranks agree before an exchange, so if one has an error by then, all have one. The
    /// content of the output is then undefined.
    pub fn execute<I: Element, O: Element>(&mut self, input: &[I], output: &mut [O]) -> Result<()> {
        self.execute_steps(input, output, None)
    }

    /// Does only the passes or the exchanges, to time them. What they compute is of no use.
    ///
    /// # Errors
    /// Those of [`Plan::execute`].
    pub fn execute_only<I: Element, O: Element>(&mut self, only: Only, input: &[I], output: &mut [O]) -> Result<()> {
        self.execute_steps(input, output, Some(only))
    }

    fn execute_steps<I: Element, O: Element>(
        &mut self,
        input: &[I],
        output: &mut [O],
        only: Option<Only>,
    ) -> Result<()> {
        let outcome = self.check(input, output);
        self.run(outcome, bytes_of(input), bytes_of_mut(output), only)
    }

    /// Executes on memory of [`Plan::end_bytes`], if the arguments are right.
    pub(crate) fn run(
        &mut self,
        outcome: Result<()>,
        input: &[u8],
        output: &mut [u8],
        only: Option<Only>,
    ) -> Result<()> {
        let Plan { id, recipe, exchange, steps, work, scratch, received, .. } = self;
        let arrays = Arrays { input, output, work: work.bytes() };
        Run { id: *id, recipe, exchange, arrays, scratch, received }.steps(steps, outcome, only)
    }

    /// The bytes that an execution needs of the input and of the output.
    pub(crate) fn end_bytes(&self) -> [usize; 2] {
        let element = |array: &ArrayDesc| self.recipe.problem().precision().bytes() * array.domain.reals();
        [self.lengths[0] * element(self.recipe.input()), self.lengths[1] * element(self.recipe.output())]
    }

    fn check<I: Element, O: Element>(&self, input: &[I], output: &[O]) -> Result<()> {
        let storage = self.recipe.problem().storage();
        check_part::<I>("input", self.recipe.input(), storage, input.len(), self.input_len())?;
        check_part::<O>("output", self.recipe.output(), storage, output.len(), self.output_len())
    }
}

/// Checks the number and the type of the elements that an execution is given for a part of `array`.
///
/// # Errors
/// If they do not fit.
pub fn check_part<T: Element>(
    name: &str,
    array: &ArrayDesc,
    storage: Storage,
    given: usize,
    needed: usize,
) -> Result<()> {
    let fail = |message: String| Err(Error::new(ErrorKind::Argument, message));
    if (T::DOMAIN, T::STORAGE) != (array.domain, storage) {
        let (given, wanted) = (T::STORAGE.element_name(T::DOMAIN), storage.element_name(array.domain));
        return fail(format!("the {name} has elements of type {given}, the problem {wanted}"));
    }
    if given < needed {
        return fail(format!("the {name} has {given} elements, this rank needs {needed}"));
    }
    Ok(())
}
