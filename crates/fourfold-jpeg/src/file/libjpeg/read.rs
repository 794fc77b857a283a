//! A file's coefficients.

use super::{client, guarded, handler};
use crate::block::Table;
use crate::file::{Color, Component, Limits, Warnings, damaged};
use fourfold::Result;
use mozjpeg_sys as sys;
use std::ffi::c_int;
use std::marker::PhantomData;

/// A file that has been read, with its coefficients in libjpeg's memory.
pub(crate) struct Reader<'a> {
    state: Box<State>,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) color: Color,
    pub(crate) components: Vec<Component>,
    /// The rows of blocks of each component.
    rows: Vec<Vec<*const [i16; 64]>>,
    file: PhantomData<&'a [u8]>,
}

// SAFETY: what the pointers lead to belongs to `state`, and is not written after `Reader::new`.
unsafe impl Sync for Reader<'_> {}

/// All that libjpeg has pointers to; not moved.
struct State {
    info: sys::jpeg_decompress_struct,
    handler: sys::jpeg_error_mgr,
    progress: Progress,
    warnings: Warnings,
    created: bool,
}

/// What libjpeg calls between rows of blocks, and the most scans that a file may have.
#[repr(C)]
struct Progress {
    manager: sys::jpeg_progress_mgr,
    most_scans: c_int,
}

impl Drop for State {
    fn drop(&mut self) {
        if self.created {
            // SAFETY: created by `State::new`. Frees memory only, and so does not fail.
            unsafe { sys::jpeg_destroy_decompress(&mut self.info) };
        }
    }
}

impl State {
    fn new(most_scans: usize) -> Result<Box<State>> {
        // SAFETY: structures of pointers, numbers and functions that may be absent, all of which may be zero.
        let (info, manager) = unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        let (handler, progress) = (handler(), Progress { manager, most_scans: 0 });
        let mut state = Box::new(State { info, handler, progress, warnings: Warnings::default(), created: false });
        let State { info, handler, progress, warnings, .. } = &mut *state;
        info.common.err = handler;
        // SAFETY: the handler is set, and the box does not move.
        guarded(|| unsafe { sys::jpeg_create_decompress(info) })?;
        info.common.client_data = client(warnings);
        progress.most_scans = c_int::try_from(most_scans).unwrap_or(c_int::MAX);
        progress.manager.progress_monitor = Some(count_scans);
        // The pointer is to all of it.
        info.common.progress = std::ptr::from_mut(progress).cast();
        state.created = true;
        Ok(state)
    }
}

/// Fails if a file has more scans than the limit: each is work for the whole image, and takes few bytes to ask for.
unsafe extern "C-unwind" fn count_scans(info: &mut sys::jpeg_common_struct) {
    let info: *mut sys::jpeg_common_struct = info;
    // SAFETY: this function is given to decompressors only, whose structure begins with the common one, and with a `Progress`.
    let (scan, most) = unsafe {
        let progress: *mut Progress = (*info).progress.cast();
        ((*info.cast::<sys::jpeg_decompress_struct>()).input_scan_number, (*progress).most_scans)
    };
    if scan > most {
        std::panic::resume_unwind(Box::new(super::Failure(format!("it has more than {most} scans"))));
    }
}

impl<'a> Reader<'a> {
    /// Reads a file.
    ///
    /// # Errors
    /// If libjpeg refuses it, or a limit or [`Color`] does.
    pub(crate) fn new(file: &'a [u8], limits: &Limits) -> Result<Reader<'a>> {
        let mut state = State::new(limits.scans)?;
        let info = &mut state.info;
        guarded(|| {
            // SAFETY: the file outlives the reader; the structure has been created.
            unsafe {
                sys::jpeg_mem_src(info, file.as_ptr(), file.len() as _);
                sys::jpeg_read_header(info, 1);
            }
        })?;
        let (width, height) = (info.image_width as usize, info.image_height as usize);
        limits.check(width, height)?;
        let color = color(info)?;
        // SAFETY: the header has been read.
        let arrays = guarded(|| unsafe { sys::jpeg_read_coefficients(info) })?;
        if arrays.is_null() {
            return Err(damaged("it ends in the middle".into()));
        }
        // SAFETY: libjpeg has as many descriptions of components, and as many arrays.
        let infos = unsafe { std::slice::from_raw_parts(info.comp_info, info.num_components as usize) };
        let components: Vec<_> = infos.iter().map(component).collect();
        let mut rows = Vec::new();
        for (index, component) in components.iter().enumerate() {
            // SAFETY: as above.
            rows.push(row_pointers(&mut state.info.common, unsafe { *arrays.add(index) }, component)?);
        }
        Ok(Reader { state, width, height, color, components, rows, file: PhantomData })
    }

    /// The coefficients of a row of blocks, in raster order.
    pub(crate) fn row(&self, component: usize, row: usize) -> &[[i16; 64]] {
        // SAFETY: `row_pointers` has found the row, of `across` blocks.
        unsafe { std::slice::from_raw_parts(self.rows[component][row], self.components[component].across) }
    }

    /// What libjpeg warned of.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.state.warnings.all()
    }
}

fn color(info: &sys::jpeg_decompress_struct) -> Result<Color> {
    use sys::J_COLOR_SPACE::*;
    match info.jpeg_color_space {
        JCS_GRAYSCALE => Ok(Color::Grey),
        JCS_YCbCr => Ok(Color::YCbCr),
        JCS_RGB => Ok(Color::Rgb),
        JCS_CMYK | JCS_YCCK => Err(damaged("its colours are CMYK; grey, YCbCr and RGB are read".into())),
        _ => Err(damaged(format!("it has {} components; 1 and 3 are read", info.num_components))),
    }
}

fn component(info: &sys::jpeg_component_info) -> Component {
    // SAFETY: libjpeg keeps the table that the component's first scan has had; there is none if it has had no scan.
    let table = unsafe { info.quant_table.as_ref() };
    Component {
        horizontal: info.h_samp_factor as usize,
        vertical: info.v_samp_factor as usize,
        across: info.width_in_blocks as usize,
        down: info.height_in_blocks as usize,
        table: Table::raster(table.map_or([0; 64], |table| table.quantval)),
    }
}

/// Where the rows of blocks are. libjpeg warns that its arrays may move: those that do not fit into memory. mozjpeg has no other
/// place than memory, so that they stay.
fn row_pointers(
    common: &mut sys::jpeg_common_struct,
    array: *mut sys::jvirt_barray_control,
    component: &Component,
) -> Result<Vec<*const [i16; 64]>> {
    // SAFETY: libjpeg has set up its memory manager.
    let access = unsafe { (*common.mem).access_virt_barray }.expect("libjpeg fills this in");
    // SAFETY: the array has these rows, and none are asked for that it lacks; it gives a pointer to one pointer.
    let mut find = |row: usize| guarded(|| unsafe { (*access(common, array, row as u32, 1, 0)).cast_const() });
    (0..component.down).map(&mut find).collect()
}
