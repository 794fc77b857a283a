//! A complex DFT of one signal that leaves the first-level cache, with lanes along it, in three
//! trips through memory (see [`crate::recipe::rules::intra_vector`]).

use crate::cpu::base::machine::Machine;
use crate::cpu::base::sizes::part_stride;
use crate::cpu::dft::pass::across::{Across, Last, Spread};
use crate::cpu::dft::pass::along::{BLOCK, Block, IntraVectorPass, Source, Ways};
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, VectorTask};
use crate::cpu::single::intra_vector::{Input, passes};
use crate::recipe::scheme::{FIRST, MOST_PARTS};
use crate::recipe::scheme::{Factor, length};
use std::mem::MaybeUninit;

/// The executable form of [`Scheme::Parts`](crate::recipe::scheme::Scheme::Blocked).
pub(crate) struct Blocked<S> {
    pub(crate) len: usize,
    /// Elements of a part, and how many there are.
    part: usize,
    count: usize,
    backward: bool,
    scale: S,
    first: IntraVectorPass<S>,
    further: Vec<IntraVectorPass<S>>,
    across: Across<S>,
    /// Whether the first and the last trip store past the caches: a trip finds little there of what
    /// the one before it wrote. With less data, that would make the next trip wait for memory.
    non_temporal: bool,
}

impl<S: Scalar> Blocked<S> {
    /// `within` are three or more radices, the first [`FIRST`]; `across` are two.
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
    /// The DFT of what is at `src` to `out`, else to the second buffer; says where it is. `src` may
    /// be `out` or the second buffer.
    ///
    /// # Safety
    /// Source and `out` hold `len` complex numbers, the buffers [`blocked_reals`](crate::cpu::base::sizes::blocked_reals), and else they do not
    /// overlap; the CPU has `isa`.
    pub(crate) unsafe fn run(&self, isa: Isa, src: Input<S>, [t, z]: [Ptr<S>; 2], out: Option<Ptr<S>>) -> Ptr<S> {
        let out = out.unwrap_or(z);
        // SAFETY: the caller's.
        unsafe { S::dispatch(isa, Running { parts: self, src, t, z, out }) };
        out
    }
}

struct Running<'a, S> {
    parts: &'a Blocked<S>,
    src: Input<S>,
    t: Ptr<S>,
    z: Ptr<S>,
    out: Ptr<S>,
}

impl<S: Dispatch> VectorTask<S> for Running<'_, S> {
    unsafe fn with_vector<V: Vector<Scalar = S>>(self) {
        let Running { parts, src, t, z, out } = self;
        let Blocked { count, part, .. } = *parts;
        // SAFETY: the caller's; `src` is not read after the first pass, and the second buffer has
        // room for two parts.
        unsafe {
            parts.spread::<V>(src.source(parts.backward), t);
            for number in 0..count {
                parts.within::<V>(t.add(number * part_stride(part)), [z, z.add(part_stride(part))]);
            }
            let last = Last { backward: parts.backward, scale: parts.scale, non_temporal: parts.non_temporal };
            parts.across.run::<V>(t, out, last);
        }
    }
}

impl<S: Dispatch> Blocked<S> {
    /// The first pass of all parts, straight to them or, past the caches, a block of each at a
    /// time.
    ///
    /// # Safety
    /// As [`Blocked::run`]; the CPU has the instructions of `V`.
    unsafe fn spread<V: Vector<Scalar = S>>(&self, src: Source<S>, parts: Ptr<S>) {
        let Blocked { count, part, .. } = *self;
        let mut blocks = MaybeUninit::<[Block<S>; MOST_PARTS]>::uninit();
        let blocks = Ptr::new(blocks.as_mut_ptr().cast::<S>(), MOST_PARTS * BLOCK);
        for row in 0..part / FIRST {
            let (dst, range) = (parts.wrapping_add(row * BLOCK), row * count..(row + 1) * count);
            // SAFETY: the caller's; a block of every part.
            unsafe {
                if self.non_temporal {
                    self.first.blocks::<V>(src, range, blocks, BLOCK);
                    Spread { blocks, count, dst, apart: part_stride(part) }.run::<V>();
                } else {
                    self.first.blocks::<V>(src, range, dst, part_stride(part));
                }
            }
        }
        V::finish_streams();
    }

    /// The further passes of a part, through buffers that stay in the cache, back to where it
    /// stands.
    ///
    /// # Safety
    /// All hold a part and do not overlap; the CPU has the instructions of `V`.
    unsafe fn within<V: Vector<Scalar = S>>(&self, part: Ptr<S>, buffers: [Ptr<S>; 2]) {
        let mut src = part;
        for (i, pass) in self.further.iter().enumerate() {
            let dst = if i + 1 == self.further.len() { part } else { buffers[i % 2] };
            // SAFETY: the caller's; two passes or more, so that none writes what it reads.
            unsafe { pass.further::<V>(&Ways { src, dst, backward: false, last: None }) };
            src = dst;
        }
    }
}
