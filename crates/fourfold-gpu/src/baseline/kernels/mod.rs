pub(crate) mod combine;
pub(crate) mod fft_step;
pub(crate) mod moves;
pub(crate) mod stage;
