//! What threads that run together ask of memory: sectors of arrays, and wavefronts of shared memory.
//!
//! A warp of 32 threads asks for each sector once an instruction, whatever its threads take of it. Shared memory
//! answers the threads of a warp together that take 128 bytes in all. Where these take different words of one of its
//! 32 banks, it answers in several wavefronts (CUDA C++ Programming Guide, "Shared Memory").

use crate::desc::kernel::KernelDesc;
use crate::ir::statement::{Array, Expr, Int, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// Threads of a warp, and banks.
const WARP: usize = 32;
/// Bytes of a word of a bank.
const WORD: usize = 4;
/// Bytes of a sector.
const SECTOR: usize = 32;

/// What a kernel asks for, of blocks that were run.
#[derive(Debug)]
pub(crate) struct Traffic {
    /// Bytes of a real in arrays, and elsewhere.
    storage: usize,
    real: usize,
    /// Bytes that threads read and write, but for tables.
    pub(crate) bytes: [usize; 2],
    /// Sectors that warps ask for to do so.
    pub(crate) sectors: [usize; 2],
    /// Accesses of shared memory by threads that it answers together, and the wavefronts in which it does.
    pub(crate) accesses: usize,
    pub(crate) wavefronts: usize,
}

impl Traffic {
    pub(crate) fn of(desc: &KernelDesc) -> Traffic {
        let [storage, real] = [desc.storage.bytes(), desc.precision().bytes()];
        Traffic { storage, real, bytes: [0; 2], sectors: [0; 2], accesses: 0, wavefronts: 0 }
    }

    /// Sectors for each that its bytes would fill, of what is read or written.
    pub(crate) fn sectors_each(&self, end: usize) -> f64 {
        self.sectors[end] as f64 * SECTOR as f64 / self.bytes[end].max(1) as f64
    }

    /// Wavefronts for each access.
    pub(crate) fn wavefronts_each(&self) -> f64 {
        self.wavefronts as f64 / self.accesses.max(1) as f64
    }

    /// Counts what these threads ask for in one statement; `at`: the number of each in an index.
    pub(crate) fn count(&mut self, statement: &Statement, threads: &[usize], at: impl Fn(usize, &Int) -> i64) {
        let Some((array, index, reals, writes)) = access(statement) else { return };
        let mut warps = BTreeMap::<usize, Vec<[usize; 2]>>::new();
        for &thread in threads {
            warps.entry(thread / WARP).or_default().push([thread % WARP, at(thread, index) as usize * reals]);
        }
        for lanes in warps.into_values() {
            match array {
                Array::Table | Array::Factors | Array::Indices => {}
                Array::Shared | Array::Peer(_) => self.count_wavefronts(&lanes, reals * self.real),
                Array::Input | Array::Output => self.count_sectors(&lanes, reals, self.storage, writes),
                Array::Scratch => self.count_sectors(&lanes, reals, self.real, writes),
            }
        }
    }

    fn count_sectors(&mut self, lanes: &[[usize; 2]], reals: usize, real: usize, writes: bool) {
        let sectors = |at: usize| at * real / SECTOR..((at + reals) * real).div_ceil(SECTOR);
        let asked: BTreeSet<usize> = lanes.iter().flat_map(|[_, at]| sectors(*at)).collect();
        self.sectors[usize::from(writes)] += asked.len();
        self.bytes[usize::from(writes)] += lanes.len() * reals * real;
    }

    /// `bytes`: those of a thread.
    fn count_wavefronts(&mut self, lanes: &[[usize; 2]], bytes: usize) {
        let together = (WARP * WORD / bytes).clamp(1, WARP);
        let mut parts = BTreeMap::<usize, BTreeSet<usize>>::new();
        for [lane, at] in lanes {
            let first = at * self.real / WORD;
            parts.entry(lane / together).or_default().extend(first..first + bytes / WORD);
        }
        for words in parts.into_values() {
            let mut banks = [0; WARP];
            words.iter().for_each(|word| banks[word % WARP] += 1);
            self.accesses += 1;
            self.wavefronts += banks.into_iter().max().unwrap_or(0);
        }
    }
}

/// The array of a statement, its index, reals at each index, and whether it is written.
fn access(statement: &Statement) -> Option<(Array, &Int, usize, bool)> {
    match statement {
        Statement::Let(_, Expr::Load(array, at)) => Some((*array, at, 1, false)),
        Statement::LetPair(_, array, at) => Some((*array, at, 2, false)),
        Statement::LetReals(_, array, at) => Some((*array, at, 4, false)),
        Statement::Store(array, at, _) => Some((*array, at, 1, true)),
        Statement::StorePair(array, at, _) => Some((*array, at, 2, true)),
        Statement::StoreReals(array, at, _) => Some((*array, at, 4, true)),
        _ => None,
    }
}
