//! Filters by frequency: responses of the ideal, Gaussian and Butterworth filters.

use crate::error::{Error, Result, reserve};
use crate::problem::element::Precision;
use crate::problem::kind::Kind;
use crate::problem::problem::Problem;
use crate::recipe::multiplier::Multiplier;
use crate::recipe::pipeline::Pipeline;
use std::f64::consts::LN_2;
use std::str::FromStr;

/// The frequencies that pass. Cut-offs are in units of the Nyquist frequency, half a cycle an
/// element: in d dimensions, frequencies are from 0 to √d.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Band {
    /// Frequencies up to a cut-off.
    Low(f64),
    /// Frequencies from a cut-off on.
    High(f64),
    /// Frequencies between two cut-offs.
    Pass(f64, f64),
}

/// The response near a cut-off F at the frequency ρ. The magnitude at the cut-off is 1/√2, except
/// with the ideal one. A high-pass filter has √(1 − h²) where the low-pass filter has h.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rolloff {
    /// 1 up to the cut-off, included, and 0 beyond.
    #[default]
    Ideal,
    /// exp(−½ ln 2 (ρ/F)²).
    Gaussian,
    /// 1/√(1 + (ρ/F)^{2n}), of order n.
    Butterworth(u32),
}

/// A filter by frequency, the same in all directions.
///
/// ```
/// use fourfold::convolve::{Band, FrequencyFilter, Rolloff};
/// use fourfold::{Planner, Precision};
/// let smooth = FrequencyFilter::new(Band::Low(0.25), Rolloff::Butterworth(2))?;
/// let plan = Planner::new().plan(smooth.pipeline(&[30, 40], Precision::F64)?)?;
/// let (image, mut smoothed) = (vec![3.0f64; 1200], vec![0.0f64; 1200]);
/// plan.execute(&image, &mut smoothed)?;
/// assert!(smoothed.iter().all(|y| (y - 3.0).abs() < 1e-13)); // the mean passes
/// # Ok::<(), fourfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrequencyFilter {
    band: Band,
    rolloff: Rolloff,
}

impl FrequencyFilter {
    /// A filter with these cut-offs.
    ///
    /// # Errors
    /// If a cut-off is negative or not finite, if the first one of a band is not the lesser, or if
    /// the order is 0.
    pub fn new(band: Band, rolloff: Rolloff) -> Result<FrequencyFilter> {
        let filter = FrequencyFilter { band, rolloff };
        if let Some(cutoff) = filter.cutoffs().find(|cutoff| !(cutoff.is_finite() && *cutoff >= 0.0)) {
            return Err(Error::argument(format!("a cut-off of {cutoff}: expected a finite number from 0 on")));
        }
        if let Band::Pass(low, high) = band
            && low >= high
        {
            return Err(Error::argument(format!("a band from {low} to {high}: expected the lower cut-off first")));
        }
        if rolloff == Rolloff::Butterworth(0) {
            return Err(Error::argument("a Butterworth filter of order 0: expected 1 or more"));
        }
        Ok(filter)
    }

    fn cutoffs(&self) -> impl Iterator<Item = f64> {
        let (one, other) = match self.band {
            Band::Low(cutoff) | Band::High(cutoff) => (cutoff, None),
            Band::Pass(low, high) => (low, Some(high)),
        };
        [one].into_iter().chain(other)
    }

    /// The factor on the terms of a frequency.
    pub fn response(&self, frequency: f64) -> f64 {
        match self.band {
            Band::Low(cutoff) => self.rolloff.low(frequency, cutoff),
            Band::High(cutoff) => self.rolloff.high(frequency, cutoff),
            Band::Pass(low, high) => self.rolloff.high(frequency, low) * self.rolloff.low(frequency, high),
        }
    }

