//! Executes the steps of a plan on one rank.

use crate::exchange::agreement::REFUSED;
use crate::exchange::host::{HostExchange, PartPasses};
use crate::plan::in_place::in_place;
use crate::plan::memory::{Arrays, Ends, elements, elements_mut};
use crate::plan::plan_id::PlanId;
use crate::plan::planned_step::{PlannedCut, PlannedPart, PlannedStep};
use crate::recipe::recipe::Recipe;
use fourfold::engine::ArrayId;
use fourfold::{Domain, Element, Precision, Result, Scratch};
use num_complex::Complex;

/// The steps that an execution does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// The passes, without exchanges.
    Passes,
    /// The exchanges, without passes.
    Exchanges,
}

/// An execution.
pub(crate) struct Run<'a, E> {
    pub(crate) id: PlanId,
    pub(crate) recipe: &'a Recipe,
    pub(crate) exchange: &'a E,
    pub(crate) arrays: Arrays<'a>,
    pub(crate) scratch: &'a mut Option<Scratch>,
    pub(crate) received: &'a mut usize,
}

impl<E: HostExchange> Run<'_, E> {
    /// Does the steps, or only some of them. After an error, the next exchange is an error on all ranks,
    /// and none goes on.
    pub(crate) fn steps(
        &mut self,
        steps: &mut [PlannedStep<E::Route>],
        mut outcome: Result<()>,
        only: Option<Only>,
    ) -> Result<()> {
        let mut next = 0;
        while next < steps.len() {
            let i = next;
            next += 1;
            let is_exchange = matches!(steps[i], PlannedStep::Exchange { .. });
            if only == Some(if is_exchange { Only::Passes } else { Only::Exchanges }) {
                continue;
            }
            if let Some((exchange, end)) = beside(steps, i).filter(|_| only.is_none()) {
                self.agree(exchange, outcome)?;
                outcome = self.in_parts(steps, exchange, true);
                next = end;
            } else if is_exchange {
                self.agree(i, outcome)?;
                outcome = self.whole(steps, i);
            } else {
                outcome = outcome.and_then(|()| self.local(i, &steps[i]));
            }
        }
        outcome
    }

    /// Agrees with all ranks about the exchange that comes next, if there was no error before.
    fn agree(&self, step: usize, outcome: Result<()>) -> Result<()> {
        let agreed = self.exchange.agree(if outcome.is_ok() { self.id.exchange(step) } else { REFUSED });
        outcome.and(agreed)
    }

    /// Does an exchange without passes beside it.
    fn whole(&mut self, steps: &mut [PlannedStep<E::Route>], i: usize) -> Result<()> {
        let step = &self.recipe.steps()[i];
        match &mut steps[i] {
            PlannedStep::Exchange { routes, cut: None, .. } => {
                let Ends::Two(from, to) = self.arrays.ends(step.from, step.to) else {
                    unreachable!("exchanges have two memories")
                };
                *self.received += self.exchange.exchange(&mut routes[0], from, to)?;
                Ok(())
            }
            _ => self.in_parts(steps, i, false),
        }
    }

    /// Does an exchange in parts, with or without the passes beside it.
    fn in_parts(&mut self, steps: &mut [PlannedStep<E::Route>], i: usize, computes: bool) -> Result<()> {
        let (before, rest) = steps.split_at_mut(i);
        let Some((PlannedStep::Exchange { routes, cut: Some(cut), .. }, after)) = rest.split_first_mut() else {
            unreachable!("this step is an exchange in parts")
        };
        let passes = [&before[cut.before.clone()], &after[..cut.after.len()]];
        let (recipe, precision) = (self.recipe, self.recipe.problem().precision());
        let first = &recipe.steps()[cut.before.start];
        let (input, from, to) = self.arrays.exchanged(recipe.steps()[i].from);
        let scratch = &mut *self.scratch;
        let mut compute = |side: usize, part: usize, block: &mut [u8]| {
            for (number, step) in passes[side].iter().enumerate() {
                let PlannedStep::Pass { parts, domains } = step else { unreachable!("only passes are in parts") };
                let reads_input = side == 0 && number == 0 && first.from == ArrayId::Input;
                let ends = if reads_input {
                    Ends::Two(&input[parts[part].starts[0]..], &mut *block)
                } else {
                    Ends::InPlace(&mut *block)
                };
                pass(&parts[part], ends, (*domains, precision), scratch)?;
            }
            Ok(())
        };
        let blocks = cut.blocks.each_ref().map(|blocks| if computes { &blocks[..] } else { &[] });
        let mut passes = PartPasses::new(blocks, &mut compute);
        *self.received += self.exchange.exchange_in_parts(routes, from, to, &mut passes)?;
        Ok(())
    }

    /// Does a step that sends nothing.
    fn local(&mut self, i: usize, planned: &PlannedStep<E::Route>) -> Result<()> {
        let (step, precision) = (&self.recipe.steps()[i], self.recipe.problem().precision());
        let PlannedStep::Pass { parts, domains } = planned else {
            match self.arrays.ends(step.from, step.to) {
                Ends::InPlace(data) => in_place(planned, data, precision),
                Ends::Two(..) => unreachable!("these steps are in place"),
            }
            return Ok(());
        };
        for part in parts {
            let ends = match self.arrays.ends(step.from, step.to) {
                Ends::Two(from, to) => Ends::Two(&from[part.starts[0]..], &mut to[part.starts[1]..]),
                Ends::InPlace(data) => Ends::InPlace(&mut data[part.starts[1]..]),
            };
            pass(part, ends, (*domains, precision), self.scratch)?;
        }
        Ok(())
    }
}

