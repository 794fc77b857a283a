//! A result as text.

use std::fmt::Write;
use std::ops::Range;

use fourfold::timing::table::Table;

use crate::claims::{self, Claim};
use crate::noise::{DISTURBED, Noise};
use crate::plot::Plot;
use crate::rounding::ratio;

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
    /// The columns in parts that can be read side by side; one table if there are none. The columns
    /// that belong to no part come first, and every part begins with them.
    pub(crate) parts: Vec<Part>,
    /// Cells of which an empty one has no value.
    pub(crate) rows: Vec<Vec<String>>,
    /// What the document says of these numbers, and whether it is so here.
    pub(crate) claims: Vec<Claim>,
    /// What the numbers say, in a sentence, and where they say something else.
    pub(crate) teaches: String,
    pub(crate) plot: Plot,
}

/// Some columns of the rows.
pub(crate) struct Part {
    title: &'static str,
    columns: usize,
}

impl Part {
    pub(crate) fn new(title: &'static str, columns: usize) -> Part {
        Part { title, columns }
    }

    #[cfg(test)]
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }
}

/// The most words of a sentence below a table.
const MOST_WORDS: usize = 30;

/// The most sentences: what a table teaches, and where it does not hold.
const MOST_SENTENCES: usize = 3;

/// Whether a text is one to three sentences that are not too long.
pub(crate) fn are_short_sentences(text: &str) -> bool {
    let all: Vec<&str> = text.strip_suffix('.').map(|text| text.split(". ").collect()).unwrap_or_default();
    (1..=MOST_SENTENCES).contains(&all.len()) && all.iter().all(|sentence| is_short(sentence))
}

/// What stands in backquotes is one word.
fn is_short(text: &str) -> bool {
    let words: String = text.split('`').enumerate().map(|(i, part)| if i % 2 == 0 { part } else { "code" }).collect();
    !text.is_empty()
        && !["\n", "NaN"].iter().any(|not| text.contains(not))
        && words.split_whitespace().count() <= MOST_WORDS
}

/// What a page says of the run that made it.
#[derive(Default)]
pub(crate) struct Circumstances {
    /// None for a page that does not depend on it.
    pub(crate) machine: Option<String>,
    /// The factor that times of the same problem differ by, for claims on times.
    pub(crate) noise: Option<Noise>,
    /// The rows of the page that other work on the machine disturbed.
    pub(crate) disturbed: Vec<String>,
}

impl Circumstances {
    fn disturbances(&self) -> Option<String> {
        let all = self.disturbed.join("; ");
        let why = format!(
            "in these rows, the medians of times are more than {} times the shortest, in the geometric mean",
            ratio(DISTURBED)
        );
        (!all.is_empty()).then(|| format!("Disturbed: {why}: {all}."))
    }
}

impl Page {
    pub(crate) fn markdown(&self, run: &Circumstances) -> String {
        let mut text = format!("# {}\n\n", self.title);
        let machine = run.machine.as_ref().map(|machine| format!("{MACHINE}{machine}."));
        for paragraph in machine.iter().chain(&self.text).chain(&run.disturbances()) {
            let _ = writeln!(text, "{paragraph}\n");
        }
        let tables = self.tables().into_iter().chain(claims::table(&self.claims, run.noise, !run.disturbed.is_empty()));
        tables.for_each(|table| text += &format!("{table}\n"));
        text + &self.teaches + "\n"
    }

    /// What is wrong with the sentence below the tables.
    pub(crate) fn fault(&self) -> Option<String> {
        let why = || format!("below the tables stand no sentences of at most {MOST_WORDS} words: {}", self.teaches);
        (!are_short_sentences(&self.teaches)).then(why)
    }

    /// Each part, or all columns.
    fn tables(&self) -> Vec<String> {
        let all = self.columns.len();
        if self.parts.is_empty() {
            return vec![self.table(0..0, 0..all)];
        }
        let first = all - self.parts.iter().map(|part| part.columns).sum::<usize>();
        let mut from = first;
        let part = |Part { title, columns }: &Part| {
            let others = from..from + columns;
            from = others.end;
            format!("{title}:\n\n{}", self.table(0..first, others))
        };
        self.parts.iter().map(part).collect()
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

    fn page(parts: Vec<Part>, claims: Vec<Claim>, teaches: &str) -> Page {
        Page {
            title: "T".into(),
            text: strings(&["P."]),
            columns: strings(&["a", "b, c"]),
            parts,
            rows: vec![strings(&["1", ""]), strings(&["say \"x\"", "2"])],
            claims,
            teaches: teaches.into(),
            plot: Plot { title: "T".into(), labels: ["x".into(), "y".into()], lines: vec![], bars: vec![] },
        }
    }

    #[test]
    fn cells_are_quoted_and_absent_ones_shown() {
        let whole = page(vec![], vec![], "S.");
        assert_eq!(whole.csv(), "a,\"b, c\"\n1,\n\"say \"\"x\"\"\",2\n");
        let table = "| a | b, c |\n|---|---|\n| 1 | – |\n| say \"x\" | 2 |\n";
        assert_eq!(whole.markdown(&Circumstances::default()), format!("# T\n\nP.\n\n{table}\nS.\n"));
        let left = "| a |\n|---|\n| 1 |\n| say \"x\" |\n";
        let claims = vec![Claim::timed("C", "2", 2.0)];
        let parts = page(vec![Part::new("L", 0), Part::new("R", 1)], claims, "S.");
        let run = Circumstances {
            machine: Some("fast".into()),
            noise: Some(Noise { mean: 1.5, most: 1.5 }),
            disturbed: strings(&["a (2.00 times)", "b (3.00 times)"]),
        };
        let above = "Machine: fast.\n\nP.\n\nDisturbed: in these rows, the medians of times are more than 1.30 times the \
                     shortest, in the geometric mean: a (2.00 times); b (3.00 times).";
        let claims = claims::table(&parts.claims, run.noise, true).unwrap();
        assert_eq!(parts.markdown(&run), format!("# T\n\n{above}\n\nL:\n\n{left}\nR:\n\n{table}\n{claims}\nS.\n"));
    }

    #[test]
    fn tables_need_short_sentences() {
        let of = |teaches: &str| page(vec![], vec![], teaches).fault();
        assert_eq!(of("It is 1.5 times (1.0 to 2.0) as fast."), None);
        let not = ["", "No end", "One. Two. Three. Four.", "It is NaN.", &format!("{}end.", "word ".repeat(30))];
        assert!(not.iter().all(|text| of(text).is_some()));
        assert_eq!(of(&format!("{}`a b`.", "word ".repeat(29))), None);
    }
}
