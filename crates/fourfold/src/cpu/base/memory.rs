//! The memory of an execution: scratch, and arrays as pointers with strides.

use crate::cpu::base::machine::{ALIGNMENT, Machine};
use crate::cpu::base::strided::Strided;
use crate::cpu::simd::pointer::Ptr;
use crate::error::{Error, ErrorKind, Result};
use crate::problem::element::Element;
use crate::problem::layout::{Layout, overlaps};
use std::alloc::{Layout as Allocation, alloc, dealloc};
use std::ptr::NonNull;

/// The most axes of an array: 32, and one more for the two parts of complex numbers.
pub(crate) const AXES: usize = 33;

/// Memory for the intermediate results of an execution.
/// [`Plan::scratch`](crate::plan::plan::Plan::scratch) makes it. It can be used with every plan
/// that does not need more bytes, for one execution at a time.
pub struct Scratch {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: it owns its memory, which is plain bytes.
unsafe impl Send for Scratch {}
// SAFETY: a shared reference gives no access to the memory.
unsafe impl Sync for Scratch {}

impl Scratch {
    /// Allocates `bytes` bytes.
    ///
    /// # Errors
    /// If the allocation fails.
    pub(crate) fn new(bytes: usize) -> Result<Scratch> {
        let bytes = bytes.max(1).next_multiple_of(ALIGNMENT);
        // SAFETY: the size is not zero.
        let base = unsafe { alloc(Self::allocation(bytes)) };
        let message = || format!("there is no memory for {bytes} bytes of scratch");
        let base = NonNull::new(base).ok_or_else(|| Error::new(ErrorKind::Unavailable, message()))?;
        advise(base, bytes);
        // SAFETY: `bytes` bytes at `base` have been allocated.
        unsafe { base.write_bytes(0, bytes) };
        Ok(Scratch { base, bytes })
    }

