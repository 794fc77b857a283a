//! What devices have and can do: asked of the driver, or, to plan without a device, those of
//! devices that are known.
//!
//! OpenCL's own questions leave out most of what an SM has. Extensions of vendors answer some of
//! them, and what a compute unit is differs: a streaming multiprocessor of NVIDIA's, a compute unit
//! of AMD's, a core of Arm's, but one of the 16 vector engines of an Xe core of Intel's.

use crate::attributes::DeviceAttributes;
use crate::backend::opencl::errors::Driver;
use crate::limits::Limits;
use cl3::ext::CL_DEVICE_SUB_GROUP_SIZES_INTEL;
use opencl3::device::{CL_DEVICE_TYPE_CPU, Device};
use opencl3::error_codes::ClError;

/// 48 KiB of local memory, 256 work items in a work group, `f64`.
pub(crate) fn typical() -> Limits {
    let attributes = DeviceAttributes {
        sms: 132,
        shared_per_block: 48 << 10,
        shared_per_sm: 48 << 10,
        double: true,
        ..DeviceAttributes::least()
    };
    Limits::new("a typical OpenCL device", attributes)
}

/// What a vendor's extension tells.
#[derive(Default)]
struct Told {
    unit: Option<&'static str>,
    sms: Option<usize>,
    warp: Option<usize>,
    threads_per_block: Option<usize>,
    banks: Option<usize>,
    registers_per_block: Option<usize>,
    registers_per_thread: Option<usize>,
    shared_per_block: Option<usize>,
    shared_per_sm: Option<usize>,
    shared_reserved: usize,
    exchanges_registers: bool,
    threads_per_sm: Option<usize>,
    sector_bytes: Option<usize>,
}

/// Whether a device has an extension.
fn has(device: &Device, extension: &str) -> bool {
    device.extensions().unwrap_or_default().split_whitespace().any(|known| known == extension)
}

/// The numbers of a version, which is written as `OpenCL 1.2 ` and what the vendor adds (`CL_DEVICE_VERSION`).
pub(crate) fn version_of(version: &str) -> Option<[u32; 2]> {
    let (major, minor) = version.split_whitespace().nth(1)?.split_once('.')?;
    Some([major.parse().ok()?, minor.parse().ok()?])
}

/// The work items of a sub-group that exchange registers, if they can, and not by PTX. Each kernel is asked for them
/// when it is compiled (`clGetKernelSubGroupInfo`, OpenCL 2.1); where it may require a number, it does.
pub(crate) fn subgroup(device: &Device) -> Option<usize> {
    let version = device.version().ok().and_then(|version| version_of(&version));
    let asks = version.is_some_and(|version| version >= [2, 1]) && !has(device, PTX_COMPILER);
    let shuffles = asks && has(device, "cl_khr_subgroup_shuffle");
    let sizes = || match has(device, "cl_intel_required_subgroup_size") {
        true => device.get_data(CL_DEVICE_SUB_GROUP_SIZES_INTEL).map(numbers).unwrap_or_default(),
        false => device.preferred_work_group_size_multiple().into_iter().collect(),
    };
    shuffles.then(sizes).and_then(smallest)
}

/// Numbers of type `size_t`.
fn numbers(data: Vec<u8>) -> Vec<usize> {
    data.chunks_exact(size_of::<usize>())
        .map(|bytes| usize::from_ne_bytes(bytes.try_into().expect("a chunk")))
        .collect()
}

/// The smallest size with which kernels exchange registers: of a larger sub-group, each work item has fewer
/// registers. Eight threads of a block of JPEG exchange.
fn smallest(sizes: Vec<usize>) -> Option<usize> {
    sizes.into_iter().filter(|size| *size >= 8 && size.is_power_of_two()).min()
}

