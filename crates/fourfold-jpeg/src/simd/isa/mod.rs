//! The instruction sets, one a file. Nothing here knows what a cosine transform is.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub(crate) mod dispatch;
pub(crate) mod portable;
pub(crate) mod vectors;
