//! Blocks beside the definition, in both modes, on all instruction sets.

mod common;

use common::{blocks, psnr, transform};
use fourfold::Isa;
use fourfold_jpeg::blocks::{Forward, Inverse, Layout, Table};
use fourfold_jpeg::{Mode, Transform};

const MODES: [Mode; 2] = [Mode::Fast, Mode::Exact];

/// Quantisation tables from the finest to the coarsest.
fn tables() -> Vec<Table> {
    let mut tables: Vec<_> = [1, 10, 50, 75, 90, 100].map(|quality| Table::luminance(quality).unwrap()).into();
    tables.push(Table::chrominance(80).unwrap());
    tables
}

fn raster(table: &Table) -> [u16; 64] {
    std::array::from_fn(|i| table.rows()[i / 8][i % 8])
}

fn pixels(transform: &Transform, coefficients: &[i16], table: &Table) -> Vec<u8> {
    let mut samples = vec![0; coefficients.len()];
    let layout = Layout::Blocks;
    transform.inverse(&mut [Inverse { coefficients, table, samples: &mut samples[..], layout }]).unwrap();
    samples
}

fn words(transform: &Transform, coefficients: &[i16], table: &Table) -> Vec<i16> {
    let mut samples = vec![0; coefficients.len()];
    let layout = Layout::Blocks;
    transform.inverse(&mut [Inverse { coefficients, table, samples: &mut samples[..], layout }]).unwrap();
    samples
}

fn spectrum(transform: &Transform, samples: &[u8], table: &Table) -> Vec<i16> {
    let mut coefficients = vec![0; samples.len()];
    let layout = Layout::Blocks;
    transform.forward(&mut [Forward { samples, table, coefficients: &mut coefficients, layout }]).unwrap();
    coefficients
}

/// The definition, not rounded.
fn definition(coefficients: &[i16], table: &Table) -> Vec<f64> {
    let by = raster(table);
    let block = |block: &[i16; 64]| common::inverse(&std::array::from_fn(|i| f64::from(block[i]) * f64::from(by[i])));
    coefficients.as_chunks().0.iter().flat_map(block).collect()
}

#[test]
fn the_inverse_is_the_definition() {
    let mut rng = fastrand::Rng::with_seed(1);
    for table in tables() {
        let coefficients = blocks(&mut rng, 301, &raster(&table));
        let exact = definition(&coefficients, &table);
        let rounded: Vec<_> = exact.iter().map(|x| (x + 128.0).round().clamp(0.0, 255.0) as u8).collect();
        for (isa, mode) in Isa::available().into_iter().flat_map(|isa| MODES.map(|mode| (isa, mode))) {
            let transform = transform(mode, isa);
            let (bytes, words) = (pixels(&transform, &coefficients, &table), words(&transform, &coefficients, &table));
            // libjpeg's method rounds between its passes, to a quarter.
            let (least, most) = if mode == Mode::Fast { (90.0, 0.501) } else { (55.0, 0.9) };
            let quality = psnr(&bytes, &rounded);
            assert!(quality >= least, "{isa} {mode:?}: {quality} dB");
            let error = exact.iter().zip(&words).map(|(x, &y)| (x - f64::from(y)).abs()).fold(0.0, f64::max);
            assert!(error < most, "{isa} {mode:?}: an error of {error}");
            let clamped = words.iter().map(|x| (x + 128).clamp(0, 255) as u8);
            assert!(clamped.eq(bytes.iter().copied()), "{isa} {mode:?}: bytes are not the integers");
        }
    }
}

#[test]
fn the_forward_transform_is_the_definition() {
    let mut rng = fastrand::Rng::with_seed(2);
    for table in tables() {
        let by = raster(&table);
        let source = blocks(&mut rng, 101, &by);
        let samples = pixels(&transform(Mode::Fast, Isa::Scalar), &source, &table);
        let exact = |block: &[u8; 64]| common::forward(&block.map(|x| f64::from(x) - 128.0));
        let exact: Vec<_> = samples.as_chunks().0.iter().flat_map(exact).collect();
        for (isa, mode) in Isa::available().into_iter().flat_map(|isa| MODES.map(|mode| (isa, mode))) {
            let coefficients = spectrum(&transform(mode, isa), &samples, &table);
            let most = if mode == Mode::Fast { 0.001 } else { 0.75 };
            for (i, (x, y)) in exact.iter().zip(&coefficients).enumerate() {
                let q = f64::from(by[i % 64]);
                let error = (x - f64::from(*y) * q).abs();
                assert!(error <= q / 2.0 + most, "{isa} {mode:?}: {x} became {y} of {q}");
            }
        }
    }
}

