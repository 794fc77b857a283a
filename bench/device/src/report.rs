//! Tables in Markdown, with what was promised and kept.

use crate::groups::Bar;
use crate::{Entry, Launch, Results};
use std::fmt::Write;

/// All tables.
pub(crate) fn tables(heading: &str, all: &[Results]) -> String {
    let mut text = format!("{heading}.\n");
    for results in all {
        let _ = write!(text, "\n### {}\n\n", results.title);
        text += &times(results);
        text += &bars(results);
        text += &planning(results);
        text += &launches(results);
        results.missing.iter().for_each(|line| text += &format!("\nMissing: {line}.\n"));
    }
    text
}

/// Problems by contestants: microseconds enqueued and from a graph, and the multiple of a copy.
fn times(results: &Results) -> String {
    let mut names: Vec<&str> = vec![];
    for entry in &results.entries {
        if !names.contains(&entry.name.as_str()) {
            names.push(&entry.name);
        }
    }
    let mut text = format!("| µs (graph), × copy | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
    for (problem, _) in &results.problems {
        let cell = |name: &&str| results.find(problem, name).map_or("–".into(), cell);
        let _ = writeln!(text, "| `{problem}` | {} |", names.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    text
}

fn cell(entry: &Entry) -> String {
    let graph = entry.graph.map_or(String::new(), |graph| format!(" ({graph:.1})"));
    format!("{:.1}{graph}, {:.2}", entry.stream, entry.stream / entry.copy_stream)
}

impl Results {
    fn find(&self, problem: &str, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.problem == problem && entry.name == name)
    }

    /// fourfold's entry: that of the tuned plan, if there is one.
    fn ours(&self, problem: &str) -> Option<&Entry> {
        self.find(problem, "fourfold tuned").or_else(|| self.find(problem, "fourfold"))
    }

    /// The larger of the ratios enqueued and from graphs, and the promise.
    fn reached(&self, problem: &str, bar: &Bar) -> Option<(f64, f64, String)> {
        let ours = self.ours(problem)?;
        let worse = |other: &Entry| {
            let graphs = ours.graph.zip(other.graph).map_or(0.0, |(ours, other)| ours / other);
            graphs.max(ours.stream / other.stream)
        };
        Some(match bar {
            Bar::CuFft(most) => (worse(self.find(problem, "cuFFT")?), *most, "cuFFT".into()),
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

/// What was promised: reached or not.
fn bars(results: &Results) -> String {
    let (mut met, mut missed) = (0, vec![]);
    for (problem, bars) in &results.problems {
        for bar in bars {
            match results.reached(problem, bar) {
                Some((ratio, most, _)) if ratio <= most => met += 1,
                Some((ratio, most, other)) => missed.push(format!("`{problem}` {ratio:.2} × {other} ({most:.2})")),
                None => missed.push(format!("`{problem}`: {bar:?} not measured")),
            }
        }
    }
    let list = if missed.is_empty() { "none".to_owned() } else { missed.join("; ") };
    format!("\nPromises met: {met}. Missed (promised): {list}.\n")
}

/// Milliseconds, with kernels to compile and with all on disk.
fn planning(results: &Results) -> String {
    let most = |times: &dyn Fn(&(String, f64, f64)) -> f64| results.planning.iter().map(times).fold(0.0, f64::max);
    format!("\nPlanning takes at most {:.0} ms, from the cache {:.1} ms.\n", most(&|p| p.1), most(&|p| p.2))
}

/// Where the time goes.
fn launches(results: &Results) -> String {
    let mut text =
        String::from("\n| launches alone, from a graph | µs | × copy | MB | TB/s |\n|---|---|---|---|---|\n");
    for launch in &results.launches {
        let Launch { problem, what, microseconds, copies, rate } = launch;
        let megabytes = rate * microseconds / 1e12;
        let _ = writeln!(
            text,
            "| `{problem}`: {what} | {microseconds:.1} | {copies:.2} | {megabytes:.1} | {:.2} |",
            rate / 1e12
        );
    }
    text
}
