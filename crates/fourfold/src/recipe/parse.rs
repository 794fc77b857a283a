//! Parses recipes. The first line names the problem, from which the rules derive the transforms to
//! compute. The other lines say how to compute them.

use crate::error::{Error, ErrorKind, Result};
use crate::problem::kind::Transform1d::{C2R, R2C};
use crate::problem::problem::Problem;
use crate::recipe::parse_scheme::parse_scheme;
use crate::recipe::pipeline::{StepShape, recipe_of};
use crate::recipe::recipe::{AxisRecipe, Multiplied, PassOp, Recipe};
use crate::recipe::rules::bluestein;
use crate::recipe::rules::cosine_sine::dft_of;
use crate::recipe::rules::four_step::{complex_length, of_line};
use crate::recipe::scheme::Scheme;
use std::str::FromStr;

impl FromStr for Recipe {
    type Err = Error;

    /// Parses the format that `Display` writes. The order of the passes and the factors may differ
    /// from the planner's.
    ///
    /// # Errors
    /// If the text is malformed, if the passes do not compute the problem, or if a factor has no
    /// algorithm.
    fn from_str(text: &str) -> Result<Self> {
        let mut lines = text.trim().lines().map(str::trim);
        let heading = lines.next().unwrap_or_default();
        if let Some((_, algorithm)) = heading.split_once(" by ") {
            return Err(invalid(format!("`by {algorithm}`: expected passes, not the stages of a baseline")));
        }
        let default = parse_heading(heading)?;
        let mut unused: Vec<&AxisRecipe> = default.lines().collect();
        let lines: Vec<_> = lines.collect();
        let ops = lines.iter().map(|line| parse_pass(line, &mut unused)).collect::<Result<Vec<_>>>()?;
        if let Some(line) = unused.first() {
            return Err(invalid(format!(
                "no pass does {} along axis {}",
                line.transform.transform1d, line.transform.axis
            )));
        }
        let recipe = Recipe::new(default.problem().clone(), default.multiply().cloned(), ops);
        check_order(&recipe)?;
        check_multiplies(&recipe)?;
        check_heads(&recipe, &lines)?;
        Ok(recipe)
    }
}

/// The default recipe of the pipeline in the first line, whose steps have `|` between them.
fn parse_heading(heading: &str) -> Result<Recipe> {
    let problem = |step: &str| (step != "multiply").then(|| step.parse::<Problem>()).transpose();
    let problems = heading.split('|').map(str::trim).map(problem).collect::<Result<Vec<_>>>()?;
    let shapes = problems.iter().map(|problem| problem.as_ref().map_or(StepShape::Multiply, StepShape::Transform));
    let shapes: Vec<_> = shapes.collect();
    let expected = "expected a problem, with `multiply` before or after it, or between it and another problem";
    recipe_of(&shapes).unwrap_or_else(|| Err(invalid(format!("`{heading}`: {expected}"))))
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::Notation, message)
}

