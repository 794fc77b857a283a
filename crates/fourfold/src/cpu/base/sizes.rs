//! What memory a recipe takes, from the recipe alone: known before any table is made.

use crate::cpu::base::machine::{ALIGNMENT, Machine};
use crate::cpu::simd::dispatch::Isa;
use crate::problem::kind::Transform1d;
use crate::recipe::recipe;
use crate::recipe::recipe::Recipe;
use crate::recipe::reduction::Data;
use crate::recipe::rules::axes::lines_along;
use crate::recipe::rules::cosine_sine::dft_of;
use crate::recipe::rules::extension::{QUARTERS, quarter};
use crate::recipe::scheme::Scheme;
use crate::recipe::scheme::{Factor, length};

/// The parts of the scratch.
pub(crate) struct Sizes {
    /// Shape of the work array, and reals an element.
    pub(crate) work: Option<(Vec<usize>, usize)>,
    /// The lanes that run.
    pub(crate) isa: Isa,
    /// What blocks are made for.
    pub(crate) machine: &'static Machine,
    /// A thread's slots, each with room for one tile at every stage of a pass.
    pub(crate) slots: usize,
    /// Vectors in a slot.
    buffer: usize,
    /// Bytes of a vector.
    pub(crate) vector: usize,
    /// Bytes of the work array, for a line that is done by itself, and of one thread's buffers.
    bytes: [usize; 3],
}

/// The most tiles in a block.
pub(crate) const GROUP: usize = 16;

/// Bytes that a thread's slots may take; for very long lines the rows of tiles get shorter. Fixed,
/// as [`LONG`] and [`FEW`]: they decide how wide vectors are, and the narrowest of x86-64, which have
/// no fused multiply-add, round otherwise.
const BLOCK: usize = 1 << 23;

/// Vectors between the slots of a thread, so that their places differ modulo a page.
const SLOT_PADDING: usize = 17;

/// A line longer than this is computed with the narrowest vectors if there is only one of them: one
/// lane of a vector is used, and the others multiply the memory.
const LONG: usize = 1 << 12;

/// So are so few if a buffer of vectors is larger than a block.
const FEW: usize = 4;

impl Sizes {
    /// For reals of type `S`, on `isa` or, where that would waste memory, with the narrowest vectors.
    pub(crate) fn new<S>(recipe: &Recipe, isa: Isa) -> Self {
        let lines = || recipe.lines().flat_map(lanes);
        // A multiply may bring its factors into a buffer: complex ones take as much room as a
        // complex line.
        let buffer = lines().map(|line| line.buffer.max(2 * line.output)).max().unwrap_or(0);
        let most = recipe.lines().map(|line| lines_along(recipe.problem(), line.transform.axis)).max().unwrap_or(0);
        let few = most <= 1 || most <= FEW && buffer * isa.vector_bytes::<S>() > BLOCK;
        let isa = if buffer > LONG && few { isa.narrowest() } else { isa };
        let (vector, machine) = (isa.vector_bytes::<S>(), Machine::this());
        let work = recipe.work().map(|(domain, shape)| (shape.to_vec(), domain.reals()));
        let slots = (BLOCK / ((buffer + SLOT_PADDING) * vector)).clamp(2, (machine.tile_row() / vector).min(GROUP) + 1);
        let extra = lines().map(|line| line.work).max().unwrap_or(0);
        let single = recipe.lines().map(single).max().unwrap_or(0);
        let reals = work.as_ref().map_or(0, |(shape, parts)| parts * shape.iter().product::<usize>());
        let bytes =
            [reals * size_of::<S>(), single * size_of::<S>(), (slots * (buffer + SLOT_PADDING) + extra) * vector];
        Sizes { work, isa, machine, slots, buffer, vector, bytes: bytes.map(|bytes| bytes.next_multiple_of(ALIGNMENT)) }
    }

    /// Vectors from slot to slot.
    pub(crate) fn slot(&self) -> usize {
        self.buffer + SLOT_PADDING
    }

    /// Bytes of one thread's buffers.
    pub(crate) fn thread_bytes(&self) -> usize {
        self.bytes[2]
    }

    /// Bytes of the work array.
    pub(crate) fn work_bytes(&self) -> usize {
        self.bytes[0]
    }

    /// Bytes for a line that is done by itself.
    pub(crate) fn single_bytes(&self) -> usize {
        self.bytes[1]
    }

    /// Bytes of scratch for `threads` threads.
    pub(crate) fn scratch(&self, threads: usize) -> usize {
        self.work_bytes() + self.single_bytes() + threads * self.thread_bytes()
    }
}

/// Vectors that a sum over lanes needs: in each of its two buffers, of its result, of further work.
struct Lanes {
    buffer: usize,
    output: usize,
    work: usize,
}

/// The sums over lanes of a line.
fn lanes(line: &recipe::AxisRecipe) -> Vec<Lanes> {
    let (sum, n) = (line.transform.sum, line.transform.n);
    match &line.scheme {
        Scheme::Batched(factors) => vec![over_lanes(sum, n, factors)],
        Scheme::IntraVector(_) | Scheme::Blocked { .. } => vec![],
        Scheme::FourStep { columns, rows } => {
            [columns, rows].map(|factors| over_lanes(Transform1d::Forward, length(factors), factors)).into()
        }
    }
}

