//! The choice of instruction set at run time.

use crate::simd::isa::portable;
use crate::simd::isa::vectors::VectorTask;
#[cfg(target_arch = "x86_64")]
use crate::simd::isa::{avx2, avx512};
use fourfold::Isa;

/// Does a task with the vectors of `isa`, which this machine must have. Sets without code here take
/// the portable code.
pub(crate) fn dispatch(isa: Isa, task: impl VectorTask) {
    debug_assert!(isa == Isa::Scalar || isa.is_available(), "the portable code needs nothing");
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `TransformBuilder::build` has checked that the machine has the set.
        Isa::Avx2 => unsafe { avx2::enter(task) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above; the part BW is checked here.
        Isa::Avx512 if is_x86_feature_detected!("avx512bw") => unsafe { avx512::enter(task) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every machine with AVX-512 has AVX2 and FMA.
        Isa::Avx512 => unsafe { avx2::enter(task) },
        // SAFETY: the portable code needs no instructions.
        _ => unsafe { task.with_vectors::<portable::Portable>() },
    }
}
