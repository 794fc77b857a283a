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

/// A table with what is to be said about it.
pub(crate) struct Page {
    pub(crate) title: String,
    /// Paragraphs above the table.
    pub(crate) text: Vec<String>,
    pub(crate) columns: Vec<String>,
    /// Columns that are too many to be read side by side: all that follow the first ones, which
    /// every part begins with again. None if they are not.
    pub(crate) parts: Vec<Part>,
    /// Cells of which an empty one has no value.
    pub(crate) rows: Vec<Vec<String>>,
    /// One sentence below the table: what its numbers say.
    pub(crate) teaches: String,
    pub(crate) plot: Plot,
}

/// So many columns of a table, with what they are.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) title: &'static str,
    pub(crate) columns: usize,
}

/// A table that is no wider than a page.
pub(crate) const WHOLE: Vec<Part> = Vec::new();

impl Page {
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n", self.title);
        for paragraph in &self.text {
            let _ = writeln!(text, "{paragraph}\n");
        }
        text += &self.tables();
        if !self.teaches.is_empty() {
            let _ = writeln!(text, "\n{}", self.teaches);
        }
        text
    }

    /// The table, or its parts.
    fn tables(&self) -> String {
        let in_parts: usize = self.parts.iter().map(|part| part.columns).sum();
        let first = self.columns.len() - in_parts;
        if self.parts.is_empty() {
            return self.table(0..first, 0..0);
        }
        let mut from = first;
        let parts = self.parts.iter().map(|Part { title, columns }| {
            let others = from..from + columns;
            from = others.end;
            format!("{title}:\n\n{}", self.table(0..first, others))
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

/// Cells of constant text.
pub(crate) fn strings(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_absent_ones_shown() {
        let (columns, rows) = (strings(&["a", "b, c"]), vec![strings(&["1", ""]), strings(&["say \"x\"", "2"])]);
        let plot = Plot { title: "T".into(), labels: ["x".into(), "y".into()], lines: vec![], bars: vec![] };
        let mut page = Page {
            title: "T".into(),
            text: strings(&["P."]),
            columns,
            parts: WHOLE,
            rows,
            teaches: String::new(),
            plot,
        };
        assert_eq!(page.csv(), "a,\"b, c\"\n1,\n\"say \"\"x\"\"\",2\n");
        assert_eq!(page.markdown(), "# T\n\nP.\n\n| a | b, c |\n|---|---|\n| 1 | – |\n| say \"x\" | 2 |\n");
        page.parts = vec![Part { title: "L", columns: 0 }, Part { title: "R", columns: 1 }];
        let parts =
            "L:\n\n| a |\n|---|\n| 1 |\n| say \"x\" |\n\nR:\n\n| a | b, c |\n|---|---|\n| 1 | – |\n| say \"x\" | 2 |\n";
        page.teaches = "S.".into();
        assert_eq!(page.markdown(), format!("# T\n\nP.\n\n{parts}\nS.\n"));
    }
}
