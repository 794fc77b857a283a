//! A DFT of one line of vectors: its passes, between two buffers.

use crate::arithmetic::twiddle::Roots;
use crate::cpu::base::sizes::work;
use crate::cpu::dft::factor::bluestein;
use crate::cpu::dft::factor::inner::Inner;
use crate::cpu::dft::factor::kernel::Kernel;
use crate::cpu::dft::pass::access::Steps;
use crate::cpu::dft::pass::pass::Pass;
use crate::cpu::dft::pass::terms::Terms;
use crate::cpu::dft::permuted::Permuted;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, WithIsa};
use crate::recipe::reduction::Data;
use crate::recipe::scheme::{Factor, length};
use num_complex::Complex;

/// The executable form of a DFT of given factors.
pub(crate) struct Dft<S> {
    data: Data,
    len: usize,
    passes: Vec<Pass<S, Dft<S>>>,
}

impl<S: Scalar> Dft<S> {
    /// The factors in the order of a forward transform; backward real ones run from the last to the
    /// first.
    pub(crate) fn new(data: Data, factors: &[Factor]) -> Self {
        Dft::several(data, factors, 1)
    }

    /// So many DFTs at once: the one of number s has the elements s, s + `count`, …; their results
    /// stand one after the other.
    pub(crate) fn several(data: Data, factors: &[Factor], count: usize) -> Self {
        let len = length(factors);
        let roots = Roots::new(len as u64);
        let mut inner = 1;
        let mut passes: Vec<_> = factors
            .iter()
            .map(|factor| {
                let radix = factor.length();
                let groups = len / (inner * radix);
                let terms = if matches!(data, Data::Real | Data::Hermitian) { inner / 2 } else { inner - 1 };
                let twiddles = twiddles(&roots, groups, radix, terms);
                let steps = Steps { groups: count * groups, inner, twiddles };
                let pass = Pass { kernel: Kernel::new(factor), steps };
                inner *= radix;
                pass
            })
            .collect();
        if data == Data::Hermitian {
            passes.reverse();
        }
        Dft { data, len, passes }
    }

    /// The length of the transform: reals, or complex elements.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// What it works on.
    pub(crate) fn data(&self) -> Data {
        self.data
    }

    /// The complex DFT of (re, im) at `src`, through the buffers `a` (written first) and `b` (may
    /// be the source). Says which of the two holds the result; `b` when there is nothing to do. A
    /// forward DFT of a source with its parts exchanged is the backward DFT with its parts
    /// exchanged.
    ///
    /// # Safety
    /// The buffers hold `len` complex elements, `work` what [`work`](crate::cpu::base::sizes::work)
    /// says; the CPU has the instructions of `V`.
    pub(crate) unsafe fn complex<V: Vector<Scalar = S>>(
        &self,
        src: [Ptr<V>; 2],
        a: Ptr<V>,
        b: Ptr<V>,
        work: Ptr<V>,
    ) -> Ptr<V> {
        let exchange = |backward: bool, pair: [usize; 2]| if backward { [pair[1], pair[0]] } else { pair };
        let backward = self.data == Data::ComplexBackward;
        let [re, im] = exchange(backward, [0, 1]);
        let (mut from, mut to, mut next) = ([src[re], src[im]], a, b);
        for (i, pass) in self.passes.iter().enumerate() {
            let [re, im] = exchange(backward && i + 1 == self.passes.len(), [0, 1]);
            // SAFETY: the caller's; source and destination differ in every pass.
            unsafe {
                pass.complex(from, [to.add(re), to.add(im)], work);
                from = [to, to.add(1)];
            }
            std::mem::swap(&mut to, &mut next);
        }
        next
    }

    /// The half spectrum of reals at `src`, through `a` (written first) and `b` (may be the
    /// source).
    ///
    /// # Safety
    /// As [`Dft::complex`], in reals.
    pub(crate) unsafe fn forward<V: Vector<Scalar = S>>(
        &self,
        src: Permuted<S>,
        a: Ptr<V>,
        b: Ptr<V>,
        work: Ptr<V>,
    ) -> Ptr<V> {
        if self.passes.is_empty() {
            // SAFETY: one element.
            unsafe { V::enter(Single::<V> { src, dst: Permuted::tile(a) }) };
            return a;
        }
        // SAFETY: the caller's.
        unsafe { forward(&self.passes, src, [a, b], work) }
    }

