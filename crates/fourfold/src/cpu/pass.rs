//! The passes of a DFT over vectors: mixed radix for complex, real and Hermitian data (see [`crate::rules::mixed_radix`]).
//!
//! A line is an array of vectors, lane j of every vector belonging to signal j. Complex lines alternate real and imaginary
//! parts; half spectra stand in FFTPACK's order.

use super::factor::Kernel;
use super::lane::{Lane, Scalar, Work};
use crate::butterfly::Butterfly;
use crate::complex::{C, each};
use num_complex::Complex;

/// Vectors in memory: vector i starts at `base + i · stride`, both in scalars.
pub(crate) struct Rows<S> {
    pub(crate) base: *mut S,
    pub(crate) stride: isize,
}

impl<S> Clone for Rows<S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S> Copy for Rows<S> {}

impl<S> Rows<S> {
    /// The vectors of a tile, one after the other.
    pub(crate) fn tile<V: Lane<Scalar = S>>(base: *mut V) -> Self {
        Rows { base: base.cast(), stride: V::WIDTH as isize }
    }

    /// # Safety
    /// Vector i lies in readable memory.
    #[inline(always)]
    pub(crate) unsafe fn load<V: Lane<Scalar = S>>(self, i: isize) -> V {
        // SAFETY: the caller's.
        unsafe { V::load(self.base.offset(i * self.stride)) }
    }

    /// # Safety
    /// Vector i lies in writable memory.
    #[inline(always)]
    pub(crate) unsafe fn store<V: Lane<Scalar = S>>(self, i: isize, v: V) {
        // SAFETY: the caller's.
        unsafe { v.store(self.base.offset(i * self.stride)) }
    }
}

/// The real side of a DFT in memory: element m is row `index[m]` times `gain[m]`; both may be null for m itself and 1.
pub(crate) struct Ordered<S> {
    pub(crate) rows: Rows<S>,
    pub(crate) index: *const u32,
    pub(crate) gain: *const S,
}

impl<S: Scalar> Ordered<S> {
    /// # Safety
    /// Element m exists.
    #[inline(always)]
    unsafe fn place(&self, m: usize) -> isize {
        // SAFETY: the caller's.
        if self.index.is_null() { m as isize } else { unsafe { *self.index.add(m) as isize } }
    }

    /// # Safety
    /// Element m exists and is readable.
    #[inline(always)]
    pub(crate) unsafe fn load<V: Lane<Scalar = S>>(&self, m: usize) -> V {
        // SAFETY: the caller's.
        unsafe {
            let v = self.rows.load::<V>(self.place(m));
            if self.gain.is_null() { v } else { v * V::splat(*self.gain.add(m)) }
        }
    }

    /// # Safety
    /// Element m exists and is writable.
    #[inline(always)]
    pub(crate) unsafe fn store<V: Lane<Scalar = S>>(&self, m: usize, v: V) {
        // SAFETY: the caller's.
        unsafe {
            let v = if self.gain.is_null() { v } else { v * V::splat(*self.gain.add(m)) };
            self.rows.store(self.place(m), v);
        }
    }
}

/// One pass: `groups` · r sequences of length `inner` become `groups` of length r · `inner`.
pub(crate) struct Pass<S> {
    pub(crate) kernel: Kernel<S>,
    pub(crate) groups: usize,
    pub(crate) inner: usize,
    /// w_{r·inner}^{jk} at \[(k−1)(r−1) + j−1\], 1 ≤ j < r, 1 ≤ k < inner (real data: k ≤ inner/2).
    pub(crate) twiddles: Vec<Complex<S>>,
}

/// Calls `$body` with the constant `$r` equal to `$radix`.
macro_rules! for_radix {
    ($radix:expr, $r:ident => $body:expr) => {
        match $radix {
            2 => {
                const $r: usize = 2;
                $body
            }
            3 => {
                const $r: usize = 3;
                $body
            }
            4 => {
                const $r: usize = 4;
                $body
            }
            5 => {
                const $r: usize = 5;
                $body
            }
            7 => {
                const $r: usize = 7;
                $body
            }
            8 => {
                const $r: usize = 8;
                $body
            }
            11 => {
                const $r: usize = 11;
                $body
            }
            13 => {
                const $r: usize = 13;
                $body
            }
            16 => {
                const $r: usize = 16;
                $body
            }
            other => unreachable!("no butterfly of radix {other}"),
        }
    };
}

impl<S: Scalar> Pass<S> {
    fn radix(&self) -> usize {
        self.kernel.len()
    }

