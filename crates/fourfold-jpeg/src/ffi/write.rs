//! Writes coefficients as a file.

use crate::coefficients::{Coefficients, Color};
use crate::error::argument;
use crate::ffi::error::{ErrorManager, catch_errors, unwind_on_error};
use fourfold::Result;
use mozjpeg_sys as sys;
use std::ffi::{c_int, c_uint};

/// libjpeg's structure and everything to which it has pointers. It is boxed, so that it does not
/// move.
struct State {
    info: sys::jpeg_compress_struct,
    errors: ErrorManager,
    destination: Destination,
    created: bool,
}

/// The destination: libjpeg fills the buffer, and full buffers are appended to the file. The
/// manager comes first, so that a pointer to it is a pointer to all.
#[repr(C)]
struct Destination {
    manager: sys::jpeg_destination_mgr,
    buffer: [u8; 1 << 14],
    file: Vec<u8>,
}

impl Drop for State {
    fn drop(&mut self) {
        if self.created {
            // SAFETY: it has been created. The call only frees memory, and so does not fail.
            unsafe { sys::jpeg_destroy_compress(&mut self.info) };
        }
    }
}

impl State {
    fn new() -> Result<Box<State>> {
        // SAFETY: structures of pointers, numbers and optional functions, which may all be zero.
        let (info, manager) = unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        let destination = Destination { manager, buffer: [0; 1 << 14], file: Vec::new() };
        let mut state = Box::new(State { info, errors: ErrorManager::new(), destination, created: false });
        let State { info, errors, destination, .. } = &mut *state;
        info.common.err = errors.as_ptr();
        // SAFETY: the error manager is set, and the box does not move.
        catch_errors(|| unsafe { sys::jpeg_create_compress(info) })?;
        destination.manager.init_destination = Some(begin);
        destination.manager.empty_output_buffer = Some(empty);
        destination.manager.term_destination = Some(end);
        info.dest = std::ptr::from_mut(destination).cast();
        state.created = true;
        Ok(state)
    }
}

/// The destination of a compressor.
///
/// # Safety
/// The compressor belongs to a [`State`].
unsafe fn destination(info: &mut sys::jpeg_compress_struct) -> &mut Destination {
    // SAFETY: `State::new` has set the pointer to a `Destination`.
    unsafe { &mut *info.dest.cast() }
}

/// Gives libjpeg the whole buffer.
unsafe extern "C-unwind" fn begin(info: &mut sys::jpeg_compress_struct) {
    // SAFETY: libjpeg passes the structure of the `State`.
    let destination = unsafe { destination(info) };
    destination.manager.next_output_byte = destination.buffer.as_mut_ptr();
    destination.manager.free_in_buffer = destination.buffer.len();
}

/// Appends bytes to the file, or unwinds if there is no memory.
fn append(file: &mut Vec<u8>, bytes: &[u8]) {
    let length = file.len() + bytes.len();
    let no_memory = |_| argument(format!("there is no memory for a file of {length} bytes"));
    unwind_on_error(file.try_reserve(bytes.len()).map_err(no_memory));
    file.extend_from_slice(bytes);
}

/// Appends the full buffer to the file.
unsafe extern "C-unwind" fn empty(info: &mut sys::jpeg_compress_struct) -> c_int {
    // SAFETY: as above. The whole buffer is full, although `free_in_buffer` may differ from 0 here.
    unsafe {
        let destination = destination(info);
        append(&mut destination.file, &destination.buffer);
        begin(info);
    }
    1
}

/// Appends the rest to the file.
unsafe extern "C-unwind" fn end(info: &mut sys::jpeg_compress_struct) {
    // SAFETY: as above.
    let Destination { manager, buffer, file } = unsafe { destination(info) };
    append(file, &buffer[..buffer.len() - manager.free_in_buffer]);
}

