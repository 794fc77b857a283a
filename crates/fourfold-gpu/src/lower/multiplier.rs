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

    /// Puts its reals into its part of a table of zeros.
    pub(crate) fn write(&self, multiplier: &Multiplier, part: &mut [f64]) {
        let complex = |part: &mut [f64], list: &[Complex<f64>]| {
            part.as_chunks_mut().0.iter_mut().zip(list).for_each(|(pair, z)| *pair = [z.re, z.im]);
        };
        match (&self.set, multiplier) {
            (FactorSet::Axis(axis), Multiplier::Separable(axes) | Multiplier::ReciprocalSum(axes)) => {
                part.copy_from_slice(&axes[*axis]);
            }
            (FactorSet::Axis(axis), Multiplier::ComplexSeparable(axes)) => complex(part, &axes[*axis]),
            (FactorSet::Elements, Multiplier::Table(table)) => part.copy_from_slice(table),
            (FactorSet::Elements, Multiplier::ComplexTable(table)) => complex(part, table),
            (FactorSet::Places(array), _) => {
                let parts = parts(multiplier);
                for element in 0..elements(multiplier) {
                    let z = factor(multiplier, element);
                    part[parts * place(array, element)..][..parts].copy_from_slice(&[z.re, z.im][..parts]);
                }
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

/// How many factors a multiplier has.
fn elements(multiplier: &Multiplier) -> usize {
    match multiplier {
        Multiplier::Table(table) => table.len(),
        Multiplier::ComplexTable(table) => table.len(),
        Multiplier::Separable(axes) | Multiplier::ReciprocalSum(axes) => axes.iter().map(Vec::len).product(),
        Multiplier::ComplexSeparable(axes) => axes.iter().map(Vec::len).product(),
    }
}

/// The factor of an element in C order.
fn factor(multiplier: &Multiplier, element: usize) -> Complex<f64> {
    match multiplier {
        Multiplier::Table(table) => table[element].into(),
        Multiplier::ComplexTable(table) => table[element],
        Multiplier::Separable(axes) => along_axes(axes, element).product::<f64>().into(),
        Multiplier::ComplexSeparable(axes) => along_axes(axes, element).product(),
        Multiplier::ReciprocalSum(axes) => {
            let sum: f64 = along_axes(axes, element).sum();
            if sum == 0.0 { 0.0.into() } else { sum.recip().into() }
        }
    }
}

/// What the lists of all axes have for an element in C order.
fn along_axes<T: Copy>(axes: &[Vec<T>], element: usize) -> impl Iterator<Item = T> {
    let mut inner = axes.iter().map(Vec::len).product::<usize>();
    axes.iter().map(move |list| {
        inner /= list.len();
        list[element / inner % list.len()]
    })
}

/// Places of memory up to the last element of an array.
pub(crate) fn places(array: &Array) -> usize {
    let steps = array.shape.iter().zip(&array.strides).map(|(n, stride)| (*n as i64 - 1) * stride.max(&0));
    (array.offset + steps.sum::<i64>()) as usize / array.parts() + 1
}

/// Where an element in C order stands in memory.
fn place(array: &Array, element: usize) -> usize {
    let (mut rest, mut at) = (element, array.offset);
    for (&size, &stride) in array.shape.iter().zip(&array.strides).rev() {
        at += (rest % size) as i64 * stride;
        rest /= size;
    }
    at as usize / array.parts()
}
