//! The last two passes of one complex signal as one trip through memory. The numbers between the
//! two passes, for a block of k, fit the first-level cache.
//!
//! R = r₁r₂ sequences of length m make one of n = Rm. With sequence l + r₂j (j < r₁, l < r₂) and
//! outputs k + q₁m + q₂r₁m,
//!
//! X = Σ_l w_{r₂}^{lq₂} · w_n^{lk} w_R^{lq₁} · Σ_j w_{r₁}^{jq₁} · w_{r₁m}^{jk} S_{l + r₂j}\[k\]:
//!
//! The twiddle factors of the second pass are products of two. So all tables together have about
//! (1/r₁ + 1/r₂) n numbers instead of 2n.

use crate::arithmetic::butterfly::Dft;
use crate::arithmetic::complex::C;
use crate::arithmetic::twiddle::Roots;
use crate::cpu::base::machine::ALIGNMENT;
use crate::cpu::dft::pass::access::{for_radix, opaque, splat, zero};
use crate::cpu::dft::pass::along::{BLOCK, Block, block, store_interleaved, twiddles};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{LANES, Scalar, Vector, WithIsa};
use crate::recipe::scheme::{MOST_PARTS, MOST_RADIX};
use num_complex::Complex;
use std::mem::MaybeUninit;

/// The executable form of the last two passes.
pub(crate) struct Across<S> {
    /// r₁ and r₂.
    radices: [usize; 2],
    /// m.
    inner: usize,
    /// The reals from one sequence to the next.
    stride: usize,
    /// For every block of k, the blocks of w_{r₁m}^{jk}, 1 ≤ j < r₁.
    first: Vec<Block<S>>,
    /// For every block of k, the blocks of w_n^{lk}, 1 ≤ l < r₂.
    second: Vec<Block<S>>,
    /// w_R^{lq₁} at the index q₁(r₂ − 1) + l − 1.
    between: Vec<Complex<S>>,
}

/// The reals of a cache line.
const fn line<S>() -> usize {
    ALIGNMENT / size_of::<S>()
}

/// Copies whole cache lines by non-temporal stores.
///
/// # Safety
/// Both arrays have `reals` elements, and `to` is at the beginning of a cache line. The CPU has the
/// instructions of `V`.
#[inline(always)]
unsafe fn stream<V: Vector>(from: Ptr<V::Scalar>, to: Ptr<V::Scalar>, reals: usize) {
    for i in (0..reals).step_by(V::WIDTH) {
        // SAFETY: the caller guarantees it.
        unsafe { V::load(from.add(i)).stream(to.add(i)) }
    }
}

/// Copies blocks to the parts of a signal by non-temporal stores, since the parts are not read
/// soon.
pub(crate) struct StreamBlocks<S> {
    pub(crate) blocks: Ptr<S>,
    pub(crate) count: usize,
    pub(crate) dst: Ptr<S>,
    /// The reals from one part to the next.
    pub(crate) stride: usize,
}

impl<S: Scalar> StreamBlocks<S> {
    /// # Safety
    /// Blocks and parts are in memory, and begin at cache lines. The CPU has the instructions of
    /// `V`.
    pub(crate) unsafe fn stream<V: Vector<Scalar = S>>(self) {
        // SAFETY: the caller guarantees it.
        unsafe { V::enter(Streaming::<V>(self)) }
    }
}

struct Streaming<V: Vector>(StreamBlocks<V::Scalar>);

impl<V: Vector> WithIsa for Streaming<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let StreamBlocks { blocks, count, dst, stride } = self.0;
        for i in 0..count {
            // SAFETY: the caller of `StreamBlocks::stream` guarantees it.
            unsafe { stream::<V>(blocks.add(i * BLOCK), dst.add(i * stride), BLOCK) }
        }
    }
}

/// How the last pass of a signal writes its results.
#[derive(Clone, Copy)]
pub(crate) struct LastPass<S> {
    /// Whether the results are conjugated.
    pub(crate) backward: bool,
    /// A factor on the results.
    pub(crate) scale: S,
    /// Whether the stores are non-temporal.
    pub(crate) non_temporal: bool,
}

