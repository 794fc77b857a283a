//! CUDA C++.

use super::Dialect;
use fourfold::Precision;

pub(crate) const CUDA: Dialect = Dialect {
    double: "",
    opening: |spec| {
        // Convolutions index through tables, for which the compiler would rather spill than take registers from other work groups.
        let bounds = if spec.convolves() { format!("{}, 1", spec.threads) } else { spec.threads.to_string() };
        let cluster =
            if spec.cluster > 1 { format!("__cluster_dims__({}, 1, 1) ", spec.cluster) } else { String::new() };
        format!("extern \"C\" __global__ void {cluster}__launch_bounds__({bounds}) {}", super::NAME)
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
    cluster,
};

/// Distributed shared memory (PTX ISA, "mapa", "barrier.cluster"; sm_90 and later).
fn cluster(precision: Precision) -> String {
    let (kind, constraint) = match precision {
        Precision::F32 => ("f32", "f"),
        Precision::F64 => ("f64", "d"),
    };
    format!(
        r#"__device__ __forceinline__ void to_peer(real2* at, unsigned peer, real2 z) {{
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(at)), "r"(peer));
    asm volatile("st.shared::cluster.v2.{kind} [%0], {{%1, %2}};"
        :: "r"(there), "{constraint}"(z.x), "{constraint}"(z.y) : "memory");
}}
__device__ __forceinline__ void cluster_begin() {{ asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }}
__device__ __forceinline__ void cluster_arrive() {{ asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }}
__device__ __forceinline__ void cluster_wait() {{ asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }}
"#
    )
}
