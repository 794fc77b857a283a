//! The engines `cuda` and `opencl`. Tests that need a device use the first one of OpenCL. Without
//! one they pass with a message, but fail in CI, which has PoCL.

mod common;
#[path = "common/images.rs"]
mod images;

use common::{Folder, command, failure, one_error, read, says, success};
use images::{open, save_rgb};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Whether OpenCL has a device.
fn present() -> bool {
    let facts: Value = serde_json::from_str(&success(&[&"info", &"--json"])).unwrap();
    let opencl = facts["engines"].as_array().unwrap().iter().find(|engine| engine["name"] == "opencl").unwrap();
    let there = opencl["devices"].as_array().is_some_and(|devices| !devices.is_empty());
    assert!(there || opencl["missing"].is_string(), "{opencl}");
    assert!(there || std::env::var_os("CI").is_none(), "{opencl}");
    if !there {
        eprintln!("NOT TESTED: {}", opencl["missing"]);
    }
    there
}

#[test]
fn info_names_devices_or_says_why_there_are_none() {
    let text = success(&[&"info"]);
    says(&text, &["engine cpu", "engine cuda\n", "engine opencl\n"]);
    let facts: Value = serde_json::from_str(&success(&[&"info", &"--json"])).unwrap();
    for engine in facts["engines"].as_array().unwrap().iter().skip(1) {
        let devices = engine["devices"].as_array().unwrap();
        assert_eq!(devices.is_empty(), engine["missing"].is_string(), "{engine}");
        says(&text, &devices.iter().map(|device| device["name"].as_str().unwrap()).collect::<Vec<_>>());
        for attributes in devices.iter().map(|device| &device["attributes"]) {
            let (units, unit) = (&attributes["units"], attributes["unit"].as_str().unwrap());
            let (warp, line) = (&attributes["warp"], &attributes["cache_line"]);
            says(
                &text,
                &[&format!("{units} units ({unit})"), &format!("warps of {warp}"), &format!("lines of {line}")],
            );
            let assumed = attributes["assumed"].as_array().unwrap();
            says(&text, &assumed.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>());
        }
    }
}

#[test]
fn info_tells_of_one_engine() {
    let text = success(&[&"info", &"--engine", &"cpu"]);
    assert!(text.contains("engine cpu") && !text.contains("engine cuda"), "{text}");
    let facts: Value = serde_json::from_str(&success(&[&"info", &"--json"])).unwrap();
    for engine in facts["engines"].as_array().unwrap().iter().skip(1) {
        let name = engine["name"].as_str().unwrap();
        match engine["missing"].as_str() {
            Some(why) => says(&failure(1, &[&"info", &"--engine", &name]), &[why]),
            None => says(&success(&[&"info", &"--engine", &name]), &[&format!("{name}:0")]),
        }
    }
}

#[test]
fn plan_shows_kernels_without_a_device() {
    let problem = "dct2 f64 4096x512 ortho";
    let text = success(&[&"plan", &problem, &"--engine", &"cuda:sm_80"]);
    says(
        &text,
        &[
            problem,
            "cuda:sm_80",
            "axis 0",
            "axis 1",
            "kernels",
            "threads",
            "shared memory",
            "trips",
            "moved",
            "scratch",
        ],
    );
    assert!(!text.contains("__global__"), "the source is for those who ask");
    let json = success(&[&"plan", &problem, &"--engine", &"cuda:sm_80", &"--source", &"--json"]);
    let answer: Value = serde_json::from_str(&json).unwrap();
    let kernels = answer["kernels"].as_array().unwrap();
    assert!(kernels.len() >= 2, "one a pass at least");
    for kernel in kernels {
        says(kernel["source"].as_str().unwrap(), &["__global__", "double", kernel["steps"][0].as_str().unwrap()]);
        assert!(kernel["local_bytes"].as_u64().unwrap() <= 163 << 10, "an sm_80 has not more");
        assert!(kernel["groups"].as_u64().unwrap() >= 1 && kernel["threads"].as_u64().unwrap() <= 1024);
    }
    assert!(answer["trips"].as_f64().unwrap() >= 2.0, "each pass is a trip");
    assert!(answer["bytes_moved"].as_u64().unwrap() >= 4 * 8 * 4096 * 512, "two passes read and write");
    says(&success(&[&"plan", &"rfft f32 60", &"--engine", &"cuda", &"--source"]), &["kernel 1", "__global__"]);
    says(&success(&[&"plan", &"rfft f32 60", &"--engine", &"opencl", &"--source"]), &["kernel 1", "__kernel"]);
    for name in ["opencl:mi300x", "opencl:arc-a770", "opencl:mali-g710"] {
        says(&success(&[&"plan", &"rfft f32 60", &"--engine", &name, &"--source"]), &[name, "kernel 1", "__kernel"]);
        says(&failure(1, &[&"verify", &"rfft f32 60", &"--engine", &name]), &[name, "is a model"]);
    }
}

