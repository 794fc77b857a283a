//! Planning by measuring.

use crate::api::planner::GpuPlanner;
use crate::attributes::DeviceAttributes;
use crate::backend::runtime::Buffer;
use crate::choose::estimate;
use crate::choose::estimate::{Choice, Chosen};
use crate::choose::radices::{led, ways};
use crate::desc::action::Action;
use crate::desc::choice::{AxisFusion, Size};
use crate::desc::kernel::KernelDesc;
use crate::limits::Limits;
use crate::lower::lowered::LoweredRecipe;
use crate::lower::passes::lower;
use crate::run::executable::Executable;
use fourfold::engine::collected;
use fourfold::timing::{Clock, Pace, Timed, WallClock, Work, take_turns};
use fourfold::{Bf16, Domain, Error, F16, Layout, Pipeline, Precision, Recipe, Result, Storage};
use std::time::Duration;

/// How long a batch takes at least: the wait at its end takes some microseconds.
const BATCH: Duration = Duration::from_millis(2);

/// Batches of each of two candidates that are compared. They share their arrays.
const PACE: Pace = Pace { rounds: 7..=7, time: Duration::ZERO, warm_up: false };

/// Candidates that are compared with the best, of those measured once.
const FINALISTS: usize = 3;

/// What another choice must save before it is taken: less may be chance.
const WORTHWHILE: f64 = 0.98;

impl GpuPlanner {
    /// Measures ways to compute a problem or a [`Pipeline`] on the device and remembers the fastest,
    /// which [`GpuPlanner::plan`] then follows; [`GpuPlanner::wisdom`] has it to keep. Compiles some
    /// tens of kernels, and runs each for milliseconds. Returns what was chosen, a line for each
    /// transform along an axis.
    ///
    /// What is measured of a pipeline that multiplies is followed for other factors of the same
    /// variant of [`Multiplier`](fourfold::Multiplier). A threshold is left out, since plans with and
    /// without one share what is measured.
    ///
    /// # Errors
    /// As [`GpuPlanner::plan`], and if the device has no memory for input and output.
    pub fn tune<'a>(&self, what: impl Into<Pipeline<'a>>) -> Result<String> {
        self.tune_by(&WallClock::new(), &what.into())
    }

    /// The same by another clock.
    pub(crate) fn tune_by(&self, clock: &dyn Clock, pipeline: &Pipeline<'_>) -> Result<String> {
        let bench = Bench::new(self, clock, pipeline)?;
        let passes = bench.recipe.lines().count();
        if passes == 0 {
            return Ok(String::new());
        }
        let mut best = bench.candidate(&[])?;
        for pass in 0..passes {
            for candidates in STEPS {
                best = bench.best(best, pass, candidates)?;
            }
        }
        let text = estimate::print(&best.work().choices());
        self.lock_wisdom().insert(pipeline.borrowed(), &self.wisdom_name(), &text)?;
        Ok(text)
    }
}

/// A pipeline with arrays to measure on.
struct Bench<'a> {
    planner: &'a GpuPlanner,
    clock: &'a dyn Clock,
    recipe: Recipe,
    /// The multiply.
    action: Option<Action>,
    /// Of another array also for problems in place, whose numbers would soon overflow.
    input: Buffer,
    output: Buffer,
}

/// A way to compute it, ready to run.
struct Candidate<'a> {
    bench: &'a Bench<'a>,
    /// How the lines of each pass are done.
    passes: Vec<Chosen>,
    executable: Executable,
    scratch: Option<Buffer>,
}

/// One that is timed by the clock of its bench.
type TimedCandidate<'a> = Timed<Candidate<'a>, &'a dyn Clock>;

impl Work for Candidate<'_> {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        let Candidate { bench: Bench { planner, input, output, .. }, executable, scratch, .. } = self;
        executable.enqueue(0..executable.launches(), &planner.device.queue, Some(input), output, scratch.as_ref())
    }

    fn synchronize(&mut self) -> Result<()> {
        self.bench.planner.device.queue.finish()
    }

    fn least_batch(&self) -> Duration {
        BATCH
    }
}

impl Candidate<'_> {
    fn choices(&self) -> Vec<Choice> {
        self.passes.iter().map(|pass| pass.choice.clone()).collect()
    }
}

