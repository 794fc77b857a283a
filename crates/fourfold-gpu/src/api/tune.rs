//! Planning by measuring.

use crate::api::plan::GpuPlanner;
use crate::backend::runtime::Buffer;
use crate::choose::estimate;
use crate::choose::estimate::{Choice, Chosen};
use crate::choose::radices::{led, ways};
use crate::desc::choice::Size;
use crate::desc::descriptor::Spec;
use crate::error::check_lengths;
use crate::limits::Limits;
use crate::lower::draft::Draft;
use crate::lower::passes::drafts;
use crate::run::executable::Executable;
use fourfold::timing::{Pace, Timed, Work, take_turns};
use fourfold::{Domain, Error, Layout, Precision, Problem, Recipe, Result};
use std::time::Duration;

/// How long a batch takes at least: the wait at its end takes some microseconds.
const BATCH: Duration = Duration::from_millis(2);

/// Batches of each of two candidates that are compared. They share their arrays.
const PACE: Pace = Pace { rounds: 7..=7, time: Duration::ZERO, warm_up: false };

/// Candidates that are compared with the best, of those measured once.
const FINALISTS: usize = 3;

/// What another choice must save before it is taken: less may be chance.
const GAIN: f64 = 0.98;

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
        let mut best = bench.choices(&[])?;
        for pass in 0..best.len() {
            for candidates in STEPS {
                best = bench.best(best.clone(), pass, candidates)?;
            }
        }
        let text = estimate::print(&best);
        if !text.is_empty() {
            self.lock_wisdom().insert(problem, &self.wisdom_name(), &text)?;
        }
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
struct Candidate<'a> {
    bench: &'a Bench<'a>,
    choices: Vec<Choice>,
    executable: Executable,
    scratch: Option<Buffer>,
}

impl Work for Candidate<'_> {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        let Candidate { bench: Bench { planner, input, output, .. }, executable, scratch, .. } = self;
        executable.run(0..executable.launches(), &planner.device.queue, Some(input), output, scratch.as_ref())
    }

    fn synchronize(&mut self) -> Result<()> {
        self.bench.planner.device.queue.finish()
    }

    fn least_batch(&self) -> Duration {
        BATCH
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

    fn drafts(&self, choices: &[Choice]) -> Result<Vec<Draft>> {
        drafts(self.planner.library.limits(), &self.recipe, false, None, choices)
    }

    /// What becomes of choices, estimated where there are none: on this device clusters may be
    /// refused.
    fn choices(&self, choices: &[Choice]) -> Result<Vec<Choice>> {
        Ok(self.chosen(choices)?.into_iter().map(|pass| pass.choice).collect())
    }

    fn chosen(&self, choices: &[Choice]) -> Result<Vec<Chosen>> {
        Ok(self.drafts(choices)?.into_iter().flat_map(|draft| draft.passes).collect())
    }

    /// The fastest of `best` and those that differ from it in one pass.
    fn best(&self, best: Vec<Choice>, pass: usize, candidates: Candidates) -> Result<Vec<Choice>> {
        let mut best = self.candidate(best)?;
        let mut seen: Vec<Vec<Spec>> = vec![best.work().executable.specs.clone()];
        let chosen = self.chosen(&best.work().choices)?;
        let mut others = vec![];
        for choice in candidates(&chosen[pass], self.planner.library.limits()) {
            let mut choices = best.work().choices.clone();
            choices[pass] = choice;
            let Ok(drafts) = self.drafts(&choices) else { continue };
            let specs: Vec<Spec> = drafts.into_iter().flat_map(|draft| draft.specs).collect();
            if !seen.contains(&specs) {
                seen.push(specs);
                others.push(self.choices(&choices)?);
            }
        }
        // What the compiler refuses is refused again below, one by one.
        let _ = self.planner.library.kernels(&seen.concat());
        let ready = others.into_iter().filter_map(|choices| self.candidate(choices).ok());
        let timed = |mut other: Timed<_>| Ok((other.measure(PACE.warm_up)?, other));
        let mut timed = ready.map(timed).collect::<Result<Vec<_>>>()?;
        timed.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        for (_, mut other) in timed.into_iter().take(FINALISTS) {
            let times = take_turns([&mut best, &mut other], &PACE)?;
            if times[1].min < GAIN * times[0].min {
                best = other;
            }
        }
        Ok(best.into_work().choices)
    }

    fn candidate(&self, choices: Vec<Choice>) -> Result<Timed<Candidate<'_>>> {
        let GpuPlanner { device, library, .. } = self.planner;
        let executable = Executable::new(device, library, &self.recipe, false, None, &choices)?;
        let bytes = executable.scratch_bytes();
        let scratch = if bytes > 0 { Some(device.runtime.allocate(bytes)?) } else { None };
        Timed::new(Candidate { bench: self, choices, executable, scratch })
    }
}

/// Other choices for a pass.
type Candidates = fn(&Chosen, &Limits) -> Vec<Choice>;

/// What is chosen first, and what then.
pub(crate) const STEPS: [Candidates; 3] = [other_ways, other_sizes, otherwise_joined];

/// Other factors, packings and clusters.
fn other_ways(pass: &Chosen, limits: &Limits) -> Vec<Choice> {
    let packed = |(packing, elements): &(_, usize)| {
        let joined = pass.choice.joined;
        let choice =
            |radices, clustered| Choice { packing: *packing, radices, clustered, size: Size::default(), joined };
        let ways = ways(*elements);
        let leads = |radix: usize| radix % 2 == 0 && (2..=limits.cluster).contains(&(radix / 2));
        let clusters: Vec<_> = ways.iter().flat_map(|way| led(way)).filter(|way| leads(way[0])).collect();
        let alone = ways.into_iter().map(|way| choice(way, false));
        alone.chain(clusters.into_iter().map(|way| choice(way, true))).collect::<Vec<_>>()
    };
    pass.packings.iter().flat_map(packed).collect()
}

/// Other sizes of work groups, for a pass that is one kernel.
fn other_sizes(pass: &Chosen, limits: &Limits) -> Vec<Choice> {
    let Some([tile, threads]) = pass.size else { return vec![] };
    let scaled = |n: usize| [n / 4, n / 2, n, 2 * n, 4 * n].into_iter().filter(|n| *n > 0);
    let sized = |tile| scaled(threads).map(move |threads| Size { tile: Some(tile), threads: Some(threads) });
    let sizes = scaled(tile).flat_map(sized).filter(|size| size.threads <= Some(limits.threads));
    sizes.map(|size| Choice { size, ..pass.choice.clone() }).collect()
}

/// One kernel with the pass before, or not.
fn otherwise_joined(pass: &Chosen, _: &Limits) -> Vec<Choice> {
    vec![Choice { joined: !pass.choice.joined, ..pass.choice.clone() }]
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
