//! Chooses experiments and engines, carries the experiments out, prints and saves their pages.

use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use fourfold::timing::table::Origin;
use fourfold_cli::algorithm::AlgorithmName;
use fourfold_cli::engine::Engine;
use fourfold_cli::files::output::Output;
use fourfold_cli::planner::EnginePlanner;
use fourfold_cli::print::printable;
use fourfold_cli::progress::Progress;
use fourfold_cli::wisdom::Tuning;
use fourfold_gpu::Api;

use crate::args::{Args, Command};
use crate::claims::Claim;
use crate::commands;
use crate::experiments::{TABLES, Table, utilisation};
use crate::how::CUFFT;
use crate::measure::{Setting, only_for};
use crate::page::{Circumstances, Outcome, Page};
use crate::photographs::{Photograph, read_folder};
use crate::rounding::digits;

/// A table on an engine.
struct Experiment<'a> {
    table: Table,
    setting: &'a Setting,
}

/// An experiment that has a page. What the page says of disturbed rows follows from the record of the
/// run, which is whole only at its end.
struct Finished<'a> {
    experiment: &'a Experiment<'a>,
    page: Box<Page>,
    /// Its rows, by their numbers in the record.
    rows: Range<usize>,
}

/// What became of all of them: pages, and why others have none.
#[derive(Default)]
struct Account {
    /// A line for each page: its file, its experiment, and its engine, if any.
    contents: String,
    left_out: Vec<String>,
    failed: Vec<String>,
}

/// Carries out what the command line asks for.
pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.command {
        None => repeat(args),
        Some(Command::Circuit(args)) => commands::circuit::run(args),
        Some(Command::Generate(args)) => commands::generate::run(args),
    }
}

/// Prints and saves the experiments that are named, or all.
fn repeat(args: &Args) -> Result<()> {
    let tables = chosen(&args.tables)?;
    // Before hours of measuring rather than after.
    let photographs = args.photos.as_deref().map(read_folder).transpose()?.unwrap_or_default();
    let (settings, absent) = settings(args, photographs.into())?;
    if args.profiled {
        return settings.iter().try_for_each(utilisation::profiled);
    }
    let origins = origins(args, &settings);
    let mut account = carry_out(&experiments(&tables, &settings), &origins, &args.out)?;
    account.left_out.extend(settings.iter().filter_map(lacks_vendor_fft));
    // What was asked for by name is missed, what is not there of all is not.
    if args.engine.is_empty() {
        account.left_out.extend(absent)
    } else {
        account.failed.extend(absent)
    }
    let lines: String = account.left_out.iter().map(|line| format!("left out: {line}\n")).collect();
    let printed = io::stdout().write_all(printable(&lines).as_bytes());
    account.verdict()?;
    Ok(printed?)
}

impl Account {
    fn pages(&self) -> usize {
        self.contents.lines().count()
    }

    /// An error if a table failed or there is none.
    fn verdict(&self) -> Result<()> {
        ensure!(self.failed.is_empty(), "these tables failed: {}", self.failed.join("; "));
        ensure!(self.pages() > 0, "nothing of what was asked for can be done here");
        Ok(())
    }

    /// A line for each table that has no page: why.
    fn without_page(&self) -> String {
        let has_page = |table: &str| self.contents.lines().any(|line| line.split(' ').nth(1) == Some(table));
        let reasons = |table: &str| {
            let of_table = |line: &&String| line.split(' ').next() == Some(table);
            self.left_out.iter().chain(&self.failed).filter(of_table).map(|line| line.replace('\n', " ")).collect()
        };
        let lines = TABLES.iter().map(|table| table.name).filter(|table| !has_page(table)).flat_map(|table| {
            let known: Vec<String> = reasons(table);
            if known.is_empty() { vec![format!("{table}: it was not measured")] } else { known }
        });
        lines.map(|line| line + "\n").collect()
    }
}

