pub(crate) mod bluestein;
pub(crate) mod direct;
pub(crate) mod inner;
pub(crate) mod kernel;
pub(crate) mod rader;
