//! From a recipe to launches.

use crate::Device;
use crate::chain::Chain;
use crate::library::Library;
use crate::lines::{Array, wide};
use crate::runtime::{Buffer, Grid, Kernel, Limits, Place as Index, Queue, unavailable};
use crate::spec::{Geometry, Spec};
use fourfold::engine::dft_of;
use fourfold::{Domain, Layout, Line, Op, Pass, Place, Precision, Problem, Recipe, Result, Sum};
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

/// One pass, before its kernels are compiled.
pub(crate) struct Draft {
    pub(crate) specs: Vec<Spec>,
    ends: [Place; 2],
    pub(crate) chain: Chain,
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
    let scratch = specs.iter().filter(|spec| !spec.local).map(Spec::reals).max().unwrap_or(0);
    [work, scratch].map(|reals| reals * recipe.problem().precision().bytes())
}

pub(crate) fn grid(spec: &Spec) -> Grid {
    Grid { groups: spec.groups(), threads: spec.threads, local_bytes: spec.local_reals() * spec.precision.bytes() }
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

/// All passes of a recipe; one that copies, if it has none. `parts` as for [`Executable::new`].
pub(crate) fn drafts(limits: &Limits, recipe: &Recipe, parts: bool) -> Result<Vec<Draft>> {
    let problem = recipe.problem();
    if problem.precision() == Precision::F64 && !limits.double {
        return Err(unavailable(format!("{} has no f64: use f32", limits.name)));
    }
    let array = |layout: &Layout, domain: Domain| {
        Array::new(layout.offset, &layout.shape, &layout.strides, domain == Domain::Complex || parts)
    };
    let input = array(problem.input(), problem.input_domain());
    let output = array(problem.output(), problem.output_domain());
    let work = recipe.work().map(|(domain, shape)| Array::c_order(shape, domain == Domain::Complex));
    let place = |place: Place| match place {
        Place::Input => input.clone(),
        Place::Output => output.clone(),
        Place::Work => work.clone().expect("a recipe that names the work array has one"),
    };
    if recipe.passes().is_empty() {
        let axis = problem.input().shape.len().saturating_sub(1);
        return Ok(vec![draft(limits, problem, axis, [Place::Input, Place::Output], [input, output], &[])?]);
    }
    let pass = |pass: &Pass| {
        let lines = pass.ops.iter().map(line).collect::<Result<Vec<_>>>()?;
        draft(limits, problem, pass.axis, [pass.from, pass.to], [place(pass.from), place(pass.to)], &lines)
    };
    recipe.passes().iter().map(pass).collect()
}

fn line(op: &Op) -> Result<&Line> {
    match op {
        Op::Transform(line) => Ok(line),
        Op::Multiply => {
            Err(unavailable("filters do not run on GPUs yet: transform, multiply and transform back".into()))
        }
    }
}

fn draft(
    limits: &Limits,
    problem: &Problem,
    axis: usize,
    ends: [Place; 2],
    arrays: [Array; 2],
    lines: &[&Line],
) -> Result<Draft> {
    let mixes =
        |line: &&Line| matches!(line.transform.sum, Sum::Forward | Sum::Backward | Sum::RealToHalf | Sum::HalfToReal);
    // Sums of reals act on both parts of complex numbers: these are one more axis then.
    let split = arrays.iter().all(|array| array.complex) && !lines.iter().any(mixes);
    let [input, output] = arrays.map(|array| if split { array.split_parts() } else { array });
    let mut chain = Chain::new();
    lines.iter().for_each(|line| chain.line(line));
    let chain = chain.finish(input.shape[axis], !input.complex);
    let geometry = Geometry::new(axis, &input, &output);
    let longest = lines.iter().map(|line| dft_of(line.transform.sum, line.transform.n).1).max().unwrap_or(1);
    let spec = Spec {
        precision: problem.precision(),
        stages: chain.stages.clone(),
        local: true,
        lines: geometry.lines(),
        tile: 1,
        across: geometry.across(),
        threads: 1,
        room: chain.room,
        wide: wide([&input, &output]) || longest > 1 << 26 || input.reals() > 1 << 28,
        geometry,
    };
    Ok(Draft { specs: spec.fitted(limits.local_bytes, limits.threads), ends, chain })
}
