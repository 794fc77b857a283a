//! Pages that tasks write.

use crate::process::root;
use anyhow::{Context, Result};
use std::fmt::{Display, Write};
use std::fs;

/// Columns of prose.
const WIDTH: usize = 100;

/// Writes a page: a head, in which names in braces stand for texts, and what follows it.
pub(crate) fn write(path: &str, head: &str, texts: &[(&str, &dyn Display)], rest: &str) -> Result<()> {
    fs::write(root().join(path), filled(head, texts) + rest).with_context(|| format!("cannot write {path}"))
}

/// A text with its names replaced. Only the paragraphs that change are wrapped anew.
fn filled(head: &str, texts: &[(&str, &dyn Display)]) -> String {
    let paragraphs = head.split_inclusive("\n\n").map(|paragraph| {
        let with = |text: String, (name, value): &(&str, &dyn Display)| {
            text.replace(&format!("{{{name}}}"), &value.to_string())
        };
        let new = texts.iter().fold(paragraph.to_owned(), with);
        // Indented lines are code.
        if new == paragraph || new.starts_with("    ") {
            return new;
        }
        let end = &new[new.trim_end().len()..];
        wrapped(&new.split_whitespace().collect::<Vec<_>>().join(" "), "") + end.strip_prefix('\n').unwrap_or_default()
    });
    paragraphs.collect()
}

/// A text in lines of at most 100 columns, which do not break in backquotes; `indent` begins all
/// but the first, which keeps its own spaces.
pub(crate) fn wrapped(text: &str, indent: &str) -> String {
    let start = text.len() - text.trim_start_matches(' ').len();
    let (mut lines, mut column) = (" ".repeat(start), start);
    let mut is_code = false;
    let is_gap = |c: char| {
        is_code ^= c == '`';
        c == ' ' && !is_code
    };
    for word in text[start..].split(is_gap) {
        let width = word.chars().count();
        let gap = if lines.len() == start {
            ""
        } else if column + 1 + width > WIDTH {
            let _ = write!(lines, "\n{indent}");
            column = indent.len();
            ""
        } else {
            " "
        };
        let _ = write!(lines, "{gap}{word}");
        column += gap.len() + width;
    }
    lines + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{accuracy, bench_cpu, bench_ducc, bench_solvers};

    #[test]
    fn long_items_are_wrapped() {
        let text = wrapped(&format!("- {}", "word ".repeat(40).trim_end()), "  ");
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("  word")), "{text}");
        assert_eq!(wrapped("  - one two", "    "), "  - one two\n");
        let code = format!("`{}`", "word ".repeat(30).trim_end());
        assert_eq!(wrapped(&format!("- {code}"), "  "), format!("-\n  {code}\n"));
    }

    /// But for the texts that are filled in, and what was written by hand since.
    #[test]
    fn the_committed_pages_have_the_heads() {
        let heads = [
            ("docs/accuracy.md", accuracy::HEADER),
            ("docs/performance/cpu.md", bench_cpu::HEADER),
            ("docs/performance/ducc.md", bench_ducc::HEADER),
            ("docs/performance/solvers.md", bench_solvers::HEADER),
        ];
        for (path, head) in heads {
            let page = fs::read_to_string(root().join(path)).unwrap();
            for paragraph in head.split("\n\n").filter(|paragraph| !paragraph.contains('{')) {
                assert!(page.contains(paragraph), "{path} lacks: {paragraph}");
            }
        }
    }

    #[test]
    fn heads_are_filled_and_wrapped() {
        let long = "word ".repeat(30);
        let head = "# Title\n\nTo {what}\nby {who};\n\n    do {what}\n\nas it\nstands\n";
        let text = filled(head, &[("what", &long.trim_end()), ("who", &"me")]);
        let (lines, rest) = text.split_once("\n\n    ").unwrap();
        assert!(lines.lines().all(|line| line.len() <= WIDTH) && lines.ends_with("word by me;"), "{text}");
        assert_eq!(rest, format!("do {}\n\nas it\nstands\n", long.trim_end()));
    }
}
