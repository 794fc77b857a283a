//! A file's coefficients.

use crate::codec::{Color, Component, Limits, damaged};
use crate::ffi::arrays::{Array, Sink, install, with_sink};
use crate::ffi::{Client, Failure, guarded, handler, sys};
use fourfold::Result;
use fourfold::engine::jpeg::Table;
use std::ffi::c_int;
use std::marker::PhantomData;

/// A file whose header has been read.
pub(crate) struct Reader<'a> {
    state: Box<State>,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) color: Color,
    file: PhantomData<&'a [u8]>,
}

/// All that libjpeg has pointers to; not moved.
struct State {
    info: sys::jpeg_decompress_struct,
    handler: sys::jpeg_error_mgr,
    progress: Progress,
    client: Client,
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
        // SAFETY: structures of pointers, numbers and functions that may be absent, all of which
        // may be zero.
        let (info, manager) = unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        let progress = Progress { manager, most_scans: c_int::try_from(most_scans).unwrap_or(c_int::MAX) };
        let client = Client::default();
        let mut state = Box::new(State { info, handler: handler(), progress, client, created: false });
        let State { info, handler, progress, client, .. } = &mut *state;
        info.common.err = handler;
        // SAFETY: the handler is set, and the box does not move.
        guarded(|| unsafe { sys::jpeg_create_decompress(info) })?;
        info.common.client_data = std::ptr::from_mut(client).cast();
        // SAFETY: it has been created.
        unsafe { install(info) };
        progress.manager.progress_monitor = Some(count_scans);
        // The pointer is to all of it.
        info.common.progress = std::ptr::from_mut(progress).cast();
        state.created = true;
        Ok(state)
    }
}

/// Fails if a file has more scans than the limit: each is work for the whole image, and takes few
/// bytes to ask for.
unsafe extern "C-unwind" fn count_scans(info: &mut sys::jpeg_common_struct) {
    let info: *mut sys::jpeg_common_struct = info;
    // SAFETY: this function is given to decompressors only, whose structure begins with the common
    // one, and with a `Progress`.
    let (scan, most) = unsafe {
        let progress: *mut Progress = (*info).progress.cast();
        ((*info.cast::<sys::jpeg_decompress_struct>()).input_scan_number, (*progress).most_scans)
    };
    if scan > most {
        Failure::unwind_on_error(Err(damaged(format!("it has more than {most} scans"))))
    }
}

impl<'a> Reader<'a> {
    /// Reads the header of a file.
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
        Ok(Reader { state, width, height, color, file: PhantomData })
    }

    /// Whether the file has one scan, which [`Reader::stream`] needs.
    pub(crate) fn has_one_scan(&self) -> bool {
        // SAFETY: the header has been read.
        unsafe { sys::jpeg_has_multiple_scans(&self.state.info) == 0 }
    }

    /// The components. Tables are those of their first scans, as far as it has been read.
    pub(crate) fn components(&self) -> Vec<Component> {
        let info = &self.state.info;
        // SAFETY: libjpeg has as many descriptions of components.
        let infos = unsafe { std::slice::from_raw_parts(info.comp_info, info.num_components as usize) };
        infos.iter().map(|component| describe(component, &info.quant_tbl_ptrs)).collect()
    }

    /// Reads all the rest.
    pub(crate) fn read(&mut self) -> Result<Vec<Array>> {
        let info = &mut self.state.info;
        // SAFETY: the header has been read.
        guarded(|| unsafe { sys::jpeg_read_coefficients(info) })?;
        Ok(std::mem::take(&mut self.state.client.arrays.all))
    }

    /// Reads all the rest of a file with one scan, and hands out rows of groups of blocks as they
    /// come.
    pub(crate) fn stream(&mut self, sink: &mut Sink) -> Result<()> {
        let info: *mut sys::jpeg_decompress_struct = &mut self.state.info;
        // SAFETY: the header has been read; `State::new` has installed the arrays.
        guarded(|| unsafe { with_sink(info.cast(), sink, || sys::jpeg_read_coefficients(&mut *info)) }).map(drop)
    }

    /// What libjpeg has warned of.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.state.client.warnings.all()
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

fn describe(info: &sys::jpeg_component_info, slots: &[*mut sys::JQUANT_TBL; 4]) -> Component {
    let slot = slots.get(info.quant_tbl_no as usize).copied().unwrap_or(std::ptr::null_mut());
    let table = if info.quant_table.is_null() { slot } else { info.quant_table };
    // SAFETY: libjpeg keeps the table that the component's first scan has had; before that, it will
    // be the one in its slot.
    let table = unsafe { table.as_ref() };
    Component {
        horizontal: info.h_samp_factor as usize,
        vertical: info.v_samp_factor as usize,
        across: info.width_in_blocks as usize,
        down: info.height_in_blocks as usize,
        table: Table::raster(table.map_or([0; 64], |table| table.quantval)),
    }
}
