//! `fourfold filter`: the high-pass filter of "Speeding up the fast Fourier transform mixed-radix
//! on mobile ARM Mali GPUs by means of OpenCL", part 3, and other filters by frequency, on each
//! channel of an image.
//!
//! ```text
//! X = FFT of x;  Y = h X, for the ideal ones with h(k, l) = 1 where ρ passes, else 0;  y = inverse FFT of Y
//! ρ(k, l) = √((2k/H)² + (2l/W)²),  |k| ≤ H/2, |l| ≤ W/2
//! ```
//!
//! The article gives neither F nor a unit. Here the unit is the Nyquist frequency, half a cycle a
//! pixel, whatever the image's size. Samples go from 0 to 255, and the FFT is orthonormal. Without
//! frequency 0 the mean of y is 0, so the result of a high-pass or band-pass filter is shown as |y|,
//! which is bright at edges.

use std::f64::consts::FRAC_1_SQRT_2;
use std::time::{Duration, Instant};

use anyhow::Result;
use fourfold::convolve::{Band, FrequencyFilter};
use fourfold::oracle::verify::Data;
use fourfold::{Multiplier, Problem};
use serde::Serialize;

use crate::any_plan::AnyPlan;
use crate::args::Filter;
use crate::array::zeros_of;
use crate::image_files::ImageFiles;
use crate::picture::pixels::Picture;
use crate::print::{print_json, print_text};
use crate::problems;
use crate::progress::Progress;
use crate::spectrum::Spectrum;

/// Reads, filters and writes an image, and prints a report.
pub(super) fn filter_image(args: &Filter) -> Result<()> {
    let (picture, files) = ImageFiles::open(&args.image, &args.output, args.spectrum.as_deref(), &args.limit)?;
    picture.check_room(args.bytes(&picture))?;
    let mut result = picture.try_clone()?;
    let mut channels = Channels::new(args, &picture)?;
    let start = Instant::now();
    let progress = Progress::new(picture.color_channels());
    for channel in 0..picture.color_channels() {
        channels.filter(channel, &mut result)?;
        progress.step();
    }
    let time = start.elapsed();
    drop(progress);
    let spectrum = args.spectrum.as_ref().map(|_| channels.draw(args, &picture)).transpose()?;
    files.write(&result, spectrum.as_ref())?;
    let report = Report::new(&channels.response, time);
    if args.json { print_json(&report) } else { print_text(&report.text()) }
}

impl Filter {
    /// The bytes for each pixel: of the result, the response, and four arrays, which are the input,
    /// the output, the plan's scratch and its factors; and with a spectrum, of its logarithms and
    /// their image, of half a spectrum and of its plan's scratch.
    fn bytes(&self, picture: &Picture) -> usize {
        let (real, colors) = (self.precision.bytes(), picture.color_channels());
        let spectrum = if self.spectrum.is_some() { Spectrum::BYTES * colors + 2 * real } else { 0 };
        size_of::<u16>() * picture.channels + size_of::<f64>() + 4 * real + spectrum
    }
}

/// The response of a filter, for images of one size.
struct Response {
    size: [usize; 2],
    /// h on the half spectrum, as a table.
    multiplier: Multiplier,
    drops_mean: bool,
}

impl Response {
    fn new(args: &Filter, picture: &Picture) -> Result<Response> {
        let band = match (args.high_pass, args.band_pass, args.low_pass) {
            (Some(cutoff), ..) => Band::High(cutoff),
            (_, Some((low, high)), _) => Band::Pass(low, high),
            (.., cutoff) => Band::Low(cutoff.expect("the command line demands one of the three")),
        };
        let size = [picture.height, picture.width];
        let multiplier = Multiplier::Table(FrequencyFilter::new(band, args.rolloff)?.factors(&size)?);
        Ok(Response { size, multiplier, drops_mean: args.low_pass.is_none() })
    }

