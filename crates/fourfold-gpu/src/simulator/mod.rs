//! Runs kernels statement by statement, without a device, and finds races: a test of clusters,
//! which no runtime on a CPU has.
//!
//! All threads of a block run a statement one after another, then the next; so do the work
//! blocks of a cluster those of the outermost block. Where no two accesses to a place of local
//! memory depend on which thread comes first, that is what every order gives; where they do, it is
//! reported.

#[cfg(test)]
pub(crate) mod tests;

use crate::baseline::kernels::moves::{Move, StageKernelDesc};
use crate::baseline::staged::{Plan, plans};
use crate::choose::estimate::Choice;
use crate::desc::action::WORK;
use crate::desc::descriptor::KernelDesc;
use crate::ir::operator::Operator;
use crate::ir::packed::WARP;
use crate::ir::trace::{Array, Expr, Int, Statement, Sym, Var};
use crate::lower::lowered_pass::LoweredPass;
use crate::lower::passes::lower;
use crate::run::inspect::Target;
use crate::write::writer::kernel;
use fourfold::baseline::StagedRecipe;
use fourfold::engine::ArrayId;
use fourfold::oracle::verify::{Data, Verdict, check};
use fourfold::{Planner, Problem, Recipe, Result};
use num_complex::Complex;
use std::collections::HashMap;

/// The arrays of a plan, as reals.
type Arrays = HashMap<ArrayId, Vec<f64>>;

/// What a launch works on.
struct Global<'a> {
    arrays: &'a mut Arrays,
    ends: [ArrayId; 2],
    table: &'a [f64],
    indices: &'a [u32],
    scratch: &'a mut Vec<f64>,
}

/// One cluster of blocks, or a block alone.
struct Cluster<'a, 'b> {
    threads: usize,
    global: &'a mut Global<'b>,
    first_block: usize,
    blocks: Vec<Block>,
}

struct Block {
    local: Vec<f64>,
    accesses: Vec<Vec<Access>>,
    threads: Vec<Thread>,
    barriers: usize,
}

#[derive(Clone, Default)]
struct Thread {
    reals: HashMap<u32, f64>,
    ints: HashMap<u32, i64>,
}

/// Who touched a place of shared memory, after how many barriers.
#[derive(Clone, Copy, Debug)]
struct Access {
    block: usize,
    thread: usize,
    writes: bool,
    barriers: usize,
    arrived: usize,
    waited: usize,
}

impl Access {
    fn is_before(&self, later: &Access) -> bool {
        let own = self.block == later.block && (self.thread == later.thread || self.barriers < later.barriers);
        own || self.arrived < later.waited || !(self.writes || later.writes)
    }
}

/// The cluster's barrier.
#[derive(Clone, Copy, Default)]
struct Clock {
    arrived: usize,
    waited: usize,
}

/// A kernel, and how it is launched.
struct Launch {
    statements: Vec<Statement>,
    blocks: usize,
    threads: usize,
    cluster: usize,
    /// Reals of shared memory.
    places: usize,
}

impl Launch {
    fn of_pass(desc: &KernelDesc) -> Launch {
        let places = desc.shared_bytes() / desc.precision.bytes();
        let KernelDesc { threads, cluster, .. } = *desc;
        Launch { statements: kernel(desc), blocks: desc.blocks(), threads, cluster, places }
    }

    fn of_stage(desc: &StageKernelDesc) -> Launch {
        let places = desc.shared_bytes() / desc.precision.bytes();
        let (threads, cluster) = (desc.threads(), desc.cluster());
        Launch { statements: desc.kernel(), blocks: desc.blocks(), threads, cluster, places }
    }

    fn simulate(&self, global: &mut Global<'_>) {
        let Launch { statements, blocks, threads, cluster, places } = self;
        for first_block in (0..*blocks).step_by(*cluster) {
            let block = || Block {
                local: vec![f64::NAN; *places],
                accesses: vec![vec![]; *places],
                threads: vec![Thread::default(); *threads],
                barriers: 0,
            };
            let blocks = (0..*cluster).map(|_| block()).collect();
            Cluster { threads: *threads, global: &mut *global, first_block, blocks }.run_statements(statements);
        }
    }
}

