//! Makes the plans of a recipe's steps on one rank.

use crate::distribution::block;
use crate::exchange::host::HostExchange;
use crate::exchange::line_reordering::ends;
use crate::exchange::moves::{MessagePart, Moves};
use crate::exchange::region::{Region, strides};
use crate::exchange::reordering::pieces;
use crate::plan::line_problem::line_problem;
use crate::plan::planned_step::{PlannedCut, PlannedPart, PlannedStep};
use crate::plan::twiddles::{pair_factors, row_factors, twiddles};
use crate::recipe::arrays::ArrayDesc;
use crate::recipe::cuts::Cut;
use crate::recipe::recipe::Recipe;
use crate::recipe::reorder::Reorder;
use crate::recipe::step::{Action, PassOp, Step};
use fourfold::engine::{AxisTransform, EndWeights};
use fourfold::{Domain, Error, ErrorKind, Multiplier, Pipeline, Problem, Result};
use std::ops::Range;
use std::sync::Arc;

/// The factors of a filter on one rank, for the ranges of indices that it has.
pub type Factors<'a> = &'a dyn Fn(&[Range<usize>]) -> Multiplier;

/// What the steps of one rank are made from.
pub(crate) struct Preparation<'a, E> {
    pub(crate) core: &'a fourfold::Planner,
    pub(crate) exchange: &'a E,
    pub(crate) recipe: &'a Recipe,
    pub(crate) factors: Option<Factors<'a>>,
    /// The number of parts of exchanges that are cut.
    pub(crate) parts: usize,
    /// These exchanges.
    pub(crate) cuts: Vec<Cut>,
}