    /// The factors on the terms of an `rfft` of real arrays of this shape, in C order.
    ///
    /// # Errors
    /// If a cut-off exceeds the highest frequency √d, if the shape is not that of a problem, or if
    /// there is no memory.
    pub fn factors(&self, shape: &[usize]) -> Result<Vec<f64>> {
        let highest = (shape.len() as f64).sqrt();
        // Rounding makes √2 slightly less or more in the user's text.
        if let Some(cutoff) = self.cutoffs().find(|cutoff| *cutoff > highest * (1.0 + 1e-6)) {
            let message = format!("a cut-off of {cutoff}: expected one within the band, from 0 to {highest}");
            return Err(Error::argument(message));
        }
        let problem = Problem::builder(Kind::Rfft, Precision::F64, shape).build()?;
        let terms = &problem.output().shape;
        let mut squares = vec![0.0];
        for (&n, &count) in shape.iter().zip(terms) {
            let outer = std::mem::take(&mut squares);
            let len = outer.len() * count;
            reserve(&mut squares, len, format_args!("{len} factors of a filter"))?;
            let square = |k: usize| (2.0 * k.min(n - k) as f64 / n as f64).powi(2);
            squares.extend(outer.iter().flat_map(|outer| (0..count).map(move |k| outer + square(k))));
        }
        squares.iter_mut().for_each(|square| *square = self.response(square.sqrt()));
        Ok(squares)
    }

    /// The filter of real arrays of this shape, which counts them as periodic: `rfft`, multiply,
    /// `irfft`.
    ///
    /// # Errors
    /// Those of [`FrequencyFilter::factors`].
    pub fn pipeline(&self, shape: &[usize], precision: Precision) -> Result<Pipeline<'static>> {
        let factors = Multiplier::Table(self.factors(shape)?);
        let forward = Problem::builder(Kind::Rfft, precision, shape).build()?;
        let inverse = forward.inverse()?;
        Ok(Pipeline::from(forward).multiply(factors).transform(inverse))
    }
}

impl Rolloff {
    fn low(self, frequency: f64, cutoff: f64) -> f64 {
        if self == Rolloff::Ideal {
            return if frequency <= cutoff { 1.0 } else { 0.0 };
        }
        (1.0 / (1.0 + self.power_ratio(frequency, cutoff))).sqrt()
    }

    fn high(self, frequency: f64, cutoff: f64) -> f64 {
        if self == Rolloff::Ideal {
            return if frequency >= cutoff { 1.0 } else { 0.0 };
        }
        // √(1 − h²) = √(r/(1 + r)), without cancellation.
        let ratio = self.power_ratio(frequency, cutoff);
        if ratio.is_finite() { (ratio / (1.0 + ratio)).sqrt() } else { 1.0 }
    }

    /// r with h² = 1/(1 + r) for the low-pass filter.
    fn power_ratio(self, frequency: f64, cutoff: f64) -> f64 {
        let ratio = if frequency == 0.0 { 0.0 } else { frequency / cutoff };
        match self {
            Rolloff::Ideal => unreachable!("an ideal filter compares"),
            Rolloff::Gaussian => (LN_2 * ratio * ratio).exp_m1(),
            Rolloff::Butterworth(order) => ratio.powf(2.0 * f64::from(order)),
        }
    }
}

/// Parses `ideal`, `gaussian` and `butterworth:3`.
impl FromStr for Rolloff {
    type Err = Error;

    fn from_str(text: &str) -> Result<Rolloff> {
        let unknown = || {
            let message =
                format!("the roll-off `{}`: expected ideal, gaussian or butterworth:ORDER", text.escape_debug());
            Error::argument(message)
        };
        match text.split_once(':') {
            None if text == "ideal" => Ok(Rolloff::Ideal),
            None if text == "gaussian" => Ok(Rolloff::Gaussian),
            Some(("butterworth", order)) => order.parse().map(Rolloff::Butterworth).map_err(|_| unknown()),
            _ => Err(unknown()),
        }
    }
}
