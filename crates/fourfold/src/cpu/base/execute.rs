//! Execution: checks the views and the scratch, then runs an engine on them.

#[cfg(feature = "ndarray")]
use crate::cpu::base::memory::Borrowed;
use crate::cpu::base::memory::{Array, Scratch, Untyped, View, ViewMut};
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::Isa;
use crate::cpu::simd::pointer::Ptr;
use crate::error::{Error, ErrorKind, Result};
use crate::problem::element::Element;
use crate::problem::layout::Layout;

/// An engine for one recipe in one precision. Plans have it as a trait object, so that the
/// transforms are compiled in this crate, and not again in every crate that executes a plan.
pub(crate) trait Execute<S>: Send + Sync {
    /// The instruction set of the execution.
    fn isa(&self) -> Isa;

    /// The bytes of scratch for `threads` threads.
    fn scratch_bytes(&self, threads: usize) -> usize;

    /// The first element of the array that a [`Multiplier::ReciprocalSum`] multiplies, as it was
    /// before that in the last execution with this scratch. `None` if the engine does not keep it.
    ///
    /// [`Multiplier::ReciprocalSum`]: crate::recipe::multiplier::Multiplier::ReciprocalSum
    fn first_multiplied(&self, _scratch: &mut Scratch) -> Option<S> {
        None
    }

    /// Transforms the first array to the second, which may be the same memory.
    ///
    /// # Safety
    /// The arrays have the shapes of the problem, or an input that
    /// [`Plan::execute_padded`](crate::plan::plan::Plan::execute_padded) accepts. Their memory is
    /// readable and writable, and nothing else accesses it during the call. `scratch` has
    /// [`Execute::scratch_bytes`] bytes and is aligned to 64.
    unsafe fn execute_arrays(&self, ends: [&Array<S>; 2], scratch: Ptr<u8>, pool: &Pool);

    /// Transforms the first view to the second, which have these layouts.
    ///
    /// # Safety
    /// As for [`Execute::execute_arrays`]. The views have been checked.
    unsafe fn execute_checked(
        &self,
        layouts: [&Layout; 2],
        [from, to]: [Untyped<'_, S>; 2],
        scratch: Ptr<u8>,
        pool: &Pool,
    ) {
        // SAFETY: the caller guarantees it, and the views contain all elements.
        unsafe {
            let (from, to) = (from.array(&layouts[0].shape), to.array(&layouts[1].shape));
            self.execute_arrays([&from, &to], scratch, pool);
        }
    }
}

impl<S: Copy> dyn Execute<S> {
    /// Transforms `input` to `output`.
    ///
    /// # Errors
    /// If a view does not contain the problem's elements, if two outputs have the same address, or
    /// if the scratch is too small.
    pub(crate) fn execute<I: Element, O: Element>(
        &self,
        layouts: [&Layout; 2],
        input: View<'_, I>,
        output: ViewMut<'_, O>,
        scratch: &mut Scratch,
        pool: &Pool,
    ) -> Result<()> {
        // SAFETY: the views are borrowed. The input is only read, since no pass writes
        // `ArrayId::Input`.
        unsafe { self.execute_untyped(layouts, [input.untyped(), output.untyped("output")], scratch, pool) }
    }

    /// Transforms one view in place.
    ///
    /// # Errors
    /// As for two views.
    pub(crate) fn execute_in_place<T: Element>(
        &self,
        layout: &Layout,
        data: ViewMut<'_, T>,
        scratch: &mut Scratch,
        pool: &Pool,
    ) -> Result<()> {
        // SAFETY: as above. Every tile is read completely before it is written.
        unsafe { self.execute_untyped([layout; 2], [data.untyped("array"); 2], scratch, pool) }
    }

    /// Checks and executes views without their types.
    ///
    /// # Errors
    /// As for views with types.
    ///
    /// # Safety
    /// The memory of the views is readable, that of the second one is writable, and nothing else
    /// accesses it during the call.
    unsafe fn execute_untyped(
        &self,
        layouts: [&Layout; 2],
        views: [Untyped<'_, S>; 2],
        scratch: &mut Scratch,
        pool: &Pool,
    ) -> Result<()> {
        views[0].check(layouts[0], false)?;
        views[1].check(layouts[1], true)?;
        self.check_scratch(scratch, pool)?;
        // SAFETY: the caller guarantees it, and the views and the scratch have been checked.
        unsafe { self.execute_checked(layouts, views, scratch.base(), pool) };
        Ok(())
    }

    /// Transforms `input` to `output`, or `output` in place if there is no input. They have the
    /// problem's shapes.
    ///
    /// # Errors
    /// If the scratch is too small.
    #[cfg(feature = "ndarray")]
    pub(crate) fn execute_borrowed(
        &self,
        input: Option<Borrowed<'_, S>>,
        output: Borrowed<'_, S>,
        scratch: &mut Scratch,
        pool: &Pool,
    ) -> Result<()> {
        self.check_scratch(scratch, pool)?;
        let from = input.as_ref().map_or(&output.array, |input| &input.array);
        // SAFETY: both are borrowed during the call, the output mutably.
        unsafe { self.execute_arrays([from, &output.array], scratch.base(), pool) };
        Ok(())
    }

    fn check_scratch(&self, scratch: &Scratch, pool: &Pool) -> Result<()> {
        let (has, wants) = (scratch.bytes(), self.scratch_bytes(pool.threads()));
        let message = || format!("the scratch has {has} bytes, the plan needs {wants}: make it with `Plan::scratch`");
        if has < wants { Err(Error::new(ErrorKind::Argument, message())) } else { Ok(()) }
    }
}
