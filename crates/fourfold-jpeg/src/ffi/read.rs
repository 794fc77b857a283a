//! Reads headers and coefficients of files.

use crate::coefficients::{Color, Component};
use crate::error::invalid_file;
use crate::ffi::arrays::{Array, Arrays, Sink, install, with_sink};
use crate::ffi::error::{ErrorManager, catch_errors, unwind_on_error};
use crate::limits::Limits;
use fourfold::Result;
use fourfold::engine::jpeg::Table;
use mozjpeg_sys as sys;
use std::marker::PhantomData;

/// A file whose header has been read.
pub(crate) struct Reader<'a> {
    state: Box<State>,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) color: Color,
    file: PhantomData<&'a [u8]>,
}

/// libjpeg's structure and everything to which it has pointers. It is boxed, so that it does not
/// move.
struct State {
    info: sys::jpeg_decompress_struct,
    errors: ErrorManager,
    progress: Progress,
    arrays: Arrays,
    created: bool,
}

/// The progress monitor, which libjpeg calls between rows of blocks, and the limit of scans. The
/// manager comes first, so that a pointer to it is a pointer to all.
#[repr(C)]
struct Progress {
    manager: sys::jpeg_progress_mgr,
    most_scans: u64,
}

impl Drop for State {
    fn drop(&mut self) {
        if self.created {
            // SAFETY: it has been created. The call only frees memory, and so does not fail.
            unsafe { sys::jpeg_destroy_decompress(&mut self.info) };
        }
    }
}

impl State {
    fn new() -> Result<Box<State>> {
        // SAFETY: structures of pointers, numbers and optional functions, which may all be zero.
        let (info, manager) = unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        let progress = Progress { manager, most_scans: u64::MAX };
        let (errors, arrays) = (ErrorManager::new(), Arrays::default());
        let mut state = Box::new(State { info, errors, progress, arrays, created: false });
        let State { info, errors, progress, arrays, .. } = &mut *state;
        info.common.err = errors.as_ptr();
        // SAFETY: the error manager is set, and the box does not move.
        catch_errors(|| unsafe { sys::jpeg_create_decompress(info) })?;
        // SAFETY: it has been created, and the arrays live as long.
        unsafe { install(info, arrays) };
        progress.manager.progress_monitor = Some(count_scans);
        info.common.progress = std::ptr::from_mut(progress).cast();
        state.created = true;
        Ok(state)
    }
}

/// Fails if a file has more scans than the limit. A scan of few bytes takes as much time as a full
/// one.
unsafe extern "C-unwind" fn count_scans(info: &mut sys::jpeg_common_struct) {
    let info: *mut sys::jpeg_common_struct = info;
    // SAFETY: `State::new` sets this function, for decompressors with a `Progress`. Their structure
    // begins with the common one.
    let (scan, most) = unsafe {
        let progress: *mut Progress = (*info).progress.cast();
        ((*info.cast::<sys::jpeg_decompress_struct>()).input_scan_number, (*progress).most_scans)
    };
    if scan as u64 > most {
        let message = format!("it has more than {most} scans; so many are read of an image of this size");
        unwind_on_error(Err(invalid_file(message)))
    }
}