    fn allocation(bytes: usize) -> Allocation {
        let huge_page = Machine::this().huge_page;
        let alignment = if bytes < 2 * huge_page { ALIGNMENT } else { huge_page };
        Allocation::from_size_align(bytes, alignment).expect("scratch sizes are checked when planning")
    }

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The first byte, aligned to 64.
    pub(crate) fn base(&mut self) -> Ptr<u8> {
        Ptr::new(self.base.as_ptr(), self.bytes)
    }
}

/// Asks the system for huge pages if the memory has at least two of them. This must precede the
/// first access. With small pages, each row of a column of a large matrix is a miss in the
/// translation cache (TLB). If the system does not provide them, only the speed changes.
fn advise(base: NonNull<u8>, bytes: usize) {
    #[cfg(target_os = "linux")]
    if bytes >= 2 * Machine::this().huge_page {
        let bytes = bytes / Machine::this().huge_page * Machine::this().huge_page;
        // SAFETY: the range consists of whole huge pages of this allocation, and the advice does
        // not change their content.
        unsafe { libc::madvise(base.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (base, bytes);
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch").field("bytes", &self.bytes).finish()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with the same layout.
        unsafe { dealloc(self.base.as_ptr(), Self::allocation(self.bytes)) }
    }
}

/// An array in memory as reals: the address of element (0, 0, …), and the strides in reals.
#[derive(Clone, Copy)]
pub(crate) struct Array<S> {
    pub(crate) origin: Ptr<S>,
    pub(crate) axes: usize,
    pub(crate) shape: [usize; AXES],
    pub(crate) strides: [isize; AXES],
    /// The reals of an element: 1, or 2 for complex numbers.
    pub(crate) parts: usize,
}

// SAFETY: tiles access disjoint elements, and `Plan::execute` borrows the memory until all threads
// have finished.
unsafe impl<S: Send> Send for Array<S> {}
// SAFETY: as above.
unsafe impl<S: Sync> Sync for Array<S> {}

impl<S> Array<S> {
    /// The bytes of all elements.
    pub(crate) fn bytes(&self) -> usize {
        self.shape[..self.axes].iter().product::<usize>() * self.parts * size_of::<S>()
    }

    /// An array with `parts` reals for each element, in the memory at `base`.
    ///
    /// # Safety
    /// All elements are in the memory.
    // Without inlining, the result is copied, which takes visible time in small transforms.
    #[inline(always)]
    unsafe fn new(base: Ptr<S>, parts: usize, shape: &[usize], strides: &[isize], offset: usize) -> Self {
        let mut array = Array {
            // SAFETY: the offset is within the memory.
            origin: unsafe { base.add(offset * parts) },
            axes: shape.len(),
            shape: [1; AXES],
            strides: [0; AXES],
            parts,
        };
        array.shape[..shape.len()].copy_from_slice(shape);
        // The stride of an axis of length 1 is arbitrary, so it stays 0.
        for (axis, stride) in strides.iter().enumerate().filter(|(axis, _)| shape[*axis] > 1) {
            array.strides[axis] = stride * parts as isize;
        }
        array
    }

    /// A C-order array of the given shape at `origin`.
    pub(crate) fn c_order(origin: Ptr<S>, shape: &[usize], parts: usize) -> Self {
        let mut array = Array { origin, axes: shape.len(), shape: [1; AXES], strides: [0; AXES], parts };
        array.shape[..shape.len()].copy_from_slice(shape);
        let mut stride = parts as isize;
        for axis in (0..shape.len()).rev() {
            array.strides[axis] = stride;
            stride *= shape[axis] as isize;
        }
        array
    }

    /// A complex array as a real one with another axis of length 2, for the parts.
    pub(crate) fn split_parts(&self) -> Self
    where
        S: Copy,
    {
        let mut array = *self;
        array.shape[array.axes] = 2;
        array.strides[array.axes] = 1;
        array.axes += 1;
        array.parts = 1;
        array
    }
}

/// An `ndarray` array that is borrowed for an execution.
///
/// This is not a [`View`], because that needs a slice. A slice also borrows the memory between the
/// elements, which other threads may access.
#[cfg(feature = "ndarray")]
pub(crate) struct Borrowed<'a, S> {
    pub(crate) array: Array<S>,
    pub(crate) memory: std::marker::PhantomData<&'a mut S>,
}

#[cfg(feature = "ndarray")]
impl<'a, S> Borrowed<'a, S> {
    /// An array for reading. It must have at most [`AXES`] axes, and elements of type `S` or pairs
    /// of it.
    pub(crate) fn shared<T: Element, D: ndarray::Dimension>(array: &'a ndarray::ArrayRef<T, D>) -> Self {
        // SAFETY: `ndarray` guarantees that every index of the shape is in the memory that `array`
        // borrows.
        let array = unsafe {
            let base = spanned(array.as_ptr().cast_mut().cast(), T::DOMAIN.reals(), array.shape(), array.strides());
            Array::new(base, T::DOMAIN.reals(), array.shape(), array.strides(), 0)
        };
        Borrowed { array, memory: std::marker::PhantomData }
    }

    /// An array for writing, whose elements do not overlap, as `ndarray` guarantees. The
    /// requirements are those of [`Borrowed::shared`].
    pub(crate) fn exclusive<T: Element, D: ndarray::Dimension>(array: &'a mut ndarray::ArrayRef<T, D>) -> Self {
        let base = spanned(array.as_mut_ptr().cast(), T::DOMAIN.reals(), array.shape(), array.strides());
        // SAFETY: as above, and borrowed mutably.
        let array = unsafe { Array::new(base, T::DOMAIN.reals(), array.shape(), array.strides(), 0) };
        Borrowed { array, memory: std::marker::PhantomData }
    }
}

/// A pointer to the first element of an array. Its bounds are the lowest and the highest element.
#[cfg(feature = "ndarray")]
fn spanned<S>(first: *mut S, parts: usize, shape: &[usize], strides: &[isize]) -> Ptr<S> {
    let element = parts * size_of::<S>();
    let extent = |(n, stride): (&usize, &isize)| (n.saturating_sub(1) as isize) * stride * element as isize;
    let sum = |sign: isize| shape.iter().zip(strides).map(extent).filter(|bytes| bytes * sign > 0).sum::<isize>();
    let end = first.addr().wrapping_add_signed(sum(1)).wrapping_add(element);
    Ptr::within(first, [first.addr().wrapping_add_signed(sum(-1)), end])
}

/// A shared view of an array in a slice. Element (i_0, i_1, …) has the index `offset + Σ i_a ·
/// strides[a]`.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T> {
    /// The memory.
    pub data: &'a [T],
    /// Where element (0, 0, …) lies.
    pub offset: usize,
    /// Steps along each axis, in elements; may be negative or zero.
    pub strides: &'a [isize],
}

/// A mutable view of an array in a slice. Its elements have the same indices as those of a
/// [`View`], and no two may have the same index.
#[derive(Debug)]
pub struct ViewMut<'a, T> {
    /// The memory.
    pub data: &'a mut [T],
    /// Where element (0, 0, …) lies.
    pub offset: usize,
    /// Steps along each axis, in elements; may be negative.
    pub strides: &'a [isize],
}

impl<'a, T> View<'a, T> {
    /// The view of a slice with the layout `layout`.
    pub fn of(data: &'a [T], layout: &'a Layout) -> Self {
        View { data, offset: layout.offset, strides: &layout.strides }
    }

