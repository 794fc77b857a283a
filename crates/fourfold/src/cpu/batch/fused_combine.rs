//! The combine of a cosine or sine transform, term by term, for those who do it on their way: no
//! trip of its own.

use crate::arithmetic::complex::C;
use crate::cpu::base::strided::Strided;
use crate::cpu::batch::pairs::{Pair, PreparedCombine, rotate};
use crate::cpu::dft::pass::terms::{Cursor, Terms};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector};
use crate::recipe::reduction;
use crate::recipe::reduction::{Rotation, Step};
use crate::recipe::reorder::Index;

/// Which places of a line the terms of a half spectrum belong to.
pub(crate) struct Shape<S> {
    /// Where terms 1 … have theirs.
    line: [Index; 2],
    pair: Pair,
    /// The place of the first and of the last, and its factor: none if it is 0 whatever the term.
    ends: [(isize, Option<S>); 2],
    /// The number of the combine's step that turns all others.
    pub(crate) step: usize,
}

impl<S: Scalar> Shape<S> {
    /// That of a combine which rotates and conjugates all terms but the first and the last.
    pub(crate) fn new(steps: &[Step], prepared: &[PreparedCombine<S>]) -> Option<Self> {
        let mut ends = [(0, None); 2];
        for step in steps {
            match *step {
                Step::Zero { place } => ends[0] = (place as isize, None),
                Step::End { last, place, by } => ends[usize::from(last)] = (place as isize, Some(S::of(by))),
                _ => {}
            }
        }
        let line = steps.iter().find_map(|step| match *step {
            Step::Rotate(Rotation { terms: reduction::Terms::INNER, line, conjugate: true, .. }) => Some(line),
            _ => None,
        })?;
        let step = prepared.iter().position(|step| matches!(step, PreparedCombine::Rotate { .. }))?;
        Some(Shape { line, pair: Pair::of_steps(line)?, ends, step })
    }
}

/// A combine with such a shape.
#[derive(Clone, Copy)]
pub(crate) struct FusedCombine<'a, S> {
    pub(crate) shape: &'a Shape<S>,
    pub(crate) table: &'a [[S; 2]],
}

impl<S: Scalar> FusedCombine<'_, S> {
    /// Terms k … k + WIDTH − 1 from the signal at `base`.
    ///
    /// # Safety
    /// They and their places are there; the CPU has the instructions of `V`.
    #[inline(always)]
    pub(crate) unsafe fn get<V: Vector<Scalar = S>>(self, base: Ptr<S>, k: usize) -> C<V> {
        // SAFETY: the caller's.
        unsafe {
            let (x, y) = self.shape.pair.load(base, k as isize - 1);
            let [re, im] = self.turned(k, x, y);
            C { re, im }
        }
    }

    /// The same to the signal.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    pub(crate) unsafe fn put<V: Vector<Scalar = S>>(self, base: Ptr<S>, k: usize, z: C<V>) {
        // SAFETY: the caller's.
        unsafe {
            let [x, y] = self.turned(k, z.re, z.im);
            self.shape.pair.store(base, k as isize - 1, x, y);
        }
    }

    #[inline(always)]
    unsafe fn turned<V: Vector<Scalar = S>>(self, k: usize, x: V, y: V) -> [V; 2] {
        // SAFETY: the caller's.
        unsafe {
            let table: Ptr<S> = Ptr::of(self.table).add(k - 1).cast();
            let (a, b) = V::unzip(V::load(table), V::load(table.add(V::WIDTH)));
            rotate(x, y, a, b, true)
        }
    }

    /// The half spectrum whose terms belong to the line at `rows`, lanes being lines.
    pub(crate) fn over(&self, rows: Strided<S>) -> FusedTerms<S> {
        let at = |place: isize| rows.base.wrapping_offset(place * rows.stride);
        let end = |(place, by): (isize, Option<S>)| by.map_or(End::Zero(at(place)), |by| End::Times(at(place), by));
        let Shape { line, ends, .. } = self.shape;
        FusedTerms {
            ends: ends.map(end),
            places: line.map(|index| at(index.start - index.step)),
            steps: line.map(|index| index.step * rows.stride),
            turns: Ptr::of(self.table).wrapping_sub(1),
        }
    }
}

