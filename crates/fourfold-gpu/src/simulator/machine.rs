//! A cluster of blocks whose threads run statements, each of them all threads before the next, and
//! which finds races.

use crate::ir::narrow::Narrow;
use crate::ir::range::Range;
use crate::ir::statement::{Array, Expr, Int, Statement};
use crate::simulator::traffic::Traffic;
use crate::simulator::values::{Surroundings, Thread};
use fourfold::engine::ArrayId;
use std::collections::HashMap;

/// The arrays of a plan, as reals.
pub(crate) type Arrays = HashMap<ArrayId, Vec<f64>>;

/// What a launch works on.
pub(crate) struct Global<'a> {
    pub(crate) arrays: &'a mut Arrays,
    pub(crate) ends: [ArrayId; 2],
    pub(crate) table: &'a [f64],
    pub(crate) indices: &'a [u32],
    pub(crate) scratch: &'a mut Vec<f64>,
    /// Counts what is asked of memory, if it is there.
    pub(crate) traffic: Option<&'a mut Traffic>,
}

/// One cluster of blocks, or one block.
pub(crate) struct Cluster<'a, 'b> {
    pub(crate) threads: usize,
    /// Threads that exchange registers.
    pub(crate) warp: usize,
    pub(crate) range: Option<Range>,
    pub(crate) global: &'a mut Global<'b>,
    pub(crate) first_block: usize,
    pub(crate) blocks: Vec<Block>,
}

pub(crate) struct Block {
    pub(crate) local: Vec<f64>,
    pub(crate) accesses: Vec<Vec<Access>>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) barriers: usize,
}

/// Who touched a place of shared memory, after how many barriers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
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

impl Cluster<'_, '_> {
    /// Runs the outermost statements of a kernel.
    pub(crate) fn run_statements(&mut self, statements: &[Statement]) {
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
                        self.blocks[block].threads[*thread].set_int(*name, *i);
                        *i += int(self, *thread, step);
                        self.blocks[block].threads[*thread].check(*i);
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
                let warp = self.warp;
                assert!(*all < warp || *all % warp == 0, "a part of a warp exchanges");
                let given = |thread: &usize| {
                    let first = thread / warp * warp;
                    let mut warp = first..(first + warp).min(*all);
                    assert!(warp.contains(thread) && warp.contains(&(thread ^ bits)), "no twin in the warp");
                    assert!(warp.all(|other| threads.binary_search(&other).is_ok()), "a part of a warp exchanges");
                    reals.iter().map(|x| self.blocks[block].threads[thread ^ bits].real(*x)).collect::<Vec<_>>()
                };
                let taken: Vec<Vec<f64>> = threads.iter().map(given).collect();
                for (thread, taken) in threads.iter().zip(taken) {
                    let variables = &mut self.blocks[block].threads[*thread];
                    names.iter().zip(taken).for_each(|(name, x)| variables.set_real(*name, x));
                }
            }
            _ => self.run_separately(statement, block, threads, clock),
        }
    }

    /// A statement that each of these threads takes separately.
    fn run_separately(&mut self, statement: &Statement, block: usize, threads: &[usize], clock: Clock) {
        if let Some(traffic) = &mut self.global.traffic {
            let registers = &self.blocks[block].threads;
            traffic.count(statement, threads, |thread, at| registers[thread].int(*at));
        }
        for thread in threads {
            let mut registers = self.blocks[block].threads[*thread].take();
            self.run_thread(statement, [block, *thread], &mut registers, clock);
            self.blocks[block].threads[*thread] = registers;
        }
    }

    fn run_thread(&mut self, statement: &Statement, who: [usize; 2], thread: &mut Thread, clock: Clock) {
        match statement {
            Statement::Comment(_) => {}
            Statement::Let(name, Expr::Load(Array::Shared, at)) => {
                let x = *self.touch(who[0], thread.int(*at) as usize, who, clock, false);
                thread.set_real(*name, x);
            }
            Statement::Let(name, expr) => thread.bind(*name, expr, &mut Seen { cluster: self, who }),
            Statement::LetPair([x, y], array, at) => {
                let pair = self.load(*array, thread.int(*at) as usize, who, clock);
                thread.set_real(*x, pair[0]);
                thread.set_real(*y, pair[1]);
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
                names.iter().zip(reals).for_each(|(name, x)| thread.set_real(*name, x));
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

    fn item(&self, dimension: usize, block: usize, thread: usize) -> usize {
        place(self.range.expect("the kernel is for a range"), block, thread)[dimension]
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

/// The column and the row of an item: blocks are numbered row after row, and their threads too.
pub(crate) fn place(range: Range, block: usize, thread: usize) -> [usize; 2] {
    let ([columns, rows], [across, _]) = (range.shape(), range.blocks());
    [block % across * columns + thread % columns, block / across * rows + thread / columns]
}

/// What a thread of a cluster sees.
struct Seen<'a, 'b, 'c> {
    cluster: &'a mut Cluster<'b, 'c>,
    /// Block and thread.
    who: [usize; 2],
}

impl Surroundings for Seen<'_, '_, '_> {
    fn load(&mut self, array: Array, at: i64) -> f64 {
        match array {
            Array::Table | Array::Factors => self.cluster.global.table[at as usize],
            _ => self.cluster.array(array)[at as usize],
        }
    }

    fn load_int(&mut self, at: i64) -> i64 {
        self.cluster.global.indices[at as usize].into()
    }

    fn load_narrow(&mut self, _: Array, _: i64, _: Narrow) -> i64 {
        unreachable!("kernels of transforms have no narrow integers")
    }

    fn numbers(&self) -> [i64; 2] {
        let [block, thread] = self.who;
        [thread, self.cluster.first_block + block].map(|number| number as i64)
    }

    fn item(&self, dimension: usize) -> i64 {
        let [block, thread] = self.who;
        self.cluster.item(dimension, self.cluster.first_block + block, thread) as i64
    }
}
