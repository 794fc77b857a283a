//! `cargo xtask fuzz [--minutes N] [--target NAME]`: runs fuzz targets with the stable compiler,
//! without `cargo-fuzz`, whose flags these are. `--carry FOLDER` makes a folder that runs every
//! target with its number of inputs on a machine without Rust. The suite `fuzz` is a minute each.

use crate::memory::UNSTABLE;
use crate::process::{command, host, root, run, work_folder};
use crate::table::Table;
use crate::test::Outcome;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Instruments all crates such that libFuzzer sees which branches an input takes.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table";

/// It also sees with which values they compare, and AddressSanitizer which memory they take. Both are
/// several times slower.
const SANITIZER: &str = "-Cllvm-args=-sanitizer-coverage-trace-compares -Zsanitizer=address";

/// Processors since about 2014: the definition is slow without fused multiply-adds.
pub(crate) const CARRIED: &str = "-Ctarget-cpu=x86-64-v3";

struct Target {
    name: &'static str,
    /// How many inputs are run once: `docs/reliability.md`.
    inputs: u64,
    /// Its examples in `fuzz/seeds`.
    seeds: &'static str,
    /// libFuzzer's arguments.
    arguments: &'static str,
}

const TEXTS: u64 = 10_000_000;
const FILES: u64 = 1_000_000;
const PLANS: u64 = 100_000;

const TARGETS: [Target; 12] = [
    target("notation", TEXTS, "notation", "-max_len=256 -dict=fuzz/dictionaries/notation.dict"),
    target("recipes", TEXTS, "recipes", "-max_len=512 -dict=fuzz/dictionaries/recipes.dict"),
    target("wisdom", TEXTS, "wisdom", "-max_len=512 -dict=fuzz/dictionaries/wisdom.dict"),
    target("choices", TEXTS, "choices", "-max_len=256 -dict=fuzz/dictionaries/choices.dict"),
    target("npy", TEXTS, "npy", "-max_len=1024 -dict=fuzz/dictionaries/npy.dict"),
    target("png", FILES, "png", "-max_len=2048 -dict=fuzz/dictionaries/png.dict"),
    target("jpeg", FILES, "jpeg", "-max_len=4096"),
    target("coefficients", FILES, "jpeg", "-max_len=4096"),
    target("encode", FILES, "encode", "-max_len=1024"),
    target("bookshelf", FILES, "bookshelf", "-max_len=4096 -dict=fuzz/dictionaries/bookshelf.dict"),
    target("cache", FILES, "cache", "-max_len=2048"),
    target("plans", PLANS, "plans", "-max_len=512 -len_control=0"),
];

const fn target(name: &'static str, inputs: u64, seeds: &'static str, arguments: &'static str) -> Target {
    Target { name, inputs, seeds, arguments }
}

const USAGE: &str = "usage: cargo xtask fuzz [--minutes N] [--target NAME] [--carry FOLDER]";

/// The task, with the arguments that follow its name.
pub(crate) fn run_task() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(2).collect();
    let known = ["--minutes", "--target", "--carry"];
    ensure!(arguments.chunks(2).all(|pair| pair.len() == 2 && known.contains(&&*pair[0])), USAGE);
    let value = |name: &str| arguments.chunks(2).find(|pair| pair[0] == name).map(|pair| &*pair[1]);
    if let Some(folder) = value("--carry") {
        return carry(&std::path::absolute(folder)?);
    }
    let seconds = value("--minutes").map_or(Ok(1.0), str::parse).context(USAGE)? * 60.0;
    let name = value("--target");
    let chosen: Vec<_> = TARGETS.iter().filter(|target| name.is_none_or(|name| name == target.name)).collect();
    let names = || TARGETS.each_ref().map(|target| target.name).join(", ");
    ensure!(!chosen.is_empty(), "there is no such target: expected one of {}", names());
    fuzz(&chosen, seconds as u64)
}

/// All targets, a minute each.
pub(crate) fn suite() -> Result<Outcome> {
    fuzz(&TARGETS.iter().collect::<Vec<_>>(), 60)?;
    Ok(Outcome::Done)
}

/// Builds the program, and returns its place.
fn build(flags: &str, profile: &str, name: &str) -> Result<PathBuf> {
    let (folder, host) = (work_folder(name)?, host()?);
    let build = format!(
        "cargo build --locked --manifest-path fuzz/Cargo.toml --profile {profile} --target {host} --target-dir"
    );
    run(command(&build).arg(&folder).env("RUSTFLAGS", format!("{COVERAGE} {flags}")).envs([UNSTABLE]))?;
    let profile = if profile == "dev" { "debug" } else { profile };
    Ok(folder.join(host).join(profile).join("fourfold-fuzz"))
}

