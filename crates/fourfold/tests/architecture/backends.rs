//! The GPU crate tells its APIs apart in few places, so that another one is a folder in `backend/`,
//! a file in `print/` and a line in each of these places.

use crate::sources::{Source, crate_sources, words};
use std::collections::BTreeSet;

/// The variants of `Api`.
const APIS: [&str; 2] = ["Cuda", "OpenCl"];

/// The files that name several APIs, and why they may.
const NAME_SEVERAL: &[(&str, &str)] = &[
    ("backend/device.rs", "users open a device with `Device::cuda` or `Device::opencl`"),
    ("backend/registry.rs", "finds the backend of an API"),
    ("limits.rs", "defines `Api`"),
    ("run/inspect.rs", "users plan without a device for `Target::cuda` or `Target::opencl`"),
];

/// The files outside a backend's folder that name things in it, and why they may.
const KNOW_A_BACKEND: &[(&str, &str)] = &[
    ("api/interop.rs", "opens the device of a queue of OpenCL, and numbers that of a stream of CUDA"),
    ("backend/registry.rs", "finds the backend of an API"),
    ("electrostatics/solver.rs", "asks NVRTC for the registers of a kernel"),
    ("jpeg/builder.rs", "asks NVRTC for the registers of a kernel"),
    ("run/inspect.rs", "asks NVRTC for the registers of a kernel, and knows NVIDIA's architectures"),
];

/// Folders of backends, the crates of their drivers, and the files beside them that use these.
const FOLDERS: [(&str, &str, &str); 2] =
    [("backend/cuda/", "cudarc", "device_tests/cuda.rs"), ("backend/opencl/", "opencl3", "device_tests/opencl.rs")];

/// The files that every backend has.
const SHAPE: [&str; 6] = ["compiler.rs", "context.rs", "limits.rs", "memory.rs", "mod.rs", "queue.rs"];

fn files_where(holds: impl Fn(&Source) -> bool) -> Vec<String> {
    let files = crate_sources("fourfold-gpu").into_iter().filter(holds);
    let mut paths: Vec<_> = files.map(|file| file.path).collect();
    paths.sort();
    paths
}

fn paths(allowed: &[(&str, &str)]) -> Vec<String> {
    allowed.iter().map(|(path, _)| path.to_string()).collect()
}

#[test]
fn apis_are_told_apart_in_few_places() {
    let names_several = |file: &Source| {
        let words = file.words();
        APIS.iter().filter(|api| words.contains(**api)).count() > 1
    };
    assert_eq!(files_where(names_several), paths(NAME_SEVERAL), "name several APIs");
}

#[test]
fn backends_are_used_through_their_interface() {
    let knows_a_backend = |file: &Source| {
        let code = file.code();
        let names = |folder: &str| code.contains(&format!("crate::{}", folder.replace('/', "::")));
        FOLDERS.iter().any(|(folder, ..)| names(folder) && !file.path.starts_with(folder))
    };
    assert_eq!(files_where(knows_a_backend), paths(KNOW_A_BACKEND), "know a backend");
}

#[test]
fn drivers_are_called_by_their_backend_only() {
    for (folder, driver, tests) in FOLDERS {
        let calls = |file: &Source| words(&file.text).any(|word| word == driver);
        let calling = files_where(calls);
        assert!(calling.len() > 3, "{driver}: {calling:?}");
        let others = calling.into_iter().filter(|path| !path.starts_with(folder) && path != tests);
        assert_eq!(others.collect::<Vec<_>>(), [""; 0], "call {driver}");
    }
}

#[test]
fn backends_have_one_shape() {
    for (folder, ..) in FOLDERS {
        let files: BTreeSet<_> = files_where(|file| file.path.starts_with(folder)).into_iter().collect();
        for name in SHAPE {
            assert!(files.contains(&format!("{folder}{name}")), "{folder} has no {name}");
        }
    }
}
