//! fourfold, and copies.

use crate::arrays::{Sample, Sets, of_problem, with_types};
use crate::turns::Contestant;
use anyhow::Result;
use fourfold::Problem;
use fourfold::baseline::Algorithm;
use fourfold_gpu::cache::Cache;
use fourfold_gpu::{Device, GpuArray, GpuPlan, GpuPlanner, GpuScratch};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The plan's executions, or one of its launches alone.
struct Transform<I, O> {
    plan: Arc<GpuPlan>,
    scratch: GpuScratch,
    sets: Sets<GpuArray<I>, GpuArray<O>>,
    launch: Option<usize>,
}

impl<I: Sample, O: Sample> Contestant for Transform<I, O> {
    fn enqueue(&mut self) -> Result<()> {
        let (input, output) = self.sets.next();
        match self.launch {
            None => self.plan.execute_on_with(input, output, &mut self.scratch)?,
            Some(number) => self.plan.execute_launch_on_with(number, input, output, &mut self.scratch)?,
        }
        Ok(())
    }

    fn sets(&self) -> usize {
        self.sets.len()
    }
}

/// `launch`: the number of the only launch that is to be timed.
pub(crate) fn transform(device: &Device, plan: &Arc<GpuPlan>, launch: Option<usize>) -> Result<Box<dyn Contestant>> {
    fn make<I: Sample + 'static, O: Sample + 'static>(
        device: &Device,
        plan: &Arc<GpuPlan>,
        launch: Option<usize>,
    ) -> Result<Box<dyn Contestant>> {
        let sets = of_problem::<I, O>(device, plan.problem())?;
        Ok(Box::new(Transform { scratch: plan.scratch(device)?, plan: Arc::clone(plan), sets, launch }))
    }
    with_types!(plan.problem(), make(device, plan, launch))
}

/// A plan, and the milliseconds that planning took with kernels to compile and with all on disk.
pub(crate) fn planned(device: &Device, problem: &Problem) -> Result<(Arc<GpuPlan>, [f64; 2])> {
    let timed = |cache: Option<Cache>| -> Result<(GpuPlan, f64)> {
        let start = Instant::now();
        let plan = GpuPlanner::with_cache(device.clone(), cache).plan(problem)?;
        Ok((plan, 1e3 * start.elapsed().as_secs_f64()))
    };
    let cache = Cache::open(std::env::temp_dir().join(format!("fourfold-device-bench-{}", std::process::id())));
    let (_, fresh) = timed(None)?;
    timed(Some(cache.clone()))?;
    let (plan, kept) = timed(Some(cache.clone()))?;
    cache.clear()?;
    // An empty folder more or less is no reason to stop.
    let _ = std::fs::remove_dir(cache.folder());
    Ok((Arc::new(plan), [fresh, kept]))
}

/// Plans of these problems, several of which are made at the same time. Those that cannot be made are
/// left out.
pub(crate) fn plans<'a>(
    device: &Device,
    problems: impl Iterator<Item = &'a str> + Send,
) -> Result<HashMap<String, Arc<GpuPlan>>> {
    let (problems, threads) = (Mutex::new(problems), std::thread::available_parallelism()?.get());
    let next = || problems.lock().ok()?.next();
    let plan = || {
        let mut plans = vec![];
        while let Some(text) = next() {
            let planner = GpuPlanner::with_cache(device.clone(), None);
            let plan = text.parse::<Problem>().and_then(|problem| planner.plan(&problem));
            plans.extend(plan.ok().map(|plan| (text.to_owned(), Arc::new(plan))));
        }
        plans
    };
    let all = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(plan)).collect();
        handles.into_iter().flat_map(|handle| handle.join().unwrap_or_default()).collect()
    });
    Ok(all)
}

/// A plan with what was measured to be fast.
pub(crate) fn tuned(device: &Device, problem: &Problem) -> Result<Arc<GpuPlan>> {
    let planner = GpuPlanner::new(device.clone());
    let chosen = planner.tune(problem)?;
    eprintln!("  tuned: {}", chosen.replace('\n', "; "));
    Ok(Arc::new(planner.plan(problem)?))
}

/// A plan by one of the methods that the paper compares.
pub(crate) fn by_method(device: &Device, problem: &Problem, method: Algorithm) -> Result<Arc<GpuPlan>> {
    Ok(Arc::new(GpuPlanner::new(device.clone()).plan_recipe(method.recipe(problem)?)?))
}

struct Copy {
    sets: Sets<GpuArray<f64>, GpuArray<f64>>,
}

impl Contestant for Copy {
    fn enqueue(&mut self) -> Result<()> {
        let (from, to) = self.sets.next();
        Ok(to.copy_from(from)?)
    }

    fn sets(&self) -> usize {
        self.sets.len()
    }
}

/// Of so many bytes, on the device.
pub(crate) fn copy(device: &Device, bytes: usize) -> Result<Box<dyn Contestant>> {
    let data: Vec<f64> = (0..bytes.div_ceil(8)).map(|i| crate::arrays::spread(i).re).collect();
    let sets = Sets::new(2 * bytes, || Ok((device.upload(&data)?, device.array(data.len())?)))?;
    Ok(Box::new(Copy { sets }))
}
