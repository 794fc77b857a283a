//! The factors of a multiplier in the engine's precision.

use crate::arithmetic::twiddle::Roots;
use crate::cpu::base::memory::Array;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Scalar;
use crate::error::{Result, collected, reserve};
use crate::recipe::multiplier::Multiplier;
use crate::recipe::recipe::{Pass, PassOp, Recipe};
use num_complex::Complex;

/// The factors of a multiplier in the engine's precision. A complex factor is two reals.
pub(crate) struct Values<S> {
    pub(crate) shape: Vec<usize>,
    /// The reals of an element of the array that is multiplied.
    pub(crate) domain_parts: usize,
    complex: bool,
    factors: Factors<S>,
}

enum Factors<S> {
    /// One factor for each element. The factors of a line along `axis`, which is that of the pass,
    /// are contiguous: the pass reads the table once, in order.
    Table { axis: usize, table: Vec<S> },
    /// A list for each axis. The rule makes a factor of one number from each list.
    Lists(Rule, Vec<Vec<S>>),
}

/// How a factor follows from one number for each axis.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Rule {
    /// Their product.
    Product,
    /// The reciprocal of their sum, or 0 if that is 0.
    ReciprocalSum,
}

impl<S: Scalar> Values<S> {
    /// The factors of `multiplier` for the array that `recipe` multiplies.
    ///
    /// # Errors
    /// Those of [`Multiplier::check`], or if there is no memory for the factors.
    pub(crate) fn new(multiplier: &Multiplier, recipe: &Recipe) -> Result<Self> {
        multiplier.check(recipe)?;
        let (domain, layout) = recipe.multiplied().expect("it has been checked that the recipe multiplies");
        let axis = multiplied_axis(recipe);
        let (real, complex) = (|x: &f64| [S::of(*x)], |z: &Complex<f64>| [S::of(z.re), S::of(z.im)]);
        let order = LineOrder::new(&layout.shape, axis);
        let factors = match multiplier {
            Multiplier::Table(t) => Factors::Table { axis, table: order.collect(t, real)? },
            Multiplier::ComplexTable(t) => Factors::Table { axis, table: order.collect(t, complex)? },
            Multiplier::Separable(lists) => Factors::Lists(Rule::Product, flattened(lists, real)?),
            Multiplier::ComplexSeparable(lists) => Factors::Lists(Rule::Product, flattened(lists, complex)?),
            Multiplier::ReciprocalSum(lists) => Factors::Lists(Rule::ReciprocalSum, flattened(lists, real)?),
        };
        let shape = layout.shape.clone();
        Ok(Values { shape, domain_parts: domain.reals(), complex: multiplier.is_complex(), factors })
    }
}

/// The axis of the pass that multiplies.
fn multiplied_axis(recipe: &Recipe) -> usize {
    let multiplies = |pass: &&Pass| pass.ops.contains(&PassOp::Multiply);
    recipe.passes().iter().find(multiplies).expect("a pass of the recipe multiplies").axis
}

fn flattened<S, T, const PARTS: usize>(lists: &[Vec<T>], parts: impl Fn(&T) -> [S; PARTS]) -> Result<Vec<Vec<S>>> {
    let flat = |list: &Vec<T>| {
        let count = PARTS * list.len();
        collected(count, list.iter().flat_map(&parts), format_args!("a multiplier of {count} numbers"))
    };
    lists.iter().map(flat).collect()
}

/// The order of the elements of an array, line after line along one axis.
struct LineOrder {
    len: usize,
    /// The product of the lengths of the axes after that axis.
    inner: usize,
    lines: usize,
}

impl LineOrder {
    fn new(shape: &[usize], axis: usize) -> LineOrder {
        let (len, elements) = (shape[axis], shape.iter().product::<usize>());
        LineOrder { len, inner: shape[axis + 1..].iter().product(), lines: elements / len }
    }

