//! `.scl` files: rows.

use anyhow::Result;

use crate::circuit::Row;
use crate::circuit::bookshelf::source::{LARGEST, LEAST, Source, SourceLine, Stated, granted, words};

/// What a row says before its end.
#[derive(Default)]
struct Open<'a> {
    axis: usize,
    coordinate: Option<f64>,
    height: Option<f64>,
    site_width: Option<f64>,
    spacing: Option<f64>,
    /// Lines with the origins of its subrows and their sites.
    subrows: Vec<(SourceLine<'a>, f64, usize)>,
}

/// What is known of a row and not needed.
const UNUSED: [&str; 2] = ["Siteorient", "Sitesymmetry"];

/// Reads the rows. A row with gaps becomes one row for each of its parts.
pub(super) fn parse(source: Source<'_>) -> Result<Vec<Row>> {
    let (mut rows, mut stated, mut count) = (vec![], Stated::new("NumRows"), 0);
    granted(source.name, rows.try_reserve_exact(source.count("SubrowOrigin")))?;
    let mut open: Option<Open<'_>> = None;
    for line in source.lines_of("scl")? {
        let line = line?;
        match &mut open {
            None if stated.is_in(line)? => {}
            None => open = Some(begin(&line)?),
            Some(row) if line.text.eq_ignore_ascii_case("End") => {
                row.end(&line, &mut rows)?;
                (open, count) = (None, count + 1);
            }
            Some(row) => row.set(&line)?,
        }
    }
    if open.is_some() {
        return Err(source.wrong("\"End\" after the last CoreRow"));
    }
    stated.check(count)?;
    if rows.is_empty() { Err(source.wrong("rows: lines from \"CoreRow Horizontal\" to \"End\"")) } else { Ok(rows) }
}

/// The first line of a row.
fn begin<'a>(line: &SourceLine<'_>) -> Result<Open<'a>> {
    let mut words = line.words();
    let is_row = words.next().is_some_and(|word| word.eq_ignore_ascii_case("CoreRow"));
    let axis = match words.next() {
        Some(word) if word.eq_ignore_ascii_case("Horizontal") => Some(0),
        Some(word) if word.eq_ignore_ascii_case("Vertical") => Some(1),
        _ => None,
    };
    match axis.filter(|_| is_row && words.next().is_none()) {
        Some(axis) => Ok(Open { axis, ..Open::default() }),
        None => Err(line.wrong("\"CoreRow Horizontal\" or \"CoreRow Vertical\"")),
    }
}

impl<'a> Open<'a> {
    /// A line between the first and the last.
    fn set(&mut self, line: &SourceLine<'a>) -> Result<()> {
        if let Some(rest) = line.after("SubrowOrigin") {
            return self.add_subrow(line, rest);
        }
        if UNUSED.iter().any(|key| line.after(key).is_some()) {
            return Ok(());
        }
        let fields = [
            ("Coordinate", &mut self.coordinate, -LARGEST),
            ("Height", &mut self.height, LEAST),
            ("Sitewidth", &mut self.site_width, 0.0),
            ("Sitespacing", &mut self.spacing, 0.0),
        ];
        for (key, field, least) in fields {
            let Some(rest) = line.after(key) else { continue };
            let mut words = words(rest);
            let number = line.number_from(least, words.next(), key)?;
            line.end(words.next(), &format!("nothing after the number of {key}"))?;
            return match field.replace(number) {
                Some(_) => Err(line.wrong(format!("{key} once in a CoreRow"))),
                None => Ok(()),
            };
        }
        Err(line.wrong(
            "Coordinate, Height, Sitewidth, Sitespacing, Siteorient, Sitesymmetry, SubrowOrigin or End of a CoreRow",
        ))
    }

    fn add_subrow(&mut self, line: &SourceLine<'a>, rest: &str) -> Result<()> {
        let expected = "\"SubrowOrigin : x NumSites : n\"";
        let mut words = words(rest);
        let origin = line.coordinate(words.next(), "SubrowOrigin")?;
        if !words.next().is_some_and(|word| word.eq_ignore_ascii_case("NumSites")) {
            return Err(line.wrong(expected));
        }
        let sites = line.count(words.next(), "NumSites")?;
        line.end(words.next(), expected)?;
        granted(line.file, self.subrows.try_reserve(1))?;
        self.subrows.push((*line, origin, sites));
        Ok(())
    }

    /// Adds the rows.
    fn end(&mut self, line: &SourceLine<'_>, rows: &mut Vec<Row>) -> Result<()> {
        let missing = |key: &str| line.wrong(format!("{key} before the end of a CoreRow"));
        let coordinate = self.coordinate.ok_or_else(|| missing("Coordinate"))?;
        let height = self.height.ok_or_else(|| missing("Height"))?;
        let site_width = self.site_width.or(self.spacing).unwrap_or(1.0);
        let spacing = self.spacing.unwrap_or(site_width);
        if self.subrows.is_empty() {
            return Err(missing("SubrowOrigin"));
        }
        for &(line, origin, sites) in &self.subrows {
            let mut low = [origin, coordinate];
            low.swap(0, self.axis);
            let row = Row { axis: self.axis, low, height, site_width, spacing, sites };
            let (rect, size) = (row.rect(), row.rect().size());
            if sites == 0 || size.iter().any(|size| *size < LEAST) {
                return Err(line.wrong(format!("a row of sites, {LEAST} or more wide and high")));
            }
            if rect.high.iter().any(|high| *high > LARGEST) {
                return Err(line.wrong(format!("a row that ends at {LARGEST} at most")));
            }
            rows.push(row);
        }
        Ok(())
    }
}
