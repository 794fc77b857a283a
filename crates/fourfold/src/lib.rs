//! Fourier-related transforms of arrays of any size and dimension.
//!
//! Data goes one way: [`Problem`] (what) → [`Recipe`] (how, as data) → [`Plan`] (an engine's executable form) → execute.

mod builder;
mod element;
mod error;
mod kind;
mod layout;
mod norm;
mod notation;
mod problem;

mod butterfly;
mod complex;
mod cpu;
mod multiplier;
#[cfg(feature = "ndarray")]
mod ndarray;
mod plan;
mod planner;
mod real;
mod recipe;
mod rules;

mod dd;
pub mod naive;
mod spectrum;
mod twiddle;
pub mod verify;

pub use builder::ProblemBuilder;
pub use cpu::dispatch::Isa;
pub use cpu::memory::{Scratch, View, ViewMut};
pub use element::{Domain, Element, Precision};
pub use error::{Error, ErrorKind, Result};
pub use kind::{Kind, Sum};
pub use layout::Layout;
pub use multiplier::Multiplier;
pub use norm::{Edges, Norm};
pub use plan::Plan;
pub use planner::{Planner, PlannerBuilder};
pub use problem::{AxisTransform, Problem};
pub use recipe::{Line, Op, Pass, Place, Recipe, Scheme};
pub use rules::mixed_radix::{Factor, RADICES};

/// The pages for newcomers: their Rust is tested with the rest of the documentation.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../docs/from-fftw.md")]
    mod from_fftw {}
    #[doc = include_str!("../../../docs/from-rustfft.md")]
    mod from_rustfft {}
    #[doc = include_str!("../../../docs/from-scipy.md")]
    mod from_scipy {}
}
