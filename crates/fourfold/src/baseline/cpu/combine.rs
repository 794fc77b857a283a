//! Executes combines. This file computes the addresses and factors of every row of terms along the
//! last axis.

use crate::arithmetic::complex::C;
use crate::baseline::cpu::rows::{Row, deal_out, deal_out_blocks, digits};
use crate::baseline::cpu::span::{CombineSpan, CombinedRows, TermIndex};
use crate::baseline::stage::{Combine, CombineAxis, Direction, Stage};
use crate::cpu::base::memory::{AXES, Array};
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::recipe::reduction::IndexMap;
use num_complex::Complex;

/// The rows and terms of a block of a combine that transposes. With two axes, the four reals of a
/// term are in four cache lines. So 64 terms need 256 lines, 16 KiB, which stay in a first-level
/// cache while the rows of the block fill them.
const TILE: [usize; 2] = [64, 64];

/// A combine with its factors.
pub(crate) struct PreparedCombine<S> {
    combine: Combine,
    /// e^{−iπk/(2N)} along each axis, with the factor on term 0. That of the last axis includes the
    /// scale.
    tables: Vec<Vec<C<S>>>,
    /// The other axes.
    batch: Vec<usize>,
    /// Those and the axes of the combine except the last, in the order in which rows follow each
    /// other.
    outer: Vec<usize>,
    /// The lengths of these axes, or the terms along them.
    sizes: Vec<usize>,
    /// Whether neighbouring rows write the same cache lines, because the stage transposes.
    tiled: bool,
    isa: Isa,
}

impl<S: Dispatch> PreparedCombine<S> {
    pub(crate) fn new(stage: &Stage, combine: &Combine, isa: Isa) -> Self {
        let is_outer = |axis: &usize| combine.axes.iter().all(|along| along.axis != *axis);
        let batch: Vec<usize> = (0..stage.from.axes.len()).filter(is_outer).collect();
        let (count, tiled) = (combine.axes.len() - 1, stage.is_tiled());
        let mut outer: Vec<usize> = batch.iter().copied().chain(combine.axes[..count].iter().map(|a| a.axis)).collect();
        if tiled {
            let reals = if combine.direction == Direction::After { &stage.to } else { &stage.from };
            outer.sort_by_key(|axis| *axis == reals.fastest());
        }
        let along = |axis: &usize| combine.axes.iter().position(|along| along.axis == *axis);
        let size = |axis: &usize| along(axis).map_or_else(|| stage.from.length(*axis), |i| combine.terms(i));
        let sizes = outer.iter().map(size).collect();
        let factor = |w: &Complex<f64>| C { re: S::of(w.re), im: S::of(w.im) };
        let tables = combine.tables().iter().map(|table| table.iter().map(factor).collect()).collect();
        PreparedCombine { combine: combine.clone(), tables, batch, outer, sizes, tiled, isa }
    }

    /// # Safety
    /// The arrays are in memory, and nothing else accesses them during the call.
    pub(crate) unsafe fn combine(&self, from: &Array<S>, to: &Array<S>, pool: &Pool) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self.combine.axes.len() {
                1 => self.combine_rows::<1>(from, to, pool),
                2 => self.combine_rows::<2>(from, to, pool),
                _ => self.combine_rows::<4>(from, to, pool),
            }
        }
    }

    /// Executes a combine of which H rows of the spectrum depend on each other.
    ///
    /// # Safety
    /// As for [`PreparedCombine::combine`].
    unsafe fn combine_rows<const H: usize>(&self, from: &Array<S>, to: &Array<S>, pool: &Pool) {
        let combine = &self.combine;
        let (spectrum, reals) = if combine.direction == Direction::After { (from, to) } else { (to, from) };
        let [others @ .., last] = &*combine.axes else { unreachable!("a combine has an axis") };
        let work = |number: usize, range: [usize; 2]| {
            let places = self.places(number);
            let at = |array: &Array<S>| -> isize {
                self.batch.iter().map(|axis| places[*axis] as isize * array.strides[*axis]).sum()
            };
            let origins = [spectrum.origin.wrapping_offset(at(spectrum)), reals.origin.wrapping_offset(at(reals))];
            let rows = self.rows::<H>(others, last, &places, [spectrum, reals], origins);
            let table = Ptr::of(self.tables.last().expect("a combine has an axis"));
            let span = CombineSpan {
                rows,
                n: last.n,
                table,
                scale: S::of(combine.scale),
                first: S::of(last.first),
                threshold: combine.threshold.map(|least| S::of(least).to()),
                combine,
                range,
            };
            // SAFETY: the addresses are in the arrays. Rows of one combine are disjoint, and so are
            // their parts.
            unsafe { S::dispatch(self.isa, span) };
        };
        let shape = [self.sizes.iter().product(), combine.terms(others.len())];
        if self.tiled {
            deal_out_blocks(pool, [shape[0], shape[1], 1], TILE, &work);
        } else {
            deal_out(pool, shape[0], [shape[1], 1], &work);
        }
    }

    /// The index of row `number` along every axis but the last of the combine.
    fn places(&self, number: usize) -> [usize; AXES] {
        let (mut indices, mut places) = ([0; AXES], [0; AXES]);
        digits(number, &self.sizes, &mut indices[..self.sizes.len()]);
        self.outer.iter().zip(indices).for_each(|(axis, index)| places[*axis] = index);
        places
    }

    /// The rows at ±k and at k or N − k along the other axes, where k is in `places`.
    fn rows<const H: usize>(
        &self,
        others: &[CombineAxis],
        last: &CombineAxis,
        places: &[usize; AXES],
        [spectrum, reals]: [&Array<S>; 2],
        [z, x]: [Ptr<S>; 2],
    ) -> CombinedRows<S, H> {
        let step = reals.strides[last.axis];
        let (start, sign) = last.terms.line(last.n);
        let row = |from: isize, sign: isize| Row { base: x.wrapping_offset(from * step), step: sign * step };
        let ends = [row(start, sign), row(start + sign * last.n as isize, -sign)];
        let mut rows = CombinedRows {
            rotations: [C::default(); 2],
            spectrum: [z.cast(); H],
            terms: ends.map(|row| [row; H]),
            written: [true; H],
            nothing: [false; H],
            shifted: last.terms == IndexMap::Shifted,
        };
        for (bit, axis) in others.iter().enumerate() {
            let k = places[axis.axis];
            rows.rotations[bit] = self.tables[bit][k];
            for h in 0..H {
                let conjugate = h >> bit & 1 == 1;
                let place = TermIndex::of(axis, k, conjugate);
                rows.spectrum[h] =
                    rows.spectrum[h].cast::<S>().wrapping_offset(place.spectrum * spectrum.strides[axis.axis]).cast();
                for side in &mut rows.terms {
                    side[h].base = side[h].base.wrapping_offset(place.reals * reals.strides[axis.axis]);
                }
                rows.written[h] &= place.written;
                rows.nothing[h] |= place.nothing;
            }
        }
        rows
    }
}
