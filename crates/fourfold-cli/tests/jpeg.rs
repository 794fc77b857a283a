//! `fourfold jpeg` as a user runs it.

mod common;
#[path = "common/images.rs"]
mod images;

use common::{Folder, command, failure, one_error, read, says, success};
use fourfold_jpeg::{Limits, Mode, Sampling, Transform, decode, encode, read_coefficients};
use images::{L16, RGBA8, open, save, save_rgb};
use std::ffi::OsStr;

/// A picture in colour with soft waves, as PNG.
fn png(folder: &Folder, name: &str, width: usize, height: usize) -> std::path::PathBuf {
    let wave = |x: usize, y: usize, k: usize| (127.0 + 100.0 * (0.1 * (x * k + 3 * y) as f64).sin()) as u8;
    let path = folder.path(name);
    save_rgb(&path, width, height, |x, y| [wave(x, y, 1), wave(x, y, 2), wave(y, x, 1)]);
    path
}

fn exact() -> Transform {
    Transform::builder().mode(Mode::Exact).build().unwrap()
}

#[test]
fn an_image_goes_there_and_back() {
    let folder = Folder::new();
    let original = png(&folder, "a.png", 77, 45);
    let (jpeg, back, pnm) = (folder.path("a.jpg"), folder.path("b.png"), folder.path("b.ppm"));
    assert_eq!(
        success(&[&"jpeg", &"encode", &original, &"-o", &jpeg, &"--quality", &"93", &"--sampling", &"4:4:4"]),
        ""
    );
    let report = success(&[&"jpeg", &"decode", &jpeg, &"-o", &back, &"--json"]);
    says(&report, &["\"width\": 77", "\"height\": 45", "\"channels\": 3"]);
    success(&[&"jpeg", &"decode", &jpeg, &"-o", &pnm, &"--threads", &"3"]);

    let file = read(&jpeg);
    let pixels = open(&original).bytes;
    let image = fourfold_jpeg::Image { width: 77, height: 45, channels: 3, samples: pixels };
    assert!(file == encode(&image, 93, Sampling::Full, &exact()).unwrap());
    let expected = decode(&file, &exact(), &Limits::default()).unwrap().value.samples;
    assert!(open(&back).bytes == expected);
    assert!(read(&pnm) == [b"P6\n77 45\n255\n", &expected[..]].concat());
    let near = |(a, b): (&u8, &u8)| a.abs_diff(*b) < 16;
    assert!(expected.iter().zip(&image.samples).all(near));
    assert_eq!(folder.names(), ["a.jpg", "a.png", "b.png", "b.ppm"]);
}

#[test]
fn several_files_go_into_a_folder() {
    let folder = Folder::new();
    let out = folder.path("out");
    std::fs::create_dir(&out).unwrap();
    let jpegs: Vec<_> = (1..5)
        .map(|i| {
            let (png, jpeg) = (png(&folder, &format!("{i}.png"), 10 * i, 20), folder.path(&format!("{i}.jpg")));
            success(&[&"jpeg", &"encode", &png, &"-o", &jpeg]);
            jpeg
        })
        .collect();
    let [a, b, c, d] = &jpegs[..] else { unreachable!() };
    success(&[&"jpeg", &"decode", a, b, c, d, &"-o", &out]);
    for i in 1..5 {
        let image = open(&out.join(format!("{i}.png")));
        assert_eq!((image.width, image.height), (10 * i, 20));
    }
    let not_there = folder.path("9.jpg");
    let error = failure(1, &[&"jpeg", &"decode", a, &not_there, d, &"-o", &out]);
    says(&error, &["cannot read", "9.jpg"]);
    let error = failure(1, &[&"jpeg", &"decode", a, b, &"-o", &folder.path("one.png")]);
    says(&error, &["one.png", "must be a folder"]);
    let error = failure(1, &[&"jpeg", &"decode", a, a, &"-o", &out]);
    says(&error, &["1.png twice"]);
}