#[test]
fn plan_says_why_it_shows_another_device() {
    let facts: Value = serde_json::from_str(&success(&[&"info", &"--json"])).unwrap();
    for engine in facts["engines"].as_array().unwrap().iter().skip(1) {
        let name = engine["name"].as_str().unwrap();
        let text = success(&[&"plan", &"dct2 f32 8", &"--engine", &name]);
        let json = success(&[&"plan", &"dct2 f32 8", &"--engine", &name, &"--json"]);
        let answer: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(answer["missing"], engine["missing"], "{name}");
        match engine["missing"].as_str() {
            Some(why) => says(&text, &[&format!("and not {name}:0: {why}")]),
            None => assert!(!text.contains("and not"), "{text}"),
        }
    }
}

#[test]
fn a_loader_without_devices_says_so() {
    let folder = Folder::new();
    for task in [["info", "--engine", "opencl"], ["verify", "dct2 f32 8", "--engine=opencl"]] {
        let mut command = command();
        command.args(task).env("OCL_ICD_VENDORS", folder.path("")).env("OPENCL_VENDOR_PATH", folder.path(""));
        let output = command.output().unwrap();
        // NVIDIA's driver is found also where no file names it.
        if output.status.success() && String::from_utf8_lossy(&output.stdout).contains("NVIDIA") {
            return eprintln!("NOT TESTED: NVIDIA's OpenCL is there");
        }
        let errors = one_error(1, &output);
        assert!(errors.contains("OpenCL") && errors.contains("install"), "{errors}");
        assert_eq!(present(), errors.contains("the OpenCL loader shows no device"), "{errors}");
    }
}

#[test]
fn a_kernel_that_the_compiler_refuses_is_shown_readably() {
    let facts: Value = serde_json::from_str(&success(&[&"info", &"--json"])).unwrap();
    if !present() || !facts.to_string().contains("PoCL") {
        return eprintln!("NOT TESTED: no PoCL, which can be told to refuse");
    }
    let mut command = command();
    command.args(["verify", "dct2 f32 16", "--engine", "opencl", "--json"]).env("FOURFOLD_CACHE_DIR", "");
    let output = command.env("POCL_EXTRA_BUILD_FLAGS", "-Dlocal_=no.name").output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let begins = |start: &str| errors.lines().any(|line| line.starts_with(start));
    assert!(begins("fourfold: cannot plan dct2 f32 16: OpenCL refuses a kernel:"), "{errors}");
    assert!(errors.lines().any(|line| line.contains("error: ")), "the compiler's log: {errors}");
    assert!(
        begins("__kernel ") && begins("    __local ") && begins("The kernel's descriptor: KernelDesc {"),
        "{errors}"
    );
}

#[test]
fn devices_are_verified_and_timed_beside_processors() {
    if !present() {
        return;
    }
    let problems = ["dct2 f64 16x20 ortho", "rfft f32 60 inplace"];
    let verified = success(&[&"verify", &problems[0], &"rfft f32 60", &"--engine", &"cpu,opencl,opencl:0"]);
    assert_eq!(verified.lines().count(), 4, "each engine once: {verified}");
    says(&verified, &["ok     dct2 f64 16x20 ortho: opencl:0 fused", "ok     rfft f32 60: opencl:0 fused"]);
    let problems = [problems[0], "dct3 f32 12x10 inplace"];
    let engines = "cpu:simd128,opencl,cpu";
    let text = success(&[&"bench", &problems[0], &problems[1], &"--engine", &engines, &"--repeat", &"2", &"--json"]);
    let lines: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(lines.as_array().unwrap().len(), 6);
    for line in lines.as_array().unwrap() {
        assert_eq!(line["threads"].is_null(), line["engine"] == "opencl:0", "{line}");
        assert!(line["median_ms"].as_f64().unwrap() > 0.0 && line["copy_ratio"].as_f64().unwrap() > 0.0, "{line}");
    }
    assert_eq!(lines[1]["engine"], "opencl:0");
}

