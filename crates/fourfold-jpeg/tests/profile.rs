//! Colour profiles in files.

use fourfold_jpeg::color_profile;

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
