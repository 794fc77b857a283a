//! Tests where `unsafe` and intrinsics are.

use crate::sources::{Source, crate_sources, sources};

/// The folders that may have `unsafe` code.
const UNSAFE: &[&str] = &[
    "crates/fourfold/src/baseline/cpu/",
    "crates/fourfold/src/cpu/",
    "crates/fourfold-cli/tests/common/failing_allocator.rs",
    "crates/fourfold-distributed/src/exchange/threads.rs",
    "crates/fourfold-distributed/src/plan/memory.rs",
    "crates/fourfold-gpu/src/api/interop.rs",
    "crates/fourfold-gpu/src/backend/",
    "crates/fourfold-gpu/src/device_tests/",
    "crates/fourfold-jpeg/src/simd/",
    "crates/fourfold-jpeg/src/ffi/",
    "crates/fourfold-mpi/src/rank/",
    "python/src/",
];

/// Files in these folders that have no `unsafe` code.
const SAFE: &[&str] = &[
    "crates/fourfold/src/cpu/base/machine.rs",
    "crates/fourfold/src/cpu/base/sizes.rs",
    "crates/fourfold/src/cpu/batch/tiling.rs",
    "python/src/electrostatics.rs",
    "python/src/error.rs",
    "python/src/jpeg.rs",
    "python/src/lib.rs",
];

#[test]
fn unsafe_stands_in_the_engines_only() {
    let allowed =
        |path: &str| UNSAFE.iter().any(|folder| path.starts_with(folder)) && SAFE.iter().all(|file| path != *file);
    let files: Vec<_> = ["crates", "python/src", "xtask", "fuzz/src"].into_iter().flat_map(sources).collect();
    let is_unsafe = |file: &&Source| !file.path.contains("/tests/architecture/") && file.words().contains("unsafe");
    let found: Vec<_> = files.iter().filter(is_unsafe).map(|file| file.path.as_str()).collect();
    assert!(found.len() > 10, "the search finds nothing: {found:?}");
    let outside: Vec<_> = found.into_iter().filter(|path| !allowed(path)).collect();
    assert!(outside.is_empty(), "unsafe outside the engines: {outside:?}");
    for file in UNSAFE.iter().chain(SAFE) {
        assert!(files.iter().any(|source| source.path.starts_with(file)), "{file} has moved");
    }
}

#[test]
fn intrinsics_stand_in_isa_only() {
    let files = crate_sources("fourfold").into_iter().chain(crate_sources("fourfold-jpeg"));
    for file in files.filter(|file| !file.path.contains("simd/isa/")) {
        let found: Vec<_> = file.words().into_iter().filter(|word| word.starts_with("_mm") || word == "arch").collect();
        assert!(found.is_empty(), "{} uses {found:?}", file.path);
    }
}