    /// Whether the half spectrum need not stand in its own order: see [`Dft::forward_to`] and
    /// [`Dft::backward_from`].
    pub(crate) fn can_fuse_combine<V: Vector<Scalar = S>>(&self) -> bool {
        let outer = if self.data == Data::Hermitian { self.passes.first() } else { self.passes.last() };
        outer.is_some_and(|pass| pass.can_fuse_combine::<V>())
    }

    /// As [`Dft::forward`], to other terms, which may be in the buffer that the last pass does not
    /// read: see [`Dft::turned_target`].
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn forward_to<V: Vector<Scalar = S>>(
        &self,
        src: Permuted<S>,
        buffers: [Ptr<V>; 2],
        dst: impl Terms<V>,
        work: Ptr<V>,
    ) {
        let (last, rest) = self.passes.split_last().expect("what is turnable has passes");
        // SAFETY: the caller's.
        unsafe {
            let from = forward(rest, src, buffers, work);
            last.forward_to(from, dst);
        }
    }

    /// As [`Dft::backward`], from other terms; a `dst` in a buffer must be [`Dft::turned_target`].
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn backward_from<V: Vector<Scalar = S>>(
        &self,
        src: impl Terms<V>,
        [a, b]: [Ptr<V>; 2],
        dst: Permuted<S>,
        work: Ptr<V>,
    ) {
        let (first, rest) = self.passes.split_first().expect("what is turnable has passes");
        // SAFETY: the caller's.
        unsafe {
            first.backward_from(src, a);
            backward(rest, [a, b], dst, work);
        }
    }

    /// Which of the buffers that it goes through the last of all passes does not read.
    pub(crate) fn turned_target<V>(&self, [a, b]: [Ptr<V>; 2]) -> Ptr<V> {
        if self.passes.len() % 2 == 1 { a } else { b }
    }

    /// The buffer that the last backward pass does not read, given where the half spectrum stands.
    pub(crate) fn backward_target<V>(&self, src: Ptr<V>, other: Ptr<V>) -> Ptr<V> {
        if self.passes.len() % 2 == 1 { other } else { src }
    }

    /// The reals of the half spectrum at `src` to `dst`, through the buffer `other`; overwrites
    /// `src`. A `dst` in one of the two buffers must be [`Dft::backward_target`].
    ///
    /// # Safety
    /// As [`Dft::complex`], in reals.
    pub(crate) unsafe fn backward<V: Vector<Scalar = S>>(
        &self,
        src: Ptr<V>,
        other: Ptr<V>,
        dst: Permuted<S>,
        work: Ptr<V>,
    ) {
        // SAFETY: the caller's.
        unsafe {
            if self.passes.is_empty() {
                return V::enter(Single::<V> { src: Permuted::tile(src), dst });
            }
            backward(&self.passes, [src, other], dst, work);
        }
    }
}

/// Passes from reals to a half spectrum, through the first buffer, then the second; says which has
/// it.
///
/// # Safety
/// As [`Dft::forward`]; there are passes.
unsafe fn forward<S: Scalar, V: Vector<Scalar = S>>(
    passes: &[Pass<S, Dft<S>>],
    src: Permuted<S>,
    [a, b]: [Ptr<V>; 2],
    work: Ptr<V>,
) -> Ptr<V> {
    let (mut src, mut to, mut next) = (src, a, b);
    for pass in passes {
        // SAFETY: the caller's; source and destination differ in every pass.
        unsafe { pass.forward(src, to, work) };
        src = Permuted::tile(to);
        std::mem::swap(&mut to, &mut next);
    }
    next
}

