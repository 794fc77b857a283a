//! What a plan launches, without launching it: the device need not be there.

use crate::attributes::DeviceAttributes;
use crate::backend::cuda::nvrtc;
use crate::backend::device::Device;
use crate::backend::registry::backend;
use crate::backend::types::Grid;
use crate::choose::estimate;
use crate::choose::estimate::Choice;
use crate::desc::action::Action;
use crate::desc::kernel::KernelDesc;
use crate::desc::stage::{Stage, StageOp};
use crate::error::check_sizes;
use crate::ir::statement::Statement;
use crate::limits::{Api, Limits};
use crate::lower::lowered::{LoweredPass, LoweredRecipe};
use crate::lower::passes::lower;
use crate::print::printer::{Dialect, print};
use crate::run::counts::Counts;
use crate::run::executable::grid;
use crate::write::writer::kernel;
use fourfold::baseline::AnyRecipe;
use fourfold::engine::{Pass, PassOp};
use fourfold::{Error, Multiplier, Pipeline, Planner, Problem, Recipe, Result, Wisdom};

/// What kernels are written for: a language, and the limits of a device.
///
/// ```
/// use fourfold_gpu::Target;
/// let inspection = Target::cuda("sm_90")?.inspect(&"dct2 f32 512x512".parse()?)?;
/// assert!(inspection.launches[0].source.contains("__global__"));
/// # Ok::<(), fourfold::Error>(())
/// ```
#[derive(Clone)]
pub struct Target {
    dialect: &'static Dialect,
    limits: Limits,
}

/// The launches of a plan, without a device.
pub struct Inspection {
    /// The recipe.
    pub recipe: AnyRecipe,
    /// The choice for each pass, as wisdom writes it: packing of lines, radices, clusters.
    pub choices: Vec<String>,
    /// The launches, in order.
    pub launches: Vec<Launch>,
    /// The bytes that the launches read and write in device memory, without tables.
    pub bytes_moved: usize,
    /// The trips through memory that the launches are expected to take: the time in which enough
    /// blocks read and write every byte once, in long runs. A launch of a baseline counts as one.
    pub trips: f64,
    /// The bytes of device memory that an execution needs beside its arrays.
    pub scratch_bytes: usize,
    /// Whether the plan uses Bluestein's convolution, whose bound on the error is 2.5 times as large.
    pub uses_bluestein: bool,
}

/// One kernel with its grid.
pub struct Launch {
    /// The index of the pass or stage in the recipe; of the first one, if the kernel does several.
    /// It is 0 if the recipe has none.
    pub pass: usize,
    /// The number of blocks.
    pub blocks: usize,
    /// The threads of a block. It is 256 if the driver chooses them.
    pub threads: usize,
    /// The number of blocks of a cluster, which reach each other's shared memory; 1 without clusters.
    pub cluster: usize,
    /// The bytes of shared memory of a block.
    pub shared_bytes: usize,
    /// The steps of the kernel, in words.
    pub steps: Vec<String>,
    /// The kernel, in CUDA C++ or OpenCL C.
    pub source: String,
    /// The operations of one thread that executes every statement of the kernel once.
    pub counts: Counts,
}

impl Target {
    /// The target of NVIDIA GPUs of an architecture, such as `sm_90`.
    ///
    /// # Errors
    /// [`Unavailable`](fourfold::ErrorKind::Unavailable) if its limits are not known.
    pub fn cuda(architecture: &str) -> Result<Target> {
        Target::known(Api::Cuda, architecture)
    }

    /// A typical OpenCL device: 48 KiB of shared memory, 256 threads in a block, `f64`.
    pub fn opencl() -> Target {
        Target::typical(Api::OpenCl)
    }

    /// A device of an API that need not be there, by the name of its model: see [`Target::models`].
    ///
    /// # Errors
    /// [`Unavailable`](fourfold::ErrorKind::Unavailable) if its attributes are not known.
    pub fn known(api: Api, name: &str) -> Result<Target> {
        Ok(Target::new(api, backend(api).known(name)?))
    }

