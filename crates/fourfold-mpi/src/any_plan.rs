//! Plans of both engines, and of all ways to exchange.

use crate::args::{Division, Messages, Parts};
use anyhow::Result;
use fourfold::oracle::verify::Data;
use fourfold_distributed::engine::Factors;
use fourfold_distributed::{Exchange, Only, Plan, Planner, Recipe};
use fourfold_distributed_gpu::{NcclRank, RankPlan, RankPlanner};
use fourfold_gpu::{Device, GpuMemory, GpuPlanner};
use fourfold_mpi::{MpiDeviceRank, MpiRank};
use std::ops::Range;
use std::time::Instant;

/// Evaluates `$body` with the two slices, whose types are those of a plan.
macro_rules! with_slices {
    ($input:expr, $output:expr, $x:ident, $y:ident => $body:expr) => {
        match ($input, $output) {
            (Data::F32($x), Data::F32($y)) => $body,
            (Data::F32($x), Data::ComplexF32($y)) => $body,
            (Data::ComplexF32($x), Data::F32($y)) => $body,
            (Data::ComplexF32($x), Data::ComplexF32($y)) => $body,
            (Data::F64($x), Data::F64($y)) => $body,
            (Data::F64($x), Data::ComplexF64($y)) => $body,
            (Data::ComplexF64($x), Data::F64($y)) => $body,
            (Data::ComplexF64($x), Data::ComplexF64($y)) => $body,
            _ => unreachable!("both sides have one precision"),
        }
    };
}

/// The plan of a rank.
pub(crate) enum AnyPlan {
    Cpu(Box<Plan<MpiRank>>),
    Mpi(Box<RankPlan<MpiDeviceRank>>, Device),
    Nccl(Box<RankPlan<NcclRank<MpiRank>>>, Device),
}

/// Evaluates `$body` with the plan of any engine.
macro_rules! with_plan {
    ($any:expr, $plan:ident => $body:expr) => {
        match $any {
            AnyPlan::Cpu($plan) => $body,
            AnyPlan::Mpi($plan, _) => $body,
            AnyPlan::Nccl($plan, _) => $body,
        }
    };
}

/// The plan of a recipe, with the number of parts that the command line asks for, and with factors if it is
/// that of a filter.
macro_rules! planned {
    ($planner:expr, $rank:expr, $parts:expr, $recipe:expr, $factors:expr) => {{
        let mut planner = $planner;
        match $parts {
            None => {}
            Some(Parts::Given(parts)) => planner = planner.with_parts(parts),
            Some(Parts::Tuned) => drop(planner.tune(&all_have($rank, $recipe.clone())?)?),
        }
        match $factors {
            None => planner.plan($recipe)?,
            Some(factors) => planner.plan_filter($recipe, factors)?,
        }
    }};
}

impl AnyPlan {
    /// The plan on the engine that the command line names. The ranks of a node take its devices in turn.
    pub(crate) fn new(
        rank: &MpiRank,
        division: &Division,
        recipe: fourfold::Result<Recipe>,
        factors: Option<Factors<'_>>,
    ) -> Result<AnyPlan> {
        let Some(name) = &division.device else {
            let core = all_have(rank, fourfold::Planner::builder().threads(division.threads.unwrap_or(1)).build())?;
            let plan = planned!(Planner::new(core, rank.clone()), rank, division.parts, recipe, factors);
            return Ok(AnyPlan::Cpu(Box::new(plan)));
        };
        let on_node = rank.ranks_of_node()?.iter().position(|other| *other == rank.rank());
        let device = if name.contains(':') { Device::open(name) } else { nth(name, on_node.unwrap_or(0)) };
        if division.messages == Some(Messages::Nccl) {
            let joined = NcclRank::join(rank.clone(), device.clone())?;
            let device = device?;
            let planner = RankPlanner::new(GpuPlanner::new(device.clone()), device.clone(), joined);
            let plan = planned!(planner, rank, division.parts, recipe, factors);
            return Ok(AnyPlan::Nccl(Box::new(plan), device));
        }
        let device = all_have(rank, device)?;
        let exchange = MpiDeviceRank::new(rank.clone(), device.clone());
        let exchange = match division.messages {
            Some(Messages::MpiDirect) => all_have(rank, exchange.directly(true))?,
            Some(Messages::MpiPinned) => all_have(rank, exchange.directly(false))?,
            Some(Messages::Mpi | Messages::Nccl) | None => exchange,
        };
        let planner = RankPlanner::new(GpuPlanner::new(device.clone()), device.clone(), exchange);
        let plan = planned!(planner, rank, division.parts, recipe, factors);
        Ok(AnyPlan::Mpi(Box::new(plan), device))
    }

