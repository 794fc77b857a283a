//! The format of committed measurements: tables in Markdown, rounding, and the sentence that says
//! when, by which commit and on which machine they were measured.
//!
//! Times have four significant digits (`digits`), quotients of times two decimals (`ratio`), and
//! errors three significant digits (`error`).

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// What a cell without a value shows.
const NOTHING: &str = "–";

/// A time, or another quantity with a unit: four significant digits, at most nine decimals.
pub fn digits(x: f64) -> String {
    let before_point = x.abs().max(1e-9).log10().floor() as i32;
    rounded(x, (3 - before_point).clamp(0, 9) as usize)
}

/// A quotient of two times, such as `1.76`.
pub fn ratio(x: f64) -> String {
    rounded(x, 2)
}

/// A number with so many decimals. What rounds to 0 has no sign.
fn rounded(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.bytes().all(|byte| matches!(byte, b'0' | b'.')) => zero.to_owned(),
        _ => text,
    }
}

/// A relative error, such as `1.08e-16`.
pub fn error(x: f64) -> String {
    format!("{x:.2e}")
}

/// Rows of cells under heads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows yet.
    pub fn new<T: Into<String>>(heads: impl IntoIterator<Item = T>) -> Table {
        Table { heads: heads.into_iter().map(escaped).collect(), rows: vec![] }
    }

    /// Adds a row: a cell for each head. An empty cell is shown as a dash.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let cells = cells.into_iter().map(escaped);
        self.rows.push(cells.map(|cell| if cell.is_empty() { NOTHING.to_owned() } else { cell }).collect());
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The same for a terminal, still Markdown: columns are filled with spaces to one width, and
    /// those whose cells all begin with a digit, a minus sign or a dash are aligned at the right.
    pub fn padded(&self) -> String {
        let columns: Vec<_> = (0..self.heads.len()).map(|column| Column::of(self, column)).collect();
        let line = |cells: &[String]| {
            let cells = cells.iter().zip(&columns).map(|(cell, column)| column.padded(cell));
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule = columns.iter().map(|column| if column.is_number { "--:|" } else { "---|" });
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}|{}\n{rows}", line(&self.heads), rule.collect::<String>())
    }
}

/// The text of a cell, in which a bar does not end the cell.
fn escaped(text: impl Into<String>) -> String {
    text.into().replace('|', "\\|")
}

/// As Markdown, with a line break at the end.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, cells: &[String]| {
            f.write_str("|")?;
            for cell in cells {
                f.write_str(if cell.is_empty() { "" } else { " " })?;
                write!(f, "{cell} |")?;
            }
            f.write_str("\n")
        };
        line(f, &self.heads)?;
        writeln!(f, "|{}", "---|".repeat(self.heads.len()))?;
        self.rows.iter().try_for_each(|row| line(f, row))
    }
}

/// How a column is padded.
struct Column {
    width: usize,
    is_number: bool,
}

impl Column {
    fn of(table: &Table, column: usize) -> Column {
        let cells = || table.rows.iter().filter_map(|row| row.get(column));
        let is_number = |cell: &String| cell.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '–');
        let widths = cells().chain(table.heads.get(column)).map(|cell| cell.chars().count());
        Column { width: widths.max().unwrap_or(0), is_number: cells().all(is_number) }
    }

    fn padded(&self, cell: &str) -> String {
        let width = self.width;
        if self.is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
    }
}

/// When, by which commit and where figures were measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// As `2026-11-23`.
    pub date: String,
    /// What Git calls the commit.
    pub commit: String,
    /// The machine and what belongs to it.
    pub machine: String,
}

impl Origin {
    /// Of today.
    pub fn today(commit: impl Into<String>, machine: impl Into<String>) -> Origin {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        Origin { date: date(seconds / 86_400), commit: commit.into(), machine: machine.into() }
    }

    /// What a page says of its figures, between `Measured` and the next semicolon. None if it does
    /// not say so.
    pub fn in_page(page: &str) -> Option<String> {
        let text = page.split_whitespace().collect::<Vec<_>>().join(" ");
        let (found, _) = text.split_once("Measured ")?.1.split_once(';')?;
        found.contains(" (commit ").then(|| found.to_owned())
    }
}

/// As pages have it: `Measured 2026-11-23 (commit 0123456), on a machine`. A semicolon follows.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Origin { date, commit, machine } = self;
        write!(f, "Measured {date} (commit {commit}), on {machine}")
    }
}

/// The date so many days after 1 January 1970, in the Gregorian calendar. Years are counted from
/// March, so that a leap day is the last of its year; 400 years have 146,097 days. (H. Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms", 2021)
fn date(days: u64) -> String {
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    format!("{:04}-{month:02}-{day:02}", 400 * era + year + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_significant_digits() {
        let times = [0.012345, 1.0, 123.456, 98765.4, 0.0000123456, 0.0].map(digits);
        assert_eq!(times, ["0.01235", "1.000", "123.5", "98765", "0.00001235", "0.000000000"]);
        assert_eq!([-0.0, -1e-12, -2.5].map(digits), ["0.000000000", "0.000000000", "-2.500"]);
        assert_eq!([-0.004, -0.006, f64::NEG_INFINITY].map(ratio), ["0.00", "-0.01", "-inf"]);
        assert_eq!([ratio(1.755), ratio(12.0), error(1.0777e-16)], ["1.75", "12.00", "1.08e-16"]);
    }

    #[test]
    fn tables_are_markdown() {
        let mut table = Table::new(["", "ms", "who"]);
        assert!(table.is_empty());
        table.row(["a", "1.000", "x"]);
        table.row(["b", "", "yes"]);
        assert_eq!(table.to_string(), "| | ms | who |\n|---|---|---|\n| a | 1.000 | x |\n| b | – | yes |\n");
        let padded = "|   |    ms | who |\n|---|--:|---|\n| a | 1.000 | x   |\n| b |     – | yes |\n";
        assert_eq!(table.padded(), padded);
        let mut table = Table::new(["a|b"]);
        table.row(["c|d"]);
        assert_eq!(table.to_string(), "| a\\|b |\n|---|\n| c\\|d |\n", "a bar in a cell is not its end");
    }

    #[test]
    fn dates_are_of_the_calendar() {
        assert_eq!(
            [0, 59, 11_016, 19_782, 20_780].map(date),
            ["1970-01-01", "1970-03-01", "2000-02-29", "2024-02-29", "2026-11-23"]
        );
    }

    #[test]
    fn pages_say_where_their_figures_come_from() {
        let origin = Origin { date: "2026-11-23".into(), commit: "0123456".into(), machine: "a machine".into() };
        let page = format!("# Title\n\nWarm times.\n{origin}; by\n\n    a command\n").replace(" on ", "\non ");
        assert_eq!(Origin::in_page(&page).unwrap(), "2026-11-23 (commit 0123456), on a machine");
        assert_eq!(Origin::in_page("Measured today; here"), None);
        assert_eq!(Origin::today("c", "m").date.len(), 10);
    }
}
