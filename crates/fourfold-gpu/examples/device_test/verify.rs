//! Results against the oracle.

use crate::common::verdict;
use crate::problems::Group;
use fourfold::baseline::AnyRecipe;
use fourfold::{Precision, Problem};
use fourfold_gpu::{Device, GpuPlanner, Target};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Instant;

/// Failures that are printed; the others are counted.
const PRINTED: usize = 50;

/// Problems after which it is said how far the test is; of fewer each is named.
const ROUND: usize = 1000;

/// What was found so far.
struct Tally {
    start: Instant,
    /// Problems that there are.
    all: usize,
    problems: usize,
    wrong: usize,
    /// What the device has no means for.
    left_out: usize,
    /// By precision: problems, and the largest error, in bounds, with its problem.
    precisions: [(usize, f64, String); 2],
}

/// Verifies all groups, planned as for `target`, and prints a summary, which begins with `name`;
/// whether all was right.
pub(crate) fn all(name: &str, device: &Device, target: &Target, groups: Vec<Group>) -> bool {
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::new(&groups)));
    let work = || -> fourfold::Result<()> {
        let device = device.new_queue()?;
        while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            // Without a cache on disk: compilers are tested too.
            let target = group.target(target);
            let planner = GpuPlanner::as_for(&target, device.clone(), None);
            for problem in &group.problems {
                let lacks = match group.recipe(problem) {
                    Ok(AnyRecipe::Staged(recipe)) => target.lacks(&recipe),
                    _ => None,
                };
                match lacks {
                    Some(_) => tally.lock().expect("no thread panics").leave_out(),
                    None => judge(&planner, group, problem, &tally),
                }
            }
        }
        Ok(())
    };
    let broken = std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(4, |n| n.get());
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let broken =
            |worker: ScopedJoinHandle<'_, fourfold::Result<()>>| worker.join().expect("no thread panics").err();
        workers.into_iter().filter_map(broken).collect::<Vec<_>>()
    });
    broken.iter().for_each(|error| println!("NOT TESTED: {error}"));
    let tally = tally.into_inner().expect("no thread panics");
    for (real, (count, worst, problem)) in ["f32", "f64"].iter().zip(&tally.precisions) {
        println!("{real}: {count} problems, largest error {worst:.2} of its bound, of {problem}");
    }
    println!("{name}: {}", tally.state());
    broken.is_empty() && tally.wrong == 0 && tally.problems == tally.all && tally.all > tally.left_out
}

impl Tally {
    fn new(groups: &[Group]) -> Tally {
        let all = groups.iter().map(|group| group.problems.len()).sum();
        Tally { start: Instant::now(), all, problems: 0, wrong: 0, left_out: 0, precisions: Default::default() }
    }

    fn state(&self) -> String {
        let Tally { start, all, problems, wrong, left_out, .. } = self;
        let time = start.elapsed().as_secs_f64();
        format!("{problems} of {all} problems, {wrong} wrong, {left_out} left out, {time:.0} s")
    }

    fn leave_out(&mut self) {
        self.problems += 1;
        self.left_out += 1;
    }
}

fn judge(planner: &GpuPlanner, group: &Group, problem: &Problem, tally: &Mutex<Tally>) {
    let (start, method) = (Instant::now(), group.method());
    let result = group.recipe(problem).and_then(|recipe| verdict(planner, recipe, 1));
    let time = start.elapsed().as_secs_f64();
    let mut tally = tally.lock().expect("no thread panics");
    tally.problems += 1;
    match &result {
        Ok(verdict) if verdict.holds() => {
            let (count, worst, at) = &mut tally.precisions[usize::from(problem.precision() == Precision::F64)];
            let ratio = verdict.error / verdict.bound;
            *count += 1;
            if ratio > *worst {
                (*worst, *at) = (ratio, format!("{problem} by {method}"));
            }
        }
        _ => {
            tally.wrong += 1;
            if tally.wrong <= PRINTED {
                let text: String = format!("{result:?}").chars().take(600).collect();
                println!("WRONG {problem} by {method}: {text}");
            }
        }
    }
    if tally.all < ROUND {
        println!("{:4} {time:6.1} s  {problem} by {method}", tally.problems);
    } else if tally.problems % ROUND == 0 {
        println!("{}", tally.state());
    }
}
