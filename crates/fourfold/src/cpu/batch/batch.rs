//! One sum along one axis, ready to run on lines of vectors: combine → DFT → combine.

use crate::cpu::base::sizes::reals;
use crate::cpu::base::strided::Strided;
use crate::cpu::batch::combine::{Combine, Side};
use crate::cpu::batch::fused_combine::FusedCombine;
use crate::cpu::batch::symmetric_last_pass::Fold;
use crate::cpu::dft::dft::Dft;
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

/// What stands around the DFT of a sum: the order of its real side, and the combines.
pub(crate) struct Ends<S> {
    index: Vec<u32>,
    factor: Vec<S>,
    /// The factor on odd places, if the order is even places ascending, then odd places descending,
    /// and their number even.
    pub(crate) even_odd: Option<S>,
    pub(crate) before: Option<Combine<S>>,
    pub(crate) after: Option<Combine<S>>,
    /// Instead of both: the last pass of an extension.
    fold: Option<Fold<S>>,
    /// Whether the half spectrum at one end is that of the DFT, but for the order.
    pub(crate) bare: bool,
    /// Reals of a line at either end.
    pub(crate) input: usize,
    pub(crate) output: usize,
    /// Whether one of them is complex.
    pub(crate) complex: bool,
}

impl<S: Scalar> Ends<S> {
    pub(crate) fn new(recipe: &AxisRecipe) -> Self {
        let (sum, n) = (recipe.transform.sum, recipe.transform.n);
        let (edges, scale) = (&recipe.transform.edges, recipe.scale);
        let quarter = match &recipe.scheme {
            Scheme::Batched(factors) => quarter(sum, factors).map(length),
            _ => None,
        };
        let reduction = reduce(sum, n, edges, scale);
        let Permutation { index, factor } = match reduction.reorder {
            None => Permutation::default(),
            Some(extension) if quarter.is_some() => three_quarters(extension, n),
            Some(reorder) => reorder.permutation(n),
        };
        let combine = |steps: &[Step], side: Side| {
            let is_there = quarter.is_none() && !steps.is_empty();
            is_there.then(|| Combine::new(steps, side, dft_of(sum, n).1))
        };
        let [input, output] = reals(sum, n);
        Ends {
            even_odd: odd_places(reduction.reorder).filter(|_| n % 2 == 0).map(S::of),
            index: index.iter().map(|&i| i as u32).collect(),
            factor: factor.iter().map(|&x| S::of(x)).collect(),
            before: combine(&reduction.before, Side::Before),
            after: combine(&reduction.after, Side::After),
            fold: quarter.map(|len| Fold::new(&symmetric_last_pass(sum, edges, scale, len))),
            bare: matches!(sum, Transform1d::R2C | Transform1d::C2R) && scale == 1.0 && *edges == EndWeights::ONE,
            input,
            output,
            complex: matches!(sum, Transform1d::Forward | Transform1d::Backward | Transform1d::R2C | Transform1d::C2R),
        }
    }

    /// Whether the real side of the DFT stands in another order than its own.
    pub(crate) fn has_order(&self) -> bool {
        !self.index.is_empty()
    }

    /// `rows` as the real side of the DFT.
    pub(crate) fn ordered(&self, rows: Strided<S>) -> Permuted<S> {
        let (index, factor) = (Ptr::of(&self.index), Ptr::of(&self.factor));
        Permuted {
            rows,
            index: if self.index.is_empty() { Ptr::null() } else { index },
            gain: if self.factor.is_empty() { Ptr::null() } else { factor },
        }
    }
}

/// The factor on odd places, where a line is reordered to even places, then odd places.
fn odd_places(reorder: Option<Reorder>) -> Option<f64> {
    match reorder {
        Some(Reorder::EvenOdd(order)) => Some(order.odd_factor()),
        _ => None,
    }
}

/// The executable form of one sum over lanes. `S` is the precision; the lanes are chosen when it
/// runs.
pub(crate) struct Batch<S> {
    pub(crate) ends: Ends<S>,
    dft: Dft<S>,
    /// The factor that is not in the tables: of complex sums, which have no combine.
    factor: S,
}

