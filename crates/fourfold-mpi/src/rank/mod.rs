pub(crate) mod call;
pub(crate) mod datatype;
pub(crate) mod device;
pub(crate) mod library;
pub(crate) mod message;
pub(crate) mod rank;
