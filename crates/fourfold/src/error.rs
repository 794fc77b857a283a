//! The one error type.

use std::fmt;

/// The sort of an error. The message says what exactly was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not a problem in the notation of [`Problem`](crate::problem::problem::Problem).
    Notation,
    /// The problem asks for something that is not defined, such as a DCT-I of length 1.
    Problem,
    /// A buffer, view or table does not fit the problem.
    Argument,
    /// A file is damaged, or its format is not supported.
    File,
    /// This machine or build lacks what was asked for, such as an instruction set.
    Unavailable,
}

/// An error. Its message says what was wrong and what was expected, in the user's terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// The result of a fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of the given kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into() }
    }

    /// An error of the kind [`ErrorKind::Problem`].
    pub(crate) fn problem(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Problem, message)
    }

    /// An error of the kind [`ErrorKind::Argument`].
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Argument, message)
    }

    /// The sort of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Makes room for `count` more elements.
///
/// # Errors
/// If there is no memory for `what`.
pub fn reserve<T>(list: &mut Vec<T>, count: usize, what: fmt::Arguments<'_>) -> Result<()> {
    let message = || format!("there is no memory for {what}");
    list.try_reserve_exact(count).map_err(|_| Error::new(ErrorKind::Unavailable, message()))
}

/// A list of `count` elements of an iterator.
///
/// # Errors
/// If there is no memory for `what`.
pub fn collected<T>(count: usize, items: impl IntoIterator<Item = T>, what: fmt::Arguments<'_>) -> Result<Vec<T>> {
    let mut list = vec![];
    reserve(&mut list, count, what)?;
    list.extend(items.into_iter().take(count));
    Ok(list)
}

/// A list of `count` equal elements.
///
/// # Errors
/// If there is no memory for `what`.
pub fn filled<T: Clone>(count: usize, value: T, what: fmt::Arguments<'_>) -> Result<Vec<T>> {
    let mut list = vec![];
    reserve(&mut list, count, what)?;
    list.resize(count, value);
    Ok(list)
}
