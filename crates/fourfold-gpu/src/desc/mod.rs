pub(crate) mod action;
pub(crate) mod descriptor;
pub(crate) mod geometry;
pub(crate) mod sizes;
