//! Ranks with devices, and what they compute of whole arrays.

use fourfold::oracle::verify::{Data, Verdict, check};
use fourfold::{Error, ErrorKind, Multiplier, Problem, Result};
use fourfold_distributed::{ArrayDesc, Exchange, Grid, Recipe, ThreadRank};
use fourfold_distributed_gpu::{NcclRank, QueueRank, RankPlan, RankPlanner};
use fourfold_gpu::{Device, GpuMemory, GpuPlanner};
use std::ops::Range;
use std::sync::Arc;

/// Evaluates `$body` with both arrays' elements, whose types are those of a plan.
#[macro_export]
macro_rules! with_elements {
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

/// The ranks of a program: each with its queue, and a planner of its device.
pub(crate) struct World<E> {
    pub(crate) ranks: Vec<(E, Device, Arc<GpuPlanner>)>,
    /// The parts of first exchanges, if they are not estimated.
    pub(crate) parts: Option<usize>,
}

/// The factors of a filter, for ranges of indices of the whole spectrum.
pub(crate) type Factors<'a> = &'a (dyn Fn(&[Range<usize>]) -> Multiplier + Sync);

/// What one rank says of its plan.
#[allow(dead_code, reason = "tests use all of it")]
pub(crate) struct Report {
    pub(crate) work_bytes: usize,
    pub(crate) output_bytes: usize,
    pub(crate) copies: usize,
    pub(crate) bytes_sent: Vec<usize>,
    pub(crate) bytes_received: usize,
    pub(crate) uses_bluestein: bool,
    pub(crate) output: Data,
}

impl World<QueueRank> {
    /// Ranks with queues of these devices, in turn.
    pub(crate) fn of_queues(
        planners: &[Arc<GpuPlanner>],
        devices: &[Device],
        ranks: usize,
    ) -> Result<World<QueueRank>> {
        let rank = |(i, rank): (usize, QueueRank)| {
            let which = i % devices.len();
            Ok((rank, devices[which].new_queue()?, Arc::clone(&planners[which])))
        };
        let ranks = QueueRank::all(ranks).into_iter().enumerate().map(rank).collect::<Result<_>>()?;
        Ok(World { ranks, parts: None })
    }
}

impl World<NcclRank<ThreadRank>> {
    /// A rank for each device.
    pub(crate) fn of_nccl(planners: &[Arc<GpuPlanner>], devices: &[Device]) -> Result<World<NcclRank<ThreadRank>>> {
        let join = |host: ThreadRank| {
            let device = devices[host.rank()].clone();
            Ok((NcclRank::join(host, Ok(device.clone()))?, device))
        };
        let joined = on_threads(ThreadRank::all(devices.len()), join)?;
        let ranks = joined.into_iter().zip(planners).map(|((rank, device), core)| (rank, device, Arc::clone(core)));
        Ok(World { ranks: ranks.collect(), parts: None })
    }
}

/// What `run` returns for each of these, each on a thread.
fn on_threads<T: Send, R: Send>(all: Vec<T>, run: impl Fn(T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let ended = || Error::new(ErrorKind::Unavailable, "a rank has panicked".to_owned());
    std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = all.into_iter().map(|one| scope.spawn(move || run(one))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(ended()))).collect()
    })
}

impl<E: Exchange<Memory = GpuMemory> + Clone + Send> World<E> {
    /// The number of ranks.
    pub(crate) fn ranks(&self) -> usize {
        self.ranks.len()
    }

    /// What `run` returns on each rank.
    pub(crate) fn on_ranks<R: Send>(&self, run: impl Fn(RankPlanner<E>, Device) -> Result<R> + Sync) -> Result<Vec<R>> {
        let parts = self.parts;
        on_threads(self.ranks.clone(), |(rank, device, core)| {
            let planner = RankPlanner::new(core, device.clone(), rank);
            run(parts.into_iter().fold(planner, RankPlanner::with_parts), device)
        })
    }

    /// Executes the recipe, from the parts of a whole array.
    pub(crate) fn run(&self, recipe: &Recipe, factors: Option<Factors<'_>>, input: &Data) -> Result<Vec<Report>> {
        self.on_ranks(|planner, device| {
            let mut plan = match factors {
                None => planner.plan(Ok(recipe.clone())),
                Some(factors) => planner.plan_filter(Ok(recipe.clone()), &|ranges| factors(ranges)),
            }?;
            report(&mut plan, &device, input)
        })
    }

