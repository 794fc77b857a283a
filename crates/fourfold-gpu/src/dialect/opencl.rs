//! OpenCL C.

use super::Dialect;

pub(crate) const OPENCL: Dialect = Dialect {
    double: "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
    opening: |spec| {
        format!("__kernel __attribute__((reqd_work_group_size({}, 1, 1))) void {}", spec.threads, super::NAME)
    },
    wide: "long",
    global: "__global ",
    shared: "__local ",
    local: |pairs| format!("__local real2 local_[{pairs}];"),
    pair: |x, y| format!("(real2)({x}, {y})"),
    thread: "get_local_id(0)",
    group: "get_group_id(0)",
    // In place, a work item writes what another one of its group has read.
    barrier: "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    // Work groups of OpenCL do not reach each other's memory.
    cluster: |_| String::new(),
};