/// Parses one pass, such as `input -> output axis 1: dct2 1024 = 16 8 8 | multiply | …`, and
/// removes its transforms from `unused`.
fn parse_pass(row: &str, unused: &mut Vec<&AxisRecipe>) -> Result<Vec<PassOp>> {
    let malformed = || invalid(format!("`{row}` is not a pass: expected `input -> output axis 0: dct2 64 = 8 8`"));
    let (head, ops) = row.split_once(':').ok_or_else(malformed)?;
    let axis: usize = head.split_once("axis ").and_then(|(_, axis)| axis.trim().parse().ok()).ok_or_else(malformed)?;
    let parse = |op: &str| -> Result<PassOp> {
        let op = op.trim();
        if op == "multiply" {
            return Ok(PassOp::Multiply);
        }
        let (name, factors) = op.split_once('=').ok_or_else(malformed)?;
        let is = |line: &&AxisRecipe| {
            line.transform.axis == axis && format!("{} {}", line.transform.transform1d, line.transform.n) == name.trim()
        };
        let at =
            unused.iter().position(is).ok_or_else(|| invalid(format!("`{row}`: axis {axis} has no `{name}` to do")))?;
        let line = unused.remove(at);
        let scheme = parse_scheme(factors)?;
        let (data, len) = dft_of(line.transform.transform1d, line.transform.n);
        let wanted = match &scheme {
            Scheme::Batched(_) => Some(len),
            Scheme::IntraVector(_) | Scheme::Blocked { .. } | Scheme::FourStep { .. } => complex_length(data, len),
            Scheme::Bluestein { .. } => Some(of_line(data, len).1),
        };
        let makes = scheme.length();
        if Some(makes) != wanted {
            let wanted = wanted.map_or("an even length, to be cut".into(), |n| n.to_string());
            return Err(invalid(format!("`{row}`: the factors make {makes}, not {wanted}")));
        }
        if let Scheme::Bluestein { length, inner } = &scheme {
            let least = bluestein::least(bluestein::counts(of_line(data, len).0, *length));
            if inner.length() < least {
                let made = inner.length();
                return Err(invalid(format!(
                    "`{row}`: the convolution has {made} elements and needs at least {least}"
                )));
            }
        }
        Ok(PassOp::Transform(AxisRecipe { scheme, ..line.clone() }))
    };
    let ops = ops.split('|').map(parse).collect::<Result<Vec<_>>>()?;
    let batched = ops.iter().filter_map(|op| match op {
        PassOp::Transform(line) => Some(matches!(line.scheme, Scheme::Batched(_))),
        PassOp::Multiply => None,
    });
    let batched: Vec<_> = batched.collect();
    if batched.contains(&true) && batched.contains(&false) {
        return Err(invalid(format!("`{row}`: a scheme for single lines cannot share its pass with one for many")));
    }
    Ok(ops)
}

/// Checks where the passes multiply: before all transforms, after all, or, in a filter, between its
/// two problems. A recipe without a multiplier has no multiply.
fn check_multiplies(recipe: &Recipe) -> Result<()> {
    let ops = recipe.passes().iter().flat_map(|pass| &pass.ops).enumerate();
    let positions: Vec<usize> = ops.filter(|(_, op)| **op == PassOp::Multiply).map(|(i, _)| i).collect();
    let wanted = recipe.multiply().map(|multiply| match multiply {
        Multiplied::Input => 0,
        Multiplied::Between(_) | Multiplied::Output => recipe.problem().transforms().len(),
    });
    if positions != wanted.as_slice() {
        let message = "passes multiply where the first line does: at the beginning, or once all sums of the problem are done, of a filter the first";
        return Err(invalid(message.into()));
    }
    if let Some(pass) = recipe.passes().iter().find(|pass| pass.ops == [PassOp::Multiply]) {
        let message =
            format!("the pass along axis {} only multiplies: that is a part of the pass before or after it", pass.axis);
        return Err(invalid(message));
    }
    Ok(())
}

/// Checks the arrays in the text. The order of the passes determines which arrays each one reads
/// and writes.
fn check_heads(recipe: &Recipe, lines: &[&str]) -> Result<()> {
    for (pass, row) in recipe.passes().iter().zip(lines) {
        let head: Vec<_> = row.split(':').next().unwrap_or_default().split_whitespace().collect();
        let wanted = format!("{} -> {} axis {}", pass.from, pass.to, pass.axis);
        if head.join(" ") != wanted {
            return Err(invalid(format!("`{row}`: the pass begins `{wanted}:` there")));
        }
    }
    Ok(())
}

/// Checks that R2C is in the first pass and C2R in the last.
fn check_order(recipe: &Recipe) -> Result<()> {
    let transforms: Vec<_> = recipe.lines().map(|line| line.transform.transform1d).collect();
    let early = transforms.iter().skip(1).any(|t| *t == R2C);
    let late = transforms.iter().rev().skip(1).any(|t| *t == C2R);
    if early || late {
        return Err(invalid("a half spectrum must be made by the first pass and undone by the last".into()));
    }
    Ok(())
}
