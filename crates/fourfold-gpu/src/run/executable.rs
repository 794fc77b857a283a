//! From a recipe to launches.

use crate::backend::device::Device;
use crate::backend::runtime::{Buffer, Kernel, Queue};
use crate::backend::types::{Grid, Index};
use crate::desc::action::{Action, WORK};
use crate::desc::kernel::KernelDesc;
use crate::error::unavailable;
use crate::limits::Limits;
use crate::lower::lowered::LoweredRecipe;
use crate::lower::stages::table_bytes;
use crate::lower::tables::TableLayout;
use crate::print::printer::{Dialect, print};
use crate::run::kernel_cache::KernelCache;
use crate::run::scratch::ScratchParts;
use crate::write::writer::kernel;
use fourfold::engine::{ArrayId, AxisRecipe, AxisTransform, collected};
use fourfold::{Precision, Result};
use std::ops::Range;
use std::sync::Arc;

/// A recipe on a device, for arrays of given layouts.
pub(crate) struct Executable {
    launches: Vec<Launch>,
    pub(crate) uses_bluestein: bool,
    pub(crate) descs: Vec<KernelDesc>,
    /// The work array, the spectrum of a filter and the buffers of long lines.
    memory: ScratchParts,
    /// Stands for scratch that is not needed.
    nothing: Buffer,
}

struct Launch {
    kernel: Arc<Kernel>,
    grid: Grid,
    from: ArrayId,
    to: ArrayId,
    tables: Tables,
}

impl Executable {
    /// What `lower` makes of a device's limits. Where the compiler leaves a kernel less room than
    /// that, limits are lowered to this, so that kernels are smaller.
    pub(crate) fn fitted<'a>(
        device: &Device,
        kernel_cache: &KernelCache,
        lower: impl Fn(&Limits) -> Result<LoweredRecipe<'a>>,
    ) -> Result<(Executable, LoweredRecipe<'a>)> {
        let mut limits = kernel_cache.limits().clone();
        loop {
            let lowered = lower(&limits)?;
            match Executable::new(device, kernel_cache, &lowered) {
                Ok(executable) => return Ok((executable, lowered)),
                Err(error) => limits = kernel_cache.smaller(&limits, &lowered.descs()).ok_or(error)?,
            }
        }
    }

    /// Compiles the kernels, computes the tables, and uploads them.
    fn new(device: &Device, kernel_cache: &KernelCache, lowered: &LoweredRecipe) -> Result<Executable> {
        let multiplied = lowered.passes.iter().map(|pass| pass.tables.multiplier_bytes()).max().unwrap_or(0);
        lowered.recipe.lines().try_for_each(|line| check_memory(line, multiplied))?;
        let descs = lowered.descs();
        let mut kernels = kernel_cache.kernels(&descs)?.into_iter();
        let mut launches = vec![];
        for (pass, tables) in lowered.passes.iter().zip(all_tables(device, lowered)?) {
            for desc in &pass.descs {
                launches.push(Launch {
                    kernel: kernels.next().expect("there is a kernel for each descriptor"),
                    grid: grid(desc, !launches.is_empty()),
                    from: pass.ends[0],
                    to: pass.ends[1],
                    tables: Arc::clone(&tables),
                });
            }
        }
        Ok(Executable {
            launches,
            uses_bluestein: lowered.uses_bluestein(),
            memory: ScratchParts::new(lowered.memory(), device.runtime.alignment()),
            nothing: device.runtime.allocate(0)?,
            descs,
        })
    }

    /// The text of its kernels, in the order in which they run.
    pub(crate) fn sources(&self, dialect: &Dialect) -> Vec<String> {
        self.descs.iter().map(|desc| print(dialect, &desc.frame(), &kernel(desc))).collect()
    }

    /// Bytes of scratch: the work array, the spectrum, then the buffers of long lines.
    pub(crate) fn scratch_bytes(&self) -> usize {
        self.memory.total()
    }

    /// How many launches there are.
    pub(crate) fn launches(&self) -> usize {
        self.launches.len()
    }

    /// Enqueues launches, all of them in order: allocates nothing and waits for nothing. Without an
    /// input, the output is transformed in place; scratch can be absent where no bytes of it are
    /// needed.
    pub(crate) fn enqueue(
        &self,
        which: Range<usize>,
        queue: &Queue,
        input: Option<&Buffer>,
        output: &Buffer,
        scratch: Option<&Buffer>,
    ) -> Result<()> {
        let scratch = scratch.unwrap_or(&self.nothing);
        let [work, spectrum, lines] = self.memory.split(scratch)?;
        let buffer = |id: ArrayId| match id {
            ArrayId::Input => input.unwrap_or(output),
            ArrayId::Output => output,
            WORK => work.as_ref().unwrap_or(scratch),
            ArrayId::Work(_) => spectrum.as_ref().unwrap_or(scratch),
        };
        for launch in &self.launches[which] {
            let [table, indices] = &*launch.tables;
            let lines = lines.as_ref().unwrap_or(scratch);
            queue.launch(
                &launch.kernel,
                launch.grid,
                [buffer(launch.from), buffer(launch.to), table, indices, lines],
            )?;
        }
        Ok(())
    }
}

