//! `fourfold-mpi info`: the ranks, the MPI library, the devices, and how their memory is sent.

use anyhow::Result;
use fourfold_distributed::Exchange;
use fourfold_gpu::{Api, Device};
use fourfold_mpi::{MpiRank, library_version, takes_device_memory};
use serde::Serialize;

/// What rank 0 prints. Devices are those that it sees.
#[derive(Serialize)]
struct Answer {
    ranks: usize,
    ranks_of_node: usize,
    mpi: String,
    cuda: Vec<String>,
    opencl: Vec<String>,
    /// How MPI sends parts that are in the memory of devices.
    device_memory: &'static str,
    /// Whether NCCL can be used, or why not.
    nccl: String,
}

/// Prints the answer as JSON.
pub(crate) fn info(rank: &MpiRank) -> Result<()> {
    let direct = "sent by the MPI library, which takes addresses of CUDA's memory";
    let staged = "sent through pinned memory of the host: the MPI library takes no addresses of CUDA's memory";
    let nccl = Device::cuda(0).and_then(|device| device.new_team());
    let answer = Answer {
        ranks: rank.ranks(),
        ranks_of_node: rank.ranks_of_node()?.len(),
        mpi: library_version()?.lines().next().unwrap_or_default().to_owned(),
        cuda: devices(Api::Cuda),
        opencl: devices(Api::OpenCl),
        device_memory: if takes_device_memory() { direct } else { staged },
        nccl: nccl.map_or_else(|error| error.to_string(), |_| "there".to_owned()),
    };
    if rank.rank() == 0 {
        println!("{}", serde_json::to_string(&answer)?);
    }
    Ok(())
}

/// The devices of an API, or why there are none.
fn devices(api: Api) -> Vec<String> {
    match Device::list(api) {
        Ok(all) => all.iter().map(|device| format!("{} ({})", device.id, device.name)).collect(),
        Err(error) => vec![error.to_string()],
    }
}
