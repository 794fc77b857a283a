//! Any bytes either are a JPEG file, of which one thread and two make the same pixels and whose
//! coefficients survive being written and read again where they can be written, or get an error.
//! Nothing panics.

#![no_main]

use fourfold_jpeg::{Limits, Mode, Transform, color_profile, decode, read_coefficients, write_coefficients};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static TRANSFORMS: LazyLock<[Transform; 3]> = LazyLock::new(|| {
    [(Mode::Exact, 1), (Mode::Exact, 2), (Mode::Fast, 1)]
        .map(|(mode, threads)| Transform::builder().mode(mode).threads(threads).build().expect("threads start"))
});

/// Small images: large ones would only be slow.
const LIMITS: Limits = Limits { pixels: 1 << 18, work: 20 << 18 };

fuzz_target!(|file: &[u8]| {
    assert!(color_profile(file).is_ok());
    let [one, two, fast] = &*TRANSFORMS;
    let decoded = decode(file, one, &LIMITS);
    assert_eq!(decoded, decode(file, two, &LIMITS));
    let other = decode(file, fast, &LIMITS);
    assert_eq!(decoded.is_ok(), other.is_ok());
    let Ok(read) = read_coefficients(file, &LIMITS) else { return };
    let Ok(written) = write_coefficients(&read.value) else { return };
    let again = read_coefficients(&written, &LIMITS).expect("what is written is a file");
    assert_eq!(again.value, read.value);
    assert!(again.warnings.is_empty());
});
