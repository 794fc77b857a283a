//! Runs kernels statement by statement, without a device, and finds races: a test of clusters,
//! which no runtime on a CPU has.
//!
//! All threads of a block run a statement one after another, then the next; so do the blocks of a
//! cluster those of the outermost level. Where no two accesses to a place of shared memory depend
//! on which thread comes first, every order gives the same result; where they do, it is reported.

mod convolved_digit_tests;
mod convolved_line_tests;
mod few_column_tests;
mod fused_axes_tests;
mod large_radix_tests;
mod machine;
mod near_line_tests;
mod odd_line_tests;
mod odd_quarter_tests;
pub(crate) mod sampled;
mod sampled_tests;
mod short_row_tests;
mod slab_tests;
pub(crate) mod tests;
mod traffic;
mod traffic_tests;
mod values;

use crate::baseline::kernels::moves::{Move, StageKernelDesc};
use crate::baseline::staged::{Plan, plans};
use crate::choose::estimate::Choice;
use crate::desc::action::{Action, SPECTRUM, WORK};
use crate::desc::choice::Size;
use crate::desc::kernel::KernelDesc;
use crate::ir::frame::Frame;
use crate::ir::range::Range;
use crate::ir::statement::Statement;
use crate::lower::lowered::{LoweredPass, LoweredRecipe};
use crate::lower::passes::lower;
use crate::run::inspect::Target;
use crate::simulator::machine::{Arrays, Block, Cluster, Global};
use crate::simulator::traffic::Traffic;
use crate::simulator::values::Thread;
use crate::write::writer::kernel;
use fourfold::baseline::StagedRecipe;
use fourfold::engine::ArrayId;
use fourfold::oracle::verify::{Data, Verdict, check};
use fourfold::{Planner, Precision, Problem, Recipe, Result};
use num_complex::Complex;

/// The kernels that are estimated.
fn estimated(target: &Target, problem: &Problem) -> Vec<KernelDesc> {
    let recipe = Planner::new().recipe(problem).unwrap();
    lower(target.limits(), &recipe, false, None, &[]).unwrap().descs()
}

/// Checks how many kernels each problem has on an H200.
fn assert_kernels(cases: &[(&str, usize)]) {
    let target = Target::cuda("sm_90").unwrap();
    for (case, kernels) in cases {
        assert_eq!(estimated(&target, &case.parse().unwrap()).len(), *kernels, "{case}");
    }
}

/// The kernels of the estimated choices with other sizes, which are right.
fn resized(target: &Target, case: &str, resize: impl Fn(&mut Size)) -> Vec<KernelDesc> {
    rechosen(target, case, |choice| resize(&mut choice.size))
}

/// The same with other choices.
fn rechosen(target: &Target, case: &str, change: impl Fn(&mut Choice)) -> Vec<KernelDesc> {
    let problem = case.parse().unwrap();
    let recipe = Planner::new().recipe(&problem).unwrap();
    let mut choices = lower(target.limits(), &recipe, false, None, &[]).unwrap().choices();
    choices.iter_mut().for_each(change);
    let (verdict, _) = simulate(target, &problem, &choices).unwrap();
    assert!(verdict.holds(), "{case}, {choices:?}: {verdict:?}");
    lower(target.limits(), &recipe, false, None, &choices).unwrap().descs()
}

/// A kernel, and how it is launched.
struct Launch {
    statements: Vec<Statement>,
    blocks: usize,
    threads: usize,
    warp: usize,
    cluster: usize,
    range: Option<Range>,
    /// Whether indices have 64 bits.
    wide: bool,
    /// Reals of shared memory.
    places: usize,
}

impl Launch {
    fn of_pass(desc: &KernelDesc) -> Launch {
        let places = desc.shared_bytes() / desc.precision().bytes();
        let KernelDesc { threads, cluster, .. } = *desc;
        let Frame { wide, subgroup: warp, .. } = desc.frame();
        Launch { statements: kernel(desc), blocks: desc.blocks(), threads, warp, cluster, range: None, wide, places }
    }

