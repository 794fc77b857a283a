//! OpenCL C.

use crate::ir::frame::Frame;
use crate::ir::narrow::Narrow;
use crate::ir::statement::Array;
use crate::limits::Api;
use crate::print::c::{STORED, UPPER_HALF, arguments, lanes, types, view};
use crate::print::printer::{Dialect, NAME, Named};
use fourfold::baseline::GroupShape;
use fourfold::{Precision, Storage};

pub(crate) const OPENCL: Dialect = Dialect {
    api: Api::OpenCl,
    types: |frame| {
        let double = if frame.precision() == Precision::F64 { DOUBLE } else { "" };
        format!("{double}{}", types(frame, "long"))
    },
    halves,
    signature,
    view: |value| view(value, if value.array == Array::Shared { "__local " } else { GLOBAL }),
    evict_first: None,
    pair: |x, y| format!("(real2)({x}, {y})"),
    vector: |kind, values| format!("({kind})({})", values.join(", ")),
    nearest: |x, narrow| match narrow {
        Narrow::Byte => format!("convert_uchar_sat_rte({x})"),
        Narrow::Short => format!("convert_short_sat_rte({x})"),
    },
    reciprocal: |x, _, _| format!("1 / {x}"),
    bits: ["as_int", "as_float"],
    permute: |[a, b], bytes| {
        let part = |(i, byte): (usize, &u8)| {
            let word = if *byte < 4 { a } else { b };
            format!("((unsigned){word} >> {} & 255u) << {}", byte % 4 * 8, 8 * i)
        };
        format!("(index)({})", bytes.iter().enumerate().map(part).collect::<Vec<_>>().join(" | "))
    },
    // Through local memory: not every device has sub-groups that can.
    exchange: |kind, values, bits, threads| {
        let place = |i: usize, thread: &str| format!("((__local {kind}*)local_)[{thread} + {}]", i * threads);
        let put = |(i, (_, word)): (usize, &Named)| format!("{} = {word};", place(i, "get_local_id(0)"));
        let take = |(i, (name, _)): (usize, &Named)| {
            format!("const {kind} {name} = {};", place(i, &format!("(get_local_id(0) ^ {bits})")))
        };
        let wait = || std::iter::once("barrier(CLK_LOCAL_MEM_FENCE);".to_owned());
        let (puts, takes) = (values.iter().enumerate().map(put), values.iter().enumerate().map(take));
        puts.chain(wait()).chain(takes).chain(wait()).collect()
    },
    // Not every device adds 64 bits at once (cl_khr_int64_base_atomics). Every device adds 32 bits,
    // and returns what was there. A thread that adds to the lower half so knows whether that has
    // carried, and adds the carry to the upper half. Sums are right when all threads have added.
    // Sum `at` is found as one of 64 bits: twice `at` may be more than an index holds.
    add_fixed: |array, at, x| {
        format!(
            "{{ volatile __global uint* at = (volatile __global uint*)((volatile __global ulong*){array} + {at}); const ulong n = (ulong)convert_long_rte({x}); \
             const uint low = (uint)n; const uint before = atomic_add(at, low); \
             atomic_add(at + 1, (uint)(n >> 32) + (before > ~low ? 1u : 0u)); }}"
        )
    },
    thread: |_| "get_local_id(0)",
    block: "get_group_id(0)",
    item: ["get_global_id(0)", "get_global_id(1)"],
    four: Some(["vload4", "vstore4"]),
    // In place, a work item writes what another one of its group has read.
    barrier: "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    // Work groups of OpenCL do not reach each other's memory.
    cluster: None,
};

/// The same where the compiler takes PTX: the threads of a warp exchange registers, and memory is
/// aligned, since drivers of GPUs allocate all of it.
pub(crate) const OPENCL_PTX: Dialect = Dialect {
    types: |frame| {
        let exchanged = if frame.precision() == Precision::F64 { EXCHANGED_F64 } else { EXCHANGED_F32 };
        format!("{}{EXCHANGED}{exchanged}", (OPENCL.types)(frame))
    },
    exchange: |kind, values, bits, threads| {
        let lanes = lanes(threads);
        let line = |(name, x): &Named| format!("const {kind} {name} = exchanged_{kind}({x}, {bits}, {lanes:#x}u);");
        values.iter().map(line).collect()
    },
    four: None,
    ..OPENCL
};