/// A baseline file with the Huffman tables of ITU-T T.81, annex K.3. The coefficients have been
/// checked by [`Coefficients::check`].
///
/// # Errors
/// If a coefficient has no Huffman code, or there is no memory.
pub(crate) fn write(image: &Coefficients) -> Result<Vec<u8>> {
    let mut state = State::new()?;
    let info = &mut state.info;
    info.image_width = image.width as c_uint;
    info.image_height = image.height as c_uint;
    info.input_components = image.components.len() as c_int;
    info.in_color_space = match image.color {
        Color::Grey => sys::J_COLOR_SPACE::JCS_GRAYSCALE,
        Color::YCbCr => sys::J_COLOR_SPACE::JCS_YCbCr,
        Color::Rgb => sys::J_COLOR_SPACE::JCS_RGB,
    };
    let space = info.in_color_space;
    catch_errors(|| {
        // SAFETY: the structure has been created; the calls are in the order that libjpeg requires.
        unsafe {
            let fastest = sys::JINT_COMPRESS_PROFILE_VALUE::JCP_FASTEST as c_int;
            sys::jpeg_c_set_int_param(info, sys::J_INT_PARAM::JINT_COMPRESS_PROFILE, fastest);
            sys::jpeg_set_defaults(info);
            sys::jpeg_set_colorspace(info, space);
        }
    })?;
    set_components(info, image)?;
    let mut arrays = request(info, image)?;
    // SAFETY: there is an array for each component, in libjpeg's memory, which lives as long as the
    // structure.
    catch_errors(|| unsafe { sys::jpeg_write_coefficients(info, arrays.as_mut_ptr()) })?;
    fill(info, &arrays, image)?;
    // SAFETY: the arrays are full.
    catch_errors(|| unsafe { sys::jpeg_finish_compress(info) })?;
    Ok(std::mem::take(&mut state.destination.file))
}

/// Sets sampling factors and quantisation tables. Equal tables share a slot.
fn set_components(info: &mut sys::jpeg_compress_struct, image: &Coefficients) -> Result<()> {
    for (index, component) in image.components.iter().enumerate() {
        let slot = image.components.iter().position(|other| other.table == component.table).unwrap_or(index);
        let table: Vec<c_uint> = component.table.rows().as_flattened().iter().map(|&q| q.into()).collect();
        catch_errors(|| {
            // SAFETY: a table has 64 values; libjpeg has a description of each component, of which
            // there are at most three.
            unsafe {
                sys::jpeg_add_quant_table(info, slot as c_int, table.as_ptr(), 100, 0);
                let info = &mut *info.comp_info.add(index);
                info.h_samp_factor = component.horizontal as c_int;
                info.v_samp_factor = component.vertical as c_int;
                info.quant_tbl_no = slot as c_int;
            }
        })?;
    }
    Ok(())
}

/// Requests arrays, padded to whole MCUs as in jpegtran.
fn request(info: &mut sys::jpeg_compress_struct, image: &Coefficients) -> Result<Vec<*mut sys::jvirt_barray_control>> {
    // SAFETY: libjpeg has set up its memory manager.
    let request = unsafe { (*info.common.mem).request_virt_barray }.expect("jpeg_create_compress sets it");
    const IMAGE: c_int = 1;
    let mut arrays = Vec::new();
    for component in &image.components {
        let across = component.across.next_multiple_of(component.horizontal) as c_uint;
        let down = component.down.next_multiple_of(component.vertical) as c_uint;
        let access = component.vertical as c_uint;
        // SAFETY: the memory is libjpeg's.
        arrays.push(catch_errors(|| unsafe { request(&mut info.common, IMAGE, 1, across, down, access) })?);
    }
    Ok(arrays)
}

/// Copies the coefficients into libjpeg's arrays.
fn fill(
    info: &mut sys::jpeg_compress_struct,
    arrays: &[*mut sys::jvirt_barray_control],
    image: &Coefficients,
) -> Result<()> {
    // SAFETY: libjpeg has set up its memory manager.
    let access = unsafe { (*info.common.mem).access_virt_barray }.expect("jpeg_create_compress sets it");
    for ((component, blocks), &array) in image.components.iter().zip(&image.blocks).zip(arrays) {
        for (row, blocks) in blocks.chunks_exact(component.across).enumerate() {
            // SAFETY: the array has this row, of at least as many blocks.
            catch_errors(|| unsafe {
                let to = *access(&mut info.common, array, row as c_uint, 1, 1);
                std::slice::from_raw_parts_mut(to, component.across).copy_from_slice(blocks);
            })?;
        }
    }
    Ok(())
}
