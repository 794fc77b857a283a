//! From a recipe to launches.

use crate::chain::Chain;
use crate::draft::drafts;
use crate::library::Library;
use crate::runtime::{Buffer, Grid, Kernel, Place as Index, Runtime};
use crate::spec::Spec;
use fourfold::{Place, Precision, Recipe, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// A recipe on a device, for arrays of given layouts.
pub(crate) struct Executable {
    launches: Vec<Launch>,
    pub(crate) uses_bluestein: bool,
    pub(crate) specs: Vec<Spec>,
    /// The work array and the buffers of long lines; locked while an execution is enqueued. Executions run in order.
    memory: Mutex<[Buffer; 2]>,
}

struct Launch {
    kernel: Arc<Kernel>,
    grid: Grid,
    from: Place,
    to: Place,
    tables: Arc<[Buffer; 2]>,
}

impl Executable {
    /// `parts`: real sums act on both parts of complex arrays.
    pub(crate) fn new(runtime: &Runtime, library: &Library, recipe: &Recipe, parts: bool) -> Result<Executable> {
        let precision = recipe.problem().precision();
        let drafts = drafts(runtime.limits(), recipe, parts)?;
        let specs: Vec<Spec> = drafts.iter().flat_map(|draft| draft.specs.clone()).collect();
        let mut kernels = library.kernels(&specs)?.into_iter();
        let mut launches = vec![];
        for draft in &drafts {
            let tables = Arc::new(tables(runtime, &draft.chain, precision)?);
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
        let [work, scratch] = memory(recipe, &specs);
        let memory = [runtime.allocate(work)?, runtime.allocate(scratch)?];
        let uses_bluestein = drafts.iter().any(|draft| draft.chain.uses_bluestein);
        Ok(Executable { launches, uses_bluestein, specs, memory: Mutex::new(memory) })
    }

    /// Enqueues all launches. Without an input, the output is transformed in place.
    pub(crate) fn run(&self, runtime: &Runtime, input: Option<&Buffer>, output: &Buffer) -> Result<()> {
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let [work, scratch] = &*memory;
        let place = |place: Place| match place {
            Place::Input => input.unwrap_or(output),
            Place::Output => output,
            Place::Work => work,
        };
        for launch in &self.launches {
            let [table, indices] = &*launch.tables;
            let arguments = [place(launch.from), place(launch.to), table, indices, scratch];
            runtime.launch(&launch.kernel, launch.grid, arguments)?;
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

fn tables(runtime: &Runtime, chain: &Chain, precision: Precision) -> Result<[Buffer; 2]> {
    let mut table = runtime.allocate(chain.table.len() * precision.bytes())?;
    match precision {
        Precision::F32 => {
            let rounded: Vec<f32> = chain.table.iter().map(|x| *x as f32).collect();
            runtime.upload(&rounded, &mut table)?;
        }
        Precision::F64 => runtime.upload(&chain.table, &mut table)?,
    }
    let places: Vec<Index> = chain.indices.iter().map(|i| Index(*i)).collect();
    let mut indices = runtime.allocate(size_of_val(places.as_slice()))?;
    runtime.upload(&places, &mut indices)?;
    Ok([table, indices])
}
