//! What a pass does to elements beside its transform, and the arrays it reads and writes.

use fourfold::Multiplier;
use fourfold::engine::ArrayId;

/// What happens to the elements of the spectrum.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Multiply(Multiplier),
    /// Magnitudes below this become 0.
    Threshold(f64),
}

/// Where an array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Home {
    Input,
    Output,
    /// The recipe's work array.
    Work,
    /// What a filter multiplies.
    Spectrum,
}

impl From<ArrayId> for Home {
    fn from(place: ArrayId) -> Home {
        match place {
            ArrayId::Input => Home::Input,
            ArrayId::Output => Home::Output,
            ArrayId::Work(_) => Home::Work,
        }
    }
}
