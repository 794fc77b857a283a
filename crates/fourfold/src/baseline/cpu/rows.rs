//! Rows of reals, and their distribution to threads.

use crate::cpu::base::machine::Machine;
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::Dispatch;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{LANES, Vector};

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

    /// Loads a vector of the reals i, i + 1, …, which are one access if they are contiguous.
    ///
    /// # Safety
    /// The reals are in memory.
    #[inline(always)]
    pub(crate) unsafe fn get<V: Vector<Scalar = S>>(self, i: usize) -> V {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self.step {
                _ if V::WIDTH == 1 => V::load(self.base.wrapping_offset(i as isize * self.step)),
                1 => V::load(self.base.wrapping_add(i)),
                -1 => V::load(self.base.wrapping_offset(-((i + V::WIDTH - 1) as isize))).reverse(),
                step => {
                    let mut lanes = [S::default(); LANES];
                    for (lane, x) in lanes[..V::WIDTH].iter_mut().enumerate() {
                        *x = self.base.wrapping_offset((i + lane) as isize * step).read();
                    }
                    V::load(Ptr::of(&lanes))
                }
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
                -1 => x.reverse().store(self.base.wrapping_offset(-((i + V::WIDTH - 1) as isize))),
                step => {
                    for (lane, x) in lanes(x)[..V::WIDTH].iter().enumerate() {
                        self.base.wrapping_offset((i + lane) as isize * step).write(*x);
                    }
                }
            }
        }
    }
}

/// The lanes of a vector, of which the first ones count.
#[inline(always)]
pub(crate) fn lanes<V: Vector>(x: V) -> [V::Scalar; LANES] {
    let mut lanes = [V::Scalar::default(); LANES];
    // SAFETY: the array has room for the longest vector.
    unsafe { x.store(Ptr::new(lanes.as_mut_ptr(), LANES)) };
    lanes
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
    deal_out_blocks(pool, [rows, items], [1, 1 << 12], work);
}

/// The same by blocks of rows and items, as [`deal_out`] calls it. A thread works through the rows
/// of a block before it begins another one, so neighbouring rows may share cache lines.
pub(crate) fn deal_out_blocks(
    pool: &Pool,
    [rows, items]: [usize; 2],
    [tall, wide]: [usize; 2],
    work: &(dyn Fn(usize, [usize; 2]) + Sync),
) {
    let parts = items.div_ceil(wide);
    let task = |_: usize, task: usize| {
        let (first, start) = (task / parts * tall, task % parts * wide);
        (first..rows.min(first + tall)).for_each(|row| work(row, [start, items.min(start + wide)]));
    };
    let tasks = rows.div_ceil(tall) * parts;
    if rows.saturating_mul(items) < Machine::this().serial_elements {
        (0..tasks).for_each(|number| task(0, number));
    } else {
        pool.run_tasks(tasks, &task);
    }
}
