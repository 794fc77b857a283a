//! fourfold itself, and a copy.

use crate::case::Case;
use crate::contestant::{Contestant, Factor};
use anyhow::Result;
use fourfold::{Domain, Element, Isa, Planner, Precision, Problem};
use num_complex::Complex;
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::time::Instant;

/// Which planner.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) isa: Isa,
    pub(crate) threads: usize,
}

impl Settings {
    pub(crate) fn best() -> Settings {
        Settings { isa: Isa::best(), threads: 1 }
    }

    fn planner(self) -> Result<Planner> {
        Ok(Planner::builder().isa(self.isa).threads(self.threads).build()?)
    }
}

/// fourfold on the case's arrays; `problem` need not be the case's.
pub(crate) fn offer<'a>(name: &str, case: &'a Case, problem: &Problem, settings: Settings) -> Result<Contestant<'a>> {
    use Domain::{Complex as C, Real as R};
    Ok(match (problem.precision(), problem.input_domain(), problem.output_domain()) {
        (Precision::F32, R, R) => typed::<f32, f32>(name, case, problem, settings)?,
        (Precision::F64, R, R) => typed::<f64, f64>(name, case, problem, settings)?,
        (Precision::F32, R, C) => typed::<f32, Complex<f32>>(name, case, problem, settings)?,
        (Precision::F64, R, C) => typed::<f64, Complex<f64>>(name, case, problem, settings)?,
        (Precision::F32, C, C) => typed::<Complex<f32>, Complex<f32>>(name, case, problem, settings)?,
        (Precision::F64, C, C) => typed::<Complex<f64>, Complex<f64>>(name, case, problem, settings)?,
        (_, C, R) => anyhow::bail!("no problem of the bench makes reals of complex numbers"),
    })
}

fn typed<'a, I: Element + 'a, O: Element + 'a>(
    name: &str,
    case: &'a Case,
    problem: &Problem,
    settings: Settings,
) -> Result<Contestant<'a>> {
    let plan = settings.planner()?.plan(problem)?;
    let mut scratch = plan.scratch();
    let (input, output) = (problem.input().len, problem.output().len);
    Ok(Contestant::peer(name, 1.0, move || {
        // SAFETY: the case's arrays hold that many elements of these types, and nothing else refers
        // to the output.
        let (x, y) = unsafe {
            (from_raw_parts::<I>(case.input().cast(), input), from_raw_parts_mut::<O>(case.output().cast(), output))
        };
        plan.execute_with(x, y, &mut scratch).expect("the arrays are those of the problem");
    })
    .ours())
}

/// A copy of the input.
pub(crate) fn copy(case: &Case) -> Contestant<'_> {
    let bytes = case.bytes();
    let run = move || {
        // SAFETY: both arrays have room for the input.
        unsafe { std::ptr::copy_nonoverlapping(case.input(), case.output(), bytes) };
        std::hint::black_box(case.output());
    };
    Contestant { factor: Factor::Other, ..Contestant::peer("memcpy", 1.0, run).yardstick() }
}

/// Milliseconds to plan with a new planner: the best of three, for the first one also loads the
/// code.
pub(crate) fn planning(problem: &Problem) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let planner = Settings::best().planner()?;
        let start = Instant::now();
        let plan = planner.plan(problem)?;
        best = best.min(1e3 * start.elapsed().as_secs_f64());
        drop(plan);
    }
    Ok(best)
}
