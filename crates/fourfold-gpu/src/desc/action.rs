//! What a pass does to elements beside its transform, and the arrays that only a plan has.

use fourfold::Multiplier;
use fourfold::engine::ArrayId;

/// What happens to the elements of the spectrum.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Multiply(Multiplier),
    /// Magnitudes below this become 0.
    Threshold(f64),
}

/// The recipe's work array.
pub(crate) const WORK: ArrayId = ArrayId::Work(0);

/// What a filter multiplies: the work array that no recipe names, since a recipe transforms,
/// multiplies and transforms back in one pass.
pub(crate) const SPECTRUM: ArrayId = ArrayId::Work(1);
