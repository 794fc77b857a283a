//! `cargo xtask experiments [FOLDER …] [-- ARGUMENTS]`: repeats the papers' experiments on this
//! machine, and writes docs/experiments.md from their pages.
//!
//! A folder has the pages of a run on another machine: what `fourfold-experiments --out FOLDER`
//! wrote there, built from the same commit. Arguments after `--` are for the run on this machine.
//! `cargo xtask experiments --join FOLDER …` runs nothing and joins pages alone.

use crate::machine::commit;
use crate::page::wrapped;
use crate::process::{command, root, run, work_folder};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The head of the page, with the words that it uses.
const HEAD: &str = include_str!("experiments_head.md");

/// Experiments whose plots the page shows: those that are told as a row of steps.
const PLOTTED: [&str; 1] = ["mobile-ladder"];

/// Where the page's plots lie, from the root and from the page.
const PLOTS: [&str; 2] = ["docs/images", "images"];

/// What the paragraph of an experiment's page begins with that names the machine.
const MACHINE: &str = "Machine: ";

/// The list of pages that a run writes beside them.
const CONTENTS: &str = "contents.txt";

/// One run: where each engine was measured, the pages in order, and why experiments have none.
struct Run {
    folder: PathBuf,
    origins: Vec<String>,
    pages: Vec<String>,
    without_page: Vec<String>,
}

/// One experiment on one engine.
#[derive(Debug)]
struct Page {
    /// The experiment's name, such as `table-ii`.
    table: String,
    /// Without the engine.
    title: String,
    /// None for an experiment whose page is the same on all engines.
    engine: Option<String>,
    /// Paragraphs and tables, each of which a sentence may follow that says what it teaches.
    blocks: Vec<String>,
    /// The file of the plot, if the joined page shows it.
    plot: Option<PathBuf>,
}

/// The task, with the arguments that follow its name.
pub(crate) fn run_task() -> Result<()> {
    let mut words = env::args().skip(2);
    let mut folders: Vec<_> = words.by_ref().take_while(|word| word != "--").collect();
    match folders.first().map(String::as_str) {
        Some("--join") => drop(folders.remove(0)),
        _ => folders.insert(0, repeated(words)?),
    }
    let runs = folders.iter().map(|folder| Run::read(Path::new(folder))).collect::<Result<Vec<_>>>()?;
    ensure!(!runs.is_empty(), "usage: cargo xtask experiments [--join] [FOLDER …] [-- ARGUMENTS]");
    let pages = pages(&runs)?;
    let path = root().join("docs/experiments.md");
    fs::write(&path, joined(&runs, &pages)?).with_context(|| format!("cannot write {}", path.display()))?;
    println!("written: {}", path.display());
    pages.iter().filter_map(|page| page.plot.as_deref()).try_for_each(|plot| {
        let to = root().join(PLOTS[0]).join(name(plot));
        fs::copy(plot, &to).with_context(|| format!("cannot copy {} to {}", plot.display(), to.display()))?;
        println!("written: {}", to.display());
        Ok(())
    })
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().display().to_string()
}

/// Repeats the experiments here. Returns the folder of their pages.
fn repeated(arguments: impl Iterator<Item = String>) -> Result<String> {
    let here = work_folder("experiments")?;
    let build = "cargo run --release --locked --package fourfold-experiments -- --out";
    run(command(build).arg(&here).args(arguments).env("FOURFOLD_COMMIT", commit()?))?;
    Ok(here.display().to_string())
}

impl Run {
    fn read(folder: &Path) -> Result<Run> {
        let path = folder.join(CONTENTS);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let (origins, rest) = text.split_once("\n\n").with_context(|| format!("{} has no pages", path.display()))?;
        let (pages, without_page) = rest.split_once("\n\n").unwrap_or((rest, ""));
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        let [origins, pages, without_page] = [origins, pages, without_page].map(lines);
        Ok(Run { folder: folder.to_owned(), origins, pages, without_page })
    }

    fn pages(&self) -> Result<Vec<Page>> {
        let page = |line: &String| {
            let (file, table) = line.split_once(' ').with_context(|| format!("{CONTENTS}: no experiment in {line}"))?;
            let text = fs::read_to_string(self.folder.join(file)).with_context(|| format!("cannot read {file}"))?;
            let page = page(table, &text).with_context(|| format!("{file} has no title"))?;
            let plot = PLOTTED.contains(&&*page.table).then(|| self.folder.join(file).with_extension("svg"));
            Ok(Page { plot, ..page })
        };
        self.pages.iter().map(page).collect()
    }
}

