//! Prints answers.

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
    fn a_terminal_gets_no_commands() {
        assert_eq!(printable("a\u{1b}[31mé\r\u{9b}2J\tb\n"), "a\\u{1b}[31mé\\r\\u{9b}2J\tb\n");
        assert_eq!(printable("a\u{202e}gpj.b"), "a\\u{202e}gpj.b");
    }
}
