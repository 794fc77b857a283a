pub(crate) mod decimation;
pub(crate) mod fft_step;
pub(crate) mod moves;
pub(crate) mod stage;
