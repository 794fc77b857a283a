//! `fourfold jpeg bench`: blocks by all methods, beside moving the same bytes, and files.

mod device;
mod errors;
mod processor;

use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Error, Result, bail, ensure};
use fourfold::Isa;
use fourfold::timing::table::{self, Table as Lines};
use fourfold::timing::{Pace, Summary, Work, take_turns};
use fourfold_gpu::Device;
use fourfold_jpeg::{Component, Limits, Mode, Table, Transform, read_coefficients};
use serde::Serialize;

use self::device::{OnDevice, Way};
use self::processor::{Back, Blocks, Decoding, Move, MoveBack, Zune};
use super::read;
use crate::args::JpegBench;
use crate::array::check_memory;
use crate::commands::print_json;
use crate::engine::Engine;
use crate::work::{Contestant, contestant};

const MODES: [(Mode, &str); 2] = [(Mode::Fast, "fast"), (Mode::Exact, "exact")];

/// A component's coefficients and table.
struct Source {
    table: Table,
    coefficients: Vec<i16>,
}

/// What is timed.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    /// Coefficients to samples.
    Inverse,
    /// Samples to coefficients.
    Forward,
    /// A file to pixels.
    Decode,
}

impl Direction {
    fn name(self) -> &'static str {
        match self {
            Direction::Inverse => "inverse",
            Direction::Forward => "forward",
            Direction::Decode => "decode",
        }
    }
}

#[derive(Serialize)]
struct Line {
    engine: String,
    /// Of the processor.
    threads: Option<usize>,
    /// Such as `inverse fast`.
    method: String,
    median_ms: f64,
    min_ms: f64,
    max_ms: f64,
    /// Of coefficients; of nothing where a file is decoded.
    gib_per_second: Option<f64>,
    ns_per_block: Option<f64>,
    /// The time of moving the same bytes in this one's.
    of_moving: Option<f64>,
    /// Against the rounded definition, of each component, in dB; absent where all agree.
    psnr: Vec<Option<f64>>,
}

/// Something to be timed.
struct Entry {
    engine: String,
    threads: Option<usize>,
    direction: Direction,
    method: &'static str,
    timed: Contestant,
    psnr: Vec<Option<f64>>,
}

/// Measures all methods in turn, so that all meet the same weather.
pub(super) fn run(args: &JpegBench) -> Result<()> {
    let file = args.input.as_deref().map(read).transpose()?;
    let name = || args.input.as_deref().unwrap_or(Path::new("")).display();
    let sources = match &file {
        None => vec![random(args.size)?],
        Some(file) => of_file(file, &args.limit.limits()).with_context(|| format!("cannot read {}", name()))?,
    };
    let mut contest = Contest { args, sources: Rc::new(sources), entries: Vec::new(), names: Vec::new() };
    for engine in &args.engine {
        match engine {
            Engine::Cpu(isa) => {
                let enter = |&threads| contest.enter_cpu((engine, Some(threads)), isa.unwrap_or(Isa::best()), &file);
                args.threads.iter().try_for_each(enter)?;
            }
            Engine::Gpu(id) => contest.enter_device((engine, None), &Device::open(&id.to_string())?)?,
            Engine::Architecture(_) => bail!("{engine} has no device to be timed"),
        }
    }
    if let Some(file) = file.filter(|_| args.engine.iter().any(|engine| matches!(engine, Engine::Cpu(_)))) {
        let on = (&Engine::Cpu(None), Some(1));
        contest.enter(on, Direction::Decode, "zune-jpeg", || Ok((Zune::new(file)?, Vec::new())))?;
    }
    contest.check_names()?;
    let times = contest.measure()?;
    let lines = contest.lines(&times);
    if args.json {
        return print_json(&lines);
    }
    Ok(io::stdout().write_all(table(&lines).padded().as_bytes())?)
}

struct Contest<'a> {
    args: &'a JpegBench,
    sources: Rc<Vec<Source>>,
    entries: Vec<Entry>,
    /// Of all methods that there are.
    names: Vec<&'static str>,
}

/// An engine, and how many threads of the processor.
type Where<'a> = (&'a Engine, Option<usize>);

/// Moves the bytes.
const YARDSTICK: &str = "move";

