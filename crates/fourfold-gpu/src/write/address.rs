//! Where the elements of lines stand in the arrays of a pass.

use crate::desc::geometry::{Across, Pair, Side};
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
        let geometry = &self.desc.geometry;
        let neighbours = geometry.pair.is_some_and(|pair| pair.distance == 1);
        neighbours && self.keeps_groups(end, 2) && geometry.has_pairs_of_memory(self.side(end), |axis| end.step(axis))
    }

    /// From a line of a pair to the other, in reals.
    pub(crate) fn second(&self, end: End, line: Subline, number: usize) -> Int {
        let Some(pair) = self.desc.geometry.pair.filter(|_| number == 1) else { return int(0) };
        pair.second(line.number, end.step(&pair.across))
    }

    /// Element `at` along a line, in units of so many reals.
    pub(crate) fn address(&self, end: End, line: Subline, at: Int, unit: i64) -> Int {
        let side = self.side(end);
        let (axes, pair) = (&self.desc.geometry.axes, self.desc.geometry.pair.filter(|pair| pair.distance > 1));
        debug_assert!(pair.is_none() || unit == 1, "lines at a distance are no pairs of memory");
        let (mut start, mut rest) = (int(0) + side.offset / unit, line.number);
        for (i, axis) in axes.iter().enumerate() {
            let last = i + 1 == axes.len();
            let place = if last { rest } else { rest % axis.size as i64 };
            start = start
                + match pair.filter(|_| i == 0) {
                    Some(pair) => pair.first(place) * end.step(&pair.across),
                    None => place * (end.step(axis) / unit),
                };
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

impl Pair {
    fn pairs(&self) -> usize {
        self.across.size.div_ceil(2)
    }

    /// Which pair of its axis line `number` of all is.
    pub(crate) fn place(&self, number: Int) -> Int {
        number / self.stride as i64 % self.pairs() as i64
    }

    /// The first line of a pair.
    pub(crate) fn first(&self, place: Int) -> Int {
        match self.distance as i64 {
            1 => place * 2,
            distance => place + place / distance * distance,
        }
    }

    /// From the first line of the pair that is line `number` of all to its second, as lines have such
    /// a step.
    pub(crate) fn second(&self, number: Int, step: i64) -> Int {
        let Pair { across: Across { size, .. }, distance, .. } = *self;
        let far = |lines: usize| int(0) + lines as i64 * step;
        // Pairs whose distance is whole, and the distance of the others.
        let (whole, rest) = (size / (2 * distance) * distance, (size % (2 * distance)).div_ceil(2));
        let second = match (whole, rest) {
            (_, 0) => far(distance),
            (_, rest) if rest == distance => far(distance),
            (0, _) => far(rest),
            _ => select(self.place(number), int(whole), far(distance), far(rest)),
        };
        if size % 2 == 0 { second } else { select(self.place(number), int(self.pairs() - 1), second, int(0)) }
    }
}
