//! Passes of one complex signal with lanes along it: lane j of a vector belongs to element i + j.
//!
//! Between passes the signal stands in blocks of [`LANES`] real parts and as many imaginary ones,
//! whatever the width of the vectors. The first pass has as large a radix, so that the length of
//! every sequence after it is a multiple of every vector's.

use crate::arithmetic::butterfly::Dft;
use crate::arithmetic::complex::C;
use crate::arithmetic::twiddle::Roots;
use crate::cpu::dft::pass::access::{for_radix, opaque, zero};
use crate::cpu::dft::places::Places;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{LANES, Scalar, Vector, WithIsa};
use std::array::from_fn;
use std::ops::Range;

/// Reals of a block.
pub(crate) const BLOCK: usize = 2 * LANES;

/// A block of a table: real parts, then imaginary ones, from the beginning of a cache line on.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Block<S> {
    pub(crate) re: [S; LANES],
    pub(crate) im: [S; LANES],
}

/// One pass, as [`Pass`](crate::cpu::dft::pass::pass::Pass).
pub(crate) struct IntraVectorPass<S> {
    radix: usize,
    groups: usize,
    inner: usize,
    /// For every block of k and every 1 ≤ j < r: w_{r·inner}^{jk}. Empty if `inner` is 1.
    twiddles: Vec<Block<S>>,
}

/// Where a pass reads and writes, and whether the transform goes backwards: forwards between two
/// conjugations.
pub(crate) struct Ways<S> {
    pub(crate) src: Ptr<S>,
    pub(crate) dst: Ptr<S>,
    pub(crate) backward: bool,
    /// Whether the destination has its parts in pairs, with this factor.
    pub(crate) last: Option<S>,
}

impl<S: Scalar> IntraVectorPass<S> {
    pub(crate) fn new(radix: usize, groups: usize, inner: usize) -> Self {
        let roots = Roots::new((radix * groups * inner) as u64);
        let twiddles = if inner == 1 { vec![] } else { twiddles(&roots, groups, radix, inner) };
        IntraVectorPass { radix, groups, inner, twiddles }
    }

    /// The first pass, of radix [`LANES`]: to blocks.
    ///
    /// # Safety
    /// Source and destination hold the signal and do not overlap; the CPU has the instructions of
    /// `V`.
    pub(crate) unsafe fn first<V: Vector<Scalar = S>>(&self, from: Source<S>, dst: Ptr<S>)
    where
        S: Vector<Scalar = S>,
    {
        // SAFETY: the caller's.
        unsafe { self.blocks::<V>(from, 0..self.groups, dst, BLOCK) }
    }

    /// Some blocks of the first pass, the first of them to where the destination begins, each
    /// `apart` reals from the one before.
    ///
    /// # Safety
    /// As [`IntraVectorPass::first`], with a destination that holds them.
    pub(crate) unsafe fn blocks<V: Vector<Scalar = S>>(
        &self,
        from: Source<S>,
        range: Range<usize>,
        dst: Ptr<S>,
        apart: usize,
    ) where
        S: Vector<Scalar = S>,
    {
        let groups = self.groups;
        // SAFETY: the caller's.
        unsafe {
            match from {
                Source::Pairs(from) => V::enter(First::<V, _> { groups, from, range, dst, apart }),
                Source::Conjugates(from) => V::enter(First::<V, _> { groups, from, range, dst, apart }),
                Source::Places(from) => V::enter(First::<V, _> { groups, from, range, dst, apart }),
            }
        }
    }

    /// Any other pass: from blocks to blocks, or to pairs.
    ///
    /// # Safety
    /// As [`IntraVectorPass::first`].
    pub(crate) unsafe fn further<V: Vector<Scalar = S>>(&self, ways: &Ways<S>) {
        // SAFETY: the caller's.
        unsafe {
            match ways.last {
                None => {
                    for_radix!(self.radix, R => V::enter(Further::<V, R, false> { pass: self, ways }))
                }
                Some(_) => {
                    for_radix!(self.radix, R => V::enter(Further::<V, R, true> { pass: self, ways }))
                }
            }
        }
    }
}

/// For every block of k < `inner` and every 1 ≤ j < `radix`: root `groups`·j·k.
pub(crate) fn twiddles<S: Scalar>(roots: &Roots, groups: usize, radix: usize, inner: usize) -> Vec<Block<S>> {
    let blocks = inner / LANES;
    let mut table = Vec::with_capacity(blocks * (radix - 1));
    for (block, j) in (0..blocks).flat_map(|block| (1..radix).map(move |j| (block, j))) {
        let root = |k: usize| S::root(roots, (groups * j * (block * LANES + k)) as u64);
        table.push(Block { re: from_fn(|k| root(k).re), im: from_fn(|k| root(k).im) });
    }
    table
}

/// WIDTH numbers in pairs (re, im).
///
/// # Safety
/// They are there.
#[inline(always)]
pub(crate) unsafe fn pairs<V: Vector>(from: Ptr<V::Scalar>) -> C<V> {
    // SAFETY: the caller's.
    let (re, im) = unsafe { V::unzip(V::load(from), V::load(from.add(V::WIDTH))) };
    C { re, im }
}

/// The reverse of [`pairs`].
///
/// # Safety
/// As there.
#[inline(always)]
pub(crate) unsafe fn put_pairs<V: Vector>(to: Ptr<V::Scalar>, z: C<V>) {
    let (low, high) = V::zip(z.re, z.im);
    // SAFETY: the caller's.
    unsafe {
        low.store(to);
        high.store(to.add(V::WIDTH));
    }
}

