pub(crate) mod bench;
pub(crate) mod info;
pub(crate) mod poisson;
pub(crate) mod transform;
pub(crate) mod verify;
