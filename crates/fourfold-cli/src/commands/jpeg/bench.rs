//! `fourfold jpeg bench`: blocks in both modes and directions, beside moving the same bytes.

use std::io::{self, Cursor, Write};
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use fourfold::Isa;
use fourfold_gpu::{BlockWork, Device};
use fourfold_jpeg::{
    Component, Forward, Image, Inverse, Layout, Limits, Mode, Table, Transform, decode_into, read_coefficients,
};
use image::ImageDecoder;
use image::codecs::jpeg::JpegDecoder;
use serde::Serialize;

use super::device::DeviceBlocks;
use super::read;
use crate::args::JpegBench;
use crate::array::check_memory;
use crate::commands::print_json;
use crate::engine::Engine;
use crate::timing::{Timed, Work};

const MODES: [(Mode, &str); 2] = [(Mode::Fast, "fast"), (Mode::Exact, "exact")];

/// Each is measured so often at least.
const LEAST_ROUNDS: usize = 5;

/// A component's coefficients and table.
pub(super) struct Source {
    pub(super) table: Table,
    pub(super) coefficients: Vec<i16>,
}

#[derive(Serialize)]
struct Line {
    engine: String,
    method: String,
    median_ms: f64,
    /// Of coefficients; of nothing where a file is decoded.
    gib_per_second: Option<f64>,
    ns_per_block: Option<f64>,
    /// The time of moving the same bytes in this one's.
    of_moving: Option<f64>,
    /// Against the rounded definition, of each component, in dB; absent where all samples agree.
    psnr: Vec<Option<f64>>,
}

/// Something to be timed.
struct Entry {
    engine: String,
    method: String,
    timed: Timed,
    psnr: Vec<Option<f64>>,
    /// The number of the entry that moves the same bytes.
    moving: Option<usize>,
}

/// Measures all methods in turn, so that all meet the same weather.
pub(super) fn run(args: &JpegBench) -> Result<()> {
    let file = args.input.as_deref().map(read).transpose()?;
    let name = || args.input.as_deref().unwrap_or(Path::new("")).display();
    let sources = match &file {
        None => vec![random(args.size)?],
        Some(file) => of_file(file, &args.limit.limits()).with_context(|| format!("cannot read {}", name()))?,
    };
    let mut contest = Contest { sources: Rc::new(sources), entries: Vec::new() };
    for engine in &args.engine {
        match engine {
            Engine::Cpu(isa) => contest.enter_cpu(engine, isa.unwrap_or(Isa::best()), file.as_deref(), args)?,
            Engine::Gpu(id) => contest.enter_device(engine, &Device::open(&id.to_string())?)?,
            Engine::Architecture(_) => bail!("{engine} has no device to be timed"),
        }
    }
    if let Some(file) = file.filter(|_| args.engine.iter().any(|engine| matches!(engine, Engine::Cpu(_)))) {
        contest.add(&Engine::Cpu(None), "decode zune-jpeg", Zune::new(file)?, None)?;
    }
    let start = Instant::now();
    let entries = &mut contest.entries;
    while entries[0].timed.samples() < LEAST_ROUNDS
        || start.elapsed().as_secs_f64() < args.seconds * entries.len() as f64
    {
        entries.iter_mut().try_for_each(|entry| entry.timed.sample())?;
    }
    let lines = contest.lines();
    if args.json {
        return print_json(&lines);
    }
    Ok(lines.iter().try_for_each(|line| writeln!(io::stdout(), "{}", text(line)))?)
}

struct Contest {
    sources: Rc<Vec<Source>>,
    entries: Vec<Entry>,
}

impl Contest {
    fn add(&mut self, engine: &Engine, method: &str, work: impl Work + 'static, moving: Option<usize>) -> Result<()> {
        let timed = Timed::warm(work)?;
        self.entries.push(Entry { engine: engine.to_string(), method: method.into(), timed, psnr: Vec::new(), moving });
        Ok(())
    }

