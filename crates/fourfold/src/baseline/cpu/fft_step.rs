//! Executes steps of complex FFTs line after line, each by all threads. They have only the vectors
//! that the compiler makes, as the programs have with which they are compared.

use crate::arithmetic::butterfly::Dft;
use crate::arithmetic::complex::C;
use crate::baseline::cpu::rows::{deal_out, digits};
use crate::baseline::fft_step::{Decimation, Factors, FftStep, FftWork, Level, reversed};
use crate::baseline::stage::Stage;
use crate::cpu::base::memory::{AXES, Array};
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::Dispatch;
use crate::cpu::simd::pointer::Ptr;
use std::f64::consts::PI;

/// A step with its table.
pub(crate) struct PreparedFftStep<S> {
    work: FftWork,
    table: Vec<C<S>>,
    /// The places from which a digit reversal takes the elements of a line, if it has radices.
    places: Vec<usize>,
    /// The elements of a line.
    n: usize,
    /// The other axes, and their lengths.
    others: Vec<usize>,
    sizes: Vec<usize>,
}

/// Complex numbers at a constant stride.
#[derive(Clone, Copy)]
struct ComplexRow<S> {
    base: Ptr<S>,
    step: isize,
}

/// The number of terms that are summed before their sum is added to the next level of sums. Errors
/// then grow slower than with one sum.
const TERMS: usize = 32;

/// The largest radix of a level plus one.
const RADICES: usize = 9;

impl<S: Dispatch> ComplexRow<S> {
    fn moved(self, places: usize) -> Self {
        ComplexRow { base: self.base.wrapping_offset(places as isize * self.step), ..self }
    }

    /// # Safety
    /// Element i is in memory, and nothing else writes it.
    #[inline(always)]
    unsafe fn get(self, i: usize) -> C<S> {
        let at = self.base.wrapping_offset(i as isize * self.step);
        // SAFETY: the caller guarantees it.
        unsafe { C { re: at.read(), im: at.add(1).read() } }
    }

    /// # Safety
    /// Element i is in memory, and nothing else accesses it.
    #[inline(always)]
    unsafe fn put(self, i: usize, z: C<S>) {
        let at = self.base.wrapping_offset(i as isize * self.step);
        // SAFETY: the caller guarantees it.
        unsafe {
            at.write(z.re);
            at.add(1).write(z.im);
        }
    }
}

impl<S: Dispatch> PreparedFftStep<S> {
    pub(crate) fn new(stage: &Stage, step: &FftStep) -> Self {
        let n = step.axis().map_or(1, |axis| stage.from.length(axis));
        let others: Vec<usize> = (0..stage.from.axes.len()).filter(|axis| Some(*axis) != step.axis()).collect();
        let table = step.table(n).iter().map(|w| C { re: S::of(w.re), im: S::of(w.im) }).collect();
        let sizes = others.iter().map(|axis| stage.from.length(*axis)).collect();
        let places = match &step.work {
            FftWork::DigitReversal { radices, .. } | FftWork::Whole { radices, .. } if !radices.is_empty() => {
                (0..n).map(|place| reversed(place, radices)).collect()
            }
            _ => vec![],
        };
        PreparedFftStep { work: step.work.clone(), table, places, n, others, sizes }
    }

    /// # Safety
    /// The arrays are complex and in memory, and nothing else accesses them during the call. They
    /// are the same or do not overlap.
    pub(crate) unsafe fn execute(&self, from: &Array<S>, to: &Array<S>, pool: &Pool) {
        // The items of a line, and the work of each: the elements that it reads.
        let (axis, items) = match self.work {
            // SAFETY: the caller guarantees it.
            FftWork::Transpose { side, .. } => return unsafe { transpose(from, to, side, pool) },
            FftWork::DigitReversal { axis, .. } => (axis, [self.n, 1]),
            FftWork::Sum { axis, .. } => (axis, [self.n; 2]),
            FftWork::Level(Level { axis, radix, .. }) => (axis, [self.n / radix, radix]),
            FftWork::Blocks { axis, len, .. } => (axis, [self.n / len, len]),
            FftWork::Whole { axis, .. } => (axis, [1, self.n]),
        };
        deal_out(pool, self.sizes.iter().product(), items, &|number, [start, end]| {
            let lines = self.lines(number, axis, [from, to]);
            // SAFETY: the lines are in the arrays. No two items write the same element, and none
            // writes what another one reads.
            unsafe {
                match &self.work {
                    FftWork::DigitReversal { scale, .. } => self.reverse(lines, [start, end], S::of(*scale)),
                    FftWork::Sum { backward, factors, .. } => (start..end).for_each(|k| {
                        let sum = match factors {
                            Factors::Table => self.sum(lines[0], k, *backward, |at| self.table[at]),
                            Factors::Computed => self.sum(lines[0], k, *backward, |at| self.computed(at)),
                        };
                        lines[1].put(k, sum);
                    }),
                    FftWork::Level(level) => level_items(level, &self.table, lines, [start, end]),
                    FftWork::Whole { scale, .. } => self.whole(lines, S::of(*scale)),
                    FftWork::Blocks { len, backward, scale, .. } => {
                        (start..end).for_each(|block| self.block(lines, block, *len, *backward, S::of(*scale)));
                    }
                    FftWork::Transpose { .. } => {}
                }
            }
        });
    }

