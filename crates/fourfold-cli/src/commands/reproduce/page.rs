//! A result as text.

use std::fmt::Write;
use std::ops::Range;

use super::plot::Plot;

/// A table with what is to be said about it.
pub(super) struct Page {
    pub(super) title: String,
    /// Paragraphs above the table.
    pub(super) text: Vec<String>,
    pub(super) columns: Vec<String>,
    /// Columns that are too many to be read side by side: all that follow the first ones, which
    /// every part begins with again. None if they are not.
    pub(super) parts: &'static [Part],
    /// Cells of which an empty one has no value.
    pub(super) rows: Vec<Vec<String>>,
    pub(super) plot: Plot,
}

/// So many columns of a table, with what they are.
pub(super) struct Part {
    pub(super) title: &'static str,
    pub(super) columns: usize,
}

/// A table that is no wider than a page.
pub(super) const WHOLE: &[Part] = &[];

impl Page {
    pub(super) fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n", self.title);
        for paragraph in &self.text {
            let _ = writeln!(text, "{paragraph}\n");
        }
        let in_parts: usize = self.parts.iter().map(|part| part.columns).sum();
        let first = self.columns.len() - in_parts;
        if self.parts.is_empty() {
            return text + &self.table(0..first, 0..0);
        }
        let mut from = first;
        let parts = self.parts.iter().map(|Part { title, columns }| {
            let others = from..from + columns;
            from = others.end;
            format!("{title}:\n\n{}", self.table(0..first, others))
        });
        text + &parts.collect::<Vec<_>>().join("\n")
    }

    /// The columns of two ranges.
    fn table(&self, first: Range<usize>, others: Range<usize>) -> String {
        let line = |cells: &Vec<String>| {
            let cells = cells[first.clone()].iter().chain(&cells[others.clone()]);
            let shown: Vec<&str> = cells.map(|cell| if cell.is_empty() { "–" } else { cell }).collect();
            format!("| {} |\n", shown.join(" | "))
        };
        let rule = format!("|{}\n", "---|".repeat(first.len() + others.len()));
        let rows: String = self.rows.iter().map(line).collect();
        line(&self.columns) + &rule + &rows
    }

    /// RFC 4180.
    pub(super) fn csv(&self) -> String {
        let cell = |cell: &String| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line = |cells: &Vec<String>| cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        [&self.columns].into_iter().chain(&self.rows).map(line).collect()
    }
}

/// A number with four significant digits.
pub(super) fn digits(x: f64) -> String {
    let before_point = x.abs().max(1e-9).log10().floor() as i32;
    format!("{x:.*}", (3 - before_point).clamp(0, 9) as usize)
}

/// A factor such as `1.76`.
pub(super) fn ratio(x: f64) -> String {
    format!("{x:.2}")
}

pub(super) fn strings(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_absent_ones_shown() {
        let (columns, rows) = (strings(&["a", "b, c"]), vec![strings(&["1", ""]), strings(&["say \"x\"", "2"])]);
        let plot = Plot { title: "T".into(), labels: ["x".into(), "y".into()], lines: vec![], bars: vec![] };
        let mut page = Page { title: "T".into(), text: strings(&["P."]), columns, parts: WHOLE, rows, plot };
        assert_eq!(page.csv(), "a,\"b, c\"\n1,\n\"say \"\"x\"\"\",2\n");
        assert_eq!(page.markdown(), "# T\n\nP.\n\n| a | b, c |\n|---|---|\n| 1 | – |\n| say \"x\" | 2 |\n");
        page.parts = &[Part { title: "L", columns: 0 }, Part { title: "R", columns: 1 }];
        let parts =
            "L:\n\n| a |\n|---|\n| 1 |\n| say \"x\" |\n\nR:\n\n| a | b, c |\n|---|---|\n| 1 | – |\n| say \"x\" | 2 |\n";
        assert_eq!(page.markdown(), format!("# T\n\nP.\n\n{parts}"));
    }

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!([0.012345, 1.0, 123.456, 98765.4].map(digits), ["0.01235", "1.000", "123.5", "98765"]);
    }
}
