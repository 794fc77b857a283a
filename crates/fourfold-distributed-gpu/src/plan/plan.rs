//! Plans of ranks with parts on devices.

use fourfold::engine::ArrayId;
use fourfold::{Element, Error, ErrorKind, Result};
use fourfold_distributed::engine::{PackedStep, check_part};
use fourfold_distributed::{Exchange, Only, Recipe};
use fourfold_gpu::{BoxCopy, Device, GpuArray, GpuMemory, GpuPlan, GpuScratch};
use std::ops::Range;

/// The executable form of a recipe on one rank with a device. It owns its work array, and the exchanges
/// take part in those of all ranks, so executions need the plan exclusively.
pub struct RankPlan<E: Exchange<Memory = GpuMemory>> {
    recipe: Recipe,
    exchange: E,
    device: Device,
    steps: Vec<PlannedStep<E::Route>>,
    work: GpuMemory,
    scratch: GpuScratch,
    /// The elements that an execution needs at both ends.
    lengths: [usize; 2],
    received: usize,
}

/// The executable form of a step.
pub(crate) struct PlannedStep<R> {
    pub(crate) from: ArrayId,
    pub(crate) to: ArrayId,
    pub(crate) work: StepAction<R>,
}

/// What a step does.
pub(crate) enum StepAction<R> {
    /// A pass. There is no plan where the rank has nothing.
    Pass(Option<Box<GpuPlan>>),
    /// Copies between the part of the rank and its messages.
    Copy(Vec<BoxCopy>),
    /// An exchange, with the bytes that this rank sends.
    Exchange { bytes_sent: usize, route: R },
}

impl<R> PlannedStep<R> {
    fn pass(&self) -> Option<&GpuPlan> {
        if let StepAction::Pass(plan) = &self.work { plan.as_deref() } else { None }
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
        let largest = steps.iter().filter_map(PlannedStep::pass).max_by_key(|plan| plan.scratch_bytes());
        let scratch = match largest {
            Some(plan) => plan.scratch(&device)?,
            None => device.scratch(0)?,
        };
        let element = recipe.problem().precision().bytes() * recipe.output().domain.reals();
        let output = most(&|id| id == ArrayId::Output).div_ceil(element);
        let lengths = [recipe.input().elements(recipe.grid(), exchange.rank()), output];
        Ok(RankPlan { recipe, exchange, device, steps, work, scratch, lengths, received: 0 })
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The plans of this rank's passes, in order. A rank that has nothing has none.
    pub fn passes(&self) -> impl Iterator<Item = &GpuPlan> {
        self.steps.iter().filter_map(PlannedStep::pass)
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

    /// The number of copies to and from the places of messages, which are trips through memory beside
    /// the passes.
    pub fn copies(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step.work, StepAction::Copy(_))).count()
    }

    /// The bytes that this rank sends to others in each exchange.
    pub fn bytes_sent(&self) -> Vec<usize> {
        let sent = |step: &PlannedStep<_>| match step.work {
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
        let RankPlan { exchange, steps, work, scratch, received, .. } = self;
        let (mut outcome, mut arrays) = match ends {
            Ok((input, output)) => (Ok(()), Some(Arrays { input, output, work })),
            Err(error) => (Err(error), None),
        };
        for PlannedStep { from, to, work } in steps {
            let is_exchange = matches!(work, StepAction::Exchange { .. });
            if only.is_some_and(|only| (only == Only::Exchanges) != is_exchange) {
                continue;
            }
            match (work, arrays.as_mut().filter(|_| outcome.is_ok())) {
                (StepAction::Exchange { route, .. }, None) => exchange.refuse(route),
                (_, None) => {}
                (work, Some(arrays)) => outcome = step(exchange, work, [*from, *to], arrays, scratch, received),
            }
        }
        outcome
    }

    fn check<I: Element, O: Element>(&self, input: &GpuArray<I>, output: &GpuArray<O>) -> Result<()> {
        let precision = self.recipe.problem().precision();
        check_part::<I>("input", self.recipe.input(), precision, input.len(), self.input_len())?;
        check_part::<O>("output", self.recipe.output(), precision, output.len(), self.output_len())?;
        let queue = self.device.raw_queue();
        if input.device().raw_queue() == queue && output.device().raw_queue() == queue {
            return Ok(());
        }
        let message = "an array belongs to another queue than the plan: `move_to` takes it there";
        Err(Error::new(ErrorKind::Argument, message.to_owned()))
    }
}

/// Does a step. An exchange in which this rank cannot take part is refused.
fn step<E: Exchange<Memory = GpuMemory>>(
    exchange: &E,
    work: &mut StepAction<E::Route>,
    [from, to]: [ArrayId; 2],
    arrays: &mut Arrays<'_>,
    scratch: &mut GpuScratch,
    received: &mut usize,
) -> Result<()> {
    let source = arrays.array(from).share();
    let target = arrays.array(to);
    match work {
        StepAction::Pass(None) => Ok(()),
        StepAction::Pass(Some(plan)) if from == to => plan.execute_memory_with(None, target, scratch),
        StepAction::Pass(Some(plan)) => plan.execute_memory_with(Some(&source?), target, scratch),
        StepAction::Copy(copies) => {
            let source = source?;
            copies.iter().try_for_each(|copy| target.copy_box(&source, copy))
        }
        StepAction::Exchange { route, .. } => match source {
            Ok(source) => exchange.exchange(route, &source, target).map(|bytes| *received += bytes),
            Err(error) => {
                exchange.refuse(route);
                Err(error)
            }
        },
    }
}
