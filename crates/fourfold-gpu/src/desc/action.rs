//! What a plan does to elements beside its transforms, and the arrays that only a plan has.

use fourfold::engine::{ArrayId, collected};
use fourfold::{Layout, Multiplier, Result};
use std::sync::Arc;

/// What happens to the elements of the spectrum, or of the input.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Multiply(Arc<Multiplier>),
    /// Magnitudes below this become 0.
    Threshold(f64),
    /// The input has this layout. The elements that it lacks are zeros.
    Pad(Layout),
}

impl Action {
    /// The layout of an input that is padded.
    pub(crate) fn padded(&self) -> Option<&Layout> {
        if let Action::Pad(layout) = self { Some(layout) } else { None }
    }

    /// Multiplies by a copy of the factors. It is an error if there is no memory for them.
    pub(crate) fn multiply(multiplier: &Multiplier) -> Result<Action> {
        Ok(Action::Multiply(Arc::new(match multiplier {
            Multiplier::Table(table) => Multiplier::Table(copied(table)?),
            Multiplier::ComplexTable(table) => Multiplier::ComplexTable(copied(table)?),
            Multiplier::Separable(axes) => Multiplier::Separable(all_copied(axes)?),
            Multiplier::ComplexSeparable(axes) => Multiplier::ComplexSeparable(all_copied(axes)?),
            Multiplier::ReciprocalSum(axes) => Multiplier::ReciprocalSum(all_copied(axes)?),
        })))
    }
}

fn all_copied<T: Copy>(axes: &[Vec<T>]) -> Result<Vec<Vec<T>>> {
    axes.iter().map(|list| copied(list)).collect()
}

fn copied<T: Copy>(list: &[T]) -> Result<Vec<T>> {
    collected(list.len(), list.iter().copied(), format_args!("a multiplier of {} factors", list.len()))
}

/// The recipe's work array.
pub(crate) const WORK: ArrayId = ArrayId::Work(0);

/// What a filter multiplies: the work array that no recipe names, since a recipe transforms,
/// multiplies and transforms back in one pass.
pub(crate) const SPECTRUM: ArrayId = ArrayId::Work(1);
