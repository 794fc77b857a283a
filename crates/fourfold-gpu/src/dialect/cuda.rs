//! CUDA C++.

use super::Dialect;

pub(crate) const CUDA: Dialect = Dialect {
    double: "",
    opening: |threads| format!("extern \"C\" __global__ void __launch_bounds__({threads}) {}", super::NAME),
    wide: "long long",
    global: "",
    // Its size is given at launch.
    shared: "",
    local: |_| "extern __shared__ __align__(16) real local_[];".into(),
    pair: |x, y| format!("real2{{{x}, {y}}}"),
    thread: "threadIdx.x",
    group: "blockIdx.x",
    barrier: "__syncthreads();",
};
