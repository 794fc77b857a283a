//! Files that are damaged, too large, or of kinds that are not read.

#[path = "common/scene.rs"]
mod scene;

use fourfold::ErrorKind;
use fourfold_jpeg::blocks::Table;
use fourfold_jpeg::{
    Color, Component, Header, Image, Limits, Mode, Sampling, Transform, WithWarnings, decode, encode,
    read_coefficients, read_header, write_coefficients,
};
use mozjpeg::Decompress;
use scene::scene;

fn exact() -> Transform {
    Transform::builder().mode(Mode::Exact).build().unwrap()
}

/// Of little contrast, so that what damage adds stays within range.
fn example(channels: usize) -> Vec<u8> {
    let mut image = scene(43, 29, channels, 1);
    image.samples.iter_mut().for_each(|sample| *sample = 96 + *sample / 4);
    encode(&image, 80, Sampling::Quarter, &exact()).unwrap()
}

/// Where the contents of the segment after a marker begin.
fn segment(file: &[u8], marker: u8) -> usize {
    file.windows(2).position(|pair| pair == [0xff, marker]).unwrap() + 4
}

const SOF0: u8 = 0xc0;
const DQT: u8 = 0xdb;
const SOS: u8 = 0xda;

fn refusal(file: &[u8]) -> String {
    refusal_within(file, &Limits::default())
}

fn refusal_within(file: &[u8], limits: &Limits) -> String {
    let error = decode(file, &exact(), limits).unwrap_err();
    let coefficients = read_coefficients(file, limits);
    assert_eq!(coefficients.unwrap_err(), error);
    assert_eq!(error.kind(), ErrorKind::File);
    error.to_string()
}

#[test]
fn kinds_that_are_not_read_are_named() {
    let file = example(3);
    let frame = segment(&file, SOF0);
    let with = |at: usize, byte: u8| {
        let mut file = file.clone();
        file[at] = byte;
        file
    };
    assert!(refusal(&with(frame, 12)).contains("8 bits"), "{}", refusal(&with(frame, 12)));
    assert!(refusal(&with(frame - 3, 0xc9)).contains("arithmetic-coded"));
    assert!(refusal(&with(frame - 3, 0xc3)).contains("lossless"));
    assert!(refusal(&with(frame - 3, 0xc5)).contains("hierarchical"));

    // Another component, in the frame and in the scan.
    let (mut cmyk, scan) = (file.clone(), segment(&file, SOS));
    cmyk.splice(scan + 7..scan + 7, [4, 0x11]);
    cmyk[scan - 1] += 2;
    cmyk[scan] = 4;
    cmyk.splice(frame + 15..frame + 15, [4, 0x11, 1]);
    cmyk[frame - 1] += 3;
    cmyk[frame + 5] = 4;
    assert!(refusal(&cmyk).contains("CMYK"), "{}", refusal(&cmyk));
    assert_eq!(read_header(&cmyk, &Limits::default()).unwrap_err().to_string(), refusal(&cmyk));
}

#[test]
fn what_is_no_jpeg_is_refused() {
    for file in [&b""[..], b"\xff", b"\x89PNG\r\n\x1a\n", b"\xff\xd8", b"\xff\xd8\xff\xd9", &example(1)[..30]] {
        assert!(!refusal(file).is_empty());
    }
    assert!(refusal(b"GIF89a").contains("no JPEG"));
}

#[test]
fn sizes_have_limits() {
    let mut file = example(1);
    let frame = segment(&file, SOF0);
    let limits = Limits { pixels: 43 * 29 - 1, ..Limits::default() };
    assert!(refusal_within(&file, &limits).contains("43x29 pixels; at most 1246"));
    assert_eq!(read_header(&file, &limits).unwrap_err().to_string(), refusal_within(&file, &limits));
    decode(&file, &exact(), &Limits { pixels: 43 * 29, ..limits }).unwrap();
    file[frame + 1..frame + 5].copy_from_slice(&[0x40, 0, 0x40, 0]);
    let needed = (1 << 22) / 8;
    let message = refusal(&file);
    assert!(message.contains("cut off") && message.contains(&format!("16384x16384 pixels take at least {needed}")));
    assert_eq!(read_header(&file, &Limits::default()).unwrap_err().to_string(), message);
    file[frame + 1..frame + 5].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    assert!(refusal(&file).contains("65535") || refusal(&file).contains("65500"), "{}", refusal(&file));
    file[frame + 1..frame + 5].copy_from_slice(&[0, 0, 0, 43]);
    assert!(refusal(&file).contains("no pixels"), "{}", refusal(&file));
}

