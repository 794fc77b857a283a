//! Algorithm 3: an image compressed by a DCT, a threshold and an IDCT, by rows and columns, in three
//! stages, and fused.

use anyhow::{Result, ensure};
use fourfold::oracle::verify::Data;
use fourfold::{Precision, Problem};

use crate::claims::Claim;
use crate::codec::{self, Part, THRESHOLD, WHITE};
use crate::measure::{QUICK_SIDE, Setting, distance};
use crate::page::{Outcome, Page, strings};
use crate::plot::{Line, Plot};
use crate::ratios::{Ratios, of_methods};
use crate::rounding::{digits, ratio};

/// Rows and columns of noise.
const NOISE: [[usize; 2]; 6] = [[512, 512], [720, 1280], [1024, 1024], [1080, 1920], [2160, 3840], [4096, 4096]];

const METHODS: [&str; 3] = ["row-column", "three-stage", "fused"];

/// One channel of an image.
struct Channel {
    name: String,
    shape: [usize; 2],
    samples: Vec<f64>,
}

/// What is measured of it: milliseconds of [`METHODS`], the share of coefficients that are kept, and
/// the decibels of the result.
struct Measured {
    ms: [f64; METHODS.len()],
    kept: f64,
    psnr: f64,
}

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let (mut rows, mut lines, mut all) = (vec![], METHODS.map(|_| vec![]), METHODS.map(|_| vec![]));
    let channels: Vec<Channel> = noise(setting).chain(photographs(setting)).collect();
    let measured = setting.each(&channels, |channel| measured(setting, channel))?;
    for (channel, measured) in channels.iter().zip(measured) {
        let megapixels = channel.samples.len() as f64 / 1e6;
        lines.iter_mut().zip(measured.ms).for_each(|(line, ms)| line.push((megapixels, ms)));
        all.iter_mut().zip(measured.ms).for_each(|(list, ms)| list.push(ms));
        rows.push(cells(&channel.name, megapixels, &measured));
    }
    Ok(Outcome::page(Page {
        title: format!("Algorithm 3: image compression, on {}", setting.engine()),
        text: vec![
            text(),
            format!(
                "{} FFTs: {}.",
                setting.how_of_steps(Precision::F64, "the images that all algorithms give"),
                setting.fft_library(&"dct2 f64 512x512".parse()?)?
            ),
        ],
        columns: strings(&[
            "image",
            "kept",
            "PSNR, dB",
            "row-column",
            "three-stage",
            "fused",
            "fused, megapixels/s",
            "row-column/three-stage",
            "three-stage/fused",
        ]),
        parts: vec![],
        claims: vec![claim(&all[0], &all[1])],
        teaches: format!(
            "The paper expects the speed-up of its transforms by three stages, about 2. Here {}",
            of_methods(all.each_ref().map(|list| &**list))
        ),
        rows,
        plot: Plot {
            title: "Compression of an image".into(),
            labels: ["megapixels".into(), "ms".into()],
            lines: METHODS.into_iter().zip(lines).map(|(name, points)| Line { name: name.into(), points }).collect(),
            bars: vec![],
        },
    }))
}

/// From the times by rows and columns and in three stages.
fn claim(rows: &[f64], stages: &[f64]) -> Claim {
    let gains = Ratios::of(rows, stages);
    Claim::timed(
        "three stages compress about twice as fast as rows and columns, as they transform (1.6 times or more)",
        format!("{} as fast", gains.times()),
        gains.least() / 1.6,
    )
}

fn text() -> String {
    format!(
        "Milliseconds of DCT → threshold → IDCT on one channel of an image, in f64. Samples are 0 to 255, the DCT is orthonormal, and coefficients below {THRESHOLD} become 0, as in the MATLAB \
                 example that the paper cites. As in the paper, the threshold is part of the last combine by rows and columns and in three stages, and on a device of the last fused pass. \
                 On a CPU fused passes have no threshold: it follows them as a separate loop by all threads. `kept` is the share of coefficients that stay, and PSNR compares the result with the image; `inf` is one without an error. \
                 Photographs are those of the option `--photos`, with a row for each channel. The paper gives no times for this, but expects the speed-up of its transforms (table-v)."
    )
}

fn cells(name: &str, megapixels: f64, Measured { ms, kept, psnr }: &Measured) -> Vec<String> {
    let [rows, stages, fused] = *ms;
    let head = [name.to_owned(), format!("{:.1} %", 100.0 * kept), format!("{psnr:.1}")].into_iter();
    let times = [rows, stages, fused, 1e3 * megapixels / fused].map(digits);
    head.chain(times).chain([rows / stages, stages / fused].map(ratio)).collect()
}

/// An error unless all algorithms give the same image.
fn measured(setting: &Setting, Channel { name, shape: [height, width], samples }: &Channel) -> Result<Measured> {
    let forward: Problem = format!("dct2 f64 {height}x{width} ortho").parse()?;
    let problems = [&forward, &forward.inverse()?];
    let [rows, stages, fused] = METHODS.map(|method| codec::compress(setting, method, problems, samples));
    let fused = fused?;
    let wanted = Data::F64(fused.samples);
    for (method, compressed) in METHODS.iter().zip([rows?, stages?]) {
        let error = distance(&Data::F64(compressed.samples), &wanted);
        ensure!(error < 1e-12, "{name}: {method} differs from {} by {error:.1e}", METHODS[2]);
    }
    let kept = fused.coefficients.iter().filter(|a| **a != 0.0).count() as f64 / samples.len() as f64;
    let errors = samples.iter().enumerate().map(|(i, sample)| (wanted.get(i).re - sample).powi(2));
    Ok(Measured {
        psnr: 10.0 * (WHITE * WHITE * samples.len() as f64 / errors.sum::<f64>()).log10(),
        ms: codec::times(setting, name, METHODS.map(|method| (method, Part::Within)), problems, samples)?,
        kept,
    })
}

/// Noise of all sizes, or of those of a quick run.
fn noise(setting: &Setting) -> impl Iterator<Item = Channel> {
    let most = if setting.quick { QUICK_SIDE * QUICK_SIDE } else { usize::MAX };
    NOISE.into_iter().filter(move |[height, width]| height * width <= most).map(|shape| Channel {
        name: format!("noise, {} × {}", shape[0], shape[1]),
        shape,
        samples: codec::noise(shape.iter().product()),
    })
}

/// All channels of the photographs of the folder that the command line names.
fn photographs(setting: &Setting) -> impl Iterator<Item = Channel> {
    setting.photographs.iter().flat_map(|photograph| {
        let all = photograph.channels();
        let names = if all.len() == 1 { &["grey"][..] } else { &["red", "green", "blue"][..] };
        let channel = |(color, samples): (&&str, Vec<f64>)| {
            let shape = photograph.shape();
            Channel { name: format!("{}, {color}, {} × {}", photograph.name, shape[0], shape[1]), shape, samples }
        };
        names.iter().zip(all).map(channel).collect::<Vec<_>>()
    })
}
