pub(crate) mod multiplier;
pub(crate) mod parse;
pub(crate) mod parse_scheme;
pub(crate) mod pipeline;
pub(crate) mod recipe;
pub(crate) mod reduction;
pub(crate) mod rules;
pub(crate) mod scheme;
