//! The last two passes of one complex signal as one trip through memory: of a block of k, what
//! stands between them fits the first-level cache.
//!
//! R = r₁r₂ sequences of length m make one of n = Rm. With sequence l + r₂j (j < r₁, l < r₂) and
//! outputs k + q₁m + q₂r₁m,
//!
//! X = Σ_l w_{r₂}^{lq₂} · w_n^{lk} w_R^{lq₁} · Σ_j w_{r₁}^{jq₁} · w_{r₁m}^{jk} S_{l + r₂j}\[k\]:
//!
//! the twiddles of the second pass are products, so that both tables together have (1/r₁ + 1/r₂) n
//! numbers and not 2n.

use crate::arithmetic::butterfly::Dft;
use crate::arithmetic::complex::C;
use crate::arithmetic::twiddle::Roots;
use crate::cpu::base::machine::ALIGNMENT;
use crate::cpu::dft::pass::access::{for_radix, opaque, splat, zero};
use crate::cpu::dft::pass::along::{BLOCK, Block, block, put_pairs, twiddles};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{LANES, Scalar, Vector, WithIsa};
use crate::recipe::rules::intra_vector::MOST_RADIX;
use crate::recipe::scheme::MOST_PARTS;
use num_complex::Complex;
use std::mem::MaybeUninit;

/// The executable form.
pub(crate) struct Across<S> {
    /// r₁ and r₂.
    radices: [usize; 2],
    /// m.
    inner: usize,
    /// Reals from sequence to sequence.
    apart: usize,
    /// For every block of k: w_{r₁m}^{jk}, 1 ≤ j < r₁.
    first: Vec<Block<S>>,
    /// For every block of k: w_n^{lk}, 1 ≤ l < r₂.
    second: Vec<Block<S>>,
    /// w_R^{lq₁} at q₁(r₂ − 1) + l − 1.
    between: Vec<Complex<S>>,
}

/// Reals of a cache line.
const fn line<S>() -> usize {
    ALIGNMENT / size_of::<S>()
}

/// Copies whole lines past the caches.
///
/// # Safety
/// They are there, at `to` from the beginning of a line on; the CPU has the instructions of `V`.
#[inline(always)]
unsafe fn stream<V: Vector>(from: Ptr<V::Scalar>, to: Ptr<V::Scalar>, reals: usize) {
    for i in (0..reals).step_by(V::WIDTH) {
        // SAFETY: the caller's.
        unsafe { V::load(from.add(i)).stream(to.add(i)) }
    }
}

/// Blocks to as many parts, which are not read soon.
pub(crate) struct Spread<S> {
    pub(crate) blocks: Ptr<S>,
    pub(crate) count: usize,
    pub(crate) dst: Ptr<S>,
    /// Reals from part to part.
    pub(crate) apart: usize,
}

impl<S: Scalar> Spread<S> {
    /// # Safety
    /// Blocks and parts are there, all from the beginning of a cache line on; the CPU has the
    /// instructions of `V`.
    pub(crate) unsafe fn run<V: Vector<Scalar = S>>(self) {
        // SAFETY: the caller's.
        unsafe { V::enter(Spreading::<V>(self)) }
    }
}

struct Spreading<V: Vector>(Spread<V::Scalar>);

impl<V: Vector> WithIsa for Spreading<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Spread { blocks, count, dst, apart } = self.0;
        for i in 0..count {
            // SAFETY: the caller of `Spread::run`.
            unsafe { stream::<V>(blocks.add(i * BLOCK), dst.add(i * apart), BLOCK) }
        }
    }
}

/// How the last of all passes ends.
#[derive(Clone, Copy)]
pub(crate) struct Last<S> {
    /// Whether the results are conjugated.
    pub(crate) backward: bool,
    /// A factor on them.
    pub(crate) scale: S,
    /// Whether they go past the caches.
    pub(crate) non_temporal: bool,
}

/// What stands between the two passes, and between them and the destination where that is past the
/// caches: lines are written whole, so that what is not yet a line waits for the next block.
struct Tile<S> {
    blocks: [Block<S>; MOST_PARTS],
    waiting: [Block<S>; MOST_PARTS],
    /// A line that waits, then a block.
    run: [Block<S>; 2 * MOST_RADIX],
}

