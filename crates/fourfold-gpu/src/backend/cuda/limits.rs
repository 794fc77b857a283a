//! What NVIDIA's GPUs have and can do: asked of the driver, or, to plan without a device, from a
//! table.

use crate::attributes::DeviceAttributes;
use crate::error::unavailable;
use crate::limits::Limits;
use cudarc::driver::DriverError;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use fourfold::Result;

type Driver<T> = std::result::Result<T, DriverError>;

/// An architecture, and what a GPU of it has.
struct Architecture {
    name: &'static str,
    /// KiB of shared memory that a block can ask for, and of an SM.
    shared_kib: [usize; 2],
    threads_per_sm: usize,
    blocks_per_sm: usize,
    /// Of the GPU that stands for it.
    sms: usize,
    l2_mib: usize,
}

const fn architecture(
    name: &'static str,
    shared_kib: [usize; 2],
    [threads, blocks]: [usize; 2],
    gpu: [usize; 2],
) -> Architecture {
    let [sms, l2_mib] = gpu;
    Architecture { name, shared_kib, threads_per_sm: threads, blocks_per_sm: blocks, sms, l2_mib }
}

/// What the CUDA C++ Programming Guide tells of an architecture ("Compute Capabilities"), and SMs
/// and MiB of the second-level cache of a GPU of it, by NVIDIA's data sheets.
const ARCHITECTURES: [Architecture; 11] = [
    // T4
    architecture("sm_75", [64, 64], [1024, 16], [40, 4]),
    // A100
    architecture("sm_80", [163, 164], [2048, 32], [108, 40]),
    // RTX 3090
    architecture("sm_86", [99, 100], [1536, 16], [82, 6]),
    // Jetson AGX Orin
    architecture("sm_87", [163, 164], [1536, 16], [16, 4]),
    // RTX 4090
    architecture("sm_89", [99, 100], [1536, 24], [128, 72]),
    // H100 and H200
    architecture("sm_90", [227, 228], [2048, 32], [132, 50]),
    // B200
    architecture("sm_100", [227, 228], [2048, 32], [148, 126]),
    // B300
    architecture("sm_103", [227, 228], [2048, 32], [148, 126]),
    // Jetson Thor
    architecture("sm_110", [227, 228], [1536, 24], [20, 32]),
    // RTX 5090
    architecture("sm_120", [99, 100], [1536, 24], [170, 96]),
    // GB10
    architecture("sm_121", [99, 100], [1536, 24], [48, 24]),
];

/// The architecture that is planned for if none is named.
const TYPICAL: &str = "sm_90";

/// Columns and rows of blocks of a launch (CUDA C++ Programming Guide, "Compute Capabilities").
const GRID: [usize; 2] = [i32::MAX as usize, 65535];

/// Blocks of a cluster that any device with clusters can hold (CUDA C++ Programming Guide, "Thread
/// Block Clusters"). The driver tells the most of a kernel, when it is compiled.
const CLUSTER: usize = 8;

/// Lines of the second-level cache, and sectors of them, which are read alone (CUDA C++ Best
/// Practices Guide, "Coalesced Access to Global Memory"). No attribute tells them.
const LINE: [usize; 2] = [128, 32];

/// Attributes that the driver does not tell, which are those of [`common`]. Of clusters it tells only whether there
/// are any.
const ASSUMED: [&str; 4] = ["registers_per_thread", "banks", "line_bytes", "sector_bytes"];

/// The limits of a GPU of an architecture such as `sm_90`.
pub(crate) fn limits_of(architecture: &str) -> Result<Limits> {
    let known = ARCHITECTURES.iter().find(|known| known.name == architecture);
    let message = || unavailable(format!("no CUDA architecture {architecture:?}; known are {}", models().join(", ")));
    known.map(|known| Limits::new(known.name, known.attributes())).ok_or_else(message)
}

/// The names of all architectures.
pub(crate) fn models() -> Vec<&'static str> {
    ARCHITECTURES.iter().map(|known| known.name).collect()
}

/// The limits of a GPU with NVIDIA's usual architecture.
pub(crate) fn typical() -> Limits {
    limits_of(TYPICAL).expect("the table has it")
}

