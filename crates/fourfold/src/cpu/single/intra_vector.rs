//! A complex DFT of one signal with lanes along it, for when there are no other lines to fill them
//! with.

use crate::cpu::dft::pass::along::{IntraVectorPass, Source, Ways};
use crate::cpu::dft::pass::paired::InterleavedPass;
use crate::cpu::dft::places::Places;
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, VectorTask};
use crate::recipe::rules::intra_vector::is_paired;
use crate::recipe::scheme::FIRST;
use crate::recipe::scheme::{Factor, length};

/// The executable form of [`Scheme::Along`](crate::recipe::scheme::Scheme::IntraVector).
pub(crate) struct IntraVector<S> {
    pub(crate) len: usize,
    backward: bool,
    scale: S,
    passes: Passes<S>,
}

enum Passes<S> {
    Blocks(Vec<IntraVectorPass<S>>),
    Pairs(Vec<InterleavedPass<S>>),
}

/// A pass after each factor: `pass` of radix, groups and length of the sequences before it.
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
    /// `factors` are two or more radices, the first [`FIRST`].
    pub(crate) fn new(factors: &[Factor], backward: bool, scale: f64) -> Self {
        let len = length(factors);
        let passes = match is_paired(len, size_of::<S>()) {
            true => Passes::Pairs(passes(factors, InterleavedPass::new)),
            false => Passes::Blocks(passes(factors, IntraVectorPass::new)),
        };
        IntraVector { len, backward, scale: S::of(scale), passes }
    }

    fn count(&self) -> usize {
        match &self.passes {
            Passes::Blocks(passes) => passes.len(),
            Passes::Pairs(passes) => passes.len(),
        }
    }
}

impl<S: Dispatch> IntraVector<S> {
    /// Whether reals need not stand in order.
    pub(crate) fn takes_places(&self) -> bool {
        matches!(self.passes, Passes::Blocks(_))
    }

    /// The DFT of what is at `src` to `out`, else to one of the buffers; says where it is. `src`
    /// may be `out` or the second buffer.
    ///
    /// # Safety
    /// All hold `len` complex numbers, and else do not overlap; the CPU has `isa`.
    pub(crate) unsafe fn run(&self, isa: Isa, src: Input<S>, buffers: [Ptr<S>; 2], out: Option<Ptr<S>>) -> Ptr<S> {
        // Pairs that stand side by side in the first pass, which vectors should not exceed. What is
        // long enough for blocks fills any vector.
        let room = self.len / FIRST * 2 * size_of::<S>();
        let isa = match isa {
            Isa::Avx512 | Isa::Avx2 if room < Isa::Avx2.vector_bytes::<S>() => Isa::Simd128,
            Isa::Avx512 if room < isa.vector_bytes::<S>() => Isa::Avx2,
            _ => isa,
        };
        // SAFETY: the caller's; a CPU with AVX has the narrower sets.
        unsafe { S::dispatch(isa, Running { along: self, src, buffers, out }) };
        out.unwrap_or(buffers[(self.count() - 1) % 2])
    }
}

/// What the DFT of a signal reads.
#[derive(Clone, Copy)]
pub(crate) enum Input<S> {
    /// Complex numbers.
    Pairs(Ptr<S>),
    /// Reals in places, two of which, in order, are a complex number; not to be transformed
    /// backwards.
    Places(Places<S>),
}

impl<S> Input<S> {
    /// Where it begins.
    pub(crate) fn address(&self) -> Ptr<S> {
        match self {
            Input::Pairs(at) => *at,
            Input::Places(places) => places.from,
        }
    }

    pub(crate) fn source(self, backward: bool) -> Source<S> {
        match self {
            Input::Pairs(at) => Source::pairs(at, backward),
            Input::Places(places) => Source::Places(places),
        }
    }
}

struct Running<'a, S> {
    along: &'a IntraVector<S>,
    src: Input<S>,
    buffers: [Ptr<S>; 2],
    out: Option<Ptr<S>>,
}

impl<S: Dispatch> VectorTask<S> for Running<'_, S> {
    unsafe fn with_vector<V: Vector<Scalar = S>>(self) {
        let Running { along, src: input, buffers, out } = self;
        let mut src = input.address();
        for i in 0..along.count() {
            let last = (i + 1 == along.count()).then_some(along.scale);
            let dst = out.filter(|_| last.is_some()).unwrap_or(buffers[i % 2]);
            let ways = Ways { src, dst, backward: along.backward, last };
            // SAFETY: the caller's; the first pass writes the first buffer, and no pass writes what
            // it reads. [`IntraVector::run`] chose vectors that the pairs of the first pass fill.
            unsafe {
                match &along.passes {
                    Passes::Blocks(passes) if i == 0 => passes[i].first::<V>(input.source(along.backward), dst),
                    Passes::Blocks(passes) => passes[i].further::<V>(&ways),
                    Passes::Pairs(passes) if i == 0 => passes[i].first::<V>(&ways),
                    Passes::Pairs(passes) => passes[i].further::<V>(&ways),
                }
            }
            src = dst;
        }
    }
}
