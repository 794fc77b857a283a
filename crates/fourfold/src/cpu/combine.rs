//! Runs the combines of [`crate::rules::cosine_sine`] over vectors.

use super::lane::{Lane, Scalar, Work};
use super::pass::Rows;
use crate::rules::cosine_sine::{Index, Step};

/// A combine with its coefficients in the engine's precision.
pub(crate) struct Combine<S> {
    steps: Vec<Ready<S>>,
}

enum Ready<S> {
    Zero { to: isize },
    One { count: usize, from: Index, to: Index, by: S },
    Two { count: usize, from: [Index; 2], to: [Index; 2], matrix: Vec<[S; 4]> },
}

impl<S: Scalar> Combine<S> {
    pub(crate) fn new(steps: &[Step]) -> Self {
        let ready = |step: &Step| match step {
            Step::Zero { to } => Ready::Zero { to: *to as isize },
            Step::One { count, from, to, by } => Ready::One { count: *count, from: *from, to: *to, by: S::of(*by) },
            Step::Two { count, from, to, matrix } => Ready::Two {
                count: *count,
                from: *from,
                to: *to,
                matrix: matrix.iter().map(|m| m.map(S::of)).collect(),
            },
        };
        Combine { steps: steps.iter().map(ready).collect() }
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

impl<V: Lane> Work for Combining<'_, V> {
    #[inline(always)]
    fn run(self) {
        for step in &self.combine.steps {
            // SAFETY: the caller of `Combine::run`.
            unsafe {
                match step {
                    Ready::Zero { to } => self.to.store(*to, V::lit(0.0)),
                    Ready::One { count, from, to, by } => self.one(*count, *from, *to, *by),
                    Ready::Two { count, from, to, matrix } => self.two(*count, *from, *to, matrix),
                }
            }
        }
    }
}
