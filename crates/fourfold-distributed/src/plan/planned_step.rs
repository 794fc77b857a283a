//! The executable forms of steps.

use fourfold::Domain;
use num_complex::Complex;
use std::ops::Range;
use std::sync::Arc;

/// The executable form of a step.
pub(crate) enum PlannedStep<R> {
    /// A pass, in parts.
    Pass { parts: Vec<PlannedPart>, domains: [Domain; 2] },
    /// An exchange, with the bytes that this rank sends, and a route for each part.
    Exchange { bytes_sent: usize, routes: Vec<R>, cut: Option<PlannedCut> },
    /// The signs of so many reals change, and those of odd rows.
    Negate { reals: usize, rows: usize, columns: usize },
    /// The signs of these reals change; of complex elements those of the imaginary parts.
    Reflect { reals: Range<usize>, parts: usize },
    /// The reals at these places are multiplied by weights.
    Weigh { places: Vec<(usize, f64)> },
    /// Each row of so many complex elements is multiplied by its factor.
    MultiplyRows { factors: Vec<Complex<f64>>, columns: usize },
}

/// A part of a pass.
pub(crate) struct PlannedPart {
    /// There is none where the rank has nothing.
    pub(crate) plan: Option<Arc<fourfold::Plan>>,
    /// The length of the block along axis 0.
    pub(crate) length: usize,
    /// Where the block begins before the pass and after it, in bytes.
    pub(crate) starts: [usize; 2],
    /// The number of elements of the block before the pass and after it.
    pub(crate) elements: [usize; 2],
}

/// The steps beside an exchange that are done in as many parts as the exchange.
pub(crate) struct PlannedCut {
    pub(crate) before: Range<usize>,
    pub(crate) after: Range<usize>,
    /// The blocks of the memory before and after the exchange that these steps compute, in bytes.
    pub(crate) blocks: [Vec<Range<usize>>; 2],
}

impl<R> PlannedStep<R> {
    /// The plans of a pass.
    pub(crate) fn passes(&self) -> impl Iterator<Item = &fourfold::Plan> {
        let parts = if let PlannedStep::Pass { parts, .. } = self { &parts[..] } else { &[] };
        parts.iter().filter_map(|part| part.plan.as_deref())
    }

    /// The number of parts of an exchange, or 1.
    pub(crate) fn parts(&self) -> usize {
        if let PlannedStep::Exchange { routes, .. } = self { routes.len() } else { 1 }
    }
}
