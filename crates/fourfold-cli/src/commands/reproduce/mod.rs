//! `fourfold reproduce`: the experiments of the documents that fourfold is built from, again, on this machine.
//!
//! An experiment is a file with a row of [`TABLES`]. What they share is in `page.rs`, `plot.rs` and `measure.rs`.

mod breakdown;
mod compression;
mod electrostatics;
mod four_algorithms;
mod gather_scatter;
mod levels;
mod measure;
mod mobile_convolution;
mod mobile_ladder;
mod operations;
mod page;
mod plot;
mod speedup;
mod two_dimensions;
mod utilisation;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use fourfold_gpu::Api;

use crate::args::Reproduce;
use crate::engine::{Contender, Engine};
use crate::output::Output;
use crate::progress::Progress;
use fourfold::{Method, Wisdom};
use measure::Setting;
use page::Page;

/// An experiment.
struct Table {
    /// What it is asked for by.
    name: &'static str,
    about: &'static str,
    /// Whether it is the same on every engine.
    once: bool,
    run: fn(&Setting) -> Result<Outcome>,
}

/// What became of it.
enum Outcome {
    Page(Page),
    /// Why it cannot be done here.
    LeftOut(String),
}

/// All experiments, in the order of their documents.
const TABLES: &[Table] = &[
    table("table-ii", "reordering by gather and by scatter", gather_scatter::run),
    Table { once: true, ..table("table-iii", "operations of the naive and the efficient combine", operations::run) },
    table("table-iv", "four algorithms for a 1D DCT", four_algorithms::run),
    table("table-v", "2D DCT and IDCT: row-column, three stages, the FFT alone", two_dimensions::run),
    table("fig-6", "what the stages take", breakdown::run),
    table("table-vi", "how the kernels use the device", utilisation::run),
    table("eq-19", "Amdahl's law for image compression", speedup::run),
    table("algorithm-3", "image compression by three stages and fused", compression::run),
    table("table-vii", "density, field and forces of placed circuits (Algorithm 4)", electrostatics::run),
    table("mobile-ladder", "the 2D FFT of an article on mobile GPUs, change by change", mobile_ladder::run),
    table("mobile-convolution", "its convolutions, directly and by FFT", mobile_convolution::run),
    table("levels", "the 1D FFT of a course report, level by level", levels::run),
];

const fn table(name: &'static str, about: &'static str, run: fn(&Setting) -> Result<Outcome>) -> Table {
    Table { name, about, once: false, run }
}

/// Prints and saves the experiments that are named, or all.
pub(super) fn run(args: &Reproduce) -> Result<()> {
    let tables = chosen(&args.tables)?;
    fs::create_dir_all(&args.out).with_context(|| format!("cannot write in {}", args.out.display()))?;
    let (settings, mut left_out) = settings(args)?;
    let progress = Progress::new(settings.len() * tables.len());
    for setting in &settings {
        for table in tables.iter().filter(|table| !table.once || std::ptr::eq(setting, &settings[0])) {
            progress.message(format!("{}: {}", setting.engine(), table.about));
            match (table.run)(setting).with_context(|| format!("{} on {}", table.name, setting.engine()))? {
                Outcome::Page(page) => {
                    progress.print(&page.markdown())?;
                    let engine = if table.once { String::new() } else { format!("-{}", setting.file_name()) };
                    save(&page, &args.out, &format!("{}{engine}", table.name))?;
                }
                Outcome::LeftOut(why) => left_out.push(format!("{} on {}: {why}", table.name, setting.engine())),
            }
            progress.step();
        }
    }
    drop(progress);
    let lines: String = left_out.iter().map(|line| format!("left out: {line}\n")).collect();
    Ok(io::stdout().write_all(lines.as_bytes())?)
}

fn chosen(names: &[String]) -> Result<Vec<&'static Table>> {
    if names.is_empty() {
        return Ok(TABLES.iter().collect());
    }
    let list = || TABLES.iter().map(|table| format!("{} ({})", table.name, table.about)).collect::<Vec<_>>().join(", ");
    let find = |name: &String| {
        let table = TABLES.iter().find(|table| table.name == name);
        table.with_context(|| format!("there is no table {name:?}; there are {}", list()))
    };
    names.iter().map(find).collect()
}

/// The engines that were named; else all, and why some are not there.
fn settings(args: &Reproduce) -> Result<(Vec<Setting>, Vec<String>)> {
    let setting = |engine: &Engine| -> Result<Setting> {
        let contender = Contender::new(engine.clone(), Method::ALL[0], args.threads, &Wisdom::new())?;
        Ok(Setting::new(contender, args.threads, args.quick))
    };
    if !args.engine.is_empty() {
        return Ok((args.engine.iter().map(setting).collect::<Result<_>>()?, vec![]));
    }
    let (mut settings, mut left_out) = (vec![setting(&Engine::Cpu(None))?], vec![]);
    for api in Api::ALL {
        match api.name().parse().and_then(|engine| setting(&engine)) {
            Ok(setting) => settings.push(setting),
            Err(why) => left_out.push(format!("all on {}: {why}", api.name())),
        }
    }
    Ok((settings, left_out))
}

/// Writes `NAME.md`, `NAME.csv` and, if there is something to draw, `NAME.png`.
fn save(page: &Page, folder: &Path, name: &str) -> Result<()> {
    let write = |extension: &str, content: &[u8]| -> Result<()> {
        let mut output = Output::create(&folder.join(format!("{name}.{extension}")))?;
        output.fill(|file| file.write_all(content))?;
        output.commit()
    };
    write("md", page.markdown().as_bytes())?;
    write("csv", page.csv().as_bytes())?;
    page.plot.as_ref().map_or(Ok(()), |plot| write("png", &plot.png()?))
}

/// Fails unless what was computed in two ways is the same.
fn check_same(what: &str, derived: usize, counted: usize) -> Result<()> {
    ensure!(derived == counted, "{what}: {derived} by derivation, {counted} in the kernel");
    Ok(())
}

/// An experiment that is for a device.
fn only_for(api: Api, setting: &Setting) -> Result<(), String> {
    let found = matches!(setting.engine(), Engine::Gpu(id) if id.api == api);
    if found { Ok(()) } else { Err(format!("it is for {} alone", api.name())) }
}

/// Shapes as `[rows, columns]` up to which a quick run goes.
const QUICK_SIDE: usize = 1024;

/// The sides of squares that an experiment goes through.
fn sides(setting: &Setting, all: &[usize]) -> Result<Vec<usize>> {
    let sides: Vec<usize> = all.iter().copied().filter(|side| !setting.quick || *side <= QUICK_SIDE).collect();
    if sides.is_empty() { bail!("there is no size to measure") } else { Ok(sides) }
}
