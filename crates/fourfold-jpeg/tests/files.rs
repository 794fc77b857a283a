//! Whole files beside libjpeg's own decoder and encoder, in its portable C.

mod common;
#[path = "common/scene.rs"]
mod scene;

use common::psnr;
use fourfold::Isa;
use fourfold_jpeg::{
    Color, Header, Image, Limits, Mode, Sampling, Transform, decode, encode, read_coefficients, read_header,
    write_coefficients,
};
use mozjpeg::{ColorSpace, Compress, Decompress};
use scene::scene;

fn transform(mode: Mode, threads: usize) -> Transform {
    Transform::builder().mode(mode).threads(threads).build().unwrap()
}

/// libjpeg's pixels.
fn reference(file: &[u8]) -> Image {
    let mut decoder = Decompress::new_mem(file).unwrap();
    decoder.dct_method(mozjpeg::DctMethod::IntegerSlow);
    let grey = decoder.color_space() == ColorSpace::JCS_GRAYSCALE;
    let mut started = if grey { decoder.grayscale() } else { decoder.rgb() }.unwrap();
    let (width, height) = (started.width(), started.height());
    let samples = started.read_scanlines::<u8>().unwrap();
    Image { width, height, channels: if grey { 1 } else { 3 }, samples }
}

/// How libjpeg is to encode.
#[derive(Clone, Copy, Debug)]
struct Kind {
    channels: usize,
    /// Pixels for a sample of both colour differences.
    sampling: (u8, u8),
    quality: u8,
    progressive: bool,
    /// Red, green and blue as they are.
    rgb: bool,
}

/// A file of libjpeg's.
fn file(image: &Image, kind: Kind) -> Vec<u8> {
    let Kind { channels, sampling, quality, progressive, rgb } = kind;
    let space = if channels == 1 { ColorSpace::JCS_GRAYSCALE } else { ColorSpace::JCS_RGB };
    let mut encoder = Compress::new(space);
    encoder.set_fastest_defaults();
    encoder.set_size(image.width, image.height);
    if rgb {
        encoder.set_color_space(ColorSpace::JCS_RGB);
    }
    encoder.set_quality(quality.into());
    if channels == 3 && !rgb {
        encoder.set_chroma_sampling_pixel_sizes(sampling, sampling);
    }
    if progressive {
        encoder.set_progressive_mode();
    }
    let mut started = encoder.start_compress(Vec::new()).unwrap();
    started.write_scanlines(&image.samples).unwrap();
    started.finish().unwrap()
}

fn kinds() -> impl Iterator<Item = Kind> {
    let colour = [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (4, 2)].map(|sampling| (3, sampling, false));
    let others = [(1, (1, 1), false), (3, (1, 1), true)];
    colour.into_iter().chain(others).flat_map(|(channels, sampling, rgb)| {
        let kind =
            move |progressive| [5, 50, 90, 100].map(|quality| Kind { channels, sampling, quality, progressive, rgb });
        [false, true].into_iter().flat_map(kind)
    })
}

/// Sizes around whole blocks and groups of blocks, and one with several bands.
const SIZES: [(usize, usize); 11] =
    [(1, 1), (2, 3), (3, 2), (5, 4), (7, 9), (8, 8), (16, 17), (17, 15), (33, 40), (64, 31), (61, 301)];

#[test]
fn decoding_is_libjpegs() {
    let (exact, fast, threads) = (transform(Mode::Exact, 1), transform(Mode::Fast, 1), transform(Mode::Exact, 3));
    for (index, kind) in kinds().enumerate() {
        for (width, height) in SIZES {
            let file = file(&scene(width, height, kind.channels, index as u64), kind);
            let expected = reference(&file);
            let limits = Limits::default();
            let decoded = decode(&file, &exact, &limits).unwrap();
            assert_eq!(decoded.warnings, [""; 0]);
            assert!(decoded.value == expected, "{kind:?} {width}x{height}");
            assert!(
                decode(&file, &threads, &limits).unwrap().value == expected,
                "{kind:?} {width}x{height}, 3 threads"
            );
            let quality = psnr(&decode(&file, &fast, &limits).unwrap().value.samples, &expected.samples);
            // A ratio of means: two samples that differ by one are 49.9 dB of a single pixel.
            assert!(quality >= 50.0 || width * height < 1000, "{kind:?} {width}x{height}: {quality} dB");
        }
    }
}

#[test]
fn all_instruction_sets_decode_alike() {
    let kind = Kind { channels: 3, sampling: (2, 2), quality: 80, progressive: false, rgb: false };
    let file = file(&scene(203, 77, 3, 5), kind);
    let expected = reference(&file);
    for isa in Isa::available() {
        let transform = Transform::builder().mode(Mode::Exact).isa(isa).build().unwrap();
        assert!(decode(&file, &transform, &Limits::default()).unwrap().value == expected, "{isa}");
    }
}

#[test]
fn encoding_is_libjpegs() {
    let exact = transform(Mode::Exact, 2);
    for (width, height) in SIZES {
        for (channels, quality) in
            [1, 3].into_iter().flat_map(|channels| [30, 75, 100].map(|quality| (channels, quality)))
        {
            let image = scene(width, height, channels, (width * quality as usize) as u64);
            for (sampling, size) in [(Sampling::Full, (1, 1)), (Sampling::Half, (2, 1)), (Sampling::Quarter, (2, 2))] {
                let kind = Kind { channels, sampling: size, quality, progressive: false, rgb: false };
                let ours = encode(&image, quality, sampling, &exact).unwrap();
                let theirs = file(&image, kind);
                let [ours, theirs] =
                    [ours, theirs].map(|file| read_coefficients(&file, &Limits::default()).unwrap().value);
                assert_eq!(ours.components, theirs.components);
                assert!(ours == theirs, "{width}x{height}x{channels}, quality {quality}, {sampling:?}");
            }
        }
    }
}

#[test]
fn coefficients_go_there_and_back() {
    for (index, kind) in kinds().enumerate() {
        let file = file(&scene(61, 37, kind.channels, index as u64), kind);
        let read = read_coefficients(&file, &Limits::default()).unwrap().value;
        let color = if kind.rgb { Color::Rgb } else { [Color::Grey, Color::YCbCr][usize::from(kind.channels == 3)] };
        assert_eq!((read.width, read.height, read.color), (61, 37, color));
        assert_eq!(read_header(&file, &Limits::default()).unwrap(), Header { width: 61, height: 37, color });
        let again = read_coefficients(&write_coefficients(&read).unwrap(), &Limits::default()).unwrap().value;
        assert!(again == read, "{kind:?}");
    }
}

#[test]
fn an_image_that_is_encoded_looks_the_same() {
    for mode in [Mode::Fast, Mode::Exact] {
        let image = scene(321, 123, 3, 9);
        let file = encode(&image, 95, Sampling::Full, &transform(mode, 1)).unwrap();
        let decoded = decode(&file, &transform(mode, 1), &Limits::default()).unwrap().value;
        let quality = psnr(&image.samples, &decoded.samples);
        assert!(quality > 35.0, "{quality} dB");
    }
}
