//! Convolutions as plans: the choice of tiles, and their execution.

use crate::convolve::direct;
use crate::convolve::tiles::{Boundary, Mode, TiledAxis, scatter};
use crate::convolve::tiling::{ConvolutionMethod, Tiling, chosen};
use crate::cpu::base::memory::Scratch;
use crate::cpu::base::threads::Pool;
use crate::error::{Error, Result, collected, filled};
use crate::plan::plan::Plan;
use crate::plan::planner::Planner;
use crate::problem::element::Precision;
use crate::problem::float::Float;
use crate::problem::kind::Kind;
use crate::problem::problem::Problem;
use crate::recipe::multiplier::Multiplier;
use crate::recipe::pipeline::Pipeline;
use num_complex::Complex;
use std::sync::{Arc, Mutex, PoisonError};

/// The settings of a [`Convolution`].
#[derive(Clone, Debug)]
pub struct ConvolutionBuilder<'a, T> {
    shape: Vec<usize>,
    kernel_shape: Vec<usize>,
    kernel: &'a [T],
    mode: Mode,
    boundary: Boundary,
    method: ConvolutionMethod,
    reversed: bool,
}

/// A kernel with its spectrum, which convolves arrays of one shape. The [module](super) has the
/// definitions.
pub struct Convolution<T> {
    axes: Vec<TiledAxis>,
    boundary: Boundary,
    input_len: usize,
    output_shape: Vec<usize>,
    tiling: Tiling,
    work: TileWork<T>,
    pool: Arc<Pool>,
    /// The memory of earlier executions.
    buffers: Mutex<Vec<Buffers<T>>>,
}

enum TileWork<T> {
    Direct(Vec<T>),
    Transform(Box<Plan>),
}

/// The memory of one execution of a group.
struct Buffers<T> {
    tiles: Vec<T>,
    scratch: Option<Scratch>,
}

