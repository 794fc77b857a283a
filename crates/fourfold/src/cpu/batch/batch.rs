//! Transforms of lines of vectors along one axis: combine → DFT → combine.

use crate::cpu::base::sizes::reals;
use crate::cpu::base::strided::Strided;
use crate::cpu::batch::combine::{Combine, Side};
use crate::cpu::batch::fused_combine::FusedCombine;
use crate::cpu::batch::symmetric_last_pass::PreparedLastPass;
use crate::cpu::dft::dft::VectorDft;
use crate::cpu::dft::permuted::Permuted;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, WithIsa};
use crate::problem::kind::Transform1d;
use crate::problem::norm::EndWeights;
use crate::recipe::recipe::AxisRecipe;
use crate::recipe::reduction::{Data, Step};
use crate::recipe::reorder::{Permutation, Reorder};
use crate::recipe::rules::cosine_sine::{dft_of, reduce};
use crate::recipe::rules::extension::{QUARTERS, quarter, symmetric_last_pass, three_quarters};
use crate::recipe::scheme::{Factor, Scheme, length};

/// The parts of a transform before and after its DFT: the order of its real side, and the combines.
pub(crate) struct Ends<S> {
    index: Vec<u32>,
    factor: Vec<S>,
    /// The factor on elements with odd indices, if the real side is in even-odd order and its
    /// length is even.
    pub(crate) even_odd: Option<S>,
    pub(crate) before: Option<Combine<S>>,
    pub(crate) after: Option<Combine<S>>,
    /// The last pass of an extension, which replaces both combines.
    last_pass: Option<PreparedLastPass<S>>,
    /// Whether the half spectrum at one end is that of the DFT, in another order.
    pub(crate) bare: bool,
    /// The reals of a line in the input and in the output.
    pub(crate) input: usize,
    pub(crate) output: usize,
    /// Whether input or output is complex.
    pub(crate) complex: bool,
}

impl<S: Scalar> Ends<S> {
    pub(crate) fn new(recipe: &AxisRecipe) -> Self {
        let (transform, n) = (recipe.transform.transform1d, recipe.transform.n);
        let (weights, scale) = (&recipe.transform.end_weights, recipe.scale);
        let quarter = match &recipe.scheme {
            Scheme::Batched(factors) => quarter(transform, factors).map(length),
            _ => None,
        };
        let reduction = reduce(transform, n, weights, scale);
        let Permutation { index, factor } = match reduction.reorder {
            None => Permutation::default(),
            Some(extension) if quarter.is_some() => three_quarters(extension, n),
            Some(reorder) => reorder.permutation(n),
        };
        let combine = |steps: &[Step], side: Side| {
            let is_there = quarter.is_none() && !steps.is_empty();
            is_there.then(|| Combine::new(steps, side, dft_of(transform, n).1))
        };
        let [input, output] = reals(transform, n);
        Ends {
            even_odd: odd_places(reduction.reorder).filter(|_| n % 2 == 0).map(S::of),
            index: index.iter().map(|&i| i as u32).collect(),
            factor: factor.iter().map(|&x| S::of(x)).collect(),
            before: combine(&reduction.before, Side::Before),
            after: combine(&reduction.after, Side::After),
            last_pass: quarter.map(|len| PreparedLastPass::new(&symmetric_last_pass(transform, weights, scale, len))),
            bare: matches!(transform, Transform1d::R2C | Transform1d::C2R)
                && scale == 1.0
                && *weights == EndWeights::ONE,
            input,
            output,
            complex: matches!(
                transform,
                Transform1d::Forward | Transform1d::Backward | Transform1d::R2C | Transform1d::C2R
            ),
        }
    }

    /// Whether the real side of the DFT is reordered.
    pub(crate) fn has_order(&self) -> bool {
        !self.index.is_empty()
    }

    /// The vectors of a line as the real side of the DFT.
    pub(crate) fn ordered(&self, line: Strided<S>) -> Permuted<S> {
        let (index, factor) = (Ptr::of(&self.index), Ptr::of(&self.factor));
        Permuted {
            rows: line,
            index: if self.index.is_empty() { Ptr::null() } else { index },
            factor: if self.factor.is_empty() { Ptr::null() } else { factor },
        }
    }
}

/// The factor on elements with odd indices in even-odd order.
fn odd_places(reorder: Option<Reorder>) -> Option<f64> {
    match reorder {
        Some(Reorder::EvenOdd(order)) => Some(order.odd_factor()),
        _ => None,
    }
}

/// The executable form of a batched transform. `S` is the precision. The vector type is a parameter
/// of the execution.
pub(crate) struct Batch<S> {
    pub(crate) ends: Ends<S>,
    dft: VectorDft<S>,
    /// The scale of complex transforms, which have no combine to include it.
    factor: S,
}

impl<S: Scalar> Batch<S> {
    /// Prepares the transform. `factors` are those of the recipe's scheme.
    pub(crate) fn new(recipe: &AxisRecipe, factors: &[Factor]) -> Self {
        let (transform, n) = (recipe.transform.transform1d, recipe.transform.n);
        let (data, _) = dft_of(transform, n);
        let factor = if matches!(transform, Transform1d::Forward | Transform1d::Backward) { recipe.scale } else { 1.0 };
        let dft = match quarter(transform, factors) {
            Some(quarter) => VectorDft::several(data, quarter, QUARTERS),
            None => VectorDft::new(data, factors),
        };
        Batch { ends: Ends::new(recipe), dft, factor: S::of(factor) }
    }

