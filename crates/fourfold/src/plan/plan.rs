//! Plans: recipes with their tables.

use crate::baseline::any_recipe::AnyRecipe;
use crate::cpu::base::execute::Execute;
use crate::cpu::base::memory::{Scratch, View, ViewMut, check};
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::Isa;
use crate::cpu::simd::vector::Scalar;
use crate::error::{Error, ErrorKind, Result};
use crate::problem::element::{Domain, Element, Storage};
use crate::problem::layout::Layout;
use crate::problem::problem::Problem;
use std::fmt;
use std::sync::Arc;

/// A plan is the executable form of a problem. It can be executed any number of times, and by
/// several threads at the same time.
///
/// A [`Planner`](crate::plan::planner::Planner) makes plans. Execution returns an error if the
/// arguments do not fit the problem, or if there is no memory for the scratch. The output is then
/// unchanged. The input is only read.
///
/// ```
/// let planner = fourfold::Planner::new();
/// let plan = planner.plan(&"dct2 f64 4".parse()?)?;
/// let mut y = [0.0; 4];
/// plan.execute(&[1.0, 2.0, 3.0, 4.0], &mut y)?;
/// assert_eq!(y[0], 20.0); // 2 · (1 + 2 + 3 + 4)
/// # Ok::<(), fourfold::Error>(())
/// ```
pub struct Plan {
    pub(crate) recipe: AnyRecipe,
    pub(crate) engine: AnyEngine,
    pub(crate) pool: Arc<Pool>,
}

/// The engine of the recipe, in the problem's precision.
pub(crate) enum AnyEngine {
    F32(Box<dyn Execute<f32>>),
    F64(Box<dyn Execute<f64>>),
}

/// Calls the engine of the plan's precision.
macro_rules! with_engine {
    ($plan:expr, $engine:ident => $body:expr) => {
        match &$plan.engine {
            AnyEngine::F32($engine) => $body,
            AnyEngine::F64($engine) => $body,
        }
    };
}
pub(crate) use with_engine;

impl Plan {
    /// The problem. For a filter, it is the first one.
    pub fn problem(&self) -> &Problem {
        self.recipe.problem()
    }

    /// The recipe of the plan.
    pub fn recipe(&self) -> &AnyRecipe {
        &self.recipe
    }

    /// The instruction set of the execution.
    pub fn isa(&self) -> Isa {
        with_engine!(self, engine => engine.isa())
    }

    /// The number of threads of an execution.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// The bytes of scratch that an execution needs.
    pub fn scratch_bytes(&self) -> usize {
        with_engine!(self, engine => engine.scratch_bytes(self.pool.threads()))
    }

    /// Allocates scratch, which one execution at a time can use. Execution with given scratch does
    /// not allocate.
    ///
    /// # Panics
    /// If there is no memory for it, as with a `Vec`. [`Plan::try_scratch`] returns an error
    /// instead.
    pub fn scratch(&self) -> Scratch {
        self.try_scratch().unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`Plan::scratch`] that returns an error instead of panicking.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn try_scratch(&self) -> Result<Scratch> {
        Scratch::new(self.scratch_bytes())
    }

    /// The bytes of arrays that the passes of an execution read and write, without tables.
    pub fn bytes_moved(&self) -> usize {
        self.recipe.bytes_moved()
    }

    /// The engine's [`Execute::first_multiplied`].
    pub(crate) fn first_multiplied(&self, scratch: &mut Scratch) -> Option<f64> {
        with_engine!(self, engine => engine.first_multiplied(scratch).map(Scalar::to))
    }

    pub(crate) fn input(&self) -> &Layout {
        self.recipe.problem().input()
    }

    pub(crate) fn output(&self) -> &Layout {
        self.recipe.end().output()
    }

    /// Transforms `input` to `output`, which have the problem's layouts.
    ///
    /// Real transforms (DCT, DST, DHT, IDXST) also accept complex slices, and then transform the
    /// real and the imaginary parts separately.
    ///
    /// # Errors
    /// If a slice is shorter than [`Layout::len`], if its elements do not have the problem's type
    /// and domain, or if there is no memory for the scratch.
    pub fn execute<I: Element, O: Element>(&self, input: &[I], output: &mut [O]) -> Result<()> {
        self.check::<I, O>()?;
        check_slice("input", self.input(), input.len())?;
        check_slice("output", self.output(), output.len())?;
        self.execute_with(input, output, &mut self.try_scratch()?)
    }