    /// The names of the models that [`Target::known`] takes: of CUDA the architectures, of OpenCL `mi300x`,
    /// `arc-a770` and `mali-g710`.
    pub fn models(api: Api) -> Vec<&'static str> {
        backend(api).models()
    }

    /// A typical device of an API.
    pub fn typical(api: Api) -> Target {
        Target::new(api, backend(api).typical())
    }

    fn new(api: Api, limits: Limits) -> Target {
        Target { dialect: backend(api).dialect(&limits.attributes), limits }
    }

    /// The same target with at most `bytes` bytes of shared memory a block. Long lines then go
    /// through device memory more often.
    pub fn with_shared_bytes(mut self, bytes: usize) -> Target {
        self.limits.attributes = self.limits.attributes.with_shared_per_block(bytes);
        self
    }

    /// The same target with at most this many SMs.
    pub fn with_sms(mut self, sms: usize) -> Target {
        self.limits.attributes.sms = self.limits.attributes.sms.min(sms.max(1));
        self
    }

    /// The same target, whose threads exchange no registers if those of another do not.
    pub(crate) fn exchanging_as(mut self, other: &Target) -> Target {
        self.limits.attributes.exchanges_registers &= other.limits.attributes.exchanges_registers;
        self
    }

    /// A typical device of OpenCL whose warps have so many threads, which exchange registers.
    #[cfg(test)]
    pub(crate) fn with_warps(warp: usize) -> Target {
        let limits = Target::opencl().limits;
        let attributes = DeviceAttributes { warp, exchanges_registers: true, ..limits.attributes };
        Target::new(Api::OpenCl, Limits { attributes, ..limits })
    }

    /// The same target with a second-level cache of at most this many bytes.
    pub fn with_l2_bytes(mut self, bytes: usize) -> Target {
        self.limits.attributes.l2_bytes = self.limits.attributes.l2_bytes.min(bytes);
        self
    }

    /// The same target without `f64`, like many GPUs of telephones.
    pub fn without_f64(mut self) -> Target {
        self.limits.attributes.double = false;
        self
    }

    /// The same target with fourfold's FFTs between the stages of baselines, even if cuFFT is
    /// installed.
    pub fn without_vendor_ffts(mut self) -> Target {
        self.limits.vendor_ffts = false;
        self
    }

    /// The name of the target.
    pub fn name(&self) -> &str {
        &self.limits.name
    }

    /// What it has and can do.
    pub fn attributes(&self) -> &DeviceAttributes {
        &self.limits.attributes
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// What a plan for `problem` would launch.
    ///
    /// # Errors
    /// If the device could not run it, as [`GpuPlanner::plan`](crate::api::planner::GpuPlanner::plan).
    pub fn inspect(&self, problem: &Problem) -> Result<Inspection> {
        self.inspect_passes(Planner::new().recipe(problem)?, &Wisdom::new())
    }

    /// What a plan that follows a recipe of passes would launch, with what `wisdom` knows of it.
    ///
    /// # Errors
    /// As [`Target::inspect`], and if that part of the wisdom does not compute the problem.
    pub(crate) fn inspect_passes(&self, recipe: Recipe, wisdom: &Wisdom) -> Result<Inspection> {
        check_sizes(recipe.problem())?;
        let choices = self.choices_of(&recipe, wisdom)?;
        Ok(self.inspection(&lower(&self.limits, &recipe, false, None, &choices)?))
    }

    /// What a plan for a pipeline would launch, with what `wisdom` knows of it.
    ///
    /// # Errors
    /// As [`GpuPlanner::plan`](crate::api::planner::GpuPlanner::plan), and if that part of the wisdom
    /// does not compute the pipeline.
    pub fn inspect_pipeline(&self, pipeline: &Pipeline<'_>, wisdom: &Wisdom) -> Result<Inspection> {
        pipeline.problems().try_for_each(check_sizes)?;
        let recipe = Planner::new().recipe(pipeline.borrowed())?;
        let action = pipeline.multiplier().map(Action::multiply).transpose()?;
        let action = action.or_else(|| pipeline.least().map(Action::Threshold));
        let choices = self.choices(pipeline, wisdom)?;
        Ok(self.inspection(&lower(&self.limits, &recipe, false, action.as_ref(), &choices)?))
    }

    /// What a plan for `problem` with these choices would launch. They are text, as in
    /// [`Inspection::choices`], a line each.
    ///
    /// # Errors
    /// As [`Target::inspect`], and if they are not choices of the passes of this problem.
    #[doc(hidden)]
    pub fn inspect_choices(&self, problem: &Problem, choices: &str) -> Result<Inspection> {
        let mut wisdom = Wisdom::new();
        wisdom.insert(problem, &self.engine_name(), choices)?;
        self.inspect_passes(Planner::new().recipe(problem)?, &wisdom)
    }

    /// Inspects a recipe that multiplies by `multiplier`, or whose last pass sets to 0 what is
    /// below `threshold`. With `parts`, the arrays are complex and the transform acts on both
    /// parts.
    ///
    /// # Errors
    /// As [`Target::inspect`].
    #[doc(hidden)]
    pub fn inspect_as(
        &self,
        recipe: Recipe,
        multiplier: Option<&Multiplier>,
        threshold: Option<f64>,
        parts: bool,
    ) -> Result<Inspection> {
        let action = multiplier.map(Action::multiply).transpose()?;
        let action = action.or_else(|| threshold.map(Action::Threshold));
        Ok(self.inspection(&lower(&self.limits, &recipe, parts, action.as_ref(), &[])?))
    }

    fn inspection(&self, lowered: &LoweredRecipe) -> Inspection {
        let recipe = lowered.recipe;
        let is_transform = |op: &&PassOp| matches!(op, PassOp::Transform(_));
        let transforms = |pass: &Pass| pass.ops.iter().filter(is_transform).count();
        // The pass of each transform: that of a filter's multiply has two.
        let passes = recipe.passes().iter().enumerate().flat_map(|(i, pass)| std::iter::repeat_n(i, transforms(pass)));
        let passes: Vec<_> = passes.collect();
        let launch = |number: usize, desc: &KernelDesc| {
            let number_in_recipe = lowered.order.get(number).copied().unwrap_or(number);
            let pass = passes.get(number_in_recipe).copied().unwrap_or(0);
            let (Grid { blocks, threads, shared_bytes, .. }, statements) = (grid(desc, number > 0), kernel(desc));
            let source = print(self.dialect, &desc.frame(), &statements);
            let (steps, counts, cluster) = (comments(&statements), Counts::of(&statements), desc.cluster);
            Launch { pass, blocks, threads, cluster, shared_bytes, steps, source, counts }
        };
        let mut launches = vec![];
        let mut number = 0;
        for pass in &lowered.passes {
            launches.extend(pass.descs.iter().map(|desc| launch(number, desc)));
            number += pass.passes.len();
        }
        let between: usize = lowered.passes.iter().map(between_kernels).sum();
        Inspection {
            launches,
            bytes_moved: recipe.bytes_moved() + between * recipe.problem().precision().bytes() - on_chip(lowered),
            trips: self.limits.attributes.trips(&lowered.descs()),
            scratch_bytes: lowered.memory().iter().sum(),
            uses_bluestein: lowered.uses_bluestein(),
            choices: lowered.choices().iter().map(Choice::to_string).collect(),
            recipe: recipe.clone().into(),
        }
    }

    /// How wisdom names it.
    pub(crate) fn engine_name(&self) -> String {
        format!("{}:{}", self.dialect.api, self.name().replace(['\t', '\n', '\r'], " "))
    }

    /// What `wisdom` knows here of a pipeline that is computed by the planner's own recipe; nothing,
    /// if all is to be estimated.
    pub(crate) fn choices(&self, pipeline: &Pipeline<'_>, wisdom: &Wisdom) -> Result<Vec<Choice>> {
        let text = wisdom.get(pipeline.borrowed(), &self.engine_name());
        text.map_or(Ok(vec![]), |text| estimate::parse(&text).map_err(|error| unwise(pipeline, &error)))
    }

    /// The same for a recipe, of which wisdom knows nothing unless it is the planner's own.
    pub(crate) fn choices_of(&self, recipe: &Recipe, wisdom: &Wisdom) -> Result<Vec<Choice>> {
        let problem = recipe.problem();
        let is_known = wisdom.get(problem, &self.engine_name()).is_some();
        let is_own = is_known && Planner::new().recipe(problem).as_ref() == Ok(recipe);
        if is_own { self.choices(&problem.into(), wisdom) } else { Ok(vec![]) }
    }
}