/// One experiment that fails does not keep the others from being done. Each page is saved as soon as
/// it is there, since a run takes long and may be ended; at the end all are saved again and printed,
/// with what the whole run knows.
fn carry_out(experiments: &[Experiment<'_>], origins: &str, out: &Path) -> Result<Account> {
    fs::create_dir_all(out).with_context(|| format!("cannot write in {}", out.display()))?;
    // Files that cannot be written are named before all measuring, too.
    for experiment in experiments {
        experiment.files().try_for_each(|file| Output::create(&out.join(file)).map(drop))?;
    }
    let (mut account, mut finished) = (Account::default(), vec![]);
    let progress = Progress::new(experiments.len());
    for experiment in experiments {
        progress.message(format!("{}: {}", experiment.setting.engine(), experiment.table.about));
        let start = Instant::now();
        if let Some(one) = experiment.run(&mut account) {
            account.contents += &experiment.content();
            // What cannot be saved is told at the end, where it is saved again.
            let _ = one.save(out).and_then(|()| save_contents(origins, &account, out));
            finished.push(one);
            let took = format!("time: {experiment}: {} s", digits(start.elapsed().as_secs_f64()));
            // A pipe that is closed is no reason to measure nothing more.
            let _ = progress.print(&took);
        }
        progress.step();
    }
    for one in &finished {
        let saved = one.save(out);
        let printed = progress.print(&one.text()).context("cannot print it");
        let failed = saved.and(printed).err().map(|error| format!("{}: {error:#}", one.experiment));
        account.failed.extend(failed);
    }
    if account.pages() > 0 {
        save_contents(origins, &account, out)?;
    }
    Ok(account)
}

/// The file that lists the pages of a run. `cargo xtask experiments` reads it.
const CONTENTS: &str = "contents.txt";

/// The commit that this program was built from, if the build was told.
const COMMIT: Option<&str> = option_env!("FOURFOLD_COMMIT");

/// Where each engine is measured, a line each.
fn origins(args: &Args, settings: &[Setting]) -> String {
    let origin = |setting: &Setting| {
        let origin = Origin::today(COMMIT.unwrap_or("unknown"), setting.machine());
        format!("`{}`: {origin}; `{}`.\n", setting.engine(), command_line(args, setting.engine()))
    };
    settings.iter().map(origin).collect()
}

/// The command that measures on one engine as this run does.
fn command_line(args: &Args, engine: &Engine) -> String {
    let tables = args.tables.iter().map(|table| format!(" {table}")).collect::<String>();
    let quick = if args.quick { " --quick" } else { "" };
    let photos = args.photos.as_ref().map_or("", |_| " --photos DIR");
    format!("fourfold-experiments{tables} --engine {engine} --threads {}{quick}{photos}", args.threads)
}

/// Writes the origins, an empty line, the pages in order, an empty line, and why tables have no
/// page.
fn save_contents(origins: &str, account: &Account, out: &Path) -> Result<()> {
    let mut output = Output::create(&out.join(CONTENTS))?;
    output.fill(|file| write!(file, "{origins}\n{}\n{}", account.contents, account.without_page()))?;
    output.commit()
}

/// Every table on every engine, those that are the same on all once.
fn experiments<'a>(tables: &[Table], settings: &'a [Setting]) -> Vec<Experiment<'a>> {
    let on = |(i, setting): (usize, &'a Setting)| {
        let tables = tables.iter().filter(move |table| i == 0 || !table.once);
        tables.map(move |&table| Experiment { table, setting }).collect::<Vec<_>>()
    };
    settings.iter().enumerate().flat_map(on).collect()
}

impl Experiment<'_> {
    /// Its page, if it has one. The account says why not, and what the page's numbers must not be.
    fn run(&self, account: &mut Account) -> Option<Finished<'_>> {
        let first = self.setting.record().rows();
        self.setting.begin(self.table.name);
        let (page, fault) = match (self.table.run)(self.setting) {
            Ok(Outcome::Page { page, fault }) => (page, fault),
            Ok(Outcome::LeftOut(why)) => {
                account.left_out.push(format!("{self}: {why}"));
                return None;
            }
            Err(error) => {
                account.failed.push(format!("{self}: {error:#}"));
                return None;
            }
        };
        let rows = first..self.setting.record().rows();
        let faults = [fault, page.fault()].into_iter().flatten();
        account.failed.extend(faults.map(|fault| format!("{self}: {fault}")));
        Some(Finished { experiment: self, page, rows })
    }

    /// The line of the contents: its page, its name, and its engine, if pages differ by engine.
    fn content(&self) -> String {
        let engine = if self.table.once { String::new() } else { format!(" {}", self.setting.engine()) };
        let page = self.files().next().unwrap_or_default();
        format!("{page} {}{engine}\n", self.table.name)
    }

    /// The names of its files: Markdown, CSV and SVG.
    fn files(&self) -> impl Iterator<Item = String> {
        let name = match self.table.once {
            true => self.table.name.to_owned(),
            false => format!("{}-{}", self.table.name, self.setting.file_name()),
        };
        ["md", "csv", "svg"].into_iter().map(move |extension| format!("{name}.{extension}"))
    }
}

