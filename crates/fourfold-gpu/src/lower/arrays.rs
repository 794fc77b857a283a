//! The arrays of a plan.

use crate::desc::action::WORK;
use crate::desc::geometry::{Array, SlabLayout};
use fourfold::engine::{ArrayId, AxisTransform, Pass, Transform1d};
use fourfold::{Domain, Layout, Problem, Recipe};

/// The arrays of a plan. `parts`: transforms of reals act on both parts of complex arrays.
pub(crate) struct PlanArrays<'a> {
    pub(crate) recipe: &'a Recipe,
    pub(crate) parts: bool,
    /// The layout of an input that ends before the problem's.
    pub(crate) padded: Option<&'a Layout>,
    /// How the output is cut into slabs.
    pub(crate) slabs: Option<SlabLayout>,
}

impl PlanArrays<'_> {
    pub(crate) fn array(&self, id: ArrayId) -> Array {
        let (first, last) = (self.recipe.problem(), self.recipe.inverse().unwrap_or(self.recipe.problem()));
        match id {
            ArrayId::Input => {
                // Negative strides count from an offset, which fewer elements make shorter.
                let offset = self.padded.unwrap_or(first.input()).offset;
                self.of(&Layout { offset, ..first.input().clone() }, first.input_domain())
            }
            ArrayId::Output => {
                let output = self.of(last.output(), last.output_domain());
                self.slabs.map_or(output.clone(), |slabs| output.in_slabs(slabs))
            }
            WORK => {
                let (domain, shape) = self.recipe.work().expect("a recipe that names the work array has one");
                Array::c_order(shape, self.complex(domain))
            }
            ArrayId::Work(_) => Array::c_order(&first.output().shape, self.complex(first.output_domain())),
        }
    }

    /// Whether two neighbouring lines on an axis, of which the first has an even number, are in one slab.
    pub(crate) fn keeps_pairs(&self, axis: usize) -> bool {
        let output = &self.recipe.inverse().unwrap_or(self.recipe.problem()).output().shape;
        self.slabs.is_none_or(|slabs| slabs.axis != axis || output[axis] / slabs.count % 2 == 0)
    }

    fn of(&self, layout: &Layout, domain: Domain) -> Array {
        Array::new(layout.offset, &layout.shape, &layout.strides, self.complex(domain))
    }

    fn complex(&self, domain: Domain) -> bool {
        domain == Domain::Complex || self.parts
    }
}

/// An axis on which two neighbouring lines may be one complex line: one that is transformed too, so
/// that each result depends on both lines anyway. (An infinity in one signal of a batch must not
/// spoil the next.) The IDXST and transforms of half spectra ignore some of their terms: these must
/// be `done` by then. Of those that `may`, the one with the shortest stride.
pub(crate) fn neighbours(
    problem: &Problem,
    done: &[Pass],
    axis: usize,
    array: &Array,
    may: impl Fn(usize) -> bool,
) -> Option<usize> {
    let ignores = |transform: &AxisTransform| matches!(transform.transform1d, Transform1d::Idxst | Transform1d::C2R);
    let is_done = |axis: usize| done.iter().any(|pass| pass.axis == axis);
    let whole = problem.transforms().iter().filter(|transform| !ignores(transform) || is_done(transform.axis));
    let others = whole.map(|transform| transform.axis).filter(|&other| may(other));
    others.filter(|&other| other != axis && array.shape[other] > 1).min_by_key(|&other| array.strides[other].abs())
}