impl<E: HostExchange> Preparation<'_, E> {
    /// The steps.
    ///
    /// # Errors
    /// If the recipe and the factors do not fit each other, or if there is no memory.
    pub(crate) fn steps(&self) -> Result<Vec<PlannedStep<E::Route>>> {
        let passes = RankPasses::new(self.recipe, self.exchange.rank(), self.factors)?;
        (0..self.recipe.steps().len()).map(|i| self.step(&passes, i)).collect()
    }

    fn step(&self, passes: &RankPasses<'_>, i: usize) -> Result<PlannedStep<E::Route>> {
        let (recipe, rank) = (self.recipe, self.exchange.rank());
        let before = &recipe.arrays()[i];
        match &recipe.steps()[i].action {
            Action::Negate { count, odd_rows } => {
                let columns = before.ranges(recipe.grid(), rank)[1].clone();
                let width = before.shape[1];
                // The last row may have fewer elements that change.
                let last = (count % width).clamp(columns.start, columns.end) - columns.start;
                let reals = count / width * columns.len() + last;
                let rows = if *odd_rows { before.shape[0] } else { 1 };
                Ok(PlannedStep::Negate { reals, rows, columns: before.elements(recipe.grid(), rank) / rows })
            }
            Action::Reflect => Ok(self.reflect(before)),
            Action::WeighEnds => Ok(PlannedStep::Weigh { places: self.weights(before) }),
            Action::MultiplyRows => {
                let signal = recipe.subject().long_signal().expect("only long signals have this step");
                let factors = row_factors(signal, recipe.subject().matrix())?;
                Ok(PlannedStep::MultiplyRows { factors, columns: passes.lengths(before)[1] })
            }
            Action::Exchange { reorder, .. } => self.exchange(i, *reorder),
            Action::Pass { .. } => self.pass(passes, i),
        }
    }

    /// Exchange `i`, in parts if it is cut.
    fn exchange(&self, i: usize, reorder: Option<Reorder>) -> Result<PlannedStep<E::Route>> {
        let (recipe, rank) = (self.recipe, self.exchange.rank());
        let ends = [&recipe.arrays()[i], &recipe.arrays()[i + 1]];
        let cut = self.cuts.iter().find(|cut| cut.before.end == i);
        let parts = if cut.is_some() { self.parts } else { 1 };
        let (mut bytes_sent, mut routes) = (0, vec![]);
        for number in 0..parts {
            let part = cut.map(|cut| MessagePart { axis: 0, side: cut.side, number, parts });
            let pieces = reorder.map(|reorder| pieces(reorder, recipe.subject()));
            let moves = Moves::new(ends, pieces, part, recipe.problem().precision(), recipe.grid(), rank);
            bytes_sent += moves.bytes_sent();
            routes.push(self.exchange.route(moves)?);
        }
        let blocks = |(side, steps): (usize, &Range<usize>)| -> Vec<Range<usize>> {
            let blocks = (0..parts).map(|number| self.block(ends[side], Some((parts, number))).1);
            if steps.is_empty() { vec![] } else { blocks.collect() }
        };
        let cut = cut.map(|cut| PlannedCut {
            before: cut.before.clone(),
            after: cut.after.clone(),
            blocks: [blocks((0, &cut.before)), blocks((1, &cut.after))],
        });
        Ok(PlannedStep::Exchange { bytes_sent, routes, cut })
    }

    /// Pass `i`, in parts if it is beside an exchange that is cut.
    fn pass(&self, passes: &RankPasses<'_>, i: usize) -> Result<PlannedStep<E::Route>> {
        let ends = [&self.recipe.arrays()[i], &self.recipe.arrays()[i + 1]];
        let strides = ends.map(|array| strides(&passes.lengths(array), &array.order));
        let is_c_order = ends.map(|array| array.order.is_sorted());
        let strides = [0, 1].map(|side| (!is_c_order[side]).then_some(&strides[side][..]));
        let is_cut = self.cuts.iter().any(|cut| cut.before.contains(&i) || cut.after.contains(&i));
        let parts = if is_cut { self.parts } else { 1 };
        let mut planned: Vec<PlannedPart> = vec![];
        for number in 0..parts {
            let part = is_cut.then_some((parts, number));
            let [(length, from), (_, to)] = ends.map(|array| self.block(array, part));
            let elements = [0, 1].map(|side| [&from, &to][side].len() / self.element(ends[side]));
            let starts = [from.start, to.start];
            // Blocks have two lengths at most.
            let plan = match planned.iter().find(|known| known.length == length) {
                Some(known) => known.plan.clone(),
                None => {
                    let pipeline = passes.pipeline(i..i + 1, part.map(|_| (0, length)), strides)?;
                    pipeline.map(|pipeline| self.core.plan(pipeline).map(Arc::new)).transpose()?
                }
            };
            planned.push(PlannedPart { plan, length, starts, elements });
        }
        Ok(PlannedStep::Pass { parts: planned, domains: ends.map(|array| array.domain) })
    }

    /// The bytes of an element.
    fn element(&self, array: &ArrayDesc) -> usize {
        self.recipe.problem().precision().bytes() * array.domain.reals()
    }

    /// The length along axis 0 of a block of this rank's part, and its bytes. It is block `number` of so many
    /// along that axis, or the whole part.
    fn block(&self, array: &ArrayDesc, part: Option<(usize, usize)>) -> (usize, Range<usize>) {
        let ranges = array.ranges(self.recipe.grid(), self.exchange.rank());
        let bytes = ranges[1..].iter().map(Range::len).product::<usize>() * self.element(array);
        let rows = part.map_or(0..ranges[0].len(), |(parts, number)| block(ranges[0].len(), parts, number));
        (rows.len(), rows.start * bytes..rows.end * bytes)
    }

    /// The terms k₁ + N₁k₂ > N/2 of this rank's rows, where k₁ is stored as the faster index.
    fn reflect(&self, terms: &ArrayDesc) -> PlannedStep<E::Route> {
        let [rows, columns] = self.recipe.subject().matrix();
        let k1 = terms.ranges(self.recipe.grid(), self.exchange.rank())[0].clone();
        let last = rows * columns / 2;
        let kept = (last % rows + 1).clamp(k1.start, k1.end) - k1.start;
        let parts = terms.domain.reals();
        let reals = parts * (last / rows * k1.len() + kept)..parts * columns * k1.len();
        PlannedStep::Reflect { reals, parts }
    }

    /// The ends of the signal or of the terms that this rank has, with their weights.
    fn weights(&self, array: &ArrayDesc) -> Vec<(usize, f64)> {
        let subject = self.recipe.subject();
        let matrix @ [rows, columns] = subject.matrix();
        let weights = subject.long_signal().map_or(EndWeights::ONE, |signal| signal.transforms()[0].end_weights);
        let last = rows * columns / 2;
        let (places, weights) = if array.order.is_sorted() {
            let places = ends(matrix.map(|length| length as isize)).map(|place| place.map(isize::unsigned_abs));
            (places, [weights.input_first, weights.input_last])
        } else {
            ([[0, 0], [last % rows, last / rows]], [weights.output_first, weights.output_last])
        };
        let part = array.ranges(self.recipe.grid(), self.exchange.rank());
        let of_rank = |place: [usize; 2]| {
            let is_there = (0..2).all(|axis| part[axis].contains(&place[axis]));
            let region = is_there.then(|| Region::new(&place.map(|i| i..i + 1), &part, &array.order))??;
            Some(region.offset)
        };
        places.into_iter().zip(weights).filter_map(|(place, weight)| Some((of_rank(place)?, weight))).collect()
    }
}

