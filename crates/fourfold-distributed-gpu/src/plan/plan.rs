//! Plans of ranks with parts on devices.

use fourfold::engine::ArrayId;
use fourfold::{Element, Error, ErrorKind, Result};
use fourfold_distributed::engine::{PackedStep, PlanId, REFUSED, check_part};
use fourfold_distributed::{ArrayDesc, Exchange, Only, Recipe};
use fourfold_gpu::{BoxCopy, Device, GpuArray, GpuMemory, GpuPlan, GpuScratch};
use std::ops::Range;
use std::sync::Arc;

/// The executable form of a recipe on one rank with a device. It owns its work array, and the exchanges
/// take part in those of all ranks, so executions need the plan exclusively.
pub struct RankPlan<E: Exchange<Memory = GpuMemory>> {
    id: PlanId,
    recipe: Recipe,
    exchange: E,
    device: Device,
    steps: Vec<PlannedStep<E::Route>>,
    work: GpuMemory,
    scratch: GpuScratch,
    /// A second queue, for exchanges that are under way during passes.
    beside: Device,
    /// The elements that an execution needs at both ends.
    lengths: [usize; 2],
    received: usize,
}

/// The executable form of a step.
pub(crate) struct PlannedStep<R> {
    pub(crate) from: ArrayId,
    pub(crate) to: ArrayId,
    pub(crate) action: StepAction<R>,
}

/// What a step does.
pub(crate) enum StepAction<R> {
    /// A pass, in parts.
    Pass(Vec<PlannedPart>),
    /// Copies between the part of the rank and its messages.
    Copy(Vec<BoxCopy>),
    /// An exchange, in parts, with the bytes that this rank sends.
    Exchange { bytes_sent: usize, routes: Vec<R> },
}

/// A part of a pass.
pub(crate) struct PlannedPart {
    /// There is none where the rank has nothing.
    pub(crate) plan: Option<Arc<GpuPlan>>,
    /// The axis that is divided, and the length of the block.
    pub(crate) block: Option<(usize, usize)>,
    /// Where it begins in the input and in the output, in bytes.
    pub(crate) starts: [usize; 2],
}

impl<R> PlannedStep<R> {
    /// The number of parts of a pass.
    fn parts(&self) -> usize {
        if let StepAction::Pass(parts) = &self.action { parts.len() } else { 1 }
    }

    fn passes(&self) -> impl Iterator<Item = &GpuPlan> {
        let parts = if let StepAction::Pass(parts) = &self.action { &parts[..] } else { &[] };
        parts.iter().filter_map(|part| part.plan.as_deref())
    }
}

/// The arrays of an execution.
struct Arrays<'a> {
    input: GpuMemory,
    output: GpuMemory,
    work: &'a mut GpuMemory,
}

impl Arrays<'_> {
    fn array(&mut self, id: ArrayId) -> &mut GpuMemory {
        match id {
            ArrayId::Input => &mut self.input,
            ArrayId::Output => &mut self.output,
            ArrayId::Work(_) => self.work,
        }
    }
}

impl<E: Exchange<Memory = GpuMemory>> RankPlan<E> {
    pub(crate) fn new(
        id: PlanId,
        recipe: Recipe,
        exchange: E,
        device: Device,
        steps: Vec<PlannedStep<E::Route>>,
        packed: &[PackedStep],
    ) -> Result<RankPlan<E>> {
        let most = |is_there: &dyn Fn(ArrayId) -> bool| {
            packed.iter().filter(|step| is_there(step.to)).map(|step| step.bytes).max().unwrap_or(0)
        };
        let work = device.memory(most(&|id| matches!(id, ArrayId::Work(_))))?;
        let largest = steps.iter().flat_map(PlannedStep::passes).max_by_key(|plan| plan.scratch_bytes());
        let scratch = match largest {
            Some(plan) => plan.scratch(&device)?,
            None => device.scratch(0)?,
        };
        let element = recipe.problem().precision().bytes() * recipe.output().domain.reals();
        let output = most(&|id| id == ArrayId::Output).div_ceil(element);
        let lengths = [recipe.input().elements(recipe.grid(), exchange.rank()), output];
        let beside = device.new_queue()?;
        Ok(RankPlan { id, recipe, exchange, device, steps, work, scratch, beside, lengths, received: 0 })
    }

