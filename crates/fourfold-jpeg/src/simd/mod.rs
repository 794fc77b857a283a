//! The transforms of blocks on the processor, generic over vectors.

pub(crate) mod exact;
pub(crate) mod fast;
pub(crate) mod isa;
pub(crate) mod strip;
