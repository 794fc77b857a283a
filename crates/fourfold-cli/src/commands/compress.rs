//! `fourfold compress`: Algorithm 3 of the paper, on each channel of an image.
//!
//! ```text
//! B = DCT-II of A;  C = f_ε(B), which drops small coefficients;  D = inverse DCT-II of C
//! ```
//!
//! Samples go from 0 to 255, and the DCT is orthonormal. A device drops what is below a threshold
//! in the last pass of the DCT-II.

use std::time::{Duration, Instant};

use anyhow::Result;
use fourfold::Precision;
use fourfold_gpu::{Device, GpuPlan};
use serde::Serialize;

use crate::any_plan::AnyPlan;
use crate::args::Compress;
use crate::array::zeros;
use crate::image_files::ImageFiles;
use crate::picture::pixels::Picture;
use crate::print::{print_json, print_text};
use crate::problems;
use crate::progress::Progress;
use crate::spectrum::Spectrum;
use crate::threshold::{Rule, Sample};

/// Reads, compresses and writes an image, and prints a report.
pub(super) fn compress_image(args: &Compress) -> Result<()> {
    let (picture, files) = ImageFiles::open(&args.image, &args.output, args.spectrum.as_deref(), &args.limit)?;
    picture.check_room(args.bytes(&picture))?;
    let mut result = picture.try_clone()?;
    let mut spectrum = args.spectrum.as_ref().map(|_| Spectrum::new(&picture)).transpose()?;
    let compress = match args.precision {
        Precision::F32 => compress::<f32>,
        Precision::F64 => compress::<f64>,
    };
    let (kept, time) = compress(args, &mut result, spectrum.as_mut())?;

    files.write(&result, spectrum.map(|spectrum| spectrum.draw(&picture)).transpose()?.as_ref())?;
    let report = Report::new(&picture, &result, kept, time);
    if args.json { print_json(&report) } else { print_text(&report.text()) }
}

/// Compresses in place. Returns the number of coefficients kept, and the time, without that for
/// planning and for drawing the spectrum.
fn compress<T: Sample>(
    args: &Compress,
    picture: &mut Picture,
    mut spectrum: Option<&mut Spectrum>,
) -> Result<(usize, Duration)> {
    let mut codec = Codec::<T>::new(args, picture)?;
    let start = Instant::now();
    let (mut kept, mut drawing) = (0, Duration::ZERO);
    let progress = Progress::new(picture.color_channels());
    for channel in 0..picture.color_channels() {
        codec.load(channel, picture);
        kept += codec.compress(|coefficients| {
            let start = Instant::now();
            if let Some(spectrum) = &mut spectrum {
                spectrum.record(channel, coefficients.iter().map(|b| b.magnitude()));
            }
            drawing += start.elapsed();
        })?;
        codec.store(channel, picture);
        progress.step();
    }
    Ok((kept, start.elapsed() - drawing))
}

/// The transform and its inverse for channels of one size.
struct Codec<T> {
    plans: Plans,
    rule: Rule,
    plane: Vec<T>,
}

enum Plans {
    /// The CPU drops coefficients, and can look at all of them before.
    Whole { forward: AnyPlan, inverse: AnyPlan },
    /// The device drops coefficients in the last pass of `forward`.
    Dropping { forward: Box<GpuPlan>, inverse: Box<GpuPlan>, device: Device },
}

impl Plans {
    fn new(args: &Compress, picture: &Picture) -> Result<Plans> {
        let (width, height, real) = (picture.width, picture.height, args.precision.name());
        let problem = problems::parse(&format!("dct2 {real} {height}x{width} ortho inplace"))?;
        let planner = args.how.planner()?;
        let inverse = planner.plan(&problem.inverse()?)?;
        Ok(match (args.rule(), &args.spectrum, inverse) {
            (Rule::Threshold(least), None, AnyPlan::Gpu(inverse, device)) => {
                Plans::Dropping { forward: Box::new(planner.threshold(&problem, least)?), inverse, device }
            }
            (_, _, inverse) => Plans::Whole { forward: planner.plan(&problem)?, inverse },
        })
    }
}

impl<T: Sample> Codec<T> {
    fn new(args: &Compress, picture: &Picture) -> Result<Codec<T>> {
        let plans = Plans::new(args, picture)?;
        Ok(Codec { plans, rule: args.rule(), plane: zeros(picture.width * picture.height)? })
    }

