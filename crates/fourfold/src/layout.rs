//! Shapes, strides and batches.

/// Where the elements of an array lie in a slice: element (i_0, i_1, …) at `offset + Σ i_a · strides[a]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Elements along each axis, all at least 1.
    pub shape: Vec<usize>,
    /// Steps between neighbours along each axis, in elements; may be negative.
    pub strides: Vec<isize>,
    /// Where element (0, 0, …) lies: the least that keeps every index at or above 0.
    pub offset: usize,
    /// Elements that the slice must have at least.
    pub len: usize,
}