    fn of_stage(desc: &StageKernelDesc) -> Launch {
        let places = desc.shared_bytes() / desc.precision.bytes();
        let (threads, cluster, range) = (desc.threads(), desc.cluster(), desc.range());
        let Frame { wide, subgroup: warp, .. } = desc.frame();
        Launch { statements: desc.kernel(), blocks: desc.blocks(), threads, warp, cluster, range, wide, places }
    }

    fn simulate(&self, mut global: Global<'_>) {
        let Launch { statements, blocks, threads, warp, cluster, range, wide, places } = self;
        for first_block in (0..*blocks).step_by(*cluster) {
            let block = || Block {
                local: vec![f64::NAN; *places],
                accesses: vec![vec![]; *places],
                threads: vec![Thread::new(*wide, Precision::F64); *threads],
                barriers: 0,
            };
            let blocks = (0..*cluster).map(|_| block()).collect();
            Cluster { threads: *threads, warp: *warp, range: *range, global: &mut global, first_block, blocks }
                .run_statements(statements);
        }
    }
}

fn reals(data: &Data) -> Vec<f64> {
    match data {
        Data::F32(x) => x.iter().map(|x| f64::from(*x)).collect(),
        Data::F64(x) => x.clone(),
        Data::ComplexF32(x) => x.iter().flat_map(|z| [f64::from(z.re), f64::from(z.im)]).collect(),
        Data::ComplexF64(x) => x.iter().flat_map(|z| [z.re, z.im]).collect(),
    }
}

fn put(reals: &[f64], data: &mut Data) {
    match data {
        Data::F32(x) => x.iter_mut().zip(reals).for_each(|(x, y)| *x = *y as f32),
        Data::F64(x) => x.copy_from_slice(reals),
        Data::ComplexF32(x) => {
            x.iter_mut().zip(reals.chunks(2)).for_each(|(x, y)| *x = Complex::new(y[0] as f32, y[1] as f32));
        }
        Data::ComplexF64(x) => x.iter_mut().zip(reals.chunks(2)).for_each(|(x, y)| *x = Complex::new(y[0], y[1])),
    }
}

/// One simulated run of `problem` against the oracle, and the largest cluster that it has.
fn simulate(target: &Target, problem: &Problem, choices: &[Choice]) -> Result<(Verdict, usize)> {
    let recipe = Planner::new().recipe(problem)?;
    let lowered = lower(target.limits(), &recipe, false, None, choices)?;
    let cluster = lowered.descs().iter().map(|desc| desc.cluster).max().unwrap_or(1);
    let verdict = check(problem, lowered.uses_bluestein(), 1, |input, output| simulate_passes(&lowered, input, output));
    Ok((verdict?, cluster))
}

/// Simulates the passes of a plan.
fn simulate_passes(lowered: &LoweredRecipe, input: &Data, output: &mut Data) -> Result<()> {
    let recipe = lowered.recipe;
    let in_place = recipe.problem().in_place();
    let mut arrays = Arrays::from([
        (ArrayId::Input, reals(if in_place { output } else { input })),
        (ArrayId::Output, reals(output)),
    ]);
    arrays.extend(between(recipe));
    for pass in &lowered.passes {
        let ends = pass.ends.map(|id| if in_place && id == ArrayId::Input { ArrayId::Output } else { id });
        run_kernels(pass, lowered.action, (&mut arrays, ends), |desc, global| Launch::of_pass(desc).simulate(global));
        let storage = recipe.problem().storage();
        if storage.is_half() {
            let written = arrays.get_mut(&ends[1]).expect("an array that is written");
            written.iter_mut().for_each(|x| *x = storage.nearest(*x));
        }
    }
    put(&arrays[&ArrayId::Output], output);
    Ok(())
}

