//! Executes plans on inputs that end before those of the problem.

use crate::baseline::any_recipe::AnyRecipe;
use crate::cpu::base::memory::{Scratch, View, ViewMut};
use crate::error::{Error, ErrorKind, Result};
use crate::plan::plan::{AnyEngine, Plan, with_engine};
use crate::problem::element::Element;
use crate::problem::layout::Layout;

impl Plan {
    /// [`Plan::execute_views`] on an input that is shorter along transformed axes. The elements that
    /// it lacks are zeros, which are not in memory: nothing is copied, and passes leave out lines of
    /// zeros.
    ///
    /// ```
    /// use fourfold::{Planner, View, ViewMut};
    /// let plan = Planner::new().plan(&"dct2 f64 2x4".parse()?)?;
    /// let (mut padded, mut whole) = ([0.0; 8], [0.0; 8]);
    /// let (x, strides) = ([5.0, 6.0, 7.0], [3, 1]); // one row of three elements
    /// let y = ViewMut::of(&mut padded, plan.problem().output());
    /// let x = View { data: &x, offset: 0, strides: &strides };
    /// plan.execute_padded(x, &[1, 3], y, &mut plan.scratch())?;
    /// plan.execute(&[5.0, 6.0, 7.0, 0.0, 0.0, 0.0, 0.0, 0.0], &mut whole)?;
    /// assert_eq!(padded, whole);
    /// # Ok::<(), fourfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Plan::execute_views`]; if `shape` is longer than the input's shape, or has another
    /// length along an axis that is not transformed; if the plan multiplies, or is that of a baseline.
    pub fn execute_padded<I: Element, O: Element>(
        &self,
        input: View<'_, I>,
        shape: &[usize],
        output: ViewMut<'_, O>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        self.check::<I, O>()?;
        self.check_padding(shape)?;
        let layout = Layout::strided(shape, input.strides, size_of::<I>())?;
        let ends = [&layout, self.output()];
        with_engine!(self, engine => engine.execute(ends, input, output, scratch, &self.pool))
    }

    /// Checks that the plan can pad an input of this shape.
    fn check_padding(&self, shape: &[usize]) -> Result<()> {
        match &self.recipe {
            AnyRecipe::Fused(recipe) if recipe.multiplied().is_none() => self.problem().check_padded(shape),
            _ => {
                let message = "plans that multiply, and those of baselines, read whole inputs: pad it";
                Err(Error::new(ErrorKind::Argument, message))
            }
        }
    }
}
