//! Stages of methods: a kernel each for reorder, combine, transpose and steps of complex FFTs, and
//! for the FFT of reals the vendor's library where it has one, or our own passes.

use crate::backend::device::Device;
use crate::backend::runtime::{Buffer, Kernel, Queue, Runtime, VendorFft};
use crate::backend::types::{BlockSize, Grid, Index};
use crate::baseline::host::HostTranspose;
use crate::baseline::kernels::combine;
use crate::baseline::kernels::moves::{Move, StageKernelDesc, Strided};
use crate::error::unavailable;
use crate::limits::Limits;
use crate::lower::passes::lower;
use crate::print::printer::{Dialect, print};
use crate::run::executable::{Executable, table};
use crate::run::kernel_cache::KernelCache;
use crate::run::scratch::ScratchParts;
use fourfold::baseline::{ArrayDesc, FftStep, LaunchMode, Stage, StageWork, StagedRecipe};
use fourfold::engine::{ArrayId, reserve};
use fourfold::{Domain, Layout, Problem, Recipe, Result};
use std::ops::Range;

/// The stages of a recipe on a device.
pub(crate) struct StagedExecutable {
    stages: Vec<PreparedStage>,
    /// What each reads and writes.
    arrays: Vec<[ArrayId; 2]>,
    descs: Vec<StageKernelDesc>,
    /// Which of the stages run: all, or one that is timed.
    range: Range<usize>,
    /// Two arrays between stages, and the scratch of their FFTs.
    memory: ScratchParts,
    /// Stands for scratch that is not needed.
    nothing: Buffer,
}

enum PreparedStage {
    /// With a number for every launch.
    Kernel {
        kernel: Kernel,
        grid: Grid,
        table: Buffer,
        numbers: Vec<Buffer>,
    },
    Fft(Box<Executable>),
    Vendor(VendorFft),
    Host(HostTranspose, Runtime),
}

/// What a stage does on a device.
pub(crate) enum Plan {
    Kernel(Box<StageKernelDesc>),
    Fft(Box<Recipe>),
    Host(HostTranspose),
}

/// The stages of a recipe. `parts`: both parts of complex arrays are one more axis, which in arrays
/// between the stages runs slowest.
pub(crate) fn plans(recipe: &StagedRecipe, parts: bool) -> Result<Vec<Plan>> {
    let (stages, problem) = (recipe.stages(), recipe.problem());
    let last = stages.len().saturating_sub(1);
    let plan = |(i, stage): (usize, &Stage)| {
        let from = side(&stage.from, (i == 0).then_some(problem.input()), parts);
        let to = side(&stage.to, (i == last).then_some(problem.output()), parts);
        let work = match &stage.work {
            StageWork::Fft(fft) => return twice(fft, parts).map(|fft| Plan::Fft(Box::new(fft))),
            StageWork::Reorder { orders, .. } if stage.is_tiled() => Move::Transpose { orders: orders.clone() },
            StageWork::Reorder { orders, way } => Move::Reorder { orders: orders.clone(), way: *way },
            StageWork::Combine(combine) => Move::Combine(combine.clone()),
            StageWork::FftStep(FftStep { launches: LaunchMode::Host, .. }) => {
                let [rows, columns] = [from.stored[0], from.stored[1]];
                return Ok(Plan::Host(HostTranspose::new(problem.precision(), rows, columns)));
            }
            StageWork::FftStep(step) => Move::FftStep(step.clone()),
        };
        Ok(Plan::Kernel(Box::new(StageKernelDesc { precision: problem.precision(), from, to, work })))
    };
    stages.iter().enumerate().map(plan).collect()
}

/// Where the elements of an array are: in the caller's layout, or in C order.
fn side(desc: &ArrayDesc, layout: Option<&Layout>, parts: bool) -> Strided {
    let part = desc.axes.len();
    let (mut axes, mut lengths) = (desc.axes.clone(), desc.lengths.clone());
    let mut stored: Vec<usize> = desc.stored().collect();
    if parts {
        axes.insert(0, part);
        lengths.insert(0, 2);
        stored.insert(0, 2);
    }
    if let Some(Layout { strides, offset, len, .. }) = layout {
        let unit = if parts { 2 } else { desc.domain.reals() as i64 };
        let strides = strides.iter().map(|stride| *stride as i64 * unit).chain(parts.then_some(1)).collect();
        let (offset, extent, stored) = (*offset as i64 * unit, len * unit as usize, lengths.clone());
        return Strided { offset, axes, lengths, stored, strides, extent };
    }
    let mut strides = vec![0; axes.len()];
    let extent = axes.iter().zip(&stored).rev().fold(desc.domain.reals(), |step, (&axis, &n)| {
        strides[axis] = step as i64;
        step * n
    });
    Strided { offset: 0, axes, lengths, stored, strides, extent }
}

