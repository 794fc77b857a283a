//! A folder imports from folders below it only, and no files import one another in a circle.

use crate::imports::{Imports, circles, imports};
use crate::sources::{Source, crate_sources};

/// The floors of a crate, the highest first. Folders on one floor do not know each other.
type Floors = &'static [&'static [&'static str]];

const CORE: Floors = &[
    &["engine.rs"],
    &["convolve/", "electrostatics/", "poisson/"],
    &["plan/"],
    &["baseline/"],
    &["cpu/engine.rs"],
    &["cpu/single/"],
    &["cpu/batch/"],
    &["cpu/dft/"],
    &["cpu/base/"],
    &["cpu/simd/"],
    &["recipe/", "oracle/", "jpeg/"],
    &["problem/", "arithmetic/"],
    &["timing/", "error.rs"],
];

/// `lower/` asks `choose/` how to do each pass, so it stands above. The two highest are tests.
const GPU: Floors = &[
    &["simulator/", "device_tests/"],
    &["electrostatics/", "jpeg/", "poisson/"],
    &["api/"],
    &["baseline/"],
    &["run/"],
    &["lower/"],
    &["choose/"],
    &["write/", "backend/"],
    &["desc/", "print/"],
    &["ir/"],
    &["limits.rs"],
    &["attributes.rs", "error.rs"],
];

const JPEG: Floors = &[
    &["codec/"],
    &["blocks.rs", "ffi/"],
    &["simd/strip.rs"],
    &["simd/exact.rs", "simd/fast.rs"],
    &["simd/isa/"],
    &["coefficients.rs", "memory.rs"],
    &["limits.rs"],
    &["error.rs"],
];

/// From the commands down to names and values; the wisdom file and problems are options of `args/`.
const COMMAND: Floors = &[
    &["commands/"],
    &["array_files.rs", "comparison.rs", "image_files.rs", "spectrum.rs"],
    &["planner.rs", "bench_targets.rs", "block_targets/", "picture/"],
    &["any_plan.rs", "device_data.rs", "npy.rs", "problems.rs", "wisdom.rs"],
    &["args.rs"],
    &["args/"],
    &["threshold.rs"],
    &["algorithm.rs", "engine.rs", "files/", "program.rs", "progress.rs"],
    &["array.rs", "print.rs"],
];

/// From the choice of experiments down to what they print.
const EXPERIMENTS: Floors = &[
    &["run.rs"],
    &["experiments/", "commands/"],
    &["codec.rs", "charges.rs", "system.rs"],
    &["how.rs"],
    &["measure.rs"],
    &["page.rs", "heat_map.rs"],
    &["claims.rs"],
    &["noise.rs"],
    &["photographs.rs", "plot.rs", "processor.rs", "ratios.rs"],
    &["rounding.rs"],
    &["circuit/generate/"],
    &["circuit/bookshelf/"],
    &["circuit/"],
    &["args.rs"],
];

/// From plans down to what is copied between devices.
const DISTRIBUTED_GPU: Floors = &[&["plan/"], &["exchange/"], &["boxes.rs"]];

/// From plans down to the hash of what they do.
const DISTRIBUTED: Floors = &[&["plan/"], &["exchange/"], &["recipe/"], &["distribution.rs"], &["grid.rs", "hash.rs"]];

/// From the commands down to the ranks, which are the crate as a library.
const MPI: Floors =
    &[&["commands/"], &["files.rs"], &["session.rs"], &["data.rs"], &["any_plan.rs"], &["args.rs"], &["rank/"]];

/// From what Python sees down to memory and threads.
const PYTHON: Floors = &[
    &["electrostatics.rs", "poisson.rs", "signal.rs", "xla_cuda.rs"],
    &["cuda.rs"],
    &["plan.rs", "jpeg.rs", "xla.rs"],
    &["arrays.rs"],
    &["memory.rs", "planners.rs"],
    &["error.rs"],
];

/// The crates whose folders stand on floors.
const CRATES: &[(&str, Floors)] = &[
    ("fourfold", CORE),
    ("fourfold-gpu", GPU),
    ("fourfold-jpeg", JPEG),
    ("fourfold-cli", COMMAND),
    ("fourfold-experiments", EXPERIMENTS),
    ("fourfold-distributed", DISTRIBUTED),
    ("fourfold-distributed-gpu", DISTRIBUTED_GPU),
    ("fourfold-mpi", MPI),
    ("fourfold-python", PYTHON),
];

/// Files of any crate that stand outside the floors: they name everything, and nothing names them.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

/// The floor of a file, and its place there; folders' mod.rs are files of the folder.
fn place(floors: Floors, file: &str) -> Option<(usize, usize)> {
    let is_in = |place: &&str| file == *place || place.ends_with('/') && file.starts_with(*place);
    let floor = |(i, places): (usize, &&[&str])| places.iter().position(&is_in).map(|at| (i, at));
    floors.iter().enumerate().find_map(floor)
}

/// The imports that do not lead downwards, or lead to the crate's root.
fn upwards(floors: Floors, imports: &Imports) -> Vec<String> {
    let mut found = vec![];
    for (from, others) in imports.iter().filter(|(file, _)| !ROOTS.contains(&file.as_str())) {
        for to in others {
            let is_fine = match (place(floors, from), place(floors, to)) {
                (Some(from), Some(to)) => from == to || from.0 < to.0,
                // The declarations of a folder whose parts stand on several floors.
                _ => floors.is_empty() && !ROOTS.contains(&to.as_str()),
            };
            if !is_fine {
                found.push(format!("{from} -> {to}"));
            }
        }
    }
    found
}

#[test]
fn folders_import_from_lower_floors_only() {
    for (name, floors) in CRATES {
        let files = crate_sources(name);
        let lost = |file: &&Source| place(floors, &file.path).is_none() && !file.path.ends_with("mod.rs");
        let lost: Vec<_> =
            files.iter().filter(lost).map(|file| &file.path).filter(|path| !ROOTS.contains(&path.as_str())).collect();
        assert!(floors.is_empty() || lost.is_empty(), "{name}: on no floor: {lost:?}");
        let found = upwards(floors, &imports(&files));
        assert!(found.is_empty(), "{name}: {} imports upwards:\n{}", found.len(), found.join("\n"));
    }
}

#[test]
fn no_files_import_one_another_in_a_circle() {
    for (name, _) in CRATES {
        let found = circles(&imports(&crate_sources(name)));
        assert!(found.is_empty(), "{name}: {} circles: {found:#?}", found.len());
    }
}

/// One import turned round in the real sources is found, whatever the two files are.
#[test]
fn an_import_turned_round_is_found() {
    for (name, floors) in CRATES.iter().filter(|(_, floors)| !floors.is_empty()) {
        let real = imports(&crate_sources(name));
        let arrows = real.iter().flat_map(|(from, others)| others.iter().map(move |to| (from, to)));
        let mut tried = 0;
        for (from, to) in arrows.filter(|(from, _)| !ROOTS.contains(&from.as_str())) {
            let mut turned = real.clone();
            turned.get_mut(to).unwrap().insert(from.clone());
            assert!(!circles(&turned).is_empty(), "{name}: {to} -> {from}");
            if place(floors, from) != place(floors, to) {
                assert_eq!(upwards(floors, &turned).len(), 1, "{name}: {to} -> {from}");
            }
            tried += 1;
        }
        assert!(tried >= 5, "{name}: {tried} imports");
    }
}
