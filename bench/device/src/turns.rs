//! Times of contestants that take turns, enqueued one by one and from a CUDA graph.

use anyhow::{Context, Result};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaGraph, CudaStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rounds; the median of their times counts.
const ROUNDS: usize = 9;

/// What a turn takes.
const TURN: Duration = Duration::from_millis(20);

/// Runs in a graph, at most.
const LONGEST_GRAPH: usize = 64;

/// What is timed.
pub(crate) trait Work {
    /// Enqueues it once.
    fn run(&mut self) -> Result<()>;

    /// Arrays that it takes in turns.
    fn sets(&self) -> usize;
}

/// Waits for all that was enqueued.
pub(crate) type Finish<'a> = &'a dyn Fn() -> Result<()>;

/// One that takes turns, with its times in microseconds.
struct Entrant<'a> {
    enqueue: Box<dyn FnMut() -> Result<()> + 'a>,
    /// Runs of one enqueueing.
    runs: usize,
    /// Enqueueings of a turn.
    count: usize,
    times: Vec<f64>,
}

/// Median microseconds of one run of each work, enqueued one by one.
pub(crate) fn enqueued(works: &mut [Box<dyn Work>], finish: Finish) -> Result<Vec<f64>> {
    medians(works.iter_mut().map(|work| Entrant::new(|| work.run(), 1)).collect(), finish)
}

/// The same, from graphs of several runs.
pub(crate) fn from_graphs(works: &mut [Box<dyn Work>], stream: &Arc<CudaStream>) -> Result<Vec<f64>> {
    let graphs = works.iter_mut().map(|work| captured(&mut **work, stream)).collect::<Result<Vec<_>>>()?;
    let entrants = graphs.iter().map(|(graph, runs)| Entrant::new(|| Ok(graph.launch()?), *runs));
    medians(entrants.collect(), &|| Ok(stream.synchronize()?))
}

fn captured(work: &mut dyn Work, stream: &Arc<CudaStream>) -> Result<(CudaGraph, usize)> {
    let runs = work.sets().clamp(4, LONGEST_GRAPH);
    // What is done once only is done.
    work.run()?;
    stream.synchronize()?;
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
    let recorded = (0..runs).try_for_each(|_| work.run());
    let graph = stream.end_capture(CUgraphInstantiate_flags(0));
    recorded?;
    Ok((graph?.context("nothing was captured")?, runs))
}

fn medians(mut entrants: Vec<Entrant>, finish: Finish) -> Result<Vec<f64>> {
    for entrant in &mut entrants {
        entrant.time(finish)?;
        let one = entrant.time(finish)? * entrant.runs as f64;
        entrant.count = (1e6 * TURN.as_secs_f64() / one).clamp(2.0, 5000.0) as usize;
    }
    for _ in 0..ROUNDS {
        for entrant in &mut entrants {
            let time = entrant.time(finish)?;
            entrant.times.push(time);
        }
    }
    Ok(entrants.into_iter().map(|entrant| median(entrant.times)).collect())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

impl<'a> Entrant<'a> {
    fn new(enqueue: impl FnMut() -> Result<()> + 'a, runs: usize) -> Entrant<'a> {
        Entrant { enqueue: Box::new(enqueue), runs, count: 2, times: vec![] }
    }

    /// Microseconds of one run, in a turn.
    fn time(&mut self, finish: Finish) -> Result<f64> {
        finish()?;
        let start = Instant::now();
        (0..self.count).try_for_each(|_| (self.enqueue)())?;
        finish()?;
        Ok(1e6 * start.elapsed().as_secs_f64() / (self.count * self.runs) as f64)
    }
}
