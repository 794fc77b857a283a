//! What all backends take: grids, and plain numbers.

use crate::error::unavailable;
use crate::ir::range::Range as LaunchRange;
use crate::limits::{DeviceId, DeviceInfo};
use fourfold::baseline::GroupShape;
use fourfold::{Element, Result};
use std::ops::Range;

/// How a kernel is launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    /// Thread blocks.
    pub(crate) blocks: usize,
    pub(crate) threads: usize,
    pub(crate) shared_bytes: usize,
    /// The range, whose blocks and threads these are, if the kernel is for one.
    pub(crate) range: Option<LaunchRange>,
    /// Whether the launch before it is of the same plan: then it may begin before that has ended,
    /// and waits itself.
    pub(crate) follows: bool,
}

/// What a kernel needs of the blocks that run it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockSize {
    pub(crate) threads: usize,
    pub(crate) shared_bytes: usize,
    /// Threads of a warp (sub-group), if they exchange registers; else 0.
    pub(crate) subgroup: usize,
}

impl Grid {
    pub(crate) fn size(&self) -> BlockSize {
        // Where the driver chooses, a block of one thread would do.
        let chosen = self.range.is_some_and(|range| range.groups == GroupShape::Driver);
        BlockSize { threads: if chosen { 1 } else { self.threads }, shared_bytes: self.shared_bytes, subgroup: 0 }
    }
}

/// Runs of bytes to copy from one memory to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxCopy {
    /// The bytes of a run.
    pub run: usize,
    /// The first bytes in both memories.
    pub starts: [usize; 2],
    /// The number of runs along each axis, the slowest first, and the distances between them in bytes, in
    /// both memories.
    pub axes: Vec<(usize, [usize; 2])>,
}

impl BoxCopy {
    /// The bytes after the last ones in both memories.
    pub fn ends(&self) -> [usize; 2] {
        let last = |side: usize| self.axes.iter().map(|(count, steps)| (count - 1) * steps[side]).sum::<usize>();
        [0, 1].map(|side| self.starts[side] + last(side) + self.run)
    }

    /// The number of bytes that are copied.
    pub fn bytes(&self) -> usize {
        self.run * self.axes.iter().map(|(count, _)| count).product::<usize>()
    }

    /// The same as boxes of three axes at most, which drivers copy: rows, and planes of rows.
    pub(crate) fn planes(&self) -> impl Iterator<Item = Planes> {
        let at = self.axes.len().saturating_sub(2);
        let (outer, inner) = self.axes.split_at(at);
        let count = |axis: usize| inner.len().checked_sub(axis).map_or((1, [self.run; 2]), |i| inner[i]);
        let (rows, planes) = (count(1), count(2));
        let pitches = rows.1;
        // A plane that does not follow whole rows is a copy for itself.
        let follows =
            |side: &usize| planes.1[*side] % pitches[*side] == 0 && planes.1[*side] / pitches[*side] >= rows.0;
        let fits = planes.0 == 1 || [0, 1].iter().all(follows);
        let mut starts = vec![self.starts];
        let single = if fits { None } else { Some(planes) };
        for (count, steps) in outer.iter().copied().chain(single) {
            let next = |start: &[usize; 2]| {
                let start = *start;
                (0..count).map(move |i| [start[0] + i * steps[0], start[1] + i * steps[1]])
            };
            starts = starts.iter().flat_map(next).collect();
        }
        let (run, planes) = (self.run, if fits { planes } else { (1, planes.1) });
        starts.into_iter().map(move |starts| Planes {
            starts,
            shape: [run, rows.0, planes.0],
            pitches,
            heights: [0, 1].map(|side| if planes.0 == 1 { rows.0 } else { planes.1[side] / pitches[side] }),
        })
    }
}

/// Equal rows of bytes in planes.
pub(crate) struct Planes {
    /// The first bytes in both memories.
    pub(crate) starts: [usize; 2],
    /// Bytes of a row, rows of a plane, planes.
    pub(crate) shape: [usize; 3],
    /// Bytes from a row to the next in both memories.
    pub(crate) pitches: [usize; 2],
    /// Rows from a plane to the next in both memories.
    pub(crate) heights: [usize; 2],
}

/// A message between members of a [team](crate::GpuTeam).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The other member.
    pub rank: usize,
    /// The bytes of this member's memory.
    pub bytes: Range<usize>,
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
