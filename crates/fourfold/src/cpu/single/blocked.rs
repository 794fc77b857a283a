//! A complex DFT of one signal that does not fit the first-level cache, with the lanes along it. It
//! takes three trips through memory: see [`crate::recipe::rules::intra_vector`].

use crate::cpu::base::machine::Machine;
use crate::cpu::base::sizes::part_stride;
use crate::cpu::dft::pass::across::{Across, LastPass, StreamBlocks};
use crate::cpu::dft::pass::along::{BLOCK, Block, Endpoints, IntraVectorPass, Source};
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, VectorTask};
use crate::cpu::single::intra_vector::{Input, passes};
use crate::recipe::scheme::{FIRST, MOST_PARTS};
use crate::recipe::scheme::{Factor, length};
use std::mem::MaybeUninit;

/// The executable form of [`Scheme::Blocked`](crate::recipe::scheme::Scheme::Blocked).
pub(crate) struct Blocked<S> {
    pub(crate) len: usize,
    /// The elements of a part, and the number of parts.
    part: usize,
    count: usize,
    backward: bool,
    scale: S,
    first: IntraVectorPass<S>,
    further: Vec<IntraVectorPass<S>>,
    across: Across<S>,
    /// Whether the stores of the first and the last trip are non-temporal. They are if the caches
    /// would keep little of the data for the next trip. With less data, the next trip would wait
    /// for memory.
    non_temporal: bool,
}

impl<S: Scalar> Blocked<S> {
    /// Prepares the DFT. `within` has at least three radices, of which the first is [`FIRST`], and
    /// `across` has two.
    pub(crate) fn new(within: &[Factor], across: &[Factor], backward: bool, scale: f64) -> Self {
        let (part, count) = (length(within), length(across));
        let mut further = passes(within, IntraVectorPass::new);
        further.remove(0);
        Blocked {
            len: part * count,
            part,
            count,
            backward,
            scale: S::of(scale),
            first: IntraVectorPass::new(FIRST, part * count / FIRST, 1),
            further,
            across: Across::new([across[0].length(), across[1].length()], part, part_stride(part)),
            non_temporal: 2 * part * count * size_of::<S>() >= Machine::this().stays_cached(),
        }
    }
}

impl<S: Dispatch> Blocked<S> {
    /// Transforms `src` to `out` or, without that, to the second buffer. Returns the address of the
    /// result. `src` may be `out` or the second buffer.
    ///
    /// # Safety
    /// Source and `out` have `len` complex numbers, and the buffers have
    /// [`blocked_reals`](crate::cpu::base::sizes::blocked_reals). They do not overlap otherwise.
    /// The CPU has `isa`.
    pub(crate) unsafe fn transform(&self, isa: Isa, src: Input<S>, [t, z]: [Ptr<S>; 2], out: Option<Ptr<S>>) -> Ptr<S> {
        let out = out.unwrap_or(z);
        // SAFETY: the caller guarantees it.
        unsafe { S::dispatch(isa, BlockedTask { parts: self, src, t, z, out }) };
        out
    }
}

struct BlockedTask<'a, S> {
    parts: &'a Blocked<S>,
    src: Input<S>,
    t: Ptr<S>,
    z: Ptr<S>,
    out: Ptr<S>,
}

impl<S: Dispatch> VectorTask<S> for BlockedTask<'_, S> {
    unsafe fn with_vector<V: Vector<Scalar = S>>(self) {
        let BlockedTask { parts, src, t, z, out } = self;
        let Blocked { count, part, .. } = *parts;
        // SAFETY: the caller guarantees it. `src` is not read after the first pass, and the second
        // buffer has at least two parts.
        unsafe {
            parts.first_pass::<V>(src.source(parts.backward), t);
            for number in 0..count {
                parts.within::<V>(t.add(number * part_stride(part)), [z, z.add(part_stride(part))]);
            }
            let last = LastPass { backward: parts.backward, scale: parts.scale, non_temporal: parts.non_temporal };
            parts.across.transform::<V>(t, out, last);
        }
    }
}

impl<S: Dispatch> Blocked<S> {
    /// The first pass, which writes all parts. With non-temporal stores, it first collects one
    /// block of each part.
    ///
    /// # Safety
    /// As for [`Blocked::transform`]. The CPU has the instructions of `V`.
    unsafe fn first_pass<V: Vector<Scalar = S>>(&self, src: Source<S>, parts: Ptr<S>) {
        let Blocked { count, part, .. } = *self;
        let mut blocks = MaybeUninit::<[Block<S>; MOST_PARTS]>::uninit();
        let blocks = Ptr::new(blocks.as_mut_ptr().cast::<S>(), MOST_PARTS * BLOCK);
        for row in 0..part / FIRST {
            let (dst, range) = (parts.wrapping_add(row * BLOCK), row * count..(row + 1) * count);
            // SAFETY: the caller guarantees it. There is one block for every part.
            unsafe {
                if self.non_temporal {
                    self.first.blocks::<V>(src, range, blocks, BLOCK);
                    StreamBlocks { blocks, count, dst, stride: part_stride(part) }.stream::<V>();
                } else {
                    self.first.blocks::<V>(src, range, dst, part_stride(part));
                }
            }
        }
        V::finish_streams();
    }

    /// The later passes of a part. They use buffers that stay in the cache, and the last one writes
    /// the part in place.
    ///
    /// # Safety
    /// All have the elements of a part and do not overlap. The CPU has the instructions of `V`.
    unsafe fn within<V: Vector<Scalar = S>>(&self, part: Ptr<S>, buffers: [Ptr<S>; 2]) {
        let mut src = part;
        for (i, pass) in self.further.iter().enumerate() {
            let dst = if i + 1 == self.further.len() { part } else { buffers[i % 2] };
            // SAFETY: the caller guarantees it. There are at least two passes, so source and
            // destination of each differ.
            unsafe { pass.further::<V>(&Endpoints { src, dst, backward: false, last: None }) };
            src = dst;
        }
    }
}
