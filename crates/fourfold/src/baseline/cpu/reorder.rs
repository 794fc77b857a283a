//! Executes reorders row by row, in the order of the side that is followed.

use crate::baseline::cpu::rows::{Row, deal_out, digits};
use crate::baseline::stage::{AccessPattern, Order, Stage};
use crate::cpu::base::memory::{AXES, Array};
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::vector::{Scalar, Vector, VectorTask, WithIsa};
use crate::recipe::reorder::EvenOdd;

/// A reorder of arrays of one shape.
pub(crate) struct PreparedReorder {
    access: AccessPattern,
    isa: Isa,
    /// The axes of the side that is followed, in the order of memory. Rows are along the last one.
    axes: Vec<usize>,
    /// The lengths of these axes.
    sizes: Vec<usize>,
    orders: [Option<Order>; AXES],
}

impl PreparedReorder {
    pub(crate) fn new(stage: &Stage, list: &[(usize, Order)], access: AccessPattern, isa: Isa) -> Self {
        let side = if access == AccessPattern::Gather { &stage.to } else { &stage.from };
        let mut orders = [None; AXES];
        list.iter().for_each(|(axis, order)| orders[*axis] = Some(*order));
        PreparedReorder { access, isa, axes: side.axes.clone(), sizes: side.lengths.clone(), orders }
    }

    /// # Safety
    /// The arrays are in memory, and nothing else accesses them during the call.
    pub(crate) unsafe fn reorder<S: Dispatch>(&self, from: &Array<S>, to: &Array<S>, pool: &Pool) {
        let [outer @ .., inner] = &*self.axes else { unreachable!("an array has axes") };
        let outer_sizes = &self.sizes[..outer.len()];
        let n = from.shape[*inner];
        let work = |number: usize, range: [usize; 2]| {
            let mut places = [0; AXES];
            digits(number, outer_sizes, &mut places[..outer.len()]);
            let (mut offsets, mut sign) = ([0isize; 2], 1.0);
            for (axis, place) in outer.iter().zip(places) {
                let (source, target, factor) = self.ends(*axis, place, from.shape[*axis]);
                offsets[0] += source as isize * from.strides[*axis];
                offsets[1] += target as isize * to.strides[*axis];
                sign *= factor;
            }
            // SAFETY: the addresses are in the arrays. Rows of one reorder are disjoint, and so are
            // their parts.
            unsafe {
                let rows = [
                    Row { base: from.origin.offset(offsets[0]), step: from.strides[*inner] },
                    Row { base: to.origin.offset(offsets[1]), step: to.strides[*inner] },
                ];
                let row =
                    ReorderSpan { rows, n, order: self.orders[*inner], access: self.access, sign: S::of(sign), range };
                S::dispatch(self.isa, row);
            }
        };
        deal_out(pool, outer_sizes.iter().product(), [units(self.orders[*inner], n), 1], &work);
    }

    /// The indices along an outer axis at which an element is read and written, and its sign, from
    /// its index on the side that is followed.
    fn ends(&self, axis: usize, place: usize, n: usize) -> (usize, usize, f64) {
        match (self.orders[axis], self.access) {
            (None, _) => (place, place, 1.0),
            (Some(Order::Split(order)), AccessPattern::Gather) => {
                let from = order.place(place, n);
                (from, place, order.factor(from))
            }
            (Some(Order::Split(order)), AccessPattern::Scatter) => {
                (place, order.element(place, n), order.factor(place))
            }
            (Some(Order::Merge(order)), AccessPattern::Gather) => (order.element(place, n), place, order.factor(place)),
            (Some(Order::Merge(order)), AccessPattern::Scatter) => {
                let to = order.place(place, n);
                (place, to, order.factor(to))
            }
            (Some(_), _) => unreachable!("lines are made longer along rows only"),
        }
    }
}

/// The number of units of a row: pairs of an even and an odd index, or elements of the input.
fn units(order: Option<Order>, n: usize) -> usize {
    match order {
        Some(Order::Split(_) | Order::Merge(_)) => n.div_ceil(2),
        _ => n,
    }
}

/// Part of a row.
struct ReorderSpan<S> {
    /// The source and the destination.
    rows: [Row<S>; 2],
    n: usize,
    order: Option<Order>,
    access: AccessPattern,
    sign: S,
    range: [usize; 2],
}

/// Executes a part of a row with vectors of type `V`.
struct ReorderTask<V: Vector>(ReorderSpan<V::Scalar>);

impl<S: Dispatch> VectorTask<S> for ReorderSpan<S> {
    unsafe fn with_vector<V: Vector<Scalar = S>>(self) {
        // SAFETY: the caller guarantees it.
        unsafe { V::enter(ReorderTask::<V>(self)) }
    }
}

