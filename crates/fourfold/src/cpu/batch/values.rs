//! A multiplier in the engine's precision.

use crate::arithmetic::twiddle::Roots;
use crate::cpu::base::memory::Array;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Scalar;
use crate::error::{Error, ErrorKind, Result};
use crate::recipe::multiplier::Multiplier;
use crate::recipe::recipe::Recipe;
use num_complex::Complex;

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

impl<S: Scalar> Values<S> {
    /// The factors of `multiplier` for the array that `recipe` multiplies.
    ///
    /// # Errors
    /// As [`Multiplier::check`], and if there is no memory for the factors.
    pub(crate) fn new(multiplier: &Multiplier, recipe: &Recipe) -> Result<Self> {
        multiplier.check(recipe)?;
        let (domain, layout) = recipe.multiplied().expect("it has been checked that the recipe multiplies");
        let of = |z: &Complex<f64>| Pair(S::of(z.re), S::of(z.im));
        let real = |x: &f64| Pair(S::of(*x), S::of(0.0));
        let (table, axes) = match multiplier {
            Multiplier::Table(t) => (collected(t.len(), t.iter().map(|x| S::of(*x)))?, vec![]),
            Multiplier::ComplexTable(t) => {
                (collected(2 * t.len(), t.iter().flat_map(|z| [S::of(z.re), S::of(z.im)]))?, vec![])
            }
            Multiplier::Separable(a) => {
                (vec![], a.iter().map(|g| g.iter().map(real).collect()).collect::<Vec<Vec<_>>>())
            }
            Multiplier::ComplexSeparable(a) => (vec![], a.iter().map(|g| g.iter().map(of).collect()).collect()),
        };
        let shape = layout.shape.clone();
        Ok(Values { shape, domain_parts: domain.reals(), complex: multiplier.is_complex(), table, axes })
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
        let mut array = Array::c_order(Ptr::of(&self.table), &self.shape, self.parts());
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