/// The numbers between the two passes, and results before non-temporal stores. Those write whole
/// cache lines, so the results of an incomplete line wait for the next block of k.
struct TileBuffers<S> {
    blocks: [Block<S>; MOST_PARTS],
    waiting: [Block<S>; MOST_PARTS],
    /// A line that waits, followed by a block.
    run: [Block<S>; 2 * MOST_RADIX],
}

/// The reals of blocks.
#[inline(always)]
fn reals<S, const N: usize>(blocks: *mut [Block<S>; N]) -> Ptr<S> {
    Ptr::new(blocks.cast(), N * BLOCK)
}

impl<S: Scalar> Across<S> {
    pub(crate) fn new(radices: [usize; 2], inner: usize, stride: usize) -> Self {
        let [r, s] = radices;
        let roots = Roots::new((r * s * inner) as u64);
        let between = (0..r).flat_map(|q| (1..s).map(move |l| q * l));
        Across {
            radices,
            inner,
            stride,
            first: twiddles(&roots, s, r, inner),
            second: twiddles(&roots, 1, s, inner),
            between: between.map(|ql| S::root(&roots, (ql * inner) as u64)).collect(),
        }
    }

    /// Transforms the sequences at `src`, which are in blocks, to interleaved numbers at `dst`.
    ///
    /// # Safety
    /// Both are in memory and do not overlap. The CPU has the instructions of `V`.
    pub(crate) unsafe fn transform<V: Vector<Scalar = S>>(&self, src: Ptr<S>, dst: Ptr<S>, last: LastPass<S>) {
        let [r, s] = self.radices;
        // SAFETY: the caller guarantees it.
        let re = unsafe { V::splat(last.scale) };
        let by = C { re, im: if last.backward { -re } else { re } };
        // The tile is not initialised: that would take a tenth of the time of a short signal.
        let mut tile = MaybeUninit::<TileBuffers<S>>::uninit();
        let tile = tile.as_mut_ptr();
        let misalignment = last.non_temporal.then_some(dst.addr() / size_of::<S>() % line::<S>());
        for k in (0..self.inner).step_by(LANES) {
            let src = src.wrapping_add(2 * k);
            // SAFETY: the caller guarantees it. There are r·s ≤ MOST_PARTS blocks, and each is
            // written before it is read.
            unsafe {
                let blocks = reals(&raw mut (*tile).blocks);
                for_radix!(r, R => V::enter(First::<V, R> { across: self, src, tile: blocks, k }));
                for_radix!(s, R => V::enter(Second::<V, R> { across: self, src, tile, dst, k, by, misalignment }));
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
        let Across { radices: [_, s], stride, ref first, .. } = *self.across;
        for l in 0..s {
            for lane in (0..LANES).step_by(V::WIDTH) {
                // SAFETY: the caller of `Across::transform` guarantees it. The butterfly reads
                // sequences l + j·s and writes R blocks of the tile.
                unsafe {
                    let w = Ptr::of(first).cast::<V::Scalar>().add(2 * self.k * (R - 1) + lane);
                    let src = self.src.add(l * stride + lane);
                    let mut z = [zero(); R];
                    for j in 0..R {
                        z[j] = block(src.add(j * s * stride));
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
    tile: *mut TileBuffers<V::Scalar>,
    dst: Ptr<V::Scalar>,
    k: usize,
    by: C<V>,
    /// For non-temporal stores, the reals from the beginning of a cache line to the destination.
    /// They are the same for every run.
    misalignment: Option<usize>,
}

impl<V: Vector, const R: usize> Second<'_, V, R>
where
    [C<V>; R]: Dft,
{
    /// The address in the destination of run p of block q.
    #[inline(always)]
    fn run_start(&self, q: usize, p: usize) -> Ptr<V::Scalar> {
        let Across { radices: [r, _], inner, .. } = *self.across;
        self.dst.wrapping_add(2 * (q + p * r) * inner + 2 * self.k)
    }

    /// The address of the first run of the tile.
    ///
    /// # Safety
    /// The tile is in memory.
    #[inline(always)]
    unsafe fn runs(&self) -> Ptr<V::Scalar> {
        // SAFETY: the caller guarantees it.
        unsafe { reals(&raw mut (*self.tile).run).add(BLOCK) }
    }

    /// The butterflies of one block. They write runs whose distance is `stride` reals.
    #[inline(always)]
    unsafe fn butterflies(&self, q: usize, runs: Ptr<V::Scalar>, stride: usize) {
        let Across { radices: [r, _], ref second, ref between, .. } = *self.across;
        for lane in (0..LANES).step_by(V::WIDTH) {
            // SAFETY: the caller of `Across::transform` guarantees it. The butterfly reads blocks q
            // + l·r of the tile and writes R runs of interleaved numbers.
            unsafe {
                let w = Ptr::of(second).cast::<V::Scalar>().add(2 * self.k * (R - 1) + lane);
                let rotation = Ptr::of(between).add(q * (R - 1));
                let src = reals(&raw mut (*self.tile).blocks).add(q * BLOCK + lane);
                let mut z = [zero(); R];
                for l in 0..R {
                    z[l] = block(src.add(l * r * BLOCK));
                    if l > 0 {
                        let w: C<V> = block(w.add((l - 1) * BLOCK));
                        z[l] = z[l].mul(w.mul(splat(rotation.add(l - 1))));
                    }
                }
                let (z, mut to, stride) = (z.dft(), runs.add(2 * lane), opaque(stride));
                for p in 0..R {
                    store_interleaved(to, C { re: z[p].re * self.by.re, im: z[p].im * self.by.im });
                    to = to.wrapping_add(stride);
                }
            }
        }
    }

    /// Prefetches the next block of k of the sequences q·R … (q+1)·R − 1. There are more sequences
    /// than the processor's own prefetcher follows.
    #[inline(always)]
    fn prefetch(&self, q: usize) {
        for sequence in q * R..(q + 1) * R {
            let next = self.src.wrapping_add(sequence * self.across.stride + BLOCK);
            for i in (0..BLOCK).step_by(line::<V::Scalar>()) {
                V::prefetch(next.wrapping_add(i));
            }
        }
    }

    /// Stores those cache lines of the runs that are complete.
    #[inline(always)]
    unsafe fn put(&self, q: usize, misalignment: usize) {
        let Across { radices: [r, _], inner, .. } = *self.across;
        let line = line::<V::Scalar>();
        for p in 0..R {
            // SAFETY: the caller of `Across::transform` guarantees 2·inner reals at `dst`.
            unsafe {
                let run = self.runs().add(2 * p * BLOCK);
                let waiting = reals(&raw mut (*self.tile).waiting).add((q + p * r) * BLOCK);
                let dst = self.run_start(q, p);
                if self.k > 0 {
                    for i in (0..line).step_by(V::WIDTH) {
                        V::load(waiting.add(i)).store(run.sub(line).add(i));
                    }
                }
                if self.k > 0 || misalignment == 0 {
                    stream::<V>(run.sub(misalignment), dst.sub(misalignment), BLOCK);
                } else {
                    dst.copy_from(run, line - misalignment);
                    stream::<V>(run.add(line - misalignment), dst.add(line - misalignment), BLOCK - line);
                }
                for i in (0..line).step_by(V::WIDTH) {
                    V::load(run.add(BLOCK - line + i)).store(waiting.add(i));
                }
                if self.k + LANES == inner {
                    dst.add(BLOCK - misalignment).copy_from(run.add(BLOCK - misalignment), misalignment);
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
            // SAFETY: the caller of `Across::transform` guarantees it.
            unsafe {
                let (runs, stride) = match self.misalignment {
                    Some(_) => (self.runs(), 2 * BLOCK),
                    None => (self.run_start(q, 0), 2 * r * inner),
                };
                self.prefetch(q);
                self.butterflies(q, runs, stride);
                if let Some(misalignment) = self.misalignment {
                    self.put(q, misalignment);
                }
            }
        }
    }
}
