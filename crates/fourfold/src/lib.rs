//! Fourier-related transforms of arrays of any size and dimension: DCT and DST I to IV, DHT, IDXST,
//! real and complex FFTs.
//!
//! Data goes one way: [`Problem`] (what) → [`Recipe`] (how, as data) → [`Plan`] (an engine's
//! executable form) → execute.
//!
//! ```
//! use fourfold::{Planner, Problem};
//! let problem: Problem = "dct2 f64 2x3 ortho".parse()?;
//! let plan = Planner::new().plan(&problem)?;
//! let mut y = [0.0; 6];
//! plan.execute(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut y)?;
//! assert!((y[0] - 21.0 / 6f64.sqrt()).abs() < 1e-14);
//! # Ok::<(), fourfold::Error>(())
//! ```
//!
//! - [`Kind`] defines every transform, [`Norm`] its scale; [`Problem`] has the notation,
//!   [`Problem::builder`] says the same in Rust.
//! - A [`Planner`] has the number of threads and the instruction set, and keeps the tables of all
//!   its plans.
//! - A [`Plan`] runs on slices, on strided views ([`View`], [`ViewMut`]) and, with the feature
//!   `ndarray`, on arrays of that crate. With [`Scratch`] that you keep, it allocates nothing.
//! - A [`Pipeline`] is transforms and pointwise multiplies that one plan computes, such as forward →
//!   multiply → inverse; [`electrostatics`] and [`poisson`] are made of such plans.
//! - [`convolve`] convolves arrays with kernels, by such plans or by direct sums.
//! - [`oracle`] has the definitions, to about 30 digits, and compares results with them.
//! - [`baseline`] has the original papers' algorithms, for comparison.
//! - [`engine`] is for authors of other engines, [`timing`] for them and for benchmarks.
//!
//! Invalid input returns an [`Error`] that says what was expected; nothing panics.

mod arithmetic;
pub mod baseline;
pub mod convolve;
mod cpu;
pub mod electrostatics;
pub mod engine;
mod error;
mod jpeg;
pub mod oracle;
mod plan;
pub mod poisson;
mod problem;
mod recipe;
pub mod timing;

pub use crate::cpu::base::memory::{Scratch, View, ViewMut};
pub use crate::cpu::simd::dispatch::Isa;
pub use crate::error::{Error, ErrorKind, Result};
pub use crate::plan::builder::PlannerBuilder;
pub use crate::plan::plan::Plan;
pub use crate::plan::planner::{Effort, Planner};
pub use crate::plan::wisdom::Wisdom;
pub use crate::problem::builder::ProblemBuilder;
pub use crate::problem::element::{Domain, Element, Precision, Storage};
pub use crate::problem::float::Float;
pub use crate::problem::half::{Bf16, F16};
pub use crate::problem::kind::Kind;
pub use crate::problem::layout::Layout;
pub use crate::problem::norm::Norm;
pub use crate::problem::problem::Problem;
pub use crate::recipe::multiplier::Multiplier;
pub use crate::recipe::pipeline::Pipeline;
pub use crate::recipe::recipe::Recipe;

/// The pages for newcomers: their Rust is tested with the rest of the documentation.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../docs/from-fftw.md")]
    mod from_fftw {}
    #[doc = include_str!("../../../docs/from-rustfft.md")]
    mod from_rustfft {}
    #[doc = include_str!("../../../docs/convolve.md")]
    mod convolve {}
    #[doc = include_str!("../../../docs/from-scipy.md")]
    mod from_scipy {}
}
