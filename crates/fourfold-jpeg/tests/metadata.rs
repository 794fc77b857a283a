//! Colour profiles and orientations in files.

use fourfold_jpeg::{Image, Orientation, color_profile, orientation};

fn segment(marker: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len() + 2).unwrap().to_be_bytes();
    [&[0xff, marker], &length[..], content].concat()
}

fn part(number: u8, count: u8, data: &[u8]) -> Vec<u8> {
    segment(0xe2, &[&b"ICC_PROFILE\0"[..], &[number, count], data].concat())
}

/// A file's head: segments after the start of the image, then those of every file, up to the first
/// scan.
fn file(segments: &[Vec<u8>]) -> Vec<u8> {
    let table = segment(0xdb, &[1; 65]);
    [vec![0xff, 0xd8], segments.concat(), table, segment(0xda, &[0; 10]), part(1, 1, b"not in the head")].concat()
}

fn profile(segments: &[Vec<u8>]) -> Option<Vec<u8>> {
    color_profile(&file(segments)).unwrap()
}

#[test]
fn parts_are_put_together_in_their_order() {
    let (jfif, exif) = (segment(0xe0, b"JFIF\0"), segment(0xe2, b"MPF\0"));
    assert_eq!(profile(&[jfif.clone(), part(1, 1, b"whole")]).unwrap(), b"whole");
    let parts = [part(3, 3, b"c"), jfif, part(1, 3, &[7; 60_000]), exif, part(2, 3, b"")];
    assert_eq!(profile(&parts).unwrap(), [&[7; 60_000][..], b"c"].concat());
    // Any number of bytes 0xff may stand before a marker, and libjpeg passes over anything else.
    assert_eq!(profile(&[vec![0xff; 5], part(1, 2, b"a"), vec![1, 2, 3], part(2, 2, b"b")]).unwrap(), b"ab");
}

#[test]
fn what_is_not_whole_is_none() {
    assert_eq!(profile(&[]), None);
    assert_eq!(profile(&[part(1, 2, b"a")]), None);
    assert_eq!(profile(&[part(0, 1, b"a")]), None);
    assert_eq!(profile(&[part(1, 2, b"a"), part(1, 2, b"b")]), None);
    assert_eq!(profile(&[part(1, 2, b"a"), part(2, 3, b"b")]), None);
    assert_eq!(profile(&[segment(0xe1, b"ICC_PROFILE\0\x01\x01a")]), None);
    assert_eq!(profile(&[segment(0xe2, b"ICC_PROFILE\0")]), None);
}

#[test]
fn a_file_may_end_anywhere() {
    let file = file(&[part(1, 1, b"whole"), segment(0xe0, b"JFIF\0")]);
    // The start of the image, the segment's head, its name and number, what it holds.
    let whole = 2 + 4 + 14 + 5;
    for end in 0..=file.len() {
        let expected = (end >= whole).then(|| b"whole".to_vec());
        assert_eq!(color_profile(&file[..end]).unwrap(), expected, "{end}");
    }
}

/// EXIF data with one directory of 12-byte entries.
fn exif(big: bool, entries: &[(u16, u16)]) -> Vec<u8> {
    let two = |value: u16| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let four = |value: u32| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let head = if big { b"MM\0\x2a" } else { b"II\x2a\0" };
    let mut exif = [&head[..], &four(8), &two(entries.len() as u16)].concat();
    for &(tag, value) in entries {
        const SHORT: u16 = 3;
        exif.extend([&two(tag)[..], &two(SHORT), &four(1), &two(value), &[0; 2]].concat());
    }
    exif
}

/// An image of the letter F, as each value of the tag stores it. Source of the picture: TIFF 6.0,
/// tag Orientation.
const STORED: [(Orientation, &[&str]); 8] = [
    (Orientation::TopLeft, &["###", "#..", "##.", "#..", "#.."]),
    (Orientation::TopRight, &["###", "..#", ".##", "..#", "..#"]),
    (Orientation::BottomRight, &["..#", "..#", ".##", "..#", "###"]),
    (Orientation::BottomLeft, &["#..", "#..", "##.", "#..", "###"]),
    (Orientation::LeftTop, &["#####", "#.#..", "#...."]),
    (Orientation::RightTop, &["#....", "#.#..", "#####"]),
    (Orientation::RightBottom, &["....#", "..#.#", "#####"]),
    (Orientation::LeftBottom, &["#####", "..#.#", "....#"]),
];

/// Three channels: the second and third are the first, plus 1 and 2.
fn image(rows: &[&str]) -> Image {
    let samples = rows.concat().bytes().flat_map(|byte| [byte, byte + 1, byte + 2]).collect();
    Image { width: rows[0].len(), height: rows.len(), channels: 3, samples }
}

#[test]
fn all_orientations_become_upright() {
    let upright = image(STORED[0].1);
    for (value, (orientation, rows)) in (1..).zip(STORED) {
        assert_eq!(Orientation::from_tag(value), Some(orientation));
        assert_eq!(image(rows).upright(orientation).unwrap(), upright, "{orientation:?}");
    }
    assert_eq!([0, 9, 256].map(Orientation::from_tag), [None; 3]);
    let deep = Orientation::RightTop.upright([2, 3], 1, vec![1u16, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(deep, ([3, 2], vec![5, 3, 1, 6, 4, 2]));
    assert_eq!(Orientation::BottomLeft.upright([0, 3], 1, Vec::<u8>::new()).unwrap(), ([0, 3], vec![]));
    for size in [[2, 2], [usize::MAX, 9]] {
        let error = Orientation::RightTop.upright(size, 1, vec![0u8; 5]).unwrap_err();
        assert!(error.to_string().contains("5 samples"), "{error}");
    }
}

#[test]
fn exif_gives_the_orientation() {
    for big in [false, true] {
        let data = exif(big, &[(0x100, 7), (0x112, 6), (0x112, 3)]);
        assert_eq!(Orientation::from_exif(&data), Some(Orientation::RightTop));
        for end in 0..data.len() {
            // It needs no more than the header, the number of entries, and two of them.
            let expected = (end >= 8 + 2 + 2 * 12).then_some(Orientation::RightTop);
            assert_eq!(Orientation::from_exif(&data[..end]), expected, "{end}");
        }
        let segments =
            [segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0"), segment(0xe1, &[b"Exif\0\0", &data[..]].concat())];
        assert_eq!(orientation(&file(&segments)), Orientation::RightTop);
        assert_eq!(orientation(&file(&[segment(0xe2, &[b"Exif\0\0", &data[..]].concat())])), Orientation::TopLeft);
        assert_eq!(Orientation::from_exif(&exif(big, &[(0x112, 0)])), None);
        assert_eq!(Orientation::from_exif(&exif(big, &[(0x100, 6)])), None);
    }
    assert_eq!(Orientation::from_exif(b"II\x2a\0\xff\xff\xff\xff"), None);
    assert_eq!(orientation(b""), Orientation::TopLeft);
}