/// Passes from the half spectrum in the first buffer, through the second, then the first, to reals.
///
/// # Safety
/// As [`Dft::backward`]; there are passes.
unsafe fn backward<S: Scalar, V: Vector<Scalar = S>>(
    passes: &[Pass<S, Dft<S>>],
    [a, b]: [Ptr<V>; 2],
    dst: Permuted<S>,
    work: Ptr<V>,
) {
    let (last, rest) = passes.split_last().expect("there are passes");
    let (mut from, mut to) = (a, b);
    // SAFETY: the caller's; source and destination differ in every pass.
    unsafe {
        for pass in rest {
            pass.backward(from, Permuted::tile(to), work);
            std::mem::swap(&mut from, &mut to);
        }
        last.backward(from, dst, work);
    }
}

impl Dft<f64> {
    fn in_place(&self, signal: &mut [Complex<f64>], work: usize) {
        assert_eq!(signal.len(), self.len);
        let mut buffers = vec![0.0f64; 4 * self.len + work];
        for (pair, z) in buffers.chunks_exact_mut(2).zip(signal.iter()) {
            pair.copy_from_slice(&[z.re, z.im]);
        }
        let base = Ptr::new(buffers.as_mut_ptr(), buffers.len());
        // SAFETY: two buffers of `len` complex elements and the work; a scalar lane needs no
        // instructions.
        let at = unsafe {
            let (b, a, work) = (base, base.add(2 * self.len), base.add(4 * self.len));
            (self.complex::<f64>([b, b.add(1)], a, b, work).addr() - base.addr()) / size_of::<f64>()
        };
        for (z, pair) in signal.iter_mut().zip(buffers[at..].chunks_exact(2)) {
            *z = Complex::new(pair[0], pair[1]);
        }
    }
}

impl<S: Scalar> Inner<S> for Dft<S> {
    fn new(data: Data, factors: &[Factor]) -> Self {
        Dft::new(data, factors)
    }

    fn of_table(factors: &[Factor], signal: &mut [Complex<f64>]) {
        Dft::<f64>::new(Data::Complex, factors).in_place(signal, work(factors));
    }

    fn len(&self) -> usize {
        self.len
    }

    unsafe fn complex<V: Vector<Scalar = S>>(&self, src: [Ptr<V>; 2], a: Ptr<V>, b: Ptr<V>, work: Ptr<V>) -> Ptr<V> {
        // SAFETY: the caller's.
        unsafe { self.complex(src, a, b, work) }
    }

    unsafe fn forward<V: Vector<Scalar = S>>(&self, src: Permuted<S>, a: Ptr<V>, b: Ptr<V>, work: Ptr<V>) -> Ptr<V> {
        // SAFETY: the caller's.
        unsafe { self.forward(src, a, b, work) }
    }

    unsafe fn backward<V: Vector<Scalar = S>>(&self, src: Ptr<V>, other: Ptr<V>, dst: Permuted<S>, work: Ptr<V>) {
        // SAFETY: the caller's.
        unsafe { self.backward(src, other, dst, work) }
    }

    fn backward_target<V>(&self, src: Ptr<V>, other: Ptr<V>) -> Ptr<V> {
        self.backward_target(src, other)
    }
}

/// The chirp and the spectrum of Bluestein's convolution of length n, whose DFTs have the factors
/// `inner`: see [`bluestein::tables`].
pub(crate) fn bluestein_tables(n: usize, inner: &[Factor]) -> (Vec<Complex<f64>>, Vec<Complex<f64>>) {
    bluestein::tables::<f64, Dft<f64>>(n, inner)
}

/// A DFT of length 1.
struct Single<V: Vector> {
    src: Permuted<V::Scalar>,
    dst: Permuted<V::Scalar>,
}

impl<V: Vector> WithIsa for Single<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        // SAFETY: both have element 0.
        unsafe { self.dst.store(0, self.src.load::<V>(0)) }
    }
}

/// w^{jk}, w the root of order radix·inner = N/groups: 1 ≤ j < radix for each k = 1 … `terms`.
fn twiddles<S: Scalar>(roots: &Roots, groups: usize, radix: usize, terms: usize) -> Vec<Complex<S>> {
    let pairs = (1..=terms).flat_map(|k| (1..radix).map(move |j| j as u64 * k as u64));
    // The iterator does not know its length: collecting would take up to twice the memory.
    let mut table = Vec::with_capacity(terms * (radix - 1));
    table.extend(pairs.map(|jk| S::root(roots, jk * groups as u64)));
    table
}
