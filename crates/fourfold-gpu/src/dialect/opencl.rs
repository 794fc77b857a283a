//! OpenCL C.

use super::Dialect;
use crate::Api;
use crate::trace::Narrow;

pub(crate) const OPENCL: Dialect = Dialect {
    api: Api::OpenCl,
    begin: "",
    double: "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
    opening: |frame| {
        format!("__kernel __attribute__((reqd_work_group_size({}, 1, 1))) void {}", frame.threads, super::NAME)
    },
    wide: "long",
    global: "__global ",
    shared: "__local ",
    local: |pairs| format!("__local __attribute__((aligned(16))) real local_[{}];", 2 * pairs),
    pair: |x, y| format!("(real2)({x}, {y})"),
    quad: |[x, y, z, w]| format!("(uint4)({x}, {y}, {z}, {w})"),
    nearest: |x, narrow| match narrow {
        Narrow::Byte => format!("convert_uchar_sat_rte({x})"),
        Narrow::Short => format!("convert_short_sat_rte({x})"),
    },
    thread: "get_local_id(0)",
    group: "get_group_id(0)",
    // In place, a work item writes what another one of its group has read.
    barrier: "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    // Work groups of OpenCL do not reach each other's memory.
    cluster: |_| String::new(),
};