    /// Complex data. `src` and `dst` are (re, im): element i at `2i` vectors from each.
    ///
    /// # Safety
    /// Source and destination hold the pass's complex elements and do not overlap; `work` holds what the kernel needs; the CPU
    /// has the instructions of `V`.
    pub(crate) unsafe fn complex<V: Lane<Scalar = S>>(&self, src: [*const V; 2], dst: [*mut V; 2], work: *mut V) {
        // SAFETY: the caller's.
        unsafe {
            match self.kernel {
                Kernel::Radix(radix) => for_radix!(radix, R => V::enter(ComplexPass::<V, R> { pass: self, src, dst })),
                _ => V::enter(AnyComplexPass { pass: self, src, dst, work }),
            }
        }
    }

    /// Half spectra from half spectra; the first pass reads the real data in their order.
    ///
    /// # Safety
    /// As [`Pass::complex`], in vectors of reals.
    pub(crate) unsafe fn forward<V: Lane<Scalar = S>>(&self, src: Ordered<S>, dst: *mut V, work: *mut V) {
        // SAFETY: the caller's.
        unsafe {
            match self.kernel {
                Kernel::Radix(radix) if self.inner == 1 => {
                    for_radix!(radix, R => V::enter(FirstPass::<V, R> { pass: self, src, dst }))
                }
                Kernel::Radix(radix) => {
                    let src = src.rows.base.cast::<V>().cast_const();
                    for_radix!(radix, R => V::enter(ForwardPass::<V, R> { pass: self, src, dst }))
                }
                _ => V::enter(AnyForwardPass { pass: self, src, dst, work }),
            }
        }
    }

    /// The way back: one half spectrum into r; the last pass writes the real data in their order.
    ///
    /// # Safety
    /// As [`Pass::forward`].
    pub(crate) unsafe fn backward<V: Lane<Scalar = S>>(&self, src: *const V, dst: Ordered<S>, work: *mut V) {
        // SAFETY: the caller's.
        unsafe {
            match self.kernel {
                Kernel::Radix(radix) if self.inner == 1 => {
                    for_radix!(radix, R => V::enter(LastPass::<V, R> { pass: self, src, dst }))
                }
                Kernel::Radix(radix) => {
                    let dst = dst.rows.base.cast::<V>();
                    for_radix!(radix, R => V::enter(BackwardPass::<V, R> { pass: self, src, dst }))
                }
                _ => V::enter(AnyBackwardPass { pass: self, src, dst, work }),
            }
        }
    }
}

/// A table entry in every lane.
///
/// # Safety
/// `w` is readable.
#[inline(always)]
unsafe fn splat<V: Lane>(w: *const Complex<V::Scalar>) -> C<V> {
    // SAFETY: the caller's.
    unsafe { C { re: V::splat((*w).re), im: V::splat((*w).im) } }
}

/// No data: what the butterflies overwrite.
#[inline(always)]
fn zero<V: Lane>() -> C<V> {
    C { re: V::lit(0.0), im: V::lit(0.0) }
}

struct ComplexPass<'a, V: Lane, const R: usize> {
    pass: &'a Pass<V::Scalar>,
    src: [*const V; 2],
    dst: [*mut V; 2],
}

impl<V: Lane, const R: usize> ComplexPass<'_, V, R>
where
    [C<V>; R]: Butterfly,
{
    /// One butterfly: inputs `from + j·step`, outputs `to + q·inner`; `w` null for no twiddles.
    #[inline(always)]
    unsafe fn butterfly(&self, from: usize, step: usize, to: usize, w: *const Complex<V::Scalar>) {
        // SAFETY: the caller stays within the pass.
        unsafe {
            let mut z = [zero(); R];
            for (j, z) in z.iter_mut().enumerate() {
                let at = 2 * (from + j * step);
                *z = C { re: *self.src[0].add(at), im: *self.src[1].add(at) };
                if j > 0 && !w.is_null() {
                    *z = z.mul(splat(w.add(j - 1)));
                }
            }
            for (q, z) in z.dft().into_iter().enumerate() {
                let at = 2 * (to + q * self.pass.inner);
                *self.dst[0].add(at) = z.re;
                *self.dst[1].add(at) = z.im;
            }
        }
    }
}