pub(crate) fn grid(desc: &KernelDesc, follows: bool) -> Grid {
    Grid { blocks: desc.blocks(), threads: desc.threads, shared_bytes: desc.shared_bytes(), follows, range: None }
}

type Tables = Arc<[Buffer; 2]>;

/// An error if this machine has no memory for the tables of a line beside a multiplier of so many
/// bytes; what makes the tables of a line does not ask.
fn check_memory(line: &AxisRecipe, multiplier: usize) -> Result<()> {
    let bytes = table_bytes(line).saturating_add(multiplier);
    let asked = Vec::<u8>::new().try_reserve_exact(bytes);
    let AxisTransform { axis, n, .. } = line.transform;
    let message = || {
        format!("this host has no memory for about {bytes} bytes of tables, which axis {axis} of {n} elements takes")
    };
    asked.map_err(|_| unavailable(message()))
}

/// The tables of each pass; passes with the same ones, such as those of a square, share them.
fn all_tables(device: &Device, lowered: &LoweredRecipe) -> Result<Vec<Tables>> {
    let precision = lowered.recipe.problem().precision();
    let mut all: Vec<Tables> = vec![];
    for pass in &lowered.passes {
        let known = lowered.passes[..all.len()].iter().position(|other| other.tables == pass.tables);
        all.push(match known {
            Some(known) => Arc::clone(&all[known]),
            None => Arc::new(tables(device, &pass.tables, lowered.action, precision)?),
        });
    }
    Ok(all)
}

/// Numbers in the device's memory, rounded to the precision.
pub(crate) fn table(device: &Device, values: &[f64], precision: Precision) -> Result<Buffer> {
    let mut table = device.runtime.allocate(values.len() * precision.bytes())?;
    match precision {
        Precision::F32 => {
            let rounded = values.iter().map(|x| *x as f32);
            let rounded = collected(values.len(), rounded, format_args!("a table of {} numbers", values.len()))?;
            device.queue.upload(&rounded, &mut table)?;
        }
        Precision::F64 => device.queue.upload(values, &mut table)?,
    }
    Ok(table)
}

fn tables(device: &Device, layout: &TableLayout, action: Option<&Action>, precision: Precision) -> Result<[Buffer; 2]> {
    let table = table(device, &layout.reals(action)?, precision)?;
    let places: Vec<Index> = layout.indices().into_iter().map(Index).collect();
    let mut indices = device.runtime.allocate(size_of_val(places.as_slice()))?;
    device.queue.upload(&places, &mut indices)?;
    Ok([table, indices])
}
