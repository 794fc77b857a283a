//! The factors of a multiplier in the engine's precision.

use crate::arithmetic::twiddle::Roots;
use crate::cpu::base::memory::Array;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Scalar;
use crate::error::{Result, reserve};
use crate::recipe::multiplier::Multiplier;
use crate::recipe::recipe::Recipe;
use num_complex::Complex;

/// A complex factor (re, im), or a real factor and 0.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct FactorValue<S>(pub(crate) S, pub(crate) S);

/// The factors of a multiplier in the engine's precision.
pub(crate) struct Values<S> {
    pub(crate) shape: Vec<usize>,
    /// The reals of an element of the array that is multiplied.
    pub(crate) domain_parts: usize,
    complex: bool,
    table: Vec<S>,
    axes: Vec<Vec<FactorValue<S>>>,
}

impl<S: Scalar> Values<S> {
    /// The factors of `multiplier` for the array that `recipe` multiplies.
    ///
    /// # Errors
    /// Those of [`Multiplier::check`], or if there is no memory for the factors.
    pub(crate) fn new(multiplier: &Multiplier, recipe: &Recipe) -> Result<Self> {
        multiplier.check(recipe)?;
        let (domain, layout) = recipe.multiplied().expect("it has been checked that the recipe multiplies");
        let of = |z: &Complex<f64>| FactorValue(S::of(z.re), S::of(z.im));
        let real = |x: &f64| FactorValue(S::of(*x), S::of(0.0));
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

/// Collects `count` numbers. It is an error if there is no memory for them.
fn collected<S>(count: usize, numbers: impl Iterator<Item = S>) -> Result<Vec<S>> {
    let mut table = vec![];
    reserve(&mut table, count, format_args!("a multiplier of {count} numbers"))?;
    table.extend(numbers);
    Ok(table)
}

impl<S: Scalar> Values<S> {
    /// The factors of [`crate::recipe::rules::four_step`]: w_M^{n₂k₁} at \[k₁, n₂\] for M = columns
    /// · rows, or their conjugates if `backward`.
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

    /// The reals of a factor.
    pub(crate) fn parts(&self) -> usize {
        if self.complex { 2 } else { 1 }
    }

    /// The table as an array. If `split`, it has one more axis with stride 0, since a real factor
    /// multiplies both parts of a complex element.
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
    pub(crate) fn along(&self, axis: usize) -> Option<&[FactorValue<S>]> {
        self.axes.get(axis).map(Vec::as_slice)
    }

    /// The product of the factors of all axes except `along`, at the given (axis, index) pairs.
    /// Axes of one element may be missing there.
    pub(crate) fn across(&self, along: usize, indices: impl Iterator<Item = (usize, usize)>) -> FactorValue<S> {
        let long = indices.filter(|(axis, _)| self.shape.get(*axis).is_some_and(|&n| n > 1));
        let short = self.shape.iter().enumerate().filter(|(axis, n)| *axis != along && **n == 1);
        let times =
            |product: FactorValue<S>, (axis, i): (usize, usize)| product.times(self.axes[axis][i], self.complex);
        long.chain(short.map(|(axis, _)| (axis, 0))).fold(FactorValue(S::of(1.0), S::of(0.0)), times)
    }
}

impl<S: Scalar> FactorValue<S> {
    /// \[re, im\].
    pub(crate) fn parts(self) -> [S; 2] {
        [self.0, self.1]
    }

    /// The product of two factors. The zeros beside real factors are not multiplied, because 0
    /// times infinity is a NaN.
    fn times(self, b: Self, complex: bool) -> Self {
        if !complex {
            return FactorValue(S::of(self.0.to() * b.0.to()), self.1);
        }
        let z = Complex::new(self.0.to(), self.1.to()) * Complex::new(b.0.to(), b.1.to());
        FactorValue(S::of(z.re), S::of(z.im))
    }
}
