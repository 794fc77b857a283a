//! Coefficients as a file.

use crate::codec::{Coefficients, Color};
use crate::ffi::{guarded, handler, sys};
use fourfold::Result;
use std::ffi::{c_int, c_uint};

/// All that libjpeg has pointers to; not moved. The destination comes first: libjpeg hands its
/// address back.
struct State {
    info: sys::jpeg_compress_struct,
    handler: sys::jpeg_error_mgr,
    destination: Destination,
    created: bool,
}

/// Where the file goes: full buffers are appended to it.
#[repr(C)]
struct Destination {
    manager: sys::jpeg_destination_mgr,
    buffer: [u8; 1 << 14],
    file: Vec<u8>,
}

impl Drop for State {
    fn drop(&mut self) {
        if self.created {
            // SAFETY: created by `State::new`. Frees memory only, and so does not fail.
            unsafe { sys::jpeg_destroy_compress(&mut self.info) };
        }
    }
}

impl State {
    fn new() -> Result<Box<State>> {
        // SAFETY: structures of pointers, numbers and functions that may be absent, all of which
        // may be zero.
        let (info, manager) = unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        let destination = Destination { manager, buffer: [0; 1 << 14], file: Vec::new() };
        let mut state = Box::new(State { info, handler: handler(), destination, created: false });
        let State { info, handler, destination, .. } = &mut *state;
        info.common.err = handler;
        // SAFETY: the handler is set, and the box does not move.
        guarded(|| unsafe { sys::jpeg_create_compress(info) })?;
        destination.manager.init_destination = Some(begin);
        destination.manager.empty_output_buffer = Some(empty);
        destination.manager.term_destination = Some(end);
        // The pointer is to the whole destination.
        info.dest = std::ptr::from_mut(destination).cast();
        state.created = true;
        Ok(state)
    }
}

/// The destination that a compressor has.
///
/// # Safety
/// It is of a [`State`].
unsafe fn destination(info: &mut sys::jpeg_compress_struct) -> &mut Destination {
    // SAFETY: `State::new` has made the pointer of one to a destination.
    unsafe { &mut *info.dest.cast() }
}

unsafe extern "C-unwind" fn begin(info: &mut sys::jpeg_compress_struct) {
    // SAFETY: libjpeg calls with the state's structure.
    let destination = unsafe { destination(info) };
    destination.manager.next_output_byte = destination.buffer.as_mut_ptr();
    destination.manager.free_in_buffer = destination.buffer.len();
}

unsafe extern "C-unwind" fn empty(info: &mut sys::jpeg_compress_struct) -> c_int {
    // SAFETY: as above. All of the buffer is full, whatever the count says.
    unsafe {
        let destination = destination(info);
        destination.file.extend_from_slice(&destination.buffer);
        begin(info);
    }
    1
}

unsafe extern "C-unwind" fn end(info: &mut sys::jpeg_compress_struct) {
    // SAFETY: as above.
    let Destination { manager, buffer, file } = unsafe { destination(info) };
    file.extend_from_slice(&buffer[..buffer.len() - manager.free_in_buffer]);
}

/// A baseline file with the usual Huffman tables.
///
/// # Errors
/// What libjpeg refuses: images of more than 65,500 pixels a side, coefficients that have no code.
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
    guarded(|| {
        // SAFETY: a structure that has been created, in the order of calls that libjpeg asks for.
        unsafe {
            let fastest = sys::JINT_COMPRESS_PROFILE_VALUE::JCP_FASTEST as c_int;
            sys::jpeg_c_set_int_param(info, sys::J_INT_PARAM::JINT_COMPRESS_PROFILE, fastest);
            sys::jpeg_set_defaults(info);
            sys::jpeg_set_colorspace(info, space);
        }
    })?;
    set_components(info, image)?;
    let mut arrays = request(info, image)?;
    // SAFETY: as many arrays as components, of libjpeg's memory, which lives as long as the
    // structure.
    guarded(|| unsafe { sys::jpeg_write_coefficients(info, arrays.as_mut_ptr()) })?;
    fill(info, &arrays, image)?;
    // SAFETY: the arrays are full.
    guarded(|| unsafe { sys::jpeg_finish_compress(info) })?;
    Ok(std::mem::take(&mut state.destination.file))
}

/// Sampling factors, and quantisation tables in one slot for each that differs.
fn set_components(info: &mut sys::jpeg_compress_struct, image: &Coefficients) -> Result<()> {
    for (index, component) in image.components.iter().enumerate() {
        let slot = image.components.iter().position(|other| other.table == component.table).unwrap_or(index);
        let table: Vec<c_uint> = component.table.rows().as_flattened().iter().map(|&q| q.into()).collect();
        guarded(|| {
            // SAFETY: a table has 64 values; libjpeg has descriptions of as many components as it
            // was told of, at most four.
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

/// Asks for arrays, of whole groups of blocks, as jpegtran does.
fn request(info: &mut sys::jpeg_compress_struct, image: &Coefficients) -> Result<Vec<*mut sys::jvirt_barray_control>> {
    // SAFETY: libjpeg has set up its memory manager.
    let request = unsafe { (*info.common.mem).request_virt_barray }.expect("libjpeg fills this in");
    const IMAGE: c_int = 1;
    let mut arrays = Vec::new();
    for component in &image.components {
        let across = component.across.next_multiple_of(component.horizontal) as c_uint;
        let down = component.down.next_multiple_of(component.vertical) as c_uint;
        let access = component.vertical as c_uint;
        // SAFETY: the memory is libjpeg's.
        arrays.push(guarded(|| unsafe { request(&mut info.common, IMAGE, 1, across, down, access) })?);
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
    let access = unsafe { (*info.common.mem).access_virt_barray }.expect("libjpeg fills this in");
    for ((component, blocks), &array) in image.components.iter().zip(&image.blocks).zip(arrays) {
        for (row, blocks) in blocks.chunks_exact(component.across).enumerate() {
            // SAFETY: the array has this row, of at least as many blocks.
            guarded(|| unsafe {
                let to = *access(&mut info.common, array, row as c_uint, 1, 1);
                std::slice::from_raw_parts_mut(to, component.across).copy_from_slice(blocks);
            })?;
        }
    }
    Ok(())
}