#[test]
fn scans_have_a_limit() {
    let file = include_bytes!("data/restart_progressive.jpg");
    let scans = file.windows(2).filter(|pair| *pair == [0xff, SOS]).count();
    let Header { width, height, .. } = read_header(file, &Limits::default()).unwrap();
    let pixels = width.next_multiple_of(32) * height.next_multiple_of(32);
    let limit = |work: usize| Limits { work: work as u64, ..Limits::default() };
    decode(file, &exact(), &limit(scans * pixels)).unwrap();
    assert!(refusal_within(file, &limit(scans * pixels - 1)).contains("scans"));
}

/// A grey progressive file of 8192x8192 pixels: a scan of the DC coefficients, then `empty` scans
/// of 130 bytes that say of all blocks that the others are 0.
fn many_scans(empty: usize) -> Vec<u8> {
    let blocks = 1024 * 1024;
    let one_code = |class: u8, symbol: u8| {
        [&[0xff, 0xc4, 0, 20, class, 1][..], &[0; 15], &[symbol]].concat() // the code 0 of one bit
    };
    let scan = |band: [u8; 3]| [&[0xff, 0xda, 0, 8, 1, 1, 0][..], &band].concat();
    let table = [&[0xff, 0xdb, 0, 67, 0][..], &[1; 64]].concat();
    let frame = [0xff, 0xc2, 0, 11, 8, 0x20, 0, 0x20, 0, 1, 1, 0x11, 0];
    // All differences of DC coefficients are 0. The symbol e0 ends the band of 2^14 blocks and
    // more.
    let head = [&[0xff, 0xd8][..], &table, &frame, &one_code(0, 0), &one_code(0x10, 0xe0), &scan([0, 0, 0])].concat();
    let bits = [scan([1, 63, 0]), vec![0; blocks / (1 << 14) * 15 / 8]].concat();
    [head, vec![0; blocks / 8], bits.repeat(empty), vec![0xff, 0xd9]].concat()
}

/// Pixels and scans are within bounds, but their product is not.
#[test]
fn pixels_times_scans_have_a_limit() {
    let file = many_scans(200);
    assert!(file.len() < 200_000, "{} bytes", file.len());
    let message = refusal(&file);
    assert!(message.contains("more than 64 scans"), "{message}");
    let few = decode(&many_scans(1), &exact(), &Limits::default()).unwrap().value;
    assert!(few.samples.len() == 1 << 26 && few.samples.iter().all(|&sample| sample == 128));
}

/// Padding is cut off in place.
#[test]
fn coefficients_are_those_of_the_components() {
    for (width, height) in [(43, 29), (1, 1), (17, 40), (64, 48)] {
        let image = scene(width, height, 3, 1);
        let file = encode(&image, 80, Sampling::Quarter, &exact()).unwrap();
        let read = read_coefficients(&file, &Limits::default()).unwrap().value;
        assert_eq!(write_coefficients(&read).unwrap(), file, "{width}x{height}");
    }
}

/// libjpeg's pixels, whatever it warns of. Its errors unwind.
fn reference(file: &[u8]) -> Option<Image> {
    let decode = || {
        let mut started = Decompress::new_mem(file)?.rgb()?;
        let (width, height) = (started.width(), started.height());
        Ok(Image { width, height, channels: 3, samples: started.read_scanlines::<u8>()? })
    };
    std::panic::catch_unwind(decode).ok().and_then(std::io::Result::ok)
}

#[test]
fn restart_markers_are_read() {
    for file in [&include_bytes!("data/restart.jpg")[..], include_bytes!("data/restart_progressive.jpg")] {
        assert!(file.windows(2).any(|pair| pair == [0xff, 0xd1]));
        let decoded = decode(file, &exact(), &Limits::default()).unwrap();
        assert_eq!(decoded.warnings, [""; 0]);
        assert!(Some(decoded.value) == reference(file));
    }
}

/// Cut off anywhere: libjpeg's pixels and a warning, or an error as libjpeg's.
#[test]
fn truncated_files_are_as_libjpeg_has_them() {
    let mut decoded = 0;
    for file in [&example(3)[..], include_bytes!("data/restart.jpg")] {
        for length in (0..file.len() - 2).step_by(3) {
            match (decode(&file[..length], &exact(), &Limits::default()), reference(&file[..length])) {
                (Ok(read), Some(expected)) => {
                    assert!(!read.warnings.is_empty(), "{length} bytes");
                    if is_colour_within_range(&file[..length]) {
                        assert!(read.value == expected, "{length} bytes");
                        decoded += 1;
                    }
                }
                (Err(error), None) => assert_eq!(error.kind(), ErrorKind::File),
                (ours, theirs) => panic!("{length} bytes: {:?}, {}", ours.map(|read| read.warnings), theirs.is_some()),
            }
        }
    }
    assert!(decoded > 50, "{decoded} files decoded");
}

