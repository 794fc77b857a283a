//! Parses recipes. The first line says what to compute, on which grid, and the distributions at both
//! ends. The other lines are checked against what can come next.

use crate::distribution::Distribution;
use crate::grid::Grid;
use crate::recipe::progress::Progress;
use crate::recipe::recipe::Recipe;
use crate::recipe::step::{Action, PassOp};
use crate::recipe::subject::Subject;
use fourfold::{Error, ErrorKind, Problem, Result};
use std::str::FromStr;

impl FromStr for Recipe {
    type Err = Error;

    /// Parses the format that `Display` writes. The steps may differ from those that
    /// [`Recipe::new`] finds.
    ///
    /// # Errors
    /// If the text is malformed, or if the steps do not compute the problem.
    fn from_str(text: &str) -> Result<Recipe> {
        let mut lines = text.trim().lines().map(str::trim);
        let heading = lines.next().unwrap_or_default();
        let (subject, grid, [input, output]) = parse_heading(heading)?;
        if let Some(form) = subject.real_form() {
            // These have one recipe on a grid, except for the half spectra that are left as they come out.
            let recipe = Recipe::of_real_form(subject.clone(), form, &grid)?;
            if recipe.to_string().lines().eq(text.trim().lines().map(str::trim)) {
                return Ok(recipe);
            }
            if subject.is_real_signal() {
                return Err(invalid(format!("expected the recipe\n{recipe}")));
            }
        }
        let mut progress = Progress::start(input.clone());
        let mut actions = vec![];
        for line in lines.clone() {
            let text = line.splitn(4, ' ').nth(3).unwrap_or_default();
            let action = match text.strip_prefix("exchange to ") {
                Some(to) => {
                    let to = to.parse::<Distribution>()?.fitted(subject.named_axes(), &grid)?;
                    Action::Exchange { to, reorder: None }
                }
                None => parse_pass(&subject, &progress, line, text)?,
            };
            progress.follow(&subject, &action);
            actions.push(action);
        }
        if !progress.is_complete(&subject) {
            return Err(invalid(format!("the steps do not compute `{subject}`")));
        }
        if progress.distribution != output {
            return Err(invalid(format!("the steps end with {}, not {output}", progress.distribution)));
        }
        let recipe = Recipe::assemble(subject, grid, input, actions);
        check_heads(&recipe, lines)?;
        Ok(recipe)
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::Notation, message)
}

/// Parses `PROBLEM on GRID from DISTRIBUTION to DISTRIBUTION`.
fn parse_heading(heading: &str) -> Result<(Subject, Grid, [Distribution; 2])> {
    let malformed =
        || invalid(format!("`{heading}` is no recipe: expected `dct2 f64 64x64 on 4 from p,* to *,p` or the like"));
    let (subject, rest) = heading.split_once(" on ").ok_or_else(malformed)?;
    let (grid, rest) = rest.split_once(" from ").ok_or_else(malformed)?;
    let (input, output) = rest.split_once(" to ").ok_or_else(malformed)?;
    let (subject, grid) = (parse_subject(subject)?, grid.parse::<Grid>()?);
    let fitted = |text: &str| text.parse::<Distribution>()?.fitted(subject.named_axes(), &grid);
    let ends = [fitted(input)?, fitted(output)?];
    Ok((subject, grid, ends))
}

fn parse_subject(text: &str) -> Result<Subject> {
    if let Some((forward, inverse)) = text.split_once(" | multiply | ") {
        return Subject::filter(&forward.parse()?, &inverse.parse()?);
    }
    let Some((signal, matrix)) = text.split_once(" as ") else { return Subject::transform(&text.parse()?) };
    let signal: Problem = signal.parse()?;
    let columns = matrix.split_once('x').and_then(|(columns, _)| columns.parse().ok());
    let subject = Subject::signal(&signal, columns.ok_or_else(|| invalid(format!("`{matrix}` is no matrix")))?)?;
    if subject.to_string() == text { Ok(subject) } else { Err(invalid(format!("`{text}`: expected `{subject}`"))) }
}

/// Parses a pass, such as `axis 1: dct2`, if it can come next.
fn parse_pass(subject: &Subject, progress: &Progress, line: &str, text: &str) -> Result<Action> {
    let malformed =
        || invalid(format!("`{line}` is no step: expected `input -> output axis 0: dct2` or `… exchange to p,*`"));
    let (axis, _) = text.strip_prefix("axis ").and_then(|rest| rest.split_once(':')).ok_or_else(malformed)?;
    let axis: usize = axis.parse().map_err(|_| malformed())?;
    let transforms = |stage: usize| subject.stages().get(stage).map_or(&[][..], |problem| problem.transforms());
    let mut after = progress.clone();
    let mut ops: Vec<PassOp> = vec![];
    // A pass has one transform, or two with the multiply between them.
    for stage in progress.stage()..subject.stages().len() {
        let found = after.ready(subject).find(|i| after.stage() == stage && transforms(stage)[*i].axis == axis);
        ops.extend(found.into_iter().flat_map(|i| after.take(subject, i)));
        let action = Action::Pass { axis, ops: ops.clone() };
        if !ops.is_empty() && action.to_string() == text {
            return Ok(action);
        }
    }
    Err(invalid(format!(
        "`{line}`: this pass cannot come next, since its axis is divided, or it computes nothing of `{subject}`"
    )))
}

/// Checks the arrays in the text, which follow from the steps.
fn check_heads<'a>(recipe: &Recipe, lines: impl Iterator<Item = &'a str>) -> Result<()> {
    for (step, line) in recipe.steps().iter().zip(lines) {
        let wanted = format!("{} -> {} {}", step.from, step.to, step.action);
        if line != wanted {
            return Err(invalid(format!("`{line}`: expected `{wanted}`")));
        }
    }
    Ok(())
}
