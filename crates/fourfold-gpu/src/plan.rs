//! Plans on a device.

use crate::dialect::print;
use crate::engine::Executable;
use crate::kernels::kernel;
use crate::library::Library;
use crate::runtime::{Runtime, foreign};
use crate::{Cache, Device, GpuArray};
use fourfold::{Domain, Element, Error, ErrorKind, Layout, Planner, Precision, Problem, Recipe, Result};
use std::sync::{Arc, OnceLock};

/// Elements of a line that can be transformed: its tables are made on the host.
const LONGEST: usize = 1 << 28;

/// Makes plans for a device, and keeps their kernels.
pub struct GpuPlanner {
    device: Device,
    planner: Planner,
    library: Arc<Library>,
}

/// A problem with its tables and kernels, ready to run any number of times.
///
/// ```no_run
/// use fourfold_gpu::{Device, GpuPlanner};
/// let planner = GpuPlanner::new(Device::opencl(0)?);
/// let plan = planner.plan(&"dct2 f32 4".parse()?)?;
/// let mut y = [0.0f32; 4];
/// plan.execute(&[1.0f32, 2.0, 3.0, 4.0], &mut y)?;
/// assert_eq!(y[0], 20.0); // 2 · (1 + 2 + 3 + 4)
/// # Ok::<(), fourfold::Error>(())
/// ```
pub struct GpuPlan {
    device: Device,
    recipe: Recipe,
    library: Arc<Library>,
    executable: Executable,
    /// The same for complex arrays, of sums of reals.
    parts: OnceLock<Executable>,
}

impl GpuPlanner {
    /// A planner for `device`, with the [standard](Cache::standard) cache.
    pub fn new(device: Device) -> GpuPlanner {
        GpuPlanner::with_cache(device, Cache::standard())
    }

    /// A planner for `device` that keeps compiled kernels on disk in `cache`, or not at all.
    pub fn with_cache(device: Device, cache: Option<Cache>) -> GpuPlanner {
        let library = Arc::new(Library::new(device.runtime.clone(), cache));
        GpuPlanner { device, planner: Planner::new(), library }
    }

    /// A plan for `problem`: compiles what kernels it needs.
    ///
    /// # Errors
    /// If the device lacks the precision or the memory, an axis has more than 2^28 elements, or its compiler refuses a kernel (the message has its log).
    pub fn plan(&self, problem: &Problem) -> Result<GpuPlan> {
        check_lengths(problem)?;
        let recipe = self.planner.recipe(problem);
        let executable = Executable::new(&self.device.runtime, &self.library, &recipe, false)?;
        let (device, library) = (self.device.clone(), Arc::clone(&self.library));
        Ok(GpuPlan { device, recipe, library, executable, parts: OnceLock::new() })
    }
}

impl GpuPlan {
    /// The problem.
    pub fn problem(&self) -> &Problem {
        self.recipe.problem()
    }

    /// Whether Bluestein's convolution stands somewhere, which costs about a digit.
    pub fn uses_bluestein(&self) -> bool {
        self.executable.uses_bluestein
    }

    /// The text of its kernels, in the order in which they run.
    pub fn sources(&self) -> Vec<String> {
        let dialect = self.device.runtime.dialect();
        self.executable.specs.iter().map(|spec| print(dialect, spec, &kernel(spec))).collect()
    }

    /// Transforms `input` to `output`, both in the problem's layouts and in the host's memory: uploads, runs, downloads.
    ///
    /// Sums of reals (DCT, DST, DHT, IDXST) also take complex slices and act on both parts.
    ///
    /// # Errors
    /// If a slice is shorter than [`Layout::len`], or its elements are not of the problem's type and domain, or the device fails.
    pub fn execute<I: Element, O: Element>(&self, input: &[I], output: &mut [O]) -> Result<()> {
        self.check::<I, O>()?;
        let input = fitting("input", input, self.problem().input())?;
        long_enough("output", output.len(), self.problem().output())?;
        let output = &mut output[..self.problem().output().len];
        let from = self.device.upload(input)?;
        // What lies between the elements is to stay.
        let gaps = self.problem().output().elements() < output.len();
        let mut to = if gaps { self.device.upload(output)? } else { self.device.array(output.len())? };
        self.execute_on(&from, &mut to)?;
        to.download(output)
    }

