//! Any bytes either are a PNG file, whose picture survives being written and read again, or get an
//! error. The pixels of a file are no more than its bytes can stand for.

use crate::picture::png_file;
use crate::targets::jpeg::LIMITS;

/// Deflate makes at most 1032 bytes of one, of which a bit becomes four samples of a palette.
const MOST_SAMPLES: usize = 1032 * 8 * 4;

pub(crate) fn check(file: &[u8]) {
    let Ok(picture) = png_file::read(file, &LIMITS) else { return };
    assert!(picture.samples.len() <= MOST_SAMPLES * (file.len() + 1));
    assert_eq!(picture.samples.len(), picture.width * picture.height * picture.channels);
    let mut written = Vec::new();
    png_file::write(&picture, &mut written).expect("memory takes all");
    let again = png_file::read(&written, &LIMITS).expect("what is written is a file");
    assert_eq!([again.width, again.height, again.channels], [picture.width, picture.height, picture.channels]);
    assert!(again.samples == picture.samples && again.profile == picture.profile);
}
