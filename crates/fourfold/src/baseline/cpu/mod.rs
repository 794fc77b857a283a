pub(crate) mod combine;
pub(crate) mod fft_step;
pub(crate) mod reorder;
pub(crate) mod rows;
pub(crate) mod span;
pub(crate) mod stages;
pub(crate) mod transpose;
