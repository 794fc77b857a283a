//! Whole files beside libjpeg-turbo's own programs, with its vector instructions: values that
//! overflow too. Debian has them as `libjpeg-turbo-progs`; without them this passes with a message,
//! but fails in CI, where `cargo xtask test` installs them.

#[path = "common/scene.rs"]
mod scene;

use fourfold_jpeg::blocks::Table;
use fourfold_jpeg::{
    Coefficients, Color, Component, Image, Limits, Mode, Sampling, Transform, decode, encode, read_coefficients,
    write_coefficients,
};
use scene::scene;
use std::io::Write;
use std::process::{Command, Stdio};

fn exact() -> Transform {
    Transform::builder().mode(Mode::Exact).build().unwrap()
}

/// What a program makes of its input, or nothing if it is not there.
fn run_program(program: &str, arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let mut child = match Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) if std::env::var_os("CI").is_none() => {
            eprintln!("NOT TESTED: {program}: {error}");
            return None;
        }
        Err(error) => panic!("{program}: {error}"),
    };
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_vec());
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    Some(output.stdout)
}

fn pnm(image: &Image) -> Vec<u8> {
    let Image { width, height, channels, samples } = image;
    let kind = if *channels == 1 { 5 } else { 6 };
    [format!("P{kind}\n{width} {height}\n255\n").as_bytes(), samples].concat()
}

/// Asserts that djpeg decodes a file as this does; false if there is none.
fn decodes_alike(file: &[u8], what: &str) -> bool {
    let Some(theirs) = run_program("djpeg", &[], file) else { return false };
    let ours = decode(file, &exact(), &Limits::default()).unwrap().value;
    assert!(theirs == pnm(&ours), "{what}");
    true
}

/// Coefficients from small ones to all that have a code, and tables from the finest to the
/// coarsest: most samples are beyond all ranges, and sums beyond 16 bits.
#[test]
fn extremes_decode_as_libjpeg_turbo_has_them() {
    let mut rng = fastrand::Rng::with_seed(1);
    for round in 0..40 {
        let (across, down) = (rng.usize(1..9), rng.usize(1..9));
        let table = match round % 4 {
            0 => Table::raster([255; 64]),
            1 => Table::raster([1; 64]),
            _ => Table::raster(std::array::from_fn(|_| rng.u16(1..=255))),
        };
        let most = [3, 50, 400, 1023][round / 4 % 4];
        let density = rng.f64();
        // Some have only their first row, only their first coefficient, or all but that;
        // libjpeg-turbo goes shorter ways there.
        let mut block = || {
            let kept = rng.choice([0..64, 0..8, 0..1, 1..64]).expect("there are some");
            let mut value = |at| if kept.contains(&at) && rng.f64() < density { rng.i16(-most..=most) } else { 0 };
            std::array::from_fn(&mut value)
        };
        let blocks = vec![(0..across * down).map(|_| block()).collect()];
        let component = Component { horizontal: 1, vertical: 1, across, down, table };
        let (width, height) = (8 * across, 8 * down);
        let image = Coefficients { width, height, color: Color::Grey, components: vec![component], blocks };
        if !decodes_alike(&write_coefficients(&image).unwrap(), &format!("round {round}")) {
            return;
        }
    }
}

#[test]
fn pictures_go_both_ways_as_libjpeg_turbo_has_them() {
    let samplings = [(Sampling::Full, "1x1"), (Sampling::Half, "2x1"), (Sampling::Quarter, "2x2")];
    for (index, quality) in [25, 75, 95].into_iter().enumerate() {
        for (sampling, name) in samplings {
            let image = scene(227, 149, 3, index as u64);
            let arguments = ["-quality", &quality.to_string(), "-sample", name, "-dct", "int"];
            let Some(theirs) = run_program("cjpeg", &arguments, &pnm(&image)) else { return };
            let ours = encode(&image, quality, sampling, &exact()).unwrap();
            let read = |file: &[u8]| read_coefficients(file, &Limits::default()).unwrap().value;
            assert!(read(&ours) == read(&theirs), "quality {quality}, {name}");
            decodes_alike(&theirs, name);
        }
    }
}

/// Photographs of the folder that `FOURFOLD_PHOTOGRAPHS` names, as they are and made progressive.
#[test]
fn photographs_decode_as_libjpeg_turbo_has_them() {
    let Some(folder) = std::env::var_os("FOURFOLD_PHOTOGRAPHS") else {
        assert!(std::env::var_os("CI").is_none(), "cargo xtask test sets FOURFOLD_PHOTOGRAPHS");
        return eprintln!("NOT TESTED: FOURFOLD_PHOTOGRAPHS is not set");
    };
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let photographs: Vec<_> = files.filter(|path| path.extension().is_some_and(|suffix| suffix == "jpg")).collect();
    assert!(photographs.len() > 1, "{photographs:?}");
    for path in photographs {
        let file = std::fs::read(&path).unwrap();
        let Some(progressive) = run_program("jpegtran", &["-progressive"], &file) else { return };
        assert!(decodes_alike(&file, &path.display().to_string()));
        assert!(decodes_alike(&progressive, &format!("{}, progressive", path.display())));
    }
}
