//! CUDA C++.

use crate::ir::frame::Frame;
use crate::ir::narrow::Narrow;
use crate::limits::Api;
use crate::print::c::{STORED, UPPER_HALF, arguments, lanes, types, view};
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
    reciprocal,
    bits: ["__float_as_int", "__int_as_float"],
    permute: |[a, b], bytes| {
        let selector = bytes.iter().rev().fold(0, |selector, byte| selector << 4 | u32::from(*byte));
        format!("(index)__byte_perm((unsigned){a}, (unsigned){b}, {selector:#06x})")
    },
    exchange: |kind, values, bits, threads| {
        let lanes = lanes(threads);
        let line = |(name, x): &Named| format!("const {kind} {name} = __shfl_xor_sync({lanes:#x}u, {x}, {bits});");
        values.iter().map(line).collect()
    },
    // No thread uses the value returned: so the second-level cache adds, and the thread goes on.
    add_fixed: |array, at, x| {
        format!("atomicAdd((unsigned long long*){array} + {at}, (unsigned long long)llrint({x}));")
    },
    thread: |_| "threadIdx.x",
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

/// In single precision one instruction, at most one unit in the last place off (PTX ISA, "rcp"), where
/// a correctly rounded one takes ten. In double precision the instruction knows 20 bits, so that
/// y (1 + e + e²) with e = 1 − xy is off by e³, 2^-60. Of x = 0, infinities and NaN there is no such e,
/// and y is right. The compiler does the same, but branches to a subroutine for numbers that are not
/// normal, so that it cannot do several at once.
fn reciprocal(x: &str, precision: Precision, normal: bool) -> String {
    let (name, constraint, refine) = match (precision, normal) {
        (Precision::F32, false) => ("rcp.approx.f32", "f", ""),
        (Precision::F32, true) => ("rcp.approx.ftz.f32", "f", ""),
        (Precision::F64, false) => {
            let refine = "const real e = fma(-x, y, 1.0); if (fabs(e) < 1) y = fma(y, fma(e, e, e), y); ";
            ("rcp.approx.ftz.f64", "d", refine)
        }
        (Precision::F64, true) => {
            ("rcp.approx.ftz.f64", "d", "const real e = fma(-x, y, 1.0); y = fma(y, fma(e, e, e), y); ")
        }
    };
    format!(
        "[](real x) {{ real y; asm(\"{name} %0, %1;\" : \"={constraint}\"(y) : \"{constraint}\"(x)); {refine}return y; }}({x})"
    )
}

/// Reads and writes of arrays of 16 bits a real; two numbers are one word.
fn halves(frame: &Frame) -> String {
    let conversions = if frame.storage == Storage::F16 { F16.into() } else { BF16.replace("UPPER_HALF", UPPER_HALF) };
    let [read, written] = frame.evict_first;
    let load = |kind: &str| match read {
        true => format!("__ldcs((const {kind}*)p + at)"),
        false => format!("*((const {kind}*)p + at)"),
    };
    let store = |kind: &str, value: &str| match written {
        true => format!("__stcs(({kind}*)p + at, {value});"),
        false => format!("*(({kind}*)p + at) = {value};"),
    };
    let (one, two, four) = (load(STORED), load("unsigned"), load("uint2"));
    let of_one = store(STORED, "narrow(x)");
    let of_two = store("unsigned", "narrow2(z)");
    let of_four = store("uint2", "uint2{narrow2(real2{v.x, v.y}), narrow2(real2{v.z, v.w})}");
    let (from, to) = (format!("const {STORED}* p, index at"), format!("{STORED}* p, index at"));
    format!(
        r#"typedef unsigned short {STORED};
{conversions}{INLINE} real read1({from}) {{ return widen({one}); }}
{INLINE} real2 read2({from}) {{ return widen2({two}); }}
{INLINE} float4 read4({from}) {{
    const uint2 z = {four};
    const real2 a = widen2(z.x), b = widen2(z.y);
    return float4{{a.x, a.y, b.x, b.y}};
}}
{INLINE} void write1({to}, real x) {{ {of_one} }}
{INLINE} void write2({to}, real2 z) {{ {of_two} }}
{INLINE} void write4({to}, float4 v) {{ {of_four} }}
"#
    )
}

const INLINE: &str = "__device__ __forceinline__";

/// One instruction converts a number, or from `sm_80` on rounds two (PTX ISA, "cvt").
const F16: &str = r#"__device__ __forceinline__ real widen(unsigned short x) {
    real y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x)); return y;
}
__device__ __forceinline__ real2 widen2(unsigned x) { return real2{widen((unsigned short)x), widen((unsigned short)(x >> 16))}; }
__device__ __forceinline__ unsigned short narrow(real x) {
    unsigned short y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y;
}
__device__ __forceinline__ unsigned narrow2(real2 z) {
#if __CUDA_ARCH__ >= 800
    unsigned y; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(z.y), "f"(z.x)); return y;
#else
    return narrow(z.x) | (unsigned)narrow(z.y) << 16;
#endif
}
"#;

/// The same; before `sm_80` numbers are rounded by their bits, by [`UPPER_HALF`].
const BF16: &str = r#"__device__ __forceinline__ real widen(unsigned short x) { return __uint_as_float((unsigned)x << 16); }
__device__ __forceinline__ real2 widen2(unsigned x) { return real2{__uint_as_float(x << 16), __uint_as_float(x & 0xffff0000u)}; }
__device__ __forceinline__ unsigned short narrow(real x) {
#if __CUDA_ARCH__ >= 800
    unsigned short y; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y;
#else
    const unsigned b = __float_as_uint(x); return (unsigned short)(UPPER_HALF);
#endif
}
__device__ __forceinline__ unsigned narrow2(real2 z) {
#if __CUDA_ARCH__ >= 800
    unsigned y; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(z.y), "f"(z.x)); return y;
#else
    return narrow(z.x) | (unsigned)narrow(z.y) << 16;
#endif
}
"#;

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
