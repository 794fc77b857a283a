//! `cargo xtask figures [--check]`: writes the figures of README.md from the committed
//! measurements in `docs/`.
//!
//! A figure is a ratio: fourfold's time divided by that of a peer, for one problem, in one run.
//! `--check` writes nothing and fails if README.md says something else than the tables.

use crate::page::wrapped;
use crate::process::root;
use crate::table::{Origin, Table, ratio};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::env;
use std::fs;

const BEGIN: &str = "<!-- figures: begin (written by `cargo xtask figures`) -->\n";
const END: &str = "<!-- figures: end -->\n";

const CPU: &str = "docs/performance/cpu.md";
const H200: &str = "docs/performance/h200.md";
const ACCURACY: &str = "docs/accuracy.md";

/// A row of the table of ratios.
struct Claim {
    machine: &'static str,
    what: &'static str,
    page: &'static str,
    /// The headings that the measurements stand under.
    sections: &'static [&'static str],
    /// What the README calls the peer.
    against: &'static str,
    peer: Peer,
}

/// Which of the other contestants a ratio is to.
enum Peer {
    /// The fastest that computes the same, whichever that is.
    Fastest,
    /// The fastest of these.
    Of(&'static [&'static str]),
}

const fn cpu(what: &'static str, sections: &'static [&'static str]) -> Claim {
    Claim { machine: "CPU", what, page: CPU, sections, against: "fastest other", peer: Peer::Fastest }
}

const fn h200(what: &'static str, sections: &'static [&'static str], against: &'static str, peer: Peer) -> Claim {
    Claim { machine: "H200", what, page: H200, sections, against, peer }
}

const CUFFT: Peer = Peer::Of(&["cuFFT"]);
const REAL_FFT: &str = "cuFFT's real FFT";

const CLAIMS: &[Claim] = &[
    cpu("2D DCT-II and III", &["2D DCT-II", "2D DCT-III"]),
    cpu("3D DCT-II", &["3D DCT-II"]),
    cpu("DCT-II of 4096 signals", &["4096 signals, DCT-II"]),
    cpu("DCT-II of one signal", &["One signal, DCT-II"]),
    cpu("real FFT of one signal", &["One signal, RFFT"]),
    cpu("complex FFT of one signal", &["One signal, FFT"]),
    h200("2D DCT-II and III", &["2D DCT-II and DCT-III"], "VkFFT", Peer::Of(&["VkFFT", "VkFFT tuned"])),
    h200("2D DCT-II and III", &["2D DCT-II and DCT-III"], REAL_FFT, CUFFT),
    h200("2D DCT-II, other lengths", &["Other sizes"], REAL_FFT, CUFFT),
    h200("3D DCT-II", &["3D DCT-II"], REAL_FFT, CUFFT),
    h200("DCT-II of 4096 signals", &["4096 signals"], REAL_FFT, CUFFT),
    h200("2D FFT, complex and real", &["2D FFTs"], "cuFFT", CUFFT),
];

/// The task.
pub(crate) fn run_task() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(2).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => write_readme(),
        ["--check"] => check(),
        _ => anyhow::bail!("usage: cargo xtask figures [--check]"),
    }
}

fn write_readme() -> Result<()> {
    let (path, text) = (root().join("README.md"), read("README.md")?);
    fs::write(&path, with_figures(&text)?).with_context(|| format!("cannot write {}", path.display()))
}

/// Whether README.md has the figures of the committed measurements.
pub(crate) fn check() -> Result<()> {
    let text = read("README.md")?;
    let is_current = text == with_figures(&text)?;
    ensure!(is_current, "README.md differs from the tables in docs/: run `cargo xtask figures` and commit README.md");
    Ok(())
}

fn read(path: &str) -> Result<String> {
    fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"))
}

/// A README with the figures of today between its markers.
fn with_figures(readme: &str) -> Result<String> {
    let parts = readme.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let (head, tail) = parts.with_context(|| format!("README.md lacks the lines {BEGIN}and {END}"))?;
    Ok(format!("{head}{BEGIN}{}{END}{tail}", figures()?))
}