    pub(crate) fn recipe(&self) -> &Recipe {
        with_plan!(self, plan => plan.recipe())
    }

    /// The elements that an execution needs of the input and of the output.
    pub(crate) fn lengths(&self) -> [usize; 2] {
        with_plan!(self, plan => [plan.input_len(), plan.output_len()])
    }

    pub(crate) fn output_ranges(&self) -> Vec<Range<usize>> {
        with_plan!(self, plan => plan.output_ranges())
    }

    pub(crate) fn bytes_sent(&self) -> Vec<usize> {
        with_plan!(self, plan => plan.bytes_sent())
    }

    /// The most parts into which an exchange is cut.
    pub(crate) fn parts(&self) -> usize {
        with_plan!(self, plan => plan.parts())
    }

    pub(crate) fn uses_bluestein(&self) -> bool {
        match self {
            AnyPlan::Cpu(plan) => plan.passes().any(|pass| pass.recipe().uses_bluestein()),
            AnyPlan::Mpi(plan, _) => plan.passes().any(|pass| pass.uses_bluestein()),
            AnyPlan::Nccl(plan, _) => plan.passes().any(|pass| pass.uses_bluestein()),
        }
    }

    /// Executes the plan, or only a part of it, when `meet` has returned. Returns the seconds, without
    /// those that arrays take to a device and back.
    pub(crate) fn execute(
        &mut self,
        [input, output]: [&mut Data; 2],
        only: Option<Only>,
        meet: &dyn Fn(bool) -> fourfold::Result<()>,
    ) -> fourfold::Result<f64> {
        match self {
            AnyPlan::Cpu(plan) => {
                meet(true)?;
                let start = Instant::now();
                with_slices!(&*input, output, x, y => match only {
                    None => plan.execute(x, y),
                    Some(only) => plan.execute_only(only, x, y),
                })?;
                Ok(start.elapsed().as_secs_f64())
            }
            AnyPlan::Mpi(plan, device) => on_device(plan, device, [input, output], only, meet),
            AnyPlan::Nccl(plan, device) => on_device(plan, device, [input, output], only, meet),
        }
    }
}

/// The value, if all ranks have one: a rank without it must not leave the others waiting.
fn all_have<T>(rank: &MpiRank, result: fourfold::Result<T>) -> Result<T> {
    let failures = rank.all_gather(u64::from(result.is_err()))?;
    let value = result?;
    match failures.iter().position(|failed| *failed != 0) {
        None => Ok(value),
        Some(other) => anyhow::bail!("rank {other} cannot plan: its error says why"),
    }
}

/// The device of an API for a rank with this number among those of its node.
fn nth(api: &str, rank: usize) -> fourfold::Result<Device> {
    let count = Device::list(api.parse::<fourfold_gpu::DeviceId>()?.api)?.len();
    Device::open(&format!("{api}:{}", rank % count))
}

fn on_device<E: Exchange<Memory = GpuMemory>>(
    plan: &mut RankPlan<E>,
    device: &Device,
    [input, output]: [&mut Data; 2],
    only: Option<Only>,
    meet: &dyn Fn(bool) -> fourfold::Result<()>,
) -> fourfold::Result<f64> {
    with_slices!(&*input, output, x, y => {
        let uploaded = device.upload(x).and_then(|x| Ok((x, device.upload(y)?)));
        let met = meet(uploaded.is_ok());
        let (x, mut on_device) = uploaded?;
        met?;
        let start = Instant::now();
        match only {
            None => plan.execute(&x, &mut on_device)?,
            Some(only) => plan.execute_only(only, &x, &mut on_device)?,
        }
        device.finish()?;
        let seconds = start.elapsed().as_secs_f64();
        on_device.download(y)?;
        Ok(seconds)
    })
}
