//! Problems executed on the device that the tests run on, and compared with the oracle.

#[path = "../../../fourfold/tests/common/sample.rs"]
pub(crate) mod sample;
#[path = "../../../fourfold/tests/common/soak.rs"]
pub(crate) mod soak;

use fourfold::baseline::AnyRecipe;
use fourfold::oracle::verify::{Data, Verdict, check};
use fourfold::{Problem, Result};
use fourfold_gpu::inspect::Inspection;
use fourfold_gpu::{Device, GpuPlan, GpuPlanner};
use std::collections::BTreeSet;

/// The device that `FOURFOLD_DEVICE` names, `cuda:0` or `opencl:1`; the first of OpenCL if it is
/// not set.
pub(crate) fn device() -> Result<Device> {
    let name = std::env::var("FOURFOLD_DEVICE").unwrap_or("opencl:0".into());
    Device::open(&name)
}

/// The same, or nothing and a message if it is not there; in CI it must be.
pub(crate) fn present() -> Option<Device> {
    match device() {
        Ok(device) => Some(device),
        Err(e) if std::env::var_os("CI").is_none() => {
            eprintln!("NOT TESTED: {e}");
            None
        }
        Err(e) => panic!("{e}"),
    }
}

/// The problems in a text, one a line; `#` begins a comment.
pub(crate) fn read(text: &str) -> Vec<Problem> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).map(|line| line.parse().unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

/// Executes a plan as its problem says: from input to output, or on the output in place.
pub(crate) fn execute(plan: &GpuPlan, input: &Data, output: &mut Data) -> Result<()> {
    if plan.problem().in_place() { plan.execute_data_in_place(output) } else { plan.execute_data(input, output) }
}

/// One run of a recipe against the oracle.
pub(crate) fn verdict(planner: &GpuPlanner, recipe: impl Into<AnyRecipe>, seed: u64) -> Result<Verdict> {
    let plan = planner.plan_recipe(recipe)?;
    check(plan.problem(), plan.uses_bluestein(), seed, |x, y| execute(&plan, x, y))
}

/// The sorts of kernels: what they do step by step without its numbers, in which precision, and
/// whether shared memory is used.
pub(crate) fn families(inspection: &Inspection) -> BTreeSet<String> {
    let real = inspection.recipe.problem().storage().name();
    let plain = |step: &String| {
        let words: Vec<_> = step.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
        words.join("#")
    };
    let family = |launch: &fourfold_gpu::inspect::Launch| {
        let mut steps: Vec<_> = launch.steps.iter().map(plain).collect();
        steps.dedup();
        let place = if launch.shared_bytes > 0 { "local" } else { "device" };
        format!("{} in {real} in {place} memory", steps.join("; "))
    };
    inspection.launches.iter().map(family).collect()
}
