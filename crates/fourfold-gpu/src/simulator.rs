//! Runs kernels statement by statement, without a device, and finds races: a test of clusters, which no runtime on a CPU has.
//!
//! All threads of a cluster run a statement of the outermost block one after another, then the next. Where no two accesses to a place of local
//! memory depend on which thread comes first, that is what every order gives; where they do, it is reported.

use crate::choice::Choice;
use crate::draft::{Chosen, Draft, Home, drafts};
use crate::kernels::kernel;
use crate::kernels::stage::{Move, StageSpec};
use crate::outline::Target;
use crate::spec::Spec;
use crate::staged::{Plan, plans};
use crate::trace::{Array, Expr, Int, Statement, Sym, Var};
use crate::tune::STEPS;
use fourfold::verify::{Data, Verdict, check};
use fourfold::{Method, Planner, Problem, Recipe, Result, StageEnd};
use num_complex::Complex;
use std::collections::HashMap;

/// The arrays of a plan, as reals.
type Arrays = HashMap<Home, Vec<f64>>;

/// What a launch works on.
struct Global<'a> {
    arrays: &'a mut Arrays,
    ends: [Home; 2],
    table: &'a [f64],
    indices: &'a [u32],
    scratch: &'a mut Vec<f64>,
}

/// One cluster of work groups, or a work group alone.
struct Cluster<'a, 'b> {
    threads: usize,
    global: &'a mut Global<'b>,
    first_group: usize,
    groups: Vec<Group>,
}

struct Group {
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

/// Who touched a place of local memory, after how many barriers.
#[derive(Clone, Copy, Debug)]
struct Access {
    group: usize,
    thread: usize,
    writes: bool,
    barriers: usize,
    arrived: usize,
    waited: usize,
}

impl Access {
    fn is_before(&self, later: &Access) -> bool {
        let own = self.group == later.group && (self.thread == later.thread || self.barriers < later.barriers);
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
    groups: usize,
    threads: usize,
    cluster: usize,
    /// Reals of local memory.
    places: usize,
}

impl Launch {
    fn of_pass(spec: &Spec) -> Launch {
        let places = spec.local_bytes() / spec.precision.bytes();
        let Spec { threads, cluster, .. } = *spec;
        Launch { statements: kernel(spec), groups: spec.groups(), threads, cluster, places }
    }

    fn of_stage(spec: &StageSpec) -> Launch {
        let places = spec.local_bytes() / spec.precision.bytes();
        let (threads, cluster) = (spec.threads(), spec.cluster());
        Launch { statements: spec.kernel(), groups: spec.groups(), threads, cluster, places }
    }

    fn run(&self, global: &mut Global<'_>) {
        let Launch { statements, groups, threads, cluster, places } = self;
        for first_group in (0..*groups).step_by(*cluster) {
            let group = || Group {
                local: vec![f64::NAN; *places],
                accesses: vec![vec![]; *places],
                threads: vec![Thread::default(); *threads],
                barriers: 0,
            };
            let groups = (0..*cluster).map(|_| group()).collect();
            Cluster { threads: *threads, global: &mut *global, first_group, groups }.run(statements);
        }
    }
}

impl Cluster<'_, '_> {
    fn run(&mut self, statements: &[Statement]) {
        let mut clock = Clock::default();
        for statement in statements {
            match statement {
                Statement::Barrier => self.groups.iter_mut().for_each(|group| group.barriers += 1),
                Statement::ClusterBegin | Statement::ClusterArrive => clock.arrived += 1,
                Statement::ClusterWait => clock.waited += 1,
                _ => self.all_threads(statement, clock),
            }
        }
        assert_eq!(clock.arrived, clock.waited, "a thread that has arrived waits");
    }

    fn all_threads(&mut self, statement: &Statement, clock: Clock) {
        for group in 0..self.groups.len() {
            for thread in 0..self.threads {
                let mut registers = std::mem::take(&mut self.groups[group].threads[thread]);
                self.step(statement, [group, thread], &mut registers, clock);
                self.groups[group].threads[thread] = registers;
            }
        }
    }

    fn block(&mut self, body: &[Statement], who: [usize; 2], thread: &mut Thread, clock: Clock) {
        body.iter().for_each(|statement| self.step(statement, who, thread, clock));
    }

