//! Executes combines on a part of a row by vectors.

use crate::arithmetic::complex::C;
use crate::baseline::combine::{after, after_one, before, before_one};
use crate::baseline::cpu::rows::{Row, lanes};
use crate::baseline::stage::{Combine, CombineAxis, CombineVariant, Direction};
use crate::cpu::simd::dispatch::Dispatch;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Vector, VectorTask, WithIsa};
use crate::recipe::reduction::IndexMap;

/// The terms `range` of rows along the last axis, which has `n` elements.
pub(crate) struct CombineSpan<'a, S, const H: usize> {
    pub(crate) rows: CombinedRows<S, H>,
    pub(crate) n: usize,
    /// The factors along the row.
    pub(crate) table: Ptr<C<S>>,
    /// The factor if there is no table, and the factor on term 0.
    pub(crate) scale: S,
    pub(crate) first: S,
    /// As [`Combine::threshold`], rounded to the type of the reals.
    pub(crate) threshold: Option<f64>,
    pub(crate) combine: &'a Combine,
    pub(crate) range: [usize; 2],
}

/// Rows that depend on each other. Bit i of the index of a row is set for −k and N − k along axis
/// i.
#[derive(Clone, Copy)]
pub(crate) struct CombinedRows<S, const H: usize> {
    /// The factors of the other axes.
    pub(crate) rotations: [C<S>; 2],
    /// Terms 0, 1, … of the spectrum.
    pub(crate) spectrum: [Ptr<C<S>>; H],
    /// The reals of term k, and of term N − k.
    pub(crate) terms: [[Row<S>; H]; 2],
    /// Whether the row differs from all those with a subset of its bits.
    pub(crate) written: [bool; H],
    /// Whether the reals are 0.
    pub(crate) nothing: [bool; H],
    /// Whether term 0 is where N − k would be.
    pub(crate) shifted: bool,
}

/// The indices of term k of an axis, or of its mirror image.
pub(crate) struct TermIndex {
    pub(crate) spectrum: isize,
    pub(crate) reals: isize,
    pub(crate) written: bool,
    pub(crate) nothing: bool,
}

impl TermIndex {
    pub(crate) fn of(axis: &CombineAxis, k: usize, conjugate: bool) -> TermIndex {
        let (n, (start, step)) = (axis.n, axis.terms.line(axis.n));
        let shifted = axis.terms == IndexMap::Shifted;
        let term = if conjugate { n - k } else { k };
        TermIndex {
            spectrum: (term % n) as isize,
            reals: if k == 0 { axis.terms.zero(n) as isize } else { start + step * term as isize },
            written: !conjugate || (k > 0 && 2 * k != n),
            nothing: k == 0 && (conjugate || shifted),
        }
    }
}

/// Executes a part of a row with vectors of type `V`.
struct CombineTask<'a, V: Vector, const H: usize>(CombineSpan<'a, V::Scalar, H>);

impl<S: Dispatch, const H: usize> VectorTask<S> for CombineSpan<'_, S, H> {
    unsafe fn with_vector<V: Vector<Scalar = S>>(self) {
        // SAFETY: the caller guarantees it.
        unsafe { V::enter(CombineTask::<V, H>(self)) }
    }
}

impl<V: Vector, const H: usize> WithIsa for CombineTask<'_, V, H>
where
    V::Scalar: Dispatch,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        let span = self.0;
        let [start, end] = span.range;
        // Vectors contain only terms whose mirror images are other terms.
        let whole = |k: usize| V::WIDTH > 1 && k > 0;
        let mut k = start;
        // SAFETY: the terms are in the rows.
        unsafe {
            while k < end {
                if whole(k) && k + V::WIDTH <= span.vectors_until(k).min(end) {
                    span.step::<V>(k);
                    k += V::WIDTH;
                } else {
                    span.step::<V::Scalar>(k);
                    k += 1;
                }
            }
        }
    }
}

