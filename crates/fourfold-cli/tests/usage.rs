//! `info`, `plan`, and the parts that all commands share: exit codes, one-line errors, JSON.

mod common;

use std::process::Stdio;

use common::{Folder, command, failure, one_error, says, success};
use serde_json::Value;

#[test]
fn info_names_engines_instruction_sets_threads_and_algorithms() {
    says(&success(&[&"info"]), &[env!("CARGO_PKG_VERSION"), "cpu", "simd128", "threads", "caches", "fused"]);
    let facts: Value = serde_json::from_str(&success(&[&"info", &"--json"])).unwrap();
    assert_eq!(facts["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(facts["engines"][0]["name"], "cpu");
    assert!(facts["engines"][0]["instruction_sets"].as_array().unwrap().contains(&"simd128".into()));
    assert!(facts["engines"][0]["threads"].as_u64().unwrap() >= 1);
    let memory = &facts["engines"][0]["memory"];
    assert!(memory["cache_line"].as_u64().unwrap().is_power_of_two());
    assert!(memory["level2"]["bytes"].as_u64() > memory["level1"]["bytes"].as_u64());
    assert!(memory["level2"]["ways"].as_u64() >= Some(1) && memory["last_level"].as_u64() >= Some(1 << 16));
    assert_eq!(facts["methods"][0]["name"], "fused");
}

#[test]
fn plan_shows_the_recipe() {
    let problem = "dct2 f64 30x64 ortho";
    says(
        &success(&[&"plan", &problem]),
        &[problem, "cpu", "fused", "passes", "axis 0", "axis 1", "moved", "scratch", "bytes"],
    );
    let text = success(&[&"plan", &"DCT2 f64 30x64 axes=0,1 ortho", &"--engine", &"cpu:simd128", &"--json"]);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["problem"], problem, "problems are shown in their canonical form");
    assert_eq!(answer["engine"], "cpu:simd128");
    assert_eq!(answer["method"], "fused");
    assert_eq!(answer["passes"].as_array().unwrap().len(), 2, "one an axis");
    says(answer["passes"][0].as_str().unwrap(), &["input -> output", "dct2", "="]);
    assert!(answer["bytes_moved"].as_u64().unwrap() >= 2 * 8 * 30 * 64);
    assert!(answer["scratch_bytes"].is_u64());
}

#[test]
fn plan_shows_filters_and_what_to_know_of_them() {
    let filter = "dct2 f64 30x64 | multiply reciprocal-sum | idct2 f64 30x64";
    for engine in ["cpu", "cuda:sm_80"] {
        let text = success(&[&"plan", &filter, &"--engine", &engine]);
        says(&text, &[filter, engine, "dct2", " | multiply | ", "moved", "scratch"]);
        assert!(!text.contains("remark"), "{text}");
        let no_axis = "dct2 f64 8x9 axes=1 | multiply table | idct2 f64 8x9 axes=0";
        let answer = success(&[&"plan", &no_axis, &"--engine", &engine, &"--json"]);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!((&answer["problem"], answer["passes"].as_array().unwrap().len()), (&no_axis.into(), 2));
        says(answer["remark"].as_str().unwrap(), &["share no axis", "one pass more"]);
        says(&success(&[&"plan", &no_axis, &"--engine", &engine]), &["remark     `dct2 f64 8x9 axes=1`"]);
    }
    says(
        &failure(1, &[&"plan", &"dct2 f64 8 | idct2 f64 8"]),
        &["expected a problem, with a multiply before or after"],
    );
    says(&failure(1, &[&"plan", &"dct2 f64 8 | multiply by"]), &["multiply by", "multiply table"]);
    says(&failure(1, &[&"plan", &filter, &"--algorithm", &"row-column"]), &["leave out --algorithm row-column"]);
}

#[test]
fn mistakes_in_problems_are_explained() {
    let mistakes: [(&str, &[&str]); 17] = [
        ("", &["kind"]),
        ("dtc2 f64 8", &["dtc2", "dct2"]),
        ("dct2", &["type"]),
        ("dct2 f8 8", &["f8", "f32", "f64", "f16", "bf16"]),
        ("dct2 f64", &["shape"]),
        ("dct2 f64 auto", &["auto"]),
        ("dct2 f64 8x", &["8x"]),
        ("dct2 f64 0", &["0"]),
        ("dct2 f64 8x0x3", &["0"]),
        ("dct1 f64 1", &["dct1", "2"]),
        ("dct2 f64 4294967296x4294967296x4294967296", &["4294967296"]),
        ("dct2 f64 8 axes=1", &["axis 1"]),
        ("dct2 f64 8 ortho forward", &["ortho", "forward"]),
        ("dct2 f64 8x8 out=0,1", &["out"]),
        ("dct2 f64 8 orto", &["orto", "ortho"]),
        ("dct2 f64 8 8", &["separated by x"]),
        ("idst-v f64 8", &["idst-i?"]),
    ];
    for (problem, parts) in mistakes {
        for subcommand in ["plan", "verify", "bench"] {
            says(&failure(1, &[&subcommand, &problem]), &[&[&*format!("in {problem:?}")], parts].concat());
        }
    }
}

#[test]
fn what_does_not_fit_in_memory_is_refused() {
    let problem = "dct2 f64 1048576x1048576x1024 axes=2";
    says(&failure(1, &[&"verify", &problem]), &["memory"]);
    says(&failure(1, &[&"bench", &problem]), &["memory"]);
    let (wide, folder) = ("dct2 f64 8 out=100000000000", Folder::new());
    says(&failure(1, &[&"tune", &wide, &"--wisdom", &folder.path("wisdom")]), &["memory"]);
}

#[test]
fn long_texts_are_shortened() {
    let problem = format!("dct2 f64 8 {}", "o".repeat(5000));
    assert!(failure(1, &[&"plan", &problem]).len() < 1000);
    let digits = "9".repeat(300);
    for message in [
        failure(2, &[&"plan", &"dct2 f64 8", &"--threads", &digits]),
        failure(2, &[&"info", &digits]),
        failure(1, &[&"plan", &"dct2 f64 8", &"--wisdom", &digits]),
    ] {
        assert!(message.contains("999…") && message.len() < 300, "{message}");
    }
}

/// The command with so many KiB of memory.
#[cfg(target_os = "linux")]
fn limited(kibibytes: usize, arguments: &[&str]) -> std::process::Output {
    let line = format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\"");
    std::process::Command::new("sh")
        .args(["-c", &line, env!("CARGO_BIN_EXE_fourfold")])
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_lack_of_memory_is_an_error() {
    // `plan` makes no tables, so it needs little memory.
    assert!(limited(400_000, &["plan", "fft f64 536870911", "--threads", "1"]).status.success());
    for subcommand in ["verify", "bench"] {
        let output = limited(3_000_000, &[subcommand, "dct2 f64 67108864", "--threads", "1"]);
        says(&one_error(1, &output), &["memory"]);
    }
    // The command is not killed at any limit: each allocation can fail.
    let (mut refused, mut done) = (0, 0);
    for (problem, limit) in ["dct2 f64 65537", "dst3 f64 524288", "fft f32 131101"]
        .into_iter()
        .flat_map(|problem| [30, 40, 50, 60, 80, 400].map(|limit| (problem, limit * 1000)))
    {
        let output = limited(limit, &["bench", problem, "--threads", "1", "--repeat", "1"]);
        match output.status.code() {
            Some(0) => done += 1,
            _ => {
                says(&one_error(1, &output), &["memory"]);
                refused += 1;
            }
        }
    }
    assert!(refused > 3 && done > 3, "{refused} refused, {done} done");
}

#[test]
fn usage_errors_take_one_line_and_exit_code_2() {
    let problem = "dct2 f64 8";
    says(&failure(2, &[&"plna", &problem]), &["plna", "plan"]);
    says(&failure(2, &[&"plan"]), &["PROBLEM"]);
    says(&failure(2, &[&"verify"]), &["PROBLEM"]);
    says(&failure(2, &[&"plan", &"dct2", &"f64", &"8"]), &["f64", "one argument, in quotes"]);
    says(&failure(2, &[&"plan", &problem, &"--frob"]), &["--frob"]);
    says(&failure(2, &[&"plan", &problem, &"--engine", &"cuda:x"]), &["cuda:x", "cuda:1"]);
    says(&failure(2, &[&"plan", &problem, &"--engine", &"abacus"]), &["abacus", "cpu:ISA", "simd128"]);
    says(&failure(2, &[&"plan", &problem, &"--engine", &"cpu:mmx"]), &["mmx"]);
    says(&failure(2, &[&"plan", &problem, &"--algorithm", &"magic"]), &["magic", "fused"]);
    says(&failure(2, &[&"plan", &problem, &"--algorithm", &"all"]), &["all", "verify and bench", "fused"]);
    says(&failure(2, &[&"bench", &problem, &"--algorithm", &"fused,magic"]), &["magic", "fused"]);
    says(&failure(2, &[&"bench", &problem, &"--threads", &"0"]), &["--threads", "1"]);
    says(&failure(2, &[&"bench", &problem, &"--seconds", &"nan"]), &["seconds"]);
    for (option, expected) in [("--threads", "from 1 to 1024"), ("--seconds", "from 0 to 3600")] {
        let message = failure(2, &[&"bench", &problem, &option, &"-1"]);
        assert!(message.contains(expected) && message.contains("'-1'") && !message.contains("tip"), "{message}");
    }
}

#[test]
fn mistakes_with_devices_are_explained() {
    let problem = "dct2 f64 8";
    says(&failure(1, &[&"plan", &problem, &"--source"]), &["cpu", "cuda or opencl"]);
    for (engine, models) in [
        ("cuda:sm_1", "sm_75, sm_80"),
        ("cuda:abc", "sm_75, sm_80"),
        ("opencl:nothere", "mi300x, arc-a770, mali-g710"),
        ("opencl:sm_90", "mi300x"),
    ] {
        let number = format!("{}:1", engine.split(':').next().unwrap());
        for subcommand in ["plan", "verify", "bench"] {
            let message = failure(2, &[&subcommand, &problem, &"--engine", &engine]);
            says(&message, &[engine, "the number of a device", &number, "for plan the name of a model", models]);
        }
    }
    for subcommand in ["verify", "bench", "tune"] {
        let message = failure(1, &[&subcommand, &problem, &"--engine", &"cuda:sm_90"]);
        says(&message, &["cuda:sm_90 is a model", "only plan takes", "such as cuda:0"]);
    }
    says(&failure(1, &[&"plan", &"fft f32 1000000007", &"--engine", &"cuda:sm_90"]), &["1000000007", "too long"]);
    let large = failure(1, &[&"plan", &"dct2 f64 268435456x268435456", &"--engine", &"cuda:sm_90"]);
    says(&large, &["cannot plan dct2", "576460752303423488 bytes", "at most 144115188075855872", "fewer elements"]);
    for engine in ["cuda:1000", "opencl:1000"] {
        for subcommand in ["plan", "verify", "bench"] {
            let errors = failure(1, &[&subcommand, &problem, &"--engine", &engine]);
            says(&errors.to_lowercase(), &[engine.split(':').next().unwrap()]);
        }
    }
    says(&failure(2, &[&"plan", &problem, &"--engine", &"opencl:"]), &["opencl:", "opencl:1"]);
}

#[test]
fn help_is_not_an_error() {
    let help = success(&[&"--help"]);
    says(&help, &["jpeg", "tune", "cache", "Examples:"]);
    let place = |command: &str| help.find(&format!("\n  {command} ")).unwrap_or_else(|| panic!("{command}: {help}"));
    let order = [
        "transform",
        "compress",
        "filter",
        "convolve",
        "poisson",
        "jpeg",
        "verify",
        "bench",
        "plan",
        "info",
        "tune",
        "cache",
    ];
    assert!(order.is_sorted_by_key(|command| place(command)), "what users do first comes first: {help}");
    says(&success(&[&"bench", &"--help"]), &["--threads", "--json", "--algorithm", "kinds type shape"]);
    says(&success(&[&"--version"]), &[env!("CARGO_PKG_VERSION")]);
}

#[test]
fn files_of_cases_are_read_with_line_numbers() {
    let folder = Folder::new();
    let good = folder.write("good", b"# two problems\n\ndct2 f64 8   # the first\nfft f32 4x4\n");
    let lines = success(&[&"verify", &"dht f64 5", &"--cases", &good]);
    assert_eq!(lines.lines().count(), 3);
    says(&lines, &["dht f64 5", "dct2 f64 8", "fft f32 4x4"]);
    let bad = folder.write("bad", b"dct2 f64 8\ndct9 f64 8\n");
    says(&failure(1, &[&"verify", &"--cases", &bad]), &["bad", "line 2", "dct9"]);
    let empty = folder.write("empty", b"# nothing\n");
    says(&failure(1, &[&"bench", &"--cases", &empty]), &["no problem"]);
    let binary = folder.write("binary", &[0xff, 0xfe, 0x00]);
    says(&failure(1, &[&"bench", &"--cases", &binary]), &["binary"]);
    says(&failure(1, &[&"verify", &"--cases", &folder.path("none")]), &["none", "No such file"]);
    says(&failure(1, &[&"verify", &"--cases", &"/dev/zero"]), &["/dev/zero", "longer than 16777216 bytes"]);
}

#[test]
fn a_reader_that_goes_away_is_no_news() {
    let mut child = command().arg("info").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The message names the file as the user did, not what is behind it.
#[test]
#[cfg(target_os = "linux")]
fn pipes_are_no_outputs() {
    let folder = Folder::new();
    let input = folder.write("x.npy", &[0; 8]);
    let message = failure(1, &[&"transform", &"dct2 f64 auto", &input, &"-o", &"/dev/stdout"]);
    assert_eq!(message, "fourfold: cannot write /dev/stdout: it is not a regular file\n");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    for word in ["info", "help", "--version"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command().arg(word).stdout(full).output().unwrap();
        says(&one_error(1, &output), &["No space left"]);
    }
}

/// The command that it was says how it is run now, with the same arguments.
#[test]
fn experiments_are_a_program_of_their_own() {
    let run = "`cargo run --release -p fourfold-experiments --";
    says(&failure(1, &[&"reproduce"]), &[&format!("{run}`")]);
    says(&failure(1, &[&"reproduce", &"table-v", &"--quick"]), &[&format!("{run} table-v --quick`")]);
    says(&failure(1, &[&"reproduce", &"--engine", &"cpu,cuda"]), &[&format!("{run} --engine cpu,cuda`")]);
    says(&failure(1, &[&"reproduce", &"--help"]), &[&format!("{run} --help`")]);
    assert!(!success(&[&"help"]).contains("reproduce"), "it is no command any more");
}