    /// Line `number` on both sides.
    fn lines(&self, number: usize, axis: usize, sides: [&Array<S>; 2]) -> [ComplexRow<S>; 2] {
        let mut places = [0; AXES];
        digits(number, &self.sizes, &mut places[..self.sizes.len()]);
        sides.map(|side| {
            let offset = self.others.iter().zip(places).map(|(&axis, place)| place as isize * side.strides[axis]).sum();
            ComplexRow { base: side.origin.wrapping_offset(offset), step: side.strides[axis] }
        })
    }

    /// w_n^k, computed in double precision.
    fn computed(&self, k: usize) -> C<S> {
        let (sin, cos) = (-2.0 * PI * k as f64 / self.n as f64).sin_cos();
        C { re: S::of(cos), im: S::of(sin) }
    }

    /// # Safety
    /// The lines are in memory, and nothing else accesses those places of the second one.
    unsafe fn reverse(&self, [from, to]: [ComplexRow<S>; 2], [start, end]: [usize; 2], scale: S) {
        for place in start..end {
            let other = self.places.get(place).copied().unwrap_or(place);
            // SAFETY: the caller guarantees it.
            unsafe { to.put(place, from.get(other).scale(scale)) };
        }
    }

    /// # Safety
    /// The lines are in memory and differ, and nothing else accesses the second one.
    unsafe fn whole(&self, [from, to]: [ComplexRow<S>; 2], scale: S) {
        // SAFETY: the caller guarantees it.
        unsafe { self.reverse([from, to], [0, self.n], scale) };
        let mut table = &self.table[..];
        for level in self.work.levels() {
            let (own, rest) = table.split_at(level.table_len());
            // SAFETY: as above.
            unsafe { level_items(&level, own, [to, to], [0, self.n / level.radix]) };
            table = rest;
        }
    }

    /// The sum for output k, with `factor(i)` for w_n^i.
    ///
    /// # Safety
    /// The line is in memory.
    #[inline(always)]
    unsafe fn sum(&self, x: ComplexRow<S>, k: usize, backward: bool, factor: impl Fn(usize) -> C<S>) -> C<S> {
        let zero = C { re: S::of(0.0), im: S::of(0.0) };
        let (mut sums, mut at) = ([zero; 3], 0);
        for i in 0..self.n {
            let w = factor(at);
            // SAFETY: the caller guarantees it.
            let z = unsafe { x.get(i) };
            sums[0] = sums[0] + if backward { z.mul_conj(w) } else { z.mul(w) };
            at = if at + k < self.n { at + k } else { at + k - self.n };
            let mut whole = i + 1;
            for part in 0..2 {
                if whole % TERMS != 0 {
                    break;
                }
                sums[part + 1] = sums[part + 1] + sums[part];
                sums[part] = zero;
                whole /= TERMS;
            }
        }
        sums[0] + sums[1] + sums[2]
    }

    /// The DFT of a block. Output k goes to the index r + k·n/len, where r is the number of the
    /// block with its bits reversed. The elements are first copied in bit-reversed order, and then
    /// transformed in place. If both arrays are the same, the block is the whole line.
    ///
    /// # Safety
    /// The lines are in memory, and nothing else accesses the block.
    unsafe fn block(&self, [from, to]: [ComplexRow<S>; 2], block: usize, len: usize, backward: bool, scale: S) {
        let (bits, blocks) = (len.ilog2(), self.n / len);
        let reverse =
            |place: usize, bits: u32| if bits == 0 { 0 } else { place.reverse_bits() >> (usize::BITS - bits) };
        let from_block = from.moved(block * len);
        let first = to.moved(reverse(block, blocks.ilog2()));
        let out = ComplexRow { step: first.step * blocks as isize, ..first };
        // SAFETY: the caller guarantees it.
        unsafe {
            for p in 0..len {
                let q = reverse(p, bits);
                // Both elements are read before either is written, because source and destination
                // may be the same.
                if p <= q {
                    let (x, y) = (from_block.get(p).scale(scale), from_block.get(q).scale(scale));
                    out.put(q, x);
                    out.put(p, y);
                }
            }
            for distance in (0..bits).map(|bit| 1 << bit) {
                for item in 0..len / 2 {
                    let k = item % distance;
                    let base = item / distance * distance * 2 + k;
                    let mut z = [out.get(base), out.get(base + distance)];
                    butterfly(&mut z, &[self.table[k * (len / (2 * distance))]], Decimation::InTime, backward);
                    out.put(base, z[0]);
                    out.put(base + distance, z[1]);
                }
            }
        }
    }
}