/// The exchange in parts that is done with step `i`, if that is the first of its steps, and the step after
/// them.
fn beside<R>(steps: &[PlannedStep<R>], i: usize) -> Option<(usize, usize)> {
    let first = steps[i..].iter().position(|step| matches!(step, PlannedStep::Exchange { .. }))?;
    let PlannedStep::Exchange { cut: Some(PlannedCut { before, after, .. }), .. } = &steps[i + first] else {
        return None;
    };
    (before.start == i).then_some((i + first, after.end))
}

/// Computes a part of a pass. A rank that has nothing of it has no plan.
fn pass(
    part: &PlannedPart,
    ends: Ends<'_>,
    (domains, precision): ([Domain; 2], Precision),
    scratch: &mut Option<Scratch>,
) -> Result<()> {
    use Domain::{Complex as Pairs, Real};
    let (Some(plan), Some(scratch)) = (&part.plan, scratch) else { return Ok(()) };
    let counts = part.elements;
    match (precision, domains) {
        (Precision::F32, [Real, Real]) => typed_pass::<f32, f32>(plan, ends, counts, scratch),
        (Precision::F64, [Real, Real]) => typed_pass::<f64, f64>(plan, ends, counts, scratch),
        (Precision::F32, [Real, Pairs]) => typed_pass::<f32, Complex<f32>>(plan, ends, counts, scratch),
        (Precision::F64, [Real, Pairs]) => typed_pass::<f64, Complex<f64>>(plan, ends, counts, scratch),
        (Precision::F32, [Pairs, Real]) => typed_pass::<Complex<f32>, f32>(plan, ends, counts, scratch),
        (Precision::F64, [Pairs, Real]) => typed_pass::<Complex<f64>, f64>(plan, ends, counts, scratch),
        (Precision::F32, [Pairs, Pairs]) => typed_pass::<Complex<f32>, Complex<f32>>(plan, ends, counts, scratch),
        (Precision::F64, [Pairs, Pairs]) => typed_pass::<Complex<f64>, Complex<f64>>(plan, ends, counts, scratch),
    }
}

fn typed_pass<I: Element, O: Element>(
    plan: &fourfold::Plan,
    ends: Ends<'_>,
    counts: [usize; 2],
    scratch: &mut Scratch,
) -> Result<()> {
    match ends {
        Ends::Two(from, to) => {
            plan.execute_with(elements::<I>(from, counts[0]), elements_mut::<O>(to, counts[1]), scratch)
        }
        Ends::InPlace(data) => plan.execute_in_place_with(elements_mut::<O>(data, counts[1]), scratch),
    }
}