#[test]
#[cfg(unix)]
fn two_names_of_one_file_are_found() {
    let folder = Folder::new();
    let original = png(&folder, "a.png", 16, 8);
    let [a, b] = ["1.jpg", "2.jpg"].map(|name| folder.path(name));
    for jpeg in [&a, &b] {
        success(&[&"jpeg", &"encode", &original, &"-o", jpeg]);
    }
    let out = folder.path("out");
    success(&[&"jpeg", &"decode", &a, &b, &"-o", &out]);
    let [first, second] = ["1.png", "2.png"].map(|name| out.join(name));
    std::fs::remove_file(&first).unwrap();
    std::os::unix::fs::symlink("2.png", &first).unwrap();
    let before = read(&second);
    says(&failure(1, &[&"jpeg", &"decode", &a, &b, &"-o", &out]), &["2.png twice"]);
    assert!(read(&second) == before);
}

#[test]
fn names_keep_their_dots_and_folders_are_made() {
    let folder = Folder::new();
    let original = png(&folder, "a.png", 16, 8);
    let [first, second] = ["photo.v1.jpg", "photo.v2.jpg"].map(|name| folder.path(name));
    for jpeg in [&first, &second] {
        success(&[&"jpeg", &"encode", &original, &"-o", jpeg]);
    }
    success(&[&"jpeg", &"decode", &first, &second, &"-o", &folder.path("new/of two")]);
    success(&[&"jpeg", &"decode", &second, &"-o", &folder.path("of one/")]);
    for name in ["new/of two/photo.v1.png", "new/of two/photo.v2.png", "of one/photo.v2.png"] {
        let image = open(&folder.path(name));
        assert_eq!((image.width, image.height), (16, 8));
    }
    let error = failure(1, &[&"jpeg", &"decode", &first, &second, &"-o", &original]);
    says(&error, &["a.png", "must be a folder"]);
    let file = folder.write("file", b"");
    says(&failure(1, &[&"jpeg", &"decode", &first, &second, &"-o", &file]), &["cannot make the folder", "file"]);
}

#[test]
fn inputs_are_not_overwritten() {
    let folder = Folder::new();
    let (original, jpeg) = (png(&folder, "a.png", 16, 8), folder.path("b.jpg"));
    success(&[&"jpeg", &"encode", &original, &"-o", &jpeg]);
    let file = read(&jpeg);
    let [named_png, named_npz] = ["c.png", "c.npz"].map(|name| folder.write(name, &file));
    let roundabout = folder.path("../").join(folder.path("").file_name().unwrap()).join("c.png");
    let commands: [(&str, &[&dyn AsRef<OsStr>]); 6] = [
        ("name it .npz", &[&"coefficients", &jpeg, &"-o", &jpeg]),
        ("c.npz: it is also an input", &[&"coefficients", &named_npz, &"-o", &named_npz]),
        ("c.png: it is also an input", &[&"decode", &named_png, &"-o", &named_png]),
        ("c.png: it is also an input", &[&"decode", &named_png, &"-o", &roundabout]),
        ("c.png: it is also an input", &[&"decode", &jpeg, &named_png, &"-o", &folder.path("")]),
        ("b.jpg: it is also an input", &[&"encode", &jpeg, &"-o", &jpeg]),
    ];
    for (message, arguments) in commands {
        let arguments: Vec<_> = [&"jpeg" as &dyn AsRef<OsStr>].into_iter().chain(arguments.iter().copied()).collect();
        says(&failure(1, &arguments), &[message]);
        assert!([&jpeg, &named_png, &named_npz].into_iter().all(|path| read(path) == file), "{message}");
    }
    let text = folder.path("c.txt");
    says(&failure(1, &[&"jpeg", &"coefficients", &jpeg, &"-o", &text]), &["c.txt", "name it .npz"]);
    assert_eq!(folder.names(), ["a.png", "b.jpg", "c.npz", "c.png"]);
}

