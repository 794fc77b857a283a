//! Rader's convolution. [`crate::recipe::rules::rader`] has the formula.

use crate::arithmetic::complex::C;
use crate::arithmetic::dd::Dd;
use crate::arithmetic::primes::generator_powers;
use crate::cpu::dft::factor::inner::Inner;
use crate::cpu::dft::permuted::Permuted;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, WithIsa};
use crate::recipe::reduction::Data;
use crate::recipe::rules::rader::spectrum;
use crate::recipe::scheme::{Factor, length};
use num_complex::Complex;

/// The tables of Rader's convolution, and its inner DFTs of length M: p − 1, or more with zeros
/// after the data.
pub(crate) struct Rader<S, D> {
    /// The powers g^q mod p, 0 ≤ q < p − 1.
    powers: Vec<u32>,
    complex: D,
    real: D,
    hermitian: D,
    /// The DFT of b, divided by M.
    spectrum: Vec<Complex<S>>,
    /// The half spectra of (Re b + Im b)/2 and of cos − sin, divided by M.
    forward: Vec<Complex<S>>,
    backward: Vec<Complex<S>>,
}

impl<S: Scalar, D: Inner<S>> Rader<S, D> {
    pub(crate) fn new(p: usize, inner: &[Factor]) -> Self {
        let (powers, n) = (generator_powers(p), length(inner));
        let spectrum = spectrum(&powers, n);
        // The spectrum of the real signal Re b + Im b, from that of b. The signal cos − sin is Re b
        // + Im b in reverse order, since Im exp(−2πi g^j/p) = −sin.
        let sums = |k: usize| {
            let (z, w) = (spectrum[k], spectrum[(n - k) % n]);
            Complex::new((z.re + z.im) + (w.re + w.im), (z.im - z.re) + (w.re - w.im))
        };
        let over = |z: Complex<Dd>, by: f64| Complex::new(S::of(z.re.over(by).into()), S::of(z.im.over(by).into()));
        let by = n as f64;
        Rader {
            spectrum: spectrum.iter().map(|z| over(*z, by)).collect(),
            forward: (0..n).map(|k| over(sums(k), 4.0 * by)).collect(),
            backward: (0..n).map(|k| over(sums((n - k) % n), 2.0 * by)).collect(),
            powers,
            complex: D::new(Data::Complex, inner),
            real: D::new(Data::Real, inner),
            hermitian: D::new(Data::Hermitian, inner),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.powers.len() + 1
    }

    /// M, the length of the inner DFTs.
    fn padded(&self) -> usize {
        self.spectrum.len()
    }

    /// g^{−q}.
    #[inline(always)]
    fn inverse_power(&self, q: usize) -> usize {
        let n = self.powers.len();
        self.powers[if q == 0 { 0 } else { n - q }] as usize
    }

    /// See [`Kernel`](crate::cpu::dft::factor::kernel::Kernel), whose method of this name calls it.
    pub(crate) unsafe fn dft<V: Vector<Scalar = S>>(&self, z: Ptr<C<V>>, work: Ptr<V>) {
        let n = self.padded();
        // SAFETY: the caller guarantees it. `work` has two buffers of n complex elements, then the
        // work vectors of the inner DFT.
        unsafe {
            let (a, b, work) = (work, work.add(2 * n), work.add(4 * n));
            V::enter(Permute { rader: self, z, a: a.cast() });
            let spectrum = self.complex.complex([a, a.add(1)], b, a, work);
            V::enter(Convolve { rader: self, z, a: spectrum.cast() });
            let other = if spectrum == a { b } else { a };
            // The parts of source and result are exchanged, which makes this DFT a backward one.
            let sums = self.complex.complex([spectrum.add(1), spectrum], other, spectrum, work);
            V::enter(Restore { rader: self, z, sums: sums.cast() });
        }
    }

    /// See [`Kernel`](crate::cpu::dft::factor::kernel::Kernel), whose method of this name calls it.
    pub(crate) unsafe fn half_spectrum<V: Vector<Scalar = S>>(&self, x: Ptr<V>, work: Ptr<V>) {
        let n = self.padded();
        // SAFETY: the caller guarantees it. `work` has two buffers of n reals, then the work
        // vectors of the inner DFT.
        unsafe {
            let (a, b, work) = (work, work.add(n), work.add(2 * n));
            V::enter(PermuteReal { rader: self, x, a });
            self.convolve_real(a, b, work, x, &self.forward, 0.5);
            V::enter(RestoreHalf { rader: self, x, c: a });
        }
    }

    /// See [`Kernel`](crate::cpu::dft::factor::kernel::Kernel), whose method of this name calls it.
    pub(crate) unsafe fn signal<V: Vector<Scalar = S>>(&self, x: Ptr<V>, work: Ptr<V>) {
        let n = self.padded();
        // SAFETY: as in `half_spectrum`.
        unsafe {
            let (a, b, work) = (work, work.add(n), work.add(2 * n));
            V::enter(PermuteHalf { rader: self, x, a });
            self.convolve_real(a, b, work, x, &self.backward, 1.0);
            V::enter(RestoreReal { rader: self, x, c: a });
        }
    }

    /// a ← a ∗ (the signal of `spectrum`) + `x0_factor` · x_0, and x_0 ← x_0 + Σ a.
    unsafe fn convolve_real<V: Vector<Scalar = S>>(
        &self,
        a: Ptr<V>,
        b: Ptr<V>,
        work: Ptr<V>,
        x: Ptr<V>,
        spectrum: &[Complex<S>],
        x0_factor: f64,
    ) {
        // SAFETY: the caller guarantees it.
        unsafe {
            let plain = |base| Permuted::tile(base);
            let n = self.padded();
            let half = self.real.forward(plain(a), b, a, work);
            V::enter(MultiplyHalf { n, a: half, spectrum, x, x0_factor });
            let other = if half == a { b } else { a };
            // The last pass writes the buffer that it does not read. If this is not `a`, the result
            // is copied there.
            let target = self.hermitian.backward_target(half, other);
            self.hermitian.backward(half, other, plain(target), work);
            if target != a {
                a.copy_from(target, self.powers.len());
            }
        }
    }
}

struct Permute<'a, V: Vector, D> {
    rader: &'a Rader<V::Scalar, D>,
    z: Ptr<C<V>>,
    a: Ptr<C<V>>,
}

