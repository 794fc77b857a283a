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

mod dd;
pub mod naive;
mod twiddle;
pub mod verify;

pub use builder::ProblemBuilder;
pub use element::{Domain, Element, Precision};
pub use error::{Error, ErrorKind, Result};
pub use kind::{Kind, Sum};
pub use layout::Layout;
pub use norm::{Edges, Norm};
pub use problem::{AxisTransform, Problem};
