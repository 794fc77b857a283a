//! `fourfold jpeg bench`: times of blocks by all algorithms, beside moving the same bytes, and of
//! files.

mod device;
mod errors;
mod processor;
mod source;

use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use fourfold::Isa;
use fourfold_gpu::Device;
use fourfold_jpeg::{Mode, Transform};
use serde::Serialize;

use crate::args::jpeg::JpegBench;
use crate::commands::jpeg::bench::device::{BlockAlgorithm, OnDevice};
use crate::commands::jpeg::bench::processor::{Back, Blocks, Decoding, Move, MoveBack, Zune};
use crate::commands::jpeg::bench::source::{Direction, Source};
use crate::commands::jpeg::files::read;
use crate::engine::Engine;
use crate::print::print_json;
use crate::timing::{Spread, Timed, Work};

const MODES: [(Mode, &str); 2] = [(Mode::Fast, "fast"), (Mode::Exact, "exact")];

/// Each algorithm is measured at least so often.
const LEAST_ROUNDS: usize = 5;

#[derive(Serialize)]
struct Measurement {
    engine: String,
    /// Only of the engine `cpu`.
    threads: Option<usize>,
    /// Such as `inverse fast`. Programs read the older key.
    #[serde(rename = "method")]
    algorithm: String,
    median_ms: f64,
    min_ms: f64,
    max_ms: f64,
    /// Of coefficients; `None` if a file is decoded.
    gib_per_second: Option<f64>,
    ns_per_block: Option<f64>,
    /// The time of moving the same bytes, divided by this time.
    of_moving: Option<f64>,
    /// The PSNR of each component in dB, against the rounded definition; `None` if all agree.
    psnr: Vec<Option<f64>>,
}

/// An algorithm that is timed.
struct Entry {
    engine: String,
    threads: Option<usize>,
    direction: Direction,
    algorithm: &'static str,
    timed: Timed,
    psnr: Vec<Option<f64>>,
}

/// Measures all algorithms in turn, so that other work on the machine slows all of them alike.
pub(super) fn time_blocks(args: &JpegBench) -> Result<()> {
    let file = args.input.as_deref().map(read).transpose()?;
    let name = || args.input.as_deref().unwrap_or(Path::new("")).display();
    let sources = match &file {
        None => vec![Source::random(args.size)?],
        Some(file) => Source::of_file(file, &args.limit.limits()).with_context(|| format!("cannot read {}", name()))?,
    };
    let mut comparison = BlockComparison { args, sources: Rc::new(sources), entries: Vec::new(), names: Vec::new() };
    for engine in &args.engine {
        match engine {
            Engine::Cpu(isa) => {
                let add = |&threads| comparison.add_cpu((engine, Some(threads)), isa.unwrap_or(Isa::best()), &file);
                args.threads.iter().try_for_each(add)?;
            }
            Engine::Gpu(id) => comparison.add_device((engine, None), &Device::open(&id.to_string())?)?,
            Engine::Architecture(_) => bail!("{engine} names no device, and so cannot be timed"),
        }
    }
    if let Some(file) = file.filter(|_| args.engine.iter().any(|engine| matches!(engine, Engine::Cpu(_)))) {
        let on = (&Engine::Cpu(None), Some(1));
        comparison.add(on, Direction::Decode, "zune-jpeg", || Ok((Zune::new(file)?, Vec::new())))?;
    }
    comparison.check_names()?;
    comparison.measure()?;
    let measurements = comparison.measurements();
    if args.json {
        return print_json(&measurements);
    }
    Ok(table(&measurements).iter().try_for_each(|line| writeln!(io::stdout(), "{line}"))?)
}

struct BlockComparison<'a> {
    args: &'a JpegBench,
    sources: Rc<Vec<Source>>,
    entries: Vec<Entry>,
    /// The names of all algorithms that there are.
    names: Vec<&'static str>,
}

/// An engine, and the number of threads of the engine `cpu`.
type Where<'a> = (&'a Engine, Option<usize>);

/// The name of the algorithm that only moves the bytes.
const MOVE: &str = "move";

