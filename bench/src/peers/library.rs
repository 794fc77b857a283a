//! C libraries, opened while running.

use anyhow::{Context, Result, bail};
use libloading::Library;
use std::path::Path;

/// A library that stays open to the end, so that its functions may be kept.
#[derive(Clone, Copy)]
pub(crate) struct Opened(&'static Library);

impl Opened {
    /// The library of `folder` whose file name begins with `name`.
    pub(crate) fn open(folder: &Path, name: &str) -> Result<Opened> {
        let entries = folder.read_dir().with_context(|| format!("no folder {}", folder.display()))?;
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let begins = |path: &Path| path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(name));
        let Some(path) = paths.into_iter().find(|path| begins(path)) else { bail!("no {name}") };
        // SAFETY: the libraries of peers do nothing when opened but detect the CPU.
        let library = unsafe { Library::new(&path) }.with_context(|| format!("cannot open {name}"))?;
        Ok(Opened(Box::leak(Box::new(library))))
    }

    /// A function.
    ///
    /// # Safety
    /// `F` must be its type, a function pointer.
    pub(crate) unsafe fn function<F: Copy>(self, name: &str) -> Result<F> {
        // SAFETY: the caller's promise.
        let symbol = unsafe { self.0.get::<F>(name) };
        Ok(*symbol.with_context(|| format!("the library has no {name}"))?)
    }
}
