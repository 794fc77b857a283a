//! Blurs a photograph as a lens out of focus does: the mean over a disc around each pixel, with the
//! image mirrored at its edges:
//!
//! `cargo run --release -p fourfold-cli --example blur_photo -- photo.png blurred.png 12`

use std::error::Error;
use std::fs::File;
use std::path::Path;

use fourfold::Planner;
use fourfold::convolve::{Boundary, Convolution};
use fourfold_cli::picture::files::open_opaque;
use fourfold_cli::picture::png_file::write_rgb;
use fourfold_jpeg::Limits;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [input, output, radius] = &arguments[..] else { return Err("usage: blur_photo IN.png OUT.png RADIUS".into()) };
    let photo = open_opaque(Path::new(input), &Limits::default())?;
    let (size, channels) = ([photo.height, photo.width], photo.channels);
    let disc = disc(radius.parse()?);
    let side = disc.len().isqrt();
    let blur = Convolution::<f32>::builder(size, [side, side], &disc).boundary(Boundary::Reflect);
    let blur = blur.build(&Planner::new())?;

    let mut samples = vec![0; 3 * photo.width * photo.height];
    let mut blurred = vec![0.0; photo.width * photo.height];
    for color in 0..3 {
        let plane: Vec<f32> =
            photo.samples.iter().skip(color % channels).step_by(channels).map(|&s| s.into()).collect();
        blur.apply(&plane, &mut blurred)?;
        let places = samples.iter_mut().skip(color).step_by(3);
        places.zip(&blurred).for_each(|(place, value)| *place = value.round().clamp(0.0, 255.0) as u8);
    }
    Ok(write_rgb(File::create(output)?, [photo.width, photo.height], &samples)?)
}

/// The kernel: equal weights in a disc, with the sum 1.
fn disc(radius: u16) -> Vec<f32> {
    let radius = i32::from(radius);
    let places = (-radius..=radius).flat_map(|row| (-radius..=radius).map(move |column| (row, column)));
    let inside: Vec<_> = places.map(|(row, column)| row * row + column * column <= radius * radius).collect();
    let weight = 1.0 / inside.iter().filter(|inside| **inside).count() as f32;
    inside.into_iter().map(|inside| if inside { weight } else { 0.0 }).collect()
}