impl Contest<'_> {
    /// Enters what `prepare` makes, if it was asked for: the work, and errors.
    fn enter<W: Work<Error = Error> + 'static>(
        &mut self,
        (engine, threads): Where,
        direction: Direction,
        method: &'static str,
        prepare: impl FnOnce() -> Result<(W, Vec<Option<f64>>)>,
    ) -> Result<()> {
        self.names.push(method);
        let wanted = &self.args.method;
        if method == YARDSTICK || wanted.is_empty() || wanted.iter().any(|name| name == method) {
            let (work, psnr) = prepare()?;
            let timed = contestant(work)?;
            self.entries.push(Entry { engine: engine.to_string(), threads, direction, method, timed, psnr });
        }
        Ok(())
    }

    fn enter_cpu(&mut self, on: Where, isa: Isa, file: &Option<Vec<u8>>) -> Result<()> {
        let sources = Rc::clone(&self.sources);
        self.enter(on, Direction::Inverse, YARDSTICK, || Ok((Move::new(&sources), Vec::new())))?;
        self.enter(on, Direction::Forward, YARDSTICK, || Ok((MoveBack::new(&sources), Vec::new())))?;
        for (mode, name) in MODES {
            let transform = Transform::builder().mode(mode).isa(isa).threads(on.1.unwrap_or(1)).build()?;
            self.enter(on, Direction::Inverse, name, || Blocks::new(&sources, &transform))?;
            self.enter(on, Direction::Forward, name, || Back::new(&sources, &transform))?;
            if let Some(file) = file {
                let limits = self.args.limit.limits();
                self.enter(on, Direction::Decode, name, || {
                    Ok((Decoding::new(file, transform.clone(), limits), Vec::new()))
                })?;
            }
        }
        Ok(())
    }

    fn enter_device(&mut self, on: Where, device: &Device) -> Result<()> {
        let all = OnDevice::new(device, &self.sources)?;
        Way::all().iter().try_for_each(|way| self.enter(on, way.direction, way.name, || all.work(way)))
    }

    /// Whether everything that was asked for is there.
    fn check_names(&self) -> Result<()> {
        let mut known = self.names.clone();
        known.sort_unstable();
        known.dedup();
        for name in &self.args.method {
            ensure!(known.contains(&&**name), "there is no method {name:?}; there are {}", known.join(", "));
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
            other.method == YARDSTICK && of(other) == of(entry)
        };
        self.entries.iter().zip(times).find(|(other, _)| is_its(other)).map(|(_, time)| time.median)
    }

    fn lines(&self, times: &[Summary]) -> Vec<Line> {
        let coefficients: usize = self.sources.iter().map(|source| source.coefficients.len()).sum();
        let line = |(entry, time): (&Entry, &Summary)| {
            let Summary { median, min, max, .. } = *time;
            let moving = self.moving(entry, times);
            Line {
                engine: entry.engine.clone(),
                threads: entry.threads,
                method: format!("{} {}", entry.direction.name(), entry.method),
                median_ms: median,
                min_ms: min,
                max_ms: max,
                gib_per_second: moving.map(|_| 2.0 * coefficients as f64 / median * 1e3 / (1u64 << 30) as f64),
                ns_per_block: moving.map(|_| median * 1e6 / (coefficients / 64) as f64),
                of_moving: moving.map(|moving| moving / median),
                psnr: entry.psnr.clone(),
            }
        };
        self.entries.iter().zip(times).map(line).collect()
    }
}

/// As Markdown, which is also easily read.
fn table(lines: &[Line]) -> Lines {
    const HEADS: [&str; 8] =
        ["engine, threads", "method", "ms", "least … most", "GiB/s", "ns a block", "of moving", "PSNR, dB"];
    let mut table = Lines::new(HEADS);
    lines.iter().for_each(|line| table.row(cells(line)));
    table
}

fn cells(line: &Line) -> [String; 8] {
    let or_nothing = |x: Option<f64>, format: fn(f64) -> String| x.map_or(String::new(), format);
    let threads = line.threads.map_or(String::new(), |threads| format!(", {threads}"));
    let psnr: Vec<_> = line.psnr.iter().map(|psnr| psnr.map_or("inf".into(), |psnr| format!("{psnr:.1}"))).collect();
    [
        format!("{}{threads}", line.engine),
        line.method.clone(),
        table::digits(line.median_ms),
        format!("{} … {}", table::digits(line.min_ms), table::digits(line.max_ms)),
        or_nothing(line.gib_per_second, table::ratio),
        or_nothing(line.ns_per_block, table::digits),
        or_nothing(line.of_moving, |x| format!("{x:.3}")),
        psnr.join(" "),
    ]
}

/// Coefficients that fall off towards high frequencies, as those of photographs do.
fn random(mib: u32) -> Result<Source> {
    let blocks = (mib as usize) << 13;
    check_memory(blocks * 64 * 5)?;
    let table = Table::luminance(90)?;
    let mut rng = fastrand::Rng::with_seed(1);
    let coefficient = |i: usize| {
        let most = 200 >> (i / 8 + i % 8).min(7);
        if most == 0 { 0 } else { rng.i16(-most..=most) }
    };
    Ok(Source { table, coefficients: (0..64 * blocks).map(|i| i % 64).map(coefficient).collect() })
}

fn of_file(file: &[u8], limits: &Limits) -> Result<Vec<Source>> {
    let image = read_coefficients(file, limits)?.value;
    let source = |(component, blocks): (Component, Vec<[i16; 64]>)| Source {
        table: component.table,
        coefficients: blocks.as_flattened().to_vec(),
    };
    Ok(image.components.into_iter().zip(image.blocks).map(source).collect())
}
