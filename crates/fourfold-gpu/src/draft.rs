//! From a recipe to kernels: each pass as the specs of those that do it.

use crate::chain::{Chain, packing};
use crate::lines::{Array, wide};
use crate::runtime::{Limits, unavailable};
use crate::spec::{Geometry, Packing, Spec, Window};
use fourfold::{Domain, Layout, Line, Op, Pass, Place, Precision, Problem, Recipe, Result, Sum};

/// One pass, before its kernels are compiled.
pub(crate) struct Draft {
    pub(crate) specs: Vec<Spec>,
    pub(crate) ends: [Place; 2],
    pub(crate) chain: Chain,
}

/// All passes of a recipe; one that copies, if it has none. `parts` as for [`Executable::new`].
pub(crate) fn drafts(limits: &Limits, recipe: &Recipe, parts: bool) -> Result<Vec<Draft>> {
    let problem = recipe.problem();
    if problem.precision() == Precision::F64 && !limits.double {
        return Err(unavailable(format!("{} has no f64: use f32", limits.name)));
    }
    let array = |layout: &Layout, domain: Domain| {
        Array::new(layout.offset, &layout.shape, &layout.strides, domain == Domain::Complex || parts)
    };
    let input = array(problem.input(), problem.input_domain());
    let output = array(problem.output(), problem.output_domain());
    let work = recipe.work().map(|(domain, shape)| Array::c_order(shape, domain == Domain::Complex));
    let place = |place: Place| match place {
        Place::Input => input.clone(),
        Place::Output => output.clone(),
        Place::Work => work.clone().expect("a recipe that names the work array has one"),
    };
    if recipe.passes().is_empty() {
        let axis = problem.input().shape.len().saturating_sub(1);
        return Ok(vec![draft(limits, problem, axis, [Place::Input, Place::Output], [input, output], None)]);
    }
    let pass = |pass: &Pass| {
        let line = line(&pass.ops)?;
        Ok(draft(limits, problem, pass.axis, [pass.from, pass.to], [place(pass.from), place(pass.to)], Some(line)))
    };
    recipe.passes().iter().map(pass).collect()
}

fn line(ops: &[Op]) -> Result<&Line> {
    match ops {
        [Op::Transform(line)] => Ok(line),
        _ => Err(unavailable("filters do not run on GPUs yet: transform, multiply and transform back".into())),
    }
}

fn draft(
    limits: &Limits,
    problem: &Problem,
    axis: usize,
    ends: [Place; 2],
    arrays: [Array; 2],
    line: Option<&Line>,
) -> Draft {
    let mixes =
        |line: &Line| matches!(line.transform.sum, Sum::Forward | Sum::Backward | Sum::RealToHalf | Sum::HalfToReal);
    // Sums of reals act on both parts of complex numbers: these are one more axis then.
    let split = arrays.iter().all(|array| array.complex) && !line.is_some_and(mixes);
    let [input, output] = arrays.map(|array| if split { array.split_parts() } else { array });
    let neighbours = neighbours(problem, axis, &input);
    let packing = line.map(|line| packing(line, neighbours.is_some()));
    let pair = neighbours.filter(|_| packing == Some(Packing::Lines));
    let geometry = Geometry::new(axis, pair, &input, &output);
    let chain = match (line, packing) {
        (Some(line), Some(packing)) => Chain::line(line, packing, geometry.across()),
        _ => Chain::copy(input.shape[axis], input.complex),
    };
    let spec = Spec {
        precision: problem.precision(),
        stages: chain.stages.clone(),
        digits: chain.digits.clone(),
        window: Window::all(chain.digits.len()),
        local: true,
        lines: geometry.lines(),
        tile: 1,
        across: geometry.across(),
        threads: 1,
        packing: chain.packing,
        back: chain.back,
        orders: chain.orders.clone(),
        wide: wide([&input, &output]) || geometry.lines() * chain.places() > 1 << 28,
        geometry,
    };
    Draft { specs: spec.fitted(limits), ends, chain }
}

/// An axis on which two neighbouring lines may be one complex line: one that is transformed too, so that each result depends on both
/// lines anyway. (An infinity in one signal of a batch must not spoil the next.) The one with the shortest stride.
fn neighbours(problem: &Problem, axis: usize, array: &Array) -> Option<usize> {
    let others = problem.transforms().iter().map(|transform| transform.axis);
    others.filter(|&other| other != axis && array.shape[other] > 1).min_by_key(|&other| array.strides[other].abs())
}
