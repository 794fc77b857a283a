//! Makes the plans of a recipe's steps on one rank.

use crate::exchange::exchange::Exchange;
use crate::exchange::moves::Moves;
use crate::plan::line_problem::line_problem;
use crate::plan::plan::PlannedStep;
use crate::plan::twiddles::twiddles;
use crate::recipe::arrays::ArrayDesc;
use crate::recipe::recipe::Recipe;
use crate::recipe::step::{Action, PassOp, Step};
use fourfold::engine::AxisTransform;
use fourfold::{Error, ErrorKind, Multiplier, Pipeline, Problem, Result};
use std::ops::Range;

/// The factors of a filter on one rank, for the ranges of indices that it has.
pub(crate) type Factors<'a> = &'a dyn Fn(&[Range<usize>]) -> Multiplier;

/// What the steps of one rank are made from.
pub(crate) struct Preparation<'a, E> {
    pub(crate) core: &'a fourfold::Planner,
    pub(crate) exchange: &'a E,
    pub(crate) recipe: &'a Recipe,
    pub(crate) factors: Option<Factors<'a>>,
}

impl<E: Exchange> Preparation<'_, E> {
    /// The steps.
    ///
    /// # Errors
    /// If the recipe and the factors do not fit each other, or if there is no memory.
    pub(crate) fn steps(&self) -> Result<Vec<PlannedStep<E::Route>>> {
        let is_filter = self.recipe.subject().is_filter();
        if is_filter != self.factors.is_some() {
            let wanted = if is_filter { "needs" } else { "takes no" };
            let message = format!("`{}` {wanted} factors", self.recipe.subject());
            return Err(Error::new(ErrorKind::Argument, message));
        }
        (0..self.recipe.steps().len()).map(|i| self.step(i)).collect()
    }

    fn step(&self, i: usize) -> Result<PlannedStep<E::Route>> {
        let (recipe, rank) = (self.recipe, self.exchange.rank());
        let (before, after) = (&recipe.arrays()[i], &recipe.arrays()[i + 1]);
        match &recipe.steps()[i].action {
            Action::Exchange { .. } => {
                let moves = Moves::new(before, after, recipe.problem().precision(), recipe.grid(), rank);
                Ok(PlannedStep::Exchange { bytes_sent: moves.bytes_sent(), route: self.exchange.route(moves)? })
            }
            Action::Pass { ops, .. } => {
                let elements = [before, after].map(|array| array.elements(recipe.grid(), rank));
                let domains = [before.domain, after.domain];
                let plan = if elements[0] == 0 { None } else { Some(Box::new(self.pass(i, before, after, ops)?)) };
                Ok(PlannedStep::Pass { plan, elements, domains })
            }
        }
    }

    /// The plan of pass `i` on a rank that has something of the array.
    fn pass(&self, i: usize, before: &ArrayDesc, after: &ArrayDesc, ops: &[PassOp]) -> Result<fourfold::Plan> {
        let (grid, rank) = (self.recipe.grid(), self.exchange.rank());
        let lengths = |array: &ArrayDesc| array.ranges(grid, rank).iter().map(Range::len).collect::<Vec<_>>();
        let (shape, written) = (lengths(before), strides(&lengths(after), &after.order));
        let is_last = |op: &PassOp| ops.last() == Some(op);
        let mut pipeline = Pipeline::new();
        for op in ops {
            pipeline = match op {
                PassOp::Multiply => pipeline.multiply(self.multiplier()?),
                PassOp::Transform { stage, transform } => {
                    let output = (is_last(op) && after.order != before.order).then_some(&written[..]);
                    pipeline.transform(self.line(i, *stage, transform, &shape, output)?)
                }
            };
        }
        self.core.plan(pipeline)
    }

    /// The problem of a transform on this rank, whose part has the lengths `shape` along other axes.
    fn line(
        &self,
        i: usize,
        stage: usize,
        transform: &AxisTransform,
        shape: &[usize],
        output: Option<&[isize]>,
    ) -> Result<Problem> {
        let problem = &self.recipe.subject().stages()[stage];
        let belongs = |op: &PassOp| matches!(op, PassOp::Transform { stage: other, .. } if *other == stage);
        let in_step = |step: &Step| matches!(&step.action, Action::Pass { ops, .. } if ops.iter().any(belongs));
        let is_last = !self.recipe.steps()[i + 1..].iter().any(in_step);
        let mut shape = shape.to_vec();
        shape[transform.axis] = transform.n;
        line_problem(problem, transform, &shape, if is_last { problem.scale() } else { 1.0 }, output)
    }

    /// The factors of this rank.
    fn multiplier(&self) -> Result<Multiplier> {
        let multiplied = self.recipe.multiplied().expect("the recipe multiplies");
        let ranges = multiplied.ranges(self.recipe.grid(), self.exchange.rank());
        let subject = self.recipe.subject();
        match (subject.long_signal(), self.factors) {
            (Some(signal), _) => twiddles(signal, &ranges),
            (None, Some(factors)) => {
                let axes = subject.stages()[0].output().shape.len();
                Ok(with_unit_axis(factors(&ranges[..axes]), ranges.len()))
            }
            (None, None) => unreachable!("the factors have been checked"),
        }
    }
}

/// The factors with lists for all axes of the array, of which the last one may be of length 1.
fn with_unit_axis(multiplier: Multiplier, axes: usize) -> Multiplier {
    let is_short = |lists: usize| (lists, axes) == (1, 2);
    match multiplier {
        Multiplier::Separable(mut lists) if is_short(lists.len()) => {
            lists.push(vec![1.0]);
            Multiplier::Separable(lists)
        }
        Multiplier::ComplexSeparable(mut lists) if is_short(lists.len()) => {
            lists.push(vec![1.0.into()]);
            Multiplier::ComplexSeparable(lists)
        }
        Multiplier::ReciprocalSum(mut lists) if is_short(lists.len()) => {
            lists.push(vec![0.0]);
            Multiplier::ReciprocalSum(lists)
        }
        other => other,
    }
}

/// The strides of an array of these lengths, whose axes are stored in `order` without gaps.
fn strides(lengths: &[usize], order: &[usize]) -> Vec<isize> {
    let mut strides = vec![0; lengths.len()];
    order.iter().rev().fold(1, |stride, &axis| {
        strides[axis] = stride as isize;
        stride * lengths[axis]
    });
    strides
}