impl<V: Vector> WithIsa for ReorderTask<V>
where
    V::Scalar: Dispatch,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        let ReorderSpan { rows: [from, to], n, order, access, sign, range: [start, end] } = self.0;
        // SAFETY: the caller guarantees that the row is in memory.
        unsafe {
            match order {
                None => copy::<V>(from, to, sign, [start, end]),
                Some(Order::Split(EvenOdd { signs })) => {
                    split::<V>(from, to, n, [sign, odd(sign, signs)], access, [start, end])
                }
                Some(Order::Merge(EvenOdd { signs })) => {
                    merge::<V>(from, to, n, [sign, odd(sign, signs)], access, [start, end])
                }
                Some(Order::Mirror) => {
                    copy::<V>(from, to, sign, [start, end]);
                    let reversed = Row { step: -to.step, ..to.moved((2 * n - 1) as isize * to.step) };
                    copy::<V>(from, reversed, sign, [start, end]);
                }
                Some(Order::Pad) => {
                    copy::<V>(from, to, sign, [start, end]);
                    let zero = V::Scalar::of(0.0);
                    (start + n..end + n).for_each(|i| to.put(i, zero));
                }
                Some(Order::OddPlaces) => odd_places(from, to, n, sign, [start, end]),
            }
        }
    }
}

fn odd<S: Dispatch>(sign: S, signs: bool) -> S {
    if signs { -sign } else { sign }
}

/// # Safety
/// The rows are in memory, for this and all following functions.
#[inline(always)]
unsafe fn copy<V: Vector>(from: Row<V::Scalar>, to: Row<V::Scalar>, sign: V::Scalar, [start, end]: [usize; 2])
where
    V::Scalar: Dispatch,
{
    let mut i = start;
    // SAFETY: the caller guarantees it.
    unsafe {
        while from.is_run() && to.is_run() && i + V::WIDTH <= end {
            to.put(i, from.get::<V>(i) * V::splat(sign));
            i += V::WIDTH;
        }
        (i..end).for_each(|i| to.put(i, from.get::<V::Scalar>(i) * sign));
    }
}

/// Copies pairs to the two halves of a row. With gather access, it writes one half after the other.
#[inline(always)]
unsafe fn split<V: Vector>(
    from: Row<V::Scalar>,
    to: Row<V::Scalar>,
    n: usize,
    signs: [V::Scalar; 2],
    access: AccessPattern,
    [start, end]: [usize; 2],
) where
    V::Scalar: Dispatch,
{
    // SAFETY: the caller guarantees it. For odd n, the last pair has no odd index.
    unsafe {
        let reversed = Row { step: -to.step, ..to.moved((n - 1) as isize * to.step) };
        let sides: &[[bool; 2]] =
            if access == AccessPattern::Scatter { &[[true, true]] } else { &[[true, false], [false, true]] };
        for [even, odd] in sides {
            let mut m = start;
            while from.step == 1 && to.is_run() && m + V::WIDTH <= end.min(n / 2) {
                let (x, y) = V::unzip(from.get(2 * m), from.get(2 * m + V::WIDTH));
                if *even {
                    to.put(m, x * V::splat(signs[0]));
                }
                if *odd {
                    reversed.put(m, y * V::splat(signs[1]));
                }
                m += V::WIDTH;
            }
            for m in m..end {
                if *even {
                    to.put(m, from.get::<V::Scalar>(2 * m) * signs[0]);
                }
                if *odd && 2 * m + 1 < n {
                    reversed.put(m, from.get::<V::Scalar>(2 * m + 1) * signs[1]);
                }
            }
        }
    }
}

/// Copies the two halves of a row to pairs. With scatter access, it reads one half after the other.
#[inline(always)]
unsafe fn merge<V: Vector>(
    from: Row<V::Scalar>,
    to: Row<V::Scalar>,
    n: usize,
    signs: [V::Scalar; 2],
    access: AccessPattern,
    [start, end]: [usize; 2],
) where
    V::Scalar: Dispatch,
{
    // SAFETY: the caller guarantees it. For odd n, the last pair has no odd index.
    unsafe {
        let reversed = Row { step: -from.step, ..from.moved((n - 1) as isize * from.step) };
        if access == AccessPattern::Scatter {
            (start..end).for_each(|m| to.put(2 * m, from.get::<V::Scalar>(m) * signs[0]));
            (start..end.min(n / 2)).for_each(|m| to.put(2 * m + 1, reversed.get::<V::Scalar>(m) * signs[1]));
            return;
        }
        let mut m = start;
        while to.step == 1 && from.is_run() && m + V::WIDTH <= end.min(n / 2) {
            let (x, y) = V::zip(from.get::<V>(m) * V::splat(signs[0]), reversed.get::<V>(m) * V::splat(signs[1]));
            to.put(2 * m, x);
            to.put(2 * m + V::WIDTH, y);
            m += V::WIDTH;
        }
        for m in m..end {
            to.put(2 * m, from.get::<V::Scalar>(m) * signs[0]);
            if 2 * m + 1 < n {
                to.put(2 * m + 1, reversed.get::<V::Scalar>(m) * signs[1]);
            }
        }
    }
}

#[inline(always)]
unsafe fn odd_places<S: Dispatch>(from: Row<S>, to: Row<S>, n: usize, sign: S, [start, end]: [usize; 2]) {
    let zero = S::of(0.0);
    for m in start..end {
        // SAFETY: the caller guarantees it.
        unsafe {
            let x = from.get::<S>(m) * sign;
            to.put(2 * m, zero);
            to.put(2 * m + 1, x);
            to.put(4 * n - 2 * m - 2, zero);
            to.put(4 * n - 2 * m - 1, x);
        }
    }
}
