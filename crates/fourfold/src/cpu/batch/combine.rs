//! Runs the combines of [`crate::recipe::rules::cosine_sine`] over vectors.

use crate::cpu::batch::fused_combine::Shape;
use crate::cpu::dft::pass::Rows;
use crate::cpu::simd::vector::{Job, Lane, Scalar, Work};
use crate::recipe::rules::cosine_sine::{Index, Step};

/// A combine with its coefficients in the engine's precision.
pub(crate) struct Combine<S> {
    pub(crate) steps: Vec<Ready<S>>,
    pub(crate) shape: Option<Shape<S>>,
}

pub(crate) enum Ready<S> {
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
    /// (y_0, y_1) = (a x_0 + b x_1, ±(b x_0 − a x_1)), the lower sign if `negative`: half the table.
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

impl<S: Scalar> Ready<S> {
    fn two(count: usize, from: [Index; 2], to: [Index; 2], matrix: &[[f64; 4]]) -> Self {
        let negative = is_turned(matrix, -1.0);
        if negative || is_turned(matrix, 1.0) {
            let turns = matrix.iter().map(|[a, b, ..]| [S::of(*a), S::of(*b)]).collect();
            return Ready::Turned { from, to, turns, negative };
        }
        Ready::Two { count, from, to, matrix: matrix.iter().map(|m| m.map(S::of)).collect() }
    }
}

impl<S: Scalar> Combine<S> {
    /// Of a sum whose DFT has so many elements.
    pub(crate) fn new(steps: &[Step], len: usize) -> Self {
        let ready = |step: &Step| match step {
            Step::Zero { to } => Ready::Zero { to: *to as isize },
            Step::One { count, from, to, by } => Ready::One { count: *count, from: *from, to: *to, by: S::of(*by) },
            Step::Two { count, from, to, matrix } => Ready::two(*count, *from, *to, matrix),
        };
        let steps: Vec<_> = steps.iter().map(ready).collect();
        let shape = Shape::of(&steps, len);
        Combine { steps, shape }
    }

    /// Applies all steps; `from` and `to` must not share memory.
    ///
    /// # Safety
    /// All places that the steps name exist; the CPU has the instructions of `V`.
    pub(crate) unsafe fn run<V: Lane<Scalar = S>>(&self, from: Rows<S>, to: Rows<S>) {
        // SAFETY: the caller's.
        unsafe { V::enter(Combining::<V> { combine: self, from, to }) }
    }
}

struct Combining<'a, V: Lane> {
    combine: &'a Combine<V::Scalar>,
    from: Rows<V::Scalar>,
    to: Rows<V::Scalar>,
}

/// Applies a combine to one signal: `from` and `to` are rows of single numbers.
pub(crate) struct Along<'a, S> {
    pub(crate) combine: &'a Combine<S>,
    pub(crate) from: Rows<S>,
    pub(crate) to: Rows<S>,
}

impl<S: Scalar + Lane<Scalar = S>> Job<S> for Along<'_, S> {
    unsafe fn run<V: Lane<Scalar = S>>(self) {
        // SAFETY: the caller's.
        unsafe { V::enter(CombiningAlong::<V> { combine: self.combine, from: self.from, to: self.to }) }
    }
}

struct CombiningAlong<'a, V: Lane> {
    combine: &'a Combine<V::Scalar>,
    from: Rows<V::Scalar>,
    to: Rows<V::Scalar>,
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
    fn of<S>(rows: &Rows<S>, indices: [Index; 2]) -> Option<Pair> {
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

    /// Numbers i … i + WIDTH − 1 of both.
    ///
    /// # Safety
    /// They are there.
    #[inline(always)]
    pub(crate) unsafe fn load<V: Lane>(self, base: *const V::Scalar, i: isize) -> (V, V) {
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
    pub(crate) unsafe fn store<V: Lane>(self, base: *mut V::Scalar, i: isize, x: V, y: V) {
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

impl<V: Lane> CombiningAlong<'_, V> {
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

impl<V: Lane> CombiningAlong<'_, V> {
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
                let [p, q] = turn(x, y, a, b, negative);
                to.store(self.to.base, i as isize, p, q);
            }
        }
        whole
    }
}