impl<V: Vector, D: Inner<V::Scalar>> WithIsa for Permute<'_, V, D> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        for (q, &k) in self.rader.powers.iter().enumerate() {
            // SAFETY: powers are below p.
            unsafe { self.a.add(q).write(self.z.add(k as usize).read()) }
        }
        for q in self.rader.powers.len()..self.rader.padded() {
            // SAFETY: a has as many elements as the inner DFT.
            unsafe { self.a.add(q).write(C { re: V::zero(), im: V::zero() }) }
        }
    }
}

struct Convolve<'a, V: Vector, D> {
    rader: &'a Rader<V::Scalar, D>,
    z: Ptr<C<V>>,
    a: Ptr<C<V>>,
}

impl<V: Vector, D: Inner<V::Scalar>> WithIsa for Convolve<'_, V, D> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Convolve { rader, z, a } = self;
        // SAFETY: a has as many elements as the spectrum, and z has p.
        unsafe {
            let (first, sum) = (z.read(), a.read());
            for (k, w) in rader.spectrum.iter().enumerate() {
                a.add(k).write(a.add(k).read().mul(C { re: V::splat(w.re), im: V::splat(w.im) }));
            }
            // Adding x_0 to the term of frequency 0 adds x_0 to every output.
            a.write(a.read() + first);
            z.write(first + sum);
        }
    }
}

struct Restore<'a, V: Vector, D> {
    rader: &'a Rader<V::Scalar, D>,
    z: Ptr<C<V>>,
    sums: Ptr<C<V>>,
}

impl<V: Vector, D: Inner<V::Scalar>> WithIsa for Restore<'_, V, D> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        for m in 0..self.rader.powers.len() {
            // SAFETY: powers are below p.
            unsafe { self.z.add(self.rader.inverse_power(m)).write(self.sums.add(m).read().swap()) }
        }
    }
}

struct PermuteReal<'a, V: Vector, D> {
    rader: &'a Rader<V::Scalar, D>,
    x: Ptr<V>,
    a: Ptr<V>,
}