/// The passes of a recipe on one rank, as problems for an engine.
pub struct RankPasses<'a> {
    recipe: &'a Recipe,
    rank: usize,
    factors: Option<Factors<'a>>,
}

impl<'a> RankPasses<'a> {
    /// The passes of `rank`, with its factors if the recipe is that of a filter.
    ///
    /// # Errors
    /// If a filter has no factors, or if another recipe has some; for arrays of 16 bits, which every
    /// pass between ranks would round.
    pub fn new(recipe: &'a Recipe, rank: usize, factors: Option<Factors<'a>>) -> Result<RankPasses<'a>> {
        let storage = recipe.problem().storage();
        if storage.is_half() {
            let message = format!("arrays of {} are not divided among ranks: use f32", storage.name());
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        let is_filter = recipe.subject().is_filter();
        if is_filter == factors.is_some() {
            return Ok(RankPasses { recipe, rank, factors });
        }
        let wanted = if is_filter { "needs" } else { "takes no" };
        Err(Error::new(ErrorKind::Argument, format!("`{}` {wanted} factors", recipe.subject())))
    }

    /// The lengths of this rank's part of an array.
    fn lengths(&self, array: &ArrayDesc) -> Vec<usize> {
        array.ranges(self.recipe.grid(), self.rank).iter().map(Range::len).collect()
    }

    /// The elements that step `i` reads. Passes that are sums of reals may have complex ones, and then act on
    /// both of their parts.
    pub fn input_domain(&self, i: usize) -> Domain {
        self.recipe.arrays()[i].domain
    }

