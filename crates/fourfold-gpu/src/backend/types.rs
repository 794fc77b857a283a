//! What all backends take: grids, and plain numbers.

use crate::error::unavailable;
use crate::ir::range::Range;
use crate::limits::DeviceInfo;
use fourfold::{Element, Result};

/// How a kernel is launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    /// Thread blocks.
    pub(crate) blocks: usize,
    pub(crate) threads: usize,
    pub(crate) shared_bytes: usize,
    /// The range, whose blocks and threads these are, if the kernel is for one.
    pub(crate) range: Option<Range>,
    /// Whether the launch before it is of the same plan: then it may begin before that has ended,
    /// and waits itself.
    pub(crate) follows: bool,
}

/// Numbers without padding, any bytes of which are numbers.
pub(crate) trait Plain: Copy {}

impl<T: Element> Plain for T {}

impl Plain for Index {}

impl Plain for Raw<i16> {}

impl Plain for Raw<u8> {}

/// An index in tables of kernels.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Index(pub(crate) u32);

/// An integer of JPEG's blocks.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Raw<T>(T);

impl<T> Raw<T> {
    pub(crate) fn slice(data: &[T]) -> &[Raw<T>] {
        // SAFETY: a transparent wrapper.
        unsafe { std::slice::from_raw_parts(data.as_ptr().cast(), data.len()) }
    }

    pub(crate) fn slice_mut(data: &mut [T]) -> &mut [Raw<T>] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(data.as_mut_ptr().cast(), data.len()) }
    }
}

pub(crate) fn bytes<T: Plain>(data: &[T]) -> &[u8] {
    // SAFETY: plain data have no padding.
    unsafe { std::slice::from_raw_parts(data.as_ptr().cast(), size_of_val(data)) }
}

pub(crate) fn bytes_mut<T: Plain>(data: &mut [T]) -> &mut [u8] {
    // SAFETY: as above, and any bytes are valid.
    unsafe { std::slice::from_raw_parts_mut(data.as_mut_ptr().cast(), size_of_val(data)) }
}

/// The device of this number.
pub(crate) fn numbered(devices: Vec<DeviceInfo>, number: usize) -> Result<DeviceInfo> {
    let there: Vec<_> = devices.iter().map(|device| format!("{} ({})", device.id, device.name)).collect();
    let api = devices[0].id.api;
    let message = || unavailable(format!("there is no {api}:{number}: there are {}", there.join(", ")));
    devices.into_iter().nth(number).ok_or_else(message)
}