impl Cluster<'_, '_> {
    fn run_statements(&mut self, statements: &[Statement]) {
        let mut clock = Clock::default();
        for statement in statements {
            match statement {
                Statement::Barrier => self.blocks.iter_mut().for_each(|block| block.barriers += 1),
                Statement::ClusterBegin | Statement::ClusterArrive => clock.arrived += 1,
                Statement::ClusterWait => clock.waited += 1,
                _ => self.run_statement(statement, clock),
            }
        }
        assert_eq!(clock.arrived, clock.waited, "a thread that has arrived waits");
    }

    fn run_statement(&mut self, statement: &Statement, clock: Clock) {
        for block in 0..self.blocks.len() {
            let all: Vec<usize> = (0..self.threads).collect();
            self.run_threads(statement, block, &all, clock);
        }
    }

    /// What these threads of a block do; those of a warp exchange registers, so all take a
    /// statement before the next.
    fn run_threads(&mut self, statement: &Statement, block: usize, threads: &[usize], clock: Clock) {
        let int = |of: &Self, thread: usize, x: &Int| of.blocks[block].threads[thread].int(*x);
        match statement {
            Statement::For(name, [start, end, step], body) => {
                let starts: Vec<i64> = threads.iter().map(|thread| int(self, *thread, start)).collect();
                let mut left: Vec<(usize, i64)> = threads.iter().copied().zip(starts).collect();
                loop {
                    left.retain(|(thread, i)| *i < int(self, *thread, end));
                    let running: Vec<usize> = left.iter().map(|(thread, _)| *thread).collect();
                    if running.is_empty() {
                        break;
                    }
                    for (thread, i) in &mut left {
                        self.blocks[block].threads[*thread].ints.insert(*name, *i);
                        *i += int(self, *thread, step);
                    }
                    body.iter().for_each(|inner| self.run_threads(inner, block, &running, clock));
                }
            }
            Statement::IfLess(a, b, body) => {
                let holds = |thread: &usize| int(self, *thread, a) < int(self, *thread, b);
                let those: Vec<usize> = threads.iter().copied().filter(holds).collect();
                body.iter().for_each(|inner| self.run_threads(inner, block, &those, clock));
            }
            Statement::ExchangeReals(names, reals, bits, all) => {
                let given = |thread: &usize| {
                    let first = thread / WARP * WARP;
                    let mut warp = first..(first + WARP).min(*all);
                    assert!(warp.contains(thread) && warp.contains(&(thread ^ bits)), "no twin in the warp");
                    assert!(warp.all(|other| threads.binary_search(&other).is_ok()), "a part of a warp exchanges");
                    reals.iter().map(|x| self.blocks[block].threads[thread ^ bits].real(*x)).collect::<Vec<_>>()
                };
                let taken: Vec<Vec<f64>> = threads.iter().map(given).collect();
                for (thread, taken) in threads.iter().zip(taken) {
                    self.blocks[block].threads[*thread].reals.extend(names.iter().copied().zip(taken));
                }
            }
            _ => {
                for thread in threads {
                    let mut registers = std::mem::take(&mut self.blocks[block].threads[*thread]);
                    self.run_thread(statement, [block, *thread], &mut registers, clock);
                    self.blocks[block].threads[*thread] = registers;
                }
            }
        }
    }

