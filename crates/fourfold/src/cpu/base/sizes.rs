//! The memory that a recipe needs. It follows from the recipe, before any table is made.

use crate::cpu::base::machine::{ALIGNMENT, Machine};
use crate::cpu::simd::dispatch::Isa;
use crate::problem::kind::Transform1d;
use crate::recipe::recipe;
use crate::recipe::recipe::{PassOp, Recipe};
use crate::recipe::reduction::Data;
use crate::recipe::rules::axes::lines_along;
use crate::recipe::rules::cosine_sine::dft_of;
use crate::recipe::rules::extension::{QUARTERS, quarter};
use crate::recipe::scheme::Scheme;
use crate::recipe::scheme::{Factor, length};

/// The sizes of the parts of the scratch.
pub(crate) struct Sizes {
    /// The shape of the work array, and the reals of an element.
    pub(crate) work: Option<(Vec<usize>, usize)>,
    /// The instruction set of the execution.
    pub(crate) isa: Isa,
    /// The machine whose caches determine the size of blocks.
    pub(crate) machine: &'static Machine,
    /// The number of slots of a thread. Each slot has one tile at every step of a pass.
    pub(crate) slots: usize,
    /// The number of vectors in a slot.
    buffer: usize,
    /// The reals of a line between the steps of a pass on single lines, if one multiplies.
    pub(crate) line: usize,
    /// The bytes of a vector.
    pub(crate) vector: usize,
    /// The bytes of [`Execute::first_multiplied`](crate::cpu::base::execute::Execute), before the
    /// buffers of the threads, if the recipe multiplies.
    pub(crate) first: usize,
    /// The bytes of the work array, of the buffers of a line in an intra-vector, blocked or
    /// four-step scheme, and of the buffers of one thread.
    bytes: [usize; 3],
}

/// The most tiles in a block.
pub(crate) const GROUP: usize = 16;

/// The most bytes of a thread's slots. For very long lines, a row has fewer tiles. This does not
/// depend on the machine, and neither do [`LONG`] and [`FEW`]. They determine how wide vectors are,
/// and the narrowest set of x86-64 has other rounding errors, since it has no fused multiply-add.
const BLOCK: usize = 1 << 23;

/// The vectors between two slots of a thread, so that their addresses differ modulo a page.
const SLOT_PADDING: usize = 17;

/// A single line longer than this is computed with the narrowest vectors. Only one of their lanes
/// is used, and a vector needs its width times the memory.
const LONG: usize = 1 << 12;

/// So are at most this many lines if their buffer of vectors is larger than [`BLOCK`].
const FEW: usize = 4;

impl Sizes {
    /// The sizes for reals of type `S`. The instruction set is `isa`, or the narrowest one where
    /// wider vectors would waste memory.
    pub(crate) fn new<S>(recipe: &Recipe, isa: Isa) -> Self {
        let lines = || recipe.lines().flat_map(lanes);
        let buffer = lines().map(|line| line.buffer).max().unwrap_or(0);
        let most = recipe.lines().map(|line| lines_along(recipe.problem(), line.transform.axis)).max().unwrap_or(0);
        // Twice a result, since results depend on these limits, which were chosen for it. The columns
        // and rows of a matrix fill the lanes.
        let batched = recipe.lines().filter(|line| matches!(line.scheme, Scheme::Batched(_))).flat_map(lanes);
        let longest = batched.map(|line| line.buffer.max(2 * line.output)).max().unwrap_or(0);
        let few = most <= 1 || most <= FEW && longest * isa.vector_bytes::<S>() > BLOCK;
        let isa = if longest > LONG && few { isa.narrowest() } else { isa };
        let (vector, machine) = (isa.vector_bytes::<S>(), Machine::this());
        let work = recipe.work().map(|(domain, shape)| (shape.to_vec(), domain.reals()));
        let slots = (BLOCK / ((buffer + SLOT_PADDING) * vector)).clamp(2, (machine.tile_row() / vector).min(GROUP) + 1);
        let extra = lines().map(|line| line.work).max().unwrap_or(0);
        let line = recipe.passes().iter().map(line_between).max().unwrap_or(0);
        let single = line + recipe.lines().map(single).max().unwrap_or(0);
        let reals = work.as_ref().map_or(0, |(shape, parts)| parts * shape.iter().product::<usize>());
        let bytes =
            [reals * size_of::<S>(), single * size_of::<S>(), (slots * (buffer + SLOT_PADDING) + extra) * vector];
        Sizes {
            work,
            isa,
            machine,
            slots,
            buffer,
            line,
            vector,
            first: if recipe.multiplied().is_some() { ALIGNMENT } else { 0 },
            bytes: bytes.map(|bytes| bytes.next_multiple_of(ALIGNMENT)),
        }
    }