/// The same where work items of a sub-group exchange registers (`cl_khr_subgroup_shuffle`). Which of a work
/// group are in one is the device's choice. So a kernel that exchanges numbers them by sub-groups: all of these but
/// the last have one size, which is that of the kernel's frame (`run/kernel_cache.rs`).
pub(crate) const OPENCL_SUBGROUPS: Dialect = Dialect {
    types: |frame| {
        let shuffles = if frame.subgroup > 0 { shuffles(frame.subgroup) } else { String::new() };
        format!("{shuffles}{}", (OPENCL.types)(frame))
    },
    signature: |frame| match frame.subgroup {
        0 => signature(frame),
        _ => signature(frame).replacen("__kernel ", "__kernel OF_SUBGROUPS ", 1),
    },
    exchange: |kind, values, bits, _| {
        let line = |(name, x): &Named| format!("const {kind} {name} = sub_group_shuffle_xor({x}, {bits});");
        values.iter().map(line).collect()
    },
    thread: |frame| match frame.subgroup {
        0 => (OPENCL.thread)(frame),
        _ => "(index)(get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id())",
    },
    ..OPENCL
};

/// What kernels need that exchange registers, and the attribute for sub-groups of one size, where compilers know it.
fn shuffles(items: usize) -> String {
    format!(
        "\
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#ifdef cl_intel_required_subgroup_size
#define OF_SUBGROUPS __attribute__((intel_reqd_sub_group_size({items})))
#else
#define OF_SUBGROUPS
#endif
"
    )
}

/// PTX ISA, "shfl.sync".
const EXCHANGED: &str = r#"int exchanged_index(int x, int bits, uint lanes) {
    int y; asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, %3;" : "=r"(y) : "r"(x), "r"(bits), "r"(lanes)); return y;
}
"#;

const EXCHANGED_F32: &str = "\
real exchanged_real(real x, int bits, uint lanes) { return as_float(exchanged_index(as_int(x), bits, lanes)); }
";

const EXCHANGED_F64: &str = r#"real exchanged_real(real x, int bits, uint lanes) {
    const int2 z = as_int2(x);
    return as_double((int2)(exchanged_index(z.x, bits, lanes), exchanged_index(z.y, bits, lanes)));
}
"#;

const DOUBLE: &str = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";

/// Qualifies pointers to device memory.
const GLOBAL: &str = "__global ";

/// Every device converts `half` where it loads or stores it. Of `bf16` the bits are known.
fn halves(frame: &Frame) -> String {
    let (conversions, stored) = match frame.storage {
        Storage::F16 => (String::new(), "half"),
        _ => (
            format!(
                "real widen(ushort x) {{ return as_float((uint)x << 16); }}\n\
                 ushort narrow(real x) {{ const uint b = as_uint(x); return (ushort)({UPPER_HALF}); }}\n"
            ),
            "ushort",
        ),
    };
    let functions = [("real", "", 1), ("real2", "2", 2), ("float4", "4", 4)].map(|(reals, width, count)| {
        let (p, q) = (format!("const __global {STORED}* p, index at"), format!("__global {STORED}* p, index at"));
        let [read, write] = match frame.storage {
            Storage::F16 => [format!("return vload_half{width}(at, p);"), format!("vstore_half{width}_rte(v, at, p);")],
            _ => bits(width, count, reals),
        };
        format!("{reals} read{count}({p}) {{ {read} }}\nvoid write{count}({q}, {reals} v) {{ {write} }}\n")
    });
    format!("#define {STORED} {stored}\n{conversions}{}", functions.concat())
}

/// How `bf16` are read and written, so many at once.
fn bits(width: &str, count: usize, reals: &str) -> [String; 2] {
    let each = |function: &str| {
        let parts = ["x", "y", "z", "w"][..count].iter().map(|part| format!("{function}(v.{part})"));
        parts.collect::<Vec<_>>().join(", ")
    };
    match count {
        1 => ["return widen(p[at]);".into(), "p[at] = narrow(v);".into()],
        _ => [
            format!("const ushort{width} v = vload{width}(at, p); return ({reals})({});", each("widen")),
            format!("vstore{width}((ushort{width})({}), at, p);", each("narrow")),
        ],
    }
}

fn signature(frame: &Frame) -> String {
    let local = match frame.shared_pairs {
        0 => String::new(),
        pairs => format!("    __local __attribute__((aligned(16))) real local_[{}];\n", 2 * pairs),
    };
    let group = match frame.range.map(|range| range.groups) {
        Some(GroupShape::Driver) => String::new(),
        Some(GroupShape::Fixed([columns, rows])) => required(columns, rows),
        None => required(frame.threads, 1),
    };
    let arguments = arguments(frame, GLOBAL);
    format!("__kernel {group}void {NAME}{arguments} {{\n{local}")
}

/// The attribute of a kernel for work groups of one shape.
fn required(columns: usize, rows: usize) -> String {
    format!("__attribute__((reqd_work_group_size({columns}, {rows}, 1))) ")
}