    pub(crate) fn id(&self) -> PlanId {
        self.id
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The plans of this rank's passes, in order, those of all parts. A rank that has nothing has none.
    pub fn passes(&self) -> impl Iterator<Item = &GpuPlan> {
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

    /// The number of elements that an execution needs in the array for the output. The rank's part of
    /// the output is in the first of them. There may be more, because that array also has arrays
    /// between steps.
    pub fn output_len(&self) -> usize {
        self.lengths[1]
    }

    /// The bytes of the work array.
    pub fn work_bytes(&self) -> usize {
        self.work.bytes()
    }

    /// The number of parts into which the first exchange is cut.
    pub fn parts(&self) -> usize {
        self.steps.first().map_or(1, PlannedStep::parts)
    }

    /// The number of copies to and from the places of messages, which are trips through memory beside
    /// the passes.
    pub fn copies(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step.action, StepAction::Copy(_))).count()
    }

    /// The bytes that this rank sends to others in each exchange.
    pub fn bytes_sent(&self) -> Vec<usize> {
        let sent = |step: &PlannedStep<_>| match step.action {
            StepAction::Exchange { bytes_sent, .. } => Some(bytes_sent),
            _ => None,
        };
        self.steps.iter().filter_map(sent).collect()
    }

    /// The bytes that came from other ranks in all executions so far, as the exchanges have counted
    /// them.
    pub fn bytes_received(&self) -> usize {
        self.received
    }

    /// Enqueues the transform of the parts of all ranks on the plan's queue, to which both arrays
    /// belong. `input` has this rank's part of the input, and the first elements of `output` receive its
    /// part of the output. It allocates no memory of the device.
    ///
    /// # Errors
    /// If an array is too short, belongs to another queue, or has elements that are not those of the
    /// problem, or if a rank is lost. If one rank has an error, the others have one, too. The content of
    /// the output is then undefined.
    pub fn execute<I: Element, O: Element>(&mut self, input: &GpuArray<I>, output: &mut GpuArray<O>) -> Result<()> {
        self.execute_steps(input, output, None)
    }

    /// Does only the passes, with the copies to and from the places of messages, or only the exchanges,
    /// to time them. What they compute is of no use.
    ///
    /// # Errors
    /// Those of [`RankPlan::execute`].
    pub fn execute_only<I: Element, O: Element>(
        &mut self,
        only: Only,
        input: &GpuArray<I>,
        output: &mut GpuArray<O>,
    ) -> Result<()> {
        self.execute_steps(input, output, Some(only))
    }

    fn execute_steps<I: Element, O: Element>(
        &mut self,
        input: &GpuArray<I>,
        output: &mut GpuArray<O>,
        only: Option<Only>,
    ) -> Result<()> {
        let ends = self.check(input, output).and_then(|()| Ok((input.memory()?, output.memory()?)));
        self.run(ends, only)
    }

    /// [`RankPlan::execute`] on memory of [`RankPlan::end_bytes`] on the plan's queue.
    pub(crate) fn execute_memory(&mut self, input: &GpuMemory, output: &GpuMemory) -> Result<()> {
        let ends = input.share().and_then(|input| Ok((input, output.share()?)));
        self.run(ends, None)
    }

    /// The bytes that an execution needs of the input and of the output.
    pub(crate) fn end_bytes(&self) -> [usize; 2] {
        let element = |array: &ArrayDesc| self.recipe.problem().precision().bytes() * array.domain.reals();
        let [input, output] = self.lengths;
        [input * element(self.recipe.input()), output * element(self.recipe.output())]
    }

    /// Runs the steps on these arrays. After an error, the next exchange is an error on all ranks.
    fn run(&mut self, ends: Result<(GpuMemory, GpuMemory)>, only: Option<Only>) -> Result<()> {
        let RankPlan { id, exchange, steps, work, scratch, beside, received, .. } = self;
        let (mut outcome, arrays) = match ends {
            Ok((input, output)) => (Ok(()), Some(Arrays { input, output, work })),
            Err(error) => (Err(error), None),
        };
        let mut run = Run { id: *id, exchanges: 0, is_over: false, exchange, arrays, scratch, beside, received };
        let mut next = 0;
        while let Some((step, others)) = steps[next..].split_first_mut().filter(|_| !run.is_over) {
            next += 1;
            let is_exchange = matches!(step.action, StepAction::Exchange { .. });
            run.exchanges += usize::from(is_exchange);
            if only.is_some_and(|only| (only == Only::Exchanges) != is_exchange) {
                continue;
            }
            outcome = match others.first_mut().filter(|_| only.is_none() && step.parts() > 1) {
                Some(exchange) => {
                    run.exchanges += 1;
                    next += 1;
                    run.overlapped(step, exchange, outcome)
                }
                None => run.step(step, outcome),
            };
        }
        outcome
    }

