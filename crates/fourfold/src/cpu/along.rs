//! A complex DFT of one signal with lanes along it, for when there are no other lines to fill them with.

use super::dispatch::Isa;
use super::engine::Precise;
use super::lane::{Job, Lane, Scalar};
use super::pass::along::{PassAlong, Ways};
use crate::rules::along::FIRST;
use crate::rules::mixed_radix::{Factor, length};

/// The executable form of [`Scheme::Along`](crate::Scheme::Along).
pub(crate) struct Along<S> {
    pub(crate) len: usize,
    backward: bool,
    scale: S,
    pub(super) passes: Vec<PassAlong<S>>,
}

impl<S: Scalar> Along<S> {
    /// `factors` are two or more radices, the first [`FIRST`].
    pub(crate) fn new(factors: &[Factor], backward: bool, scale: f64) -> Self {
        let (len, mut inner) = (length(factors), 1);
        let pass = |factor: &Factor| {
            let radix = factor.length();
            let pass = PassAlong::new(radix, len / (inner * radix), inner);
            inner *= radix;
            pass
        };
        Along { len, backward, scale: S::of(scale), passes: factors.iter().map(pass).collect() }
    }
}

impl<S: Precise> Along<S> {
    /// The DFT of the pairs at `src` to `out`, else to one of the buffers; says where it is. `src` may be `out` or the second buffer.
    ///
    /// # Safety
    /// All hold `len` complex numbers, and else do not overlap; the CPU has `isa`.
    pub(crate) unsafe fn run(&self, isa: Isa, src: *const S, buffers: [*mut S; 2], out: Option<*mut S>) -> *mut S {
        // The butterflies of the first pass stand side by side; they should fill a vector.
        let fills = |isa: Isa| isa.vector_bytes::<S>() <= self.len / FIRST * size_of::<S>();
        let isa = if isa == Isa::Avx512 && !fills(isa) { Isa::Avx2 } else { isa };
        // SAFETY: the caller's; AVX-512 includes AVX2.
        unsafe { S::dispatch(isa, Running { along: self, src, buffers, out }) };
        out.unwrap_or(buffers[(self.passes.len() - 1) % 2])
    }
}

struct Running<'a, S> {
    along: &'a Along<S>,
    src: *const S,
    buffers: [*mut S; 2],
    out: Option<*mut S>,
}

impl<S: Precise> Job<S> for Running<'_, S> {
    unsafe fn run<V: Lane<Scalar = S>>(self) {
        let Running { along: Along { passes, backward, scale, .. }, mut src, buffers, out } = self;
        for (i, pass) in passes.iter().enumerate() {
            let last = (i + 1 == passes.len()).then_some(*scale);
            let dst = out.filter(|_| last.is_some()).unwrap_or(buffers[i % 2]);
            let ways = Ways { src, dst, backward: *backward, last };
            // SAFETY: the caller's; the first pass writes the first buffer, and no pass writes what it reads.
            unsafe { if i == 0 { pass.first::<V>(&ways) } else { pass.further::<V>(&ways) } }
            src = dst;
        }
    }
}