/// All samples of a block at the ends of the scale, in every row and column.
#[test]
fn the_forward_transform_takes_extremes() {
    let table = Table::raster([1; 64]);
    let mut rng = fastrand::Rng::with_seed(3);
    let mut samples = vec![0; 64];
    samples.extend([255; 64]);
    samples.extend((0..64 * 40).map(|i| if ((i / 64) & i) % 2 == 0 { 0 } else { 255 }));
    samples.extend((0..64 * 40).map(|_| if rng.bool() { 0 } else { 255 }));
    for k in 0..64 {
        let unit = std::array::from_fn(|i| f64::from(i == k));
        samples.extend(common::inverse(&unit).map(|x| if x > 0.0 { 255 } else { 0 }));
    }
    let exact = |block: &[u8; 64]| common::forward(&block.map(|x| f64::from(x) - 128.0));
    let exact: Vec<_> = samples.as_chunks().0.iter().flat_map(exact).collect();
    for (isa, mode) in Isa::available().into_iter().flat_map(|isa| MODES.map(|mode| (isa, mode))) {
        let coefficients = spectrum(&transform(mode, isa), &samples, &table);
        for (x, &y) in exact.iter().zip(&coefficients) {
            assert!((x - f64::from(y)).abs() < 1.25, "{isa} {mode:?}: {x} became {y}");
        }
    }
}

/// Whatever the coefficients, all instruction sets agree: in the integers bit for bit, where they
/// overflow too.
#[test]
fn instruction_sets_agree() {
    let mut rng = fastrand::Rng::with_seed(4);
    let table = Table::raster(std::array::from_fn(|_| if rng.bool() { rng.u16(1..=255) } else { rng.u16(..) }));
    // Every third block has only its first row.
    let may_be = |i: usize| i / 64 % 3 > 0 || i % 64 < 8;
    let coefficients: Vec<i16> =
        (0..64 * 500).map(|i| if may_be(i) && rng.usize(..500) < i / 64 { rng.i16(..) } else { 0 }).collect();
    let samples: Vec<u8> = (0..64 * 101).map(|_| rng.u8(..)).collect();
    let fine = Table::raster(std::array::from_fn(|_| rng.u16(1..=12_000)));
    let reference = transform(Mode::Exact, Isa::Scalar);
    for isa in Isa::available() {
        let exact = transform(Mode::Exact, isa);
        assert!(pixels(&exact, &coefficients, &table) == pixels(&reference, &coefficients, &table), "{isa}");
        assert!(words(&exact, &coefficients, &table) == words(&reference, &coefficients, &table), "{isa}");
        assert!(spectrum(&exact, &samples, &fine) == spectrum(&reference, &samples, &fine), "{isa}");
    }
}

/// Samples far beyond 16 bits, and beyond 32, are clamped in single precision to the side where
/// they belong.
#[test]
fn absurd_coefficients_are_clamped() {
    let table = Table::raster([u16::MAX; 64]);
    for (isa, sign) in Isa::available().into_iter().flat_map(|isa| [(isa, 1), (isa, -1)]) {
        let mut coefficients = [0; 64];
        coefficients[0] = sign * i16::MAX;
        let expected = if sign > 0 { 255 } else { 0 };
        assert_eq!(pixels(&transform(Mode::Fast, isa), &coefficients, &table), [expected; 64], "{isa}");
        // All waves meet in the first sample.
        coefficients = [sign * i16::MAX; 64];
        assert_eq!(pixels(&transform(Mode::Fast, isa), &coefficients, &table)[0], expected, "{isa}");
    }
}

#[test]
fn zigzag_is_another_order_of_the_same() {
    // Annex A of ITU-T T.81, figure A.6, its first and last diagonals and the middle.
    let values: [u16; 64] = std::array::from_fn(|i| i as u16 + 1);
    let rows = *Table::zigzag(values).rows();
    assert_eq!(rows[0], [1, 2, 6, 7, 15, 16, 28, 29]);
    assert_eq!(rows[7], [36, 37, 49, 50, 58, 59, 63, 64]);
    assert_eq!([rows[1][0], rows[2][0], rows[1][1], rows[6][7]], [3, 4, 5, 62]);

    let mut rng = fastrand::Rng::with_seed(5);
    let table = Table::luminance(70).unwrap();
    let coefficients = blocks(&mut rng, 7, &raster(&table));
    let order: [usize; 64] = std::array::from_fn(|i| usize::from(rows[i / 8][i % 8]) - 1);
    let mut mixed = coefficients.clone();
    for (i, &value) in coefficients.iter().enumerate() {
        mixed[i / 64 * 64 + order[i % 64]] = value;
    }
    for (isa, mode) in Isa::available().into_iter().flat_map(|isa| MODES.map(|mode| (isa, mode))) {
        let samples = pixels(&transform(mode, isa), &coefficients, &table);
        assert!(pixels(&common::zigzag(mode, isa), &mixed, &table) == samples);
        let straight = spectrum(&transform(mode, isa), &samples, &table);
        let crooked = spectrum(&common::zigzag(mode, isa), &samples, &table);
        assert!((0..straight.len()).all(|i| straight[i] == crooked[i / 64 * 64 + order[i % 64]]), "{isa} {mode:?}");
    }
}