/// The reals of blocks.
#[inline(always)]
fn reals<S, const N: usize>(blocks: *mut [Block<S>; N]) -> Ptr<S> {
    Ptr::new(blocks.cast(), N * BLOCK)
}

impl<S: Scalar> Across<S> {
    pub(crate) fn new(radices: [usize; 2], inner: usize, apart: usize) -> Self {
        let [r, s] = radices;
        let roots = Roots::new((r * s * inner) as u64);
        let between = (0..r).flat_map(|q| (1..s).map(move |l| q * l));
        Across {
            radices,
            inner,
            apart,
            first: twiddles(&roots, s, r, inner),
            second: twiddles(&roots, 1, s, inner),
            between: between.map(|ql| S::root(&roots, (ql * inner) as u64)).collect(),
        }
    }

    /// From sequences in blocks at `src` to pairs at `dst`.
    ///
    /// # Safety
    /// Both are there and do not overlap; the CPU has the instructions of `V`.
    pub(crate) unsafe fn run<V: Vector<Scalar = S>>(&self, src: Ptr<S>, dst: Ptr<S>, last: Last<S>) {
        let [r, s] = self.radices;
        // SAFETY: the caller's.
        let re = unsafe { V::splat(last.scale) };
        let by = C { re, im: if last.backward { -re } else { re } };
        // Not filled with zeros, which of a short signal would take a tenth of the time.
        let mut tile = MaybeUninit::<Tile<S>>::uninit();
        let tile = tile.as_mut_ptr();
        let past = last.non_temporal.then_some(dst.addr() / size_of::<S>() % line::<S>());
        for k in (0..self.inner).step_by(LANES) {
            let src = src.wrapping_add(2 * k);
            // SAFETY: the caller's; r·s ≤ MOST_PARTS blocks, each of which is written before it is
            // read.
            unsafe {
                let blocks = reals(&raw mut (*tile).blocks);
                for_radix!(r, R => V::enter(First::<V, R> { across: self, src, tile: blocks, k }));
                for_radix!(s, R => V::enter(Second::<V, R> { across: self, src, tile, dst, k, by, past }));
            }
        }
        V::finish_streams();
    }
}

struct First<'a, V: Vector, const R: usize> {
    across: &'a Across<V::Scalar>,
    src: Ptr<V::Scalar>,
    tile: Ptr<V::Scalar>,
    k: usize,
}

impl<V: Vector, const R: usize> WithIsa for First<'_, V, R>
where
    [C<V>; R]: Dft,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Across { radices: [_, s], apart, ref first, .. } = *self.across;
        for l in 0..s {
            for lane in (0..LANES).step_by(V::WIDTH) {
                // SAFETY: the caller of `Across::run`; sequences l + j·s in, R blocks of the tile
                // out.
                unsafe {
                    let w = Ptr::of(first).cast::<V::Scalar>().add(2 * self.k * (R - 1) + lane);
                    let src = self.src.add(l * apart + lane);
                    let mut z = [zero(); R];
                    for j in 0..R {
                        z[j] = block(src.add(j * s * apart));
                        if j > 0 {
                            z[j] = z[j].mul(block(w.add((j - 1) * BLOCK)));
                        }
                    }
                    let z = z.dft();
                    for q in 0..R {
                        let to = self.tile.add((l * R + q) * BLOCK + lane);
                        z[q].re.store(to);
                        z[q].im.store(to.add(LANES));
                    }
                }
            }
        }
    }
}

struct Second<'a, V: Vector, const R: usize> {
    across: &'a Across<V::Scalar>,
    src: Ptr<V::Scalar>,
    tile: *mut Tile<V::Scalar>,
    dst: Ptr<V::Scalar>,
    k: usize,
    by: C<V>,
    /// Where it goes past the caches, reals of the destination beyond the beginning of a line, the
    /// same in every run of it.
    past: Option<usize>,
}