    /// The factor on the term at index `at` of the half spectrum.
    fn factor(&self, at: usize) -> f64 {
        let Multiplier::Table(factors) = &self.multiplier else { unreachable!("a filter has a table") };
        factors[at]
    }

    /// For every pixel of the whole spectrum, with frequency 0 at \[H/2, W/2\], the index of its
    /// term in the half spectrum. Terms beyond the half are conjugates: X(k, l) = X̄(−k, −l).
    fn centred(&self) -> impl Iterator<Item = usize> + '_ {
        let [height, width] = self.size;
        let half = width / 2 + 1;
        let frequency = |place: usize, n: usize| (place + n - n / 2) % n;
        let places = (0..height).flat_map(move |row| (0..width).map(move |column| (row, column)));
        places.map(move |(row, column)| match (frequency(row, height), frequency(column, width)) {
            (k, l) if l < half => k * half + l,
            (k, l) => (height - k) % height * half + width - l,
        })
    }
}

/// The filter for the channels of an image.
struct Channels {
    response: Response,
    forward: Problem,
    plan: AnyPlan,
    input: Data,
    output: Data,
}

impl Channels {
    fn new(args: &Filter, picture: &Picture) -> Result<Channels> {
        let (response, real) = (Response::new(args, picture)?, args.precision.name());
        let [height, width] = response.size;
        let forward = problems::parse(&format!("rfft {real} {height}x{width} ortho"))?;
        let plan = args.how.planner()?.filter(&forward, &response.multiplier)?;
        let reals = || zeros_of(args.precision, forward.input_domain(), height * width);
        Ok(Channels { plan, input: reals()?, output: reals()?, response, forward })
    }

    fn filter(&mut self, channel: usize, picture: &mut Picture) -> Result<()> {
        self.load(channel, picture);
        self.plan.execute(&self.input, &mut self.output)?;
        let reals = (0..self.response.size.iter().product()).map(|i| self.output.get(i).re);
        picture.set_plane(channel, reals.map(|y| if self.response.drops_mean { y.abs() } else { y }));
        Ok(())
    }

    fn load(&mut self, channel: usize, picture: &Picture) {
        picture.plane(channel).enumerate().for_each(|(i, sample)| self.input.set(i, sample.into()));
    }

    /// Draws the spectrum that passes.
    fn draw(&mut self, args: &Filter, picture: &Picture) -> Result<Picture> {
        let (mut spectrum, plan) = (Spectrum::new(picture)?, args.how.planner()?.plan(&self.forward)?);
        let mut half = zeros_of(args.precision, self.forward.output_domain(), self.forward.output().len)?;
        for channel in 0..picture.color_channels() {
            self.load(channel, picture);
            plan.execute(&self.input, &mut half)?;
            let magnitude = |at: usize| self.response.factor(at) * half.get(at).norm();
            spectrum.record(channel, self.response.centred().map(magnitude));
        }
        spectrum.draw(picture)
    }
}

/// The answer.
#[derive(Serialize)]
struct Report {
    width: usize,
    height: usize,
    /// The number of frequencies of a channel, and of those with a factor of 1/√2 or more.
    frequencies: usize,
    passed: usize,
    seconds: f64,
    megapixels_per_second: f64,
}

impl Report {
    fn new(response: &Response, time: Duration) -> Report {
        let [height, width] = response.size;
        Report {
            width,
            height,
            frequencies: height * width,
            passed: response.centred().filter(|&at| response.factor(at) >= FRAC_1_SQRT_2).count(),
            seconds: time.as_secs_f64(),
            megapixels_per_second: (height * width) as f64 / time.as_secs_f64() / 1e6,
        }
    }

    fn text(&self) -> String {
        let Report { frequencies, passed, seconds, megapixels_per_second, .. } = self;
        let share = 100.0 * *passed as f64 / *frequencies as f64;
        format!(
            "passed  {passed} of {frequencies} frequencies ({share:.2} %)\n\
             time    {seconds:.3} s, {megapixels_per_second:.1} megapixels/s\n"
        )
    }
}