impl<V: Lane, const R: usize> Work for ComplexPass<'_, V, R>
where
    [C<V>; R]: Butterfly,
{
    #[inline(always)]
    fn run(self) {
        let Pass { groups, inner, ref twiddles, .. } = *self.pass;
        for l in 0..groups {
            // SAFETY: l + j·groups sequences of `inner` elements each in, r·inner elements out.
            unsafe {
                self.butterfly(l * inner, groups * inner, l * R * inner, std::ptr::null());
                for k in 1..inner {
                    let w = twiddles.as_ptr().add((k - 1) * (R - 1));
                    self.butterfly(l * inner + k, groups * inner, l * R * inner + k, w);
                }
            }
        }
    }
}

/// Writes term `k` of the half spectrum of length `n` at `x`, given any k < n: beyond n/2 its mirror, conjugated.
///
/// # Safety
/// `x` holds n vectors; `0 < k < n`, `2k ≠ n`.
#[inline(always)]
unsafe fn put<V: Lane>(x: *mut V, n: usize, k: usize, mirror: bool, z: C<V>) {
    // SAFETY: the caller's.
    unsafe {
        let k = if mirror { n - k } else { k };
        *x.add(2 * k - 1) = z.re;
        *x.add(2 * k) = if mirror { -z.im } else { z.im };
    }
}

/// The reverse of [`put`].
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn get<V: Lane>(x: *const V, n: usize, k: usize, mirror: bool) -> C<V> {
    // SAFETY: the caller's.
    unsafe {
        let k = if mirror { n - k } else { k };
        let z = C { re: *x.add(2 * k - 1), im: *x.add(2 * k) };
        if mirror { z.conj() } else { z }
    }
}

/// Real butterflies on the data themselves: `inner` is 1.
struct FirstPass<'a, V: Lane, const R: usize> {
    pass: &'a Pass<V::Scalar>,
    src: Ordered<V::Scalar>,
    dst: *mut V,
}

/// Stores outputs 0 ..= R/2 of a real butterfly as terms 0, m, 2m, … of a half spectrum of length R·m.
///
/// # Safety
/// `x` holds R·m vectors.
#[inline(always)]
unsafe fn put_real<V: Lane, const R: usize>(x: *mut V, m: usize, z: [C<V>; R]) {
    // SAFETY: the caller's.
    unsafe {
        *x = z[0].re;
        for q in 1..R.div_ceil(2) {
            put(x, R * m, q * m, false, z[q]);
        }
        if R % 2 == 0 {
            *x.add(R * m - 1) = z[R / 2].re;
        }
    }
}

/// The reverse of [`put_real`].
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn get_real<V: Lane, const R: usize>(x: *const V, m: usize) -> [C<V>; R] {
    // SAFETY: the caller's.
    unsafe {
        let mut z = [zero(); R];
        z[0].re = *x;
        for q in 1..R.div_ceil(2) {
            z[q] = get(x, R * m, q * m, false);
        }
        if R % 2 == 0 {
            z[R / 2].re = *x.add(R * m - 1);
        }
        z
    }
}

impl<V: Lane, const R: usize> Work for FirstPass<'_, V, R>
where
    [C<V>; R]: Butterfly,
{
    #[inline(always)]
    fn run(self) {
        let groups = self.pass.groups;
        for l in 0..groups {
            // SAFETY: R · groups elements in, R · groups vectors out.
            unsafe {
                let z = each!(j < R => C { re: self.src.load(l + j * groups), im: V::lit(0.0) });
                put_real(self.dst.add(l * R), 1, z.half_spectrum());
            }
        }
    }
}

struct ForwardPass<'a, V: Lane, const R: usize> {
    pass: &'a Pass<V::Scalar>,
    src: *const V,
    dst: *mut V,
}

impl<V: Lane, const R: usize> Work for ForwardPass<'_, V, R>
where
    [C<V>; R]: Butterfly,
{
    #[inline(always)]
    fn run(self) {
        let Pass { groups, inner: m, ref twiddles, .. } = *self.pass;
        let half = R.div_ceil(2);
        for l in 0..groups {
            // SAFETY: sequence l + j·groups has m vectors, the result R·m.
            unsafe {
                let (src, dst) = (self.src.add(l * m), self.dst.add(l * R * m));
                let step = groups * m;
                let z = each!(j < R => C { re: *src.add(j * step), im: V::lit(0.0) });
                put_real(dst, m, z.half_spectrum());
                for k in 1..m.div_ceil(2) {
                    let w = twiddles.as_ptr().add((k - 1) * (R - 1));
                    let mut z = [zero(); R];
                    for (j, z) in z.iter_mut().enumerate() {
                        *z = get(src.add(j * step), m, k, false);
                        if j > 0 {
                            *z = z.mul(splat(w.add(j - 1)));
                        }
                    }
                    for (q, z) in z.dft().into_iter().enumerate() {
                        put(dst, R * m, k + q * m, q >= half, z);
                    }
                }
                if m % 2 == 0 {
                    let w = twiddles.as_ptr().add((m / 2 - 1) * (R - 1));
                    let mut z = [zero(); R];
                    for (j, z) in z.iter_mut().enumerate() {
                        let x = *src.add(j * step).add(m - 1);
                        *z = if j == 0 { C { re: x, im: V::lit(0.0) } } else { splat(w.add(j - 1)).scale(x) };
                    }
                    let z = z.dft();
                    for q in 0..R / 2 {
                        put(dst, R * m, m / 2 + q * m, false, z[q]);
                    }
                    if R % 2 == 1 {
                        *dst.add(R * m - 1) = z[R / 2].re;
                    }
                }
            }
        }
    }
}