impl<T: Float> Convolution<T> {
    /// Starts a convolution of arrays of shape `shape` with a kernel, which is in C order. The
    /// kernel's axes are the last ones of the arrays.
    pub fn builder(
        shape: impl AsRef<[usize]>,
        kernel_shape: impl AsRef<[usize]>,
        kernel: &[T],
    ) -> ConvolutionBuilder<'_, T> {
        ConvolutionBuilder {
            shape: shape.as_ref().to_vec(),
            kernel_shape: kernel_shape.as_ref().to_vec(),
            kernel,
            mode: Mode::default(),
            boundary: Boundary::default(),
            method: ConvolutionMethod::default(),
            reversed: false,
        }
    }

    /// About how many bytes a convolution and its output take, beside the input and the caller's
    /// kernel, if it is built with [`ConvolutionMethod::Fastest`] and applied by so many threads. A caller can ask
    /// whether there is so much memory before there is a kernel.
    ///
    /// # Errors
    /// If the kernel has no axes or more than the arrays; if an axis has no elements; if the kernel is
    /// longer than the array along an axis in [`Mode::Valid`]; or if an array, the kernel or a tile
    /// does not fit the address space.
    pub fn memory(shape: &[usize], kernel_shape: &[usize], mode: Mode, threads: usize) -> Result<usize> {
        let (axes, _) = sized_axes::<T>(shape, kernel_shape, mode)?;
        let arrays = shape[..shape.len() - axes.len()].iter().fold(1, |count: usize, n| count.saturating_mul(*n));
        let (method, tiling) = chosen(ConvolutionMethod::Fastest, &axes, arrays);
        let kernel = kernel_shape.iter().fold(1, |count: usize, n| count.saturating_mul(*n));
        let tiles = arrays.saturating_mul(axes[0].output.div_ceil(tiling.outputs));
        let groups = tiles.div_ceil(tiling.group);
        let lists = size_of::<Tile<'_, T>>() + size_of::<Mutex<&mut [Tile<'_, T>]>>() / tiling.group;
        let output = axes.iter().fold(arrays, |size: usize, axis| size.saturating_mul(axis.output));
        let own = tiling.bytes(method, [kernel, size_of::<T>()], [groups.min(threads), threads]);
        let listed = own.saturating_add(tiles.saturating_mul(lists));
        Ok(listed.saturating_add(output.saturating_mul(size_of::<T>())))
    }

    /// The shape of the output.
    pub fn output_shape(&self) -> &[usize] {
        &self.output_shape
    }

    /// Whether direct sums or transforms compute it, and the lengths of their tiles.
    pub fn method(&self) -> (ConvolutionMethod, &[usize]) {
        match self.work {
            TileWork::Direct(_) => (ConvolutionMethod::Direct, &self.tiling.lengths),
            TileWork::Transform(_) => (ConvolutionMethod::Transform, &self.tiling.lengths),
        }
    }

    /// Convolves an array. Both are in C order.
    ///
    /// # Errors
    /// If an array has not as many elements as its shape, or if there is no memory for the tiles.
    pub fn apply(&self, input: &[T], output: &mut [T]) -> Result<()> {
        let output_len: usize = self.output_shape.iter().product();
        for (name, len, wanted) in [("input", input.len(), self.input_len), ("output", output.len(), output_len)] {
            if len != wanted {
                return Err(Error::argument(format!("the {name} has {len} elements: expected {wanted}")));
            }
        }
        let input_size: usize = self.axes.iter().map(|axis| axis.input).product();
        let output_size = self.axes.iter().map(|axis| axis.output).product::<usize>();
        let inner = output_size / self.axes[0].output;
        let tiles = input.chunks(input_size).zip(output.chunks_mut(output_size)).flat_map(|(input, output)| {
            let tiles = output.chunks_mut(self.tiling.outputs * inner).enumerate();
            tiles.map(move |(t, output)| Tile { input, first: t * self.tiling.outputs, output })
        });
        let count = input.len() / input_size * self.axes[0].output.div_ceil(self.tiling.outputs);
        let what = format_args!("a list of {count} tiles");
        let mut tiles = collected(count, tiles, what)?;
        let groups = tiles.chunks_mut(self.tiling.group).map(Mutex::new);
        let groups = collected(groups.len(), groups, what)?;
        let error = Mutex::new(None);
        let work = |_, group: usize| {
            let mut tiles = groups[group].lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(failed) = self.compute_group(&mut tiles) {
                *error.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed);
            }
        };
        // The plan of a single group shares it between the threads.
        if groups.len() == 1 {
            work(0, 0)
        } else {
            self.pool.run_tasks(groups.len(), &work)
        }
        error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Computes a group of tiles.
    fn compute_group(&self, tiles: &mut [Tile<'_, T>]) -> Result<()> {
        let kept = self.buffers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut buffers = kept.map_or_else(|| self.buffers(), Ok)?;
        let (lengths, axes) = (&self.tiling.lengths[..], &self.axes[..]);
        let (size, inner) = (lengths.iter().product(), axes[1..].iter().map(|axis| axis.output).product::<usize>());
        for (tile, memory) in tiles.iter().zip(buffers.tiles.chunks_mut(size)) {
            let outputs = tile.output.len() / inner;
            self.boundary.gather(axes, lengths, [tile.first, outputs], tile.input, memory);
        }
        if let (TileWork::Transform(plan), Some(scratch)) = (&self.work, &mut buffers.scratch) {
            plan.execute_in_place_with(&mut buffers.tiles, scratch)?;
        }
        for (tile, memory) in tiles.iter_mut().zip(buffers.tiles.chunks(size)) {
            match &self.work {
                TileWork::Direct(kernel) => direct::convolve(axes, lengths, kernel, memory, tile.output),
                TileWork::Transform(_) => scatter(axes, lengths, memory, tile.output),
            }
        }
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner).push(buffers);
        Ok(())
    }

    fn buffers(&self) -> Result<Buffers<T>> {
        let count = self.tiling.lengths.iter().product::<usize>() * self.tiling.group;
        let scratch = match &self.work {
            TileWork::Direct(_) => None,
            TileWork::Transform(plan) => Some(plan.try_scratch()?),
        };
        Ok(Buffers { tiles: filled(count, T::default(), format_args!("{count} elements of tiles"))?, scratch })
    }
}

/// A tile of an execution.
struct Tile<'a, T> {
    input: &'a [T],
    /// Its first output along its first axis.
    first: usize,
    output: &'a mut [T],
}

