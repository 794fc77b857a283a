//! A lowered pass: its kernels with the arrays they read and write.

use crate::choose::estimate::Chosen;
use crate::desc::action::WORK;
use crate::desc::descriptor::{DigitRange, Geometry, KernelDesc};
use crate::desc::geometry::{Array, wide};
use crate::lower::stages::StagePipeline;
use fourfold::engine::{ArrayId, AxisTransform, Pass, Transform1d};
use fourfold::{Domain, Layout, Precision, Problem, Recipe};

/// One pass, or several that are one kernel, before it is compiled.
pub(crate) struct LoweredPass {
    pub(crate) descs: Vec<KernelDesc>,
    pub(crate) ends: [ArrayId; 2],
    pub(crate) chain: StagePipeline,
    /// How the lines of its passes are done; a copy has none.
    pub(crate) passes: Vec<Chosen>,
}

/// The arrays of a plan. `parts`: sums of reals act on both parts of complex arrays.
pub(crate) struct PlanArrays<'a> {
    pub(crate) recipe: &'a Recipe,
    pub(crate) parts: bool,
}

impl PlanArrays<'_> {
    pub(crate) fn array(&self, id: ArrayId) -> Array {
        let (first, last) = (self.recipe.problem(), self.recipe.inverse().unwrap_or(self.recipe.problem()));
        match id {
            ArrayId::Input => self.of(first.input(), first.input_domain()),
            ArrayId::Output => self.of(last.output(), last.output_domain()),
            WORK => {
                let (domain, shape) = self.recipe.work().expect("a recipe that names the work array has one");
                Array::c_order(shape, self.complex(domain))
            }
            ArrayId::Work(_) => Array::c_order(&first.output().shape, self.complex(first.output_domain())),
        }
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
    let ignores = |transform: &AxisTransform| matches!(transform.sum, Transform1d::Idxst | Transform1d::C2R);
    let is_done = |axis: usize| done.iter().any(|pass| pass.axis == axis);
    let whole = problem.transforms().iter().filter(|transform| !ignores(transform) || is_done(transform.axis));
    let others = whole.map(|transform| transform.axis).filter(|&other| may(other));
    others.filter(|&other| other != axis && array.shape[other] > 1).min_by_key(|&other| array.strides[other].abs())
}

/// The kernel of a chain, for any device that has room for a line.
pub(crate) fn whole_lines(
    precision: Precision,
    chain: &StagePipeline,
    geometry: Geometry,
    arrays: [&Array; 2],
) -> KernelDesc {
    KernelDesc {
        precision,
        stages: chain.stages.clone(),
        digits: chain.digits.clone(),
        range: DigitRange::all(chain.digits.len()),
        shared: true,
        lines: geometry.lines(),
        tile: 1,
        cluster: 1,
        side_by_side: false,
        across: geometry.across(),
        threads: 1,
        packing: chain.packing,
        inverse: chain.inverse,
        padding: crate::choose::padding::PADDING,
        pointwise: [None, None],
        orders: chain.orders.clone(),
        lane_pairs: [false; 2],
        wide: wide(arrays) || geometry.lines() * chain.places() > 1 << 28,
        geometry,
        evict_first: [false; 2],
        next: None,
        between: 0,
    }
}
