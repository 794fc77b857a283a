pub(crate) mod dft;
pub(crate) mod factor;
pub(crate) mod pass;
