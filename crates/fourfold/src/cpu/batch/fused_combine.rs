//! The combine of a cosine or sine transform as part of a pass. The pass reads or writes its terms
//! through it, so the combine needs no separate trip through memory.

use crate::arithmetic::complex::C;
use crate::cpu::base::strided::Strided;
use crate::cpu::batch::combine_steps::{CombineStep, Pair, rotate};
use crate::cpu::dft::pass::half_spectrum::{Cursor, HalfSpectrum};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector};
use crate::recipe::reduction;
use crate::recipe::reduction::{Rotation, Step};
use crate::recipe::reorder::Index;

/// The indices on a line that belong to the terms of a half spectrum.
pub(crate) struct Shape<S> {
    /// The indices of terms 1, 2, ….
    line: [Index; 2],
    pub(crate) pair: Pair,
    /// The index of the first and of the last term, and its factor. Without a factor, the element
    /// is 0.
    pub(crate) ends: [(isize, Option<S>); 2],
    /// The number of the combine's step that rotates all other terms.
    pub(crate) step: usize,
}

impl<S: Scalar> Shape<S> {
    /// The shape of a combine that rotates and conjugates all terms except the first and the last.
    /// `None` for other combines.
    pub(crate) fn new(steps: &[Step], prepared: &[CombineStep<S>]) -> Option<Self> {
        let mut ends = [(0, None); 2];
        for step in steps {
            match *step {
                Step::Zero { place } => ends[0] = (place as isize, None),
                Step::End { last, place, by } => ends[usize::from(last)] = (place as isize, Some(S::of(by))),
                _ => {}
            }
        }
        let line = steps.iter().find_map(|step| match *step {
            Step::Rotate(Rotation { terms: reduction::SpectrumTerms::INNER, line, conjugate: true, .. }) => Some(line),
            _ => None,
        })?;
        let step = prepared.iter().position(|step| matches!(step, CombineStep::Rotate { .. }))?;
        Some(Shape { line, pair: Pair::of_indices(line)?, ends, step })
    }
}

/// Real factors on the elements of a line: those of a contiguous list, each multiplied by `by`.
#[derive(Clone, Copy)]
pub(crate) struct LineFactors<S> {
    pub(crate) list: Ptr<S>,
    pub(crate) by: S,
}

/// A combine with a shape that allows it to be part of a pass.
#[derive(Clone, Copy)]
pub(crate) struct FusedCombine<'a, S> {
    pub(crate) shape: &'a Shape<S>,
    pub(crate) table: &'a [[S; 2]],
}

impl<S: Scalar> FusedCombine<'_, S> {
    /// Computes terms k … k + WIDTH − 1 from the signal at `base`.
    ///
    /// # Safety
    /// The terms exist, their elements are in memory, and the CPU has the instructions of `V`.
    #[inline(always)]
    pub(crate) unsafe fn get<V: Vector<Scalar = S>>(self, base: Ptr<S>, k: usize) -> C<V> {
        // SAFETY: the caller guarantees it.
        unsafe {
            let (x, y) = self.shape.pair.load(base, k as isize - 1);
            let [re, im] = self.rotated(k, x, y);
            C { re, im }
        }
    }

    /// Computes the elements of the signal at `base` from terms k … k + WIDTH − 1, multiplied by the
    /// factors of the line, if there are any.
    ///
    /// # Safety
    /// As for [`FusedCombine::get`], and the factors are in memory.
    #[inline(always)]
    pub(crate) unsafe fn put<V: Vector<Scalar = S>>(
        self,
        base: Ptr<S>,
        k: usize,
        z: C<V>,
        factors: Option<LineFactors<S>>,
    ) {
        // SAFETY: the caller guarantees it.
        unsafe {
            let [mut x, mut y] = self.rotated(k, z.re, z.im);
            if let Some(LineFactors { list, by }) = factors {
                let (f, g) = self.shape.pair.load::<V>(list, k as isize - 1);
                (x, y) = (x * (f * V::splat(by)), y * (g * V::splat(by)));
            }
            self.shape.pair.store(base, k as isize - 1, x, y);
        }
    }

    #[inline(always)]
    unsafe fn rotated<V: Vector<Scalar = S>>(self, k: usize, x: V, y: V) -> [V; 2] {
        // SAFETY: the caller guarantees it.
        unsafe {
            let table: Ptr<S> = Ptr::of(self.table).add(k - 1).cast();
            let (a, b) = V::unzip(V::load(table), V::load(table.add(V::WIDTH)));
            rotate(x, y, a, b, true)
        }
    }

    /// The half spectrum whose terms are computed from the line at `rows`, or whose terms determine
    /// that line. Each lane is a line.
    pub(crate) fn over(&self, rows: Strided<S>) -> FusedTerms<S> {
        let at = |place: isize| rows.base.wrapping_offset(place * rows.stride);
        let end = |(place, by): (isize, Option<S>)| by.map_or(End::Zero(at(place)), |by| End::Times(at(place), by));
        let Shape { line, ends, .. } = self.shape;
        FusedTerms {
            ends: ends.map(end),
            places: line.map(|index| at(index.start - index.step)),
            steps: line.map(|index| index.step * rows.stride),
            table: Ptr::of(self.table).wrapping_sub(1),
        }
    }
}

