//! Arrays that Python owns, as addresses, and plans that run on them: the only file that makes slices
//! of addresses.

use fourfold::{Domain, Element, Error, ErrorKind, Plan, Result, Scratch, Storage, View, ViewMut};
use num_complex::Complex;

/// The type of an array's elements.
pub(crate) type ElementType = (Domain, Storage);

/// A strided array at an address.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Memory {
    /// The address of element (0, 0, …).
    pub(crate) first: usize,
    pub(crate) element: ElementType,
    pub(crate) shape: Vec<usize>,
    /// In elements.
    pub(crate) strides: Vec<isize>,
}

/// The bytes of an element.
pub(crate) fn bytes((domain, storage): ElementType) -> usize {
    domain.reals() * storage.bytes()
}

impl Memory {
    /// The number of elements.
    pub(crate) fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    /// The elements before the first one and those from the first one to the last, in memory. The
    /// array has at least one element.
    fn reach(&self) -> (usize, usize) {
        let extents = self.shape.iter().zip(&self.strides).map(|(n, stride)| (n - 1) as isize * stride);
        let sum = |sign: isize| extents.clone().filter(|extent| extent * sign > 0).sum::<isize>().unsigned_abs();
        (sum(-1), sum(1) + 1)
    }

    /// The addresses from the lowest byte up to the highest.
    pub(crate) fn span(&self) -> (usize, usize) {
        let ((before, after), size) = (self.reach(), bytes(self.element));
        (self.first - before * size, self.first + after * size)
    }

    /// Whether two arrays may share memory.
    pub(crate) fn overlaps(&self, other: &Memory) -> bool {
        let ((low, high), (other_low, other_high)) = (self.span(), other.span());
        low < other_high && other_low < high
    }

    /// # Safety
    /// The memory is readable, and nothing writes it during `'a`.
    unsafe fn view<'a, T: Element>(&'a self) -> View<'a, T> {
        let (before, after) = self.reach();
        // SAFETY: all elements of the array lie between the lowest and the highest one, in one allocation.
        let data = unsafe { std::slice::from_raw_parts((self.first as *const T).sub(before), before + after) };
        View { data, offset: before, strides: &self.strides }
    }

    /// # Safety
    /// The memory is writable, and nothing else accesses it during `'a`.
    unsafe fn view_mut<'a, T: Element>(&'a self) -> ViewMut<'a, T> {
        let (before, after) = self.reach();
        // SAFETY: as above.
        let data = unsafe { std::slice::from_raw_parts_mut((self.first as *mut T).sub(before), before + after) };
        ViewMut { data, offset: before, strides: &self.strides }
    }
}

/// Executes a plan on arrays of the given element types.
///
/// # Safety
/// As for [`execute`].
unsafe fn execute_as<I: Element, O: Element>(
    plan: &Plan,
    input: &Memory,
    output: &Memory,
    scratch: &mut Scratch,
) -> Result<()> {
    if input == output {
        // SAFETY: the caller guarantees it.
        return plan.execute_view_in_place(unsafe { output.view_mut::<O>() }, scratch);
    }
    // SAFETY: the caller guarantees it.
    let (from, to) = unsafe { (input.view::<I>(), output.view_mut::<O>()) };
    match input.shape == plan.problem().input().shape {
        true => plan.execute_views(from, to, scratch),
        false => plan.execute_padded(from, &input.shape, to, scratch),
    }
}

/// Executes a plan. Equal input and output mean in place.
///
/// # Errors
/// Those of [`Plan::execute_views`], and if the arrays share memory but are not equal.
///
/// # Safety
/// Both are arrays of their element types with at least one element, aligned to those. Nothing
/// writes the input during the call, and nothing else accesses the output.
pub(crate) unsafe fn execute(plan: &Plan, input: &Memory, output: &Memory, scratch: &mut Scratch) -> Result<()> {
    if input != output && input.overlaps(output) {
        let message = "input and output share memory, but are not the same array: copy one of them";
        return Err(Error::new(ErrorKind::Argument, message));
    }
    use {Domain::Complex as C, Domain::Real as R, Storage::F32, Storage::F64};
    // SAFETY: these are the elements' types, and the caller guarantees the rest.
    unsafe {
        match (input.element, output.element) {
            ((R, F32), (R, F32)) => execute_as::<f32, f32>(plan, input, output, scratch),
            ((R, F64), (R, F64)) => execute_as::<f64, f64>(plan, input, output, scratch),
            ((R, F32), (C, F32)) => execute_as::<f32, Complex<f32>>(plan, input, output, scratch),
            ((R, F64), (C, F64)) => execute_as::<f64, Complex<f64>>(plan, input, output, scratch),
            ((C, F32), (R, F32)) => execute_as::<Complex<f32>, f32>(plan, input, output, scratch),
            ((C, F64), (R, F64)) => execute_as::<Complex<f64>, f64>(plan, input, output, scratch),
            ((C, F32), (C, F32)) => execute_as::<Complex<f32>, Complex<f32>>(plan, input, output, scratch),
            ((C, F64), (C, F64)) => execute_as::<Complex<f64>, Complex<f64>>(plan, input, output, scratch),
            _ => Err(Error::new(ErrorKind::Argument, "input and output have different precisions, or 16 bits")),
        }
    }
}
