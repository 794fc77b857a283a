pub(crate) mod builder;
pub(crate) mod element;
pub(crate) mod kind;
pub(crate) mod layout;
pub(crate) mod norm;
pub(crate) mod notation;
pub(crate) mod problem;
pub(crate) mod resolve;
