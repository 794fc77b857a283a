//! Times beside cuFFT and a copy, all in this process, as a table in Markdown.

use crate::Outcome;
use crate::cufft::Rival;
use fourfold::{Domain, Element, Precision, Problem};
use fourfold_gpu::{Api, Cache, Device, GpuArray, GpuPlan, GpuPlanner};
use num_complex::Complex;
use std::time::{Duration, Instant};

/// Arrays are taken in turns so that no cache still holds them: the largest has 60 MB.
const MEMORY: usize = 320 << 20;

/// Groups of runs; their median is printed.
const GROUPS: usize = 9;

/// What a group takes.
const GROUP: Duration = Duration::from_millis(20);

const SIZES: [usize; 5] = [512, 1024, 2048, 4096, 8192];

/// Prints a row for every problem, those of the speed goals if none is named.
pub(crate) fn table(device: &Device, texts: &[String]) -> Outcome<()> {
    let of = |head: &str| SIZES.map(|n| format!("{head} {n}x{n}"));
    let all = ["dct2 f32", "dct3 f32", "dct2 f64", "dct3 f64"].map(of).concat();
    println!(
        "| problem | plan, ms | from the cache, ms | transform, µs | copy, µs | × copy | cuFFT, µs | × cuFFT |\n|---|---|---|---|---|---|---|---|"
    );
    for text in if texts.is_empty() { &all } else { texts } {
        let problem: Problem = text.parse()?;
        match (problem.precision(), problem.input_domain(), problem.output_domain()) {
            (Precision::F32, Domain::Real, Domain::Real) => row::<f32>(device, &problem)?,
            (Precision::F64, Domain::Real, Domain::Real) => row::<f64>(device, &problem)?,
            (Precision::F32, Domain::Complex, Domain::Complex) => row::<Complex<f32>>(device, &problem)?,
            (Precision::F64, Domain::Complex, Domain::Complex) => row::<Complex<f64>>(device, &problem)?,
            _ => {
                return Err(
                    format!("{problem}: only transforms from real to real or complex to complex are timed").into()
                );
            }
        }
    }
    Ok(())
}

/// Work that is timed in turns with other work.
pub(crate) trait Work {
    /// Enqueues it once.
    fn run(&mut self) -> Outcome<()>;
    /// Waits for all that was enqueued.
    fn finish(&self) -> Outcome<()>;
}

fn row<T: Sample>(device: &Device, problem: &Problem) -> Outcome<()> {
    let (plan, [fresh, kept]) = plans(device, problem)?;
    let sets = || Sets::<T>::new(device, problem);
    let mut works: Vec<Box<dyn Work>> =
        vec![Box::new(Transform { plan, sets: sets()? }), Box::new(Copy { sets: sets()? })];
    if device.info().id.api == Api::Cuda {
        let rival = Rival::new(device.info().id.number, problem, MEMORY)?;
        works.extend(rival.map(|rival| Box::new(rival) as Box<dyn Work>));
    }
    let times = medians(&mut works)?;
    let (transform, copy) = (times[0], times[1]);
    let beside = times.get(2).map_or("– | –".into(), |rival| format!("{rival:.1} | {:.2}", transform / rival));
    let ratio = transform / copy;
    println!("| `{problem}` | {fresh:.0} | {kept:.1} | {transform:.1} | {copy:.1} | {ratio:.2} | {beside} |");
    Ok(())
}

/// A plan, and milliseconds that it took without a cache, and with its kernels on disk.
fn plans(device: &Device, problem: &Problem) -> Outcome<(GpuPlan, [f64; 2])> {
    let timed = |cache: Option<Cache>| -> fourfold::Result<(GpuPlan, f64)> {
        let start = Instant::now();
        let plan = GpuPlanner::with_cache(device.clone(), cache).plan(problem)?;
        Ok((plan, 1e3 * start.elapsed().as_secs_f64()))
    };
    let cache = Cache::open(std::env::temp_dir().join(format!("fourfold-device-test-{}", std::process::id())));
    let (_, fresh) = timed(None)?;
    timed(Some(cache.clone()))?;
    let (plan, kept) = timed(Some(cache.clone()))?;
    cache.clear()?;
    let _ = std::fs::remove_dir(cache.folder());
    Ok((plan, [fresh, kept]))
}

