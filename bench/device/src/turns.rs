//! Times of contestants that take turns, enqueued one by one and from a CUDA graph.

use anyhow::{Context, Error, Result};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaGraph, CudaStream};
use fourfold::timing::{Pace, Timed, Work, take_turns};
use std::sync::Arc;
use std::time::Duration;

/// How often contestants take turns, and the least time of a turn: the wait at its end takes about
/// 10 µs.
#[derive(Clone, Copy)]
pub(crate) struct TurnPace {
    pub(crate) count: usize,
    pub(crate) time: Duration,
}

impl TurnPace {
    /// Of a few problems.
    pub(crate) const FEW: TurnPace = TurnPace { count: 9, time: Duration::from_millis(20) };

    /// Of hundreds.
    pub(crate) const MANY: TurnPace = TurnPace { count: 5, time: Duration::from_millis(5) };
}

/// Launches of a batch, at most.
const MOST_LAUNCHES: usize = 5000;

/// Runs in a graph, at most.
const LONGEST_GRAPH: usize = 64;

/// What is timed.
pub(crate) trait Contestant {
    /// Enqueues it once.
    fn enqueue(&mut self) -> Result<()>;

    /// Arrays that it takes in turns.
    fn sets(&self) -> usize;
}

/// Waits for all that was enqueued.
pub(crate) type Finish<'a> = &'a dyn Fn() -> Result<()>;

/// A contestant's turn, or that of its graph.
struct Turn<'a> {
    enqueue: Box<dyn FnMut() -> Result<()> + 'a>,
    finish: Finish<'a>,
    time: Duration,
}

impl<'a> Turn<'a> {
    fn new(enqueue: impl FnMut() -> Result<()> + 'a, finish: Finish<'a>, time: Duration) -> Turn<'a> {
        Turn { enqueue: Box::new(enqueue), finish, time }
    }
}

impl Work for Turn<'_> {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        (self.enqueue)()
    }

    fn synchronize(&mut self) -> Result<()> {
        (self.finish)()
    }

    fn most_runs(&self) -> usize {
        MOST_LAUNCHES
    }

    fn least_batch(&self) -> Duration {
        self.time
    }
}

impl TurnPace {
    /// Median microseconds of one run of each contestant, enqueued one by one.
    pub(crate) fn enqueued(self, contestants: &mut [Box<dyn Contestant>], finish: Finish) -> Result<Vec<f64>> {
        self.medians(contestants.iter_mut().map(|one| Turn::new(|| one.enqueue(), finish, self.time)))
    }

    /// The same, from graphs of several runs.
    pub(crate) fn from_graphs(
        self,
        contestants: &mut [Box<dyn Contestant>],
        stream: &Arc<CudaStream>,
    ) -> Result<Vec<f64>> {
        let graphs = contestants.iter_mut().map(|one| captured(&mut **one, stream)).collect::<Result<Vec<_>>>()?;
        let finish = || Ok(stream.synchronize()?);
        let launches = graphs.iter().map(|(graph, _)| Turn::new(|| Ok(graph.launch()?), &finish, self.time));
        let launches = self.medians(launches)?;
        Ok(launches.iter().zip(&graphs).map(|(launch, (_, runs))| launch / *runs as f64).collect())
    }

    /// Median microseconds of a launch of each. No cache still holds the arrays of the run before,
    /// so that there is nothing to warm up.
    fn medians<'a>(self, turns: impl Iterator<Item = Turn<'a>>) -> Result<Vec<f64>> {
        let mut timed = turns.map(Timed::new).collect::<Result<Vec<_>>>()?;
        let pace = Pace { rounds: self.count..=self.count, time: Duration::ZERO, warm_up: false };
        let times = take_turns(&mut timed, &pace)?;
        Ok(times.into_iter().map(|time| time.in_unit(1e6).median).collect())
    }
}

fn captured(contestant: &mut dyn Contestant, stream: &Arc<CudaStream>) -> Result<(CudaGraph, usize)> {
    let runs = contestant.sets().clamp(4, LONGEST_GRAPH);
    // The first run also does what is done only once.
    contestant.enqueue()?;
    stream.synchronize()?;
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
    let recorded = (0..runs).try_for_each(|_| contestant.enqueue());
    let graph = stream.end_capture(CUgraphInstantiate_flags(0));
    recorded?;
    Ok((graph?.context("nothing was captured")?, runs))
}
