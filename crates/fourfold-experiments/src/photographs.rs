//! Photographs of a folder, as they are and enlarged, as coefficients of JPEG's blocks.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use fourfold::Planner;
use fourfold_cli::array::zeros;
use fourfold_cli::block_targets::source::Source;
use fourfold_cli::picture::files::open_opaque;
use fourfold_cli::print::printable;
use fourfold_jpeg::{Image, Limits, Mode, Sampling, Transform, encode};

/// What photographs are encoded with. It scales the quantisation tables as libjpeg does.
pub(crate) const QUALITY: u8 = 90;

/// More pixels than this has an enlarged photograph, as the document's photograph of 6 megapixels.
pub(crate) const LARGE: usize = 6_000_000;

/// The names that files of photographs end with.
const EXTENSIONS: [&str; 3] = ["png", "jpg", "jpeg"];

/// A photograph.
pub(crate) struct Photograph {
    /// Its file's, without what that ends with, in one line that is safe to show.
    pub(crate) name: String,
    image: Image,
}

/// All photographs of a folder, by name.
pub(crate) fn read_folder(folder: &Path) -> Result<Vec<Photograph>> {
    let reading = || format!("cannot read {}", folder.display());
    let entries = fs::read_dir(folder).with_context(reading)?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>().with_context(reading)?;
    let extension = |path: &Path| path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    files.retain(|path| extension(path).is_some_and(|extension| EXTENSIONS.contains(&&*extension)));
    files.sort();
    ensure!(!files.is_empty(), "{} has no photographs: files that end with .png, .jpg or .jpeg", folder.display());
    files.iter().map(|path| Photograph::read(path)).collect()
}

impl Photograph {
    fn read(path: &Path) -> Result<Photograph> {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = printable(&stem.replace(['\n', '\t'], " "));
        Ok(Photograph { name, image: open_opaque(path, &Limits::default())? })
    }

    /// Its rows and columns.
    pub(crate) fn shape(&self) -> [usize; 2] {
        [self.image.height, self.image.width]
    }

    /// The samples of its channels, from 0 to 255.
    pub(crate) fn channels(&self) -> Vec<Vec<f64>> {
        let Image { channels, ref samples, .. } = self.image;
        let channel = |i: usize| samples.iter().skip(i).step_by(channels).map(|&sample| sample.into()).collect();
        (0..channels).map(channel).collect()
    }

    /// Its size, to be read.
    pub(crate) fn size(&self) -> String {
        format!("{} × {}", self.image.width, self.image.height)
    }

    /// The same with as many times the columns and rows as make it larger than [`LARGE`]; `None` if
    /// it is that large.
    ///
    /// The orthonormal spectrum of H × W samples, extended by zeros to fH × fW and times f, is that
    /// of the cosines of the image at f times as many places. Results beyond 0 to 255 are clamped.
    pub(crate) fn enlarged(&self) -> Result<Option<Photograph>> {
        let Image { width, height, channels, ref samples } = self.image;
        let factor = (1..).find(|factor| factor * factor * width * height > LARGE).context("it has no pixels")?;
        if factor == 1 {
            return Ok(None);
        }
        let mut large = zeros::<f32>(samples.len() * factor * factor)?;
        for channel in 0..channels {
            let plane: Vec<f32> = samples.iter().skip(channel).step_by(channels).map(|&sample| sample.into()).collect();
            let all = extended(&plane, [height, width], factor)?;
            large.iter_mut().skip(channel).step_by(channels).zip(all).for_each(|(to, from)| *to = from);
        }
        let samples = large.into_iter().map(|sample| sample.round().clamp(0.0, 255.0) as u8).collect();
        let image = Image { width: factor * width, height: factor * height, channels, samples };
        Ok(Some(Photograph { name: format!("{} × {factor}", self.name), image }))
    }

    /// Its components, encoded.
    pub(crate) fn components(&self, sampling: Sampling) -> Result<Vec<Source>> {
        let transform = Transform::builder().mode(Mode::Exact).build()?;
        let file = encode(&self.image, QUALITY, sampling, &transform)?;
        Source::of_file(&file, &Limits::default())
    }
}

fn extended(plane: &[f32], [height, width]: [usize; 2], factor: usize) -> Result<Vec<f32>> {
    let planner = Planner::new();
    let mut spectrum = zeros::<f32>(plane.len())?;
    planner.plan(&format!("dct2 f32 {height}x{width} ortho").parse()?)?.execute(plane, &mut spectrum)?;
    let [rows, columns] = [height, width].map(|side| factor * side);
    let mut padded = zeros::<f32>(rows * columns)?;
    let both = padded.chunks_exact_mut(columns).zip(spectrum.chunks_exact(width));
    both.for_each(|(to, from)| to[..width].copy_from_slice(from));
    let mut large = zeros::<f32>(padded.len())?;
    let inverse = format!("dct3 f32 {rows}x{columns} ortho scale={factor}");
    planner.plan(&inverse.parse()?)?.execute(&padded, &mut large)?;
    Ok(large)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cosines that the enlarged image must have at its own places.
    #[test]
    fn an_enlarged_photograph_is_the_same_picture() {
        let [height, width] = [600, 500];
        let wave = |y: f64, x: f64| 128.0 + 90.0 * (x * 0.04 * std::f64::consts::PI).cos() * (y * 0.01).signum();
        let pixel = |i: usize| wave((i / width) as f64 + 1.0, (i % width) as f64 + 0.5).round() as u8;
        let samples = (0..height * width).flat_map(|i| [pixel(i), 7, 255 - pixel(i)]).collect();
        let small = Photograph { name: "wave".into(), image: Image { width, height, channels: 3, samples } };
        let large = small.enlarged().unwrap().unwrap();
        assert_eq!((large.name.as_str(), large.size().as_str()), ("wave × 5", "2500 × 3000"));
        assert!(large.enlarged().unwrap().is_none());
        for (i, pixel) in large.image.samples.chunks_exact(3).enumerate().step_by(997) {
            let wanted = wave(1.0, ((i % 2500) as f64 + 0.5) / 5.0);
            let errors =
                [f64::from(pixel[0]) - wanted, f64::from(pixel[1]) - 7.0, f64::from(pixel[2]) - 255.0 + wanted];
            assert!(errors.iter().all(|error| error.abs() < 1.5), "{i}: {pixel:?}, not {wanted}");
        }
    }
}
