//! Passes of one complex signal with the lanes along it: lane j of a vector belongs to element i +
//! j.
//!
//! Between passes, the signal is stored in blocks of [`LANES`] real parts, followed by [`LANES`]
//! imaginary parts, for every width of vectors. The radix of the first pass is also [`LANES`]. So
//! the length of every sequence after it is a multiple of the width of every vector.

use crate::arithmetic::butterfly::Dft;
use crate::arithmetic::complex::C;
use crate::arithmetic::twiddle::Roots;
use crate::cpu::dft::pass::access::{for_radix, opaque, zero};
use crate::cpu::dft::places::Places;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{LANES, Scalar, Vector, WithIsa};
use std::array::from_fn;
use std::ops::Range;

/// The reals of a block.
pub(crate) const BLOCK: usize = 2 * LANES;

/// A block of a table: real parts, then imaginary parts. It is aligned to a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Block<S> {
    pub(crate) re: [S; LANES],
    pub(crate) im: [S; LANES],
}

/// One pass with separate vectors of real and imaginary parts.
pub(crate) struct IntraVectorPass<S> {
    radix: usize,
    groups: usize,
    inner: usize,
    /// For every block of k and every 1 ≤ j < r, the block of w_{r·inner}^{jk}. Empty if `inner` is
    /// 1.
    twiddles: Vec<Block<S>>,
}

/// Source and destination of a pass. A backward transform is a forward one between two
/// conjugations, which the first and the last pass include.
pub(crate) struct Endpoints<S> {
    pub(crate) src: Ptr<S>,
    pub(crate) dst: Ptr<S>,
    pub(crate) backward: bool,
    /// Set for the last pass, which writes interleaved numbers: a factor on them.
    pub(crate) last: Option<S>,
}

impl<S: Scalar> IntraVectorPass<S> {
    pub(crate) fn new(radix: usize, groups: usize, inner: usize) -> Self {
        let roots = Roots::new((radix * groups * inner) as u64);
        let twiddles = if inner == 1 { vec![] } else { twiddles(&roots, groups, radix, inner) };
        IntraVectorPass { radix, groups, inner, twiddles }
    }

    /// The first pass, of radix [`LANES`]. It writes blocks.
    ///
    /// # Safety
    /// Source and destination have the elements of the signal and do not overlap. The CPU has the
    /// instructions of `V`.
    pub(crate) unsafe fn first<V: Vector<Scalar = S>>(&self, from: Source<S>, dst: Ptr<S>)
    where
        S: Vector<Scalar = S>,
    {
        // SAFETY: the caller guarantees it.
        unsafe { self.blocks::<V>(from, 0..self.groups, dst, BLOCK) }
    }

    /// The blocks `range` of the first pass. The first one is written to `dst`, and each other one
    /// `stride` reals after the one before.
    ///
    /// # Safety
    /// As for [`IntraVectorPass::first`], with a destination that has these blocks.
    pub(crate) unsafe fn blocks<V: Vector<Scalar = S>>(
        &self,
        from: Source<S>,
        range: Range<usize>,
        dst: Ptr<S>,
        stride: usize,
    ) where
        S: Vector<Scalar = S>,
    {
        let groups = self.groups;
        // SAFETY: the caller guarantees it.
        unsafe {
            match from {
                Source::Interleaved(from) => V::enter(First::<V, _> { groups, from, range, dst, stride }),
                Source::Conjugates(from) => V::enter(First::<V, _> { groups, from, range, dst, stride }),
                Source::Places(from) => V::enter(First::<V, _> { groups, from, range, dst, stride }),
            }
        }
    }

    /// Any later pass, from blocks to blocks or, for the last pass, to interleaved numbers.
    ///
    /// # Safety
    /// As for [`IntraVectorPass::first`].
    pub(crate) unsafe fn further<V: Vector<Scalar = S>>(&self, ends: &Endpoints<S>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match ends.last {
                None => {
                    for_radix!(self.radix, R => V::enter(Further::<V, R, false> { pass: self, ends }))
                }
                Some(_) => {
                    for_radix!(self.radix, R => V::enter(Further::<V, R, true> { pass: self, ends }))
                }
            }
        }
    }
}

/// For every block of k < `inner` and every 1 ≤ j < `radix`, the block of roots of index
/// `groups`·j·k.
pub(crate) fn twiddles<S: Scalar>(roots: &Roots, groups: usize, radix: usize, inner: usize) -> Vec<Block<S>> {
    let blocks = inner / LANES;
    let mut table = Vec::with_capacity(blocks * (radix - 1));
    for (block, j) in (0..blocks).flat_map(|block| (1..radix).map(move |j| (block, j))) {
        let root = |k: usize| S::root(roots, (groups * j * (block * LANES + k)) as u64);
        table.push(Block { re: from_fn(|k| root(k).re), im: from_fn(|k| root(k).im) });
    }
    table
}

