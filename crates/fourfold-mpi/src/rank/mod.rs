pub(crate) mod call;
pub(crate) mod datatype;
pub(crate) mod rank;
