//! Planning by measuring.

use crate::api::planner::GpuPlanner;
use crate::backend::runtime::Buffer;
use crate::choose::estimate;
use crate::choose::estimate::{Choice, Chosen};
use crate::choose::radices::{led, ways};
use crate::desc::choice::Size;
use crate::desc::kernel::KernelDesc;
use crate::error::check_lengths;
use crate::limits::Limits;
use crate::lower::lowered::LoweredRecipe;
use crate::lower::passes::lower;
use crate::run::executable::Executable;
use fourfold::{Domain, Layout, Precision, Problem, Recipe, Result};
use std::time::{Duration, Instant};

/// How long one measurement takes at least: the wait at its end takes some microseconds.
const MEASUREMENT: Duration = Duration::from_millis(2);

/// Measurements of each of two candidates that are compared.
const ROUNDS: usize = 7;

/// Candidates that are compared with the best, of those measured once.
const FINALISTS: usize = 3;

/// What another choice must save before it is taken: less may be chance.
const WORTHWHILE: f64 = 0.98;

impl GpuPlanner {
    /// Measures ways to compute `problem` on the device and remembers the fastest, which
    /// [`GpuPlanner::plan`] then follows; [`GpuPlanner::wisdom`] has it to keep. Compiles some tens
    /// of kernels, and runs each for milliseconds. Returns what was chosen, a line a pass.
    ///
    /// # Errors
    /// As [`GpuPlanner::plan`], and if the device has no memory for input and output.
    pub fn tune(&self, problem: &Problem) -> Result<String> {
        check_lengths(problem)?;
        let bench = Bench::new(self, problem)?;
        let estimated = bench.lower(&[])?;
        let passes = estimated.choices().len();
        if passes == 0 {
            return Ok(String::new());
        }
        let mut best = bench.candidate(&estimated)?;
        for pass in 0..passes {
            for candidates in STEPS {
                best = bench.best(best, pass, candidates)?;
            }
        }
        let text = estimate::print(&best.choices());
        self.lock_wisdom().insert(problem, &self.wisdom_name(), &text)?;
        Ok(text)
    }
}

/// A problem with arrays to measure on.
struct Bench<'a> {
    planner: &'a GpuPlanner,
    recipe: Recipe,
    /// Of another array also for problems in place, whose numbers would soon overflow.
    input: Buffer,
    output: Buffer,
}

/// A way to compute it, ready to run.
struct Candidate {
    /// How the lines of each pass are done.
    passes: Vec<Chosen>,
    executable: Executable,
    scratch: Option<Buffer>,
    /// Runs of a measurement.
    runs: usize,
}

impl Candidate {
    fn choices(&self) -> Vec<Choice> {
        self.passes.iter().map(|pass| pass.choice.clone()).collect()
    }
}

impl<'a> Bench<'a> {
    fn new(planner: &'a GpuPlanner, problem: &Problem) -> Result<Bench<'a>> {
        let array = |layout: &Layout, domain| random(planner, problem.precision(), domain, layout.len);
        Ok(Bench {
            recipe: planner.recipe(problem)?,
            input: array(problem.input(), problem.input_domain())?,
            output: array(problem.output(), problem.output_domain())?,
            planner,
        })
    }

    /// The kernels that choices stand for, estimated where there are none: on this device clusters
    /// may be refused.
    fn lower(&self, choices: &[Choice]) -> Result<LoweredRecipe<'_>> {
        lower(self.planner.kernel_cache.limits(), &self.recipe, false, None, choices)
    }

    /// The fastest of `best` and those that differ from it in one pass.
    fn best(&self, mut best: Candidate, pass: usize, candidates: Candidates) -> Result<Candidate> {
        let mut seen: Vec<Vec<KernelDesc>> = vec![best.executable.descs.clone()];
        let mut others = vec![];
        for choice in candidates(&best.passes[pass], self.planner.kernel_cache.limits()) {
            let mut choices = best.choices();
            choices[pass] = choice;
            let Ok(lowered) = self.lower(&choices) else { continue };
            let descs = lowered.descs();
            if !seen.contains(&descs) {
                seen.push(descs);
                others.push(lowered);
            }
        }
        // What the compiler refuses is refused again below, one by one.
        let _ = self.planner.kernel_cache.kernels(&seen.concat());
        let ready = others.iter().filter_map(|lowered| self.candidate(lowered).ok());
        let mut timed = ready.map(|other| Ok((self.time(&other)?, other))).collect::<Result<Vec<_>>>()?;
        timed.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        for (_, other) in timed.into_iter().take(FINALISTS) {
            let [old, new] = self.compare([&best, &other])?;
            if new < WORTHWHILE * old {
                best = other;
            }
        }
        Ok(best)
    }

