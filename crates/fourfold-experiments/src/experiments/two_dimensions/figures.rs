//! The figures of Table V that were not measured in the run: as published, and of the authors' code
//! on an H200.

use fourfold::Precision;

/// A transform of a shape with its published milliseconds; empty where there is no figure.
pub(super) struct Published {
    pub(super) shape: [usize; 2],
    /// The name in the paper.
    pub(super) name: &'static str,
    /// The kinds that cost the same.
    pub(super) kind: &'static str,
    /// On a Titan Xp in f64: MATLAB, row-column, three stages, the FFT alone.
    pub(super) times: [&'static str; 4],
    /// MATLAB, row-column and the FFT alone over three stages.
    pub(super) ratios: [&'static str; 3],
    /// The authors' code on one H200, in f64 and in f32.
    authors: [AuthorsCode; 2],
}

/// Milliseconds of the authors' code on one H200: row-column, three stages, and cuFFT.
#[derive(Clone, Copy)]
pub(super) struct AuthorsCode {
    pub(super) row_column: &'static str,
    pub(super) three_stage: &'static str,
    pub(super) fft: &'static str,
}

pub(super) fn of_authors(row: &Published, precision: Precision) -> AuthorsCode {
    row.authors[usize::from(precision == Precision::F32)]
}

impl AuthorsCode {
    /// Milliseconds over theirs by rows and columns, 0, or in three stages, 1, if they have any.
    pub(super) fn over(&self, method: usize, ms: f64) -> Option<f64> {
        Some(ms / [self.row_column, self.three_stage][method].parse::<f64>().ok()?)
    }
}

const DCT: [&str; 2] = ["DCT", "dct2"];
const IDCT: [&str; 2] = ["IDCT", "dct3"];
const IDCT_IDXST: [&str; 2] = ["IDCT_IDXST", "idct_idxst"];

#[rustfmt::skip]
pub(super) const PUBLISHED: [Published; 18] = [
    row([512, 512], DCT, ["2.43", "0.19", "0.12", "0.10"], ["20.18", "1.61", "0.81"],
        [code("0.0269", "0.0187", "0.0120"), code("0.0254", "0.0152", "0.0091")]),
    row([512, 512], IDCT, ["", "0.24", "0.13", "0.10"], ["", "1.87", "0.81"],
        [code("", "0.0199", "0.0112"), code("", "0.0159", "0.0087")]),
    row([512, 512], IDCT_IDXST, ["", "", "0.13", ""], ["", "", ""], NONE),
    row([1024, 1024], DCT, ["9.83", "0.66", "0.37", "0.33"], ["26.34", "1.76", "0.88"],
        [code("0.0540", "0.0344", "0.0214"), code("0.0428", "0.0251", "0.0143")]),
    row([1024, 1024], IDCT, ["", "0.88", "0.42", "0.35"], ["", "2.10", "0.83"],
        [code("", "0.0365", "0.0223"), code("", "0.0249", "0.0146")]),
    row([1024, 1024], IDCT_IDXST, ["", "", "0.42", ""], ["", "", ""], NONE),
    row([2048, 2048], DCT, ["30.62", "2.58", "1.46", "1.12"], ["20.91", "1.76", "0.77"],
        [code("0.1924", "0.1047", "0.0599"), code("0.1149", "0.0643", "0.0337")]),
    row([2048, 2048], IDCT, ["", "3.45", "1.62", "1.28"], ["", "2.13", "0.79"],
        [code("", "0.1060", "0.0644"), code("", "0.0614", "0.0349")]),
    row([2048, 2048], IDCT_IDXST, ["", "", "1.63", ""], ["", "", ""], NONE),
    row([4096, 4096], DCT, ["122.79", "12.28", "5.80", "4.44"], ["21.15", "2.11", "0.77"],
        [code("0.6777", "0.3913", "0.2263"), code("0.4751", "0.2452", "0.1297")]),
    row([4096, 4096], IDCT, ["", "15.80", "6.44", "5.04"], ["", "2.45", "0.78"],
        [code("", "0.3955", "0.2263"), code("", "0.2365", "0.1310")]),
    row([4096, 4096], IDCT_IDXST, ["", "", "6.80", ""], ["", "", ""],
        [code("", "0.395", ""), code("", "0.2365", "")]),
    row([8192, 8192], DCT, ["525.03", "54.18", "25.78", "20.11"], ["20.37", "2.10", "0.78"],
        [code("3.038", "1.720", "1.081"), code("1.808", "0.8789", "0.4274")]),
    row([8192, 8192], IDCT, ["", "67.39", "28.64", "22.50"], ["", "2.35", "0.79"],
        [code("", "1.727", "1.079"), code("", "0.8489", "0.4216")]),
    row([100, 10000], DCT, ["9.52", "1.04", "0.46", "0.39"], ["20.85", "2.29", "0.86"],
        [code("0.0634", "0.0407", "0.0268"), code("0.0480", "0.0270", "0.0166")]),
    row([100, 10000], IDCT, ["", "1.44", "0.51", "0.41"], ["", "2.82", "0.81"],
        [code("", "0.0416", "0.0278"), code("", "0.0266", "0.0168")]),
    row([10000, 100], DCT, ["9.47", "1.03", "0.46", "0.48"], ["20.74", "2.26", "1.05"],
        [code("0.0649", "0.0382", "0.0240"), code("0.0481", "0.0286", "0.0172")]),
    row([10000, 100], IDCT, ["", "1.43", "0.51", "0.49"], ["", "2.80", "0.96"],
        [code("", "0.0387", "0.0247"), code("", "0.0276", "0.0175")]),
];

/// What was not measured.
const NONE: [AuthorsCode; 2] = [code("", "", ""); 2];

const fn code(row_column: &'static str, three_stage: &'static str, fft: &'static str) -> AuthorsCode {
    AuthorsCode { row_column, three_stage, fft }
}

const fn row(
    shape: [usize; 2],
    [name, kind]: [&'static str; 2],
    times: [&'static str; 4],
    ratios: [&'static str; 3],
    authors: [AuthorsCode; 2],
) -> Published {
    Published { shape, name, kind, times, ratios, authors }
}