impl<T: Float> ConvolutionBuilder<'_, T> {
    /// Sets which elements are computed. The default is [`Mode::Same`].
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the elements beyond the ends. The default is [`Boundary::Zero`].
    pub fn boundary(mut self, boundary: Boundary) -> Self {
        self.boundary = boundary;
        self
    }

    /// Asks for a correlation: the kernel is reversed along all axes.
    pub fn correlate(mut self) -> Self {
        self.reversed = !self.reversed;
        self
    }

    /// Sets how the elements are computed. The default is [`ConvolutionMethod::Fastest`].
    pub fn method(mut self, method: ConvolutionMethod) -> Self {
        self.method = method;
        self
    }

    /// Plans the convolution, and computes the spectrum of the kernel if transforms compute it. It
    /// uses the planner's threads.
    ///
    /// # Errors
    /// If the kernel has no axes or more than the arrays, or not as many elements as its shape, or
    /// an element that is not finite; if an axis has no elements; if the kernel is longer than the
    /// array along an axis in [`Mode::Valid`]; or if there is no memory.
    pub fn build(self, planner: &Planner) -> Result<Convolution<T>> {
        self.check_kernel()?;
        let (axes, output_shape) = sized_axes::<T>(&self.shape, &self.kernel_shape, self.mode)?;
        let batch = &self.shape[..self.shape.len() - axes.len()];
        let (method, tiling) = chosen(self.method, &axes, batch.iter().product());
        let kernel = self.ordered_kernel()?;
        let work = match method {
            ConvolutionMethod::Direct => TileWork::Direct(kernel),
            _ => TileWork::Transform(Box::new(plan(&tiling, &axes, &kernel, planner)?)),
        };
        Ok(Convolution {
            axes,
            boundary: self.boundary,
            input_len: self.shape.iter().product(),
            output_shape,
            tiling,
            work,
            pool: planner.pool(),
            buffers: Mutex::default(),
        })
    }

    /// The kernel of the convolution: that of a correlation is reversed.
    fn ordered_kernel(&self) -> Result<Vec<T>> {
        let len = self.kernel.len();
        let mut kernel = collected(len, self.kernel.iter().copied(), format_args!("a kernel of {len} elements"))?;
        if self.reversed {
            kernel.reverse();
        }
        Ok(kernel)
    }

    fn check_kernel(&self) -> Result<()> {
        tiled_axes(&self.shape, &self.kernel_shape, self.mode)?;
        let count = self.kernel_shape.iter().try_fold(1usize, |count, n| count.checked_mul(*n));
        if count != Some(self.kernel.len()) {
            let (len, shape) = (self.kernel.len(), &self.kernel_shape);
            return Err(Error::argument(format!("a kernel of {len} elements: expected those of the shape {shape:?}")));
        }
        if let Some(at) = self.kernel.iter().position(|&h| !h.into().is_finite()) {
            let h: f64 = self.kernel[at].into();
            return Err(Error::argument(format!("element {at} of the kernel is {h}: expected finite numbers")));
        }
        Ok(())
    }
}

/// The axes that arrays and kernel share, and the shape of the output, if all that is computed with
/// them fits the address space.
fn sized_axes<T>(shape: &[usize], kernel_shape: &[usize], mode: Mode) -> Result<(Vec<TiledAxis>, Vec<usize>)> {
    let axes = tiled_axes(shape, kernel_shape, mode)?;
    let batch = &shape[..shape.len() - axes.len()];
    let output_shape: Vec<_> = batch.iter().copied().chain(axes.iter().map(|axis| axis.output)).collect();
    // A fast length is less than twice the length, and of one element it is 1.
    let longest = |axis: &TiledAxis| match axis.output.checked_add(axis.kernel - 1)? {
        1 => Some(1),
        needed => needed.checked_mul(2),
    };
    let tile: Option<Vec<_>> = axes.iter().map(longest).collect();
    let bytes = |shape: &[usize]| shape.iter().try_fold(size_of::<T>(), |bytes, n| bytes.checked_mul(*n));
    let fits = |shape: &[usize]| bytes(shape).is_some_and(|bytes| bytes <= isize::MAX as usize);
    let expected = "expected one that fits the address space";
    if !fits(shape) || !fits(&output_shape) {
        return Err(Error::argument(format!("an array of shape {shape:?}: {expected}")));
    }
    if !fits(kernel_shape) || !tile.is_some_and(|tile| fits(&tile)) {
        return Err(Error::argument(format!("a kernel of shape {kernel_shape:?} for arrays of {shape:?}: {expected}")));
    }
    Ok((axes, output_shape))
}

