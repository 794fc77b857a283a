pub(crate) mod blocked;
pub(crate) mod even_odd;
pub(crate) mod four_step;
pub(crate) mod intra_vector;
pub(crate) mod line_dft;
pub(crate) mod real_packing;
pub(crate) mod single;
pub(crate) mod single_pass;