impl Architecture {
    fn attributes(&self) -> DeviceAttributes {
        let [shared_per_block, shared_per_sm] = self.shared_kib.map(|kib| kib << 10);
        // The guide has clusters since compute capability 9.0; a driver is asked for them.
        let number: usize = self.name.trim_start_matches("sm_").parse().unwrap_or(0);
        DeviceAttributes {
            sms: self.sms,
            threads_per_sm: self.threads_per_sm,
            blocks_per_sm: self.blocks_per_sm,
            shared_per_block,
            shared_per_sm,
            shared_reserved: shared_per_sm - shared_per_block,
            l2_bytes: self.l2_mib << 20,
            cluster: if number >= 90 { CLUSTER } else { 1 },
            ..common()
        }
    }
}

/// What is the same for all GPUs with CUDA (CUDA C++ Programming Guide, "Compute Capabilities").
fn common() -> DeviceAttributes {
    let ([line_bytes, sector_bytes], [grid_columns, grid_rows]) = (LINE, GRID);
    DeviceAttributes {
        unit: "SM",
        warp: 32,
        threads_per_block: 1024,
        registers_per_block: 1 << 16,
        registers_per_thread: 255,
        registers_per_sm: 1 << 16,
        banks: 32,
        line_bytes,
        sector_bytes,
        evicts_first: true,
        exchanges_registers: true,
        cooperative_launch: true,
        grid_columns,
        grid_rows,
        double: true,
        ..DeviceAttributes::least()
    }
}

/// What the driver tells of a device, through `get`.
pub(crate) fn asked(get: impl Fn(Attribute) -> Driver<i32>) -> Driver<DeviceAttributes> {
    use Attribute::*;
    let get = |attribute| get(attribute).map(|value| value.max(0) as usize);
    let has_clusters = get(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)? > 0;
    Ok(DeviceAttributes {
        sms: get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        warp: get(CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
        threads_per_block: get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        threads_per_sm: get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        blocks_per_sm: get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
        registers_per_block: get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
        registers_per_sm: get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        shared_per_block: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        shared_per_sm: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        shared_reserved: get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)?,
        l2_bytes: get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?,
        cluster: if has_clusters { CLUSTER } else { 1 },
        cooperative_launch: get(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? > 0,
        grid_columns: get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
        grid_rows: get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
        assumed: ASSUMED.into_iter().chain(has_clusters.then_some("cluster")).collect(),
        ..common()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The attributes of an H200, as its driver tells them.
    fn h200(attribute: Attribute) -> Driver<i32> {
        use Attribute::*;
        Ok(match attribute {
            CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => 132,
            CU_DEVICE_ATTRIBUTE_WARP_SIZE => 32,
            CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK => 1024,
            CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR => 2048,
            CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR => 32,
            CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK | CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR => 65536,
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN => 232_448,
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR => 233_472,
            CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK => 1024,
            CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE => 50 << 20,
            CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH | CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH => 1,
            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X => i32::MAX,
            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y => 65535,
            other => panic!("{other:?} decides nothing"),
        })
    }

    #[test]
    fn what_the_driver_tells_is_what_the_table_has() {
        let table = limits_of("sm_90").unwrap().attributes;
        let assumed = vec!["registers_per_thread", "banks", "line_bytes", "sector_bytes", "cluster"];
        assert_eq!(asked(h200).unwrap(), DeviceAttributes { assumed, ..table.clone() });
        let without = |attribute| match attribute {
            Attribute::CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH => Ok(0),
            other => h200(other),
        };
        let expected = DeviceAttributes { cluster: 1, assumed: ASSUMED.to_vec(), ..table };
        assert_eq!(asked(without).unwrap(), expected, "the driver tells that there are none");
    }

    #[test]
    fn tables_have_rows_that_add_up() {
        for Architecture { name, shared_kib: [block, sm], threads_per_sm, .. } in ARCHITECTURES {
            assert!(block <= sm && sm - block <= 1 && threads_per_sm >= 1024, "{name}");
        }
    }
}