/// The axes that arrays and kernel share.
fn tiled_axes(shape: &[usize], kernel_shape: &[usize], mode: Mode) -> Result<Vec<TiledAxis>> {
    let (axes, kernel_axes) = (shape.len(), kernel_shape.len());
    if axes == 0 {
        return Err(Error::argument("an array of 0 axes, which is one number: expected 1 or more"));
    }
    if kernel_axes == 0 || kernel_axes > axes {
        let expected = if axes == 1 { "1".into() } else { format!("1 to {axes}") };
        let one = if kernel_axes == 0 { ", which is one number," } else { "" };
        return Err(Error::argument(format!(
            "a kernel of {kernel_axes} axes{one} for arrays of {axes}: expected {expected}"
        )));
    }
    let batch = axes - kernel_axes;
    if let Some(axis) = shape[..batch].iter().position(|n| *n == 0) {
        return Err(Error::argument(format!("axis {axis} has no elements: expected 1 or more")));
    }
    let lengths = shape[batch..].iter().zip(kernel_shape).enumerate();
    lengths.map(|(i, (&input, &kernel))| TiledAxis::new(batch + i, input, kernel, mode)).collect()
}

/// The plan of a group of tiles: transform, multiply by the spectrum of the kernel, transform back.
fn plan<T: Float>(tiling: &Tiling, axes: &[TiledAxis], kernel: &[T], planner: &Planner) -> Result<Plan> {
    let spectrum = spectrum(tiling, axes, kernel, planner)?;
    let is_grouped = tiling.group > 1;
    let shape: Vec<_> = is_grouped.then_some(tiling.group).into_iter().chain(tiling.lengths.iter().copied()).collect();
    let last: Vec<_> = (usize::from(is_grouped)..shape.len()).map(|axis| axis as isize).collect();
    let forward = Problem::builder(Kind::Rfft, T::PRECISION, &shape).axes(last).build()?;
    let inverse = forward.inverse()?;
    let factors = match is_grouped {
        true => Multiplier::ComplexSeparable(vec![vec![Complex::ONE; tiling.group], spectrum]),
        false => Multiplier::ComplexTable(spectrum),
    };
    planner.plan(Pipeline::from(forward).multiply(factors).transform(inverse))
}

/// The spectrum of the kernel in double precision.
fn spectrum<T: Float>(
    tiling: &Tiling,
    axes: &[TiledAxis],
    kernel: &[T],
    planner: &Planner,
) -> Result<Vec<Complex<f64>>> {
    let problem = Problem::builder(Kind::Rfft, Precision::F64, &tiling.lengths).build()?;
    let what = |len: usize| format!("the spectrum of a kernel of {len} elements");
    let (padded_len, len) = (problem.input().len, problem.output().len);
    let mut padded = filled(padded_len, 0.0, format_args!("{}", what(padded_len)))?;
    let mut spectrum = filled(len, Complex::ZERO, format_args!("{}", what(len)))?;
    embed(axes, &tiling.lengths, kernel, &mut padded);
    planner.plan(&problem)?.execute(&padded, &mut spectrum)?;
    Ok(spectrum)
}

/// Copies a kernel to the first elements of an array.
fn embed<T: Float>(axes: &[TiledAxis], lengths: &[usize], kernel: &[T], padded: &mut [f64]) {
    let (Some((axis, rest)), Some((length, inner))) = (axes.split_first(), lengths.split_first()) else {
        padded[0] = kernel[0].into();
        return;
    };
    let (part, step) = (kernel.len() / axis.kernel, padded.len() / length);
    for (kernel, padded) in kernel.chunks(part).zip(padded.chunks_mut(step)) {
        embed(rest, inner, kernel, padded);
    }
}