    fn check<I: Element, O: Element>(&self, input: &GpuArray<I>, output: &GpuArray<O>) -> Result<()> {
        let storage = self.recipe.problem().storage();
        check_part::<I>("input", self.recipe.input(), storage, input.len(), self.input_len())?;
        check_part::<O>("output", self.recipe.output(), storage, output.len(), self.output_len())?;
        let queue = self.device.raw_queue();
        if input.device().raw_queue() == queue && output.device().raw_queue() == queue {
            return Ok(());
        }
        let message = "an array belongs to another queue than the plan: `move_to` takes it there";
        Err(Error::new(ErrorKind::Argument, message.to_owned()))
    }
}

/// An execution.
struct Run<'a, E: Exchange<Memory = GpuMemory>> {
    id: PlanId,
    /// The number of exchanges up to now, which is the same on all ranks. That of steps is not: only some ranks
    /// may have copies between.
    exchanges: usize,
    /// Whether the ranks have not agreed about an exchange, so that all of them end.
    is_over: bool,
    exchange: &'a E,
    /// Absent if the arguments were wrong.
    arrays: Option<Arrays<'a>>,
    scratch: &'a mut GpuScratch,
    beside: &'a Device,
    received: &'a mut usize,
}

impl<E: Exchange<Memory = GpuMemory>> Run<'_, E> {
    /// Does a step, if there was no error before. Other ranks learn of an error at an exchange.
    fn step(&mut self, step: &mut PlannedStep<E::Route>, outcome: Result<()>) -> Result<()> {
        let ends = [step.from, step.to];
        match &mut step.action {
            StepAction::Exchange { routes, .. } => {
                routes.iter_mut().fold(outcome, |outcome, route| self.exchange(ends, route, outcome, None))
            }
            StepAction::Pass(parts) => {
                parts.iter().fold(outcome, |outcome, part| outcome.and_then(|()| self.part(ends, part)))
            }
            StepAction::Copy(copies) => outcome.and_then(|()| {
                let arrays = self.arrays.as_mut().expect("no error has come before");
                let source = arrays.array(ends[0]).share()?;
                copies.iter().try_for_each(|copy| arrays.array(ends[1]).copy_box(&source, copy))
            }),
        }
    }

    /// Does the parts of a pass. The exchange of each begins when it is there, on the other queue.
    fn overlapped(
        &mut self,
        pass: &mut PlannedStep<E::Route>,
        exchange: &mut PlannedStep<E::Route>,
        mut outcome: Result<()>,
    ) -> Result<()> {
        let (ends, ends_after) = ([pass.from, pass.to], [exchange.from, exchange.to]);
        let (StepAction::Pass(parts), StepAction::Exchange { routes, .. }) = (&pass.action, &mut exchange.action)
        else {
            unreachable!("parts of a pass are sent by the next step");
        };
        let beside = self.beside;
        for (part, route) in parts.iter().zip(routes) {
            outcome = outcome.and_then(|()| self.part(ends, part));
            outcome = self.exchange(ends_after, route, outcome, Some(beside));
        }
        let queue = self.scratch.device().clone();
        outcome.and_then(|()| queue.wait_for(beside))
    }

    /// Does a part of a pass.
    fn part(&mut self, [from, to]: [ArrayId; 2], part: &PlannedPart) -> Result<()> {
        let Some(plan) = &part.plan else { return Ok(()) };
        let arrays = self.arrays.as_mut().expect("no error has come before");
        if from == to {
            return plan.execute_memory_with(None, arrays.array(to), self.scratch);
        }
        let after = |memory: &GpuMemory, start: usize| memory.part(start, memory.bytes() - start);
        let source = after(arrays.array(from), part.starts[0])?;
        plan.execute_memory_with(Some(&source), &mut after(arrays.array(to), part.starts[1])?, self.scratch)
    }

    /// Takes part in an exchange on the queue of `beside`, or on the plan's, if all ranks agree.
    fn exchange(
        &mut self,
        [from, to]: [ArrayId; 2],
        route: &mut E::Route,
        outcome: Result<()>,
        beside: Option<&Device>,
    ) -> Result<()> {
        if self.is_over {
            return outcome;
        }
        let ready = outcome.and_then(|()| {
            let arrays = self.arrays.as_mut().expect("no error has come before");
            let ends = [arrays.array(from).share()?, arrays.array(to).share()?];
            let Some(beside) = beside else { return Ok(ends) };
            beside.wait_for(ends[0].device())?;
            Ok([ends[0].seen_from(beside)?, ends[1].seen_from(beside)?])
        });
        let agreed = self.exchange.agree(if ready.is_ok() { self.id.exchange(self.exchanges) } else { REFUSED });
        self.is_over = agreed.is_err();
        let [source, mut target] = ready?;
        agreed?;
        self.exchange.exchange(route, &source, &mut target).map(|bytes| *self.received += bytes)
    }
}