/// Inputs with outputs, taken in turns.
struct Sets<T> {
    device: Device,
    sets: Vec<(GpuArray<T>, GpuArray<T>)>,
    turn: usize,
}

impl<T: Sample> Sets<T> {
    fn new(device: &Device, problem: &Problem) -> fourfold::Result<Sets<T>> {
        let (input, output) = (problem.input().len, problem.output().len);
        let data: Vec<T> = (0..input).map(|i| T::of(spread(i))).collect();
        let count = MEMORY.div_ceil((input + output) * size_of::<T>()).max(2);
        let sets = (0..count).map(|_| Ok((device.upload(&data)?, device.array(output)?)));
        Ok(Sets { sets: sets.collect::<fourfold::Result<_>>()?, device: device.clone(), turn: 0 })
    }

    fn next(&mut self) -> (&GpuArray<T>, &mut GpuArray<T>) {
        self.turn = (self.turn + 1) % self.sets.len();
        let (input, output) = &mut self.sets[self.turn];
        (input, output)
    }
}

struct Transform<T> {
    plan: GpuPlan,
    sets: Sets<T>,
}

impl<T: Sample> Work for Transform<T> {
    fn run(&mut self) -> Outcome<()> {
        let (input, output) = self.sets.next();
        Ok(self.plan.execute_on(input, output)?)
    }

    fn finish(&self) -> Outcome<()> {
        Ok(self.sets.device.finish()?)
    }
}

struct Copy<T> {
    sets: Sets<T>,
}

impl<T: Sample> Work for Copy<T> {
    fn run(&mut self) -> Outcome<()> {
        let (input, output) = self.sets.next();
        Ok(output.copy_from(input)?)
    }

    fn finish(&self) -> Outcome<()> {
        Ok(self.sets.device.finish()?)
    }
}

/// Elements that are made of numbers.
trait Sample: Element {
    fn of(z: Complex<f64>) -> Self;
}

impl Sample for f32 {
    fn of(z: Complex<f64>) -> f32 {
        z.re as f32
    }
}

impl Sample for f64 {
    fn of(z: Complex<f64>) -> f64 {
        z.re
    }
}

impl Sample for Complex<f32> {
    fn of(z: Complex<f64>) -> Complex<f32> {
        Complex::new(z.re as f32, z.im as f32)
    }
}

impl Sample for Complex<f64> {
    fn of(z: Complex<f64>) -> Complex<f64> {
        z
    }
}

/// Weyl's sequence: spread evenly, and no zeros, on which a GPU spends less power.
pub(crate) fn spread(i: usize) -> Complex<f64> {
    let part = |x: f64| (x * 0.618_033_988_749_895).fract() - 0.5;
    Complex::new(part(i as f64), part(i as f64 + 0.5))
}

/// The median time of one run of each work, in microseconds; they take turns.
fn medians(works: &mut [Box<dyn Work>]) -> Outcome<Vec<f64>> {
    let mut counts = vec![];
    for work in works.iter_mut() {
        time(&mut **work, 2)?;
        let one = time(&mut **work, 5)?;
        counts.push((1e6 * GROUP.as_secs_f64() / one).clamp(5.0, 5000.0) as u32);
    }
    let mut times = vec![vec![]; works.len()];
    for _ in 0..GROUPS {
        for (i, work) in works.iter_mut().enumerate() {
            times[i].push(time(&mut **work, counts[i])?);
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    Ok(times.iter().map(|times| times[GROUPS / 2]).collect())
}

/// Microseconds that one of `count` runs takes.
fn time(work: &mut dyn Work, count: u32) -> Outcome<f64> {
    work.finish()?;
    let start = Instant::now();
    (0..count).try_for_each(|_| work.run())?;
    work.finish()?;
    Ok(1e6 * start.elapsed().as_secs_f64() / f64::from(count))
}
