//! The factors of pointwise multiplies.

use crate::error::{Error, ErrorKind, Result, collected};
use crate::problem::element::Domain;
use crate::problem::layout::Layout;
use crate::recipe::recipe::{PassOp, Recipe};
use num_complex::Complex;
use std::fmt;
use std::str::FromStr;

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

/// The variants of [`Multiplier`], without their factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MultiplierKind {
    Table,
    ComplexTable,
    Separable,
    ComplexSeparable,
    ReciprocalSum,
}

impl MultiplierKind {
    const ALL: [MultiplierKind; 5] = [
        MultiplierKind::Table,
        MultiplierKind::ComplexTable,
        MultiplierKind::Separable,
        MultiplierKind::ComplexSeparable,
        MultiplierKind::ReciprocalSum,
    ];

    fn name(self) -> &'static str {
        match self {
            MultiplierKind::Table => "table",
            MultiplierKind::ComplexTable => "complex-table",
            MultiplierKind::Separable => "separable",
            MultiplierKind::ComplexSeparable => "complex-separable",
            MultiplierKind::ReciprocalSum => "reciprocal-sum",
        }
    }
}

impl fmt::Display for MultiplierKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for MultiplierKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<MultiplierKind> {
        let unknown = || {
            let names = MultiplierKind::ALL.map(MultiplierKind::name).join(", multiply ");
            Error::new(ErrorKind::Notation, format!("`multiply {text}`: expected one of multiply {names}"))
        };
        MultiplierKind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(unknown)
    }
}

impl Multiplier {
    pub(crate) fn kind(&self) -> MultiplierKind {
        match self {
            Multiplier::Table(_) => MultiplierKind::Table,
            Multiplier::ComplexTable(_) => MultiplierKind::ComplexTable,
            Multiplier::Separable(_) => MultiplierKind::Separable,
            Multiplier::ComplexSeparable(_) => MultiplierKind::ComplexSeparable,
            Multiplier::ReciprocalSum(_) => MultiplierKind::ReciprocalSum,
        }
    }

    /// A multiplier for an array of this shape, with factors (or terms) between 1/2 and 3/2 that
    /// differ in all digits.
    pub(crate) fn example(kind: MultiplierKind, shape: &[usize]) -> Result<Multiplier> {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let factor = |i: usize| 0.5 + (i as f64 * GOLDEN).fract();
        let count = shape.iter().product();
        let list = |n: usize| collected(n, (0..n).map(factor), format_args!("{n} factors"));
        let complex_list =
            |n: usize| collected(n, (0..n).map(|i| Complex::new(factor(i), 0.0)), format_args!("{n} factors"));
        Ok(match kind {
            MultiplierKind::Table => Multiplier::Table(list(count)?),
            MultiplierKind::ComplexTable => Multiplier::ComplexTable(complex_list(count)?),
            MultiplierKind::Separable => Multiplier::Separable(shape.iter().map(|n| list(*n)).collect::<Result<_>>()?),
            MultiplierKind::ComplexSeparable => {
                Multiplier::ComplexSeparable(shape.iter().map(|n| complex_list(*n)).collect::<Result<_>>()?)
            }
            MultiplierKind::ReciprocalSum => {
                Multiplier::ReciprocalSum(shape.iter().map(|n| list(*n)).collect::<Result<_>>()?)
            }
        })
    }

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
