//! All fuzz targets as one program, so that they are linked once and easily carried to another
//! machine. The variable `FOURFOLD_FUZZ` names the target that runs.

#![no_main]

#[path = "../../crates/fourfold-cli/src/array.rs"]
#[allow(dead_code)]
mod array;
#[path = "../../crates/fourfold-gpu/src/run/cache_entry.rs"]
mod cache_entry;
#[path = "../../crates/fourfold-experiments/src/circuit/mod.rs"]
#[allow(dead_code)]
mod circuit;
#[path = "../../crates/fourfold/tests/common/mod.rs"]
mod common;
#[path = "../../crates/fourfold-cli/src/npy.rs"]
#[allow(dead_code)]
mod npy;
/// Images of the command, and PNG files. The paths begin in a folder that exists.
#[path = "targets"]
#[allow(dead_code)]
mod picture {
    #[path = "../../../crates/fourfold-cli/src/picture/pixels.rs"]
    pub(crate) mod pixels;
    #[path = "../../../crates/fourfold-cli/src/picture/png_file.rs"]
    pub(crate) mod png_file;
}
mod targets;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use targets::TARGETS;

const VARIABLE: &str = "FOURFOLD_FUZZ";

/// The target that runs.
static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var(VARIABLE).unwrap_or_default();
    let target = TARGETS.iter().find(|target| target.0 == name);
    let names = || TARGETS.map(|target| target.0).join(", ");
    target.unwrap_or_else(|| panic!("{VARIABLE} is {name:?}: expected one of {}", names())).1
});

fuzz_target!(|bytes: &[u8]| TARGET(bytes));
