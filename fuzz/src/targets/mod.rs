//! One target a file: what must hold whatever the input is.

mod bookshelf;
mod cache;
mod choices;
mod coefficients;
mod encode;
mod jpeg;
mod notation;
mod npy;
mod plans;
mod png;
mod recipes;
mod wisdom;

use fourfold::Error;

/// The targets by name.
pub(crate) const TARGETS: [(&str, fn(&[u8])); 12] = [
    ("notation", notation::check),
    ("recipes", recipes::check),
    ("wisdom", wisdom::check),
    ("choices", choices::check),
    ("npy", npy::check),
    ("png", png::check),
    ("jpeg", jpeg::check),
    ("coefficients", coefficients::check),
    ("encode", encode::check),
    ("bookshelf", bookshelf::check),
    ("cache", cache::check),
    ("plans", plans::check),
];

/// The text of an input, if it is one.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// Errors have one line.
fn is_one_line(error: &Error) {
    let message = error.to_string();
    assert!(!message.is_empty() && !message.contains('\n'), "{message:?}");
}
