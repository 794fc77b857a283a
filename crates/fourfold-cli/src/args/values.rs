//! Values of options, read from text and checked.

use anyhow::{Context, Result, ensure};
use fourfold::Precision;

const MOST_THREADS: usize = 1024;

pub(crate) fn precision(text: &str) -> Result<Precision> {
    let found = [Precision::F32, Precision::F64].into_iter().find(|precision| precision.name() == text);
    found.context("f32 or f64 is needed")
}

/// A number of threads.
pub fn threads(text: &str) -> Result<usize> {
    let threads = text.parse().unwrap_or(0);
    ensure!((1..=MOST_THREADS).contains(&threads), "a whole number from 1 to {MOST_THREADS} is needed");
    Ok(threads)
}

pub(crate) fn percent(text: &str) -> Result<f64> {
    let percent = text.parse().unwrap_or(f64::NAN);
    ensure!((0.0..=100.0).contains(&percent), "a percentage from 0 to 100 is needed");
    Ok(percent)
}

/// The least magnitude of a coefficient.
pub(crate) fn threshold(text: &str) -> Result<f64> {
    finite(text)
}

/// In units of the Nyquist frequency.
pub(crate) fn frequency(text: &str) -> Result<f64> {
    finite(text)
}

/// Two frequencies with a comma between them.
pub(crate) fn band(text: &str) -> Result<(f64, f64)> {
    let (low, high) = text.split_once(',').context("LOW,HIGH is needed, such as 0.1,0.4")?;
    Ok((finite(low)?, finite(high)?))
}

fn finite(text: &str) -> Result<f64> {
    let number = text.parse().unwrap_or(f64::NAN);
    ensure!((0.0..f64::INFINITY).contains(&number), "a finite number, at least 0, is needed");
    Ok(number)
}

pub(crate) fn seconds(text: &str) -> Result<f64> {
    let seconds = text.parse().unwrap_or(f64::NAN);
    ensure!((0.0..=3600.0).contains(&seconds), "a number of seconds from 0 to 3600 is needed");
    Ok(seconds)
}

/// The number of pixels of an image.
pub(crate) fn pixels(text: &str) -> Result<u64> {
    let pixels = text.parse().unwrap_or(0);
    ensure!(pixels > 0, "a whole number of pixels, at least 1, is needed");
    Ok(pixels)
}