    fn candidate(&self, lowered: &LoweredRecipe) -> Result<Candidate> {
        let GpuPlanner { device, kernel_cache, .. } = self.planner;
        let executable = Executable::new(device, kernel_cache, lowered)?;
        let bytes = executable.scratch_bytes();
        let scratch = if bytes > 0 { Some(device.runtime.allocate(bytes)?) } else { None };
        let mut candidate = Candidate { passes: lowered.chosen(), executable, scratch, runs: 1 };
        // The first run may be slow for other reasons.
        self.time(&candidate)?;
        while self.time(&candidate)? * (candidate.runs as f64) < MEASUREMENT.as_secs_f64() {
            candidate.runs *= 2;
        }
        Ok(candidate)
    }

    /// Seconds of a run.
    fn time(&self, candidate: &Candidate) -> Result<f64> {
        let queue = &self.planner.device.queue;
        queue.finish()?;
        let start = Instant::now();
        for _ in 0..candidate.runs {
            candidate.executable.enqueue(
                0..candidate.executable.launches(),
                queue,
                Some(&self.input),
                &self.output,
                candidate.scratch.as_ref(),
            )?;
        }
        queue.finish()?;
        Ok(start.elapsed().as_secs_f64() / candidate.runs as f64)
    }

    /// The least seconds that each takes, measured alternately.
    fn compare(&self, candidates: [&Candidate; 2]) -> Result<[f64; 2]> {
        let mut least = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            for (least, candidate) in least.iter_mut().zip(candidates) {
                *least = least.min(self.time(candidate)?);
            }
        }
        Ok(least)
    }
}

/// Other choices for a pass.
type Candidates = fn(&Chosen, &Limits) -> Vec<Choice>;

/// What is chosen first, and what then.
pub(crate) const STEPS: [Candidates; 3] = [other_ways, other_sizes, otherwise_fused];

/// Other factors, packings and clusters.
fn other_ways(pass: &Chosen, limits: &Limits) -> Vec<Choice> {
    let packed = |(packing, elements): &(_, usize)| {
        let axis_fusion = pass.choice.axis_fusion;
        let choice =
            |radices, clustered| Choice { packing: *packing, radices, clustered, size: Size::default(), axis_fusion };
        let ways = ways(*elements);
        let leads = |radix: usize| radix % 2 == 0 && (2..=limits.cluster).contains(&(radix / 2));
        let clusters: Vec<_> = ways.iter().flat_map(|way| led(way)).filter(|way| leads(way[0])).collect();
        let alone = ways.into_iter().map(|way| choice(way, false));
        alone.chain(clusters.into_iter().map(|way| choice(way, true))).collect::<Vec<_>>()
    };
    pass.packings.iter().flat_map(packed).collect()
}

/// Other sizes of blocks, for a pass that is one kernel.
fn other_sizes(pass: &Chosen, limits: &Limits) -> Vec<Choice> {
    let Some([tile, threads]) = pass.size else { return vec![] };
    let scaled = |n: usize| [n / 4, n / 2, n, 2 * n, 4 * n].into_iter().filter(|n| *n > 0);
    let sized = |tile| scaled(threads).map(move |threads| Size { tile: Some(tile), threads: Some(threads) });
    let sizes = scaled(tile).flat_map(sized).filter(|size| size.threads <= Some(limits.threads));
    sizes.map(|size| Choice { size, ..pass.choice.clone() }).collect()
}

/// One kernel with the pass before, or not.
fn otherwise_fused(pass: &Chosen, _: &Limits) -> Vec<Choice> {
    vec![Choice { axis_fusion: !pass.choice.axis_fusion, ..pass.choice.clone() }]
}

/// An array of numbers that differ in all digits: a device may be faster with zeros.
fn random(planner: &GpuPlanner, precision: Precision, domain: Domain, len: usize) -> Result<Buffer> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    const AT_ONCE: usize = 1 << 20;
    let (count, bytes) = (len * domain.reals(), precision.bytes());
    let device = &planner.device;
    let buffer = device.runtime.allocate(count * bytes)?;
    for start in (0..count).step_by(AT_ONCE) {
        let end = count.min(start + AT_ONCE);
        let reals = (start..end).map(|i| (i as f64 * GOLDEN).fract() - 0.5);
        let mut part = buffer.part(start * bytes, (end - start) * bytes)?;
        match precision {
            Precision::F32 => device.queue.upload(&reals.map(|x| x as f32).collect::<Vec<_>>(), &mut part)?,
            Precision::F64 => device.queue.upload(&reals.collect::<Vec<_>>(), &mut part)?,
        }
    }
    Ok(buffer)
}
