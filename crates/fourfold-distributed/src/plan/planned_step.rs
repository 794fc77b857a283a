//! The executable forms of steps.

use fourfold::Domain;
use num_complex::Complex;
use std::ops::Range;

/// The executable form of a step.
pub(crate) enum PlannedStep<R> {
    /// A pass from one number of elements to another. There is no plan where the rank has none.
    Pass { plan: Option<Box<fourfold::Plan>>, elements: [usize; 2], domains: [Domain; 2] },
    /// An exchange, with the bytes that this rank sends.
    Exchange { bytes_sent: usize, route: R },
    /// The signs of so many reals change, and those of odd rows.
    Negate { reals: usize, rows: usize, columns: usize },
    /// The signs of these reals change; of complex elements those of the imaginary parts.
    Reflect { reals: Range<usize>, parts: usize },
    /// The reals at these places are multiplied by weights.
    Weigh { places: Vec<(usize, f64)> },
    /// Each row of so many complex elements is multiplied by its factor.
    MultiplyRows { factors: Vec<Complex<f64>>, columns: usize },
}

impl<R> PlannedStep<R> {
    /// The plan of a pass.
    pub(crate) fn pass(&self) -> Option<&fourfold::Plan> {
        if let PlannedStep::Pass { plan, .. } = self { plan.as_deref() } else { None }
    }
}