impl<'a> Reader<'a> {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// If libjpeg refuses it, it is beyond a limit, it is too short for its size, or its colour
    /// space is not a [`Color`].
    pub(crate) fn new(file: &'a [u8], limits: &Limits) -> Result<Reader<'a>> {
        let mut state = State::new()?;
        let info = &mut state.info;
        catch_errors(|| {
            // SAFETY: the file outlives the reader; the structure has been created.
            unsafe {
                sys::jpeg_mem_src(info, file.as_ptr(), file.len() as _);
                sys::jpeg_read_header(info, 1);
            }
        })?;
        let (width, height) = (info.image_width as usize, info.image_height as usize);
        limits.check(width, height)?;
        let color = color(info)?;
        state.progress.most_scans = limits.scans(width, height);
        let reader = Reader { state, width, height, color, file: PhantomData };
        reader.check_length(file.len())?;
        Ok(reader)
    }

    /// Checks that the file can hold its blocks, before there is memory for them. The code of a
    /// block's DC coefficient has at least one bit. Source: ITU-T T.81, F.1.2.1 and G.1.2.1.
    fn check_length(&self, bytes: usize) -> Result<()> {
        let blocks: usize = self.components().iter().map(|component| component.across * component.down).sum();
        if blocks.div_ceil(8) <= bytes {
            return Ok(());
        }
        let size = format!("{}x{} pixels take at least {}", self.width, self.height, blocks.div_ceil(8));
        Err(invalid_file(format!("it is cut off: it has {bytes} bytes, and {size}")))
    }

    /// Whether the file has one scan, which [`Reader::stream`] needs.
    pub(crate) fn has_one_scan(&self) -> bool {
        // SAFETY: the header has been read.
        unsafe { sys::jpeg_has_multiple_scans(&self.state.info) == 0 }
    }

    /// The components. A table is the one in force in the component's first scan; before that scan
    /// has been read, the one that would be.
    pub(crate) fn components(&self) -> Vec<Component> {
        let info = &self.state.info;
        // SAFETY: libjpeg has `num_components` descriptions of components.
        let infos = unsafe { std::slice::from_raw_parts(info.comp_info, info.num_components as usize) };
        infos.iter().map(|component| describe(component, &info.quant_tbl_ptrs)).collect()
    }

    /// Reads the coefficients of all components.
    pub(crate) fn read(&mut self) -> Result<Vec<Array>> {
        let info = &mut self.state.info;
        // SAFETY: the header has been read.
        catch_errors(|| unsafe { sys::jpeg_read_coefficients(info) })?;
        Ok(std::mem::take(&mut self.state.arrays.all))
    }

    /// Reads the coefficients of a file with one scan, and passes each MCU row to the sink.
    pub(crate) fn stream(&mut self, sink: &mut Sink) -> Result<()> {
        let info: *mut sys::jpeg_decompress_struct = &mut self.state.info;
        // SAFETY: the header has been read; `State::new` has installed the arrays.
        catch_errors(|| unsafe { with_sink(info.cast(), sink, || sys::jpeg_read_coefficients(&mut *info)) }).map(drop)
    }

    /// libjpeg's warnings up to now.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.state.errors.warnings.all()
    }
}

/// The colour space of a file.
///
/// # Errors
/// If it is not a [`Color`].
fn color(info: &sys::jpeg_decompress_struct) -> Result<Color> {
    use sys::J_COLOR_SPACE::*;
    match info.jpeg_color_space {
        JCS_GRAYSCALE => Ok(Color::Grey),
        JCS_YCbCr => Ok(Color::YCbCr),
        JCS_RGB => Ok(Color::Rgb),
        JCS_CMYK | JCS_YCCK => Err(invalid_file("its colours are CMYK; grey, YCbCr and RGB are read".into())),
        _ => Err(invalid_file(format!("it has {} components; 1 and 3 are read", info.num_components))),
    }
}

/// A component, from libjpeg's description and the slots with quantisation tables.
fn describe(info: &sys::jpeg_component_info, slots: &[*mut sys::JQUANT_TBL; 4]) -> Component {
    let slot = slots.get(info.quant_tbl_no as usize).copied().unwrap_or(std::ptr::null_mut());
    let table = if info.quant_table.is_null() { slot } else { info.quant_table };
    // SAFETY: libjpeg keeps the table of the component's first scan; before that, the one in the
    // slot. Either is valid or null.
    let table = unsafe { table.as_ref() };
    Component {
        horizontal: info.h_samp_factor as usize,
        vertical: info.v_samp_factor as usize,
        across: info.width_in_blocks as usize,
        down: info.height_in_blocks as usize,
        table: Table::raster(table.map_or([0; 64], |table| table.quantval)),
    }
}
