//! JPEG files as pictures.

use anyhow::{Result, ensure};
use fourfold_jpeg::{Color, Header, Limits, Mode, Transform, color_profile, decode, orientation, read_header};

use crate::array::collect;
use crate::picture::pixels::{Picture, check_room};

/// What a file begins with: the marker SOI, and the first byte of another.
pub(super) const SIGNATURE: &[u8] = &[0xff, 0xd8, 0xff];

/// Reads a file; also returns what libjpeg warns of.
pub(super) fn read(file: &[u8], limits: &Limits) -> Result<(Picture, Vec<String>)> {
    ensure!(has_end(file), "it is cut off");
    let Header { width, height, color } = read_header(file, limits)?;
    check_room([width, height], if color == Color::Grey { 1 } else { 3 }, false)?;
    let transform = Transform::builder().mode(Mode::Exact).build()?;
    let decoded = decode(file, &transform, limits)?;
    let image = decoded.value.upright(orientation(file))?;
    let picture = Picture {
        width: image.width,
        height: image.height,
        channels: image.channels,
        is_deep: false,
        samples: collect(image.samples.len(), image.samples.into_iter().map(u16::from))?,
        profile: color_profile(file)?,
    };
    Ok((picture, decoded.warnings))
}

/// Whether a JPEG file reaches its end marker. libjpeg accepts a file that does not, and paints what
/// is missing grey.
///
/// Source: ITU-T T.81, annex B. A marker is FF and a byte; all but restarts (D0 … D7) and the end
/// (D9) are followed by a length; in coded data FF stands before 00.
fn has_end(jpeg: &[u8]) -> bool {
    let is_marker = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0 | 0xd0..=0xd7 | 0xff);
    let mut rest = jpeg.get(2..).unwrap_or_default();
    while let Some(at) = rest.windows(2).position(is_marker) {
        let (marker, segment) = (rest[at + 1], &rest[at + 2..]);
        if marker == 0xd9 {
            return true;
        }
        let length = segment.first_chunk().map_or(usize::MAX, |&bytes| u16::from_be_bytes(bytes).into());
        rest = segment.get(length..).unwrap_or_default();
    }
    false
}
