//! `fourfold plan`: the recipe of a problem, its kernels, the bytes that it moves.

use anyhow::{Context, Result, ensure};
use fourfold::baseline::AnyRecipe;
use fourfold::engine::PipelineKey;
use fourfold_gpu::inspect::Launch;
use serde::Serialize;

use crate::algorithm::AlgorithmName;
use crate::args::Plan;
use crate::array::{array_bytes, check_memory};
use crate::engine::{Engine, KernelTarget};
use crate::print::{bytes, print_json, print_text};
use crate::problems;
use crate::wisdom;

#[derive(Serialize)]
struct Answer {
    problem: String,
    engine: String,
    /// Programs read the older key.
    #[serde(rename = "method")]
    algorithm: &'static str,
    /// Only of the engine `cpu`.
    threads: Option<usize>,
    passes: Vec<String>,
    /// What to know of the passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<String>,
    bluestein: bool,
    bytes_moved: u64,
    scratch_bytes: u64,
    #[serde(flatten)]
    device: Option<OnDevice>,
}

/// The part of the answer that only devices have.
#[derive(Serialize)]
struct OnDevice {
    device: String,
    /// Why `device` is not the device that was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
    /// The choices of each pass, which tuning may change.
    choices: Vec<String>,
    kernels: Vec<Kernel>,
    /// What the kernels are expected to take, in copies of the array.
    trips: f64,
}

#[derive(Serialize)]
struct Kernel {
    /// The number of its pass, from 0.
    pass: usize,
    groups: usize,
    threads: usize,
    local_bytes: usize,
    steps: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

/// Prints how a problem is computed.
pub(super) fn show_plan(args: &Plan) -> Result<()> {
    let pipeline = problems::parse_pipeline(&args.problem)?;
    let (fused, other) = (AlgorithmName::FUSED, args.how.algorithm);
    ensure!(
        fused == other || pipeline.as_problem().is_some(),
        "only the algorithm {fused} has filters: leave out --algorithm {other}"
    );
    let answer = match args.how.engine.kernel_target()? {
        None => on_cpu(args, &pipeline)?,
        Some(target) => on_device(args, &pipeline, target)?,
    };
    if args.json { print_json(&answer) } else { print_text(&text(&answer)) }
}

fn on_cpu(args: &Plan, pipeline: &PipelineKey) -> Result<Answer> {
    ensure!(
        !args.source,
        "--source is for GPU kernels, and {} has none: name cuda or opencl with --engine",
        args.how.engine
    );
    let (recipe, scratch) = args.how.planner()?.recipe(pipeline)?;
    let moved = [recipe.bytes_moved(), scratch];
    Ok(answer(args, pipeline, &recipe, moved, recipe.uses_bluestein(), None))
}

fn on_device(args: &Plan, pipeline: &PipelineKey, KernelTarget { target, missing }: KernelTarget) -> Result<Answer> {
    let tuning = wisdom::load(&args.how.wisdom)?;
    let inspection = match pipeline.as_problem() {
        Some(problem) => {
            let recipe = args.how.algorithm.recipe(problem)?;
            tuning.apply(|wisdom| target.inspect_with(recipe.clone(), wisdom))
        }
        None => {
            check_memory(pipeline.problems().map(array_bytes).fold(0, usize::saturating_add))?;
            let example = pipeline.example()?;
            tuning.apply(|wisdom| target.inspect_pipeline(&example, wisdom))
        }
    };
    let inspection = inspection.with_context(|| format!("cannot plan {pipeline}"))?;
    let kernel = |launch: Launch| Kernel {
        pass: launch.pass,
        groups: launch.blocks,
        threads: launch.threads,
        local_bytes: launch.shared_bytes,
        steps: launch.steps,
        source: args.source.then_some(launch.source),
    };
    let kernels = inspection.launches.into_iter().map(kernel).collect();
    let (choices, trips) = (inspection.choices, inspection.trips);
    let device = Some(OnDevice { device: target.name().to_owned(), missing, choices, kernels, trips });
    let moved = [inspection.bytes_moved, inspection.scratch_bytes];
    Ok(answer(args, pipeline, &inspection.recipe, moved, inspection.uses_bluestein, device))
}

fn answer(
    args: &Plan,
    pipeline: &PipelineKey,
    recipe: &AnyRecipe,
    [moved, scratch]: [usize; 2],
    bluestein: bool,
    device: Option<OnDevice>,
) -> Answer {
    Answer {
        problem: pipeline.to_string(),
        engine: args.how.engine.to_string(),
        algorithm: args.how.algorithm.name(),
        threads: matches!(args.how.engine, Engine::Cpu(_)).then_some(args.how.threads),
        passes: if device.is_some() { transforms(recipe) } else { passes(recipe) },
        remark: if let AnyRecipe::Fused(recipe) = recipe { recipe.remark() } else { None },
        bluestein,
        bytes_moved: moved as u64,
        scratch_bytes: scratch as u64,
        device,
    }
}

fn text(answer: &Answer) -> String {
    let Answer { problem, engine, algorithm, passes, remark, bytes_moved, scratch_bytes, device, .. } = answer;
    let mut text = format!("problem    {problem}\nengine     {engine}\n");
    text.extend(device.iter().map(|on| format!("device     {}\n", on.device)));
    let missing = device.iter().filter_map(|on| on.missing.as_ref());
    text.extend(missing.map(|why| format!("           and not {engine}: {why}\n")));
    text += &format!("algorithm  {algorithm}\npasses     {}\n", passes.join("\n           "));
    text.extend(remark.iter().map(|remark| format!("remark     {remark}\n")));
    text.extend(
        device
            .iter()
            .filter(|on| !on.choices.is_empty())
            .map(|on| format!("chosen     {}\n", on.choices.join("\n           "))),
    );
    text.extend(device.iter().map(kernels));
    text.extend(device.iter().map(|on| format!("expected   {:.1} trips through memory\n", on.trips)));
    text += &format!("moved      {}\nscratch    {}\n", bytes(*bytes_moved), bytes(*scratch_bytes));
    let sources = device.iter().flat_map(|on| on.kernels.iter().filter_map(|kernel| kernel.source.as_ref()));
    text.extend(sources.enumerate().map(|(i, source)| format!("\n// kernel {}\n{source}", i + 1)));
    text
}

/// One line for each kernel.
fn kernels(on: &OnDevice) -> String {
    let line = |kernel: &Kernel| {
        let Kernel { pass, groups, threads, local_bytes, steps, .. } = kernel;
        let (local, steps) = (bytes(*local_bytes as u64), steps.join("; "));
        format!("pass {}: {groups} x {threads} threads, shared memory {local}: {steps}", pass + 1)
    };
    format!("kernels    {}\n", on.kernels.iter().map(line).collect::<Vec<_>>().join("\n           "))
}

/// The lines of the recipe after its first, which names the problem.
fn passes(recipe: &AnyRecipe) -> Vec<String> {
    recipe.to_string().lines().skip(1).map(str::to_owned).collect()
}

/// The passes without their factors, which only the engine `cpu` uses.
fn transforms(recipe: &AnyRecipe) -> Vec<String> {
    let transform = |op: &str| op.split(" = ").next().unwrap_or_default().to_owned();
    let line = |line: &String| line.split(" | ").map(transform).collect::<Vec<_>>().join(" | ");
    passes(recipe).iter().map(line).collect()
}
