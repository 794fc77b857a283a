//! Multipliers, thresholds and padding, with the places of their numbers in the table.

use crate::desc::action::Action;
use crate::desc::geometry::{Array, LineIndex};
use crate::desc::pointwise::{AxisLists, ElementNumber, Factors, Inside, Pointwise, ZeroSums};
use crate::lower::multiplier::{FactorSet, MultiplierTable, is_complex, places};
use crate::lower::tables::{Entry, TableLayout};
use fourfold::Multiplier;

/// The elements of an array as a pass along an axis meets them.
pub(crate) struct Elements<'a> {
    pub(crate) array: &'a Array,
    /// Whether the array is in memory.
    pub(crate) kept: bool,
    pub(crate) axis: usize,
    /// The lines' indices on all axes but that.
    pub(crate) lines: &'a [LineIndex],
}

impl Elements<'_> {
    fn number(&self) -> ElementNumber {
        let stride = |axis: usize| self.array.shape[axis + 1..].iter().product::<usize>();
        let others = (0..self.array.shape.len()).filter(|&axis| axis != self.axis);
        let across = others.map(|axis| (self.lines[axis], stride(axis))).collect();
        ElementNumber { along: stride(self.axis), across }
    }

    /// Those that an array of this shape has.
    fn inside(&self, shape: &[usize]) -> Inside {
        let short = (0..shape.len()).filter(|&axis| shape[axis] < self.array.shape[axis]);
        let along = short.clone().find(|&axis| axis == self.axis).map(|axis| shape[axis]);
        Inside { along, across: short.filter(|&axis| axis != self.axis).map(|a| (self.lines[a], shape[a])).collect() }
    }
}

/// What is done to elements, with its numbers in the table.
pub(crate) fn pointwise(action: &Action, elements: &Elements, tables: &mut TableLayout) -> Pointwise {
    let &Elements { array, kept, axis, lines } = elements;
    let multiplier = match action {
        Action::Threshold(threshold) => return Pointwise::Threshold(tables.push_reals(&[*threshold])),
        Action::Pad(layout) => return Pointwise::Pad(elements.inside(&layout.shape)),
        Action::Multiply(multiplier) => &**multiplier,
    };
    let entry = |set, count: usize| Entry::Multiplier(MultiplierTable::new(set, count, multiplier));
    // Complex factors are read as pairs.
    let mut list = |axis: usize| (axis, tables.push_pairs(entry(FactorSet::Axis(axis), array.shape[axis])));
    let lists = |lists: Vec<(usize, usize)>| {
        let along = lists.iter().find_map(|&(a, at)| (a == axis).then_some(at));
        let across = lists.into_iter().filter(|&(a, _)| a != axis).map(|(a, at)| (lines[a], at));
        AxisLists { along, across: across.collect() }
    };
    let factors = match multiplier {
        Multiplier::Table(_) | Multiplier::ComplexTable(_) if !array.is_c_order() => {
            Factors::Table(tables.push_pairs(entry(FactorSet::Places(array.clone()), places(array))))
        }
        Multiplier::Table(_) | Multiplier::ComplexTable(_) => {
            let count = array.shape.iter().product();
            let at = tables.push_pairs(entry(FactorSet::Elements, count));
            if kept { Factors::Table(at) } else { Factors::Elements(elements.number(), at) }
        }
        Multiplier::Separable(axes) => {
            // An axis along which nothing is multiplied needs no list.
            let needed = (0..axes.len()).filter(|&axis| axes[axis].iter().any(|&factor| factor != 1.0));
            Factors::Separable(lists(needed.map(&mut list).collect()))
        }
        Multiplier::ComplexSeparable(axes) => Factors::Separable(lists((0..axes.len()).map(list).collect())),
        Multiplier::ReciprocalSum(axes) => {
            Factors::ReciprocalSum(lists((0..axes.len()).map(list).collect()), zero_sums(axes, axis))
        }
    };
    Pointwise::Multiply { parts: array.parts(), complex: is_complex(multiplier), factors }
}

/// Which sums of one number of each list may be 0, for a pass along an axis. Where all numbers have one
/// sign, only sums of zeros are 0; and of such magnitudes not even `f32` makes other numbers 0.
fn zero_sums(axes: &[Vec<f64>], axis: usize) -> ZeroSums {
    const LEAST: f64 = 1e-30;
    let all = || axes.iter().flatten();
    let usual = all().all(|x| *x == 0.0 || (LEAST..1.0 / LEAST).contains(&x.abs()));
    let one_sign = all().all(|x| *x >= 0.0) || all().all(|x| *x <= 0.0);
    let zeros = |list: &Vec<f64>| list.iter().filter(|x| **x == 0.0).count();
    match usual && one_sign {
        true if axes.iter().any(|list| zeros(list) == 0) => ZeroSums::None,
        true if axes[axis][0] == 0.0 && zeros(&axes[axis]) == 1 => ZeroSums::First,
        _ => ZeroSums::Any,
    }
}
