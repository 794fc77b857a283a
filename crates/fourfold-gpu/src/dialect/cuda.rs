//! CUDA C++.

use super::Dialect;

pub(crate) const CUDA: Dialect = Dialect {
    double: "",
    opening: |spec| {
        // Convolutions index through tables, for which the compiler would rather spill than take registers from other work groups.
        let bounds = if spec.convolves() { format!("{}, 1", spec.threads) } else { spec.threads.to_string() };
        format!("extern \"C\" __global__ void __launch_bounds__({bounds}) {}", super::NAME)
    },
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