impl Finished<'_> {
    /// Its page, by what is known now.
    fn text(&self) -> String {
        let Experiment { table, setting } = self.experiment;
        let record = setting.record();
        let is_timed = self.page.claims.iter().any(Claim::is_timed);
        self.page.markdown(&Circumstances {
            machine: (!table.once).then(|| setting.machine()),
            noise: record.noise(table.name).filter(|_| is_timed),
            disturbed: record.disturbed(self.rows.clone()),
        })
    }

    fn save(&self, folder: &Path) -> Result<()> {
        let contents = [self.text().into_bytes(), self.page.csv().into_bytes(), self.page.plot.svg()?];
        self.experiment.files().zip(contents).try_for_each(|(file, content)| {
            let mut output = Output::create(&folder.join(file))?;
            output.fill(|file| file.write_all(&content))?;
            output.commit()
        })
    }
}

impl std::fmt::Display for Experiment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} on {}", self.table.name, self.setting.engine())
    }
}

/// The tables of these names, each once; all if there are no names.
fn chosen(names: &[String]) -> Result<Vec<Table>> {
    let list = || TABLES.iter().map(|table| format!("{} ({})", table.name, table.about)).collect::<Vec<_>>().join(", ");
    let unknown = names.iter().find(|name| TABLES.iter().all(|table| table.name != **name));
    if let Some(name) = unknown {
        bail!("there is no table {name:?}; there are {}", list());
    }
    let asked = |table: &&Table| names.is_empty() || names.iter().any(|name| name == table.name);
    Ok(TABLES.iter().filter(asked).copied().collect())
}

/// What is not done where a device of NVIDIA's has not its FFTs.
fn lacks_vendor_fft(setting: &Setting) -> Option<String> {
    only_for(Api::Cuda, setting).ok()?;
    let library = setting.fft_library(&"dct2 f64 512x512".parse().ok()?).ok()?;
    (library != CUFFT).then(|| {
        format!(
            "{CUFFT} on {}: it cannot be loaded; between the stages of methods stood {library} FFTs",
            setting.engine()
        )
    })
}