    /// A statement that a thread takes by itself.
    fn run_thread(&mut self, statement: &Statement, who: [usize; 2], thread: &mut Thread, clock: Clock) {
        match statement {
            Statement::Comment(_) => {}
            Statement::Let(name, Expr::Load(Array::Shared, at)) => {
                let x = *self.touch(who[0], thread.int(*at) as usize, who, clock, false);
                thread.reals.insert(*name, x);
            }
            Statement::Let(name, expr) => self.bind(*name, expr, who, thread),
            Statement::LetPair([x, y], array, at) => {
                let pair = self.load(*array, thread.int(*at) as usize, who, clock);
                thread.reals.insert(*x, pair[0]);
                thread.reals.insert(*y, pair[1]);
            }
            Statement::StorePair(array, at, pair) => {
                let pair = pair.map(|x| thread.real(x));
                let owner = if let Array::Peer(peer) = array { thread.int(*peer) as usize } else { who[0] };
                self.store(*array, owner, thread.int(*at) as usize, pair, who, clock);
            }
            Statement::Store(array, at, x) => {
                let (at, x) = (thread.int(*at) as usize, thread.real(*x));
                match array {
                    Array::Shared => *self.touch(who[0], at, who, clock, true) = x,
                    other => self.array(*other)[at] = x,
                }
            }
            Statement::LetReals(names, array, at) => {
                let at = 4 * thread.int(*at) as usize;
                let reals = self.array(*array)[at..at + 4].iter().copied();
                thread.reals.extend(names.iter().copied().zip(reals));
            }
            Statement::StoreReals(array, at, reals) => {
                let (at, reals) = (4 * thread.int(*at) as usize, reals.map(|x| thread.real(x)));
                self.array(*array)[at..at + 4].copy_from_slice(&reals);
            }
            Statement::For(..) | Statement::IfLess(..) | Statement::ExchangeReals(..) => {
                unreachable!("all threads take it together")
            }
            Statement::LetWords(..)
            | Statement::StoreWords(..)
            | Statement::StoreNarrow(..)
            | Statement::AddFixed(..)
            | Statement::Exchange(..) => unreachable!("kernels of transforms have no words, and no sums of integers"),
            Statement::Barrier | Statement::ClusterBegin | Statement::ClusterArrive | Statement::ClusterWait => {
                panic!("a barrier that some threads may not reach")
            }
        }
    }

    fn bind(&mut self, name: u32, expr: &Expr, [block, number]: [usize; 2], thread: &mut Thread) {
        let int = |x: &Int| thread.int(*x);
        let real = |x: &Sym| thread.real(*x);
        let value = match expr {
            Expr::Real(Operator::Add, a, b) => real(a) + real(b),
            Expr::Real(Operator::Sub, a, b) => real(a) - real(b),
            Expr::Real(Operator::Mul, a, b) => real(a) * real(b),
            Expr::Neg(a) => -real(a),
            Expr::MulAdd(a, b, c) => real(a).mul_add(real(b), real(c)),
            Expr::MulSub(a, b, c) => real(a).mul_add(real(b), -real(c)),
            Expr::SelectReal(a, b, x, y) => real(if int(a) < int(b) { x } else { y }),
            Expr::CutOff(x, threshold) => {
                if real(x).abs() < real(threshold) {
                    0.0
                } else {
                    real(x)
                }
            }
            Expr::Load(Array::Table | Array::Factors, at) => self.global.table[int(at) as usize],
            Expr::Load(array, at) => self.array(*array)[int(at) as usize],
            _ => {
                let value = match expr {
                    Expr::Int(Operator::Add, a, b) => int(a) + int(b),
                    Expr::Int(Operator::Sub, a, b) => int(a) - int(b),
                    Expr::Int(Operator::Mul, a, b) => int(a) * int(b),
                    Expr::Int(Operator::Div, a, b) => int(a) / int(b),
                    Expr::Int(Operator::Rem, a, b) => int(a) % int(b),
                    Expr::Int(Operator::Shr, a, b) => int(a) >> int(b),
                    Expr::Select(a, b, x, y) => int(if int(a) < int(b) { x } else { y }),
                    Expr::LoadInt(_, at) => i64::from(self.global.indices[int(at) as usize]),
                    Expr::Thread => number as i64,
                    Expr::Block => (self.first_block + block) as i64,
                    other => unreachable!("{other:?}"),
                };
                thread.ints.insert(name, value);
                return;
            }
        };
        thread.reals.insert(name, value);
    }

    fn array(&mut self, array: Array) -> &mut [f64] {
        let [input, output] = self.global.ends;
        match array {
            Array::Input => self.global.arrays.get_mut(&input).expect("an input"),
            Array::Output => self.global.arrays.get_mut(&output).expect("an output"),
            Array::Scratch => self.global.scratch,
            other => unreachable!("{other:?} is not written, or in pairs"),
        }
    }