/// The address of the first or the last term.
#[derive(Clone, Copy)]
enum End<S> {
    /// The term has this factor.
    Times(Ptr<S>, S),
    /// There is no such term, and the element is 0.
    Zero(Ptr<S>),
}

/// The terms of [`FusedCombine::over`].
#[derive(Clone, Copy)]
pub(crate) struct FusedTerms<S> {
    ends: [End<S>; 2],
    /// The addresses that term 0 would have, and the distances to the next term.
    places: [Ptr<S>; 2],
    steps: [isize; 2],
    table: Ptr<[S; 2]>,
}

pub(crate) struct FusedCursor<S> {
    at: [Ptr<S>; 2],
    steps: [isize; 2],
    entry: Ptr<[S; 2]>,
    by: isize,
}

impl<V: Vector> HalfSpectrum<V> for FusedTerms<V::Scalar> {
    type Cursor = FusedCursor<V::Scalar>;

    #[inline(always)]
    fn skip(self, vectors: usize) -> Self {
        debug_assert_eq!(vectors, 0, "a combine has one half spectrum");
        self
    }

    #[inline(always)]
    unsafe fn end(self, _n: usize, last: bool) -> V {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self.ends[usize::from(last)] {
                End::Times(at, by) => V::load(at) * V::splat(by),
                End::Zero(_) => V::zero(),
            }
        }
    }

    #[inline(always)]
    unsafe fn put_end(self, _n: usize, last: bool, x: V) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self.ends[usize::from(last)] {
                End::Times(at, by) => (x * V::splat(by)).store(at),
                End::Zero(at) => V::zero().store(at),
            }
        }
    }

    #[inline(always)]
    fn cursor(self, k: usize, by: isize) -> FusedCursor<V::Scalar> {
        let [a, b] = self.steps;
        let k = k as isize;
        FusedCursor {
            at: [self.places[0].wrapping_offset(k * a), self.places[1].wrapping_offset(k * b)],
            steps: [by * a, by * b],
            entry: self.table.wrapping_offset(k),
            by,
        }
    }
}

impl<S: Scalar> FusedCursor<S> {
    /// (cos, sin) of the next term, in every lane.
    #[inline(always)]
    unsafe fn rotation<V: Vector<Scalar = S>>(&self) -> [V; 2] {
        // SAFETY: the caller guarantees it.
        unsafe {
            let [a, b] = self.entry.read();
            [V::splat(a), V::splat(b)]
        }
    }

    #[inline(always)]
    fn next(&mut self) {
        self.at = [self.at[0].wrapping_offset(self.steps[0]), self.at[1].wrapping_offset(self.steps[1])];
        self.entry = self.entry.wrapping_offset(self.by);
    }
}

impl<V: Vector> Cursor<V> for FusedCursor<V::Scalar> {
    #[inline(always)]
    unsafe fn get(&mut self) -> C<V> {
        // SAFETY: the caller guarantees it.
        let [re, im] = unsafe {
            let [a, b] = self.rotation();
            rotate(V::load(self.at[0]), V::load(self.at[1]), a, b, true)
        };
        self.next();
        C { re, im }
    }

    #[inline(always)]
    unsafe fn get_conj(&mut self) -> C<V> {
        // SAFETY: the caller guarantees it.
        let z = unsafe {
            let ([a, b], [x, y]) = (self.rotation(), [V::load(self.at[0]), V::load(self.at[1])]);
            C { re: x.mul_add(a, y * b), im: y.mul_sub(a, x * b) }
        };
        self.next();
        z
    }

    #[inline(always)]
    unsafe fn put(&mut self, z: C<V>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            let [a, b] = self.rotation();
            let [x, y] = rotate(z.re, z.im, a, b, true);
            x.store(self.at[0]);
            y.store(self.at[1]);
        }
        self.next();
    }

    #[inline(always)]
    unsafe fn put_conj(&mut self, z: C<V>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            let [a, b] = self.rotation();
            z.re.mul_sub(a, z.im * b).store(self.at[0]);
            z.re.mul_add(b, z.im * a).store(self.at[1]);
        }
        self.next();
    }
}
