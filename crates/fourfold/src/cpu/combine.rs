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

impl<V: Lane> Work for Combining<'_, V> {
    #[inline(always)]
    fn run(self) {
        let (x, y) = (self.from, self.to);
        let at = |index: &Index, i: usize| index.start + index.step * i as isize;
        for step in &self.combine.steps {
            // SAFETY: the caller of `Combine::run`.
            unsafe {
                match step {
                    Ready::Zero { to } => y.store(*to, V::lit(0.0)),
                    Ready::One { count, from, to, by } => {
                        for i in 0..*count {
                            y.store(at(to, i), x.load::<V>(at(from, i)) * V::splat(*by));
                        }
                    }
                    Ready::Two { count, from, to, matrix } => {
                        let next = usize::from(matrix.len() > 1);
                        for i in 0..*count {
                            let [a, b, c, d] = matrix[next * i];
                            let [a, b, c, d] = [V::splat(a), V::splat(b), V::splat(c), V::splat(d)];
                            let (p, q) = (x.load::<V>(at(&from[0], i)), x.load::<V>(at(&from[1], i)));
                            y.store(at(&to[0], i), p.mul_add(a, q * b));
                            y.store(at(&to[1], i), p.mul_add(c, q * d));
                        }
                    }
                }
            }
        }
    }
}
