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

    /// Whether the ends are real vectors, so that the line can read or write an array with adjacent lanes itself.
    pub(crate) fn reads_rows(&self) -> bool {
        self.before.is_some() || self.dft.data() == Data::Real
    }

    /// See [`Line::reads_rows`].
    pub(crate) fn writes_rows(&self) -> bool {
        self.after.is_some() || self.dft.data() == Data::Hermitian
    }

    fn ordered(&self, rows: Rows<S>) -> Ordered<S> {
        let (index, gain) = (self.index.as_ptr(), self.gain.as_ptr());
        Ordered {
            rows,
            index: if self.index.is_empty() { std::ptr::null() } else { index },
            gain: if self.gain.is_empty() { std::ptr::null() } else { gain },
        }
    }

    /// Transforms the line at `input` (an array, or buffer `b`) to `output`, or to one of the buffers if none is given.
    /// Returns the buffer that holds the result then.
    ///
    /// # Safety
    /// The rows exist; buffers and work have the lengths asked for; the CPU has the instructions of `V`.
    pub(crate) unsafe fn run<V: Lane<Scalar = S>>(
        &self,
        input: Rows<S>,
        output: Option<Rows<S>>,
        a: *mut V,
        b: *mut V,
        work: *mut V,
    ) -> *mut V {
        let spectrum = match &self.before {
            // SAFETY: the caller's; `a` is not the source.
            Some(before) => unsafe {
                before.run::<V>(input, Rows::tile(a));
                (a, b)
            },
            None => (b, a),
        };
        let other = |at: *mut V| if at == a { b } else { a };
        // SAFETY: the caller's.
        unsafe {
            match self.dft.data() {
                Data::Hermitian => {
                    let (src, free) = spectrum;
                    let target = self.dft.backward_target(src, free);
                    let rows = output.unwrap_or(Rows::tile(target));
                    self.dft.backward(src, free, self.ordered(rows), work);
                    target
                }
                Data::Real => {
                    let half = self.dft.forward(self.ordered(input), a, b, work);
                    self.finish(half, other(half), output)
                }
                _ => {
                    let (src, free) = spectrum;
                    let result = self.dft.complex([src.cast_const(), src.add(1)], free, src, work);
                    if self.after.is_some() {
                        return self.finish(result, other(result), output);
                    }
                    if self.factor != S::of(1.0) {
                        V::enter(Scale { data: result, count: self.output, by: self.factor });
                    }
                    result
                }
            }
        }
    }

    /// # Safety
    /// As [`Line::run`].
    unsafe fn finish<V: Lane<Scalar = S>>(&self, from: *mut V, free: *mut V, output: Option<Rows<S>>) -> *mut V {
        let after = self.after.as_ref().expect("real and quarter-wave sums end with a combine");
        // SAFETY: the caller's.
        unsafe { after.run::<V>(Rows::tile(from), output.unwrap_or(Rows::tile(free))) };
        free
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
