//! One sum along one axis, ready to run on lines of vectors: combine → DFT → combine.

use super::combine::Combine;
use super::dft::Dft;
use super::lane::{Lane, Scalar, Work};
use super::pass::{Ordered, Rows};
use crate::kind::Sum;
use crate::recipe::Line as Recipe;
use crate::rules::cosine_sine::{Data, Order, Step, dft_of, reduce};

/// The executable form of one sum. `S` is the precision; the lanes are chosen when it runs.
pub(crate) struct Line<S> {
    dft: Dft<S>,
    index: Vec<u32>,
    gain: Vec<S>,
    before: Option<Combine<S>>,
    after: Option<Combine<S>>,
    /// Vectors that the line has at either end.
    pub(crate) input: usize,
    pub(crate) output: usize,
    /// The factor that is not in the tables: of complex sums, which have no combine.
    factor: S,
    complex: bool,
}

impl<S: Scalar> Line<S> {
    pub(crate) fn new(recipe: &Recipe) -> Self {
        let (sum, n) = (recipe.transform.sum, recipe.transform.n);
        let reduction = reduce(sum, n, &recipe.transform.edges, recipe.scale);
        let (data, _) = dft_of(sum, n);
        let combine = |steps: &[Step]| (!steps.is_empty()).then(|| Combine::new(steps));
        let order = reduction.order.unwrap_or(Order { index: vec![], gain: vec![] });
        let (input, output) = match sum {
            Sum::Forward | Sum::Backward => (2 * n, 2 * n),
            Sum::RealToHalf => (n, 2 * (n / 2 + 1)),
            Sum::HalfToReal => (2 * (n / 2 + 1), n),
            _ => (n, n),
        };
        Line {
            dft: Dft::new(data, &recipe.factors),
            index: order.index.iter().map(|&i| i as u32).collect(),
            gain: order.gain.iter().map(|&g| S::of(g)).collect(),
            before: combine(&reduction.before),
            after: combine(&reduction.after),
            input,
            output,
            factor: if matches!(sum, Sum::Forward | Sum::Backward) { S::of(recipe.scale) } else { S::of(1.0) },
            complex: matches!(sum, Sum::Forward | Sum::Backward | Sum::RealToHalf | Sum::HalfToReal),
        }
    }

    /// Vectors in each of the two buffers.
    pub(crate) fn buffer(&self) -> usize {
        let dft = match self.dft.data() {
            Data::Real | Data::Hermitian => self.dft.len(),
            Data::Complex | Data::ComplexBackward => 2 * self.dft.len(),
        };
        dft.max(self.input).max(self.output)
    }

    /// Whether one of its ends is complex.
    pub(crate) fn is_complex(&self) -> bool {
        self.complex
    }

    /// Vectors of further work.
    pub(crate) fn work(&self) -> usize {
        self.dft.work()
    }

    fn ordered(&self, rows: Rows<S>) -> Ordered<S> {
        let (index, gain) = (self.index.as_ptr(), self.gain.as_ptr());
        Ordered {
            rows,
            index: if self.index.is_empty() { std::ptr::null() } else { index },
            gain: if self.gain.is_empty() { std::ptr::null() } else { gain },
        }
    }

    /// Transforms the tile at `data`, with `free` as the other buffer. Returns which of the two holds the result.
    ///
    /// # Safety
    /// Buffers and work have the lengths asked for; the CPU has the instructions of `V`.
    pub(crate) unsafe fn run<V: Lane<Scalar = S>>(&self, data: *mut V, free: *mut V, work: *mut V) -> *mut V {
        let other = |at: *mut V| if at == data { free } else { data };
        // SAFETY: the caller's; a combine and each pass of a DFT go from one buffer to the other.
        unsafe {
            let ready = match &self.before {
                Some(before) => {
                    before.run::<V>(Rows::tile(data), Rows::tile(free));
                    free
                }
                None => data,
            };
            let result = match self.dft.data() {
                Data::Hermitian => {
                    let target = self.dft.backward_target(ready, other(ready));
                    self.dft.backward(ready, other(ready), self.ordered(Rows::tile(target)), work);
                    target
                }
                Data::Real => self.dft.forward(self.ordered(Rows::tile(ready)), other(ready), ready, work),
                _ => self.dft.complex([ready.cast_const(), ready.add(1)], other(ready), ready, work),
            };
            if let Some(after) = &self.after {
                after.run::<V>(Rows::tile(result), Rows::tile(other(result)));
                return other(result);
            }
            if self.factor != S::of(1.0) {
                V::enter(Scale { data: result, count: self.output, by: self.factor });
            }
            result
        }
    }
}

/// data_i ← by · data_i.
struct Scale<V: Lane> {
    data: *mut V,
    count: usize,
    by: V::Scalar,
}

impl<V: Lane> Work for Scale<V> {
    #[inline(always)]
    fn run(self) {
        for i in 0..self.count {
            // SAFETY: `count` vectors are there.
            unsafe { *self.data.add(i) = *self.data.add(i) * V::splat(self.by) }
        }
    }
}
