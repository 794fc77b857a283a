pub(crate) mod action;
pub(crate) mod choice;
pub(crate) mod descriptor;
pub(crate) mod geometry;
pub(crate) mod sizes;
