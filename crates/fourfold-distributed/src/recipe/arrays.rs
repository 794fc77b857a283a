//! The arrays of a recipe: what each rank has of them, and in which memory they are.

use crate::distribution::Distribution;
use crate::grid::Grid;
use crate::recipe::progress::Progress;
use crate::recipe::step::Action;
use crate::recipe::subject::Subject;
use fourfold::Domain;
use fourfold::engine::ArrayId;
use std::ops::Range;

/// An array that is divided among ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayDesc {
    /// Which dimensions of the grid divide each axis.
    pub distribution: Distribution,
    /// Real or complex elements.
    pub domain: Domain,
    /// The lengths of the whole array.
    pub shape: Vec<usize>,
    /// The axes in the order in which ranks store them, the slowest first. It is the C order, except
    /// for the output of a long complex signal and for the spectrum of a long real one.
    pub order: Vec<usize>,
}

impl ArrayDesc {
    /// The ranges of indices along each axis that a rank has.
    pub fn ranges(&self, grid: &Grid, rank: usize) -> Vec<Range<usize>> {
        self.distribution.ranges(&self.shape, grid, rank)
    }

    /// The number of elements that a rank has.
    pub fn elements(&self, grid: &Grid, rank: usize) -> usize {
        self.ranges(grid, rank).iter().map(Range::len).product()
    }

    fn new(subject: &Subject, progress: &Progress) -> ArrayDesc {
        let (domain, shape) = progress.array(subject);
        ArrayDesc { distribution: progress.distribution.clone(), domain, shape, order: progress.order(subject) }
    }

    /// The memory in which this array is, if a step makes the array `after` of it in the memory `to`.
    /// Passes run in place where they can. Exchanges need two memories.
    pub(crate) fn array_before(&self, to: ArrayId, after: &ArrayDesc, action: &Action) -> ArrayId {
        let is_local = !matches!(action, Action::Exchange { .. });
        let same = self.domain == after.domain && self.shape == after.shape && self.order == after.order;
        match to {
            _ if is_local && same => to,
            ArrayId::Output => ArrayId::Work(0),
            ArrayId::Work(_) | ArrayId::Input => ArrayId::Output,
        }
    }
}

/// The arrays of the actions that compute a subject: the input, and what each of them writes.
pub(crate) fn replay(subject: &Subject, input: Distribution, actions: &[Action]) -> Vec<ArrayDesc> {
    let mut progress = Progress::start(input);
    let mut arrays = vec![ArrayDesc::new(subject, &progress)];
    for action in actions {
        progress.follow(subject, action);
        arrays.push(ArrayDesc::new(subject, &progress));
    }
    arrays
}
