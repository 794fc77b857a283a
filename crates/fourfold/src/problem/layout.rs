//! Shapes, strides and batches.

use crate::error::{Error, Result};

/// The layout of an array in a slice. Element (i_0, i_1, …) is at the index `offset + Σ i_a ·
/// strides[a]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The lengths of the axes, all at least 1.
    pub shape: Vec<usize>,
    /// The distance between neighbours along each axis, in elements. It may be negative.
    pub strides: Vec<isize>,
    /// The index of element (0, 0, …): the least one for which no index is negative.
    pub offset: usize,
    /// The least number of elements that the slice must have.
    pub len: usize,
}

/// The number of steps after which [`Layout::overlaps`] gives up. Slicing and permuting the axes of
/// an array never makes a layout that needs so many.
const SEARCH_STEPS: u32 = 1 << 20;

impl Layout {
    /// The layout in which the last axis has stride 1 and no gaps exist. An element has `bytes`
    /// bytes.
    ///
    /// # Errors\nIf a length is 0, or if the array does not fit the address space.
    pub fn c_order(shape: &[usize], bytes: usize) -> Result<Layout> {
        let len = checked_elements(shape, bytes)?;
        let strides = c_strides(shape);
        Ok(Layout { shape: shape.to_vec(), strides, offset: 0, len })
    }

    /// The layout with the given strides, one for each axis, in elements of `bytes` bytes. A stride
    /// of 0 repeats an element, and a negative one reverses the axis.
    ///
    /// # Errors\nIf the number of strides is not that of the axes, if a length is 0, or if the
    /// elements or the distance between the first and the last of them do not fit the address
    /// space.
    pub fn strided(shape: &[usize], strides: &[isize], bytes: usize) -> Result<Layout> {
        if strides.len() != shape.len() {
            let (given, wanted) = (strides.len(), shape.len());
            return Err(Error::problem(format!("{given} strides for {wanted} axes: give one stride for each axis")));
        }
        checked_elements(shape, bytes)?;
        let too_far = || Error::problem("the strides reach beyond the address space: use smaller strides or lengths");
        let (mut ahead, mut behind) = (0usize, 0usize);
        for (&n, &stride) in shape.iter().zip(strides) {
            let side = if stride < 0 { &mut behind } else { &mut ahead };
            let extent = (n - 1).checked_mul(stride.unsigned_abs()).ok_or_else(too_far)?;
            *side = side.checked_add(extent).ok_or_else(too_far)?;
        }
        let len = ahead.checked_add(behind).and_then(|last| last.checked_add(1)).ok_or_else(too_far)?;
        addressable(len, bytes).ok_or_else(too_far)?;
        Ok(Layout { shape: shape.to_vec(), strides: strides.to_vec(), offset: behind, len })
    }

    /// The number of elements: the product of the shape.
    pub fn elements(&self) -> usize {
        self.shape.iter().fold(1, |product, &n| product.saturating_mul(n))
    }

    /// Whether the last axis has stride 1 and there are no gaps.
    pub fn is_c_order(&self) -> bool {
        self.strides == c_strides(&self.shape)
    }

    /// Whether two different elements have the same index in the slice.
    ///
    /// The question is a knapsack problem. The search stops after 2^20 steps, and a layout that it
    /// has not decided then counts as overlapping.
    pub fn overlaps(&self) -> bool {
        overlaps(&self.shape, &self.strides)
    }
}

/// An array that fits the address space has at most this many axes of more than one element.
const MOST_AXES: usize = 64;

/// [`Layout::overlaps`] of an array with this shape and these strides. It allocates nothing.
pub(crate) fn overlaps(shape: &[usize], strides: &[isize]) -> bool {
    let mut memory = [(0i128, 0i128); MOST_AXES];
    let mut count = 0;
    for (&n, stride) in shape.iter().zip(strides).filter(|(n, _)| **n > 1) {
        let Some(axis) = memory.get_mut(count) else { return true };
        *axis = (stride.unsigned_abs() as i128, n as i128 - 1);
        count += 1;
    }
    let axes = &mut memory[..count];
    axes.sort_unstable();
    let nested = (0..count).all(|i| axes[i].0 > extent(&axes[..i]));
    let elements = axes.iter().fold(1i128, |product, &(_, last)| product.saturating_mul(last + 1));
    !nested && (elements > extent(axes).saturating_add(1) || collides(axes, 0, false, &mut { SEARCH_STEPS }))
}

/// The greatest distance between two elements that differ only along the given axes. Each axis is
/// (stride, length − 1).
fn extent(axes: &[(i128, i128)]) -> i128 {
    axes.iter().fold(0, |sum, &(step, last)| sum.saturating_add(step.saturating_mul(last)))
}

/// Whether `from` + Σ d_a · stride_a = 0 for some |d_a| ≤ length_a − 1 that are not all zero. The
/// axes are in ascending order of stride. The search starts with the greatest stride, and tries
/// only those d for which the smaller strides can still reach 0. If `steps` are used up, the answer
/// is yes.
fn collides(axes: &[(i128, i128)], from: i128, moved: bool, steps: &mut u32) -> bool {
    let Some((&(step, last), shorter)) = axes.split_last() else {
        return moved && from == 0;
    };
    if step == 0 {
        return true;
    }
    if shorter.is_empty() {
        return moved && from % step == 0 && (from / step).abs() <= last;
    }
    let rest = extent(shorter);
    let most = (rest - from).div_euclid(step).min(last);
    // A difference and its negative belong to the same pair of elements, so the first nonzero d can
    // be taken as positive.
    let least = if moved { -((rest + from).div_euclid(step).min(last)) } else { 0 };
    (least..=most).any(|d| {
        *steps = steps.saturating_sub(1);
        *steps == 0 || collides(shorter, from + d * step, moved || d != 0, steps)
    })
}

fn c_strides(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1isize; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].wrapping_mul(shape[axis] as isize);
    }
    strides
}

/// The number of elements. It is an error if a length is 0 or if they do not fit the address space.
fn checked_elements(shape: &[usize], bytes: usize) -> Result<usize> {
    if let Some(axis) = shape.iter().position(|&n| n == 0) {
        return Err(Error::problem(format!("axis {axis} has length 0: every length must be at least 1")));
    }
    let elements = shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
    elements.and_then(|n| addressable(n, bytes)).ok_or_else(|| {
        Error::problem(format!(
            "the shape {} at {bytes} bytes an element exceeds the address space",
            separated(shape, "x")
        ))
    })
}

/// Returns `len` if a slice can have that many elements: Rust limits its size to `isize::MAX`
/// bytes.
fn addressable(len: usize, bytes: usize) -> Option<usize> {
    len.checked_mul(bytes).filter(|&size| size <= isize::MAX as usize).map(|_| len)
}

/// Joins the items to one string.
pub(crate) fn separated<T: std::fmt::Display>(items: &[T], separator: &str) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(separator)
}