/// What the first blocks of each kernel ask of memory.
fn traffic(target: &Target, problem: &Problem, blocks: usize, change: impl Fn(&mut KernelDesc)) -> Vec<Traffic> {
    let recipe = Planner::new().recipe(problem).unwrap();
    let mut lowered = lower(target.limits(), &recipe, false, None, &[]).unwrap();
    lowered.passes.iter_mut().flat_map(|pass| &mut pass.descs).for_each(change);
    let ends = [(ArrayId::Input, problem.input()), (ArrayId::Output, problem.output())];
    let mut arrays: Arrays = ends.into_iter().map(|(id, layout)| (id, vec![f64::NAN; 2 * layout.len])).collect();
    arrays.extend(between(&recipe));
    let mut all = vec![];
    for pass in &lowered.passes {
        run_kernels(pass, None, (&mut arrays, pass.ends), |desc, global| {
            let (launch, mut traffic) = (Launch::of_pass(desc), Traffic::of(desc));
            let few = Launch { blocks: launch.blocks.min(blocks), ..launch };
            few.simulate(Global { traffic: Some(&mut traffic), ..global });
            all.push(traffic);
        });
    }
    all
}

/// The arrays between the passes of a recipe, of which nothing is written.
fn between(recipe: &Recipe) -> [(ArrayId, Vec<f64>); 2] {
    let work = recipe.work().map_or(0, |(domain, shape)| domain.reals() * shape.iter().product::<usize>());
    [(WORK, work), (SPECTRUM, recipe.problem().output().elements() * 2)].map(|(id, len)| (id, vec![f64::NAN; len]))
}

/// `run` for each kernel of a pass, with what it works on.
fn run_kernels(
    pass: &LoweredPass,
    action: Option<&Action>,
    (arrays, ends): (&mut Arrays, [ArrayId; 2]),
    mut run: impl FnMut(&KernelDesc, Global<'_>),
) {
    let mut scratch = vec![f64::NAN; pass.descs.iter().map(KernelDesc::scratch_reals).max().unwrap_or(0)];
    let (table, indices) = (&*pass.tables.reals(action).unwrap(), &*pass.tables.indices());
    for desc in &pass.descs {
        run(desc, Global { arrays: &mut *arrays, ends, table, indices, scratch: &mut scratch, traffic: None });
    }
}

/// The same of a recipe with steps of complex FFTs.
fn simulate_steps(recipe: &StagedRecipe) -> (Verdict, usize) {
    let plans: Vec<Plan> = plans(recipe, false).unwrap();
    let descs: Vec<&StageKernelDesc> =
        plans.iter().map(|plan| if let Plan::Kernel(desc) = plan { &**desc } else { panic!("no kernel") }).collect();
    let verdict = check(recipe.problem(), false, 1, |input, output| {
        let work = vec![f64::NAN; recipe.stages()[0].to.reals()];
        let ends = [(ArrayId::Input, reals(input)), (ArrayId::Output, reals(output))];
        let mut arrays: Arrays =
            ends.into_iter().chain([(ArrayId::Work(0), work.clone()), (ArrayId::Work(1), work)]).collect();
        for (desc, ends) in descs.iter().zip(recipe.stage_arrays()) {
            let Move::FftStep(step) = &desc.work else { panic!("another stage") };
            let n = step.axis().map_or(1, |axis| desc.from.length(axis));
            let table: Vec<f64> = step.table(n).iter().flat_map(|w| [w.re, w.im]).collect();
            let (arrays, ends) = (&mut arrays, ends);
            for launch in 0..desc.launches() as u32 {
                let (table, indices, scratch) = (&*table, &[launch], &mut vec![]);
                let arrays = &mut *arrays;
                Launch::of_stage(desc).simulate(Global { arrays, ends, table, indices, scratch, traffic: None });
            }
        }
        put(&arrays[&ArrayId::Output], output);
        Ok(())
    });
    (verdict.unwrap(), descs.iter().map(|desc| desc.cluster()).max().unwrap_or(1))
}