    fn enter_cpu(&mut self, engine: &Engine, isa: Isa, file: Option<&[u8]>, args: &JpegBench) -> Result<()> {
        let moving = Some(self.entries.len());
        self.add(engine, "move", Move::new(&self.sources), moving)?;
        for (mode, name) in MODES {
            let transform = Transform::builder().mode(mode).isa(isa).threads(args.threads).build()?;
            let blocks = Blocks::new(&self.sources, &transform);
            let psnr = self.errors(&blocks.samples);
            self.add(engine, &format!("inverse {name}"), blocks, moving)?;
            self.entries.last_mut().expect("just added").psnr = psnr;
            let back = Back::new(Blocks::new(&self.sources, &transform));
            self.add(engine, &format!("forward {name}"), back, moving)?;
            if let Some(file) = file {
                let decoding = Decoding::new(file, transform, args.limit.limits());
                self.add(engine, &format!("decode {name}"), decoding, None)?;
            }
        }
        Ok(())
    }

    fn enter_device(&mut self, engine: &Engine, device: &Device) -> Result<()> {
        let moving = Some(self.entries.len());
        self.add(engine, "move", DeviceBlocks::new(device, BlockWork::Move, &self.sources)?, moving)?;
        let inverse = DeviceBlocks::new(device, BlockWork::Inverse, &self.sources)?;
        let psnr = self.errors(&inverse.samples(&self.sources)?);
        self.add(engine, "inverse fast", inverse, moving)?;
        self.entries.last_mut().expect("just added").psnr = psnr;
        self.add(engine, "forward fast", DeviceBlocks::new(device, BlockWork::Forward, &self.sources)?, moving)
    }

    fn errors(&self, samples: &[Vec<u8>]) -> Vec<Option<f64>> {
        self.sources.iter().zip(samples).map(|(source, samples)| psnr(source, samples)).collect()
    }

    fn lines(&self) -> Vec<Line> {
        let coefficients: usize = self.sources.iter().map(|source| source.coefficients.len()).sum();
        let line = |entry: &Entry| {
            let ms = entry.timed.spread().median;
            let moving = entry.moving.map(|number| self.entries[number].timed.spread().median);
            Line {
                engine: entry.engine.clone(),
                method: entry.method.clone(),
                median_ms: ms,
                gib_per_second: moving.map(|_| 2.0 * coefficients as f64 / ms * 1e3 / (1u64 << 30) as f64),
                ns_per_block: moving.map(|_| ms * 1e6 / (coefficients / 64) as f64),
                of_moving: moving.map(|moving| moving / ms),
                psnr: entry.psnr.clone(),
            }
        };
        self.entries.iter().map(line).collect()
    }
}