/// What is wrong with what wisdom has on a pipeline.
pub(crate) fn unwise(pipeline: &Pipeline<'_>, error: &Error) -> Error {
    Error::new(
        error.kind(),
        format!("the wisdom on `{pipeline}`: {error}; if another version wrote it, remove its line"),
    )
}

impl Launch {
    /// What NVIDIA's compiler says of the kernel on an architecture such as `sm_90`: its registers,
    /// and how much of them is spilled to memory. It needs NVRTC, and no device.
    #[doc(hidden)]
    pub fn resources(&self, architecture: &str) -> Result<String> {
        nvrtc::resources(&self.source, architecture)
    }
}

impl Device {
    /// The same device as a target.
    pub fn target(&self) -> Target {
        Target { dialect: self.runtime.dialect(), limits: self.runtime.limits().clone() }
    }
}

pub(crate) fn comments(statements: &[Statement]) -> Vec<String> {
    let inside = |statement: &Statement| match statement {
        Statement::Comment(text) => vec![text.clone()],
        Statement::IfLess(_, _, body) | Statement::For(_, _, body) => comments(body),
        _ => vec![],
    };
    statements.iter().flat_map(inside).collect()
}

/// Bytes that passes of one kernel do not write and read again.
fn on_chip(lowered: &LoweredRecipe) -> usize {
    let problem = lowered.recipe.problem();
    let output = problem.output().elements() * problem.output_domain().reals() * problem.storage().bytes();
    // The recipe has a filter's transforms along an axis as one pass.
    let fused = lowered.passes.iter().filter(|pass| !pass.descs.iter().any(KernelDesc::is_filter));
    fused.map(|pass| pass.passes.len().saturating_sub(1) * 2 * output).sum()
}

