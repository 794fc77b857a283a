//! Executes plans on `ndarray` arrays and views of any strides, without copying.

use crate::cpu::base::memory::{Borrowed, Scratch};
use crate::error::{Error, ErrorKind, Result};
use crate::plan::plan::{AnyEngine, Plan, with_engine};
use crate::problem::element::Element;
use crate::problem::layout::Layout;
use ndarray::{ArrayRef, Dimension};

impl Plan {
    /// Transforms `input` to `output`, which are arrays or views of the problem's shapes. They may
    /// have any strides. The strides of the problem are ignored.
    ///
    /// ```
    /// use fourfold::Planner;
    /// use ndarray::{Array2, array, s};
    /// let plan = Planner::new().plan(&"dct2 f64 2x3 axes=1".parse()?)?;
    /// let x = array![[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]];
    /// let mut y = Array2::<f64>::zeros((2, 6));
    /// plan.execute_array(&x.t(), &mut y.slice_mut(s![.., ..;2]))?; // rows of the transpose, to every other column
    /// assert!((y[[0, 0]] - 12.0).abs() < 1e-14 && y[[0, 1]] == 0.0); // 2 · (1 + 2 + 3)
    /// # Ok::<(), fourfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shape of an array is not that of the problem, if its elements do not have the
    /// problem's type and domain, or if there is no memory for the scratch.
    pub fn execute_array<I, O, D, E>(&self, input: &ArrayRef<I, D>, output: &mut ArrayRef<O, E>) -> Result<()>
    where
        I: Element,
        O: Element,
        D: Dimension,
        E: Dimension,
    {
        self.execute_array_with(input, output, &mut self.try_scratch()?)
    }

    /// [`Plan::execute_array`] with the caller's scratch. It does not allocate.
    ///
    /// # Errors
    /// Those of [`Plan::execute_array`], and if the scratch is too small.
    pub fn execute_array_with<I, O, D, E>(
        &self,
        input: &ArrayRef<I, D>,
        output: &mut ArrayRef<O, E>,
        scratch: &mut Scratch,
    ) -> Result<()>
    where
        I: Element,
        O: Element,
        D: Dimension,
        E: Dimension,
    {
        self.check::<I, O>()?;
        check_shape("input", input.shape(), self.input())?;
        check_shape("output", output.shape(), self.output())?;
        with_engine!(self, engine => {
            let (input, output) = (Borrowed::shared(input), Borrowed::exclusive(output));
            engine.execute_borrowed(Some(input), output, scratch, &self.pool)
        })
    }

    /// Transforms an array or a view of the problem's shape in place.
    ///
    /// # Errors
    /// Those of [`Plan::execute_array`], and if input and output differ in domain or shape.
    pub fn execute_array_in_place<T: Element, D: Dimension>(&self, data: &mut ArrayRef<T, D>) -> Result<()> {
        self.execute_array_in_place_with(data, &mut self.try_scratch()?)
    }

    /// [`Plan::execute_array_in_place`] with the caller's scratch. It does not allocate.
    ///
    /// # Errors
    /// Those of [`Plan::execute_array_in_place`], and if the scratch is too small.
    pub fn execute_array_in_place_with<T: Element, D: Dimension>(
        &self,
        data: &mut ArrayRef<T, D>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        self.check_in_place::<T>()?;
        check_shape("array", data.shape(), self.input())?;
        with_engine!(self, engine => engine.execute_borrowed(None, Borrowed::exclusive(data), scratch, &self.pool))
    }
}

fn check_shape(name: &str, shape: &[usize], layout: &Layout) -> Result<()> {
    if shape == layout.shape {
        return Ok(());
    }
    let message = format!("the {name} has shape {shape:?}, the problem needs {:?}", layout.shape);
    Err(Error::new(ErrorKind::Argument, message))
}
