//! Rows of reals, and how they are dealt out to threads.

use crate::cpu::base::machine::SERIAL_ELEMENTS;
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::Dispatch;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Vector;

/// Reals at one step from each other. The first may lie before the array: then it is not asked for.
#[derive(Clone, Copy)]
pub(crate) struct Row<S> {
    pub(crate) base: Ptr<S>,
    pub(crate) step: isize,
}

impl<S: Dispatch> Row<S> {
    /// The row that begins `offset` reals further.
    pub(crate) fn moved(self, offset: isize) -> Self {
        Row { base: self.base.wrapping_offset(offset), step: self.step }
    }

    /// Whether vectors can be read and written.
    pub(crate) fn is_run(self) -> bool {
        self.step.unsigned_abs() == 1
    }

    /// Reals i, i + 1, …, as many as a vector has.
    ///
    /// # Safety
    /// They are there; where the vector has several, the row is a run.
    #[inline(always)]
    pub(crate) unsafe fn get<V: Vector<Scalar = S>>(self, i: usize) -> V {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self.step {
                _ if V::WIDTH == 1 => V::load(self.base.wrapping_offset(i as isize * self.step)),
                1 => V::load(self.base.wrapping_add(i)),
                _ => V::load(self.base.wrapping_offset(-((i + V::WIDTH - 1) as isize))).reverse(),
            }
        }
    }

    /// # Safety
    /// As [`Row::get`].
    #[inline(always)]
    pub(crate) unsafe fn put<V: Vector<Scalar = S>>(self, i: usize, x: V) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self.step {
                _ if V::WIDTH == 1 => x.store(self.base.wrapping_offset(i as isize * self.step)),
                1 => x.store(self.base.wrapping_add(i)),
                _ => x.reverse().store(self.base.wrapping_offset(-((i + V::WIDTH - 1) as isize))),
            }
        }
    }
}

/// The places of a number in a list of digits with these sizes, the last running fastest.
pub(crate) fn digits(mut number: usize, sizes: &[usize], places: &mut [usize]) {
    for (place, size) in places.iter_mut().zip(sizes).rev() {
        *place = number % size;
        number /= size;
    }
}

/// Calls `work` for every row and every part of it: rows are `items` long. The parts do not depend
/// on the number of threads, and so neither do results.
pub(crate) fn deal_out(pool: &Pool, rows: usize, items: usize, work: &(dyn Fn(usize, [usize; 2]) + Sync)) {
    const PART: usize = 1 << 12;
    let parts = items.div_ceil(PART);
    let task = |_: usize, task: usize| {
        let start = task % parts * PART;
        work(task / parts, [start, items.min(start + PART)]);
    };
    if rows.saturating_mul(items) < SERIAL_ELEMENTS {
        (0..rows * parts).for_each(|number| task(0, number));
    } else {
        pool.run(rows * parts, &task);
    }
}