/// The engines that were named, each once, else the processor and the first device of every kind;
/// and why some are not there.
fn settings(args: &Args, photographs: Rc<[Photograph]>) -> Result<(Vec<Setting>, Vec<String>)> {
    let setting = |engine: &Engine| -> Result<Setting> {
        let contender = EnginePlanner::new(engine.clone(), AlgorithmName::FUSED, args.threads, &Tuning::default())?;
        Ok(Setting::new(contender, args.threads, args.quick).with_photographs(Rc::clone(&photographs)))
    };
    let first = |(i, engine): &(usize, &Engine)| !args.engine[..*i].contains(engine);
    let named = args.engine.iter().enumerate().filter(first).map(|(_, engine)| engine.clone());
    let mut engines: Vec<Engine> = named.collect();
    if engines.is_empty() {
        engines.push(Engine::Cpu(None));
        engines.extend(Api::ALL.iter().filter_map(|api| api.name().parse().ok()));
    }
    let (mut settings, mut absent) = (vec![], vec![]);
    for engine in &engines {
        match (setting(engine), engine) {
            (Ok(setting), _) => settings.push(setting),
            (Err(why), Engine::Gpu(_)) => absent.push(format!("all on {engine}: {why}")),
            (Err(why), _) => return Err(why),
        }
    }
    Ok((settings, absent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::table;
    use crate::page::strings;
    use crate::plot::Plot;

    fn page(_: &Setting) -> Result<Outcome> {
        let plot = Plot { title: "T".into(), labels: ["x".into(), "y".into()], lines: vec![], bars: vec!["a".into()] };
        let (columns, rows) = (strings(&["a"]), vec![strings(&["1"])]);
        Ok(Outcome::page(Page {
            title: "T".into(),
            text: vec![],
            columns,
            parts: vec![],
            claims: vec![],
            teaches: "It works.".into(),
            rows,
            plot,
        }))
    }

    /// A page whose numbers are not what they must be is saved and printed, and the program fails.
    #[test]
    fn a_page_at_fault_is_saved_and_fails() {
        let folder = tempfile::tempdir().unwrap();
        let at_fault = |setting: &Setting| match page(setting)? {
            Outcome::Page { page, .. } => Ok(Outcome::Page { page, fault: Some("3 dB are too few".into()) }),
            other => Ok(other),
        };
        let tables = [table("works", "", page), table("falls-short", "", at_fault)];
        let contender = EnginePlanner::new(Engine::Cpu(None), AlgorithmName::FUSED, 1, &Tuning::default()).unwrap();
        let settings = [Setting::new(contender, 1, true)];
        let mut account = carry_out(&experiments(&tables, &settings), "", folder.path()).unwrap();
        assert_eq!(account.pages(), 2);
        assert!(folder.path().join("falls-short-cpu.md").exists());
        let error = account.verdict().unwrap_err().to_string();
        assert_eq!(error, "these tables failed: falls-short on cpu: 3 dB are too few");
        account.failed.clear();
        account.verdict().unwrap();
    }

    #[test]
    fn a_failure_does_not_end_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let tables = [
            table("fails", "", |_| bail!("no luck")),
            table("absent", "", |_| Ok(Outcome::LeftOut("no device".into()))),
            table("works", "", page),
        ];
        let contender = EnginePlanner::new(Engine::Cpu(None), AlgorithmName::FUSED, 1, &Tuning::default()).unwrap();
        let settings = [Setting::new(contender, 1, true)];
        let account = carry_out(&experiments(&tables, &settings), "", folder.path()).unwrap();
        assert_eq!((account.pages(), account.failed), (1, vec!["fails on cpu: no luck".to_owned()]));
        assert_eq!(account.left_out, ["absent on cpu: no device"]);
        let mut files: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        assert_eq!(files, ["contents.txt", "works-cpu.csv", "works-cpu.md", "works-cpu.svg"]);
        let text = fs::read_to_string(folder.path().join("works-cpu.md")).unwrap();
        assert!(text.starts_with("# T\n\nMachine: cpu (") && text.contains("), one thread of "), "{text}");
        let contents = fs::read_to_string(folder.path().join(CONTENTS)).unwrap();
        assert!(contents.starts_with("\nworks-cpu.md works cpu\n\n"), "{contents}");
    }

    /// A table that has a page on one engine is not among those that have none.
    #[test]
    fn tables_without_a_page_have_a_reason() {
        let account = Account {
            contents: "levels-cpu.md levels cpu\n".into(),
            left_out: vec!["table-vi on cpu: it is for cuda alone".into()],
            failed: vec!["levels on opencl:0: no luck".into(), "jpeg on opencl:0: no\nluck".into()],
        };
        let text = account.without_page();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), TABLES.len() - 1, "{text}");
        let expected =
            ["table-vi on cpu: it is for cuda alone", "jpeg on opencl:0: no luck", "eq-19: it was not measured"];
        assert!(expected.iter().all(|line| lines.contains(line)), "{text}");
        assert!(!text.contains("levels"), "{text}");
    }

    #[test]
    fn origins_have_the_whole_command() {
        let words = ["fourfold-experiments", "levels", "jpeg", "--quick", "--threads", "3", "--photos", "my photos"];
        let args = <Args as clap::Parser>::parse_from(words);
        let command = command_line(&args, &Engine::Cpu(None));
        assert_eq!(command, "fourfold-experiments levels jpeg --engine cpu --threads 3 --quick --photos DIR");
    }
}
