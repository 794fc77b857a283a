//! Runs the last pass of [`crate::recipe::rules::extension`] over vectors.

use crate::arithmetic::complex::C;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, WithIsa};
use crate::recipe::rules::extension;

/// The pass with its coefficients in the engine's precision.
pub(crate) struct Fold<S> {
    sine: bool,
    len: usize,
    scale: S,
    /// The scale on the first and the last output.
    ends: [S; 2],
    /// The scale times √2.
    middle: S,
    turns: Vec<[S; 4]>,
}

impl<S: Scalar> Fold<S> {
    pub(crate) fn new(rule: &extension::SymmetricLastPass) -> Self {
        Fold {
            sine: rule.sine,
            len: rule.len,
            scale: S::of(rule.scale),
            ends: rule.edges.map(|edge| S::of(rule.scale * edge)),
            middle: S::of(rule.scale * std::f64::consts::SQRT_2),
            turns: rule.table().into_iter().map(|row| row.map(S::of)).collect(),
        }
    }

    /// The line at `to` from the three half spectra at `from`, which must not share memory.
    ///
    /// # Safety
    /// Both have their vectors; the CPU has the instructions of `V`.
    pub(crate) unsafe fn run<V: Vector<Scalar = S>>(&self, from: Ptr<V>, to: Ptr<V>) {
        // SAFETY: the caller's.
        unsafe {
            match self.sine {
                false => V::enter(Folding::<V, false> { fold: self, from, to }),
                true => V::enter(Folding::<V, true> { fold: self, from, to }),
            }
        }
    }
}

struct Folding<'a, V: Vector, const SINE: bool> {
    fold: &'a Fold<V::Scalar>,
    from: Ptr<V>,
    to: Ptr<V>,
}

impl<V: Vector, const SINE: bool> Folding<'_, V, SINE> {
    /// Writes y_k, which for sines stands at k − 1.
    #[inline(always)]
    unsafe fn put(&self, k: usize, y: V) {
        // SAFETY: the caller stays within the line.
        unsafe { self.to.add(if SINE { k - 1 } else { k }).write(y) }
    }

    /// Outputs 0, h and 2h. Products with zero, so that a NaN reaches them as it reaches their
    /// neighbours.
    #[inline(always)]
    unsafe fn first(&self) {
        let (Fold { scale, ends, .. }, h) = (self.fold, self.fold.len);
        // SAFETY: the three half spectra, and the line.
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

    /// Outputs h/2 and 3h/2 of an even h: cosines F_{h/2} = 0, sines E_{h/2} = 0.
    #[inline(always)]
    unsafe fn middle(&self) {
        let (Fold { scale, middle, .. }, h) = (self.fold, self.fold.len);
        // SAFETY: as in `first`.
        unsafe {
            let [e, a, f] =
                [self.from.add(h - 1).read(), self.from.add(2 * h - 1).read(), self.from.add(3 * h - 1).read()];
            let (some, none) = if SINE { (f, e) } else { (e, f) };
            let (straight, turned) = (none.mul_add(V::zero(), some * V::splat(*scale)), a * V::splat(*middle));
            self.put(h / 2, straight + turned);
            self.put(h + h / 2, if SINE { turned - straight } else { straight - turned });
        }
    }

    /// The outputs of term k. Without closures: one is compiled for other instructions than the
    /// function that it stands in.
    #[inline(always)]
    unsafe fn term(&self, k: usize, [c, s, d, t]: [V::Scalar; 4]) {
        let h = self.fold.len;
        // SAFETY: as in `first`; 1 ≤ k < h/2.
        unsafe {
            let scale = V::splat(self.fold.scale);
            let turns = [V::splat(c), V::splat(s), V::splat(d), V::splat(t)];
            let at = self.from.add(2 * k);
            let e = C { re: at.sub(1).read(), im: at.read() };
            let a = C { re: at.add(h - 1).read(), im: at.add(h).read() };
            let f = C { re: at.add(2 * h - 1).read(), im: at.add(2 * h).read() };
            let [y, mirror, far, near] = extension::fold_term(SINE, [e, a, f], turns, scale);
            self.put(k, y);
            self.put(2 * h - k, mirror);
            self.put(h + k, far);
            self.put(h - k, near);
        }
    }
}

impl<V: Vector, const SINE: bool> WithIsa for Folding<'_, V, SINE> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        // SAFETY: the caller of `Fold::run`.
        unsafe {
            self.first();
            for (i, turn) in self.fold.turns.iter().enumerate() {
                self.term(i + 1, *turn);
            }
            if self.fold.len % 2 == 0 {
                self.middle();
            }
        }
    }
}