/// Rows with a stride, several components and threads: the same samples in other places, and
/// nothing between them.
#[test]
fn layouts_say_where_samples_stand() {
    let mut rng = fastrand::Rng::with_seed(6);
    let tables = [Table::luminance(70).unwrap(), Table::chrominance(40).unwrap()];
    for (across, down, stride, threads) in [(1, 1, 8, 1), (3, 5, 24, 2), (7, 2, 61, 3), (64, 9, 600, 2)] {
        let transform = Transform::builder().threads(threads).build().unwrap();
        let layout = Layout::Rows { across, stride };
        let coefficients = tables.map(|table| blocks(&mut rng, across * down, &raster(&table)));
        let size = layout.samples(across * down).unwrap();
        assert_eq!(size, (8 * down - 1) * stride + 8 * across);
        let mut images = [vec![7u8; size + 5], vec![7; size]];
        let [a, b] = &mut images;
        let mut components = [
            Inverse { coefficients: &coefficients[0], table: &tables[0], samples: &mut a[..], layout },
            Inverse { coefficients: &coefficients[1], table: &tables[1], samples: &mut b[..], layout },
        ];
        transform.inverse(&mut components).unwrap();
        for (image, (coefficients, table)) in images.iter().zip(coefficients.iter().zip(&tables)) {
            let in_blocks = pixels(&transform, coefficients, table);
            for (at, &sample) in image.iter().enumerate() {
                let (row, column) = (at / stride, at % stride);
                let block = row / 8 * across + column / 8;
                let inside = row < 8 * down && column < 8 * across;
                let expected = if inside { in_blocks[64 * block + row % 8 * 8 + column % 8] } else { 7 };
                assert_eq!(sample, expected, "row {row}, column {column}");
            }
            let mut back = vec![0; coefficients.len()];
            transform.forward(&mut [Forward { samples: image, layout, table, coefficients: &mut back }]).unwrap();
            assert!(back == spectrum(&transform, &in_blocks, table));
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let transform = Transform::builder().build().unwrap();
    let table = Table::raster([1; 64]);
    let refused = |coefficients: usize, samples: usize, layout| {
        let (coefficients, mut samples) = (vec![1i16; coefficients], vec![9u8; samples]);
        let mut components =
            [Inverse { coefficients: &coefficients, table: &table, samples: &mut samples[..], layout }];
        let error = transform.inverse(&mut components).unwrap_err().to_string();
        assert!(samples.iter().all(|&sample| sample == 9));
        error
    };
    assert!(refused(100, 128, Layout::Blocks).contains("100 coefficients"));
    assert!(refused(128, 127, Layout::Blocks).contains("127 samples given, where the layout needs 128"));
    assert!(refused(192, 999, Layout::Rows { across: 2, stride: 16 }).contains("3 blocks"));
    assert!(refused(128, 999, Layout::Rows { across: 2, stride: 15 }).contains("stride of 15"));
    assert!(refused(128, 999, Layout::Rows { across: 0, stride: 16 }).contains("rows of 0"));
    let huge = Layout::Rows { across: 1, stride: usize::MAX / 8 };
    assert!(refused(128, 999, huge).contains("memory"));

    let mut values = [1; 64];
    values[63] = 0;
    let (samples, mut coefficients) = ([0; 64], [5; 64]);
    let component = Forward {
        samples: &samples,
        layout: Layout::Blocks,
        table: &Table::raster(values),
        coefficients: &mut coefficients,
    };
    assert!(transform.forward(&mut [component]).unwrap_err().to_string().contains("zero"));
    assert_eq!(coefficients, [5; 64]);
    assert!(Transform::builder().threads(0).build().is_err());
    assert!(Table::luminance(0).is_err() && Table::chrominance(101).is_err());
    for stride in [usize::MAX / 8, usize::MAX] {
        let layout = Layout::Rows { across: 1, stride };
        transform.inverse(&mut [Inverse { coefficients: &[], table: &table, samples: &mut [0u8; 0], layout }]).unwrap();
    }
}

/// Table K.1 itself, and libjpeg's at other qualities.
#[test]
fn qualities_scale_the_tables() {
    assert_eq!(Table::luminance(50).unwrap().rows()[0], [16, 11, 10, 16, 24, 40, 51, 61]);
    assert_eq!(Table::luminance(75).unwrap().rows()[0], [8, 6, 5, 8, 12, 20, 26, 31]);
    assert_eq!(Table::chrominance(25).unwrap().rows()[0], [34, 36, 48, 94, 198, 198, 198, 198]);
    assert_eq!(Table::luminance(100).unwrap(), Table::raster([1; 64]));
    assert_eq!(Table::luminance(1).unwrap(), Table::raster([255; 64]));
}