fn figures() -> Result<String> {
    let (cpu, h200) = (read(CPU)?, read(H200)?);
    let (cpu_times, h200_times) = (times(&cpu), times(&h200));
    let mut table =
        Table::new(["on", "problems", "smallest to largest", "compared with", "mean", "range", "faster in"]);
    let mut slower = vec![];
    for claim in CLAIMS {
        let times = if claim.page == CPU { &cpu_times } else { &h200_times };
        let ratios = claim.ratios(times).with_context(|| claim.page)?;
        table.row(claim.row(&ratios));
        slower.extend(worst(&ratios).filter(|worst| worst.ratio > 1.0).map(|worst| worst.describe(claim.machine)));
    }
    let slower = if slower.is_empty() { "none".to_owned() } else { slower.join(", ") };
    let wide = [
        format!("These problems are slower than a peer's, the worst of each row: {slower}."),
        format!("CPU: one thread, {}; [tables]({CPU}).", measured(&cpu)?),
        format!("H200: {}; [tables]({H200}).", measured(&h200)?),
        errors(&read(ACCURACY)?)?,
    ];
    Ok(format!("{table}\n{}", wide.map(|paragraph| wrapped(&format!("- {paragraph}"), "  ")).concat()))
}

/// One time in a table.
#[derive(Debug, PartialEq)]
struct Time {
    section: String,
    problem: String,
    who: String,
    /// In the unit of its table.
    time: f64,
}

/// One problem's ratio, and the peer's name.
struct Ratio<'a> {
    problem: &'a str,
    who: &'a str,
    ratio: f64,
}

/// All times in the tables of a page: problems, which stand in backquotes, down or across, and the
/// contestants the other way. A cell begins with its time.
fn times(page: &str) -> Vec<Time> {
    let (mut found, mut section, mut heads) = (vec![], "", None);
    for line in page.lines() {
        if let Some(title) = line.strip_prefix('#') {
            section = title.trim_start_matches('#').trim();
        }
        let Some(row) = line.strip_prefix('|').map(|row| row.trim_end().trim_end_matches('|')) else {
            heads = None;
            continue;
        };
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let Some(heads) = &heads else {
            heads = Some(cells);
            continue;
        };
        for (head, cell) in heads.iter().zip(&cells).skip(1) {
            let problem = |name: &str| Some(name.strip_prefix('`')?.strip_suffix('`')?.to_owned());
            let named = problem(cells[0]).map(|p| (p, head)).or_else(|| problem(head).map(|p| (p, &cells[0])));
            if let (Some((problem, who)), Some(time)) = (named, number(cell)) {
                found.push(Time { section: section.to_owned(), problem, who: who.to_string(), time });
            }
        }
    }
    found
}

/// The number that a cell begins with.
fn number(cell: &str) -> Option<f64> {
    let is_digit = |c: char| c.is_ascii_digit() || c == '.' || c == 'e' || c == '-';
    cell[..cell.find(|c| !is_digit(c)).unwrap_or(cell.len())].parse().ok()
}

impl Peer {
    fn includes(&self, who: &str) -> bool {
        match self {
            // An FFT beside a cosine transform does less.
            Peer::Fastest => !(who.starts_with("fourfold") || who.starts_with("memcpy") || who.ends_with("(an FFT)")),
            Peer::Of(names) => names.contains(&who),
        }
    }
}

impl Claim {
    fn ratios<'a>(&self, times: &'a [Time]) -> Result<Vec<Ratio<'a>>> {
        let mut ratios = vec![];
        for section in self.sections {
            let here: Vec<_> = times.iter().filter(|time| time.section == *section).collect();
            for ours in here.iter().filter(|time| time.who == "fourfold") {
                let peers = here.iter().filter(|time| time.problem == ours.problem && self.peer.includes(&time.who));
                let peer = peers.min_by(|a, b| a.time.total_cmp(&b.time));
                ratios.extend(peer.map(|peer| Ratio {
                    problem: &ours.problem,
                    who: &peer.who,
                    ratio: ours.time / peer.time,
                }));
            }
            let problems: BTreeSet<_> = here.iter().map(|time| &time.problem).collect();
            ensure!(!problems.is_empty(), "the section {section:?} has no table");
        }
        ensure!(!ratios.is_empty(), "no problem of {:?} has times of fourfold and {}", self.sections, self.against);
        Ok(ratios)
    }

    fn row(&self, ratios: &[Ratio]) -> [String; 7] {
        let n = ratios.len();
        let mean = (ratios.iter().map(|r| r.ratio.ln()).sum::<f64>() / n as f64).exp();
        let least = ratios.iter().map(|r| r.ratio).fold(f64::INFINITY, f64::min);
        let most = ratios.iter().map(|r| r.ratio).fold(0.0, f64::max);
        let wins = ratios.iter().filter(|r| r.ratio < 1.0).count();
        let Claim { machine, what, against, .. } = self;
        [
            machine.to_string(),
            what.to_string(),
            sizes(ratios),
            against.to_string(),
            ratio(mean),
            format!("{}–{}", ratio(least), ratio(most)),
            format!("{wins} of {n}"),
        ]
    }
}