#[test]
#[cfg(target_os = "linux")] // names on other systems are UTF-8
fn json_has_names_that_are_not_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let (original, jpeg) = (png(&folder, "a.png", 16, 8), folder.path("").join(OsStr::from_bytes(b"b\xff.jpg")));
    success(&[&"jpeg", &"encode", &original, &"-o", &jpeg]);
    let report = success(&[&"jpeg", &"decode", &jpeg, &"-o", &folder.path("c.png"), &"--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(report[0]["input"].as_str().unwrap().ends_with("b\u{fffd}.jpg"), "{report}");
}

#[test]
fn grey_stays_grey_and_deep_becomes_shallow() {
    let folder = Folder::new();
    let (png, jpeg, pgm) = (folder.path("grey.png"), folder.path("grey.jpg"), folder.path("grey.pgm"));
    save(&png, &[0x80; 2 * 9 * 7], 9, 7, L16);
    success(&[&"jpeg", &"encode", &png, &"-o", &jpeg]);
    success(&[&"jpeg", &"decode", &jpeg, &"-o", &pgm]);
    assert!(read(&pgm) == [&b"P5\n9 7\n255\n"[..], &[0x80; 63]].concat());
}

#[test]
fn transparency_is_refused_unless_it_is_not_used() {
    let folder = Folder::new();
    let (png, jpeg) = (folder.path("a.png"), folder.path("a.jpg"));
    let mut pixels = [[10u8, 200, 30, 255]; 8 * 8];
    save(&png, pixels.as_flattened(), 8, 8, RGBA8);
    success(&[&"jpeg", &"encode", &png, &"-o", &jpeg]);
    pixels[3 * 8 + 3][3] = 254;
    save(&png, pixels.as_flattened(), 8, 8, RGBA8);
    let before = read(&jpeg);
    says(&failure(1, &[&"jpeg", &"encode", &png, &"-o", &jpeg]), &["a.png", "transparent"]);
    assert!(read(&jpeg) == before);
}

/// The arrays can be found in the archive as they are, since it is not compressed.
#[test]
fn coefficients_are_written_for_numpy() {
    let folder = Folder::new();
    let (png, jpeg, npz) = (png(&folder, "a.png", 40, 24), folder.path("a.jpg"), folder.path("a.npz"));
    success(&[&"jpeg", &"encode", &png, &"-o", &jpeg]);
    success(&[&"jpeg", &"coefficients", &jpeg, &"-o", &npz]);
    let image = read_coefficients(&read(&jpeg), &Limits::default()).unwrap().value;
    let mut archive = zip::ZipArchive::new(std::fs::File::open(&npz).unwrap()).unwrap();
    let names =
        ["coefficients_0", "quantisation_0", "coefficients_1", "quantisation_1", "coefficients_2", "quantisation_2"];
    assert_eq!(archive.len(), 8);
    for (index, name) in names.into_iter().enumerate() {
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut archive.by_name(&format!("{name}.npy")).unwrap(), &mut text).unwrap();
        let (component, blocks) = (&image.components[index / 2], &image.blocks[index / 2]);
        let (descr, data): (_, Vec<u8>) = match index % 2 {
            0 => {
                let shape =
                    format!("'<i2', 'fortran_order': False, 'shape': ({}, {}, 8, 8)", component.down, component.across);
                (shape, blocks.as_flattened().iter().flat_map(|c| c.to_le_bytes()).collect())
            }
            _ => {
                let values = component.table.rows().as_flattened();
                (
                    "'<u2', 'fortran_order': False, 'shape': (8, 8)".into(),
                    values.iter().flat_map(|q| q.to_le_bytes()).collect(),
                )
            }
        };
        assert!(String::from_utf8_lossy(&text).contains(&descr), "{name}");
        assert!(text.ends_with(&data), "{name}");
    }
}

