//! Any bytes either are a PNG file, whose picture survives being written and read again, or get an
//! error.

use crate::picture::png_file;
use crate::targets::jpeg::LIMITS;

pub(crate) fn check(file: &[u8]) {
    let Ok(picture) = png_file::read(file, &LIMITS) else { return };
    assert_eq!(picture.samples.len(), picture.width * picture.height * picture.channels);
    let mut written = Vec::new();
    png_file::write(&picture, &mut written).expect("memory takes all");
    let again = png_file::read(&written, &LIMITS).expect("what is written is a file");
    assert_eq!([again.width, again.height, again.channels], [picture.width, picture.height, picture.channels]);
    assert!(again.samples == picture.samples && again.profile == picture.profile);
}
