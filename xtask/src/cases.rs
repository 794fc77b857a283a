//! The problems of `cases/`.

use crate::process::root;
use anyhow::{Context, Result};
use std::fs;

/// The lines of a file that are neither empty nor comments.
pub(crate) fn problems(name: &str) -> Result<Vec<String>> {
    let path = root().join("cases").join(name);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let problems = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(problems.map(str::to_owned).collect())
}