impl<S: Dispatch, const H: usize> CombineSpan<'_, S, H> {
    /// The end of the terms that can be computed by vectors from term k on.
    #[inline(always)]
    fn vectors_until(&self, k: usize) -> usize {
        match self.combine.outputs {
            CombineVariant::One if self.combine.direction == Direction::After && 2 * k <= self.n => self.n / 2 + 1,
            CombineVariant::One if self.combine.direction == Direction::After => self.n,
            CombineVariant::Direct { .. } => self.n,
            _ => self.n.div_ceil(2),
        }
    }

    /// Computes terms k, k + 1, ….
    ///
    /// # Safety
    /// The terms are in memory.
    #[inline(always)]
    unsafe fn step<V: Vector<Scalar = S>>(&self, k: usize) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match (self.combine.outputs, self.combine.direction) {
                (CombineVariant::Direct { rotates }, _) => self.direct::<V>(k, rotates),
                (CombineVariant::One, Direction::After) => self.after_one::<V>(k),
                (CombineVariant::One, Direction::Before) => {
                    let v = before_one(&self.rotations::<V>(k)[..H.ilog2() as usize + 1], self.reals::<V>(k));
                    write(self.rows.spectrum[0], k, v);
                }
                (CombineVariant::All, Direction::After) => self.after::<V>(k),
                (CombineVariant::All, Direction::Before) => {
                    let v = before(&self.rotations::<V>(k)[..H.ilog2() as usize + 1], self.reals::<V>(k));
                    (0..H).filter(|&h| self.rows.written[h]).for_each(|h| write(self.rows.spectrum[h], k, v[h]));
                }
            }
        }
    }

    /// The factors of all axes: those of the other axes, then the one along the row.
    #[inline(always)]
    unsafe fn rotations<V: Vector<Scalar = S>>(&self, k: usize) -> [C<V>; 3] {
        // SAFETY: the CPU has the instructions of `V`, and the table has term k.
        let ([a, b], c) = unsafe {
            let rotations = self.rows.rotations.map(|w| C { re: V::splat(w.re), im: V::splat(w.im) });
            (rotations, read::<V>(self.table, k))
        };
        match H {
            1 => [c; 3],
            2 => [a, c, c],
            _ => [a, b, c],
        }
    }

    #[inline(always)]
    unsafe fn after<V: Vector<Scalar = S>>(&self, k: usize) {
        let CombinedRows { spectrum, terms, written, shifted, .. } = &self.rows;
        // SAFETY: the caller guarantees it.
        unsafe {
            let mut v = [C { re: V::zero(), im: V::zero() }; H];
            (0..H).for_each(|h| v[h] = read(spectrum[h], k));
            let y = after(&self.rotations::<V>(k)[..H.ilog2() as usize + 1], v);
            let conjugate = k > 0 && 2 * k != self.n;
            for h in (0..H).filter(|&h| written[h]) {
                terms[usize::from(k == 0 && *shifted)][h].put(k, self.kept(y[0][h]));
                if conjugate {
                    terms[1][h].put(k, self.kept(y[1][h]));
                }
            }
        }
    }

    /// A term k that is not in the half spectrum is the conjugate of the opposite term.
    #[inline(always)]
    unsafe fn after_one<V: Vector<Scalar = S>>(&self, k: usize) {
        // SAFETY: the caller guarantees it.
        unsafe {
            let mut v = [C { re: V::zero(), im: V::zero() }; H];
            for h in 0..H {
                v[h] = if 2 * k <= self.n {
                    read(self.rows.spectrum[h], k)
                } else {
                    let z = read::<V>(self.rows.spectrum[H - 1 - h], self.n - k - (V::WIDTH - 1));
                    C { re: z.re.reverse(), im: -z.im.reverse() }
                };
            }
            let y = after_one(&self.rotations::<V>(k)[..H.ilog2() as usize + 1], v);
            self.rows.terms[usize::from(k == 0 && self.rows.shifted)][0].put(k, self.kept(y));
        }
    }

    /// The reals of term k and of term N − k. Term 0 has no N − k.
    #[inline(always)]
    unsafe fn reals<V: Vector<Scalar = S>>(&self, k: usize) -> [[V; H]; 2] {
        let CombinedRows { terms, nothing, shifted, .. } = &self.rows;
        // SAFETY: the caller guarantees it.
        let mut x = unsafe { [[V::zero(); H]; 2] };
        for h in (0..H).filter(|&h| !nothing[h]) {
            // SAFETY: the caller guarantees it.
            unsafe {
                if k > 0 || !shifted {
                    x[0][h] = terms[0][h].get(k);
                }
                if k > 0 {
                    x[1][h] = terms[1][h].get(k);
                }
            }
        }
        x
    }

    #[inline(always)]
    unsafe fn direct<V: Vector<Scalar = S>>(&self, k: usize, rotates: bool) {
        // SAFETY: the caller guarantees it.
        unsafe {
            let z = read::<V>(self.rows.spectrum[0], k);
            let y = if rotates {
                let w = read::<V>(self.table, k);
                z.re.mul_sub(w.re, z.im * w.im)
            } else {
                z.re * V::splat(if k == 0 { self.scale * self.first } else { self.scale })
            };
            self.rows.terms[0][0].put(k, self.kept(y));
        }
    }

    /// The reals that are written for `x`: 0 for those of a magnitude below the threshold.
    #[inline(always)]
    fn kept<V: Vector<Scalar = S>>(&self, x: V) -> V {
        let Some(least) = self.threshold else { return x };
        let kept = lanes(x).map(|x| if x.to().abs() < least { S::default() } else { x });
        // SAFETY: the array has as many reals as the longest vector.
        unsafe { V::load(Ptr::of(&kept)) }
    }
}

/// Loads complex numbers k, k + 1, ….
///
/// # Safety
/// The terms are in memory.
#[inline(always)]
unsafe fn read<V: Vector>(from: Ptr<C<V::Scalar>>, k: usize) -> C<V> {
    // SAFETY: the caller guarantees it.
    unsafe {
        let from = from.add(k).cast::<V::Scalar>();
        if V::WIDTH == 1 {
            return C { re: V::load(from), im: V::load(from.add(1)) };
        }
        let (re, im) = V::unzip(V::load(from), V::load(from.add(V::WIDTH)));
        C { re, im }
    }
}

/// # Safety
/// As for [`read`].
#[inline(always)]
unsafe fn write<V: Vector>(to: Ptr<C<V::Scalar>>, k: usize, z: C<V>) {
    // SAFETY: the caller guarantees it.
    unsafe {
        let to = to.add(k).cast::<V::Scalar>();
        if V::WIDTH == 1 {
            z.re.store(to);
            return z.im.store(to.add(1));
        }
        let (low, high) = V::zip(z.re, z.im);
        low.store(to);
        high.store(to.add(V::WIDTH));
    }
}
