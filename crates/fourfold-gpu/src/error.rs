//! Errors in the user's terms.

use fourfold::{Error, ErrorKind, Problem, Result};

pub(crate) fn argument(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

pub(crate) fn unavailable(message: String) -> Error {
    Error::new(ErrorKind::Unavailable, message)
}

/// The error if memory of two devices meets.
pub(crate) fn elsewhere() -> Error {
    argument("the arrays, the scratch and the plan must belong to the same opened device".into())
}

/// An error if an axis is too long.
pub(crate) fn check_lengths(problem: &Problem) -> Result<()> {
    let long = problem.transforms().iter().find(|transform| transform.n > LONGEST);
    let message = |n: usize| format!("an axis of {n} elements is too long: at most {LONGEST} run on a GPU");
    long.map_or(Ok(()), |long| Err(Error::new(ErrorKind::Unavailable, message(long.n))))
}

/// Elements of a line that can be transformed: its tables are made on the host.
pub(crate) const LONGEST: usize = 1 << 28;
