//! Convolution and correlation with a kernel, and filters by frequency.
//!
//! A [`Convolution`] has a kernel and computes its spectrum once. Then it convolves any number of
//! arrays of one shape, by transforms of tiles that overlap (overlap-save) or by direct sums,
//! whichever is estimated to be faster:
//!
//! ```
//! use fourfold::Planner;
//! use fourfold::convolve::{Boundary, Convolution, Mode};
//! // The mean of 3 × 3 pixels, with the image mirrored at its edges.
//! let kernel = [1.0 / 9.0; 9];
//! let blur = Convolution::<f64>::builder([4, 5], [3, 3], &kernel)
//!     .mode(Mode::Same)
//!     .boundary(Boundary::Reflect)
//!     .build(&Planner::new())?;
//! let (image, mut blurred) = ([2.0; 20], [0.0; 20]);
//! blur.apply(&image, &mut blurred)?;
//! assert!(blurred.iter().all(|y| (y - 2.0).abs() < 1e-14));
//! # Ok::<(), fourfold::Error>(())
//! ```
//!
//! With x continued beyond its ends as the [`Boundary`] says, N elements of x and K of the kernel h
//! along an axis, the full convolution is
//!
//! ```text
//! y_n = Σ_j h_j x_{n−j},    j = 0 … K − 1,    n = 0 … N + K − 2
//! ```
//!
//! and a correlation is the same with the kernel reversed. [`Mode`] says which n are computed. If an
//! array has more axes than the kernel, its first axes count separate arrays.
//!
//! A NaN or an infinity in x makes the outputs whose sums include it NaN or infinite. If transforms
//! compute them, these are all outputs of every tile that includes it.
//!
//! A [`FrequencyFilter`] multiplies the spectrum of an array by a low-pass, high-pass or band-pass
//! response.

pub(crate) mod convolution;
pub(crate) mod direct;
pub(crate) mod frequency_filter;
pub(crate) mod tiles;
pub(crate) mod tiling;

pub use crate::convolve::convolution::{Convolution, ConvolutionBuilder};
pub use crate::convolve::frequency_filter::{Band, FrequencyFilter, Rolloff};
pub use crate::convolve::tiles::{Boundary, Mode, fast_length};
pub use crate::convolve::tiling::ConvolutionMethod;