/// The reverse of [`FirstPass`].
struct LastPass<'a, V: Lane, const R: usize> {
    pass: &'a Pass<V::Scalar>,
    src: *const V,
    dst: Ordered<V::Scalar>,
}

impl<V: Lane, const R: usize> Work for LastPass<'_, V, R>
where
    [C<V>; R]: Butterfly,
{
    #[inline(always)]
    fn run(self) {
        let groups = self.pass.groups;
        for l in 0..groups {
            // SAFETY: R · groups vectors in, R · groups elements out.
            unsafe {
                let z = get_real::<V, R>(self.src.add(l * R), 1).signal();
                for (j, z) in z.into_iter().enumerate() {
                    self.dst.store(l + j * groups, z.re);
                }
            }
        }
    }
}

struct BackwardPass<'a, V: Lane, const R: usize> {
    pass: &'a Pass<V::Scalar>,
    src: *const V,
    dst: *mut V,
}

impl<V: Lane, const R: usize> Work for BackwardPass<'_, V, R>
where
    [C<V>; R]: Butterfly,
{
    #[inline(always)]
    fn run(self) {
        let Pass { groups, inner: m, ref twiddles, .. } = *self.pass;
        let half = R.div_ceil(2);
        for l in 0..groups {
            // SAFETY: as in `ForwardPass`, the other way round.
            unsafe {
                let (src, dst) = (self.src.add(l * R * m), self.dst.add(l * m));
                let step = groups * m;
                for (j, z) in get_real::<V, R>(src, m).signal().into_iter().enumerate() {
                    *dst.add(j * step) = z.re;
                }
                for k in 1..m.div_ceil(2) {
                    let w = twiddles.as_ptr().add((k - 1) * (R - 1));
                    let z = each!(q < R => get(src, R * m, k + q * m, q >= half).swap());
                    for (j, z) in z.dft().into_iter().enumerate() {
                        let z = z.swap();
                        put(dst.add(j * step), m, k, false, if j == 0 { z } else { z.mul_conj(splat(w.add(j - 1))) });
                    }
                }
                if m % 2 == 0 {
                    let w = twiddles.as_ptr().add((m / 2 - 1) * (R - 1));
                    let z = each!(q < R => {
                        if 2 * q + 1 == R {
                            C { re: V::lit(0.0), im: *src.add(R * m - 1) }
                        } else {
                            get(src, R * m, m / 2 + q * m, q >= half).swap()
                        }
                    });
                    for (j, z) in z.dft().into_iter().enumerate() {
                        let z = z.swap();
                        let z = if j == 0 { z } else { z.mul_conj(splat(w.add(j - 1))) };
                        *dst.add(j * step).add(m - 1) = z.re;
                    }
                }
            }
        }
    }
}

/// A pass whose kernel is no butterfly: the elements of one small DFT are brought together in `work`.
struct AnyComplexPass<'a, V: Lane> {
    pass: &'a Pass<V::Scalar>,
    src: [*const V; 2],
    dst: [*mut V; 2],
    work: *mut V,
}