impl<S: Scalar> Batch<S> {
    /// `factors` are those of the recipe's scheme.
    pub(crate) fn new(recipe: &AxisRecipe, factors: &[Factor]) -> Self {
        let (sum, n) = (recipe.transform.sum, recipe.transform.n);
        let (data, _) = dft_of(sum, n);
        let factor = if matches!(sum, Transform1d::Forward | Transform1d::Backward) { recipe.scale } else { 1.0 };
        let dft = match quarter(sum, factors) {
            Some(quarter) => Dft::several(data, quarter, QUARTERS),
            None => Dft::new(data, factors),
        };
        Batch { ends: Ends::new(recipe), dft, factor: S::of(factor) }
    }

    /// The combine that the passes do on their way, if they do.
    fn turning<V: Vector<Scalar = S>>(&self) -> Option<FusedCombine<'_, S>> {
        let combine = self.ends.before.as_ref().or(self.ends.after.as_ref());
        combine.filter(|_| self.dft.can_fuse_combine::<V>())?.turning()
    }

    /// Whether it may read vectors where they stand in memory, and write them there.
    pub(crate) fn is_direct<V: Vector<Scalar = S>>(&self) -> bool {
        self.turning::<V>().is_some()
    }

    /// The half spectrum of the reals at `data`, or the way back, with parts side by side:
    /// FFTPACK's order begins one later.
    ///
    /// # Safety
    /// As [`Batch::run`].
    unsafe fn bare<V: Vector<Scalar = S>>(&self, data: Ptr<V>, free: Ptr<V>, work: Ptr<V>) -> Ptr<V> {
        let n = self.dft.len();
        // SAFETY: the caller's; buffers have room for the parts that are zero.
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

    /// Transforms the tile at `data`, with `free` as the other buffer. Returns which of the two
    /// holds the result. Where it is direct, vectors may be elsewhere: `ends` says where.
    ///
    /// # Safety
    /// Buffers and work have the lengths asked for, the ends are there; the CPU has the
    /// instructions of `V`.
    pub(crate) unsafe fn run<V: Vector<Scalar = S>>(
        &self,
        [from, to]: [Option<Strided<S>>; 2],
        data: Ptr<V>,
        free: Ptr<V>,
        work: Ptr<V>,
    ) -> Ptr<V> {
        // SAFETY: the caller's; all passes but the last go between the buffers.
        unsafe {
            if let Some(turning) = self.turning::<V>() {
                let target = self.dft.turned_target([free, data]);
                let (from, to) = (from.unwrap_or(Strided::tile(data)), to.unwrap_or(Strided::tile(target)));
                match self.dft.data() {
                    Data::Hermitian => {
                        self.dft.backward_from(turning.over(from), [free, data], self.ends.ordered(to), work);
                    }
                    _ => self.dft.forward_to(self.ends.ordered(from), [free, data], turning.over(to), work),
                }
                target
            } else if self.ends.bare {
                self.bare(data, free, work)
            } else {
                self.in_steps(data, free, work)
            }
        }
    }

    /// [`Batch::run`] with combines by themselves.
    ///
    /// # Safety
    /// As there.
    unsafe fn in_steps<V: Vector<Scalar = S>>(&self, data: Ptr<V>, free: Ptr<V>, work: Ptr<V>) -> Ptr<V> {
        let other = |at: Ptr<V>| if at == data { free } else { data };
        // SAFETY: the caller's; a combine and each pass of a DFT go from one buffer to the other.
        unsafe {
            let ready = match &self.ends.before {
                Some(before) => {
                    before.run::<V>(Strided::tile(data), Strided::tile(free));
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
            if let Some(fold) = &self.ends.fold {
                fold.run::<V>(result, other(result));
                return other(result);
            }
            if let Some(after) = &self.ends.after {
                after.run::<V>(Strided::tile(result), Strided::tile(other(result)));
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
            // SAFETY: `count` vectors are there.
            unsafe { self.data.add(i).write(self.data.add(i).read() * V::splat(self.by)) }
        }
    }
}
