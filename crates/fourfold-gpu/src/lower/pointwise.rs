//! Multipliers and thresholds, with the places of their numbers in the table.

use crate::desc::action::Action;
use crate::desc::geometry::Array;
use crate::desc::pointwise::{AxisFactors, Factors, Pointwise};
use crate::lower::multiplier::{FactorSet, MultiplierTable, is_complex, places};
use crate::lower::tables::{Entry, TableLayout};
use fourfold::Multiplier;

/// What is done to the elements of `array`, with its numbers in the table.
pub(crate) fn pointwise(action: &Action, array: &Array, tables: &mut TableLayout) -> Pointwise {
    let multiplier = match action {
        Action::Threshold(threshold) => return Pointwise::Threshold(tables.push_reals(&[*threshold])),
        Action::Multiply(multiplier) => &**multiplier,
    };
    let shape = &array.shape;
    let entry = |set, count: usize| Entry::Multiplier(MultiplierTable::new(set, count, multiplier));
    let along =
        |axis: usize, at: usize| AxisFactors { size: shape[axis], stride: shape[axis + 1..].iter().product(), at };
    let reals = |tables: &mut TableLayout, (axis, list): (usize, &Vec<f64>)| {
        along(axis, tables.push(entry(FactorSet::Axis(axis), list.len())))
    };
    let factors = match multiplier {
        _ if !array.is_c_order() => {
            Factors::Table(tables.push_pairs(entry(FactorSet::Places(array.clone()), places(array))))
        }
        Multiplier::Table(table) => Factors::Table(tables.push_pairs(entry(FactorSet::Elements, table.len()))),
        Multiplier::ComplexTable(table) => Factors::Table(tables.push_pairs(entry(FactorSet::Elements, table.len()))),
        Multiplier::Separable(axes) => {
            // An axis along set nothing is multiplied needs no list.
            let lists = axes.iter().enumerate().filter(|(_, list)| list.iter().any(|&factor| factor != 1.0));
            Factors::Separable(lists.map(|item| reals(tables, item)).collect())
        }
        Multiplier::ReciprocalSum(axes) => {
            Factors::ReciprocalSum(axes.iter().enumerate().map(|item| reals(tables, item)).collect())
        }
        Multiplier::ComplexSeparable(axes) => {
            let list = |(axis, list): (usize, &Vec<_>)| {
                along(axis, tables.push_pairs(entry(FactorSet::Axis(axis), list.len())))
            };
            Factors::Separable(axes.iter().enumerate().map(list).collect())
        }
    };
    Pointwise::Multiply { parts: array.parts(), complex: is_complex(multiplier), factors }
}