impl<V: Lane> Work for AnyComplexPass<'_, V> {
    #[inline(always)]
    fn run(self) {
        let Pass { groups, inner, ref twiddles, ref kernel } = *self.pass;
        let r = self.pass.radix();
        // SAFETY: `work` begins with room for r complex elements; the rest as in `ComplexPass`.
        unsafe {
            let (z, work) = (self.work.cast::<C<V>>(), self.work.add(2 * r));
            for butterfly in 0..groups * inner {
                let (l, k) = (butterfly / inner, butterfly % inner);
                for j in 0..r {
                    let at = 2 * ((l + j * groups) * inner + k);
                    let x = C { re: *self.src[0].add(at), im: *self.src[1].add(at) };
                    let turned = j > 0 && k > 0;
                    *z.add(j) = if turned { x.mul(splat(&twiddles[(k - 1) * (r - 1) + j - 1])) } else { x };
                }
                kernel.dft(z, work);
                for q in 0..r {
                    let at = 2 * (l * r * inner + k + q * inner);
                    *self.dst[0].add(at) = (*z.add(q)).re;
                    *self.dst[1].add(at) = (*z.add(q)).im;
                }
            }
        }
    }
}

struct AnyForwardPass<'a, V: Lane> {
    pass: &'a Pass<V::Scalar>,
    src: Ordered<V::Scalar>,
    dst: *mut V,
    work: *mut V,
}

impl<V: Lane> Work for AnyForwardPass<'_, V> {
    #[inline(always)]
    fn run(self) {
        let Pass { groups, inner: m, ref twiddles, ref kernel } = *self.pass;
        let r = self.pass.radix();
        // SAFETY: as in `ForwardPass`; `work` begins with room for r complex elements.
        unsafe {
            let (z, rest) = (self.work.cast::<C<V>>(), self.work.add(2 * r));
            let real = self.work;
            for l in 0..groups {
                let dst = self.dst.add(l * r * m);
                for j in 0..r {
                    *real.add(j) = self.src.load((l + j * groups) * m);
                }
                kernel.half_spectrum(real, rest);
                *dst = *real;
                for q in 1..=r / 2 {
                    put(dst, r * m, q * m, false, get(real, r, q, false));
                }
                for k in 1..=m / 2 {
                    for j in 0..r {
                        let x = if 2 * k == m {
                            C { re: self.src.load((l + j * groups) * m + m - 1), im: V::lit(0.0) }
                        } else {
                            C {
                                re: self.src.load((l + j * groups) * m + 2 * k - 1),
                                im: self.src.load((l + j * groups) * m + 2 * k),
                            }
                        };
                        *z.add(j) = if j > 0 { x.mul(splat(&twiddles[(k - 1) * (r - 1) + j - 1])) } else { x };
                    }
                    kernel.dft(z, rest);
                    if 2 * k == m {
                        *dst.add(r * m - 1) = (*z.add(r / 2)).re;
                    }
                    let count = if 2 * k == m { r / 2 } else { r };
                    for q in 0..count {
                        put(dst, r * m, k + q * m, 2 * q >= r, *z.add(q));
                    }
                }
            }
        }
    }
}

struct AnyBackwardPass<'a, V: Lane> {
    pass: &'a Pass<V::Scalar>,
    src: *const V,
    dst: Ordered<V::Scalar>,
    work: *mut V,
}

impl<V: Lane> Work for AnyBackwardPass<'_, V> {
    #[inline(always)]
    fn run(self) {
        let Pass { groups, inner: m, ref twiddles, ref kernel } = *self.pass;
        let r = self.pass.radix();
        // SAFETY: as in `AnyForwardPass`.
        unsafe {
            let (z, rest) = (self.work.cast::<C<V>>(), self.work.add(2 * r));
            let real = self.work;
            for l in 0..groups {
                let src = self.src.add(l * r * m);
                let to = &self.dst;
                *real = *src;
                for q in 1..=r / 2 {
                    put(real, r, q, false, get(src, r * m, q * m, false));
                }
                kernel.signal(real, rest);
                for j in 0..r {
                    to.store((l + j * groups) * m, *real.add(j));
                }
                for k in 1..=m / 2 {
                    for q in 0..r {
                        let x = if 2 * (k + q * m) == r * m {
                            C { re: *src.add(r * m - 1), im: V::lit(0.0) }
                        } else {
                            get(src, r * m, k + q * m, 2 * (k + q * m) > r * m)
                        };
                        *z.add(q) = x.swap();
                    }
                    kernel.dft(z, rest);
                    for j in 0..r {
                        let x = (*z.add(j)).swap();
                        let x = if j > 0 { x.mul_conj(splat(&twiddles[(k - 1) * (r - 1) + j - 1])) } else { x };
                        if 2 * k == m {
                            to.store((l + j * groups) * m + m - 1, x.re);
                        } else {
                            to.store((l + j * groups) * m + 2 * k - 1, x.re);
                            to.store((l + j * groups) * m + 2 * k, x.im);
                        }
                    }
                }
            }
        }
    }
}
