//! PNG files as pictures.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{Cursor, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use fourfold_jpeg::Orientation;
use png::{BitDepth, ColorType, Compression, Decoder, Encoder, EncodingError, Filter, Info, Limits, Transformations};

use crate::array::{check_memory, collect, zeros};
use crate::picture::pixels::{Picture, check_pixels, check_room};

/// What a file begins with.
pub(super) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The most bytes of a colour profile, about as many as a JPEG file can hold. A larger one is left
/// out. Compressed, a thousandth of the bytes can stand for them.
const MOST_PROFILE: usize = 16 << 20;

/// Bytes of the decoder's buffers beside rows: without memory for them it would end the process.
const DECODER: usize = 1 << 20;

/// The most bytes that a compressed byte stands for. Deflate's shortest code for its longest match,
/// 258 bytes, has 2 bits: RFC 1951, section 3.2.
const MOST_EXPANSION: usize = 1032;

/// Reads a file. Palettes and samples of fewer than 8 bits are expanded.
pub(crate) fn read(file: &[u8], limits: &fourfold_jpeg::Limits) -> Result<Picture> {
    let size = size(file);
    size.map_or(Ok(()), |size| check_pixels(size, limits.pixels))?;
    // The decoder keeps some rows of at most 4 channels of 16 bits.
    let rows = size.map_or(0, |[width, _]| 4 * 8 * width);
    check_memory(2 * rows + DECODER)?;
    let mut decoder = Decoder::new_with_limits(Cursor::new(file), Limits { bytes: MOST_PROFILE + rows });
    decoder.set_ignore_text_chunk(true);
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info()?;
    // The decoder takes a palette of any length, and panics where the last colour is cut off.
    let palette = reader.info().palette.as_deref().map_or(0, <[u8]>::len);
    ensure!(palette.is_multiple_of(3), "its palette has {palette} bytes, which is no multiple of 3");
    let (color, depth) = reader.output_color_type();
    let (channels, is_deep) = (color.samples(), depth == BitDepth::Sixteen);
    let [width, height] = [reader.info().width as usize, reader.info().height as usize];
    let (raw, held) = (reader.info().raw_bytes(), file.len());
    let cut = || format!("it is cut off: its pixels take {raw} bytes, which cannot be compressed to {held}");
    ensure!(raw / MOST_EXPANSION <= held, cut());
    check_room([width, height], channels, is_deep)?;
    let orientation = reader.info().exif_metadata.as_deref().and_then(Orientation::from_exif).unwrap_or_default();
    let profile = reader.info().icc_profile.as_deref().map(<[u8]>::to_vec);
    let mut bytes = zeros(reader.output_buffer_size().context("its pixels do not fit in memory")?)?;
    reader.next_frame(&mut bytes)?;
    let samples = match is_deep {
        false => collect(bytes.len(), bytes.iter().map(|&byte| u16::from(byte)))?,
        true => collect(bytes.len() / 2, bytes.as_chunks().0.iter().map(|&bytes| u16::from_be_bytes(bytes)))?,
    };
    drop(bytes);
    let ([width, height], samples) = orientation.upright([width, height], channels, samples)?;
    Ok(Picture { width, height, channels, is_deep, samples, profile })
}

/// Width and height in the header of a file, before its decoder finds them too large and does not
/// say what they are.
fn size(file: &[u8]) -> Option<[usize; 2]> {
    let sides = file.get(16..24)?.as_chunks::<4>().0;
    Some([0, 1].map(|i| u32::from_be_bytes(sides[i]) as usize))
}

/// Writes a file, row by row.
pub(crate) fn write(picture: &Picture, to: &mut impl Write) -> Result<(), EncodingError> {
    let Picture { width, height, channels, samples, profile, .. } = picture;
    let mut encoder = encoder(to, [*width, *height], *channels, profile.as_deref())?;
    encoder.set_compression(Compression::Balanced);
    encoder.set_filter(Filter::Adaptive);
    if picture.is_deep {
        encoder.set_depth(BitDepth::Sixteen);
    }
    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer()?;
    let mut bytes = Vec::new();
    for row in samples.chunks(width * channels) {
        bytes.clear();
        match picture.is_deep {
            true => bytes.extend(row.iter().flat_map(|sample| sample.to_be_bytes())),
            false => bytes.extend(row.iter().map(|&sample| sample as u8)),
        }
        stream.write_all(&bytes)?;
    }
    stream.finish()?;
    writer.finish()
}

/// Writes an image in red, green and blue with 8 bits a sample.
///
/// # Errors
/// If the samples are not those of so many pixels, or cannot be written.
pub fn write_rgb(to: impl Write, size: [usize; 2], samples: &[u8]) -> Result<(), EncodingError> {
    let mut writer = encoder(to, size, 3, None)?.write_header()?;
    // In parts: `write_image_data` keeps the compressed image, and ends the process without memory.
    let mut stream = writer.stream_writer()?;
    stream.write_all(samples)?;
    stream.finish()?;
    writer.finish()
}

/// An encoder of images with 8 bits a sample, grey or RGB, with alpha or without. It compresses
/// fast: better compression of a photograph of 24 megapixels took sixteen times as long, for 0.62
/// of the bytes.
pub(crate) fn encoder<'a, W: Write>(
    to: W,
    [width, height]: [usize; 2],
    channels: usize,
    profile: Option<&'a [u8]>,
) -> Result<Encoder<'a, W>, EncodingError> {
    let mut info = Info::with_size(width as u32, height as u32);
    info.color_type = match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    };
    info.icc_profile = profile.map(Cow::Borrowed);
    let mut encoder = Encoder::with_info(to, info)?;
    encoder.set_compression(Compression::Fast);
    Ok(encoder)
}

/// Names that other formats have.
const OTHER_FORMATS: [&str; 25] = [
    "avif", "bmp", "dds", "exr", "ff", "gif", "hdr", "heic", "ico", "jfif", "jp2", "jpeg", "jpg", "jxl", "npy", "pam",
    "pbm", "pgm", "pnm", "ppm", "qoi", "tga", "tif", "tiff", "webp",
];

/// Only PNG is written: a name that says another format would lie.
pub(crate) fn check_png(path: &Path) -> Result<()> {
    let is_other = |name: &str| OTHER_FORMATS.iter().any(|other| name.eq_ignore_ascii_case(other));
    let lies = path.extension().and_then(OsStr::to_str).is_some_and(is_other);
    ensure!(!lies, "cannot write {}: what is written is PNG; name it .png", path.display());
    Ok(())
}
