//! `verify` and `bench`.

mod common;

use common::{failure, says, success};
use fourfold::Problem;
use fourfold::baseline::Algorithm;
use serde_json::Value;

#[test]
fn verify_compares_with_the_oracle() {
    let problems = [
        "dct2 f64 17x32 ortho",
        "dst4 f32 100 scale=1e-20",
        "rfft f64 6x10 scale=1e155",
        "dct1,fft f64 9x8 in=8,1 out=1,9 scale=1e200",
    ];
    let lines = success(&[&"verify", &problems[0], &problems[1], &problems[2], &problems[3]]);
    assert_eq!(lines.lines().count(), 4);
    for line in lines.lines() {
        says(line, &["ok", "cpu fused", "error", "bound"]);
        assert!(!line.contains("error 0"), "{line}");
    }
}

#[test]
fn verify_answers_in_json_for_every_engine() {
    let text =
        success(&[&"verify", &"dct3 f64 40", &"--engine", &"cpu,cpu:simd128,cpu", &"--algorithm", &"all", &"--json"]);
    let lines: Value = serde_json::from_str(&text).unwrap();
    let (left_out, lines): (Vec<&Value>, _) =
        lines.as_array().unwrap().iter().partition(|line| line["left_out"].is_string());
    let text = left_out[0]["left_out"].as_str().unwrap();
    assert!(text.contains("four-n") && text.contains("dct2 along one axis"), "{text}");
    let problem: Problem = "dct3 f64 40".parse().unwrap();
    let refuse = Algorithm::ALL.iter().filter(|algorithm| algorithm.recipe(&problem).is_err()).count();
    assert!(refuse > 10 && left_out.len() == 2 * refuse, "{} of {refuse} on two engines", left_out.len());
    let lines: Vec<&Value> = lines.into_iter().filter(|line| line["method"] == "fused").collect();
    assert_eq!(lines.len(), 2, "each engine once");
    for (line, engine) in lines.iter().zip(["cpu", "cpu:simd128"]) {
        assert_eq!(line["problem"], "dct3 f64 40");
        assert_eq!(line["engine"], engine);
        assert_eq!(line["method"], "fused");
        assert_eq!(line["ok"], true);
        assert!(line["error"].as_f64().unwrap() <= line["bound"].as_f64().unwrap());
        assert!(line["error"].as_f64().unwrap() > 0.0, "rounding errors are never all zero here");
    }
}

#[test]
fn algorithms_are_verified_and_say_what_they_support() {
    let algorithms = "three-stage,row-column,n-point";
    let text = success(&[&"verify", &"dct2 f64 30", &"dct3 f32 6x9", &"dct1 f64 5", &"--algorithm", &algorithms]);
    let count = |word: &str| text.lines().filter(|line| line.starts_with(word)).count();
    assert_eq!([count("ok "), count("skip ")], [5, 4], "{text}");
    says(
        &success(&[&"plan", &"dct2 f64 30x64", &"--algorithm", &"row-column"]),
        &["row-column", "transpose", "rfft f64 30x64"],
    );
    says(
        &failure(1, &[&"verify", &"dct1 f64 5", &"--algorithm", &"n-point"]),
        &["n-point", "dct1", "dct2 along one axis"],
    );
    says(&failure(1, &[&"bench", &"fft f64 5", &"--algorithm", &"row-column"]), &["row-column", "fft", "dct2, dct3"]);
    let complex = "definition,levels,levels-in-blocks,levels-in-clusters,mixed-radix-rows,radix-2-groups";
    let text = success(&[&"verify", &"ifft f32 64 forward", &"fft f64 8x8", &"fft f64 6x7", &"--algorithm", &complex]);
    let count = |word: &str| text.lines().filter(|line| line.starts_with(word)).count();
    assert_eq!([count("ok "), count("skip ")], [4 + 6 + 2, 2 + 4], "{text}");
    says(
        &text,
        &["skip   fft f64 6x7: cpu levels: ", "it computes fft, ifft and mixes of them along axes of powers of two"],
    );
    let lines = success(&[&"bench", &"dct2 f64 32x32", &"--algorithm", &"all", &"--repeat", &"1"]);
    assert_eq!(lines.lines().count(), 10, "those for one axis alone are skipped: {lines}");
}

#[test]
fn the_old_name_of_the_option_works() {
    let by = |option: &str| success(&[&"plan", &"dct2 f64 30x64", &option, &"row-column"]);
    assert_eq!(by("--method"), by("--algorithm"));
    success(&[&"verify", &"dct2 f64 8", &"--method", &"fused,n-point"]);
}

#[test]
fn verify_says_how_many_outputs_it_sampled() {
    let text = success(&[&"verify", &"dct2 f32 1048576", &"--json"]);
    let lines: Value = serde_json::from_str(&text).unwrap();
    assert!(lines[0]["sampled"].as_u64().unwrap() >= 1000);
    assert_eq!(lines[0]["outputs"], 1_048_576);
}

#[test]
fn bench_prints_medians_spread_and_ratio() {
    let text = success(&[&"bench", &"dct2 f64 64x64", &"--seconds", &"0.05", &"--threads", &"1"]);
    assert_eq!(text.lines().count(), 1);
    says(&text, &["dct2 f64 64x64: cpu fused, 1 thread: ", " ms (", " to ", "× copy"]);
}

#[test]
fn bench_answers_in_json_with_exactly_the_promised_fields() {
    let fields = ["copy_ratio", "engine", "max_ms", "median_ms", "method", "min_ms", "problem", "threads"];
    let problems = ["rfft f32 8x100", "dct2 f64 32x32 inplace"];
    let engines = "cpu,cpu:simd128";
    let text = success(&[&"bench", &problems[0], &problems[1], &"--engine", &engines, &"--repeat", &"3", &"--json"]);
    let lines: Value = serde_json::from_str(&text).unwrap();
    let lines = lines.as_array().unwrap();
    assert_eq!(lines.len(), 4);
    for (index, line) in lines.iter().enumerate() {
        let mut names: Vec<_> = line.as_object().unwrap().keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, fields);
        assert_eq!(line["problem"], problems[index / 2]);
        assert_eq!(line["engine"], ["cpu", "cpu:simd128"][index % 2]);
        assert!(line["threads"].as_u64().unwrap() >= 1);
        let number = |name: &str| line[name].as_f64().unwrap();
        assert!(0.0 < number("min_ms") && number("min_ms") <= number("median_ms"));
        assert!(number("median_ms") <= number("max_ms") && number("copy_ratio") > 0.0);
    }
}