/// Butterflies of a level along a line.
///
/// # Safety
/// The lines are in memory, and nothing else accesses the butterflies of the range.
unsafe fn level_items<S: Dispatch>(level: &Level, table: &[C<S>], lines: [ComplexRow<S>; 2], range: [usize; 2]) {
    // SAFETY: the caller guarantees it.
    unsafe {
        match level.radix {
            2 => butterflies::<S, 2>(level, table, lines, range),
            3 => butterflies::<S, 3>(level, table, lines, range),
            4 => butterflies::<S, 4>(level, table, lines, range),
            5 => butterflies::<S, 5>(level, table, lines, range),
            7 => butterflies::<S, 7>(level, table, lines, range),
            8 => butterflies::<S, 8>(level, table, lines, range),
            other => unreachable!("no method has levels of radix {other}"),
        }
    }
}

/// # Safety
/// As for [`level_items`].
unsafe fn butterflies<S: Dispatch, const R: usize>(
    level: &Level,
    table: &[C<S>],
    [from, to]: [ComplexRow<S>; 2],
    [start, end]: [usize; 2],
) where
    [C<S>; R]: Dft,
{
    const { assert!(R < RADICES) };
    let Level { distance, decimation, backward, .. } = *level;
    for item in start..end {
        let k = item % distance;
        let base = item / distance * distance * R + k;
        let mut z = [C { re: S::of(0.0), im: S::of(0.0) }; R];
        for (j, z) in z.iter_mut().enumerate() {
            // SAFETY: the caller guarantees it.
            *z = unsafe { from.get(base + j * distance) };
        }
        let w = &table[k * (R - 1)..][..R - 1];
        butterfly(&mut z, w, decimation, backward);
        for (j, z) in z.into_iter().enumerate() {
            // SAFETY: the caller guarantees it.
            unsafe { to.put(base + j * distance, z) };
        }
    }
}

/// A small DFT with its twiddle factors. A backward one exchanges real and imaginary parts before
/// and after.
#[inline(always)]
fn butterfly<S: Dispatch, const R: usize>(z: &mut [C<S>; R], w: &[C<S>], decimation: Decimation, backward: bool)
where
    [C<S>; R]: Dft,
{
    let twiddle = |z: &mut [C<S>; R]| z[1..].iter_mut().zip(w).for_each(|(z, w)| *z = z.mul(*w));
    if backward {
        *z = z.map(C::swap);
    }
    if decimation == Decimation::InTime {
        twiddle(z);
    }
    *z = z.dft();
    if decimation == Decimation::InFrequency {
        twiddle(z);
    }
    if backward {
        *z = z.map(C::swap);
    }
}

/// Transposes a matrix by squares. In place, it exchanges two squares.
///
/// # Safety
/// As for [`PreparedFftStep::execute`]. The columns of one matrix are the rows of the other.
unsafe fn transpose<S: Dispatch>(from: &Array<S>, to: &Array<S>, side: usize, pool: &Pool) {
    // The rows of the source, in the order of memory.
    let (slow, fast) = if from.strides[0].abs() >= from.strides[1].abs() { (0, 1) } else { (1, 0) };
    let [height, width] = [from.shape[slow], from.shape[fast]];
    let in_place = from.origin == to.origin;
    let at = |array: &Array<S>, row: usize, column: usize| ComplexRow {
        base: array.origin.wrapping_offset(row as isize * array.strides[slow] + column as isize * array.strides[fast]),
        step: 0,
    };
    deal_out(pool, height.div_ceil(side), [width.div_ceil(side), side * side], &|band, [start, end]| {
        for column in (start..end).map(|square| square * side) {
            for (row, column) in (band * side..height.min(band * side + side))
                .flat_map(|row| (column..width.min(column + side)).map(move |column| (row, column)))
            {
                // SAFETY: the addresses are in the arrays. In place, the matrix is square, and
                // squares below the diagonal are exchanged with those above.
                unsafe {
                    if !in_place {
                        at(to, row, column).put(0, at(from, row, column).get(0));
                    } else if row < column {
                        let (x, y) = (at(from, row, column), at(from, column, row));
                        let (above, below) = (x.get(0), y.get(0));
                        x.put(0, below);
                        y.put(0, above);
                    }
                }
            }
        }
    });
}
