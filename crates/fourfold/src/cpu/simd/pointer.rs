//! Pointers that check their bounds in debug builds.

use std::marker::PhantomData;

/// A pointer into an array, as `*mut T`. In debug builds it also has the bounds of the array, and
/// an access outside of them panics. In release builds it has only the address.
///
/// Bounds are checked when memory is accessed, and not when the pointer moves, because an address
/// after the last element of a row may be outside of the array. A pointer that is made of a shared
/// slice ([`Ptr::of`]) must only be read.
pub(crate) struct Ptr<T> {
    at: *mut T,
    #[cfg(debug_assertions)]
    bounds: [usize; 2],
    array: PhantomData<*mut T>,
}

impl<T> Clone for Ptr<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Ptr<T> {}

impl<T> PartialEq for Ptr<T> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.at, other.at)
    }
}

impl<T> Ptr<T> {
    /// A pointer to the first of `len` elements.
    #[inline(always)]
    pub(crate) fn new(at: *mut T, len: usize) -> Self {
        Ptr::within(at, [at.addr(), at.addr().wrapping_add(len * size_of::<T>())])
    }

    /// A pointer to an element of an array whose first byte and end have these addresses.
    #[inline(always)]
    #[cfg_attr(not(debug_assertions), allow(unused_variables, reason = "release builds do not check"))]
    pub(crate) fn within(at: *mut T, bounds: [usize; 2]) -> Self {
        Ptr {
            at,
            #[cfg(debug_assertions)]
            bounds,
            array: PhantomData,
        }
    }

    /// A pointer to the first element of a slice, for reading only.
    #[inline(always)]
    pub(crate) fn of(slice: &[T]) -> Self {
        Ptr::new(slice.as_ptr().cast_mut(), slice.len())
    }

    /// The null pointer, with an empty array.
    #[inline(always)]
    pub(crate) fn null() -> Self {
        Ptr::new(std::ptr::null_mut(), 0)
    }

    #[inline(always)]
    pub(crate) fn is_null(self) -> bool {
        self.at.is_null()
    }

    /// The address.
    #[inline(always)]
    pub(crate) fn addr(self) -> usize {
        self.at.addr()
    }

    /// The same address, as a pointer into an array of only the next `len` elements.
    #[inline(always)]
    pub(crate) fn first(self, len: usize) -> Self {
        #[cfg(debug_assertions)]
        self.check(len);
        Ptr::new(self.at, len)
    }

    #[inline(always)]
    fn moved(self, at: *mut T) -> Self {
        Ptr { at, ..self }
    }

    #[inline(always)]
    pub(crate) fn cast<U>(self) -> Ptr<U> {
        Ptr {
            at: self.at.cast(),
            #[cfg(debug_assertions)]
            bounds: self.bounds,
            array: PhantomData,
        }
    }

    #[inline(always)]
    pub(crate) fn wrapping_add(self, n: usize) -> Self {
        self.moved(self.at.wrapping_add(n))
    }

    #[inline(always)]
    pub(crate) fn wrapping_sub(self, n: usize) -> Self {
        self.moved(self.at.wrapping_sub(n))
    }

    #[inline(always)]
    pub(crate) fn wrapping_offset(self, n: isize) -> Self {
        self.moved(self.at.wrapping_offset(n))
    }

    /// # Safety
    /// The result points to an element of the array, or to its end.
    #[inline(always)]
    pub(crate) unsafe fn add(self, n: usize) -> Self {
        if cfg!(debug_assertions) {
            return self.wrapping_add(n);
        }
        // SAFETY: the caller guarantees it.
        self.moved(unsafe { self.at.add(n) })
    }

    /// # Safety
    /// As [`Ptr::add`].
    #[inline(always)]
    pub(crate) unsafe fn sub(self, n: usize) -> Self {
        if cfg!(debug_assertions) {
            return self.wrapping_sub(n);
        }
        // SAFETY: the caller guarantees it.
        self.moved(unsafe { self.at.sub(n) })
    }

