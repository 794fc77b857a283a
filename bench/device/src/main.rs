//! Times of fourfold on an NVIDIA GPU beside cuFFT and copies, in one process; and of VkFFT and
//! CuPy beside copies in theirs. Writes `results.json`, `tables.md` and `launches.md`. The binary
//! needs no other file but `peers.py`, so that it can be carried to a machine without Rust:
//!
//! ```sh
//! device_bench out --python python3 --peers peers.py   # all groups
//! device_bench out --tune 2d 3d                        # two groups, and what tuning gains
//! device_bench out solvers                             # Neumann solves, verified first
//! device_bench out "dct2 f32 640x480"                  # any problem
//! device_bench out --random problems.txt               # many, a line each, in fewer turns
//! device_bench out --algorithm n-point "dct2 f64 16384"   # what the paper compares, beside it
//! ```

mod arrays;
mod cufft;
mod groups;
mod ours;
mod report;
mod solvers;
mod turns;

use anyhow::{Context, Result, bail};
use cudarc::driver::{CudaContext, CudaStream};
use cufft::CuFft;
use fourfold::Problem;
use fourfold::baseline::Algorithm;
use fourfold::timing::table::Origin;
use fourfold_gpu::{Api, Device, GpuPlan};
use groups::{Bar, Group};
use serde::{Deserialize, Serialize};
use solvers::{PREFIX, Solve};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use turns::{Contestant, TurnPace};

/// The commit that `cargo xtask device-bench` built this from.
const COMMIT: Option<&str> = option_env!("FOURFOLD_COMMIT");

const USAGE: &str = "usage: device_bench DIR [--device 0] [--tune] [--algorithm A]… [--python PYTHON --peers peers.py] [--random FILE] [GROUP…] [PROBLEM…]";

/// A contestant's times for a problem, in microseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    problem: String,
    name: String,
    /// Enqueued one after another.
    stream: f64,
    /// From a CUDA graph.
    graph: Option<f64>,
    /// Those of a copy of the input in the same process.
    copy_stream: f64,
    copy_graph: Option<f64>,
}

/// One launch of fourfold's plan.
#[derive(Clone, Debug, Serialize)]
struct Launch {
    problem: String,
    what: String,
    microseconds: f64,
    copies: f64,
    /// Bytes a second, of the problem's arrays alone, one read and one written.
    rate: f64,
}

/// All that was measured of a group.
#[derive(Serialize)]
struct Results {
    name: String,
    title: String,
    #[serde(skip)]
    problems: Vec<(String, Vec<Bar>)>,
    entries: Vec<Entry>,
    launches: Vec<Launch>,
    /// Problems, and milliseconds that planning took: with kernels to compile, with all on disk.
    planning: Vec<(String, f64, f64)>,
    /// What could not be timed, and why.
    missing: Vec<String>,
    /// Whether a summary stands in place of targets.
    #[serde(skip)]
    summary: bool,
}

struct Arguments {
    folder: PathBuf,
    device: usize,
    tune: bool,
    /// Further contestants.
    methods: Vec<Algorithm>,
    python: Option<String>,
    peers: PathBuf,
    /// Many problems, in fewer turns, with a summary.
    random: bool,
    groups: Vec<Group>,
}

impl Arguments {
    fn turns(&self) -> TurnPace {
        if self.random { TurnPace::MANY } else { TurnPace::FEW }
    }
}