    /// [`Plan::execute`] with the caller's scratch. It does not allocate.
    ///
    /// # Errors
    /// Those of [`Plan::execute`], and if the scratch is too small.
    pub fn execute_with<I: Element, O: Element>(
        &self,
        input: &[I],
        output: &mut [O],
        scratch: &mut Scratch,
    ) -> Result<()> {
        self.execute_views(View::of(input, self.input()), ViewMut::of(output, self.output()), scratch)
    }

    /// [`Plan::execute`] on arrays with the strides of these views instead of the problem's.
    ///
    /// # Errors
    /// Those of [`Plan::execute_with`], and if the views have elements outside of their slices, or
    /// two outputs with the same address.
    pub fn execute_views<I: Element, O: Element>(
        &self,
        input: View<'_, I>,
        output: ViewMut<'_, O>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        self.check::<I, O>()?;
        let ends = [self.input(), self.output()];
        with_engine!(self, engine => engine.execute(ends, input, output, scratch, &self.pool))
    }

    /// Transforms `data` in the problem's input layout, in place.
    ///
    /// # Errors
    /// Those of [`Plan::execute`], and if input and output differ in domain or shape.
    pub fn execute_in_place<T: Element>(&self, data: &mut [T]) -> Result<()> {
        self.check_in_place::<T>()?;
        check_slice("array", self.input(), data.len())?;
        self.execute_in_place_with(data, &mut self.try_scratch()?)
    }

    /// [`Plan::execute_in_place`] with the caller's scratch. It does not allocate.
    ///
    /// # Errors
    /// Those of [`Plan::execute_in_place`], and if the scratch is too small.
    pub fn execute_in_place_with<T: Element>(&self, data: &mut [T], scratch: &mut Scratch) -> Result<()> {
        self.execute_view_in_place(ViewMut::of(data, self.input()), scratch)
    }

    /// [`Plan::execute_in_place`] on an array with the strides of this view.
    ///
    /// # Errors
    /// Those of [`Plan::execute_in_place_with`] and [`Plan::execute_views`].
    pub fn execute_view_in_place<T: Element>(&self, data: ViewMut<'_, T>, scratch: &mut Scratch) -> Result<()> {
        self.check_in_place::<T>()?;
        // The output's strides do not overlap, while those of the input may repeat elements.
        with_engine!(self, engine => engine.execute_in_place(self.output(), data, scratch, &self.pool))
    }

    /// Checks that the element type is that of input and output, and that these have the same
    /// shape.
    pub(crate) fn check_in_place<T: Element>(&self) -> Result<()> {
        self.check::<T, T>()?;
        let (input, output) = (&self.input().shape, &self.output().shape);
        if input == output {
            return Ok(());
        }
        let message = format!("`{}` makes {output:?} of {input:?}, which cannot be done in place", self.problem());
        Err(Error::new(ErrorKind::Argument, message))
    }

    /// Checks that the element types are those of the problem.
    pub(crate) fn check<I: Element, O: Element>(&self) -> Result<()> {
        self.check_types((I::DOMAIN, I::STORAGE), (O::DOMAIN, O::STORAGE))
    }

    /// [`Plan::check`] without type parameters, so that it is compiled once.
    fn check_types(&self, input: (Domain, Storage), output: (Domain, Storage)) -> Result<()> {
        let (problem, end) = (self.recipe.problem(), self.recipe.end());
        let wants = (problem.input_domain(), end.output_domain());
        let both_parts = wants == (Domain::Real, Domain::Real)
            && problem.output_domain() == Domain::Real
            && (input.0, output.0) == (Domain::Complex, Domain::Complex);
        let domains = (input.0, output.0) == wants || both_parts;
        if domains && input.1 == problem.storage() && output.1 == problem.storage() {
            return Ok(());
        }
        self.wrong_types(input, output)
    }

    /// This function is not inlined, so that the execution of a short signal saves fewer registers.
    #[cold]
    fn wrong_types(&self, input: (Domain, Storage), output: (Domain, Storage)) -> Result<()> {
        let problem = self.recipe.problem();
        let wants = (problem.input_domain(), self.recipe.end().output_domain());
        let given = (input.1.element_name(input.0), output.1.element_name(output.0));
        let wanted = [wants.0, wants.1].map(|domain| problem.storage().element_name(domain));
        let message = format!("`{problem}` takes {} to {}, not {} to {}", wanted[0], wanted[1], given.0, given.1);
        Err(Error::new(ErrorKind::Argument, message))
    }
}

/// Checks that a slice has the elements of `layout`. This precedes the allocation of scratch, which
/// fails for very large problems.
fn check_slice(name: &str, layout: &Layout, len: usize) -> Result<()> {
    check(name, layout, &layout.strides, layout.offset, len, false)
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plan({}, {} × {})", self.recipe, self.threads(), self.isa())
    }
}
