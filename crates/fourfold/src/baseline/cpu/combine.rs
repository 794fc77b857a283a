//! Executes combines. This file computes the addresses and factors of every row of terms along the
//! last axis.

use crate::arithmetic::complex::C;
use crate::baseline::cpu::rows::{Row, deal_out, digits};
use crate::baseline::cpu::span::{CombineSpan, CombinedRows, TermIndex};
use crate::baseline::stage::{Combine, CombineAxis, Direction, Stage};
use crate::cpu::base::memory::{AXES, Array};
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::recipe::reduction::IndexMap;
use num_complex::Complex;

/// A combine with its factors.
pub(crate) struct PreparedCombine<S> {
    combine: Combine,
    /// e^{−iπk/(2N)} along each axis, with the factor on term 0. That of the last axis includes the
    /// scale.
    tables: Vec<Vec<C<S>>>,
    /// The other axes.
    batch: Vec<usize>,
    /// The lengths of those, then the terms along the axes of the combine except the last.
    sizes: Vec<usize>,
    isa: Isa,
}

impl<S: Dispatch> PreparedCombine<S> {
    pub(crate) fn new(stage: &Stage, combine: &Combine, isa: Isa) -> Self {
        let is_outer = |axis: &usize| combine.axes.iter().all(|along| along.axis != *axis);
        let batch: Vec<usize> = (0..stage.from.axes.len()).filter(is_outer).collect();
        let terms = (0..combine.axes.len() - 1).map(|i| combine.terms(i));
        let sizes = batch.iter().map(|axis| stage.from.length(*axis)).chain(terms).collect();
        let factor = |w: &Complex<f64>| C { re: S::of(w.re), im: S::of(w.im) };
        let tables = combine.tables().iter().map(|table| table.iter().map(factor).collect()).collect();
        PreparedCombine { combine: combine.clone(), tables, batch, sizes, isa }
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
            let mut places = [0; AXES];
            digits(number, &self.sizes, &mut places[..self.sizes.len()]);
            let (batches, terms) = places.split_at(self.batch.len());
            let at = |array: &Array<S>| -> isize {
                self.batch.iter().zip(batches).map(|(axis, place)| *place as isize * array.strides[*axis]).sum()
            };
            let origins = [spectrum.origin.wrapping_offset(at(spectrum)), reals.origin.wrapping_offset(at(reals))];
            let rows = self.rows::<H>(others, last, terms, [spectrum, reals], origins);
            let table = Ptr::of(self.tables.last().expect("a combine has an axis"));
            let span = CombineSpan {
                rows,
                n: last.n,
                table,
                scale: S::of(combine.scale),
                first: S::of(last.first),
                combine,
                range,
            };
            // SAFETY: the addresses are in the arrays. Rows of one combine are disjoint, and so are
            // their parts.
            unsafe { S::dispatch(self.isa, span) };
        };
        deal_out(pool, self.sizes.iter().product(), combine.terms(others.len()), &work);
    }

    /// The rows at ±k and at k or N − k along the other axes.
    fn rows<const H: usize>(
        &self,
        others: &[CombineAxis],
        last: &CombineAxis,
        terms: &[usize],
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
        for (bit, (axis, &k)) in others.iter().zip(terms).enumerate() {
            rows.rotations[bit] = self.tables[bit][k];
            for h in 0..H {
                let mirrored = h >> bit & 1 == 1;
                let place = TermIndex::of(axis, k, mirrored);
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
