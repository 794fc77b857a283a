//! Memory that the engine works in: scratch, and arrays as pointers with strides.

use crate::cpu::base::machine::{ALIGNMENT, Machine};
use crate::cpu::base::strided::Strided;
use crate::cpu::simd::pointer::Ptr;
use crate::error::{Error, ErrorKind, Result};
use crate::problem::element::Element;
use crate::problem::layout::{Layout, overlaps};
use std::alloc::{Layout as Allocation, alloc, dealloc};
use std::ptr::NonNull;

/// Axes of an array, and one more for the two parts of complex numbers.
pub(crate) const AXES: usize = 33;

/// Memory for the intermediate results of an execution. Made by
/// [`Plan::scratch`](crate::plan::plan::Plan::scratch); serves any plan that needs no more than it
/// has, one execution at a time.
pub struct Scratch {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: it owns its memory, which is plain bytes.
unsafe impl Send for Scratch {}
// SAFETY: a shared reference gives no access to the memory.
unsafe impl Sync for Scratch {}

impl Scratch {
    /// Room for `bytes` bytes.
    ///
    /// # Errors
    /// If the memory cannot be had.
    pub(crate) fn new(bytes: usize) -> Result<Scratch> {
        let bytes = bytes.max(1).next_multiple_of(ALIGNMENT);
        // SAFETY: the size is not zero.
        let base = unsafe { alloc(Self::allocation(bytes)) };
        let message = || format!("there is no memory for {bytes} bytes of scratch");
        let base = NonNull::new(base).ok_or_else(|| Error::new(ErrorKind::Unavailable, message()))?;
        advise(base, bytes);
        // SAFETY: `bytes` bytes from `base` on have just been allocated.
        unsafe { base.write_bytes(0, bytes) };
        Ok(Scratch { base, bytes })
    }

