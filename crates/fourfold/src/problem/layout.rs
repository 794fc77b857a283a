//! Shapes, strides and batches.

use crate::error::{Error, Result};

/// Where the elements of an array lie in a slice: element (i_0, i_1, …) at `offset + Σ i_a ·
/// strides[a]`.
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

/// Steps after which [`Layout::overlaps`] gives up; reached by no layout that slicing or permuting
/// an array makes.
const SEARCH_STEPS: u32 = 1 << 20;

impl Layout {
    /// The last axis runs fastest, without gaps. Lengths must be at least 1, and the array, at
    /// `bytes` an element, must fit the address space.
    pub fn c_order(shape: &[usize], bytes: usize) -> Result<Layout> {
        let len = checked_elements(shape, bytes)?;
        let strides = c_strides(shape);
        Ok(Layout { shape: shape.to_vec(), strides, offset: 0, len })
    }

    /// The given step along each axis, in elements: one for each axis; 0 repeats an element, a
    /// negative one runs backwards. Elements and the whole extent must fit the address space, as
    /// for [`Layout::c_order`].
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

    /// Whether the last axis runs fastest, without gaps.
    pub fn is_c_order(&self) -> bool {
        self.strides == c_strides(&self.shape)
    }

    /// Whether two different elements lie at one place.
    ///
    /// Exact, but for layouts so contrived that a million steps do not decide (the question is a
    /// knapsack problem): those count as overlapping.
    pub fn overlaps(&self) -> bool {
        overlaps(&self.shape, &self.strides)
    }
}

/// As many axes of more than one element as an array has at most that fits the address space.
const MOST_AXES: usize = 64;

/// [`Layout::overlaps`] of an array with this shape and these strides; allocates nothing.
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

/// The greatest distance between two elements that differ along the given axes, (step, length − 1)
/// each.
fn extent(axes: &[(i128, i128)]) -> i128 {
    axes.iter().fold(0, |sum, &(step, last)| sum.saturating_add(step.saturating_mul(last)))
}

/// Whether steps along `axes` (ascending) can lead from `from` to 0, not all of them zero. The
/// longest step comes first, and only as often as the shorter ones can still make good. Running out
/// of `steps` counts as yes.
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
    // A difference and its negative are one pair of elements: the first move is forward.
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

/// The number of elements, if no length is 0 and all fit the address space.
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

/// `len`, if so many elements fit a slice, whose size in bytes never exceeds `isize::MAX`.
fn addressable(len: usize, bytes: usize) -> Option<usize> {
    len.checked_mul(bytes).filter(|&size| size <= isize::MAX as usize).map(|_| len)
}

/// The items in one string.
pub(crate) fn separated<T: std::fmt::Display>(items: &[T], separator: &str) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(separator)
}
