//! Metadata in marker segments: the colour profile and the orientation.

use crate::argument;
use crate::codec::orientation::Orientation;
use fourfold::Result;

/// What the segments APP2 of a profile begin with; its number, from 1, and how many there are
/// follow.
const NAME: &[u8] = b"ICC_PROFILE\0";
const APP1: u8 = 0xE1;
const APP2: u8 = 0xE2;
const START_OF_SCAN: u8 = 0xDA;
const END: u8 = 0xD9;

/// The file's ICC profile, if it has one with all of its parts (ICC.1:2010, annex B.4).
///
/// # Errors
/// If there is not the memory.
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

/// The orientation that the file's EXIF data give; [`Orientation::TopLeft`] if they give none
/// (EXIF 2.32, 4.5.4 and 4.7.2.1).
pub fn orientation(file: &[u8]) -> Orientation {
    let exif = |(marker, segment): (u8, &'_ [u8])| {
        if marker == APP1 { segment.strip_prefix(b"Exif\0\0").map(Orientation::from_exif) } else { None }
    };
    Segments { rest: file }.find_map(exif).flatten().unwrap_or_default()
}

struct Part<'a> {
    number: usize,
    count: usize,
    data: &'a [u8],
}

fn part<'a>((marker, segment): (u8, &'a [u8])) -> Option<Part<'a>> {
    let (&[number, count], data) = segment.strip_prefix(NAME)?.split_first_chunk()?;
    (marker == APP2).then_some(Part { number: number.into(), count: count.into(), data })
}

/// Markers with what their segments hold, up to the first scan. What stands between segments is
/// passed over, as libjpeg does.
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
                // No marker, TEM, restarts and the start of the image: nothing follows.
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