    fn load(&mut self, array: Array, at: usize, who: [usize; 2], clock: Clock) -> [f64; 2] {
        match array {
            Array::Shared => [2 * at, 2 * at + 1].map(|at| *self.touch(who[0], at, who, clock, false)),
            Array::Table | Array::Factors => [self.global.table[2 * at], self.global.table[2 * at + 1]],
            other => {
                let reals = self.array(other);
                [reals[2 * at], reals[2 * at + 1]]
            }
        }
    }

    fn store(&mut self, array: Array, owner: usize, at: usize, pair: [f64; 2], who: [usize; 2], clock: Clock) {
        match array {
            Array::Shared | Array::Peer(_) => {
                pair.into_iter().enumerate().for_each(|(i, x)| *self.touch(owner, 2 * at + i, who, clock, true) = x);
            }
            other => self.array(other)[2 * at..2 * at + 2].copy_from_slice(&pair),
        }
    }

    /// A place of shared memory, about which nobody else disagrees.
    fn touch(&mut self, owner: usize, at: usize, who: [usize; 2], clock: Clock, writes: bool) -> &mut f64 {
        let [block, thread] = who;
        assert!(owner == block || clock.waited > 0, "the peer may not have begun");
        let barriers = self.blocks[block].barriers;
        let access = Access { block, thread, writes, barriers, arrived: clock.arrived, waited: clock.waited };
        let before = &mut self.blocks[owner].accesses[at];
        for other in &*before {
            assert!(other.is_before(&access), "a race for place {at} of block {owner}: {other:?}, {access:?}");
        }
        if writes {
            before.clear();
        }
        before.push(access);
        &mut self.blocks[owner].local[at]
    }
}

impl Thread {
    fn int(&self, x: Int) -> i64 {
        match x {
            Var::Lit(x) => x,
            Var::Name(name) => self.ints[&name],
        }
    }

    fn real(&self, x: Sym) -> f64 {
        match x {
            Var::Lit(x) => x,
            Var::Name(name) => self.reals[&name],
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
    let cluster = lowered.iter().flat_map(|draft| &draft.descs).map(|desc| desc.cluster).max().unwrap_or(1);
    let bluestein = lowered.iter().any(|draft| draft.chain.uses_bluestein);
    Ok((check(problem, bluestein, 1, |input, output| simulate_passes(&recipe, &lowered, input, output))?, cluster))
}

/// Simulates the passes of a plan.
fn simulate_passes(recipe: &Recipe, lowered: &[LoweredPass], input: &Data, output: &mut Data) -> Result<()> {
    let in_place = recipe.problem().in_place();
    let work = recipe.work().map_or(0, |(domain, shape)| domain.reals() * shape.iter().product::<usize>());
    let mut arrays = Arrays::from([
        (ArrayId::Input, reals(if in_place { output } else { input })),
        (ArrayId::Output, reals(output)),
        (WORK, vec![f64::NAN; work]),
    ]);
    lowered.iter().for_each(|draft| pass(draft, in_place, &mut arrays));
    put(&arrays[&ArrayId::Output], output);
    Ok(())
}

fn pass(draft: &LoweredPass, in_place: bool, arrays: &mut Arrays) {
    let ends = draft.ends.map(|id| if in_place && id == ArrayId::Input { ArrayId::Output } else { id });
    let mut scratch = vec![f64::NAN; draft.descs.iter().map(KernelDesc::scratch_reals).max().unwrap_or(0)];
    let (table, indices) = (&*draft.chain.table, &*draft.chain.indices);
    for desc in &draft.descs {
        Launch::of_pass(desc).simulate(&mut Global { arrays, ends, table, indices, scratch: &mut scratch });
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
                Launch::of_stage(desc).simulate(&mut Global { arrays: &mut *arrays, ends, table, indices, scratch });
            }
        }
        put(&arrays[&ArrayId::Output], output);
        Ok(())
    });
    (verdict.unwrap(), descs.iter().map(|desc| desc.cluster()).max().unwrap_or(1))
}
