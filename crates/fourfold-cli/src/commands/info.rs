//! `fourfold info`: the engines, devices and algorithms of this machine and version.

use anyhow::{Context, Result, bail, ensure};
use fourfold::Isa;
use fourfold::engine::Machine;
use fourfold_gpu::{Api, Device, DeviceAttributes, DeviceInfo};
use serde::Serialize;

use crate::algorithm::AlgorithmName;
use crate::args::Info;
use crate::engine::{Engine, available_threads};
use crate::print::{bytes, print_json, print_text};

#[derive(Serialize)]
struct Facts {
    version: &'static str,
    engines: Vec<EngineFacts>,
    /// Programs read the older key.
    #[serde(rename = "methods")]
    algorithms: Vec<AlgorithmFacts>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum EngineFacts {
    Cpu {
        name: &'static str,
        instruction_sets: Vec<String>,
        threads: usize,
        memory: MemoryFacts,
    },
    Gpu {
        name: &'static str,
        devices: Vec<DeviceFacts>,
        missing: Option<String>,
        /// Why devices that are there do not say what they are.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        failing: Vec<String>,
    },
}

/// The facts of the machine that the CPU engine fits its blocks to; sizes are in bytes.
#[derive(Serialize)]
struct MemoryFacts {
    cache_line: usize,
    level1: CacheFacts,
    level2: CacheFacts,
    last_level: usize,
    huge_page: usize,
    tlb_entries: usize,
    serial_elements: usize,
}

#[derive(Serialize)]
struct CacheFacts {
    bytes: usize,
    ways: usize,
}

#[derive(Serialize)]
struct DeviceFacts {
    engine: String,
    name: String,
    version: String,
    memory: u64,
    local_memory: usize,
    f64: bool,
    attributes: AttributeFacts,
}

/// The model of a device that kernels are fitted to; sizes are in bytes.
#[derive(Serialize)]
struct AttributeFacts {
    unit: &'static str,
    units: usize,
    warp: usize,
    threads: LevelFacts,
    blocks_per_unit: usize,
    registers: LevelFacts,
    registers_per_thread: usize,
    shared_memory: LevelFacts,
    shared_memory_reserved: usize,
    /// What every kernel is granted, where the compiler may refuse one with more.
    shared_memory_granted: Option<usize>,
    shared_memory_banks: usize,
    shared_memory_emulated: bool,
    cache: usize,
    cache_line: usize,
    sector: usize,
    evicts_first: bool,
    registers_exchanged: bool,
    cluster: usize,
    cooperative_launch: bool,
    /// The most columns and rows of blocks of a launch.
    grid: [usize; 2],
    /// Those that the driver does not tell.
    assumed: Vec<&'static str>,
}

/// How much of something a block can have, and a unit.
#[derive(Serialize)]
struct LevelFacts {
    per_block: usize,
    per_unit: usize,
}

#[derive(Serialize)]
struct AlgorithmFacts {
    name: &'static str,
    about: &'static str,
}

/// Prints the facts.
pub(super) fn show_info(args: &Info) -> Result<()> {
    let mut facts = facts();
    if let Some(engine) = &args.engine {
        facts.engines = vec![only(facts.engines, engine)?];
    }
    if args.json { print_json(&facts) } else { print_text(&text(&facts)) }
}

fn facts() -> Facts {
    let instruction_sets = Isa::available().iter().map(Isa::to_string).collect();
    let cpu = EngineFacts::Cpu { name: "cpu", instruction_sets, threads: available_threads(), memory: memory_facts() };
    Facts {
        version: env!("CARGO_PKG_VERSION"),
        engines: std::iter::once(cpu).chain(Api::ALL.map(gpu_facts)).collect(),
        algorithms: AlgorithmName::all().map(algorithm_facts).collect(),
    }
}

fn algorithm_facts(algorithm: AlgorithmName) -> AlgorithmFacts {
    AlgorithmFacts { name: algorithm.name(), about: algorithm.about() }
}

fn memory_facts() -> MemoryFacts {
    let Machine { line, level1, level2, last_level, huge_page, tlb_entries, serial_elements, .. } = *Machine::this();
    let [level1, level2] = [level1, level2].map(|cache| CacheFacts { bytes: cache.bytes, ways: cache.ways });
    MemoryFacts { cache_line: line, level1, level2, last_level, huge_page, tlb_entries, serial_elements }
}

fn memory_text(memory: &MemoryFacts) -> String {
    let MemoryFacts { cache_line, level1, level2, last_level, huge_page, tlb_entries, serial_elements } = memory;
    let cache = |cache: &CacheFacts| format!("{} in {} ways", bytes(cache.bytes as u64), cache.ways);
    let [last, huge] = [*last_level, *huge_page].map(|size| bytes(size as u64));
    let (first, second) = (cache(level1), cache(level2));
    format!(
        "first level {first}, second {second}, last {last}; lines of {cache_line} bytes; huge pages of {huge}; \
         TLB of {tlb_entries} entries; passes of fewer than {serial_elements} elements on one thread"
    )
}

/// The devices of an API, or why there are none.
fn gpu_facts(api: Api) -> EngineFacts {
    let (all, missing) = match Device::list_all(api) {
        Ok(all) => (all, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let (mut devices, mut failing) = (Vec::new(), Vec::new());
    for device in all {
        match device {
            Ok(info) => devices.push(device_facts(info)),
            Err(error) => failing.push(error.to_string()),
        }
    }
    EngineFacts::Gpu { name: api.name(), devices, missing, failing }
}

/// The engine of this name; for the name of a device, its engine with only this device.
fn only(engines: Vec<EngineFacts>, wanted: &str) -> Result<EngineFacts> {
    wanted.parse::<Engine>()?;
    let family = wanted.split(':').next().unwrap_or(wanted);
    let found = engines.into_iter().find(|engine| match engine {
        EngineFacts::Cpu { name, .. } | EngineFacts::Gpu { name, .. } => *name == family,
    });
    match found.with_context(|| format!("there is no engine {wanted:?}"))? {
        EngineFacts::Gpu { missing: Some(why), .. } => bail!("{why}"),
        EngineFacts::Gpu { name, mut devices, missing, failing } => {
            devices.retain(|device| wanted == name || device.engine == wanted);
            ensure!(!devices.is_empty(), "there is no {wanted} that can be used: `fourfold info` lists the devices");
            Ok(EngineFacts::Gpu { name, devices, missing, failing })
        }
        cpu => Ok(cpu),
    }
}

fn device_facts(info: DeviceInfo) -> DeviceFacts {
    let DeviceInfo { id, name, version, memory, attributes, .. } = info;
    let (local_memory, f64) = (attributes.shared_per_block, attributes.double);
    let attributes = AttributeFacts::of(attributes);
    DeviceFacts { engine: id.to_string(), name, version, memory, local_memory, f64, attributes }
}

impl AttributeFacts {
    fn of(device: DeviceAttributes) -> AttributeFacts {
        AttributeFacts {
            unit: device.unit,
            units: device.sms,
            warp: device.warp,
            threads: LevelFacts { per_block: device.threads_per_block, per_unit: device.threads_per_sm },
            blocks_per_unit: device.blocks_per_sm,
            registers: LevelFacts { per_block: device.registers_per_block, per_unit: device.registers_per_sm },
            registers_per_thread: device.registers_per_thread,
            shared_memory: LevelFacts { per_block: device.shared_per_block, per_unit: device.shared_per_sm },
            shared_memory_reserved: device.shared_reserved,
            shared_memory_granted: device.shared_granted,
            shared_memory_banks: device.banks,
            shared_memory_emulated: device.shared_is_emulated,
            cache: device.l2_bytes,
            cache_line: device.line_bytes,
            sector: device.sector_bytes,
            evicts_first: device.evicts_first,
            registers_exchanged: device.exchanges_registers,
            cluster: device.cluster,
            cooperative_launch: device.cooperative_launch,
            grid: [device.grid_columns, device.grid_rows],
            assumed: device.assumed,
        }
    }

    /// A line about units, one about blocks, one about memory.
    fn lines(&self) -> [String; 3] {
        let [unit, block, reserved, cache] =
            [self.shared_memory.per_unit, self.shared_memory.per_block, self.shared_memory_reserved, self.cache]
                .map(|size| bytes(size as u64));
        let emulated = if self.shared_memory_emulated { "emulated " } else { "" };
        let exchange = if self.registers_exchanged { "that exchange registers" } else { "without exchanges" };
        let clusters = if self.cluster > 1 { format!("clusters of {}", self.cluster) } else { "no clusters".into() };
        let cooperative = if self.cooperative_launch { "cooperative launches" } else { "no cooperative launches" };
        let granted =
            self.shared_memory_granted.map_or(String::new(), |size| format!(" ({} granted)", bytes(size as u64)));
        let ([columns, rows], banks) = (self.grid, self.shared_memory_banks);
        let evicts = if self.evicts_first { "with" } else { "without" };
        let assumed = if self.assumed.is_empty() { "nothing".into() } else { self.assumed.join(", ") };
        [
            format!(
                "{} units ({}): {emulated}shared memory {unit} in {banks} banks, {} registers, {} threads, {} blocks",
                self.units, self.unit, self.registers.per_unit, self.threads.per_unit, self.blocks_per_unit
            ),
            format!(
                "blocks: shared memory {block}{granted} and {reserved} reserved, {} registers ({} a thread), {} threads in \
                 warps of {} {exchange}; {clusters}, {cooperative}; launches of at most {columns} x {rows} blocks",
                self.registers.per_block, self.registers_per_thread, self.threads.per_block, self.warp
            ),
            format!(
                "cache {cache}, lines of {} bytes, sectors of {}, {evicts} hints of what to evict; assumed: {assumed}",
                self.cache_line, self.sector
            ),
        ]
    }
}

fn device_text(device: &DeviceFacts) -> String {
    let DeviceFacts { engine, name, version, memory, local_memory, f64, attributes } = device;
    let [memory, local] = [*memory, *local_memory as u64].map(bytes);
    let f64 = if *f64 { "f64" } else { "no f64" };
    let first = format!("  {engine:<17} {name}, {version}, memory {memory}, shared memory {local}, {f64}");
    let others = attributes.lines().map(|line| format!("\n  {:<17} {line}", "")).concat();
    first + &others
}

fn text(facts: &Facts) -> String {
    let mut lines = vec![format!("fourfold {}", facts.version)];
    for engine in &facts.engines {
        match engine {
            EngineFacts::Cpu { name, instruction_sets, threads, memory } => {
                let sets = instruction_sets.join(", ");
                lines.push(format!("engine {name}"));
                lines.push(format!("  instruction sets  {sets} (the first is used unless another is named)"));
                lines.push(format!("  threads           {threads}"));
                lines.push(format!("  caches            {}", memory_text(memory)));
            }
            EngineFacts::Gpu { name, devices, missing, failing } => {
                lines.push(format!("engine {name}"));
                lines.extend(devices.iter().map(device_text));
                lines.extend(failing.iter().map(|why| format!("  failing: {why}")));
                lines.extend(missing.iter().map(|why| format!("  none: {why}")));
            }
        }
    }
    lines.extend(facts.algorithms.iter().map(|algorithm| format!("algorithm {}: {}", algorithm.name, algorithm.about)));
    lines.join("\n") + "\n"
}