/// Reals that the kernels of one pass write for the next of them, and that this reads.
fn between_kernels(pass: &LoweredPass) -> usize {
    let [first, .., last] = &*pass.descs else { return 0 };
    let all = last.places();
    let taken = all.checked_div(last.halved).map_or(all, |others| others * (last.halved / 2 + 1));
    // Digits that are convolved, and others than butterflies, write all of a signal.
    let is_plain = |stage: &Stage| matches!(&stage.op, StageOp::Butterflies(split) if split.rader.is_none());
    let is_half = last.inverse || first.stages.last().is_some_and(is_plain);
    let surplus = if is_half { 0 } else { all - taken };
    2 * last.lines * (2 * (pass.descs.len() - 1) * taken + surplus)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each pass of a kernel would need indices of 64 bits, or only the last.
    #[test]
    fn kernels_of_far_places_have_wide_indices() {
        let source = |problem: &str| {
            let inspection = Target::cuda("sm_90").unwrap().inspect(&problem.parse().unwrap()).unwrap();
            assert_eq!(inspection.launches.len(), 1, "{problem} is one kernel");
            inspection.launches[0].source.clone()
        };
        assert!(source("dct2 f32 3x7x7 axes=1,2 out=1100000001,7,1").contains("typedef long long index;"));
        assert!(source("dct2 f32 3x7x7 axes=1,2 in=1100000001,7,1").contains("typedef long long index;"));
        assert!(source("dct2 f32 3x7x7 axes=1,2").contains("typedef int index;"));
    }

    #[test]
    fn clusters_have_a_warp_at_least() {
        let target = Target::cuda("sm_90").unwrap();
        let problem: Problem = "dct2 f64 128x128".parse().unwrap();
        let mut wisdom = Wisdom::new();
        wisdom.insert(&problem, &target.engine_name(), "lines 16 8\nlines 16 8 cluster tile 4 threads 16").unwrap();
        assert!(target.inspect_with(Planner::new().recipe(&problem).unwrap(), &wisdom).is_ok());
    }

    /// A filter's transforms along the axis of its multiply are one pass, of one kernel or of two.
    #[test]
    fn pipelines_are_inspected_with_their_wisdom() {
        let target = Target::cuda("sm_90").unwrap();
        let [forward, inverse]: [Problem; 2] = ["dct2 f32 64x64", "idct2 f32 64x64"].map(|text| text.parse().unwrap());
        let filter = Pipeline::from(&forward).multiply(Multiplier::Table(vec![1.0; 64 * 64])).transform(&inverse);
        let mut wisdom = Wisdom::new();
        let estimated = target.inspect_pipeline(&filter, &wisdom).unwrap();
        let passes = |inspection: &Inspection| inspection.launches.iter().map(|launch| launch.pass).collect::<Vec<_>>();
        assert_eq!((passes(&estimated), estimated.recipe.passes().len()), (vec![0, 1, 2], 3));
        let known = ["pairs 4 4 2", "lines 4 16", "lines 16 4", "pairs 2 16"];
        wisdom.insert(filter.borrowed(), &target.engine_name(), &known.join("\n")).unwrap();
        let tuned = target.inspect_pipeline(&filter, &wisdom).unwrap();
        assert_ne!(estimated.choices, tuned.choices);
        assert_eq!((tuned.choices.as_slice(), passes(&tuned)), (&known.map(String::from)[..], vec![0, 1, 1, 2]));
    }
}
