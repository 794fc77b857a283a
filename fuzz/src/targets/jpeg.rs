//! Any bytes either are a JPEG file, of which one thread and two make the same pixels, or get an
//! error.

use fourfold_jpeg::{Limits, Mode, Transform, color_profile, decode};
use std::sync::LazyLock;

static TRANSFORMS: LazyLock<[Transform; 3]> = LazyLock::new(|| {
    [(Mode::Exact, 1), (Mode::Exact, 2), (Mode::Fast, 1)]
        .map(|(mode, threads)| Transform::builder().mode(mode).threads(threads).build().expect("threads start"))
});

/// Small images: large ones would only be slow.
pub(crate) const LIMITS: Limits = Limits { pixels: 1 << 18, work: 20 << 18 };

pub(crate) fn check(file: &[u8]) {
    assert!(color_profile(file).is_ok());
    let [one, two, fast] = &*TRANSFORMS;
    let decoded = decode(file, one, &LIMITS);
    assert_eq!(decoded, decode(file, two, &LIMITS));
    let other = decode(file, fast, &LIMITS);
    assert_eq!(decoded.is_ok(), other.is_ok());
}
