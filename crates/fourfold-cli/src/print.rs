//! Prints answers.

use std::error::Error;
use std::io::{self, Write};

use anyhow::Result;
use serde::Serialize;

/// Prints an answer for people.
pub(crate) fn print_text(text: &str) -> Result<()> {
    Ok(io::stdout().write_all(printable(text).as_bytes())?)
}

/// Text as it is safe to show: names of files may have characters that a terminal takes for
/// commands. Control characters but for line breaks and tabs become escapes such as `\u{1b}`, and so
/// do those that change the direction of text, after which a name can look like another.
pub fn printable(text: &str) -> String {
    let turns =
        |c| matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_plain = |c: char| !(c.is_control() || turns(c)) || c == '\n' || c == '\t';
    let shown = |c: char| if is_plain(c) { c.to_string() } else { c.escape_default().to_string() };
    text.chars().map(shown).collect()
}

/// The most letters and digits without a gap that a message repeats, and how many of longer ones.
const LONGEST_WORD: [usize; 2] = [100, 40];

/// A message as it is shown: a number of 300 digits says no more than its first ones.
pub(crate) fn message(text: &str) -> String {
    let [longest, kept] = LONGEST_WORD;
    let is_gap = |c: char| !c.is_alphanumeric();
    let short = |word: &str| {
        let letters = word.trim_end_matches(is_gap);
        match letters.chars().count() > longest {
            true => format!("{}…{}", letters.chars().take(kept).collect::<String>(), &word[letters.len()..]),
            false => word.to_owned(),
        }
    };
    printable(&text.split_inclusive(is_gap).map(short).collect::<String>())
}

/// An error and its causes in one line. Some errors of libraries have the text of their cause, which is
/// then left out.
pub(crate) fn told<'a>(causes: impl Iterator<Item = &'a (dyn Error + 'static)>) -> String {
    let mut told: Vec<String> = Vec::new();
    for text in causes.map(ToString::to_string) {
        if told.last().is_none_or(|last| !last.ends_with(&text)) {
            told.push(text);
        }
    }
    told.join(": ")
}

/// Prints an answer for programs.
pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    let mut stdout = io::stdout().lock();
    serde_json::to_writer_pretty(&mut stdout, value).map_err(io::Error::from)?;
    Ok(writeln!(stdout)?)
}

/// A number of bytes; from 1 KiB on also in the largest binary unit that it reaches.
pub(crate) fn bytes(count: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.into_iter().find(|&(_, shift)| count >> shift > 0) {
        Some((unit, shift)) => format!("{count} bytes ({:.1} {unit})", count as f64 / (1u64 << shift) as f64),
        None => format!("{count} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_shortened() {
        let digits = |count| "7".repeat(count);
        assert_eq!(message(&format!("({}), b", digits(300))), format!("({}…), b", digits(40)));
        assert_eq!(message(&digits(100)), digits(100));
        assert_eq!(message(&format!("{} a", digits(100))), format!("{} a", digits(100)));
        assert_eq!(message(&"é".repeat(300)), format!("{}…", "é".repeat(40)));
        assert_eq!(message(&format!("{} a", digits(101))), format!("{}… a", digits(40)));
    }

    #[test]
    fn an_error_is_told_once() {
        let full = || std::io::Error::other("File too large (os error 27)");
        let error = anyhow::Error::from(png::EncodingError::from(full())).context("cannot write a.png");
        assert_eq!(told(error.chain()), "cannot write a.png: File too large (os error 27)");
        let error = anyhow::Error::from(full()).context("cannot write a");
        assert_eq!(told(error.chain()), "cannot write a: File too large (os error 27)");
    }

    #[test]
    fn a_terminal_gets_no_commands() {
        assert_eq!(printable("a\u{1b}[31mé\r\u{9b}2J\tb\n"), "a\\u{1b}[31mé\\r\\u{9b}2J\tb\n");
        assert_eq!(printable("a\u{202e}gpj.b"), "a\\u{202e}gpj.b");
    }
}