impl<V: Vector, const R: usize> Second<'_, V, R>
where
    [C<V>; R]: Dft,
{
    /// Where run p of block q begins in the destination.
    #[inline(always)]
    fn place(&self, q: usize, p: usize) -> Ptr<V::Scalar> {
        let Across { radices: [r, _], inner, .. } = *self.across;
        self.dst.wrapping_add(2 * (q + p * r) * inner + 2 * self.k)
    }

    /// The first run of the tile.
    ///
    /// # Safety
    /// The tile is there.
    #[inline(always)]
    unsafe fn runs(&self) -> Ptr<V::Scalar> {
        // SAFETY: the caller's.
        unsafe { reals(&raw mut (*self.tile).run).add(BLOCK) }
    }

    /// The butterflies of one block, to runs `apart` reals from each other.
    #[inline(always)]
    unsafe fn butterflies(&self, q: usize, runs: Ptr<V::Scalar>, apart: usize) {
        let Across { radices: [r, _], ref second, ref between, .. } = *self.across;
        for lane in (0..LANES).step_by(V::WIDTH) {
            // SAFETY: the caller of `Across::run`; blocks q + l·r of the tile in, R runs of pairs
            // out.
            unsafe {
                let w = Ptr::of(second).cast::<V::Scalar>().add(2 * self.k * (R - 1) + lane);
                let turn = Ptr::of(between).add(q * (R - 1));
                let src = reals(&raw mut (*self.tile).blocks).add(q * BLOCK + lane);
                let mut z = [zero(); R];
                for l in 0..R {
                    z[l] = block(src.add(l * r * BLOCK));
                    if l > 0 {
                        let w: C<V> = block(w.add((l - 1) * BLOCK));
                        z[l] = z[l].mul(w.mul(splat(turn.add(l - 1))));
                    }
                }
                let (z, mut to, apart) = (z.dft(), runs.add(2 * lane), opaque(apart));
                for p in 0..R {
                    put_pairs(to, C { re: z[p].re * self.by.re, im: z[p].im * self.by.im });
                    to = to.wrapping_add(apart);
                }
            }
        }
    }

    /// Brings near what the next block of k reads of the sequences q·R …: there are more than the
    /// processor follows by itself.
    #[inline(always)]
    fn prefetch(&self, q: usize) {
        for sequence in q * R..(q + 1) * R {
            let next = self.src.wrapping_add(sequence * self.across.apart + BLOCK);
            for i in (0..BLOCK).step_by(line::<V::Scalar>()) {
                V::prefetch(next.wrapping_add(i));
            }
        }
    }

    /// What is whole lines now.
    #[inline(always)]
    unsafe fn put(&self, q: usize, over: usize) {
        let Across { radices: [r, _], inner, .. } = *self.across;
        let line = line::<V::Scalar>();
        for p in 0..R {
            // SAFETY: the caller of `Across::run`: 2·inner reals from `dst` on.
            unsafe {
                let run = self.runs().add(2 * p * BLOCK);
                let waiting = reals(&raw mut (*self.tile).waiting).add((q + p * r) * BLOCK);
                let dst = self.place(q, p);
                if self.k > 0 {
                    for i in (0..line).step_by(V::WIDTH) {
                        V::load(waiting.add(i)).store(run.sub(line).add(i));
                    }
                }
                if self.k > 0 || over == 0 {
                    stream::<V>(run.sub(over), dst.sub(over), BLOCK);
                } else {
                    dst.copy_from(run, line - over);
                    stream::<V>(run.add(line - over), dst.add(line - over), BLOCK - line);
                }
                for i in (0..line).step_by(V::WIDTH) {
                    V::load(run.add(BLOCK - line + i)).store(waiting.add(i));
                }
                if self.k + LANES == inner {
                    dst.add(BLOCK - over).copy_from(run.add(BLOCK - over), over);
                }
            }
        }
    }
}

impl<V: Vector, const R: usize> WithIsa for Second<'_, V, R>
where
    [C<V>; R]: Dft,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Across { radices: [r, _], inner, .. } = *self.across;
        for q in 0..r {
            // SAFETY: the caller of `Across::run`.
            unsafe {
                let (runs, apart) = match self.past {
                    Some(_) => (self.runs(), 2 * BLOCK),
                    None => (self.place(q, 0), 2 * r * inner),
                };
                self.prefetch(q);
                self.butterflies(q, runs, apart);
                if let Some(over) = self.past {
                    self.put(q, over);
                }
            }
        }
    }
}