    fn allocation(bytes: usize) -> Allocation {
        let huge_page = Machine::this().huge_page;
        let alignment = if bytes < 2 * huge_page { ALIGNMENT } else { huge_page };
        Allocation::from_size_align(bytes, alignment).expect("scratch sizes are checked when planning")
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The first byte, aligned to 64.
    pub(crate) fn base(&mut self) -> Ptr<u8> {
        Ptr::new(self.base.as_ptr(), self.bytes)
    }
}

/// Asks the system for huge pages, before the first touch, from two of them on: columns of a large
/// matrix in small pages miss the address cache at every row. Whether it gives them changes nothing
/// but speed.
fn advise(base: NonNull<u8>, bytes: usize) {
    #[cfg(target_os = "linux")]
    if bytes >= 2 * Machine::this().huge_page {
        let bytes = bytes / Machine::this().huge_page * Machine::this().huge_page;
        // SAFETY: the range is whole huge pages of memory that is ours, and the advice changes no
        // contents.
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

/// An array in memory, seen as reals: the address of element (0, 0, …) and the strides in reals.
#[derive(Clone, Copy)]
pub(crate) struct Array<S> {
    pub(crate) origin: Ptr<S>,
    pub(crate) axes: usize,
    pub(crate) shape: [usize; AXES],
    pub(crate) strides: [isize; AXES],
    /// Reals an element: 1, or 2 for complex numbers.
    pub(crate) parts: usize,
}

// SAFETY: the engine's tiles touch disjoint elements; `Plan::execute` borrows the memory for as
// long as any of them runs.
unsafe impl<S: Send> Send for Array<S> {}
// SAFETY: as above.
unsafe impl<S: Sync> Sync for Array<S> {}

impl<S> Array<S> {
    /// Bytes of its elements.
    pub(crate) fn bytes(&self) -> usize {
        self.shape[..self.axes].iter().product::<usize>() * self.parts * size_of::<S>()
    }

    /// An array of elements of so many parts in the memory that starts at `base`.
    ///
    /// # Safety
    /// The memory holds all elements.
    #[inline(always)] // or else it is copied to where it is wanted, which a small transform notices
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
        // Along one element there are no steps, whatever the stride.
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

    /// Complex numbers as reals with one more axis, of length 2.
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

/// An `ndarray` array that is borrowed for an execution: its elements are there, whatever lies
/// between them.
///
/// Not a [`View`]: that needs a slice, which would claim also the memory between the elements,
/// where others may be at work.
#[cfg(feature = "ndarray")]
pub(crate) struct Borrowed<'a, S> {
    pub(crate) array: Array<S>,
    pub(crate) memory: std::marker::PhantomData<&'a mut S>,
}

#[cfg(feature = "ndarray")]
impl<'a, S> Borrowed<'a, S> {
    /// An array to be read only. It has at most [`AXES`] axes, and its elements are of type `S` or
    /// pairs of it.
    pub(crate) fn shared<T: Element, D: ndarray::Dimension>(array: &'a ndarray::ArrayRef<T, D>) -> Self {
        // SAFETY: `ndarray` vouches that every index of the shape leads into the memory that
        // `array` borrows.
        let array = unsafe {
            let base = spanned(array.as_ptr().cast_mut().cast(), T::DOMAIN.reals(), array.shape(), array.strides());
            Array::new(base, T::DOMAIN.reals(), array.shape(), array.strides(), 0)
        };
        Borrowed { array, memory: std::marker::PhantomData }
    }

    /// An array to be written, whose elements `ndarray` keeps apart. Else as [`Borrowed::shared`].
    pub(crate) fn exclusive<T: Element, D: ndarray::Dimension>(array: &'a mut ndarray::ArrayRef<T, D>) -> Self {
        let base = spanned(array.as_mut_ptr().cast(), T::DOMAIN.reals(), array.shape(), array.strides());
        // SAFETY: as above, and borrowed mutably.
        let array = unsafe { Array::new(base, T::DOMAIN.reals(), array.shape(), array.strides(), 0) };
        Borrowed { array, memory: std::marker::PhantomData }
    }
}

/// The first element of an array, with all memory between its lowest and its highest element.
#[cfg(feature = "ndarray")]
fn spanned<S>(first: *mut S, parts: usize, shape: &[usize], strides: &[isize]) -> Ptr<S> {
    let element = parts * size_of::<S>();
    let reach = |(n, stride): (&usize, &isize)| (n.saturating_sub(1) as isize) * stride * element as isize;
    let sum = |sign: isize| shape.iter().zip(strides).map(reach).filter(|bytes| bytes * sign > 0).sum::<isize>();
    let end = first.addr().wrapping_add_signed(sum(1)).wrapping_add(element);
    Ptr::within(first, [first.addr().wrapping_add_signed(sum(-1)), end])
}

/// A shared view of an array that lies in a slice: element (i_0, i_1, …) at `offset + Σ i_a ·
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

/// A mutable view; no two elements may share a place.
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
    /// The view that `layout` gives of a slice.
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
    /// The view that `layout` gives of a slice.
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

/// A view without its type, so that what becomes of it is compiled into this crate: `len` elements
/// of `parts` reals from `base` on.
#[derive(Clone, Copy)]
pub(crate) struct Untyped<'a, S> {
    /// What messages call it.
    name: &'static str,
    base: Ptr<S>,
    len: usize,
    pub(crate) parts: usize,
    offset: usize,
    strides: &'a [isize],
}

impl<S> Untyped<'_, S> {
    /// See [`check`].
    ///
    /// # Errors
    /// As there.
    pub(crate) fn check(&self, layout: &Layout, writes: bool) -> Result<()> {
        check(self.name, layout, self.strides, self.offset, self.len, writes)
    }

    /// As an array of this shape.
    ///
    /// # Safety
    /// It has been checked.
    #[inline(always)] // see `Array::new`
    pub(crate) unsafe fn array(&self, shape: &[usize]) -> Array<S> {
        // SAFETY: the caller's.
        unsafe { Array::new(self.base, self.parts, shape, self.strides, self.offset) }
    }

    /// As the elements along an axis from the first on.
    ///
    /// # Safety
    /// It has been checked.
    pub(crate) unsafe fn rows(&self, axis: usize) -> Strided<S> {
        // SAFETY: the caller's.
        let base = unsafe { self.base.add(self.offset * self.parts) };
        Strided { base, stride: self.strides[axis] * self.parts as isize }
    }
}

/// Checks a view against the layout that it stands for.
///
/// # Errors
/// If it has other axes, leaves its `len` elements, or, to be written, puts two elements in one
/// place.
#[inline]
pub(crate) fn check(
    name: &str,
    layout: &Layout,
    strides: &[isize],
    offset: usize,
    len: usize,
    writes: bool,
) -> Result<()> {
    // The problem's own strides, which most calls have, need no comparison: a short signal notices
    // one.
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

/// Whether all elements of an array with this offset and these strides lie in `len` elements.
fn fits(shape: &[usize], strides: &[isize], offset: usize, len: usize) -> bool {
    let reach = |backwards: bool| {
        shape
            .iter()
            .zip(strides)
            .filter(|(_, s)| (**s < 0) == backwards)
            .try_fold(0usize, |sum, (n, s)| sum.checked_add((n - 1).checked_mul(s.unsigned_abs())?))
    };
    let (Some(below), Some(above)) = (reach(true), reach(false)) else { return false };
    below <= offset && offset.checked_add(above).is_some_and(|last| last < len)
}