/// The place of the first or the last term.
#[derive(Clone, Copy)]
enum End<S> {
    /// It has this factor.
    Times(Ptr<S>, S),
    /// There is no such term; what stands here is 0.
    Zero(Ptr<S>),
}

/// See [`FusedCombine::over`].
#[derive(Clone, Copy)]
pub(crate) struct FusedTerms<S> {
    ends: [End<S>; 2],
    /// Where term 0 would be, and the way to the next.
    places: [Ptr<S>; 2],
    steps: [isize; 2],
    turns: Ptr<[S; 2]>,
}

pub(crate) struct FusedCursor<S> {
    at: [Ptr<S>; 2],
    steps: [isize; 2],
    turn: Ptr<[S; 2]>,
    by: isize,
}

impl<V: Vector> Terms<V> for FusedTerms<V::Scalar> {
    type Cursor = FusedCursor<V::Scalar>;

    #[inline(always)]
    fn skip(self, vectors: usize) -> Self {
        debug_assert_eq!(vectors, 0, "a combine has one half spectrum");
        self
    }

    #[inline(always)]
    unsafe fn end(self, _n: usize, last: bool) -> V {
        // SAFETY: the caller's.
        unsafe {
            match self.ends[usize::from(last)] {
                End::Times(at, by) => V::load(at) * V::splat(by),
                End::Zero(_) => V::zero(),
            }
        }
    }

    #[inline(always)]
    unsafe fn put_end(self, _n: usize, last: bool, x: V) {
        // SAFETY: the caller's.
        unsafe {
            match self.ends[usize::from(last)] {
                End::Times(at, by) => (x * V::splat(by)).store(at),
                End::Zero(at) => V::zero().store(at),
            }
        }
    }

    #[inline(always)]
    fn walk(self, k: usize, by: isize) -> FusedCursor<V::Scalar> {
        let [a, b] = self.steps;
        let k = k as isize;
        FusedCursor {
            at: [self.places[0].wrapping_offset(k * a), self.places[1].wrapping_offset(k * b)],
            steps: [by * a, by * b],
            turn: self.turns.wrapping_offset(k),
            by,
        }
    }
}

impl<S: Scalar> FusedCursor<S> {
    /// (cos, sin) of the next term, each in every lane.
    #[inline(always)]
    unsafe fn rotation<V: Vector<Scalar = S>>(&self) -> [V; 2] {
        // SAFETY: the caller's.
        unsafe {
            let [a, b] = self.turn.read();
            [V::splat(a), V::splat(b)]
        }
    }

    #[inline(always)]
    fn next(&mut self) {
        self.at = [self.at[0].wrapping_offset(self.steps[0]), self.at[1].wrapping_offset(self.steps[1])];
        self.turn = self.turn.wrapping_offset(self.by);
    }
}

impl<V: Vector> Cursor<V> for FusedCursor<V::Scalar> {
    #[inline(always)]
    unsafe fn get(&mut self) -> C<V> {
        // SAFETY: the caller's.
        let [re, im] = unsafe {
            let [a, b] = self.rotation();
            rotate(V::load(self.at[0]), V::load(self.at[1]), a, b, true)
        };
        self.next();
        C { re, im }
    }

    #[inline(always)]
    unsafe fn get_conj(&mut self) -> C<V> {
        // SAFETY: the caller's.
        let z = unsafe {
            let ([a, b], [x, y]) = (self.rotation(), [V::load(self.at[0]), V::load(self.at[1])]);
            C { re: x.mul_add(a, y * b), im: y.mul_sub(a, x * b) }
        };
        self.next();
        z
    }

    #[inline(always)]
    unsafe fn put(&mut self, z: C<V>) {
        // SAFETY: the caller's.
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
        // SAFETY: the caller's.
        unsafe {
            let [a, b] = self.rotation();
            z.re.mul_sub(a, z.im * b).store(self.at[0]);
            z.re.mul_add(b, z.im * a).store(self.at[1]);
        }
        self.next();
    }
}