/// The FFT of two arrays instead of one, if there are parts.
fn twice(fft: &Recipe, parts: bool) -> Result<Recipe> {
    let problem = fft.problem();
    if !parts {
        return Ok(fft.clone());
    }
    let real = if problem.input_domain() == Domain::Real { problem.input() } else { problem.output() };
    let shape: Vec<usize> = [2].into_iter().chain(real.shape.iter().copied()).collect();
    let axes: Vec<isize> = problem.transforms().iter().map(|transform| transform.axis as isize + 1).collect();
    let twice =
        Problem::builder(problem.kinds(), problem.precision(), shape).axes(axes).norm(problem.norm()).build()?;
    fourfold::Planner::new().recipe(&twice)
}

/// Bytes of the two arrays between stages, and of the scratch of the FFT that needs most.
pub(crate) fn staged_memory(recipe: &StagedRecipe, parts: bool, ffts: impl Iterator<Item = usize>) -> [usize; 3] {
    let work = work_bytes(recipe, parts);
    [work, work, ffts.max().unwrap_or(0)]
}

fn work_bytes(recipe: &StagedRecipe, parts: bool) -> usize {
    let reals = recipe.stages().iter().skip(1).map(|stage| stage.from.reals()).max().unwrap_or(0);
    reals * if parts { 2 } else { 1 } * recipe.problem().precision().bytes()
}

fn vendor_fft(device: &Device, kernel_cache: &KernelCache, fft: &Recipe) -> Result<Option<VendorFft>> {
    if kernel_cache.limits().vendor_ffts { device.runtime.vendor_fft(fft.problem()) } else { Ok(None) }
}

impl StagedExecutable {
    /// Compiles the kernels, and plans the FFTs.
    pub(crate) fn new(
        device: &Device,
        kernel_cache: &KernelCache,
        recipe: &StagedRecipe,
        parts: bool,
    ) -> Result<StagedExecutable> {
        kernel_cache.limits().check_precision(recipe.problem())?;
        let (mut stages, mut descs) = (vec![], vec![]);
        for plan in plans(recipe, parts)? {
            stages.push(match plan {
                Plan::Kernel(desc) => {
                    let stage = prepared(device, kernel_cache, &desc)?;
                    descs.push(*desc);
                    stage
                }
                Plan::Host(transpose) => PreparedStage::Host(transpose, device.runtime.clone()),
                Plan::Fft(fft) => match vendor_fft(device, kernel_cache, &fft)? {
                    Some(vendor) => PreparedStage::Vendor(vendor),
                    None => {
                        crate::error::check_sizes(fft.problem())?;
                        let lower = |limits: &Limits| lower(limits, &fft, false, None, &[]);
                        PreparedStage::Fft(Box::new(Executable::fitted(device, kernel_cache, lower)?.0))
                    }
                },
            });
        }
        let memory = ScratchParts::new(memory_of(&stages, recipe, parts), device.runtime.alignment());
        let (arrays, nothing) = (recipe.stage_arrays(), device.runtime.allocate(0)?);
        Ok(StagedExecutable { range: 0..stages.len(), arrays, stages, descs, memory, nothing })
    }

    /// Runs only one stage from now on.
    pub(crate) fn only(&mut self, stage: usize) {
        self.range = stage..stage + 1;
    }

    /// Bytes of scratch.
    pub(crate) fn scratch_bytes(&self) -> usize {
        self.memory.total()
    }

    /// Whether FFTs are those of a library of the device's maker.
    pub(crate) fn uses_vendor_fft(&self) -> bool {
        self.stages.iter().any(|stage| matches!(stage, PreparedStage::Vendor(_)))
    }

    /// Whether Bluestein's convolution stands in one of our own FFTs.
    pub(crate) fn uses_bluestein(&self) -> bool {
        self.stages.iter().any(|stage| match stage {
            PreparedStage::Kernel { .. } | PreparedStage::Host(..) => false,
            PreparedStage::Fft(fft) => fft.uses_bluestein,
            // What cuFFT does about primes.
            PreparedStage::Vendor(fft) => fft.has_large_primes(),
        })
    }

    /// The text of the kernels, of our own FFTs' too, in the order in which they run.
    pub(crate) fn sources(&self, dialect: &Dialect) -> Vec<String> {
        let mut descs = self.descs.iter();
        let source = |stage: &PreparedStage| match stage {
            PreparedStage::Kernel { .. } => descs.next().map(|desc| desc.source(dialect)).into_iter().collect(),
            PreparedStage::Fft(fft) => fft.sources(dialect),
            PreparedStage::Vendor(_) | PreparedStage::Host(..) => vec![],
        };
        self.stages.iter().flat_map(source).collect()
    }

