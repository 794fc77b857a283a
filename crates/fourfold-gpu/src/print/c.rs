//! What CUDA C++ and OpenCL C spell alike.

use crate::ir::frame::Frame;
use crate::print::printer::{View, array_name};
use fourfold::Precision;

/// The types of reals, of pairs of them, and of indices with and without sign, of which `wide` is
/// the one of 64 bits.
pub(crate) fn types(frame: &Frame, wide: &str) -> String {
    let real = match frame.precision() {
        Precision::F32 => "float",
        Precision::F64 => "double",
    };
    let index = if frame.wide { wide } else { "int" };
    format!("typedef {real} real;\ntypedef {real}2 real2;\ntypedef {index} index;\ntypedef unsigned {index} places;\n")
}

/// The kernel's arguments, whose pointers are qualified by `global`.
pub(crate) fn arguments(frame: &Frame, global: &str) -> String {
    let stored = if frame.storage.is_half() { STORED } else { "real" };
    format!(
        "({global}const {stored}* input, {global}{stored}* output, {global}const real* table,\n    \
         {global}const int* indices, {global}real* scratch)"
    )
}

/// Threads of a warp of NVIDIA's (CUDA C++ Programming Guide, "Warp Shuffle Functions").
const WARP: usize = 32;

/// The lanes of such a warp that exchange registers, if the first `threads` threads of a block do.
pub(crate) fn lanes(threads: usize) -> u32 {
    if threads < WARP { (1 << threads) - 1 } else { u32::MAX }
}

/// What kernels call the type of 16 bits that is in memory.
pub(crate) const STORED: &str = "stored";

/// The upper half of a float's bits, which are `b`, rounded to the nearest, of two to the even one. A
/// NaN remains one.
pub(crate) const UPPER_HALF: &str = "x != x ? b >> 16 | 64u : (b + 0x7fffu + (b >> 16 & 1u)) >> 16";

/// A value in an array that is seen as one of another type, through a pointer with this qualifier.
pub(crate) fn view(view: &View<'_>, qualifier: &str) -> String {
    let constant = if view.written { "" } else { "const " };
    format!("(({constant}{qualifier}{}*){})[{}]", view.kind, array_name(view.array), view.at)
}