    /// Transforms `data` in place, in the problem's output layout.
    ///
    /// # Errors
    /// As [`GpuPlan::execute`], and if input and output differ in domain or shape.
    pub fn execute_in_place<T: Element>(&self, data: &mut [T]) -> Result<()> {
        let layout = self.problem().output();
        long_enough("array", data.len(), layout)?;
        let data = &mut data[..layout.len];
        let mut array = self.device.upload(data)?;
        self.execute_on_in_place(&mut array)?;
        array.download(data)
    }

    /// Enqueues the transform of arrays on the device; returns before it is done.
    ///
    /// # Errors
    /// As [`GpuPlan::execute`], and if an array is another device's.
    pub fn execute_on<I: Element, O: Element>(&self, input: &GpuArray<I>, output: &mut GpuArray<O>) -> Result<()> {
        let executable = self.check::<I, O>()?;
        self.here(&input.device)?;
        self.here(&output.device)?;
        long_enough("input", input.len(), self.problem().input())?;
        long_enough("output", output.len(), self.problem().output())?;
        executable.run(self.runtime(), Some(&input.buffer), &output.buffer)
    }

    /// [`GpuPlan::execute_on`] with one array as input and output.
    ///
    /// # Errors
    /// As [`GpuPlan::execute_in_place`], and if the array is another device's.
    pub fn execute_on_in_place<T: Element>(&self, data: &mut GpuArray<T>) -> Result<()> {
        let executable = self.check::<T, T>()?;
        let (input, output) = (self.problem().input(), self.problem().output());
        if input != output {
            let message = format!("`{}` has other layouts for input and output: it has no place", self.problem());
            return Err(Error::new(ErrorKind::Argument, message));
        }
        self.here(&data.device)?;
        long_enough("array", data.len(), output)?;
        executable.run(self.runtime(), None, &data.buffer)
    }

    fn runtime(&self) -> &Runtime {
        &self.device.runtime
    }

    fn here(&self, device: &Device) -> Result<()> {
        if self.runtime().same(&device.runtime) { Ok(()) } else { Err(foreign()) }
    }

    /// The executable for the element types, if they are those of the problem.
    fn check<I: Element, O: Element>(&self) -> Result<&Executable> {
        let problem = self.problem();
        let wants = (problem.input_domain(), problem.output_domain());
        let has = (I::DOMAIN, O::DOMAIN);
        let precise = I::PRECISION == problem.precision() && O::PRECISION == problem.precision();
        if precise && has == wants {
            return Ok(&self.executable);
        }
        if precise && wants == (Domain::Real, Domain::Real) && has == (Domain::Complex, Domain::Complex) {
            return self.both_parts();
        }
        let name = |domain: Domain, precision: Precision| match domain {
            Domain::Real => precision.name().to_string(),
            Domain::Complex => format!("Complex<{}>", precision.name()),
        };
        let given = (name(has.0, I::PRECISION), name(has.1, O::PRECISION));
        let wanted = (name(wants.0, problem.precision()), name(wants.1, problem.precision()));
        let message = format!("`{problem}` takes {} to {}, not {} to {}", wanted.0, wanted.1, given.0, given.1);
        Err(Error::new(ErrorKind::Argument, message))
    }

    fn both_parts(&self) -> Result<&Executable> {
        if self.parts.get().is_none() {
            let executable = Executable::new(self.runtime(), &self.library, &self.recipe, true)?;
            // Another thread may have been faster.
            let _ = self.parts.set(executable);
        }
        Ok(self.parts.get().expect("just set"))
    }
}

/// An error if an axis is too long.
pub(crate) fn check_lengths(problem: &Problem) -> Result<()> {
    let long = problem.transforms().iter().find(|transform| transform.n > LONGEST);
    let message = |n: usize| format!("an axis of {n} elements is too long: at most {LONGEST} run on a GPU");
    long.map_or(Ok(()), |long| Err(Error::new(ErrorKind::Unavailable, message(long.n))))
}

fn fitting<'a, T>(name: &str, data: &'a [T], layout: &Layout) -> Result<&'a [T]> {
    long_enough(name, data.len(), layout)?;
    Ok(&data[..layout.len])
}

fn long_enough(name: &str, len: usize, layout: &Layout) -> Result<()> {
    let message = || format!("the {name} has {len} elements; the problem needs {}", layout.len);
    if len < layout.len { Err(Error::new(ErrorKind::Argument, message())) } else { Ok(()) }
}

impl std::fmt::Debug for GpuPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuPlan({}, {})", self.recipe, self.device.name())
    }
}