    /// # Safety
    /// As [`Ptr::add`].
    #[inline(always)]
    pub(crate) unsafe fn offset(self, n: isize) -> Self {
        if cfg!(debug_assertions) {
            return self.wrapping_offset(n);
        }
        // SAFETY: the caller guarantees it.
        self.moved(unsafe { self.at.offset(n) })
    }

    /// The address without a check, for prefetches. It need not be in the array.
    #[inline(always)]
    #[cfg(all(target_arch = "x86_64", not(test)))]
    pub(crate) fn unchecked(self) -> *const T {
        self.at
    }

    /// The address, for an access to the next `count` elements.
    #[inline(always)]
    #[cfg_attr(not(debug_assertions), allow(unused_variables, reason = "release builds do not check"))]
    pub(crate) fn access(self, count: usize) -> *mut T {
        #[cfg(debug_assertions)]
        self.check(count);
        self.at
    }

    #[cfg(debug_assertions)]
    #[inline(always)]
    fn check(self, count: usize) {
        check(self.bounds, self.at.addr(), count * size_of::<T>());
    }

    /// # Safety
    /// The element is readable.
    #[inline(always)]
    pub(crate) unsafe fn read(self) -> T
    where
        T: Copy,
    {
        // SAFETY: the caller guarantees it.
        unsafe { *self.access(1) }
    }

    /// # Safety
    /// The element is writable.
    #[inline(always)]
    pub(crate) unsafe fn write(self, value: T)
    where
        T: Copy,
    {
        // SAFETY: the caller guarantees it.
        unsafe { *self.access(1) = value }
    }

    /// Copies `count` elements from `from`.
    ///
    /// # Safety
    /// Both arrays have `count` elements, and they do not overlap.
    #[inline(always)]
    pub(crate) unsafe fn copy_from(self, from: Ptr<T>, count: usize) {
        // SAFETY: the caller guarantees it.
        unsafe { self.access(count).copy_from_nonoverlapping(from.access(count), count) }
    }
}

/// A call for every access, since its instructions in every place would be a third of the engine's
/// code, and of the time to compile it.
#[cfg(debug_assertions)]
#[inline(never)]
fn check([start, end]: [usize; 2], at: usize, bytes: usize) {
    // This order of comparisons avoids overflow for every address.
    if at < start || at > end || bytes > end - at {
        outside(start, end, at, bytes);
    }
}

#[cfg(debug_assertions)]
#[cold]
fn outside(start: usize, end: usize, at: usize, bytes: usize) -> ! {
    let begin = at.wrapping_sub(start) as isize;
    panic!("access to bytes {begin} to {} of an array of {}", begin.wrapping_add(bytes as isize), end - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_and_written() {
        let mut array = [1.0, 2.0, 3.0];
        let first = Ptr::new(array.as_mut_ptr(), 3);
        // SAFETY: the array has three elements, and its end is not read.
        unsafe {
            first.add(2).write(5.0);
            assert_eq!((first.read(), first.wrapping_add(7).wrapping_sub(5).read()), (1.0, 5.0));
            assert_eq!(first.add(3).addr() - first.addr(), 24);
            assert_eq!(first.add(3).access(0).addr(), first.add(3).addr());
        }
    }

    #[cfg(not(debug_assertions))]
    #[test]
    fn release_builds_carry_the_address_alone() {
        assert_eq!(size_of::<Ptr<f64>>(), size_of::<*mut f64>());
    }

    #[cfg(debug_assertions)]
    mod checks {
        use super::*;

        #[test]
        #[should_panic(expected = "access to bytes 24 to 32 of an array of 24")]
        fn beyond_the_end() {
            let array = [1.0, 2.0, 3.0];
            Ptr::of(&array).wrapping_add(3).access(1);
        }

        #[test]
        #[should_panic(expected = "access to bytes -8 to 8 of an array of 24")]
        fn before_the_start() {
            let array = [1.0, 2.0, 3.0];
            Ptr::of(&array).wrapping_sub(1).access(2);
        }

        #[test]
        #[should_panic(expected = "access to bytes 0 to 16 of an array of 8")]
        fn beyond_a_part() {
            let array = [1.0, 2.0, 3.0];
            Ptr::of(&array).wrapping_add(1).first(1).access(2);
        }
    }
}