    /// The combine, if a pass of the DFT includes it.
    fn fused_combine<V: Vector<Scalar = S>>(&self) -> Option<FusedCombine<'_, S>> {
        let combine = self.ends.before.as_ref().or(self.ends.after.as_ref());
        combine.filter(|_| self.dft.can_fuse_combine::<V>())?.fused()
    }

    /// Whether it can read vectors from the array and write them to it, without a tile.
    pub(crate) fn is_direct<V: Vector<Scalar = S>>(&self) -> bool {
        self.fused_combine::<V>().is_some()
    }

    /// Transforms the tile at `data` between reals and a half spectrum of (re, im) pairs. Pairs are
    /// FFTPACK's order shifted by one, with zeros added.
    ///
    /// # Safety
    /// As for [`Batch::transform`].
    unsafe fn bare<V: Vector<Scalar = S>>(&self, data: Ptr<V>, free: Ptr<V>, work: Ptr<V>) -> Ptr<V> {
        let n = self.dft.len();
        // SAFETY: the caller guarantees it. The buffers have room for the imaginary parts that are
        // zero.
        unsafe {
            if self.dft.data() == Data::Hermitian {
                let (half, other) = (data.add(1), free);
                half.write(data.read());
                let target = if self.dft.backward_target(half, other) == half { data } else { free };
                self.dft.backward(half, other, self.ends.ordered(Strided::tile(target)), work);
                return target;
            }
            let half = self.dft.forward(self.ends.ordered(Strided::tile(data)), free.add(1), data.add(1), work);
            let result = half.sub(1);
            result.write(half.read());
            half.write(V::zero());
            if n % 2 == 0 {
                half.add(n).write(V::zero());
            }
            result
        }
    }

    /// Transforms the tile at `data`. `free` is the other buffer. Returns the buffer of the result.
    /// If [`Batch::is_direct`], the vectors may be read from `from` and written to `to` instead.
    ///
    /// # Safety
    /// Buffers and work have the lengths that [`sizes`](crate::cpu::base::sizes) computes, and the
    /// ends are in memory. The CPU has the instructions of `V`.
    pub(crate) unsafe fn transform<V: Vector<Scalar = S>>(
        &self,
        [from, to]: [Option<Strided<S>>; 2],
        data: Ptr<V>,
        free: Ptr<V>,
        work: Ptr<V>,
    ) -> Ptr<V> {
        // SAFETY: the caller guarantees it. All passes except the last one write one of the
        // buffers.
        unsafe {
            if let Some(fused) = self.fused_combine::<V>() {
                let target = self.dft.fused_target([free, data]);
                let (from, to) = (from.unwrap_or(Strided::tile(data)), to.unwrap_or(Strided::tile(target)));
                match self.dft.data() {
                    Data::Hermitian => {
                        self.dft.backward_from(fused.over(from), [free, data], self.ends.ordered(to), work);
                    }
                    _ => self.dft.forward_to(self.ends.ordered(from), [free, data], fused.over(to), work),
                }
                target
            } else if self.ends.bare {
                self.bare(data, free, work)
            } else {
                self.in_steps(data, free, work)
            }
        }
    }

    /// [`Batch::transform`] with separate combines.
    ///
    /// # Safety
    /// As for [`Batch::transform`].
    unsafe fn in_steps<V: Vector<Scalar = S>>(&self, data: Ptr<V>, free: Ptr<V>, work: Ptr<V>) -> Ptr<V> {
        let other = |at: Ptr<V>| if at == data { free } else { data };
        // SAFETY: the caller guarantees it. A combine, and each pass of a DFT, reads one buffer and
        // writes the other.
        unsafe {
            let ready = match &self.ends.before {
                Some(before) => {
                    before.apply::<V>(Strided::tile(data), Strided::tile(free));
                    free
                }
                None => data,
            };
            let result = match self.dft.data() {
                Data::Hermitian => {
                    let target = self.dft.backward_target(ready, other(ready));
                    self.dft.backward(ready, other(ready), self.ends.ordered(Strided::tile(target)), work);
                    target
                }
                Data::Real => self.dft.forward(self.ends.ordered(Strided::tile(ready)), other(ready), ready, work),
                _ => self.dft.complex([ready, ready.add(1)], other(ready), ready, work),
            };
            if let Some(last_pass) = &self.ends.last_pass {
                last_pass.apply::<V>(result, other(result));
                return other(result);
            }
            if let Some(after) = &self.ends.after {
                after.apply::<V>(Strided::tile(result), Strided::tile(other(result)));
                return other(result);
            }
            if self.factor != S::of(1.0) {
                V::enter(Scale { data: result, count: self.ends.output, by: self.factor });
            }
            result
        }
    }
}

/// data_i ← by · data_i.
struct Scale<V: Vector> {
    data: Ptr<V>,
    count: usize,
    by: V::Scalar,
}

impl<V: Vector> WithIsa for Scale<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        for i in 0..self.count {
            // SAFETY: the buffer has `count` vectors.
            unsafe { self.data.add(i).write(self.data.add(i).read() * V::splat(self.by)) }
        }
    }
}
