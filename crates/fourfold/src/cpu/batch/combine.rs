//! Runs the combines of [`crate::recipe::rules::cosine_sine`] over vectors.

use crate::cpu::batch::fused_combine::Shape;
use crate::cpu::dft::pass::Strided;
use crate::cpu::simd::vector::{Scalar, Vector, VectorTask, WithIsa};
use crate::recipe::rules::cosine_sine::{Index, Step};

/// A combine with its coefficients in the engine's precision.
pub(crate) struct Combine<S> {
    pub(crate) steps: Vec<PreparedCombine<S>>,
    pub(crate) shape: Option<Shape<S>>,
}

pub(crate) enum PreparedCombine<S> {
    Zero {
        to: isize,
    },
    One {
        count: usize,
        from: Index,
        to: Index,
        by: S,
    },
    Two {
        count: usize,
        from: [Index; 2],
        to: [Index; 2],
        matrix: Vec<[S; 4]>,
    },
    /// (y_0, y_1) = (a x_0 + b x_1, ±(b x_0 − a x_1)), the lower sign if `negative`: half the
    /// table.
    Turned {
        from: [Index; 2],
        to: [Index; 2],
        turns: Vec<[S; 2]>,
        negative: bool,
    },
}

/// Whether all matrices are reflections, or all rotations: the lower row is ±(b, −a).
fn is_turned(matrix: &[[f64; 4]], sign: f64) -> bool {
    matrix.len() > 1 && matrix.iter().all(|[a, b, c, d]| *c == sign * b && *d == -sign * a)
}

impl<S: Scalar> PreparedCombine<S> {
    fn two(count: usize, from: [Index; 2], to: [Index; 2], matrix: &[[f64; 4]]) -> Self {
        let negative = is_turned(matrix, -1.0);
        if negative || is_turned(matrix, 1.0) {
            let turns = matrix.iter().map(|[a, b, ..]| [S::of(*a), S::of(*b)]).collect();
            return PreparedCombine::Turned { from, to, turns, negative };
        }
        PreparedCombine::Two { count, from, to, matrix: matrix.iter().map(|m| m.map(S::of)).collect() }
    }
}

impl<S: Scalar> Combine<S> {
    /// Of a sum whose DFT has so many elements.
    pub(crate) fn new(steps: &[Step], len: usize) -> Self {
        let ready = |step: &Step| match step {
            Step::Zero { to } => PreparedCombine::Zero { to: *to as isize },
            Step::One { count, from, to, by } => {
                PreparedCombine::One { count: *count, from: *from, to: *to, by: S::of(*by) }
            }
            Step::Two { count, from, to, matrix } => PreparedCombine::two(*count, *from, *to, matrix),
        };
        let steps: Vec<_> = steps.iter().map(ready).collect();
        let shape = Shape::of(&steps, len);
        Combine { steps, shape }
    }

    /// Applies all steps; `from` and `to` must not share memory.
    ///
    /// # Safety
    /// All places that the steps name exist; the CPU has the instructions of `V`.
    pub(crate) unsafe fn run<V: Vector<Scalar = S>>(&self, from: Strided<S>, to: Strided<S>) {
        // SAFETY: the caller's.
        unsafe { V::enter(Combining::<V> { combine: self, from, to }) }
    }
}

struct Combining<'a, V: Vector> {
    combine: &'a Combine<V::Scalar>,
    from: Strided<V::Scalar>,
    to: Strided<V::Scalar>,
}

/// Applies a combine to one signal: `from` and `to` are rows of single numbers.
pub(crate) struct Along<'a, S> {
    pub(crate) combine: &'a Combine<S>,
    pub(crate) from: Strided<S>,
    pub(crate) to: Strided<S>,
}

impl<S: Scalar + Vector<Scalar = S>> VectorTask<S> for Along<'_, S> {
    unsafe fn run<V: Vector<Scalar = S>>(self) {
        // SAFETY: the caller's.
        unsafe { V::enter(CombiningAlong::<V> { combine: self.combine, from: self.from, to: self.to }) }
    }
}

struct CombiningAlong<'a, V: Vector> {
    combine: &'a Combine<V::Scalar>,
    from: Strided<V::Scalar>,
    to: Strided<V::Scalar>,
}

/// Two sequences of numbers in one signal that lanes can run along.
#[derive(Clone, Copy)]
pub(crate) enum Pair {
    /// Neighbours, going up by two: (re, im) pairs.
    Zipped(isize),
    /// One going up from the first place, one going down from the second.
    Mirrored(isize, isize),
    /// One going down from the first place, one going up from the second.
    Exchanged(isize, isize),
}

impl Pair {
    fn of<S>(rows: &Strided<S>, indices: [Index; 2]) -> Option<Pair> {
        if rows.stride == 1 { Pair::of_steps(indices) } else { None }
    }

