//! A target of XLA's foreign function interface (`jax.ffi`): a transform of one buffer to another on
//! the CPU. The problem is an attribute, as text. `xla_cuda.rs` has the target for CUDA.
//!
//! The structures are those of `xla/ffi/api/c_api.h`, version 0.x, as far as they are read here.

use crate::memory::{ElementType, Memory, execute};
use crate::planners::{cached, with_scratch};
use fourfold::{Domain, Error, ErrorKind, Result, Storage};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
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
struct ErrorMessage {
    head: Head,
    error: *mut c_void,
    message: *const c_char,
}

#[repr(C)]
struct DestroyError {
    head: Head,
    error: *mut c_void,
}

#[repr(C)]
struct GetStream {
    head: Head,
    context: *mut c_void,
    stream: *mut c_void,
}

#[repr(C)]
struct Api {
    head: Head,
    version: Version,
    internal: *const c_void,
    create_error: unsafe extern "C" fn(*mut CreateError) -> *mut c_void,
    error_message: unsafe extern "C" fn(*mut ErrorMessage),
    destroy_error: unsafe extern "C" fn(*mut DestroyError),
    register_handler: *const c_void,
    get_stream: unsafe extern "C" fn(*mut GetStream) -> *mut c_void,
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
pub(crate) struct Values {
    head: Head,
    pub(crate) size: i64,
    types: *const c_int,
    values: *const *const Buffer,
}

#[repr(C)]
struct Text {
    text: *const u8,
    len: usize,
}

#[repr(C)]
pub(crate) struct Attributes {
    head: Head,
    size: i64,
    types: *const c_int,
    names: *const *const Text,
    values: *const *const Text,
}

const STRING: c_int = 4;

/// The stage in which a call computes; those before prepare it.
pub(crate) const EXECUTE: c_int = 3;

#[repr(C)]
pub(crate) struct CallFrame {
    head: Head,
    api: *const Api,
    context: *mut c_void,
    pub(crate) stage: c_int,
    pub(crate) arguments: Values,
    pub(crate) results: Values,
    pub(crate) attributes: Attributes,
}

fn element(dtype: c_int) -> Option<ElementType> {
    match dtype {
        11 => Some((Domain::Real, Storage::F32)),
        12 => Some((Domain::Real, Storage::F64)),
        15 => Some((Domain::Complex, Storage::F32)),
        18 => Some((Domain::Complex, Storage::F64)),
        _ => None,
    }
}

pub(crate) fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Argument, message)
}

fn head<T>() -> Head {
    Head { struct_size: size_of::<T>(), extension: std::ptr::null_mut() }
}

impl Values {
    /// The address and the lengths of a buffer.
    ///
    /// # Safety
    /// They are those of a call of XLA, and there is such a buffer.
    pub(crate) unsafe fn bytes(&self, number: usize) -> (usize, Vec<usize>) {
        // SAFETY: XLA gives a buffer with `rank` lengths for each value.
        unsafe {
            let buffer = &**self.values.add(number);
            (buffer.data as usize, (0..buffer.rank as usize).map(|axis| *buffer.dims.add(axis) as usize).collect())
        }
    }

    /// A buffer of elements, in C order.
    ///
    /// # Safety
    /// They are those of a call of XLA.
    pub(crate) unsafe fn memory(&self, number: usize) -> Result<Memory> {
        if number as i64 >= self.size {
            return Err(wrong(format!("{} buffers: expected {}", self.size, number + 1)));
        }
        // SAFETY: the caller guarantees it.
        let ((first, shape), dtype) = unsafe { (self.bytes(number), (**self.values.add(number)).dtype) };
        let element = element(dtype).ok_or_else(|| wrong("expected f32, f64, c64 or c128"))?;
        let mut strides = vec![1isize; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis] as isize;
        }
        Ok(Memory { first, element, shape, strides })
    }
}

impl Attributes {
    /// A text.
    ///
    /// # Safety
    /// They are those of a call of XLA.
    pub(crate) unsafe fn text(&self, wanted: &str) -> Result<&str> {
        for at in 0..self.size as usize {
            // SAFETY: XLA gives so many types, names and values; a text has `len` bytes.
            unsafe {
                let (name, value) = (&**self.names.add(at), *self.values.add(at));
                let name = std::slice::from_raw_parts(name.text, name.len);
                if name == wanted.as_bytes() && *self.types.add(at) == STRING {
                    let text = std::slice::from_raw_parts((*value).text, (*value).len);
                    return std::str::from_utf8(text).map_err(|_| wrong(format!("`{wanted}` is no text")));
                }
            }
        }
        Err(wrong(format!("the attribute `{wanted}` is missing")))
    }
}

