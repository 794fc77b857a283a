//! Metadata in marker segments: the colour profile and the orientation.

use crate::codec::orientation::Orientation;
use crate::error::argument;
use fourfold::Result;

/// The first bytes of the segments APP2 of a profile. Two bytes follow: the segment's number, from
/// 1, and the number of such segments.
const ICC_PROFILE: &[u8] = b"ICC_PROFILE\0";
/// The first bytes of the segment APP1 with EXIF data.
const EXIF: &[u8] = b"Exif\0\0";
const APP1: u8 = 0xE1;
const APP2: u8 = 0xE2;
const START_OF_SCAN: u8 = 0xDA;
const END: u8 = 0xD9;

/// The file's ICC profile. None if it has none, or a part of it is missing. Source: ICC.1:2010,
/// annex B.4.
///
/// # Errors
/// [`ErrorKind::Argument`](fourfold::ErrorKind) if there is no memory.
pub fn color_profile(file: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut parts: Vec<_> = Segments { rest: file }.filter_map(part).collect();
    parts.sort_by_key(|part| part.number);
    let is_whole = parts.iter().zip(1..).all(|(part, number)| part.number == number && part.count == parts.len());
    if parts.is_empty() || !is_whole {
        return Ok(None);
    }
    let bytes = parts.iter().map(|part| part.data.len()).sum();
    let mut profile = Vec::new();
    let no_memory = |_| argument(format!("there is no memory for {bytes} bytes of a colour profile"));
    profile.try_reserve_exact(bytes).map_err(no_memory)?;
    parts.iter().for_each(|part| profile.extend_from_slice(part.data));
    Ok(Some(profile))
}

/// The orientation in the file's EXIF data; [`Orientation::TopLeft`] if there is none. Source: EXIF
/// 2.32, 4.6.4.
pub fn orientation(file: &[u8]) -> Orientation {
    let mut segments = Segments { rest: file }.filter(|(marker, _)| *marker == APP1);
    let exif = segments.find_map(|(_, segment)| segment.strip_prefix(EXIF));
    exif.and_then(Orientation::from_exif).unwrap_or_default()
}

/// A part of a profile.
struct Part<'a> {
    number: usize,
    count: usize,
    data: &'a [u8],
}

/// The part of a profile in a segment.
fn part<'a>((marker, segment): (u8, &'a [u8])) -> Option<Part<'a>> {
    let (&[number, count], data) = segment.strip_prefix(ICC_PROFILE)?.split_first_chunk()?;
    (marker == APP2).then_some(Part { number: number.into(), count: count.into(), data })
}

/// The markers up to the first scan, with the contents of their segments. Bytes between segments are
/// skipped, as libjpeg does. Source: ITU-T T.81, annex B.
struct Segments<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Segments<'a> {
    type Item = (u8, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = self.rest.iter().position(|&byte| byte == 0xFF)?;
            let after = &self.rest[at..];
            let fill = after.iter().take_while(|&&byte| byte == 0xFF).count();
            let (&marker, rest) = after[fill..].split_first()?;
            self.rest = rest;
            match marker {
                // 0 is no marker; TEM, RST and SOI have no segment.
                0 | 1 | 0xD0..=0xD8 => {}
                START_OF_SCAN | END => return None,
                _ => {
                    let length = usize::from(u16::from_be_bytes(*rest.first_chunk()?));
                    let segment = rest.get(2..length)?;
                    self.rest = &rest[length..];
                    return Some((marker, segment));
                }
            }
        }
    }
}
