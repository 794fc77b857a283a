//! The DFTs of one factor that have no butterfly: direct sums, Rader's and Bluestein's convolutions, with their tables.

use super::dft::Dft;
use super::lane::{Lane, Scalar, Work};
use crate::complex::C;
use crate::dd::Dd;
use crate::rules::cosine_sine::Data;
use crate::rules::mixed_radix::{Factor, length};
use crate::rules::rader::generator_powers;
use crate::spectrum::dft;
use crate::twiddle::Roots;
use num_complex::Complex;

/// How a pass does its small DFTs.
pub(crate) enum Kernel<S> {
    /// A butterfly; [`crate::butterfly`] has the arithmetic.
    Radix(usize),
    /// cos and sin of 2πj/p.
    Direct(Vec<Complex<S>>),
    Rader(Box<Rader<S>>),
    Bluestein(Box<Bluestein<S>>),
}

impl<S: Scalar> Kernel<S> {
    pub(crate) fn new(factor: &Factor) -> Self {
        match factor {
            Factor::Radix(r) => Kernel::Radix(*r),
            Factor::Direct(p) => {
                let (p, roots) = (*p as u64, Roots::new(*p as u64));
                Kernel::Direct((0..p).map(|k| S::root(&roots, p - k)).collect())
            }
            Factor::Rader(p, inner) => Kernel::Rader(Box::new(Rader::new(*p, inner))),
            Factor::Bluestein(n, inner) => Kernel::Bluestein(Box::new(Bluestein::new(*n, inner))),
        }
    }

    /// The length of the small DFT.
    pub(crate) fn len(&self) -> usize {
        match self {
            Kernel::Radix(r) => *r,
            Kernel::Direct(table) => table.len(),
            Kernel::Rader(rader) => rader.len(),
            Kernel::Bluestein(bluestein) => bluestein.chirp.len(),
        }
    }

    /// Vectors of work that a pass with this kernel needs.
    pub(crate) fn work(&self) -> usize {
        let own = match self {
            Kernel::Radix(_) => return 0,
            Kernel::Direct(table) => 2 * table.len(),
            Kernel::Rader(rader) => 4 * rader.len() + rader.complex.work().max(rader.real.work()),
            Kernel::Bluestein(bluestein) => 2 * bluestein.chirp.len() + 4 * bluestein.dft.len() + bluestein.dft.work(),
        };
        2 * self.len() + own
    }

    /// The DFT of the complex `z` in place.
    ///
    /// # Safety
    /// `z` and `work` hold what [`Kernel::work`] says; the CPU has the instructions of `V`.
    pub(crate) unsafe fn dft<V: Lane<Scalar = S>>(&self, z: *mut C<V>, work: *mut V) {
        // SAFETY: the caller's.
        unsafe {
            match self {
                Kernel::Radix(_) => unreachable!("butterflies have passes of their own"),
                Kernel::Direct(table) => V::enter(Direct { table, z, work: work.cast() }),
                Kernel::Rader(rader) => rader.dft(z, work),
                Kernel::Bluestein(bluestein) => bluestein.dft(z, work),
            }
        }
    }

    /// The half spectrum of the reals at `x`, in place.
    ///
    /// # Safety
    /// As [`Kernel::dft`], with room for twice as many vectors at `x` as it has reals.
    pub(crate) unsafe fn half_spectrum<V: Lane<Scalar = S>>(&self, x: *mut V, work: *mut V) {
        // SAFETY: the caller's.
        unsafe {
            match self {
                Kernel::Rader(rader) => rader.half_spectrum(x, work),
                _ => {
                    V::enter(Spread { n: self.len(), x });
                    self.dft(x.cast(), work);
                    V::enter(Pack { n: self.len(), x });
                }
            }
        }
    }

    /// The reals of the half spectrum at `x`, backwards, in place.
    ///
    /// # Safety
    /// As [`Kernel::half_spectrum`].
    pub(crate) unsafe fn signal<V: Lane<Scalar = S>>(&self, x: *mut V, work: *mut V) {
        // SAFETY: the caller's.
        unsafe {
            match self {
                Kernel::Rader(rader) => rader.signal(x, work),
                _ => {
                    V::enter(Unpack { n: self.len(), x });
                    self.dft(x.cast(), work);
                    V::enter(Imaginary { n: self.len(), x });
                }
            }
        }
    }
}