/// The parts of an experiment's page. `table` is its name and, after a space, its engine, if any.
fn page(table: &str, text: &str) -> Option<Page> {
    let (table, engine) = table.split_once(' ').map_or((table, None), |(table, engine)| (table, Some(engine)));
    let (title, rest) = text.strip_prefix("# ")?.split_once("\n\n")?;
    let on = engine.map(|engine| format!(" on {engine}")).unwrap_or_default();
    let title = title.strip_suffix(&*on).unwrap_or(title).trim_end_matches(',');
    let blocks = rest.trim_end().split("\n\n").filter(|block| !block.starts_with(MACHINE)).map(str::to_owned).collect();
    let (table, engine) = (table.to_owned(), engine.map(str::to_owned));
    Some(Page { table, title: title.to_owned(), engine, blocks, plot: None })
}

fn pages(runs: &[Run]) -> Result<Vec<Page>> {
    Ok(runs.iter().map(Run::pages).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// The whole page: where and when, what each table teaches, and the tables of all runs.
fn joined(runs: &[Run], pages: &[Page]) -> Result<String> {
    let mut origins: Vec<_> = runs.iter().flat_map(|run| &run.origins).collect();
    // A run may be in several folders.
    origins.dedup();
    let commits: Vec<_> =
        origins.iter().filter_map(|origin| origin.split_once("(commit ")?.1.split(')').next()).collect();
    ensure!(commits.windows(2).all(|pair| pair[0] == pair[1]), "the runs are of different commits: {commits:?}");
    let mut text = format!("{HEAD}\n");
    origins.iter().for_each(|origin| text += &wrapped(&format!("- {origin}"), "  "));
    text += commands(&origins);
    let folders: Vec<_> = runs.iter().map(|run| name(&run.folder)).collect();
    let command = format!("`cargo xtask experiments --join {}` joined the pages of these runs.", folders.join(" "));
    text += &format!("\n{}", wrapped(&command, ""));
    text += &processors(&origins);
    text += "\n## What the tables teach\n\n";
    let groups = groups(pages);
    groups.iter().for_each(|group| text += &lessons(group));
    text += &lacking(runs, pages);
    groups.iter().for_each(|group| text += &section(group));
    Ok(text)
}

/// Says that one command measured an engine, if so. An origin begins with its engine.
fn commands(origins: &[&String]) -> &'static str {
    let engines: BTreeSet<_> = origins.iter().filter_map(|origin| origin.split(": ").next()).collect();
    let is_one = !origins.is_empty() && engines.len() == origins.len();
    if is_one { "\nEach engine was measured by one command.\n" } else { "" }
}

/// Says whether the engines that are processors were measured on the same one: an origin ends with
/// `threads of NAME; COMMAND`. A device that only stands beside a processor does not count.
fn processors(origins: &[&String]) -> String {
    let of = |origin: &&String| {
        let (engine, rest) = origin.split_once(": ")?;
        let (before, name) = rest.split_once("thread of ").or(rest.split_once("threads of "))?;
        let name = name.split_once("; ")?.0;
        (!before.contains("Beside it")).then(|| (engine.to_owned(), name.to_owned()))
    };
    let mut all: Vec<_> = origins.iter().filter_map(of).collect();
    all.sort();
    all.dedup();
    let list: Vec<_> = all.iter().map(|(engine, name)| format!("{engine} on {name}")).collect();
    let engines: Vec<_> = all.iter().map(|(engine, _)| &**engine).collect();
    match all.iter().all(|(_, name)| *name == all[0].1) {
        _ if all.len() < 2 => String::new(),
        true => format!("\n{}", wrapped(&format!("The same processor ran {}.", engines.join(" and ")), "")),
        false => {
            let text = "Rows of these engines come from different processors, and their times are not to be compared";
            format!("\n{}", wrapped(&format!("**{text}:** {}.", list.join("; ")), ""))
        }
    }
}

/// The tables that an engine of the runs lacks, and the reasons that runs give.
fn lacking(runs: &[Run], pages: &[Page]) -> String {
    let table = |line: &str| line.split([' ', ':']).next().unwrap_or_default().to_owned();
    let given: Vec<_> = runs.iter().flat_map(|run| &run.without_page).collect();
    let engines: BTreeSet<_> = pages.iter().filter_map(|page| page.engine.as_deref()).collect();
    let tables: BTreeSet<_> =
        given.iter().map(|line| table(line)).chain(pages.iter().map(|page| page.table.clone())).collect();
    let is_there = |table: &str, engine: &str| {
        let mut of_table = pages.iter().filter(|page| page.table == table);
        of_table.any(|page| page.engine.as_deref().is_none_or(|other| other == engine))
    };
    let reason =
        |table: &str, engine: &str| given.iter().find(|line| line.starts_with(&format!("{table} on {engine}: ")));
    let lines = |engine: &str| {
        let lacking: Vec<_> = tables.iter().filter(|table| !is_there(table, engine)).collect();
        let reasons = lacking.iter().filter_map(|table| reason(table, engine)).map(|line| line.to_string());
        let others = lacking.iter().filter(|table| reason(table, engine).is_none());
        let others: Vec<_> = others.map(|table| table.as_str()).collect();
        reasons.chain(not_measured(&others, engine)).collect::<Vec<_>>()
    };
    let lines = engines.iter().flat_map(|engine| lines(engine));
    let items: String = lines.map(|line| wrapped(&format!("- {line}."), "  ")).collect();
    if items.is_empty() { items } else { format!("\n## Tables that an engine lacks\n\n{items}") }
}

/// What is said of tables that no run was asked for on an engine, if there are any.
fn not_measured(tables: &[&str], engine: &str) -> Option<String> {
    let were = match tables {
        [] => return None,
        [_] => "it was",
        _ => "they were",
    };
    Some(format!("{} on {engine}: {were} not measured", tables.join(", ")))
}

/// The pages of each experiment, in the order of the first run. Of pages that are the same on all
/// engines, each run has one: the first counts.
fn groups(pages: &[Page]) -> Vec<Vec<&Page>> {
    let mut groups: Vec<Vec<&Page>> = vec![];
    for page in pages {
        match groups.iter_mut().find(|group| group[0].table == page.table) {
            Some(_) if page.engine.is_none() => {}
            Some(group) => group.push(page),
            None => groups.push(vec![page]),
        }
    }
    groups
}

/// The sentences below an experiment's tables, as an item of a list that has an item for each
/// engine.
fn lessons(group: &[&Page]) -> String {
    let item = |page: &&Page| match &page.engine {
        Some(engine) => wrapped(&format!("  - `{engine}`: {}", page.lessons()), "    "),
        None => wrapped(&format!("  - {}", page.lessons()), "    "),
    };
    format!("- **{}**\n{}", group[0].title, group.iter().map(item).collect::<String>())
}

impl Page {
    /// The paragraphs that follow tables, but for those that are titles of the next one.
    fn lessons(&self) -> String {
        let is_lesson = |pair: &&[String]| pair[0].starts_with('|') && !pair[1].ends_with(':');
        self.blocks.windows(2).filter(is_lesson).map(|pair| &*pair[1]).collect::<Vec<_>>().join(" ")
    }
}

/// The tables of an experiment: the paragraphs that all its pages begin with stand once.
fn section(group: &[&Page]) -> String {
    let first = &group[0].blocks;
    let is_common = |i: usize| group.iter().all(|page| page.blocks.get(i) == Some(&first[i]));
    let common = (0..first.len()).take_while(|i| group.len() > 1 && is_common(*i)).count();
    let mut text = format!("\n## {}\n", group[0].title);
    first[..common].iter().for_each(|block| text += &paragraph(block));
    for page in group {
        if let Some(engine) = &page.engine {
            let _ = write!(text, "\n### {}: `{engine}`\n", group[0].table);
        }
        page.blocks[common..].iter().for_each(|block| text += &paragraph(block));
        if let Some(plot) = &page.plot {
            let _ = write!(text, "\n![{}]({}/{})\n", page.title, PLOTS[1], name(plot));
        }
    }
    text
}

/// A block with a line break before it; prose is broken at the width of pages.
fn paragraph(block: &str) -> String {
    if block.starts_with(['|', '-']) { format!("\n{block}\n") } else { format!("\n{}", wrapped(block, "")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPU: &str = "# T: a, on cpu\n\nMachine: slow.\n\nBoth.\n\nMeasured here.\n\nA:\n\n| N |\n|---|\n| 1 |\n\nIt is slow.\n\nB:\n\n| M |\n|---|\n| 1 |\n\nTwice.\n";
    const CUDA: &str = "# T: a, on cuda:0\n\nBoth.\n\nMeasured there.\n\n| N |\n|---|\n| 2 |\n\nIt is fast.\n";

    #[test]
    fn pages_of_an_experiment_stand_together() {
        let same = || page("u", "# U\n\nOnce.\n").unwrap();
        let pages = [page("t cpu", CPU).unwrap(), same(), page("t cuda:0", CUDA).unwrap(), same()];
        let groups = groups(&pages);
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(lessons(&groups[0]), "- **T: a**\n  - `cpu`: It is slow. Twice.\n  - `cuda:0`: It is fast.\n");
        let text = section(&groups[0]);
        assert!(text.starts_with("\n## T: a\n\nBoth.\n\n### t: `cpu`\n\nMeasured here.\n\nA:\n\n| N |"), "{text}");
        assert!(
            text.ends_with("\n### t: `cuda:0`\n\nMeasured there.\n\n| N |\n|---|\n| 2 |\n\nIt is fast.\n"),
            "{text}"
        );
        assert_eq!(section(&groups[1]), "\n## U\n\nOnce.\n");
    }

    #[test]
    fn tables_that_an_engine_lacks_are_named() {
        let folder = work_folder("experiments-test").unwrap();
        fs::write(folder.join("t-cpu.md"), CPU).unwrap();
        fs::write(folder.join("u.md"), "# U\n\nOnce.\n").unwrap();
        let run = |pages: &str, without_page: &str| {
            fs::write(folder.join(CONTENTS), format!("cpu: on a machine\n\n{pages}\n{without_page}")).unwrap();
            Run::read(&folder).unwrap()
        };
        let here = run("t-cpu.md t cpu\n", "v on cpu: it is for cuda alone\nw: it was not measured\n");
        let there = run("u.md u\n", "t: it was not measured\nv: it was not measured\nw: it was not measured\n");
        let join = |runs: &[Run]| joined(runs, &pages(runs).unwrap()).unwrap();
        let text = join(&[here, there]);
        let list = "\n## Tables that an engine lacks\n\n- v on cpu: it is for cuda alone.\n- w on cpu: it was not measured.\n\n## T: a\n";
        assert!(text.contains(list), "{text}");
        // Runs of older programs do not say so.
        fs::write(folder.join(CONTENTS), "cpu: on a machine\n\nt-cpu.md t cpu\n").unwrap();
        assert!(!join(&[Run::read(&folder).unwrap()]).contains("engine lacks"));
        let both = format!("{CPU}\n").replace("on cpu", "on cuda:0");
        fs::write(folder.join("v-cuda-0.md"), both).unwrap();
        let text = join(&[run("t-cpu.md t cpu\n", ""), run("v-cuda-0.md v cuda:0\n", "")]);
        assert!(text.contains("- v on cpu: it was not measured.\n- t on cuda:0: it was not measured.\n"), "{text}");
        assert_eq!(not_measured(&["a", "b"], "cpu").unwrap(), "a, b on cpu: they were not measured");
    }

    #[test]
    fn plots_of_steps_are_shown() {
        let folder = work_folder("experiments-plots").unwrap();
        fs::write(folder.join("mobile-ladder-cuda-0.md"), CUDA).unwrap();
        fs::write(folder.join("t-cuda-0.md"), CUDA).unwrap();
        let contents = "cuda:0: on a machine\n\nmobile-ladder-cuda-0.md mobile-ladder cuda:0\nt-cuda-0.md t cuda:0\n";
        fs::write(folder.join(CONTENTS), contents).unwrap();
        let pages = pages(&[Run::read(&folder).unwrap()]).unwrap();
        let plots: Vec<_> = pages.iter().map(|page| page.plot.clone()).collect();
        assert_eq!(plots, [Some(folder.join("mobile-ladder-cuda-0.svg")), None]);
        assert!(section(&[&pages[0]]).ends_with("\nIt is fast.\n\n![T: a](images/mobile-ladder-cuda-0.svg)\n"));
    }

    #[test]
    fn different_processors_are_told() {
        let cpu = "`cpu`: Measured D (commit c), on cpu (avx2), 2 threads of Big; `x --engine cpu`.".to_owned();
        let pocl = |name| {
            format!(
                "`opencl:0`: Measured D (commit c), on opencl:0. Its software is `y`. It runs one thread of {name}; `x`."
            )
        };
        let cuda =
            "`cuda:0`: Measured D (commit c), on cuda:0. Its software is `y`. Beside it are 4 threads of Host; `x`."
                .to_owned();
        assert_eq!([commands(&[&cpu, &cuda]), commands(&[&cpu, &cuda, &cpu])].map(str::is_empty), [false, true]);
        assert_eq!(processors(&[&cpu, &cuda, &cpu]), "");
        let (same, other) = (pocl("Big"), pocl("Small"));
        assert_eq!(processors(&[&cpu, &same]), "\nThe same processor ran `cpu` and `opencl:0`.\n");
        let text = processors(&[&cpu, &cuda, &other]);
        assert!(text.contains("different processors") && text.contains("`cpu` on Big; `opencl:0` on Small."), "{text}");
        assert!(!text.contains("Host"), "{text}");
    }

    #[test]
    fn runs_of_two_commits_are_not_mixed() {
        let run = |commit: &str| Run {
            folder: PathBuf::new(),
            origins: vec![format!("cpu: 2026-11-24 (commit {commit}), on a machine")],
            pages: vec![],
            without_page: vec![],
        };
        assert!(joined(&[run("a"), run("a")], &[]).is_ok());
        assert!(joined(&[run("a"), run("b")], &[]).unwrap_err().to_string().contains("different commits"));
    }
}
