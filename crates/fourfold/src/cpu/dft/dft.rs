//! The DFT of one line of vectors. Its passes alternate between two buffers.

use crate::arithmetic::twiddle::Roots;
use crate::cpu::base::sizes::work;
use crate::cpu::dft::factor::bluestein;
use crate::cpu::dft::factor::inner::Inner;
use crate::cpu::dft::factor::kernel::Kernel;
use crate::cpu::dft::pass::access::Steps;
use crate::cpu::dft::pass::half_spectrum::HalfSpectrum;
use crate::cpu::dft::pass::pass::Pass;
use crate::cpu::dft::permuted::Permuted;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, WithIsa};
use crate::recipe::reduction::Data;
use crate::recipe::scheme::{Factor, length};
use num_complex::Complex;

/// The executable form of a DFT with given factors.
pub(crate) struct VectorDft<S> {
    data: Data,
    len: usize,
    passes: Vec<Pass<S, VectorDft<S>>>,
}

impl<S: Scalar> VectorDft<S> {
    /// Prepares a DFT. The factors are in the order of a forward transform. A backward DFT of
    /// Hermitian data uses them in reverse order.
    pub(crate) fn new(data: Data, factors: &[Factor]) -> Self {
        VectorDft::several(data, factors, 1)
    }

    /// Prepares `count` DFTs at once. DFT s has the elements s, s + `count`, …, and their results
    /// are stored one after the other.
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
        VectorDft { data, len, passes }
    }

    /// The length of the transform, in reals or complex elements.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The kind of data.
    pub(crate) fn data(&self) -> Data {
        self.data
    }

    /// The complex DFT of (re, im) at `src`. The first pass writes the buffer `a`, the second one
    /// `b`, and so on. `b` may be the source. Returns the buffer of the result, which is `b` if
    /// there are no passes. A forward DFT whose source and result have their parts exchanged is a
    /// backward DFT.
    ///
    /// # Safety
    /// The buffers have `len` complex elements, and `work` has the number of vectors that
    /// [`work`] returns. The CPU has the instructions of `V`.
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
            // SAFETY: the caller guarantees it, and source and destination differ in every pass.
            unsafe {
                pass.complex(from, [to.add(re), to.add(im)], work);
                from = [to, to.add(1)];
            }
            std::mem::swap(&mut to, &mut next);
        }
        next
    }

    /// The half spectrum of the reals at `src`. The buffers are used as in [`VectorDft::complex`].
    ///
    /// # Safety
    /// As for [`VectorDft::complex`], in reals.
    pub(crate) unsafe fn forward<V: Vector<Scalar = S>>(
        &self,
        src: Permuted<S>,
        a: Ptr<V>,
        b: Ptr<V>,
        work: Ptr<V>,
    ) -> Ptr<V> {
        if self.passes.is_empty() {
            // SAFETY: both have one element.
            unsafe { V::enter(CopyElement::<V> { src, dst: Permuted::tile(a) }) };
            return a;
        }
        // SAFETY: the caller guarantees it.
        unsafe { forward(&self.passes, src, [a, b], work) }
    }

    /// Whether a combine can be part of the last forward pass or of the first backward pass: see
    /// [`VectorDft::forward_to`] and [`VectorDft::backward_from`].
    pub(crate) fn can_fuse_combine<V: Vector<Scalar = S>>(&self) -> bool {
        let outer = if self.data == Data::Hermitian { self.passes.first() } else { self.passes.last() };
        outer.is_some_and(|pass| pass.can_fuse_combine::<V>())
    }

    /// As [`VectorDft::forward`], but the last pass writes its terms to `dst`. This may be the buffer
    /// that the last pass does not read, [`VectorDft::fused_target`].
    ///
    /// # Safety
    /// As for [`VectorDft::forward`].
    pub(crate) unsafe fn forward_to<V: Vector<Scalar = S>>(
        &self,
        src: Permuted<S>,
        buffers: [Ptr<V>; 2],
        dst: impl HalfSpectrum<V>,
        work: Ptr<V>,
    ) {
        let (last, rest) = self.passes.split_last().expect("a DFT that fuses a combine has passes");
        // SAFETY: the caller guarantees it.
        unsafe {
            let from = forward(rest, src, buffers, work);
            last.forward_to(from, dst);
        }
    }

    /// As [`VectorDft::backward`], but the first pass reads its terms from `src`. If `dst` is in a
    /// buffer, it must be [`VectorDft::fused_target`].
    ///
    /// # Safety
    /// As for [`VectorDft::forward`].
    pub(crate) unsafe fn backward_from<V: Vector<Scalar = S>>(
        &self,
        src: impl HalfSpectrum<V>,
        [a, b]: [Ptr<V>; 2],
        dst: Permuted<S>,
        work: Ptr<V>,
    ) {
        let (first, rest) = self.passes.split_first().expect("a DFT that fuses a combine has passes");
        // SAFETY: the caller guarantees it.
        unsafe {
            first.backward_from(src, a);
            backward(rest, [a, b], dst, work);
        }
    }

    /// The buffer that the last pass does not read.
    pub(crate) fn fused_target<V>(&self, [a, b]: [Ptr<V>; 2]) -> Ptr<V> {
        if self.passes.len() % 2 == 1 { a } else { b }
    }

    /// The buffer that the last backward pass does not read, if the half spectrum is at `src`.
    pub(crate) fn backward_target<V>(&self, src: Ptr<V>, other: Ptr<V>) -> Ptr<V> {
        if self.passes.len() % 2 == 1 { other } else { src }
    }

    /// Writes the reals of the half spectrum at `src` to `dst`, and overwrites `src` and `other`.
    /// If `dst` is in one of these buffers, it must be [`VectorDft::backward_target`].
    ///
    /// # Safety
    /// As for [`VectorDft::complex`], in reals.
    pub(crate) unsafe fn backward<V: Vector<Scalar = S>>(
        &self,
        src: Ptr<V>,
        other: Ptr<V>,
        dst: Permuted<S>,
        work: Ptr<V>,
    ) {
        // SAFETY: the caller guarantees it.
        unsafe {
            if self.passes.is_empty() {
                return V::enter(CopyElement::<V> { src: Permuted::tile(src), dst });
            }
            backward(&self.passes, [src, other], dst, work);
        }
    }
}

