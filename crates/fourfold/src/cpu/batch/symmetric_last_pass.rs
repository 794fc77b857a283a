//! Executes the last pass of [`crate::recipe::rules::extension`] on vectors.

use crate::arithmetic::complex::C;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, WithIsa};
use crate::recipe::rules::extension;

/// The last pass with its coefficients in the engine's precision.
pub(crate) struct PreparedLastPass<S> {
    sine: bool,
    len: usize,
    scale: S,
    /// The scale on the first and the last output.
    ends: [S; 2],
    /// The scale times √2.
    middle: S,
    table: Vec<[S; 4]>,
}

impl<S: Scalar> PreparedLastPass<S> {
    pub(crate) fn new(rule: &extension::SymmetricLastPass) -> Self {
        PreparedLastPass {
            sine: rule.sine,
            len: rule.len,
            scale: S::of(rule.scale),
            ends: rule.end_weights.map(|weight| S::of(rule.scale * weight)),
            middle: S::of(rule.scale * std::f64::consts::SQRT_2),
            table: rule.table().into_iter().map(|row| row.map(S::of)).collect(),
        }
    }

    /// Computes the line at `to` from the three half spectra at `from`. They must not overlap.
    ///
    /// # Safety
    /// Both have their vectors, and the CPU has the instructions of `V`.
    pub(crate) unsafe fn apply<V: Vector<Scalar = S>>(&self, from: Ptr<V>, to: Ptr<V>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self.sine {
                false => V::enter(LastPassTask::<V, false> { pass: self, from, to }),
                true => V::enter(LastPassTask::<V, true> { pass: self, from, to }),
            }
        }
    }
}

struct LastPassTask<'a, V: Vector, const SINE: bool> {
    pass: &'a PreparedLastPass<V::Scalar>,
    from: Ptr<V>,
    to: Ptr<V>,
}

impl<V: Vector, const SINE: bool> LastPassTask<'_, V, SINE> {
    /// Writes y_k, which has the index k − 1 for sines.
    #[inline(always)]
    unsafe fn put(&self, k: usize, y: V) {
        // SAFETY: the caller stays within the line.
        unsafe { self.to.add(if SINE { k - 1 } else { k }).write(y) }
    }

    /// Outputs 0, h and 2h. The products with zero propagate NaNs to them, as to other outputs.
    #[inline(always)]
    unsafe fn first(&self) {
        let (PreparedLastPass { scale, ends, .. }, h) = (self.pass, self.pass.len);
        // SAFETY: the vectors are those of the three half spectra and of the line.
        unsafe {
            let [e, a, f] = [self.from.read(), self.from.add(h).read(), self.from.add(2 * h).read()];
            if SINE {
                return self.put(h, (e + f).mul_add(V::zero(), (a + a) * V::splat(*scale)));
            }
            self.put(0, (e + f + (a + a)) * V::splat(ends[0]));
            self.put(h, a.mul_add(V::zero(), (e - f) * V::splat(*scale)));
            self.put(2 * h, (e + f - (a + a)) * V::splat(ends[1]));
        }
    }

    /// Outputs h/2 and 3h/2 for even h. F_{h/2} = 0 for cosines, and E_{h/2} = 0 for sines.
    #[inline(always)]
    unsafe fn middle(&self) {
        let (PreparedLastPass { scale, middle, .. }, h) = (self.pass, self.pass.len);
        // SAFETY: as in `first`.
        unsafe {
            let [e, a, f] =
                [self.from.add(h - 1).read(), self.from.add(2 * h - 1).read(), self.from.add(3 * h - 1).read()];
            let (some, none) = if SINE { (f, e) } else { (e, f) };
            let (straight, rotated) = (none.mul_add(V::zero(), some * V::splat(*scale)), a * V::splat(*middle));
            self.put(h / 2, straight + rotated);
            self.put(h + h / 2, if SINE { rotated - straight } else { straight - rotated });
        }
    }

    /// The outputs of term k. A closure would be compiled without the instruction set, so there is
    /// none.
    #[inline(always)]
    unsafe fn term(&self, k: usize, [c, s, d, t]: [V::Scalar; 4]) {
        let h = self.pass.len;
        // SAFETY: as in `first`, with 1 ≤ k < h/2.
        unsafe {
            let scale = V::splat(self.pass.scale);
            let entry = [V::splat(c), V::splat(s), V::splat(d), V::splat(t)];
            let at = self.from.add(2 * k);
            let e = C { re: at.sub(1).read(), im: at.read() };
            let a = C { re: at.add(h - 1).read(), im: at.add(h).read() };
            let f = C { re: at.add(2 * h - 1).read(), im: at.add(2 * h).read() };
            let [y, mirror, far, near] = extension::symmetric_last_pass_term(SINE, [e, a, f], entry, scale);
            self.put(k, y);
            self.put(2 * h - k, mirror);
            self.put(h + k, far);
            self.put(h - k, near);
        }
    }
}

impl<V: Vector, const SINE: bool> WithIsa for LastPassTask<'_, V, SINE> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        // SAFETY: the caller of `PreparedLastPass::apply` guarantees it.
        unsafe {
            self.first();
            for (i, entry) in self.pass.table.iter().enumerate() {
                self.term(i + 1, *entry);
            }
            if self.pass.len % 2 == 0 {
                self.middle();
            }
        }
    }
}
