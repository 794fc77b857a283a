//! `fourfold convolve`: convolves an image or the array in a .npy file with a kernel.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use fourfold::convolve::{Convolution, ConvolutionMethod, Mode};
use fourfold::oracle::verify::Data;
use fourfold::{Float, Planner, Precision};
use serde::Serialize;

use crate::args::convolve::Convolve;
use crate::array::{collect, zeros};
use crate::array_files::ArrayFiles;
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
    let (npy, failed) = (Npy::open(&args.input), || format!("cannot read {}", args.input.display()));
    let npy = npy.with_context(failed)?;
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
    let convolution = args.convolution::<T>(shape)?;
    let mut y = zeros(convolution.output_shape().iter().product())?;
    let start = Instant::now();
    convolution.apply(x, &mut y)?;
    Ok((y, Report::new(&convolution, start)))
}

fn convolve_image(args: &Convolve) -> Result<Report> {
    ensure!(args.mode == Mode::Same, "an image keeps its size: leave out --mode {}", args.mode);
    ensure!(args.plot.is_none(), "the output is an image: leave out --plot");
    let (picture, files) = ImageFiles::open(&args.input, &args.output, None, &args.limit)?;
    let mut result = picture.try_clone()?;
    let shape = [picture.height, picture.width];
    let convolution = args.convolution::<f64>(&shape)?;
    let (mut plane, count) = (zeros(shape[0] * shape[1])?, shape[0] * shape[1]);
    let start = Instant::now();
    for channel in 0..picture.color_channels() {
        convolution.apply(&collect(count, picture.plane(channel))?, &mut plane)?;
        result.set_plane(channel, plane.iter().copied());
    }
    let report = Report::new(&convolution, start);
    files.write(&result, None)?;
    Ok(report)
}

impl Convolve {
    /// The convolution of arrays of this shape.
    fn convolution<T: Float>(&self, shape: &[usize]) -> Result<Convolution<T>> {
        let (kernel_shape, kernel) = match (&self.kernel, self.gaussian, self.side) {
            (Some(path), ..) => read_kernel(path)?,
            (_, Some(sigma), _) => product(&gaussian(sigma), shape.len())?,
            (.., side) => {
                let side = usize::from(side.expect("the command line demands one of the three"));
                product(&vec![1.0 / side as f64; side], shape.len())?
            }
        };
        let kernel = collect(kernel.len(), kernel.iter().map(|&h| T::nearest(h)))?;
        let builder = Convolution::builder(shape, &kernel_shape, &kernel).mode(self.mode).boundary(self.boundary);
        let builder = if self.correlate { builder.correlate() } else { builder };
        Ok(builder.build(&Planner::builder().threads(self.threads).build()?)?)
    }
}

fn read_kernel(path: &Path) -> Result<(Vec<usize>, Vec<f64>)> {
    let failed = || format!("cannot read {}", path.display());
    let npy = Npy::open(path).with_context(failed)?;
    let shape = npy.header.shape.clone();
    match npy.read_reals(Precision::F64).with_context(failed)? {
        Data::F64(kernel) => Ok((shape, kernel)),
        _ => unreachable!("the reals of a file"),
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
fn product(weights: &[f64], axes: usize) -> Result<(Vec<usize>, Vec<f64>)> {
    let mut kernel = vec![1.0];
    for _ in 0..axes {
        let count = kernel.len().checked_mul(weights.len()).context("the kernel does not fit in memory")?;
        kernel = collect(count, kernel.iter().flat_map(|outer| weights.iter().map(move |weight| outer * weight)))?;
    }
    Ok((vec![weights.len(); axes], kernel))
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
