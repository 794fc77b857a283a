pub(crate) mod butterfly;
pub(crate) mod complex;
pub(crate) mod cosine8;
pub(crate) mod dd;
pub(crate) mod real;
pub(crate) mod spectrum;
pub(crate) mod twiddle;