    fn step(&mut self, statement: &Statement, who: [usize; 2], thread: &mut Thread, clock: Clock) {
        match statement {
            Statement::Comment(_) => {}
            Statement::Let(name, Expr::Load(Array::Local, at)) => {
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
                    Array::Local => *self.touch(who[0], at, who, clock, true) = x,
                    other => self.array(*other)[at] = x,
                }
            }
            Statement::For(name, [start, end, step], body) => {
                let mut i = thread.int(*start);
                while i < thread.int(*end) {
                    thread.ints.insert(*name, i);
                    self.block(body, who, thread, clock);
                    i += thread.int(*step);
                }
            }
            Statement::IfLess(a, b, body) if thread.int(*a) < thread.int(*b) => self.block(body, who, thread, clock),
            Statement::IfLess(..) => {}
            Statement::LetWords(..)
            | Statement::LetReals(..)
            | Statement::StoreWords(..)
            | Statement::StoreNarrow(..)
            | Statement::AddFixed(..)
            | Statement::Exchange(..) => unreachable!("kernels of transforms have no words, and no sums of integers"),
            Statement::Barrier | Statement::ClusterBegin | Statement::ClusterArrive | Statement::ClusterWait => {
                panic!("a barrier that some threads may not reach")
            }
        }
    }

    fn bind(&mut self, name: u32, expr: &Expr, [group, number]: [usize; 2], thread: &mut Thread) {
        let int = |x: &Int| thread.int(*x);
        let real = |x: &Sym| thread.real(*x);
        let value = match expr {
            Expr::Real("+", a, b) => real(a) + real(b),
            Expr::Real("-", a, b) => real(a) - real(b),
            Expr::Real("*", a, b) => real(a) * real(b),
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
                    Expr::Int("+", a, b) => int(a) + int(b),
                    Expr::Int("-", a, b) => int(a) - int(b),
                    Expr::Int("*", a, b) => int(a) * int(b),
                    Expr::Int("/", a, b) => int(a) / int(b),
                    Expr::Int("%", a, b) => int(a) % int(b),
                    Expr::Int(">>", a, b) => int(a) >> int(b),
                    Expr::Select(a, b, x, y) => int(if int(a) < int(b) { x } else { y }),
                    Expr::LoadInt(_, at) => i64::from(self.global.indices[int(at) as usize]),
                    Expr::Thread => number as i64,
                    Expr::Group => (self.first_group + group) as i64,
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
            Array::Local => [2 * at, 2 * at + 1].map(|at| *self.touch(who[0], at, who, clock, false)),
            Array::Table | Array::Factors => [self.global.table[2 * at], self.global.table[2 * at + 1]],
            other => {
                let reals = self.array(other);
                [reals[2 * at], reals[2 * at + 1]]
            }
        }
    }

    fn store(&mut self, array: Array, owner: usize, at: usize, pair: [f64; 2], who: [usize; 2], clock: Clock) {
        match array {
            Array::Local | Array::Peer(_) => {
                pair.into_iter().enumerate().for_each(|(i, x)| *self.touch(owner, 2 * at + i, who, clock, true) = x);
            }
            other => self.array(other)[2 * at..2 * at + 2].copy_from_slice(&pair),
        }
    }

