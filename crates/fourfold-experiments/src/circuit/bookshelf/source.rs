//! Lines of a file, with errors that name them.

use std::collections::TryReserveError;
use std::fmt::Display;

use anyhow::{Context, Error, Result, anyhow};

/// The largest magnitude of a number: layouts are stored in integers of 32 bits. Sums of so small
/// numbers have no overflow.
pub(super) const LARGEST: f64 = (1u64 << 31) as f64;

/// The least side of a row. Bins of so small regions still have sides that are normal numbers.
pub(super) const LEAST: f64 = 1e-9;

/// The characters of a line that an error shows.
const SHOWN: usize = 60;

/// The content of a file, and its name for errors.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a [u8],
}

/// The lines of a file that have more than a comment.
pub(super) struct Lines<'a> {
    source: Source<'a>,
    rest: &'a [u8],
    number: usize,
}

/// A line without comment and spaces at its ends.
#[derive(Clone, Copy)]
pub(super) struct SourceLine<'a> {
    pub(super) file: &'a str,
    number: usize,
    pub(super) text: &'a str,
}

/// A count that a file states of itself, with the line that does.
pub(super) struct Stated<'a> {
    key: &'static str,
    found: Option<(SourceLine<'a>, usize)>,
}

impl<'a> Source<'a> {
    /// The lines after the header, `UCLA kind version`.
    pub(super) fn lines_of(self, kind: &str) -> Result<Lines<'a>> {
        let mut lines = self.lines();
        let Some(first) = lines.next().transpose()? else {
            return Err(self.wrong(format!("\"UCLA {kind} 1.0\" in the first line, found an empty file")));
        };
        let mut words = first.words();
        let is_header = words.next() == Some("UCLA") && words.next() == Some(kind);
        if is_header && words.nth(1).is_none() {
            Ok(lines)
        } else {
            Err(first.wrong(format!("the header \"UCLA {kind} 1.0\"")))
        }
    }

    pub(super) fn lines(self) -> Lines<'a> {
        Lines { source: self, rest: self.text, number: 0 }
    }

    /// The number of lines that begin with a keyword.
    pub(super) fn count(self, keyword: &str) -> usize {
        self.lines().flatten().filter(|line| line.after(keyword).is_some()).count()
    }

    /// A list of equal elements, or an error if there is no memory for it.
    pub(super) fn filled<T: Clone>(&self, count: usize, value: T) -> Result<Vec<T>> {
        let mut list = vec![];
        granted(self.name, list.try_reserve_exact(count))?;
        list.resize(count, value);
        Ok(list)
    }

    /// An error about the whole file.
    pub(super) fn wrong(&self, expected: impl Display) -> Error {
        anyhow!("{}: expected {expected}", self.name)
    }
}

/// An error if memory was refused for what a file has.
pub(super) fn granted(file: &str, reserved: Result<(), TryReserveError>) -> Result<()> {
    reserved.with_context(|| format!("{file} does not fit in memory"))
}

impl<'a> Iterator for Lines<'a> {
    type Item = Result<SourceLine<'a>>;

    fn next(&mut self) -> Option<Result<SourceLine<'a>>> {
        while !self.rest.is_empty() {
            let end = self.rest.iter().position(|byte| *byte == b'\n').unwrap_or(self.rest.len());
            let (line, rest) = self.rest.split_at(end);
            self.rest = rest.get(1..).unwrap_or_default();
            self.number += 1;
            let code = line.split(|byte| *byte == b'#').next().unwrap_or_default();
            let Ok(text) = std::str::from_utf8(code) else {
                return Some(Err(anyhow!("{}:{}: expected text in UTF-8", self.source.name, self.number)));
            };
            let text = text.trim();
            if !text.is_empty() {
                return Some(Ok(SourceLine { file: self.source.name, number: self.number, text }));
            }
        }
        None
    }
}

impl<'a> SourceLine<'a> {
    /// An error about the line.
    pub(super) fn wrong(&self, expected: impl Display) -> Error {
        let end = self.text.char_indices().nth(SHOWN).map_or(self.text.len(), |(at, _)| at);
        let dots = if end < self.text.len() { "…" } else { "" };
        anyhow!("{}:{}: expected {expected}, found {:?}{dots}", self.file, self.number, &self.text[..end])
    }

    /// A name, which may have colons inside, and the words after it, which may not.
    pub(super) fn words(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let (name, rest) = self.text.split_once(char::is_whitespace).unwrap_or((self.text, ""));
        names(name).chain(words(rest))
    }

    /// What follows a keyword that the line begins with, in any case, and a colon.
    pub(super) fn after(&self, keyword: &str) -> Option<&'a str> {
        let (head, rest) = (self.text.get(..keyword.len())?, &self.text[keyword.len()..]);
        let ends = rest.is_empty() || rest.starts_with(|c: char| c == ':' || c.is_whitespace());
        (head.eq_ignore_ascii_case(keyword) && ends).then(|| rest.trim_start_matches([':', ' ', '\t']))
    }

    /// A number.
    pub(super) fn coordinate(&self, word: Option<&str>, what: &str) -> Result<f64> {
        self.number_from(-LARGEST, word, what)
    }

    /// A number that is not negative.
    pub(super) fn size(&self, word: Option<&str>, what: &str) -> Result<f64> {
        self.number_from(0.0, word, what)
    }

    /// A number that is not smaller than the least one.
    pub(super) fn number_from(&self, least: f64, word: Option<&str>, what: &str) -> Result<f64> {
        let number = word.and_then(|word| word.parse::<f64>().ok());
        // The sum makes 0 of −0.
        let number = number.filter(|number| (least..=LARGEST).contains(number)).map(|number| number + 0.0);
        number.ok_or_else(|| self.wrong(format!("{what}, a number from {least} to {LARGEST}")))
    }

    /// A whole number of things.
    pub(super) fn count(&self, word: Option<&str>, what: &str) -> Result<usize> {
        let count = word.and_then(|word| word.parse().ok()).filter(|count| *count as f64 <= LARGEST);
        count.ok_or_else(|| self.wrong(format!("{what}, a whole number from 0 to {LARGEST}")))
    }

    /// Nothing more.
    pub(super) fn end(&self, word: Option<&str>, expected: &str) -> Result<()> {
        if word.is_none() { Ok(()) } else { Err(self.wrong(expected)) }
    }
}

/// Words between spaces. Colons around a word are not part of it.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(':')).filter(|word| !word.is_empty())
}

/// Words between spaces and colons.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c == ':' || c.is_whitespace()).filter(|word| !word.is_empty())
}

impl<'a> Stated<'a> {
    pub(super) fn new(key: &'static str) -> Stated<'a> {
        Stated { key, found: None }
    }

    /// Whether the line states this count. It may do so once.
    pub(super) fn is_in(&mut self, line: SourceLine<'a>) -> Result<bool> {
        let Some(value) = line.after(self.key) else { return Ok(false) };
        if let Some((first, _)) = self.found {
            return Err(line.wrong(format!("{} once, in line {}", self.key, first.number)));
        }
        let mut words = words(value);
        let count = line.count(words.next(), self.key)?;
        line.end(words.next(), &format!("nothing after {}", self.key))?;
        self.found = Some((line, count));
        Ok(true)
    }

    /// An error if the file has another number of things than it states.
    pub(super) fn check(&self, there: usize) -> Result<()> {
        match self.found {
            Some((line, count)) if count != there => {
                Err(line.wrong(format!("{} : {there}, which is what the file has", self.key)))
            }
            _ => Ok(()),
        }
    }
}