/// The passes from reals to a half spectrum. They write the two buffers alternately. Returns the
/// buffer of the result.
///
/// # Safety
/// As for [`VectorDft::forward`]. There is at least one pass.
unsafe fn forward<S: Scalar, V: Vector<Scalar = S>>(
    passes: &[Pass<S, VectorDft<S>>],
    src: Permuted<S>,
    [a, b]: [Ptr<V>; 2],
    work: Ptr<V>,
) -> Ptr<V> {
    let (mut src, mut to, mut next) = (src, a, b);
    for pass in passes {
        // SAFETY: the caller guarantees it, and source and destination differ in every pass.
        unsafe { pass.forward(src, to, work) };
        src = Permuted::tile(to);
        std::mem::swap(&mut to, &mut next);
    }
    next
}

/// The passes from the half spectrum in the first buffer to reals. They write the second buffer,
/// then the first, and so on. The last one writes `dst`.
///
/// # Safety
/// As for [`VectorDft::backward`]. There is at least one pass.
unsafe fn backward<S: Scalar, V: Vector<Scalar = S>>(
    passes: &[Pass<S, VectorDft<S>>],
    [a, b]: [Ptr<V>; 2],
    dst: Permuted<S>,
    work: Ptr<V>,
) {
    let (last, rest) = passes.split_last().expect("there are passes");
    let (mut from, mut to) = (a, b);
    // SAFETY: the caller guarantees it, and source and destination differ in every pass.
    unsafe {
        for pass in rest {
            pass.backward(from, Permuted::tile(to), work);
            std::mem::swap(&mut from, &mut to);
        }
        last.backward(from, dst, work);
    }
}