#[test]
fn halves_are_tuned_verified_timed_and_transformed() {
    if !present() {
        return;
    }
    let (folder, problems) = (Folder::new(), ["dct2 f16 16x20 ortho", "fft bf16 6x7 inplace"]);
    let wisdom = folder.path("wisdom");
    let run = |arguments: &[&dyn AsRef<OsStr>]| {
        success(&[arguments, &[&"--engine", &"opencl", &"--wisdom", &wisdom]].concat())
    };
    run(&[&"tune", &problems[0]]);
    let verified = run(&[&"verify", &problems[0], &problems[1]]);
    says(&verified, &["ok     dct2 f16 16x20 ortho: opencl:0", "ok     fft bf16 6x7 inplace: opencl:0"]);
    let timed = run(&[&"bench", &problems[0], &problems[1], &"--repeat", &"2"]);
    assert_eq!(timed.lines().count(), 2, "{timed}");
    let header = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }");
    let ones: Vec<u8> = (0..16).flat_map(|_| 1f32.to_le_bytes()).collect();
    let npy =
        [b"\x93NUMPY\x01\x00".as_slice(), &(header.len() as u16).to_le_bytes(), header.as_bytes(), &ones].concat();
    let (input, output) = (folder.write("a.npy", &npy), folder.path("b.npy"));
    run(&[&"transform", &"dct2 f16 auto ortho", &input, &"-o", &output]);
    let bytes = read(&output);
    let numbers: Vec<f32> =
        bytes[bytes.len() - 64..].as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    assert!((numbers[0] - 4.0).abs() < 1e-2 && numbers[1..].iter().all(|x| x.abs() < 1e-2), "{numbers:?}");
}

#[test]
fn files_are_transformed_as_by_the_processor() {
    if !present() {
        return;
    }
    let folder = Folder::new();
    let numbers: Vec<u8> = (0..12).flat_map(|i| f64::from(i * i % 7).to_le_bytes()).collect();
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }";
    let head = format!("{header:<117}\n");
    let npy = [b"\x93NUMPY\x01\x00".as_slice(), &(head.len() as u16).to_le_bytes(), head.as_bytes(), &numbers].concat();
    let input = folder.write("a.npy", &npy);
    let [cpu, gpu] = ["cpu", "opencl"].map(|engine| -> Vec<f64> {
        let output = folder.path(&format!("{engine}.npy"));
        success(&[&"transform", &"dct2 f64 auto ortho", &input, &"-o", &output, &"--engine", &engine]);
        let bytes = read(&output);
        bytes[bytes.len() - 96..].as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
    });
    assert!(cpu.iter().zip(&gpu).all(|(a, b)| (a - b).abs() < 1e-12), "{cpu:?} {gpu:?}");
    assert!(cpu.iter().any(|x| x.abs() > 1.0), "{cpu:?}");
}

/// A picture in the folder.
fn picture(folder: &Folder) -> PathBuf {
    let path = folder.path("a.png");
    save_rgb(&path, 20, 15, |x, y| [x * y, 9 * x, y * y].map(|sample| sample as u8));
    path
}

