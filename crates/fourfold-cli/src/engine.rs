//! Engines by the names that they have on the command line.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::thread;

use anyhow::{Error, Result, anyhow, bail};
use fourfold::Isa;
use fourfold_gpu::{Api, Device, DeviceId, Target};

/// An engine: `cpu`, `cpu:ISA`, `cuda:0`, `opencl:1`, `cuda:sm_90`, `opencl:mi300x`.
#[derive(Clone, Debug, PartialEq)]
pub enum Engine {
    /// This machine's CPU, with the instruction set that is named, or else with its best.
    Cpu(Option<Isa>),
    /// A device.
    Gpu(DeviceId),
    /// A device that is known and need not be there: an NVIDIA GPU by its architecture, an OpenCL
    /// device by name. Its kernels can be shown but not run.
    Known(Api, String),
}

impl FromStr for Engine {
    type Err = Error;

    fn from_str(text: &str) -> Result<Engine> {
        let (name, which) = text.split_once(':').map_or((text, None), |(name, which)| (name, Some(which)));
        match (name, which) {
            ("cpu", isa) => Ok(Engine::Cpu(isa.map(str::parse).transpose()?)),
            _ => match Api::ALL.into_iter().find(|api| api.name() == name) {
                Some(api) => of_api(api, text, which),
                None => bail!(
                    "there is no engine {text:?}; there are cpu, cpu:ISA, where ISA is {}, cuda, cuda:NUMBER, opencl and opencl:NUMBER, and for plan cuda:sm_80, opencl:mi300x and the like",
                    isa_names()
                ),
            },
        }
    }
}

/// The error of a command that runs kernels, if the engine is a model.
pub(crate) fn only_planned(api: Api, model: &str) -> Error {
    anyhow!("{api}:{model} is a model, which only plan takes; this command needs a device, such as {api}:0")
}

/// The device or the model of an API that `text` names.
fn of_api(api: Api, text: &str, which: Option<&str>) -> Result<Engine> {
    let models = Target::models(api);
    if let Some(model) = which.filter(|which| models.contains(which)) {
        return Ok(Engine::Known(api, model.to_owned()));
    }
    text.parse().map(Engine::Gpu).map_err(|_| {
        let models = models.join(", ");
        anyhow!(
            "there is no {text:?}; {api} takes the number of a device, as in {api}:1, or for plan the name of a model: {models}"
        )
    })
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Engine::Cpu(None) => write!(f, "cpu"),
            Engine::Cpu(Some(isa)) => write!(f, "cpu:{isa}"),
            Engine::Gpu(id) => write!(f, "{id}"),
            Engine::Known(api, name) => write!(f, "{api}:{name}"),
        }
    }
}

/// What the kernels of an engine are written for.
pub(crate) struct KernelTarget {
    pub(crate) target: Target,
    /// Why the target is not the device that was named.
    pub(crate) missing: Option<String>,
}

impl Engine {
    /// What the kernels of this engine are written for; `None` for a CPU. If the first device of an
    /// API cannot be opened, a usual one stands in for it.
    pub(crate) fn kernel_target(&self) -> Result<Option<KernelTarget>> {
        let id = match self {
            Engine::Cpu(_) => return Ok(None),
            Engine::Known(api, name) => {
                return Ok(Some(KernelTarget { target: Target::known(*api, name)?, missing: None }));
            }
            Engine::Gpu(id) => id,
        };
        Ok(Some(match Device::open(&id.to_string()) {
            Ok(device) => KernelTarget { target: device.target(), missing: None },
            Err(error) if id.number == 0 => {
                KernelTarget { target: Target::typical(id.api), missing: Some(error.to_string()) }
            }
            Err(error) => return Err(error.into()),
        }))
    }
}

/// The instruction sets of this machine, best first.
fn isa_names() -> String {
    Isa::available().iter().map(Isa::to_string).collect::<Vec<_>>().join(", ")
}

/// The number of threads that this process may run at the same time.
pub fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
