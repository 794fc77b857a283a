//! What CUDA C++ and OpenCL C spell alike.

use crate::ir::frame::Frame;
use crate::print::printer::{View, array_name};
use fourfold::Precision;

/// The types of reals, of pairs of them, and of indices with and without sign, of which `wide` is
/// the one of 64 bits.
pub(crate) fn types(frame: &Frame, wide: &str) -> String {
    let real = match frame.precision {
        Precision::F32 => "float",
        Precision::F64 => "double",
    };
    let index = if frame.wide { wide } else { "int" };
    format!("typedef {real} real;\ntypedef {real}2 real2;\ntypedef {index} index;\ntypedef unsigned {index} places;\n")
}

/// The kernel's arguments, whose pointers are qualified by `global`.
pub(crate) fn arguments(global: &str) -> String {
    format!(
        "({global}const real* input, {global}real* output, {global}const real* table,\n    \
         {global}const int* indices, {global}real* scratch)"
    )
}

/// A value in an array that is seen as one of another type, through a pointer with this qualifier.
pub(crate) fn view(view: &View<'_>, qualifier: &str) -> String {
    let constant = if view.written { "" } else { "const " };
    format!("(({constant}{qualifier}{}*){})[{}]", view.kind, array_name(view.array), view.at)
}