fn over_lanes(sum: Transform1d, n: usize, factors: &[Factor]) -> Lanes {
    let [input, output] = reals(sum, n);
    let dft = match dft_of(sum, n) {
        (_, len) if quarter(sum, factors).is_some() => QUARTERS * len / 4,
        (Data::Real | Data::Hermitian, len) => len,
        (Data::Complex | Data::ComplexBackward, len) => 2 * len,
    };
    Lanes { buffer: dft.max(input).max(output), output, work: work(factors) }
}

/// Reals of a line at either end.
pub(crate) fn reals(sum: Transform1d, n: usize) -> [usize; 2] {
    match sum {
        Transform1d::Forward | Transform1d::Backward => [2 * n, 2 * n],
        Transform1d::R2C => [n, 2 * (n / 2 + 1)],
        Transform1d::C2R => [2 * (n / 2 + 1), n],
        _ => [n, n],
    }
}

/// Vectors of work of a DFT: what its hungriest pass needs.
pub(crate) fn work(factors: &[Factor]) -> usize {
    factors.iter().map(factor_work).max().unwrap_or(0)
}

/// What stands in a pass with one factor: a line of complex numbers, and what its DFT needs: two
/// buffers of complex numbers, or sums and differences.
fn factor_work(factor: &Factor) -> usize {
    match factor {
        Factor::Radix(_) => 0,
        Factor::Direct(p) => 4 * p,
        Factor::Rader(p, inner) => 6 * p + work(inner),
        Factor::Bluestein(n, inner) => 2 * n + 4 * length(inner) + work(inner),
    }
}

/// Reals of a line that is done by itself.
fn single(line: &recipe::AxisRecipe) -> usize {
    match &line.scheme {
        Scheme::Batched(_) => 0,
        scheme => 2 * single_buffer(scheme),
    }
}

/// Reals between parts, so that as many of them as there are do not fall into the same sets of a
/// cache.
const PART_PADDING: usize = 80;

/// Reals from part to part of so many elements.
pub(crate) fn part_stride(part: usize) -> usize {
    2 * part + PART_PADDING
}

/// Reals of all parts.
pub(crate) fn blocked_reals(within: &[Factor], across: &[Factor]) -> usize {
    part_stride(length(within)) * length(across)
}

/// Reals of one buffer for a complex DFT of one line: a half spectrum has one number more, and the
/// next buffer begins at a vector, and at another place modulo a page.
pub(crate) fn single_buffer(scheme: &Scheme) -> usize {
    const PADDING: usize = 64;
    let spectrum = 2 * scheme.factors().map(Factor::length).product::<usize>() + 2;
    let reals = match scheme {
        Scheme::Blocked { within, across } => blocked_reals(within, across).max(spectrum),
        _ => spectrum,
    };
    reals.next_multiple_of(PADDING) + PADDING
}

/// Bytes that making the tables of a line takes at most, with reals of `real` bytes. Measured as
/// the most memory in use, in bytes an element, and rounded up: of combines and orders 41, of type
/// IV 62; of Rader's spectra in double-double arithmetic 131 to 165; of Bluestein's spectrum 65 an
/// element of its convolution, and 16 of its chirp.
pub(crate) fn table_bytes(line: &recipe::AxisRecipe, real: usize) -> usize {
    let ends = match line.transform.sum {
        Transform1d::Forward | Transform1d::Backward => 0,
        Transform1d::Dct4 | Transform1d::Dst4 => 72 * line.transform.n,
        _ => 52 * line.transform.n,
    };
    ends + match &line.scheme {
        Scheme::Batched(factors) | Scheme::IntraVector(factors) => dft_bytes(factors, real),
        Scheme::Blocked { within, across } => dft_bytes(within, real) + dft_bytes(across, real) * length(within),
        Scheme::FourStep { columns, rows } => {
            let between = 3 * real * length(columns) * length(rows);
            between + dft_bytes(columns, real) + dft_bytes(rows, real)
        }
    }
}

fn dft_bytes(factors: &[Factor], real: usize) -> usize {
    let twiddles = if factors.len() > 1 { 5 * real * length(factors) / 2 } else { 0 };
    twiddles + factors.iter().map(|factor| kernel_bytes(factor, real)).sum::<usize>()
}

fn kernel_bytes(factor: &Factor, real: usize) -> usize {
    let inside = |inner: &[Factor]| inner.iter().map(|factor| kernel_bytes(factor, real)).sum::<usize>();
    match factor {
        Factor::Radix(_) => 0,
        Factor::Direct(p) => 2 * real * p,
        // The kernels of three DFTs.
        Factor::Rader(p, inner) => 200 * p + 3 * inside(inner),
        Factor::Bluestein(n, inner) => 84 * length(inner) + 16 * n,
    }
}
