//! A result as text.

use std::fmt::Write;
use std::ops::Range;

use fourfold::timing::table::Table;

use crate::plot::Plot;

/// What becomes of an experiment.
pub(crate) enum Outcome {
    Page {
        page: Box<Page>,
        /// What its numbers must not be and are. The program then fails.
        fault: Option<String>,
    },
    /// Why it cannot be done here.
    LeftOut(String),
}

impl Outcome {
    pub(crate) fn page(page: Page) -> Outcome {
        Outcome::Page { page: Box::new(page), fault: None }
    }
}

/// Tables with what is to be said about them.
pub(crate) struct Page {
    pub(crate) title: String,
    /// Paragraphs above the tables.
    pub(crate) text: Vec<String>,
    pub(crate) columns: Vec<String>,
    /// The columns in parts that can be read side by side. The columns that belong to no part come
    /// first, and every part begins with them.
    pub(crate) parts: Vec<Part>,
    /// Cells of which an empty one has no value.
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) plot: Plot,
}

/// Some columns of the rows.
pub(crate) struct Part {
    /// Empty if there is only one part.
    title: &'static str,
    columns: usize,
    /// What the numbers say. Empty if the next part belongs to the same table.
    teaches: String,
}

impl Part {
    /// All columns of a page that has one table.
    pub(crate) fn whole(teaches: String) -> Part {
        Part::new("", 0, teaches)
    }

    /// So many columns, below which a sentence stands.
    pub(crate) fn new(title: &'static str, columns: usize, teaches: String) -> Part {
        Part { title, columns, teaches }
    }

    #[cfg(test)]
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// So many columns of the table that the next part ends.
    pub(crate) fn begun(title: &'static str, columns: usize) -> Part {
        Part::new(title, columns, String::new())
    }
}

/// The most words of a sentence below a table.
const MOST_WORDS: usize = 25;

/// Whether a text is one sentence that is not too long. What stands in backquotes is one word.
pub(crate) fn is_short_sentence(text: &str) -> bool {
    let words: String = text.split('`').enumerate().map(|(i, part)| if i % 2 == 0 { part } else { "code" }).collect();
    let inner = text.strip_suffix('.').unwrap_or(". ");
    !inner.is_empty()
        && ![". ", "\n", "NaN"].iter().any(|not| inner.contains(not))
        && words.split_whitespace().count() <= MOST_WORDS
}

impl Page {
    /// `machine` is none for a page that does not depend on it.
    pub(crate) fn markdown(&self, machine: Option<&str>) -> String {
        let mut text = format!("# {}\n\n", self.title);
        for paragraph in machine.map(|machine| format!("{MACHINE}{machine}.")).iter().chain(&self.text) {
            let _ = writeln!(text, "{paragraph}\n");
        }
        text + &self.tables()
    }

    /// What is wrong with the sentences below the tables: each table has one.
    pub(crate) fn fault(&self) -> Option<String> {
        let taught = self.parts.iter().map(|part| &part.teaches).filter(|teaches| !teaches.is_empty());
        let long = taught.clone().find(|teaches| !is_short_sentence(teaches));
        match (self.parts.last(), long) {
            (_, Some(text)) => Some(format!("below a table stands no sentence of at most {MOST_WORDS} words: {text}")),
            (Some(last), None) if !last.teaches.is_empty() => None,
            _ => Some("below a table stands no sentence".into()),
        }
    }

    /// The parts, with their sentences.
    fn tables(&self) -> String {
        let first = self.columns.len() - self.parts.iter().map(|part| part.columns).sum::<usize>();
        let mut from = first;
        let parts = self.parts.iter().map(|Part { title, columns, teaches }| {
            let others = from..from + columns;
            from = others.end;
            let title = if title.is_empty() { String::new() } else { format!("{title}:\n\n") };
            let teaches = if teaches.is_empty() { String::new() } else { format!("\n{teaches}\n") };
            format!("{title}{}{teaches}", self.table(0..first, others))
        });
        parts.collect::<Vec<_>>().join("\n")
    }

    /// The columns of two ranges.
    fn table(&self, first: Range<usize>, others: Range<usize>) -> String {
        let chosen = |cells: &[String]| [&cells[first.clone()], &cells[others.clone()]].concat();
        let mut table = Table::new(chosen(&self.columns));
        self.rows.iter().for_each(|row| table.row(chosen(row)));
        table.to_string()
    }

    /// RFC 4180.
    pub(crate) fn csv(&self) -> String {
        let cell = |cell: &String| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line = |cells: &Vec<String>| cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        [&self.columns].into_iter().chain(&self.rows).map(line).collect()
    }
}

/// What the paragraph that names the machine begins with. `cargo xtask experiments` leaves it out,
/// since its page names the machines once.
const MACHINE: &str = "Machine: ";

/// Cells of constant text.
pub(crate) fn strings(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(parts: Vec<Part>) -> Page {
        Page {
            title: "T".into(),
            text: strings(&["P."]),
            columns: strings(&["a", "b, c"]),
            parts,
            rows: vec![strings(&["1", ""]), strings(&["say \"x\"", "2"])],
            plot: Plot { title: "T".into(), labels: ["x".into(), "y".into()], lines: vec![], bars: vec![] },
        }
    }

    #[test]
    fn cells_are_quoted_and_absent_ones_shown() {
        let whole = page(vec![Part::whole("S.".into())]);
        assert_eq!(whole.csv(), "a,\"b, c\"\n1,\n\"say \"\"x\"\"\",2\n");
        let table = "| a | b, c |\n|---|---|\n| 1 | – |\n| say \"x\" | 2 |\n";
        assert_eq!(whole.markdown(None), format!("# T\n\nP.\n\n{table}\nS.\n"));
        let left = "| a |\n|---|\n| 1 |\n| say \"x\" |\n";
        let parts = page(vec![Part::begun("L", 0), Part::new("M", 0, "S.".into()), Part::new("R", 1, "R.".into())]);
        let text = format!("# T\n\nMachine: fast.\n\nP.\n\nL:\n\n{left}\nM:\n\n{left}\nS.\n\nR:\n\n{table}\nR.\n");
        assert_eq!(parts.markdown(Some("fast")), text);
    }

    #[test]
    fn every_table_needs_one_short_sentence() {
        let of = |teaches: &str| page(vec![Part::whole(teaches.into())]).fault();
        assert_eq!(of("It is 1.5 times (1.0 to 2.0) as fast."), None);
        let not = ["", "No end", "One. Two.", "It is NaN.", &format!("{}end.", "word ".repeat(25))];
        assert!(not.iter().all(|text| of(text).is_some()));
        assert_eq!(of(&format!("{}`a b`.", "word ".repeat(24))), None);
        assert!(page(vec![Part::new("L", 1, "S.".into()), Part::begun("R", 0)]).fault().is_some());
        assert!(page(vec![]).fault().is_some());
    }
}