/// WIDTH numbers of a block.
///
/// # Safety
/// They are there.
#[inline(always)]
pub(crate) unsafe fn block<V: Vector>(from: Ptr<V::Scalar>) -> C<V> {
    // SAFETY: the caller's.
    unsafe { C { re: V::load(from), im: V::load(from.add(LANES)) } }
}

/// What a DFT along a signal reads.
#[derive(Clone, Copy)]
pub(crate) enum Source<S> {
    /// Complex numbers.
    Pairs(Pairs<S>),
    /// Complex numbers, to be conjugated.
    Conjugates(Conjugates<S>),
    /// Reals in places, two of which, in order, are a complex number.
    Places(Places<S>),
}

impl<S> Source<S> {
    /// Complex numbers at `at`, conjugated if the transform goes backwards.
    pub(crate) fn pairs(at: Ptr<S>, backward: bool) -> Self {
        if backward { Source::Conjugates(Conjugates(at)) } else { Source::Pairs(Pairs(at)) }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Pairs<S>(Ptr<S>);

#[derive(Clone, Copy)]
pub(crate) struct Conjugates<S>(Ptr<S>);

/// How vectors of elements are loaded.
trait Load<S>: Copy {
    /// Elements i … i + WIDTH − 1, which are input `j` of butterflies.
    ///
    /// # Safety
    /// They are there; the CPU has the instructions of `V`.
    unsafe fn load<V: Vector<Scalar = S>>(self, j: usize, i: usize) -> C<V>;
}

impl<S: Scalar> Load<S> for Pairs<S> {
    #[inline(always)]
    unsafe fn load<V: Vector<Scalar = S>>(self, _j: usize, i: usize) -> C<V> {
        // SAFETY: the caller's.
        unsafe { pairs(self.0.add(2 * i)) }
    }
}

impl<S: Scalar> Load<S> for Conjugates<S> {
    #[inline(always)]
    unsafe fn load<V: Vector<Scalar = S>>(self, _j: usize, i: usize) -> C<V> {
        // SAFETY: the caller's.
        unsafe { pairs::<V>(self.0.add(2 * i)).conj() }
    }
}

impl<S: Scalar> Load<S> for Places<S> {
    #[inline(always)]
    unsafe fn load<V: Vector<Scalar = S>>(self, j: usize, i: usize) -> C<V> {
        // SAFETY: the caller's; half of the inputs stand at even places.
        unsafe { if j < LANES / 2 { self.even_pairs(i) } else { self.odd_pairs(i) } }
    }
}

struct First<V: Vector, L> {
    groups: usize,
    from: L,
    range: Range<usize>,
    dst: Ptr<V::Scalar>,
    apart: usize,
}

impl<V: Vector, L: Load<V::Scalar>> First<V, L>
where
    V::Scalar: Vector<Scalar = V::Scalar>,
{
    /// The butterflies of elements l … l + WIDTH − 1.
    #[inline(always)]
    unsafe fn butterflies<W: Vector<Scalar = V::Scalar>>(&self, l: usize) -> [C<W>; LANES] {
        // SAFETY: the caller's.
        let mut z = unsafe { [zero(); LANES] };
        let (mut i, step) = (l, opaque(self.groups));
        for j in 0..LANES {
            // SAFETY: the caller stays within the pass.
            z[j] = unsafe { self.from.load::<W>(j, i) };
            i += step;
        }
        z.dft()
    }

    /// Outputs of butterfly l + i, one block, out of lane i of the vectors.
    #[inline(always)]
    unsafe fn squares<const W: usize>(&self) -> usize {
        let whole = self.range.len() / W * W;
        for l in (0..whole).step_by(W) {
            // SAFETY: W blocks from block l on are in the destination.
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
                        let to = self.dst.add((l + i) * self.apart + c);
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
        // SAFETY: the caller of `IntraVectorPass::blocks`: as many butterflies.
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
                    let to = self.dst.add(l * self.apart + q);
                    to.write(z.re);
                    to.add(LANES).write(z.im);
                }
            }
        }
    }
}

struct Further<'a, V: Vector, const R: usize, const LAST: bool> {
    pass: &'a IntraVectorPass<V::Scalar>,
    ways: &'a Ways<V::Scalar>,
}

impl<V: Vector, const R: usize, const LAST: bool> Further<'_, V, R, LAST>
where
    [C<V>; R]: Dft,
{
    /// The butterflies of WIDTH elements: inputs `step` reals apart from `src` on; outputs `2 ·
    /// inner` reals apart from `dst` on, in the last pass with the factors `by` on their parts.
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
                    put_pairs(at, C { re: z[q].re * by.re, im: z[q].im * by.im });
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
        // SAFETY: the caller's.
        let by = unsafe { V::splat(self.ways.last.unwrap_or(V::Scalar::of(1.0))) };
        let by = C { re: by, im: if self.ways.backward { -by } else { by } };
        // Pairs take twice the places of one part of a block.
        let spread = if LAST { 2 } else { 1 };
        for l in 0..groups {
            for k in (0..inner).step_by(LANES) {
                for lane in (0..LANES).step_by(V::WIDTH) {
                    // SAFETY: sequences l + j·groups of `inner` elements in, one of R·inner out,
                    // and their twiddles.
                    unsafe {
                        let src = self.ways.src.add(2 * (l * inner + k) + lane);
                        let w = Ptr::of(twiddles).cast::<V::Scalar>().add(2 * k * (R - 1) + lane);
                        let dst = self.ways.dst.add(2 * (l * R * inner + k) + spread * lane);
                        self.butterflies(src, 2 * groups * inner, w, dst, by);
                    }
                }
            }
        }
    }
}
