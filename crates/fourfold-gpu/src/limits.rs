//! What a device is and what it can do.

use crate::attributes::DeviceAttributes;
use crate::error::unavailable;
use fourfold::{Error, ErrorKind, Result};
use std::fmt;
use std::str::FromStr;

/// The API through which a device is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    /// NVIDIA's CUDA.
    Cuda,
    /// OpenCL, of any vendor.
    OpenCl,
}

impl Api {
    /// All APIs.
    pub const ALL: [Api; 2] = [Api::Cuda, Api::OpenCl];

    /// `cuda` or `opencl`.
    pub fn name(self) -> &'static str {
        match self {
            Api::Cuda => "cuda",
            Api::OpenCl => "opencl",
        }
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of a device: `cuda`, `cuda:1`, `opencl:0`. Without a number it is the first.
///
/// ```
/// use fourfold_gpu::{Api, DeviceId};
/// let id: DeviceId = "cuda:1".parse()?;
/// assert_eq!((id.api, id.number, id.to_string()), (Api::Cuda, 1, "cuda:1".into()));
/// # Ok::<(), fourfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceId {
    /// The API.
    pub api: Api,
    /// The device's number, from 0. OpenCL's devices are counted over all platforms.
    pub number: usize,
}

impl FromStr for DeviceId {
    type Err = Error;

    fn from_str(text: &str) -> Result<DeviceId> {
        let (api, number) = text.split_once(':').unwrap_or((text, "0"));
        let api = Api::ALL.into_iter().find(|known| known.name() == api);
        let id = api.and_then(|api| Some(DeviceId { api, number: number.parse().ok()? }));
        let message = || format!("`{text}` is not a device: expected `cuda` or `opencl`, and a number as in `cuda:1`");
        id.ok_or_else(|| Error::new(ErrorKind::Notation, message()))
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.api, self.number)
    }
}

/// Facts about a device.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The name by which fourfold opens it.
    pub id: DeviceId,
    /// The name that the vendor gives it.
    pub name: String,
    /// The version, such as `compute capability 9.0` or `OpenCL 3.0`, as the driver writes it.
    pub version: String,
    /// The bytes of memory.
    pub memory: u64,
    /// Whether it is a CPU, which OpenCL may show as a device.
    pub is_cpu: bool,
    /// What it has and can do.
    pub attributes: DeviceAttributes,
}

/// What kernels are planned within: a device, and what it is used of.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) name: String,
    pub(crate) attributes: DeviceAttributes,
    /// Whether methods' FFTs of reals are those of the vendor's library, if it is there.
    pub(crate) vendor_ffts: bool,
}

impl Limits {
    pub(crate) fn new(name: &str, attributes: DeviceAttributes) -> Limits {
        Limits { name: name.into(), attributes, vendor_ffts: true }
    }

    /// An error if a device's thread blocks are too small.
    pub(crate) fn check_block(&self, threads: usize, shared_bytes: usize) -> Result<()> {
        let DeviceAttributes { threads_per_block, shared_per_block, .. } = self.attributes;
        let sizes =
            [(threads, threads_per_block, "threads"), (shared_bytes, shared_per_block, "bytes of shared memory")];
        self.check("a thread block needs", &sizes, "use another algorithm, or the CPU engine")
    }

    /// An error if a launch has more columns or rows of blocks than a device runs.
    pub(crate) fn check_grid(&self, [columns, rows]: [usize; 2]) -> Result<()> {
        let DeviceAttributes { grid_columns, grid_rows, .. } = self.attributes;
        let unit = if rows == 1 { "blocks" } else { "columns of blocks" };
        let sizes = [(columns, grid_columns, unit), (rows, grid_rows, "rows of blocks")];
        self.check("a launch has", &sizes, "use fewer elements at once, or the CPU engine")
    }

    /// An error if something needs more than the device has: sizes as needs, has, unit.
    fn check(&self, what: &str, sizes: &[(usize, usize, &str)], advice: &str) -> Result<()> {
        let message = |(needs, has, unit): &(usize, usize, &str)| {
            unavailable(format!("{what} {needs} {unit}; {} has at most {has}: {advice}", self.name))
        };
        sizes.iter().find(|(needs, has, _)| needs > has).map_or(Ok(()), |size| Err(message(size)))
    }
}
