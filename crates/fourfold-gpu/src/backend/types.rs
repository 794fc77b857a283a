//! What all backends take: grids, and plain numbers.

use crate::error::unavailable;
use crate::ir::range::Range;
use crate::limits::{DeviceId, DeviceInfo};
use fourfold::baseline::GroupShape;
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

/// What a kernel needs of the blocks that run it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockSize {
    pub(crate) threads: usize,
    pub(crate) shared_bytes: usize,
}

impl Grid {
    pub(crate) fn size(&self) -> BlockSize {
        // Where the driver chooses, a block of one thread would do.
        let chosen = self.range.is_some_and(|range| range.groups == GroupShape::Driver);
        BlockSize { threads: if chosen { 1 } else { self.threads }, shared_bytes: self.shared_bytes }
    }
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

/// The device of this name, among those of its API.
pub(crate) fn numbered(devices: Vec<Result<DeviceInfo>>, id: DeviceId) -> Result<DeviceInfo> {
    let there: Vec<_> = devices.iter().flatten().map(|device| format!("{} ({})", device.id, device.name)).collect();
    let message = || unavailable(format!("there is no {id}: there are {}", there.join(", ")));
    devices.into_iter().nth(id.number).ok_or_else(message)?
}

/// The devices that say what they are; if none does, why the first does not.
pub(crate) fn usable(devices: Vec<Result<DeviceInfo>>) -> Result<Vec<DeviceInfo>> {
    let (usable, others): (Vec<_>, Vec<_>) = devices.into_iter().partition(Result::is_ok);
    match others.into_iter().next() {
        Some(Err(error)) if usable.is_empty() => Err(error),
        _ => usable.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::DeviceAttributes;
    use crate::limits::Api;

    fn device(number: usize) -> DeviceInfo {
        DeviceInfo {
            id: DeviceId { api: Api::OpenCl, number },
            name: format!("device {number}"),
            version: "OpenCL 3.0".into(),
            memory: 1 << 30,
            is_cpu: false,
            attributes: DeviceAttributes::least(),
        }
    }

    #[test]
    fn a_device_that_does_not_answer_hides_no_other() {
        let broken = || Err(unavailable("OpenCL cannot ask what opencl:1 is: code -5".into()));
        let all = || vec![Ok(device(0)), broken(), Ok(device(2))];
        let numbers: Vec<_> = usable(all()).unwrap().iter().map(|device| device.id.number).collect();
        assert_eq!(numbers, [0, 2]);
        let get = |number| numbered(all(), DeviceId { api: Api::OpenCl, number });
        assert_eq!(get(2).unwrap().name, "device 2");
        assert!(get(1).unwrap_err().to_string().contains("code -5"));
        let message = get(3).unwrap_err().to_string();
        assert!(message.contains("no opencl:3") && message.contains("opencl:2 (device 2)"), "{message}");
        assert!(usable(vec![broken()]).unwrap_err().to_string().contains("code -5"));
    }
}
