//! `fourfold cache`: the compiled kernels that are kept on disk.

use std::collections::BTreeMap;

use anyhow::Result;
use fourfold_gpu::cache::CacheEntry;
use serde::Serialize;

use crate::args::Cache;
use crate::print::{bytes, print_json, print_text};

#[derive(Default, Serialize)]
struct Answer {
    /// `None` if no kernels are kept.
    folder: Option<String>,
    limit_bytes: u64,
    kernels: usize,
    bytes: u64,
    targets: Vec<Target>,
    /// What is named as a kernel and is no file of the user's: it is not used.
    foreign: Vec<String>,
    /// The number of kernels that were removed.
    cleared: usize,
}

/// The kernels for one device, driver and compiler.
#[derive(Serialize)]
struct Target {
    name: String,
    kernels: usize,
    bytes: u64,
}

/// Clears the cache if that is asked for, and prints what it holds.
pub(super) fn show_cache(args: &Cache) -> Result<()> {
    let mut answer = Answer::default();
    if let Some(cache) = fourfold_gpu::cache::Cache::standard()? {
        answer.cleared = if args.clear { cache.clear()? } else { 0 };
        let entries = cache.entries()?;
        answer.folder = Some(cache.folder().display().to_string());
        answer.limit_bytes = cache.limit();
        answer.kernels = entries.len();
        answer.bytes = entries.iter().map(|entry| entry.bytes).sum();
        answer.targets = targets(&entries);
        answer.foreign = cache.foreign()?.iter().map(|path| path.display().to_string()).collect();
    }
    if args.json { print_json(&answer) } else { print_text(&text(&answer, args.clear)) }
}

/// The kernels of each target.
fn targets(entries: &[CacheEntry]) -> Vec<Target> {
    let mut sums: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for entry in entries {
        let name = if entry.target.is_empty() { "damaged" } else { &entry.target };
        let (kernels, bytes) = sums.entry(name).or_default();
        (*kernels, *bytes) = (*kernels + 1, *bytes + entry.bytes);
    }
    sums.into_iter().map(|(name, (kernels, bytes))| Target { name: name.to_owned(), kernels, bytes }).collect()
}

fn text(answer: &Answer, clear: bool) -> String {
    let Answer { folder, limit_bytes, kernels, bytes: held, targets, foreign, cleared } = answer;
    let Some(folder) = folder else { return "kernels are not kept on disk\n".to_owned() };
    let mut text =
        format!("folder   {folder}\nlimit    {}\nkernels  {kernels}, {}\n", bytes(*limit_bytes), bytes(*held));
    let line = |target: &Target| format!("  {}: {}, {}\n", target.name, target.kernels, bytes(target.bytes));
    text.extend(targets.iter().map(line));
    text.extend(
        foreign.iter().map(|path| format!("foreign  {path}: it is not used, since it is no regular file of yours\n")),
    );
    if clear {
        text += &format!("cleared  {cleared}\n");
    }
    text
}
