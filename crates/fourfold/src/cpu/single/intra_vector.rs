//! A complex DFT of one signal with the lanes along it, since there are too few lines to fill the
//! lanes.

use crate::cpu::dft::pass::along::{Endpoints, IntraVectorPass, Source};
use crate::cpu::dft::pass::interleaved::InterleavedPass;
use crate::cpu::dft::places::Places;
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, VectorTask};
use crate::recipe::rules::intra_vector::is_interleaved;
use crate::recipe::scheme::FIRST;
use crate::recipe::scheme::{Factor, length};

/// The executable form of [`Scheme::IntraVector`](crate::recipe::scheme::Scheme::IntraVector).
pub(crate) struct IntraVector<S> {
    pub(crate) len: usize,
    backward: bool,
    scale: S,
    passes: Passes<S>,
}

enum Passes<S> {
    Blocks(Vec<IntraVectorPass<S>>),
    Interleaved(Vec<InterleavedPass<S>>),
}

/// The passes of a DFT, one for each factor. The arguments of `pass` are the radix, the groups, and
/// the length of the sequences that the pass reads.
pub(crate) fn passes<P>(factors: &[Factor], pass: impl Fn(usize, usize, usize) -> P) -> Vec<P> {
    let (len, mut inner) = (length(factors), 1);
    let next = |factor: &Factor| {
        let radix = factor.length();
        let next = pass(radix, len / (inner * radix), inner);
        inner *= radix;
        next
    };
    factors.iter().map(next).collect()
}

impl<S: Scalar> IntraVector<S> {
    /// Prepares the DFT. `factors` has at least two radices, of which the first is [`FIRST`].
    pub(crate) fn new(factors: &[Factor], backward: bool, scale: f64) -> Self {
        let len = length(factors);
        let passes = match is_interleaved(len, size_of::<S>()) {
            true => Passes::Interleaved(passes(factors, InterleavedPass::new)),
            false => Passes::Blocks(passes(factors, IntraVectorPass::new)),
        };
        IntraVector { len, backward, scale: S::of(scale), passes }
    }

    fn count(&self) -> usize {
        match &self.passes {
            Passes::Blocks(passes) => passes.len(),
            Passes::Interleaved(passes) => passes.len(),
        }
    }
}

impl<S: Dispatch> IntraVector<S> {
    /// Whether the first pass reads reals in even-odd order.
    pub(crate) fn takes_places(&self) -> bool {
        matches!(self.passes, Passes::Blocks(_))
    }

    /// Transforms `src` to `out` or, without that, to one of the buffers. Returns the address of
    /// the result. `src` may be `out` or the second buffer.
    ///
    /// # Safety
    /// All have `len` complex numbers. They do not overlap otherwise. The CPU has `isa`.
    pub(crate) unsafe fn transform(
        &self,
        isa: Isa,
        src: Input<S>,
        buffers: [Ptr<S>; 2],
        out: Option<Ptr<S>>,
    ) -> Ptr<S> {
        // The bytes of neighbouring numbers in the first pass, which a vector must not exceed.
        // Signals that are long enough for blocks fill every vector.
        let room = self.len / FIRST * 2 * size_of::<S>();
        let isa = match isa {
            Isa::Avx512 | Isa::Avx2 if room < Isa::Avx2.vector_bytes::<S>() => Isa::Simd128,
            Isa::Avx512 if room < isa.vector_bytes::<S>() => Isa::Avx2,
            Isa::Avx512 | Isa::Avx2 | Isa::Simd128 | Isa::Scalar => isa,
        };
        // SAFETY: the caller guarantees it. A CPU with AVX has the narrower sets.
        unsafe { S::dispatch(isa, IntraVectorTask { along: self, src, buffers, out }) };
        out.unwrap_or(buffers[(self.count() - 1) % 2])
    }
}

/// The input of the DFT of a signal.
#[derive(Clone, Copy)]
pub(crate) enum Input<S> {
    /// Complex numbers.
    Interleaved(Ptr<S>),
    /// Reals, whose pairs of neighbours in even-odd order are complex numbers. Only forward
    /// transforms read them.
    Places(Places<S>),
}

impl<S> Input<S> {
    /// The address of its memory.
    pub(crate) fn address(&self) -> Ptr<S> {
        match self {
            Input::Interleaved(at) => *at,
            Input::Places(places) => places.from,
        }
    }

    pub(crate) fn source(self, backward: bool) -> Source<S> {
        match self {
            Input::Interleaved(at) => Source::interleaved(at, backward),
            Input::Places(places) => Source::Places(places),
        }
    }
}

struct IntraVectorTask<'a, S> {
    along: &'a IntraVector<S>,
    src: Input<S>,
    buffers: [Ptr<S>; 2],
    out: Option<Ptr<S>>,
}

impl<S: Dispatch> VectorTask<S> for IntraVectorTask<'_, S> {
    unsafe fn with_vector<V: Vector<Scalar = S>>(self) {
        let IntraVectorTask { along, src: input, buffers, out } = self;
        let mut src = input.address();
        for i in 0..along.count() {
            let last = (i + 1 == along.count()).then_some(along.scale);
            let dst = out.filter(|_| last.is_some()).unwrap_or(buffers[i % 2]);
            let ends = Endpoints { src, dst, backward: along.backward, last };
            // SAFETY: the caller guarantees it. The first pass writes the first buffer, and source
            // and destination of each pass differ. [`IntraVector::transform`] chose vectors that
            // the numbers of the first pass fill.
            unsafe {
                match &along.passes {
                    Passes::Blocks(passes) if i == 0 => passes[i].first::<V>(input.source(along.backward), dst),
                    Passes::Blocks(passes) => passes[i].further::<V>(&ends),
                    Passes::Interleaved(passes) if i == 0 => passes[i].first::<V>(&ends),
                    Passes::Interleaved(passes) => passes[i].further::<V>(&ends),
                }
            }
            src = dst;
        }
    }
}