/// Loads WIDTH interleaved numbers (re, im).
///
/// # Safety
/// The numbers are in memory.
#[inline(always)]
pub(crate) unsafe fn load_interleaved<V: Vector>(from: Ptr<V::Scalar>) -> C<V> {
    // SAFETY: the caller guarantees it.
    let (re, im) = unsafe { V::unzip(V::load(from), V::load(from.add(V::WIDTH))) };
    C { re, im }
}

/// Stores WIDTH interleaved numbers (re, im).
///
/// # Safety
/// The numbers are writable.
#[inline(always)]
pub(crate) unsafe fn store_interleaved<V: Vector>(to: Ptr<V::Scalar>, z: C<V>) {
    let (low, high) = V::zip(z.re, z.im);
    // SAFETY: the caller guarantees it.
    unsafe {
        low.store(to);
        high.store(to.add(V::WIDTH));
    }
}

/// WIDTH numbers of a block.
///
/// # Safety
/// The numbers are in memory.
#[inline(always)]
pub(crate) unsafe fn block<V: Vector>(from: Ptr<V::Scalar>) -> C<V> {
    // SAFETY: the caller guarantees it.
    unsafe { C { re: V::load(from), im: V::load(from.add(LANES)) } }
}

/// The source of a DFT along a signal.
#[derive(Clone, Copy)]
pub(crate) enum Source<S> {
    /// Complex numbers.
    Interleaved(Interleaved<S>),
    /// Complex numbers, which are conjugated.
    Conjugates(Conjugates<S>),
    /// Reals, whose pairs of neighbours in even-odd order are complex numbers.
    Places(Places<S>),
}

impl<S> Source<S> {
    /// Complex numbers at `at`, which are conjugated for a backward transform.
    pub(crate) fn interleaved(at: Ptr<S>, backward: bool) -> Self {
        if backward { Source::Conjugates(Conjugates(at)) } else { Source::Interleaved(Interleaved(at)) }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Interleaved<S>(Ptr<S>);

#[derive(Clone, Copy)]
pub(crate) struct Conjugates<S>(Ptr<S>);

/// Loads vectors of elements.
trait Load<S>: Copy {
    /// Loads elements i … i + WIDTH − 1, which are input `j` of butterflies.
    ///
    /// # Safety
    /// They are there; the CPU has the instructions of `V`.
    unsafe fn load<V: Vector<Scalar = S>>(self, j: usize, i: usize) -> C<V>;
}

impl<S: Scalar> Load<S> for Interleaved<S> {
    #[inline(always)]
    unsafe fn load<V: Vector<Scalar = S>>(self, _j: usize, i: usize) -> C<V> {
        // SAFETY: the caller guarantees it.
        unsafe { load_interleaved(self.0.add(2 * i)) }
    }
}

impl<S: Scalar> Load<S> for Conjugates<S> {
    #[inline(always)]
    unsafe fn load<V: Vector<Scalar = S>>(self, _j: usize, i: usize) -> C<V> {
        // SAFETY: the caller guarantees it.
        unsafe { load_interleaved::<V>(self.0.add(2 * i)).conj() }
    }
}

impl<S: Scalar> Load<S> for Places<S> {
    #[inline(always)]
    unsafe fn load<V: Vector<Scalar = S>>(self, j: usize, i: usize) -> C<V> {
        // SAFETY: the caller guarantees it. The first half of the inputs has even indices.
        unsafe { if j < LANES / 2 { self.even_pairs(i) } else { self.odd_pairs(i) } }
    }
}

struct First<V: Vector, L> {
    groups: usize,
    from: L,
    range: Range<usize>,
    dst: Ptr<V::Scalar>,
    stride: usize,
}

impl<V: Vector, L: Load<V::Scalar>> First<V, L>
where
    V::Scalar: Vector<Scalar = V::Scalar>,
{
    /// The butterflies of elements l … l + WIDTH − 1.
    #[inline(always)]
    unsafe fn butterflies<W: Vector<Scalar = V::Scalar>>(&self, l: usize) -> [C<W>; LANES] {
        // SAFETY: the caller guarantees it.
        let mut z = unsafe { [zero(); LANES] };
        let (mut i, step) = (l, opaque(self.groups));
        for j in 0..LANES {
            // SAFETY: the caller stays within the pass.
            z[j] = unsafe { self.from.load::<W>(j, i) };
            i += step;
        }
        z.dft()
    }

    /// Computes W butterflies at a time. The outputs of butterfly l + i, which are in lane i of the
    /// vectors, become one block by transposing W × W squares. Returns the number of butterflies
    /// that were computed.
    #[inline(always)]
    unsafe fn squares<const W: usize>(&self) -> usize {
        let whole = self.range.len() / W * W;
        for l in (0..whole).step_by(W) {
            // SAFETY: the destination has the W blocks from l on.
            unsafe {
                let z = self.butterflies::<V>(self.range.start + l);
                for c in (0..LANES).step_by(W) {
                    let (mut re, mut im) = ([z[0].re; W], [z[0].im; W]);
                    for i in 0..W {
                        (re[i], im[i]) = (z[c + i].re, z[c + i].im);
                    }
                    V::transpose(&mut re);
                    V::transpose(&mut im);
                    for i in 0..W {
                        let to = self.dst.add((l + i) * self.stride + c);
                        re[i].store(to);
                        im[i].store(to.add(LANES));
                    }
                }
            }
        }
        whole
    }
}

impl<V: Vector, L: Load<V::Scalar>> WithIsa for First<V, L>
where
    V::Scalar: Vector<Scalar = V::Scalar>,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        // SAFETY: the caller of `IntraVectorPass::blocks` guarantees it.
        unsafe {
            let whole = match V::WIDTH {
                2 => self.squares::<2>(),
                4 => self.squares::<4>(),
                8 => self.squares::<8>(),
                16 => self.squares::<16>(),
                _ => 0,
            };
            for l in whole..self.range.len() {
                let z = self.butterflies::<V::Scalar>(self.range.start + l);
                for (q, z) in z.into_iter().enumerate() {
                    let to = self.dst.add(l * self.stride + q);
                    to.write(z.re);
                    to.add(LANES).write(z.im);
                }
            }
        }
    }
}