#[test]
fn damaged_files_are_warnings_or_errors() {
    let folder = Folder::new();
    let (original, jpeg, out) = (png(&folder, "a.png", 64, 64), folder.path("a.jpg"), folder.path("b.png"));
    success(&[&"jpeg", &"encode", &original, &"-o", &jpeg]);
    let whole = read(&jpeg);
    let cut = folder.write("cut.jpg", &whole[..whole.len() - 200]);
    let output = command().args(["jpeg", "decode"]).arg(&cut).arg("-o").arg(&out).output().unwrap();
    assert!(output.status.success());
    says(std::str::from_utf8(&output.stderr).unwrap(), &["fourfold: warning: ", "cut.jpg", "Premature end"]);
    let image = open(&out);
    assert_eq!((image.width, image.height), (64, 64));

    let header = folder.write("header.jpg", &whole[..100]);
    let new = folder.path("new.png");
    let output = command().args(["jpeg", "decode"]).arg(&header).arg("-o").arg(&new).output().unwrap();
    says(&one_error(1, &output), &["cannot decode", "header.jpg"]);
    assert!(!new.exists());
    let text = folder.write("text.jpg", b"no picture");
    says(&failure(1, &[&"jpeg", &"coefficients", &text, &"-o", &folder.path("c.npz")]), &["text.jpg", "no JPEG"]);
    says(&failure(1, &[&"jpeg", &"decode", &jpeg, &"-o", &new, &"--max-pixels", &"4095"]), &["64x64", "4095"]);
    says(&failure(1, &[&"jpeg", &"decode", &jpeg, &"-o", &folder.path("c.bmp")]), &["c.bmp", ".png"]);
    says(&failure(1, &[&"jpeg", &"decode", &jpeg, &"-o", &folder.path("c.pgm")]), &["c.pgm", "colours"]);
    says(&failure(2, &[&"jpeg", &"encode", &original, &"-o", &jpeg, &"--quality", &"101"]), &["101"]);
    says(&failure(1, &[&"jpeg", &"encode", &original, &"-o", &folder.path("c.png")]), &["c.png", ".jpg"]);
    assert_eq!(folder.names(), ["a.jpg", "a.png", "b.png", "cut.jpg", "header.jpg", "text.jpg"]);
}

/// The commands that read JPEG files, and what they write.
const READERS: [(&[&str], &str); 5] = [
    (&["compress", "--keep", "50"], "b.png"),
    (&["filter", "--low-pass", "1"], "b.png"),
    (&["jpeg", "encode"], "b.jpg"),
    (&["jpeg", "decode"], "b.png"),
    (&["jpeg", "coefficients"], "b.npz"),
];

/// The end marker after half of the file: libjpeg only warns, and so do all commands.
#[test]
fn half_a_file_with_an_end_is_warned_of() {
    let folder = Folder::new();
    let (original, jpeg) = (png(&folder, "a.png", 64, 64), folder.path("a.jpg"));
    success(&[&"jpeg", &"encode", &original, &"-o", &jpeg]);
    let whole = read(&jpeg);
    let half = folder.write("half.jpg", &[&whole[..whole.len() - 300], b"\xff\xd9"].concat());
    for (words, name) in READERS {
        let output = command().args(words).arg(&half).arg("-o").arg(folder.path(name)).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && told.lines().count() > 0, "{words:?}: {told}");
        assert!(
            told.lines().all(|line| line.starts_with("fourfold: warning: ") && line.contains("half.jpg")),
            "{told}"
        );
    }
}

/// Some hundred bytes that claim a huge image are refused before there is memory for it. The limits
/// are the same for all commands that read images.
#[test]
fn files_demand_no_more_than_they_have() {
    let folder = Folder::new();
    let (original, jpeg) = (png(&folder, "a.png", 64, 64), folder.path("a.jpg"));
    success(&[&"jpeg", &"encode", &original, &"-o", &jpeg]);
    let mut file = read(&jpeg);
    let frame = file.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    file[frame + 5..frame + 9].copy_from_slice(&[0x40, 0, 0x40, 0]);
    let huge = folder.write("huge.jpg", &file);
    for (words, name) in READERS {
        let run = |input: &std::path::Path, more: &[&str]| {
            command().args(words).arg(input).arg("-o").arg(folder.path(name)).args(more).output().unwrap()
        };
        says(&one_error(1, &run(&huge, &[])), &["huge.jpg", "cut off", "16384x16384"]);
        says(&one_error(1, &run(&jpeg, &["--max-pixels", "4095"])), &["64x64", "4095"]);
        says(&one_error(1, &run(&jpeg, &["--max-work", "4095"])), &["a.jpg", "0 scans"]);
    }
}