/// What the driver tells of a device. Functions of later versions and of extensions that it lacks
/// are errors, which count as no answer. Of a CPU, vendors tell what it would be as a GPU.
pub(crate) fn asked(device: &Device) -> Driver<DeviceAttributes> {
    let is_cpu = device.dev_type()? & CL_DEVICE_TYPE_CPU != 0;
    let told = VENDORS.iter().find(|(name, _)| !is_cpu && has(device, name));
    let told = told.map(|(_, ask)| ask(device)).unwrap_or_default();
    let subgroup = subgroup(device);
    let least = DeviceAttributes::least();
    let mut assumed = vec!["blocks_per_sm", "registers_per_sm"];
    let mut known = |name, answer: Option<usize>, otherwise| match answer.filter(|answer| *answer > 0) {
        Some(answer) => answer,
        None => {
            assumed.push(name);
            otherwise
        }
    };
    let multiple = || device.preferred_work_group_size_multiple().ok();
    let line_bytes = known("line_bytes", Some(device.global_mem_cacheline_size()? as usize), least.line_bytes);
    let registers = known("registers_per_block", told.registers_per_block, least.registers_per_block);
    let granted = device.local_mem_size()? as usize;
    let shared_per_block = told.shared_per_block.unwrap_or(granted).max(granted);
    let of_group = told.threads_per_block.unwrap_or(device.max_work_group_size()?);
    let threads_per_block = threads(of_group, &device.max_work_item_sizes()?);
    Ok(DeviceAttributes {
        unit: told.unit.unwrap_or(least.unit),
        sms: told.sms.filter(|sms| *sms > 0).unwrap_or(device.max_compute_units()? as usize).max(1),
        warp: known("warp", told.warp.or(subgroup).or_else(multiple), least.warp),
        threads_per_block,
        threads_per_sm: known("threads_per_sm", told.threads_per_sm, least.threads_per_sm).max(threads_per_block),
        registers_per_block: registers,
        registers_per_thread: known("registers_per_thread", told.registers_per_thread, least.registers_per_thread),
        registers_per_sm: registers,
        shared_per_block,
        shared_granted: Some(granted).filter(|granted| *granted < shared_per_block),
        shared_per_sm: known("shared_per_sm", told.shared_per_sm, shared_per_block).max(shared_per_block),
        shared_reserved: told.shared_reserved,
        banks: known("banks", told.banks, least.banks),
        shared_is_emulated: device.local_mem_type()? == GLOBAL,
        l2_bytes: device.global_mem_cache_size()? as usize,
        line_bytes,
        sector_bytes: known("sector_bytes", told.sector_bytes, line_bytes.min(SECTOR)),
        exchanges_registers: told.exchanges_registers || subgroup.is_some(),
        double: device.double_fp_config().is_ok_and(|config| config != 0),
        assumed,
        ..least
    })
}

/// `CL_GLOBAL`, a type of local memory.
const GLOBAL: u32 = 2;

/// Bytes that memory of LPDDR and GDDR reads at once, of devices that do not tell.
const SECTOR: usize = 64;

/// The most work items of a work group, all of which are along the first dimension.
fn threads(of_group: usize, of_dimensions: &[usize]) -> usize {
    of_dimensions.first().map_or(of_group, |first| of_group.min(*first))
}

type Ask = fn(&Device) -> Told;

/// Extensions, and what they are asked for.
const VENDORS: [(&str, Ask); 3] = [
    ("cl_nv_device_attribute_query", nvidia),
    ("cl_amd_device_attribute_query", amd),
    ("cl_intel_device_attribute_query", intel),
];

fn count(answer: Result<u32, ClError>) -> Option<usize> {
    answer.ok().map(|count| count as usize)
}

/// `CL_DEVICE_MAX_LOCAL_MEMORY_PER_SM_NV` of NVIDIA's `cl_ext.h`.
const LOCAL_MEMORY_PER_SM_NV: u32 = 0x400B;

/// The first compute capability with blocks that can have all shared memory of an SM, but for what the
/// system takes (CUDA C++ Programming Guide, "Compute Capabilities").
const LARGE_BLOCKS: u32 = 7;

/// Bytes that the system takes for each block, since compute capability 8.0.
const RESERVED: usize = 1 << 10;

/// Bytes that the compiler adds to those that a kernel declares: four, aligned as these are.
const ADDED: usize = 16;

/// The extension of drivers whose compiler goes through PTX, and so takes PTX in kernels.
const PTX_COMPILER: &str = "cl_nv_compiler_options";

