//! The instructions, in one file for each set. These files do not depend on transforms.
//!
//! Every set is one more copy of the engine to compile. The crate's unit tests are a build of their
//! own, and none of them executes a plan. So that build has the narrowest set alone; the integration
//! tests link the crate as users do, with all sets.

#[cfg(all(target_arch = "x86_64", not(test)))]
pub(crate) mod avx2;
#[cfg(all(target_arch = "x86_64", not(test)))]
pub(crate) mod avx512;
#[cfg(all(target_arch = "x86_64", not(test)))]
pub(crate) mod operators;
pub(crate) mod scalar;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod simd128;