impl<'a> Bench<'a> {
    fn new(planner: &'a GpuPlanner, clock: &'a dyn Clock, pipeline: &Pipeline<'_>) -> Result<Bench<'a>> {
        let recipe = planner.recipe(pipeline)?;
        let (problem, end) = (recipe.problem(), recipe.inverse().unwrap_or(recipe.problem()));
        let array = |layout: &Layout, domain| random(planner, problem.storage(), domain, layout.len);
        Ok(Bench {
            input: array(problem.input(), problem.input_domain())?,
            output: array(end.output(), end.output_domain())?,
            action: pipeline.multiplier().map(Action::multiply).transpose()?,
            planner,
            clock,
            recipe,
        })
    }

    /// The kernels that choices stand for, estimated where there are none: on this device clusters
    /// may be refused.
    fn lower(&self, limits: &Limits, choices: &[Choice]) -> Result<LoweredRecipe<'_>> {
        lower(limits, &self.recipe, false, self.action.as_ref(), choices)
    }

    /// The fastest of `best` and those that differ from it in one pass.
    fn best<'b>(
        &'b self,
        mut best: TimedCandidate<'b>,
        pass: usize,
        candidates: Candidates,
    ) -> Result<TimedCandidate<'b>> {
        let mut seen: Vec<Vec<KernelDesc>> = vec![best.work().executable.descs.clone()];
        let mut others = vec![];
        let limits = self.planner.kernel_cache.limits();
        for choice in candidates(&best.work().passes[pass], pass, &limits.attributes) {
            let mut choices = best.work().choices();
            choices[pass] = choice;
            let Ok(lowered) = self.lower(limits, &choices) else { continue };
            let descs = lowered.descs();
            if !seen.contains(&descs) {
                seen.push(descs);
                others.push(choices);
            }
        }
        // Kept until all candidates have theirs. What the compiler refuses is refused again below.
        let _kernels = self.planner.kernel_cache.accepted(&seen.concat());
        let ready = others.iter().filter_map(|choices| self.candidate(choices).ok());
        let timed = |mut other: TimedCandidate<'b>| Ok((other.measure(PACE.warm_up)?, other));
        let mut timed = ready.map(timed).collect::<Result<Vec<_>>>()?;
        timed.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        for (_, mut other) in timed.into_iter().take(FINALISTS) {
            let times = take_turns([&mut best, &mut other], &PACE)?;
            if times[1].min < WORTHWHILE * times[0].min {
                best = other;
            }
        }
        Ok(best)
    }

    /// The way that choices say; where kernels do not fit, with smaller ones.
    fn candidate(&self, choices: &[Choice]) -> Result<TimedCandidate<'_>> {
        let GpuPlanner { device, kernel_cache, .. } = self.planner;
        let lower = |limits: &Limits| self.lower(limits, choices);
        let (executable, lowered) = Executable::fitted(device, kernel_cache, lower)?;
        let bytes = executable.scratch_bytes();
        let scratch = if bytes > 0 { Some(device.runtime.allocate(bytes)?) } else { None };
        Timed::with_clock(Candidate { bench: self, passes: lowered.chosen(), executable, scratch }, self.clock)
    }
}

/// Other choices for a pass of this number.
type Candidates = fn(&Chosen, usize, &DeviceAttributes) -> Vec<Choice>;

/// What is chosen first, and what then.
pub(crate) const STEPS: [Candidates; 5] = [other_ways, other_ranges, other_sizes, otherwise_done, otherwise_fused];

/// Other factors, packings and clusters.
fn other_ways(pass: &Chosen, _: usize, device: &DeviceAttributes) -> Vec<Choice> {
    let packed = |(packing, smooth): &(_, usize)| {
        let axis_fusion = pass.choice.axis_fusion;
        let choice =
            |radices, clustered| Choice { packing: *packing, radices, clustered, size: Size::default(), axis_fusion };
        let ways = ways(*smooth);
        let leads = |radix: usize| radix % 2 == 0 && (2..=device.cluster).contains(&(radix / 2));
        let clusters: Vec<_> = ways.iter().flat_map(|way| led(way)).filter(|way| leads(way[0])).collect();
        let unclustered = ways.into_iter().map(|way| choice(way, false));
        unclustered.chain(clusters.into_iter().map(|way| choice(way, true))).collect::<Vec<_>>()
    };
    pass.packings.iter().flat_map(packed).collect()
}

