//! From a recipe to launches.

use crate::Device;
use crate::chain::Chain;
use crate::draft::{Draft, drafts};
use crate::library::Library;
use crate::runtime::{Buffer, Grid, Kernel, Place as Index, Queue};
use crate::spec::Spec;
use fourfold::{Place, Precision, Recipe, Result};
use std::sync::Arc;

/// A recipe on a device, for arrays of given layouts.
pub(crate) struct Executable {
    launches: Vec<Launch>,
    pub(crate) uses_bluestein: bool,
    pub(crate) specs: Vec<Spec>,
    /// Bytes of the work array and of the buffers of long lines.
    memory: [usize; 2],
    /// What the parts of scratch are aligned to.
    alignment: usize,
    /// Stands for scratch that is not needed.
    nothing: Buffer,
}

struct Launch {
    kernel: Arc<Kernel>,
    grid: Grid,
    from: Place,
    to: Place,
    tables: Tables,
}

impl Executable {
    /// `parts`: real sums act on both parts of complex arrays.
    pub(crate) fn new(device: &Device, library: &Library, recipe: &Recipe, parts: bool) -> Result<Executable> {
        let runtime = &device.runtime;
        let drafts = drafts(library.limits(), recipe, parts)?;
        let specs: Vec<Spec> = drafts.iter().flat_map(|draft| draft.specs.clone()).collect();
        let mut kernels = library.kernels(&specs)?.into_iter();
        let tables = all_tables(device, &drafts, recipe.problem().precision())?;
        let mut launches = vec![];
        for (draft, tables) in drafts.iter().zip(tables) {
            for spec in &draft.specs {
                launches.push(Launch {
                    kernel: kernels.next().expect("there is a kernel for each spec"),
                    grid: grid(spec),
                    from: draft.ends[0],
                    to: draft.ends[1],
                    tables: Arc::clone(&tables),
                });
            }
        }
        Ok(Executable {
            launches,
            uses_bluestein: drafts.iter().any(|draft| draft.chain.uses_bluestein),
            memory: memory(recipe, &specs),
            alignment: runtime.alignment(),
            nothing: runtime.allocate(0)?,
            specs,
        })
    }

    /// Bytes of scratch: the work array, then the buffers of long lines.
    pub(crate) fn scratch_bytes(&self) -> usize {
        self.lines_at() + self.memory[1]
    }

    /// Where in scratch the buffers of long lines begin.
    fn lines_at(&self) -> usize {
        let [work, lines] = self.memory;
        if lines == 0 { work } else { work.next_multiple_of(self.alignment) }
    }

    /// Enqueues all launches: allocates nothing and waits for nothing. Without an input, the output is transformed in place; scratch
    /// can be absent where no bytes of it are needed.
    pub(crate) fn run(
        &self,
        queue: &Queue,
        input: Option<&Buffer>,
        output: &Buffer,
        scratch: Option<&Buffer>,
    ) -> Result<()> {
        let scratch = scratch.unwrap_or(&self.nothing);
        let parts = match self.memory {
            // Only one of the two is used: it is the whole.
            [0, _] | [_, 0] => None,
            [work, lines] => Some([scratch.part(0, work)?, scratch.part(self.lines_at(), lines)?]),
        };
        let [work, lines] = parts.as_ref().map_or([scratch; 2], |[work, lines]| [work, lines]);
        let place = |place: Place| match place {
            Place::Input => input.unwrap_or(output),
            Place::Output => output,
            Place::Work => work,
        };
        for launch in &self.launches {
            let [table, indices] = &*launch.tables;
            let arguments = [place(launch.from), place(launch.to), table, indices, lines];
            queue.launch(&launch.kernel, launch.grid, arguments)?;
        }
        Ok(())
    }
}

/// Bytes of the work array, and of the buffers of long lines.
pub(crate) fn memory(recipe: &Recipe, specs: &[Spec]) -> [usize; 2] {
    let work = recipe.work().map_or(0, |(domain, shape)| domain.reals() * shape.iter().product::<usize>());
    let scratch = specs.iter().map(Spec::scratch_reals).max().unwrap_or(0);
    [work, scratch].map(|reals| reals * recipe.problem().precision().bytes())
}

pub(crate) fn grid(spec: &Spec) -> Grid {
    Grid { groups: spec.groups(), threads: spec.threads, local_bytes: spec.local_bytes() }
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

fn tables(device: &Device, chain: &Chain, precision: Precision) -> Result<[Buffer; 2]> {
    let mut table = device.runtime.allocate(chain.table.len() * precision.bytes())?;
    match precision {
        Precision::F32 => {
            let rounded: Vec<f32> = chain.table.iter().map(|x| *x as f32).collect();
            device.queue.upload(&rounded, &mut table)?;
        }
        Precision::F64 => device.queue.upload(&chain.table, &mut table)?,
    }
    let places: Vec<Index> = chain.indices.iter().map(|i| Index(*i)).collect();
    let mut indices = device.runtime.allocate(size_of_val(places.as_slice()))?;
    device.queue.upload(&places, &mut indices)?;
    Ok([table, indices])
}
