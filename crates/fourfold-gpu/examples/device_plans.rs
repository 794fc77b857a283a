//! Prints the page docs/performance/devices.md: what plans for devices that are not there move.
//!
//! `cargo run -p fourfold-gpu --example device_plans > docs/performance/devices.md`

use fourfold::{Problem, Result};
use fourfold_gpu::{Api, Target};

/// Devices by their vendors' names.
const DEVICES: [(&str, Api, &str); 6] = [
    ("H200", Api::Cuda, "sm_90"),
    ("A100", Api::Cuda, "sm_80"),
    ("RTX 4090", Api::Cuda, "sm_89"),
    ("MI300X", Api::OpenCl, "mi300x"),
    ("Arc A770", Api::OpenCl, "arc-a770"),
    ("Mali-G710", Api::OpenCl, "mali-g710"),
];

const CASES: &str = include_str!("../../../cases/speed.txt");

/// Problems in `f32`, which every device computes; long and large ones among them.
const MORE: [&str; 5] =
    ["dct3 f32 1024x1024", "dct2 f32 8192x8192", "dct3 f32 8192x8192", "dct3 f32 4194304", "fft f32 256x256x256"];

const HEAD: &str = "\
# Plans for other devices

What plans move on devices that are not there, by the model of each (`fourfold plan --engine
opencl:mi300x`). The cells are the launches, the bytes that they read and write in device memory,
and the trips that the cost model expects: a trip is the time of a copy of the array. Nothing here was
measured. A dash is a device without `f64`.

This page is what `cargo run -p fourfold-gpu --example device_plans` prints; a test compares it.

";

fn problems() -> Vec<Problem> {
    let lines = CASES.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let all = lines.filter(|line| !line.is_empty()).chain(MORE);
    all.map(|line| line.parse().expect("a case is a problem")).collect()
}

/// A number of bytes, in three digits.
fn bytes(count: usize) -> String {
    let (size, unit) = if count < 1_000_000_000 { (1e6, "MB") } else { (1e9, "GB") };
    let size = count as f64 / size;
    let digits = if size < 10.0 { 2 } else { usize::from(size < 100.0) };
    format!("{size:.digits$} {unit}")
}

fn cell(target: &Target, problem: &Problem) -> Result<String> {
    if !target.attributes().double && problem.precision() == fourfold::Precision::F64 {
        return Ok("–".into());
    }
    let plan = target.inspect(problem)?;
    Ok(format!("{}: {}, {:.1}", plan.launches.len(), bytes(plan.bytes_moved), plan.trips))
}

fn page() -> Result<String> {
    let mut lines = vec![
        format!("| problem |{}", DEVICES.map(|(name, ..)| format!(" {name} |")).concat()),
        format!("|---|{}", "---|".repeat(DEVICES.len())),
    ];
    let targets = DEVICES.map(|(_, api, name)| Target::known(api, name));
    let targets = targets.into_iter().collect::<Result<Vec<_>>>()?;
    for problem in problems() {
        let cells = targets.iter().map(|target| cell(target, &problem)).collect::<Result<Vec<_>>>()?;
        lines.push(format!("| `{problem}` | {} |", cells.join(" | ")));
    }
    Ok(format!("{HEAD}{}\n", lines.join("\n")))
}

fn main() -> Result<()> {
    print!("{}", page()?);
    Ok(())
}

#[test]
fn the_committed_page_is_what_is_printed() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/performance/devices.md");
    let committed = std::fs::read_to_string(path).unwrap();
    assert!(committed == page().unwrap(), "{path}: `cargo run -p fourfold-gpu --example device_plans` prints another");
}
