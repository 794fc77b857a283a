//! What typical devices can do, for planning without one.

use crate::limits::Limits;

/// 48 KiB of local memory, 256 work items in a work group, `f64`.
pub(crate) fn typical() -> Limits {
    Limits {
        name: "a typical OpenCL device".into(),
        shared_bytes: 48 << 10,
        threads: 256,
        sms: 132,
        double: true,
        cache: 0,
        cluster: 1,
        warps: false,
        vendor_ffts: true,
        block_rows: u32::MAX,
    }
}