/// X_k = x_0 + Σ_j (x_j + x_{p−j}) cos − i (x_j − x_{p−j}) sin of 2πjk/p, for odd p.
struct Direct<'a, V: Lane> {
    table: &'a [Complex<V::Scalar>],
    z: *mut C<V>,
    work: *mut C<V>,
}

impl<V: Lane> Work for Direct<'_, V> {
    #[inline(always)]
    fn run(self) {
        let Direct { table, z, work } = self;
        let (p, half) = (table.len(), table.len() / 2);
        // SAFETY: z and work hold p elements each.
        unsafe {
            let first = *z;
            for j in 1..=half {
                let (a, b) = (*z.add(j), *z.add(p - j));
                *work.add(j) = a + b;
                *work.add(p - j) = a - b;
                *z = *z + (a + b);
            }
            for k in 1..=half {
                let (mut a, mut b, mut at) = (first, C { re: V::lit(0.0), im: V::lit(0.0) }, 0);
                for j in 1..=half {
                    at = if at + k >= p { at + k - p } else { at + k };
                    let (c, s) = (V::splat(table[at].re), V::splat(table[at].im));
                    let (sum, difference) = (*work.add(j), *work.add(p - j));
                    a = C { re: sum.re.mul_add(c, a.re), im: sum.im.mul_add(c, a.im) };
                    b = C { re: difference.re.mul_add(s, b.re), im: difference.im.mul_add(s, b.im) };
                }
                *z.add(k) = a + b.times_minus_i();
                *z.add(p - k) = a + b.times_i();
            }
        }
    }
}

/// n reals become n complex numbers, from the last on.
struct Spread<V: Lane> {
    n: usize,
    x: *mut V,
}

impl<V: Lane> Work for Spread<V> {
    #[inline(always)]
    fn run(self) {
        for i in (0..self.n).rev() {
            // SAFETY: x holds 2n vectors; place 2i is never below i.
            unsafe {
                *self.x.add(2 * i) = *self.x.add(i);
                *self.x.add(2 * i + 1) = V::lit(0.0);
            }
        }
    }
}

/// The first half of n complex numbers becomes a half spectrum: Im X_0 goes, all else moves down by one.
struct Pack<V: Lane> {
    n: usize,
    x: *mut V,
}

impl<V: Lane> Work for Pack<V> {
    #[inline(always)]
    fn run(self) {
        for i in 1..self.n {
            // SAFETY: x holds 2n vectors.
            unsafe { *self.x.add(i) = *self.x.add(i + 1) }
        }
    }
}

/// A half spectrum of odd length n becomes n complex numbers with parts exchanged, so that a forward DFT goes backwards.
struct Unpack<V: Lane> {
    n: usize,
    x: *mut V,
}

impl<V: Lane> Work for Unpack<V> {
    #[inline(always)]
    fn run(self) {
        let (n, x) = (self.n, self.x);
        // SAFETY: x holds 2n vectors; upper terms are written before the lower ones that they come from, and those from the
        // top down: term k needs places 2k−1 and 2k and writes 2k and 2k+1.
        unsafe {
            for k in (1..=n / 2).rev() {
                let (re, im) = (*x.add(2 * k - 1), *x.add(2 * k));
                *x.add(2 * (n - k)) = -im;
                *x.add(2 * (n - k) + 1) = re;
                *x.add(2 * k) = im;
                *x.add(2 * k + 1) = re;
            }
            *x.add(1) = *x;
            *x = V::lit(0.0);
        }
    }
}

/// n complex numbers with parts exchanged become their n real parts.
struct Imaginary<V: Lane> {
    n: usize,
    x: *mut V,
}

impl<V: Lane> Work for Imaginary<V> {
    #[inline(always)]
    fn run(self) {
        for i in 0..self.n {
            // SAFETY: x holds 2n vectors; place 2i+1 is always above i.
            unsafe { *self.x.add(i) = *self.x.add(2 * i + 1) }
        }
    }
}

/// See [`crate::rules::rader`].
pub(crate) struct Rader<S> {
    /// g^q.
    powers: Vec<u32>,
    complex: Dft<S>,
    real: Dft<S>,
    back: Dft<S>,
    /// The DFT of b over p − 1.
    spectrum: Vec<Complex<S>>,
    /// The half spectra of (Re b + Im b)/2 and of cos − sin, over p − 1.
    forward: Vec<Complex<S>>,
    backward: Vec<Complex<S>>,
}

