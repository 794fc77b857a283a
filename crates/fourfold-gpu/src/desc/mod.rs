pub(crate) mod action;
pub(crate) mod choice;
pub(crate) mod combine;
pub(crate) mod geometry;
pub(crate) mod kernel;
pub(crate) mod pointwise;
pub(crate) mod sizes;
pub(crate) mod stage;
