//! `fourfold convolve`: convolves an image or the array in a .npy file with a kernel.

use std::ffi::OsStr;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use fourfold::convolve::{Convolution, ConvolutionMethod, Mode};
use fourfold::oracle::verify::Data;
use fourfold::{Float, Planner, Precision};
use serde::Serialize;

use crate::args::convolve::Convolve;
use crate::array::{check_memory, collect, fitting, zeros};
use crate::array_files::{ArrayFiles, open_array};
use crate::image_files::ImageFiles;
use crate::npy::Npy;
use crate::print::{print_json, print_text};

/// Reads, convolves and writes, and prints a report.
pub(super) fn convolve_file(args: &Convolve) -> Result<()> {
    let is_array = args.input.extension().and_then(OsStr::to_str).is_some_and(|name| name.eq_ignore_ascii_case("npy"));
    let report = if is_array { convolve_array(args)? } else { convolve_image(args)? };
    if args.json { print_json(&report) } else { print_text(&report.text()) }
}

fn convolve_array(args: &Convolve) -> Result<Report> {
    let inputs: Vec<_> = [Some(&*args.input), args.kernel.as_deref()].into_iter().flatten().collect();
    let files = ArrayFiles::create(&inputs, &args.output, args.plot.as_deref())?;
    let failed = || unread(&args.input);
    let npy = open_array(&args.input).with_context(failed)?;
    let precision = args.precision.or(npy.header.dtype.precision()).unwrap_or(Precision::F64);
    let (shape, data) = (npy.header.shape.clone(), npy.read_reals(precision).with_context(failed)?);
    let (result, report) = match &data {
        Data::F32(x) => convolved(args, &shape, x).map(|(y, report)| (Data::F32(y), report))?,
        Data::F64(x) => convolved(args, &shape, x).map(|(y, report)| (Data::F64(y), report))?,
        _ => unreachable!("the reals of a file"),
    };
    files.write(&report.shape, &result)?;
    Ok(report)
}

fn convolved<T: Float>(args: &Convolve, shape: &[usize], x: &[T]) -> Result<(Vec<T>, Report)> {
    let convolution = args.convolution::<T>(shape, 0)?;
    let mut y = zeros(convolution.output_shape().iter().product())?;
    let start = Instant::now();
    convolution.apply(x, &mut y)?;
    Ok((y, Report::new(&convolution, start)))
}

fn convolve_image(args: &Convolve) -> Result<Report> {
    ensure!(args.mode == Mode::Same, "an image keeps its size: leave out --mode {}", args.mode);
    ensure!(args.plot.is_none(), "the output is an image: leave out --plot");
    let (picture, files) = ImageFiles::open(&args.input, &args.output, None, &args.limit)?;
    let (shape, count) = ([picture.height, picture.width], picture.height * picture.width);
    // The channel that is convolved, and a copy of the image.
    let other = count.saturating_mul(size_of::<f64>() + picture.channels * size_of::<u16>());
    let convolution = args.convolution::<f64>(&shape, other)?;
    let (mut result, mut plane) = (picture.try_clone()?, zeros(count)?);
    let start = Instant::now();
    for channel in 0..picture.color_channels() {
        convolution.apply(&collect(count, picture.plane(channel))?, &mut plane)?;
        result.set_plane(channel, plane.iter().copied());
    }
    let report = Report::new(&convolution, start);
    files.write(&result, None)?;
    Ok(report)
}

