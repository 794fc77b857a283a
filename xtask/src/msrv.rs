//! The suite `msrv`: whether the oldest Rust that the manifests name still builds everything.

use crate::process::{command, output, run, work_folder};
use crate::test::{ALL_FEATURES, Outcome};
use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// Checks all crates with that Rust, which rustup installs if need be. Where it cannot, what the
/// dependencies ask for is compared; clippy compares what the crates use of the standard library.
pub(crate) fn suite() -> Result<Outcome> {
    let ours = env!("CARGO_PKG_RUST_VERSION");
    let install = format!("rustup toolchain install {ours} --profile minimal --no-self-update");
    match run(&mut command(&install)) {
        Ok(()) => {
            let check = format!("rustup run {ours} cargo check {ALL_FEATURES} --all-targets");
            run(command(&check).env("CARGO_TARGET_DIR", work_folder("msrv")?))?;
        }
        Err(error) => {
            println!("Rust {ours} cannot be installed ({error:#}): the rust-version of every dependency is compared.");
            let metadata = output(&mut command("cargo metadata --locked --all-features --format-version 1"))?;
            println!("{}", compare(ours, &serde_json::from_str(&metadata)?)?);
        }
    }
    Ok(Outcome::Done)
}

/// Major, minor and patch version.
pub(crate) fn version(text: &str) -> Option<[u32; 3]> {
    let mut numbers = text.split('.').map(|number| number.parse().ok());
    Some([numbers.next()??, numbers.next().unwrap_or(Some(0))?, numbers.next().unwrap_or(Some(0))?])
}

/// The number of packages that name a Rust; an error if one needs a newer one than ours.
fn compare(ours: &str, metadata: &Value) -> Result<String> {
    let limit = version(ours).with_context(|| format!("rust-version {ours}"))?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let (mut named, mut newest, mut newer) = (0, [0; 3], vec![]);
    for package in packages {
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        let Some(text) = package["rust_version"].as_str() else { continue };
        let theirs = version(text).with_context(|| format!("rust-version {text} of {}", field("name")))?;
        named += 1;
        // Our own packages name ours.
        newest = if package["source"].is_null() { newest } else { newest.max(theirs) };
        if theirs > limit {
            newer.push(format!("{} {} needs Rust {text}", field("name"), field("version")));
        }
    }
    ensure!(newer.is_empty(), "rust-version is {ours}, but\n{}", newer.join("\n"));
    let [major, minor, patch] = newest;
    let silent = packages.len() - named;
    Ok(format!("{named} packages name a Rust, the dependencies at most {major}.{minor}.{patch}; {silent} name none"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn newer_packages_are_named() {
        let package = |rust: Value| json!({ "name": "x", "version": "1.2.3", "source": "y", "rust_version": rust });
        let metadata = |rust: &str| json!({ "packages": [package(json!(rust)), package(Value::Null)] });
        let text = compare("1.89", &metadata("1.60.1")).unwrap();
        assert!(text.starts_with("1 packages name") && text.contains("1.60.1; 1 name none"), "{text}");
        assert!(compare("1.89", &metadata("1.89.0")).is_ok());
        let error = compare("1.89", &metadata("1.90")).unwrap_err().to_string();
        assert!(error.contains("x 1.2.3 needs Rust 1.90"), "{error}");
    }
}
