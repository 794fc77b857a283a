//! Wisdom: recipes that were found by measuring, as text.

use crate::error::{Error, ErrorKind, Result};
use crate::recipe::pipeline::Pipeline;
use crate::recipe::pipeline_key::PipelineKey;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The fastest measured recipes, one for each pair of a problem and an engine.
///
/// Devices also know the fastest ways to compute a [`Pipeline`] that multiplies. Its steps take the
/// place of the problem, with the kind of the factors:
/// `dct2 f64 64x64 | multiply table | idct2 f64 64x64`. The kinds are `table`, `complex-table`,
/// `separable`, `complex-separable` and `reciprocal-sum`, as the variants of
/// [`Multiplier`](crate::Multiplier).
///
/// Wisdom can be printed and parsed, for example to keep it in a file. It is valid only for the
/// machine on which it was measured. Each line has a problem, an engine and a recipe with tabs
/// between them, and the passes of the recipe have `; ` between them. An engine has a name such as
/// `cpu:avx512`, or `cpu:avx512/4` with 4 threads, and parses its own recipes. Lines that begin with `#` are comments.
///
/// ```
/// use fourfold::{Planner, Wisdom};
/// let text = "dct2 f64 64x60\tcpu:simd128\tinput -> output axis 1: dct2 60 = 5 3 4; output -> output axis 0: dct2 64 = 4 4 4";
/// let planner = Planner::builder().isa(fourfold::Isa::Simd128).wisdom(text.parse()?).build()?;
/// let recipe = planner.recipe(&"dct2 f64 64x60".parse()?)?;
/// assert!(recipe.to_string().ends_with("dct2 64 = 4 4 4"));
/// # Ok::<(), fourfold::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wisdom {
    /// Recipes by problem, or pipeline, and engine.
    recipes: BTreeMap<(String, String), String>,
}

/// The first line of the text.
const HEADING: &str = "# fourfold: problem, engine, recipe";

/// Between passes.
const PASSES: &str = "; ";

impl Wisdom {
    /// Wisdom without recipes.
    pub fn new() -> Wisdom {
        Wisdom::default()
    }

    /// The recipe of a problem or a [`Pipeline`] on `engine`, with one pass on each line. A threshold
    /// is ignored.
    pub fn get<'a>(&self, what: impl Into<Pipeline<'a>>, engine: &str) -> Option<String> {
        let recipe = self.recipes.get(&(PipelineKey::from(&what.into()).to_string(), engine.to_owned()))?;
        Some(recipe.replace(PASSES, "\n"))
    }

    /// Adds `recipe` of a problem or a [`Pipeline`], which has one pass on each line, or replaces the
    /// present one.
    ///
    /// # Errors
    /// If the engine's name or the recipe is empty or contains tabs, or if the name contains line
    /// ends.
    pub fn insert<'a>(&mut self, what: impl Into<Pipeline<'a>>, engine: &str, recipe: &str) -> Result<()> {
        self.insert_key(&PipelineKey::from(&what.into()), engine, recipe)
    }

    fn insert_key(&mut self, key: &PipelineKey, engine: &str, recipe: &str) -> Result<()> {
        let recipe = recipe.trim().lines().map(str::trim).collect::<Vec<_>>().join(PASSES);
        for (what, text) in [("engine's name", engine), ("recipe", &recipe)] {
            if text.is_empty() || text.contains(['\t', '\n', '\r']) {
                let message = format!("the {what} `{}` is empty or has tabs or line ends", text.escape_debug());
                return Err(Error::new(ErrorKind::Argument, message));
            }
        }
        self.recipes.insert((key.to_string(), engine.to_owned()), recipe);
        Ok(())
    }

    /// Adds the recipes of `other`. They replace the present ones of the same problems and engines.
    pub fn merge(&mut self, other: Wisdom) {
        self.recipes.extend(other.recipes);
    }

    /// Reads text as [`str::parse`] does, but skips lines that are not understood, such as those of
    /// another version. Returns the number of each such line, from 1, and what is wrong with it.
    pub fn read(text: &str) -> (Wisdom, Vec<(usize, Error)>) {
        let (mut wisdom, mut skipped) = (Wisdom::new(), Vec::new());
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !is_comment(line)) {
            if let Err(error) = wisdom.insert_line(line) {
                skipped.push((number, error));
            }
        }
        (wisdom, skipped)
    }

    /// Adds a line of the text that `Display` writes.
    fn insert_line(&mut self, line: &str) -> Result<()> {
        let fields: Vec<_> = line.split('\t').collect();
        let [problem, engine, recipe] = fields[..] else {
            let message =
                format!("{} fields: expected a problem, an engine and a recipe, with tabs between", fields.len());
            return Err(Error::new(ErrorKind::Notation, message));
        };
        self.insert_key(&problem.parse()?, engine, recipe)
    }

    /// Removes the recipes of one engine that `check` refuses, which takes a problem and its
    /// passes. Returns the problems and the errors.
    pub fn remove_stale(&mut self, engine: &str, check: impl Fn(&str, &str) -> Result<()>) -> Vec<(String, Error)> {
        let stale = |(problem, passes): (&str, String)| {
            let error = check(problem, &passes).err()?;
            let message = format!("the wisdom on `{problem}`: {error}");
            Some((problem.to_owned(), Error::new(error.kind(), message)))
        };
        let stale: Vec<_> = self.of_engine(engine).filter_map(stale).collect();
        for (problem, _) in &stale {
            self.recipes.remove(&(problem.clone(), engine.to_owned()));
        }
        stale
    }

    /// The number of recipes.
    pub fn len(&self) -> usize {
        self.recipes.len()
    }

    /// Whether there are no recipes.
    pub fn is_empty(&self) -> bool {
        self.recipes.is_empty()
    }

    /// The recipes of one engine as pairs of a problem and its passes.
    pub fn of_engine(&self, engine: &str) -> impl Iterator<Item = (&str, String)> {
        let of_engine = self.recipes.iter().filter(move |((_, name), _)| name == engine);
        of_engine.map(|((problem, _), recipe)| (problem.as_str(), recipe.replace(PASSES, "\n")))
    }
}

impl fmt::Display for Wisdom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADING}")?;
        self.recipes.iter().try_for_each(|((problem, engine), recipe)| writeln!(f, "{problem}\t{engine}\t{recipe}"))
    }
}

impl FromStr for Wisdom {
    type Err = Error;

    /// Parses the format that `Display` writes.
    ///
    /// # Errors
    /// If a line does not have three fields, or if the first field is no problem or pipeline. Recipes are
    /// not checked, since their engines parse them.
    fn from_str(text: &str) -> Result<Wisdom> {
        let (wisdom, skipped) = Wisdom::read(text);
        match skipped.first() {
            None => Ok(wisdom),
            Some((number, why)) => Err(Error::new(ErrorKind::Notation, format!("wisdom, line {number}: {why}"))),
        }
    }
}

fn is_comment(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('#')
}
