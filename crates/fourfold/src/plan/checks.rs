//! Checks of sizes and memory before a plan is made.

use crate::baseline::any_recipe::AnyRecipe;
use crate::error::{Error, ErrorKind, Result};
use crate::problem::problem::{AxisTransform, Problem};
use crate::recipe::recipe::{AxisRecipe, Recipe};
use crate::recipe::rules::mixed_radix::LONGEST;

/// Checks that there is memory for the tables of an axis, since making them aborts without it.
pub(crate) fn check_memory(line: &AxisRecipe, bytes: usize) -> Result<()> {
    let AxisTransform { axis, n, .. } = line.transform;
    let message =
        || format!("there is no memory for about {bytes} bytes of tables, which axis {axis} of {n} elements takes");
    let probe = Vec::<u8>::new().try_reserve_exact(bytes);
    probe.map_err(|_| Error::new(ErrorKind::Unavailable, message()))
}

/// Checks that CPUs compute a problem: arrays of 16 bits are for GPUs.
pub(crate) fn check_storage(problem: &Problem) -> Result<()> {
    let message = || {
        let real = problem.storage().name();
        format!("`{problem}`: {real} is for GPUs, through CUDA or OpenCL: use f32 on a CPU")
    };
    if problem.storage().is_half() { Err(Error::new(ErrorKind::Unavailable, message())) } else { Ok(()) }
}

/// Checks that the scratch of a plan fits the address space.
pub(crate) fn check_scratch(problem: &Problem, bytes: usize) -> Result<()> {
    let message = || format!("`{problem}` needs {bytes} bytes of scratch, which no memory holds");
    if bytes > isize::MAX as usize / 2 { Err(Error::new(ErrorKind::Unavailable, message())) } else { Ok(()) }
}

/// Checks that no length is so large that sizes of tables and scratch overflow. They take at most
/// some hundred reals for each element of a line. A DFT may be twice as long as its axis plus two.
pub(crate) fn check_size(recipe: &AnyRecipe) -> Result<()> {
    match recipe {
        AnyRecipe::Fused(recipe) => check_lengths(recipe),
        AnyRecipe::Staged(recipe) => recipe.ffts().try_for_each(check_lengths),
    }
}

fn check_lengths(recipe: &Recipe) -> Result<()> {
    const MOST: usize = LONGEST / 2 - 1;
    let longest = recipe.lines().map(|line| line.transform.n).max().unwrap_or(0);
    if longest <= MOST {
        return Ok(());
    }
    let message = format!("an axis of {longest} elements is too long: at most {MOST} can be transformed");
    Err(Error::new(ErrorKind::Unavailable, message))
}
