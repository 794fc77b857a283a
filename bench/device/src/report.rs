//! Tables in Markdown, with the targets that were met and missed.

use crate::groups::Bar;
use crate::{Entry, Launch, Results};
use fourfold::timing::table::{Origin, Table, digits, ratio};
use std::fmt::Write;

/// The tables of times: the middle of `docs/performance/h200.md`.
pub(crate) fn tables(origin: &Origin, all: &[Results]) -> String {
    let mut text = format!("{origin}; by `cargo xtask device-bench`.\n");
    for results in all {
        let _ = write!(text, "\n### {}\n\n{}", results.title, times(results));
        text += &if results.summary { summary(results) } else { targets(results) };
        text += &planning(results);
        results.missing.iter().for_each(|line| text += &format!("\nMissing: {line}.\n"));
    }
    text
}

/// The head of the page with the launches, after its title.
const LAUNCHES: &str = "\
Each row is one launch, repeated in a CUDA graph, over arrays of 320 MB in turn. *× copy* is the
multiple of a copy, enqueued or from a graph, whichever is faster. *MB* is the size of the problem's
two arrays. A launch moves at least so much, except those that do a part of the digits of long
lines: these have complex numbers between them. *TB/s* is that size over the time.
";

/// The page with the time of every launch: `docs/performance/h200-launches.md`.
pub(crate) fn launches(origin: &Origin, device: &str, all: &[Results]) -> String {
    let mut text =
        format!("# Every launch alone, on {device}\n\n{LAUNCHES}\n{origin}; by\n\n    cargo xtask device-bench\n");
    for results in all {
        let mut table = Table::new(["launch, alone, from a graph", "µs", "× copy", "MB", "TB/s"]);
        for Launch { problem, what, microseconds, copies, rate } in &results.launches {
            let (megabytes, terabytes) = (rate * microseconds / 1e12, rate / 1e12);
            let figures = [digits(*microseconds), ratio(*copies), digits(megabytes), ratio(terabytes)];
            table.row([format!("`{problem}`: {what}")].into_iter().chain(figures));
        }
        let _ = write!(text, "\n## {}\n\n{table}", results.title);
    }
    text
}

/// Problems by contestants: microseconds enqueued and from a graph, and the multiple of a copy.
fn times(results: &Results) -> Table {
    let mut names: Vec<&str> = vec![];
    for entry in &results.entries {
        if !names.contains(&entry.name.as_str()) {
            names.push(&entry.name);
        }
    }
    let mut table = Table::new(["µs (graph), × copy"].into_iter().chain(names.iter().copied()));
    for (problem, _) in &results.problems {
        let cells = names.iter().map(|name| results.find(problem, name).map(cell).unwrap_or_default());
        table.row([format!("`{problem}`")].into_iter().chain(cells));
    }
    table
}

fn cell(entry: &Entry) -> String {
    let graph = entry.graph.map_or(String::new(), |graph| format!(" ({})", digits(graph)));
    format!("{}{graph}, {}", digits(entry.stream), ratio(entry.stream / entry.copy_stream))
}

impl Results {
    fn find(&self, problem: &str, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.problem == problem && entry.name == name)
    }

    /// fourfold's entry: that of the tuned plan, if there is one.
    fn ours(&self, problem: &str) -> Option<&Entry> {
        self.find(problem, "fourfold tuned").or_else(|| self.find(problem, "fourfold"))
    }

    /// The larger of the ratios enqueued and from graphs, the target, and whose time it is of.
    fn reached(&self, problem: &str, bar: &Bar) -> Option<(f64, f64, String)> {
        let ours = self.ours(problem)?;
        let worse = |other: &Entry| {
            let graphs = ours.graph.zip(other.graph).map_or(0.0, |(ours, other)| ours / other);
            graphs.max(ours.stream / other.stream)
        };
        Some(match bar {
            Bar::CuFft(most) => (worse(self.find(problem, "cuFFT")?), *most, "cuFFT".into()),
            Bar::Contestant(name, most) => (worse(self.find(problem, name)?), *most, (*name).into()),
            Bar::Copy(most) => (ours.stream / ours.copy_stream, *most, "a copy".into()),
            Bar::Problem(other, most) => (worse(self.ours(other)?), *most, format!("`{other}`")),
            Bar::VkFft(most) => {
                let multiple = |entry: &Entry| Some(entry.graph? / entry.copy_graph?);
                let theirs = ["VkFFT", "VkFFT tuned"].iter().filter_map(|name| multiple(self.find(problem, name)?));
                (multiple(ours)? / theirs.min_by(f64::total_cmp)?, *most, "VkFFT".into())
            }
        })
    }
}

/// fourfold beside cuFFT, over all problems, and in copies by the sort of problem.
fn summary(results: &Results) -> String {
    type Figure = fn(&Entry) -> Option<f64>;
    let figures: [(&str, Figure); 2] = [("Enqueued", |entry| Some(entry.stream)), ("From graphs", |entry| entry.graph)];
    let ours: Vec<&Entry> = results.entries.iter().filter(|entry| entry.name == "fourfold").collect();
    let mut text = String::new();
    for (name, time) in figures {
        let ratio_of = |entry: &&Entry| Some(time(entry)? / time(results.find(&entry.problem, "cuFFT")?)?);
        let ratios: Vec<f64> = ours.iter().filter_map(ratio_of).collect();
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let (most, faster) = (ratios.iter().copied().fold(0.0, f64::max), ratios.iter().filter(|r| **r <= 1.0).count());
        let _ = write!(
            text,
            "\n{name}: geometric mean of fourfold / cuFFT {}. At most 1: {faster} of {}. Largest: {}.\n",
            ratio(mean),
            ratios.len(),
            ratio(most)
        );
    }
    text
}

/// How many targets were met, and which were missed.
fn targets(results: &Results) -> String {
    let (mut met, mut missed) = (0, vec![]);
    for (problem, bars) in &results.problems {
        for bar in bars {
            match results.reached(problem, bar) {
                Some((times, most, _)) if times <= most => met += 1,
                Some((times, most, other)) => {
                    missed.push(format!("`{problem}` {} × {other} ({})", ratio(times), ratio(most)));
                }
                None => missed.push(format!("`{problem}`: {bar:?} not measured")),
            }
        }
    }
    let list = if missed.is_empty() { "none".to_owned() } else { missed.join("; ") };
    format!("\nTargets met: {met}. Missed, with the target in brackets: {list}.\n")
}

/// Milliseconds, with kernels to compile and with all on disk.
fn planning(results: &Results) -> String {
    let most = |times: fn(&(String, f64, f64)) -> f64| digits(results.planning.iter().map(times).fold(0.0, f64::max));
    let (fresh, kept) = (most(|planned| planned.1), most(|planned| planned.2));
    format!("\nPlanning took at most {fresh} ms with all kernels to compile, {kept} ms with kernels on disk.\n")
}
