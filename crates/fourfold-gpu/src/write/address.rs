//! Where the elements of lines stand in the arrays of a pass.

use crate::desc::geometry::{Across, Side};
use crate::ir::statement::{Array, Int, int};
use crate::ir::trace::select;
use crate::write::writer::{Subline, Writer};

/// Which of a pass's arrays.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum End {
    Input,
    Output,
}

impl End {
    /// Reals from one place on the axis to the next.
    fn step(self, axis: &Across) -> i64 {
        if self == End::Input { axis.input } else { axis.output }
    }
}

impl Writer<'_> {
    /// Whether so many reals of a line, from a multiple of their number on, stand together, at such
    /// a multiple of memory.
    pub(crate) fn in_groups(&self, end: End, count: i64) -> bool {
        let (side, whole) = (self.side(end), |stride: i64| stride % count == 0);
        let pair = self.desc.geometry.pair.map_or(0, |pair| end.step(&pair.across));
        let is_cut = side.slabs.is_some_and(|slabs| !whole(slabs.length as i64) || !whole(slabs.gap));
        side.stride == 1
            && !is_cut
            && self.keeps_groups(end, count as usize)
            && whole(side.offset)
            && whole(pair)
            && self.desc.geometry.axes.iter().all(|axis| whole(end.step(axis)))
    }

    /// Whether real `at` of both lines of a pair are a pair of memory.
    pub(crate) fn adjacent(&self, end: End) -> bool {
        let Some(pair) = self.desc.geometry.pair else { return false };
        let even = |stride: i64| stride % 2 == 0;
        let side = self.side(end);
        !side.complex
            && end.step(&pair.across) == 1
            && pair.across.size % 2 == 0
            && self.keeps_groups(end, 2)
            && even(side.offset)
            && even(side.stride)
            && side.slabs.is_none_or(|slabs| even(slabs.gap))
            && self.desc.geometry.axes.iter().all(|axis| even(end.step(axis)))
    }

    /// From a line of a pair to the other. The last of an odd number of lines is paired with
    /// itself.
    pub(crate) fn second(&self, end: End, line: Subline, number: usize) -> Int {
        let Some(pair) = self.desc.geometry.pair.filter(|_| number == 1) else { return int(0) };
        let step = end.step(&pair.across);
        if pair.across.size % 2 == 0 {
            return int(0) + step;
        }
        let half = pair.across.size.div_ceil(2);
        let place = line.number / pair.stride as i64 % half as i64;
        select(place, int(half - 1), int(0) + step, int(0))
    }

    /// Element `at` along a line, in units of so many reals.
    pub(crate) fn address(&self, end: End, line: Subline, at: Int, unit: i64) -> Int {
        let side = self.side(end);
        let axes = &self.desc.geometry.axes;
        let (mut start, mut rest) = (int(0) + side.offset / unit, line.number);
        for (i, axis) in axes.iter().enumerate() {
            let last = i + 1 == axes.len();
            start = start + if last { rest } else { rest % axis.size as i64 } * (end.step(axis) / unit);
            if !last {
                rest = rest / axis.size as i64;
            }
        }
        let along = start + at * (side.stride / unit);
        side.slabs.map_or(along, |slabs| along + at / slabs.length as i64 * (slabs.gap / unit))
    }

    /// The memory that an end is in.
    pub(crate) fn array(&self, end: End) -> Array {
        match end {
            _ if self.side(end).shared => Array::Shared,
            End::Input => Array::Input,
            End::Output => Array::Output,
        }
    }

    pub(crate) fn side(&self, end: End) -> &Side {
        match end {
            End::Input => &self.desc.geometry.input,
            End::Output => &self.desc.geometry.output,
        }
    }
}
