pub(crate) mod multiplier;
pub(crate) mod recipe;
pub(crate) mod rules;
pub(crate) mod scheme;
