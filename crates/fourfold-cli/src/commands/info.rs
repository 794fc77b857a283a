//! `fourfold info`: what this machine and this version offer.

use std::io::{self, Write};

use anyhow::{Context, Result, bail, ensure};
use fourfold::Isa;
use fourfold_gpu::{Api, Device, DeviceInfo};
use serde::Serialize;

use super::{bytes, print_json};
use crate::args::Info;
use crate::engine::{Engine, available_threads};
use crate::method::MethodName;

#[derive(Serialize)]
struct Facts {
    version: &'static str,
    engines: Vec<EngineFacts>,
    methods: Vec<MethodFacts>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum EngineFacts {
    Cpu { name: &'static str, instruction_sets: Vec<String>, threads: usize },
    Gpu { name: &'static str, devices: Vec<DeviceFacts>, missing: Option<String> },
}

#[derive(Serialize)]
struct DeviceFacts {
    engine: String,
    name: String,
    version: String,
    memory: u64,
    local_memory: usize,
    f64: bool,
}

#[derive(Serialize)]
struct MethodFacts {
    name: &'static str,
    about: &'static str,
}

/// Prints the facts.
pub(super) fn run(args: &Info) -> Result<()> {
    let mut facts = facts();
    if let Some(engine) = &args.engine {
        facts.engines = vec![only(facts.engines, engine)?];
    }
    if args.json { print_json(&facts) } else { Ok(io::stdout().write_all(text(&facts).as_bytes())?) }
}

fn facts() -> Facts {
    let instruction_sets = Isa::available().iter().map(Isa::to_string).collect();
    let cpu = EngineFacts::Cpu { name: "cpu", instruction_sets, threads: available_threads() };
    Facts {
        version: env!("CARGO_PKG_VERSION"),
        engines: std::iter::once(cpu).chain(Api::ALL.map(gpu_facts)).collect(),
        methods: MethodName::all().map(|method| MethodFacts { name: method.name(), about: method.about() }).collect(),
    }
}

/// The devices, or why there are none.
fn gpu_facts(api: Api) -> EngineFacts {
    let (devices, missing) = match Device::list(api) {
        Ok(devices) => (devices, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    EngineFacts::Gpu { name: api.name(), devices: devices.into_iter().map(device_facts).collect(), missing }
}

/// The engine of this name, or with the device of this name alone.
fn only(engines: Vec<EngineFacts>, wanted: &str) -> Result<EngineFacts> {
    wanted.parse::<Engine>()?;
    let family = wanted.split(':').next().unwrap_or(wanted);
    let found = engines.into_iter().find(|engine| match engine {
        EngineFacts::Cpu { name, .. } | EngineFacts::Gpu { name, .. } => *name == family,
    });
    match found.with_context(|| format!("there is no engine {wanted:?}"))? {
        EngineFacts::Gpu { missing: Some(why), .. } => bail!("{why}"),
        EngineFacts::Gpu { name, mut devices, missing } => {
            devices.retain(|device| wanted == name || device.engine == wanted);
            ensure!(!devices.is_empty(), "there is no {wanted}: `fourfold info` lists the devices");
            Ok(EngineFacts::Gpu { name, devices, missing })
        }
        cpu => Ok(cpu),
    }
}

fn device_facts(info: DeviceInfo) -> DeviceFacts {
    let DeviceInfo { id, name, version, memory, local_memory, double, .. } = info;
    DeviceFacts { engine: id.to_string(), name, version, memory, local_memory, f64: double }
}

fn device_text(device: &DeviceFacts) -> String {
    let DeviceFacts { engine, name, version, memory, local_memory, f64 } = device;
    let [memory, local] = [*memory, *local_memory as u64].map(bytes);
    let f64 = if *f64 { "f64" } else { "no f64" };
    format!("  {engine:<17} {name}, {version}, memory {memory}, local memory {local}, {f64}")
}

fn text(facts: &Facts) -> String {
    let mut lines = vec![format!("fourfold {}", facts.version)];
    for engine in &facts.engines {
        match engine {
            EngineFacts::Cpu { name, instruction_sets, threads } => {
                let sets = instruction_sets.join(", ");
                lines.push(format!("engine {name}"));
                lines.push(format!("  instruction sets  {sets} (the first is used unless another is named)"));
                lines.push(format!("  threads           {threads}"));
            }
            EngineFacts::Gpu { name, devices, missing } => {
                lines.push(format!("engine {name}"));
                lines.extend(devices.iter().map(device_text));
                lines.extend(missing.iter().map(|why| format!("  none: {why}")));
            }
        }
    }
    lines.extend(facts.methods.iter().map(|method| format!("method {}: {}", method.name, method.about)));
    lines.join("\n") + "\n"
}
