//! Verifies a sweep of problems on a device, then times 2D transforms beside a copy of the same arrays.
//!
//! ```sh
//! cargo run --release --example device_check -- cuda:0          # both
//! cargo run --release --example device_check -- opencl:0 verify
//! cargo run --release --example device_check -- cuda:0 time
//! cargo run --release --example device_check -- cuda:0 time "dct2 f64 1000x1000"
//! ```

#[path = "../tests/common/mod.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod common;

use common::{read, verdict};
use fourfold::{Element, Kind, Precision, Problem, Result};
use fourfold_gpu::{Device, GpuPlanner};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const FILES: [&str; 2] = [include_str!("../../../cases/small.txt"), include_str!("../../../cases/gpu.txt")];

/// Lengths of the sweep: all small ones, and some of every sort beyond.
const LENGTHS: [usize; 24] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 31, 64, 97, 100, 128, 255, 257, 512, 1000, 1439, 4096, 8191];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("cuda:0", String::as_str);
    let (verify, time) = match arguments.get(1).map(String::as_str) {
        Some("verify") => (true, false),
        Some("time") => (false, true),
        _ => (true, true),
    };
    let device = Device::open(name).unwrap_or_else(|e| panic!("{e}"));
    println!("{name}: {}", device.name());
    let wrong = if verify { verify_all(&device) } else { 0 };
    if time {
        time_all(&device, arguments.get(2)).unwrap_or_else(|e| panic!("{e}"));
    }
    std::process::exit(i32::from(wrong > 0));
}

/// Returns how many problems were wrong.
fn verify_all(device: &Device) -> usize {
    let mut problems: Vec<Problem> = FILES.iter().flat_map(|file| read(file)).collect();
    problems.extend(sweep());
    let (start, next, wrong) = (Instant::now(), AtomicUsize::new(0), AtomicUsize::new(0));
    let worker = || {
        let planner = GpuPlanner::new(device.clone());
        while let Some(problem) = problems.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = verdict(&planner, problem, 1);
            if !result.as_ref().is_ok_and(|verdict| verdict.holds()) {
                wrong.fetch_add(1, Ordering::Relaxed);
                let text: String = format!("{result:?}").chars().take(600).collect();
                println!("WRONG {problem}: {text}");
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(4, |n| n.get().min(16)) {
            scope.spawn(worker);
        }
    });
    let (count, wrong) = (problems.len(), wrong.into_inner());
    println!("{count} problems verified, {wrong} wrong, {:.0} s", start.elapsed().as_secs_f64());
    wrong
}

/// Every kind at every length, precisions and layouts in turn.
fn sweep() -> Vec<Problem> {
    let pairs = Kind::ALL.iter().flat_map(|kind| LENGTHS.iter().map(move |n| (kind, n)));
    let text = |(i, (kind, n)): (usize, (&Kind, &usize))| {
        let (precision, n) = (["f64", "f32"][i % 2], (*n).max(kind.min_length()));
        match i % 3 {
            0 => format!("{kind} {precision} {n}"),
            1 => format!("{kind} {precision} 5x{n} axes=1"),
            _ => format!("{kind} {precision} {n}x6 axes=0"),
        }
    };
    pairs.enumerate().map(text).map(|text| text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))).collect()
}

fn time_all(device: &Device, only: Option<&String>) -> Result<()> {
    println!("| problem | plan ms | transform µs | copy µs | × copy |\n|---|---|---|---|---|");
    let sizes = [512, 1024, 2048, 4096, 8192];
    let of = |head: &str| sizes.map(|n| format!("{head} {n}x{n}"));
    let all = ["dct2 f32", "dct3 f32", "dct2 f64", "dct3 f64"].map(of).concat();
    for text in only.map_or(all, |text| vec![text.clone()]) {
        let problem: Problem = text.parse()?;
        match problem.precision() {
            Precision::F32 => time_one(device, &problem, |x| x as f32)?,
            Precision::F64 => time_one(device, &problem, |x| x)?,
        }
    }
    Ok(())
}

fn time_one<T: Element>(device: &Device, problem: &Problem, of: impl Fn(f64) -> T) -> Result<()> {
    let start = Instant::now();
    let plan = GpuPlanner::new(device.clone()).plan(problem)?;
    let planned = start.elapsed();
    let len = problem.input().len;
    // Weyl's sequence: spread evenly, and no zeros.
    let data: Vec<T> = (0..len).map(|i| of((i as f64 * 0.618_033_988_749_895).fract() - 0.5)).collect();
    let (x, mut y) = (device.upload(&data)?, device.array::<T>(len)?);
    let copy = median(device, || y.copy_from(&x))?;
    let transform = median(device, || plan.execute_on(&x, &mut y))?;
    let (us, ms) = (|t: Duration| 1e6 * t.as_secs_f64(), 1e3 * planned.as_secs_f64());
    let ratio = us(transform) / us(copy);
    println!("| {problem} | {ms:.0} | {:.1} | {:.1} | {ratio:.2} |", us(transform), us(copy));
    Ok(())
}

/// The median of seven times of one call, each from a run of about 20 ms after a warm-up.
fn median(device: &Device, mut call: impl FnMut() -> Result<()>) -> Result<Duration> {
    let mut run = |count: u32| -> Result<Duration> {
        device.finish()?;
        let start = Instant::now();
        (0..count).try_for_each(|_| call())?;
        device.finish()?;
        Ok(start.elapsed() / count)
    };
    run(2)?;
    let one = run(5)?;
    let count = (0.02 / one.as_secs_f64().max(1e-7)).clamp(5.0, 2000.0) as u32;
    let mut times = (0..7).map(|_| run(count)).collect::<Result<Vec<_>>>()?;
    times.sort();
    Ok(times[3])
}
