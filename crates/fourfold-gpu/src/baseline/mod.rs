pub(crate) mod host;
pub(crate) mod inspect;
pub(crate) mod kernels;
pub(crate) mod staged;
