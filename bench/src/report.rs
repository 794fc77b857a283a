//! Tables, and the list of what was promised and kept.

use crate::contestant::Role;
use crate::groups::{Against, Bar, Group, OURS};
use crate::turns::{Entry, Measured};
use std::fmt::Write;

/// Columns of a table.
const COLUMNS: usize = 7;

/// Milliseconds to plan with the default effort, at 4096².
const PLANNING: f64 = 1.0;

/// All tables.
pub(crate) fn tables(results: &[(Group, Vec<Measured>)]) -> String {
    let mut text = String::new();
    for (group, measured) in results {
        let _ = write!(text, "\n## {}\n", group.title);
        measured.chunks(COLUMNS).for_each(|chunk| text.push_str(&table(chunk)));
        for wrong in measured.iter().filter(|m| !m.wrong.is_empty()) {
            let _ = writeln!(
                text,
                "\n`{}`: not timed, for its results are wrong: {}.",
                wrong.problem,
                wrong.wrong.join(", ")
            );
        }
    }
    text
}

/// Contestants by problems.
fn table(measured: &[Measured]) -> String {
    let mut names = Vec::new();
    for entry in measured.iter().flat_map(|m| &m.entries) {
        if !names.contains(&&entry.name) {
            names.push(&entry.name);
        }
    }
    let mut text = String::from("\n| |");
    measured.iter().for_each(|m| text += &format!(" `{}` |", m.problem));
    text += &format!("\n|---|{}\n", "---|".repeat(measured.len()));
    for name in names {
        text += &format!("| {name} |");
        for m in measured {
            let cell = m.entries.iter().find(|entry| entry.name == *name).map(|entry| cell(entry, m));
            text += &format!(" {} |", cell.unwrap_or_else(|| "–".to_owned()));
        }
        text.push('\n');
    }
    text
}

/// Milliseconds, the multiple of a copy, and what fourfold takes of it.
fn cell(entry: &Entry, measured: &Measured) -> String {
    let mut text = number(entry.milliseconds);
    if let Some(copy) = measured.time(entry.copy).filter(|_| !entry.name.starts_with("memcpy")) {
        text += &format!(" ({:.1})", entry.milliseconds / copy);
    }
    let ours = measured.entries.iter().find(|e| e.role == Role::Ours).filter(|ours| ours.name != entry.name);
    if let Some(ours) = ours {
        text += &format!(" {:.2}", ours.milliseconds / entry.milliseconds);
    }
    text
}

/// Three digits.
fn number(x: f64) -> String {
    match x {
        100.0.. => format!("{x:.0}"),
        10.0.. => format!("{x:.1}"),
        1.0.. => format!("{x:.2}"),
        0.1.. => format!("{x:.3}"),
        0.01.. => format!("{x:.4}"),
        _ => format!("{x:.6}"),
    }
}

/// What was promised, with the ratios.
pub(crate) fn bars(results: &[(Group, Vec<Measured>)]) -> String {
    let mut text = String::from("| promise | met | missed |\n|---|---|---|\n");
    for (group, measured) in results {
        group.bars.iter().for_each(|bar| text += &promise(group, bar, measured));
    }
    text + &planning(results)
}

/// One line for each promise: the problems that keep it, and those that do not.
fn promise(group: &Group, bar: &Bar, measured: &[Measured]) -> String {
    let (mut met, mut missed) = (Vec::new(), Vec::new());
    for m in measured.iter().filter(|m| m.problem.contains(bar.only)) {
        let verdict = match (m.time(bar.subject), best(bar, m)) {
            (Some(ours), Some(best)) => {
                let ratio = ours / best.milliseconds;
                let list = if ratio <= bar.limit { &mut met } else { &mut missed };
                list.push(format!("{} {ratio:.2} ({})", m.problem, best.name));
                continue;
            }
            _ => format!("{}: not measured", m.problem),
        };
        missed.push(verdict);
    }
    if met.len() + missed.len() == 0 {
        return String::new();
    }
    let title = format!("{}: {} ≤ {:.2} × {}", group.title, bar.subject, bar.limit, against(bar.against));
    format!("| {title} | {} | {} |\n", list(&met), list(&missed))
}

fn list(items: &[String]) -> String {
    if items.is_empty() { "–".to_owned() } else { items.join("<br>") }
}

/// The fastest of those that the bar names.
fn best<'a>(bar: &Bar, measured: &'a Measured) -> Option<&'a Entry> {
    let named = |entry: &&Entry| match bar.against {
        Against::Peers => entry.role == Role::Peer,
        Against::PeersBut(prefix) => entry.role == Role::Peer && !entry.name.starts_with(prefix),
        Against::Named(prefixes) => prefixes.iter().any(|prefix| entry.name.starts_with(prefix)),
    };
    let others = measured.entries.iter().filter(|entry| entry.name != bar.subject);
    others.filter(named).min_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds))
}

fn against(against: Against) -> String {
    match against {
        Against::Peers => "the fastest of all peers".to_owned(),
        Against::PeersBut(prefix) => format!("the fastest peer but {prefix}"),
        Against::Named(names) => names.join(" or "),
    }
}

fn planning(results: &[(Group, Vec<Measured>)]) -> String {
    let large =
        |m: &&Measured| m.problem.contains("4096x4096") && !m.problem.contains("axes") && m.time(OURS).is_some();
    let (mut met, mut missed) = (Vec::new(), Vec::new());
    for m in results.iter().flat_map(|(_, measured)| measured).filter(large) {
        let list = if m.planning <= PLANNING { &mut met } else { &mut missed };
        list.push(format!("{} {}", m.problem, number(m.planning)));
    }
    if met.len() + missed.len() == 0 {
        return String::new();
    }
    format!("| planning at 4096², a new planner: ≤ {PLANNING} ms | {} | {} |\n", list(&met), list(&missed))
}