/// See [`Ready::Turned`].
#[inline(always)]
pub(crate) fn turn<V: Lane>(x: V, y: V, a: V, b: V, negative: bool) -> [V; 2] {
    [x.mul_add(a, y * b), if negative { y.mul_sub(a, x * b) } else { x.mul_sub(b, y * a) }]
}

/// Four numbers, each in every lane.
#[inline(always)]
fn all<V: Lane>([a, b, c, d]: [V::Scalar; 4]) -> [V; 4] {
    [V::splat(a), V::splat(b), V::splat(c), V::splat(d)]
}

/// WIDTH times four numbers as four vectors.
///
/// # Safety
/// They are there.
#[inline(always)]
unsafe fn columns<V: Lane>(from: *const V::Scalar) -> [V; 4] {
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

impl<V: Lane> Work for CombiningAlong<'_, V>
where
    V::Scalar: Lane<Scalar = V::Scalar>,
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
                if let Ready::Turned { from, to, turns, negative } = step
                    && let Some((a, b)) = pairs(from, to)
                {
                    let done = self.turned(a, b, turns, *negative);
                    rest.turned(on(from, done), on(to, done), &turns[done..], *negative);
                } else if let Ready::Two { count, from, to, matrix } = step
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
struct Walk<S> {
    at: *mut S,
    step: isize,
}

impl<S> Walk<S> {
    #[inline(always)]
    fn new(rows: Rows<S>, index: Index) -> Self {
        Walk { at: rows.base.wrapping_offset(index.start * rows.stride), step: index.step * rows.stride }
    }

    /// The place, and on to the next.
    #[inline(always)]
    fn next(&mut self) -> *mut S {
        let at = self.at;
        self.at = at.wrapping_offset(self.step);
        at
    }
}

impl<V: Lane> Combining<'_, V> {
    /// # Safety
    /// As [`Combine::run`].
    #[inline(always)]
    unsafe fn one(&self, count: usize, from: Index, to: Index, by: V::Scalar) {
        let (mut x, mut y, by) = (Walk::new(self.from, from), Walk::new(self.to, to), V::splat(by));
        for _ in 0..count {
            // SAFETY: the caller's.
            unsafe { (V::load(x.next()) * by).store(y.next()) }
        }
    }

    /// # Safety
    /// As [`Combine::run`].
    #[inline(always)]
    unsafe fn two(&self, count: usize, from: [Index; 2], to: [Index; 2], matrix: &[[V::Scalar; 4]]) {
        let [mut p, mut q] = [Walk::new(self.from, from[0]), Walk::new(self.from, from[1])];
        let [mut r, mut s] = [Walk::new(self.to, to[0]), Walk::new(self.to, to[1])];
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

impl<V: Lane> Combining<'_, V> {
    /// # Safety
    /// As [`Combine::run`].
    #[inline(always)]
    unsafe fn turned(&self, from: [Index; 2], to: [Index; 2], turns: &[[V::Scalar; 2]], negative: bool) {
        let [mut p, mut q] = [Walk::new(self.from, from[0]), Walk::new(self.from, from[1])];
        let [mut r, mut s] = [Walk::new(self.to, to[0]), Walk::new(self.to, to[1])];
        for [a, b] in turns {
            // SAFETY: the caller's.
            unsafe {
                let [x, y] = turn(V::load(p.next()), V::load(q.next()), V::splat(*a), V::splat(*b), negative);
                x.store(r.next());
                y.store(s.next());
            }
        }
    }

    /// # Safety
    /// As [`Combine::run`].
    #[inline(always)]
    unsafe fn step(&self, step: &Ready<V::Scalar>) {
        // SAFETY: the caller's.
        unsafe {
            match step {
                Ready::Zero { to } => self.to.store(*to, V::lit(0.0)),
                Ready::One { count, from, to, by } => self.one(*count, *from, *to, *by),
                Ready::Two { count, from, to, matrix } => self.two(*count, *from, *to, matrix),
                Ready::Turned { from, to, turns, negative } => self.turned(*from, *to, turns, *negative),
            }
        }
    }
}

impl<V: Lane> Work for Combining<'_, V> {
    #[inline(always)]
    fn run(self) {
        for step in &self.combine.steps {
            // SAFETY: the caller of `Combine::run`.
            unsafe { self.step(step) }
        }
    }
}