    /// The number of vectors from one slot to the next.
    pub(crate) fn slot(&self) -> usize {
        self.buffer + SLOT_PADDING
    }

    /// The bytes of one thread's buffers.
    pub(crate) fn thread_bytes(&self) -> usize {
        self.bytes[2]
    }

    /// The bytes of the work array.
    pub(crate) fn work_bytes(&self) -> usize {
        self.bytes[0]
    }

    /// The bytes of the buffers of a line that is not batched.
    pub(crate) fn single_bytes(&self) -> usize {
        self.bytes[1]
    }

    /// The bytes of scratch for `threads` threads.
    pub(crate) fn scratch(&self, threads: usize) -> usize {
        self.work_bytes() + self.single_bytes() + self.first + threads * self.thread_bytes()
    }
}

/// The numbers of vectors of a batched transform: of each of its two buffers, of its result, and of
/// scratch of its factors.
struct Lanes {
    buffer: usize,
    output: usize,
    work: usize,
}

/// The batched transforms that a line needs.
fn lanes(line: &recipe::AxisRecipe) -> Vec<Lanes> {
    let (transform, n) = (line.transform.transform1d, line.transform.n);
    let scheme = match &line.scheme {
        Scheme::Bluestein { inner, .. } => inner,
        scheme => scheme,
    };
    match scheme {
        Scheme::Batched(factors) => vec![over_lanes(transform, n, factors)],
        Scheme::Bluestein { .. } | Scheme::IntraVector(_) | Scheme::Blocked { .. } => vec![],
        Scheme::FourStep { columns, rows } => {
            [columns, rows].map(|factors| over_lanes(Transform1d::Forward, length(factors), factors)).into()
        }
    }
}

fn over_lanes(transform: Transform1d, n: usize, factors: &[Factor]) -> Lanes {
    let [input, output] = reals(transform, n);
    let dft = match dft_of(transform, n) {
        (_, len) if quarter(transform, factors).is_some() => QUARTERS * len / 4,
        (Data::Real | Data::Hermitian, len) => len,
        (Data::Complex | Data::ComplexBackward, len) => 2 * len,
    };
    Lanes { buffer: dft.max(input).max(output), output, work: work(factors) }
}

/// The reals of a line in the input and in the output.
pub(crate) fn reals(transform: Transform1d, n: usize) -> [usize; 2] {
    match transform {
        Transform1d::Forward | Transform1d::Backward => [2 * n, 2 * n],
        Transform1d::R2C => [n, 2 * (n / 2 + 1)],
        Transform1d::C2R => [2 * (n / 2 + 1), n],
        _ => [n, n],
    }
}

/// The vectors of scratch of a DFT: the maximum over its factors.
pub(crate) fn work(factors: &[Factor]) -> usize {
    factors.iter().map(factor_work).max().unwrap_or(0)
}

/// The vectors of scratch of one factor: a line of complex numbers, and either two buffers of
/// complex numbers for its DFT, or sums and differences.
fn factor_work(factor: &Factor) -> usize {
    match factor {
        Factor::Radix(_) => 0,
        Factor::Direct(p) => 4 * p,
        Factor::Rader(n, inner) | Factor::Bluestein(n, inner) => 2 * n + 4 * length(inner) + work(inner),
    }
}