#[test]
fn pictures_are_compressed_as_by_the_processor() {
    if !present() {
        return;
    }
    let folder = Folder::new();
    let picture = picture(&folder);
    let reports = ["cpu", "opencl"].map(|engine| {
        let [keep, single, double, spectrum] =
            ["k", "f", "t", "s"].map(|name| folder.path(&format!("{engine}-{name}.png")));
        let compress = |output: &Path, options: &[&dyn AsRef<OsStr>]| {
            let begin: [&dyn AsRef<OsStr>; 6] = [&"compress", &picture, &"-o", &output, &"--engine", &engine];
            let text = success(&[&begin, options].concat());
            text.lines().take(2).map(str::to_owned).collect::<Vec<_>>()
        };
        compress(&keep, &[&"--keep", &"20"]);
        compress(&single, &[&"--type", &"f32", &"--threshold", &"20.5"]);
        let seen = compress(&double, &[&"--threshold", &"20.5", &"--spectrum", &spectrum]);
        assert_eq!(compress(&double, &[&"--threshold", &"20.5"]), seen, "whether the threshold is in a pass or not");
        seen
    });
    assert_eq!(reports[0], reports[1], "coefficients kept, PSNR");
    let [wide, narrow] = ["cpu-t.png", "cpu-f.png"].map(|name| open(&folder.path(name)).bytes);
    assert!(wide.iter().zip(narrow.iter()).all(|(a, b)| a.abs_diff(*b) <= 1), "f32 is no other picture");
    for name in ["k", "t", "s", "f"] {
        let [cpu, gpu] = ["cpu", "opencl"].map(|engine| read(&folder.path(&format!("{engine}-{name}.png"))));
        assert!(cpu == gpu, "{name}");
    }
}

#[test]
fn pictures_are_filtered_as_by_the_processor() {
    if !present() {
        return;
    }
    let folder = Folder::new();
    let picture = picture(&folder);
    let [cpu, gpu] = ["cpu", "opencl"].map(|engine| {
        let output = folder.path(&format!("{engine}.png"));
        success(&[&"filter", &picture, &"-o", &output, &"--high-pass", &"0.2", &"--engine", &engine]);
        open(&output).bytes
    });
    // A ramp without its low frequencies has exact halves, which are rounded either way.
    assert!(cpu.iter().zip(gpu.iter()).all(|(a, b)| a.abs_diff(*b) <= 1) && cpu.iter().any(|a| *a > 9));
}

#[test]
fn algorithms_that_a_device_cannot_run_are_skipped() {
    if !present() {
        return;
    }
    let algorithms = "levels,levels-in-clusters,mixed-radix-rows,mixed-radix-groups";
    let text =
        success(&[&"verify", &"fft f32 12x12", &"fft f64 2048", &"--engine", &"opencl", &"--algorithm", &algorithms]);
    let count = |word: &str| text.lines().filter(|line| line.starts_with(word)).count();
    assert_eq!([count("ok "), count("skip ")], [3, 5], "{text}");
    says(&text, &["levels-in-clusters: 2 blocks must reach each other's memory"]);
    let clustered: [&dyn AsRef<OsStr>; 6] =
        [&"verify", &"fft f64 2048", &"--engine", &"opencl", &"--algorithm", &"levels-in-clusters"];
    says(&failure(1, &clustered), &["cannot plan", "reach each other's memory", "sm_90"]);
}