    /// Enqueues the stages. Without an input, the output is transformed in place.
    pub(crate) fn enqueue(
        &self,
        queue: &Queue,
        input: Option<&Buffer>,
        output: &Buffer,
        scratch: Option<&Buffer>,
    ) -> Result<()> {
        let scratch = scratch.unwrap_or(&self.nothing);
        let parts = self.memory.split(scratch)?;
        let [first, second, inner] = parts.each_ref().map(|part| part.as_ref().unwrap_or(scratch));
        let buffer = |array: ArrayId| match array {
            ArrayId::Input => input.unwrap_or(output),
            ArrayId::Output => output,
            ArrayId::Work(work) => [first, second][work],
        };
        self.range.clone().try_for_each(|i| {
            let [from, to] = self.arrays[i].map(buffer);
            self.stages[i].enqueue(queue, from, to, inner)
        })
    }
}

/// Bytes of the two arrays between stages, and of the scratch of the FFT that needs most.
fn memory_of(stages: &[PreparedStage], recipe: &StagedRecipe, parts: bool) -> [usize; 3] {
    let fft = |stage: &PreparedStage| match stage {
        PreparedStage::Kernel { .. } | PreparedStage::Host(..) => 0,
        PreparedStage::Fft(fft) => fft.scratch_bytes(),
        PreparedStage::Vendor(fft) => fft.scratch_bytes(),
    };
    staged_memory(recipe, parts, stages.iter().map(fft))
}

impl PreparedStage {
    fn enqueue(&self, queue: &Queue, from: &Buffer, to: &Buffer, scratch: &Buffer) -> Result<()> {
        match self {
            PreparedStage::Kernel { kernel, grid, table, numbers } => {
                numbers.iter().try_for_each(|number| queue.launch(kernel, *grid, [from, to, table, number, scratch]))
            }
            PreparedStage::Host(transpose, runtime) => transpose.transpose(runtime, queue, from, to),
            PreparedStage::Fft(fft) => fft.enqueue(0..fft.launches(), queue, Some(from), to, Some(scratch)),
            PreparedStage::Vendor(fft) => fft.enqueue(queue, [from, to], scratch),
        }
    }
}

impl StageKernelDesc {
    pub(crate) fn source(&self, dialect: &Dialect) -> String {
        print(dialect, &self.frame(), &self.kernel())
    }

    pub(crate) fn grid(&self) -> Grid {
        let (shared_bytes, range) = (self.shared_bytes(), self.range());
        Grid { blocks: self.blocks(), threads: self.threads(), shared_bytes, follows: false, range }
    }
}

/// An error if a kernel's blocks must be larger or reach more shared memory than those of a device,
/// or are more than it launches.
pub(crate) fn check_blocks(limits: &Limits, desc: &StageKernelDesc) -> Result<()> {
    let BlockSize { threads, shared_bytes, .. } = desc.grid().size();
    limits.check_block(threads, shared_bytes)?;
    limits.check_grid(desc.range().map_or([desc.blocks(), 1], |range| range.blocks()))?;
    let (needs, has, name) = (desc.cluster(), limits.attributes.cluster, &limits.name);
    let message = || {
        format!(
            "{needs} blocks must reach each other's memory, as NVIDIA's clusters do since sm_90; {name} has {has}: use another algorithm"
        )
    };
    if needs > has { Err(unavailable(message())) } else { Ok(()) }
}

/// An error if this machine has no memory for the table of a stage; what makes it does not ask.
fn check_memory(desc: &StageKernelDesc) -> Result<()> {
    let numbers: usize = match &desc.work {
        Move::Combine(combine) => combine.axes.iter().map(|axis| axis.n).sum(),
        Move::FftStep(step) => step.table_len(step.axis().map_or(1, |axis| desc.from.length(axis))),
        _ => 0,
    };
    // They are computed as complex numbers, joined, and appended to a list of reals that grows.
    let bytes = numbers * 6 * 16;
    reserve(&mut Vec::<u8>::new(), bytes, format_args!("about {bytes} bytes of tables of a stage"))
}

fn prepared(device: &Device, kernel_cache: &KernelCache, desc: &StageKernelDesc) -> Result<PreparedStage> {
    check_blocks(kernel_cache.limits(), desc)?;
    let kernel = kernel_cache.compile(&desc.source(device.runtime.dialect()), desc.grid().size())?;
    check_memory(desc)?;
    let factors = match &desc.work {
        Move::Combine(combine) => combine::table(combine),
        Move::FftStep(step) => {
            let n = step.axis().map_or(1, |axis| desc.from.length(axis));
            step.table(n).iter().flat_map(|w| [w.re, w.im]).collect()
        }
        _ => vec![],
    };
    let table = table(device, &factors, desc.precision)?;
    // Kernels take only arrays.
    let number = |launch: usize| {
        let mut number = device.runtime.allocate(size_of::<Index>())?;
        device.queue.upload(&[Index(launch as u32)], &mut number)?;
        Ok(number)
    };
    let numbers = (0..desc.launches()).map(number).collect::<Result<_>>()?;
    Ok(PreparedStage::Kernel { kernel, grid: desc.grid(), table, numbers })
}