impl<V: Vector, D: Inner<V::Scalar>> WithIsa for PermuteReal<'_, V, D> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        for (q, &k) in self.rader.powers.iter().enumerate() {
            // SAFETY: powers are below p.
            unsafe { self.a.add(q).write(self.x.add(k as usize).read()) }
        }
        // SAFETY: a has as many elements as the inner DFT.
        unsafe { pad(self.rader, self.a) }
    }
}

/// Writes the zeros after the data of a real convolution.
#[inline(always)]
unsafe fn pad<V: Vector, D: Inner<V::Scalar>>(rader: &Rader<V::Scalar, D>, a: Ptr<V>) {
    for q in rader.powers.len()..rader.padded() {
        // SAFETY: the caller guarantees it.
        unsafe { a.add(q).write(V::zero()) }
    }
}

struct PermuteHalf<'a, V: Vector, D> {
    rader: &'a Rader<V::Scalar, D>,
    x: Ptr<V>,
    a: Ptr<V>,
}

impl<V: Vector, D: Inner<V::Scalar>> WithIsa for PermuteHalf<'_, V, D> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let p = self.rader.len();
        for q in 0..p - 1 {
            let k = self.rader.inverse_power(q);
            // SAFETY: the half spectrum has terms up to (p−1)/2.
            unsafe {
                let (re, im) = (self.x.add(2 * k.min(p - k) - 1).read(), self.x.add(2 * k.min(p - k)).read());
                self.a.add(q).write(if 2 * k < p { re + im } else { re - im });
            }
        }
        // SAFETY: a has as many elements as the inner DFT.
        unsafe { pad(self.rader, self.a) }
    }
}

/// Multiplies two half spectra of even length n, for [`Rader::convolve_real`].
struct MultiplyHalf<'a, V: Vector> {
    n: usize,
    a: Ptr<V>,
    spectrum: &'a [Complex<V::Scalar>],
    x: Ptr<V>,
    x0_factor: f64,
}

impl<V: Vector> WithIsa for MultiplyHalf<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let MultiplyHalf { n, a, spectrum, x, x0_factor } = self;
        // SAFETY: a has the n reals of a half spectrum, and x has p reals.
        unsafe {
            let (first, sum) = (x.read(), a.read());
            a.write(sum.mul_add(V::splat(spectrum[0].re), first * V::splat(V::Scalar::of(x0_factor))));
            x.write(first + sum);
            for (k, w) in spectrum.iter().enumerate().take(n / 2).skip(1) {
                let z = C { re: a.add(2 * k - 1).read(), im: a.add(2 * k).read() };
                let z = z.mul(C { re: V::splat(w.re), im: V::splat(w.im) });
                a.add(2 * k - 1).write(z.re);
                a.add(2 * k).write(z.im);
            }
            a.add(n - 1).write(a.add(n - 1).read() * V::splat(spectrum[n / 2].re));
        }
    }
}

struct RestoreHalf<'a, V: Vector, D> {
    rader: &'a Rader<V::Scalar, D>,
    x: Ptr<V>,
    c: Ptr<V>,
}

impl<V: Vector, D: Inner<V::Scalar>> WithIsa for RestoreHalf<'_, V, D> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let (p, half) = (self.rader.len(), self.rader.len() / 2);
        for m in 0..half {
            let k = self.rader.inverse_power(m);
            // SAFETY: as in `PermuteHalf`.
            unsafe {
                let (a, b) = (self.c.add(m).read(), self.c.add(m + half).read());
                self.x.add(2 * k.min(p - k) - 1).write(a + b);
                self.x.add(2 * k.min(p - k)).write(if 2 * k < p { a - b } else { b - a });
            }
        }
    }
}

struct RestoreReal<'a, V: Vector, D> {
    rader: &'a Rader<V::Scalar, D>,
    x: Ptr<V>,
    c: Ptr<V>,
}

impl<V: Vector, D: Inner<V::Scalar>> WithIsa for RestoreReal<'_, V, D> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        for (m, &n) in self.rader.powers.iter().enumerate() {
            // SAFETY: powers are below p.
            unsafe { self.x.add(n as usize).write(self.c.add(m).read()) }
        }
    }
}
