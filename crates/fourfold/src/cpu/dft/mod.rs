pub(crate) mod dft;
pub(crate) mod factor;
pub(crate) mod pass;
pub(crate) mod permuted;
pub(crate) mod places;
