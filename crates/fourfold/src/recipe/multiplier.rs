//! The factors of pointwise multiplies.

use crate::error::{Error, ErrorKind, Result};
use crate::problem::element::Domain;
use crate::problem::layout::Layout;
use crate::recipe::recipe::{PassOp, Recipe};
use num_complex::Complex;

/// The factors f_{k0,k1,…} of a pointwise multiply y_k = f_k x_k in a
/// [`Pipeline`](crate::Pipeline). They are real or complex.
///
/// Values are given in double precision and rounded to the problem's type. Their shape is that of
/// the array that is multiplied. Planning returns an error if the shape differs, or if a complex
/// multiplier is given for a real array.
#[derive(Clone, Debug, PartialEq)]
pub enum Multiplier {
    /// One real factor for each element, in C order.
    Table(Vec<f64>),
    /// One complex factor for each element of a complex array, in C order.
    ComplexTable(Vec<Complex<f64>>),
    /// f_k = Π_a g_a\[k_a\], given as one list g_a of real factors for each axis a of the array.
    Separable(Vec<Vec<f64>>),
    /// The same with lists of complex factors, for a complex array.
    ComplexSeparable(Vec<Vec<Complex<f64>>>),
    /// f_k = 1/Σ_a g_a\[k_a\], but 0 where the sum is 0, given as one list g_a of reals for each axis
    /// a of the array. It divides by the eigenvalues of an operator that is a sum over the axes. The
    /// lists are rounded to the problem's type before they are added.
    ReciprocalSum(Vec<Vec<f64>>),
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
            Multiplier::Separable(lists) | Multiplier::ReciprocalSum(lists) => {
                (elements, lists.iter().map(Vec::len).collect())
            }
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

/// Checks that complex factors meet only Fourier transforms in their pass. They mix the real and
/// the imaginary part of an element, but a pass with real transforms computes the two parts
/// separately.
fn check_fourier(recipe: &Recipe) -> Result<()> {
    use crate::problem::kind::Transform1d::{Backward, C2R, Forward, R2C};
    let fourier = |op: &PassOp| match op {
        PassOp::Transform(line) => matches!(line.transform.transform1d, Forward | Backward | R2C | C2R),
        PassOp::Multiply => true,
    };
    let pass = recipe.passes().iter().find(|pass| pass.ops.contains(&PassOp::Multiply));
    let Some(pass) = pass.filter(|pass| !pass.ops.iter().all(fourier)) else { return Ok(()) };
    let axis = pass.axis;
    let message =
        format!("a complex multiplier needs an axis with Fourier transforms on both sides: axis {axis} has none");
    Err(Error::new(ErrorKind::Argument, message))
}
