pub(crate) mod complex_vector;
pub(crate) mod dispatch;
pub(crate) mod isa;
pub(crate) mod pointer;
pub(crate) mod vector;
