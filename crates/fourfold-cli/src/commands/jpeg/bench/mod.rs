//! `fourfold jpeg bench`: times of blocks by all algorithms, beside moving the same bytes, and of
//! files.

mod processor;

use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Error, Result, ensure};
use fourfold::Isa;
use fourfold::timing::table::{self, Table};
use fourfold::timing::{Pace, Summary, Work, take_turns};
use fourfold_gpu::Device;
use fourfold_jpeg::{Mode, Transform};
use serde::Serialize;

use crate::args::jpeg::JpegBench;
use crate::bench_targets::{Contestant, contestant};
use crate::block_targets::device::{BlockAlgorithm, OnDevice};
use crate::block_targets::source::{Direction, Source};
use crate::commands::jpeg::bench::processor::{Back, Blocks, Decoding, Move, MoveBack};
use crate::commands::jpeg::files::read;
use crate::engine::{Engine, only_planned};
use crate::print::print_json;

const MODES: [(Mode, &str); 2] = [(Mode::Fast, "fast"), (Mode::Exact, "exact")];

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
    timed: Contestant,
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
            Engine::Known(api, model) => return Err(only_planned(*api, model)),
        }
    }
    comparison.check_names()?;
    let times = comparison.measure()?;
    let measurements = comparison.measurements(&times);
    if args.json {
        return print_json(&measurements);
    }
    Ok(io::stdout().write_all(table(&measurements).padded().as_bytes())?)
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
    fn add<W: Work<Error = Error> + 'static>(
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
            let timed = contestant(work)?;
            self.entries.push(Entry { engine: engine.to_string(), threads, direction, algorithm, timed, psnr });
        }
        Ok(())
    }

    fn add_cpu(&mut self, on: Where, isa: Isa, file: &Option<Vec<u8>>) -> Result<()> {
        let sources = Rc::clone(&self.sources);
        self.add(on, Direction::Inverse, MOVE, || Ok((Move::new(&sources)?, Vec::new())))?;
        self.add(on, Direction::Forward, MOVE, || Ok((MoveBack::new(&sources)?, Vec::new())))?;
        for (mode, name) in MODES {
            let transform = Transform::builder().mode(mode).isa(isa).threads(on.1.unwrap_or(1)).build()?;
            self.add(on, Direction::Inverse, name, || Blocks::new(&sources, &transform))?;
            self.add(on, Direction::Forward, name, || Back::new(&sources, &transform))?;
            if let Some(file) = file {
                let limits = self.args.limit.limits();
                self.add(on, Direction::Decode, name, || {
                    Ok((Decoding::new(file, transform.clone(), limits)?, Vec::new()))
                })?;
            }
        }
        Ok(())
    }

    fn add_device(&mut self, on: Where, device: &Device) -> Result<()> {
        for direction in [Direction::Inverse, Direction::Forward] {
            let on_device = OnDevice::new(device, &self.sources, direction)?;
            for algorithm in BlockAlgorithm::all().iter().filter(|algorithm| algorithm.direction == direction) {
                self.add(on, direction, algorithm.name, || on_device.prepare(algorithm))?;
            }
        }
        Ok(())
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

    /// The times of all entries, in milliseconds.
    fn measure(&mut self) -> Result<Vec<Summary>> {
        let pace = Pace::lasting(Duration::from_secs_f64(self.args.seconds * self.entries.len() as f64));
        let times = take_turns(self.entries.iter_mut().map(|entry| &mut entry.timed), &pace)?;
        Ok(times.into_iter().map(|time| time.in_unit(1e3)).collect())
    }

    /// The time of moving the same bytes on the same engine.
    fn moving(&self, entry: &Entry, times: &[Summary]) -> Option<f64> {
        let is_its = |other: &Entry| {
            let of = |entry: &Entry| (entry.direction.name(), entry.engine.clone(), entry.threads);
            other.algorithm == MOVE && of(other) == of(entry)
        };
        self.entries.iter().zip(times).find(|(other, _)| is_its(other)).map(|(_, time)| time.median)
    }

    fn measurements(&self, times: &[Summary]) -> Vec<Measurement> {
        let coefficients: usize = self.sources.iter().map(|source| source.coefficients.len()).sum();
        let measurement = |(entry, time): (&Entry, &Summary)| {
            let Summary { median, min, max, .. } = *time;
            let moving = self.moving(entry, times);
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
        self.entries.iter().zip(times).map(measurement).collect()
    }
}

/// A Markdown table.
fn table(measurements: &[Measurement]) -> Table {
    const HEADS: [&str; 8] =
        ["engine, threads", "algorithm", "ms", "least … most", "GiB/s", "ns a block", "of moving", "PSNR, dB"];
    let mut table = Table::new(HEADS);
    measurements.iter().for_each(|measurement| table.row(cells(measurement)));
    table
}

fn cells(measurement: &Measurement) -> [String; 8] {
    let or_nothing = |x: Option<f64>, format: fn(f64) -> String| x.map_or(String::new(), format);
    let threads = measurement.threads.map_or(String::new(), |threads| format!(", {threads}"));
    let psnr: Vec<_> =
        measurement.psnr.iter().map(|psnr| psnr.map_or("inf".into(), |psnr| format!("{psnr:.1}"))).collect();
    [
        format!("{}{threads}", measurement.engine),
        measurement.algorithm.clone(),
        table::digits(measurement.median_ms),
        format!("{} … {}", table::digits(measurement.min_ms), table::digits(measurement.max_ms)),
        or_nothing(measurement.gib_per_second, table::ratio),
        or_nothing(measurement.ns_per_block, table::digits),
        or_nothing(measurement.of_moving, |x| format!("{x:.3}")),
        psnr.join(" "),
    ]
}
