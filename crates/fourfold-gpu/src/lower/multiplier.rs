//! The factors of a multiplier as they stand in a table.

use crate::desc::geometry::Array;
use fourfold::Multiplier;
use num_complex::Complex;

/// Which factors of the plan's multiplier a part of the table has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MultiplierTable {
    set: FactorSet,
    len: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FactorSet {
    /// Those of a list along an axis.
    Axis(usize),
    /// One an element in C order.
    Elements,
    /// Those of the elements where these stand in memory, real parts only if the multiplier is
    /// real.
    Places(Array),
}

impl MultiplierTable {
    /// Of so many factors.
    pub(crate) fn new(set: FactorSet, count: usize, multiplier: &Multiplier) -> MultiplierTable {
        MultiplierTable { set, len: count * parts(multiplier) }
    }

    /// How many reals it has.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Its reals.
    pub(crate) fn values(&self, multiplier: &Multiplier) -> Vec<f64> {
        let complex = |list: &[Complex<f64>]| list.iter().flat_map(|z| [z.re, z.im]).collect();
        match (&self.set, multiplier) {
            (FactorSet::Axis(axis), Multiplier::Separable(axes) | Multiplier::ReciprocalSum(axes)) => {
                axes[*axis].clone()
            }
            (FactorSet::Axis(axis), Multiplier::ComplexSeparable(axes)) => complex(&axes[*axis]),
            (FactorSet::Elements, Multiplier::Table(table)) => table.clone(),
            (FactorSet::Elements, Multiplier::ComplexTable(table)) => complex(table),
            (FactorSet::Places(array), _) => {
                let factors = at_places(&factors(multiplier), array, self.len / parts(multiplier));
                if is_complex(multiplier) { complex(&factors) } else { factors.iter().map(|z| z.re).collect() }
            }
            _ => unreachable!("the table is laid out for the plan's multiplier"),
        }
    }
}

/// Whether the factors are complex.
pub(crate) fn is_complex(multiplier: &Multiplier) -> bool {
    matches!(multiplier, Multiplier::ComplexTable(_) | Multiplier::ComplexSeparable(_))
}

/// Reals of a factor.
fn parts(multiplier: &Multiplier) -> usize {
    if is_complex(multiplier) { 2 } else { 1 }
}

/// All factors of a multiplier, one an element in C order.
fn factors(multiplier: &Multiplier) -> Vec<Complex<f64>> {
    let complex = |list: &[f64]| list.iter().map(|&x| Complex::from(x)).collect::<Vec<_>>();
    let lists = match multiplier {
        Multiplier::Table(table) => return complex(table),
        Multiplier::ComplexTable(table) => return table.clone(),
        Multiplier::Separable(axes) => axes.iter().map(|list| complex(list)).collect(),
        Multiplier::ComplexSeparable(axes) => axes.clone(),
        Multiplier::ReciprocalSum(axes) => return reciprocals(axes),
    };
    let times =
        |all: Vec<Complex<f64>>, list: &Vec<_>| all.iter().flat_map(|z| list.iter().map(move |g| z * g)).collect();
    lists.iter().fold(vec![Complex::from(1.0)], times)
}

/// The factors of a [`Multiplier::ReciprocalSum`].
fn reciprocals(lists: &[Vec<f64>]) -> Vec<Complex<f64>> {
    let plus = |all: Vec<f64>, list: &Vec<f64>| all.iter().flat_map(|x| list.iter().map(move |g| x + g)).collect();
    let sums = lists.iter().fold(vec![0.0], plus);
    sums.into_iter().map(|sum| Complex::from(if sum == 0.0 { 0.0 } else { 1.0 / sum })).collect()
}

/// Places of memory up to the last element of an array.
pub(crate) fn places(array: &Array) -> usize {
    let steps = array.shape.iter().zip(&array.strides).map(|(n, stride)| (*n as i64 - 1) * stride.max(&0));
    (array.offset + steps.sum::<i64>()) as usize / array.parts() + 1
}

/// The factors where the elements of an array stand in memory, of so many places; 0 where none
/// does.
fn at_places(factors: &[Complex<f64>], array: &Array, count: usize) -> Vec<Complex<f64>> {
    let place = |element: usize| {
        let (mut rest, mut at) = (element, array.offset);
        for (&size, &stride) in array.shape.iter().zip(&array.strides).rev() {
            at += (rest % size) as i64 * stride;
            rest /= size;
        }
        at as usize / array.parts()
    };
    let mut all = vec![Complex::default(); count];
    factors.iter().enumerate().for_each(|(element, &factor)| all[place(element)] = factor);
    all
}
