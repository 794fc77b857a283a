//! CUDA C++.

use crate::ir::frame::Frame;
use crate::ir::narrow::Narrow;
use crate::ir::packed::WARP;
use crate::limits::Api;
use crate::print::c::{STORED, UPPER_HALF, arguments, types, view};
use crate::print::printer::{Cluster, Dialect, NAME, Named};
use fourfold::{Precision, Storage};

pub(crate) const CUDA: Dialect = Dialect {
    api: Api::Cuda,
    types: |frame| types(frame, "long long"),
    halves,
    signature,
    view: |value| view(value, ""),
    evict_first: Some(["__ldcs", "__stcs"]),
    pair: |x, y| format!("real2{{{x}, {y}}}"),
    vector: |kind, values| format!("{kind}{{{}}}", values.join(", ")),
    // One instruction, for which C++ has no name.
    nearest: |x, narrow| {
        let kind = if narrow == Narrow::Byte { "u8" } else { "s16" };
        format!("[=] {{ int n; asm(\"cvt.rni.sat.{kind}.f32 %0, %1;\" : \"=r\"(n) : \"f\"({x})); return n; }}()")
    },
    // In single precision one instruction, at most one unit in the last place off (PTX ISA, "rcp"),
    // where a correctly rounded one takes ten.
    reciprocal: |x, precision| match precision {
        Precision::F32 => {
            format!("[=] {{ real y; asm(\"rcp.approx.f32 %0, %1;\" : \"=f\"(y) : \"f\"({x})); return y; }}()")
        }
        Precision::F64 => format!("1 / {x}"),
    },
    bits: ["__float_as_int", "__int_as_float"],
    permute: |[a, b], bytes| {
        let selector = bytes.iter().rev().fold(0, |selector, byte| selector << 4 | u32::from(*byte));
        format!("(index)__byte_perm((unsigned){a}, (unsigned){b}, {selector:#06x})")
    },
    exchange: |kind, values, bits, threads| {
        let lanes = if threads < WARP { (1u32 << threads) - 1 } else { u32::MAX };
        let line = |(name, x): &Named| format!("const {kind} {name} = __shfl_xor_sync({lanes:#x}u, {x}, {bits});");
        values.iter().map(line).collect()
    },
    // No thread uses the value returned: so the second-level cache adds, and the thread goes on.
    add_fixed: |array, at, x| {
        format!("atomicAdd((unsigned long long*){array} + {at}, (unsigned long long)llrint({x}));")
    },
    thread: "threadIdx.x",
    block: "blockIdx.x",
    item: ["blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.y * blockDim.y + threadIdx.y"],
    four: None,
    barrier: "__syncthreads();",
    cluster: Some(Cluster {
        functions: cluster_functions,
        store: |at, peer, pair| format!("to_peer(&((real2*)local_)[{at}], {peer}, {pair});"),
        begin: "cluster_begin();",
        arrive: "cluster_arrive();",
        wait: "cluster_wait();",
    }),
};

/// One instruction converts a number (PTX ISA, "cvt"; to `bf16` from `sm_80` on).
fn halves(frame: &Frame) -> String {
    const INLINE: &str = "__device__ __forceinline__";
    let conversions = match frame.storage {
        Storage::F16 => format!(
            r#"{INLINE} real widen(unsigned short x) {{ real y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x)); return y; }}
{INLINE} unsigned short narrow(real x) {{ unsigned short y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }}
"#
        ),
        _ => format!(
            r#"{INLINE} real widen(unsigned short x) {{ return __uint_as_float((unsigned)x << 16); }}
{INLINE} unsigned short narrow(real x) {{
#if __CUDA_ARCH__ >= 800
    unsigned short y; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y;
#else
    const unsigned b = __float_as_uint(x); return (unsigned short)({UPPER_HALF});
#endif
}}
"#
        ),
    };
    let [read, written] = frame.evict_first;
    let load = |at: &str| if read { format!("__ldcs({at})") } else { format!("*({at})") };
    let store = |at: &str, value: &str| match written {
        true => format!("__stcs({at}, {value});"),
        false => format!("*({at}) = {value};"),
    };
    let functions = [("real", "ushort", 1), ("real2", "ushort2", 2), ("float4", "ushort4", 4)].map(|(reals, group, count)| {
        let each = |function: &str| match count {
            1 => format!("{function}(v)"),
            _ => ["x", "y", "z", "w"][..count].iter().map(|part| format!("{function}(v.{part})")).collect::<Vec<_>>().join(", "),
        };
        let from = load(&format!("(const {group}*)p + at"));
        let to = store(&format!("({group}*)p + at"), &format!("{group}{{{}}}", each("narrow")));
        let (widened, arguments) = (each("widen"), format!("{STORED}* p, index at"));
        format!(
            "{INLINE} {reals} read{count}(const {arguments}) {{ const {group} v = {from}; return {reals}{{{widened}}}; }}\n\
             {INLINE} void write{count}({arguments}, {reals} v) {{ {to} }}\n"
        )
    });
    format!("typedef unsigned short ushort, {STORED};\n{conversions}{}", functions.concat())
}

/// The kernel is launched when all blocks of the one before have ended, and waits here until what
/// they wrote can be read (PTX ISA, "griddepcontrol"; sm_90 and later). No kernel lets the next
/// begin any earlier: its blocks would crowd on the SMs that are free first.
const WAIT: &str = "#if __CUDA_ARCH__ >= 900\n    asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n#endif\n";

fn signature(frame: &Frame) -> String {
    // Convolutions index through tables, for which the compiler would rather spill than take
    // registers from other blocks.
    let bounds = match frame.resident {
        0 => frame.threads.to_string(),
        resident => format!("{}, {resident}", frame.threads),
    };
    let cluster = match frame.cluster {
        ..=1 => String::new(),
        blocks => format!("__cluster_dims__({blocks}, 1, 1) "),
    };
    // Its size is given at launch.
    let shared = if frame.shared_pairs > 0 { "    extern __shared__ __align__(16) real local_[];\n" } else { "" };
    let arguments = arguments(frame, "");
    format!("extern \"C\" __global__ void {cluster}__launch_bounds__({bounds}) {NAME}{arguments} {{\n{WAIT}{shared}")
}

/// Distributed shared memory (PTX ISA, "mapa", "barrier.cluster"; sm_90 and later).
fn cluster_functions(precision: Precision) -> String {
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