    pub(crate) fn of_steps([a, b]: [Index; 2]) -> Option<Pair> {
        match (a.step, b.step) {
            (2, 2) if b.start == a.start + 1 => Some(Pair::Zipped(a.start)),
            (1, -1) => Some(Pair::Mirrored(a.start, b.start)),
            (-1, 1) => Some(Pair::Exchanged(a.start, b.start)),
            _ => None,
        }
    }

    /// ComplexVector i … i + WIDTH − 1 of both.
    ///
    /// # Safety
    /// They are there.
    #[inline(always)]
    pub(crate) unsafe fn load<V: Vector>(self, base: *const V::Scalar, i: isize) -> (V, V) {
        let last = V::WIDTH as isize - 1;
        // SAFETY: the caller's.
        unsafe {
            let at = |place: isize| V::load(base.offset(place));
            match self {
                Pair::Zipped(a) => V::unzip(at(a + 2 * i), at(a + 2 * i + last + 1)),
                Pair::Mirrored(a, b) => (at(a + i), at(b - i - last).reverse()),
                Pair::Exchanged(a, b) => (at(a - i - last).reverse(), at(b + i)),
            }
        }
    }

    /// The reverse of [`Pair::load`].
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    pub(crate) unsafe fn store<V: Vector>(self, base: *mut V::Scalar, i: isize, x: V, y: V) {
        let last = V::WIDTH as isize - 1;
        // SAFETY: the caller's.
        unsafe {
            let (p, q, x, y) = match self {
                Pair::Zipped(a) => {
                    let (x, y) = V::zip(x, y);
                    (a + 2 * i, a + 2 * i + last + 1, x, y)
                }
                Pair::Mirrored(a, b) => (a + i, b - i - last, x, y.reverse()),
                Pair::Exchanged(a, b) => (a - i - last, b + i, x.reverse(), y),
            };
            x.store(base.offset(p));
            y.store(base.offset(q));
        }
    }
}

impl<V: Vector> CombiningAlong<'_, V> {
    /// The first numbers of a step of pairs, as many as fill vectors; says how many.
    ///
    /// # Safety
    /// As [`Combine::run`].
    #[inline(always)]
    unsafe fn two(&self, count: usize, from: Pair, to: Pair, matrix: &[[V::Scalar; 4]]) -> usize {
        let whole = count / V::WIDTH * V::WIDTH;
        for i in (0..whole).step_by(V::WIDTH) {
            // SAFETY: the caller's; one matrix for all or one for each.
            unsafe {
                let (x, y) = from.load::<V>(self.from.base, i as isize);
                let [a, b, c, d] =
                    if matrix.len() > 1 { columns::<V>(matrix.as_ptr().add(i).cast()) } else { all(matrix[0]) };
                to.store(self.to.base, i as isize, x.mul_add(a, y * b), x.mul_add(c, y * d));
            }
        }
        whole
    }
}

impl<V: Vector> CombiningAlong<'_, V> {
    /// As [`CombiningAlong::two`].
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    unsafe fn turned(&self, from: Pair, to: Pair, turns: &[[V::Scalar; 2]], negative: bool) -> usize {
        let whole = turns.len() / V::WIDTH * V::WIDTH;
        for i in (0..whole).step_by(V::WIDTH) {
            // SAFETY: the caller's.
            unsafe {
                let (x, y) = from.load::<V>(self.from.base, i as isize);
                let table: *const V::Scalar = turns.as_ptr().add(i).cast();
                let (a, b) = V::unzip(V::load(table), V::load(table.add(V::WIDTH)));
                let [p, q] = rotate(x, y, a, b, negative);
                to.store(self.to.base, i as isize, p, q);
            }
        }
        whole
    }
}

/// See [`PreparedCombine::Turned`].
#[inline(always)]
pub(crate) fn rotate<V: Vector>(x: V, y: V, a: V, b: V, negative: bool) -> [V; 2] {
    [x.mul_add(a, y * b), if negative { y.mul_sub(a, x * b) } else { x.mul_sub(b, y * a) }]
}

/// Four numbers, each in every lane.
#[inline(always)]
fn all<V: Vector>([a, b, c, d]: [V::Scalar; 4]) -> [V; 4] {
    [V::splat(a), V::splat(b), V::splat(c), V::splat(d)]
}

/// WIDTH times four numbers as four vectors.
///
/// # Safety
/// They are there.
#[inline(always)]
unsafe fn columns<V: Vector>(from: *const V::Scalar) -> [V; 4] {
    // SAFETY: the caller's.
    unsafe {
        let (even, odd) = V::unzip(V::load(from), V::load(from.add(V::WIDTH)));
        let (even2, odd2) = V::unzip(V::load(from.add(2 * V::WIDTH)), V::load(from.add(3 * V::WIDTH)));
        if V::WIDTH == 1 {
            return [even, odd, even2, odd2];
        }
        let ((a, c), (b, d)) = (V::unzip(even, even2), V::unzip(odd, odd2));
        [a, b, c, d]
    }
}

