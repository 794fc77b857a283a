//! The orientation of an image: where the scene's top is among the stored pixels.

use crate::error::argument;
use fourfold::Result;

/// Which edges of the upright image the stored pixels begin at: the first word is the edge at which
/// their first row is, the second that of their first column. The values are those of the tag
/// Orientation (274) of TIFF 6.0 and EXIF 2.32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Orientation {
    /// 1: upright.
    #[default]
    TopLeft,
    /// 2: mirrored, left and right exchanged.
    TopRight,
    /// 3: rotated by 180°.
    BottomRight,
    /// 4: mirrored, top and bottom exchanged.
    BottomLeft,
    /// 5: transposed, rows and columns exchanged.
    LeftTop,
    /// 6: upright after a rotation by 90° clockwise.
    RightTop,
    /// 7: transposed about the other diagonal.
    RightBottom,
    /// 8: upright after a rotation by 90° counterclockwise.
    LeftBottom,
}

impl Orientation {
    /// By the tag's values from 1 on.
    const ALL: [Orientation; 8] = {
        use Orientation::*;
        [TopLeft, TopRight, BottomRight, BottomLeft, LeftTop, RightTop, RightBottom, LeftBottom]
    };

    /// The orientation with a value of the tag, 1 to 8.
    pub fn from_tag(value: u16) -> Option<Orientation> {
        Self::ALL.get(usize::from(value).checked_sub(1)?).copied()
    }

    /// The orientation in EXIF data, which are a TIFF header and its directories, as in PNG's chunk
    /// eXIf and, after "Exif" and two zeros, in JPEG's segment APP1. None if the first directory
    /// has no such tag, or one with another value than 1 to 8.
    pub fn from_exif(exif: &[u8]) -> Option<Orientation> {
        const TAG: u16 = 0x112;
        let big = match exif.first_chunk()? {
            b"MM\0\x2a" => true,
            b"II\x2a\0" => false,
            _ => return None,
        };
        let two = |bytes: &[u8]| {
            let bytes = *bytes.first_chunk()?;
            Some(if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
        };
        let offset = *exif.get(4..)?.first_chunk()?;
        let offset = if big { u32::from_be_bytes(offset) } else { u32::from_le_bytes(offset) };
        let directory = exif.get(usize::try_from(offset).ok()?..)?;
        // An entry is 12 bytes: tag, type, count, and a value, which begins at its ninth byte.
        let (entries, _) = directory.get(2..)?.as_chunks::<12>();
        let entry = entries.iter().take(two(directory)?.into()).find(|entry| two(&entry[..]) == Some(TAG))?;
        Self::from_tag(two(&entry[8..])?)
    }

    /// Makes an image upright whose pixels are stored in this orientation. It is `width` by
    /// `height` pixels of `channels` samples, row by row. Returns the upright image's width and
    /// height and its samples in the same order.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`](fourfold::ErrorKind) if there are not `width` · `height` ·
    /// `channels` samples, or there is no memory for as many.
    pub fn upright<T: Copy>(
        self,
        [width, height]: [usize; 2],
        channels: usize,
        samples: Vec<T>,
    ) -> Result<([usize; 2], Vec<T>)> {
        let count = width.checked_mul(height).and_then(|pixels| pixels.checked_mul(channels));
        if count != Some(samples.len()) {
            return Err(argument(format!("{} samples are not those of {width}x{height}x{channels}", samples.len())));
        }
        if self == Orientation::TopLeft || samples.is_empty() {
            return Ok(([width, height], samples));
        }
        let mut upright = Vec::new();
        let no_memory = |_| argument(format!("there is no memory for {width}x{height} pixels"));
        upright.try_reserve_exact(samples.len()).map_err(no_memory)?;
        let is_transposed = Self::ALL[4..].contains(&self);
        let [across, down] = if is_transposed { [height, width] } else { [width, height] };
        for (y, x) in (0..down).flat_map(|y| (0..across).map(move |x| (y, x))) {
            let [row, column] = self.stored([y, x], [height, width]);
            upright.extend_from_slice(&samples[(row * width + column) * channels..][..channels]);
        }
        Ok(([across, down], upright))
    }

    /// Row and column, among the height × width stored ones, of the upright image's pixel in row y
    /// and column x.
    fn stored(self, [y, x]: [usize; 2], [height, width]: [usize; 2]) -> [usize; 2] {
        let (bottom, right) = (height - 1, width - 1);
        match self {
            Orientation::TopLeft => [y, x],
            Orientation::TopRight => [y, right - x],
            Orientation::BottomRight => [bottom - y, right - x],
            Orientation::BottomLeft => [bottom - y, x],
            Orientation::LeftTop => [x, y],
            Orientation::RightTop => [bottom - x, y],
            Orientation::RightBottom => [bottom - x, right - y],
            Orientation::LeftBottom => [x, right - y],
        }
    }
}