impl VectorDft<f64> {
    fn in_place(&self, signal: &mut [Complex<f64>], work: usize) {
        assert_eq!(signal.len(), self.len);
        let mut buffers = vec![0.0f64; 4 * self.len + work];
        for (pair, z) in buffers.chunks_exact_mut(2).zip(signal.iter()) {
            pair.copy_from_slice(&[z.re, z.im]);
        }
        let base = Ptr::new(buffers.as_mut_ptr(), buffers.len());
        // SAFETY: the array has two buffers of `len` complex elements and the work vectors. Every
        // CPU has scalars.
        let at = unsafe {
            let (b, a, work) = (base, base.add(2 * self.len), base.add(4 * self.len));
            (self.complex::<f64>([b, b.add(1)], a, b, work).addr() - base.addr()) / size_of::<f64>()
        };
        for (z, pair) in signal.iter_mut().zip(buffers[at..].chunks_exact(2)) {
            *z = Complex::new(pair[0], pair[1]);
        }
    }
}

impl<S: Scalar> Inner<S> for VectorDft<S> {
    fn new(data: Data, factors: &[Factor]) -> Self {
        VectorDft::new(data, factors)
    }

    fn of_table(factors: &[Factor], signal: &mut [Complex<f64>]) {
        VectorDft::<f64>::new(Data::Complex, factors).in_place(signal, work(factors));
    }

    fn len(&self) -> usize {
        self.len
    }

    unsafe fn complex<V: Vector<Scalar = S>>(&self, src: [Ptr<V>; 2], a: Ptr<V>, b: Ptr<V>, work: Ptr<V>) -> Ptr<V> {
        // SAFETY: the caller guarantees it.
        unsafe { self.complex(src, a, b, work) }
    }

    unsafe fn forward<V: Vector<Scalar = S>>(&self, src: Permuted<S>, a: Ptr<V>, b: Ptr<V>, work: Ptr<V>) -> Ptr<V> {
        // SAFETY: the caller guarantees it.
        unsafe { self.forward(src, a, b, work) }
    }

    unsafe fn backward<V: Vector<Scalar = S>>(&self, src: Ptr<V>, other: Ptr<V>, dst: Permuted<S>, work: Ptr<V>) {
        // SAFETY: the caller guarantees it.
        unsafe { self.backward(src, other, dst, work) }
    }

    fn backward_target<V>(&self, src: Ptr<V>, other: Ptr<V>) -> Ptr<V> {
        self.backward_target(src, other)
    }
}

/// The chirp and the spectrum of Bluestein's convolution for a DFT of length n. The DFTs of the
/// convolution have the factors `inner`. See [`bluestein::tables`].
pub(crate) fn bluestein_tables(n: usize, inner: &[Factor]) -> (Vec<Complex<f64>>, Vec<Complex<f64>>) {
    bluestein::tables::<f64, VectorDft<f64>>(n, [n; 2], inner)
}

/// The DFT of length 1, which is a copy.
struct CopyElement<V: Vector> {
    src: Permuted<V::Scalar>,
    dst: Permuted<V::Scalar>,
}

impl<V: Vector> WithIsa for CopyElement<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        // SAFETY: both have element 0.
        unsafe { self.dst.store(0, self.src.load::<V>(0)) }
    }
}

/// w^{jk} with w = exp(−2πi/(radix·inner)), radix·inner = N/groups, for 1 ≤ k ≤ `terms` and, for
/// each k, 1 ≤ j < radix.
fn twiddles<S: Scalar>(roots: &Roots, groups: usize, radix: usize, terms: usize) -> Vec<Complex<S>> {
    let pairs = (1..=terms).flat_map(|k| (1..radix).map(move |j| j as u64 * k as u64));
    // The iterator does not know its length, so `collect` would allocate up to twice the memory.
    let mut table = Vec::with_capacity(terms * (radix - 1));
    table.extend(pairs.map(|jk| S::root(roots, jk * groups as u64)));
    table
}
