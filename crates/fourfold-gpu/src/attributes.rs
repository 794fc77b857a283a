//! The model of a device: attributes that its API is asked for, and from which everything that is
//! chosen follows (`choose/cost.rs`).

/// What a device has and can do, in the words of CUDA; OpenCL's words are in brackets.
///
/// An API does not tell everything. What it does not tell is as large as in the vendor's
/// documentation, or the least that such devices have, and is named in
/// [`assumed`](DeviceAttributes::assumed). What all devices of an API can do, such as `f64` with
/// CUDA, is not assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceAttributes {
    /// What the vendor calls the units that [`sms`](DeviceAttributes::sms) counts: `SM`,
    /// `compute unit`, `Xe core`.
    pub unit: &'static str,
    /// The number of streaming multiprocessors (compute units): each has shared memory and
    /// registers of its own, and runs one block or more.
    pub sms: usize,
    /// The threads of a warp (wavefront, subgroup), which run in step.
    pub warp: usize,
    /// The most threads (work items) of a block (work group).
    pub threads_per_block: usize,
    /// The threads that an SM holds at once.
    pub threads_per_sm: usize,
    /// The blocks that an SM holds at once.
    pub blocks_per_sm: usize,
    /// The registers of 32 bits that the threads of a block can have.
    pub registers_per_block: usize,
    /// The registers of 32 bits that a thread can have.
    pub registers_per_thread: usize,
    /// The registers of 32 bits of an SM.
    pub registers_per_sm: usize,
    /// The bytes of shared memory (local memory) that a block can have.
    pub shared_per_block: usize,
    /// The bytes of these that every kernel is granted, where the compiler may refuse one that
    /// declares more.
    pub shared_granted: Option<usize>,
    /// The bytes of shared memory of an SM.
    pub shared_per_sm: usize,
    /// The bytes of these that the system takes for each block.
    pub shared_reserved: usize,
    /// Its banks of 4 bytes, which are read at once.
    pub banks: usize,
    /// Whether it is a part of device memory behind caches.
    pub shared_is_emulated: bool,
    /// The bytes of the cache of all SMs.
    pub l2_bytes: usize,
    /// The bytes of a line of that cache.
    pub line_bytes: usize,
    /// The bytes that are read of device memory at least.
    pub sector_bytes: usize,
    /// Whether kernels can say what caches should evict first.
    pub evicts_first: bool,
    /// Whether the threads of a warp exchange numbers that are in registers.
    pub exchanges_registers: bool,
    /// The most blocks that reach each other's shared memory; 1 if none does.
    pub cluster: usize,
    /// Whether all blocks of a launch can wait for each other.
    pub cooperative_launch: bool,
    /// The most columns of blocks of a launch, and so the most blocks of those with one row.
    pub grid_columns: usize,
    /// The most rows of blocks of a launch.
    pub grid_rows: usize,
    /// Whether it computes in `f64`.
    pub double: bool,
    /// The names of those attributes that the API did not tell.
    pub assumed: Vec<&'static str>,
}

impl DeviceAttributes {
    /// A device of which nothing is known but what OpenCL promises at least, or what all GPUs have
    /// (OpenCL 1.2, table 4.3). For tests and tables: `attributes` of a device say more.
    pub(crate) fn least() -> DeviceAttributes {
        DeviceAttributes {
            unit: "compute unit",
            sms: 1,
            warp: 32,
            threads_per_block: 256,
            threads_per_sm: 2048,
            blocks_per_sm: 32,
            registers_per_block: 1 << 16,
            registers_per_thread: 64,
            registers_per_sm: 1 << 16,
            shared_per_block: 32 << 10,
            shared_granted: None,
            shared_per_sm: 32 << 10,
            shared_reserved: 0,
            banks: 32,
            shared_is_emulated: false,
            l2_bytes: 0,
            line_bytes: 128,
            sector_bytes: 32,
            evicts_first: false,
            exchanges_registers: false,
            cluster: 1,
            cooperative_launch: false,
            grid_columns: u32::MAX as usize,
            grid_rows: u32::MAX as usize,
            double: false,
            assumed: vec![],
        }
    }

    /// The same with at most so many bytes of shared memory a block, and no more than these on an
    /// SM.
    pub(crate) fn with_shared_per_block(self, bytes: usize) -> DeviceAttributes {
        match bytes < self.shared_per_block {
            true => DeviceAttributes { shared_per_block: bytes, shared_per_sm: bytes, shared_reserved: 0, ..self },
            false => self,
        }
    }
}
