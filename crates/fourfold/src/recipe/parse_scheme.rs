//! Parses schemes.

use crate::arithmetic::primes::prime_factors;
use crate::error::{Error, ErrorKind, Result};
use crate::recipe::rules::rader;
use crate::recipe::scheme::{FIRST, Factor, MOST_PARTS, RADICES, Scheme, fits, fits_parts, length};

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::Notation, message)
}

/// Parses a scheme: `16 8 8`, `along 16 8 8`, `along 16 8 8 across 8 8`, `16 16 x 16 8`, or
/// `bluestein(97: along 16 12)`.
pub(crate) fn parse_scheme(text: &str) -> Result<Scheme> {
    if let Some(parts) = bluestein_of_line(text.trim()) {
        return parse_bluestein(parts);
    }
    if let Some(text) = text.trim_start().strip_prefix("along ") {
        return parse_along(text);
    }
    match text.split_once(" x ") {
        None => Ok(Scheme::Batched(parse_factors(text)?)),
        Some((columns, rows)) => parse_matrix(columns, rows),
    }
}

/// Parses a matrix. One without factors along a side would print as a text that is no matrix.
fn parse_matrix(columns: &str, rows: &str) -> Result<Scheme> {
    let (columns, rows) = (parse_factors(columns)?, parse_factors(rows)?);
    if columns.is_empty() || rows.is_empty() {
        return Err(invalid("expected factors on both sides of ` x `".into()));
    }
    Ok(Scheme::FourStep { columns, rows })
}

/// The length and the inner scheme of `bluestein(97: along 16 12)`, if the text is one, and not a
/// factor such as `bluestein(97: 16 12)`.
fn bluestein_of_line(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("bluestein")?;
    let within = rest.strip_prefix('(')?.strip_suffix(')')?;
    let (length, inner) = within.split_once(':')?;
    let is_line = inner.trim_start().starts_with("along ") || inner.contains(" x ");
    (is_line && closing(rest) == Some(rest.len() - 1)).then_some((length, inner))
}

fn parse_bluestein((length, inner): (&str, &str)) -> Result<Scheme> {
    let unknown = |what: &str| invalid(format!("`bluestein({length}:{inner})`: expected {what}"));
    let length = length.trim().parse().ok().filter(|n| (3..1 << 40).contains(n));
    let length: usize = length.ok_or_else(|| unknown("a length of 3 or more"))?;
    let inner = parse_scheme(inner)?;
    if inner.length() > 8 * length.max(FIRST) || inner.uses_bluestein() {
        return Err(unknown("DFTs of at most eight times the length, without Bluestein's"));
    }
    Ok(Scheme::Bluestein { length, inner: Box::new(inner) })
}

/// Parses the part of a scheme after `along`: `16 8 8`, or `16 8 8 across 8 8`.
fn parse_along(text: &str) -> Result<Scheme> {
    let fail = |message: String| Err(invalid(format!("`along {}`: expected {message}", text.trim())));
    match text.split_once(" across ") {
        None => {
            let factors = parse_factors(text)?;
            let message = || format!("radices along a line, the first {FIRST}");
            if fits(&factors) { Ok(Scheme::IntraVector(factors)) } else { fail(message()) }
        }
        Some((within, across)) => {
            let (within, across) = (parse_factors(within)?, parse_factors(across)?);
            let message = || {
                format!(
                    "three radices or more along a part, the first {FIRST}, and two across parts, which make a multiple of {FIRST} up to {MOST_PARTS}"
                )
            };
            if fits_parts(&within, &across) { Ok(Scheme::Blocked { within, across }) } else { fail(message()) }
        }
    }
}

/// Parses a list of factors, such as `16 direct(17) rader(97: 8 4 3)`.
fn parse_factors(text: &str) -> Result<Vec<Factor>> {
    let mut list = vec![];
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (factor, tail) = parse_factor(rest)?;
        list.push(factor);
        rest = tail.trim_start();
    }
    Ok(list)
}

fn parse_factor(text: &str) -> Result<(Factor, &str)> {
    let unknown = || {
        invalid(format!(
            "`{text}` is not a factor: expected a radix of {RADICES:?}, direct(p), rader(p: …) or bluestein(n: …)"
        ))
    };
    let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    if !text[end..].starts_with('(') {
        let radix = text[..end].parse().ok().filter(|r| RADICES.contains(r)).ok_or_else(unknown)?;
        return Ok((Factor::Radix(radix), &text[end..]));
    }
    let close = closing(&text[end..]).ok_or_else(unknown)? + end;
    let (p, inner) = text[end + 1..close].split_once(':').unwrap_or((&text[end + 1..close], ""));
    let p: usize = p.trim().parse().ok().filter(|p| (3..1 << 40).contains(p) && p % 2 == 1).ok_or_else(unknown)?;
    let inner = parse_factors(inner)?;
    let prime = prime_factors(p).len() == 1;
    let factor = match &text[..end] {
        "direct" if inner.is_empty() => Factor::Direct(p),
        "rader" if prime && rader::convolves(p, length(&inner)) && length(&inner) <= 8 * p => Factor::Rader(p, inner),
        "bluestein" if convolves(p, &inner) => Factor::Bluestein(p, inner),
        _ => return Err(unknown()),
    };
    Ok((factor, &text[close + 1..]))
}

/// Whether a DFT of these factors is long enough for Bluestein's convolution of length n. The upper
/// bound of 8n keeps the memory of a plan within a constant factor of the data's.
fn convolves(n: usize, factors: &[Factor]) -> bool {
    (2 * n - 1..=8 * n).contains(&length(factors)) && !factors.iter().any(Factor::uses_bluestein)
}

/// The index of the bracket that closes the first one of `text`. Returns `None` if brackets are
/// nested more than 40 deep, which is more than any chain of primes p − 1 below 2^40 needs.
fn closing(text: &str) -> Option<usize> {
    const DEEPEST: usize = 40;
    let mut depth = 0usize;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 || depth > DEEPEST {
            return (depth == 0).then_some(i);
        }
    }
    None
}
