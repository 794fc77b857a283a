//! Tables of times, and of the targets that they meet or miss.

use crate::contestant::Role;
use crate::groups::{Against, Bar, Group, OURS};
use crate::turns::{Entry, Measured};
use fourfold::timing::table::{Table, digits, ratio};
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
        measured.chunks(COLUMNS).for_each(|chunk| text += &format!("\n{}", table(chunk)));
        for wrong in measured.iter().filter(|m| !m.wrong.is_empty()) {
            let _ = writeln!(
                text,
                "\n`{}`: not timed, since the results are wrong: {}.",
                wrong.problem,
                wrong.wrong.join(", ")
            );
        }
    }
    text
}

/// Contestants by problems.
fn table(measured: &[Measured]) -> Table {
    let mut names = Vec::new();
    for entry in measured.iter().flat_map(|m| &m.entries) {
        if !names.contains(&&entry.name) {
            names.push(&entry.name);
        }
    }
    let problems = measured.iter().map(|m| format!("`{}`", m.problem));
    let mut table = Table::new([String::new()].into_iter().chain(problems));
    for name in names {
        let entry = |m: &Measured| m.entries.iter().find(|entry| entry.name == *name).map(|entry| cell(entry, m));
        let cells = measured.iter().map(|m| entry(m).unwrap_or_default());
        table.row([name.clone()].into_iter().chain(cells));
    }
    table
}

/// Milliseconds, the multiple of a copy, and what fourfold takes of it.
fn cell(entry: &Entry, measured: &Measured) -> String {
    let mut text = digits(entry.milliseconds);
    if let Some(copy) = measured.time(entry.copy).filter(|_| !entry.name.starts_with("memcpy")) {
        text += &format!(" ({})", ratio(entry.milliseconds / copy));
    }
    let ours = measured.entries.iter().find(|e| e.role == Role::Ours).filter(|ours| ours.name != entry.name);
    if let Some(ours) = ours {
        text += &format!(" {}", ratio(ours.milliseconds / entry.milliseconds));
    }
    text
}

/// The targets, with the problems that meet them and those that miss them.
pub(crate) fn targets(results: &[(Group, Vec<Measured>)]) -> Table {
    let mut table = Table::new(["target", "met", "missed"]);
    for (group, measured) in results {
        for bar in &group.bars {
            let title = format!("{}: {} ≤ {} × {}", group.title, bar.subject, ratio(bar.limit), against(bar.against));
            let results = measured.iter().filter(|m| m.problem.contains(bar.only)).map(|m| reached(bar, m));
            target(&mut table, title, results);
        }
    }
    let title = format!("planning at 4096², a new planner: ≤ {PLANNING} ms");
    target(&mut table, title, results.iter().flat_map(|(_, measured)| measured).filter_map(planning));
    table
}

/// A row, unless there is nothing to say: what the problems reached, and whether that is enough.
fn target(table: &mut Table, title: String, results: impl Iterator<Item = (String, bool)>) {
    let (met, missed): (Vec<_>, Vec<_>) = results.partition(|(_, is_met)| *is_met);
    if met.len() + missed.len() > 0 {
        let list =
            |items: Vec<(String, bool)>| items.into_iter().map(|(text, _)| text).collect::<Vec<_>>().join("<br>");
        table.row([title, list(met), list(missed)]);
    }
}

/// fourfold's time as a multiple of the fastest that the bar names, and whether the bar is met.
fn reached(bar: &Bar, measured: &Measured) -> (String, bool) {
    match (measured.time(bar.subject), best(bar, measured)) {
        (Some(ours), Some(best)) => {
            let times = ours / best.milliseconds;
            (format!("{} {} ({})", measured.problem, ratio(times), best.name), times <= bar.limit)
        }
        _ => (format!("{}: not measured", measured.problem), false),
    }
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

/// The time to plan the largest problems.
fn planning(measured: &Measured) -> Option<(String, bool)> {
    let is_large = measured.problem.contains("4096x4096") && !measured.problem.contains("axes");
    let is_large = is_large && measured.time(OURS).is_some();
    is_large.then(|| (format!("{} {}", measured.problem, digits(measured.planning)), measured.planning <= PLANNING))
}