/// Whether samples are within ±512. Beyond that libjpeg's portable code wraps around, where its
/// vector code, and this, saturate. Waves have an amplitude of 1/4 at most.
fn is_colour_within_range(file: &[u8]) -> bool {
    let Ok(WithWarnings { value, .. }) = read_coefficients(file, &Limits::default()) else { return false };
    let within = |(component, blocks): (&Component, &Vec<[i16; 64]>)| {
        let table = component.table.rows().as_flattened();
        let size =
            |block: &[i16; 64]| block.iter().zip(table).map(|(&c, &q)| i64::from(c).abs() * i64::from(q)).sum::<i64>();
        blocks.iter().all(|block| size(block) < 4 * 512)
    };
    value.color == Color::YCbCr && value.components.iter().zip(&value.blocks).all(within)
}

/// Bytes changed anywhere: never a panic; and what libjpeg decodes, as it does.
#[test]
fn corrupt_files_are_as_libjpeg_has_them() {
    let mut rng = fastrand::Rng::with_seed(1);
    let progressive = include_bytes!("data/restart_progressive.jpg");
    let (threads, mut same) = (Transform::builder().mode(Mode::Exact).threads(2).build().unwrap(), 0);
    for round in 0..1500 {
        let mut file = if round % 3 == 0 { progressive.to_vec() } else { example(3) };
        let scan = segment(&file, SOS);
        for _ in 0..rng.usize(1..4) {
            let from = if rng.bool() { scan } else { 2 };
            let at = rng.usize(from..file.len());
            file[at] = rng.u8(..);
        }
        let limits = Limits { pixels: 1 << 16, ..Limits::default() };
        let (one, two) = (decode(&file, &exact(), &limits), decode(&file, &threads, &limits));
        assert!(one == two, "round {round}: other pixels on two threads");
        let Ok(read) = one else { continue };
        if round % 3 > 0 && is_colour_within_range(&file) {
            assert!(Some(read.value) == reference(&file), "round {round}");
            same += 1;
        }
    }
    assert!(same > 100, "{same}");
}

#[test]
fn impossible_images_are_not_written() {
    let encode = |image: &Image, quality| encode(image, quality, Sampling::Full, &exact()).unwrap_err().to_string();
    let image = scene(8, 8, 3, 1);
    assert!(encode(&Image { channels: 2, ..image.clone() }, 80).contains("2 channels"));
    assert!(encode(&Image { width: 0, ..image.clone() }, 80).contains("0x8"));
    assert!(encode(&Image { width: 65_501, ..image.clone() }, 80).contains("65500"));
    assert!(encode(&Image { width: 9, ..image.clone() }, 80).contains("192 samples"));
    assert!(encode(&image, 0).contains("1 to 100"));

    let good = read_coefficients(&example(3), &Limits::default()).unwrap().value;
    let refused = |change: fn(&mut fourfold_jpeg::Coefficients)| {
        let mut image = good.clone();
        change(&mut image);
        write_coefficients(&image).unwrap_err().to_string()
    };
    assert!(refused(|image| image.color = Color::Grey).contains("1 components, not 3"));
    assert!(refused(|image| image.width += 100).contains("it must have"));
    assert!(refused(|image| image.width = 0).contains("0x29 pixels"));
    assert!(refused(|image| image.height = usize::MAX).contains("65500"));
    assert!(refused(|image| image.width = usize::MAX).contains("65500"));
    assert!(refused(|image| image.components[0].vertical = 5).contains("1 to 4"));
    assert!(refused(|image| image.blocks[0].truncate(1)).contains("blocks"));
    assert!(refused(|image| image.components[1].table = Table::raster([0; 64])).contains("has 0;"));
    assert!(refused(|image| image.components[0].table = Table::raster([32_768; 64])).contains("32768"));
    assert!(!refused(|image| image.blocks[0][3][5] = i16::MIN).is_empty());
}

/// A table that is missing is libjpeg's error, not a crash.
#[test]
fn missing_tables_are_errors() {
    let file = example(1);
    let table = segment(&file, DQT);
    let mut other = file.clone();
    other[table] = 3; // for a slot that nobody uses
    assert!(!refusal(&other).is_empty());
}