impl<S: Scalar> Rader<S> {
    fn new(p: usize, inner: &[Factor]) -> Self {
        let (powers, roots, n) = (generator_powers(p), Roots::new(p as u64), p - 1);
        let b: Vec<_> = (0..n).map(|q| roots.get_dd(powers[(n - q) % n] as u64)).collect();
        let spectrum = dft(&b);
        // Of the real signal Re b + Im b, from the spectra of its parts; cos − sin is that signal reversed, since
        // exp(−2πi g^j/p) has sin with its sign changed.
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
            complex: Dft::new(Data::Complex, inner),
            real: Dft::new(Data::Real, inner),
            back: Dft::new(Data::Hermitian, inner),
        }
    }

    fn len(&self) -> usize {
        self.powers.len() + 1
    }

    /// g^{−q}.
    #[inline(always)]
    fn inverse_power(&self, q: usize) -> usize {
        let n = self.powers.len();
        self.powers[if q == 0 { 0 } else { n - q }] as usize
    }

    unsafe fn dft<V: Lane<Scalar = S>>(&self, z: *mut C<V>, work: *mut V) {
        let n = self.powers.len();
        // SAFETY: the caller's; two buffers of n complex elements, then the inner DFT's work.
        unsafe {
            let (a, b, work) = (work, work.add(2 * n), work.add(4 * n));
            V::enter(Permute { rader: self, z, a: a.cast() });
            let spectrum = self.complex.complex([a.cast_const(), a.add(1)], b, a, work);
            V::enter(Convolve { rader: self, z, a: spectrum.cast() });
            let other = if spectrum == a { b } else { a };
            // Parts exchanged at both ends: backwards.
            let sums = self.complex.complex([spectrum.add(1).cast_const(), spectrum], other, spectrum, work);
            V::enter(Restore { rader: self, z, sums: sums.cast() });
        }
    }

    unsafe fn half_spectrum<V: Lane<Scalar = S>>(&self, x: *mut V, work: *mut V) {
        let n = self.powers.len();
        // SAFETY: the caller's; two buffers of n reals, then the inner DFT's work.
        unsafe {
            let (a, b, work) = (work, work.add(n), work.add(2 * n));
            V::enter(PermuteReal { rader: self, x, a });
            self.convolve_real(a, b, work, x, &self.forward, 0.5);
            V::enter(RestoreHalf { rader: self, x, c: a });
        }
    }

    unsafe fn signal<V: Lane<Scalar = S>>(&self, x: *mut V, work: *mut V) {
        let n = self.powers.len();
        // SAFETY: as in `half_spectrum`.
        unsafe {
            let (a, b, work) = (work, work.add(n), work.add(2 * n));
            V::enter(PermuteHalf { rader: self, x, a });
            self.convolve_real(a, b, work, x, &self.backward, 1.0);
            V::enter(RestoreReal { rader: self, x, c: a });
        }
    }

    /// a ← a ∗ (the signal of `spectrum`) + share · x_0, and x_0 ← x_0 + Σ a.
    unsafe fn convolve_real<V: Lane<Scalar = S>>(
        &self,
        a: *mut V,
        b: *mut V,
        work: *mut V,
        x: *mut V,
        spectrum: &[Complex<S>],
        share: f64,
    ) {
        use super::pass::{Ordered, Rows};
        // SAFETY: the caller's.
        unsafe {
            let plain = |base| Ordered { rows: Rows::tile(base), index: std::ptr::null(), gain: std::ptr::null() };
            let n = self.powers.len();
            let half = self.real.forward(plain(a), b, a, work);
            V::enter(MultiplyHalf { n, a: half, spectrum, x, share });
            let other = if half == a { b } else { a };
            // The result goes where the last pass does not read: a copy brings it to `a` if that is not there.
            let target = self.back.backward_target(half, other);
            self.back.backward(half, other, plain(target), work);
            if target != a {
                std::ptr::copy_nonoverlapping(target, a, n);
            }
        }
    }
}

struct Permute<'a, V: Lane> {
    rader: &'a Rader<V::Scalar>,
    z: *const C<V>,
    a: *mut C<V>,
}