/// Other sizes of blocks: of a pass that is one kernel, other lines and threads; of several, other runs and threads,
/// of which each kernel has those that it can have.
fn other_sizes(pass: &Chosen, _: usize, device: &DeviceAttributes) -> Vec<Choice> {
    let wide = |n: usize| vec![n / 4, n / 2, n, 2 * n, 4 * n];
    let near = |n: usize| vec![n / 2, n, 2 * n];
    type With = fn(Size, usize) -> Size;
    let (lengths, threads, with): (_, _, With) = match pass.size {
        Some([tile, threads]) => (wide(tile), wide(threads), |size, tile| Size { tile: Some(tile), ..size }),
        None => {
            let [run, threads] = [device.long_run(), device.usual_threads()].map(near);
            (run, threads, |size, run| Size { run: Some(run), ..size })
        }
    };
    let of_threads = |threads| Size { threads: Some(threads), ..pass.choice.size };
    let all = lengths.iter().flat_map(|length| threads.iter().map(|most| with(of_threads(*most), *length)));
    let possible = |size: &Size| size.is_valid() && size.threads <= Some(device.threads_per_block);
    all.filter(possible).map(|size| Choice { size, ..pass.choice.clone() }).collect()
}

/// Other numbers of kernels, each for a range of the digits: of convolutions three or five, or three with clusters.
fn other_ranges(pass: &Chosen, _: usize, _: &DeviceAttributes) -> Vec<Choice> {
    let each = pass.choice.size.of_each();
    let chosen = |kernels: usize| Choice { size: Size { kernels: Some(kernels), ..each }, ..pass.choice.clone() };
    let clustered = Choice { clustered: true, size: each, ..pass.choice.clone() };
    [1, 2, 3, 5].into_iter().map(chosen).chain([clustered]).collect()
}

/// Sublines one after the other or beside each other, lanes in pairs or not, rows through shared memory or not, and
/// registers for other numbers of blocks.
fn otherwise_done(pass: &Chosen, _: usize, device: &DeviceAttributes) -> Vec<Choice> {
    let size = pass.choice.size;
    let beside = [0, 1].map(|beside| Size { beside: Some(beside), ..size });
    let exchange = [0, 1].map(|exchange| Size { exchange: Some(exchange), ..size });
    let through = [0, 1].map(|through| Size { through: Some(through), ..size });
    let blocks = device.usual_blocks(Precision::F32);
    // Compilers take the hint where an SM's registers are known.
    let is_known = !device.assumed.contains(&"registers_per_sm");
    let resident = [0, blocks / 2, 3 * blocks / 4, blocks, 2 * blocks].into_iter().filter(|_| is_known);
    let resident: Vec<_> = resident.map(|resident| Size { resident: Some(resident), ..size }).collect();
    let sizes = [&beside[..], &exchange, &through, &resident].concat();
    sizes.into_iter().map(|size| Choice { size, ..pass.choice.clone() }).collect()
}

/// One kernel with an earlier pass, or with none.
fn otherwise_fused(pass: &Chosen, number: usize, _: &DeviceAttributes) -> Vec<Choice> {
    let earlier = (0..number.saturating_sub(1)).map(AxisFusion::WithPass);
    let all = [AxisFusion::None, AxisFusion::WithPrevious].into_iter().chain(earlier);
    all.map(|axis_fusion| Choice { axis_fusion, ..pass.choice.clone() }).collect()
}

/// An array of numbers that differ in all digits: a device may be faster with zeros.
fn random(planner: &GpuPlanner, storage: Storage, domain: Domain, len: usize) -> Result<Buffer> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    const AT_ONCE: usize = 1 << 20;
    let (count, bytes) = (len * domain.reals(), storage.bytes());
    let device = &planner.device;
    let buffer = device.runtime.allocate(count * bytes)?;
    for start in (0..count).step_by(AT_ONCE) {
        let end = count.min(start + AT_ONCE);
        let reals = (start..end).map(|i| (i as f64 * GOLDEN).fract() - 0.5);
        let what = format_args!("{count} random numbers");
        let mut part = buffer.part(start * bytes, (end - start) * bytes)?;
        let (queue, count, singles) = (&device.queue, end - start, reals.clone().map(|x| x as f32));
        match storage {
            Storage::F16 => queue.upload(&collected(count, singles.map(F16::from), what)?, &mut part)?,
            Storage::Bf16 => queue.upload(&collected(count, singles.map(Bf16::from), what)?, &mut part)?,
            Storage::F32 => queue.upload(&collected(count, singles, what)?, &mut part)?,
            Storage::F64 => queue.upload(&collected(count, reals, what)?, &mut part)?,
        }
    }
    Ok(buffer)
}
