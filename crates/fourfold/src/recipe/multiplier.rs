//! Pointwise multipliers.

use crate::arithmetic::twiddle::Roots;
use crate::cpu::base::memory::Array;
use crate::cpu::simd::vector::Scalar;
use crate::error::{Error, ErrorKind, Result};
use crate::problem::element::Domain;
use crate::recipe::recipe::Recipe;
use num_complex::Complex;

/// What multiplies an array pointwise, the spectrum of a filter or a transform's input or output:
/// f_{k0,k1,…}, real or complex.
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

/// A complex factor, or a real one with nothing in the second place.
#[derive(Clone, Copy)]
pub(crate) struct Pair<S>(pub(crate) S, pub(crate) S);

/// A multiplier in the engine's precision.
pub(crate) struct Values<S> {
    pub(crate) shape: Vec<usize>,
    /// Reals an element of the spectrum.
    pub(crate) domain_parts: usize,
    complex: bool,
    table: Vec<S>,
    axes: Vec<Vec<Pair<S>>>,
}

impl Multiplier {
    /// Checks the multiplier against the array that `recipe` multiplies.
    pub(crate) fn ready<S: Scalar>(&self, recipe: &Recipe) -> Result<Values<S>> {
        let wrong = |message: String| Err(Error::new(ErrorKind::Argument, message));
        let problem = recipe.problem();
        let Some((domain, layout)) = recipe.multiplied() else {
            return wrong(format!("`{problem}` multiplies nothing: it takes no multiplier"));
        };
        let what = recipe.multiplied_name();
        let shape = layout.shape.clone();
        let complex = matches!(self, Multiplier::ComplexTable(_) | Multiplier::ComplexSeparable(_));
        if complex && domain == Domain::Real {
            return wrong(format!("the {what} of `{problem}` is real: a complex multiplier does not fit"));
        }
        let of = |z: &Complex<f64>| Pair(S::of(z.re), S::of(z.im));
        let real = |x: &f64| Pair(S::of(*x), S::of(0.0));
        let (table, axes) = match self {
            Multiplier::Table(t) => (collected(t.len(), t.iter().map(|x| S::of(*x)))?, vec![]),
            Multiplier::ComplexTable(t) => {
                (collected(2 * t.len(), t.iter().flat_map(|z| [S::of(z.re), S::of(z.im)]))?, vec![])
            }
            Multiplier::Separable(a) => {
                (vec![], a.iter().map(|g| g.iter().map(real).collect()).collect::<Vec<Vec<_>>>())
            }
            Multiplier::ComplexSeparable(a) => (vec![], a.iter().map(|g| g.iter().map(of).collect()).collect()),
        };
        let elements: usize = shape.iter().product::<usize>() * if complex { 2 } else { 1 };
        let lengths: Vec<_> = axes.iter().map(Vec::len).collect();
        match self {
            Multiplier::Table(_) | Multiplier::ComplexTable(_) if table.len() != elements => {
                let (has, wants) = if complex { (table.len() / 2, elements / 2) } else { (table.len(), elements) };
                wrong(format!("the multiplier has {has} factors, the {what} of `{problem}` {wants} elements"))
            }
            Multiplier::Separable(_) | Multiplier::ComplexSeparable(_) if lengths != shape => wrong(format!(
                "the multiplier has lists of {lengths:?} factors, the {what} of `{problem}` is {shape:?}"
            )),
            _ => Ok(Values { shape, domain_parts: domain.reals(), complex, table, axes }),
        }
    }
}

/// A table of so many numbers, if there is memory for it.
fn collected<S>(count: usize, numbers: impl Iterator<Item = S>) -> Result<Vec<S>> {
    let (mut table, message) = (vec![], || format!("there is no memory for a multiplier of {count} numbers"));
    table.try_reserve_exact(count).map_err(|_| Error::new(ErrorKind::Unavailable, message()))?;
    table.extend(numbers);
    Ok(table)
}

impl<S: Scalar> Values<S> {
    /// w_M^{n₂k₁} at \[k₁, n₂\] for M = columns · rows, or their conjugates: the factors of
    /// [`crate::recipe::rules::four_step`].
    pub(crate) fn twiddles(columns: usize, rows: usize, backward: bool) -> Self {
        let len = columns * rows;
        let roots = Roots::new(len as u64);
        let mut table = Vec::with_capacity(2 * len);
        for at in (0..columns).flat_map(|k| (0..rows).map(move |n| (n * k) % len)) {
            let w = S::root(&roots, if backward { len - at } else { at } as u64);
            table.extend([w.re, w.im]);
        }
        Values { shape: vec![columns, rows], domain_parts: 2, complex: true, table, axes: vec![] }
    }

    /// Whether the factors are complex.
    pub(crate) fn is_complex(&self) -> bool {
        self.complex
    }

    /// Reals a factor.
    pub(crate) fn parts(&self) -> usize {
        if self.complex { 2 } else { 1 }
    }

    /// The table as an array; `split`: with one more axis, for the two parts of a complex element
    /// that a real factor multiplies.
    pub(crate) fn array(&self, split: bool) -> Option<Array<S>> {
        if self.table.is_empty() {
            return None;
        }
        let mut array = Array::c_order(self.table.as_ptr().cast_mut(), &self.shape, self.parts());
        if split {
            array.shape[array.axes] = 2;
            array.axes += 1;
        }
        Some(array)
    }

    /// The factors along an axis, if the multiplier is separable.
    pub(crate) fn along(&self, axis: usize) -> Option<&[Pair<S>]> {
        self.axes.get(axis).map(Vec::as_slice)
    }

    /// The product of the factors of all axes but `along`, at the given (axis, index) pairs; axes
    /// of one element may be left out of these.
    pub(crate) fn across(&self, along: usize, indices: impl Iterator<Item = (usize, usize)>) -> Pair<S> {
        let long = indices.filter(|(axis, _)| self.shape.get(*axis).is_some_and(|&n| n > 1));
        let short = self.shape.iter().enumerate().filter(|(axis, n)| *axis != along && **n == 1);
        let times = |product: Pair<S>, (axis, i): (usize, usize)| product.times(self.axes[axis][i], self.complex);
        long.chain(short.map(|(axis, _)| (axis, 0))).fold(Pair(S::of(1.0), S::of(0.0)), times)
    }
}

impl<S: Scalar> Pair<S> {
    /// \[re, im\].
    pub(crate) fn parts(self) -> [S; 2] {
        [self.0, self.1]
    }

    /// Of reals, infinity times the nothing in the second place would not be nothing.
    fn times(self, b: Self, complex: bool) -> Self {
        if !complex {
            return Pair(S::of(self.0.to() * b.0.to()), self.1);
        }
        let z = Complex::new(self.0.to(), self.1.to()) * Complex::new(b.0.to(), b.1.to());
        Pair(S::of(z.re), S::of(z.im))
    }
}
