//! Other ways from coefficients to samples, and from samples to coefficients, to be measured beside
//! the library's own: above all the ladder of the GPUDCT project, each rung by its idea.
//!
//! They take coefficients in raster order and make samples in 8 bits, block after block, and
//! nothing else.

pub(crate) mod eight;
pub(crate) mod pixel;
pub(crate) mod points;
pub(crate) mod sixteen;

use crate::error::unavailable;
use crate::ir::narrow::Narrow;
use crate::jpeg::kernels::desc::{BlockKernelDesc, BlockWork, Instructions};
use crate::jpeg::kernels::program::{Program, reals};
use crate::run::inspect::Target;
use fourfold::Error;
use fourfold::engine::jpeg::{Mode, Order, Table};

/// Blocks of a component, whose samples some of these kernels number in 31 bits.
pub(crate) const MOST_BLOCKS: usize = (1 << 25) - 1;

/// A way to transform blocks.
pub struct BlockAlgorithm {
    /// What it is called.
    pub name: &'static str,
    /// What is done.
    pub work: BlockWork,
    /// How.
    pub about: &'static str,
    pub(crate) program: fn() -> Program,
    /// The reals that the kernel reads.
    pub(crate) reals: fn(&Table) -> Vec<f32>,
}

impl BlockAlgorithm {
    /// All of them, the faster first.
    pub const ALL: &'static [BlockAlgorithm] = &[
        inverse("next16", "four threads a block, which exchange sixteen terms each", sixteen::next16, next_table),
        inverse("next", "no-shared, with a table that scales and rounds", eight::next, next_table),
        inverse(
            "no-shared",
            "eight threads a block, which exchange terms without shared memory",
            eight::no_shared,
            values,
        ),
        inverse(
            "decomposed",
            "eight threads a block: rows, then columns, by even and odd terms",
            eight::decomposed,
            values,
        ),
        inverse("gpujpeg", "GPUJPEG's: eight threads a block, columns first, by lifting", eight::gpujpeg, values),
        inverse("separable", "a thread a sample: eight terms twice", pixel::separable, with_cosines),
        inverse("lut", "a thread a sample: 64 terms, cosines from a table", pixel::lut, with_cosines),
        inverse("naive", "a thread a sample: 64 terms, cosines computed", pixel::naive, values),
        forward("roomy", "the library's own with as many registers as the compiler likes", || {
            forward_with(Instructions::BitsRoomy)
        }),
        forward("direct", "roomy, every thread reading its own samples", || forward_with(Instructions::BitsDirect)),
        forward("convert", "roomy, by instructions that convert", || forward_with(Instructions::Convert)),
    ];

    /// Why a device cannot do it as it is meant: its thread blocks are too small, or its threads
    /// exchange through shared memory what others exchange between registers. `None` if it can.
    pub fn lacks(&self, target: &Target) -> Option<Error> {
        let (limits, program) = (target.limits(), (self.program)());
        let needs_warps = program.exchanges() && !limits.attributes.exchanges_registers;
        let message =
            || unavailable(format!("its threads exchange registers, on {} through shared memory", limits.name));
        program.check_fits(limits).err().or_else(|| needs_warps.then(message))
    }
}

const fn inverse(
    name: &'static str,
    about: &'static str,
    program: fn() -> Program,
    reals: fn(&Table) -> Vec<f32>,
) -> BlockAlgorithm {
    BlockAlgorithm { name, work: BlockWork::Inverse, about, program, reals }
}

const fn forward(name: &'static str, about: &'static str, program: fn() -> Program) -> BlockAlgorithm {
    BlockAlgorithm { name, work: BlockWork::Forward, about, program, reals: |table| reals(&BACK, table) }
}

/// The library's own forward transform as the others are.
const BACK: BlockKernelDesc = BlockKernelDesc {
    work: BlockWork::Forward,
    mode: Mode::Fast,
    order: Order::Raster,
    narrow: Narrow::Byte,
    rows: false,
    instructions: Instructions::Bits,
};

fn forward_with(instructions: Instructions) -> Program {
    crate::jpeg::kernels::program::program(&BlockKernelDesc { instructions, ..BACK })
}

/// A quantisation table as reals.
fn values(table: &Table) -> Vec<f32> {
    table.rows().as_flattened().iter().map(|&q| q.into()).collect()
}

/// The same, then α_k cos(πk(2n+1)/16) by 8k + n.
fn with_cosines(table: &Table) -> Vec<f32> {
    let mut all = values(table);
    all.extend((0..64).map(|i| points::wave(i / 8, i % 8) as f32));
    all
}

/// The table by 8, since each pass leaves out the factor 1/√8; then what is added to the first
/// terms of rows.
fn next_table(table: &Table) -> Vec<f32> {
    let mut all: Vec<_> = values(table).into_iter().map(|q| q / 8.0).collect();
    all.extend([128.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    all
}
