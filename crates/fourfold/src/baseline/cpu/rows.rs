//! Rows of reals, and their distribution to threads.

use crate::cpu::base::machine::Machine;
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::Dispatch;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Vector;

/// Reals at a constant stride. The first one may be outside of the array if it is never accessed.
#[derive(Clone, Copy)]
pub(crate) struct Row<S> {
    pub(crate) base: Ptr<S>,
    pub(crate) step: isize,
}

impl<S: Dispatch> Row<S> {
    /// The row that begins `offset` reals later.
    pub(crate) fn moved(self, offset: isize) -> Self {
        Row { base: self.base.wrapping_offset(offset), step: self.step }
    }

    /// Whether the reals are contiguous, so that vectors can be loaded and stored.
    pub(crate) fn is_run(self) -> bool {
        self.step.unsigned_abs() == 1
    }

    /// Loads a vector of the reals i, i + 1, ….
    ///
    /// # Safety
    /// The reals are in memory. If the vector has several lanes, they are contiguous.
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
    /// As for [`Row::get`].
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

/// The digits of a number in mixed radices `sizes`. The last digit is the least significant.
pub(crate) fn digits(mut number: usize, sizes: &[usize], places: &mut [usize]) {
    for (place, size) in places.iter_mut().zip(sizes).rev() {
        *place = number % size;
        number /= size;
    }
}

/// Calls `work` for every row and every part of it, in parallel. Rows have `items` items. The parts
/// do not depend on the number of threads, so results do not either.
pub(crate) fn deal_out(pool: &Pool, rows: usize, items: usize, work: &(dyn Fn(usize, [usize; 2]) + Sync)) {
    const PART: usize = 1 << 12;
    let parts = items.div_ceil(PART);
    let task = |_: usize, task: usize| {
        let start = task % parts * PART;
        work(task / parts, [start, items.min(start + PART)]);
    };
    if rows.saturating_mul(items) < Machine::this().serial_elements {
        (0..rows * parts).for_each(|number| task(0, number));
    } else {
        pool.run_tasks(rows * parts, &task);
    }
}