fn unread(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

/// The kernel before its elements take memory.
enum Kernel {
    File(PathBuf, Npy<BufReader<File>>),
    /// The product of the same weights along all axes.
    Product(Vec<f64>),
}

impl Kernel {
    fn shape(&self, axes: usize) -> Vec<usize> {
        match self {
            Kernel::File(_, npy) => npy.header.shape.clone(),
            Kernel::Product(weights) => vec![weights.len(); axes],
        }
    }

    fn elements(self, axes: usize) -> Result<Vec<f64>> {
        match self {
            Kernel::Product(weights) => product(&weights, axes),
            Kernel::File(path, npy) => match npy.read_reals(Precision::F64).with_context(|| unread(&path))? {
                Data::F64(kernel) => Ok(kernel),
                _ => unreachable!("the reals of a file"),
            },
        }
    }
}

impl Convolve {
    /// The convolution of arrays of this shape, if there is memory for it, its output and so many
    /// `other` bytes.
    fn convolution<T: Float>(&self, shape: &[usize], other: usize) -> Result<Convolution<T>> {
        let kernel = self.kernel()?;
        let kernel_shape = kernel.shape(shape.len());
        let count = kernel_shape.iter().fold(1, |count: usize, n| count.saturating_mul(*n));
        let own = Convolution::<T>::memory(shape, &kernel_shape, self.mode, self.threads)?;
        // The kernel is made in `f64`, and copied.
        let bytes = count.saturating_mul(size_of::<f64>() + size_of::<T>()).saturating_add(own);
        check_memory(bytes.saturating_add(other))?;
        let kernel = kernel.elements(shape.len())?;
        let fits = |(at, &h): (usize, &f64)| fitting::<T>(h, format_args!("element {at} of the kernel")).map(drop);
        kernel.iter().enumerate().try_for_each(fits)?;
        let kernel = collect(kernel.len(), kernel.iter().map(|&h| T::nearest(h)))?;
        let builder = Convolution::builder(shape, &kernel_shape, &kernel).mode(self.mode).boundary(self.boundary);
        let builder = if self.correlate { builder.correlate() } else { builder };
        Ok(builder.build(&Planner::builder().threads(self.threads).build()?)?)
    }

    fn kernel(&self) -> Result<Kernel> {
        Ok(match (&self.kernel, self.gaussian, self.side) {
            (Some(path), ..) => Kernel::File(path.clone(), open_array(path).with_context(|| unread(path))?),
            (_, Some(sigma), _) => Kernel::Product(gaussian(sigma)),
            (.., side) => {
                let side = usize::from(side.expect("the command line demands one of the three"));
                Kernel::Product(vec![1.0 / side as f64; side])
            }
        })
    }
}

/// exp(−n²/(2σ²)) for |n| ≤ 4σ, with the sum 1.
fn gaussian(sigma: f64) -> Vec<f64> {
    let radius = (4.0 * sigma).ceil() as i32;
    let weights: Vec<_> = (-radius..=radius).map(|n| (-0.5 * (f64::from(n) / sigma).powi(2)).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// The product of the same weights along all axes.
fn product(weights: &[f64], axes: usize) -> Result<Vec<f64>> {
    let mut kernel = vec![1.0];
    for _ in 0..axes {
        let count = kernel.len().checked_mul(weights.len()).context("the kernel does not fit in memory")?;
        kernel = collect(count, kernel.iter().flat_map(|outer| weights.iter().map(move |weight| outer * weight)))?;
    }
    Ok(kernel)
}

/// The answer.
#[derive(Serialize)]
struct Report {
    shape: Vec<usize>,
    /// `direct` or `transform`, with the shape of their tiles.
    method: &'static str,
    tile: Vec<usize>,
    seconds: f64,
}

impl Report {
    fn new<T: Float>(convolution: &Convolution<T>, start: Instant) -> Report {
        let (method, tile) = convolution.method();
        let method = if method == ConvolutionMethod::Direct { "direct" } else { "transform" };
        let seconds = start.elapsed().as_secs_f64();
        Report { shape: convolution.output_shape().to_vec(), method, tile: tile.to_vec(), seconds }
    }

    fn text(&self) -> String {
        let joined = |shape: &[usize]| shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        let way = match self.method {
            "direct" => "direct sums",
            _ => "transforms",
        };
        let (shape, tile) = (joined(&self.shape), joined(&self.tile));
        format!("computed  {shape} elements by {way}, in tiles of {tile}\ntime      {:.3} s\n", self.seconds)
    }
}
