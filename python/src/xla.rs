//! A target of XLA's foreign function interface (`jax.ffi`): a transform of one buffer to another on
//! the CPU. The problem is an attribute, as text.
//!
//! The structures are those of `xla/ffi/api/c_api.h`, version 0.x, as far as they are read here.

use crate::memory::{ElementType, Memory, execute};
use crate::planners::{cached, with_scratch};
use fourfold::{Domain, Error, ErrorKind, Precision, Result};
use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::catch_unwind;

/// What all structures begin with.
#[repr(C)]
struct Head {
    struct_size: usize,
    extension: *mut Extension,
}

#[repr(C)]
struct Extension {
    struct_size: usize,
    kind: c_int,
    next: *mut Extension,
}

#[repr(C)]
struct Version {
    head: Head,
    major: c_int,
    minor: c_int,
}

#[repr(C)]
struct Metadata {
    struct_size: usize,
    version: Version,
    traits: u32,
}

/// The extension by which XLA asks for the version of a target.
#[repr(C)]
struct MetadataExtension {
    base: Extension,
    metadata: *mut Metadata,
}

const METADATA: c_int = 1;
const VERSION: (c_int, c_int) = (0, 1);

#[repr(C)]
struct CreateError {
    head: Head,
    message: *const c_char,
    code: c_int,
}

const INVALID_ARGUMENT: c_int = 3;

#[repr(C)]
struct Api {
    head: Head,
    version: Version,
    internal: *const c_void,
    create_error: unsafe extern "C" fn(*mut CreateError) -> *mut c_void,
}

#[repr(C)]
struct Buffer {
    head: Head,
    dtype: c_int,
    data: *mut c_void,
    rank: i64,
    dims: *const i64,
}

/// Arguments or results.
#[repr(C)]
struct Values {
    head: Head,
    size: i64,
    types: *const c_int,
    values: *const *const Buffer,
}

#[repr(C)]
struct Text {
    text: *const u8,
    len: usize,
}

#[repr(C)]
struct Attributes {
    head: Head,
    size: i64,
    types: *const c_int,
    names: *const *const Text,
    values: *const *const Text,
}

const STRING: c_int = 4;

#[repr(C)]
pub(crate) struct CallFrame {
    head: Head,
    api: *const Api,
    context: *mut c_void,
    stage: c_int,
    arguments: Values,
    results: Values,
    attributes: Attributes,
}

fn element(dtype: c_int) -> Option<ElementType> {
    match dtype {
        11 => Some((Domain::Real, Precision::F32)),
        12 => Some((Domain::Real, Precision::F64)),
        15 => Some((Domain::Complex, Precision::F32)),
        18 => Some((Domain::Complex, Precision::F64)),
        _ => None,
    }
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Argument, message)
}

/// The one buffer of `values`, in C order.
///
/// # Safety
/// They are those of a call of XLA.
unsafe fn memory(values: &Values) -> Result<Memory> {
    if values.size != 1 {
        return Err(wrong(format!("{} buffers: expected one", values.size)));
    }
    // SAFETY: XLA gives a buffer with `rank` lengths for each value.
    let (buffer, lengths) = unsafe {
        let buffer = &**values.values;
        (buffer, (0..buffer.rank as usize).map(|axis| *buffer.dims.add(axis) as usize).collect::<Vec<_>>())
    };
    let element = element(buffer.dtype).ok_or_else(|| wrong("expected f32, f64, c64 or c128"))?;
    let mut strides = vec![1isize; lengths.len()];
    for axis in (1..lengths.len()).rev() {
        strides[axis - 1] = strides[axis] * lengths[axis] as isize;
    }
    Ok(Memory { first: buffer.data as usize, element, shape: lengths, strides })
}

/// The attribute `problem`.
///
/// # Safety
/// They are those of a call of XLA.
unsafe fn problem(attributes: &Attributes) -> Result<&str> {
    for at in 0..attributes.size as usize {
        // SAFETY: XLA gives so many types, names and values; a text has `len` bytes.
        unsafe {
            let (name, value) = (&**attributes.names.add(at), *attributes.values.add(at));
            let name = std::slice::from_raw_parts(name.text, name.len);
            if name == b"problem" && *attributes.types.add(at) == STRING {
                let text = std::slice::from_raw_parts((*value).text, (*value).len);
                return std::str::from_utf8(text).map_err(|_| wrong("the problem is no text"));
            }
        }
    }
    Err(wrong("the attribute `problem` is missing"))
}

/// # Safety
/// The frame is that of a call of XLA.
unsafe fn transform(frame: &CallFrame) -> Result<()> {
    // SAFETY: the caller guarantees it.
    let (input, output, problem) =
        unsafe { (memory(&frame.arguments)?, memory(&frame.results)?, problem(&frame.attributes)?) };
    if input.elements() == 0 || output.elements() == 0 {
        return Ok(());
    }
    let plan = cached(problem, 1)?;
    let shapes = (&plan.problem().input().shape, &plan.problem().output().shape);
    if shapes != (&input.shape, &output.shape) {
        return Err(wrong(format!("`{problem}` does not take {:?} to {:?}", input.shape, output.shape)));
    }
    // SAFETY: XLA keeps both buffers for this call, and aligns them to 16 bytes or more.
    with_scratch(&plan, |scratch| unsafe { execute(&plan, &input, &output, scratch) })
}

/// Answers the question for the version, if that is why XLA calls.
///
/// # Safety
/// The frame is that of a call of XLA.
unsafe fn answered(frame: &CallFrame) -> bool {
    // SAFETY: an extension of this kind is a `MetadataExtension`, whose metadata XLA owns.
    unsafe {
        let Some(extension) = frame.head.extension.as_ref().filter(|extension| extension.kind == METADATA) else {
            return false;
        };
        let metadata = (*(&raw const *extension).cast::<MetadataExtension>()).metadata;
        ((*metadata).version.major, (*metadata).version.minor) = VERSION;
        (*metadata).traits = 0;
    }
    true
}

/// The target `fourfold_transform`. Returns null, or an error that XLA owns.
///
/// # Safety
/// XLA calls it with its frame.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn fourfold_xla_transform(frame: *mut CallFrame) -> *mut c_void {
    // SAFETY: XLA gives a frame.
    let frame = unsafe { &*frame };
    // SAFETY: as above.
    let outcome = catch_unwind(|| if unsafe { answered(frame) } { Ok(()) } else { unsafe { transform(frame) } });
    let message = match outcome {
        Ok(Ok(())) => return std::ptr::null_mut(),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "fourfold panicked: please report it".to_owned(),
    };
    let message = CString::new(message).unwrap_or_default();
    let head = Head { struct_size: size_of::<CreateError>(), extension: std::ptr::null_mut() };
    let mut arguments = CreateError { head, message: message.as_ptr(), code: INVALID_ARGUMENT };
    // SAFETY: XLA's function copies the message.
    unsafe { ((*frame.api).create_error)(&mut arguments) }
}