fn text(line: &Line) -> String {
    let mut text = format!("{} {:<16} {:>9.3} ms", line.engine, line.method, line.median_ms);
    if let (Some(rate), Some(ns), Some(share)) = (line.gib_per_second, line.ns_per_block, line.of_moving) {
        text += &format!(" {rate:>8.2} GiB/s {ns:>7.3} ns a block {share:>6.3} of moving");
    }
    if !line.psnr.is_empty() {
        let all = line.psnr.iter().map(|psnr| psnr.map_or("inf".into(), |psnr| format!("{psnr:.1}")));
        text += &format!("  PSNR {} dB", all.collect::<Vec<_>>().join(" "));
    }
    text
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

/// Blocks whose errors are measured: the definition takes long.
const MOST_BLOCKS: usize = 1 << 15;

/// Of evenly chosen blocks.
fn psnr(source: &Source, samples: &[u8]) -> Option<f64> {
    let (blocks, samples) = (source.coefficients.as_chunks::<64>().0, samples.as_chunks::<64>().0);
    let step = blocks.len().div_ceil(MOST_BLOCKS).max(1);
    let wave = |k: usize, n: usize| {
        let scale = if k == 0 { 0.125f64.sqrt() } else { 0.5 };
        scale * (std::f64::consts::PI * (k * (2 * n + 1)) as f64 / 16.0).cos()
    };
    let waves: Vec<[f64; 8]> = (0..8).map(|k| std::array::from_fn(|n| wave(k, n))).collect();
    let (mut error, mut count) = (0.0, 0);
    for (block, samples) in blocks.iter().zip(samples).step_by(step) {
        for (at, &sample) in samples.iter().enumerate() {
            let term = |i: usize| {
                let value = f64::from(block[i]) * f64::from(source.table.rows()[i / 8][i % 8]);
                value * waves[i / 8][at / 8] * waves[i % 8][at % 8]
            };
            let exact = ((0..64).map(term).sum::<f64>() + 128.0).round().clamp(0.0, 255.0);
            error += (exact - f64::from(sample)).powi(2);
            count += 1;
        }
    }
    (error > 0.0).then(|| 10.0 * (255.0 * 255.0 * f64::from(count) / error).log10())
}

/// Reads as many coefficients and writes as many samples, with no arithmetic in between.
struct Move {
    sources: Rc<Vec<Source>>,
    samples: Vec<Vec<u8>>,
}

impl Move {
    fn new(sources: &Rc<Vec<Source>>) -> Move {
        let samples = sources.iter().map(|source| vec![0; source.coefficients.len()]).collect();
        Move { sources: Rc::clone(sources), samples }
    }
}

impl Work for Move {
    fn run(&mut self) -> Result<()> {
        for (source, samples) in self.sources.iter().zip(&mut self.samples) {
            samples.iter_mut().zip(&source.coefficients).for_each(|(to, &from)| *to = from as u8);
        }
        Ok(())
    }
}

/// Coefficients to samples, in blocks.
struct Blocks {
    sources: Rc<Vec<Source>>,
    samples: Vec<Vec<u8>>,
    transform: Transform,
}

impl Blocks {
    /// With the samples.
    fn new(sources: &Rc<Vec<Source>>, transform: &Transform) -> Blocks {
        let Move { sources, samples } = Move::new(sources);
        let mut blocks = Blocks { sources, samples, transform: transform.clone() };
        blocks.run().expect("the samples have the size of the coefficients");
        blocks
    }
}

impl Work for Blocks {
    fn run(&mut self) -> Result<()> {
        let Blocks { sources, samples, transform } = self;
        for (source, samples) in sources.iter().zip(samples) {
            let Source { table, coefficients } = source;
            let (samples, layout) = (&mut samples[..], Layout::Blocks);
            transform.inverse(&mut [Inverse { coefficients, table, samples, layout }])?;
        }
        Ok(())
    }
}

/// Samples to coefficients.
struct Back {
    blocks: Blocks,
    coefficients: Vec<Vec<i16>>,
}

impl Back {
    fn new(blocks: Blocks) -> Back {
        let coefficients = blocks.samples.iter().map(|samples| vec![0; samples.len()]).collect();
        Back { blocks, coefficients }
    }
}

impl Work for Back {
    fn run(&mut self) -> Result<()> {
        let Blocks { sources, samples, transform } = &self.blocks;
        for ((source, samples), coefficients) in sources.iter().zip(samples).zip(&mut self.coefficients) {
            let layout = Layout::Blocks;
            transform.forward(&mut [Forward { samples, layout, table: &source.table, coefficients }])?;
        }
        Ok(())
    }
}

/// A whole file to pixels, in memory that is there.
struct Decoding {
    file: Vec<u8>,
    transform: Transform,
    limits: Limits,
    image: Image,
}

impl Decoding {
    fn new(file: &[u8], transform: Transform, limits: Limits) -> Decoding {
        let image = Image { width: 0, height: 0, channels: 0, samples: Vec::new() };
        Decoding { file: file.to_vec(), transform, limits, image }
    }
}

impl Work for Decoding {
    fn run(&mut self) -> Result<()> {
        decode_into(&self.file, &self.transform, &self.limits, &mut self.image)?;
        Ok(())
    }
}

/// The same by the decoder of the crate `image`, on one thread.
struct Zune {
    file: Vec<u8>,
    samples: Vec<u8>,
}

impl Zune {
    fn new(file: Vec<u8>) -> Result<Zune> {
        let bytes = JpegDecoder::new(Cursor::new(&file))?.total_bytes();
        Ok(Zune { samples: vec![0; usize::try_from(bytes)?], file })
    }
}

impl Work for Zune {
    fn run(&mut self) -> Result<()> {
        Ok(JpegDecoder::new(Cursor::new(&self.file))?.read_image(&mut self.samples)?)
    }
}