impl<V: Lane> Work for Permute<'_, V> {
    #[inline(always)]
    fn run(self) {
        for (q, &k) in self.rader.powers.iter().enumerate() {
            // SAFETY: powers are below p.
            unsafe { *self.a.add(q) = *self.z.add(k as usize) }
        }
    }
}

struct Convolve<'a, V: Lane> {
    rader: &'a Rader<V::Scalar>,
    z: *mut C<V>,
    a: *mut C<V>,
}

impl<V: Lane> Work for Convolve<'_, V> {
    #[inline(always)]
    fn run(self) {
        let Convolve { rader, z, a } = self;
        // SAFETY: a holds p − 1 elements, z holds p.
        unsafe {
            let (first, sum) = (*z, *a);
            for (k, w) in rader.spectrum.iter().enumerate() {
                *a.add(k) = (*a.add(k)).mul(C { re: V::splat(w.re), im: V::splat(w.im) });
            }
            // x_0 at frequency 0 adds x_0 to every output.
            *a = *a + first;
            *z = first + sum;
        }
    }
}

struct Restore<'a, V: Lane> {
    rader: &'a Rader<V::Scalar>,
    z: *mut C<V>,
    sums: *const C<V>,
}

impl<V: Lane> Work for Restore<'_, V> {
    #[inline(always)]
    fn run(self) {
        for m in 0..self.rader.powers.len() {
            // SAFETY: powers are below p.
            unsafe { *self.z.add(self.rader.inverse_power(m)) = (*self.sums.add(m)).swap() }
        }
    }
}

struct PermuteReal<'a, V: Lane> {
    rader: &'a Rader<V::Scalar>,
    x: *const V,
    a: *mut V,
}

impl<V: Lane> Work for PermuteReal<'_, V> {
    #[inline(always)]
    fn run(self) {
        for (q, &k) in self.rader.powers.iter().enumerate() {
            // SAFETY: powers are below p.
            unsafe { *self.a.add(q) = *self.x.add(k as usize) }
        }
    }
}

struct PermuteHalf<'a, V: Lane> {
    rader: &'a Rader<V::Scalar>,
    x: *const V,
    a: *mut V,
}

impl<V: Lane> Work for PermuteHalf<'_, V> {
    #[inline(always)]
    fn run(self) {
        let p = self.rader.len();
        for q in 0..p - 1 {
            let k = self.rader.inverse_power(q);
            // SAFETY: the half spectrum holds terms up to (p−1)/2.
            unsafe {
                let (re, im) = (*self.x.add(2 * k.min(p - k) - 1), *self.x.add(2 * k.min(p - k)));
                *self.a.add(q) = if 2 * k < p { re + im } else { re - im };
            }
        }
    }
}

/// Multiplies two half spectra of even length n, for [`Rader::convolve_real`].
struct MultiplyHalf<'a, V: Lane> {
    n: usize,
    a: *mut V,
    spectrum: &'a [Complex<V::Scalar>],
    x: *mut V,
    share: f64,
}

impl<V: Lane> Work for MultiplyHalf<'_, V> {
    #[inline(always)]
    fn run(self) {
        let MultiplyHalf { n, a, spectrum, x, share } = self;
        // SAFETY: a and x hold what the half spectra and the signal need.
        unsafe {
            let (first, sum) = (*x, *a);
            *a = sum.mul_add(V::splat(spectrum[0].re), first * V::lit(share));
            *x = first + sum;
            for (k, w) in spectrum.iter().enumerate().take(n / 2).skip(1) {
                let z = C { re: *a.add(2 * k - 1), im: *a.add(2 * k) };
                let z = z.mul(C { re: V::splat(w.re), im: V::splat(w.im) });
                *a.add(2 * k - 1) = z.re;
                *a.add(2 * k) = z.im;
            }
            *a.add(n - 1) = *a.add(n - 1) * V::splat(spectrum[n / 2].re);
        }
    }
}

struct RestoreHalf<'a, V: Lane> {
    rader: &'a Rader<V::Scalar>,
    x: *mut V,
    c: *const V,
}

impl<V: Lane> Work for RestoreHalf<'_, V> {
    #[inline(always)]
    fn run(self) {
        let (p, half) = (self.rader.len(), self.rader.len() / 2);
        for m in 0..half {
            let k = self.rader.inverse_power(m);
            // SAFETY: as in `PermuteHalf`.
            unsafe {
                let (a, b) = (*self.c.add(m), *self.c.add(m + half));
                *self.x.add(2 * k.min(p - k) - 1) = a + b;
                *self.x.add(2 * k.min(p - k)) = if 2 * k < p { a - b } else { b - a };
            }
        }
    }
}