fn main() -> ExitCode {
    match arguments().and_then(|arguments| run_groups(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("device_bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<Arguments> {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().context(USAGE)?);
    let (mut device, mut tune, mut python, mut peers) = (0, false, None, PathBuf::from("peers.py"));
    let (mut names, mut problems, mut methods, mut random) = (vec![], vec![], vec![], false);
    while let Some(word) = words.next() {
        match &*word {
            "--device" => device = words.next().context(USAGE)?.parse()?,
            "--tune" => tune = true,
            "--algorithm" | "--method" => methods.push(words.next().context(USAGE)?.parse()?),
            "--python" => python = Some(words.next().context(USAGE)?),
            "--peers" => peers = words.next().context(USAGE)?.into(),
            "--random" => {
                random = true;
                for line in fs::read_to_string(words.next().context(USAGE)?)?.lines() {
                    problems.push((line.parse::<Problem>()?.to_string(), vec![]));
                }
            }
            _ if word.starts_with('-') => bail!(USAGE),
            _ if word.contains(' ') => problems.push((word.parse::<Problem>()?.to_string(), vec![])),
            _ => names.push(word),
        }
    }
    let groups = chosen(&names, problems)?;
    Ok(Arguments { folder, device, tune, methods, python, peers, random, groups })
}

/// The group of problems that the command names.
const OWN: &str = "own";

fn chosen(names: &[String], problems: Vec<(String, Vec<Bar>)>) -> Result<Vec<Group>> {
    let all = groups::all();
    if let Some(name) = names.iter().find(|name| !all.iter().any(|group| group.name == **name)) {
        let known = all.iter().map(|group| group.name).collect::<Vec<_>>().join(", ");
        bail!("there is no group {name:?}; there are {known}");
    }
    if !problems.is_empty() {
        return Ok(vec![Group { name: OWN, title: "Problems by name", problems }]);
    }
    Ok(all.into_iter().filter(|group| names.is_empty() || names.iter().any(|name| group.name == name)).collect())
}

fn run_groups(arguments: &Arguments) -> Result<()> {
    fs::create_dir_all(&arguments.folder)?;
    let ours = Device::cuda(arguments.device)?;
    let context = CudaContext::new(arguments.device)?;
    // SAFETY: everything runs on one stream.
    unsafe { context.disable_event_tracking() };
    let stream = context.new_stream()?;
    // SAFETY: the stream outlives the device, and belongs to the primary context.
    let device = unsafe { ours.with_raw_queue(stream.cu_stream().cast()) }?;
    let mut all = vec![];
    for group in &arguments.groups {
        eprintln!("{}", group.title);
        all.push(measured(arguments, group, &device, &stream)?);
        let origin = Origin::today(COMMIT.unwrap_or("unknown"), machine(&ours)?);
        fs::write(arguments.folder.join("tables.md"), report::tables(&origin, &all))?;
        fs::write(arguments.folder.join("launches.md"), report::launches(&origin, ours.name(), &all))?;
        fs::write(arguments.folder.join("results.json"), serde_json::to_string_pretty(&all)?)?;
    }
    println!("{}", fs::read_to_string(arguments.folder.join("tables.md"))?);
    Ok(())
}

/// The device, and what drives it.
fn machine(device: &Device) -> Result<String> {
    let mut driver = 0;
    // SAFETY: writes to what lives until it returns.
    unsafe { cudarc::driver::sys::cuDriverGetVersion(&mut driver) }.result()?;
    let module = fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let module = module.split_whitespace().find(|word| word.split('.').count() == 3).unwrap_or("unknown").to_owned();
    let cuda = format!("CUDA {}.{}", driver / 1000, driver % 1000 / 10);
    Ok(format!("{} ({}), driver {module}, {cuda}", device.name(), device.info().version))
}

fn measured(arguments: &Arguments, group: &Group, device: &Device, stream: &Arc<CudaStream>) -> Result<Results> {
    let mut results = Results {
        name: group.name.into(),
        title: group.title.into(),
        problems: group.problems.clone(),
        entries: vec![],
        launches: vec![],
        planning: vec![],
        missing: vec![],
        summary: arguments.random,
    };
    let plans = match arguments.random {
        true => ours::plans(device, group.problems.iter().map(|(text, _)| &**text))?,
        false => HashMap::new(),
    };
    for (text, _) in &group.problems {
        eprintln!("  {text}");
        let timed = match text.strip_prefix(PREFIX) {
            Some(name) => time_solve(arguments, text, name, device, stream, &mut results),
            None => time_in_process(arguments, text, plans.get(text), device, stream, &mut results),
        };
        if let Err(error) = timed {
            results.missing.push(format!("`{text}`: {error:#}"));
        }
    }
    match &arguments.python {
        _ if results.entries.iter().any(|entry| entry.problem.starts_with(PREFIX)) => {}
        Some(python) => match peers(python, &arguments.peers, &group.problems) {
            Ok(entries) => results.entries.extend(entries),
            Err(error) => results.missing.push(format!("VkFFT and CuPy: {error:#}")),
        },
        None => results.missing.push("VkFFT and CuPy: no --python was named".into()),
    }
    Ok(results)
}

/// All that can be timed in this process.
fn time_in_process(
    arguments: &Arguments,
    text: &str,
    plan: Option<&Arc<GpuPlan>>,
    device: &Device,
    stream: &Arc<CudaStream>,
    results: &mut Results,
) -> Result<()> {
    let problem: &Problem = &text.parse()?;
    let plan = if let Some(plan) = plan {
        Arc::clone(plan)
    } else {
        let (plan, [fresh, kept]) = ours::planned(device, problem)?;
        results.planning.push((text.to_owned(), fresh, kept));
        plan
    };
    let mut best = Arc::clone(&plan);
    let mut names = vec!["copy".to_owned(), "fourfold".to_owned()];
    let mut works = vec![ours::copy(device, arrays::input_bytes(problem))?, ours::transform(device, &plan, None)?];
    if arguments.tune {
        best = ours::tuned(device, problem)?;
        names.push("fourfold tuned".into());
        works.push(ours::transform(device, &best, None)?);
    }
    for method in &arguments.methods {
        match ours::by_method(device, problem, *method) {
            Ok(plan) => {
                names.push(method.name().into());
                works.push(ours::transform(device, &plan, None)?);
            }
            Err(error) => results.missing.push(format!("{} for `{text}`: {error:#}", method.name())),
        }
    }
    match CuFft::new(stream, problem) {
        Ok(cufft) => {
            names.push("cuFFT".into());
            works.push(Box::new(cufft));
        }
        Err(error) => results.missing.push(format!("cuFFT for `{text}`: {error:#}")),
    }
    let copy = take_turns(arguments.turns(), text, &names, works, stream, results)?;
    // Of hundreds of problems, nobody reads the time of each launch.
    if !arguments.random {
        launches(arguments.turns(), text, device, &best, stream, copy, results)?;
    }
    through_opencl(arguments, text, results)
}

/// A solve, each of its launches, and the contestants beside it.
fn time_solve(
    arguments: &Arguments,
    text: &str,
    name: &str,
    device: &Device,
    stream: &Arc<CudaStream>,
    results: &mut Results,
) -> Result<()> {
    let solve = Solve::new(device, name)?;
    let (names, works): (Vec<_>, Vec<_>) = solve.contestants(device, stream)?.into_iter().unzip();
    let copy = take_turns(arguments.turns(), text, &names, works, stream, results)?;
    launches(arguments.turns(), text, device, &solve.plan, stream, copy, results)
}

/// Times contestants, of which the first is a copy, and keeps their times. Returns the copy's: the
/// driver copies some sizes more slowly in a graph.
fn take_turns(
    turns: TurnPace,
    text: &str,
    names: &[impl ToString],
    mut works: Vec<Box<dyn Contestant>>,
    stream: &Arc<CudaStream>,
    results: &mut Results,
) -> Result<f64> {
    let finish = || Ok(stream.synchronize()?);
    let (enqueued, graphs) = (turns.enqueued(&mut works, &finish)?, turns.from_graphs(&mut works, stream)?);
    for (name, (stream, graph)) in names.iter().zip(enqueued.iter().zip(&graphs)) {
        let (problem, name) = (text.to_owned(), name.to_string());
        let (copy_stream, copy_graph) = (enqueued[0], Some(graphs[0]));
        results.entries.push(Entry { problem, name, stream: *stream, graph: Some(*graph), copy_stream, copy_graph });
    }
    Ok(graphs[0].min(enqueued[0]))
}

/// Each launch of the plan by itself, from a graph.
fn launches(
    turns: TurnPace,
    text: &str,
    device: &Device,
    plan: &Arc<GpuPlan>,
    stream: &Arc<CudaStream>,
    copy: f64,
    results: &mut Results,
) -> Result<()> {
    for (number, source) in plan.sources().iter().enumerate() {
        let steps = source.lines().filter_map(|line| line.trim().strip_prefix("// "));
        let what = steps.collect::<Vec<_>>().join("; ");
        let time = turns.from_graphs(&mut [ours::transform(device, plan, Some(number))?], stream)?[0];
        let rate = arrays::bytes(plan.problem()) as f64 / (1e-6 * time);
        results.launches.push(Launch { problem: text.to_owned(), what, microseconds: time, copies: time / copy, rate });
    }
    Ok(())
}

/// The same GPU through OpenCL, for the squares.
fn through_opencl(arguments: &Arguments, text: &str, results: &mut Results) -> Result<()> {
    if results.name != "2d" {
        return Ok(());
    }
    let problem: &Problem = &text.parse()?;
    let name = Device::cuda(arguments.device)?.name().to_owned();
    let all = Device::list(Api::OpenCl).unwrap_or_default();
    let number = all.iter().find(|device| device.name == name).map(|device| device.id.number);
    let Some(number) = number else {
        results.missing.push(format!("OpenCL for `{text}`: it does not show {name}"));
        return Ok(());
    };
    let device = Device::opencl(number)?;
    let (plan, _) = ours::planned(&device, problem)?;
    let mut works = vec![ours::copy(&device, arrays::input_bytes(problem))?, ours::transform(&device, &plan, None)?];
    let times = arguments.turns().enqueued(&mut works, &|| Ok(device.finish()?))?;
    let (problem, name) = (text.to_owned(), "fourfold, OpenCL".to_owned());
    let entry = Entry { problem, name, stream: times[1], graph: None, copy_stream: times[0], copy_graph: None };
    results.entries.push(entry);
    Ok(())
}

/// What the script times of the peers that Python has.
fn peers(python: &str, script: &Path, problems: &[(String, Vec<Bar>)]) -> Result<Vec<Entry>> {
    let texts = problems.iter().map(|(text, _)| text);
    let output =
        Command::new(python).arg(script).args(texts).output().with_context(|| format!("cannot run {python}"))?;
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        bail!("{} failed: {}", script.display(), String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or(""));
    }
    serde_json::from_slice(&output.stdout).context("the script's answer is no JSON")
}