/// The reals of the buffers of a line that is not batched.
fn single(line: &recipe::AxisRecipe) -> usize {
    match &line.scheme {
        Scheme::Batched(_) => 0,
        scheme => 2 * single_buffer(scheme),
    }
}

/// The reals of a line between the steps of a pass, if it multiplies lines that are not batched.
fn line_between(pass: &recipe::Pass) -> usize {
    let between = |op: &PassOp| match op {
        PassOp::Transform(line) if !matches!(line.scheme, Scheme::Batched(_)) => {
            reals(line.transform.transform1d, line.transform.n).into_iter().max()
        }
        _ => None,
    };
    let multiplies = pass.ops.contains(&PassOp::Multiply);
    let most = pass.ops.iter().filter(|_| multiplies).filter_map(between).max();
    most.map_or(0, |reals| reals.next_multiple_of(LINE_PADDING) + LINE_PADDING)
}

/// The reals to a multiple of which buffers of lines are padded, and by which they are longer.
const LINE_PADDING: usize = 64;

/// The reals between two parts, so that elements with the same index in all parts are in different
/// sets of the cache. It is no power of two, so it serves caches of any size.
const PART_PADDING: usize = 80;

/// The reals from one part of `part` elements to the next.
pub(crate) fn part_stride(part: usize) -> usize {
    2 * part + PART_PADDING
}

/// The reals of all parts.
pub(crate) fn blocked_reals(within: &[Factor], across: &[Factor]) -> usize {
    part_stride(length(within)) * length(across)
}

/// The reals of one buffer for the complex DFT of one line. A half spectrum has one number more.
/// The padding aligns the next buffer to a vector and changes its address modulo a page.
pub(crate) fn single_buffer(scheme: &Scheme) -> usize {
    // The factors of Bluestein's convolution are those of its longer DFTs.
    let spectrum = 2 * scheme.factors().map(Factor::length).product::<usize>() + 2;
    let reals = match scheme {
        Scheme::Bluestein { inner, .. } => return single_buffer(inner),
        Scheme::Blocked { within, across } => blocked_reals(within, across).max(spectrum),
        _ => spectrum,
    };
    reals.next_multiple_of(LINE_PADDING) + LINE_PADDING
}

/// An upper bound of the bytes needed to make the tables of a line, with reals of `real` bytes. The
/// constants are the measured peaks of memory in use, in bytes for each element, rounded up: 41 for
/// combines and reorders, 62 for type IV, 131 to 165 for Rader's spectra in double-double
/// arithmetic, 65 for each element of Bluestein's convolution, and 16 for each one of its chirp.
pub fn table_bytes(line: &recipe::AxisRecipe, real: usize) -> usize {
    let ends = match line.transform.transform1d {
        Transform1d::Forward | Transform1d::Backward => 0,
        Transform1d::Dct4 | Transform1d::Dst4 => 72 * line.transform.n,
        Transform1d::Dct1 | Transform1d::Dct2 | Transform1d::Dct3 => 52 * line.transform.n,
        Transform1d::Dst1 | Transform1d::Dst2 | Transform1d::Dst3 => 52 * line.transform.n,
        Transform1d::Dht | Transform1d::Idxst | Transform1d::IdxstAdjoint => 52 * line.transform.n,
        Transform1d::R2C | Transform1d::C2R => 52 * line.transform.n,
    };
    ends + scheme_bytes(&line.scheme, real)
}

fn scheme_bytes(scheme: &Scheme, real: usize) -> usize {
    match scheme {
        Scheme::Bluestein { length, inner } => 84 * inner.length() + 16 * length + scheme_bytes(inner, real),
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
        // The tables of three DFTs.
        Factor::Rader(p, inner) => 200 * length(inner).max(*p) + 3 * inside(inner),
        Factor::Bluestein(n, inner) => 84 * length(inner) + 16 * n,
    }
}