    /// Executes the recipe, from a whole array to a whole array.
    pub(crate) fn transform(
        &self,
        recipe: &Recipe,
        factors: Option<Factors<'_>>,
        input: &Data,
        output: &mut Data,
    ) -> Result<Vec<Report>> {
        let reports = self.run(recipe, factors, input)?;
        for (rank, report) in reports.iter().enumerate() {
            for (i, at) in output_positions(recipe.output(), recipe.grid(), rank).into_iter().enumerate() {
                output.set(at, report.output.get(i));
            }
        }
        Ok(reports)
    }

    /// Compares the recipe with the oracle. Returns the verdict, and the trips to pack and unpack.
    pub(crate) fn compare(&self, recipe: &Recipe) -> Result<(Verdict, usize)> {
        let (mut copies, mut uses_bluestein) = (0, false);
        let mut run = |input: &Data, output: &mut Data| {
            let reports = self.transform(recipe, None, input, output)?;
            copies = reports.iter().map(|report| report.copies).sum();
            uses_bluestein = reports.iter().any(|report| report.uses_bluestein);
            Ok(())
        };
        let verdict = check(recipe.problem(), false, 27, &mut run)?;
        if verdict.holds() || !uses_bluestein {
            return Ok((verdict, copies));
        }
        // Bluestein's convolution has a larger bound.
        Ok((check(recipe.problem(), true, 27, |x, y| self.transform(recipe, None, x, y).map(drop))?, copies))
    }
}

/// Executes a plan on the part of a rank.
fn report<E: Exchange<Memory = GpuMemory>>(plan: &mut RankPlan<E>, device: &Device, input: &Data) -> Result<Report> {
    let recipe = plan.recipe().clone();
    let (from, to, precision) = (recipe.input(), recipe.output(), recipe.problem().precision());
    let mut part = Data::filled(precision, from.domain, plan.input_len(), 0.0);
    for (i, at) in positions(&from.shape, &plan.input_ranges(), &from.order).into_iter().enumerate() {
        part.set(i, input.get(at));
    }
    let mut output = Data::filled(precision, to.domain, plan.output_len(), f64::NAN);
    with_elements!(&part, &mut output, x, y => {
        // A second execution finds what the first one has left.
        for _ in 0..2 {
            let (x, mut on_device) = (device.upload(x)?, device.upload(y)?);
            plan.execute(&x, &mut on_device)?;
            on_device.download(y)?;
        }
    });
    Ok(Report {
        work_bytes: plan.work_bytes(),
        output_bytes: plan.output_len() * precision.bytes() * to.domain.reals(),
        copies: plan.copies(),
        bytes_sent: plan.bytes_sent(),
        bytes_received: plan.bytes_received() / 2,
        uses_bluestein: plan.passes().any(|plan| plan.uses_bluestein()),
        output,
    })
}

/// The positions in a whole array of the elements in these ranges, as a rank stores them.
pub(crate) fn positions(shape: &[usize], ranges: &[Range<usize>], order: &[usize]) -> Vec<usize> {
    let stride = |axis: usize| shape[axis + 1..].iter().product::<usize>();
    order.iter().fold(vec![0], |outer, &axis| {
        outer.iter().flat_map(|at| ranges[axis].clone().map(move |i| at + i * stride(axis))).collect()
    })
}

/// The positions in the whole output. That of a long signal is stored as k = k₁ + N₁k₂.
fn output_positions(array: &ArrayDesc, grid: &Grid, rank: usize) -> Vec<usize> {
    let ranges = array.ranges(grid, rank);
    if array.order.is_sorted() {
        return positions(&array.shape, &ranges, &array.order);
    }
    let shape = [array.shape[1], array.shape[0]];
    positions(&shape, &[ranges[1].clone(), ranges[0].clone()], &[0, 1])
}

/// The recipe of a problem in the notation, on a grid, from one distribution to another.
pub(crate) fn recipe(problem: &str, grid: &str, input: &str, output: Option<&str>) -> Result<Recipe> {
    let output = output.map(str::parse).transpose()?;
    Recipe::new(&problem.parse::<Problem>()?, &grid.parse()?, &input.parse()?, output.as_ref())
}