#[test]
fn the_cache_is_shown_and_cleared() {
    let folder = Folder::new();
    let run = |arguments: &[&str]| {
        let output = command().args(arguments).env("FOURFOLD_CACHE_DIR", folder.path("kernels")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let answer = || -> Value { serde_json::from_str(&run(&["cache", "--json"])).unwrap() };
    assert_eq!((&answer()["kernels"], &answer()["bytes"]), (&0.into(), &0.into()));
    says(&run(&["cache"]), &["folder", "kernels", "limit"]);
    if present() {
        run(&["verify", "dct2 f32 3x5", "--engine", "opencl"]);
        let kernels = answer()["kernels"].as_u64().unwrap();
        assert!(kernels >= 1);
        assert_eq!(answer()["targets"].as_array().unwrap().len(), 1);
        assert!(answer()["bytes"].as_u64().unwrap() > 0);
        says(&run(&["cache", "--clear"]), &["kernels  0", &format!("cleared  {kernels}")]);
        assert_eq!(answer()["kernels"], 0);
    }
    std::fs::create_dir_all(folder.path("kernels/mine.kernel")).unwrap();
    says(&run(&["cache", "--clear"]), &["kernels  0", "cleared  0"]);
    assert!(folder.path("kernels/mine.kernel").is_dir(), "a folder is no kernel");
    assert_eq!(answer()["foreign"], serde_json::json!([]));
    let taken = folder.path(&format!("kernels/{}.kernel", "0123456789abcdef".repeat(2)));
    std::fs::create_dir(&taken).unwrap();
    says(&run(&["cache"]), &["kernels  0", "foreign  ", taken.to_str().unwrap(), "is not used"]);
    let wrong = command().args(["cache"]).env("FOURFOLD_CACHE_LIMIT", "lots").output().unwrap();
    says(&one_error(1, &wrong), &["FOURFOLD_CACHE_LIMIT", "\"lots\"", "512M"]);
    let off = command().args(["cache"]).env("FOURFOLD_CACHE_DIR", "").output().unwrap();
    says(&String::from_utf8(off.stdout).unwrap(), &["not kept"]);
}

#[cfg(unix)]
#[test]
fn a_cache_to_which_others_can_write_is_not_used_and_a_warning() {
    use std::os::unix::fs::PermissionsExt;
    if !present() {
        return;
    }
    let folder = Folder::new();
    let kernels = folder.path("kernels");
    std::fs::create_dir(&kernels).unwrap();
    std::fs::set_permissions(&kernels, std::fs::Permissions::from_mode(0o777)).unwrap();
    let mut command = command();
    command.args(["verify", "dct2 f32 8", "dct2 f32 9", "--engine", "opencl"]).env("FOURFOLD_CACHE_DIR", &kernels);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let warning = String::from_utf8(output.stderr).unwrap();
    says(&warning, &["fourfold: warning: ", "others can write to it (mode 777)", kernels.to_str().unwrap()]);
    assert_eq!((warning.lines().count(), std::fs::read_dir(&kernels).unwrap().count()), (1, 0));
}

#[test]
fn jpeg_blocks_are_timed_on_a_device() {
    if !present() {
        return;
    }
    let json =
        success(&[&"jpeg", &"bench", &"--engine", &"cpu,opencl", &"--size", &"1", &"--seconds", &"0", &"--json"]);
    let lines: Value = serde_json::from_str(&json).unwrap();
    let lines: Vec<_> = lines.as_array().unwrap().iter().filter(|line| line["engine"] == "opencl:0").collect();
    let line =
        |method: &str| lines.iter().find(|line| line["method"] == method).unwrap_or_else(|| panic!("{method}: {json}"));
    assert!(line("inverse move")["psnr"][0].is_null(), "{json}");
    assert!(line("inverse fast")["psnr"][0].as_f64().unwrap() > 60.0, "{json}");
    assert!(line("inverse next16")["psnr"][0].as_f64().unwrap() > 60.0, "{json}");
    assert!(line("forward fast")["of_moving"].as_f64().unwrap() > 0.0);
    failure(1, &[&"jpeg", &"bench", &"--engine", &"cuda:sm_90"]);
}

/// A pipeline's line is written, read again, and skipped with a warning if it does not fit.
#[test]
fn pipelines_are_tuned_on_devices() {
    if !present() {
        return;
    }
    let folder = Folder::new();
    let file = folder.path("wisdom");
    let filter = "fft f32 4 | multiply table | ifft f32 4";
    let tune =
        |text: &str| command().args(["tune", text, "--engine", "opencl", "--wisdom"]).arg(&file).output().unwrap();
    assert!(tune(filter).stderr.is_empty());
    let kept = String::from_utf8(read(&file)).unwrap();
    let line = kept.lines().find(|line| line.starts_with(filter)).unwrap();
    assert!(line.split('\t').nth(2).unwrap().split("; ").all(|pass| pass.starts_with("complex ")), "{kept}");
    assert!(tune("fft f32 2").stderr.is_empty(), "the line is read without a warning");
    let line = line.replace("; ", ";").split(';').next().unwrap().to_owned();
    std::fs::write(&file, format!("{line}\n")).unwrap();
    let warned = String::from_utf8(tune("fft f32 2").stderr).unwrap();
    says(&warned, &["warning", "line 1 is not used", filter, "1 choices for 2 passes"]);
}