impl BlockComparison<'_> {
    /// Adds an algorithm if it was asked for; `prepare` makes its work and measures its errors.
    fn add<W: Work + 'static>(
        &mut self,
        (engine, threads): Where,
        direction: Direction,
        algorithm: &'static str,
        prepare: impl FnOnce() -> Result<(W, Vec<Option<f64>>)>,
    ) -> Result<()> {
        self.names.push(algorithm);
        let wanted = &self.args.algorithm;
        if algorithm == MOVE || wanted.is_empty() || wanted.iter().any(|name| name == algorithm) {
            let (work, psnr) = prepare()?;
            let timed = Timed::warm(work)?;
            self.entries.push(Entry { engine: engine.to_string(), threads, direction, algorithm, timed, psnr });
        }
        Ok(())
    }

    fn add_cpu(&mut self, on: Where, isa: Isa, file: &Option<Vec<u8>>) -> Result<()> {
        let sources = Rc::clone(&self.sources);
        self.add(on, Direction::Inverse, MOVE, || Ok((Move::new(&sources), Vec::new())))?;
        self.add(on, Direction::Forward, MOVE, || Ok((MoveBack::new(&sources), Vec::new())))?;
        for (mode, name) in MODES {
            let transform = Transform::builder().mode(mode).isa(isa).threads(on.1.unwrap_or(1)).build()?;
            self.add(on, Direction::Inverse, name, || Blocks::new(&sources, &transform))?;
            self.add(on, Direction::Forward, name, || Back::new(&sources, &transform))?;
            if let Some(file) = file {
                let limits = self.args.limit.limits();
                self.add(on, Direction::Decode, name, || {
                    Ok((Decoding::new(file, transform.clone(), limits), Vec::new()))
                })?;
            }
        }
        Ok(())
    }

    fn add_device(&mut self, on: Where, device: &Device) -> Result<()> {
        let all = OnDevice::new(device, &self.sources)?;
        let mut add =
            |algorithm: &BlockAlgorithm| self.add(on, algorithm.direction, algorithm.name, || all.prepare(algorithm));
        BlockAlgorithm::all().iter().try_for_each(&mut add)
    }

    /// An error if an algorithm was asked for that does not exist.
    fn check_names(&self) -> Result<()> {
        let mut known = self.names.clone();
        known.sort_unstable();
        known.dedup();
        for name in &self.args.algorithm {
            ensure!(known.contains(&&**name), "there is no algorithm {name:?}; there are {}", known.join(", "));
        }
        Ok(())
    }

    fn measure(&mut self) -> Result<()> {
        let start = Instant::now();
        let entries = &mut self.entries;
        let enough = |samples, count: usize| {
            samples >= LEAST_ROUNDS && start.elapsed().as_secs_f64() >= self.args.seconds * count as f64
        };
        while !enough(entries[0].timed.samples(), entries.len()) {
            entries.iter_mut().try_for_each(|entry| entry.timed.sample())?;
        }
        Ok(())
    }

    /// The time of moving the same bytes on the same engine.
    fn moving(&self, entry: &Entry) -> Option<f64> {
        let is_its = |other: &&Entry| {
            let of = |entry: &Entry| (entry.direction.name(), entry.engine.clone(), entry.threads);
            other.algorithm == MOVE && of(other) == of(entry)
        };
        self.entries.iter().find(is_its).map(|other| other.timed.spread().median)
    }

    fn measurements(&self) -> Vec<Measurement> {
        let coefficients: usize = self.sources.iter().map(|source| source.coefficients.len()).sum();
        let measurement = |entry: &Entry| {
            let Spread { median, min, max } = entry.timed.spread();
            let moving = self.moving(entry);
            Measurement {
                engine: entry.engine.clone(),
                threads: entry.threads,
                algorithm: format!("{} {}", entry.direction.name(), entry.algorithm),
                median_ms: median,
                min_ms: min,
                max_ms: max,
                gib_per_second: moving.map(|_| 2.0 * coefficients as f64 / median * 1e3 / (1u64 << 30) as f64),
                ns_per_block: moving.map(|_| median * 1e6 / (coefficients / 64) as f64),
                of_moving: moving.map(|moving| moving / median),
                psnr: entry.psnr.clone(),
            }
        };
        self.entries.iter().map(measurement).collect()
    }
}

/// A Markdown table.
fn table(measurements: &[Measurement]) -> Vec<String> {
    let row = |engine: &str, algorithm: &str, rest: [&str; 6]| {
        let [ms, spread, rate, ns, share, psnr] = rest;
        format!(
            "| {engine:<15} | {algorithm:<18} | {ms:>9} | {spread:>19} | {rate:>7} | {ns:>10} | {share:>9} | {psnr} |"
        )
    };
    let heads = ["ms", "least … most", "GiB/s", "ns a block", "of moving", "PSNR, dB"];
    let rule = "|---|---|--:|--:|--:|--:|--:|---|".to_owned();
    let head = [row("engine, threads", "algorithm", heads), rule];
    head.into_iter().chain(measurements.iter().map(|measurement| text(measurement, row))).collect()
}

fn text(measurement: &Measurement, row: impl Fn(&str, &str, [&str; 6]) -> String) -> String {
    let number = |x: Option<f64>, digits: usize| x.map_or(String::new(), |x| format!("{x:.digits$}"));
    let spread = format!("{:.3} … {:.3}", measurement.min_ms, measurement.max_ms);
    let psnr: Vec<_> =
        measurement.psnr.iter().map(|psnr| psnr.map_or("inf".into(), |psnr| format!("{psnr:.1}"))).collect();
    let rest = [
        number(Some(measurement.median_ms), 3),
        spread,
        number(measurement.gib_per_second, 2),
        number(measurement.ns_per_block, 3),
        number(measurement.of_moving, 3),
        psnr.join(" "),
    ];
    let threads = measurement.threads.map_or(String::new(), |threads| format!(", {threads}"));
    row(&format!("{}{threads}", measurement.engine), &measurement.algorithm, rest.each_ref().map(String::as_str))
}