/// An archive that cannot be completed is one error.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_said_once() {
    let folder = Folder::new();
    let (original, jpeg) = (png(&folder, "a.png", 640, 640), folder.path("a.jpg"));
    success(&[&"jpeg", &"encode", &original, &"-o", &jpeg]);
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" jpeg coefficients \"$1\" -o \"$2\"";
    let (program, npz) = (command().get_program().to_owned(), folder.path("a.npz"));
    let output = std::process::Command::new("sh").args(["-c", script]).arg(program).args([&jpeg, &npz]).output();
    says(&one_error(1, &output.unwrap()), &["cannot write", "a.npz", "too large"]);
}

#[test]
fn bench_measures_and_verifies() {
    let folder = Folder::new();
    let (original, jpeg) = (png(&folder, "a.png", 200, 100), folder.path("a.jpg"));
    success(&[&"jpeg", &"encode", &original, &"-o", &jpeg]);
    let text = success(&[&"jpeg", &"bench", &jpeg, &"--seconds", &"0"]);
    for name in
        ["move", "inverse fast", "inverse exact", "forward fast", "forward exact", "decode fast", "decode exact"]
    {
        says(&text, &[name]);
    }
    let lines: serde_json::Value =
        serde_json::from_str(&success(&[&"jpeg", &"bench", &"--size", &"1", &"--seconds", &"0", &"--json"])).unwrap();
    let fast = lines.as_array().unwrap().iter().find(|line| line["method"] == "inverse fast").unwrap();
    assert!(fast["psnr"][0].is_null() || fast["psnr"][0].as_f64().unwrap() >= 60.0, "{fast}");
    assert!(fast["gib_per_second"].as_f64().unwrap() > 0.0);
}

/// Every algorithm of the ladder, with its errors; one that is named; the message for a name that
/// does not exist.
#[test]
fn bench_has_the_ladder_on_devices() {
    fn run<'a>(more: &[&'a dyn AsRef<OsStr>]) -> Vec<&'a dyn AsRef<OsStr>> {
        let base: [&dyn AsRef<OsStr>; 6] = [&"jpeg", &"bench", &"--size", &"1", &"--seconds", &"0"];
        base.into_iter().chain(more.iter().copied()).collect()
    }
    says(&failure(1, &run(&[&"--algorithm", &"fast,fats"])), &["\"fats\"", "exact, fast, move"]);
    let facts: serde_json::Value =
        serde_json::from_str(&success(&[&"info", &"--json", &"--engine", &"opencl"])).unwrap();
    if facts["engines"][0]["missing"].is_string() {
        assert!(std::env::var_os("CI").is_none(), "{facts}");
        return eprintln!("NOT TESTED: {facts}");
    }
    let text = success(&run(&[&"--engine", &"opencl", &"--json"]));
    let lines: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let names: Vec<_> = lines.iter().map(|line| line["method"].as_str().unwrap()).collect();
    let ladder = ["naive", "lut", "separable", "decomposed", "no-shared", "next", "next16", "gpujpeg"];
    for name in ladder.map(|name| format!("inverse {name}")) {
        assert!(names.contains(&name.as_str()), "no {name} in {names:?}");
    }
    for line in lines.iter().filter(|line| !line["method"].as_str().unwrap().ends_with("move")) {
        let least = if line["method"].as_str().unwrap().ends_with("exact") { 50.0 } else { 60.0 };
        let psnr = line["psnr"].as_array().unwrap();
        assert!(psnr.len() == 1 && (psnr[0].is_null() || psnr[0].as_f64().unwrap() >= least), "{line}");
        assert!(line["of_moving"].as_f64().unwrap() > 0.0, "{line}");
    }
    let some = success(&run(&[&"--engine", &"opencl", &"--algorithm", &"next16"]));
    assert!(some.contains("inverse next16") && !some.contains("naive") && some.lines().count() == 5, "{some}");
}
