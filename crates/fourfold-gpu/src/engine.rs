//! From a recipe to launches.

use crate::chain::Chain;
use crate::library::Library;
use crate::lines::{Array, wide};
use crate::runtime::{Buffer, Grid, Kernel, Limits, Place as Index, Runtime, unavailable};
use crate::spec::{Geometry, Spec};
use fourfold::engine::dft_of;
use fourfold::{Domain, Layout, Line, Op, Pass, Place, Precision, Problem, Recipe, Result, Sum};
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

/// One pass, before its kernels are compiled.
pub(crate) struct Draft {
    pub(crate) specs: Vec<Spec>,
    ends: [Place; 2],
    pub(crate) chain: Chain,
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
    let scratch = specs.iter().filter(|spec| !spec.local).map(Spec::reals).max().unwrap_or(0);
    [work, scratch].map(|reals| reals * recipe.problem().precision().bytes())
}

pub(crate) fn grid(spec: &Spec) -> Grid {
    Grid { groups: spec.groups(), threads: spec.threads, local_bytes: spec.local_reals() * spec.precision.bytes() }
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
