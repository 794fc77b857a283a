//! From a recipe to launches.

use crate::backend::device::Device;
use crate::backend::runtime::{Buffer, Kernel, Queue};
use crate::backend::types::{Grid, Place as Index};
use crate::choose::estimate::Choice;
use crate::desc::action::{Action, WORK};
use crate::desc::descriptor::KernelDesc;
use crate::lower::lowered_pass::LoweredPass;
use crate::lower::passes::lower;
use crate::lower::stages::StagePipeline;
use crate::print::printer::{Dialect, print};
use crate::run::kernel_cache::KernelCache;
use crate::run::scratch::ScratchParts;
use crate::write::writer::kernel;
use fourfold::engine::ArrayId;
use fourfold::{Domain, Precision, Recipe, Result};
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
    /// `parts`: real sums act on both parts of complex arrays. `choices`: as for [`lower`].
    pub(crate) fn new(
        device: &Device,
        kernel_cache: &KernelCache,
        recipe: &Recipe,
        parts: bool,
        action: Option<&Action>,
        choices: &[Choice],
    ) -> Result<Executable> {
        let runtime = &device.runtime;
        let lowered = lower(kernel_cache.limits(), recipe, parts, action, choices)?;
        let descs: Vec<KernelDesc> = lowered.iter().flat_map(|draft| draft.descs.clone()).collect();
        let mut kernels = kernel_cache.kernels(&descs)?.into_iter();
        let tables = all_tables(device, &lowered, recipe.problem().precision())?;
        let mut launches = vec![];
        for (draft, tables) in lowered.iter().zip(tables) {
            for desc in &draft.descs {
                launches.push(Launch {
                    kernel: kernels.next().expect("there is a kernel for each desc"),
                    grid: grid(desc, !launches.is_empty()),
                    from: draft.ends[0],
                    to: draft.ends[1],
                    tables: Arc::clone(&tables),
                });
            }
        }
        Ok(Executable {
            launches,
            uses_bluestein: lowered.iter().any(|draft| draft.chain.uses_bluestein),
            memory: ScratchParts::new(memory(recipe, &descs, parts), runtime.alignment()),
            nothing: runtime.allocate(0)?,
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

/// Bytes of the work array, of the spectrum of a filter and of the buffers of long lines.
pub(crate) fn memory(recipe: &Recipe, descs: &[KernelDesc], parts: bool) -> [usize; 3] {
    let reals =
        |domain: Domain, shape: &[usize]| shape.iter().product::<usize>() * if parts { 2 } else { domain.reals() };
    let work = recipe.work().map_or(0, |(domain, shape)| reals(domain, shape));
    let forward = recipe.problem();
    let spectrum = recipe.inverse().map_or(0, |_| reals(forward.output_domain(), &forward.output().shape));
    let lines = descs.iter().map(KernelDesc::scratch_reals).max().unwrap_or(0);
    [work, spectrum, lines].map(|reals| reals * recipe.problem().precision().bytes())
}

pub(crate) fn grid(desc: &KernelDesc, follows: bool) -> Grid {
    Grid { blocks: desc.blocks(), threads: desc.threads, shared_bytes: desc.shared_bytes(), follows }
}

type Tables = Arc<[Buffer; 2]>;

/// The tables of each pass; passes with the same ones, such as those of a square, share them.
fn all_tables(device: &Device, lowered: &[LoweredPass], precision: Precision) -> Result<Vec<Tables>> {
    let same = |a: &LoweredPass, b: &LoweredPass| a.chain.table == b.chain.table && a.chain.indices == b.chain.indices;
    let mut all: Vec<Tables> = vec![];
    for draft in lowered {
        let known = lowered[..all.len()].iter().position(|other| same(draft, other));
        all.push(match known {
            Some(known) => Arc::clone(&all[known]),
            None => Arc::new(tables(device, &draft.chain, precision)?),
        });
    }
    Ok(all)
}

/// Numbers in the device's memory, rounded to the precision.
pub(crate) fn table(device: &Device, values: &[f64], precision: Precision) -> Result<Buffer> {
    let mut table = device.runtime.allocate(values.len() * precision.bytes())?;
    match precision {
        Precision::F32 => {
            let rounded: Vec<f32> = values.iter().map(|x| *x as f32).collect();
            device.queue.upload(&rounded, &mut table)?;
        }
        Precision::F64 => device.queue.upload(values, &mut table)?,
    }
    Ok(table)
}

fn tables(device: &Device, chain: &StagePipeline, precision: Precision) -> Result<[Buffer; 2]> {
    let table = table(device, &chain.table, precision)?;
    let places: Vec<Index> = chain.indices.iter().map(|i| Index(*i)).collect();
    let mut indices = device.runtime.allocate(size_of_val(places.as_slice()))?;
    device.queue.upload(&places, &mut indices)?;
    Ok([table, indices])
}