fn worst<'a>(ratios: &'a [Ratio]) -> impl Iterator<Item = &'a Ratio<'a>> {
    ratios.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio)).into_iter()
}

impl Ratio<'_> {
    fn describe(&self, machine: &str) -> String {
        format!("`{}` ({machine}) {} × {}", self.problem, ratio(self.ratio), self.who)
    }
}

/// The shapes with the fewest and the most elements.
fn sizes(ratios: &[Ratio]) -> String {
    let shapes = ratios.iter().filter_map(|r| r.problem.split(' ').nth(2));
    let elements = |shape: &&str| shape.split('x').filter_map(|n| n.parse::<u64>().ok()).product::<u64>();
    let mut shapes: Vec<_> = shapes.collect();
    shapes.sort_by_key(elements);
    match (shapes.first(), shapes.last()) {
        (Some(first), Some(last)) => format!("{first} – {last}"),
        _ => String::new(),
    }
}

/// When, where and by which commit a page was measured.
fn measured(page: &str) -> Result<String> {
    Origin::in_page(page).context("a page lacks the sentence \"Measured DATE (commit HASH), on MACHINE;\"")
}

/// The largest errors of the page on accuracy.
fn errors(page: &str) -> Result<String> {
    let most = |section: &str| -> Result<f64> {
        let text =
            page.split_once(&format!("## {section}\n")).with_context(|| format!("{ACCURACY}: no {section:?}"))?;
        let rows = text.1.split("\n## ").next().unwrap_or_default().lines().filter(|line| line.starts_with('|'));
        let errors = rows.flat_map(|row| row.split('|').skip(2)).filter_map(|cell| number(cell.trim()));
        Ok(errors.fold(0.0, f64::max))
    };
    let [double, single] = [most("One axis, f64")?, most("One axis, f32")?];
    ensure!(double > 0.0 && single > 0.0, "{ACCURACY} has no errors");
    Ok(format!(
        "Accuracy: mean relative errors of all kinds and lengths measured are at most {double:.1e} in f64 and \
         {single:.1e} in f32; [tables]({ACCURACY})."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOWN: &str = "## A\n\n| µs | fourfold | cuFFT |\n|---|---|---|\n| `dct2 f32 8x8` | 2.0 (1), 3 | 4.0 |\n";
    const ACROSS: &str = "### A\n\n| | `dct2 f32 8x8` | `fft f64 9` |\n|---|---|---|\n| fourfold | 3.0 (2) | – |\n";

    #[test]
    fn times_are_read_whichever_way_the_table_stands() {
        let time =
            |who: &str, time| Time { section: "A".into(), problem: "dct2 f32 8x8".into(), who: who.into(), time };
        assert_eq!(times(DOWN), [time("fourfold", 2.0), time("cuFFT", 4.0)]);
        assert_eq!(times(ACROSS), [time("fourfold", 3.0)]);
        assert_eq!(times("no table"), []);
    }

    #[test]
    fn ratios_are_to_the_fastest_that_computes_the_same() {
        let time =
            |who: &str, time| Time { section: "A".into(), problem: "dct2 f64 8x16".into(), who: who.into(), time };
        let all = ["memcpy", "fourfold", "MKL rfft (an FFT)", "FFTW", "ducc"].iter().zip([1.0, 6.0, 2.0, 9.0, 4.0]);
        let all: Vec<_> = all.map(|(who, t)| time(who, t)).collect();
        let ratios = cpu("2D", &["A"]).ratios(&all).unwrap();
        assert_eq!(ratios[0].describe("CPU"), "`dct2 f64 8x16` (CPU) 1.50 × ducc");
        let row = ["CPU", "2D", "8x16 – 8x16", "fastest other", "1.50", "1.50–1.50", "0 of 1"];
        assert_eq!(cpu("2D", &["A"]).row(&ratios), row);
        assert!(cpu("2D", &["B"]).ratios(&all).is_err_and(|error| error.to_string().contains("\"B\"")));
    }

    #[test]
    fn the_readme_has_the_committed_figures() {
        check().unwrap();
    }
}
