//! What devices have and can do: asked of the driver, or, to plan without a device, those of
//! devices that are known.
//!
//! OpenCL's own questions leave out most of what an SM has. Extensions of vendors answer some of
//! them, and what a compute unit is differs: a streaming multiprocessor of NVIDIA's, a compute unit
//! of AMD's, a core of Arm's, but one of the 16 vector engines of an Xe core of Intel's.

use crate::attributes::DeviceAttributes;
use crate::backend::opencl::errors::Driver;
use crate::limits::Limits;
use opencl3::device::Device;
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

/// What the driver tells of a device. Functions of later versions and of extensions that it lacks
/// are errors, which count as no answer.
pub(crate) fn asked(device: &Device) -> Driver<DeviceAttributes> {
    let extensions = device.extensions().unwrap_or_default();
    let told = VENDORS.iter().find(|(name, _)| extensions.split_whitespace().any(|known| known == *name));
    let told = told.map(|(_, ask)| ask(device)).unwrap_or_default();
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
        warp: known("warp", told.warp.or_else(multiple), least.warp),
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
        exchanges_registers: told.exchanges_registers,
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
    let extensions = device.extensions().unwrap_or_default();
    Told {
        unit: Some("SM"),
        warp: count(device.wrap_size_nv()),
        registers_per_block: count(device.registers_per_block_nv()),
        registers_per_thread: Some(255),
        shared_per_block,
        shared_per_sm,
        shared_reserved: shared_per_sm.map_or(0, |_| RESERVED),
        exchanges_registers: extensions.split_whitespace().any(|known| known == PTX_COMPILER),
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
    fn work_groups_have_no_more_threads_than_their_first_dimension() {
        assert_eq!(threads(1024, &[256, 1024, 64]), 256);
        assert_eq!(threads(256, &[1024, 1024, 64]), 256);
        assert_eq!(threads(256, &[]), 256);
    }
}