    fn load(&mut self, channel: usize, picture: &Picture) {
        self.plane.iter_mut().zip(picture.plane(channel)).for_each(|(a, sample)| *a = T::nearest(sample));
    }

    /// Transforms, drops what the rule does not keep, and transforms back. Returns the number of
    /// coefficients kept. Unless a device drops them, `look` gets all of them before.
    fn compress(&mut self, look: impl FnOnce(&[T])) -> Result<usize> {
        let plane = &mut self.plane;
        match &self.plans {
            Plans::Whole { forward, inverse } => {
                forward.execute_in_place(plane)?;
                look(plane);
                let kept = self.rule.apply(plane)?;
                inverse.execute_in_place(plane)?;
                Ok(kept)
            }
            Plans::Dropping { forward, inverse, device } => {
                let mut array = device.upload(plane)?;
                forward.execute_on_in_place(&mut array)?;
                array.download(plane)?;
                let kept = self.rule.apply(plane)?; // drops nothing more: it counts
                inverse.execute_on_in_place(&mut array)?;
                array.download(plane)?;
                Ok(kept)
            }
        }
    }

    fn store(&self, channel: usize, picture: &mut Picture) {
        picture.set_plane(channel, self.plane.iter().map(|&d| d.into()));
    }
}

impl Compress {
    /// The bytes for each pixel: of the result, the coefficients of a channel, their magnitudes and
    /// the plan's scratch; and with a spectrum, of its logarithms and their image.
    fn bytes(&self, picture: &Picture) -> usize {
        let spectrum = if self.spectrum.is_some() { Spectrum::BYTES * picture.color_channels() } else { 0 };
        size_of::<u16>() * picture.channels + 2 * self.precision.bytes() + size_of::<f64>() + spectrum
    }

    fn rule(&self) -> Rule {
        match (self.threshold, self.keep) {
            (Some(least), _) => Rule::Threshold(least),
            (None, percent) => Rule::Percent(percent.expect("the command line demands one of the two")),
        }
    }
}

/// The answer.
#[derive(Serialize)]
struct Report {
    width: usize,
    height: usize,
    /// Coefficients of all colour channels, and how many of them were kept.
    coefficients: usize,
    kept: usize,
    /// In dB; `None` if no sample has changed.
    psnr: Option<f64>,
    seconds: f64,
    megapixels_per_second: f64,
}

impl Report {
    fn new(before: &Picture, after: &Picture, kept: usize, time: Duration) -> Report {
        let pixels = before.width * before.height;
        Report {
            width: before.width,
            height: before.height,
            coefficients: pixels * before.color_channels(),
            kept,
            psnr: Some(psnr(before, after)).filter(|psnr| psnr.is_finite()),
            seconds: time.as_secs_f64(),
            megapixels_per_second: pixels as f64 / time.as_secs_f64() / 1e6,
        }
    }

    fn text(&self) -> String {
        let Report { coefficients, kept, psnr, seconds, megapixels_per_second, .. } = self;
        let share = 100.0 * *kept as f64 / *coefficients as f64;
        let psnr = psnr.unwrap_or(f64::INFINITY);
        format!(
            "kept  {kept} of {coefficients} coefficients ({share:.2} %)\nPSNR  {psnr:.2} dB\n\
             time  {seconds:.3} s, {megapixels_per_second:.1} megapixels/s\n"
        )
    }
}

/// Peak signal-to-noise ratio over the colour channels, 10 lg(255²/mean squared error), in dB;
/// infinite without error.
fn psnr(before: &Picture, after: &Picture) -> f64 {
    let unit = f64::from(before.brightest()) / 255.0;
    let pixels = before.samples.chunks_exact(before.channels).zip(after.samples.chunks_exact(before.channels));
    let colors = before.color_channels();
    let squares: f64 = pixels
        .flat_map(|(a, b)| a[..colors].iter().zip(&b[..colors]))
        .map(|(&a, &b)| ((f64::from(a) - f64::from(b)) / unit).powi(2))
        .sum();
    let mean = squares / (before.width * before.height * colors) as f64;
    10.0 * (255.0_f64.powi(2) / mean).log10()
}
