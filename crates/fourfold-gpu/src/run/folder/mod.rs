//! The folder in which compiled kernels are kept.

#[cfg(not(unix))]
mod by_path;
pub(crate) mod file;
#[cfg(unix)]
mod owned;

#[cfg(not(unix))]
pub(crate) use crate::run::folder::by_path::Folder;
#[cfg(unix)]
pub(crate) use crate::run::folder::owned::Folder;