    /// A place of local memory, about which nobody else disagrees.
    fn touch(&mut self, owner: usize, at: usize, who: [usize; 2], clock: Clock, writes: bool) -> &mut f64 {
        let [group, thread] = who;
        assert!(owner == group || clock.waited > 0, "the peer may not have begun");
        let barriers = self.groups[group].barriers;
        let access = Access { group, thread, writes, barriers, arrived: clock.arrived, waited: clock.waited };
        let before = &mut self.groups[owner].accesses[at];
        for other in &*before {
            assert!(other.is_before(&access), "a race for place {at} of group {owner}: {other:?}, {access:?}");
        }
        if writes {
            before.clear();
        }
        before.push(access);
        &mut self.groups[owner].local[at]
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
    let recipe = Planner::new().recipe(problem);
    let drafts = drafts(target.limits(), &recipe, false, None, choices)?;
    let cluster = drafts.iter().flat_map(|draft| &draft.specs).map(|spec| spec.cluster).max().unwrap_or(1);
    let verdict = check(problem, drafts.iter().any(|draft| draft.chain.uses_bluestein), 1, |input, output| {
        let work = recipe.work().map_or(0, |(domain, shape)| domain.reals() * shape.iter().product::<usize>());
        let mut arrays = Arrays::from([
            (Home::Input, reals(if problem.in_place() { output } else { input })),
            (Home::Output, reals(output)),
            (Home::Work, vec![f64::NAN; work]),
        ]);
        drafts.iter().for_each(|draft| pass(draft, problem.in_place(), &mut arrays));
        put(&arrays[&Home::Output], output);
        Ok(())
    })?;
    Ok((verdict, cluster))
}

fn pass(draft: &Draft, in_place: bool, arrays: &mut Arrays) {
    let ends = draft.ends.map(|home| if in_place && home == Home::Input { Home::Output } else { home });
    let mut scratch = vec![f64::NAN; draft.specs.iter().map(Spec::scratch_reals).max().unwrap_or(0)];
    let (table, indices) = (&*draft.chain.table, &*draft.chain.indices);
    for spec in &draft.specs {
        Launch::of_pass(spec).run(&mut Global { arrays, ends, table, indices, scratch: &mut scratch });
    }
}

/// The same of a recipe with steps of complex FFTs.
fn simulate_steps(recipe: &Recipe) -> (Verdict, usize) {
    let plans: Vec<Plan> = plans(recipe, false).unwrap();
    let specs: Vec<&StageSpec> =
        plans.iter().map(|plan| if let Plan::Kernel(spec) = plan { &**spec } else { panic!("no kernel") }).collect();
    let home = |end: StageEnd| {
        [Home::Input, Home::Output, Home::Work, Home::Spectrum][match end {
            StageEnd::Input => 0,
            StageEnd::Output => 1,
            StageEnd::Work(work) => 2 + work,
        }]
    };
    let verdict = check(recipe.problem(), false, 1, |input, output| {
        let work = vec![f64::NAN; recipe.stages()[0].to.reals()];
        let ends = [(Home::Input, reals(input)), (Home::Output, reals(output))];
        let mut arrays: Arrays = ends.into_iter().chain([(Home::Work, work.clone()), (Home::Spectrum, work)]).collect();
        for (spec, ends) in specs.iter().zip(recipe.stage_ends()) {
            let Move::FftStep(step) = &spec.work else { panic!("another stage") };
            let n = step.axis().map_or(1, |axis| spec.from.length(axis));
            let table: Vec<f64> = step.table(n).iter().flat_map(|w| [w.re, w.im]).collect();
            let (arrays, ends) = (&mut arrays, ends.map(home));
            for launch in 0..spec.launches() as u32 {
                let (table, indices, scratch) = (&*table, &[launch], &mut vec![]);
                Launch::of_stage(spec).run(&mut Global { arrays: &mut *arrays, ends, table, indices, scratch });
            }
        }
        put(&arrays[&Home::Output], output);
        Ok(())
    });
    (verdict.unwrap(), specs.iter().map(|spec| spec.cluster()).max().unwrap_or(1))
}

#[test]
fn levels_on_chip_are_right_and_have_no_races() {
    let recipe =
        |method: &str, problem: &str| method.parse::<Method>().unwrap().recipe(&problem.parse().unwrap()).unwrap();
    for (problem, groups) in
        [("fft f64 2048", 2), ("ifft f32 4096 ortho", 4), ("fft f64 8192", 8), ("ifft f64 2x2048 axes=1", 2)]
    {
        let (verdict, cluster) = simulate_steps(&recipe("levels-in-clusters", problem));
        assert!(verdict.holds() && cluster == groups, "{problem}: {verdict:?}, {cluster} groups");
    }
    for problem in ["fft f64 8", "ifft f32 3x512 axes=1", "fft f64 2048"] {
        let (verdict, cluster) = simulate_steps(&recipe("levels-in-blocks", problem));
        assert!(verdict.holds() && cluster == 1, "{problem}: {verdict:?}");
    }
}

#[test]
fn clusters_are_right_and_have_no_races() {
    let target = Target::cuda("sm_90").unwrap().with_local_bytes(16 << 10).with_units(1);
    let cases = include_str!("../../../cases/clusters.txt").lines().filter(|line| !line.starts_with('#'));
    for case in cases.filter(|line| !line.trim().is_empty()) {
        let problem: Problem = case.parse().unwrap();
        let (verdict, cluster) = simulate(&target, &problem, &[]).unwrap();
        assert!(cluster > 1, "{case}: no cluster");
        assert!(verdict.holds(), "{case}: {verdict:?}");
    }
}

/// All ways in which the last DFTs and the combine are one stage: radices, rounds, packings, directions.
#[test]
fn joint_stages_are_right_and_have_no_races() {
    let target = Target::cuda("sm_90").unwrap().with_local_bytes(16 << 10).with_units(1);
    let cases = include_str!("../../../cases/joint.txt").lines().filter_map(|line| line.split_once(": "));
    for (case, choice) in cases {
        let problem: Problem = case.parse().unwrap();
        let recipe = Planner::new().recipe(&problem);
        let passes = |choices: &[Choice]| drafts(target.limits(), &recipe, false, None, choices).unwrap();
        let mut choices: Vec<Choice> =
            passes(&[]).into_iter().flat_map(|draft| draft.passes).map(|pass| pass.choice).collect();
        *choices.last_mut().unwrap() = choice.parse().unwrap();
        let specs: Vec<Spec> = passes(&choices).into_iter().flat_map(|draft| draft.specs).collect();
        assert!(specs.iter().any(|spec| (0..spec.stages.len()).any(|i| spec.joins(i))), "{case}: {choice}");
        let (verdict, _) = simulate(&target, &problem, &choices).unwrap();
        assert!(verdict.holds(), "{case} with {choice}: {verdict:?}");
    }
}

#[test]
fn kernels_without_clusters_have_no_races() {
    for case in ["dct2 f64 48x40", "dct3 f32 60x34", "rfft f64 18x26", "dst1 f64 5x47", "fft f32 34x2"] {
        let (verdict, _) = simulate(&Target::opencl(), &case.parse().unwrap(), &[]).unwrap();
        assert!(verdict.holds(), "{case}: {verdict:?}");
    }
}

/// Whatever measuring may pick is right.
#[test]
fn all_choices_are_right_and_have_no_races() {
    let target = Target::cuda("sm_90").unwrap().with_local_bytes(16 << 10);
    let mut count = 0;
    for case in [
        "dct2 f64 96x20",
        "dct3 f32 64x24",
        "rfft f64 12x128",
        "fft f32 60x8",
        "dst4 f64 24x15",
        "dht f32 34x6",
        "dct1 f64 33x18",
    ] {
        let problem: Problem = case.parse().unwrap();
        let recipe = Planner::new().recipe(&problem);
        let drafts = drafts(target.limits(), &recipe, false, None, &[]).unwrap();
        let chosen: Vec<Chosen> = drafts.into_iter().flat_map(|draft| draft.passes).collect();
        let estimated: Vec<Choice> = chosen.iter().map(|pass| pass.choice.clone()).collect();
        for (pass, chosen) in chosen.iter().enumerate() {
            for choice in STEPS.iter().flat_map(|step| step(chosen, target.limits())) {
                let mut choices = estimated.clone();
                choices[pass] = choice;
                let (verdict, _) = simulate(&target, &problem, &choices).unwrap();
                assert!(verdict.holds(), "{case} with {choices:?}: {verdict:?}");
                count += 1;
            }
        }
    }
    assert!(count > 200, "only {count} choices");
}

/// Passes over several axes as one kernel: the choices of all but the first say so.
#[test]
fn joined_passes_are_right_and_have_no_races() {
    let target = Target::cuda("sm_90").unwrap();
    for case in [
        "dct2 f64 6x8",
        "dct3 f32 5x12",
        "fft f64 9x6",
        "rfft f32 8x10",
        "dct4 f64 7x6",
        "dst1 f32 5x7",
        "dht f64 16x5",
        "idct_idxst f32 6x8",
        "dct2 f64 3x4x6",
        "dct2 f32 3x4x6 axes=0,1",
        "dct2 f32 3x4x6 axes=1,2",
        "dct2 f64 4x3x6 axes=0,2",
        "dct3 f64 4x6 inplace",
        "dct2 f32 6x1x8",
        "dct2 f64 34x17",
        "fft f32 4x6 in=1,4",
        "dct2 f32 4x6 out=-6,1",
        "dct2 f32 2x2x3x2x2x2x3x2 axes=7,0,3 in=1,2,4,12,24,48,96,288",
    ] {
        let problem: Problem = case.parse().unwrap();
        let drafts = drafts(target.limits(), &Planner::new().recipe(&problem), false, None, &[]).unwrap();
        let passes = drafts.iter().flat_map(|draft| &draft.passes).map(|pass| pass.choice.clone());
        let choices: Vec<Choice> = passes.map(|choice| Choice { joined: true, ..choice }).collect();
        let joined = crate::draft::drafts(target.limits(), &Planner::new().recipe(&problem), false, None, &choices);
        assert_eq!(joined.unwrap().len(), 1, "{case}");
        let (verdict, _) = simulate(&target, &problem, &choices).unwrap();
        assert!(verdict.holds(), "{case}: {verdict:?}");
    }
}
