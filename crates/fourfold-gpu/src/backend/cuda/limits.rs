//! What devices of an architecture can do, for planning without one.

use crate::error::unavailable;
use crate::limits::Limits;
use fourfold::Result;

/// Architectures of NVIDIA's, and the most KiB of shared memory that a block can ask for (CUDA C++
/// Programming Guide, "Compute Capabilities", less the one KiB that the system takes).
const ARCHITECTURES: [(&str, usize); 11] = [
    ("sm_75", 64),
    ("sm_80", 163),
    ("sm_86", 99),
    ("sm_87", 163),
    ("sm_89", 99),
    ("sm_90", 227),
    ("sm_100", 227),
    ("sm_103", 227),
    ("sm_110", 227),
    ("sm_120", 99),
    ("sm_121", 99),
];

/// The architecture that is planned for if none is named.
const TYPICAL: (&str, usize) = ("sm_90", 227);

/// SMs of a big GPU.
const SMS: usize = 132;

/// Bytes of its second-level cache.
const CACHE: usize = 50 << 20;

/// Rows of blocks of a launch (CUDA C++ Programming Guide, "Compute Capabilities").
pub(crate) const BLOCK_ROWS: u32 = 65535;

/// The limits of a big GPU of an architecture such as `sm_90`.
pub(crate) fn limits_of(architecture: &str) -> Result<Limits> {
    let known = ARCHITECTURES.iter().find(|(name, _)| *name == architecture);
    let names = || ARCHITECTURES.map(|(name, _)| name).join(", ");
    let message = || unavailable(format!("no CUDA architecture {architecture:?}; known are {}", names()));
    known.map(|known| limits(*known)).ok_or_else(message)
}

/// The limits of a big GPU with NVIDIA's usual architecture.
pub(crate) fn typical() -> Limits {
    limits(TYPICAL)
}

fn limits((name, kib): (&str, usize)) -> Limits {
    Limits {
        name: name.into(),
        shared_bytes: kib << 10,
        threads: 1024,
        sms: SMS,
        double: true,
        cache: CACHE,
        cluster: largest_cluster(name),
        warps: true,
        vendor_ffts: true,
        block_rows: BLOCK_ROWS,
    }
}

/// Blocks of a cluster, which there are since `sm_90`; 8 is what any device can hold (CUDA C++
/// Programming Guide, "Thread Block Clusters").
pub(crate) fn largest_cluster(architecture: &str) -> usize {
    let number = architecture.trim_start_matches("sm_").parse().unwrap_or(0);
    if number >= 90 { 8 } else { 1 }
}
