//! Errors of this crate.

use fourfold::{Error, ErrorKind};

/// An argument that is not valid, or too large for the memory.
pub(crate) fn argument(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

/// A file that cannot be read. The message continues the sentence "cannot read the file: …".
pub(crate) fn invalid_file(message: String) -> Error {
    Error::new(ErrorKind::File, message)
}