impl CallFrame {
    /// The stream of the platform on which the call is to run.
    ///
    /// # Safety
    /// The frame is that of a call of XLA.
    pub(crate) unsafe fn stream(&self) -> Result<*mut c_void> {
        let mut question = GetStream { head: head::<GetStream>(), context: self.context, stream: std::ptr::null_mut() };
        // SAFETY: XLA's functions are those of its frame, and an error is ours to destroy.
        unsafe {
            let error = ((*self.api).get_stream)(&mut question);
            if error.is_null() {
                return Ok(question.stream);
            }
            let mut answer = ErrorMessage { head: head::<ErrorMessage>(), error, message: std::ptr::null() };
            ((*self.api).error_message)(&mut answer);
            let message = CStr::from_ptr(answer.message).to_string_lossy().into_owned();
            ((*self.api).destroy_error)(&mut DestroyError { head: head::<DestroyError>(), error });
            Err(Error::new(ErrorKind::Unavailable, format!("XLA has no stream: {message}")))
        }
    }
}

/// # Safety
/// The frame is that of a call of XLA.
unsafe fn transform(frame: &CallFrame) -> Result<()> {
    // SAFETY: the caller guarantees it.
    let (input, output, problem) =
        unsafe { (frame.arguments.memory(0)?, frame.results.memory(0)?, frame.attributes.text("problem")?) };
    if input.elements() == 0 || output.elements() == 0 {
        return Ok(());
    }
    let plan = cached(problem, 1)?;
    let whole = &plan.problem().output().shape;
    if *whole != output.shape {
        return Err(wrong(format!("`{problem}` does not give {:?}, but {whole:?}", output.shape)));
    }
    // SAFETY: XLA keeps both buffers for this call, and aligns them to 16 bytes or more.
    with_scratch(&plan, |scratch| unsafe { execute(&plan, &input, &output, scratch) })
}

/// Answers the question for version and traits, if that is why XLA calls.
///
/// # Safety
/// The frame is that of a call of XLA.
unsafe fn answered(frame: &CallFrame, traits: u32) -> bool {
    // SAFETY: an extension of this kind is a `MetadataExtension`, whose metadata XLA owns.
    unsafe {
        let Some(extension) = frame.head.extension.as_ref().filter(|extension| extension.kind == METADATA) else {
            return false;
        };
        let metadata = (*(&raw const *extension).cast::<MetadataExtension>()).metadata;
        ((*metadata).version.major, (*metadata).version.minor) = VERSION;
        (*metadata).traits = traits;
    }
    true
}

/// What all targets do: answers XLA's question for the target's traits, or calls `work`. Returns null,
/// or an error that XLA owns.
///
/// # Safety
/// The frame is that of a call of XLA.
pub(crate) unsafe fn called(
    frame: *mut CallFrame,
    traits: u32,
    work: unsafe fn(&CallFrame) -> Result<()>,
) -> *mut c_void {
    // SAFETY: XLA gives a frame.
    let frame = unsafe { &*frame };
    // SAFETY: as above.
    let outcome = catch_unwind(|| if unsafe { answered(frame, traits) } { Ok(()) } else { unsafe { work(frame) } });
    let message = match outcome {
        Ok(Ok(())) => return std::ptr::null_mut(),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "fourfold panicked: please report it".to_owned(),
    };
    let message = CString::new(message).unwrap_or_default();
    let mut arguments = CreateError { head: head::<CreateError>(), message: message.as_ptr(), code: INVALID_ARGUMENT };
    // SAFETY: XLA's function copies the message.
    unsafe { ((*frame.api).create_error)(&mut arguments) }
}

/// The target `fourfold_transform` on CPUs.
///
/// # Safety
/// XLA calls it with its frame.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn fourfold_xla_transform(frame: *mut CallFrame) -> *mut c_void {
    // SAFETY: the caller guarantees it.
    unsafe { called(frame, 0, transform) }
}