    pub(crate) fn untyped<S>(self) -> Untyped<'a, S>
    where
        T: Element,
    {
        let View { data, offset, strides } = self;
        let (base, parts) = (Ptr::of(data).cast(), T::DOMAIN.reals());
        Untyped { name: "input", base, len: data.len(), parts, offset, strides }
    }
}

impl<'a, T> ViewMut<'a, T> {
    /// The view of a slice with the layout `layout`.
    pub fn of(data: &'a mut [T], layout: &'a Layout) -> Self {
        ViewMut { data, offset: layout.offset, strides: &layout.strides }
    }

    pub(crate) fn untyped<S>(self, name: &'static str) -> Untyped<'a, S>
    where
        T: Element,
    {
        let ViewMut { data, offset, strides } = self;
        let (base, parts) = (Ptr::new(data.as_mut_ptr(), data.len()).cast(), T::DOMAIN.reals());
        Untyped { name, base, len: data.len(), parts, offset, strides }
    }
}

/// A view without its element type: `len` elements of `parts` reals at `base`. Functions of it are
/// not generic over that type, so they are compiled in this crate.
#[derive(Clone, Copy)]
pub(crate) struct Untyped<'a, S> {
    /// The name of the array in messages.
    name: &'static str,
    base: Ptr<S>,
    len: usize,
    pub(crate) parts: usize,
    offset: usize,
    strides: &'a [isize],
}

impl<S> Untyped<'_, S> {
    /// Calls [`check`].
    ///
    /// # Errors
    /// As for [`check`].
    pub(crate) fn check(&self, layout: &Layout, writes: bool) -> Result<()> {
        check(self.name, layout, self.strides, self.offset, self.len, writes)
    }

    /// The view as an array of this shape.
    ///
    /// # Safety
    /// The view has been checked.
    // The reason for inlining is that of `Array::new`.
    #[inline(always)]
    pub(crate) unsafe fn array(&self, shape: &[usize]) -> Array<S> {
        // SAFETY: the caller guarantees it.
        unsafe { Array::new(self.base, self.parts, shape, self.strides, self.offset) }
    }

    /// The elements along an axis, from element (0, 0, …) on.
    ///
    /// # Safety
    /// The view has been checked.
    pub(crate) unsafe fn along(&self, axis: usize) -> Strided<S> {
        // SAFETY: the caller guarantees it.
        let base = unsafe { self.base.add(self.offset * self.parts) };
        Strided { base, stride: self.strides[axis] * self.parts as isize }
    }
}

/// Checks a view against the layout of the problem.
///
/// # Errors
/// If the number of axes differs, if an element is outside of the `len` elements of the slice, or
/// if `writes` and two elements have the same index.
#[inline]
pub(crate) fn check(
    name: &str,
    layout: &Layout,
    strides: &[isize],
    offset: usize,
    len: usize,
    writes: bool,
) -> Result<()> {
    // Most calls use the problem's own strides. Comparing only the pointers saves time that is
    // visible for short signals.
    if std::ptr::eq(strides, &layout.strides[..]) && offset == layout.offset && len >= layout.len {
        return Ok(());
    }
    check_further(name, layout, strides, offset, len, writes)
}

#[cold]
fn check_further(
    name: &str,
    layout: &Layout,
    strides: &[isize],
    offset: usize,
    len: usize,
    writes: bool,
) -> Result<()> {
    let fail = |message: String| Err(Error::new(ErrorKind::Argument, message));
    if strides.len() != layout.shape.len() {
        return fail(format!("the {name} has {} strides, the problem {} axes", strides.len(), layout.shape.len()));
    }
    // The problem's own strides have been checked when it was built.
    let own = strides == layout.strides;
    let fits =
        if own && offset == layout.offset { len >= layout.len } else { fits(&layout.shape, strides, offset, len) };
    if !fits {
        let needs = if own && offset == layout.offset {
            format!("the problem needs {}", layout.len)
        } else {
            format!("strides {strides:?} from offset {offset} leave them for shape {:?}", layout.shape)
        };
        return fail(format!("the {name} has {len} elements; {needs}"));
    }
    if writes && !own && overlaps(&layout.shape, strides) {
        return fail(format!("strides {strides:?} put several elements of the {name} in one place"));
    }
    Ok(())
}

/// Whether all elements of an array with this offset and these strides are in a slice of `len`
/// elements.
fn fits(shape: &[usize], strides: &[isize], offset: usize, len: usize) -> bool {
    let extent = |backwards: bool| {
        shape
            .iter()
            .zip(strides)
            .filter(|(_, s)| (**s < 0) == backwards)
            .try_fold(0usize, |sum, (n, s)| sum.checked_add((n - 1).checked_mul(s.unsigned_abs())?))
    };
    let (Some(below), Some(above)) = (extent(true), extent(false)) else { return false };
    below <= offset && offset.checked_add(above).is_some_and(|last| last < len)
}
