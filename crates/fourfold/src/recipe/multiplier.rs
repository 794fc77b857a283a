//! Pointwise multipliers.

use crate::error::{Error, ErrorKind, Result};
use crate::problem::element::Domain;
use crate::problem::layout::Layout;
use crate::recipe::recipe::{PassOp, Recipe};
use num_complex::Complex;

/// The factors f_{k0,k1,…}, real or complex, of a pointwise multiply in a
/// [`Pipeline`](crate::Pipeline).
///
/// Values are given in double precision and rounded to the problem's type.
#[derive(Clone, Debug, PartialEq)]
pub enum Multiplier {
    /// One factor an element, in C order.
    Table(Vec<f64>),
    /// One complex factor an element of a complex array, in C order.
    ComplexTable(Vec<Complex<f64>>),
    /// f = Π_a g_a\[k_a\]: one list for every axis of the array.
    Separable(Vec<Vec<f64>>),
    /// The same with complex factors.
    ComplexSeparable(Vec<Vec<Complex<f64>>>),
}

impl Multiplier {
    pub(crate) fn is_complex(&self) -> bool {
        matches!(self, Multiplier::ComplexTable(_) | Multiplier::ComplexSeparable(_))
    }

    /// Checks the multiplier against the array that `recipe` multiplies.
    ///
    /// # Errors
    /// If it does not fit.
    pub(crate) fn check(&self, recipe: &Recipe) -> Result<()> {
        let wrong = |message: String| Err(Error::new(ErrorKind::Argument, message));
        let problem = recipe.problem();
        let Some((domain, Layout { shape, .. })) = recipe.multiplied() else {
            return wrong(format!("`{problem}` multiplies nothing: it takes no multiplier"));
        };
        let (what, elements) = (recipe.multiplied_name(), shape.iter().product::<usize>());
        if self.is_complex() && domain == Domain::Real {
            return wrong(format!("the {what} of `{problem}` is real: a complex multiplier does not fit"));
        }
        let (count, lengths): (usize, Vec<usize>) = match self {
            Multiplier::Table(table) => (table.len(), shape.clone()),
            Multiplier::ComplexTable(table) => (table.len(), shape.clone()),
            Multiplier::Separable(lists) => (elements, lists.iter().map(Vec::len).collect()),
            Multiplier::ComplexSeparable(lists) => (elements, lists.iter().map(Vec::len).collect()),
        };
        if count != elements {
            return wrong(format!("the multiplier has {count} factors, the {what} of `{problem}` {elements} elements"));
        }
        if lengths != *shape {
            return wrong(format!(
                "the multiplier has lists of {lengths:?} factors, the {what} of `{problem}` is {shape:?}"
            ));
        }
        if self.is_complex() { check_fourier(recipe) } else { Ok(()) }
    }
}

/// Complex factors rotate the two parts of an element into each other, and a pass of real
/// transforms sees the parts one by one.
fn check_fourier(recipe: &Recipe) -> Result<()> {
    use crate::problem::kind::Transform1d::{Backward, C2R, Forward, R2C};
    let fourier = |op: &PassOp| match op {
        PassOp::Transform(line) => matches!(line.transform.sum, Forward | Backward | R2C | C2R),
        PassOp::Multiply => true,
    };
    let pass = recipe.passes().iter().find(|pass| pass.ops.contains(&PassOp::Multiply));
    let Some(pass) = pass.filter(|pass| !pass.ops.iter().all(fourier)) else { return Ok(()) };
    let axis = pass.axis;
    let message =
        format!("a complex multiplier needs an axis with Fourier transforms on both sides: axis {axis} has none");
    Err(Error::new(ErrorKind::Argument, message))
}