    /// The parts of the elements of a table in C order. It is an error if there is no memory for them.
    fn collect<S, T, const PARTS: usize>(&self, table: &[T], parts: impl Fn(&T) -> [S; PARTS]) -> Result<Vec<S>> {
        let count = PARTS * table.len();
        let mut reals = vec![];
        reserve(&mut reals, count, format_args!("a multiplier of {count} numbers"))?;
        for line in 0..self.lines {
            let first = line / self.inner * self.inner * self.len + line % self.inner;
            reals.extend((0..self.len).flat_map(|i| parts(&table[first + i * self.inner])));
        }
        Ok(reals)
    }
}

impl<S: Scalar> Values<S> {
    /// The factors of [`crate::recipe::rules::four_step`]: w_M^{n₂k₁} at \[k₁, n₂\] for M = columns
    /// · rows, or their conjugates if `backward`.
    pub(crate) fn twiddles(columns: usize, rows: usize, backward: bool) -> Self {
        let len = columns * rows;
        let roots = Roots::new(len as u64);
        let mut table = Vec::with_capacity(2 * len);
        for at in (0..rows).flat_map(|n| (0..columns).map(move |k| (n * k) % len)) {
            let w = S::root(&roots, if backward { len - at } else { at } as u64);
            table.extend([w.re, w.im]);
        }
        let factors = Factors::Table { axis: 0, table };
        Values { shape: vec![columns, rows], domain_parts: 2, complex: true, factors }
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
        let Factors::Table { axis, table } = &self.factors else { return None };
        let mut array = Array::c_order(Ptr::of(table), &self.shape, self.parts());
        array.strides[*axis] = self.parts() as isize;
        array.strides[axis + 1..array.axes].iter_mut().for_each(|stride| *stride *= self.shape[*axis] as isize);
        if split {
            array.shape[array.axes] = 2;
            array.axes += 1;
        }
        Some(array)
    }

    /// The list along an axis, if the multiplier has lists.
    pub(crate) fn along(&self, axis: usize) -> Option<&[S]> {
        self.lists().get(axis).map(Vec::as_slice)
    }

    /// How a factor follows from the lists. A factor of a table is a product of one number.
    pub(crate) fn rule(&self) -> Rule {
        if let Factors::Lists(rule, _) = self.factors { rule } else { Rule::Product }
    }

    fn lists(&self) -> &[Vec<S>] {
        if let Factors::Lists(_, lists) = &self.factors { lists } else { &[] }
    }

    /// Number i of the list along an axis: the real part, and the imaginary part or 0.
    fn factor(&self, axis: usize, i: usize) -> [S; 2] {
        let list = &self.lists()[axis];
        if self.complex { [list[2 * i], list[2 * i + 1]] } else { [list[i], S::default()] }
    }

    /// The product or sum of the numbers of all axes except `along`, at the given (axis, index)
    /// pairs: the real part and the imaginary part. Axes of one element may be missing there.
    pub(crate) fn across(&self, along: usize, indices: impl Iterator<Item = (usize, usize)>) -> [S; 2] {
        let long = indices.filter(|(axis, _)| self.shape.get(*axis).is_some_and(|&n| n > 1));
        let short = self.shape.iter().enumerate().filter(|(axis, n)| *axis != along && **n == 1);
        let numbers = long.chain(short.map(|(axis, _)| (axis, 0))).map(|(axis, i)| self.factor(axis, i));
        match self.rule() {
            Rule::Product => numbers.fold([S::of(1.0), S::default()], |a, b| times(a, b, self.complex)),
            Rule::ReciprocalSum => [S::of(numbers.map(|[x, _]| x.to()).sum()), S::default()],
        }
    }
}

/// The product of two factors. The zeros beside real factors are not multiplied, because 0 times
/// infinity is a NaN.
fn times<S: Scalar>(a: [S; 2], b: [S; 2], complex: bool) -> [S; 2] {
    if !complex {
        return [S::of(a[0].to() * b[0].to()), a[1]];
    }
    let z = Complex::new(a[0].to(), a[1].to()) * Complex::new(b[0].to(), b[1].to());
    [S::of(z.re), S::of(z.im)]
}
