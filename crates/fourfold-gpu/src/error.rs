use fourfold::{Error, ErrorKind};

pub(crate) fn argument(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

pub(crate) fn unavailable(message: String) -> Error {
    Error::new(ErrorKind::Unavailable, message)
}

/// Memory of a device meets another.
pub(crate) fn elsewhere() -> Error {
    argument("the arrays, the scratch and the plan are not all of one device, opened once".into())
}
