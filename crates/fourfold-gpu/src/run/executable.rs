//! From a recipe to launches.

use crate::backend::device::Device;
use crate::backend::runtime::{Buffer, Kernel, Queue};
use crate::backend::types::{Grid, Place as Index};
use crate::choose::estimate::Choice;
use crate::desc::action::{Action, Home};
use crate::desc::descriptor::Spec;
use crate::lower::draft::Draft;
use crate::lower::passes::drafts;
use crate::lower::stages::Chain;
use crate::print::printer::{Dialect, print};
use crate::run::kernel_cache::Library;
use crate::run::scratch::ScratchParts;
use crate::write::writer::kernel;
use fourfold::{Domain, Precision, Recipe, Result};
use std::ops::Range;
use std::sync::Arc;

/// A recipe on a device, for arrays of given layouts.
pub(crate) struct Executable {
    launches: Vec<Launch>,
    pub(crate) uses_bluestein: bool,
    pub(crate) specs: Vec<Spec>,
    /// The work array, the spectrum of a filter and the buffers of long lines.
    memory: ScratchParts,
    /// Stands for scratch that is not needed.
    nothing: Buffer,
}

struct Launch {
    kernel: Arc<Kernel>,
    grid: Grid,
    from: Home,
    to: Home,
    tables: Tables,
}

impl Executable {
    /// `parts`: real sums act on both parts of complex arrays. `choices`: as for [`drafts`].
    pub(crate) fn new(
        device: &Device,
        library: &Library,
        recipe: &Recipe,
        parts: bool,
        action: Option<&Action>,
        choices: &[Choice],
    ) -> Result<Executable> {
        let runtime = &device.runtime;
        let drafts = drafts(library.limits(), recipe, parts, action, choices)?;
        let specs: Vec<Spec> = drafts.iter().flat_map(|draft| draft.specs.clone()).collect();
        let mut kernels = library.kernels(&specs)?.into_iter();
        let tables = all_tables(device, &drafts, recipe.problem().precision())?;
        let mut launches = vec![];
        for (draft, tables) in drafts.iter().zip(tables) {
            for spec in &draft.specs {
                launches.push(Launch {
                    kernel: kernels.next().expect("there is a kernel for each spec"),
                    grid: grid(spec, !launches.is_empty()),
                    from: draft.ends[0],
                    to: draft.ends[1],
                    tables: Arc::clone(&tables),
                });
            }
        }
        Ok(Executable {
            launches,
            uses_bluestein: drafts.iter().any(|draft| draft.chain.uses_bluestein),
            memory: ScratchParts::new(memory(recipe, &specs, parts), runtime.alignment()),
            nothing: runtime.allocate(0)?,
            specs,
        })
    }

    /// The text of its kernels, in the order in which they run.
    pub(crate) fn sources(&self, dialect: &Dialect) -> Vec<String> {
        self.specs.iter().map(|spec| print(dialect, &spec.frame(), &kernel(spec))).collect()
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
    pub(crate) fn run(
        &self,
        which: Range<usize>,
        queue: &Queue,
        input: Option<&Buffer>,
        output: &Buffer,
        scratch: Option<&Buffer>,
    ) -> Result<()> {
        let scratch = scratch.unwrap_or(&self.nothing);
        let [work, spectrum, lines] = self.memory.split(scratch)?;
        let home = |home: Home| match home {
            Home::Input => input.unwrap_or(output),
            Home::Output => output,
            Home::Work => work.as_ref().unwrap_or(scratch),
            Home::Spectrum => spectrum.as_ref().unwrap_or(scratch),
        };
        for launch in &self.launches[which] {
            let [table, indices] = &*launch.tables;
            let lines = lines.as_ref().unwrap_or(scratch);
            queue.launch(&launch.kernel, launch.grid, [home(launch.from), home(launch.to), table, indices, lines])?;
        }
        Ok(())
    }
}

/// Bytes of the work array, of the spectrum of a filter and of the buffers of long lines.
pub(crate) fn memory(recipe: &Recipe, specs: &[Spec], parts: bool) -> [usize; 3] {
    let reals =
        |domain: Domain, shape: &[usize]| shape.iter().product::<usize>() * if parts { 2 } else { domain.reals() };
    let work = recipe.work().map_or(0, |(domain, shape)| reals(domain, shape));
    let forward = recipe.problem();
    let spectrum = recipe.inverse().map_or(0, |_| reals(forward.output_domain(), &forward.output().shape));
    let lines = specs.iter().map(Spec::scratch_reals).max().unwrap_or(0);
    [work, spectrum, lines].map(|reals| reals * recipe.problem().precision().bytes())
}

pub(crate) fn grid(spec: &Spec, follows: bool) -> Grid {
    Grid { groups: spec.groups(), threads: spec.threads, local_bytes: spec.local_bytes(), follows }
}

type Tables = Arc<[Buffer; 2]>;

/// The tables of each pass; passes with the same ones, such as those of a square, share them.
fn all_tables(device: &Device, drafts: &[Draft], precision: Precision) -> Result<Vec<Tables>> {
    let same = |a: &Draft, b: &Draft| a.chain.table == b.chain.table && a.chain.indices == b.chain.indices;
    let mut all: Vec<Tables> = vec![];
    for draft in drafts {
        let known = drafts[..all.len()].iter().position(|other| same(draft, other));
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

fn tables(device: &Device, chain: &Chain, precision: Precision) -> Result<[Buffer; 2]> {
    let table = table(device, &chain.table, precision)?;
    let places: Vec<Index> = chain.indices.iter().map(|i| Index(*i)).collect();
    let mut indices = device.runtime.allocate(size_of_val(places.as_slice()))?;
    device.queue.upload(&places, &mut indices)?;
    Ok([table, indices])
}
