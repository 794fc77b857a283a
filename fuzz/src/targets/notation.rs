//! Any text either is a problem, which prints and parses back to itself, or gets an error of one
//! line.

use crate::targets::{is_one_line, text};
use fourfold::{Problem, Result};

pub(crate) fn check(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    check_parsed(text.parse());
    check_parsed(Problem::parse_for(text, &[4, 6]));
}

fn check_parsed(outcome: Result<Problem>) {
    match outcome {
        Ok(problem) => {
            assert_eq!(problem.to_string().parse().as_ref(), Ok(&problem));
            let _ = problem.inverse();
            let _ = problem.adjoint().adjoint();
        }
        Err(error) => is_one_line(&error),
    }
}
