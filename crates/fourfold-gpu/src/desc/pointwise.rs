//! What is done to single elements of an array as they are read or written.

use crate::desc::geometry::LineIndex;

/// What is done to every element of an array, on its way in or out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pointwise {
    /// Each is multiplied by its factor; elements have so many reals, factors are complex or real.
    Multiply { parts: usize, complex: bool, factors: Factors },
    /// Reals of magnitudes below `table[at]` become 0.
    Threshold(usize),
    /// Elements outside are not in memory, and are read as 0.
    Pad(Inside),
}

/// The elements of an array that are in memory, by their indices: those below a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Inside {
    /// Along the pass's own axis, if some are missing there.
    pub(crate) along: Option<usize>,
    /// Along other axes.
    pub(crate) across: Vec<(LineIndex, usize)>,
}

/// The factors of a multiplier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Factors {
    /// One for each place of the array's memory, from this place of the table on, an even one.
    Table(usize),
    /// One for each element, of an array that is in no memory.
    Elements(ElementNumber, usize),
    /// Products of one for each axis.
    Separable(AxisLists),
    /// Reciprocals of sums of one for each axis, or 0 where a sum is 0.
    ReciprocalSum(AxisLists, ZeroSums),
}

/// Which sums may be 0. All others are normal numbers whose reciprocals are normal, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ZeroSums {
    /// None.
    None,
    /// Those of elements that are number 0 along the pass's own axis.
    First,
    /// Any; and sums may be too large or too small, too.
    Any,
}

/// The factors, or the terms of sums, along axes; lists are named by where they begin in the table.
/// An element's own number along the line and the line's number tell its indices, so that kernels
/// need no address, and find once a line what its elements have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AxisLists {
    /// The list along the pass's own axis, if it has one.
    pub(crate) along: Option<usize>,
    /// Those along other axes.
    pub(crate) across: Vec<(LineIndex, usize)>,
}

/// The number of an element in C order, from its number along its line and the line's number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ElementNumber {
    /// From an element of the line to the next.
    pub(crate) along: usize,
    /// From an index on another axis to the next.
    pub(crate) across: Vec<(LineIndex, usize)>,
}
