//! The original papers' algorithms, included for comparison.
//!
//! The recipe of a baseline is a [`StagedRecipe`]: a list of [stages](Stage), each of which is one
//! trip through memory. [`Algorithm`] lists the baselines, and [`Algorithm::recipe`] makes their
//! recipes. A [`Planner`](crate::Planner) makes plans of them, as of other recipes.

pub(crate) mod algorithm;
pub(crate) mod any_recipe;
pub mod combine;
pub(crate) mod cpu;
pub(crate) mod fft_step;
pub(crate) mod ladder;
pub(crate) mod levels;
pub(crate) mod one_dimension;
pub(crate) mod row_column;
pub(crate) mod stage;
pub(crate) mod staged_recipe;
pub(crate) mod three_stage;

pub use crate::baseline::algorithm::Algorithm;
pub use crate::baseline::any_recipe::AnyRecipe;
pub use crate::baseline::fft_step::{Decimation, Factors, FftStep, FftWork, GroupShape, LaunchMode, Level};
pub use crate::baseline::stage::{
    AccessPattern, ArrayDesc, Combine, CombineAxis, CombineVariant, Direction, Order, Stage, StageWork,
};
pub use crate::baseline::staged_recipe::StagedRecipe;
pub use crate::recipe::reduction::IndexMap;
pub use crate::recipe::reorder::EvenOdd;