/// Runs targets one after another under AddressSanitizer, and prints how far they came. What is
/// found stays in a folder that the output names.
fn fuzz(targets: &[&Target], seconds: u64) -> Result<()> {
    let program = build(SANITIZER, "dev", "fuzz")?;
    let mut table = Table::new(["target", "inputs", "edges reached"]);
    for target in targets {
        let corpus = work_folder(&format!("fuzz/corpus/{}", target.name))?;
        let found = work_folder(&format!("fuzz/found/{}", target.name))?;
        let log = corpus.with_file_name(format!("{}.log", target.name));
        let mut fuzz = command(&program.display().to_string());
        // The first folder is for new inputs, further ones are read only.
        fuzz.arg(corpus).arg(format!("fuzz/seeds/{}", target.seeds)).args(target.arguments.split(' '));
        fuzz.arg(format!("-artifact_prefix={}/", found.display()));
        fuzz.args([format!("-max_total_time={seconds}"), "-print_final_stats=1".into(), "-timeout=60".into()]);
        fuzz.env("FOURFOLD_FUZZ", target.name).stderr(fs::File::create(&log)?);
        run(fuzz.current_dir(root())).with_context(|| format!("see {}", log.display()))?;
        let text = fs::read_to_string(&log)?;
        let number = |what| last_number(&text, what).map_or("?".into(), |number| number.to_string());
        table.row([target.name.to_owned(), number("stat::number_of_executed_units:"), number("cov:")]);
    }
    println!("\n{table}");
    Ok(())
}

/// The number after the last `what` of libFuzzer's output.
fn last_number(log: &str, what: &str) -> Option<u64> {
    let (_, rest) = log.rsplit_once(what)?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Writes a folder with the program, what it needs, and the script `run`.
pub(crate) fn carry(folder: &Path) -> Result<()> {
    let program = build(CARRIED, "checked", "fuzz-carried")?;
    fs::create_dir_all(folder)?;
    fs::copy(program, folder.join("fourfold-fuzz"))?;
    for name in ["seeds", "dictionaries"] {
        run(command("cp -r").arg(root().join("fuzz").join(name)).arg(folder))?;
    }
    let script = folder.join("run");
    fs::write(&script, self::script())?;
    run(command("chmod +x").arg(&script))?;
    println!("{} [PROCESSES [PART]] runs all, or one PART-th of all", script.display());
    Ok(())
}

/// Every target, its inputs shared among processes with seeds of their own. Then one process reads
/// all that they kept, and says how many edges that reaches.
fn script() -> String {
    let mut text = String::from(SCRIPT);
    for Target { name, inputs, seeds, arguments } in &TARGETS {
        let arguments = arguments.replace("fuzz/dictionaries", "dictionaries");
        text += &format!("fuzz {name} {inputs} {seeds} {arguments}\n");
    }
    text
}

const SCRIPT: &str = r#"#!/bin/sh
# Runs every fuzz target, or those of the variable TARGETS: run [PROCESSES [PART]].
# PART divides the number of inputs.
# Prints a line for each: inputs that were run, edges reached, processes that found something.
cd "$(dirname "$0")" || exit 2
processes=${1:-$(nproc)}
part=${2:-1}
out=${OUT:-out}

fuzz() {
    name=$1 inputs=$2 seeds=$3
    shift 3
    case " ${TARGETS:-$name} " in *" $name "*) ;; *) return ;; esac
    i=0 begin=$(date +%s)
    while [ $i -lt "$processes" ]; do
        i=$((i + 1))
        mkdir -p "$out/$name/$i"
        FOURFOLD_FUZZ=$name ./fourfold-fuzz "$out/$name/$i" "seeds/$seeds" "$@" -seed=$i -timeout=60 \
            -runs=$(((inputs / part + processes - 1) / processes)) -print_final_stats=1 \
            -artifact_prefix="$out/$name-$i-" >"$out/$name-$i.log" 2>&1 || echo $i >>"$out/$name.failed" &
    done
    wait
    FOURFOLD_FUZZ=$name ./fourfold-fuzz -runs=0 "seeds/$seeds" "$out/$name"/* >"$out/$name.log" 2>&1
    run=$(cat "$out/$name"-*.log | awk '/stat::number_of_executed_units/ { sum += $2 } END { print sum + 0 }')
    edges=$(awk '{ for (i = 1; i < NF; i++) if ($i == "cov:") edges = $(i + 1) } END { print edges }' "$out/$name.log")
    failed=$(cat "$out/$name.failed" 2>/dev/null | wc -l)
    echo "fuzz $name: $run inputs, $edges edges, $failed failed, $(($(date +%s) - begin)) s"
}

"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_logs() {
        let log = "#5 INITED cov: 7 ft: 8\n#9 DONE   cov: 12 ft: 30 corp: 3/9b\nstat::number_of_executed_units: 9\n";
        assert_eq!(last_number(log, "cov:"), Some(12));
        assert_eq!(last_number(log, "stat::number_of_executed_units:"), Some(9));
        assert_eq!(last_number(log, "stat::peak_rss_mb:"), None);
    }

    #[test]
    fn targets_are_those_of_the_program_and_have_seeds() {
        let source = include_str!("../../fuzz/src/targets/mod.rs");
        assert_eq!(source.matches("::check),").count(), TARGETS.len());
        for Target { name, seeds, arguments, .. } in &TARGETS {
            assert!(source.contains(&format!("(\"{name}\", {name}::check),")), "{name}");
            let mut seeds = fs::read_dir(root().join("fuzz/seeds").join(seeds)).unwrap();
            assert!(seeds.next().is_some(), "{name} has no seeds");
            let dictionary = arguments.split_once("-dict=").map(|(_, path)| root().join(path));
            assert!(dictionary.is_none_or(|path| path.is_file()), "{name}");
        }
    }
}
