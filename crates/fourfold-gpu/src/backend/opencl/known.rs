//! Devices that are planned for without one: what their drivers would tell.

use crate::attributes::DeviceAttributes;
use crate::error::unavailable;
use crate::limits::Limits;
use fourfold::Result;

type Attributes = fn() -> DeviceAttributes;

/// Names of devices, and what they have.
const KNOWN: [(&str, Attributes); 3] = [("mi300x", mi300x), ("arc-a770", arc_a770), ("mali-g710", mali_g710)];

/// The limits of a device such as `mi300x`.
pub(crate) fn limits_of(name: &str) -> Result<Limits> {
    let known = KNOWN.iter().find(|(known, _)| *known == name);
    let message = || unavailable(format!("no OpenCL device {name:?} is known; known are {}", models().join(", ")));
    known.map(|(name, attributes)| Limits::new(name, attributes())).ok_or_else(message)
}

/// The names of all devices that are known.
pub(crate) fn models() -> Vec<&'static str> {
    KNOWN.map(|(name, _)| name).to_vec()
}

/// AMD's "GPU hardware specifications" (rocm.docs.amd.com): 304 compute units with 64 KiB of LDS
/// and vector registers of 512 KiB, wavefronts of 64, 4 MiB of second-level cache on each of 8
/// dies. The "CDNA 3" white paper: lines of 128 bytes; 32 waves and 32 banks a compute unit. The
/// "MI300 and MI200 series performance counters": requests to memory of 32 bytes. The "CDNA3 ISA": 256
/// vector registers of a lane that instructions name, beside accumulators.
fn mi300x() -> DeviceAttributes {
    DeviceAttributes {
        sms: 304,
        warp: 64,
        threads_per_block: 1024,
        threads_per_sm: 2048,
        registers_per_block: 1 << 17,
        registers_per_thread: 256,
        registers_per_sm: 1 << 17,
        shared_per_block: 64 << 10,
        shared_per_sm: 64 << 10,
        l2_bytes: 32 << 20,
        line_bytes: 128,
        sector_bytes: 32,
        double: true,
        ..DeviceAttributes::least()
    }
}

/// Intel's "Arc A770" data sheet: 32 Xe cores with 16 vector engines each, 16 MiB of second-level
/// cache, no `f64`. The "oneAPI GPU Optimization Guide" ("Intel Xe GPU Architecture"): 8 threads an
/// engine with 128 registers of 32 bytes, sub-groups of 8, 16 or 32 work items that shuffle, 64 KiB of local memory a
/// work group, lines of 64 bytes.
fn arc_a770() -> DeviceAttributes {
    DeviceAttributes {
        unit: "Xe core",
        sms: 32,
        warp: 8,
        exchanges_registers: true,
        threads_per_block: 1024,
        threads_per_sm: 1024,
        registers_per_block: 1 << 17,
        registers_per_thread: 128,
        registers_per_sm: 1 << 17,
        shared_per_block: 64 << 10,
        shared_per_sm: 64 << 10,
        l2_bytes: 16 << 20,
        line_bytes: 64,
        sector_bytes: 64,
        ..DeviceAttributes::least()
    }
}

/// Arm's "Mali-G710" data sheet, with ten cores: warps of 16, no `f64`, 1 MiB of second-level cache
/// here. The "Mali GPU OpenCL Developer Guide": local memory is in global memory, 32 KiB a work
/// group of 1024 work items at most; 64 registers for each of 1024 threads of a core.
fn mali_g710() -> DeviceAttributes {
    DeviceAttributes {
        unit: "core",
        sms: 10,
        warp: 16,
        threads_per_block: 1024,
        threads_per_sm: 1024,
        shared_per_block: 32 << 10,
        shared_per_sm: 32 << 10,
        shared_is_emulated: true,
        l2_bytes: 1 << 20,
        line_bytes: 64,
        sector_bytes: 64,
        ..DeviceAttributes::least()
    }
}
