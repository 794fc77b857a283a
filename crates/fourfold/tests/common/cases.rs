//! Reads files of problems. Each line has one problem, and `#` begins a comment.

use fourfold::Problem;

/// The problems of a file in the workspace's folder `cases`.
pub(crate) fn read(text: &str) -> Vec<Problem> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let parse = |line: &str| line.parse().unwrap_or_else(|e| panic!("{line}: {e}"));
    lines.filter(|line| !line.is_empty()).map(parse).collect()
}
