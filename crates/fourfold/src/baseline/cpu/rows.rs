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

/// Calls `work` for every row and every part of it, in parallel. Rows have `items` items, each as
/// much work as `cost` elements of a reorder. The parts do not depend on the number of threads, so
/// results do not either.
pub(crate) fn deal_out(pool: &Pool, rows: usize, [items, cost]: [usize; 2], work: &(dyn Fn(usize, [usize; 2]) + Sync)) {
    let wide = ((1 << 12) / cost.max(1)).max(1);
    deal_out_blocks(pool, [rows, items, cost], [1, wide], work);
}

/// The same by blocks of rows and items, as [`deal_out`] calls it. A thread works through the rows
/// of a block before it begins another one, so neighbouring rows may share cache lines.
pub(crate) fn deal_out_blocks(
    pool: &Pool,
    [rows, items, cost]: [usize; 3],
    [tall, wide]: [usize; 2],
    work: &(dyn Fn(usize, [usize; 2]) + Sync),
) {
    let parts = items.div_ceil(wide);
    let task = |_: usize, task: usize| {
        let (first, start) = (task / parts * tall, task % parts * wide);
        (first..rows.min(first + tall)).for_each(|row| work(row, [start, items.min(start + wide)]));
    };
    let tasks = rows.div_ceil(tall) * parts;
    if rows.saturating_mul(items).saturating_mul(cost) < Machine::this().serial_elements {
        (0..tasks).for_each(|number| task(0, number));
    } else {
        pool.run_tasks(tasks, &task);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::Mutex;
    use std::thread;
    use std::time::{Duration, Instant};

    /// The threads that share a row of 256 items. A thread waits for another one, but not for ever.
    fn threads(cost: usize) -> usize {
        let (met, end) = (Mutex::new(HashSet::new()), Instant::now() + Duration::from_secs(10));
        deal_out(&Pool::new(2).unwrap(), 1, [256, cost], &|_, _| {
            met.lock().unwrap().insert(thread::current().id());
            while cost > 1 && met.lock().unwrap().len() < 2 && Instant::now() < end {
                thread::yield_now();
            }
        });
        met.into_inner().unwrap().len()
    }

    /// A Fourier transform by its definition reads n elements for each of n outputs.
    #[test]
    fn few_items_of_much_work_are_shared() {
        assert_eq!([1, 256].map(threads), [1, 2]);
    }
}
