//! Memory as bytes, which exchanges move, and as elements, on which passes compute.

use fourfold::engine::{ArrayId, filled};
use fourfold::{Element, Result};

/// Memory that begins at a cache line.
pub(crate) struct WorkArray {
    lines: Vec<CacheLine>,
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct CacheLine([u8; 64]);

impl WorkArray {
    /// Memory of at least `bytes` bytes.
    ///
    /// # Errors
    /// If there is no memory.
    pub(crate) fn new(bytes: usize) -> Result<WorkArray> {
        let lines = filled(bytes.div_ceil(64), CacheLine([0; 64]), format_args!("a work array of {bytes} bytes"))?;
        Ok(WorkArray { lines })
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        let count = size_of_val(&self.lines[..]);
        // SAFETY: cache lines are plain bytes, without gaps.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), count) }
    }
}

/// The bytes of elements.
pub(crate) fn bytes_of<T: Element>(elements: &[T]) -> &[u8] {
    // SAFETY: elements are floats or pairs of them, without gaps.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// The bytes of elements, to be changed.
pub(crate) fn bytes_of_mut<T: Element>(elements: &mut [T]) -> &mut [u8] {
    // SAFETY: as above, and all bytes are floats.
    unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) }
}

/// The first `count` elements in these bytes, which are aligned for them and long enough.
pub(crate) fn elements<T: Element>(bytes: &[u8], count: usize) -> &[T] {
    // SAFETY: all bytes are floats.
    let (before, elements, _) = unsafe { bytes.align_to() };
    debug_assert!(before.is_empty());
    &elements[..count]
}

/// The first `count` elements in these bytes, to be changed.
pub(crate) fn elements_mut<T: Element>(bytes: &mut [u8], count: usize) -> &mut [T] {
    // SAFETY: all bytes are floats, and all floats are bytes.
    let (before, elements, _) = unsafe { bytes.align_to_mut() };
    debug_assert!(before.is_empty());
    &mut elements[..count]
}

/// The arrays of an execution.
pub(crate) struct Arrays<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) output: &'a mut [u8],
    pub(crate) work: &'a mut [u8],
}

/// The memory of a step.
pub(crate) enum Ends<'a> {
    Two(&'a [u8], &'a mut [u8]),
    InPlace(&'a mut [u8]),
}

impl<'a> Arrays<'a> {
    /// The input, and the memories before and after an exchange that does not read the input.
    pub(crate) fn exchanged(&mut self, from: ArrayId) -> (&'a [u8], &mut [u8], &mut [u8]) {
        let Arrays { input, output, work } = self;
        if from == ArrayId::Output { (input, output, work) } else { (input, work, output) }
    }

    /// The memory of a step that reads `from` and writes `to`.
    pub(crate) fn ends(&mut self, from: ArrayId, to: ArrayId) -> Ends<'_> {
        let Arrays { input, output, work } = self;
        match (from, to) {
            (ArrayId::Input, ArrayId::Work(_)) => Ends::Two(input, work),
            (ArrayId::Input, _) => Ends::Two(input, output),
            (ArrayId::Work(_), ArrayId::Work(_)) => Ends::InPlace(work),
            (ArrayId::Work(_), _) => Ends::Two(work, output),
            (ArrayId::Output, ArrayId::Work(_)) => Ends::Two(output, work),
            (ArrayId::Output, _) => Ends::InPlace(output),
        }
    }
}