struct RestoreReal<'a, V: Lane> {
    rader: &'a Rader<V::Scalar>,
    x: *mut V,
    c: *const V,
}

impl<V: Lane> Work for RestoreReal<'_, V> {
    #[inline(always)]
    fn run(self) {
        for (m, &n) in self.rader.powers.iter().enumerate() {
            // SAFETY: powers are below p.
            unsafe { *self.x.add(n as usize) = *self.c.add(m) }
        }
    }
}

/// See [`crate::rules::bluestein`].
pub(crate) struct Bluestein<S> {
    chirp: Vec<Complex<S>>,
    dft: Dft<S>,
    /// The DFT of the conjugate chirp over M.
    spectrum: Vec<Complex<S>>,
}

impl<S: Scalar> Bluestein<S> {
    fn new(n: usize, inner: &[Factor]) -> Self {
        let (m, roots) = (length(inner), Roots::new(2 * n as u64));
        let place = |j: usize| (j as u128 * j as u128 % (2 * n as u128)) as u64;
        let mut spectrum = vec![Complex::new(0.0, 0.0); m];
        for j in 0..n {
            let c = roots.get(place(j)).conj() / m as f64;
            spectrum[j] = c;
            spectrum[(m - j) % m] = c;
        }
        Dft::<f64>::new(Data::Complex, inner).in_place(&mut spectrum);
        Bluestein {
            chirp: (0..n).map(|j| S::root(&roots, place(j))).collect(),
            dft: Dft::new(Data::Complex, inner),
            spectrum: spectrum.iter().map(|z| Complex::new(S::of(z.re), S::of(z.im))).collect(),
        }
    }

    unsafe fn dft<V: Lane<Scalar = S>>(&self, z: *mut C<V>, work: *mut V) {
        let m = self.dft.len();
        // SAFETY: the caller's; two buffers of m complex elements, then the inner DFT's work.
        unsafe {
            let (a, b, work) = (work, work.add(2 * m), work.add(4 * m));
            V::enter(Multiply { by: &self.chirp, from: z, to: a.cast(), pad: m });
            let spectrum = self.dft.complex([a.cast_const(), a.add(1)], b, a, work);
            V::enter(Multiply { by: &self.spectrum, from: spectrum.cast::<C<V>>(), to: spectrum.cast(), pad: m });
            let other = if spectrum == a { b } else { a };
            let sums = self.dft.complex([spectrum.add(1).cast_const(), spectrum], other, spectrum, work);
            // The result has its parts exchanged; multiplying by the chirp exchanges them back.
            V::enter(MultiplySwapped { by: &self.chirp, from: sums.cast(), to: z });
        }
    }
}

/// to_j = from_j · by_j, then zeros up to `pad`.
struct Multiply<'a, V: Lane> {
    by: &'a [Complex<V::Scalar>],
    from: *const C<V>,
    to: *mut C<V>,
    pad: usize,
}

impl<V: Lane> Work for Multiply<'_, V> {
    #[inline(always)]
    fn run(self) {
        // SAFETY: the buffers hold `pad` elements (source: as many as the table).
        unsafe {
            for (j, w) in self.by.iter().enumerate() {
                *self.to.add(j) = (*self.from.add(j)).mul(C { re: V::splat(w.re), im: V::splat(w.im) });
            }
            for j in self.by.len()..self.pad {
                *self.to.add(j) = C { re: V::lit(0.0), im: V::lit(0.0) };
            }
        }
    }
}

struct MultiplySwapped<'a, V: Lane> {
    by: &'a [Complex<V::Scalar>],
    from: *const C<V>,
    to: *mut C<V>,
}

impl<V: Lane> Work for MultiplySwapped<'_, V> {
    #[inline(always)]
    fn run(self) {
        for (j, w) in self.by.iter().enumerate() {
            // SAFETY: both hold as many elements as the table.
            unsafe {
                *self.to.add(j) = (*self.from.add(j)).swap().mul(C { re: V::splat(w.re), im: V::splat(w.im) });
            }
        }
    }
}