struct Further<'a, V: Vector, const R: usize, const LAST: bool> {
    pass: &'a IntraVectorPass<V::Scalar>,
    ends: &'a Endpoints<V::Scalar>,
}

impl<V: Vector, const R: usize, const LAST: bool> Further<'_, V, R, LAST>
where
    [C<V>; R]: Dft,
{
    /// The butterflies of WIDTH elements. The inputs begin at `src` and have the distance `step`.
    /// The outputs begin at `dst` and have the distance 2 · `inner`. The last pass multiplies their
    /// parts by `by`.
    #[inline(always)]
    unsafe fn butterflies(&self, src: Ptr<V::Scalar>, step: usize, w: Ptr<V::Scalar>, dst: Ptr<V::Scalar>, by: C<V>) {
        // SAFETY: the caller stays within the pass.
        unsafe {
            let (mut z, mut at, step) = ([zero(); R], src, opaque(step));
            for j in 0..R {
                z[j] = block(at);
                if j > 0 {
                    z[j] = z[j].mul(block(w.add((j - 1) * BLOCK)));
                }
                at = at.wrapping_add(step);
            }
            let (z, mut at, step) = (z.dft(), dst, opaque(2 * self.pass.inner));
            for q in 0..R {
                if LAST {
                    store_interleaved(at, C { re: z[q].re * by.re, im: z[q].im * by.im });
                } else {
                    z[q].re.store(at);
                    z[q].im.store(at.add(LANES));
                }
                at = at.wrapping_add(step);
            }
        }
    }
}

impl<V: Vector, const R: usize, const LAST: bool> WithIsa for Further<'_, V, R, LAST>
where
    [C<V>; R]: Dft,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        let IntraVectorPass { groups, inner, ref twiddles, .. } = *self.pass;
        // SAFETY: the caller guarantees it.
        let by = unsafe { V::splat(self.ends.last.unwrap_or(V::Scalar::of(1.0))) };
        let by = C { re: by, im: if self.ends.backward { -by } else { by } };
        // Interleaved numbers take two reals each, and one part of a block takes one.
        let spread = if LAST { 2 } else { 1 };
        for l in 0..groups {
            for k in (0..inner).step_by(LANES) {
                for lane in (0..LANES).step_by(V::WIDTH) {
                    // SAFETY: the butterfly reads sequences l + j·groups of `inner` elements,
                    // writes one of R·inner, and has the twiddle factors of all k.
                    unsafe {
                        let src = self.ends.src.add(2 * (l * inner + k) + lane);
                        let w = Ptr::of(twiddles).cast::<V::Scalar>().add(2 * k * (R - 1) + lane);
                        let dst = self.ends.dst.add(2 * (l * R * inner + k) + spread * lane);
                        self.butterflies(src, 2 * groups * inner, w, dst, by);
                    }
                }
            }
        }
    }
}