impl<V: Vector> WithIsa for CombiningAlong<'_, V>
where
    V::Scalar: Vector<Scalar = V::Scalar>,
{
    #[inline(always)]
    fn run(self) {
        let rest = Combining::<V::Scalar> { combine: self.combine, from: self.from, to: self.to };
        let on = |[a, b]: &[Index; 2], done: usize| {
            [a, b].map(|index| Index { start: index.start + done as isize * index.step, ..*index })
        };
        let pairs = |from: &[Index; 2], to: &[Index; 2]| Pair::of(&self.from, *from).zip(Pair::of(&self.to, *to));
        for step in &self.combine.steps {
            // SAFETY: the caller of [`Along`]'s job.
            unsafe {
                if let PreparedCombine::Turned { from, to, turns, negative } = step
                    && let Some((a, b)) = pairs(from, to)
                {
                    let done = self.turned(a, b, turns, *negative);
                    rest.turned(on(from, done), on(to, done), &turns[done..], *negative);
                } else if let PreparedCombine::Two { count, from, to, matrix } = step
                    && let Some((a, b)) = pairs(from, to)
                {
                    let done = self.two(*count, a, b, matrix);
                    let matrix = if matrix.len() > 1 { &matrix[done..] } else { matrix };
                    rest.two(count - done, on(from, done), on(to, done), matrix);
                } else {
                    rest.step(step);
                }
            }
        }
    }
}

/// Walks the vectors that an [`Index`] names.
struct PairCursor<S> {
    at: *mut S,
    step: isize,
}

impl<S> PairCursor<S> {
    #[inline(always)]
    fn new(rows: Strided<S>, index: Index) -> Self {
        PairCursor { at: rows.base.wrapping_offset(index.start * rows.stride), step: index.step * rows.stride }
    }

    /// The place, and on to the next.
    #[inline(always)]
    fn next(&mut self) -> *mut S {
        let at = self.at;
        self.at = at.wrapping_offset(self.step);
        at
    }
}

impl<V: Vector> Combining<'_, V> {
    /// # Safety
    /// As [`Combine::run`].
    #[inline(always)]
    unsafe fn one(&self, count: usize, from: Index, to: Index, by: V::Scalar) {
        let (mut x, mut y, by) = (PairCursor::new(self.from, from), PairCursor::new(self.to, to), V::splat(by));
        for _ in 0..count {
            // SAFETY: the caller's.
            unsafe { (V::load(x.next()) * by).store(y.next()) }
        }
    }

    /// # Safety
    /// As [`Combine::run`].
    #[inline(always)]
    unsafe fn two(&self, count: usize, from: [Index; 2], to: [Index; 2], matrix: &[[V::Scalar; 4]]) {
        let [mut p, mut q] = [PairCursor::new(self.from, from[0]), PairCursor::new(self.from, from[1])];
        let [mut r, mut s] = [PairCursor::new(self.to, to[0]), PairCursor::new(self.to, to[1])];
        let (mut m, next) = (matrix.as_ptr(), usize::from(matrix.len() > 1));
        for _ in 0..count {
            // SAFETY: the caller's; one matrix for all or one for each.
            unsafe {
                let [a, b, c, d] = *m;
                let (x, y) = (V::load(p.next()), V::load(q.next()));
                x.mul_add(V::splat(a), y * V::splat(b)).store(r.next());
                x.mul_add(V::splat(c), y * V::splat(d)).store(s.next());
                m = m.add(next);
            }
        }
    }
}

impl<V: Vector> Combining<'_, V> {
    /// # Safety
    /// As [`Combine::run`].
    #[inline(always)]
    unsafe fn turned(&self, from: [Index; 2], to: [Index; 2], turns: &[[V::Scalar; 2]], negative: bool) {
        let [mut p, mut q] = [PairCursor::new(self.from, from[0]), PairCursor::new(self.from, from[1])];
        let [mut r, mut s] = [PairCursor::new(self.to, to[0]), PairCursor::new(self.to, to[1])];
        for [a, b] in turns {
            // SAFETY: the caller's.
            unsafe {
                let [x, y] = rotate(V::load(p.next()), V::load(q.next()), V::splat(*a), V::splat(*b), negative);
                x.store(r.next());
                y.store(s.next());
            }
        }
    }

    /// # Safety
    /// As [`Combine::run`].
    #[inline(always)]
    unsafe fn step(&self, step: &PreparedCombine<V::Scalar>) {
        // SAFETY: the caller's.
        unsafe {
            match step {
                PreparedCombine::Zero { to } => self.to.store(*to, V::lit(0.0)),
                PreparedCombine::One { count, from, to, by } => self.one(*count, *from, *to, *by),
                PreparedCombine::Two { count, from, to, matrix } => self.two(*count, *from, *to, matrix),
                PreparedCombine::Turned { from, to, turns, negative } => self.turned(*from, *to, turns, *negative),
            }
        }
    }
}

impl<V: Vector> WithIsa for Combining<'_, V> {
    #[inline(always)]
    fn run(self) {
        for step in &self.combine.steps {
            // SAFETY: the caller of `Combine::run`.
            unsafe { self.step(step) }
        }
    }
}
