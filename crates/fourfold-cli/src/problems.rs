//! Problems named on the command line or in a file of cases.

use std::str::FromStr;

use anyhow::{Context, Result, ensure};
use fourfold::Problem;
use fourfold::engine::PipelineKey;

use crate::args::common::Problems;
use crate::files::input::read_text;

impl Problems {
    /// All problems, those on the command line first; an error if one of them is wrong.
    pub(crate) fn parse(&self) -> Result<Vec<Problem>> {
        self.parse_as()
    }

    /// The same where a pipeline may stand for a problem.
    pub(crate) fn pipelines(&self) -> Result<Vec<PipelineKey>> {
        self.parse_as()
    }

    fn parse_as<T: FromStr<Err = fourfold::Error>>(&self) -> Result<Vec<T>> {
        let mut problems = self.texts.iter().map(|text| parse_as(text)).collect::<Result<Vec<_>>>()?;
        if let Some(path) = &self.cases {
            let text = read_text(path)?;
            problems.extend(cases(&text).with_context(|| format!("cannot use {}", path.display()))?);
        }
        ensure!(!problems.is_empty(), "there is no problem to work on");
        Ok(problems)
    }
}

/// One problem; an error quotes its text.
pub(crate) fn parse(text: &str) -> Result<Problem> {
    parse_as(text)
}

/// The same where a pipeline may stand for a problem.
pub(crate) fn parse_pipeline(text: &str) -> Result<PipelineKey> {
    parse_as(text)
}

fn parse_as<T: FromStr<Err = fourfold::Error>>(text: &str) -> Result<T> {
    text.parse().with_context(|| format!("in {}", quoted(text)))
}

/// The most characters of a user's text that a message repeats.
const QUOTED: usize = 80;

/// The text in quotes, in one line and shortened.
pub(crate) fn quoted(text: &str) -> String {
    let start: String = text.chars().take(QUOTED).collect();
    format!("{start:?}{}", if start.len() < text.len() { "…" } else { "" })
}

fn cases<T: FromStr<Err = fourfold::Error>>(text: &str) -> Result<Vec<T>> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let cases = lines.enumerate().filter(|(_, line)| !line.is_empty());
    cases.map(|(index, line)| parse_as(line).with_context(|| format!("line {}", index + 1))).collect()
}
