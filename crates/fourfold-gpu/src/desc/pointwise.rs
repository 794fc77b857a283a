//! What is done to single elements of an array as they are read or written.

/// What is done to every element of an array, on its way in or out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pointwise {
    /// Each is multiplied by its factor; elements have so many reals, factors are complex or real.
    Multiply { parts: usize, complex: bool, factors: Factors },
    /// Reals of magnitudes below `table[at]` become 0.
    Threshold(usize),
}

/// The factors of a multiplier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Factors {
    /// One for each place of the array's memory, from this place of the table on, an even one.
    Table(usize),
    /// Products of one for each axis.
    Separable(Vec<AxisFactors>),
    /// Reciprocals of sums of one for each axis, or 0 where a sum is 0.
    ReciprocalSum(Vec<AxisFactors>),
}

/// The factors, or the terms of sums, along an axis of an array in C order without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AxisFactors {
    pub(crate) size: usize,
    /// Elements from one place on the axis to the next.
    pub(crate) stride: usize,
    /// Where they begin in the table.
    pub(crate) at: usize,
}