    /// What this rank computes in these steps, which are passes. Several have one transform each, as those
    /// that [`packed_steps`](crate::exchange::packed::packed_steps) puts together. `block` is an axis, and
    /// how much of its length is computed; no step then multiplies. Without strides, its arrays are in C
    /// order. `None` if the rank has nothing.
    ///
    /// # Errors
    /// If the factors do not fit, or if there is no memory for them.
    pub fn pipeline(
        &self,
        steps: Range<usize>,
        block: Option<(usize, usize)>,
        strides: [Option<&[isize]>; 2],
    ) -> Result<Option<Pipeline<'static>>> {
        let mut shape = self.lengths(&self.recipe.arrays()[steps.start]);
        if let Some((axis, length)) = block {
            shape[axis] = length;
        }
        if shape.contains(&0) {
            return Ok(None);
        }
        let ops: Vec<_> = self.recipe.steps()[steps.clone()].iter().flat_map(pass_ops).collect();
        let mut pipeline = Pipeline::new();
        if steps.len() > 1 {
            let transforms: Vec<_> = ops.iter().filter_map(PassOp::transform).collect();
            let Some((stage, _)) = transforms.first() else { return Ok(None) };
            let mut together: Vec<_> = transforms.iter().map(|(_, transform)| *transform).collect();
            together.sort_by_key(|transform| transform.axis);
            return Ok(Some(pipeline.transform(self.line(steps.end, *stage, &together, &shape, strides)?)));
        }
        let is_transform = |op: &PassOp| op.transform().is_some();
        let ends = [ops.iter().position(is_transform), ops.iter().rposition(is_transform)];
        for (number, op) in ops.iter().enumerate() {
            pipeline = match op {
                PassOp::Multiply => pipeline.multiply(self.multiplier(&steps, number)?),
                PassOp::Transform { stage, transform } => {
                    let [input, output] = [0, 1].map(|side| strides[side].filter(|_| ends[side] == Some(number)));
                    pipeline.transform(self.line(steps.end, *stage, &[*transform], &shape, [input, output])?)
                }
            };
        }
        Ok(Some(pipeline))
    }

    /// The problem of transforms on this rank, whose part has the lengths `shape` along other axes. Step
    /// `end` comes next.
    fn line(
        &self,
        end: usize,
        stage: usize,
        transforms: &[AxisTransform],
        shape: &[usize],
        strides: [Option<&[isize]>; 2],
    ) -> Result<Problem> {
        let problem = &self.recipe.subject().stages()[stage];
        let belongs = |op: PassOp| op.transform().is_some_and(|(other, _)| other == stage);
        let is_last = !self.recipe.steps()[end..].iter().flat_map(pass_ops).any(belongs);
        let mut shape = shape.to_vec();
        transforms.iter().for_each(|transform| shape[transform.axis] = transform.n);
        line_problem(problem, transforms, &shape, if is_last { problem.scale() } else { 1.0 }, strides)
    }

    /// The factors of this rank for a multiply, of which the pass computes `number` transforms before.
    fn multiplier(&self, steps: &Range<usize>, number: usize) -> Result<Multiplier> {
        if let Some(signal) = self.recipe.subject().long_signal().filter(|_| self.recipe.subject().is_real_signal()) {
            let ends = [&self.recipe.arrays()[steps.start], &self.recipe.arrays()[steps.end]];
            let ranges = ends[number.min(1)].ranges(self.recipe.grid(), self.rank);
            let is_of_rows = matches!(&self.recipe.steps()[steps.start].action, Action::Pass { axis: 1, .. });
            let matrix = self.recipe.subject().matrix();
            return if is_of_rows {
                pair_factors(signal, matrix[0], &ranges)
            } else {
                twiddles(signal, matrix, &ranges)
            };
        }
        let multiplied = self.recipe.multiplied().expect("the recipe multiplies");
        let ranges = multiplied.ranges(self.recipe.grid(), self.rank);
        let subject = self.recipe.subject();
        match (subject.long_signal(), self.factors) {
            (Some(signal), _) => twiddles(signal, subject.matrix(), &ranges),
            (None, Some(factors)) => {
                let axes = subject.stages()[0].output().shape.len();
                Ok(with_unit_axis(factors(&ranges[..axes]), ranges.len()))
            }
            (None, None) => unreachable!("the factors have been checked"),
        }
    }
}

/// The steps of a pass; none of an exchange.
fn pass_ops(step: &Step) -> impl Iterator<Item = PassOp> {
    let ops = if let Action::Pass { ops, .. } = &step.action { &ops[..] } else { &[] };
    ops.iter().copied()
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