/// A compute unit is an SM. Sectors are those of CUDA's documents. `CL_DEVICE_LOCAL_MEM_SIZE` is what
/// blocks of every GPU can have, 48 KiB; a kernel that declares more is compiled for the device, and
/// runs. A thread has as many registers as in CUDA's documents.
fn nvidia(device: &Device) -> Told {
    let bytes = |data: Vec<u8>| Some(u32::from_ne_bytes(data.try_into().ok()?) as usize);
    let shared_per_sm = device.get_data(LOCAL_MEMORY_PER_SM_NV).ok().and_then(bytes);
    let large = device.compute_capability_major_nv().is_ok_and(|major| major >= LARGE_BLOCKS);
    let shared_per_block = shared_per_sm.filter(|_| large).and_then(|bytes| bytes.checked_sub(RESERVED + ADDED));
    Told {
        unit: Some("SM"),
        warp: count(device.wrap_size_nv()),
        registers_per_block: count(device.registers_per_block_nv()),
        registers_per_thread: Some(255),
        shared_per_block,
        shared_per_sm,
        shared_reserved: shared_per_sm.map_or(0, |_| RESERVED),
        exchanges_registers: has(device, PTX_COMPILER),
        sector_bytes: Some(32),
        ..Told::default()
    }
}

/// A compute unit has several SIMDs, each with 512 vector registers for every lane of a wavefront, of
/// which instructions name 256 (CDNA3 and RDNA3 ISA, "VGPRs"). The driver names the size of work groups
/// that kernels can have which require none; those that do, as ours, can have the largest. Requests to
/// memory are of 32 bytes at least (ROCm, "MI300 and MI200 series performance counters").
fn amd(device: &Device) -> Told {
    let (warp, simds) = (count(device.wavefront_width_amd()), count(device.simd_per_compute_unit_amd()));
    let registers = warp.zip(simds).map(|(warp, simds)| 512 * warp * simds);
    Told {
        warp,
        threads_per_block: device.max_work_group_size_amd().ok(),
        banks: count(device.local_mem_banks_amd()),
        registers_per_block: registers,
        registers_per_thread: Some(256),
        shared_per_sm: count(device.local_mem_size_per_compute_unit_amd()),
        sector_bytes: Some(32),
        ..Told::default()
    }
}

/// Local memory belongs to a sub-slice (an Xe core), and compute units are its vector engines. A
/// thread of an engine has 128 registers of 32 bytes (Xe-HPG, "General Register File").
fn intel(device: &Device) -> Told {
    let slices = count(device.device_num_slices_intel());
    let sub_slices = slices.zip(count(device.device_num_sub_slices_per_slice_intel()));
    let engines = count(device.device_num_eus_per_sub_slice_intel());
    let threads = engines.zip(count(device.device_num_threads_per_eu_intel()));
    Told {
        unit: Some("Xe core"),
        sms: sub_slices.map(|(slices, each)| slices * each),
        registers_per_block: threads.map(|(engines, each)| engines * each * 128 * 8),
        registers_per_thread: Some(128),
        // Work items of a thread: eight lanes at least.
        threads_per_sm: threads.map(|(engines, each)| engines * each * 8),
        ..Told::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_two_numbers() {
        let versions = ["OpenCL 1.0 ", "OpenCL 1.1 AMD-APP (2348.3)", "OpenCL 3.0 PoCL", "unknown", "OpenCL two.0"];
        assert_eq!(versions.map(version_of), [Some([1, 0]), Some([1, 1]), Some([3, 0]), None, None]);
    }

    #[test]
    fn sub_groups_are_as_small_as_they_may_be() {
        let of = |sizes: &[usize]| smallest(sizes.to_vec());
        assert_eq!([of(&[4, 8, 16, 32]), of(&[32, 16]), of(&[64])], [Some(8), Some(16), Some(64)]);
        assert_eq!([of(&[1]), of(&[4]), of(&[]), of(&[24])], [None; 4]);
        let words: Vec<u8> = [8usize, 16].iter().flat_map(|size| size.to_ne_bytes()).collect();
        assert_eq!(numbers(words), [8, 16]);
    }

    #[test]
    fn work_groups_have_no_more_threads_than_their_first_dimension() {
        assert_eq!(threads(1024, &[256, 1024, 64]), 256);
        assert_eq!(threads(256, &[1024, 1024, 64]), 256);
        assert_eq!(threads(256, &[]), 256);
    }
}
